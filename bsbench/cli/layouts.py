"""``bsbench layouts``: a file of layouts, by programs that place ships and by laws."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Unpack

import click

from bsbench.cli.completion import STRATEGY
from bsbench.cli.group import Section, in_section
from bsbench.cli.options import (
    GroupedCommand,
    force_option,
    games_option,
    output_option,
    rule_options,
    scenario_option,
    seed_option,
    timeout_option,
)
from bsbench.common.errors import BsbenchError

if TYPE_CHECKING:
    from bsbench.rules.scenario import Parts


@in_section(Section.PLAYER)
@click.command("layouts", cls=GroupedCommand)
@click.argument("placers", metavar="PLACER...", nargs=-1, required=True)
@output_option("The file to write.", required=True)
@force_option
@games_option("Layouts of each placer.", "1,000", default="1000")
@scenario_option(
    "classic", "Rules: a name, or a TOML file. Its placement law is not used", default="classic"
)
@click.option(
    "--shooter",
    type=STRATEGY,
    metavar="STRATEGY",
    help="Shoots at each layout; placers of yours are told its shots, and may learn.",
)
@click.option(
    "--as",
    "form",
    type=click.Choice(["lines", "ships", "boards"]),
    default="lines",
    show_default=True,
    help="How a layout is written: 1 1 4 E …, 4:B2-B5 …, or a board with a letter for each ship.",
)
@seed_option()
@timeout_option("Time that a placer of yours may spend on one layout.")
@rule_options
# One parameter for each option, since click passes them by name.
def layouts_command(
    placers: tuple[str, ...],
    output: str,
    force: bool,
    games: int,
    scenario: str,
    shooter: str | None,
    form: str,
    seed: int,
    timeout: float,
    **parts: Unpack[Parts],
) -> None:
    """Save layouts by programs and placement laws in a file.

    PLACER places the ships of each game. It is a class of yours, FILE.py:CLASS or
    PACKAGE.MODULE:CLASS; a bot, cmd:COMMAND; or a placement law, such as edge:3. In the file, each
    placer is a person. So the law file:FILE:1000 deals 1,000 layouts of one placer in order, and
    then those of another one. 'bsbench new FILE.py --kind placer' writes a template. An illegal
    layout ends the command, and nothing is saved. With --shooter, a strategy plays each layout
    before the next one is placed, and the method told(shots) of a class has the cells that it shot.

    \b
    Examples:
      bsbench layouts my_hider.py:MyHider -o my_hider.txt
      bsbench layouts my_hider.py edge:3 -n 50 --scenario harbour -o mixed.txt
      bsbench run prob --scenario harbour --placement file:mixed.txt:50
      bsbench layouts my_hider.py --shooter prob -n 50 -o adapted.txt
    """
    from bsbench import __version__
    from bsbench.cli.waiting import status
    from bsbench.common.files import check_export, write_text
    from bsbench.common.settings import check_line
    from bsbench.play.placers import layouts_file
    from bsbench.rules.placement import STREAM_VERSION
    from bsbench.runs.request import Request

    if output == "-":
        raise BsbenchError("layouts are written to a file: give -o FILE")
    check_export(output, force)
    request = Request.of(scenario, seed, games=games, timeout=timeout, **parts)
    if shooter is not None:
        check_line("the strategy", shooter)
    for placer in placers:
        check_line("the placer", placer)
    (where,) = request.scenarios_or(None)
    rules, strategy = where.rules, None
    if shooter is not None:
        strategy, _ = request.single(shooter, "a file of layouts")
    with status(quiet=False) as note:
        text = layouts_file(
            placers,
            rules,
            games,
            seed,
            timeout,
            lambda name: note(f"layouts by {name}"),
            strategy,
            form,
        )
    # All rules, since the file of a scenario may change.
    words: list[object] = [] if shooter is None else ["--shooter", shooter]
    words += [] if form == "lines" else ["--as", form]
    words += ["-n", games, "--seed", seed, "--board", rules.board, "--feedback", rules.feedback]
    words += ["--fleet", ",".join(map(str, rules.fleet))]
    words += ["--touching", rules.apart.option]
    command = shlex.join(map(str, ["bsbench", "layouts", *placers, *words]))
    version = f"bsbench {__version__}, version {STREAM_VERSION} of layouts"
    write_text(output, f"# Written by {version}:\n# {command}\n{text}")
    click.echo(f"saved {output}; play it with --placement {shlex.quote(f'file:{output}:{games}')}")
