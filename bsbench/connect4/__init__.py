"""Connect 4, the second game of bsbench: its rules, its players, and their results.

>>> from bsbench import connect4
>>> match = connect4.play_match("greedy", "random", games=200)
>>> match.score.text  # doctest: +SKIP

It shares with Battleship what belongs to neither game: parameters, random streams, the flags of
kernels, how users' code is imported and talked to, and how players meet (`bsbench.matches`).
Nothing of Battleship is imported here, and Battleship imports nothing from here.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # With "as", type checkers take them as public.
    from bsbench.connect4.contest import play_league as play_league
    from bsbench.connect4.contest import play_match as play_match
    from bsbench.connect4.own.checking import check_player as check_player
    from bsbench.connect4.own.view import View as View
    from bsbench.connect4.players import make_player as make_player
    from bsbench.connect4.position import Position as Position
    from bsbench.connect4.quality import judge_players as judge_players
    from bsbench.connect4.replaying import replay as replay
    from bsbench.connect4.replaying import replay_moves as replay_moves
    from bsbench.matches.faults import PlayerError as PlayerError

_NAMES_OF = {
    "connect4.contest": "play_league play_match",
    "connect4.own.checking": "check_player",
    "connect4.own.view": "View",
    "connect4.players": "make_player",
    "connect4.position": "Position",
    "connect4.quality": "judge_players",
    "connect4.replaying": "replay replay_moves",
    "matches.faults": "PlayerError",
}
"""Public names, by the module that each is from."""

_MODULE_OF = {name: module for module, names in _NAMES_OF.items() for name in names.split()}

__all__ = sorted(_MODULE_OF)


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"bsbench.{_MODULE_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
