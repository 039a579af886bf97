"""Where a user's player failed."""

from __future__ import annotations

from collections.abc import Sequence

from bsbench.common.errors import Fault
from bsbench.connect4.position import columns_text
from bsbench.matches.faults import PlayerError
from bsbench.matches.player import Player


def fault_at(player: Player, played: Sequence[int], fault: Fault) -> PlayerError:
    """Return the error that a fault in a position is, which belongs to no match."""
    return PlayerError(player.label, after(played), fault)


def after(played: Sequence[int]) -> str:
    """Return after which columns something happens."""
    return f"after {columns_text(played)}" if played else "on the empty board"
