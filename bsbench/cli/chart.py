"""``bsbench chart``: draw results, scenarios and strategies."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bsbench.cli.completion import KIND, RECORD, SCENARIO, STRATEGY
from bsbench.cli.ending import saving
from bsbench.cli.group import Section, in_section
from bsbench.cli.options import (
    GAMES,
    GroupedCommand,
    force_option,
    output_option,
    quiet_option,
    trust_option,
)
from bsbench.cli.saving import written_to
from bsbench.common.errors import BsbenchError
from bsbench.common.files import FORMATS, PICTURES
from bsbench.common.settings import check_choice

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from bsbench.present.charts import ChartKind
    from bsbench.runs.results import Result
    from bsbench.strategies import Strategy


class _ChartCommand(GroupedCommand):
    """A command whose help ends with the kinds of charts, found when the help is shown."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from bsbench.present.charts import kinds

        with formatter.section("Kinds"):
            formatter.write_dl(list(kinds().items()))


@in_section(Section.LOOK)
@click.command("chart", cls=_ChartCommand)
@click.argument("results", type=RECORD, metavar="[RESULT...]", nargs=-1)
@click.option(
    "-k",
    "--kind",
    type=KIND,
    help="What to draw; the kinds are listed below.  [default: histogram of one result, ranking of "
    "several, sweep of many variants of a strategy]",
)
@output_option(
    "Picture to write, .png, .svg or .pdf; or a folder; - is standard output.  "
    "[default: results/WHAT-KIND]",
    "PATH",
)
@click.option(
    "--format",
    "formats",
    metavar="LIST",
    help="png, svg, pdf, or several with commas.  [default: as the output ends, else png,svg]",
)
@click.option(
    "--style",
    metavar="NAME",
    default="light",
    help="light; dark, on dark ground; paper, with smaller letters, for articles; slides, with "
    "larger letters and lines. In the style light, an SVG is dark on dark pages.  [default: light]",
)
@click.option(
    "--width",
    metavar="LENGTH",
    help="Width of the picture, such as 84mm, 12cm, 6in, 345pt or 1600px. The style sets the size "
    "of letters, and the height follows from the width.",
)
@click.option(
    "--scenario",
    type=SCENARIO,
    metavar="NAME|FILE",
    help="Scenario that the kinds occupancy and shots draw if no result is given. With results, "
    "draw only those of this scenario.",
)
@click.option(
    "--strategy",
    type=STRATEGY,
    metavar="NAME",
    help="Strategy whose shots are drawn; parameters follow after commas: over9000,noise=0. "
    "With a result: its strategy, if that is your own.",
)
@click.option(
    "-n",
    "--games",
    type=GAMES,
    help="Games to play for shots [default: 10,000], or layouts to draw for occupancy "
    "[default: 1,000,000].",
)
@click.option(
    "--seed", type=int, help="Seed of these games or layouts.  [default: the result's, else 0]"
)
@trust_option
@force_option
@quiet_option
# One parameter for each option, since click passes them by name.
def chart_command(
    results: tuple[str, ...],
    kind: str | None,
    output: str | None,
    formats: str | None,
    style: str,
    width: str | None,
    scenario: str | None,
    strategy: str | None,
    games: int | None,
    seed: int | None,
    trust: bool,
    force: bool,
    quiet: bool,
) -> None:
    """Draw charts of saved records, scenarios and strategies.

    RESULT is a file, a folder, which is searched downwards, or a record that comes with bsbench,
    such as @classic/lattice. Pictures that exist are replaced with --force only.

    \b
    Examples:
      bsbench chart @classic --kind ecdf
      bsbench chart a.json b.json --kind difference -o difference.svg
      bsbench chart @classic --kind ecdf --style paper --width 84mm -o figure.pdf
      bsbench chart --kind occupancy --scenario harbour
      bsbench chart --kind shots --strategy prob -o - > shots.png
    """
    from bsbench.present.charts import find_chart, kinds
    from bsbench.present.showing import usual_kind
    from bsbench.runs.finding import only
    from bsbench.runs.records import load_results

    records = load_results(results)
    if kind is None and not records:
        raise BsbenchError(f"no kind of chart is named: give --kind, one of {', '.join(kinds())}")
    kind = kind or usual_kind(records)
    chart = find_chart(kind)
    as_formats = _formats(output, formats)
    if output == "-" and as_formats != ["svg"] and sys.stdout.isatty():
        raise BsbenchError(
            f"a terminal can't show a {as_formats[0].upper()}: send it to a file with '> FILE', or "
            "give -o FILE"
        )

    from bsbench.cli.waiting import status
    from bsbench.present.charts import STYLES, drawn_for, read_width, write_figure

    check_choice("style", style, STYLES)
    inches = None if width is None else read_width(width)
    if output != "-":
        # What would prevent saving the picture is reported before it is drawn.
        _places(output, as_formats, "", force)
    records = only(records, scenario) if records else []
    with status(quiet) as show, drawn_for(style, inches):
        show(f"drawing {kind}")
        if records:
            shooter = _shooter(chart, records, strategy, trust)
            figure, name = _of_results(chart, records, games, seed, shooter)
        else:
            figure, name = _of_names(chart, scenario, strategy, games, seed)
    if output == "-":
        write_figure(figure, sys.stdout.buffer, as_formats[0])
        return
    name = name if style == "light" else f"{name}-{style}"
    places = _places(output, as_formats, name, force)
    written: list[Path] = []
    with saving() as save:
        for path, each in places.items():
            written += written_to(save, path, partial(write_figure, figure, kind=each))
    if not quiet:
        first, *others = written
        click.echo(f"saved {first}{''.join(f' and {path.name}' for path in others)}")


