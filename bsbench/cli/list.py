"""``bsbench list``: strategies and scenarios, or one of them in full."""

from __future__ import annotations

import inspect
import json
import re
import textwrap
from typing import TYPE_CHECKING

import click

from bsbench.cli.group import Section, in_section
from bsbench.cli.options import GroupedCommand

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from bsbench.common.parameters import Configurable
    from bsbench.rules.scenario import Scenario
    from bsbench.strategies import Strategy


_WITH_SOURCES = 100
"""Columns of a terminal that has room for sources."""

_ROUGH = 0.05
"""Half the width of an interval above which a mean has one decimal place."""

_TABLES = ("strategies", "scenarios")
"""What `list` may show alone."""


@in_section(Section.LOOK)
@click.command("list", cls=GroupedCommand)
@click.argument("name", required=False)
def list_command(name: str | None) -> None:
    """List strategies and scenarios, or describe one of them.

    NAME is a strategy or a scenario; 'strategies' and 'scenarios' show one of the two tables. The
    columns 'hit', 'sunk' and 'ship' have mean moves by feedback on the strategy's home scenario,
    else on classic, from the records that come with bsbench; 'bsbench best' shows who is best.
    Strategies of installed packages are listed by name; only NAME is imported.

    \b
    Examples:
      bsbench list
      bsbench list scenarios
      bsbench list prob
      bsbench list gym-6x9
      bsbench list my_file.py:Mine
    """
    from bsbench.common.settings import check_choice
    from bsbench.own.loading import installed
    from bsbench.roster import find_strategy, is_strategy, strategy_names
    from bsbench.rules.scenario import look_up_scenario, scenario_names

    console = list_console()
    if name in (None, *_TABLES):
        if name != "scenarios":
            _print_strategies(console)
            _print_installed(console)
        if name != "strategies":
            _print_scenarios(console)
        click.echo(
            "'bsbench list NAME' shows a strategy or scenario in full"
            + ("." if name else ",\n'bsbench list strategies' or 'scenarios' one of these tables.")
        )
    elif is_strategy(name):
        _print_strategy(console, find_strategy(name)())
    elif scenario := look_up_scenario(name):
        _print_scenario(scenario)
    else:
        known = [*strategy_names(), *installed(), *scenario_names()]
        check_choice("strategy or scenario", name, known)


def list_console() -> Console:
    """Return where lists are printed."""
    from rich.console import Console

    console = Console(highlight=False)
    # Into a file or a pipe, no line has to be broken.
    console.width = max(console.width, 80) if console.is_terminal else 160
    return console


