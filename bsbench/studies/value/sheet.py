"""The value of a game as text: for the terminal, notebooks, and tables in Markdown and LaTeX."""

from __future__ import annotations

from bsbench.present.sheets import Sheet
from bsbench.present.tables import rules_text
from bsbench.rules.scenario import Scenario
from bsbench.studies.value.board import BoardValue

_LAYOUTS = 10
"""Kinds of layouts that are shown, at most."""


def sheet(found: BoardValue) -> Sheet:
    """Return what is shown of the value of a game."""
    record, scenario = found.content(), found.scenario
    hiding = record.hiding[:_LAYOUTS]
    low, high = record.low, record.high
    if record.proven:
        answer = (
            f"if both choose as well as they can, the shooter needs {low.fraction} = "
            f"{low.decimal:.4f} shots"
        )
    else:
        answer = (
            f"if both choose as well as they can, the shooter needs {low.decimal:.4f} to "
            f"{high.decimal:.4f} shots"
        )
    left = len(record.hiding) - len(hiding)
    return Sheet(
        {
            "layout": [each.layout for each in hiding],
            "mirror images": [f"{each.layouts}" for each in hiding],
            "probability": [f"{100 * each.probability.decimal:.2f} %" for each in hiding],
        },
        finding=answer,
        words=["layout"],
        notes=[
            *([f"and {left} more kinds of layouts"] if left else []),
            f"layouts as in a file, with all that symmetries of the board make of each; "
            f"{len(record.hiding)} of {record.orbits} kinds are hidden, in {record.trees} ways of "
            "shooting",
            f"if all {record.layouts:,} layouts were equally likely: {record.uniform.fraction} = "
            f"{record.uniform.decimal:.4f} shots; whoever shoots so needs "
            f"{record.unaware.decimal:.4f} against that hiding, and up to "
            f"{record.turned.decimal:.4f} on other layouts, even if the board is turned at random",
            *(
                f"{each.label} needs {each.mean.fraction} = {each.mean.decimal:.4f} shots against "
                f"that, and up to {each.worst.decimal:.4f} on other layouts"
                for each in record.against
            ),
            f"{100 * record.border:.1f} % of ship cells lie on the border, of uniform layouts "
            f"{100 * record.uniform_border:.1f} %",
            "proven: no layout costs more, and no way of shooting less"
            if record.proven
            else "not proven: both bounds hold; allow more seconds",
            f"{scenario.name}: {_rules(scenario)}; {record.rounds} rounds in "
            f"{found.search_seconds:.2f} s",
        ],
    )


def _rules(scenario: Scenario) -> str:
    """Return the rules, without the placement law: it is not played."""
    law = f", {scenario.placement.of_layouts()}"
    return rules_text(scenario).removesuffix(law)
