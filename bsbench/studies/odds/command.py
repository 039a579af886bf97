"""``bsbench odds``: how likely a ship is where, after some shots."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from typing import IO, TYPE_CHECKING, Unpack

import click

from bsbench.cli.exports import Exportable, Exports, export_options, of_entries
from bsbench.cli.options import (
    OUTPUT,
    GroupedCommand,
    check_page,
    grouped,
    quiet_option,
    rule_options,
)
from bsbench.common.errors import BsbenchError
from bsbench.common.settings import read_variant

if TYPE_CHECKING:
    from bsbench.counting.evidence import Answer
    from bsbench.play.advice import Hint
    from bsbench.rules.scenario import Parts, Scenario
    from bsbench.strategies import Strategy
    from bsbench.studies.odds.study import Odds

_POSITION = [
    click.option(
        "--scenario",
        metavar="NAME|FILE",
        default="classic",
        show_default=True,
        help="Rules: a name, or a TOML file.",
    ),
    click.option(
        "-f",
        "--file",
        metavar="FILE",
        help="File with the answers, or with the board as bsbench prints it; - is standard input.",
    ),
    click.option(
        "--interactive", is_flag=True, help="Read more answers line by line, and show the odds."
    ),
]

_SHOWN = [
    click.option(
        "-s",
        "--strategy",
        "variants",
        metavar="STRATEGY",
        multiple=True,
        help="Show what this strategy would shoot; may be repeated. 'all' stands for the built-in "
        "ones that use the answers.",
    ),
    click.option(
        "--top", type=int, default=5, show_default=True, metavar="N", help="Shots in the table."
    ),
]

_PAGE = click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write the calculator as an HTML page, which begins with this position; click a cell to "
    "add an answer.",
)

_HELP = "Type answers such as B7=hit C7=miss; undo takes the last one back, quit ends."


@click.command("odds", cls=GroupedCommand)
@click.argument("answers", metavar="[ANSWER]...", nargs=-1)
@grouped("The position", _POSITION)
@rule_options
@grouped("What is shown", _SHOWN)
@grouped(OUTPUT, [_PAGE])
@export_options("the odds of all cells")
@quiet_option
# One parameter for each option, since click passes them by name.
def odds_command(
    answers: tuple[str, ...],
    scenario: str,
    file: str | None,
    interactive: bool,
    variants: tuple[str, ...],
    top: int,
    output: str | None,
    exports: Exports,
    quiet: bool,
    **parts: Unpack[Parts],
) -> None:
    """Show how likely each cell holds a ship after some shots, exactly.

    ANSWER is B7=miss, B7=hit, or B7=sunk:3 for the last hit on a ship of 3 cells; if it is not
    clear where that ship lies, B7=sunk:3@B5-B7. Under feedback ship (as on classic), a hit says
    which ship it is: B7=hit:4, and B7=hit:3a or 3b where two ships have 3 cells.

    All layouts that agree with the answers are counted. Information is what the answer to a
    shot reveals on average.

    \b
    Examples:
      bsbench odds B7=hit C7=miss --feedback sunk
      bsbench odds --scenario gym-10x10 D5=hit D6=sunk:2 A1=miss -s all
      bsbench odds --scenario harbour --file board.txt --export-json odds.json
      bsbench odds --scenario gym-10x10 --interactive
      bsbench odds --scenario gym-10x10 -o odds.html
    """
    from bsbench.counting.positions import read_answers, read_position
    from bsbench.rules.scenario import find_scenario, parse_parts

    # Errors in these are reported before the wait for numba.
    for variant in variants:
        if variant != "all":
            read_variant(variant)
    if top < 0:
        raise BsbenchError(f"--top is a number of shots, at least 0, not {top}")
    if interactive and file == "-":
        raise BsbenchError("--interactive reads standard input: give the position in a file")
    where = find_scenario(scenario).override(**parse_parts(parts))

    from bsbench.common.reading import read_input

    if output is not None:
        check_page(output, "a calculator")
    exports.check([output])
    told = [] if file is None else read_position(read_input(file), where.rules)
    told += read_answers(answers, where.rules, told)
    strategies = _strategies(variants, where)
    odds = _find(where, told, quiet)
    if interactive:
        odds = _ask(odds, strategies, top)
    hints = _hints(odds, strategies)

    def show(stream: IO[str]) -> None:
        # Whoever answers has seen it already.
        if not interactive:
            _show(odds, hints, top, stream)

    exports.finish(exportable(odds, hints), quiet, show, output, partial(_write_page, odds))


def exportable(odds: Odds, hints: Sequence[Hint] = ()) -> Exportable:
    """Return what exports odds: each cell is a row of the frame."""
    from bsbench.studies.odds.sheet import UNIT, odds_columns, odds_heading, odds_notes

    def notes() -> list[str]:
        return [*odds_heading(odds), UNIT, *odds_notes(odds, hints)]

    return of_entries(partial(odds.to_dict, hints), "cells", partial(odds_columns, odds), notes)


def print_map(odds: Odds, stream: IO[str]) -> None:
    """Print how many layouts there are, and how likely each cell holds a ship."""
    from bsbench.present.boards import coloured_board
    from bsbench.present.terminal import console_for, print_lines
    from bsbench.studies.odds.sheet import UNIT, odds_board, odds_heading, percent_texts

    console = console_for(stream)
    print_lines(console, [*odds_heading(odds), ""])
    board = odds_board(odds)
    console.print(coloured_board(board, texts=percent_texts(odds)))
    print_lines(console, [f"{UNIT}; {board.status}" if odds.answers else UNIT])


def _write_page(odds: Odds, path: str) -> None:
    from bsbench.common.files import write_text
    from bsbench.studies.odds.calculator import page_text

    write_text(path, page_text(odds))


def _find(scenario: Scenario, answers: Sequence[Answer], quiet: bool) -> Odds:
    from bsbench.cli.playing import in_background, status
    from bsbench.studies.odds.study import find_odds

    with status(quiet) as progress:
        return in_background(partial(find_odds, scenario, answers, progress=progress))


def _strategies(variants: Sequence[str], scenario: Scenario) -> list[Strategy]:
    """Return the strategies of some names; of all built-in ones, those that can give hints."""
    from bsbench.roster import make_strategy, make_variant, strategy_names
    from bsbench.strategies.base import FixedOrder

    found = []
    for variant in variants:
        if variant != "all":
            found.append(make_variant(variant))
            continue
        for name in strategy_names():
            strategy = make_strategy(name)
            watches = not isinstance(strategy, FixedOrder) and strategy.games_per_learner == 1
            able = scenario.rules.feedback.covers(strategy.needs) and strategy.fits(scenario.rules)
            if watches and able:
                found.append(strategy)
    return found


def _hints(odds: Odds, strategies: Sequence[Strategy]) -> list[Hint]:
    """Return what strategies would shoot; nothing where the game is over."""
    if odds.posterior.over:
        return []
    return [odds.advice(strategy) for strategy in strategies]


def _show(odds: Odds, hints: Sequence[Hint], top: int, stream: IO[str]) -> None:
    from bsbench.present.terminal import console_for, print_lines, print_table
    from bsbench.studies.odds.sheet import best_shots, odds_notes, shots_columns

    print_map(odds, stream)
    console = console_for(stream)
    click.echo(file=stream)
    if cells := best_shots(odds, top):
        print_table(console, shots_columns(odds, cells), words=("shot",))
    print_lines(console, odds_notes(odds, hints))


def _ask(odds: Odds, strategies: Sequence[Strategy], top: int) -> Odds:
    """Read answers line by line, and show the odds after each line; return the last."""
    from bsbench.counting.positions import read_answers

    click.echo(_HELP)
    _show(odds, _hints(odds, strategies), top, sys.stdout)
    while True:
        click.echo("\n> ", nl=False)
        line = sys.stdin.readline()
        words = line.replace(",", " ").split()
        if not line or words in (["quit"], ["exit"]):
            return odds
        told = list(odds.answers)
        try:
            if words == ["undo"]:
                told = told[:-1]
            elif words:
                told += read_answers(words, odds.scenario.rules, told)
            else:
                click.echo(_HELP)
                continue
            odds = _find(odds.scenario, told, quiet=False)
        except BsbenchError as error:
            click.echo(str(error))
            continue
        _show(odds, _hints(odds, strategies), top, sys.stdout)
