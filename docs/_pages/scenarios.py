"""The built-in scenarios, each with a layout and exact probabilities."""

from __future__ import annotations

from collections.abc import Iterator

from _pages import ROOT, repository
from bsbench.play.game import layout_of
from bsbench.play.samplers import make_sampler
from bsbench.rules.drawing import BoardView
from bsbench.rules.position import Position
from bsbench.rules.scenario import Scenario, find_scenario, scenario_names
from bsbench.studies.odds.study import find_odds

_HEAD = """\
# Scenarios

A {term}`scenario` is a board, a {term}`fleet`, {term}`feedback` and a {term}`placement law` under a name. These are built in.
`bsbench list NAME` prints one as a file to begin with; the [keys of such a file](formats/scenario.md) are listed
among the file formats.

Each drawing shows the layout of game 0 under seed 0. Beside it stands how likely each cell holds a ship before the
first shot, in percent of the most likely cell; that is counted, not estimated (`bsbench odds --scenario NAME`).

"""

_FAMILY = """\
## The family `gym-ROWSxCOLS`

Boards from 5×5 to 12×12, rectangular ones such as `gym-6x9` included. The fleet follows the smaller side.

"""


def pages() -> Iterator[tuple[str, str]]:
    """Yield the page of all scenarios."""
    names = sorted(scenario_names(), key=lambda name: (name.startswith("gym"), name))
    family = [name for name in names if name.startswith("gym")]
    text = _HEAD
    for name in names:
        if family and name == min(family, key=lambda each: find_scenario(each).rules.cells):
            text += _FAMILY
        if name not in family:
            text += _section(find_scenario(name), "##")
    for name in sorted(family, key=lambda each: find_scenario(each).rules.cells):
        text += _section(find_scenario(name), "###")
    files = sorted((ROOT / "configs").glob("*.toml"))
    text += "Files: " + ", ".join(
        f"[`configs/{path.name}`]({repository(f'configs/{path.name}')})" for path in files
    )
    yield "reference/scenarios.md", f"{text}.\n"


def _section(scenario: Scenario, heading: str) -> str:
    """Return what a page says of a scenario."""
    rules = scenario.rules
    odds = find_odds(Position(scenario))
    layout = layout_of(rules, make_sampler(rules, scenario.placement), 0, 0)
    board = BoardView(
        rules.rows,
        rules.cols,
        rules.fleet,
        (0,) * rules.cells,
        (),
        ships=layout,
        scores=tuple(odds.posterior.probabilities.tolist()),
    )
    facts = {
        "Board": f"{rules.rows}×{rules.cols}",
        "Fleet": f"{rules.fleet_text} ({sum(rules.fleet)} ship cells: a perfect game)",
        "Touching": f"ships {rules.apart.sentence}",
        "Feedback": f"`{rules.feedback}`",
        "Layouts": f"{odds.posterior.layouts:,}, law `{scenario.placement}`",
        "Source": scenario.source,
    }
    listed = "".join(f"{key}\n: {value}\n\n" for key, value in facts.items())
    drawn = board._repr_html_()
    return f"{heading} {scenario.name}\n\n{scenario.summary}.\n\n:::{{div}} facts\n{listed}:::\n\n{drawn}\n\n"
