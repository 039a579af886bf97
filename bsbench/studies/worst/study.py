"""The worst case: the layout on which a strategy needs the most moves.

Over 9000 (write-up): "it was often possible to look at other programs and determine the worst case
placement against their program".

Where all layouts are few enough, each is played once: then the worst is *proven*. Otherwise it is
sought by *climbs*. Each begins at a layout that the placement law draws, and goes to the worst of
its neighbours, all layouts with one ship elsewhere; to one just as bad if none is worse, unless
it has been there, and only so many times in a row. Where that ends, pairs of ships are moved, at
random. If that does not help either, the climb is over, and another one begins. Climbs know nothing
of each other: how many end at the same number of moves shows how sure the result is. Several climb
at the same time, so that kernels play many games at once.

A strategy with chance has a worst *mean*. Its climbs let neighbours race: each is played a
few times, the quarter with the highest means more often, and so on. In the end the best climbs race
again, and the mean of the winner is that of fresh games, which did not choose it.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from bsbench.common.errors import BsbenchError
from bsbench.common.found import Found
from bsbench.common.progress import Progress, Watch, ignored
from bsbench.common.record import Content, Count, Record, VariantRecord
from bsbench.kernels.slots import slot_masks
from bsbench.layouts import Codes, Sampler
from bsbench.layouts.each import Each
from bsbench.play.samplers import make_sampler
from bsbench.rules.board import Rules
from bsbench.rules.layout import layout_text
from bsbench.rules.scenario import Scenario, ScenarioRecord
from bsbench.runs.cores import Run
from bsbench.runs.exact import TRIED, chance_at
from bsbench.runs.request import TIMEOUT, Request
from bsbench.stats.intervals import NORMAL_95
from bsbench.strategies import Strategy

GAMES = 2_000_000
"""Games of a search by default, and layouts at most of which each is played."""

_AT_ONCE = 1 << 18
"""Layouts in memory at once, where each is played."""

_CLIMBS = 24
"""Climbs at the same time at most, and"""

_GAMES_PER_CLIMB, _GAMES_PER_CLIMB_BY_CHANCE = 20_000, 200_000
"""one for so many games of the search, without chance and with."""

_SIDEWAYS, _SIDEWAYS_BY_CHANCE = 20, 4
"""Steps in a row to layouts that are just as bad; where that can't be known for certain."""

_PAIRS = 1_000
"""Moves of two ships that are tried where a climb has come to its end."""

_ROUNDS = (4, 12, 48, 192)
"""Games of each layout in each round of a race; a quarter of the layouts plays the next one."""

_CHOSEN, _FINAL = 1_000, 10_000
"""Games of each layout of the last race, and fresh games of its winner."""

_FINALISTS = 16

Moves = npt.NDArray[np.float64]


class WorstLayout(Record, frozen=True):
    """A layout, and how sure it is that none is worse.

    Attributes
    ----------
    moves : float
        Moves on that layout; of a strategy that uses random numbers, the mean.
    half_width : float or None
        Half the width of its 95 % interval; null without random numbers.
    proven : bool
        Whether no layout takes more moves.
    layouts : int or None
        How many layouts take that many moves, where each was played.
    climbs : int
        Searches that came to an end.
    again : int
        How many of these ended at so many moves; at most one fewer, where they are means.
    games : int
        Games played in all.
    layout : str
        The layout, as a line of a file of layouts.
    """

    moves: float
    half_width: float | None
    proven: bool
    layouts: Count | None
    climbs: Count
    again: Count
    games: Count
    layout: str


class WorstRecord(Content, frozen=True):
    """What `bsbench worst --export-json` writes: a layout on which most moves are needed.

    Attributes
    ----------
    scenario : Scenario
        What was played.
    strategy : VariantRecord
        What played.
    seed : int
        Seed of the search.
    worst : list of WorstLayout
        One entry.
    partial : bool
        True if the search was interrupted.
    seconds.search
        The search.
    """

    schema = "bsbench-worst-1"
    heading = "Worst case"
    steps = {"search": "seconds"}  # noqa: RUF012
    scenario: ScenarioRecord
    strategy: VariantRecord
    seed: Count
    worst: list[WorstLayout]
    partial: bool | UnsetType = UNSET


