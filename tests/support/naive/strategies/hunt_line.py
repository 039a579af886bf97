"""The twin of ``hunt-line``."""

from tests.support.naive.chance import Stream, stream_key
from tests.support.naive.density import Record
from tests.support.naive.layouts import EAST, NORTH, SOUTH, WEST, beside

VARIANTS = [
    {},
    {"step": 0, "room": True},
    {"step": 0, "no_touch": "ignore"},
    {"step": 1, "target": "beside"},
    {"step": 1, "target": "none"},
    {"step": 3, "room": True},
]

SLOWNESS = 4


def hunt_line(rules, seed: int, game: int, *, step=2, room=False, target="line", no_touch="sunk"):
    stream = Stream(stream_key("strategy hunt-line", seed), game)
    record = Record(rules, no_touch)
    while record.afloat and record.candidates():
        cells = targets(record, target) or hunted(record, step, room)
        cell = cells[stream.draw(len(cells))]
        record.note(cell, (yield cell))


def targets(record: Record, target: str) -> list[int]:
    """Return the cells beside hits, or only those that continue a line of two."""
    if target == "none":
        return []
    near, ends = set(), set()
    rows, cols = record.rules.rows, record.rules.cols
    for hit in record.open_hits:
        for down, right in (NORTH, EAST, SOUTH, WEST):
            ahead = beside(rows, cols, hit, [(down, right)])
            near.update(ahead)
            if record.open_hits.intersection(beside(rows, cols, hit, [(-down, -right)])):
                ends.update(ahead)
    open_cells = set(record.candidates())
    ends, near = ends & open_cells, near & open_cells
    return sorted(ends if target == "line" and ends else near)


def hunted(record: Record, step: int, room: bool) -> list[int]:
    """Return the cells to hunt on, in row-major order."""
    cells = record.candidates()
    shortest = min(record.afloat, key=lambda ship: record.rules.fleet[ship])
    if room:
        slots = [slot for slot in record.slots(shortest) if set(cells).issuperset(slot)]
        cells = [cell for cell in cells if any(cell in slot for slot in slots)] or cells
    step = step or record.rules.fleet[shortest]
    return [cell for cell in cells if sum(divmod(cell, record.rules.cols)) % step == 0] or cells
