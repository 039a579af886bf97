"""A replay as one HTML page that needs no other file."""

from __future__ import annotations

from typing import Any

from bsbench.connect4.position import COLUMNS, ROWS, winning_cells
from bsbench.connect4.replaying import Replay
from bsbench.present.pages import page, source

_PACKAGE = "bsbench.connect4.replaying"


def page_text(replay: Replay) -> str:
    """Return a game as an HTML page.

    Notes
    -----
    The page loads nothing and runs no script but its own: see `bsbench.present.pages`.
    """
    styles = ("palette.css", "boards.css", "player.css", "connect4.css")
    scripts = ("player.js", "connect4.js")
    return page(
        _PACKAGE,
        "game.html.jinja",
        "".join(source(_PACKAGE, name) for name in styles),
        "".join(source(_PACKAGE, name) for name in scripts),
        title=" against ".join(replay.labels),
        facts=f"{replay.facts} X is {replay.labels[0]}, O is {replay.labels[1]}.".strip(),
        data=_data(replay),
        course="Who wins after each move if both then play without a mistake: X above, O below",
        jumps="next mistake, mistake before",
        boards=[replay.position.drawing()],
        solved_from=replay.solved_from,
    )


def _data(replay: Replay) -> dict[str, Any]:
    """Return what the script reads."""
    values = [
        None
        if each is None
        else [
            [each[column].outcome, each[column].moves] if column in each else None
            for column in range(COLUMNS)
        ]
        for each in replay.values
    ]
    return {
        "rows": ROWS,
        "cols": COLUMNS,
        "labels": replay.labels,
        "played": replay.position.played,
        "opening": replay.opening,
        "values": values,
        "mistakes": [
            ply + 1 for ply in range(len(replay.position.played)) if replay.lost_value(ply)
        ],
        "solvedFrom": replay.solved_from,
        "four": sorted(winning_cells(replay.position)),
        "ending": replay.ending,
        "fault": "" if replay.fault is None else str(replay.fault),
    }
