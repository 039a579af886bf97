"""What salvos have revealed of each ship: its slots that agree with all answers.

A slot of a ship *agrees* if, for each turn, it holds exactly the reported shots: of the turn's
cells those that were answered as hits on that ship, and no other; or, where all shots have one
answer, as many of them as it says. The answers bind each ship by itself. Each lane has a bit for
every slot of every ship, on words of its own, slots in the order of `Rules.slots`::

    word        0    1 | 2    3    4 | 5 …       begin[ship] up to begin[ship + 1]
    slots of    ship 0 |  ship 1     | ship 2 …  (10 x 10: 120, 140, 160 …)
    agree       1110…1 | 0111…0      | …         one row for each lane

``through`` has rows of the same kind for each cell: the slots of each *length* through it. Equal
ships have one set of words there, from ``source[ship]`` on. So an answer is a few operations on
rows, whatever the number of slots. Of two shots at cells a and b, a hit on the ship and another::

    each     agree &= through[a] & ~through[b]
    joint    agree &= exactly one of through[a], through[b]: bits are counted in planes, as below

    plane 0  0 1 0 1 …      column by column, the number of shots that a slot holds, in binary:
    plane 1  0 0 1 1 …      0, 1, 2, 3, …

If one slot of a ship is left, that is where it lies, and other ships do not lie on its cells; nor
around them, where ships may not touch. Their slots there no longer agree: that may leave one slot
of another ship, and so on. Each ship so closes its cells once a game.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError
from bsbench.kernels._jit import helper, kernel
from bsbench.kernels.bits import population_count, trailing_zeros
from bsbench.kernels.boards import Boards, clear_bit, full_boards, is_set
from bsbench.kernels.slots import read_slot, with_closed
from bsbench.rules.board import Rules
from bsbench.rules.slots import slot_code

Rows = npt.NDArray[np.uint64]
"""Bits of slots: uint64, shape (n, words)."""

_ONE = np.uint64(1)
_NONE = np.uint64(0)
_ALL = ~_NONE

_PLANES = 8
"""Binary digits of the number of a slot's cells: sides have at most 250."""

_LARGEST_TABLE = 1 << 30
"""Bytes that ``through`` may take."""


class Agreeing(NamedTuple):
    """The slots that agree in each lane, and all slots of the board.

    Attributes
    ----------
    agree : ndarray of uint64, shape (lanes, words)
        Slots of each ship that agree with the answers.
    open : ndarray of uint64, shape (lanes, words of cells)
        Cells not fired at: see `bsbench.kernels.boards`.
    closed : ndarray of bool, shape (lanes, ships)
        Ships that have closed the cells of their only slot to others.
    free : ndarray of uint64, shape (words,)
        All slots of each ship.
    begin : ndarray of int64, shape (ships + 1,)
        Where each ship's words begin; and where all end.
    source : ndarray of int64, shape (ships,)
        Where its words begin in ``through`` and ``shut``.
    through : ndarray of uint64, shape (cells, words of all lengths)
        Slots of each length through each cell.
    shut : ndarray of uint64, shape (cells, words of all lengths)
        Slots that no longer agree if another ship is known to be on the cell.
    code : ndarray of int32, shape (64 * words of all lengths,)
        Slot codes: see `bsbench.rules.slots`.
    fleet : ndarray of int64, shape (ships,)
    cols : int
    planes : ndarray of uint64, shape (8,)
        Scratch: numbers of shots, in binary.
    full : bool
        Whether a hit closes the cells around it to ships that were not hit there.
    """

    agree: Rows
    open: Boards
    closed: npt.NDArray[np.bool_]
    free: npt.NDArray[np.uint64]
    begin: npt.NDArray[np.int64]
    source: npt.NDArray[np.int64]
    through: Rows
    shut: Rows
    code: npt.NDArray[np.int32]
    fleet: npt.NDArray[np.int64]
    cols: int
    planes: npt.NDArray[np.uint64]
    full: bool


class _Board(NamedTuple):
    """The arrays of `Agreeing` that are the same in all lanes, threads and games."""

    free: npt.NDArray[np.uint64]
    begin: npt.NDArray[np.int64]
    source: npt.NDArray[np.int64]
    through: Rows
    shut: Rows
    code: npt.NDArray[np.int32]


