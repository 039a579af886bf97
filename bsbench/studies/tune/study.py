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

A tuning as JSON, of schema ``bsbench-tuning-1``, has these keys:

``schema``, ``bsbench``, ``revisions``, ``stream_version``, ``scenario``, ``seed``
    As in the record of a run.
``seeds``
    Those of the three kinds of games.
``strategy``
    Its ``name``, ``source`` and ``sha256``, and ``start``, the ``label`` and all ``parameters``
    of the start.
``vary``
    What varies, as it was asked for.
``budget``
    Games that may be played, and how they are divided: ``games``, ``races``, ``candidates``,
    ``first_rung``, ``validation``.
``games``
    Games played by all.
``trials``
    For each candidate of each race, and of validation: ``stage``, ``label``, the ``parameters``
    that vary, ``games``, ``mean``, ``difference`` to the start and its ``half_width``, and
    ``spent``, the games played by all when the stage ended. Figures are null for a candidate that
    broke the rules or raised.
``best``
    ``label``, ``parameters`` and ``settings`` (options of the command line) of the chosen
    candidate, or of the start, if no candidate was better in validation.
``final``
    ``games``, the means of the ``start`` and the ``best`` with half-widths, and the
    ``difference`` between them.
``text``
    The result in words.
``threads``, ``seconds``, ``machine``, ``versions``, ``date``
    As in the record of a run.
