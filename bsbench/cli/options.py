"""Options that several commands share."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from bsbench.cli.completion import SCENARIO, STRATEGY, Text, scenarios
from bsbench.common.errors import BsbenchError
from bsbench.common.files import FORMATS
from bsbench.common.settings import read_count, read_seeds
from bsbench.rules.board import TOUCHING, Feedback

if TYPE_CHECKING:
    from bsbench.rules.position import Position
    from bsbench.rules.scenario import Scenario

Command = Callable[..., Any]
Decorator = Callable[[Command], Command]


def picture_kind(chart: str | None) -> str:
    """Return what kind of picture a path asks for, one of `FORMATS`; empty without a path.

    Raises
    ------
    BsbenchError
        If it ends in none of them.
    """
    kind = Path(chart).suffix.lstrip(".") if chart else ""
    if chart and kind not in FORMATS:
        raise BsbenchError(f"unknown kind of picture: {chart!r}; end it in .png, .svg or .pdf")
    return kind


def check_page(path: str, what: str) -> None:
    """Refuse a path that does not end as a page of HTML does.

    Parameters
    ----------
    path : str
    what : str
        What the page is, such as ``a replay``.
    """
    if Path(path).suffix.lower() not in (".html", ".htm"):
        raise BsbenchError(f"{what} is written as HTML: end {path!r} in .html")


def is_position(text: str) -> bool:
    """Return whether an argument is a position, or a file with one, not a record or scenario."""
    if not os.path.isfile(text):
        return bool(re.search(r"[=|]|:\s*$", text))
    from bsbench.common.reading import open_file

    with suppress(OSError), open_file(text) as file:
        begin = file.read(1_000).lstrip()[:1]
        return begin not in (b"{", b"[") and not text.lower().endswith((".json", ".toml"))
    return False


def read_told(words: Sequence[str], scenario: Scenario, ordered: bool = False) -> Position:
    """Return the position that arguments are; the first may be a file with the answers before.

    Parameters
    ----------
    words : sequence of str
    scenario : Scenario
        The rules of a text that does not say them.
    ordered : bool
        Whether the order of the shots matters.

    Raises
    ------
    BsbenchError
        If they are none, have figures of a reference position, or an option says other rules.
    """
    from bsbench.common.reading import read_input
    from bsbench.rules.position import Position, rules_words
    from bsbench.rules.reading import read_position
    from bsbench.rules.scenario import PARTS

    position, first = Position(scenario), "".join(words[:1])
    # Of a path without a file, that is said.
    if os.path.isfile(first) or re.fullmatch(r"-|[^=|:]*[./\\][^=|:]*", first):
        position = read_position(read_input(first), scenario, ordered)
        words = words[1:]
    position = position.followed_by(" ".join(words))
    if position.expected:
        raise BsbenchError("what stands behind ; is for files of reference positions: leave it out")
    context = click.get_current_context()
    given = [context.get_parameter_source(name) for name in ("scenario", *PARTS)]
    found = position.scenario
    same = (found.rules, found.placement) == (scenario.rules, scenario.placement)
    if ParameterSource.COMMANDLINE in given and not same:
        raise BsbenchError(
            f"the position says its rules, {rules_words(found)}: leave out --scenario and other "
            "options for rules"
        )
    return position


OUTPUT = "Output"
"""Heading of options on what a command prints and exports."""


class Rare(click.Option):
    """An option that few need: only ``--help-all`` shows it."""


class GroupedCommand(click.Command):
    """A command whose help lists options under the headings that `grouped` gave them."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return all parameters; with `Rare` ones, the last is the option that shows them."""
        usual = super().get_params(ctx)
        rare = sum(isinstance(each, Rare) for each in usual)
        return [*usual, _help_all(rare)] if rare else usual

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, heading by heading."""
        for heading, lines in option_sections(self, ctx, rare=_ALL in ctx.meta):
            with formatter.section(heading):
                formatter.write_dl(lines)


_ALL = "help_all"
"""The option that shows rare options, too; and in the context, that it was given."""


def _help_all(rare: int) -> click.Option:
    """Return the option that shows the help with all options."""

    def show(ctx: click.Context, _: click.Parameter, given: bool) -> None:
        if given and not ctx.resilient_parsing:
            ctx.meta[_ALL] = True
            click.echo(ctx.get_help(), color=ctx.color)
            ctx.exit()

    return click.Option(
        ["--help-all"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=show,
        help=f"Show all options, also the {rare} less common one{'s' if rare > 1 else ''}.",
    )


def option_sections(
    command: click.Command, ctx: click.Context, rare: bool = True
) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the options of a command by heading; those without one first, and the help last.

    Parameters
    ----------
    command : click.Command
    ctx : click.Context
    rare : bool
        Whether `Rare` options are among them.

    Returns
    -------
    list of str and list of (str, str)
        Each heading, and below it the names of each option and what it does.
    """
    sections: dict[str, list[tuple[str, str]]] = {"Options": []}
    usual = command.get_help_option(ctx)

    def is_last(option: click.Parameter) -> bool:
        return option is usual or option.name == _ALL

    for option in sorted(command.get_params(ctx), key=is_last):
        line = option.get_help_record(ctx) if rare or not isinstance(option, Rare) else None
        if isinstance(option, click.Option) and line is not None:
            last = next(reversed(sections)) if is_last(option) else "Options"
            sections.setdefault(_heading(option) or last, []).append(line)
    return [(heading, lines) for heading, lines in sections.items() if lines]


