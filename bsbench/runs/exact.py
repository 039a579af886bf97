"""Exact laws of move counts: from formulas, and from all layouts played once.

The second way is the placement law ``each`` (`bsbench.layouts.each`), on small boards, for any
strategy without chance. Formulas are known of strategies with a fixed order:

``random`` has finished after m moves if all n ship cells are among the first m of a
random order of the N cells: P(T = t) = C(t - 1, n - 1) / C(N, n), whatever the layout. (N. Berry,
"Battleship", DataGenetics, December 2011, has the mean.)

``linear`` has finished after m moves if the layout lies within the first m cells:
P(T <= m) is the weight of these layouts, divided by the weight of all layouts. They are
counted cell by cell, by frontiers (`bsbench.counting.frontier`): after m cells, they are those
with all ships laid and no cell to come taken, so that one pass gives all m. Of another order that
is the same in all games, they are those that agree with misses at all later cells; these are
counted for each m (`bsbench.counting.posterior`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError, option
from bsbench.counting.evidence import Contradiction, Evidence
from bsbench.counting.frontier import MOST_BITS, MOST_BYTES, Frontier, OutOfReach, Ships
from bsbench.counting.posterior import Allowance, find_posterior
from bsbench.counting.stored import find_within
from bsbench.layouts.each import count_layouts
from bsbench.layouts.edge import are_on_border
from bsbench.rules.board import AFLOAT, MISS, Rules
from bsbench.rules.placement import Placement
from bsbench.rules.position import Answer
from bsbench.rules.scenario import Scenario
from bsbench.rules.slots import read_slot
from bsbench.runs.cores import Run
from bsbench.runs.request import Until
from bsbench.strategies import Strategy

Law = npt.NDArray[np.float64]
Weights = npt.NDArray[Any]

EFFORT = 500_000_000
"""Frontiers times usages times cells at most, where nothing else is said: a few seconds."""

QUICK = 350_000_000
"""The same where a user waits: two to three seconds. Enough for ``classic``."""

_STEPS = 10**12
"""Steps at most to count the layouts within all parts of an order, see `Allowance`: on `harbour`,
that takes two minutes, and up to half an hour elsewhere."""

TRIED = 1_024
"""Layouts that a strategy plays twice, before it counts as one without chance."""


class UnknownLaw(BsbenchError):
    """The exact law of a strategy's move counts is not known, or not within reach."""


def exact_law(strategy: str, scenario: Scenario, effort: int = EFFORT) -> Law | None:
    """Return the exact law of a strategy's move counts, or None where `find_law` has none.

    Parameters
    ----------
    strategy : str
        A strategy's label.
    scenario : Scenario
    effort : int
        See `find_law`.

    Returns
    -------
    ndarray of float64, shape (cells + 1,), or None
        Probability of each move count. Shared with other callers: not writeable.
    """
    try:
        return find_law(strategy, scenario, effort)
    except BsbenchError:
        return None


