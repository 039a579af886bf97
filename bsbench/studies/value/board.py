"""The value of hiding against shooting on a small board: exact, with a proof in fractions.

See `bsbench.studies.value.equilibrium`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from bsbench.common.errors import BsbenchError
from bsbench.common.found import Found
from bsbench.common.journal import Journal
from bsbench.common.progress import Watch, ignored
from bsbench.common.record import Content, Count, Record, Share
from bsbench.common.shown import Shown
from bsbench.play.samplers import make_sampler
from bsbench.rules.layout import layout_text
from bsbench.rules.scenario import Scenario, ScenarioRecord
from bsbench.rules.slots import slot_code
from bsbench.runs.exact import check_exact
from bsbench.runs.request import TIMEOUT, Request
from bsbench.runs.results import Result
from bsbench.runs.running import run
from bsbench.strategies import Strategy
from bsbench.studies.value.equilibrium import SECONDS, Equilibrium, keep_better, solve


class Exact(Record, frozen=True):
    """A number that is known exactly.

    Attributes
    ----------
    fraction
        Such as `151/17`.
    decimal
        The same, rounded.
    """

    fraction: str
    decimal: float

    @classmethod
    def of(cls, number: Fraction) -> Exact:
        """Return a number with its decimal."""
        return cls(fraction=str(number), decimal=float(number))


class HiddenRecord(Record, frozen=True):
    """Layouts that symmetries of the board move to each other, all equally likely.

    Attributes
    ----------
    layout
        One of them, as in a file of layouts.
    layouts
        How many they are.
    probability
        Of all of them together, where the hider hides as well as it can.
    """

    layout: str
    layouts: Count
    probability: Exact


class AgainstHiderRecord(Record, frozen=True):
    """What a strategy needs where the hider hides as well as it can.

    Attributes
    ----------
    label
        The strategy.
    mean
        Shots on average.
    worst
        On the worst layouts, averaged over all that symmetries of the board make of one: so much
        it can be made to pay, even if it turns the board at random.
    """

    label: str
    mean: Exact
    worst: Exact


class BoardValueRecord(Content, frozen=True):
    """What `bsbench value --board … --export-json` writes.

    Attributes
    ----------
    scenario
        What is played; its placement law is not.
    layouts
        Number of layouts.
    orbits
        Layouts that no symmetry of the board moves to each other.
    proven
        Whether the value is known exactly: both bounds are the same.
    low
        The hider's way of hiding costs so many shots at least.
    high
        The shooter's way of shooting needs so many at most.
    uniform
        The least mean where all layouts are equally likely.
    turned
        What a shooter with that least mean needs on its worst layout, if it turns and mirrors the
        board at random.
    unaware
        What that shooter needs against the hider's mixture.
    border
        Share of ship cells on the border where the hider hides as well as it can.
    uniform_border
        The same where all layouts are equally likely.
    trees
        Ways of shooting in the shooter's mixture.
    rounds
        Searches for a best response.
    hiding
        How the hider hides, the likeliest first.
    against
        What strategies that were named need against that.
    seconds.search
        The search.
    """

    schema = "bsbench-value-1"
    heading = "Value of hiding against shooting"
    steps = {"search": "search_seconds"}  # noqa: RUF012
    scenario: ScenarioRecord
    layouts: Count
    orbits: Count
    proven: bool
    low: Exact
    high: Exact
    uniform: Exact
    turned: Exact
    unaware: Exact
    border: Share
    uniform_border: Share
    trees: Count
    rounds: Count
    hiding: list[HiddenRecord]
    against: list[AgainstHiderRecord] = []  # noqa: RUF012


@dataclass(frozen=True, eq=False, repr=False)
class BoardValue(Shown, Found):
    """The value of hiding against shooting on a small board.

    Attributes
    ----------
    scenario : Scenario
    solution : Equilibrium
    search_seconds : float
    played : tuple of Result
        Of strategies on each layout in turn.
    interrupted : bool
        Whether Ctrl-C ended it.
    """

    form: ClassVar = BoardValueRecord
    entries: ClassVar = "hiding"
    results: ClassVar = ()

    scenario: Scenario
    solution: Equilibrium
    search_seconds: float
    played: tuple[Result, ...] = ()
    interrupted: bool = False

    def __repr__(self) -> str:
        return f"<Value on {self.scenario.name}: {float(self.low):.4f}>"

    @property
    def low(self) -> Fraction:
        """The value at least, in shots."""
        return self.solution.lower + self.scenario.rules.ship_cells

    @property
    def high(self) -> Fraction:
        """The value at most."""
        return self.solution.upper + self.scenario.rules.ship_cells

    @property
    def proven(self) -> bool:
        """Whether the value is known exactly."""
        return self.low == self.high

    @property
    def partial(self) -> bool:
        """Whether Ctrl-C ended it."""
        return self.interrupted

    @property
    def is_finished(self) -> bool:
        """Whether nothing is left to find: not where time was up."""
        return self.proven and not self.interrupted

    def content(self) -> BoardValueRecord:
        """Return the record."""
        rules, found = self.scenario.rules, self.solution
        responses, hits = found.responses, self.scenario.rules.ship_cells
        order = sorted(range(len(found.law)), key=lambda orbit: -found.law[orbit])
        first = np.unique(responses.orbit, return_index=True)[1]
        edge = sum(
            1 << cell
            for cell in range(rules.cells)
            if cell // rules.cols in (0, rules.rows - 1) or cell % rules.cols in (0, rules.cols - 1)
        )
        cells = np.bitwise_or.reduce(responses.layouts[first], axis=1).tolist()
        on_border = [Fraction((each & edge).bit_count(), hits) for each in cells]
        uniform = responses.uniform * responses.size
        alike = [Fraction(int(each), int(uniform.sum())) for each in uniform]
        means = found.mean_on(found.optimal)
        unaware = sum(map(Fraction.__mul__, found.law, means), Fraction(hits))
        return BoardValueRecord(
            scenario=ScenarioRecord(**self.scenario.to_dict()),
            layouts=int(uniform.sum()),
            orbits=len(found.law),
            proven=self.proven,
            low=Exact.of(self.low),
            high=Exact.of(self.high),
            uniform=Exact.of(found.uniform + hits),
            turned=Exact.of(max(means) + hits),
            unaware=Exact.of(unaware),
            border=float(sum(map(Fraction.__mul__, found.law, on_border))),
            uniform_border=float(sum(map(Fraction.__mul__, alike, on_border))),
            trees=sum(share > 0 for share in found.mixture),
            rounds=found.rounds,
            hiding=[
                HiddenRecord(
                    layout=self._layout(int(first[orbit])),
                    layouts=int(uniform[orbit]),
                    probability=Exact.of(found.law[orbit]),
                )
                for orbit in order
                if found.law[orbit]
            ],
            against=[self._against(result) for result in self.played],
        )

    def _against(self, result: Result) -> AgainstHiderRecord:
        """Return what a strategy that has played each layout needs against the hider's mixture."""
        found, rules = self.solution, self.scenario.rules
        joined = found.responses.layouts.shape[1] < len(rules.fleet)
        orbits = {
            _look(ships, joined): int(orbit)
            for ships, orbit in zip(
                found.responses.layouts.tolist(), found.responses.orbit, strict=True
            )
        }
        assert result.kept_moves is not None
        each = make_sampler(rules, result.scenario.placement)
        moves: list[list[int]] = [[] for _ in found.law]
        for codes, count in zip(
            each.draw(0, 0, result.games).tolist(), result.kept_moves.tolist(), strict=True
        ):
            ships = [sum(1 << cell for cell in ship) for ship in rules.ships(codes)]
            moves[orbits[_look(ships, joined)]].append(count)
        means = [Fraction(sum(counts), len(counts)) for counts in moves]
        mean = sum(map(Fraction.__mul__, found.law, means), Fraction(0))
        return AgainstHiderRecord(
            label=result.label, mean=Exact.of(mean), worst=Exact.of(max(means))
        )

    def _layout(self, number: int) -> str:
        """Return a layout as in a file; under feedback ``hit`` only its cells are known."""
        rules, ships = self.scenario.rules, self.solution.responses.layouts[number].tolist()
        cells = [[c for c in range(rules.cells) if ship >> c & 1] for ship in ships]
        if len(cells) < len(rules.fleet):
            return " ".join(map(str, cells[0]))
        by_length = sorted(range(len(rules.fleet)), key=lambda ship: rules.fleet[ship])
        codes = [0] * len(cells)
        for ship, laid in zip(by_length, cells, strict=True):
            codes[ship] = slot_code(laid)
        return layout_text(codes, rules)