def list_table(*columns: str) -> Table:
    """Return an empty table, whose first column is never broken."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    for column in columns:
        table.add_column(column, no_wrap=column == columns[0], overflow="fold")
    return table


def idea_text(what: Configurable) -> Text:
    """Return the idea of a strategy or player, and below it its parameters, so that both fit."""
    from rich.text import Text

    from bsbench.common.settings import setting_text
    from bsbench.common.texts import for_terminal

    settings = (setting_text(*parameter) for parameter in what.parameters.items())
    return Text.assemble(
        for_terminal(what.idea), (f"\n{' '.join(settings)}" if what.parameters else "", "dim")
    )


def parameter_table(what: Configurable) -> Table:
    """Return the parameters of a strategy or player: what each may be, and what it does."""
    from rich.text import Text

    from bsbench.common.parameters import wanted
    from bsbench.common.settings import value_text
    from bsbench.common.texts import for_terminal

    table = list_table("parameter", "default", "values", "meaning")
    for name, field in what.declared().items():
        facts = value_text(field.default), wanted(field), field.metadata.get("meaning", "")
        table.add_row(name, *(Text(for_terminal(fact)) for fact in facts))
    return table


def _print_strategies(console: Console) -> None:
    from rich.text import Text

    from bsbench.roster import find_strategy, strategy_names
    from bsbench.rules.board import Feedback
    from bsbench.rules.scenario import DEFAULT
    from bsbench.runs.known import kinds_of, known_results

    means: dict[tuple[str, str, str], str] = {}
    for each in sorted(known_results(), key=lambda each: -each.games):
        if each.is_plain:
            # A record of few games gives fewer digits.
            text = f"{each.mean:.{1 if each.half_width > _ROUGH else 2}f}"
            for kind in kinds_of(each):
                means.setdefault((each.strategy, each.scenario, kind), text)
    # Where there is no room for sources, 'list NAME' has them.
    wide = ["source"] if console.width >= _WITH_SOURCES else []
    kinds = [kind for kind in Feedback if kind in {each.feedback for each in known_results()}]
    table = list_table("name", "home", *map(str, kinds), "idea, parameters", *wide)
    for column in table.columns[2:5]:
        column.justify, column.no_wrap = "right", True
    if wide:
        # So narrow that a parameter and its default stay on one line.
        table.columns[-1].max_width = console.width // 4 - 4
    for name in strategy_names():
        strategy = find_strategy(name)()
        home, source = strategy.home or "–", Text(strategy.source)
        where = strategy.home or DEFAULT
        moves = [
            means.get((name, where, str(kind)), "")
            if kind.reveals.cover(strategy.needs.reveals)
            else "–"
            for kind in kinds
        ]
        facts: list[str | Text] = [name, home, *moves, idea_text(strategy), source]
        table.add_row(*facts[: len(table.columns)])
    console.print("Strategies\n", style="italic")
    console.print(table)
    console.print("\n–: the strategy needs to know more; empty: no record\n")


def _print_installed(console: Console) -> None:
    from rich.text import Text

    from bsbench.common.texts import for_terminal
    from bsbench.own.loading import usable

    entries = usable()
    if not entries:
        return
    table = list_table("name", "class", "package")
    for name, entry in sorted(entries.items()):
        facts = name, entry.value, entry.dist.name if entry.dist else "–"
        table.add_row(*(Text(for_terminal(fact)) for fact in facts))
    console.print("Installed strategies\n", style="italic")
    console.print(table)
    console.print()


def _print_scenarios(console: Console) -> None:
    from rich.text import Text

    from bsbench.rules.scenario import find_scenario, scenario_names

    table = list_table("name", "board", "fleet", "touching", "feedback", "placement", "source")
    for name in scenario_names():
        scenario = find_scenario(name)
        rules = scenario.rules
        table.add_row(
            name,
            rules.board,
            " ".join(map(str, rules.fleet)),
            rules.apart.option,
            str(rules.feedback),
            str(scenario.placement),
            Text(scenario.source),
        )
    console.print("Scenarios\n", style="italic")
    console.print(table)
    console.print()


def _print_strategy(console: Console, strategy: Strategy) -> None:
    from rich.table import Table
    from rich.text import Text

    from bsbench.common.texts import for_terminal

    console.print(Text.assemble((strategy.name, "bold"), f": {for_terminal(strategy.idea)}\n"))
    facts = Table.grid(padding=(0, 2, 0, 0))
    facts.add_row("source", Text(for_terminal(strategy.source)))
    facts.add_row("home", strategy.home or "–")
    facts.add_row("needs", f"feedback {strategy.needs}")
    console.print(facts)
    if strategy.declared():
        console.print()
        console.print(parameter_table(strategy))
    _print_known(console, strategy)
    whole = for_terminal(inspect.cleandoc(type(strategy).__doc__ or ""))
    more = whole.partition("\n")[2].strip()
    for paragraph in re.split(r"\n\s*\n", more) if more else ():
        # Prose fits the terminal; lists, tables and code stay as they were laid out.
        prose = not re.search(r"^([-*+=|\s]|\d+\.\s)", paragraph, re.MULTILINE)
        fitted = textwrap.fill(paragraph, min(console.width, 100), break_on_hyphens=False)
        click.echo(f"\n{fitted if prose else paragraph}")


def _print_known(console: Console, strategy: Strategy) -> None:
    """Print what the records that come with bsbench say of a strategy."""
    from bsbench.runs.known import known_results
    from bsbench.stats import interval_texts

    if not strategy.built_in:
        return
    known = [each for each in known_results() if each.strategy == strategy.name]
    if not known:
        return
    table = list_table("scenario", "feedback", "mean ± 95 %", "games", "record")
    table.columns[2].justify = table.columns[3].justify = "right"
    table.columns[4].no_wrap = True
    means = interval_texts([each.mean for each in known], [each.half_width for each in known])
    for each, mean in zip(known, means, strict=True):
        table.add_row(each.scenario, each.feedback, mean, f"{each.games:,}", each.name)
    console.print()
    console.print(table)


def _print_scenario(scenario: Scenario) -> None:
    """Print the keys as in a scenario file, so that it can become one."""
    for key, value in scenario.to_dict().items():
        # Text, numbers and lists of them: TOML writes those as JSON does.
        click.echo(f"{key} = {json.dumps(value, ensure_ascii=False)}")
