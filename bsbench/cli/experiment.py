"""What `bsbench run` and `compare` share: an `Experiment` as a `Study`, and what it found."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import IO, TYPE_CHECKING, Any

import click

from bsbench.cli.delivery import Study
from bsbench.cli.saving import Charts, KeptRuns, Key
from bsbench.common.errors import BsbenchError, StrategyError
from bsbench.common.found import Ending
from bsbench.common.progress import Progress
from bsbench.common.texts import for_screen

if TYPE_CHECKING:
    import pandas as pd

    from bsbench.cli.exports import GamesExport
    from bsbench.present.progress import Figures
    from bsbench.present.sheets import Sheet
    from bsbench.rules.scenario import Scenario
    from bsbench.runs.comparison import Comparison, Order
    from bsbench.runs.conditions import Condition
    from bsbench.runs.experiment import Experiment
    from bsbench.runs.panel import GameProgress
    from bsbench.runs.request import Request
    from bsbench.runs.results import Result
    from bsbench.strategies import Strategy

MakeFrame = Callable[[Sequence["Comparison"]], "pd.DataFrame"]
"""Returns figures of panels as a frame."""

ALL = "all"
"""Stands for all built-in strategies that can play, except those that take long."""


def strategies_for(variants: Sequence[str], request: Request, quiet: bool) -> list[Strategy]:
    """Return the strategies that are named.

    Parameters
    ----------
    variants : sequence of str
        ``NAME,PARAMETER=VALUE,…`` each, or `ALL`.
    request : Request
        Says on which scenarios, so that `ALL` leaves out strategies that can't play there.
    quiet : bool
        Say nothing about those.

    Raises
    ------
    BsbenchError
        If there is no such strategy or parameter, or one is named twice.
    """
    from bsbench.common.settings import read_variant
    from bsbench.roster import find_strategy, make_strategy, strategy_names

    named = [read_variant(variant) for variant in variants if variant != ALL]
    if ALL in variants:
        alone = {name for name, own in named if not own}
        rules = [scenario.rules for scenario in request.scenarios_or(None)]
        everyone = set(strategy_names())
        quick = {name for name in everyone if not find_strategy(name).takes_long}
        needed = {name: find_strategy(name).needs.reveals for name in quick}
        told = {name for name in quick if all(each.reveals.cover(needed[name]) for each in rules)}
        turns = {name for name in told if all(map(make_strategy(name).plays_turns, rules))}
        fit = {name for name in turns if all(map(make_strategy(name).fits, rules))}
        exact = {name for name in fit if not request.exact or _is_exact(name, request)}
        slow = sorted(
            name
            for name in everyone - quick - alone
            if all(map(make_strategy(name).plays_turns, rules))
        )
        for left_out, why in (
            ([f"{name} (name it to include it)" for name in slow], "slow"),
            (sorted(quick - told), "they need to be told more"),
            (sorted(told - turns), "they fire one shot a turn"),
            (sorted(turns - fit), "they do not play with such a fleet on such a board"),
            (sorted(fit - exact), "their moves depend on chance, or on earlier games"),
        ):
            if left_out and not quiet:
                text = f"{ALL}: skipped because {why}: {', '.join(left_out)}"
                click.echo(for_screen(text, sys.stderr), err=True)
        at = variants.index(ALL)
        named[at:at] = [(name, {}) for name in _quick_first(exact - alone, request)]
    return [make_strategy(name, own, request.limits) for name, own in named]


def with_all(names: Sequence[str], request: Request, quiet: bool) -> list[str]:
    """Return names, with those of `strategies_for` in place of `ALL`, each once."""
    named = list(names)
    if ALL in named:
        known = [each.name for each in strategies_for((ALL,), request, quiet)]
        at = named.index(ALL)
        named[at : at + 1] = [name for name in known if name not in named]
    return named


def _quick_first(names: Iterable[str], request: Request) -> list[str]:
    """Return names of strategies, those first that are known to play fast."""
    from bsbench.roster import make_strategy
    from bsbench.runs.known import known_speed
    from bsbench.runs.request import GAMES

    where, games = request.scenarios_or(None)[0], request.games or GAMES
    speeds = {name: known_speed(make_strategy(name), where, games) or 0 for name in names}
    return sorted(speeds, key=lambda name: (-speeds[name], name))


def _is_exact(name: str, request: Request) -> bool:
    """Return whether a built-in strategy can play each layout once for an exact result."""
    from bsbench.roster import make_strategy
    from bsbench.runs.exact import all_layouts, check_exact

    (scenario, *others) = request.scenarios_or(None)
    all_layouts([scenario, *others])
    try:
        check_exact(make_strategy(name), scenario, None, request.timeout)
    except BsbenchError:
        return False
    return True


@dataclass(frozen=True, eq=False)
class Played(Ending):
    """What an experiment found, and how it is shown.

    Attributes
    ----------
    panels : sequence of Comparison
        Of each scenario and seed, of one result or more.
    figures, printed : sequence of Comparison
        As the record has them, those of all seeds together last; and in the order of print.
    whole : int
        How many panels there are if it is not interrupted; 0 where nothing is played.
    frame : callable
        Returns what CSV and Parquet hold, from figures.
    shown : tuple of str
        Columns that the table has although all rows are the same there.
    wide : bool
        Whether all columns are printed.
    limits : sequence of Condition
        What must not hold.
    """

    panels: Sequence[Comparison]
    figures: Sequence[Comparison]
    printed: Sequence[Comparison]
    whole: int
    frame: MakeFrame
    shown: tuple[str, ...] = ()
    wide: bool = False
    limits: Sequence[Condition] = ()

    @classmethod
    def of(
        cls, panels: Sequence[Comparison], order: Order | None, whole: int, **how: Any
    ) -> Played:
        """Return it of what was played; without an order, the best are printed first."""
        from bsbench.runs.pooling import pooled

        every = (*panels, *pooled(panels))
        figures, printed = (
            [panel.sorted(order or usual) for panel in every] for usual in ("given", "best")
        )
        return cls(figures[: len(panels)], figures, printed, whole, **how)

    @property
    def results(self) -> list[Result]:
        """All results."""
        return [result for panel in self.panels for result in panel.results]

    @property
    def partial(self) -> bool:
        """Whether it was interrupted; a strategy that failed has ended."""
        unfinished = any(panel.partial for panel in self.panels if not _fault_of(panel))
        return self.whole > 0 and (unfinished or len(self.panels) < self.whole)

    @property
    def fault(self) -> StrategyError | None:
        """What ended a run of one strategy."""
        return next(filter(None, map(_fault_of, self.panels)), None) if self.whole else None

    @cached_property
    def failures(self) -> list[str]:
        """Which limits hold."""
        if self.fault is not None or self.partial:
            return []
        return [
            each for panel in self.panels for limit in self.limits for each in limit.failures(panel)
        ]

    @property
    def exit_code(self) -> int:
        """1 if a strategy is left out, a limit holds, or it is not clear which one is better."""
        no = any(panel.faults or "unclear" in panel.verdicts for panel in self.panels)
        return int(no or bool(self.failures))

    def adds_nothing(self, before: Mapping[Key, Result]) -> bool:
        """Return whether no game was added to results that were to be extended.

        They may have reached a finer aim, which their records show.
        """
        ended = self.partial or self.fault or any(panel.faults for panel in self.panels)
        return not ended and all(
            each.games == before[each.label, each.scenario, each.seed].games
            for each in self.results
        )

    def table(self) -> pd.DataFrame:
        """Return what CSV and Parquet hold."""
        return self.frame(self.figures)

    def to_dict(self) -> dict[str, Any]:
        """Return the record: of one result, of a comparison, or of several."""
        if len(self.figures) > 1:
            from bsbench.runs.formats import ExperimentRecord

            of_all = [panel.to_dict() for panel in self.figures if panel.seed is None]
            return {
                "schema": ExperimentRecord.schema,
                "panels": [panel.to_dict() for panel in self.figures if panel.seed is not None],
                **({"pooled": of_all} if of_all else {}),
            }
        (panel,) = self.figures
        return panel.to_dict() if len(panel.results) > 1 else panel.results[0].to_dict()

    def sheet(self) -> Sheet:
        """Return what is shown."""
        from bsbench.present.sheets import Sheet
        from bsbench.present.tables import (
            alarm_texts,
            experiment_notes,
            experiment_table,
            verdict_lines,
        )
        from bsbench.present.terminal import print_experiment, print_settling

        def show(stream: IO[str] | None) -> None:
            print_experiment(self.printed, stream, self.shown, wide=self.wide)
            for panel in self.figures:
                print_settling(panel)

        table = experiment_table(self.printed, ("sd",), self.shown)
        left_out = [fault for panel in self.panels for fault in panel.faults.values()]
        told = [for_screen(f"left out: {fault}", sys.stderr) for fault in left_out]
        return Sheet(
            table.texts,
            notes=[
                *verdict_lines(self.printed),
                *experiment_notes(self.printed, table),
                *(" ".join(text.split()) for text in told),
            ],
            show=show,
            faults=[*told, *self.failures],
            alarms=[*alarm_texts(self.results)],
        )


def study_of(
    experiment: Experiment,
    request: Request,
    charts: Charts,
    games: GamesExport,
    *,
    files: Mapping[str | None, Callable[[Played, str], object]] | None = None,
    play: Callable[..., Sequence[Comparison]] | None = None,
    order: Order | None = None,
    in_folder: bool = False,
    note: str = "",
    interrupted: str = "",
    **how: Any,
) -> Study:
    """Return the study that plays an experiment.

    Parameters
    ----------
    experiment : Experiment
    request : Request
        Says on how many threads, and how long a game may take.
    charts : mapping of str to callable
        What draws each chart of a panel, by how its name ends.
    games : GamesExport
    files : mapping, optional
        As for `Study`.
    play : callable, optional
        What plays in place of `bsbench.runs.comparing.play`, without a journal.
    order : str, optional
        How strategies are sorted: ``best``, ``given`` or ``name``. Default: best first where they
        are printed, and as given in data.
    in_folder : bool
        As for `place_for`.
    note, interrupted : str
        As for `Study`.
    **how
        As for `Played`.
    """
    places, seeds = experiment.scenarios, experiment.seeds

    def name(scenario: Scenario, seed: int, label: str) -> str:
        where = f" {scenario.name}" if len(places) > 1 else ""
        return f"{label}{where}{f' {seed}' if len(seeds) > 1 else ''}"

    def find(progress: Any, **going_on: Any) -> Played:
        from bsbench.runs import comparing
        from bsbench.runs.comparison import Comparison

        panels: Sequence[Comparison]
        try:
            if play is not None:
                panels = play(progress)
            else:
                watch = None if progress is None else GamesShown(progress, name)
                panels = comparing.play(experiment, **request.how, watch=watch, **going_on)
        except StrategyError as fault:
            if fault.result is None or len(experiment.strategies) > 1:
                raise
            panels = (Comparison((fault.result,), fault.result.label),)
        return Played.of(panels, order, len(places) * len(seeds), **how)

    def export(found: Played, quiet: bool) -> None:
        if found.partial:
            click.echo(f"{games.place} is not written: not all games were played", err=True)
            return
        players = games.players(found.results, experiment.strategies)
        options = {"threads": request.threads, "timeout": request.timeout}
        games.write(found.results, players, quiet, **options)

    return Study(
        find,
        Played.sheet,
        in_background=False,
        note=note,
        bars=[
            name(scenario, seed, strategy.label)
            for scenario in places
            for seed in seeds
            for strategy in experiment.strategies
        ],
        games=experiment.games if experiment.until is None else None,
        interrupted=interrupted,
        kept=KeptRuns(
            "",
            experiment.about,
            request.secret_seed or play is not None,
            experiment=experiment,
            charts=charts,
            in_folder=in_folder,
            no_seed=request.secret_seed,
        ),
        files=files or {},
        afterwards={games.place: export},
    )


def _fault_of(panel: Comparison) -> StrategyError | None:
    """Return what ended the only run of a panel, if it is the fault of its strategy."""
    return panel.results[0].fault if len(panel.results) == 1 else None


_SHOWN_EVERY = 0.2
"""Seconds between two moments at which figures are computed to be shown."""


class GamesShown:
    """Shows how far games are.

    Parameters
    ----------
    show : callable
        Takes a `bsbench.common.progress.Progress`.
    name : callable
        Returns what a run is called, from its scenario, seed and label.
    """

    def __init__(
        self, show: Callable[[Progress], object], name: Callable[[Scenario, int, str], str]
    ) -> None:
        self._show, self._name, self._latest = show, name, -_SHOWN_EVERY
        self._unseen: GameProgress | None = None
        self._known: dict[tuple[Scenario, int], dict[str, Figures]] = {}

    def __call__(self, now: GameProgress) -> None:
        """Show it, unless something was shown a moment ago: figures take time.

        What a strategy reached is shown at the latest when the next one has its turn.
        """
        unseen, self._unseen = self._unseen, None
        if unseen is not None and self._named(unseen) != self._named(now):
            self._show_games(unseen)
        if now.setting_up:
            self._show(Progress(self._named(now), now.done, setting_up=True))
        elif now.done == now.total or time.monotonic() - self._latest >= _SHOWN_EVERY:
            self._show_games(now)
        else:
            self._unseen = now

    def _named(self, now: GameProgress) -> str:
        return self._name(now.scenario, now.seed, now.label)

    def _show_games(self, now: GameProgress) -> None:
        from bsbench.present.progress import Figures, leading_text

        self._latest, label = time.monotonic(), self._named(now)
        known = Figures(now.mean, now.half_width, now.width, now.goal)
        total = now.total or known.needed(now.done)
        there = self._known.setdefault((now.scenario, now.seed), {})
        there[label] = known
        self._show(Progress(label, now.done, total, known.text, leading=leading_text(there)))


def frame_of(panels: Sequence[Comparison]) -> pd.DataFrame:
    """Return a tidy row for each run, with its difference where it is compared."""
    compared = any(len(panel.results) > 1 for panel in panels)
    if compared:
        frames = [panel.to_frame() for panel in panels]
    else:
        frames = [panel.results[0].to_frame().assign(seed=panel.seed) for panel in panels]
    return together(frames)


def together(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return frames as one; the seed is missing in rows of several seeds."""
    import pandas as pd

    frame: pd.DataFrame = pd.concat(frames, ignore_index=True)
    known = frame["seed"].dropna()
    if len(known) == len(frame):
        return frame
    # pandas has no whole numbers of more than 64 bits beside missing ones.
    return frame.astype({"seed": "Int64" if max(known) < 2**63 else "string"})
