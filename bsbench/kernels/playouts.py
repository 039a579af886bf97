"""Playouts: games on many possible layouts, played to their ends from one position.

A deterministic player shoots the same cell wherever it has seen the same answers. So it chooses
once for a *node*, all playouts with the same answers, and each step makes new nodes of these::

    step      nodes                    playouts at a node
    0         position, first cell     0 1 2 3 4 5 6 7 8 …
              |            |
    1         miss         hit         0 2 3 5 6 8 | 1 4 7 …
              |      |     |    |
    2         miss   hit   …    sunk   0 2 5 | 3 6 8 | …

A node keeps its boards as in `boards`. Before each step they are turned into the bit planes of
`density.Evidence`, for the kernels of strategies that weigh slots; or into those of `ShipEvidence`,
for strategies that use which ship each hit is on. Nodes after a hit then differ by the ship.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.kernels._jit import helper, kernel
from bsbench.kernels.bits import trailing_zeros
from bsbench.kernels.boards import Boards
from bsbench.kernels.chances import Ships
from bsbench.kernels.density import Evidence
from bsbench.kernels.lanes import GROUP, WORDS, empty_rows
from bsbench.kernels.numbers import LANES
from bsbench.kernels.planes import Rows, turn
from bsbench.kernels.random import stream_start
from bsbench.rules.board import Rules

_ONE, _NO_BIT = np.uint64(1), np.uint64(0)
_MISS, _HIT, _SUNK = 0, 1, 2
_WATER = np.uint8(255)

MOST_SHIPS = 254
"""Ships of a fleet at most, so that a byte says which of them is on a cell."""


class ShipEvidence(NamedTuple):
    """What a shooter knows of each game who uses which ship each hit is on.

    Attributes
    ----------
    ships : Ships
    struck : ndarray of uint64, shape (ships, words)
        Lanes in which each ship is hit and afloat.
    """

    ships: Ships
    struck: npt.NDArray[np.uint64]


class Nodes(NamedTuple):
    """What is known at each node, and the nodes that follow.

    Attributes
    ----------
    unshot, dry, struck : ndarray of uint64, shape (nodes, words)
        Boards: see `bsbench.kernels.density.Evidence`.
    may : ndarray of uint64, shape (nodes, ships or 0, words)
        Boards of the cells where each ship may lie, for a player that uses which ship each hit
        is on: see `bsbench.kernels.chances.Ships`.
    afloat : ndarray of uint16, shape (nodes, longest)
        Number of ships afloat of each length, from 1 on.
    left : ndarray of int64, shape (nodes,)
        Ship cells not hit.
    follows : ndarray of int64, shape (nodes, 3)
        The first of the nodes after a miss, after a hit, and after a sinking; or -1.
    other, which : ndarray of int64, shape (nodes,)
        The next node after a hit, or a sinking, from the same node, or -1; and which ship was hit,
        as far as it is used, or which slot was sunk.
    """

    unshot: Boards
    dry: Boards
    struck: Boards
    may: Boards
    afloat: npt.NDArray[np.uint16]
    left: npt.NDArray[np.int64]
    follows: npt.NDArray[np.int64]
    other: npt.NDArray[np.int64]
    which: npt.NDArray[np.int64]


def room_for_nodes(rules: Rules, nodes: int, by_ship: bool) -> Nodes:
    """Return room for that many nodes; the content means nothing yet.

    Parameters
    ----------
    rules : Rules
    nodes : int
    by_ship : bool
        Whether the player uses which ship each hit is on.
    """
    words = -(-rules.cells // 64)
    unshot, dry, struck = np.zeros((3, nodes, words), np.uint64)
    return Nodes(
        unshot,
        dry,
        struck,
        may=np.zeros((nodes, len(rules.fleet) if by_ship else 0, words), np.uint64),
        afloat=np.zeros((nodes, max(rules.fleet)), np.uint16),
        left=np.zeros(nodes, np.int64),
        follows=np.zeros((nodes, 3), np.int64),
        other=np.zeros(nodes, np.int64),
        which=np.zeros(nodes, np.int64),
    )


class Slots(NamedTuple):
    """The slots of each kind of ship, numbered as in `bsbench.counting.tables`.

    Attributes
    ----------
    kind, length : ndarray of int64, shape (ships,)
    cells : ndarray of uint64, shape (kinds, slots, words)
        Board of a slot's cells.
    water : ndarray of uint64, shape (kinds, slots, words)
        Board of the cells that are water once a ship is known to have sunk there.
    cross : ndarray of uint64, shape (kinds, cells, words)
        Board of the cells of all slots through a cell.
    """

    kind: npt.NDArray[np.int64]
    length: npt.NDArray[np.int64]
    cells: Boards
    water: Boards
    cross: Boards


class Playouts(NamedTuple):
    """The playouts of a position: one for each first cell and layout.

    Attributes
    ----------
    ships : ndarray of int64, shape (layouts, ships)
        The slot of each ship.
    content : ndarray of uint8, shape (layouts, cells)
        The ship on each cell, or 255.
    going : ndarray of int64, shape (playouts,)
        Begins with the playouts that have not ended. Number i has layout i mod layouts.
    node : ndarray of int64, shape (playouts,)
        Where each of them is.
    shots : ndarray of int64, shape (playouts,)
        Shots to the end.
    """

    ships: npt.NDArray[np.int64]
    content: npt.NDArray[np.uint8]
    going: npt.NDArray[np.int64]
    node: npt.NDArray[np.int64]
    shots: npt.NDArray[np.int64]


def begin_playouts(
    rules: Rules, slots: Slots, ships: npt.NDArray[np.int64], starts: int
) -> Playouts:
    """Return the playouts of some layouts, each from ``starts`` nodes: those of node 0 first."""
    layouts = len(ships)
    content = np.full((layouts, rules.cells), _WATER)
    _fill(ships, slots, content)
    return Playouts(
        ships,
        content,
        np.arange(starts * layouts),
        np.repeat(np.arange(starts), layouts),
        np.zeros(starts * layouts, np.int64),
    )


@kernel
def _fill(ships, slots, content):
    """Write the ship on each cell."""
    for layout in range(len(ships)):
        for ship in range(ships.shape[1]):
            kind = slots.kind[ship]
            for word in range(slots.cells.shape[2]):
                cells = slots.cells[kind, ships[layout, ship], word]
                while cells:
                    content[layout, word * 64 + trailing_zeros(cells)] = ship
                    cells &= cells - _ONE


@helper
def _copy(now, node, after, new):
    for word in range(now.unshot.shape[1]):
        after.unshot[new, word] = now.unshot[node, word]
        after.dry[new, word] = now.dry[node, word]
        after.struck[new, word] = now.struck[node, word]
        for ship in range(now.may.shape[1]):
            after.may[new, ship, word] = now.may[node, ship, word]
    for length in range(now.afloat.shape[1]):
        after.afloat[new, length] = now.afloat[node, length]
    after.left[new] = now.left[node]
    for answer in range(3):
        after.follows[new, answer] = -1


@helper
def _learn(after, new, cell, answer, ship, kind, slot, length, slots):
    """Take note of a shot at a new node, as `bsbench.kernels.density.learn` does in a lane.

    And as `bsbench.kernels.chances.learn_ships` does, where ships may touch.
    """
    word, bit = cell >> 6, _ONE << np.uint64(cell & 63)
    for other in range(after.may.shape[1]):
        if answer == _MISS or other != ship:
            after.may[new, other, word] &= ~bit
            continue
        for each in range(after.may.shape[2]):
            cross = slots.cross[kind, cell, each] if answer == _HIT else _NO_BIT
            after.may[new, other, each] &= cross
    after.unshot[new, word] &= ~bit
    if answer == _MISS:
        after.dry[new, word] &= ~bit
        return
    after.left[new] -= 1
    after.struck[new, word] |= bit
    if answer == _SUNK:
        after.afloat[new, length - 1] -= 1
        for each in range(after.dry.shape[1]):
            cells = slots.cells[kind, slot, each]
            after.struck[new, each] &= ~cells
            after.dry[new, each] &= ~slots.water[kind, slot, each]


@kernel
def fire(step, count, cells, playouts, slots, now, after):
    """Fire in each playout, and make the nodes that follow.

    Parameters
    ----------
    step : int
        The number of this shot, from 1 on.
    count : int
        Playouts that have not ended.
    cells : ndarray of whole numbers, shape (nodes,)
        What is shot at each node.
    playouts : Playouts
        Changed in place.
    slots : Slots
    now, after : Nodes
        The nodes of the playouts, and room for those that follow.

    Returns
    -------
    going, nodes : int
        Playouts that go on, and nodes that they are at.
    """
    layouts = len(playouts.ships)
    going = nodes = 0
    for index in range(count):
        playout = playouts.going[index]
        layout, node = playout % layouts, playouts.node[playout]
        cell = np.int64(cells[node])
        ship = playouts.content[layout, cell]
        answer = _MISS
        kind = slot = length = 0
        if ship != _WATER:
            if now.left[node] == 1:
                playouts.shots[playout] = step
                continue
            kind, slot, length = slots.kind[ship], playouts.ships[layout, ship], slots.length[ship]
            bit, others = _ONE << np.uint64(cell & 63), _NO_BIT
            for word in range(now.unshot.shape[1]):
                mine = bit if word == cell >> 6 else _NO_BIT
                others |= slots.cells[kind, slot, word] & now.unshot[node, word] & ~mine
            answer = _HIT if others else _SUNK
        which = np.int64(0)
        if answer == _SUNK:
            which = kind * slots.cells.shape[1] + slot
        elif answer == _HIT and now.may.shape[1] > 0:
            which = np.int64(ship)
        new = now.follows[node, answer]
        while new >= 0 and after.which[new] != which:
            new = after.other[new]
        if new < 0:
            new = nodes
            nodes += 1
            _copy(now, node, after, new)
            _learn(after, new, cell, answer, ship, kind, slot, length, slots)
            after.which[new], after.other[new] = which, now.follows[node, answer]
            now.follows[node, answer] = new
        playouts.node[playout] = new
        playouts.going[going] = playout
        going += 1
    return going, nodes


class Turning(NamedTuple):
    """Room to turn boards into planes: see `bsbench.kernels.planes`."""

    squares: Rows
    plane: Rows


def turning(rules: Rules) -> Turning:
    """Make room to turn the boards of 512 nodes."""
    words = -(-rules.cells // 64)
    return Turning(empty_rows(words, 64), empty_rows(64 * words))


@helper
def _lay_board(boards, first, count, plane, room):
    lanes = min(count - first, GROUP)
    words = boards.shape[1]
    for lane in range(lanes):
        for word in range(words):
            room.squares[word, lane & 63, lane >> 6] = boards[first + lane, word]
    turn(room.squares, room.plane)
    begin = first // LANES
    for column in range(min(WORDS, (lanes + LANES - 1) // LANES)):
        for cell in range(plane.shape[1]):
            plane[begin + column, cell] = room.plane[cell, column]


@kernel
def _lay_out(nodes, count, evidence, room):
    for first in range(0, count, GROUP):
        _lay_board(nodes.unshot, first, count, evidence.unshot, room)
        _lay_board(nodes.dry, first, count, evidence.dry, room)
        _lay_board(nodes.struck, first, count, evidence.struck, room)
    for node in range(count):
        for length in range(nodes.afloat.shape[1]):
            evidence.afloat[length, node // LANES, node % LANES] = nodes.afloat[node, length]


@kernel
def _lay_out_ships(nodes, count, ships, struck, room):
    for first in range(0, count, GROUP):
        _lay_board(nodes.unshot, first, count, ships.unshot, room)
        for ship in range(nodes.may.shape[1]):
            _lay_board(nodes.may[:, ship], first, count, ships.may[ship], room)
    for node in range(count):
        word, bit = node // LANES, _ONE << np.uint64(node % LANES)
        for ship in range(nodes.may.shape[1]):
            # A sunk ship has no slot left; of a ship's cells that are shot, each is a hit on it.
            slots = hits = _NO_BIT
            for each in range(nodes.may.shape[2]):
                slots |= nodes.may[node, ship, each]
                hits |= nodes.may[node, ship, each] & ~nodes.unshot[node, each]
            ships.afloat[ship, word] &= ~bit
            ships.afloat[ship, word] |= bit if slots else _NO_BIT
            struck[ship, word] &= ~bit
            struck[ship, word] |= bit if hits else _NO_BIT


def lay_out(nodes: Nodes, count: int, evidence: Evidence | ShipEvidence, room: Turning) -> None:
    """Write what is known at the first nodes into evidence, node i in lane i.

    Lanes of the last word beyond ``count`` receive whatever was in the room.
    """
    if isinstance(evidence, ShipEvidence):
        _lay_out_ships(nodes, count, *evidence, room)
    else:
        _lay_out(nodes, count, evidence, room)


@helper
def _board_of(plane, word, bit, board):
    """Write a lane's part of a plane to a board."""
    board[:] = _NO_BIT
    for cell in range(plane.shape[1]):
        board[cell >> 6] |= (plane[word, cell] >> bit & _ONE) << np.uint64(cell & 63)


