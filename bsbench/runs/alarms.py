"""Alarms: results that no honest strategy reaches, as far as quick checks can show.

An alarm is a sentence, and has no other effect. It says that a strategy probably knows where ships
are, or that its games were not played as they should be. The absence of an alarm proves nothing: a
strategy that cheats in only some games raises none. There are four checks:

**First shots.** Before its first shot, a strategy knows nothing about the layout. So the shot hits
at most with the probability of the likeliest cell, whatever happened in other games. The alarm
sounds if the chance of so many hits or more is below `CHANCE`, by Chernoff's bound for the
binomial law (H. Chernoff, "A measure of asymptotic efficiency for tests of a hypothesis based on
the sum of observations", Annals of Mathematical Statistics 23 (1952), 493-507). First shots are
counted where a user's strategy is asked shot by shot, and are not part of records.

**Equal games.** Where layouts differ, so do the games of a strategy that has to search. The alarm
sounds if `FEWEST` games or more all took the same number of moves, less than the whole board. (A
strategy that wastes shots on purpose could do that, too.)

**The least mean.** As long as all shots miss, a strategy can plan these shots before the game: its
first k shots are k fixed cells. If no cell holds a ship with a probability above p, all k shots
miss with probability 1 - k p at least. So the expected number of misses before the first hit is at
least the sum of 1 - k p over k = 1, 2, … as long as it is positive. Besides, all ship cells have to
be hit. No strategy has a mean below the sum of both.

**The best mean known.** On built-in scenarios with uniform layouts, `BEST` holds the lowest mean
known of any strategy. A better strategy may have a lower mean, but hardly by a tenth.

The last two checks raise an alarm if the mean is too low by `ERRORS` standard errors or more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError
from bsbench.play.samplers import make_sampler
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.placement import Placement
from bsbench.rules.scenario import Scenario, find_scenario
from bsbench.runs.heat import ships_by_cell
from bsbench.stats import Counts
from bsbench.strategies.base import Cells
from bsbench.strategies.view import View

CHANCE = 1e-6
"""Chance of a false alarm at most, for first shots."""

ERRORS = 5
"""Standard errors by which a mean has to be too low."""

FEWEST = 20
"""Games for an alarm at least, where games are counted."""

MARGIN = 0.1
"""Share by which a mean has to be lower than the best one known."""

BEST = {
    # By feedback: see `_TOLD`.
    "classic": (46.6, 43.6, 43.3),
    "harbour": (56.8, 52.6, 51.8),
    "sea-battle": (62.5, 55.9, 55.1),
    "gym-5x5": (10.9, 10.9, 10.5),
    "gym-6x6": (13.9, 13.9, 13.8),
    "gym-7x7": (17.5, 17.5, 17.4),
    "gym-8x8": (24.4, 24.4, 24.2),
    "gym-9x9": (29.5, 29.5, 29.4),
    "gym-10x10": (38.2, 38.2, 38.0),
    "gym-11x11": (45.2, 45.2, 45.2),
    "gym-12x12": (52.3, 52.3, 52.2),
}
"""The lowest mean known on built-in scenarios with uniform layouts, in moves, by feedback.

``classic``: with feedback ``hit``, a player that always shoots the likeliest cell; otherwise `mcts`
with rollouts of `lattice2` (docs/champion.md). ``harbour``, ``sea-battle``: `lattice2`.
``gym-10x10``: `mcts` with rollouts of `lattice2`, and `posterior` where the ship of each hit is
known. The others: the best built-in strategy in 10,000 games of seed 5. The figure of a ``gym``
scenario for feedback ``hit`` is that of a strategy that also knows what sank.
"""

_TOLD = Feedback.HIT, Feedback.SUNK, Feedback.SHIP
"""The feedback of each of these means; with another one, nobody knows more than with the next."""

_LAYOUTS, _FEW_LAYOUTS = 1 << 16, 1 << 12
"""Layouts drawn to find the likeliest cell; by a slow sampler fewer, with a slightly higher bound.

