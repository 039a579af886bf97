"""What ``options`` of `reset` can ask for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bsbench.errors import BsbenchError
from bsbench.layouts.file import layout_codes
from bsbench.rules import Rules
from bsbench.settings import suggestion

_KNOWN = "game", "layout"


def read_options(
    options: Mapping[str, Any] | None, rules: Rules
) -> tuple[int | None, list[int] | None]:
    """Return the number of the game, and the layout as slot codes, where options ask for these.

    Raises
    ------
    BsbenchError
        If an option is unknown, its value none that it can have, or both are asked for.
    """
    if not options:
        return None, None
    for name in options:
        if name not in _KNOWN:
            raise BsbenchError(
                f"unknown option {name!r} of reset: {suggestion(str(name), _KNOWN, 'known are')}"
            )
    game, layout = options.get("game"), options.get("layout")
    if game is not None and layout is not None:
        raise BsbenchError("give reset a game or a layout, not both: each says what is played")
    if layout is not None:
        return None, layout_codes(layout, rules)
    if game is not None:
        if isinstance(game, bool) or not hasattr(game, "__index__") or game < 0:
            raise BsbenchError(f"games are numbered from 0 on: there is no game {game!r}")
        game = int(game)
    return game, None
