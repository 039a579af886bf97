"""Tunings: which values of a strategy's parameters need the fewest moves, and by how much.

A tuning has three kinds of games, under three seeds that follow from its own:

``training``
    Races between candidates (`bsbench.studies.tune.searching`).
``validation``
    The best few candidates play again, and the best of them is chosen.
``final``
    The chosen candidate plays against the start. No choice depends on these games, so the interval
    of the difference is valid.

The best of many candidates is partly best by luck, so its figures in training and validation are
too good (the winner's curse). That is why a tuning reports only the difference in the final games.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

from bsbench.common.errors import BsbenchError
from bsbench.common.found import Found
from bsbench.common.journal import Journal
from bsbench.common.progress import Progress, Watch
from bsbench.common.record import Content, Count, Record, as_json
from bsbench.common.shown import Shown
from bsbench.kernels.random import stream_key
from bsbench.roster import Given, as_strategy
from bsbench.rules.placement import STREAM_VERSION
from bsbench.rules.scenario import (
    PARTS,
    Scenario,
    ScenarioRecord,
    find_scenario,
    scenario_options,
)
from bsbench.runs.chunks import Workers
from bsbench.runs.experiment import about_games
from bsbench.runs.formats import Hash
from bsbench.runs.identity import strategy_hash
from bsbench.runs.opening import opened
from bsbench.runs.panel import Panel
from bsbench.runs.playing import Run
from bsbench.runs.request import (
    GameOptions,
    Place,
    Request,
    check_playable,
    check_request,
    variant_text,
    with_options,
)
from bsbench.runs.results import Result, counted
from bsbench.stats import Difference, PairedSums, interval_text
from bsbench.stats.intervals import NORMAL_95
from bsbench.strategies import Strategy
from bsbench.studies.tune.searching import VALIDATION, Budget, Score, Trial, search
from bsbench.studies.tune.spaces import Space, read_space

if TYPE_CHECKING:
    pass


GAMES = 5_000_000
"""Games of a tuning by default, those of all candidates together."""

FINAL = "final"
TRAINING = "training"

_PURPOSES = (TRAINING, VALIDATION, FINAL)

_SEED_BITS = 53
"""Of the seeds of games: any reader of JSON has them exactly."""


def seed_for(purpose: str, seed: int) -> int:
    """Return the seed of the games of one purpose: others than those of any other purpose.

    Parameters
    ----------
    purpose : str
        ``training``, ``validation`` or ``final``.
    seed : int
        That of the tuning.
    """
    return int(stream_key(f"tuning {purpose}", seed)) >> (64 - _SEED_BITS)


class Seeds(Record, frozen=True):
    """Seeds of the three kinds of games.

    Attributes
    ----------
    training, validation, final
        Of races, of the choice among the best of them, and of the figure that is reported.
    """

    training: Count
    validation: Count
    final: Count


class Start(Record, frozen=True):
    """Where the search began.

    Attributes
    ----------
    label
        The name, and the parameters that are not at their defaults.
    parameters
        All parameters, by name.
    """

    label: str
    parameters: dict[str, Any]


class Tuned(Record, frozen=True):
    """What was tuned.

    Attributes
    ----------
    name
        Name.
    source
        Who proposed it, and where.
    sha256
        Hash of the file that it comes from, or null if that is unknown.
    start
        Where the search began.
    """

    name: str
    source: str
    sha256: Hash | None
    start: Start


class TrialRecord(Record, frozen=True):
    """How a candidate did; figures are null for one that failed.

    Attributes
    ----------
    stage
        Race or validation.
    label
        The name, and the parameters that are not at their defaults.
    parameters
        Those that vary.
    games
        Games played.
    mean
        Mean moves.
    difference
        To the start.
    half_width
        Half the width of its 95 % interval.
    spent
        Games played by all when the stage ended.
    """

    stage: str
    label: str
    parameters: dict[str, Any]
    games: Count | None
    mean: float | None
    difference: float | None
    half_width: float | None
    spent: Count


class Best(Start, frozen=True):
    """The candidate that was chosen; the start, if none was better."""


class Mean(Record, frozen=True):
    """A mean.

    Attributes
    ----------
    mean
        In moves.
    half_width
        Half the width of the 95 % interval.
    """

    mean: float
    half_width: float


class Final(Record, frozen=True):
    """Figures on games that the search has not used.

    Attributes
    ----------
    games
        Games played.
    start
        Mean of the start.
    best
        Mean of the best.
    difference
        Best less start.
    """

    games: Count
    start: Mean
    best: Mean
    difference: Mean


class TuningRecord(Content, frozen=True):
    """What `bsbench tune --export-json` writes: a search for the best parameters.

    Attributes
    ----------
    revisions
        Revisions of the code that played the games, mostly one.
    stream_version
        Version of the rule that turns seed and number of a game into a layout.
    scenario
        What was played.
    seed
        Seed of the layouts.
    seeds
        Seeds of the three kinds of games.
    strategy
        What was tuned.
    vary
        What varies, as it was asked for.
    budget
        Games that may be played, and how they are divided.
    games
        Games played by all.
    trials
        Each candidate of each race, and of validation. Figures are null for a candidate that
        failed.
    best
        The candidate that was chosen; the start, if none was better.
    final
        Figures on games that the search has not used.
    text
        The result in words.
    seconds.play
        Playing.
    """

    schema = "bsbench-tuning-1"
    steps = {"play": "seconds"}  # noqa: RUF012
    revisions: list[str]
    stream_version: Count
    scenario: ScenarioRecord
    seed: Count
    seeds: Seeds
    strategy: Tuned
    vary: list[str]
    budget: Budget
    games: Count
    trials: list[TrialRecord]
    best: Best
    final: Final
    text: str


@dataclass(frozen=True, eq=False, repr=False)
class Tuning(Shown, Found):
    """What a tuning has found.

    Attributes
    ----------
    scenario : Scenario
    space : Space
        The start, and what varied.
    vary : tuple of str
        That as it was asked for.
    seed : int
    budget : Budget
    trials : tuple of Trial
        In the order of play; in each race, the best first.
    best : Strategy
        The start, if no candidate was better in validation.
    results : tuple of Result
        Of the final games: that of the start, and that of the best, if it is another one.
    pairs : PairedSums or None
        Of the final games, the best to the start; None if it is the start.
    games : int
        Played by all.
    seconds : float
        Since the tuning began, or was last continued.
    """

    form: ClassVar = TuningRecord

    scenario: Scenario
    space: Space
    vary: tuple[str, ...]
    seed: int
    budget: Budget
    trials: tuple[Trial, ...]
    best: Strategy
    results: tuple[Result, ...]
    pairs: PairedSums | None
    games: int
    seconds: float = field(repr=False)

    def __repr__(self) -> str:
        return f"<Tuning on {self.scenario.name}: {self.text}>"

    @property
    def start(self) -> Strategy:
        """The strategy whose parameters were tuned, as it was given."""
        return self.space.start

    @property
    def difference(self) -> Difference:
        """The best less the start in the final games, in moves."""
        return Difference(0.0, 0.0) if self.pairs is None else self.pairs.difference

    @property
    def gained(self) -> bool:
        """Whether the final games show that the best needs fewer moves than the start."""
        return self.difference.significant and self.difference.mean < 0

    @property
    def variant(self) -> str:
        """The best as the command line and Python take it: ``NAME,PARAMETER=VALUE,…``."""
        return variant_text(self.best)

    @property
    def text(self) -> str:
        """The result in words."""
        start, best, games = self.start.label, self.best.label, f"{self.results[0].games:,}"
        if self._all_alike:
            return (
                f"nothing that varied has an effect on {self.scenario.name}: all candidates "
                f"played as {start}"
            )
        if self.pairs is None:
            return f"no candidate was better than {start} in validation: it stays as it is"
        difference, moves = self.difference, counted(self.results)
        if not self.gained:
            return (
                f"no gain is shown: in {games} fresh games, {best} differs from {start} by "
                f"{difference.text} {moves}"
            )
        gap = interval_text(-difference.mean, difference.half_width)
        return f"{best} needs {gap} fewer {moves} than {start}, in {games} fresh games"

    @property
    def _all_alike(self) -> bool:
        """Whether no candidate ever took other moves than the start."""
        played = [trial.score.pairs for trial in self.trials if trial.score is not None]
        return len(played) > 0 and all(pairs.outcomes[1] == pairs.games for pairs in played)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each candidate of each race, of validation, and of the final games.

        Returns
        -------
        list of dict
            The keys ``stage`` (``race 1``, …, ``validation``, ``final``), ``label``, one for each
            parameter that varied, ``games``, ``mean``, ``difference`` (paired, to the start),
            ``se`` (its standard error), ``spent`` (games played by all at the end of the stage),
            ``start``. In a race, the best stand first. A parameter that has the name of another
            key begins with ``parameter_``.
        """
        result = self.results[-1]
        final = TrialRecord(
            stage=FINAL,
            label=result.label,
            parameters=self._varied(self.best),
            games=result.games,
            mean=result.stats.mean,
            difference=self.difference.mean,
            half_width=self.difference.half_width,
            spent=self.games,
        )
        return [
            {"stage": each.stage, "label": each.label}
            | {
                f"parameter_{name}" if name in _COLUMNS else name: value
                for name, value in each.parameters.items()
            }
            | {"games": each.games, "mean": each.mean, "difference": each.difference}
            | {"se": None if each.half_width is None else each.half_width / NORMAL_95}
            | {"spent": each.spent, "start": self.start.label}
            for each in (*self._tried(), final)
        ]

    def _varied(self, strategy: Strategy) -> dict[str, Any]:
        return {axis.name: strategy.parameters[axis.name] for axis in self.space.axes}

    def _tried(self) -> list[TrialRecord]:
        """Return the trials as the record has them."""
        return [
            TrialRecord(
                stage=trial.stage,
                label=trial.strategy.label,
                parameters=self._varied(trial.strategy),
                games=trial.score.games if trial.score else 0,
                mean=trial.score.mean if trial.score else None,
                difference=trial.score.difference.mean if trial.score else None,
                half_width=trial.score.difference.half_width if trial.score else None,
                spent=trial.spent,
            )
            for trial in self.trials
        ]

    def content(self) -> TuningRecord:
        """Return the record."""
        start, best = self.results[0], self.results[-1]
        before, after = self.start, self.best
        return TuningRecord(
            revisions=[*start.revisions],
            stream_version=STREAM_VERSION,
            scenario=ScenarioRecord(**self.scenario.to_dict()),
            seed=self.seed,
            seeds=Seeds(**{purpose: seed_for(purpose, self.seed) for purpose in _PURPOSES}),
            strategy=Tuned(
                name=before.name,
                source=before.source,
                sha256=strategy_hash(before),
                start=Start(label=before.label, parameters=before.parameters),
            ),
            vary=[*self.vary],
            budget=self.budget,
            games=self.games,
            trials=self._tried(),
            best=Best(label=after.label, parameters=after.parameters),
            final=Final(
                games=start.games,
                start=_mean(start.stats),
                best=_mean(best.stats),
                difference=_mean(self.difference),
            ),
            text=self.text,
        )

    def run_file(self) -> str:
        """Return a run file (`bsbench.runs.runfile`) of the best, on the same scenario."""
        name = scenario_options(self.scenario)[1]
        now, base = self.scenario.parts(), find_scenario(name).parts()
        # The values of JSON are those of TOML here: texts, numbers, true and false, lists.
        keys = {"strategy": self.variant, "scenario": name}
        keys |= {key: now[key] for key in PARTS if now[key] != base[key]}
        lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in keys.items()]
        return "\n".join([f"# Tuned by bsbench: {self.text}.", *lines, ""])