def _heading(option: click.Parameter) -> str:
    return str(getattr(option, "heading", ""))


def grouped(heading: str, options: Sequence[Decorator]) -> Decorator:
    """Return what adds options to a command, under a heading of its help."""

    def add(command: Command) -> Command:
        known = list(getattr(command, "__click_params__", ()))
        command = added(options, command)
        for option in command.__click_params__[len(known) :]:  # type: ignore[attr-defined]
            option.heading = heading
        return command

    return add


GAMES = Text("games", partial(read_count, what="games"))
"""A number of games: 1000000, 1_000_000 or 1e6."""

_SEEDS = Text("seeds", read_seeds)


def _read_until(text: str) -> float | str:
    """Return a number of moves; another text is what it is, and may be refused."""
    try:
        return float(text)
    except ValueError:
        return text


_UNTIL = Text("until", _read_until, lambda: ["clear"])


def _read_scenarios(text: str) -> tuple[str, ...]:
    """Return the scenarios in a list with commas; a path may have commas in it."""
    if os.path.isfile(text):
        return (text,)
    return tuple(name.strip() for name in text.split(","))


_SCENARIOS = Text("scenarios", _read_scenarios, scenarios)


def scenario_option(
    usual: str,
    meaning: str = "Rules and placement law: a name, or a TOML file",
    name: str = "scenario",
    **how: Any,
) -> Decorator:
    """Return the option ``--scenario``, which is ``usual`` if it is not given."""
    how = {"type": SCENARIO, "metavar": "NAME|FILE", **how}
    return click.option("--scenario", name, help=f"{meaning}.  [default: {usual}]", **how)


def strategies_option(meaning: str, name: str = "strategies") -> Decorator:
    """Return the option ``--strategy``, which may be repeated."""
    how: dict[str, Any] = {"metavar": "NAME", "multiple": True}
    return click.option("-s", "--strategy", name, type=STRATEGY, help=meaning, **how)


def games_option(meaning: str, usual: str, **how: Any) -> Decorator:
    """Return the option ``--games``, which is ``usual`` if it is not given."""
    text = f"{meaning}  [default: {usual}]"
    return click.option("-n", "--games", type=GAMES, metavar="N", help=text, **how)


def seed_option(meaning: str = "Seed of the layouts.", **how: Any) -> Decorator:
    """Return the option ``--seed`` of a command that takes one, 0 if it is not given."""
    how = {"default": 0, **how}
    text = f"{meaning}  [default: 0]"
    return click.option("--seed", type=int, metavar="N", help=text, **how)


