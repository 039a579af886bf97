"""The twin of ``mcts``: layouts are drawn by `bsbench.counting`, which has twins of its own."""

from __future__ import annotations

import copy
import math
from dataclasses import replace

import numpy as np

from bsbench.counting.evidence import Evidence
from bsbench.counting.joins import Joins
from bsbench.counting.tables import tables_of
from bsbench.rules.board import HIT, MISS, SUNK, Feedback
from bsbench.rules.position import Answer
from tests.support.naive.chance import MASK, mix, stream_key
from tests.support.naive.density import Record, RecordByShip
from tests.support.naive.layouts import decode, encode
from tests.support.naive.play import answer
from tests.support.naive.strategies import twin_file

# Few and short rollouts, since this twin plays each of them shot by shot.
VARIANTS = [
    {"playouts": 4, "screening": 2, "candidates": 3, "finalists": 1, "margin": 0.5}
    | {"hunt_ships": 0, "target_ships": 1},
    {"playouts": 6, "screening": 2, "candidates": 3, "finalists": 2, "margin": 0.0}
    | {"hunt_ships": 1, "target_ships": 2, "base": "datagenetics"},
    {"playouts": 6, "screening": 2, "candidates": 2, "finalists": 1, "margin": 1.0}
    | {"hunt_ships": 0, "target_ships": 2, "proposer": "lattice2"},
    {"playouts": 4, "screening": 2, "candidates": 3, "finalists": 1, "margin": 1.0}
    | {"hunt_ships": 1, "target_ships": 1, "proposer": "lattice-net"},
    {"playouts": 4, "screening": 2, "candidates": 3, "finalists": 1, "margin": 0.5}
    | {"hunt_ships": 0, "target_ships": 2, "base": "lattice2"},
]

SLOWNESS = 120


def mcts(
    rules,
    seed: int,
    game: int,
    *,
    base: str = "lattice",
    proposer: str = "base",
    playouts: int = 400,
    screening: int = 100,
    candidates: int = 8,
    finalists: int = 3,
    margin: float = 1.5,
    hunt_ships: int = 2,
    target_ships: int = 3,
):
    told, known = [], {}
    if base == "lattice2":
        told_base = rules if rules.touching is True else replace(rules, feedback=Feedback.SUNK)
        record, scores_of = twin_file(base).weighing(told_base)
    else:
        record, scores_of = Record(rules, "sunk"), twin_file(base).scores
    beside, propose = record, lambda at: best_cells(at)[0]
    if proposer != "base":
        beside, propose = twin_file(proposer).player(rules)

    def best_cells(at: Record) -> list[int]:
        """Return the cells with a score, the highest one first."""
        scores = scores_of(at)
        return sorted((c for c in at.candidates() if scores[c] > 0), key=lambda c: -scores[c])

    def moves(cell: int, layout) -> int:
        """Return the shots to the end of a rollout that begins with a cell."""
        at, shots = _copy(record), 0
        shot = sorted(set(range(rules.cells)) - at.unshot)
        while True:
            shots += 1
            shot.append(cell)
            at.note(cell, answer(rules, layout, shot))
            if not at.afloat:
                return shots
            seen = at.misses, at.open_hits, at.sunk, at.afloat, *_own_hits(at)
            key = tuple(map(frozenset, seen))
            if key not in known:
                known[key] = best_cells(at)[0]
            cell = known[key]

    def table(cells, layouts) -> list[list[int]]:
        return [[moves(cell, layout) for layout in layouts] for cell in cells]

    def chosen() -> int:
        cells = best_cells(record)
        few = target_ships if record.open_hits else hunt_ships
        if len(record.afloat) > few or len(cells[:candidates]) < 2:
            return cells[0]
        proposed = propose(beside)
        cells = [proposed, *(cell for cell in cells[:candidates] if cell != proposed)]
        joins = Joins(Evidence(rules, told))
        layouts = joins.count(1 << 60)[0]
        if layouts <= playouts:
            shots = table(cells, _decoded(rules, joins.all_layouts(layouts)))
            return cells[min(range(len(cells)), key=lambda c: sum(shots[c]))]
        key = np.uint64(_position_key(record))
        drawn = _decoded(rules, joins.sample(key, layouts, screening + playouts))
        if len(cells) > finalists + 1:
            first = table(cells, drawn[:screening])
            order = sorted(range(1, len(cells)), key=lambda c: sum(first[c]))
            cells = [cells[0], *(cells[c] for c in order[:finalists])]
        own, *others = table(cells, drawn[screening:])
        best, least = cells[0], 0
        for cell, shots in zip(cells[1:], others, strict=True):
            differences = [a - b for a, b in zip(shots, own, strict=True)]
            mean = sum(differences) / playouts
            variance = sum((d - mean) ** 2 for d in differences) / (playouts - 1)
            if mean < least and -mean > margin * math.sqrt(variance / playouts) + 1e-12:
                best, least = cell, mean
        return best

    while record.afloat:
        cell = chosen()
        reply = yield cell
        record.note(cell, reply)
        if beside is not record:
            beside.note(cell, reply)
        outcome = SUNK if reply.sunk else HIT if reply.hit else MISS
        slot = encode(rules, [reply.cells])[0] if reply.sunk else -1
        told.append(Answer(cell, outcome, -1 if reply.ship is None else reply.ship, slot))


def _decoded(rules, samples):
    """Return the ships' cells of layouts drawn: slots by their numbers within each kind."""
    tables = tables_of(rules)
    return [decode(rules, codes) for codes in tables.code[tables.kind, samples].tolist()]


def _copy(record: Record) -> Record:
    copied = copy.copy(record)
    copied.unshot, copied.misses = set(record.unshot), set(record.misses)
    copied.open_hits, copied.sunk = set(record.open_hits), set(record.sunk)
    copied.afloat = list(record.afloat)
    if isinstance(record, RecordByShip):
        copied.hits_on = [set(hits) for hits in record.hits_on]
    return copied


def _own_hits(record: Record) -> list[set[int]]:
    return record.hits_on if isinstance(record, RecordByShip) else []


def _may(record: RecordByShip, ship: int) -> set[int]:
    """Return the cells where a ship may lie: not shot, or hits on it, and near each of these."""
    if ship not in record.afloat:
        return set()
    cols, reach, own = record.rules.cols, record.rules.fleet[ship], record.hits_on[ship]
    return {
        cell
        for cell in record.unshot | own
        for row, col in [divmod(cell, cols)]
        if all(
            0 in (abs(row - hit // cols), abs(col - hit % cols))
            and abs(row - hit // cols) + abs(col - hit % cols) < reach
            for hit in own
        )
    }


def _position_key(record: Record) -> int:
    """Return the key of the random stream that belongs to what is known."""
    dry, hits = set(range(record.rules.cells)) - record.misses - record.sunk, record.open_hits
    may: list[set[int]] = []
    if isinstance(record, RecordByShip):
        dry, hits = set(), set()
        may = [_may(record, ship) for ship in range(len(record.rules.fleet))]
    key = stream_key("strategy mcts", 0)
    for first in range(0, record.rules.cells, 64):
        for cells in (record.unshot, dry, hits, *may):
            word = sum(1 << cell - first for cell in cells if first <= cell < first + 64)
            key = mix((key + mix(word)) & MASK)
    return key
