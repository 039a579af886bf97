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
import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Unpack

from msgspec.structs import replace

from bsbench.common.errors import BsbenchError
from bsbench.common.found import Found
from bsbench.common.journal import Journal
from bsbench.common.progress import Progress, Watch
from bsbench.common.record import Content, Count, Record, as_json
from bsbench.common.shown import Shown
from bsbench.kernels.random import stream_key
from bsbench.roster import Given
from bsbench.rules.placement import STREAM_VERSION
from bsbench.rules.scenario import PARTS, Scenario, ScenarioRecord, find_scenario, scenario_options
from bsbench.runs.chunks import Workers
from bsbench.runs.comparison import unit_of
from bsbench.runs.cores import Run
from bsbench.runs.experiment import about_games
from bsbench.runs.formats import Hash
from bsbench.runs.identity import strategy_hash
from bsbench.runs.known import Mean
from bsbench.runs.opening import opened
from bsbench.runs.panel import Panel
from bsbench.runs.request import GameOptions, Place, Request, variant_text, with_options
from bsbench.runs.results import Result, counted
from bsbench.stats import Difference, PairedSums, interval_text
from bsbench.strategies import Strategy
from bsbench.studies.tune.searching import VALIDATION, Budget, CandidateScore, TrialRecord, search
from bsbench.studies.tune.spaces import Space, read_space

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


class Chosen(Start, frozen=True):
    """The candidate that was chosen; the start, if none was better."""


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
        Chosen less start.
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
    best: Chosen
    final: Final
    text: str


@dataclass(frozen=True, eq=False, repr=False)
class Tuning(Shown, Found):
    """What a tuning has found.

    Attributes
    ----------
    scenario : Scenario
    start : Strategy
        As it was given.
    vary : tuple of str
        What varied, as it was asked for.
    seed : int
    budget : Budget
    trials : tuple of TrialRecord
        In the order of play; in each race, the best first.
    best : Strategy
        The start, if no candidate was better in validation.
    alike : bool
        Whether no candidate ever took other moves than the start.
    last : TrialRecord
        How the best did in the final games.
    results : tuple of Result
        Of the final games: that of the start, and that of the best, if it is another one.
    games : int
        Played by all.
    seconds : float
        Since the tuning began, or was last continued.
    """

    form: ClassVar = TuningRecord

    scenario: Scenario
    start: Strategy
    vary: tuple[str, ...]
    seed: int
    budget: Budget
    trials: tuple[TrialRecord, ...]
    best: Strategy
    alike: bool
    last: TrialRecord
    results: tuple[Result, ...]
    games: int
    seconds: float = field(repr=False)

    def __repr__(self) -> str:
        return f"<Tuning on {self.scenario.name}: {self.text}>"

    @property
    def difference(self) -> Difference:
        """The best less the start in the final games, in moves."""
        return Difference(self.last.difference or 0.0, self.last.half_width or 0.0)

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
        if self.alike:
            return (
                f"nothing that varied has an effect on {self.scenario.name}: all candidates "
                f"played as {start}"
            )
        if len(self.results) == 1:
            return f"no candidate was better than {start} in validation: it stays as it is"
        difference, moves = self.difference, counted(self.results)
        if not self.gained:
            return (
                f"no gain is shown: in {games} fresh games, {best} differs from {start} by "
                f"{difference.text} {moves}"
            )
        gap = interval_text(-difference.mean, difference.half_width)
        return f"{best} needs {gap} fewer {moves} than {start}, in {games} fresh games"

    def rows(self) -> list[dict[str, Any]]:
        """Return the trials of the record, and one for the final games."""
        return [as_json(each) for each in (*self.trials, self.last)]

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
            trials=[*self.trials],
            best=Chosen(label=after.label, parameters=after.parameters),
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


@dataclass(frozen=True)
class Asked:
    """A tuning that can be played.

    Attributes
    ----------
    scenario : Scenario
    vary : tuple of str
        What varies, as it is asked for.
    space : Space
        What that means, and the start.
    budget : Budget
    seed : int
    """

    scenario: Scenario
    vary: tuple[str, ...]
    space: Space
    budget: Budget
    seed: int

    def about(self) -> dict[str, Any]:
        """Return what identifies the tuning, for `Journal.open`."""
        more = {"vary": list(self.vary), "budget": as_json(self.budget)}
        return about_games([self.space.start], [self.scenario], [self.seed], tuning=more)


def asked_for(request: Request, strategy: Given, vary: Iterable[str]) -> Asked:
    """Return the tuning that is asked for, if it can be played.

    Parameters
    ----------
    request : Request
    strategy, vary
        As for `tune`.

    Raises
    ------
    BsbenchError
        If the start can't play, something can't be read, the games are too few, or layouts are not
        random.
    """
    start, scenario = request.single(strategy, "a tuning")
    if scenario.placement.law == "each":
        raise BsbenchError(
            "a tuning needs random layouts, so that its final games are fresh: leave out the "
            "placement law 'each'"
        )
    texts = tuple(vary)
    space = read_space(texts, start)
    games = GAMES if request.games is None else request.games
    unit = math.lcm(scenario.placement.games_in_a_row, unit_of(start))
    return Asked(scenario, texts, space, Budget.of(games, space, unit), request.seed or 0)


