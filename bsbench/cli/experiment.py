"""What `bsbench run` and `compare` share: from options to an `Experiment`, and to its results."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from bsbench.cli.ending import Saving, end_interrupted, saving
from bsbench.cli.exports import Exportable, Exports
from bsbench.cli.games import GamesExport
from bsbench.cli.playing import echo_alarms, progress_bar
from bsbench.cli.saving import (
    Draw,
    Key,
    Place,
    SaveOptions,
    check_place,
    open_journal,
    place_for,
    read_before,
    say_resume,
)
from bsbench.common.errors import BsbenchError, StrategyError, WriteError
from bsbench.common.files import PICTURES
from bsbench.common.journal import Journal
from bsbench.common.progress import Progress
from bsbench.common.texts import for_screen

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from bsbench.present.progress import Figures
    from bsbench.present.tables import Table
    from bsbench.rules.scenario import Scenario
    from bsbench.runs.comparison import Comparison, Order
    from bsbench.runs.experiment import Experiment
    from bsbench.runs.panel import GameProgress, Watch
    from bsbench.runs.request import Request
    from bsbench.runs.results import Result
    from bsbench.strategies import Strategy

Charts = Mapping[str, Callable[["Comparison"], "Figure"]]
"""What draws each chart of a panel, by how the name of its file ends."""

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
        least = min(each.feedback for each in rules)
        everyone = set(strategy_names())
        quick = {name for name in everyone if not find_strategy(name).takes_long}
        told = {name for name in quick if least.covers(find_strategy(name).needs)}
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
            (sorted(quick - told), f"they need more feedback than {least}"),
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


@dataclass(frozen=True)
class Prepared:
    """An experiment, and where it goes: all is checked before anything is played.

    Attributes
    ----------
    experiment : Experiment
    request : Request
        Says on how many threads, and how long a game may take.
    keep : SaveOptions
    exports : Exports
    quiet : bool
    charts : mapping of str to callable
        What draws each chart of a panel, by how its name ends.
    place : Place or None
        None if nothing is saved.
    before : mapping of Key to Result
        What was played before, to go on from.
    games : GamesExport
    shown : tuple of str
        Columns that the table has although all rows are the same there.
    """

    experiment: Experiment
    request: Request
    keep: SaveOptions
    exports: Exports
    quiet: bool
    charts: Charts
    place: Place | None
    before: Mapping[Key, Result]
    games: GamesExport
    shown: tuple[str, ...]

    @classmethod
    def of(
        cls,
        experiment: Experiment,
        request: Request,
        keep: SaveOptions,
        exports: Exports,
        quiet: bool,
        charts: Charts,
        games: GamesExport,
        in_folder: bool = False,
        shown: tuple[str, ...] = (),
    ) -> Prepared:
        """Return what can be played and saved; ``in_folder`` is as for `place_for`.

        Raises
        ------
        BsbenchError
            If results could not be saved where they are wanted, or a file exists.
        """
        games.check()
        exports.check([games.place])
        place, before = None, {}
        if keep.save:
            place = place_for(experiment, keep, charts, in_folder, request.secret_seed)
            check_place(place, keep)
            exports.check_apart(place.files, games.place)
            before = read_before(experiment, place, keep)
        drawn = charts if keep.charts else {}
        return cls(experiment, request, keep, exports, quiet, drawn, place, before, games, shown)

    @contextmanager
    def journal(self) -> Iterator[Journal | None]:
        """Keep a journal while the experiment is played and saved, if it is saved.

        Its file stays unless it is discarded. With a secret seed there is none: a strategy could
        read the seed in it.
        """
        if self.place is None or self.request.secret_seed:
            yield None
            return
        with open_journal(self.place, self.keep, self.experiment.about()) as journal:
            yield journal

    def play(self, journal: Journal | None = None) -> tuple[Comparison, ...]:
        """Play the experiment, and show how far it is.

        Raises
        ------
        KeyboardInterrupt
            If interrupted before anything could be kept.
        StrategyError
            If no strategy could play.
        """
        from bsbench.runs.comparing import play
        from bsbench.runs.comparison import Comparison

        with self._progress() as watch:
            try:
                return play(
                    self.experiment,
                    threads=self.request.threads,
                    engine=self.request.engine,
                    timeout=self.request.timeout,
                    watch=watch,
                    before=self.before,
                    journal=journal,
                )
            except StrategyError as fault:
                if fault.result is None:
                    raise
                if len(self.experiment.strategies) > 1:
                    with saving() as save:
                        self._save_fault(save, fault)
                    raise
                return (Comparison((fault.result,), fault.result.label),)

    @contextmanager
    def _progress(self) -> Iterator[Watch | None]:
        """Show the progress of an experiment: a line for each run."""
        experiment = self.experiment

        def name(scenario: Scenario, seed: int, label: str) -> str:
            where = f" {scenario.name}" if len(experiment.scenarios) > 1 else ""
            return f"{label}{where}{f' {seed}' if len(experiment.seeds) > 1 else ''}"

        lines = [
            name(scenario, seed, strategy.label)
            for scenario in experiment.scenarios
            for seed in experiment.seeds
            for strategy in experiment.strategies
        ]
        games = experiment.games if experiment.until is None else None
        with progress_bar(lines, games, self.quiet) as show:
            yield None if show is None else Shown(show, name)

    def save(self, save: Saving, panels: Sequence[Comparison], table: str) -> list[Path]:
        """Write all files of an experiment; return those written, the records first.

        Parameters
        ----------
        save : Saving
        panels : sequence of Comparison
        table : str
            The table of several runs as CSV.
        """
        if self.place is None:
            return []
        from bsbench.common.files import write_file, write_text

        written: list[Path] = []
        single = self.place.table is None
        for panel in panels:
            draws: dict[str, Draw] = {}
            for suffix, draw in self.charts.items():
                draws |= _pictures(partial(draw, panel), suffix)
            faulty = (fault.result for fault in panel.faults.values())
            for result in (*panel.played, *filter(None, faulty)):
                written += self._save_run(save, self.place, result, draws if single else {})
            if not single:
                first = panel.results[0]
                stem = self.place.panels[first.scenario, first.seed]
                for suffix, drawn in draws.items():
                    path = stem.with_name(f"{stem.name}{suffix}")
                    try:
                        written += _written(save, partial(write_file, write=drawn), path)
                    except BsbenchError as error:
                        # Such as after an interruption: the results are worth more than that.
                        click.echo(f"no chart {path}: {error}", err=True)
        if self.place.table is not None:
            written += _written(save, partial(write_text, text=table), self.place.table)
        return written

    def _save_run(
        self, save: Saving, place: Place, result: Result, charts: Mapping[str, Draw]
    ) -> list[Path]:
        from bsbench.runs.results import write_run

        path = place.records[result.label, result.scenario, result.seed]
        replaces = self.keep.force or self.keep.goes_on

        def write(stem: str) -> list[Path]:
            if not replaces and stem == str(path.with_suffix("")) and os.path.exists(path):
                raise WriteError(f"{path} was written by another process meanwhile")
            return write_run(result, charts, stem)

        return save(write, str(path.with_suffix(""))) or []

    def _save_fault(self, save: Saving, fault: StrategyError) -> None:
        """Write what a strategy had played before it failed, where no strategy could go on."""
        if self.place is not None and fault.result is not None:
            self._save_run(save, self.place, fault.result, {})

    def deliver(
        self,
        panels: Sequence[Comparison],
        journal: Journal | None,
        frame: MakeFrame,
        table: MakeFrame,
        order: Order | None = None,
        wide: bool = False,
    ) -> None:
        """Save, print and export what was played.

        Parameters
        ----------
        panels : sequence of Comparison
        journal : Journal or None
            Discarded when all is saved.
        frame : callable
            Returns what CSV and Parquet hold, from panels.
        table : callable
            Returns what the table in a folder holds, from panels.
        order : str or None
            How strategies are sorted: ``best``, ``given`` or ``name``. None: best first where they
            are printed, and as given in data.
        wide : bool
            Whether all columns are printed.
        """
        from bsbench.present.terminal import print_experiment, print_settling
        from bsbench.runs.pooling import pooled
        from bsbench.runs.results import frame_csv

        of_all = pooled(panels)
        printed = [panel.sorted(order or "best") for panel in (*panels, *of_all)]
        panels = [panel.sorted(order or "given") for panel in panels]
        figures = [*panels, *(panel.sorted(order or "given") for panel in of_all)]
        with saving() as save:
            several = self.place is not None and self.place.table is not None
            had_all = self._had_all(panels)
            paths = []
            if not had_all:
                paths = self.save(save, panels, frame_csv(table(figures)) if several else "")
            found = exportable(figures, partial(frame, figures), self.shown, printed)
            self.exports.write(save, found)
            # Before anything is printed: who reads it may have closed the pipe.
            if journal is not None and not self._is_partial(panels):
                save.end_journal(journal)
            if self.quiet:
                echo_alarms([result for panel in panels for result in panel.results])
            else:
                stream = self.exports.table_stream
                print_experiment(printed, stream, self.shown, wide=wide)
                saved = ""
                if had_all:
                    assert self.place is not None
                    where = self.place.whole if several else self.place.record
                    saved = f"no game was missing: {where} is left as it was"
                elif paths and several:
                    assert self.place is not None
                    there = sum(path.is_relative_to(self.place.whole) for path in paths)
                    files = "1 file" if there == 1 else f"{there} files"
                    saved = f"saved {files} in {self.place.whole}" if there else ""
                elif paths:
                    beside = ", ".join(path.name for path in paths[1:])
                    saved = f"saved {paths[0]}{f', and beside it {beside}' if beside else ''}"
                if saved:
                    click.echo(for_screen(saved, stream), file=stream)
                for panel in figures:
                    print_settling(panel)
            self.exports.echo(found)
            for panel in panels:
                for left_out in panel.faults.values():
                    click.echo(for_screen(f"left out: {left_out}", sys.stderr), err=True)
        # Ctrl-C may end this: all else is saved, and games are played again for it.
        if not self._is_partial(panels):
            results = [result for panel in panels for result in panel.results]
            players = self.games.players(results, self.experiment.strategies)
            options = {"threads": self.request.threads, "timeout": self.request.timeout}
            self.games.write(results, players, self.quiet, **options)
        elif self.games.place is not None:
            click.echo(f"{self.games.place} is not written: not all games were played", err=True)

    def _had_all(self, panels: Sequence[Comparison]) -> bool:
        """Return whether no game was added to results that were to be extended.

        They may have reached a finer aim, which their records show.
        """
        return (
            self.keep.extend
            and not self._is_partial(panels)
            and not any(panel.faults or _fault_of(panel) for panel in panels)
            and all(
                result.games == self.before[result.label, result.scenario, result.seed].games
                for panel in panels
                for result in panel.results
            )
        )

    def _is_partial(self, panels: Sequence[Comparison]) -> bool:
        """Return whether the experiment was interrupted; a strategy that failed has ended."""
        whole = len(self.experiment.scenarios) * len(self.experiment.seeds)
        unfinished = any(panel.partial for panel in panels if not _fault_of(panel))
        return unfinished or len(panels) < whole

    def end(self, panels: Sequence[Comparison]) -> None:
        """End with the error of a strategy, or the exit code of an interruption, if there is one.

        Raises
        ------
        StrategyError
            If a strategy failed in a run of its own.
        """
        for panel in panels:
            if (fault := _fault_of(panel)) is not None:
                raise fault
        if self._is_partial(panels):
            if self.place is not None and not self.quiet:
                say_resume()
            end_interrupted()


def _written(save: Saving, write: Callable[[str], object], path: Path) -> list[Path]:
    """Write a file; return where it is, if anywhere."""

    def at(place: str) -> Path:
        write(place)
        return Path(place)

    found = save(at, str(path))
    return [] if found is None else [found]


def _fault_of(panel: Comparison) -> StrategyError | None:
    """Return what ended the only run of a panel, if it is the fault of its strategy."""
    return panel.results[0].fault if len(panel.results) == 1 else None


_SHOWN_EVERY = 0.2
"""Seconds between two moments at which figures are computed to be shown."""


class Shown:
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


def _pictures(draw: Callable[[], Figure], suffix: str) -> dict[str, Draw]:
    """Return what writes a chart in all formats; it is drawn once, when it is first written."""
    drawn = cache(draw)

    def write(kind: str, file: IO[bytes]) -> None:
        from bsbench.present.charts import write_figure

        write_figure(drawn(), file, kind)

    return {f"{suffix}.{kind}": partial(write, kind) for kind in PICTURES}


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


def exportable(
    panels: Sequence[Comparison],
    frame: Callable[[], pd.DataFrame],
    shown: tuple[str, ...],
    printed: Sequence[Comparison] | None = None,
) -> Exportable:
    """Return what exports an experiment.

    Parameters
    ----------
    panels : sequence of Comparison
        As the record has them, those of all seeds together last.
    frame : callable
        Returns their figures.
    shown : tuple of str
        As for `bsbench.present.tables.experiment_table`.
    printed : sequence of Comparison, optional
        As they are printed, if in another order.
    """
    printed = panels if printed is None else printed

    def record() -> dict[str, Any]:
        if len(panels) > 1:
            from bsbench.runs.formats import ExperimentRecord

            of_all = [panel.to_dict() for panel in panels if panel.seed is None]
            return {
                "schema": ExperimentRecord.schema,
                "panels": [panel.to_dict() for panel in panels if panel.seed is not None],
                **({"pooled": of_all} if of_all else {}),
            }
        (panel,) = panels
        return panel.to_dict() if len(panel.results) > 1 else panel.results[0].to_dict()

    @cache
    def table() -> Table:
        from bsbench.present.tables import experiment_table

        return experiment_table(printed, ("sd",), shown)

    def notes() -> list[str]:
        from bsbench.present.tables import experiment_notes, verdict_lines

        return [*verdict_lines(printed), *experiment_notes(printed, table())]

    return Exportable(frame, record, lambda: table().texts, notes)
