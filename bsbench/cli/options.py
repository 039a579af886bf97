"""Options that several commands share."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from bsbench.common.errors import BsbenchError

if TYPE_CHECKING:
    from bsbench.cli.ending import Saving

Command = Callable[..., Any]
Decorator = Callable[[Command], Command]


def picture_kind(chart: str | None) -> str:
    """Return what kind of picture a path asks for, ``png`` or ``svg``; empty without a path.

    Raises
    ------
    BsbenchError
        If it ends in neither.
    """
    kind = Path(chart).suffix.lstrip(".") if chart else ""
    if chart and kind not in ("png", "svg"):
        raise BsbenchError(f"unknown kind of picture: {chart!r}; end it in .png or .svg")
    return kind


def check_exports(*paths: str | None) -> None:
    """Refuse files that can't be written, before any game is played; None and - are no files."""
    from bsbench.common.files import check_export

    for path in paths:
        if path is not None and path != "-":
            check_export(path)


def write_export(save: Saving, path: str | None, text: str) -> None:
    """Write a text to the file that an option names; None and - are no files."""
    from bsbench.common.files import write_text

    if path is not None and path != "-":
        save(lambda place: write_text(place, text), path)


json_option = click.option(
    "--json",
    "json_file",
    metavar="FILE",
    help="Write results and provenance as JSON; - is standard output.",
)


def show_record(
    save: Saving,
    record: dict[str, Any],
    json_file: str | None,
    quiet: bool,
    show: Callable[[IO[str]], object],
) -> None:
    """Write a record as `json_option` asks for, and show it as a table.

    Parameters
    ----------
    save : Saving
    record : dict
    json_file : str or None
    quiet : bool
        Show no table.
    show : callable
        Prints the table to the stream given: standard output is for the JSON alone when it goes
        there.
    """
    from bsbench.common.files import json_text

    text = json_text(record)
    write_export(save, json_file, text)
    if not quiet:
        show(sys.stderr if json_file == "-" else sys.stdout)
    if json_file == "-":
        click.echo(text, nl=False)


_PART_OPTIONS: list[Decorator] = [
    click.option(
        "--placement",
        metavar="LAW",
        help="Placement law in place of the scenario's: uniform, "
        "sequential[:longest|:shortest|:fleet], edge[:FACTOR] (a ship on the border weighs "
        "FACTOR, default 3) or file:PATH (layouts listed in a file).",
    ),
    click.option("--board", metavar="RxC", help="Board in place of the scenario's, such as 8x8."),
    click.option(
        "--fleet",
        metavar="LENGTHS",
        help="Fleet in place of the scenario's, such as 5,4,3,3,2.",
    ),
    click.option(
        "--touching/--no-touching",
        default=None,
        help="Whether ships may touch, in place of the scenario's rule.",
    ),
    click.option(
        "--feedback",
        metavar="KIND",
        help="Feedback instead: hit, sunk (also what sank) or ship (also which ship is hit).",
    ),
]


def game_options(
    default_scenario: str,
    games: str = "How many games to play; with --until, at most.",
    default_games: str = "100,000; with --until, 100,000,000",
    default_seed: str = "0",
    until: str | None = None,
) -> Decorator:
    """Add the options that say which games are played, under which rules.

    The command receives them as one `Request`, under the name ``request``.

    Parameters
    ----------
    default_scenario, default_games, default_seed : str
        What ``--scenario``, ``--games`` and ``--seed`` are when they are not given.
    games : str
        What the number of games means.
    until : str, optional
        What ``--until`` limits the interval of; without it, there is no such option.
    """
    options: list[Decorator] = [
        click.option(
            "-n",
            "--games",
            type=int,
            help=f"{games}  [default: {default_games}]",
        ),
        click.option(
            "--scenario",
            metavar="NAME|FILE",
            help=f"Rules and placement law: a name, or a TOML file.  [default: {default_scenario}]",
        ),
        click.option(
            "--seed",
            type=int,
            metavar="N",
            help=f"Seed of the layouts.  [default: {default_seed}]",
        ),
        click.option(
            "--secret-seed",
            is_flag=True,
            help="Draw the seed at random. No strategy can know it before it stands in the "
            "record; see docs/trust.md.",
        ),
        *_PART_OPTIONS,
        click.option(
            "--threads", type=int, metavar="N", help="Threads to play on.  [default: all cores]"
        ),
        click.option(
            "--timeout",
            type=float,
            metavar="SECONDS",
            default=60.0,
            show_default=True,
            help="Time that a strategy in Python may spend on one game.",
        ),
    ]

    if until is not None:
        options.append(
            click.option(
                "--until",
                type=float,
                metavar="MOVES",
                help=f"Play until the 95 % interval of {until} is no wider than ± this many moves.",
            )
        )

    def add(command: Command) -> Command:
        @wraps(command)
        def with_request(**values: Any) -> Any:
            from bsbench.rules.scenario import PARTS
            from bsbench.runs.request import Request

            asked = {*Request.__dataclass_fields__, *PARTS} & values.keys()
            own = {name: values.pop(name) for name in asked}
            return command(request=Request.read(own), **values)

        return added(options, with_request)

    return add


def part_options(command: Command) -> Command:
    """Add the options that replace parts of a scenario: see `rules.scenario.parse_parts`."""
    return added(_PART_OPTIONS, command)


def added(options: list[Decorator], command: Command) -> Command:
    """Return a command with options, which help lists in this order."""
    # The decorator nearest the function comes last.
    for option in reversed(options):
        command = option(command)
    return command


trust_option = click.option(
    "--trust",
    is_flag=True,
    help="Run the code of strategies of your own that the file names; without it, only built-in "
    "ones.",
)

quiet_option = click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