def _look(ships: Sequence[int], joined: bool) -> frozenset[int]:
    """Return what distinguishes a layout: its ships as bits of cells, or the cells of all."""
    return frozenset([sum(ships)] if joined else ships)


def board_value(
    scenario: Scenario,
    *,
    seconds: float = SECONDS,
    against: Sequence[Strategy] = (),
    progress: Watch = ignored,
    journal: Journal | None = None,
) -> BoardValue:
    """Find the value of hiding against shooting on a small board.

    Parameters
    ----------
    scenario : Scenario
        Its placement law is not used.
    seconds : float
        That the search may take; then bounds are what is known.
    against : sequence of Strategy
        Those that play against the hider's mixture: without random numbers, and without learning.
    progress : callable, optional
    journal : Journal, optional
        Has the bounds that were found before, and keeps those that are found.

    Returns
    -------
    BoardValue
        After Ctrl-C, with the bounds that are known.

    Raises
    ------
    KeyboardInterrupt
        If interrupted before the first step is over.
    BsbenchError
        If the board is too large, or time for the first step too short; or a strategy can't play
        there, or not exactly.
    """
    if not (isinstance(seconds, int | float) and 0 < seconds < 1e9):
        raise BsbenchError(f"a search takes a number of seconds above 0, not {seconds!r}")
    scenario.rules.check_single_shots("the value of hiding is found")
    Request.of(scenario).check(against, [scenario])
    begun = time.perf_counter()
    solution = solve(scenario.rules, float(seconds), progress)
    if journal is not None:
        keep_better(solution, journal)
    taken = time.perf_counter() - begun
    each = scenario.override(placement="each")
    for strategy in against:
        check_exact(strategy, each, None, TIMEOUT)
    interrupted = solution.interrupted and solution.lower < solution.upper
    played: list[Result] = []
    try:
        for strategy in against:
            result = run(strategy, each, keep_moves=True)
            if result.partial:
                raise KeyboardInterrupt
            played.append(result)
    except KeyboardInterrupt:
        interrupted = True
    return BoardValue(
        scenario=scenario,
        solution=solution,
        search_seconds=taken,
        played=tuple(played),
        interrupted=interrupted,
        threads=1,
    )
