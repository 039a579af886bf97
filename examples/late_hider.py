"""A program that places ships where a strategy shoots late, which it learns from game to game.

bsbench layouts examples/late_hider.py --shooter lattice2 -n 1000 -o late.txt
bsbench compare lattice2 prob --scenario classic --placement file:late.txt
"""

from dataclasses import dataclass


@dataclass
class LateHider:
    """A ship lies the likelier in a slot, the later its cells were shot in the games before.

    It is the law `avoid` of bsbench, learned from shots alone.
    """

    strength: int = 8

    def __post_init__(self):
        self._late = {}

    def told(self, shots):
        """Hear which cells were shot at the last layout, in order."""
        when = {cell: number for number, cell in enumerate(shots)}
        for cell in self._late:
            self._late[cell] += when.get(cell, len(shots))

    def place(self, rules, rng):
        """Return the layout of the next game."""
        self._late = self._late or dict.fromkeys(range(rules.cells), 1)
        layout = []
        while len(layout) < len(rules.fleet):
            closed = {cell for ship in layout for cell in ship}
            closed |= {near for cell in closed for near in rules.closed_around(cell)}
            length = rules.fleet[len(layout)]
            slots = [each for each in self.slots(rules, length) if closed.isdisjoint(each)]
            if not slots:
                layout = []
                continue
            means = [sum(self._late[cell] for cell in slot) / length for slot in slots]
            latest = max(means)
            weights = [(mean / latest) ** self.strength for mean in means]
            layout += rng.choices(slots, weights)
        return layout

    def slots(self, rules, length):
        """Return the cells of each possible position of a ship on the empty board."""
        cols = rules.cols
        return [
            list(range(cell, cell + length * step, step))
            for cell in range(rules.cells)
            for step, free in ((1, cols - cell % cols), (cols, rules.rows - cell // cols))
            if length <= free
        ]
