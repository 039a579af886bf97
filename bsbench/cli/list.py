"""``bsbench list``: strategies and scenarios."""

from __future__ import annotations

import click


@click.command("list")
def list_command() -> None:
    """Show all strategies and built-in scenarios, with their sources."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    from bsbench.scenario import built_in_names, find_scenario
    from bsbench.strategies import find_strategy, strategy_names

    console = Console(highlight=False)
    # Into a file or a pipe, no line has to be broken.
    console.width = max(console.width, 80) if console.is_terminal else 160
    strategies = Table(title="Strategies", title_justify="left", box=box.SIMPLE_HEAD)
    for column in ("name", "home", "needs", "idea", "source"):
        strategies.add_column(column, no_wrap=column == "name", overflow="fold")
    for name in strategy_names():
        strategy = find_strategy(name)()
        strategies.add_row(
            name, strategy.home or "–", str(strategy.needs), strategy.idea, strategy.source
        )
    console.print(strategies)

    scenarios = Table(title="Scenarios", title_justify="left", box=box.SIMPLE_HEAD)
    for column in ("name", "board", "fleet", "touching", "feedback", "placement", "source"):
        scenarios.add_column(column, no_wrap=column in ("name", "board"), overflow="fold")
    for name in built_in_names():
        scenario = find_scenario(name)
        rules = scenario.rules
        scenarios.add_row(
            name,
            rules.board,
            " ".join(map(str, rules.fleet)),
            "yes" if rules.touching else "no",
            str(rules.feedback),
            str(scenario.placement),
            scenario.source,
        )
    console.print(scenarios)
