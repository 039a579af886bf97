"""The game of hiding against shooting, restricted to some shooters and some placement laws.

On large boards nobody knows the value of hiding against shooting; `board` finds it on small ones.
But one side may choose among given strategies, with any probabilities, and the other among given
laws. Each strategy plays each law; the means are the matrix of a zero-sum game, whose value and
best mixtures are found by linear programming. The shooter's mixture then needs no more than the
value against any of the laws, and no strategy needs less than the value against the hider's
mixture. How much more than that a single strategy needs against the law that is worst for it is its
*exploitability*.

The means are estimates, and an optimum over them is a bit better than it should be for whoever has
more choice: see the interval of the value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError, StrategyError, how_to_install, option
from bsbench.common.found import Found
from bsbench.common.journal import Journal
from bsbench.common.record import Content, Count, Record, Share
from bsbench.common.shown import Shown
from bsbench.play.samplers import make_sampler
from bsbench.rules.placement import STREAM_VERSION, Placement
from bsbench.rules.scenario import Scenario, ScenarioRecord
from bsbench.runs.comparing import play
from bsbench.runs.comparison import Comparison
from bsbench.runs.experiment import Experiment
from bsbench.runs.panel import Watch
from bsbench.runs.request import Request, check_playable
from bsbench.runs.results import Result
from bsbench.strategies import Strategy

_SMALL = 1e-9
"""A probability below it is that of rounding."""

_PARTS = 1_000
"""The hider's mixture is written as a law with whole weights of so many parts."""


class ShooterRecord(Record, frozen=True):
    """A strategy that shoots.

    Attributes
    ----------
    label
        The name, and the parameters that are not at their defaults.
    probability
        In the shooter's best mixture.
    mean
        Mean moves against each law, in the order of `laws`.
    half_width
        Half the widths of their 95 % intervals.
    mixed
        Mean moves against the hider's best mixture.
    worst
        The law that is worst for it.
    exploitability
        Moves that it needs there beyond the value.
    """

    label: str
    probability: Share
    mean: list[float]
    half_width: list[float]
    mixed: float
    worst: str
    exploitability: float


class LawRecord(Record, frozen=True):
    """A law by which the hider may hide.

    Attributes
    ----------
    law
        As on the command line.
    probability
        In the hider's best mixture.
    best
        The strategy with the fewest moves.
    mean
        Its mean moves.
    mixed
        Mean moves of the shooter's best mixture.
    """

    law: str
    probability: Share
    best: str
    mean: float
    mixed: float


class RestrictedRecord(Content, frozen=True):
    """What `bsbench value STRATEGY… --export-json` writes.

    Attributes
    ----------
    stream_version
        Version of the rule that turns seed and number of a game into a layout.
    scenario
        What was played; its placement law is not.
    seed
        Seed of the layouts.
    games
        Of each strategy on each law.
    value
        Expected moves if both choose as well as they can.
    half_width
        Half the width of its 95 % interval, with these mixtures.
    hide
        The hider's best mixture as a placement law, in thousandths.
    shooters
        The strategies.
    laws
        The laws.
    seconds.setup
        Compiling or loading kernels, and building tables.
    seconds.play
        Playing.
    """

    schema = "bsbench-restricted-value-1"
    heading = "Restricted value"
    steps = {"setup": "setup_seconds", "play": "play_seconds"}  # noqa: RUF012
    stream_version: Count
    scenario: ScenarioRecord
    seed: Count
    games: Count
    value: float
    half_width: float
    hide: str
    shooters: list[ShooterRecord]
    laws: list[LawRecord]


def check_solver() -> None:
    """Refuse to begin where no linear program can be solved.

    Raises
    ------
    BsbenchError
        If SciPy is not installed.
    """
    if find_spec("scipy") is None:
        raise BsbenchError(
            f"the value of a game needs SciPy, which is not installed: {how_to_install('value')}"
        )


Mixture = npt.NDArray[np.float64]
"""A probability for each choice."""


