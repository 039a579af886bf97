"""Does a strategy keep to the contract? A conformance test, for strategies of all kinds.

`check_strategy` plays some games over and over: again, in batches of other sizes, in another
order, beside a copy, and as the engine does. All of these must be the same games, shot by shot, and
each shot must be legal. Where a property does not hold, the report names game and move, and draws
the board.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import re
import threading
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from bsbench.drawing import MISSED, STRUCK, board_text, cell_name
from bsbench.errors import BsbenchError, BsbenchWarning, Fault, StrategyError
from bsbench.layouts import make_sampler
from bsbench.plugins.adapter import Adapter
from bsbench.plugins.blame import broken, line_of
from bsbench.plugins.printing import kept_quiet, printed_text
from bsbench.referee import IllegalShotError, Referee
from bsbench.request import replay_line
from bsbench.rules import Feedback, Rules
from bsbench.scenario import DEFAULT, Scenario, find_scenario
from bsbench.simulate import Block, Simulator
from bsbench.strategies import Strategy, make_variant
from bsbench.strategies.base import Planner
from bsbench.view import View

GAMES = 24
"""Games on the first scenario, unless told otherwise; a quarter of that on each of the others."""

TIMEOUT = 10.0
"""Seconds that a game may take of code in Python, unless told otherwise."""

_LOOKS_PER_SECOND = 10
"""How often it is looked whether a game takes too long."""

_ALONE = 4
"""Games that are also played one after the other: the slowest way to play them."""

_OF_EACH_LEARNER = 8
"""Games that are played of each learner at most, its first ones."""

_DESCRIBES = "describes itself"
"""The property that takes no game."""

_ARRAYS = "live", "shots", "cell", "outcome", "ship", "slot"
"""The arrays of a view."""

# Boards unlike the usual ones: a single cell, one row, one column, and more than 256 cells.
_ODD_BOARDS = (
    Rules(1, 1, (1,), touching=True),
    Rules(1, 9, (3,), touching=True),
    Rules(7, 1, (2, 1), touching=False),
    Rules(20, 14, (5, 4, 3), touching=False),
)


@dataclass(frozen=True)
class Finding:
    """Whether a strategy has one property.

    Attributes
    ----------
    what : str
        The property, as what a strategy does: "fires at …".
    passed : bool or None
        None if it could not be checked, since no game was played to the end.
    message : str
        What is wrong, where, and how to mend it; empty if nothing is. Lines after the first draw
        the board.
    """

    what: str
    passed: bool | None
    message: str = ""


@dataclass(frozen=True)
class Report:
    """What the conformance test of a strategy found.

    Attributes
    ----------
    strategy : str
        Its label.
    scenarios : tuple of str
        Where it was checked.
    games : int
        Games on all of these together.
    findings : tuple of Finding
        One for each property.
    """

    strategy: str
    scenarios: tuple[str, ...]
    games: int
    findings: tuple[Finding, ...]

    @property
    def passed(self) -> bool:
        """Whether it has all properties."""
        return all(finding.passed for finding in self.findings)

    @property
    def failures(self) -> tuple[Finding, ...]:
        """The properties that it lacks."""
        return tuple(finding for finding in self.findings if finding.passed is False)

    def __str__(self) -> str:
        lines = []
        for finding in self.findings:
            mark = {True: "✓", False: "✗", None: "–"}[finding.passed]
            lines.append(f"{mark} {finding.what}")
            lines += [f"    {line}".rstrip() for line in finding.message.split("\n") if line]
        return "\n".join(lines)


def check_strategy(
    strategy: str | Strategy,
    scenario: str | Scenario | None = None,
    games: int = GAMES,
    seed: int = 0,
    timeout: float = TIMEOUT,
) -> Report:
    """Check that a strategy keeps to the contract of `Strategy`.

    Parameters
    ----------
    strategy : str or Strategy
        As on the command line, with parameters after commas; or an object of its own.
    scenario : str or Scenario, optional
        Where to check it, alone. By default on its home, or on ``classic``, under all feedback
        that is enough for it, then on other scenarios and on odd boards.
    games : int
        How many on the first scenario.
    seed : int
    timeout : float
        Seconds that a game may take of a strategy in Python or numpy. (Kernels can't be stopped.)

    Returns
    -------
    Report

    Raises
    ------
    BsbenchError
        If there is no such strategy or scenario, the scenario tells less than the strategy needs,
        or games, seed or timeout are out of range.

    Examples
    --------
    >>> check_strategy("linear", games=10).passed
    True
    """
    if games < 1 or seed < 0:
        raise BsbenchError(
            f"a check wants 1 game or more and a seed from 0 on, not {games}, {seed}"
        )
    if not timeout > 0:
        raise BsbenchError(f"a game can't be played in {timeout:g} seconds: allow more than 0")
    if isinstance(strategy, str):
        strategy = make_variant(strategy)
    if isinstance(strategy, Adapter):
        strategy.timeout = timeout
    watch = _Watch()
    cases = [
        _Case(strategy, place, games if number == 0 else -(-games // 4), seed, watch)
        for number, place in enumerate(_scenarios(strategy, scenario))
    ]
    before = _on_class(strategy)
    with kept_quiet() as printed, watch:
        findings = list(_findings(strategy, cases))
    _blame_class(findings, before, _on_class(strategy))
    if told := printed_text(f"strategy {strategy.name!r}", printed.lines, printed.first):
        warnings.warn(told, BsbenchWarning, stacklevel=2)
    return Report(
        strategy.label,
        tuple(case.scenario.name for case in cases),
        sum(len(case.games) for case in cases),
        tuple(findings),
    )


def _findings(strategy: Strategy, cases: list[_Case]) -> Iterator[Finding]:
    """Check one property after the other."""
    yield _find(_DESCRIBES, _describes, [strategy])
    yield _find(
        "fires at cells of the board, never twice at one, until the fleet is sunk",
        _fires_legally,
        cases,
    )
    playable = [case for case in cases if case.ends_well]
    properties = dict(_PROPERTIES)
    if strategy.plans:
        properties["fires down its plans as it shoots"] = _plans_hold
    if not strategy.listens:
        properties["gives orders as it shoots"] = _orders_hold
    if getattr(strategy, "deterministic", False):
        properties["leaves nothing to chance, as declared"] = _no_chance
    for what, check in properties.items():
        finding = _find(what, check, playable)
        yield finding
        if check is _repeats and not finding.passed:
            # Any two plays differ: nothing can be told from comparing others.
            playable = []


def _on_class(strategy: Strategy) -> dict[str, tuple[str, str]]:
    """Return lists and the like that a class has, each with its type and what is in it, as text."""
    player = strategy.player if isinstance(strategy, Adapter) else type(strategy)
    return {
        name: (type(value).__name__, repr(value))
        for name, value in vars(player).items()
        if isinstance(value, list | dict | set) and not name.startswith("__")
    }


def _blame_class(
    findings: list[Finding], before: dict[str, tuple[str, str]], after: dict[str, tuple[str, str]]
) -> None:
    """Tell, where something fails, what all games have changed in a class that they share."""
    changed = [name for name in before if before[name] != after.get(name)]
    for number, finding in enumerate(findings):
        if changed and finding.passed is False and finding.what != _DESCRIBES:
            name = changed[0]
            hint = (
                f"its class has one {before[name][0]} {name!r} for all games, which they change: "
                "let each game make its own, as an attribute of self"
            )
            findings[number] = replace(finding, message=f"{finding.message}\n{hint}")
            return


def _scenarios(strategy: Strategy, scenario: str | Scenario | None) -> list[Scenario]:
    """Return where to check a strategy: on the scenario given, or on unlike ones."""
    if scenario is not None:
        place = find_scenario(scenario) if isinstance(scenario, str) else scenario
        if place.rules.feedback < strategy.needs:
            raise BsbenchError(
                f"strategy {strategy.name!r} needs feedback {strategy.needs}, and scenario "
                f"{place.name} tells {place.rules.feedback}: choose another one, or override it"
            )
        return [place]
    try:
        home = find_scenario(strategy.home or DEFAULT)
    except BsbenchError:
        home = find_scenario(DEFAULT)
    places = [home] + [find_scenario(name) for name in ("classic", "harbour", "gym-6x9")]
    kinds = [feedback for feedback in Feedback if feedback >= strategy.needs]
    found = {}
    # At home with each kind of feedback it may meet, elsewhere with the least of them.
    for place, kind in [(home, kind) for kind in kinds] + [(place, kinds[0]) for place in places]:
        told = place
        if place.rules.feedback != kind:
            told = place.override(feedback=kind)
        found[told.name] = told
    for rules in _ODD_BOARDS:
        name = f"{rules.board} with ships {rules.fleet_text}"
        found[name] = Scenario(name, replace(rules, feedback=kinds[0]))
    fitting = [place for place in found.values() if strategy.fits(place.rules)]
    if not fitting:
        raise BsbenchError(
            f"strategy {strategy.name!r} plays on none of the usual boards: give --scenario"
        )
    return fitting


class _TooLong(BaseException):
    """A game takes too long; raised in the strategy's own code."""


class _Watch:
    """Interrupts a strategy in Python where it is when a game takes too long.

    Attributes
    ----------
    strategy : Strategy or None
        The one that is asked.
    lane : int
        Where the game that took too long is played.
    """

    def __init__(self) -> None:
        self.strategy: Strategy | None = None
        self.lane = 0
        self._player = threading.get_ident()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        told: object = None
        while not self._over.wait(1 / _LOOKS_PER_SECOND):
            strategy = self.strategy
            busy = getattr(strategy, "busy", None)
            if not isinstance(strategy, Adapter) or busy is told:
                continue
            lane = strategy.overtime()
            if lane is not None:
                # Once for each time that it is asked.
                told, self.lane = busy, lane
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(self._player), ctypes.py_object(_TooLong)
                )

    def fault(self, late: _TooLong) -> Fault:
        """Return what the strategy did wrong, with the line where it was interrupted."""
        assert isinstance(self.strategy, Adapter)
        line = line_of(traceback.extract_tb(late.__traceback__))
        return self.strategy.out_of_time(self.lane, line)


