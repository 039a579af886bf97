"""A page for each strategy: what it does, how good it is, and a game of it."""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Iterator
from pathlib import Path

from _pages import ROOT, repository, table, toctree
from bsbench.common.parameters import wanted
from bsbench.common.settings import value_text
from bsbench.present.charts import CHARTS, save_figure
from bsbench.present.replaying import replay
from bsbench.present.replaying.page import page_text
from bsbench.roster import find_strategy, strategy_names
from bsbench.rules.scenario import DEFAULT, Scenario, find_scenario
from bsbench.runs.heat import shots
from bsbench.runs.records import load_result
from bsbench.runs.results import Result
from bsbench.strategies import Strategy
from bsbench.strategies.base import FixedOrder, Planner

_FOLDERS = ("classic", "harbour", "sea-battle", "champions", "edge", "posterior", "rollouts")
"""Folders of records whose figures stand on the pages."""

_GAMES = 2_000
"""Games behind a heat map, and those of a strategy that takes long."""
_FEW_GAMES = 20

_HEAD = """\
# Strategies

All built-in strategies. Each page gives the idea, the source, the parameters, the figures of the records that come
with bsbench, a heat map of the shots, and a game to watch. {term}`Feedback` is the least that a strategy needs;
*mean moves* are those of the plan `classic`: a million games each on the same layouts, with the 95 % interval.

"""


def pages() -> Iterator[tuple[str, str | bytes]]:
    """Yield a page that lists all strategies, and for each a page, a picture and a replay."""
    found = _records()
    names = strategy_names()
    rows = []
    for name in names:
        strategy = find_strategy(name)()
        results = found.get(name, [])
        classic = [result.stats.mean_text for part, result in results if part == f"@classic/{name}"]
        idea = strategy.idea.rstrip(".")
        rows.append([f"[`{name}`]({name}.md)", idea, f"`{strategy.needs}`", *(classic or ["–"])])
        yield from _pages_of(strategy, results)
    head = ["strategy", "idea", "feedback", "mean moves on `classic`"]
    yield "reference/strategies/index.md", _HEAD + table(head, rows) + toctree(names, hidden=True)


def _records() -> dict[str, list[tuple[str, Result]]]:
    """Return the records that come with bsbench by strategy, each with the name that finds it."""
    found: dict[str, list[tuple[str, Result]]] = {}
    for folder in _FOLDERS:
        for path in sorted((ROOT / "results" / folder).glob("*.json")):
            if path.name != "reproduce.json":
                result = load_result(path)
                found.setdefault(result.strategy, []).append((f"@{folder}/{path.stem}", result))
    return found


def _pages_of(
    strategy: Strategy, results: list[tuple[str, Result]]
) -> Iterator[tuple[str, str | bytes]]:
    """Yield the page of a strategy, its heat map, and a replay."""
    name = strategy.name
    scenario = find_scenario(strategy.home or DEFAULT)
    if not scenario.rules.reveals.cover(strategy.needs.reveals):
        scenario = scenario.override(feedback=strategy.needs)
    file = inspect.getsourcefile(type(strategy))
    assert file is not None
    code = Path(file).relative_to(ROOT).as_posix()
    games = _FEW_GAMES if strategy.takes_long or strategy.shares else _GAMES
    facts = {
        "Source": strategy.source,
        "Home scenario": f"`{strategy.home}`" if strategy.home else "none: `classic`",
        "Feedback it needs": f"`{strategy.needs}` ({strategy.needs.summary})"
        + ("; more is used where it is given" if strategy.uses else ""),
        "Kind": _kind(strategy),
        "Code": f"[`{code}`]({repository(code)})",
    }
    listed = "".join(f"{key}\n: {value}\n\n" for key, value in facts.items())
    yield f"reference/strategies/{name}-shots.svg", _heat_map(strategy, scenario, games)
    yield f"reference/_pages/replays/{name}.html", page_text([replay(strategy, scenario)])
    yield (
        f"reference/strategies/{name}.md",
        f"""\
# {name}

```{{eval-rst}}
{inspect.getdoc(type(strategy))}
```

:::{{div}} facts
{listed}:::

```sh
bsbench run {name}
bsbench replay --strategy {name}
```

## Parameters

{_parameters(strategy)}

## Figures

{_figures(results)}

## Where it shoots

![How early {name} shoots each cell, and how often]({name}-shots.svg)

The first {games:,} games of seed 0 on `{scenario.name}`. `bsbench chart --kind shots --strategy {name}` draws more of them.

## A game

Game 0 of seed 0 on `{scenario.name}`: <a href="../../replays/{name}.html">open it on a page of its own</a>.

<iframe class="replay" src="../../replays/{name}.html" title="Replay of {name}" loading="lazy"></iframe>
""",
    )


def _heat_map(strategy: Strategy, scenario: Scenario, games: int) -> bytes:
    """Return the chart of a strategy's shots."""
    figure = CHARTS["shots"].function(shots(strategy, scenario, games=games))
    with tempfile.TemporaryDirectory() as folder:
        (path,) = save_figure(figure, Path(folder), "shots", ["svg"])
        return path.read_bytes()


def _kind(strategy: Strategy) -> str:
    """Return how a strategy decides, for readers."""
    if isinstance(strategy, FixedOrder):
        return "a fixed order: all shots of a game are given before it begins"
    if isinstance(strategy, Planner):
        return "a planner: it lays down many shots at a time"
    return "it chooses shot by shot"


def _parameters(strategy: Strategy) -> str:
    """Return a table of parameters."""
    rows = [
        [f"`{name}`", f"`{value_text(field.default)}`", wanted(field), field.metadata["meaning"]]
        for name, field in strategy.declared().items()
    ]
    if not rows:
        return "It has none."
    return table(["parameter", "default", "values", "meaning"], rows)


def _figures(results: list[tuple[str, Result]]) -> str:
    """Return a table of the records of a strategy."""
    rows = []
    for name, result in results:
        stats, scenario = result.stats, result.scenario
        law = "" if scenario.placement.law == "uniform" else f", `{scenario.placement}`"
        variant = result.label.removeprefix(result.strategy).strip()
        rows.append(
            [
                f"`{name}`" + (f", with `{variant}`" if variant else ""),
                f"`{scenario.name.partition('+')[0]}`{law}",
                f"`{scenario.rules.feedback}`",
                stats.mean_text,
                f"{stats.median} ({stats.low}–{stats.high})",
                f"{result.games:,}",
            ]
        )
    if not rows:
        return "No record of it comes with bsbench."
    head = ["record", "scenario", "feedback", "mean moves ± 95 %", "median (5–95 %)", "games"]
    text = "`bsbench show RECORD` prints a record in full.\n\n"
    return f"{text}:::{{div}} figures\n{table(head, rows)}:::\n"
