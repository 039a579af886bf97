"""A person hides a fleet, ship by ship."""

from __future__ import annotations

import re
import secrets

from bsbench.common.errors import BsbenchError
from bsbench.play.game import board_after
from bsbench.play.samplers import make_sampler
from bsbench.rules.board import Rules, slots_left
from bsbench.rules.drawing import BoardView, read_cell
from bsbench.rules.placement import Placement
from bsbench.rules.slots import slot_cells, slot_code

_PLACE = re.compile(r"\s*([A-Za-z]+?\s*[0-9]+)[\s,]*([A-Za-z]*)\s*")

_WAYS = {"E": False, "EAST": False, "RIGHT": False, "S": True, "SOUTH": True, "DOWN": True}
"""Whether a ship goes down, by what a person types."""


class Hiding:
    """A fleet that is being laid.

    Parameters
    ----------
    rules : Rules

    Attributes
    ----------
    laid : list of int
        The slot codes of the ships laid so far, in the order of the fleet.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.laid: list[int] = []

    @property
    def done(self) -> bool:
        """Whether all ships are laid."""
        return len(self.laid) == len(self.rules.fleet)

    @property
    def length(self) -> int:
        """Of the ship that is laid next."""
        return self.rules.fleet[len(self.laid)]

    def lay(self, text: str) -> None:
        """Lay the next ship.

        Parameters
        ----------
        text : str
            Its first cell, and E where it goes to the right, S where it goes down: ``B7 E``. A ship
            of one cell needs no letter.

        Raises
        ------
        BsbenchError
            If it can't lie there.
        """
        rules, length = self.rules, self.length
        match = _PLACE.fullmatch(text)
        down = None if match is None else _WAYS.get(match[2].upper())
        if length == 1 and match is not None and not match[2]:
            down = False
        if match is None or down is None:
            raise BsbenchError(
                f"{text.strip()!r} is no place for a ship of {length}: give its first cell, and E "
                "if it goes to the right, S if it goes down, such as B7 E"
            )
        first = read_cell(match[1], rules.rows, rules.cols)
        step = rules.cols if down else 1
        row, col = divmod(first, rules.cols)
        fits = (row if down else col) + length <= (rules.rows if down else rules.cols)
        code = slot_code(range(first, first + step * length, step)) if fits else -1
        if code not in slots_left(rules, self.laid):
            raise BsbenchError(
                f"a ship of {length} can't lie at {text.strip()}: it must lie on the board, "
                "overlap no other ship, and leave room for the ships after it; ships "
                f"{rules.apart.sentence}"
            )
        self.laid.append(code)

    def lay_all(self, placement: Placement) -> None:
        """Lay all ships at random, by a placement law."""
        sampler = make_sampler(self.rules, placement)
        # Nobody knows the seed.
        self.laid = sampler.draw(secrets.randbelow(2**32), 0, 1)[0].tolist()

    def take_back(self) -> None:
        """Take the last ship back, if there is one."""
        del self.laid[-1:]

    def board(self) -> BoardView:
        """Return the board with the ships laid so far."""
        rules = self.rules
        ships = tuple(
            tuple(slot_cells(code, length, rules.cols))
            for code, length in zip(self.laid, rules.fleet, strict=False)
        )
        return board_after(rules, [], ships=ships)
