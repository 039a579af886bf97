"""``bsbench run``: play games of one strategy or several; print and save their move counts."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cache, partial
from typing import TYPE_CHECKING

import click

from bsbench.cli.completion import STRATEGY
from bsbench.cli.delivery import Study, study
from bsbench.cli.exports import GamesExport, games_options
from bsbench.cli.group import Keeps, Section, in_section
from bsbench.cli.options import (
    Rare,
    game_options,
    grouped,
    keep_moves_option,
    sort_option,
    strategies_option,
    trust_option,
    wide_option,
)
from bsbench.cli.saving import Charts, SaveOptions, saving_options
from bsbench.common.errors import BsbenchError
from bsbench.common.settings import read_variant

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from bsbench.runs.comparison import Comparison, Order
    from bsbench.runs.experiment import Experiment
    from bsbench.runs.request import Request
    from bsbench.runs.results import Result
    from bsbench.strategies import Strategy

_WHO = [
    strategies_option("Same as giving STRATEGY; may be repeated.", "named"),
    click.option(
        "--sweep",
        "sweeps",
        multiple=True,
        metavar="NAME=VALUES",
        help="Play each value of a parameter: noise=0,0.01 or noise=0:0.1:0.02; several make a "
        "grid.",
    ),
    click.option(
        "--reference",
        metavar="NAME",
        help="Label of the strategy to compare the others with.  [default: the best]",
    ),
    click.option(
        "--config",
        cls=Rare,
        metavar="FILE",
        help="Run file (TOML) that says what to play; options given here win.",
    ),
    sort_option,
    trust_option,
]
_HOW_SAVED = [
    keep_moves_option,
    click.option(
        "--curve",
        cls=Rare,
        is_flag=True,
        help="Chart the learning curve, too: mean moves against games played, for a strategy "
        "that learns.",
    ),
    click.option(
        "--against",
        "references",
        cls=Rare,
        metavar="FILE",
        multiple=True,
        help="Record whose mean is drawn into the learning curve; may be repeated.",
    ),
]


@in_section(Section.PLAY, {"of one strategy": Keeps.GAMES, "of several": Keeps.COMMON})
@study(
    "run",
    [
        click.argument("variants", type=STRATEGY, metavar="[STRATEGY]...", nargs=-1),
        grouped("Who plays", _WHO),
        game_options(
            "the home that all strategies share, else classic",
            until="the mean, or of each difference,",
        ),
        saving_options("results/STRATEGY[-SETTINGS]-SCENARIO.json"),
        grouped("What is saved", _HOW_SAVED),
        wide_option,
    ],
    "the histogram of one run, or a row for each of several,",
    [games_options],
)
def run_command(
    variants: tuple[str, ...],
    named: tuple[str, ...],
    sweeps: tuple[str, ...],
    request: Request,
    config: str | None,
    order: Order | None,
    trust: bool,
    keep: SaveOptions,
    curve: bool,
    references: tuple[str, ...],
    games_export: GamesExport,
    wide: bool,
    quiet: bool,
) -> Study:
    """Play games of strategies; print, save and chart the results.

    STRATEGY is a name; parameters follow after commas, without spaces; 'all' stands for all
    built-in strategies that can play. One strategy plays on its home scenario unless --scenario
    says otherwise. Several play the same games, and are compared with the best, game by game.

    One run is saved as a record (JSON) and a histogram (PNG, SVG). Several runs are saved as a
    folder of records, with a table and charts. Existing files are replaced only with --force,
    --extend or --resume. After Ctrl-C or SIGTERM, the games played so far are saved; likewise if a
    strategy breaks the rules or crashes.

    \b
    Examples:
      bsbench run --strategy prob --games 1000000
      bsbench run prob smart hunt-target --scenario classic,harbour -n 1e6
      bsbench run prob -n 2e6 --extend
      bsbench run lattice --until 0.01 --seed 0-9
      bsbench run over9000 --sweep noise=0:0.05:0.01 -o noise
      bsbench run random --scenario classic --no-save --export-csv - -q
      bsbench run --config experiment.toml --games 1e6
    """
    named = (*variants, *named)
    for variant in named:
        # Errors in these are reported before the wait for numba.
        read_variant(variant)
    from_file: tuple[str, ...] = ()
    if config is not None:
        from bsbench.runs.runfile import read_run_file

        run_file = read_run_file(config)
        from_file = () if named else run_file.strategies
        request = request.completed(run_file.request)
        sweeps = sweeps or run_file.sweep
    if not (named or from_file):
        raise BsbenchError(
            "no strategy is named: write 'bsbench run NAME' ('bsbench list' shows all), or name "
            "one in a run file"
        )

    from bsbench.cli.experiment import frame_of, strategies_for, study_of, together
    from bsbench.roster import check_trust
    from bsbench.runs.contestants import scenarios_for
    from bsbench.runs.experiment import experiment_of

    for variant in from_file:
        check_trust(read_variant(variant)[0], str(config), trust, "name it with --strategy, too")
    shooters = strategies_for((*named, *from_file), request, quiet)
    if request.exact:
        from bsbench.cli.laws import NO_RECORD, law_study

        where, note = scenarios_for(dataclasses.replace(request, exact=False), shooters)
        laws = law_study(shooters, request, where)
        if laws is not None:
            request.check(shooters, where)
            for path in filter(None, (keep.output, games_export.place)):
                raise BsbenchError(f"{path} can't be written: {NO_RECORD}")
            return dataclasses.replace(laws, note=note)
    if sweeps:
        from bsbench.runs.sweeps import read_sweep

        sweep = read_sweep(sweeps, shooters)
        shooters = list(sweep.strategies)
        request = dataclasses.replace(request, reference=request.reference or sweep.reference)
    if request.reference is not None:
        reference = _label_of(request.reference, shooters)
        request = dataclasses.replace(request, reference=reference)
    where, note = scenarios_for(request, shooters)
    experiment = experiment_of(request, shooters, where)
    _check_curve(experiment, keep, curve, references)

    def of_sweep(panels: Sequence[Comparison]) -> pd.DataFrame:
        from bsbench.runs.sweeps import sweep_frame

        return together(list(map(sweep_frame, panels)))

    return study_of(
        experiment,
        request,
        _charts(experiment, sweeps, references if curve else None),
        games_export,
        order=order or ("given" if sweeps else None),
        note=note,
        frame=_histogram if experiment.runs == 1 else of_sweep if sweeps else frame_of,
        shown=("scenario",),
        wide=wide,
    )


def _histogram(panels: Sequence[Comparison]) -> pd.DataFrame:
    return panels[0].results[0].histogram()


def _label_of(reference: str, shooters: Sequence[Strategy]) -> str:
    """Return the label of a reference, which may be written as a strategy is.

    No other strategy than those that play is looked up: a run file may name it.
    """
    name, settings = read_variant(reference)
    kind = next((type(shooter) for shooter in shooters if shooter.name == name), None)
    return reference if kind is None or not settings else kind.configured(settings).label


def _check_curve(
    experiment: Experiment, keep: SaveOptions, curve: bool, references: tuple[str, ...]
) -> None:
    """Refuse a learning curve that could not be drawn.

    Raises
    ------
    BsbenchError
        If the strategy does not learn, there are several, or nothing is drawn.
    """
    if references and not curve:
        raise BsbenchError("--against draws records into the learning curve: give --curve, too")
    if not curve:
        return
    if not (keep.save and keep.charts):
        raise BsbenchError("--curve draws a chart: leave out --no-charts and --no-save")
    if len(experiment.strategies) > 1:
        raise BsbenchError("--curve draws one strategy that learns: name one")
    (strategy,) = experiment.strategies
    if strategy.games_per_learner == 1:
        raise BsbenchError(
            f"strategy {strategy.label!r} does not learn from game to game: --curve is for a "
            "strategy that does, such as over9000-adaptive"
        )
    for file, reference in zip(references, _loaded(references), strict=True):
        for scenario in experiment.scenarios:
            if reference.scenario != scenario:
                raise BsbenchError(
                    f"{file} was played on {reference.scenario.name}, which does not compare with "
                    f"{scenario.name}: give a record of the same rules and placement law"
                )


@cache
def _loaded(files: tuple[str, ...]) -> list[Result]:
    from bsbench.runs.records import load_result

    return [load_result(file) for file in files]


def _charts(
    experiment: Experiment, sweeps: tuple[str, ...], references: tuple[str, ...] | None
) -> Charts:
    """Return what draws the charts of each panel; ``references`` go into the learning curve."""

    def histogram(panel: Comparison) -> Figure:
        from bsbench.present.charts.histogram import histogram
        from bsbench.runs.exact import QUICK

        return histogram(panel.results[0], QUICK)

    def curve(panel: Comparison) -> Figure:
        from bsbench.present.charts.learning import learning_curve

        return learning_curve(panel.results[0], _loaded(references or ()))

    def of_all(kind: str, panel: Comparison) -> Figure:
        from bsbench.present.charts import CHARTS

        return CHARTS[kind].function(panel if kind == "sweep" else panel.results)

    if len(experiment.strategies) > 1:
        kind = "sweep" if sweeps else "ecdf"
        return {f"-{kind}": partial(of_all, kind)}
    return {"": histogram} if references is None else {"": histogram, "-curve": curve}