@dataclass(frozen=True, eq=False)
class Worst(Found):
    """The worst layout found for a strategy; see `WorstLayout`, too.

    Attributes
    ----------
    scenario : Scenario
    strategy : Strategy
    seed : int
    seconds : float
    codes : tuple of int
        The layout: a slot code for each ship.
    interrupted : bool
        Whether Ctrl-C ended the search.
    """

    form: ClassVar = WorstRecord
    entries: ClassVar = "worst"

    scenario: Scenario
    strategy: Strategy
    seed: int
    games: int
    seconds: float
    codes: tuple[int, ...]
    moves: float
    half_width: float | None = None
    proven: bool = False
    layouts: int | None = None
    climbs: int = 0
    again: int = 0
    interrupted: bool = False

    @property
    def partial(self) -> bool:
        """Whether Ctrl-C ended the search."""
        return self.interrupted

    @property
    def layout(self) -> str:
        """The layout as a line of a file of layouts."""
        return layout_text(self.codes, self.scenario.rules)

    @property
    def worst(self) -> list[Worst]:
        """The entries of the record: this one."""
        return [self]

    def content(self) -> Content:
        """Return the record."""
        return replace(super().content(), partial=self.partial or UNSET)


# Public: each option is a keyword with a default.
def worst(
    strategy: str | Strategy | type,
    scenario: str | Scenario | None = None,
    *,
    games: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    threads: int | None = None,
    timeout: float = TIMEOUT,
    progress: Watch = ignored,
) -> Worst:
    """Look for the layout on which a strategy needs the most moves.

    Parameters
    ----------
    strategy : str, Strategy or type
        Parameters follow a name after commas: ``over9000,noise=0``. One that learns from game to
        game plays its first game every time.
    scenario : str or Scenario, optional
        Its placement law draws the layouts where climbs begin. Default: the strategy's home, else
        ``classic``.
    games : int, optional
        After so many games no step of the search begins. If there are no more layouts than that,
        each is played. Default: `GAMES`; with ``seconds``, no limit.
    seconds : float, optional
        After so many seconds no step of a search begins, which depends on the machine. There is a
        search then even if there are few layouts.
    seed : int
    threads : int, optional
        Default: as many as there are cores. The result does not depend on it.
    timeout : float
        Seconds that the code of a strategy in Python may take for one game.
    progress : callable, optional
        Called now and then with a `bsbench.common.progress.Progress`.

    Returns
    -------
    Worst
        After Ctrl-C, the worst layout so far.

    Raises
    ------
    KeyboardInterrupt
        If interrupted before any layout was found.
    BsbenchError
        If an argument is out of range, or the strategy needs more feedback than the scenario gives.
    StrategyError
        If a user's strategy breaks the rules, raises, or takes too long.
    """
    limit = GAMES if games is None else games
    request = Request.of(scenario, seed, games=limit, threads=threads, timeout=timeout)
    shooter, where = request.single(strategy, "a search for the worst case")
    shooter = _unlearned(shooter)
    if seconds is not None and not 0 < seconds < math.inf:
        raise BsbenchError(f"a search of {seconds:g} seconds can't be: allow more than 0")
    begun = time.perf_counter()

    def in_time(played: int) -> bool:
        late = seconds is not None and time.perf_counter() - begun > seconds
        return not late and (played < limit or (games is None and seconds is not None))

    with _Table(shooter, where, seed, request.cores, timeout) as table:
        chance = table.has_chance()
        every = None if chance or seconds else _all_layouts(where.rules, limit)
        if every is not None:
            found = _play_all(table, every, progress)
        else:
            search, interrupted = _Search(table, chance), False
            try:
                search.climb(limit, in_time, progress)
            except KeyboardInterrupt:
                if not search.has_found:
                    raise
                interrupted = True
            found = {**search.result(), "interrupted": interrupted}
        return Worst(
            threads=request.cores,
            scenario=where,
            strategy=shooter,
            seed=seed,
            games=table.games,
            seconds=time.perf_counter() - begun,
            **found,
        )


def _unlearned(strategy: Strategy) -> Strategy:
    """Return a strategy that has learnt nothing when a game begins."""
    if strategy.games_per_learner == 1:
        return strategy
    if "games_per_learner" not in strategy.declared():
        raise BsbenchError(
            f"strategy {strategy.name!r} learns from game to game, so that no layout is the worst "
            "for long: give it a parameter games_per_learner that may be 1, or name another one"
        )
    return strategy.configured({**strategy.parameters, "games_per_learner": 1})


class _Given(Sampler):
    """Sampler that gives the layouts laid out for the next games; see `Sampler`."""

    def __init__(self, rules: Rules, codes: Codes) -> None:
        super().__init__(rules)
        self.first_game, self.codes = 0, codes

    def draw(self, seed: int, first_game: int, games: int) -> Codes:
        """Return the layouts of some games."""
        first = first_game - self.first_game
        return self.codes[first : first + games]