def _mean(figure: Any) -> Mean:
    return Mean(mean=figure.mean, half_width=figure.half_width)


_COLUMNS = ("stage", "label", "games", "mean", "difference", "se", "spent", "start")


@with_options(GameOptions)
def tune(
    strategy: Given,
    vary: Iterable[str],
    scenario: Place | None = None,
    *,
    games: float | str | None = None,
    seed: int | None = None,
    races: int | None = None,
    candidates: int | None = None,
    progress: Watch | None = None,
    journal: Journal | None = None,
    **options: Unpack[GameOptions],
) -> Tuning:
    """Search for the values of parameters with which a strategy needs the fewest moves.

    Parameters
    ----------
    strategy : str, Path, Strategy, type or callable
        The start, as for `bsbench.run`.
    vary : iterable of str
        What varies: ``NAME=LOW:HIGH``, ``NAME=LOW:HIGH:STEP``, ``NAME=VALUE,VALUE,…`` or
        ``NAME`` each; see `bsbench.studies.tune.spaces`.
    scenario : str, Path or Scenario, optional
        Default: the home of the strategy, else ``classic``.
    games : int, optional
        The most games that all candidates play together. Default: 5,000,000.
    seed : int
        Any non-negative integer, from which the seeds of training, validation and final games
        follow. Default: 0.
    races, candidates : int, optional
        Number of races, and of candidates of each. Default: one race for each parameter and four
        more; 26 candidates.
    progress : callable, optional
        Called, from the calling thread, with the games that all have played so far, under the label
        of the start: see `bsbench.common.progress.Progress`.
    journal : Journal, optional
        What keeps all that is played, opened with `about_tuning`.
    **options

    Returns
    -------
    Tuning

    Raises
    ------
    BsbenchError
        If something is out of range or can't be read, or the games are too few.
    StrategyError
        If the start breaks the rules, raises, or takes too long. Candidates that do are left out.
    KeyboardInterrupt
        If interrupted: the journal keeps what was played.

    Examples
    --------
    >>> tune("datagenetics", ["hit_weight=1:20"], games=20_000, seed=1).best.name
    'datagenetics'
    """
    request = Request.of(scenario, seed, games=games, **options)
    request.check_single("a tuning")
    start, texts = as_strategy(strategy, request.limits), tuple(vary)
    (where,) = request.scenarios_or(start.home)
    space, budget = check_tuning(start, texts, where, request, races, candidates)
    _, seed, cores = check_request(budget.games, request.seed or 0, request.threads)
    begun = time.monotonic()
    with opened(request.engine, request.threads) as workers:
        cores = cores if workers is None else workers.threads
        table = _Table(
            where, seed, cores, request.timeout, budget, start.label, progress, journal, workers
        )
        drawn = int(stream_key("tuning search", seed))
        found = search(space, budget, drawn, table, where.placement.games_in_a_row)
        results, pairs = table.final(space.start, found.best)
        return Tuning(
            threads=cores,
            scenario=where,
            space=space,
            vary=texts,
            seed=seed,
            budget=budget,
            trials=found.trials,
            best=found.best,
            results=results,
            pairs=pairs,
            games=table.spent,
            seconds=time.monotonic() - begun,
        )


