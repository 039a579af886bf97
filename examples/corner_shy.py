"""A strategy in numpy: the shots of many games at once."""

import numpy as np

from bsbench import BatchStrategy


class CornerShy(BatchStrategy):
    """Shoots where most ships could lie on an empty board; hits draw shots to their sides.

    Source: the first heat map that everyone draws: it is highest in the middle, lowest in corners.

    A cell's score is the number of slots through it on the empty board, and chance decides among
    equals. The even cells of the checkerboard have 100 more, cells beside a wounded one 1,000, and
    those beside two in a row 10,000.
    """

    name = "corner-shy"
    source = "an example of bsbench"
    home = "classic"

    def reset(self, rules, games):
        """Count, once, the slots through each cell of the empty board."""
        slots = np.zeros(rules.cells)
        for length in rules.fleet:
            for slot in rules.slots(length):
                slots[slot] += 1
        rows, cols = np.indices((rules.rows, rules.cols))
        self.score = slots.reshape(rules.rows, rules.cols) + 100 * ((rows + cols) % 2 == 0)

    def shoot(self, view):
        """Return the cell with the highest score in each game."""
        wounded = view.hit & ~view.sunk
        score = self.score + view.random()
        for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            beside = shifted(wounded, down, right)
            in_line = beside & shifted(wounded, 2 * down, 2 * right)
            score += 1_000 * beside + 10_000 * in_line
        score[view.shot] = -1
        return score.reshape(view.games, -1).argmax(axis=1)


def shifted(boards, down, right):
    """Return boards moved that many rows down and columns right; what comes in is False."""
    _, rows, cols = boards.shape
    moved = np.zeros_like(boards)
    moved[:, max(down, 0) : rows + down, max(right, 0) : cols + right] = boards[
        :, max(-down, 0) : rows - down, max(-right, 0) : cols - right
    ]
    return moved
