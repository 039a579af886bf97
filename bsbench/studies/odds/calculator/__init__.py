"""The odds calculator as one HTML page that needs no other file: it counts by itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from markupsafe import Markup

from bsbench.counting.evidence import Evidence
from bsbench.counting.stored import find_stored
from bsbench.present.pages import board_data, board_style, page, script_of
from bsbench.present.tables import rules_text
from bsbench.rules.drawing import legend
from bsbench.rules.position import Position, answer_text, rules_words, ship_name
from bsbench.studies.odds.study import Odds, find_odds

_MOST_WORK = 20_000_000_000
"""Words of 32 bits that the page joins before it gives up: about a minute and a half."""


def page_text(odds: Odds) -> str:
    """Return the calculator as an HTML page that begins with a position.

    It holds the odds of that position, and those of the empty board where they are stored. A click
    on a cell, and one on the answer there, give the odds after it. The page counts by joins alone
    (`bsbench.counting.joins`); where that would take too long, it names the command.

    Parameters
    ----------
    odds : Odds
        Of the position.
    """
    scenario, rules = odds.scenario, odds.scenario.rules
    if any(answer.unlettered for answer in odds.position.single_answers):
        # The page names the ships that have sunk: of equal ones, the first.
        ((_, named),) = odds.posterior.parts
        told = tuple(each._replace(unlettered=False) for each in odds.position.single_answers)
        odds = replace(odds, position=Position(scenario, told), posterior=named)
    answers = [answer_text(answer, rules) for answer in odds.answers]
    known = {",".join(answers): _counts(odds)}
    if find_stored(Evidence(rules)) is not None:
        known[""] = _counts(find_odds(Position(scenario)))
    data = board_data(rules) | {
        "rules": {
            "cells": rules.cells,
            "fleet": rules.fleet,
            "told": rules.reveals._asdict(),
            "slots": {
                length: [(slot[0], slot.step) for slot in rules.slots(length)]
                for length in set(rules.fleet)
            },
            # Cells that no other ship may use, if there is a ship on a cell.
            "apart": [[cell, *rules.closed_around(cell)] for cell in range(rules.cells)],
        },
        "ships": [ship_name(rules.fleet, ship) for ship in range(len(rules.fleet))],
        "answers": answers,
        "known": known,
        "command": f"bsbench odds '{rules_words(scenario)}:",
        "limit": _MOST_WORK,
    }
    return page(
        __name__,
        "odds.html.jinja",
        ["boards.css", "odds.css"],
        script_of(__name__, "boards.js", "odds.js"),
        board_style(rules),
        {"worker-src": "blob:"},
        title=f"Battleship odds: {scenario.name}",
        facts=rules_text(scenario),
        board=str(odds),
        legend=legend(),
        # The page gives this text to a worker. It holds no end of a script.
        counting=Markup(script_of(__name__, "counting.js")),
        data=data,
    )


def _counts(odds: Odds) -> dict[str, Any]:
    """Return the odds of a position as ``oddsOf`` of ``counting.js`` does."""
    found = odds.posterior
    return {
        # Whole numbers beyond 2^53 stay exact as text.
        "layouts": str(found.layouts),
        "unlabelled": str(found.unlabelled),
        "ships": (found.ships / found.layouts).tolist(),
        "cells": found.probabilities.tolist(),
        "information": odds.information.tolist(),
        "sunk": [[ship, found.evidence.slots_of(ship)] for ship in sorted(found.evidence.sunk)],
    }