def _formats(output: str | None, formats: str | None) -> list[str]:
    """Return the formats to write, which the output's suffix and the option must agree on."""
    wanted = None if formats is None else [each.strip() for each in formats.lower().split(",")]
    for each in wanted or ():
        if each not in FORMATS:
            raise BsbenchError(
                f"unknown format {each!r}: choose png, svg or pdf, or several with commas"
            )
    wanted = None if wanted is None else list(dict.fromkeys(wanted))
    if output == "-":
        if wanted and len(wanted) > 1:
            raise BsbenchError("standard output takes one picture: choose --format png, svg or pdf")
        return wanted or ["png"]
    suffix = "" if output is None or output.endswith("/") else Path(output).suffix.lower()[1:]
    if suffix not in FORMATS:
        if suffix and not os.path.isdir(str(output)):
            raise BsbenchError(
                f"unknown kind of picture: {output!r}; end it in .png, .svg or .pdf, or give "
                "a folder, with a slash at its end"
            )
        return wanted or list(PICTURES)
    if wanted not in (None, [suffix]):
        raise BsbenchError(f"{output!r} is not of the format {formats}: leave out one of them")
    return [suffix]


def _places(output: str | None, formats: Sequence[str], name: str, force: bool) -> dict[Path, str]:
    """Return the pictures to write, with the format of each; without an output, of a name.

    Raises
    ------
    BsbenchError
        If one can't be written.
    """
    from bsbench.common.files import check_export, make_folder, output_place

    if output is not None and Path(output).suffix.lower() == f".{formats[0]}" and output[-1] != "/":
        places = {Path(output): formats[0]}
        make_folder(Path(output).parent)
    else:
        folder, stem = output_place(output, name)
        places = {folder / f"{stem}.{each}": each for each in formats}
    for path in places:
        check_export(path, force)
    return places


def _shooter(
    chart: ChartKind, results: list[Result], named: str | None, trust: bool
) -> Strategy | None:
    """Return the strategy of the one result of a chart that plays it again; of others, None."""
    from bsbench.present.charts import Needs
    from bsbench.runs.contestants import strategy_of

    if chart.play is None or chart.needs is Needs.SCENARIO or len(results) > 1:
        if named is not None:
            raise BsbenchError(
                "--strategy draws without results, or goes with the one result whose shots are "
                "drawn: leave it out"
            )
        return None
    return strategy_of(results[0], () if named is None else (named,), trust)


def _of_results(
    chart: ChartKind,
    results: list[Result],
    games: int | None,
    seed: int | None,
    strategy: Strategy | None,
) -> tuple[Figure, str]:
    """Return the chart of some results, and the name of its file."""
    from bsbench.common.files import file_name
    from bsbench.present.charts import Needs

    if chart.play is None and (games, seed) != (None, None):
        raise BsbenchError(
            f"the chart {chart.kind!r} draws results as they are: leave out --games and --seed"
        )
    figure = chart.draw(results, games=games, seed=seed, strategy=strategy)
    subject = results[0].scenario.name
    if chart.needs is Needs.PAIR:
        subject = f"{results[1].label}-{results[0].label}-{subject}"
    elif len(results) == 1 and chart.needs is not Needs.SCENARIO:
        subject = results[0].default_name()
    return figure, f"{file_name(subject)}-{chart.kind}"


def _of_names(
    chart: ChartKind,
    scenario: str | None,
    strategy: str | None,
    games: int | None,
    seed: int | None,
) -> tuple[Figure, str]:
    """Return the chart of a scenario or of a strategy, and the name of its file."""
    from bsbench.common.files import file_name
    from bsbench.present.charts import Needs

    if chart.needs is Needs.NOTHING:
        assert chart.play is not None
        if (scenario, strategy, games, seed) != (None, None, None, None):
            raise BsbenchError(
                f"the chart {chart.kind!r} is the same for all: leave out --scenario, --strategy, "
                "--games and --seed"
            )
        return chart.function(chart.play()), chart.kind
    if chart.needs is Needs.SCENARIO:
        if strategy is not None:
            raise BsbenchError(f"the chart {chart.kind!r} shows a scenario: leave out --strategy")
        if scenario is None:
            raise BsbenchError(
                f"the chart {chart.kind!r} needs a scenario: give --scenario NAME, or a result"
            )
        ships = chart.played([], scenario, games, seed or 0)
        return chart.function(ships), f"{file_name(ships.scenario.name)}-{chart.kind}"
    if chart.play is not None:
        if strategy is None:
            raise BsbenchError(
                f"the chart {chart.kind!r} needs a strategy: give --strategy NAME, or a result"
            )
        from bsbench.roster import make_variant

        shooter = make_variant(strategy)
        played = chart.played([shooter], scenario, games, seed or 0)
        subject = file_name(f"{shooter.label}-{played.scenario.name}")
        return chart.function(played), f"{subject}-{chart.kind}"
    raise BsbenchError(
        f"the chart {chart.kind!r} needs {chart.needs.value}: give the records that 'bsbench run' "
        "wrote, or a folder of them"
    )