class _Breach(Exception):
    """A property does not hold.

    Attributes
    ----------
    problem : str
        A sentence without a full stop.
    game, move : int or None
        Where; moves count from 1.
    """

    def __init__(self, problem: str, game: int | None = None, move: int | None = None) -> None:
        super().__init__(problem)
        self.problem, self.game, self.move = problem, game, move
        # What may be the cause, and mend it: a sentence told last; or empty.
        self.hint = ""
        # What was shot in that game before; the games as they had been played are meant if None.
        self.shots: Sequence[int] | None = None


@dataclass
class _Case:
    """A strategy on one scenario: its games, as they are played in one batch.

    Attributes
    ----------
    strategy : Strategy
        Copied for each way to play.
    scenario : Scenario
    wanted : int
        How many games.
    seed : int
    watch : _Watch
        Told who is asked.
    """

    strategy: Strategy
    scenario: Scenario
    wanted: int
    seed: int
    watch: _Watch
    touched: _Breach | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        in_a_row = self.strategy.games_per_learner
        self.turns = min(in_a_row, _OF_EACH_LEARNER)
        learners = max(-(-self.wanted // self.turns), 1 if in_a_row == 1 else 3)
        self.blocks = [Block(in_a_row * nth, self.turns) for nth in range(learners)]
        self.sampler = make_sampler(self.scenario.rules, self.scenario.placement)

    @property
    def rules(self) -> Rules:
        """Of the scenario."""
        return self.scenario.rules

    @cached_property
    def layouts(self) -> dict[int, npt.NDArray[np.int32]]:
        """Slot codes by game."""
        return {
            block.first_game + nth: codes
            for block in self.blocks
            for nth, codes in enumerate(self.sampler.draw(self.seed, block.first_game, block.games))
        }

    @property
    def games(self) -> list[int]:
        """The games' numbers."""
        return list(self.layouts)

    @property
    def groups(self) -> list[list[int]]:
        """The games that are dealt to one lane in turn: of each learner, or one by one."""
        games = self.games
        return [games[first : first + self.turns] for first in range(0, len(games), self.turns)]

    @cached_property
    def shots(self) -> dict[int, list[int]]:
        """All shots of each game, all games side by side.

        Raises
        ------
        _Breach
            If one is illegal, or the strategy fails.
        """
        playing = _Playing(self, len(self.groups))
        try:
            return playing.to_the_end()
        except _Breach:
            # What fails for many games at once may fail in one of them alone, which tells more.
            for group in self.groups:
                _Playing(self, 1, [group]).to_the_end()
            raise
        finally:
            self.touched = playing.touched

    @cached_property
    def ends_well(self) -> bool:
        """Whether all games can be played to the end."""
        try:
            return bool(self.shots)
        except _Breach:
            return False

    def ship_cells(self, game: int) -> set[int]:
        """Return where the ships of a game lie."""
        return {
            (int(code) >> 1) + part * (self.rules.cols if code & 1 else 1)
            for code, length in zip(self.layouts[game], self.rules.fleet, strict=True)
            for part in range(length)
        }

    def compare(self, played: dict[int, list[int]], how: str) -> None:
        """Raise a breach at the first shot that differs from those of the batch."""
        for game, shots in played.items():
            expected = self.shots[game]
            for move, (cell, other) in enumerate(
                itertools.zip_longest(expected, shots, fillvalue=None), start=1
            ):
                if cell != other:
                    raise _Breach(
                        f"it shoots {self.name(other)} {how}, and {self.name(cell)} when all "
                        "games are played side by side for the first time",
                        game,
                        move,
                    )

    def name(self, cell: int | None) -> str:
        """Return a cell's name and number."""
        if cell is None:
            return "no cell"
        if not 0 <= cell < self.rules.cells:
            return f"cell {cell}"
        return f"{cell_name(cell, self.rules.cols)} (cell {cell})"

    def describe(self, breach: _Breach) -> str:
        """Return where a breach was, what it is, the board before that move, and the hint."""
        return "\n".join(filter(None, [self._where(breach), breach.hint]))

    def _where(self, breach: _Breach) -> str:
        """Return all of that but the hint."""
        rules = self.rules
        where = f"{self.scenario.name}, feedback {rules.feedback}, seed {self.seed}"
        if breach.game is None:
            return f"{where}: {breach.problem}"
        text = f"{where}, game {breach.game}"
        if breach.move is None:
            return f"{text}: {breach.problem}"
        shots = self.shots[breach.game] if breach.shots is None else breach.shots
        ships = self.ship_cells(breach.game)
        marks = {cell: STRUCK if cell in ships else MISSED for cell in shots[: breach.move - 1]}
        board = board_text(rules.rows, rules.cols, marks)
        if not self.ends_well:
            command = replay_line(self.strategy, self.scenario, self.seed, breach.game)
            board += f"\nsee it with: {command}"
        return f"{text}, move {breach.move}: {breach.problem}\n{board}"


class _Playing:
    """Games of a case under way, asked shot by shot.

    Parameters
    ----------
    case : _Case
    lanes : int
    groups : list of list of int, optional
        Games that are dealt to a lane in turn, in this order; by default the case's.
    seed : int, optional
        Of the strategy's own streams; by default the case's.
    number : callable, optional
        What number the strategy is told for a game; by default its own.
    prepare : callable, optional
        Changes the strategy before it begins.
    watch : callable, optional
        Called with the strategy, the view, a lane, the shot chosen there and those before it.
    """

    def __init__(
        self,
        case: _Case,
        lanes: int,
        groups: Iterable[list[int]] | None = None,
        seed: int | None = None,
        number: Callable[[int], int] = int,
        prepare: Callable[[Strategy], None] = lambda strategy: None,
        watch: Callable[[Strategy, int, int, list[int]], None] | None = None,
    ) -> None:
        self.case = case
        self.strategy = case.strategy.copy()
        prepare(self.strategy)
        self.view = View(case.rules, lanes)
        self.referee = Referee(self.view)
        self.game = np.full(lanes, -1, np.int64)
        self.fired: dict[int, list[int]] = {}
        self.touched: _Breach | None = None
        self._number, self._watch = number, watch
        self._queue = iter(case.groups if groups is None else groups)
        self._turns: list[list[int]] = [[] for _ in range(lanes)]
        self.ask(self.strategy.begin, case.rules, lanes, case.seed if seed is None else seed)

    def to_the_end(self) -> dict[int, list[int]]:
        """Play all games; return the shots of each, in order of the games' numbers."""
        while self.step():
            pass
        return dict(sorted(self.fired.items()))

    def step(self) -> bool:
        """Deal games to idle lanes, and fire once in every live one; tell whether one was live."""
        self.deal()
        live = np.flatnonzero(self.view.live)
        if not len(live):
            return False
        cells = self.ask(self.strategy.shoot, self.view)
        wanted = f"it must return one int64 for each lane, shape ({self.view.lanes},)"
        if not isinstance(cells, np.ndarray):
            raise self.breach(f"shoot returned {cells!r:.80}: {wanted}")
        if cells.shape != (self.view.lanes,) or cells.dtype != np.int64:
            raise self.breach(
                f"shoot returned an array of shape {cells.shape} and type {cells.dtype}: {wanted}"
            )
        chosen = cells[live].tolist()
        games = self.game[live].tolist()
        if self._watch:
            try:
                self._watch(self.strategy, int(live[0]), chosen[0], self.fired[games[0]])
            except _Breach as breach:
                breach.game, breach.move = games[0], len(self.fired[games[0]]) + 1
                raise
        try:
            self.referee.fire(cells)
        except IllegalShotError as error:
            game = int(self.game[error.lane])
            shots = self.fired[game]
            problem = f"its shot {self.case.name(error.cell)} is refused, since {error.reason}"
            if error.cell in shots:
                problem += f", at move {shots.index(error.cell) + 1}"
            raise self.breach(problem, error.lane) from None
        for game, cell in zip(games, chosen, strict=True):
            self.fired[game].append(cell)
        return True

    def deal(self) -> None:
        """Deal the next games to idle lanes."""
        fresh = []
        for lane in np.flatnonzero(~self.view.live).tolist():
            if not self._turns[lane]:
                self._turns[lane] = list(next(self._queue, []))
            if self._turns[lane]:
                self.game[lane] = self._turns[lane].pop(0)
                fresh.append(lane)
        if fresh:
            lanes = np.array(fresh)
            games = self.game[lanes].tolist()
            self.fired |= {game: [] for game in games}
            self.referee.deal(lanes, np.array([self.case.layouts[game] for game in games]))
            told = np.array([self._number(game) for game in games], np.int64)
            self.ask(self.strategy.deal, lanes, told)

    def ask(self, method: Callable[..., Any], *arguments: Any) -> Any:
        """Call a method of the strategy; see whether it changes the view."""
        view = self.view
        arrays = {name: getattr(view, name) for name in _ARRAYS}
        kept = {name: array.copy() for name, array in arrays.items()}
        self.case.watch.strategy = self.strategy
        try:
            answer = method(*arguments)
        except _TooLong as late:
            fault = self.case.watch.fault(late)
            raise self.breach(_failure(fault, method.__name__), fault.lane) from None
        except Fault as error:
            raise self.breach(_failure(error, method.__name__), error.lane) from error
        except Exception as error:
            raise self.breach(_failure(error, method.__name__)) from error
        for name, array in arrays.items():
            same = getattr(view, name) is array and np.array_equal(array, kept[name])
            if not same and self.touched is None:
                changed = np.flatnonzero(array != kept[name])
                lane = int(changed[0]) if len(changed) else 0
                self.touched = self.breach(
                    f"{method.__name__} writes to view.{name}, which belongs to the referee: "
                    "copy what you want to change",
                    lane,
                )
            # So that the game goes on as it was.
            setattr(view, name, array)
            array[:] = kept[name]
        return answer

    def breach(self, problem: str, lane: int | None = None) -> _Breach:
        """Return a breach in a lane, or in the only one."""
        if lane is None:
            live = np.flatnonzero(self.view.live)
            lane = int(live[0]) if len(live) == 1 else None
        if lane is None or self.game[lane] < 0:
            return _Breach(problem)
        game = int(self.game[lane])
        breach = _Breach(problem, game, len(self.fired[game]) + 1)
        breach.shots = list(self.fired[game])
        return breach


def _find(what: str, check: Callable[[Any], None], cases: Sequence[Any]) -> Finding:
    """Return whether a check passes on all cases; the first that does not is told."""
    for case in cases:
        try:
            check(case)
        except _Breach as breach:
            message = case.describe(breach) if isinstance(case, _Case) else breach.problem
            return Finding(what, False, message)
        except _TooLong:
            # It came when the strategy had just answered after all.
            return Finding(what, False, "a game took too long; --timeout allows more")
    return Finding(what, True if cases else None)


def _describes(strategy: Strategy) -> None:
    name = getattr(strategy, "name", None)
    if not isinstance(name, str) or not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name):
        raise _Breach(
            f"its name is {name!r}: give it one of small letters, digits and hyphens, such as "
            "name = 'my-strategy'"
        )
    source = getattr(strategy, "source", None)
    if not isinstance(source, str) or not source.strip():
        raise _Breach("it has no source: say who proposed it, such as source = 'my own'")
    if not strategy.idea:
        raise _Breach("it has no docstring: begin it with its idea in one line")
    if not isinstance(strategy.needs, Feedback):
        raise _Breach(f"needs is {strategy.needs!r}: give a Feedback, such as Feedback.SUNK")
    if strategy.home is not None:
        try:
            home = find_scenario(strategy.home)
        except BsbenchError as error:
            raise _Breach(f"its home can't be found: {error}") from None
        if home.rules.feedback < strategy.needs:
            raise _Breach(
                f"its home {home.name} tells {home.rules.feedback}, and it needs {strategy.needs}"
            )
    try:
        copy = strategy.copy()
    except Exception as error:
        raise _Breach(_failure(error, "copy")) from error
    if (copy.label, copy.parameters) != (strategy.label, strategy.parameters):
        raise _Breach(f"its copy is {copy.label!r}, and it is {strategy.label!r} itself")


def _fires_legally(case: _Case) -> None:
    try:
        # Asking for the games plays them.
        assert case.shots
    except _Breach as breach:
        breach.hint = _if_told_more(case)
        raise


def _if_told_more(case: _Case) -> str:
    """Return a hint if games that go wrong are played to the end where more is told."""
    what = {Feedback.SUNK: "which ship has sunk", Feedback.SHIP: "which ship each hit is on"}
    for feedback in Feedback:
        if feedback <= case.rules.feedback:
            continue
        told = replace(case.scenario, rules=replace(case.rules, feedback=feedback))
        other = _Case(case.strategy, told, case.wanted, case.seed, case.watch)
        with contextlib.suppress(_Breach):
            _Playing(other, len(other.groups)).to_the_end()
            own = isinstance(case.strategy, Adapter)
            needs = f"'{feedback}'" if own else f"Feedback.{feedback.name}"
            return (
                f"under feedback {feedback}, it plays these games to the end: if it can't do "
                f"without being told {what[feedback]}, its class must say needs = {needs}"
            )
    return ""


def _leaves_the_view(case: _Case) -> None:
    if case.touched:
        raise case.touched


def _repeats(case: _Case) -> None:
    try:
        case.compare(_Playing(case, len(case.groups)).to_the_end(), "in the same batch again")
    except _Breach as breach:
        chance = "the streams of bsbench.kernels, begun by self.stream_key and the game's number"
        if isinstance(case.strategy, Adapter):
            chance = case.strategy.chance
        breach.hint = f"is it chance? All of that must come from {chance}"
        raise


def _any_batch(case: _Case) -> None:
    alone = case.groups[: max(_ALONE // case.turns, 2)]
    case.compare(_Playing(case, 1, alone).to_the_end(), "in a batch of one game")
    case.compare(_Playing(case, 3).to_the_end(), "in a batch of 3 games")
    case.compare(_Playing(case, len(case.groups) + 70).to_the_end(), "in a larger batch")


def _any_order(case: _Case) -> None:
    groups = case.groups[::-1]
    case.compare(_Playing(case, len(groups), groups).to_the_end(), "in lanes in reverse order")
    # Every game once behind another one than before.
    groups = groups[1::2] + groups[::2]
    try:
        case.compare(_Playing(case, 5, groups).to_the_end(), "after other games")
    except _Breach as breach:
        if case.strategy.games_per_learner == 1:
            where = case.strategy.begins if isinstance(case.strategy, Adapter) else "in deal"
            breach.hint = f"does it remember the game before? Forget that {where}"
        raise


def _copies_are_apart(case: _Case) -> None:
    first = _Playing(case, len(case.groups))
    second = _Playing(case, 3, case.groups[::-1])
    while all([first.step(), second.step()]):
        pass
    for playing in (first, second):
        case.compare(playing.to_the_end(), "while a copy of it plays, too")


def _insight_is_true(case: _Case) -> None:
    def watch(strategy: Strategy, lane: int, cell: int, before: list[int]) -> None:
        try:
            insight = strategy.insight(lane)
        except Exception as error:
            raise _Breach(_failure(error, "insight")) from error
        if insight.waiting and insight.waiting[0] != cell:
            raise _Breach(
                f"it shoots {case.name(cell)}, and insight has {case.name(insight.waiting[0])} as "
                "the next cell waiting"
            )
        if insight.closed is not None:
            if insight.closed[cell]:
                raise _Breach(f"it shoots {case.name(cell)}, which insight calls closed")
            for shot in before:
                if not insight.closed[shot]:
                    raise _Breach(f"insight calls {case.name(shot)} open, which was shot before")
        if insight.scores is not None and insight.scores.shape != (case.rules.cells,):
            raise _Breach(
                f"insight has scores of shape {insight.scores.shape}: one for each cell is wanted"
            )

    playing = _Playing(case, len(case.groups), watch=watch)
    case.compare(playing.to_the_end(), "when insight is asked for")


def _engine_agrees(case: _Case) -> None:
    counts: dict[int, int] = {}
    for lanes in (4, 128):
        case.watch.strategy = strategy = case.strategy.copy()
        simulator = Simulator(case.rules, case.sampler, strategy, case.seed, lanes)
        try:
            for block, moves in simulator.play(iter(case.blocks)):
                played = range(block.first_game, block.first_game + block.games)
                counts |= zip(played, moves.tolist(), strict=True)
        except StrategyError as error:
            raise _Breach(
                _failure(error, "play"),
                error.game,
                None if error.shots is None else error.shots + 1,
            ) from None
        except _TooLong as late:
            raise _Breach(_failure(case.watch.fault(late), "play")) from None
        except Exception as error:
            raise _Breach(_failure(error, "play")) from error
        for game, count in counts.items():
            if count != len(case.shots[game]):
                raise _Breach(
                    f"the engine counts {count} moves in {lanes} lanes, and shot by shot there are "
                    f"{len(case.shots[game])}",
                    game,
                )


def _plans_hold(case: _Case) -> None:
    """Fire down plans, and compare where they land with the games shot by shot."""
    playing = _Playing(case, len(case.groups))
    planner, view = playing.strategy, playing.view
    assert isinstance(planner, Planner)
    while True:
        playing.deal()
        live = np.flatnonzero(view.live)
        if not len(live):
            return
        playing.ask(planner.hunt, view)
        try:
            playing.referee.fire_down(planner.plan)
        except IllegalShotError as error:
            game = int(playing.game[error.lane])
            problem = f"its plan holds {case.name(error.cell)}, which is refused: {error.reason}"
            raise _Breach(problem, game, int(view.shots[error.lane]) + 1) from None
        for lane in live.tolist():
            game, move, cell = (int(a[lane]) for a in (playing.game, view.shots, view.cell))
            shots = case.shots[game]
            if move > len(shots) or shots[move - 1] != cell:
                own = case.name(shots[move - 1] if move <= len(shots) else None)
                problem = f"its plan shoots {case.name(cell)}, and shoot {own}"
                raise _Breach(problem, game, min(move, len(shots)))


def _orders_hold(case: _Case) -> None:
    """Compare orders with the games shot by shot, and with orders for part of them."""
    cells, games = case.rules.cells, np.array(case.games)
    strategy = case.strategy.copy()
    try:
        strategy.begin(case.rules, 1, case.seed)
        orders = strategy.orders(games)
        last = strategy.orders(games[-1:])
    except Exception as error:
        raise _Breach(_failure(error, "orders")) from error
    wanted = f"of shape ({len(games)}, {cells}) or (1, {cells}) and type uint16"
    if not isinstance(orders, np.ndarray) or orders.dtype != np.uint16:
        raise _Breach(f"orders must return an array {wanted}")
    if orders.shape not in [(len(games), cells), (1, cells)]:
        raise _Breach(f"orders returned an array of shape {orders.shape}: it must be one {wanted}")
    if not np.array_equal(orders[-1], last[-1]):
        raise _Breach("orders gives other shots when asked for this game alone", int(games[-1]))
    for game, order in zip(case.games, np.broadcast_to(orders, (len(games), cells)), strict=True):
        if not np.array_equal(np.sort(order), np.arange(cells)):
            raise _Breach("orders must hold every cell of the board once", game)
        fired = case.shots[game]
        for move, (cell, ordered) in enumerate(zip(fired, order.tolist(), strict=False), start=1):
            if cell != ordered:
                problem = f"orders has {case.name(ordered)}, and shoot {case.name(cell)}"
                raise _Breach(problem, game, move)


def _no_chance(case: _Case) -> None:
    """Play under another seed on the same layouts, and without sharing decisions."""
    declared = "though it declares deterministic = True"
    moved = 1000 * case.strategy.games_per_learner
    playing = _Playing(case, len(case.groups), seed=case.seed + 1, number=lambda game: game + moved)
    case.compare(playing.to_the_end(), f"under another seed on the same layout, {declared},")
    playing = _Playing(case, len(case.groups), prepare=_share_nothing)
    case.compare(
        playing.to_the_end(),
        f"when one object of it plays the whole game (so it remembers more than the view tells, "
        f"{declared}),",
    )


def _share_nothing(strategy: Strategy) -> None:
    # Where it is asked for every shot, and no decision comes from another game.
    strategy.deterministic = False  # type: ignore[attr-defined]


_PROPERTIES: dict[str, Callable[[_Case], None]] = {
    "leaves the view as it is": _leaves_the_view,
    "plays the same game under the same seed": _repeats,
    "plays the same games whatever the size of the batch": _any_batch,
    "plays the same games in whatever order they are dealt": _any_order,
    "plays the same games beside a copy of itself": _copies_are_apart,
    "tells the truth of its next shot": _insight_is_true,
    "plays the same games in the engine": _engine_agrees,
}


def _failure(error: Exception, method: str) -> str:
    """Return what a method of the strategy did wrong, or raised, and its own line where."""
    if isinstance(error, Fault | StrategyError):
        problem, line = error.problem, error.line
    else:
        fault = broken(0, error)
        problem, line = f"{method} raised {fault.problem}", fault.line
    return f"{problem}\n  {line}" if line else problem