class _Table:
    """Where a strategy plays layouts that are given, each in a game of another number."""

    def __init__(
        self, strategy: Strategy, scenario: Scenario, seed: int, threads: int, timeout: float
    ) -> None:
        self.rules, self.seed, self.label = scenario.rules, seed, strategy.label
        self.law = make_sampler(scenario.rules, scenario.placement)
        self._given = _Given(self.rules, self.law.draw(seed, 0, 1))
        self._run = Run(strategy, scenario, seed, threads, timeout, sampler=self._given)
        self._run.most_kept = sys.maxsize

    def __enter__(self) -> _Table:
        return self

    def __exit__(self, *error: object) -> None:
        self._run.close()

    @property
    def games(self) -> int:
        """Games played so far."""
        return self._run.games

    def play(self, codes: Codes, times: int = 1) -> Moves:
        """Return the moves on layouts, several times on each: float64, shape (layouts, times)."""
        first, end = self.games, self.games + times * len(codes)
        self._given.first_game, self._given.codes = first, np.repeat(codes, times, axis=0)
        self._run.play_to(end)
        if self._run.fault is not None:
            raise self._run.fault
        moves = self._run.log.between(first, end)
        assert moves is not None
        self._run.log.forget(end)
        return moves.astype(np.float64).reshape(len(codes), times)

    def has_chance(self) -> bool:
        """Return whether the strategy uses random numbers."""
        moves = self.play(self.law.draw(self.seed, 0, TRIED), 2)
        return chance_at(moves[:, 0], moves[:, 1]) is not None


def _all_layouts(rules: Rules, most: int) -> Each | None:
    """Return what gives every layout in turn, if they are so many at most."""
    # Far fewer than these products only on crowded boards.
    if math.prod(len(rules.slots(length)) for length in rules.fleet) > 1_000 * most:
        return None
    try:
        every = Each(rules)
    except BsbenchError:
        return None
    return every if every.layouts <= most else None


def _play_all(table: _Table, every: Each, progress: Watch) -> dict[str, Any]:
    """Play each layout once; return attributes of `Worst`."""
    most, codes, layouts = 0.0, (), 0
    found: dict[str, Any] = {}
    try:
        for first in range(0, every.layouts, _AT_ONCE):
            worst = f"up to {most:.0f} {table.rules.counted}"
            progress(Progress(table.label, first, every.layouts, worst, unit="layouts played"))
            some = every.draw(0, first, min(_AT_ONCE, every.layouts - first))
            moves = table.play(some)[:, 0]
            here = moves.max()
            if here > most:
                most, codes, layouts = float(here), tuple(some[moves.argmax()].tolist()), 0
            layouts += int((moves == most).sum())
            found = {"codes": codes, "moves": most}
    except KeyboardInterrupt:
        if not found:
            raise
        return {**found, "interrupted": True}
    return {**found, "proven": True, "layouts": layouts}


