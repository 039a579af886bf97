"""``bsbench odds``: how likely a ship is where, after some shots."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click

from bsbench.cli.delivery import Study, study
from bsbench.cli.group import Section, in_section
from bsbench.cli.options import (
    OUTPUT,
    Decorator,
    check_page,
    grouped,
    output_option,
    read_told,
    rule_options,
    scenario_option,
    strategies_option,
)
from bsbench.cli.waiting import in_background, status
from bsbench.common.errors import BsbenchError

if TYPE_CHECKING:
    from bsbench.present.sheets import Sheet
    from bsbench.rules.board import Rules
    from bsbench.rules.position import Position
    from bsbench.rules.scenario import Scenario
    from bsbench.strategies import Strategy
    from bsbench.studies.odds.study import Odds

_POSITION: list[Decorator] = [
    scenario_option("classic", "Rules: a name, or a TOML file", default="classic"),
    click.option(
        "--interactive", is_flag=True, help="Read more answers line by line, and show the odds."
    ),
]

_SHOWN: list[Decorator] = [
    strategies_option(
        "Show what this strategy would shoot; may be repeated. 'all' stands for the built-in ones "
        "that use the answers.",
        "variants",
    ),
    click.option(
        "--top", type=int, default=5, show_default=True, metavar="N", help="Shots in the table."
    ),
]

_PAGE = output_option(
    "Write the calculator as an HTML page, which begins with this position; click a cell to "
    "add an answer."
)

_HELP = (
    "Type answers such as B7=hit C7=miss (joint: A1+C3=4:1); undo takes the last one back, quit "
    "ends."
)


@in_section(Section.ODDS)
@study(
    "odds",
    [
        click.argument("told", metavar="[FILE] [ANSWER]...", nargs=-1),
        grouped("The position", _POSITION),
        rule_options,
        grouped("What is shown", _SHOWN),
        grouped(OUTPUT, [_PAGE]),
    ],
    "the odds of all cells",
)
def odds_command(
    told: tuple[str, ...],
    scenario: Scenario,
    interactive: bool,
    variants: tuple[str, ...],
    top: int,
    output: str | None,
) -> Study:
    """Show the exact odds of each cell after some shots.

    ANSWER is B7=miss, B7=hit, or B7=sunk:3 for the last hit on a ship of 3 cells; if it is not
    clear where that ship lies, B7=sunk:3@B5-B7. Under feedback ship (as on classic), a hit says
    which ship it is: B7=hit:4, and B7=hit:3a or 3b where two ships have 3 cells. With joint
    answers, ANSWER is a turn and its hits on each ship: A1+C3+E5=4:2+2:1, or A1+C3+E5=0.

    Rules may stand before the answers, as a scenario's name or in words, and a colon: see
    'bsbench docs positions'. FILE, or - for standard input, holds such a text, a list such as
    B7,hit on each line, or a board drawn with . o x # or 0 1 2 3 (not shot, miss, hit, sunk).

    All layouts that agree with the answers are counted. Information is what the answer to a
    shot reveals on average.

    \b
    Examples:
      bsbench odds B7=hit C7=miss --feedback sunk
      bsbench odds '5x5 3-2 apart sunk: A1=miss C2=hit'
      bsbench odds --scenario gym-10x10 D5=hit D6=sunk:2 A1=miss -s all
      bsbench odds --scenario harbour board.txt --export-json odds.json
      bsbench odds --scenario gym-10x10 --interactive
      bsbench odds --scenario gym-10x10 -o odds.html
    """
    if top < 0:
        raise BsbenchError(f"--top is a number of shots, at least 0, not {top}")
    if interactive and "-" in told:
        raise BsbenchError("--interactive reads standard input: give the position in a file")
    from bsbench.studies.odds.sheet import odds_sheet
    from bsbench.studies.odds.study import find_odds

    position = read_told(told, scenario)
    if output is not None:
        _check_page(output, position.rules)
    find = partial(find_odds, strategies=_strategies(variants, position.scenario))
    sheet = partial(odds_sheet, top=top)
    if interactive:
        last = _ask(find, position, sheet)
        seen = lambda odds: replace(sheet(odds), seen=True)  # noqa: E731
        return Study(lambda progress: last, seen, files={output: _write_page})
    return Study(partial(find, position), sheet, files={output: _write_page})


def _check_page(output: str, rules: Rules) -> None:
    """Refuse a page under rules for which it can't count."""
    check_page(output, "a calculator")
    if rules.joint:
        raise BsbenchError("a page adds answers to single shots: leave out --output")
    if rules.reveals.untold_cells:
        raise BsbenchError(
            f"a page counts with the cells of ships that have sunk, and feedback {rules.feedback} "
            "does not tell them: leave out --output"
        )


def _write_page(odds: Odds, path: str) -> None:
    from bsbench.common.files import write_text
    from bsbench.studies.odds.calculator import page_text

    write_text(path, page_text(odds))


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
            if watches and strategy.plays(scenario.rules):
                found.append(strategy)
    return found


def _ask(find: Callable[..., Odds], position: Position, sheet: Callable[[Odds], Sheet]) -> Odds:
    """Read answers line by line, and show the odds after each line; return the last."""
    from bsbench.present.terminal import print_sheet

    def found(position: Position) -> Odds:
        with status(quiet=False) as progress:
            return in_background(partial(find, position, progress=progress))

    odds = found(position)
    click.echo(_HELP)
    print_sheet(sheet(odds), sys.stdout)
    while True:
        click.echo("\n> ", nl=False)
        line = sys.stdin.readline()
        words = line.replace(",", " ").split()
        if not line or words in (["quit"], ["exit"]):
            return odds
        if not words:
            click.echo(_HELP)
            continue
        before = odds.position
        try:
            if words == ["undo"]:
                odds = found(replace(before, answers=before.answers[:-1]))
            else:
                odds = found(before.followed_by(" ".join(words)))
        except BsbenchError as error:
            click.echo(str(error))
            continue
        print_sheet(sheet(odds), sys.stdout)
