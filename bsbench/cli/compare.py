"""``bsbench compare``: several strategies on the same games."""

from __future__ import annotations

import dataclasses
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bsbench.cli.ending import Saving, end_interrupted, saving
from bsbench.cli.options import (
    check_exports,
    game_options,
    quiet_option,
    write_export,
)
from bsbench.cli.playing import echo_alarms, progress_bar
from bsbench.common.errors import BsbenchError, StrategyError
from bsbench.common.settings import read_variant

if TYPE_CHECKING:
    from bsbench.runs.comparison import Comparison
    from bsbench.runs.request import Request
    from bsbench.runs.results import Result


@click.command("compare")
# Not required: click would report a missing one in several lines.
@click.argument("variants", metavar="STRATEGY|RECORD...", nargs=-1)
@game_options(
    "that of the records, else the home that all strategies share, else classic",
    default_games="those of the first record, else 100,000; with --until, 100,000,000",
    default_seed="that of the first record, else 0",
    until="each difference",
)
@click.option(
    "--reference",
    metavar="NAME",
    help="The strategy, as it is given or by its label, that the others are compared with.  "
    "[default: the first]",
)
@click.option(
    "--sort",
    "order",
    type=click.Choice(["given", "mean", "name"]),
    default="given",
    show_default=True,
    help="Order of the rows.",
)
@click.option(
    "--fail-if",
    "conditions",
    multiple=True,
    metavar="CONDITION",
    help="End with exit code 1 if this holds for a strategy's mean, sd, median, low (5 %), high "
    "(95 %), best or worst: 'mean > +0.5' (with a sign, the difference to the reference), "
    "'mean > +2%' (of the reference's) or 'worst >= 90'; may be repeated. Intervals are ignored.",
)
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    help="Folder to write a record for each strategy to, for charts and later comparisons.",
)
@click.option(
    "--keep-moves",
    is_flag=True,
    help="With --output: save the move count of each game, too, so that later comparisons are "
    "game by game.",
)
@click.option("--export-csv", metavar="FILE", help="Write the table as CSV; - is standard output.")
@click.option(
    "--export-json",
    metavar="FILE",
    help="Write table, histograms and provenance as JSON; - is standard output.",
)
@click.option(
    "--export-markdown", metavar="FILE", help="Write the table as Markdown; - is standard output."
)
@quiet_option
# One parameter for each option, since click passes them by name.
def compare_command(
    request: Request,
    variants: tuple[str, ...],
    reference: str | None,
    order: Any,
    conditions: tuple[str, ...],
    output: str | None,
    keep_moves: bool,
    export_csv: str | None,
    export_json: str | None,
    export_markdown: str | None,
    quiet: bool,
) -> None:
    """Compare strategies on the same games, each with the reference.

    Parameters follow a strategy's name after commas, without spaces. Differences are
    taken game by game, which needs far fewer games than comparing means. Records of
    earlier runs take part, too: game by game if they were run with --keep-moves under the
    same seed, else by their means. After Ctrl-C or SIGTERM, only games that
    every strategy has finished are compared. A strategy that breaks the rules or crashes is left
    out, and the exit code is 1; with --output, the games it played before have a record.

    \b
    Examples:
      bsbench compare random linear smart prob
      bsbench compare over9000 over9000,noise=0,edge_weight=1 --games 1000000
      bsbench compare smart prob --reference prob --export-markdown - -q
      bsbench compare results/prob-harbour.json smart --fail-if 'mean > +0.5'
    """
    # Errors in these are reported before the wait for numba.
    for variant in variants:
        if not variant.lower().endswith(".json"):
            read_variant(variant)
    base = request.base
    _check_places(csv=export_csv, json=export_json, markdown=export_markdown)
    if keep_moves and output is None:
        raise BsbenchError("--keep-moves saves move counts beside records: give --output, too")

    from bsbench.cli.table import print_comparison, print_settling
    from bsbench.common.files import json_text, output_place
    from bsbench.present.tables import comparison_markdown
    from bsbench.runs.comparing import compare
    from bsbench.runs.conditions import Condition
    from bsbench.runs.contestants import line_up, shared_home, terms_of, why_text
    from bsbench.runs.results import Result

    limits = [Condition.read(text) for text in conditions]
    contestants, reference = line_up(variants, reference)
    shooters = [each for each in contestants if not isinstance(each, Result)]
    results = [each for each in contestants if isinstance(each, Result)]
    home = shared_home(shooters)
    if base is None and results:
        base = terms_of(results).scenario
        scenario = base.override(**request.changes)
    else:
        scenario = request.scenario_or(home)
    # Errors that would stop it later are reported before the games are played.
    terms = terms_of(contestants, scenario, request.games, request.seed, request.until)
    most = dataclasses.replace(request, games=terms.games, seed=terms.seed).check(shooters)
    check_exports(export_csv, export_json, export_markdown)
    if output is not None:
        output = f"{output.rstrip('/')}/"
        output_place(output, "comparison")
    if base is None and not quiet:
        click.echo(f"scenario {scenario.name} ({why_text(shooters, home)})", err=True)
    labels = [shooter.label for shooter in shooters]
    try:
        with progress_bar(labels, most if request.until is None else None, quiet) as progress:
            comparison = compare(
                contestants,
                scenario,
                games=terms.games,
                seed=terms.seed,
                threads=request.threads,
                reference=reference,
                until=request.until,
                timeout=request.timeout,
                progress=progress,
            ).sorted(order)
    except KeyboardInterrupt:
        click.echo(
            "Interrupted before two strategies had played: there is nothing to compare.", err=True
        )
        end_interrupted()
    except StrategyError as fault:
        with saving() as save:
            if fault.result is not None and output is not None:
                _save_one(save, fault.result, output, keep_moves)
        raise
    with saving() as save:
        texts = {}
        if export_csv is not None:
            texts[export_csv] = comparison.csv_text()
        if export_json is not None:
            texts[export_json] = json_text(comparison.to_dict())
        if export_markdown is not None:
            texts[export_markdown] = comparison_markdown(comparison)
        to_stdout = texts.pop("-", None)
        saved = [] if output is None else _save(save, comparison, output, keep_moves)
        for path, text in texts.items():
            write_export(save, path, text)
        if not quiet:
            # Standard output is for the export alone when it goes there.
            print_comparison(comparison, sys.stdout if to_stdout is None else sys.stderr)
            print_settling(comparison)
            if saved:
                click.echo(f"saved {', '.join(map(str, saved))}", err=True)
        else:
            echo_alarms(comparison.results)
        if to_stdout is not None:
            click.echo(to_stdout, nl=False)
        for left_out in comparison.faults.values():
            click.echo(f"left out: {left_out}", err=True)
    if comparison.partial:
        end_interrupted()
    failures = [failure for limit in limits for failure in limit.failures(comparison)]
    for failure in failures:
        click.echo(failure, err=True)
    if failures or comparison.faults:
        sys.exit(1)


def _check_places(**exports: str | None) -> None:
    """Refuse exports to the same place, given by their kinds."""
    places: dict[Path, str] = {}
    for kind, path in exports.items():
        if path is None:
            continue
        option = f"--export-{kind}"
        other = places.setdefault(Path(path), option)
        if other != option:
            raise BsbenchError(f"{other} and {option} name the same place: give each its own")


def _save(save: Saving, comparison: Comparison, folder: str, keep_moves: bool) -> list[Path]:
    """Write a record for each strategy that played; return their paths."""
    cut_short = [fault.result for fault in comparison.faults.values() if fault.result]
    results = (*comparison.played, *cut_short)
    written = (_save_one(save, result, folder, keep_moves) for result in results)
    return [path for path in written if path is not None]


def _save_one(save: Saving, result: Result, folder: str, keep_moves: bool) -> Path | None:
    from bsbench.runs.records import save_result

    kept = result if keep_moves else dataclasses.replace(result, moves=None)
    paths = save(partial(save_result, kept), folder)
    return paths[0] if paths else None