def output_option(meaning: str, metavar: str = "FILE", **how: Any) -> Decorator:
    """Return the option ``--output``."""
    return click.option("-o", "--output", metavar=metavar, help=meaning, **how)


force_option = click.option("--force", is_flag=True, help="Replace files that exist already.")

keep_moves_option = click.option(
    "--keep-moves/--no-keep-moves",
    cls=Rare,
    default=None,
    help="Save the move count of each game, or of none.  [default: of runs of up to 4,194,304 "
    "games]",
)

threads_option = click.option(
    "--threads", type=int, metavar="N", help="Threads to play on.  [default: all cores]"
)


def timeout_option(
    meaning: str = "Time that a strategy of yours may spend on one game.",
    cls: type[click.Option] = Rare,
) -> Decorator:
    """Return the option ``--timeout``."""
    how = {"metavar": "SECONDS", "default": 60.0, "show_default": True}
    return click.option("--timeout", cls=cls, type=float, help=meaning, **how)


_OTHER_RULES = "Other rules"
_PLACEMENT: Decorator = click.option(
    "--placement",
    cls=Rare,
    metavar="LAW",
    help="Placement law in place of the scenario's, such as sequential or edge:3: 'bsbench list "
    "laws' shows all.",
)
_RULE_OPTIONS: list[Decorator] = [
    click.option("--board", metavar="RxC", help="Board in place of the scenario's, such as 8x8."),
    click.option(
        "--fleet",
        metavar="LENGTHS",
        help="Fleet in place of the scenario's, such as 5,4,3,3,2.",
    ),
    click.option(
        "--touching",
        cls=Rare,
        type=click.Choice([apart.option for apart in TOUCHING.values()]),
        callback=lambda context, parameter, word: next(
            (value for value, apart in TOUCHING.items() if apart.option == word), None
        ),
        help="Whether ships may touch, or at corners only, in place of the scenario's rule.",
    ),
    click.option(
        "--feedback",
        metavar="KIND",
        help=f"Feedback in place of the scenario's: {Feedback.glossary()}.",
    ),
    click.option(
        "--shots",
        cls=Rare,
        metavar="N|afloat",
        help="Shots of a turn, in place of the scenario's; in a match also as many as own ships "
        "afloat. Moves are then turns.",
    ),
    click.option(
        "--answers",
        cls=Rare,
        metavar="each|joint",
        help="Whether each shot of a turn is answered, or all together: how many hit each ship.",
    ),
    click.option(
        "--again/--no-again",
        cls=Rare,
        default=None,
        help="Whether a hit gives another shot, where two sides shoot in turn.",
    ),
    click.option(
        "--repeats",
        cls=Rare,
        metavar="refused|count",
        help="Whether a shot at a cell that was shot before is refused, or is a wasted move.",
    ),
    click.option(
        "--whole-turns/--no-whole-turns",
        cls=Rare,
        default=None,
        help="Whether shots of a turn after the last hit count, too.",
    ),
]


engine_option = click.option(
    "--engine",
    cls=Rare,
    metavar="local|ADDRESS",
    default="local",
    show_default=True,
    help="Play in threads of this process (local), or on the Dask cluster whose scheduler has this "
    "address, such as tcp://node1:8786; see docs/cluster.md.",
)