def check_tuning(
    start: Strategy,
    vary: Iterable[str],
    scenario: Scenario,
    request: Request,
    races: int | None = None,
    candidates: int | None = None,
) -> tuple[Space, Budget]:
    """Return what a tuning searches, and how it divides its games.

    Parameters
    ----------
    start : Strategy
    vary, scenario, races, candidates
        As for `tune`.
    request : Request
        Its other options.

    Raises
    ------
    BsbenchError
        If something is out of range or can't be read, the games are too few, or layouts are not
        random.
    """
    request.check([start])
    if scenario.placement.law == "each":
        raise BsbenchError(
            "a tuning needs random layouts, so that its final games are fresh: leave out the "
            "placement law 'each'"
        )
    check_playable(start, scenario)
    space = read_space(vary, start)
    games = GAMES if request.games is None else request.games
    return space, Budget.of(games, space, races, candidates)


def about_tuning(
    space: Space, vary: Iterable[str], budget: Budget, scenario: Scenario, seed: int = 0
) -> dict[str, Any]:
    """Return what identifies a tuning, for `Journal.open`."""
    more = {"vary": list(vary), "budget": as_json(budget)}
    return about_games([space.start], [scenario], [seed], tuning=more)


class _Table:
    """Where candidates play: the `Play` of a search, and the final games.

    Each call plays a panel of its own; what the journal has of it is not played again.
    """

    def __init__(
        self,
        scenario: Scenario,
        seed: int,
        threads: int,
        timeout: float,
        budget: Budget,
        label: str,
        watch: Watch | None,
        journal: Journal | None,
        workers: Workers | None,
    ) -> None:
        self._scenario, self._seed, self._budget = scenario, seed, budget
        self._threads, self._timeout = threads, timeout
        self._label, self._watch, self._journal, self._workers = label, watch, journal, workers
        self._panels = 0
        self._lowest: Difference | None = None
        self.spent = 0

    def __call__(
        self, stage: str, strategies: Sequence[Strategy], first: int, games: int
    ) -> list[Score | None]:
        """Let strategies play a range of games; see `bsbench.studies.tune.searching.Play`."""
        purpose = VALIDATION if stage == VALIDATION else TRAINING
        panel = self._played(stage, purpose, strategies, first, games)
        scores: list[Score | None] = []
        for place, run in panel.runs.items():
            if run.fault is not None:
                scores.append(None)
                continue
            tally, rules = run.tally, self._scenario.rules
            pairs = panel.pairs.get(place)
            if pairs is None:
                pairs = PairedSums.of_equals(rules.reach, games, run.games_per_learner)
            scores.append(Score(int(tally.counts @ range(rules.cells + 1)), pairs))
        others = [score.difference for score in scores[1:] if score is not None]
        self._lowest = min(others, key=lambda each: each.mean, default=None)
        return scores

    def final(
        self, start: Strategy, best: Strategy
    ) -> tuple[tuple[Result, ...], PairedSums | None]:
        """Let start and best play the rest of the games, under the seed of the final ones."""
        same = best.label == start.label
        contestants = [start] if same else [start, best]
        games = (self._budget.games - self.spent) // 2
        panel = self._played(FINAL, FINAL, contestants, 0, max(games, 1))
        for run in panel.runs.values():
            if run.fault is not None:
                raise run.fault
        results = tuple(panel.result(place, None) for place in panel.runs)
        return results, panel.pairs.get(1)

    def _note(self, stage: str) -> str:
        """Return what is known so far."""
        note = f"{stage} of {self._budget.races}" if stage.startswith("race") else stage
        return note if self._lowest is None else f"{note}, best {self._lowest.text}"

    def _played(
        self, stage: str, purpose: str, strategies: Sequence[Strategy], first: int, games: int
    ) -> Panel:
        seed = seed_for(purpose, self._seed)
        runs = [
            Run(each, self._scenario, seed, self._threads, self._timeout, first)
            for each in strategies
        ]
        panel = Panel(runs, most_kept=0, workers=self._workers)
        key = f"{self._panels} {stage}"
        spent, self._panels = self.spent, self._panels + 1

        def shown(run: Run, setting_up: bool) -> None:
            if self._watch is not None and not setting_up:
                played = spent + sum(each.games for each in runs)
                self._watch(Progress(self._label, played, self._budget.games, self._note(stage)))

        if panel.play(lambda _: games, games, shown, self._journal, key):
            raise KeyboardInterrupt
        panel.settle()
        if (fault := runs[0].fault) is not None:
            raise fault
        self.spent = spent + games * len(runs)
        return panel
