"""``bsbench list``: strategies, scenarios and placement laws, or one of them."""

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

    from bsbench.rules.scenario import Scenario
    from bsbench.strategies import Strategy


_WITH_HOMES, _WITH_SOURCES = 80, 100
"""Columns of a terminal that has room for homes, and for sources."""

_PIPED = 160
"""Columns in a file or a pipe."""

_ROUGH = 0.05
"""Half the width of an interval above which a mean has one decimal place."""

_TABLES = ("strategies", "scenarios", "laws")
"""What `list` may show alone."""


@in_section(Section.LOOK)
@click.command("list", cls=GroupedCommand)
@click.argument("name", required=False)
def list_command(name: str | None) -> None:
    """List strategies, scenarios and placement laws, or describe one of them.

    NAME is one of their names; 'strategies', 'scenarios' and 'laws' show one table. The
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
    from bsbench.present.terminal import console_for
    from bsbench.roster import find_strategy, is_strategy, strategy_names
    from bsbench.rules.placement import LAWS
    from bsbench.rules.scenario import look_up_scenario, scenario_names

    console = console_for(None, _PIPED)
    if name in (None, *_TABLES):
        if name in (None, "strategies"):
            _print_strategies(console)
            _print_installed(console)
        if name in (None, "scenarios"):
            _print_scenarios(console)
        if name in (None, "laws"):
            _print_laws(console)
        click.echo(
            "'bsbench list NAME' shows one of them in full"
            + ("." if name else ",\n'bsbench list strategies', 'scenarios' or 'laws' one table.")
        )
    elif law := LAWS.get(name.partition(":")[0]):
        click.echo(f"{law.text}: {law.meaning}")
    elif is_strategy(name):
        _print_strategy(console, find_strategy(name)())
    elif scenario := look_up_scenario(name):
        _print_scenario(scenario)
    else:
        known = [*_TABLES, *strategy_names(), *installed(), *scenario_names(), *LAWS]
        check_choice("strategy, scenario or placement law", name, known)


def _print_strategies(console: Console) -> None:
    from bsbench.common.settings import setting_text
    from bsbench.present.terminal import print_table
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
    names = strategy_names()
    strategies = [find_strategy(name)() for name in names]
    columns = {"name": names}
    if console.width >= _WITH_HOMES:
        columns["home"] = [strategy.home or "–" for strategy in strategies]
    known = {each.feedback for each in known_results()}
    for told in (told for told in Feedback if told in known):
        columns[str(told)] = [
            means.get((strategy.name, strategy.home or DEFAULT, str(told)), "")
            if told.reveals.cover(strategy.needs.reveals)
            else "–"
            for strategy in strategies
        ]
    settings = [
        " ".join(setting_text(*parameter) for parameter in strategy.parameters.items())
        for strategy in strategies
    ]
    columns["idea, parameters"] = [
        f"{strategy.idea}\n{setting}".strip()
        for strategy, setting in zip(strategies, settings, strict=True)
    ]
    if console.width >= _WITH_SOURCES:
        # Where there is no room for sources, 'list NAME' has them.
        columns["source"] = [strategy.source for strategy in strategies]
    console.print("Strategies\n", style="italic")
    print_table(console, columns, ("name", "home", "idea, parameters", "source"))
    console.print(
        "hit, sunk, ship: mean moves with this feedback, at home, else on classic; –: the strategy "
        "needs to know more; empty: no record\n"
    )


def _print_installed(console: Console) -> None:
    from bsbench.own.loading import usable
    from bsbench.present.terminal import print_table

    entries = usable()
    if not entries:
        return
    console.print("Installed strategies\n", style="italic")
    columns = {
        "name": sorted(entries),
        "class": [entries[name].value for name in sorted(entries)],
        "package": [dist.name if (dist := entries[name].dist) else "–" for name in sorted(entries)],
    }
    print_table(console, columns, columns)


def _print_scenarios(console: Console) -> None:
    from bsbench.present.terminal import print_table
    from bsbench.rules.scenario import find_scenario, scenario_names

    scenarios = [find_scenario(name) for name in scenario_names()]
    columns = {
        "name": scenario_names(),
        "board": [str(each.rules.board) for each in scenarios],
        "fleet": [each.rules.fleet_text for each in scenarios],
        "touching": [each.rules.apart.option for each in scenarios],
        "feedback": [str(each.rules.feedback) for each in scenarios],
        "placement": [str(each.placement) for each in scenarios],
        "source": [each.source for each in scenarios],
    }
    console.print("Scenarios\n", style="italic")
    print_table(console, columns, columns)


def _print_laws(console: Console) -> None:
    from bsbench.present.terminal import print_table
    from bsbench.rules.placement import LAWS, SCORES

    console.print("Placement laws\n", style="italic")
    columns = {
        "law": [law.text for law in LAWS.values()],
        "layouts": [law.meaning for law in LAWS.values()],
    }
    print_table(console, columns, columns)
    console.print("Scores of pick\n", style="italic")
    columns = {"score": [*SCORES], "what it sums up": [*SCORES.values()]}
    print_table(console, columns, columns)


def _print_strategy(console: Console, strategy: Strategy) -> None:
    from bsbench.common.parameters import wanted
    from bsbench.common.settings import value_text
    from bsbench.common.texts import for_terminal
    from bsbench.present.terminal import print_lines, print_table

    print_lines(console, [f"{strategy.name}: {strategy.idea}"], bold=len(strategy.name))
    facts = {
        "source": strategy.source,
        "home": strategy.home or "–",
        "needs": f"feedback {strategy.needs}",
    }
    print_lines(console, ["", *(f"{name:<6}  {fact}" for name, fact in facts.items()), ""])
    declared = strategy.declared()
    columns = {
        "parameter": [*declared],
        "default": [value_text(field.default) for field in declared.values()],
        "values": [wanted(field) for field in declared.values()],
        "meaning": [field.metadata.get("meaning", "") for field in declared.values()],
    }
    print_table(console, columns, columns)
    _print_known(console, strategy)
    whole = for_terminal(inspect.cleandoc(type(strategy).__doc__ or ""))
    more = whole.partition("\n")[2].strip()
    for paragraph in re.split(r"\n\s*\n", more) if more else ():
        click.echo()
        for item in re.split(r"\n(?=- )", paragraph):
            # Prose and lists fit the terminal; tables and code stay as they were laid out.
            prose = not re.search(r"^([*+=|\s]|\d+\.\s)", item.replace("\n  ", "\n"), re.MULTILINE)
            indent = "  " if item.startswith("- ") else ""
            width = min(console.width, 100)
            text = " ".join(item.split())
            fitted = textwrap.fill(text, width, subsequent_indent=indent, break_on_hyphens=False)
            click.echo(fitted if prose else item)


def _print_known(console: Console, strategy: Strategy) -> None:
    """Print what the records that come with bsbench say of a strategy."""
    from bsbench.present.terminal import print_table
    from bsbench.runs.known import known_results
    from bsbench.stats import interval_texts

    if not strategy.built_in:
        return
    known = [each for each in known_results() if each.strategy == strategy.name]
    if not known:
        return
    means = interval_texts([each.mean for each in known], [each.half_width for each in known])
    columns = {
        "scenario": [each.scenario for each in known],
        "feedback": [each.feedback for each in known],
        "mean ± 95 %": means,
        "games": [f"{each.games:,}" for each in known],
        "record": [each.name for each in known],
    }
    print_table(console, columns, ("scenario", "feedback", "record"))


def _print_scenario(scenario: Scenario) -> None:
    """Print the keys as in a scenario file, so that it can become one."""
    for key, value in scenario.to_dict().items():
        # Text, numbers and lists of them: TOML writes those as JSON does.
        click.echo(f"{key} = {json.dumps(value, ensure_ascii=False)}")
