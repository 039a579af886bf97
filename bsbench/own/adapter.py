"""A user's class in the place of a built-in strategy."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError, Fault
from bsbench.own.choosing import Terms, alias
from bsbench.own.declaring import LEARNS
from bsbench.own.printing import Printed
from bsbench.own.proxy import Declared, Proxy
from bsbench.rules.board import Rules
from bsbench.rules.placement import MOST_IN_A_ROW
from bsbench.stats import AnswerBook
from bsbench.strategies.base import Cells, Insight, Strategy
from bsbench.strategies.view import View

if TYPE_CHECKING:
    from bsbench.own.observation import Network


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


class Adapter(Declared, Strategy):
    """A strategy whose shots are chosen by a user's class, run by the interpreter.

    It knows seed and games by their numbers, the class by aliases alone.
    """

    deterministic = False
    """Whether shots depend on nothing but the view."""

    probabilities = False
    """Whether scores are probabilities of a ship."""

    remarks = False
    """Whether it may say something of its shots."""

    games_to_come = 0
    """How many it will play at most, if that is known."""

    tallies = False
    """Whether the user's objects count how they chose."""

    _salvos = False
    """Whether the user's code plays salvos."""

    _network: Network | None = None
    """The arrays of a policy."""

    def __init__(self, **parameters: Any) -> None:
        super().__init__(**parameters)
        number = self.games_per_learner
        if type(number) is not int or not 1 <= number <= MOST_IN_A_ROW:
            raise BsbenchError(
                f"{LEARNS} of {self.role} {self.name!r} is a whole number from 1 to "
                f"{MOST_IN_A_ROW:,}, not {number!r}"
            )
        if self.tallies:
            self.answer_book = AnswerBook()

    @property
    def shares(self) -> bool:
        """Whether the class says that it is deterministic, and need not see all games."""
        sees_all = self.chooser.asks_all or self.tallies or self.games_per_learner > 1
        return self.deterministic and not sees_all

    @property
    def plays_salvos(self) -> bool:
        """Whether the user's code says so, or has a method for it."""
        return self._salvos

    def fits(self, rules: Rules) -> bool:
        """Return whether a policy has arrays for the board; a class plays on any."""
        return self._network is None or self._network.fits(rules)

    def copy(self) -> Self:
        """Return a strategy with the same parameters and limit, and no memory of any game."""
        other = super().copy()
        other.answer_book = self.answer_book
        return other

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Make room for games, and let what chooses begin."""
        super().begin(rules, lanes, seed)
        self._take(self._terms(rules, lanes, seed))

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Begin games."""
        follows = None
        if LEARNS in self.declared():
            follows = (games % self.games_per_learner != 0) & (self._latest[lanes] + 1 == games)
            self._latest[lanes] = games
        self._chosen_by.deal(lanes, self._aliases(games), follows)
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

    def salvo(self, view: View) -> Cells:
        """Ask the user's code for turns."""
        return self.shoot(view)

    def _write_down(self, book: AnswerBook, view: View) -> None:
        """Write down how the user's objects chose the moves of live games so far."""
        # A `PythonChooser`, or the `Thinker` that has one.
        chosen_by: Any = self._chosen_by
        rows = chosen_by.answers()
        for lane in np.flatnonzero(view.live).tolist():
            fallbacks, *others = rows[lane].tolist()
            own = int(view.turns[lane]) + 1 - fallbacks
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

    def _terms(self, rules: Rules, lanes: int, seed: int) -> Terms:
        """Return what the user's class is to play, and note by what games get their aliases."""
        self._named = self.name, seed
        self._games = np.zeros(lanes, np.int64)
        # The game that each lane plays, if it learns; no game follows -2.
        self._latest = np.full(lanes, -2)
        late = f"the game took more than {self.timeout:g} s of the strategy's time"
        seed_alias = alias(*self._named)
        facts = rules, lanes, seed_alias, self.timeout, late, self.games_to_come
        return Terms(self.name, self.parameters, *facts)

    def _aliases(self, games: Cells) -> Cells:
        return np.array([alias(*self._named, game) for game in games.tolist()], np.int64)


class InProcess(Adapter):
    """Plays a class that no other process finds: one typed into a notebook, for example."""


class StandIn(Proxy, Adapter):
    """Stands for a strategy that plays in another process."""


@contextmanager
def borrowed(strategy: Strategy, timeout: float) -> Iterator[Strategy]:
    """Lend a copy of a strategy that may spend so many seconds on a game; close it at the end."""
    player = strategy.copy()
    if isinstance(player, Adapter):
        player.timeout = timeout
    if isinstance(player, StandIn):
        player.printed = Printed()
    try:
        yield player
    finally:
        if isinstance(player, StandIn):
            player.close()
            player.talkers.close()
