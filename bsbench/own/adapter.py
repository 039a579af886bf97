"""A user's class in the place of a built-in strategy."""

from __future__ import annotations

import dataclasses
import math
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from bsbench.own.choosing import Chooser, Manner, Terms, alias
from bsbench.own.pool import Pool, Talker
from bsbench.own.printing import Printed
from bsbench.own.thinking import shared_state
from bsbench.rules.board import Rules
from bsbench.strategies.base import Cells, Insight, Strategy
from bsbench.strategies.view import View


@dataclasses.dataclass(frozen=True)
class Origin:
    """Where a strategy comes from.

    Attributes
    ----------
    spec : str
        What finds it again in another process; empty if nothing does.
    called : str
        What finds it on the command line, as its user wrote it.
    files : tuple of Path, or None
        What it is made of, where the spec begins with a scheme: hashes tell versions apart.
    trusted : bool
        Whether a user's own code runs in the process of bsbench, where it could do anything: that
        of a strategy with kernels, or of a class given as an object.
    """

    spec: str
    called: str
    trusted: bool = False
    files: tuple[Path, ...] | None = None


def origin_of(strategy: Strategy) -> Origin:
    """Return where a strategy comes from."""
    kind = type(strategy)
    own: Origin | None = vars(kind).get("_origin")
    return own or Origin(
        strategy.name if kind.built_in else "", strategy.name, trusted=not kind.built_in
    )


class Adapter(Strategy):
    """A strategy whose shots are chosen by a user's class, run by the interpreter.

    It knows seed and games by their numbers, the class by aliases alone.
    """

    chooser: ClassVar[type[Manner]]
    """How the user's code is asked; for a class, what plays it."""

    fields: ClassVar[Mapping[str, dataclasses.Field[Any]]]
    """Declarations of the parameters by name."""

    deterministic = False
    """Whether shots depend on nothing but the view."""

    probabilities = False
    """Whether scores are probabilities of a ship."""

    timeout = math.inf
    """Seconds that one game may take of the user's code."""

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

    @property
    def shares(self) -> bool:
        """Whether the class says that it is deterministic, and is asked game by game."""
        return self.deterministic and not self.chooser.in_batches

    def copy(self) -> Self:
        """Return a strategy with the same parameters and limit, and no memory of any game."""
        other = super().copy()
        other.timeout = self.timeout
        return other

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Begin games."""
        self._chosen_by.deal(lanes, self._aliases(games))

    def shoot(self, view: View) -> Cells:
        """Ask the user's code."""
        return self._chosen_by.shoot(view)

    def insight(self, lane: int) -> Insight:
        """Return the scores that the user's object shows, if it does."""
        return Insight(scores=self._chosen_by.scores(lane))

    @property
    def gives_chances(self) -> bool:
        """Whether the class says that its scores are probabilities."""
        return self.probabilities

    def chances(self, lanes: Cells) -> npt.NDArray[np.float64]:
        """Return the scores that the user's objects show; those below 0 say nothing."""
        chances = np.full((len(lanes), self.rules.cells), np.nan)
        for row, lane in enumerate(lanes.tolist()):
            if (scores := self._chosen_by.scores(lane)) is not None:
                chances[row] = np.where(scores < 0, np.nan, scores)
        return chances

    def spent(self) -> float:
        """Return the seconds that the user's code has taken for the longest of the games."""
        return self._chosen_by.spent()

    def shared(self) -> dict[str, tuple[str, str]]:
        """Return the lists, dicts and sets that the user's class shares between games.

        Returns
        -------
        dict
            The type of each, and its text, by name.
        """
        raise NotImplementedError

    def _terms(self, rules: Rules, lanes: int, seed: int) -> Terms:
        """Return what the user's class is to play, and note by what games get their aliases."""
        self._named = self.name, seed
        return Terms(self.name, self.parameters, rules, lanes, alias(*self._named), self.timeout)

    def _aliases(self, games: Cells) -> Cells:
        return np.array([alias(*self._named, game) for game in games.tolist()], np.int64)


class InProcess(Adapter):
    """Plays a class that no other process finds: one typed into a notebook, for example."""

    chooser: ClassVar[type[Chooser]]

    player: ClassVar[type]
    """The user's class."""

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Make room for games."""
        super().begin(rules, lanes, seed)
        self._chosen_by = self.chooser(self.player, self._terms(rules, lanes, seed))

    def shared(self) -> dict[str, tuple[str, str]]:
        """Return the lists, dicts and sets of the class by name: type and text of each."""
        return shared_state(self.player)


class StandIn(Adapter):
    """Stands for what plays in another process: a user's class in a thinker, or a bot.

    It takes a thinker when games begin, and gives it back when it is closed or thrown away.

    Attributes
    ----------
    printed : Printed
        What the user's code has printed, that of copies included.
    hear : callable or None
        Called with what is printed, before the shot that it was printed for is returned.
    hash_seed : int
        Of the thinker: the order of sets of texts depends on it.
    """

    thinkers: ClassVar[Pool[Any]]

    hear: Callable[[str], object] | None = None
    hash_seed = 0
    _thinker: Talker | None = None

    def __init__(self, **parameters: Any) -> None:
        super().__init__(**parameters)
        self.printed = Printed()

    def copy(self) -> Self:
        """Return a strategy with the same parameters that will have a thinker of its own."""
        other = super().copy()
        other.printed, other.hash_seed = self.printed, self.hash_seed
        return other

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Take a thinker, and make room for games."""
        super().begin(rules, lanes, seed)
        self.close()
        thinker = self._thinker = self.thinkers.take(self.hash_seed)
        self._give = weakref.finalize(self, self.thinkers.give, thinker)
        self._give.atexit = False
        thinker.printed, thinker.hear = self.printed, self.hear
        self._chosen_by = thinker
        thinker.begin(self._terms(rules, lanes, seed))

    def shared(self) -> dict[str, tuple[str, str]]:
        """Return the lists, dicts and sets of the class by name: type and text of each."""
        thinker: Talker = self.thinkers.take(self.hash_seed)
        try:
            return thinker.shared()
        finally:
            self.thinkers.give(thinker)

    def kill(self) -> None:
        """End the thinker at once, whatever it does; any thread may call this."""
        if self._thinker is not None:
            self._thinker.kill()

    def close(self) -> None:
        """Give the thinker back; games end."""
        if self._thinker is not None:
            # Another may take it then.
            self._thinker = None
            del self._chosen_by
            self._give()
