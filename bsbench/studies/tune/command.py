"""``bsbench tune``: search for the values of parameters that need the fewest moves."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import IO, TYPE_CHECKING, Unpack

import click

from bsbench.cli.ending import end_interrupted, saving
from bsbench.cli.exports import Exportable, Exports, export_options
from bsbench.cli.options import GroupedCommand, game_options, grouped, quiet_option
from bsbench.cli.playing import echo_alarms, progress_bar
from bsbench.cli.saving import Draw, Keep, kept_record, saving_options
from bsbench.common.errors import BsbenchError
from bsbench.common.files import PICTURES
from bsbench.common.settings import read_settings, read_variant

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from bsbench.present.progress import Show
    from bsbench.runs.request import GameOptions
    from bsbench.stats import Difference
    from bsbench.studies.tune.searching import Budget
    from bsbench.studies.tune.study import Tuning

_WHAT = [
    click.option(
        "--vary",
        "vary",
        multiple=True,
        metavar="NAME=VALUES",
        help="A parameter to tune: noise=0:0.1, noise=0:0.1:0.001 (with a step), noise=0,0.01,0.1 "
        "(a list), or its NAME alone for all values that it may have; may be repeated.",
    ),
    click.option(
        "--set",
        "settings",
        multiple=True,
        metavar="NAME=VALUE",
        help="Set a parameter of the start; may be repeated.",
    ),
    click.option(
        "--races",
        type=int,
        metavar="N",
        help="How many races.  [default: 4, and 1 for each parameter]",
    ),
    click.option(
        "--candidates",
        type=int,
        metavar="N",
        help="How many candidates in each race.  [default: 26, or all if they are no more]",
    ),
]


@click.command("tune", cls=GroupedCommand)
# Not required: click would report a missing one in several lines.
@click.argument("variants", metavar="STRATEGY", nargs=-1)
@grouped("What is tuned", _WHAT)
@game_options(
    "the strategy's home, else classic",
    "How many games to play, those of all candidates together.",
    "5,000,000",
)
@saving_options("results/STRATEGY-tuned-SCENARIO.json", several=False)
@export_options("a row for each candidate of each race")
@quiet_option
# One parameter for each option, since click passes them by name.
def tune_command(
    variants: tuple[str, ...],
    scenarios: tuple[str, ...] | None,
    games: int | None,
    seeds: tuple[int, ...] | None,
    vary: tuple[str, ...],
    settings: tuple[str, ...],
    races: int | None,
    candidates: int | None,
    keep: Keep,
    exports: Exports,
    quiet: bool,
    **options: Unpack[GameOptions],
) -> None:
    """Tune a strategy: search for the parameters that need the fewest moves.

    STRATEGY is the start: its parameters have their defaults, or the values after commas.
    Candidates race against each other: all play the same games, and the best ones continue. Each
    race draws its candidates closer around the best ones of the race before. The best four play
    other games, for validation, and the best of these plays the final games against the start. The
    three kinds of games have seeds of their own, so that the final difference to the start is
    valid.

    Saves a record (JSON), the history of the search (CSV), a chart of it (PNG, SVG), and a run
    file (TOML) with the parameters found. After an interruption, the same command with --resume
    continues.

    \b
    Examples:
      bsbench tune datagenetics --vary hit_weight=1:20
      bsbench tune over9000 --vary edge_weight=0.5:2 --vary noise=0:0.1 -n 2e7
      bsbench tune over9000,noise=0 --vary edge_weight=1,1.1,1.2 --vary no_touch
      bsbench tune my_file.py:Mine --vary caution=0,1,2,5,10 -n 1e5
    """
    from bsbench.runs.request import Request

    request = Request.of(scenarios, seeds, games=games, **options)
    if len(variants) != 1:
        raise BsbenchError(
            f"a tuning takes one strategy, not {len(variants)}: write 'bsbench tune NAME --vary "
            "PARAMETER=LOW:HIGH' ('bsbench list NAME' shows its parameters)"
        )
    name, own = read_variant(variants[0])
    own = read_settings(settings) | own
    request.check_single("a tuning")
    _ = request.bases

    from bsbench.cli.experiment import scenario_note
    from bsbench.common.files import file_name
    from bsbench.present.terminal import print_sheet
    from bsbench.roster import make_strategy
    from bsbench.studies.tune.sheet import sheet
    from bsbench.studies.tune.study import about_tuning, check_tuning, tune

    start = make_strategy(name, own, request.limits)
    (scenario,) = request.scenarios_or(start.home)
    space, budget = check_tuning(start, vary, scenario, request, races, candidates)
    seed = request.seed or 0
    exports.check()
    if not (request.scenarios or quiet):
        click.echo(scenario_note([start], scenario, start.home), err=True)
    stem = f"{start.label}-tuned-{scenario.name}"
    if seed:
        stem += "-secret-seed" if request.secret_seed else f"-seed-{seed}"
    about = partial(about_tuning, space, vary, budget, scenario, seed)
    beside = (".csv", ".toml", *(f".{kind}" for kind in PICTURES))
    with kept_record(keep, exports, file_name(stem), about, request.secret_seed, beside) as kept:
        try:
            with progress_bar([start.label], budget.games, quiet) as show:
                tuning = tune(
                    start,
                    vary,
                    scenario,
                    games=budget.games,
                    seed=seed,
                    races=races,
                    candidates=candidates,
                    threads=request.threads,
                    engine=request.engine,
                    timeout=request.timeout,
                    progress=None if show is None else _shown(show, start.label, budget),
                    journal=kept.journal,
                )
        except KeyboardInterrupt:
            click.echo("Interrupted before the final games: nothing is found yet.", err=True)
            if kept.journal is not None and not quiet:
                click.echo("to continue, give the same command with --resume", err=True)
            end_interrupted()
        with saving() as save:
            shown = sheet(tuning)
            found = Exportable(
                tuning.to_frame, tuning.to_dict, lambda: shown.columns, lambda: shown.all_notes
            )
            show = partial(print_sheet, shown)
            kept.finish(save, tuning, found, lambda _, stream: show(stream), quiet, _files(tuning))
            if quiet:
                echo_alarms(tuning.results)


def _shown(show: Show, label: str, budget: Budget) -> Callable[[str, int, Difference | None], None]:
    """Return what shows how far a tuning is."""
    from bsbench.present.progress import SoFar

    def shown(stage: str, spent: int, lowest: Difference | None) -> None:
        note = f"{stage} of {budget.races}" if stage.startswith("race") else stage
        if lowest is not None:
            note = f"{note}, best {lowest.text}"
        show(label, spent, SoFar(note=note))

    return shown


def _files(tuning: Tuning) -> dict[str, Draw]:
    """Return what writes the files beside the record, by suffix."""
    from functools import cache

    @cache
    def figure() -> Figure:
        from bsbench.studies.tune.tuning import tuning_chart

        return tuning_chart(tuning)

    def draw(kind: str, file: IO[bytes]) -> None:
        from bsbench.present.charts import write_figure

        write_figure(figure(), file, kind)

    def history(file: IO[bytes]) -> None:
        from bsbench.runs.results import frame_csv

        file.write(frame_csv(tuning.to_frame()).encode())

    def run_file(file: IO[bytes]) -> None:
        file.write(tuning.run_file().encode())

    pictures: dict[str, Draw] = {f".{kind}": partial(draw, kind) for kind in PICTURES}
    return {".csv": history, ".toml": run_file, **pictures}
