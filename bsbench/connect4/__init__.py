"""Connect 4, the second game of bsbench: its rules, its players, and their matches.

>>> from bsbench import connect4
>>> match = connect4.play_match("greedy", "random", games=200)
>>> match.score.text  # doctest: +SKIP

It shares with Battleship what belongs to neither game: parameters, random streams, the flags of
kernels, statistics and tables. Nothing of Battleship is imported here, and Battleship imports
nothing from here.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # With "as", type checkers take them as public.
    from bsbench.connect4.match import play_match as play_match
    from bsbench.connect4.players import make_player as make_player
    from bsbench.connect4.position import Position as Position

_MODULE_OF = {
    "Position": "connect4.position",
    "make_player": "connect4.players",
    "play_match": "connect4.match",
}
"""Public names, and the module that each is from."""

__all__ = sorted(_MODULE_OF)


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"bsbench.{_MODULE_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
