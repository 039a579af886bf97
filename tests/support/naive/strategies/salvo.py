"""The twin of ``salvo``."""

from collections import Counter
from math import log2

from tests.support.naive.salvos import TurnRecord

VARIANTS = [{}, {"hit_bonus": 0.0, "no_touch": "full"}, {"hit_bonus": 5.0, "no_touch": "ignore"}]

SLOWNESS = 20

ONE_BIT = 2**32


def salvo(rules, seed: int, game: int, *, hit_bonus: float = 1.0, no_touch: str = "sunk"):
    record = TurnRecord(rules, no_touch)
    while record.candidates():
        (cell,) = _turn(record, hit_bonus, 1)
        reply = yield cell
        record.note([cell], [reply.ship if reply.hit else -1])


def salvo_salvos(rules, seed: int, game: int, *, hit_bonus: float = 1.0, no_touch: str = "sunk"):
    record, turn = TurnRecord(rules, no_touch), []
    while True:
        allowed, answer = yield turn
        if answer is not None:
            record.note(turn, answer)
        turn = _turn(record, hit_bonus, allowed)


def _turn(record: TurnRecord, hit_bonus: float, allowed: int) -> list[int]:
    bonus = round(hit_bonus / allowed * ONE_BIT)
    turn: list[int] = []
    cells = record.candidates()
    for _ in range(min(allowed, len(cells))):
        worth = dict.fromkeys(cells, 0)
        hits = dict.fromkeys(cells, 0)
        for slots in record.agreeing:
            told = [_told(record, slot, turn) for slot in slots]
            before = Counter(told)
            for cell in cells:
                after, through = Counter(before), 0
                for slot, was in zip(slots, told, strict=True):
                    if cell in slot:
                        after[was] -= 1
                        after[_told(record, slot, [*turn, cell])] += 1
                        through += 1
                gain = _disorder(before) - _disorder(after)
                worth[cell] += (gain + bonus * through) // len(slots)
                hits[cell] += ONE_BIT * through // len(slots)
        best = max(cells, key=worth.__getitem__)
        if worth[best] <= 0:
            best = max(cells, key=hits.__getitem__)
        turn.append(best)
        cells.remove(best)
    return turn


def _told(record: TurnRecord, slot, cells: list[int]):
    """Return what would be told of a ship in a slot, if these cells were a turn."""
    held = frozenset(slot).intersection(cells)
    return len(held) if record.rules.joint else held


def _disorder(classes: Counter) -> int:
    return sum(round(n * log2(n) * ONE_BIT) for n in classes.values() if n > 0)