Never as many as there is time for: the same games have the same alarms."""

_MOST_CELLS = 400
"""Cells of a board at most for which layouts are drawn: samplers of large boards take long."""

_SEED = 0x_A1A_2


@dataclass
class OpeningShots:
    """Counts the first shots of games, and how many of them hit; an `Observer` of a session.

    Attributes
    ----------
    shots, hits : int
    """

    shots: int = 0
    hits: int = 0

    def __call__(self, view: View, lanes: Cells) -> None:
        """Take note of what the last shots did in lanes."""
        if view.rules.salvos:
            # The likeliest first turn is not that of the likeliest cells one by one.
            return
        if len(lanes) == 1 and view.shots.item(lanes.item(0)) != 1:
            # Most calls of a bot that plays game by game; numpy takes longer than the rest of them.
            return
        first = lanes[view.shots[lanes] == 1]
        if len(first):
            self.shots += len(first)
            self.hits += int(np.count_nonzero(view.outcome[first]))

    def __add__(self, other: OpeningShots) -> OpeningShots:
        return OpeningShots(self.shots + other.shots, self.hits + other.hits)


def alarms_of(
    scenario: Scenario, counts: Counts, first: OpeningShots | None = None
) -> tuple[str, ...]:
    """Return alarms about the games of a strategy: what is too good to be true.

    Parameters
    ----------
    scenario : Scenario
    counts : ndarray of int64, shape (cells + 1,)
        Number of games by move count.
    first : OpeningShots, optional
        Of these games.

    Returns
    -------
    tuple of str
        Sentences without a full stop; none where nothing is odd.
    """
    found = (_of_first_shots(scenario, first), _of_lengths(scenario, counts))
    return tuple(filter(None, (*found, _of_mean(scenario, counts))))


def _of_first_shots(scenario: Scenario, first: OpeningShots | None) -> str:
    if first is None or not first.shots:
        return ""
    # The likeliest cell is as likely as a cell is on average, or more.
    average = scenario.rules.ship_cells / scenario.rules.cells
    if chance_of_hits(first.hits, first.shots, average) >= CHANCE:
        return ""
    likeliest = likeliest_cell(scenario)
    if likeliest is None or chance_of_hits(first.hits, first.shots, likeliest) >= CHANCE:
        return ""
    return (
        f"{first.hits:,} of {first.shots:,} first shots hit, but no cell holds a ship in more than "
        f"{100 * likeliest:.1f} % of the layouts: the strategy seems to know where the ships are"
    )


def _of_lengths(scenario: Scenario, counts: Counts) -> str:
    lengths = np.flatnonzero(counts)
    games = int(counts.sum())
    if len(lengths) != 1 or games < FEWEST or lengths[0] == scenario.rules.cells:
        return ""
    if scenario.rules.most_shots > 1:
        # A whole turn, that of the last hit, hides how long games were.
        return ""
    likeliest = likeliest_cell(scenario)
    if likeliest is None or likeliest > 0.5:
        # So few layouts, or so dense ones, that games may well be equal.
        return ""
    took = f"{lengths[0]} {scenario.rules.counted}"
    return f"all {games:,} games took {took}, although their layouts differ"


def _of_mean(scenario: Scenario, counts: Counts) -> str:
    games = int(counts.sum())
    if games < FEWEST:
        return ""
    moves = np.arange(len(counts))
    mean = float(counts @ moves / games)
    sd = math.sqrt(float(counts @ (moves - mean) ** 2 / games))
    high = mean + ERRORS * sd / math.sqrt(games)
    rules = scenario.rules
    if high < least_mean(rules, rules.ship_cells / rules.cells):
        likeliest = likeliest_cell(scenario)
        if likeliest is not None and high < (least := least_mean(rules, likeliest)):
            return (
                f"the mean of {mean:.2f} {rules.counted} is below {least:.2f}, which no strategy "
                "can reach without knowing where the ships are"
            )
    best = best_mean(scenario)
    if best is not None and high < (1 - MARGIN) * best:
        return (
            f"the mean of {mean:.2f} moves is more than a tenth below {best:.2f}, the lowest mean "
            "known: check that the strategy is honest"
        )
    return ""


def chance_of_hits(hits: int, shots: int, probability: float) -> float:
    """Return a bound on the chance of so many hits or more, each at most so probable."""
    share = hits / shots
    if share <= probability:
        return 1.0
    surprise = share * math.log(share / probability)
    if share < 1:
        surprise += (1 - share) * math.log((1 - share) / (1 - probability))
    return math.exp(-shots * surprise)


def least_mean(rules: Rules, likeliest: float) -> float:
    """Return a mean that no strategy can be below: cells of ships, and misses before the first hit.

    Parameters
    ----------
    rules : Rules
    likeliest : float
        A bound on the probability that a cell holds a ship.
    """
    shots = np.arange(1, rules.cells + 1)
    misses = float(np.maximum(1 - likeliest * shots, 0).sum())
    return (rules.ship_cells + misses) / rules.most_shots


def best_mean(scenario: Scenario) -> float | None:
    """Return the lowest mean known on a scenario, in moves, or None where none is."""
    if scenario.placement.law != "uniform" or scenario.rules.salvos:
        return None
    means = _best_by_rules().get(scenario.rules.layout_rules, ())
    known = zip(_TOLD, means, strict=False)
    told = scenario.rules.reveals
    return next((mean for kind, mean in known if kind.reveals.cover(told)), None)


@lru_cache(1)
def _best_by_rules() -> dict[Rules, tuple[float, float, float]]:
    return {find_scenario(name).rules.layout_rules: means for name, means in BEST.items()}


def likeliest_cell(scenario: Scenario) -> float | None:
    """Return a bound on the probability of the cell that holds a ship most often.

    Exact for layouts of a file. Otherwise it is 5 standard errors above the largest share among
    cells in layouts that are drawn for this alone; None where that takes too long, or where games
    against one person follow each other: who learns then knows better.
    """
    if scenario.placement.games_in_a_row > 1:
        return None
    if scenario.placement.law == "file":
        from bsbench.layouts.file import read_layouts

        try:
            codes = np.array(read_layouts(str(scenario.placement.option), scenario.rules))
        except BsbenchError:
            return None
        return _largest_share(scenario.rules, codes)
    rules, placement = scenario.layout_law
    # The first layouts in turn are much alike.
    return _drawn_likeliest(rules, Placement() if placement.law == "each" else placement)


@lru_cache(32)
def _drawn_likeliest(rules: Rules, placement: Placement) -> float | None:
    if rules.cells > _MOST_CELLS:
        return None
    try:
        sampler = make_sampler(rules, placement)
        codes = sampler.draw(_SEED, 0, _FEW_LAYOUTS if sampler.is_slow else _LAYOUTS)
    except BsbenchError:
        return None
    share = _largest_share(rules, codes)
    return min(share + ERRORS * math.sqrt(share * (1 - share) / len(codes)), 1.0)


def _largest_share(rules: Rules, layouts: npt.NDArray[np.integer]) -> float:
    return float(ships_by_cell(rules, layouts).max()) / len(layouts)
