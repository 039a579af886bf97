"""``bsbench duel``: two strategies, until it is clear which is better."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Unpack

import click

from bsbench.cli.ending import end_interrupted, saving
from bsbench.cli.exports import Exportable, Exports, export_options
from bsbench.cli.options import GroupedCommand, game_options, grouped, quiet_option
from bsbench.cli.playing import echo_alarms, progress_bar
from bsbench.cli.saving import Keep, kept_record, saving_options
from bsbench.common.errors import BsbenchError
from bsbench.common.settings import read_variant

if TYPE_CHECKING:
    import pandas as pd

    from bsbench.runs.request import GameOptions
    from bsbench.studies.duel.study import Duel

_MARGIN = click.option(
    "--margin",
    type=float,
    default=0.05,
    show_default=True,
    metavar="MOVES",
    help="Strategies that differ by less count as equal.",
)


@click.command("duel", cls=GroupedCommand)
# Not required: click would report a missing one in several lines.
@click.argument("variants", metavar="STRATEGY STRATEGY", nargs=-1)
@game_options("the home that both share, else classic", "The most games to play.", "100,000,000")
@grouped("What is played", [_MARGIN])
@saving_options(None, several=False)
@export_options()
@quiet_option
def duel_command(
    variants: tuple[str, ...],
    scenarios: tuple[str, ...] | None,
    games: int | None,
    seeds: tuple[int, ...] | None,
    margin: float,
    keep: Keep,
    exports: Exports,
    quiet: bool,
    **options: Unpack[GameOptions],
) -> None:
    """Let two strategies play the same games until it is clear which is better.

    Parameters follow a strategy's name after commas, without spaces. The mean difference is
    examined after 4,096, 8,192, 16,384, … games. Its interval stays valid under repeated
    examination: of duels between equally good strategies, at most 5 % end with a verdict that
    one is better.
    The duel also ends when the whole interval lies within the margin. Exit code 0 if there is a
    verdict, 1 if not.

    \b
    Examples:
      bsbench duel datagenetics hard-ai
      bsbench duel over9000 over9000,noise=0.01 --margin 0.1 --export-json -
    """
    from bsbench.runs.request import Request

    request = Request.of(scenarios, seeds, games=games, **options)
    # Errors in these are reported before the wait for numba.
    for variant in variants:
        read_variant(variant)
    if len(variants) != 2:
        raise BsbenchError(f"a duel takes two strategies, not {len(variants)}: name two")
    request.check_single("a duel")
    _ = request.bases

    from bsbench.cli.experiment import scenario_note
    from bsbench.present.terminal import print_sheet
    from bsbench.roster import make_variant
    from bsbench.runs.contestants import shared_home
    from bsbench.studies.duel.sheet import sheet
    from bsbench.studies.duel.study import about_duel, check_duel, duel

    shooters = [make_variant(variant, request.limits) for variant in variants]
    home = shared_home(shooters)
    (scenario,) = request.scenarios_or(home)
    check_duel(shooters, scenario, margin, request)
    exports.check()
    if not (request.scenarios or quiet):
        click.echo(scenario_note(shooters, scenario, home), err=True)
    first, second = shooters
    about = partial(about_duel, first, second, scenario, request.seed or 0)
    with kept_record(keep, exports, "duel", about, request.secret_seed) as kept:
        try:
            with progress_bar([first.label, second.label], None, quiet) as progress:
                result = duel(
                    first,
                    second,
                    scenario,
                    margin=margin,
                    games=request.games,
                    seed=request.seed or 0,
                    threads=request.threads,
                    engine=request.engine,
                    timeout=request.timeout,
                    progress=progress,
                    journal=kept.journal,
                )
        except KeyboardInterrupt:
            click.echo("Interrupted before the first look: there is nothing to report.", err=True)
            end_interrupted()
        with saving() as save:
            show = partial(print_sheet, sheet(result))
            exportable = _exportable(result)
            kept.finish(save, result, exportable, lambda _, stream: show(stream), quiet)
            if quiet:
                echo_alarms([result.first, result.second])
    if result.partial:
        end_interrupted()
    if result.decision == "unclear":
        sys.exit(1)


def _exportable(result: Duel) -> Exportable:
    """Return what exports a duel: its verdict is a row of the frame."""
    from bsbench.studies.duel.sheet import sheet

    def frame() -> pd.DataFrame:
        import pandas as pd

        record = result.to_dict()
        first, second = (strategy["label"] for strategy in record["strategies"])
        row = {
            "first": first,
            "second": second,
            "scenario": record["scenario"]["name"],
            **{key: record[key] for key in ("seed", "games", "verdict", "margin")},
            **{f"difference_{key}": value for key, value in record["difference"].items()},
            **record["race"],
            "partial": record["partial"],
        }
        return pd.DataFrame([row])

    shown = sheet(result)
    return Exportable(frame, result.to_dict, lambda: shown.columns, lambda: shown.all_notes)