@lru_cache(4)
def _board(rules: Rules, apart: bool) -> _Board:
    lengths = sorted(set(rules.fleet))
    slots = {length: rules.slots(length) for length in lengths}
    words = {length: -(-len(listed) // 64) for length, listed in slots.items()}
    ends = np.cumsum([words[length] for length in lengths]).tolist()
    start = {length: end - words[length] for length, end in zip(lengths, ends, strict=True)}
    if 8 * rules.cells * ends[-1] > _LARGEST_TABLE:
        raise BsbenchError(
            f"the {rules.board} board is too large to keep the slots of the fleet "
            f"{rules.fleet_text}: use a board of about 150x150 at most, or fewer ship lengths"
        )
    through = np.zeros((rules.cells, ends[-1]), np.uint64)
    code = np.zeros(64 * ends[-1], np.int32)
    for length, listed in slots.items():
        for number, cells in enumerate(listed):
            code[64 * start[length] + number] = slot_code(cells)
            through[cells, start[length] + number // 64] |= np.uint64(1 << number % 64)
    shut = with_closed(rules, through) if apart else through
    everything = np.bitwise_or.reduce(through, axis=0)
    return _Board(
        free=np.concatenate([everything[start[n] : start[n] + words[n]] for n in rules.fleet]),
        begin=np.cumsum([0, *(words[length] for length in rules.fleet)]),
        source=np.array([start[length] for length in rules.fleet]),
        through=through,
        shut=shut,
        code=code,
    )


def all_slots(rules: Rules, lanes: int, no_touch: str) -> Agreeing:
    """Make room for what is known in some lanes, where nothing is known.

    Parameters
    ----------
    rules : Rules
    lanes : int
    no_touch : str
        What to conclude where ships must not touch: see `bsbench.strategies.base.NO_TOUCH`.

    Raises
    ------
    BsbenchError
        If the board is so large that its slots would not fit in memory.
    """
    apart = rules.apart.sides and no_touch != "ignore"
    board = _board(rules.layout_rules, apart)
    known = Agreeing(
        agree=np.zeros((lanes, len(board.free)), np.uint64),
        open=full_boards(lanes, rules.cells),
        closed=np.zeros((lanes, len(rules.fleet)), np.bool_),
        **board._asdict(),
        fleet=np.array(rules.fleet),
        cols=rules.cols,
        planes=np.zeros(_PLANES, np.uint64),
        full=apart and no_touch == "full",
    )
    forget_answers(np.arange(lanes), known)
    return known


@kernel
def forget_answers(lanes, known):
    """Begin fresh games in some lanes: all slots agree."""
    for lane in lanes:
        known.open[lane, :] = _ALL
        known.closed[lane, :] = False
        for word in range(len(known.free)):
            known.agree[lane, word] = known.free[word]


@helper
def _keep_exact(lane, cells, fired, ship_hit, known):
    """Keep the slots that hold the turn's hits on their ship, and no other of its cells."""
    for place in range(fired):
        row = known.through[cells[place]]
        for ship in range(len(known.fleet)):
            begin, source = known.begin[ship], known.source[ship]
            other = _NONE if ship_hit[place] == ship else _ALL
            for word in range(known.begin[ship + 1] - begin):
                known.agree[lane, begin + word] &= row[source + word] ^ other
        if known.full and ship_hit[place] >= 0:
            _close(lane, cells[place], ship_hit[place], known)


@helper
def _keep_counted(lane, cells, fired, hits, known):
    """Keep the slots that hold as many of the turn's cells as were hits on their ship."""
    planes = known.planes
    for ship in range(len(known.fleet)):
        begin, source = known.begin[ship], known.source[ship]
        for word in range(known.begin[ship + 1] - begin):
            agree = known.agree[lane, begin + word]
            if agree == _NONE:
                continue
            planes[:] = _NONE
            for place in range(fired):
                carry = known.through[cells[place], source + word]
                plane = 0
                while carry:
                    both = planes[plane] & carry
                    planes[plane] ^= carry
                    carry = both
                    plane += 1
            for plane in range(_PLANES):
                wanted = _ALL if hits[ship] >> plane & 1 else _NONE
                agree &= ~(planes[plane] ^ wanted)
            known.agree[lane, begin + word] = agree


@helper
def _close(lane, cell, ship, known):
    """Drop the slots of all others than a ship that is known to be on a cell."""
    row = known.shut[cell]
    for other in range(len(known.fleet)):
        if other != ship:
            begin, source = known.begin[other], known.source[other]
            for word in range(known.begin[other + 1] - begin):
                known.agree[lane, begin + word] &= ~row[source + word]


@helper
def _only_slot(lane, ship, known):
    """Return the place of a ship's only slot in ``code``, or -1 if it has several, or none."""
    found = -1
    for word in range(known.begin[ship], known.begin[ship + 1]):
        bits = known.agree[lane, word]
        if bits:
            if found >= 0 or bits & (bits - _ONE):
                return -1
            place = known.source[ship] + word - known.begin[ship]
            found = 64 * place + trailing_zeros(bits)
    return found


@helper
def _close_certain(lane, known):
    """Let ships with one slot left close their cells to others, until nothing changes."""
    again = True
    while again:
        again = False
        for ship in range(len(known.fleet)):
            if known.closed[lane, ship]:
                continue
            slot = _only_slot(lane, ship, known)
            if slot >= 0:
                known.closed[lane, ship] = again = True
                first, step = read_slot(known.code[slot], known.cols)
                for part in range(known.fleet[ship]):
                    _close(lane, first + part * step, ship, known)


@kernel
def learn_turns(cells, ship, hits, joint, known):
    """Take note of the last turn in every lane.

    Parameters
    ----------
    cells, ship : ndarray of int64, shape (lanes, most)
        The turn's cells, -1 beyond the last one; and which ship each has hit, or -1.
    hits : ndarray of int64, shape (lanes, ships)
        How many of them hit each ship.
    joint : bool
        Whether that is all that was answered. If not, ``hits`` is not read; if so, ``ship``.
    known : Agreeing
    """
    most = cells.shape[1]
    for lane in range(len(cells)):
        # A game that is over may be shown again: what has been fired at is known already.
        if cells[lane, 0] < 0 or not is_set(known.open, lane, cells[lane, 0]):
            continue
        fired = 0
        while fired < most and cells[lane, fired] >= 0:
            clear_bit(known.open, lane, cells[lane, fired])
            fired += 1
        if joint:
            _keep_counted(lane, cells[lane], fired, hits[lane], known)
        else:
            _keep_exact(lane, cells[lane], fired, ship[lane], known)
        _close_certain(lane, known)


class Counts(NamedTuple):
    """Room to count the agreeing slots of one lane.

    Attributes
    ----------
    through : ndarray of int32, shape (ships, cells)
        Slots of each ship through each cell.
    total : ndarray of int64, shape (ships,)
        Slots of each ship.
    """

    through: npt.NDArray[np.int32]
    total: npt.NDArray[np.int64]


def no_counts(rules: Rules) -> Counts:
    """Return room to count."""
    ships = len(rules.fleet)
    return Counts(np.zeros((ships, rules.cells), np.int32), np.zeros(ships, np.int64))


@kernel
def count_agreeing(lane, known, counts):
    """Count the agreeing slots of each ship in a lane, through every cell and in all."""
    through, cols = counts.through, known.cols
    for ship in range(len(known.fleet)):
        through[ship, :] = 0
        counts.total[ship] = 0
        for word in range(known.begin[ship], known.begin[ship + 1]):
            bits = known.agree[lane, word]
            place = 64 * (known.source[ship] + word - known.begin[ship])
            counts.total[ship] += np.int64(population_count(bits))
            while bits:
                first, step = read_slot(known.code[place + trailing_zeros(bits)], cols)
                bits &= bits - _ONE
                for part in range(known.fleet[ship]):
                    through[ship, first + part * step] += 1


@helper
def is_possible(lane, cell, known, counts):
    """Return whether a cell is open, and some ship may lie there."""
    slots = 0
    for ship in range(len(known.fleet)):
        slots += counts.through[ship, cell]
    return slots > 0 and is_set(known.open, lane, cell)


@helper
def water_share(cell, counts):
    """Return the product of (total - slots through a cell) of all ships, as float64."""
    product = 1.0
    for ship in range(len(counts.total)):
        product *= np.float64(counts.total[ship] - counts.through[ship, cell])
    return product


@helper
def all_ways(counts):
    """Return the product of the numbers of slots of all ships, as float64."""
    product = 1.0
    for ship in range(len(counts.total)):
        product *= np.float64(counts.total[ship])
    return product


@kernel
def _read(lanes, known, counts, into):
    for row in range(len(lanes)):
        count_agreeing(lanes[row], known, counts)
        for cell in range(into.shape[1]):
            water = 1.0
            for ship in range(len(counts.total)):
                through, total = counts.through[ship, cell], counts.total[ship]
                water *= np.float64(total - through) / np.float64(total)
            into[row, cell] = 1 - water


def agreeing_chances(
    lanes: npt.NDArray[np.int64], known: Agreeing, counts: Counts
) -> npt.NDArray[np.float64]:
    """Return the probability that each cell of some lanes holds a ship, were ships independent.

    Parameters
    ----------
    lanes : ndarray of int64, shape (n,)
    known : Agreeing
    counts : Counts
        Room, which is written to.

    Returns
    -------
    ndarray of float64, shape (n, cells)
        1 - the product of (1 - share of a ship's slots through the cell).
    """
    into = np.empty((len(lanes), counts.through.shape[1]))
    _read(lanes, known, counts, into)
    return into


@helper
def greatest_few(score, most, cells, scores):
    """List the cells with the greatest scores, the greatest first; return how many these are.

    Parameters
    ----------
    score : ndarray of float64, shape (cells,)
        NaN where a cell may not be listed.
    most : int
        How many at most.
    cells : ndarray of int64, shape (n,)
        Receives them, with n at least ``most``. Of equal scores, the first cell comes first.
    scores : ndarray of float64, shape (n,)
        Room for their scores.
    """
    count = 0
    for cell in range(len(score)):
        value = score[cell]
        if np.isnan(value) or (count == most and value <= scores[most - 1]):
            continue
        at = count if count < most else most - 1
        count = at + 1
        while at > 0 and scores[at - 1] < value:
            scores[at], cells[at] = scores[at - 1], cells[at - 1]
            at -= 1
        scores[at], cells[at] = value, cell
    return count


def check_turns(stuck: int) -> None:
    """See to it that turns were chosen.

    Parameters
    ----------
    stuck : int
        What choosing returned: a lane that has no cell to choose, or -1.

    Raises
    ------
    AssertionError
        If a lane is stuck: its game is not over, so that a slot was lost by mistake.
    """
    if stuck >= 0:
        raise AssertionError(f"no slot agrees in lane {stuck}, but a ship is afloat")
