"""The yardstick: the same games, one after the other, in plain numba.

What a careful programmer writes first. A slot is a *placement mask*: its cells as the
bits of two 64-bit words. At every shot, plain loops run over all slots and all cells;
no tables, no bit planes, no lockstep, and layouts come from rejecting whole random
layouts. Speeds of bsbench are given as ratios to this, since a ratio means more than
a figure on a machine that others use, too.

It plays the same games as bsbench: given the same layouts, and the same random streams,
every move count agrees (`tests/benchmarks/test_reference.py`). Boards have up to 128 cells.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.kernels._jit import allocating, helper, kernel
from bsbench.kernels.random import draw, shuffle, stream_key, stream_start
from bsbench.rules.board import Rules
from bsbench.rules.slots import slot_code

_WATER = -1

_HIT_WEIGHT = 5
"""The default of ``datagenetics``."""


class Board(NamedTuple):
    """The rules as arrays; slots of all lengths in one row, in the order of `Rules.slots`.

    Attributes
    ----------
    rows, cols : int
    touching : bool
    fleet : ndarray of int64, shape (ships,)
    begin, end : ndarray of int64, shape (longest + 1,)
        The slots of each length: ``begin`` up to ``end``.
    cells : ndarray of int64, shape (slots, longest)
        The cells of each slot; the first as many as it is long.
    mask : ndarray of uint64, shape (slots, 2)
        The same as bits: cell n is bit n % 64 of word n // 64.
    around : ndarray of uint64, shape (slots, 2)
        What a ship there excludes: its cells and, where ships may not touch, all
        their neighbours.
    code : ndarray of int32, shape (slots,)
        The slot code, ``2 * first cell + down``.
    """

    rows: int
    cols: int
    touching: bool
    fleet: npt.NDArray[np.int64]
    begin: npt.NDArray[np.int64]
    end: npt.NDArray[np.int64]
    cells: npt.NDArray[np.int64]
    mask: npt.NDArray[np.uint64]
    around: npt.NDArray[np.uint64]
    code: npt.NDArray[np.int32]


def board_of(rules: Rules) -> Board:
    """Return the rules as arrays, with slots of the lengths 1 to 5 and those of the fleet."""
    if rules.cells > 128:
        raise ValueError(f"two words hold 128 cells, not the {rules.cells} of {rules.board}")
    longest = max(5, *rules.fleet)
    begin = np.zeros(longest + 1, np.int64)
    end = np.zeros(longest + 1, np.int64)
    cells, masks, arounds, codes = [], [], [], []
    for length in range(1, longest + 1):
        begin[length] = len(cells)
        for slot in rules.slots(length) if length <= max(rules.rows, rules.cols) else ():
            ship = list(slot)
            excluded = set(ship)
            if not rules.touching:
                excluded.update(*map(rules.neighbours, ship))
            cells.append(ship + [0] * (longest - length))
            masks.append(_words(ship))
            arounds.append(_words(excluded))
            codes.append(slot_code(slot))
        end[length] = len(cells)
    return Board(
        rules.rows,
        rules.cols,
        rules.touching,
        np.array(rules.fleet),
        begin,
        end,
        np.array(cells),
        np.array(masks, np.uint64),
        np.array(arounds, np.uint64),
        np.array(codes, np.int32),
    )


def _words(cells: Any) -> list[int]:
    bits = sum(1 << cell for cell in cells)
    return [bits % 2**64, bits >> 64]


# --- layouts ------------------------------------------------------------------------------


@kernel
def _draw_layouts(board, key, first_game, layouts):
    """Fill ``layouts``: a random slot for each ship, all anew when two ships clash."""
    for game in range(len(layouts)):
        state = stream_start(key, first_game + game)
        legal = False
        while not legal:
            low = high = np.uint64(0)
            legal = True
            for ship in range(len(board.fleet)):
                length = board.fleet[ship]
                count = board.end[length] - board.begin[length]
                state, number = draw(state, np.uint64(count))
                slot = board.begin[length] + np.int64(number)
                if (board.mask[slot, 0] & low) | (board.mask[slot, 1] & high):
                    legal = False
                    break
                low |= board.around[slot, 0]
                high |= board.around[slot, 1]
                layouts[game, ship] = board.code[slot]


def draw_layouts(board: Board, seed: int, first_game: int, games: int) -> npt.NDArray[np.int32]:
    """Return exactly uniform layouts, shape (games, ships): not those that bsbench draws."""
    layouts = np.zeros((games, len(board.fleet)), np.int32)
    _draw_layouts(board, stream_key("reference layouts", seed), first_game, layouts)
    return layouts


# --- one game -----------------------------------------------------------------------------


@helper
def _lay(board, layout, ship_at):
    """Put the ships on the board; return the number of their cells."""
    ship_at[:] = _WATER
    ship_cells = 0
    for ship in range(len(layout)):
        step = board.cols if layout[ship] & 1 else 1
        for part in range(board.fleet[ship]):
            ship_at[(layout[ship] >> 1) + part * step] = ship
            ship_cells += 1
    return ship_cells


@helper
def _at(row, col, board):
    """Return the cell, or -1 off the board."""
    return row * board.cols + col if 0 <= row < board.rows and 0 <= col < board.cols else -1


@helper
def _close_diagonals(board, cell, is_open):
    row, col = cell // board.cols, cell % board.cols
    for down in (-1, 1):
        for right in (-1, 1):
            diagonal = _at(row + down, col + right, board)
            if diagonal >= 0:
                is_open[diagonal] = False


@helper
def _bits(cells):
    """Return a board of truth values as two words."""
    low = high = np.uint64(0)
    for cell in range(len(cells)):
        if cells[cell]:
            if cell < 64:
                low |= np.uint64(1) << np.uint64(cell)
            else:
                high |= np.uint64(1) << np.uint64(cell - 64)
    return low, high


@allocating
def _random(board, key, first_game, layouts, moves):
    cells = board.rows * board.cols
    ship_at = np.empty(cells, np.int64)
    order = np.empty(cells, np.int64)
    for game in range(len(layouts)):
        left = _lay(board, layouts[game], ship_at)
        for cell in range(cells):
            order[cell] = cell
        shuffle(stream_start(key, first_game + game), order)
        shots = 0
        while left > 0:
            if ship_at[order[shots]] != _WATER:
                left -= 1
            shots += 1
        moves[game] = shots


@allocating
def _linear(board, key, first_game, layouts, moves):
    ship_at = np.empty(board.rows * board.cols, np.int64)
    for game in range(len(layouts)):
        left = _lay(board, layouts[game], ship_at)
        shots = 0
        while left > 0:
            if ship_at[shots] != _WATER:
                left -= 1
            shots += 1
        moves[game] = shots


@allocating
def _smart(board, key, first_game, layouts, moves):
    cells = board.rows * board.cols
    ship_at = np.empty(cells, np.int64)
    is_open = np.empty(cells, np.bool_)
    front = np.empty(2 * cells, np.int64)
    for game in range(len(layouts)):
        left = _lay(board, layouts[game], ship_at)
        is_open[:] = True
        shots = height = next_cell = 0
        while left > 0:
            cell = -1
            while height > 0 and cell < 0:
                height -= 1
                if is_open[front[height]]:
                    cell = front[height]
            if cell < 0:
                while not is_open[next_cell]:
                    next_cell += 1
                cell = next_cell
            is_open[cell] = False
            shots += 1
            if ship_at[cell] == _WATER:
                continue
            left -= 1
            if not board.touching:
                _close_diagonals(board, cell, is_open)
            row, col = cell // board.cols, cell % board.cols
            for down, right in ((1, 0), (0, 1)):
                neighbour = _at(row + down, col + right, board)
                if neighbour >= 0 and is_open[neighbour]:
                    front[height] = neighbour
                    height += 1
        moves[game] = shots


@allocating
def _prob(board, key, first_game, layouts, moves):
    cells = board.rows * board.cols
    ship_at = np.empty(cells, np.int64)
    is_open = np.empty(cells, np.bool_)
    queue = np.empty(4 * cells, np.int64)
    likelihood = np.empty(cells, np.int64)
    for game in range(len(layouts)):
        left = _lay(board, layouts[game], ship_at)
        is_open[:] = True
        shots = head = tail = 0
        while left > 0:
            cell = -1
            while head < tail and cell < 0:
                if is_open[queue[head]]:
                    cell = queue[head]
                head += 1
            if cell < 0:
                low, high = _bits(is_open)
                likelihood[:] = 0
                for length in range(1, 6):
                    # A slot of one cell lies both along its row and down its column.
                    ways = 2 if length == 1 else 1
                    for slot in range(board.begin[length], board.end[length]):
                        if (board.mask[slot, 0] & ~low) | (board.mask[slot, 1] & ~high):
                            continue
                        for part in range(length):
                            likelihood[board.cells[slot, part]] += ways
                for other in range(cells):
                    if is_open[other] and (cell < 0 or likelihood[other] > likelihood[cell]):
                        cell = other
            is_open[cell] = False
            shots += 1
            if ship_at[cell] == _WATER:
                continue
            left -= 1
            if not board.touching:
                _close_diagonals(board, cell, is_open)
            row, col = cell // board.cols, cell % board.cols
            for down, right in ((-1, 0), (0, 1), (1, 0), (0, -1)):
                neighbour = _at(row + down, col + right, board)
                if neighbour >= 0 and is_open[neighbour]:
                    queue[tail] = neighbour
                    tail += 1
        moves[game] = shots


@allocating
def _hunt_target(board, key, first_game, layouts, moves):
    cells = board.rows * board.cols
    ship_at = np.empty(cells, np.int64)
    order = np.empty(cells, np.int64)
    is_free = np.empty(cells, np.bool_)
    stack = np.empty(cells, np.int64)
    for game in range(len(layouts)):
        left = _lay(board, layouts[game], ship_at)
        for cell in range(cells):
            order[cell] = cell
        shuffle(stream_start(key, first_game + game), order)
        is_free[:] = True
        shots = height = place = 0
        while left > 0:
            if height > 0:
                height -= 1
                cell = stack[height]
            else:
                while not is_free[order[place]]:
                    place += 1
                cell = order[place]
                is_free[cell] = False
            shots += 1
            if ship_at[cell] == _WATER:
                continue
            left -= 1
            row, col = cell // board.cols, cell % board.cols
            for down, right in ((-1, 0), (1, 0), (0, 1), (0, -1)):
                neighbour = _at(row + down, col + right, board)
                if neighbour >= 0 and is_free[neighbour]:
                    is_free[neighbour] = False
                    stack[height] = neighbour
                    height += 1
        moves[game] = shots


@helper
def _sink(board, layout, ship, is_water):
    """Mark, where ships may not touch, the cells around a sunk ship as water."""
    if board.touching:
        return
    step = board.cols if layout[ship] & 1 else 1
    for part in range(board.fleet[ship]):
        cell = (layout[ship] >> 1) + part * step
        row, col = cell // board.cols, cell % board.cols
        for down in range(-1, 2):
            for right in range(-1, 2):
                neighbour = _at(row + down, col + right, board)
                if neighbour >= 0:
                    is_water[neighbour] = True


@allocating
def _datagenetics(board, key, first_game, layouts, moves):
    cells = board.rows * board.cols
    ship_at = np.empty(cells, np.int64)
    is_shot = np.empty(cells, np.bool_)
    is_water = np.empty(cells, np.bool_)
    is_hit = np.empty(cells, np.bool_)
    score = np.empty(cells, np.int64)
    afloat = np.empty(len(board.fleet), np.int64)
    for game in range(len(layouts)):
        layout = layouts[game]
        left = _lay(board, layout, ship_at)
        is_shot[:] = False
        is_water[:] = False
        is_hit[:] = False
        afloat[:] = board.fleet
        shots = 0
        while left > 0:
            low, high = _bits(is_water)
            score[:] = 0
            for ship in range(len(afloat)):
                if afloat[ship] == 0:
                    continue
                length = board.fleet[ship]
                for slot in range(board.begin[length], board.end[length]):
                    if (board.mask[slot, 0] & low) | (board.mask[slot, 1] & high):
                        continue
                    weight = 1
                    for part in range(length):
                        if is_hit[board.cells[slot, part]]:
                            weight *= _HIT_WEIGHT
                    for part in range(length):
                        score[board.cells[slot, part]] += weight
            cell = -1
            for other in range(cells):
                if is_shot[other] or is_water[other]:
                    continue
                if cell < 0 or score[other] > score[cell]:
                    cell = other
            is_shot[cell] = True
            shots += 1
            ship = ship_at[cell]
            if ship == _WATER:
                is_water[cell] = True
                continue
            left -= 1
            is_hit[cell] = True
            afloat[ship] -= 1
            if afloat[ship] == 0:
                for other in range(cells):
                    if ship_at[other] == ship:
                        is_hit[other] = False
                        is_water[other] = True
                _sink(board, layout, ship, is_water)
        moves[game] = shots


@allocating
def _over9000(board, key, first_game, layouts, moves):
    cells = board.rows * board.cols
    ships = len(board.fleet)
    ship_at = np.empty(cells, np.int64)
    is_shot = np.empty(cells, np.bool_)
    is_water = np.empty(cells, np.bool_)
    own = np.empty(cells, np.bool_)
    may = np.empty(cells, np.bool_)
    through = np.empty(cells, np.uint64)
    product = np.empty(cells, np.uint64)
    afloat = np.empty(ships, np.int64)
    for game in range(len(layouts)):
        layout = layouts[game]
        left = _lay(board, layout, ship_at)
        is_shot[:] = False
        is_water[:] = False
        afloat[:] = board.fleet
        shots = 0
        while left > 0:
            product[:] = 1
            for ship in range(ships):
                if afloat[ship] == 0:
                    continue
                for cell in range(cells):
                    own[cell] = is_shot[cell] and ship_at[cell] == ship
                    may[cell] = own[cell] or not (is_shot[cell] or is_water[cell])
                own_low, own_high = _bits(own)
                low, high = _bits(may)
                length = board.fleet[ship]
                through[:] = 0
                total = np.uint64(0)
                for slot in range(board.begin[length], board.end[length]):
                    mask_low, mask_high = board.mask[slot, 0], board.mask[slot, 1]
                    outside = (mask_low & ~low) | (mask_high & ~high)
                    missing = (own_low & ~mask_low) | (own_high & ~mask_high)
                    if outside | missing:
                        continue
                    total += np.uint64(1)
                    for part in range(length):
                        through[board.cells[slot, part]] += np.uint64(1)
                for cell in range(cells):
                    product[cell] *= total - through[cell]
            cell = -1
            for other in range(cells):
                if is_shot[other] or is_water[other]:
                    continue
                if cell < 0 or product[other] < product[cell]:
                    cell = other
            is_shot[cell] = True
            shots += 1
            ship = ship_at[cell]
            if ship == _WATER:
                continue
            left -= 1
            afloat[ship] -= 1
            if afloat[ship] == 0:
                _sink(board, layout, ship, is_water)
        moves[game] = shots


PLAYERS: dict[str, Any] = {
    "random": _random,
    "linear": _linear,
    "smart": _smart,
    "prob": _prob,
    "hunt-target": _hunt_target,
    "datagenetics": _datagenetics,
    "over9000,edge_weight=1,noise=0": _over9000,
}
"""What plays each strategy, written as for `bsbench.roster.make_variant`."""


def play(
    variant: str, board: Board, layouts: npt.NDArray[np.int32], seed: int, first_game: int = 0
) -> npt.NDArray[np.int64]:
    """Return the move counts of games on given layouts, played one after the other."""
    moves = np.zeros(len(layouts), np.int64)
    key = stream_key(f"strategy {variant.partition(',')[0]}", seed)
    PLAYERS[variant](board, key, first_game, layouts, moves)
    return moves