"""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from bsbench.common.errors import BsbenchError
from bsbench.common.files import check_export, json_text, write_text
from bsbench.common.journal import Journal
from bsbench.common.machine import Provenance
from bsbench.common.settings import value_text
from bsbench.common.shown import Shown
from bsbench.common.texts import shortened
from bsbench.kernels.random import stream_key
from bsbench.own.adapter import origin_of
from bsbench.roster import Given, as_strategies
from bsbench.rules.placement import STREAM_VERSION
from bsbench.rules.scenario import PARTS, Scenario, find_scenario, scenario_options
from bsbench.runs.experiment import about_games
from bsbench.runs.identity import strategy_hash
from bsbench.runs.opening import opened
from bsbench.runs.panel import Panel
from bsbench.runs.pieces import Crew
from bsbench.runs.playing import Run
from bsbench.runs.request import (
    GameOptions,
    Place,
    Request,
    check_playable,
    check_progress,
    check_request,
    with_options,
)
from bsbench.runs.results import Result
from bsbench.stats import Difference, PairedSums, interval_text
from bsbench.stats.intervals import NORMAL_95
from bsbench.strategies import Strategy
from bsbench.studies.tune.searching import VALIDATION, Budget, Score, Trial, search
from bsbench.studies.tune.spaces import Space, read_space

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


SCHEMA = "bsbench-tuning-1"

GAMES = 5_000_000
"""Games of a tuning by default, those of all candidates together."""

FINAL = "final"
TRAINING = "training"

_PURPOSES = (TRAINING, VALIDATION, FINAL)

_SEED_BITS = 53
"""Of the seeds of games: any reader of JSON has them exactly."""

Watch = Callable[[str, int, Difference | None], object]
"""Called with what is being played, the games played by all so far, and the lowest difference to
the start in what was played last."""


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


@dataclass(frozen=True, eq=False, repr=False)
class Tuning(Shown, Provenance):
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
    def partial(self) -> bool:
        """Whether there is more to play: never, since nothing is found before the end."""
        return False

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
    def settings(self) -> tuple[str, ...]:
        """The parameters that varied, as the best has them: ``NAME=VALUE`` each."""
        values = self.best.parameters
        return tuple(f"{each.name}={value_text(values[each.name])}" for each in self.space.axes)

    @property
    def options(self) -> str:
        """The same as options of the command line: ``--set NAME=VALUE …``."""
        return " ".join(f"--set {setting}" for setting in self.settings)

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
        difference = self.difference
        if not self.gained:
            return (
                f"no gain is shown: in {games} fresh games, {best} differs from {start} by "
                f"{difference.text} moves"
            )
        gap = interval_text(-difference.mean, difference.half_width)
        return f"{best} needs {gap} fewer moves than {start}, in {games} fresh games"

    @property
    def _all_alike(self) -> bool:
        """Whether no candidate ever took other moves than the start."""
        played = [trial.score.pairs for trial in self.trials if trial.score is not None]
        return len(played) > 0 and all(pairs.outcomes[1] == pairs.games for pairs in played)

    def figure(self) -> Figure:
        """Return its chart."""
        from bsbench.present.charts import find_chart

        return find_chart("tuning").function(self)

    def to_frame(self) -> pd.DataFrame:
        """Return a tidy row for each candidate of each race, of validation, and of the final games.

        Returns
        -------
        DataFrame
            The columns ``stage`` (``race 1``, …, ``validation``, ``final``), ``label``, one for
            each parameter that varied, ``games``, ``mean``, ``difference`` (paired, to the
            start), ``se`` (its standard error), ``spent`` (games played by all at the end of
            the stage), ``start``. In a race, the best stand first. A parameter that has the name of
            another column begins with ``parameter_``.
        """
        import pandas as pd

        rows = []
        for record in [*self._trials(), self._final_trial()]:
            parameters = record.pop("parameters")
            width = record.pop("half_width")
            rows.append(
                {key: record[key] for key in ("stage", "label")}
                | {
                    f"parameter_{name}" if name in _COLUMNS else name: value
                    for name, value in parameters.items()
                }
                | {key: record[key] for key in ("games", "mean", "difference")}
                | {"se": None if width is None else width / NORMAL_95, "spent": record["spent"]}
                | {"start": self.start.label}
            )
        return pd.DataFrame(rows)

    def _varied(self, strategy: Strategy) -> dict[str, Any]:
        return {axis.name: strategy.parameters[axis.name] for axis in self.space.axes}

    def _trials(self) -> list[dict[str, Any]]:
        """Return the trials as JSON has them."""
        return [
            {
                "stage": trial.stage,
                "label": trial.strategy.label,
                "parameters": self._varied(trial.strategy),
                "games": trial.score.games if trial.score else 0,
                "mean": trial.score.mean if trial.score else None,
                "difference": trial.score.difference.mean if trial.score else None,
                "half_width": trial.score.difference.half_width if trial.score else None,
                "spent": trial.spent,
            }
            for trial in self.trials
        ]

    def _final_trial(self) -> dict[str, Any]:
        result = self.results[-1]
        return {
            "stage": FINAL,
            "label": result.label,
            "parameters": self._varied(self.best),
            "games": result.games,
            "mean": result.stats.mean,
            "difference": self.difference.mean,
            "half_width": self.difference.half_width,
            "spent": self.games,
        }

    def save(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the tuning as JSON, as described at the top of this module.

        Raises
        ------
        BsbenchError
            If there is a file already that is not to be replaced, or it can't be written.
        """
        check_export(path, force)
        write_text(path, json_text(self.to_dict()))
        return Path(path)

    def to_dict(self) -> dict[str, Any]:
        """Return the tuning as described at the top of this module."""
        start, best = self.results[0], self.results[-1]

        def of_mean(value: Any) -> dict[str, float]:
            return {"mean": value.mean, "half_width": value.half_width}

        content = {
            "revisions": list(start.revisions),
            "stream_version": STREAM_VERSION,
            "scenario": self.scenario.to_dict(),
            "seed": self.seed,
            "seeds": {purpose: seed_for(purpose, self.seed) for purpose in _PURPOSES},
            "strategy": {
                "name": self.start.name,
                "source": self.start.source,
                "sha256": strategy_hash(self.start),
                "start": {"label": self.start.label, "parameters": self.start.parameters},
            },
            "vary": list(self.vary),
            "budget": dataclasses.asdict(self.budget),
            "games": self.games,
            "trials": self._trials(),
            "best": {
                "label": self.best.label,
                "parameters": self.best.parameters,
                "settings": self.options,
            },
            FINAL: {
                "games": start.games,
                "start": of_mean(start.stats),
                "best": of_mean(best.stats),
                "difference": of_mean(self.difference),
            },
            "text": self.text,
        }
        return self.record(SCHEMA, content, play=self.seconds)

    def run_file(self) -> str:
        """Return a run file (`bsbench.runs.runfile`) of the best, on the same scenario."""
        name = scenario_options(self.scenario)[1]
        now, base = self.scenario.to_dict(), find_scenario(name).to_dict()
        declared = self.best.declared()
        parameters = {
            name: value
            for name, value in self.best.parameters.items()
            if value != declared[name].default
        }
        # The values of JSON are those of TOML here: texts, numbers, true and false, lists.
        keys = {"strategy": origin_of(self.best).called, "scenario": name}
        keys |= {key: now[key] for key in PARTS if now[key] != base[key]}
        lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in keys.items()]
        if parameters:
            lines += ["", "[parameters]"]
            lines += [
                f"{key} = {json.dumps(value, ensure_ascii=False)}"
                for key, value in parameters.items()
            ]
        return "\n".join([f"# Tuned by bsbench: {self.text}.", *lines, ""])


