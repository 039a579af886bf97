"""The value of a game as text: for the terminal, notebooks, and tables in Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bsbench.common.errors import option
from bsbench.present.sheets import Sheet
from bsbench.present.tables import rules_text, threads_text
from bsbench.rules.scenario import Scenario
from bsbench.stats import interval_text
from bsbench.studies.value.board import BoardValue
from bsbench.studies.value.restricted import Restricted

_LAYOUTS = 10
"""Kinds of layouts that are shown, at most."""


def sheet(found: BoardValue | Restricted) -> Sheet:
    """Return what is shown of the value of a game."""
    return _board_sheet(found) if isinstance(found, BoardValue) else _restricted_sheet(found)


def _board_sheet(found: BoardValue) -> Sheet:
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
            "hides so": [each.layout for each in hiding],
            "and so on": [f"{each.layouts}" for each in hiding],
            "together": [f"{100 * each.probability.decimal:.2f} %" for each in hiding],
        },
        finding=answer,
        words=["hides so"],
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


def _restricted_sheet(found: Restricted) -> Sheet:
    """Return each strategy, then the laws that are chosen."""
    record = found.content()
    order = np.argsort([each.mixed for each in record.shooters], kind="stable")
    shooters = [record.shooters[place] for place in order]
    laws = sorted(record.laws, key=lambda each: -each.probability)
    laws = [each for each in laws if each.probability] + laws[-1:]
    value = interval_text(found.value, found.half_width)
    return Sheet(
        {
            "strategy": [each.label for each in shooters],
            "shoots": [_share(each.probability) for each in shooters],
            "against the mixture": [f"{each.mixed:.2f}" for each in shooters],
            "exploitability": [f"{each.exploitability:.2f}" for each in shooters],
            "worst law": [each.worst for each in shooters],
        },
        finding=f"if both choose as well as they can, the shooter needs {value} moves",
        more={
            "hides by": [each.law for each in laws],
            "share": [_share(each.probability) for each in laws],
            "best strategy": [each.best for each in laws],
            "its mean": [f"{each.mean:.2f}" for each in laws],
        },
        words=["strategy", "worst law", "hides by", "best strategy"],
        notes=[*_notes(found)],
    )


def _rules(scenario: Scenario) -> str:
    """Return the rules, without the placement law: it is not played."""
    law = f", {scenario.placement.of_layouts()}"
    return rules_text(scenario).removesuffix(law)


def _share(probability: float) -> str:
    return f"{100 * probability:.1f} %" if probability else "·"


def _notes(found: Restricted) -> Iterator[str]:
    yield f"hide so with {option('placement', str(found.hide))}"
    yield (
        "exploitability: moves beyond the value that a strategy needs against the law that is "
        "worst for it"
    )
    yield (
        f"{found.games:,} games of each of {len(found.labels)} strategies on each of "
        f"{len(found.laws)} laws, {found.scenario.name}: {_rules(found.scenario)}, seed "
        f"{found.seed}; played in {found.play_seconds:.1f} s on {threads_text(found.threads)}"
    )
