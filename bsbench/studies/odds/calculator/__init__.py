"""The odds calculator as one HTML page that needs no other file: it counts by itself."""

from __future__ import annotations

import shlex

from markupsafe import Markup

from bsbench.counting.evidence import Evidence
from bsbench.counting.positions import answer_text, ship_name
from bsbench.counting.stored import find_stored
from bsbench.present.pages import board_data, board_page, source
from bsbench.present.tables import rules_text
from bsbench.rules.drawing import legend
from bsbench.rules.scenario import scenario_options
from bsbench.studies.odds.study import Odds

_MOST_WORK = 20_000_000_000
"""Words of 32 bits that the page joins before it gives up: about a minute and a half."""


def page_text(odds: Odds) -> str:
    """Return the calculator as an HTML page that begins with a position.

    A click on a cell, and one on the answer there, give the odds after it. The page counts by
    joins alone (`bsbench.counting.joins`); where that would take too long, it names the command.

    Parameters
    ----------
    odds : Odds
        Of the position.
    """
    package, scenario = __name__, odds.scenario
    rules = scenario.rules
    stored = find_stored(Evidence(rules))
    data = board_data(rules) | {
        "rules": {
            "cells": rules.cells,
            "fleet": rules.fleet,
            "told": rules.reveals._asdict(),
            "slots": {length: rules.slots(length) for length in set(rules.fleet)},
            # Cells that no other ship may use, if there is a ship on a cell.
            "apart": [[cell, *rules.closed_around(cell)] for cell in range(rules.cells)],
        },
        "ships": [ship_name(rules.fleet, ship) for ship in range(len(rules.fleet))],
        "answers": [answer_text(answer, rules) for answer in odds.answers],
        "command": f"bsbench odds {shlex.join(scenario_options(scenario))}",
        "limit": _MOST_WORK,
        "stored": stored
        and {
            "layouts": stored[0],
            "slots": {
                length: stored[1][ship, : len(rules.slots(length))].tolist()
                for ship, length in enumerate(rules.fleet)
            },
        },
    }
    return board_page(
        package,
        "calculator.html.jinja",
        rules,
        source(package, "calculator.js"),
        title=f"Battleship odds: {scenario.name}",
        facts=rules_text(scenario),
        legend=legend(),
        # The page gives this text to a worker. It holds no end of a script.
        counting=Markup(source(package, "counting.js")),
        data=data,
    )
