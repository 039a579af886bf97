"""Replays as one HTML page, animated, that needs no other file."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError
from bsbench.play.game import board_after
from bsbench.present.pages import board_data, board_page, source
from bsbench.present.replaying import Replay
from bsbench.rules.board import Feedback
from bsbench.rules.drawing import HIDDEN, legend

_PACKAGE = "bsbench.present.replaying"

_HIGHEST = 254
"""The byte that stands for the highest score of a move; lower scores in proportion."""

_NO_SCORE = 255
"""The byte that stands for a cell without a score."""


def page_text(replays: Sequence[Replay]) -> str:
    """Return games on one layout as an HTML page, side by side.

    Parameters
    ----------
    replays : sequence of Replay
        The same game of the same scenario and seed, played by one strategy or several.

    Raises
    ------
    BsbenchError
        If there is none, or they are not on the same layout.

    Notes
    -----
    The page loads nothing and runs no script but its own: see `bsbench.present.pages`. Scores are
    rounded to 255 levels.
    """
    if not replays:
        raise BsbenchError("there is no game to show: give at least one replay")
    first = replays[0]
    for other in replays[1:]:
        if (other.ships, _board_of(other)) != (first.ships, _board_of(first)):
            raise BsbenchError(
                f"games are shown side by side on one layout only: that of {other.strategy!r} is "
                f"not that of {first.strategy!r}; take the same scenario, seed and game"
            )
    return board_page(
        _PACKAGE,
        "replay.html.jinja",
        first.scenario.rules,
        script_text(),
        source(_PACKAGE, "player.css"),
        title=f"{', '.join(each.strategy for each in replays)} on {first.scenario.name}",
        facts=_facts(first),
        data=_data(replays),
        legend=legend(hidden=True),
        course="Ship cells left to find, against moves",
        jumps="next hit, hit before",
        boards=[
            str(board_after(each.scenario.rules, each.moves, ships=each.ships, title=each.strategy))
            for each in replays
        ],
    )


def script_text() -> str:
    """Return the script of the page, which a page that frames it must allow, too."""
    return source(_PACKAGE, "player.js") + source(_PACKAGE, "battleship.js")


def _board_of(replay: Replay) -> tuple[Any, ...]:
    rules = replay.scenario.rules
    return rules.rows, rules.cols, rules.fleet, rules.touching, replay.seed, replay.game


def _facts(replay: Replay) -> str:
    """Return which game it is, and its rules, in a line."""
    rules = replay.scenario.rules
    touching = "may" if rules.touching else "may not"
    return (
        f"Game {replay.game} of seed {replay.seed}: {rules.board} board, fleet {rules.fleet_text}, "
        f"ships {touching} touch, feedback {rules.feedback}."
    )


def _data(replays: Sequence[Replay]) -> dict[str, Any]:
    """Return what the script reads."""
    return board_data(replays[0].scenario.rules) | {
        "ships": replays[0].ships,
        "announced": all(each.scenario.rules.feedback >= Feedback.SUNK for each in replays),
        "hidden": HIDDEN,
        "hiddenMeaning": "ship cell not found",
        "games": [_game(each) for each in replays],
    }


def _game(replay: Replay) -> dict[str, Any]:
    maps: list[bytes] = []
    highest: list[float] = []
    map_of: list[int] = []
    for move in replay.moves:
        if move.scores is None:
            map_of.append(-1)
            continue
        quantised, most = _quantised(move.scores)
        map_of.append(len(maps))
        maps.append(quantised)
        highest.append(most)
    return {
        "label": replay.strategy,
        "moves": [
            (move.cell, move.outcome, -1 if move.ship is None else move.ship)
            for move in replay.moves
        ],
        "fault": "" if replay.fault is None else str(replay.fault),
        "maps": base64.b64encode(b"".join(maps)).decode(),
        "highest": highest,
        "mapOf": map_of,
        "queued": [int(move.waiting) for move in replay.moves],
    }


def _quantised(raw: npt.NDArray[Any]) -> tuple[bytes, float]:
    """Return scores in a byte each, and the highest one."""
    scores = raw.astype(np.float64)
    most = max(float(scores.max(initial=0.0)), 0.0)
    levels = np.rint(np.clip(scores, 0, None) * (_HIGHEST / most if most > 0 else 0.0))
    levels[scores < 0] = _NO_SCORE
    return levels.astype(np.uint8).tobytes(), most