def solve(costs: npt.NDArray[np.float64]) -> tuple[float, Mixture, Mixture]:
    """Return the value of a matrix game, and the best mixtures of rows and columns.

    Parameters
    ----------
    costs : ndarray of float64, shape (rows, columns)
        What the row player pays the column player.

    Raises
    ------
    BsbenchError
        If SciPy is not installed.
    """
    check_solver()
    from scipy.optimize import linprog

    rows, columns = costs.shape
    # The column player's mixture q and value v: the greatest v with costs q >= v in each row.
    found = linprog(
        np.r_[np.zeros(columns), -1],
        A_ub=np.c_[-costs, np.ones(rows)],
        b_ub=np.zeros(rows),
        A_eq=[np.r_[np.ones(columns), 0]],
        b_eq=[1],
        bounds=[(0, None)] * columns + [(None, None)],
        method="highs",
    )
    return float(found.x[-1]), _mixture(-found.ineqlin.marginals), _mixture(found.x[:-1])


def _mixture(found: Mixture) -> Mixture:
    """Return probabilities without what rounding has left."""
    kept = np.where(found < _SMALL, 0.0, found)
    return np.asarray(kept / kept.sum(), np.float64)


@dataclass(frozen=True, eq=False, repr=False)
class Restricted(Shown, Found):
    """The value of a restricted game, and both sides' best mixtures.

    Attributes
    ----------
    scenario : Scenario
    laws : tuple of Placement
    comparisons : tuple of Comparison
        Of all strategies, on each law.
    seed : int
    requested : int
        Games asked for, of each strategy on each law.
    """

    form: ClassVar = RestrictedRecord
    entries: ClassVar = "shooters"

    scenario: Scenario
    laws: tuple[Placement, ...]
    comparisons: tuple[Comparison, ...]
    seed: int
    requested: int

    def __repr__(self) -> str:
        return f"<Restricted value on {self.scenario.name}: {self.value:.2f}>"

    @property
    def results(self) -> tuple[Result, ...]:
        """All results, law after law."""
        return tuple(result for each in self.comparisons for result in each.results)

    @property
    def labels(self) -> list[str]:
        """The strategies."""
        return [result.label for result in self.comparisons[0].results]

    @cached_property
    def means(self) -> npt.NDArray[np.float64]:
        """Mean moves of each strategy (row) against each law (column)."""
        return np.array([[r.stats.mean for r in each.results] for each in self.comparisons]).T

    @cached_property
    def half_widths(self) -> npt.NDArray[np.float64]:
        """Half the widths of their 95 % intervals."""
        return np.array([[r.stats.half_width for r in each.results] for each in self.comparisons]).T

    @cached_property
    def _solved(self) -> tuple[float, Mixture, Mixture]:
        return solve(self.means)

    @property
    def value(self) -> float:
        """Expected moves if both choose as well as they can."""
        return self._solved[0]

    @property
    def shooting(self) -> Mixture:
        """The shooter's best mixture: a probability for each strategy."""
        return self._solved[1]

    @property
    def hiding(self) -> Mixture:
        """The hider's best mixture: a probability for each law."""
        return self._solved[2]

    @property
    def half_width(self) -> float:
        """Half the width of the 95 % interval of the value, with these mixtures.

        Strategies meet the same layouts, so errors of one law may all have the same sign; those of
        different laws are independent.
        """
        return float(np.linalg.norm((self.shooting @ self.half_widths) * self.hiding))

    @property
    def games(self) -> int:
        """Of each strategy on each law."""
        return min(each.games for each in self.comparisons)

    @property
    def setup_seconds(self) -> float:
        """Compiling or loading kernels, and building tables."""
        return float(sum(result.setup_seconds for result in self.results))

    @property
    def play_seconds(self) -> float:
        """Playing."""
        return float(sum(result.play_seconds for result in self.results))

    @property
    def hide(self) -> Placement:
        """The hider's best mixture as a law, in thousandths."""
        weights = np.rint(self.hiding * _PARTS).astype(int).tolist()
        parts = [(w, law) for w, law in zip(weights, self.laws, strict=True) if w]
        if len(parts) == 1:
            return parts[0][1]
        return Placement("mix", ",".join(f"{weight}*{law}" for weight, law in parts))

    def content(self) -> RestrictedRecord:
        """Return the record."""
        worst, best = self.means.argmax(axis=1), self.means.argmin(axis=0)
        mixed, costs = self.means @ self.hiding, self.shooting @ self.means
        return RestrictedRecord(
            stream_version=STREAM_VERSION,
            scenario=ScenarioRecord(**self.scenario.to_dict()),
            seed=self.seed,
            games=self.games,
            value=self.value,
            half_width=self.half_width,
            hide=str(self.hide),
            shooters=[
                ShooterRecord(
                    label=label,
                    probability=float(self.shooting[place]),
                    mean=self.means[place].tolist(),
                    half_width=self.half_widths[place].tolist(),
                    mixed=float(mixed[place]),
                    worst=str(self.laws[worst[place]]),
                    exploitability=float(self.means[place, worst[place]] - self.value),
                )
                for place, label in enumerate(self.labels)
            ],
            laws=[
                LawRecord(
                    law=str(law),
                    probability=float(self.hiding[place]),
                    best=self.labels[best[place]],
                    mean=float(self.means[best[place], place]),
                    mixed=float(costs[place]),
                )
                for place, law in enumerate(self.laws)
            ],
        )