@with_options(GameOptions)
def tune(
    strategy: Given,
    vary: Iterable[str],
    scenario: Place | None = None,
    *,
    games: float | str | None = None,
    seed: int | None = None,
    progress: Watch | None = None,
    **options: Unpack[GameOptions],
) -> Tuning:
    """Search for the values of parameters with which a strategy needs the fewest moves.

    Parameters
    ----------
    strategy : str, Path, Strategy, type or callable
        The start, as for `bsbench.run`.
    vary : iterable of str
        What varies: ``NAME=LOW:HIGH``, ``NAME=LOW:HIGH:STEP`` or ``NAME=VALUE,VALUE,…`` each; see
        `bsbench.studies.tune.spaces`.
    scenario : str, Path or Scenario, optional
        Default: the home of the strategy, else ``classic``.
    games : int, optional
        The most games that all candidates play together. Default: 5,000,000.
    seed : int
        Any non-negative integer, from which the seeds of training, validation and final games
        follow. Default: 0.
    progress : callable, optional
        Called, from the calling thread, with the games that all have played so far, under the label
        of the start: see `bsbench.common.progress.Progress`.
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
        If interrupted.

    Examples
    --------
    >>> tune("datagenetics", ["hit_weight=1:20"], games=20_000, seed=1).best.name
    'datagenetics'
    """
    request = Request.of(scenario, seed, games=games, **options)
    return play_tuning(asked_for(request, strategy, vary), request, progress)


def play_tuning(
    asked: Asked, request: Request, progress: Watch | None = None, journal: Journal | None = None
) -> Tuning:
    """Play a tuning that can be played.

    Parameters
    ----------
    asked : Asked
    request : Request
        Says where, and how long a game may take.
    progress : callable, optional
    journal : Journal, optional
        What keeps all that is played, opened with `Asked.about`.

    Raises
    ------
    StrategyError, KeyboardInterrupt
        As for `tune`.
    """
    start, where, seed = asked.space.start, asked.scenario, asked.seed
    space, budget = asked.space, asked.budget
    begun = time.monotonic()
    with opened(request.engine) as workers:
        cores = request.cores if workers is None else workers.threads
        table = _Table(where, seed, cores, request.timeout, budget, progress, journal, workers)
        found = search(space, budget, int(stream_key("tuning search", seed)), table)
        contestants = [start] if found.best.label == start.label else [start, found.best]
        games = max((budget.games - table.spent) // 2, 1)
        panel = table.played(FINAL, contestants, 0, games)
        for run in panel.runs.values():
            if run.fault is not None:
                raise run.fault
        score = _score(panel, len(contestants) - 1)
        last = TrialRecord.of(space, FINAL, found.best, score, table.spent)
        if len(contestants) == 1:
            # It differs by nothing from itself, for certain.
            last = replace(last, half_width=0.0)
        return Tuning(
            threads=cores,
            scenario=where,
            start=start,
            vary=asked.vary,
            seed=seed,
            budget=budget,
            trials=found.trials,
            best=found.best,
            alike=found.alike,
            last=last,
            results=tuple(panel.result(place, None) for place in panel.runs),
            games=table.spent,
            seconds=time.monotonic() - begun,
        )


@dataclass
class _Table:
    """Where candidates play: the `Play` of a search, and the final games.

    Each call plays a panel of its own; what the journal has of it is not played again.
    """

    scenario: Scenario
    seed: int
    threads: int
    timeout: float
    budget: Budget
    watch: Watch | None
    journal: Journal | None
    workers: Workers | None
    panels: int = 0
    spent: int = 0
    note: str = ""

    def __call__(
        self, stage: str, strategies: Sequence[Strategy], first: int, games: int
    ) -> list[CandidateScore | None]:
        """Let strategies play a range of games; see `bsbench.studies.tune.searching.Play`."""
        panel = self.played(stage, strategies, first, games)
        scores = [_score(panel, place) for place in panel.runs]
        others = [score.difference for score in scores[1:] if score is not None]
        lowest = min(others, key=lambda each: each.mean, default=None)
        self.note = "" if lowest is None else f", best {lowest.text}"
        return scores

    def played(self, stage: str, strategies: Sequence[Strategy], first: int, games: int) -> Panel:
        """Return a range of games of strategies, under the seed of the stage.

        Raises
        ------
        StrategyError
            If the first strategy, which is the start, has a fault.
        """
        seed = seed_for(stage if stage in _PURPOSES else TRAINING, self.seed)
        runs = [
            Run(each, self.scenario, seed, self.threads, self.timeout, first) for each in strategies
        ]
        panel = Panel(runs, most_kept=0, workers=self.workers)
        key = f"{self.panels} {stage}"
        spent, self.panels = self.spent, self.panels + 1
        note = f"{stage} of {self.budget.races}" if stage.startswith("race") else stage

        def shown(run: Run, setting_up: bool) -> None:
            if self.watch is not None and not setting_up:
                played = spent + sum(each.games for each in runs)
                label = strategies[0].label
                self.watch(Progress(label, played, self.budget.games, note + self.note))

        if panel.play(lambda _: games, games, shown, self.journal, key):
            raise KeyboardInterrupt
        panel.settle()
        if (fault := runs[0].fault) is not None:
            raise fault
        self.spent = spent + games * len(runs)
        return panel


def _score(panel: Panel, place: int) -> CandidateScore | None:
    """Return the score of a run of a panel; None if it has a fault."""
    run = panel.runs[place]
    if run.fault is not None:
        return None
    counts = run.tally.counts
    pairs = panel.pairs.get(place)
    if pairs is None:
        pairs = PairedSums.of_equals(run.scenario.rules.reach, run.games, run.games_per_learner)
    return CandidateScore(int(counts @ range(len(counts))), pairs)
