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

from bsbench.common.errors import Fault
from bsbench.own.choosing import Chooser, Manner, Terms, alias
from bsbench.own.pool import Pool, Talker
from bsbench.own.printing import Printed
from bsbench.own.thinking import shared_state
from bsbench.rules.board import Rules
from bsbench.stats import AnswerBook
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
        What it is made of, where the spec begins with a scheme: hashes distinguish versions.
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

    tallies = False
    """Whether the user's objects count how they chose."""

    timeout = math.inf
    """Seconds that one game may take of the user's code."""

    _chosen_by: Chooser | Talker

    def __init__(self, **parameters: Any) -> None:
        for name, field in self.declared().items():
            setattr(self, name, parameters.pop(name, field.default))
        if parameters:
            raise TypeError(f"{self.name} has no parameter {', '.join(parameters)}")
        self.__post_init__()
        if self.tallies:
            self.answer_book = AnswerBook()

    @classmethod
    def declared(cls) -> dict[str, dataclasses.Field[Any]]:
        """Return the declarations of the parameters by name."""
        return dict(cls.fields)

    @property
    def shares(self) -> bool:
        """Whether the class says that it is deterministic, and is asked game by game."""
        return self.deterministic and not (self.chooser.in_batches or self.tallies)

    def copy(self) -> Self:
        """Return a strategy with the same parameters and limit, and no memory of any game."""
        other = super().copy()
        other.timeout, other.answer_book = self.timeout, self.answer_book
        return other

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Begin games."""
        self._chosen_by.deal(lanes, self._aliases(games))
        if self.answer_book is not None:
            self._games[lanes] = games
            for game in games.tolist():
                self.answer_book.begin(game)

    def shoot(self, view: View) -> Cells:
        """Ask the user's code."""
        cells = self._chosen_by.shoot(view)
        if self.answer_book is not None:
            self._write_down(self.answer_book, view)
        return cells

    def _write_down(self, book: AnswerBook, view: View) -> None:
        """Write down how the user's objects chose the shots of live games so far."""
        # A `PythonChooser`, or the `Thinker` that has one.
        chosen_by: Any = self._chosen_by
        rows = chosen_by.answers()
        for lane in np.flatnonzero(view.live).tolist():
            fallbacks, *others = rows[lane].tolist()
            own = int(view.shots[lane]) + 1 - fallbacks
            if own < 0 or fallbacks < 0 or min(others[:2]) < 0:
                raise Fault(lane, "its attribute tally counts more fallbacks than moves")
            book.write(int(self._games[lane]), [own, fallbacks, *others])

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
        self._games = np.zeros(lanes, np.int64)
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
        Of the talker: the order of sets of texts depends on it.
    """

    talkers: ClassVar[Pool[Any]]

    hear: Callable[[str], object] | None = None
    hash_seed = 0
    _talker: Talker | None = None

    def __init__(self, **parameters: Any) -> None:
        super().__init__(**parameters)
        self.printed = Printed()

    def copy(self) -> Self:
        """Return a strategy with the same parameters that will have a talker of its own."""
        other = super().copy()
        other.printed, other.hash_seed = self.printed, self.hash_seed
        return other

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Take a talker, and make room for games."""
        super().begin(rules, lanes, seed)
        self.close()
        talker = self._talker = self.talkers.take(self.hash_seed)
        self._give = weakref.finalize(self, self.talkers.give, talker)
        self._give.atexit = False
        talker.printed, talker.hear = self.printed, self.hear
        self._chosen_by = talker
        talker.begin(self._terms(rules, lanes, seed))

    def shared(self) -> dict[str, tuple[str, str]]:
        """Return the lists, dicts and sets of the class by name: type and text of each."""
        talker: Talker = self.talkers.take(self.hash_seed)
        try:
            return talker.shared()
        finally:
            self.talkers.give(talker)

    def kill(self) -> None:
        """End the talker at once, whatever it does; any thread may call this."""
        if self._talker is not None:
            self._talker.kill()

    def close(self) -> None:
        """Give the talker back; games end."""
        if self._talker is not None:
            # Another may take it then.
            self._talker = None
            del self._chosen_by
            self._give()
