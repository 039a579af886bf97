"""``bsbench run``: play games of one strategy."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache, partial
from typing import IO, TYPE_CHECKING, Any

import click

from bsbench.cli.ending import end_interrupted, saving
from bsbench.cli.options import (
    check_exports,
    game_options,
    quiet_option,
    trust_option,
    write_export,
)
from bsbench.cli.playing import echo_alarms, progress_bar
from bsbench.common.errors import BsbenchError, StrategyError
from bsbench.common.settings import read_settings, read_variant

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from bsbench.rules.scenario import Scenario
    from bsbench.runs.request import Request
    from bsbench.runs.results import Result
    from bsbench.strategies import Strategy


@click.command("run")
@click.option("-s", "--strategy", metavar="NAME", help="Strategy that plays.")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set a parameter of the strategy ('bsbench list STRATEGY' shows them); may be repeated.",
)
@game_options("the strategy's home, else classic", until="the mean")
@click.option(
    "--config",
    metavar="FILE",
    help="Run file: TOML with strategy, scenario, games, until, seed, threads, placement, board, "
    "fleet, touching and feedback, and a table [parameters]; options given here win.",
)
@trust_option
@click.option(
    "-o",
    "--output",
    metavar="PATH",
    help="Record to write, charts beside it.  [default: results/STRATEGY[-SETTINGS]-SCENARIO.json]",
)
@click.option(
    "--curve",
    is_flag=True,
    help="Chart the learning curve, too: mean moves against games played, for a strategy that "
    "learns.",
)
@click.option(
    "--against",
    "references",
    metavar="FILE",
    multiple=True,
    help="Record whose mean is drawn into the learning curve; may be repeated.",
)
@click.option("--keep-moves", is_flag=True, help="Save the move count of each game, too.")
@click.option(
    "--export-csv",
    metavar="FILE",
    help="Write the histogram as CSV (strategy,label,scenario,moves,games; the label is the "
    "strategy with the parameters set); - is standard output.",
)
@quiet_option
# One parameter for each option, since click passes them by name.
def run_command(
    request: Request,
    strategy: str | None,
    settings: tuple[str, ...],
    config: str | None,
    trust: bool,
    output: str | None,
    curve: bool,
    references: tuple[str, ...],
    keep_moves: bool,
    export_csv: str | None,
    quiet: bool,
) -> None:
    """Play games of one strategy; print, save and chart their move counts.

    Saves a record (JSON) and a histogram (PNG, SVG). Ctrl-C and SIGTERM end early and keep
    what was played, as does a strategy that breaks the rules or crashes.

    \b
    Examples:
      bsbench run --strategy prob --games 1000000
      bsbench run -s smart --placement sequential:longest --seed 7
      bsbench run -s lattice --until 0.01
      bsbench run -s random --scenario classic --export-csv - -q
      bsbench run --config experiment.toml --set noise=0.01
    """
    parameters: dict[str, Any] = read_settings(settings)
    on_command_line = strategy is not None
    if config is not None:
        from bsbench.runs.runfile import read_run_file

        run_file = read_run_file(config)
        strategy = run_file.strategy if strategy is None else strategy
        parameters = run_file.parameters | parameters
        request = request.completed(run_file.request)
    if strategy is None:
        raise BsbenchError("no strategy is named: give --strategy NAME, or name one in a run file")
    # Parameters may follow after commas, as where several strategies are named.
    strategy, after_commas = read_variant(strategy)
    parameters = after_commas | parameters
    # A wrong scenario is reported before the wait for numba.
    base = request.base

    from bsbench.common.files import output_place
    from bsbench.roster import check_trust, make_strategy
    from bsbench.runs.engine import run
    from bsbench.runs.records import load_result, save_result

    if config is not None and not on_command_line:
        check_trust(strategy, config, trust, "name it with --strategy, too")
    shooter = make_strategy(strategy, parameters)
    scenario = request.scenario_or(shooter.home)
    # Anything that would prevent saving the results is reported before the games are played.
    most = request.check([shooter])
    check_exports(export_csv)
    output_place(output, shooter.name)
    compared = [load_result(file) for file in references]
    _check_curve(shooter, scenario, curve, dict(zip(references, compared, strict=True)))
    if base is None and not quiet:
        why = "home of {}" if shooter.home else "the default, since {} has no home"
        click.echo(f"scenario {scenario.name} ({why.format(shooter.name)})", err=True)
    try:
        with progress_bar(
            [shooter.label], most if request.until is None else None, quiet
        ) as progress:
            result = run(
                shooter,
                scenario,
                games=request.games,
                seed=request.seed or 0,
                threads=request.threads,
                keep_moves=keep_moves,
                until=request.until,
                timeout=request.timeout,
                progress=progress and partial(progress, shooter.label),
            )
    except StrategyError as fault:
        if fault.result is None:
            raise
        result = fault.result
    with saving() as save:
        charts = _charts(result, compared if curve else None)
        paths = save(lambda place: save_result(result, place, charts), output or "results/")
        # Standard output is for the CSV alone when it goes there.
        to_stdout = export_csv != "-"
        if not quiet:
            from bsbench.cli.table import print_result

            print_result(result, sys.stdout if to_stdout else sys.stderr)
            if paths:
                others = ", ".join(path.name for path in paths[1:])
                click.echo(f"saved {paths[0]}, and beside it {others}", err=not to_stdout)
        else:
            echo_alarms([result])
        if export_csv is not None:
            text = result.csv_text()
            write_export(save, export_csv, text)
            if not to_stdout:
                click.echo(text, nl=False)
    if result.fault is not None:
        raise result.fault
    if result.partial:
        end_interrupted()


def _check_curve(
    strategy: Strategy, scenario: Scenario, curve: bool, references: dict[str, Result]
) -> None:
    """Refuse a learning curve of a strategy that does not learn, or against another scenario."""
    if curve and strategy.games_per_learner == 1:
        raise BsbenchError(
            f"strategy {strategy.label!r} does not learn from game to game: --curve is for a "
            "strategy that does, such as over9000-adaptive"
        )
    if references and not curve:
        raise BsbenchError("--against draws records into the learning curve: give --curve, too")
    for file, reference in references.items():
        if reference.scenario != scenario:
            raise BsbenchError(
                f"{file} was played on {reference.scenario.name}, which does not compare with "
                f"{scenario.name}: give a record of the same rules and placement law"
            )


def _charts(
    result: Result, compared: list[Result] | None
) -> dict[str, Callable[[IO[bytes]], None]]:
    """Return functions that write the charts, by suffix; each chart is drawn when first written."""

    @cache
    def figure(of: str) -> Figure:
        if of == "-curve":
            from bsbench.present.charts.learning import learning_curve

            return learning_curve(result, compared or ())
        from bsbench.present.charts.histogram import histogram
        from bsbench.runs.exact import QUICK

        return histogram(result, QUICK)

    def write(of: str, kind: str, file: IO[bytes]) -> None:
        from bsbench.present.charts import write_figure

        write_figure(figure(of), file, kind)

    charts = [""] if compared is None else ["", "-curve"]
    return {f"{of}.{kind}": partial(write, of, kind) for of in charts for kind in ("png", "svg")}