class _Neighbours:
    """The layouts near a layout, each as the number of every ship's slot."""

    def __init__(self, rules: Rules) -> None:
        ships = [slot_masks(rules, length) for length in rules.fleet]
        self._codes = [codes for codes, _, _ in ships]
        self._cells = [cells for _, cells, _ in ships]
        self._closed = [closed for _, _, closed in ships]
        self._number = [{int(code): n for n, code in enumerate(codes)} for codes in self._codes]

    def codes(self, layouts: npt.NDArray[np.int64]) -> Codes:
        """Return layouts as slot codes."""
        parts = [codes[layouts[:, ship]] for ship, codes in enumerate(self._codes)]
        return np.stack(parts, axis=1)

    def numbers(self, codes: Sequence[int]) -> npt.NDArray[np.int64]:
        """Return a layout of slot codes as numbers of slots."""
        return np.array([self._number[ship][int(code)] for ship, code in enumerate(codes)])

    def _possible(self, layout: npt.NDArray[np.int64], ship: int, *lifted: int) -> Any:
        """Return the slots of a ship that others leave possible, but its own one."""
        cells = self._cells[ship]
        taken = np.zeros(cells.shape[1], np.uint64)
        for other, closed in enumerate(self._closed):
            if other != ship and other not in lifted:
                taken |= closed[layout[other]]
        possible = np.array((cells & taken == 0).all(axis=1))
        possible[layout[ship]] = False
        return np.flatnonzero(possible)

    def singles(self, layout: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return all layouts with one ship elsewhere."""
        found = []
        for ship in range(len(layout)):
            slots = self._possible(layout, ship)
            moved = np.repeat(layout[np.newaxis], len(slots), axis=0)
            moved[:, ship] = slots
            found.append(moved)
        return np.concatenate(found)

    def pairs(self, layout: npt.NDArray[np.int64], draws: _Draws) -> npt.NDArray[np.int64]:
        """Return some layouts with two ships elsewhere, `_PAIRS` at most."""
        found = [np.zeros((0, len(layout)), np.int64)]
        both = [(a, b) for b in range(len(layout)) for a in range(b)]
        for a, b in both:
            one, other = self._possible(layout, a, b), self._possible(layout, b, a)
            if not (len(one) and len(other)):
                continue
            of_each = max(_PAIRS // len(both), 1)
            i, j = (slots[draws.below(len(slots), of_each)] for slots in (one, other))
            apart = ~(self._closed[a][i] & self._cells[b][j]).any(axis=1)
            moved = np.repeat(layout[np.newaxis], int(apart.sum()), axis=0)
            moved[:, a], moved[:, b] = i[apart], j[apart]
            found.append(moved)
        return np.unique(np.concatenate(found), axis=0)


class _Draws:
    """Random numbers of one climb, the same on every machine and with every version of numpy."""

    def __init__(self, seed: int, climb: int) -> None:
        # Bits of a bit generator never change; what numpy makes of them may.
        self._bits = np.random.PCG64([seed, climb])

    def below(self, end: int, number: int) -> npt.NDArray[np.int64]:
        """Return numbers from 0 to ``end - 1``."""
        return (self._bits.random_raw(number) % np.uint64(end)).astype(np.int64)


@dataclass
class _Climb:
    """A climb: where it is, and what it tries next.

    Attributes
    ----------
    layout : ndarray of int64, shape (ships,)
    draws : _Draws
    moves : float
        The moves on that layout, or their mean, as found last.
    seen : set of bytes
        Layouts where it was.
    most_sideways, sideways : int
        Steps in a row to layouts that are just as bad, as far as can be known; those that it may
        still take.
    lifts_two : bool
        Whether it moves two ships next.
    """

    layout: npt.NDArray[np.int64]
    draws: _Draws
    most_sideways: int
    sideways: int = 0
    moves: float = 0.0
    seen: set[bytes] = field(default_factory=set)
    lifts_two: bool = False

    def __post_init__(self) -> None:
        self.sideways = self.most_sideways

    def candidates(self, near: _Neighbours) -> npt.NDArray[np.int64]:
        """Return the layout itself, and those that it may go to, where it was not before."""
        self.seen.add(self.layout.tobytes())
        found = near.pairs(self.layout, self.draws) if self.lifts_two else near.singles(self.layout)
        fresh = [each.tobytes() not in self.seen for each in found]
        return np.concatenate((self.layout[np.newaxis], found[fresh]))

    def step(self, candidates: npt.NDArray[np.int64], moves: Moves, errors: Moves) -> bool:
        """Go on from the layout that `candidates` has first; return whether the climb goes on.

        Parameters
        ----------
        candidates : ndarray of int64, shape (n, ships)
        moves, errors : ndarray of float64, shape (n,)
            Mean moves, -inf for a layout that lost its race, and their standard errors.
        """
        self.moves = float(moves[0])
        best = float(moves[1:].max(initial=-math.inf))
        if best >= self.moves:
            equal = 1 + np.flatnonzero(moves[1:] == best)
            chosen = equal[self.draws.below(len(equal), 1)[0]]
            is_worse = best - self.moves > 2 * math.hypot(errors[0], errors[chosen])
            if is_worse or self.sideways:
                self.sideways = self.most_sideways if is_worse else self.sideways - 1
                self.layout, self.moves, self.lifts_two = candidates[chosen], best, False
                return True
        goes_on = not self.lifts_two and len(self.layout) > 1
        self.lifts_two = True
        return goes_on


class _Search:
    """Climbs on the layouts of one table; see the top of this module."""

    def __init__(self, table: _Table, chance: bool) -> None:
        self._table, self._chance = table, chance
        self._near = _Neighbours(table.rules)
        self._rounds = _ROUNDS if chance else (1,)
        self._begun = 0
        self._climbs: list[_Climb] = []

    @property
    def has_found(self) -> bool:
        """Whether any climb has made a step."""
        return bool(self._climbs)

    def climb(self, limit: int, in_time: Callable[[int], bool], progress: Watch) -> None:
        """Climb until time is up, or nothing can be worse."""
        table, digits = self._table, 2 if self._chance else 0
        climbing: list[_Climb] = []
        ended: list[_Climb] = []
        of_each = _GAMES_PER_CLIMB_BY_CHANCE if self._chance else _GAMES_PER_CLIMB
        most = min(max(limit // of_each, 1), _CLIMBS)
        while True:
            climbing += [self._begin() for _ in range(most - len(climbing))]
            candidates = [climb.candidates(self._near) for climb in climbing]
            still: list[_Climb] = []
            for climb, near, played in zip(
                climbing, candidates, self._race(candidates), strict=True
            ):
                (still if climb.step(near, *played) else ended).append(climb)
            climbing = still
            self._climbs, self._ended = [*ended, *climbing], len(ended)
            best = max(climb.moves for climb in self._climbs)
            climbs = f"{len(ended)} climbs; up to {best:.{digits}f} {table.rules.counted}"
            progress(Progress(table.label, table.games, note=climbs))
            # No game is longer than the board.
            if not in_time(table.games) or best == table.rules.cells:
                return

    def _begin(self) -> _Climb:
        """Return the next climb, which knows nothing of the others."""
        number, self._begun = self._begun, self._begun + 1
        codes = self._table.law.draw(self._table.seed, number, 1)[0]
        sideways = _SIDEWAYS_BY_CHANCE if self._chance else _SIDEWAYS
        return _Climb(self._near.numbers(codes), _Draws(self._table.seed, number), sideways)

    def _race(
        self, groups: Sequence[npt.NDArray[np.int64]], rounds: Sequence[int] = ()
    ) -> list[tuple[Moves, Moves]]:
        """Let the layouts of each group race; return their mean moves and standard errors.

        Only a quarter of a group goes on from round to round, and always its first layout. Means of
        those that don't come to the end are -inf.
        """
        rounds = rounds or self._rounds
        sums = [np.zeros((2, len(group))) for group in groups]
        left = [np.arange(len(group)) for group in groups]
        played = 0
        for number, times in enumerate(rounds):
            if number:
                left = [_best_quarter(some[0], rest) for some, rest in zip(sums, left, strict=True)]
            rows = [group[rest] for group, rest in zip(groups, left, strict=True)]
            moves = self._table.play(self._near.codes(np.concatenate(rows)), times)
            parts = np.split(moves, np.cumsum([len(rest) for rest in left])[:-1])
            for some, rest, part in zip(sums, left, parts, strict=True):
                some[:, rest] += part.sum(axis=1), (part * part).sum(axis=1)
            played += times
        results = []
        for some, rest in zip(sums, left, strict=True):
            means, errors = np.full((2, some.shape[1]), -math.inf)
            means[rest] = some[0, rest] / played
            spread = some[1, rest] / played - means[rest] ** 2
            errors[rest] = np.sqrt(np.maximum(spread, 0) / max(played - 1, 1))
            results.append((means, errors))
        return results

    def result(self) -> dict[str, Any]:
        """Return what was found, as attributes of `Worst`."""
        # The first of the worst; those that have come to their ends are before the others.
        ranked = sorted(self._climbs, key=lambda climb: -climb.moves)
        layout, moves, half_width, margin = ranked[0].layout, ranked[0].moves, None, 0.0
        if self._chance:
            finalists = np.stack([climb.layout for climb in ranked[:_FINALISTS]])
            ((means, _),) = self._race([finalists], (_CHOSEN,))
            layout = finalists[means.argmax()]
            (((moves,), (error,)),) = self._race([layout[np.newaxis]], (_FINAL,))
            half_width, margin = NORMAL_95 * float(error), 1.0
        codes = self._near.codes(layout[np.newaxis])[0]
        ended = self._climbs[: self._ended]
        again = sum(1 for climb in ended if climb.moves >= moves - margin)
        return {
            "codes": tuple(codes.tolist()),
            "moves": float(moves),
            "half_width": half_width,
            "proven": not self._chance and moves == self._table.rules.cells,
            "climbs": self._ended,
            "again": again,
        }


def _best_quarter(sums: Moves, left: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the quarter of those left with the largest sums, and the first layout of all."""
    order = left[np.argsort(-sums[left], kind="stable")]
    return np.union1d(order[: -(-len(left) // 4)], [0])