@kernel
def _take_up(evidence, lane, count, nodes):
    word, bit = lane // LANES, np.uint64(lane % LANES)
    for node in range(count):
        _board_of(evidence.unshot, word, bit, nodes.unshot[node])
        _board_of(evidence.dry, word, bit, nodes.dry[node])
        _board_of(evidence.struck, word, bit, nodes.struck[node])
        for length in range(nodes.afloat.shape[1]):
            nodes.afloat[node, length] = evidence.afloat[length, word, lane % LANES]


@kernel
def _take_up_ships(ships, lane, count, nodes):
    word, bit = lane // LANES, np.uint64(lane % LANES)
    for node in range(count):
        _board_of(ships.unshot, word, bit, nodes.unshot[node])
        nodes.dry[node] = _NO_BIT
        nodes.struck[node] = _NO_BIT
        for ship in range(nodes.may.shape[1]):
            _board_of(ships.may[ship], word, bit, nodes.may[node, ship])


def take_up(
    evidence: Evidence | ShipEvidence, lane: int, left: int, count: int, nodes: Nodes
) -> None:
    """Make the first nodes of what is known in a lane, where so many ship cells are not hit."""
    nodes.left[:count] = left
    nodes.follows[:count] = -1
    if isinstance(evidence, ShipEvidence):
        _take_up_ships(evidence.ships, lane, count, nodes)
    else:
        _take_up(evidence, lane, count, nodes)


@kernel
def position_key(key, nodes):
    """Return a key of random streams that belongs to what is known at node 0."""
    for word in range(nodes.unshot.shape[1]):
        key = stream_start(key, nodes.unshot[0, word])
        key = stream_start(key, nodes.dry[0, word])
        key = stream_start(key, nodes.struck[0, word])
        for ship in range(nodes.may.shape[1]):
            key = stream_start(key, nodes.may[0, ship, word])
    return key
