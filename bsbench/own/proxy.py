"""A user's player in the place of a built-in one, whatever it plays."""

from __future__ import annotations

import dataclasses
import math
import weakref
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Self, TypeVar

from bsbench.common.errors import BsbenchError
from bsbench.common.parameters import Configurable
from bsbench.own.choosing import Chooser, Terms
from bsbench.own.contract import GameKind
from bsbench.own.declaring import LEARNS, Declaration
from bsbench.own.pool import Pool, Talker
from bsbench.own.printing import Printed


class Declared(Configurable):
    """A player with the parameters that a user's class declares."""

    fields: ClassVar[Mapping[str, dataclasses.Field[Any]]] = {}
    """Declarations of the parameters by name."""

    timeout = math.inf
    """Seconds that one game, or one move, may take of the user's code."""

    chooser: ClassVar[type[Any]]
    """How the user's code is asked; for a class in this process, what plays it."""

    player: ClassVar[type]
    """The user's class, if it is played in this process."""

    _chosen_by: Chooser | Talker

    def __init__(self, **parameters: Any) -> None:
        for name, field in self.declared().items():
            setattr(self, name, parameters.pop(name, field.default))
        if parameters:
            raise TypeError(f"{self.name} has no parameter {', '.join(parameters)}")
        self.__post_init__()

    @classmethod
    def declared(cls) -> dict[str, dataclasses.Field[Any]]:
        """Return the declarations of the parameters by name."""
        return dict(cls.fields)

    def copy(self) -> Self:
        """Return a player with the same parameters and limit, and no memory of any game."""
        other = super().copy()
        other.timeout = self.timeout
        return other

    def _take(self, terms: Terms) -> None:
        """Let what chooses begin: the user's class, in this process."""
        self._chosen_by = self.chooser(self.player, terms)


class Proxy(Declared):
    """Stands for what plays in another process: a user's class in a thinker, or a bot.

    It takes a process when games begin, and gives it back when it is closed or thrown away.

    Attributes
    ----------
    printed : Printed
        What the user's code has printed, that of copies included.
    hear : callable or None
        Called with what is printed, before the move that it was printed for is returned.
    hash_seed : int
        Of the process: the order of sets of texts depends on it.
    """

    talkers: ClassVar[Pool[Any]]

    hear: Callable[[str], object] | None = None
    hash_seed = 0
    _talker: Talker | None = None

    def __init__(self, **parameters: Any) -> None:
        super().__init__(**parameters)
        self.printed = Printed()

    def copy(self) -> Self:
        """Return a player with the same parameters that will have a process of its own."""
        other = super().copy()
        other.printed, other.hash_seed = self.printed, self.hash_seed
        return other

    def _take(self, terms: Terms) -> None:
        """Take a process, and let it begin."""
        self.close()
        talker = self._talker = self.talkers.take(self.hash_seed)
        self._give = weakref.finalize(self, self.talkers.give, talker)
        self._give.atexit = False
        talker.printed, talker.hear = self.printed, self.hear
        self._chosen_by = talker
        talker.begin(terms)

    def kill(self) -> None:
        """End the process at once, whatever it does; any thread may call this."""
        if self._talker is not None:
            self._talker.kill()

    def close(self) -> None:
        """Give the process back; games end."""
        if self._talker is not None:
            # Another may take it then.
            self._talker = None
            del self._chosen_by
            self._give()


def check_free(names: Iterable[str], base: type, facts: Iterable[str], called: str) -> None:
    """Refuse parameters with the names of something else that a player has.

    Raises
    ------
    BsbenchError
    """
    # Some attributes are declared alone, or set when it is made.
    declared = (name for kind in base.__mro__ for name in getattr(kind, "__annotations__", ()))
    taken = {*dir(base), *declared, *facts, "self", "preset", "printed", "rules", "lanes", "seed"}
    for name in names:
        if name in taken - {LEARNS}:
            raise BsbenchError(
                f"the parameter {name!r} of {called} has a name that bsbench needs itself: call it "
                f"something else, such as my_{name}"
            )


_Some = TypeVar("_Some", bound=Declared)


def stand_in(
    base: type[_Some], of: str, called: str, description: Declaration, game: GameKind, **body: Any
) -> type[_Some]:
    """Return a class that stands for a user's class, and has its parameters.

    Parameters
    ----------
    base : type
    of : str
        The name of the user's class.
    called : str
        The user's class, as its user calls it.
    description : Declaration
    game : GameKind
    **body : object
        What else it has.

    Raises
    ------
    BsbenchError
        If a parameter has the name of something else that it has.
    """
    facts = description.facts()
    check_free(description.parameters, base, facts, called)
    about = {"__doc__": description.doc, "fields": description.parameters}
    return type(of, (base,), about | {"chooser": game.chooser(description.kind)} | facts | body)
