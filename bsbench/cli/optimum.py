"""``bsbench optimum``: the least mean that any strategy can reach, on small boards."""

from __future__ import annotations

from functools import partial
from typing import IO, TYPE_CHECKING, Any

import click

from bsbench.cli.exports import Exportable, Exports, export_options
from bsbench.cli.options import (
    GAMES,
    GroupedCommand,
    quiet_option,
    rule_options,
    threads_option,
    timeout_option,
)

if TYPE_CHECKING:
    import pandas as pd

    from bsbench.runs.regret import Regrets


@click.command("optimum", cls=GroupedCommand)
@click.argument("name", metavar="[SCENARIO]", default="classic")
@rule_options
@click.option(
    "-s",
    "--strategy",
    "variants",
    metavar="NAME",
    multiple=True,
    help="Strategy whose regret is shown; may be repeated.  [default: all built-in ones that can "
    "play]",
)
@click.option(
    "-n",
    "--games",
    type=GAMES,
    metavar="N",
    default="100000",
    help="Random games of a strategy that uses random numbers; others play each layout once.  "
    "[default: 100,000]",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of these games.")
@click.option(
    "--states",
    type=GAMES,
    metavar="N",
    default="20000000",
    help="States that the search may look at before it gives up.  [default: 20,000,000]",
)
@threads_option
@timeout_option
@export_options("a row for each strategy")
@quiet_option
def optimum_command(
    name: str,
    variants: tuple[str, ...],
    games: int,
    seed: int,
    states: int,
    threads: int | None,
    timeout: float,
    exports: Exports,
    quiet: bool,
    **changes: Any,
) -> None:
    """Find the least possible mean number of moves, and how far strategies are from it.

    It works on small boards, such as 4x4 with two ships, and uniform layouts. The result is proven:
    the search considers all that shots can reveal. It also shows all optimal first shots, and the
    regret of strategies: how many more moves than the least mean they need on average.

    \b
    Examples:
      bsbench optimum --board 4x4 --fleet 3,2
      bsbench optimum --board 5x5 --fleet 3,2 --no-touching --feedback hit
    """
    from bsbench.rules.scenario import find_scenario, parse_parts

    # A wrong scenario is reported before numba is loaded, which takes a second.
    scenario = find_scenario(name).override(**parse_parts(changes))

    from bsbench.cli.playing import in_background, status
    from bsbench.roster import as_strategy
    from bsbench.runs.regret import find_regrets
    from bsbench.runs.request import check_request, limits_of

    exports.check()
    games, seed, threads = check_request(games, seed, threads)
    shooters = [as_strategy(variant, limits_of(timeout)) for variant in variants] or None
    with status(quiet) as progress:
        found = in_background(
            partial(
                find_regrets,
                scenario,
                shooters,
                games=games,
                seed=seed,
                threads=threads,
                states=states,
                timeout=timeout,
                progress=progress,
            )
        )
    exports.finish(exportable(found), quiet, partial(print_optimum, found))


def exportable(found: Regrets) -> Exportable:
    """Return what exports an optimum: each strategy is a row of the frame."""
    from bsbench.present.regret import optimum_heading, optimum_notes, regret_columns

    def frame() -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame(found.rows())

    def notes() -> list[str]:
        return [*optimum_heading(found), *optimum_notes(found)]

    return Exportable(frame, found.to_dict, partial(regret_columns, found), notes)


def print_optimum(found: Regrets, stream: IO[str]) -> None:
    """Print the least mean, and the regret of strategies."""
    from bsbench.present.regret import optimum_heading, optimum_notes, regret_columns
    from bsbench.present.terminal import console_for, print_lines, print_table

    console = console_for(stream)
    print_lines(console, [*optimum_heading(found), ""])
    print_table(console, regret_columns(found))
    print_lines(console, optimum_notes(found))