def find_law(strategy: str | Strategy, scenario: Scenario, effort: int = EFFORT) -> Law:
    """Return the exact law of a strategy's move counts.

    Known are those of ``random`` on any layouts; of ``linear`` on those of the laws ``uniform``,
    ``edge`` and ``file``, and mixtures of these; and of other strategies with one order for all
    games on those of ``uniform`` and ``file``, and mixtures. Layouts of a file are read from it as
    it is now.

    Parameters
    ----------
    strategy : str or Strategy
        A strategy's label, which is its name if no parameter differs from its default; or a
        strategy, for the law of its own order.
    scenario : Scenario
    effort : int
        Frontiers times usages times cells at most, for ``linear``: `QUICK`
        where a user waits.

    Returns
    -------
    ndarray of float64, shape (cells + 1,)
        Probability of each move count, to 12 digits at least. Shared with other callers: not
        writeable.

    Raises
    ------
    UnknownLaw
        The sentence says why.
    BsbenchError
        If the layouts of a file can't be read.
    """
    rules, placement = scenario.rules, scenario.placement
    if rules.salvos:
        if rules.shots == AFLOAT:
            raise UnknownLaw("no exact law is known where shots are counted by ships afloat")
        # Neither of the two looks at answers, so a turn is so many of its single shots.
        single = scenario.override(shots=1, answers="each", whole_turns=False)
        shots = find_law(strategy, single, effort)
        turns = -(-np.arange(len(shots)) // rules.most_shots)
        by_turns: Law = np.bincount(turns, shots, len(shots)).astype(np.float64)
        return by_turns
    if rules.repeats:
        once = find_law(strategy, scenario.override(repeats="refused"), effort)
        return np.pad(once, (0, rules.most_moves - rules.cells))
    label = strategy if isinstance(strategy, str) else strategy.label
    if label == "random":
        return _law_of_random(rules.cells, rules.ship_cells)
    order = tuple(range(rules.cells)) if label == "linear" else _order_of(strategy, rules)
    if order is None:
        raise UnknownLaw(
            f"no exact law of {label} is known: there are those of random, and of strategies with "
            "one order for all games, such as linear"
        )
    unknown = f"no exact law of {label} is known on {placement} layouts"
    if placement.games_in_a_row > 1:
        raise UnknownLaw(f"{unknown}: games against one person depend on each other")
    if placement.law == "file":
        return _law_of_listed(rules, str(placement.option), order)
    if placement.is_mixed:
        weights, laws = zip(*placement.parts, strict=True)
        known = [find_law(strategy, scenario.override(placement=law), effort) for law in laws]
        mixed: Law = np.average(known, axis=0, weights=weights)
        mixed.flags.writeable = False
        return mixed
    # What a shot reveals does not matter.
    if label != "linear":
        if placement.law not in ("uniform", "each"):
            raise UnknownLaw(f"{unknown}: layouts are counted that are equally likely")
        return _law_of_order(rules.layout_rules, order)
    if placement.law not in ("uniform", "each", "edge"):
        raise UnknownLaw(
            f"{unknown}: there are those of uniform and edge layouts, and of mixtures of them"
        )
    law = _law_of_linear(rules.layout_rules, placement, effort)
    if law is None:
        raise UnknownLaw(
            f"the exact law of linear on {scenario.name} is out of reach: to count the layouts "
            f"of {len(rules.fleet)} ships on the {rules.board} board takes too many states"
        )
    return law


@lru_cache(maxsize=64)
def _law_of_random(cells: int, ship_cells: int) -> Law:
    law = np.zeros(cells + 1)
    law[cells] = ship_cells / cells
    # P(T = t - 1) / P(T = t) = (t - n) / (t - 1), from the whole board down.
    moves = np.arange(cells, ship_cells, -1)
    law[moves - 1] = law[cells] * np.cumprod((moves - ship_cells) / (moves - 1))
    law.flags.writeable = False
    return law


def _order_of(strategy: str | Strategy, rules: Rules) -> tuple[int, ...] | None:
    """Return all shots of a strategy, if they are the same in all games."""
    from bsbench.strategies.base import FixedOrder

    if not isinstance(strategy, FixedOrder):
        return None
    player = strategy.copy()
    player.begin(rules, 1, 0)
    orders = player.orders(np.arange(2))
    return tuple(orders[0].tolist()) if len(orders) == 1 else None


@lru_cache(maxsize=16)
def _law_of_order(rules: Rules, order: tuple[int, ...]) -> Law:
    """Return the law of an order on layouts that are equally likely."""
    within, allowance = np.zeros(rules.cells + 1, object), Allowance(_STEPS)
    with suppress(Contradiction):
        for moves in range(rules.cells, rules.ship_cells - 1, -1):
            misses = [Answer(cell, MISS) for cell in order[moves:]]
            within[moves] = find_posterior(Evidence(rules, misses), allowance=allowance).layouts
    law = np.array(np.diff(within, prepend=0) / within[-1], np.float64)
    law.flags.writeable = False
    return law


def _law_of_listed(rules: Rules, path: str, order: tuple[int, ...]) -> Law:
    from bsbench.layouts.file import read_layouts

    codes = read_layouts(path, rules)
    first, steps = read_slot(codes, rules.cols)
    places = np.argsort(order)
    moves = np.zeros(len(codes), np.int64)
    for ship, length in enumerate(rules.fleet):
        for part in range(length):
            moves = np.maximum(moves, places[first[:, ship] + part * steps[:, ship]] + 1)
    return np.bincount(moves, minlength=rules.cells + 1) / len(codes)


@lru_cache(maxsize=16)
def _law_of_linear(rules: Rules, placement: Placement, effort: int) -> Law | None:
    factor = Fraction(str(placement.option)) if placement.law == "edge" else Fraction(1)
    within = weights_within(rules, factor, effort)
    if within is None:
        return None
    law: Law = np.diff(within, prepend=within[:1]) / within[-1]
    law.flags.writeable = False
    return law


def weights_within(
    rules: Rules, factor: Fraction = Fraction(1), effort: int = EFFORT
) -> Weights | None:
    """Return what the layouts within the first m cells weigh together, for every m.

    Parameters
    ----------
    rules : Rules
    factor : Fraction
        What a ship wholly on a border row or column weighs, as a multiple of another.
    effort : int
        Frontiers times usages times cells at most.

    Returns
    -------
    ndarray of uint64 or float64, shape (cells + 1,), or None
        Exact whole numbers where they are sure to stay within 64 bits: for a factor of 1, the
        number of layouts, ships of equal length not distinguished; for p / q in lowest terms, a
        ship on the border weighs p and another q. Otherwise floats, in which the heavier of
        the two weighs 1; as all are positive, rounding does less than 1e-12 to any of them.
        None where the effort does not suffice.
    """
    if factor == 1 and (kept := find_within(rules)) is not None:
        return kept
    lengths = sorted(set(rules.fleet))
    if Frontier.bits_of(rules.cols, lengths[-1], rules.apart) > MOST_BITS:
        return None
    classes = [
        Ships(length, rules.fleet.count(length), [(s[0], int(s.step == rules.cols)) for s in slots])
        for length in lengths
        if (slots := rules.slots(length))
    ]
    on_border, elsewhere = factor.as_integer_ratio()
    heaviest = max(on_border, elsewhere)
    # Numbers in between may overflow, but not the last one.
    bound = math.prod(
        math.comb(len(ships.slots), ships.number) * heaviest**ships.number for ships in classes
    )
    dtype, unit = (np.uint64, 1) if bound < 1 << 64 else (np.float64, heaviest)
    weights = None
    if factor != 1:
        weights = np.zeros((len(classes), 2, rules.cells), dtype)
        for kind, ships in enumerate(classes):
            heavy = are_on_border(rules, ships.length)
            for (first, down), is_heavy in zip(ships.slots, heavy, strict=True):
                weights[kind, down, first] = (on_border if is_heavy else elsewhere) / unit
    frontier = Frontier(rules.rows, rules.cols, rules.apart, classes, (), MOST_BYTES)
    try:
        return frontier.within(weights, dtype, effort // rules.cells)
    except OutOfReach:
        return None


def all_layouts(scenarios: Sequence[Scenario]) -> int | None:
    """Return how many games play each layout once; None if layouts are drawn at random.

    Raises
    ------
    BsbenchError
        If they are too many; or the scenarios differ in it.
    """
    turns = [scenario.placement.law == "each" for scenario in scenarios]
    if not any(turns):
        return None
    numbers = {count_layouts(scenario.rules) for scenario in scenarios}
    if len(numbers) > 1 or not all(turns):
        raise BsbenchError(
            "the scenarios have different numbers of layouts: play each of them exactly by itself"
        )
    return numbers.pop()


def chance_at(moves: npt.NDArray[Any], again: npt.NDArray[Any]) -> int | None:
    """Return the first of `TRIED` layouts that shows that a strategy uses random numbers, if any.

    A strategy has no chance in it if its move counts stay the same on the same layouts, in games of
    other numbers.

    Parameters
    ----------
    moves, again : ndarray, shape (layouts,)
        Its move counts on the same layouts in two games each.
    """
    differing = np.flatnonzero(moves != again)
    return int(differing[0]) if len(differing) else None


def check_exact(strategy: Strategy, scenario: Scenario, until: Until, timeout: float) -> None:
    """Refuse to play all layouts in turn, where that would not give an exact result.

    The games that look for chance have other numbers under another seed: see `chance_at`.

    Parameters
    ----------
    strategy : Strategy
    scenario : Scenario
        With the placement law ``each``.
    until : float, str or None
        What is to end it, if it is not all layouts.
    timeout : float
        As for `bsbench.run`.

    Raises
    ------
    BsbenchError
        If the strategy learns from game to game or uses random numbers; or an interval is asked
        for.
    """
    what = f"{strategy.label!r} can't play each layout once for an exact result"
    if until is not None:
        raise BsbenchError(f"an exact result has no interval: leave out {option('until')}")
    if strategy.games_per_learner > 1:
        raise BsbenchError(f"{what}: its games depend on those before; play random layouts")
    layouts = count_layouts(scenario.rules)
    found = []
    for seed in range(2):
        first = seed * layouts * 1_000
        run = Run(strategy, scenario, seed, 1, timeout, first)
        run.play_to(TRIED)
        if run.fault:
            # The run itself reports it.
            return
        moves = run.log.between(first, first + TRIED)
        assert moves is not None
        found.append(moves)
    game = chance_at(*found)
    if game is not None:
        raise BsbenchError(
            f"{what}: on the same layout (game {game:,}), it took {found[0][game]} moves under one "
            f"seed and {found[1][game]} under another; play random layouts"
        )