def usual_laws(shooters: Sequence[Strategy], scenario: Scenario) -> list[Placement]:
    """Return the laws that hide from some strategies: plain ones, and those that avoid each.

    Left out is a strategy that no law can avoid: one that is not built in, or thinks too long.
    """
    laws = [Placement.parse(law) for law in ("uniform", "sequential", "edge:3", "edge:9")]
    for shooter in shooters:
        for strength in (2, 4, 8, 16):
            try:
                law = Placement.parse(f"avoid:{shooter.label.replace(' ', ',')}:{strength}")
                make_sampler(scenario.rules, law)
            except BsbenchError:
                break
            laws.append(law)
    return laws


def restricted_experiment(
    request: Request, shooters: Sequence[Strategy], scenario: Scenario, laws: Sequence[Placement]
) -> Experiment:
    """Return what is played for a restricted game.

    Raises
    ------
    BsbenchError
        If there are fewer than two strategies or laws, two are the same, or a strategy can't play.
    """
    scenario.rules.check_single_shots("the value of hiding is found")
    labels = [each.label for each in shooters]
    for name, given in (("strategy", labels), ("law", [*map(str, laws)])):
        if len(given) < 2:
            raise BsbenchError(
                f"a restricted game takes two strategies and two laws or more: add a {name}"
            )
        for each in given:
            if given.count(each) > 1:
                raise BsbenchError(f"the {name} {each!r} is named twice: name it once")
    for law in laws:
        if law.law == "each":
            raise BsbenchError(
                f"nobody can hide by the law 'each': leave out {option('law', 'each')}"
            )
    games = request.check(shooters)
    scenarios = tuple(scenario.override(placement=law) for law in laws)
    for shooter in shooters:
        for where in scenarios:
            check_playable(shooter, where)
    return Experiment(
        tuple(shooters), scenarios, (request.seed or 0,), games=games, keep_moves=False
    )


def restricted_value(
    experiment: Experiment,
    scenario: Scenario,
    laws: Sequence[Placement],
    request: Request,
    progress: Watch | None = None,
    journal: Journal | None = None,
) -> Restricted:
    """Play a restricted game, and solve it.

    Raises
    ------
    BsbenchError
        If SciPy is not installed.
    StrategyError
        If a strategy fails.
    KeyboardInterrupt
        If interrupted before all strategies have played all laws.
    """
    check_solver()
    found = play(
        experiment,
        threads=request.threads,
        engine=request.engine,
        timeout=request.timeout,
        watch=progress,
        journal=journal,
    )
    for each in found:
        for fault in each.faults.values():
            assert isinstance(fault, StrategyError)
            raise fault
    if len(found) < len(laws) or any(each.partial for each in found):
        raise KeyboardInterrupt
    return Restricted(
        scenario=scenario,
        laws=tuple(laws),
        comparisons=found,
        seed=experiment.seed,
        requested=experiment.games,
        threads=found[0].results[0].threads,
    )
