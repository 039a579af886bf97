"""Bots: programs that talk in lines. A referee for them, and the twin of those `new` writes."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from typing import Any

from tests.support.naive.layouts import AROUND, DIAGONALS, beside, excluded, slots
from tests.support.naive.play import answer


class Bot:
    """A running bot, after the greeting.

    Attributes
    ----------
    said : dict
        What it announced: ``name`` and so on.
    exchanges : int
        How often it answered so far.
    """

    def __init__(self, command: Sequence[str], folder) -> None:
        self._process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.exchanges = 0
        self.write("bsbench battleship 1")
        self.said: dict[str, str] = {}
        while (line := self.read()) != "ready":
            word, _, rest = line.partition(" ")
            self.said[word] = rest

    def __enter__(self) -> Bot:
        return self

    def __exit__(self, *error: object) -> None:
        if error == (None, None, None):
            self.write("quit")
        else:
            self._process.kill()
        self._process.stdin.close()
        self._process.stdout.close()
        assert self._process.wait(timeout=10) == 0 or error[0]

    def write(self, line: str) -> None:
        self._process.stdin.write(line + "\n")

    def read(self) -> str:
        line = self._process.stdout.readline()
        assert line.endswith("\n"), f"the bot ended after {line!r}"
        return line[:-1]

    def play(self, rules, layouts: Sequence[Any], at_once: int = 0) -> list[list[int]]:
        """Return the shots of one game on each layout.

        With ``at_once``, so many games are played side by side, as bots are asked that play
        several; without, one after the other, as all others are.
        """
        touching = {True: "touching", "corners": "corners", False: "apart"}[rules.touching]
        fleet = " ".join(map(str, rules.fleet))
        self.write(
            f"rules {rules.rows} {rules.cols} {touching} {rules.feedback} {at_once or 1} {fleet}"
        )
        assert self.read() == "ready"
        games: list[list[int]] = [[] for _ in layouts]
        waiting = iter(range(len(layouts)))
        playing: dict[int, int] = {}

        def begin(place: int) -> None:
            playing.pop(place, None)
            if (game := next(waiting, None)) is not None:
                playing[place] = game
                self.write(f"{place} game" if at_once else "game")

        for place in range(at_once or 1):
            begin(place)
        while playing:
            places = sorted(playing)
            self.write(f"shoot {' '.join(map(str, places))}" if at_once else "shoot")
            cells = [int(cell) for cell in self.read().split(" ")]
            self.exchanges += 1
            for place, cell in zip(places, cells, strict=True):
                shots, ships = games[playing[place]], layouts[playing[place]]
                assert 0 <= cell < rules.cells
                assert cell not in shots
                shots.append(cell)
                over = set().union(*ships) <= set(shots)
                line = f"over {len(shots)}" if over else told(answer(rules, ships, shots), cell)
                self.write(f"{place} {line}" if at_once else line)
                if over:
                    begin(place)
        return games


def told(reply, cell: int) -> str:
    """Return the line that reports what a shot at a cell did."""
    named = [] if reply.ship is None else [reply.ship]
    if reply.sunk:
        return " ".join(map(str, ["sunk", cell, *named, *reply.cells]))
    return " ".join(map(str, ["hit" if reply.hit else "miss", cell, *named]))


def density(rules, seed: int = 0, game: int = 0) -> Iterator[int]:
    """Shoot as the bots do that `bsbench new` writes: the first cell of the highest score.

    The score of a cell is the weight of all slots through it, of each ship not known to have sunk.
    A slot weighs 5 for each hit in it, 7 of them at most; and nothing with a miss, a cell of a
    sunk ship, or a hit that is known to be on another ship. As far as ships may not touch, neither
    the corners of a hit nor what is around a sunk ship are of a ship afloat.
    """
    shot: set[int] = set()
    hits: dict[int, int | None] = {}
    water: set[int] = set()
    afloat = dict(enumerate(rules.fleet))

    def around(cell: int, steps) -> list[int]:
        return [
            near
            for near in beside(rules.rows, rules.cols, cell, steps)
            if near in excluded(rules, (cell,))
        ]

    while len(shot) < rules.cells:
        scores = [0] * rules.cells
        for ship, length in afloat.items():
            for slot in slots(rules.rows, rules.cols, length):
                own = [hits[cell] in (None, ship) for cell in slot if cell in hits]
                if water.isdisjoint(slot) and all(own):
                    for cell in slot:
                        scores[cell] += 5 ** min(len(own), 7)
        best = max(
            (cell for cell in range(rules.cells) if cell not in shot), key=scores.__getitem__
        )
        shot.add(best)
        reply = yield best
        if reply.hit:
            hits[best] = None if reply.sunk else reply.ship
            water.update(around(best, DIAGONALS))
            if reply.sunk and reply.ship is not None:
                del afloat[reply.ship]
            for cell in reply.cells:
                hits.pop(cell, None)
                water.update([cell, *around(cell, AROUND)])
        else:
            water.add(best)