_COLUMNS = ("stage", "label", "games", "mean", "difference", "se", "spent", "start")


@with_options(GameOptions)
def tune(
    strategy: Given,
    vary: Iterable[str],
    scenario: Place | None = None,
    *,
    set: Mapping[str, Any] | None = None,
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
    set : mapping of str to bool, int, float or str, optional
        Values of parameters of the start.
    games : int, optional
        The most games that all candidates play together. Default: 5,000,000.
    seed : int
        Any non-negative integer, from which the seeds of training, validation and final games
        follow. Default: 0.
    races, candidates : int, optional
        Number of races, and of candidates of each. Default: one race for each parameter and four
        more; 26 candidates.
    progress : callable, optional
        A `Watch`, called from the calling thread.
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
    check_progress(progress)
    if isinstance(vary, str) or not isinstance(vary, Iterable):
        raise BsbenchError(f"what varies is a list such as ['noise=0:0.1'], not {shortened(vary)}")
    request = Request.of(scenario, seed, games=games, **options)
    request.check_single("a tuning")
    (start,), texts = as_strategies([strategy], set, request.limits), tuple(vary)
    (where,) = request.scenarios_or(start.home)
    space, budget = check_tuning(start, texts, where, request, races, candidates)
    _, seed, cores = check_request(budget.games, request.seed or 0, request.threads)
    begun = time.monotonic()
    with opened(request.engine, request.threads) as crew:
        cores = cores if crew is None else crew.threads
        table = _Table(where, seed, cores, request.timeout, budget, progress, journal, crew)
        found = search(space, budget, int(stream_key("tuning search", seed)), table)
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
    more = {"vary": list(vary), "budget": dataclasses.asdict(budget)}
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
        watch: Watch | None,
        journal: Journal | None,
        crew: Crew | None,
    ) -> None:
        self._scenario, self._seed, self._budget = scenario, seed, budget
        self._threads, self._timeout = threads, timeout
        self._watch, self._journal, self._crew = watch, journal, crew
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
                pairs = PairedSums.of_equals(rules.reach, games, run.strategy.games_per_learner)
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

    def _played(
        self, stage: str, purpose: str, strategies: Sequence[Strategy], first: int, games: int
    ) -> Panel:
        seed = seed_for(purpose, self._seed)
        runs = [
            Run(each, self._scenario, seed, self._threads, self._timeout, first)
            for each in strategies
        ]
        panel = Panel(runs, most_kept=0, crew=self._crew)
        key = f"{self._panels} {stage}"
        spent, self._panels = self.spent, self._panels + 1

        def shown(run: Run, setting_up: bool) -> None:
            if self._watch is not None and not setting_up:
                played = sum(each.games for each in runs)
                self._watch(stage, spent + played, self._lowest)

        if panel.play(lambda _: games, games, shown, self._journal, key):
            raise KeyboardInterrupt
        panel.settle()
        if (fault := runs[0].fault) is not None:
            raise fault
        self.spent = spent + games * len(runs)
        return panel