def game_options(
    default_scenario: str,
    games: str = "How many games to play; with --until, at most.",
    default_games: str = "100,000; with --until, 100,000,000",
    default_seed: str = "0",
    until: str | None = None,
    scenarios: bool = False,
) -> Decorator:
    """Add the options that say which games are played, under which rules.

    A `study` receives them as a `Request`; others take them as keywords of `Request.of`: ``games``,
    ``scenarios`` and ``seeds``, and the others as `GameOptions`, or with ``until`` as
    `RangeOptions`.

    Parameters
    ----------
    default_scenario, default_games, default_seed : str
        What ``--scenario``, ``--games`` and ``--seed`` are when they are not given.
    games : str
        What the number of games means.
    until : str, optional
        What ``--until`` limits the interval of; without it, the command plays one scenario and
        seed from game 0 on, and there is no such option.
    scenarios : bool
        Whether it plays several scenarios all the same.
    """
    several = until is not None
    more_scenarios = _SEVERAL if several or scenarios else ""
    played: list[Decorator] = [
        games_option(f"{games} 1e6 is a million.", default_games),
        scenario_option(
            default_scenario,
            f"Rules and placement law: a name, or a TOML file{more_scenarios}",
            "scenarios",
            type=_SCENARIOS,
        ),
        click.option(
            "--seed",
            "seeds",
            type=_SEEDS,
            metavar="N",
            help=f"Seed of the layouts{'; several: 0,1,7 or 0-9' if several else ''}.  "
            f"[default: {default_seed}]",
        ),
        click.option(
            "--secret-seed",
            cls=Rare,
            is_flag=True,
            help="Draw the seed at random. No strategy can know it before the record shows "
            "it; see docs/trust.md.",
        ),
    ]
    if until is not None:
        played[1:1] = [
            click.option(
                "--until",
                type=_UNTIL,
                metavar="MOVES|clear",
                help=f"Play until the 95 % interval of {until} is no wider than ± this many moves; "
                "or until it is clear which of each strategy and the reference needs fewer moves.",
            ),
            click.option(
                "--margin",
                cls=Rare,
                type=float,
                metavar="MOVES",
                help="With --until clear: strategies that differ by less are equal.  "
                "[default: 0.05]",
            ),
            click.option(
                "--first-game",
                cls=Rare,
                type=GAMES,
                metavar="N",
                help="Number of the first game. With it, several machines can play parts of a "
                "run, which 'bsbench merge' joins.  [default: 0]",
            ),
            click.option(
                "--exact",
                cls=Rare,
                is_flag=True,
                help="Play each layout once instead of random ones, on a small board. The result "
                "is then exact. The strategies must use no random numbers; of random, and of fixed "
                "orders on large boards, the law is computed.",
            ),
        ]

    how: list[Decorator] = [threads_option, engine_option, timeout_option()]

    def add(command: Command) -> Command:
        for heading, options in (
            ("How it is played", how),
            (_OTHER_RULES, [_PLACEMENT, *_RULE_OPTIONS]),
            ("What is played", played),
        ):
            command = grouped(heading, options)(command)
        return command

    return add


_SEVERAL = "; several, with commas"


def part_options(command: Command) -> Command:
    """Add the options that replace parts of a scenario: see `rules.scenario.parse_parts`."""
    return grouped(_OTHER_RULES, [_PLACEMENT, *_RULE_OPTIONS])(command)


def rule_options(command: Command) -> Command:
    """Add the same options but ``--placement``, where all layouts are equally likely."""
    return grouped(_OTHER_RULES, _RULE_OPTIONS)(command)


def added(options: Sequence[Decorator], command: Command) -> Command:
    """Return a command with options, which help lists in this order."""
    # The decorator nearest the function comes last.
    for option in reversed(options):
        command = option(command)
    return command


trust_option = click.option(
    "--trust",
    cls=Rare,
    is_flag=True,
    help="Run the code of your own strategies that the file names. Without --trust, only built-in "
    "strategies run.",
)

quiet_option = grouped(
    OUTPUT, [click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")]
)


wide_option = grouped(
    OUTPUT,
    [
        click.option(
            "--wide",
            is_flag=True,
            help="Show all columns: also quantiles, best and worst, games won, dominance.",
        )
    ],
)

sort_option = click.option(
    "--sort",
    "order",
    cls=Rare,
    type=click.Choice(["best", "given", "name"]),
    help="Order of the rows.  [default: best first; as given in sweeps, and in the data that CSV, "
    "JSON and Parquet hold]",
)
"""The order of strategies in a table."""
