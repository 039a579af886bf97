"""The player Attributed of weighers.py on uniform layouts of the classic fleet: moves and games.

Of 20,000 games, one or two are long, since it has taken hits for the wrong ship. So it takes more
games than a class in Python can play: python results/survey/attributing.py GAMES BONUS
"""

import sys

import numpy as np
from numba import njit

SIZE, FLEET = 10, np.array((5, 4, 3, 3, 2))


def slots_of():
    """Return the cells of all slots of each length, padded with -1, and their lengths."""
    ways = [
        (row * SIZE + col + step * np.arange(5), length)
        for length in (2, 3, 4, 5)
        for row in range(SIZE)
        for col in range(SIZE)
        for step, room in ((1, SIZE - col), (SIZE, SIZE - row))
        if length <= room
    ]
    cells = np.array([np.where(np.arange(5) < length, cells, -1) for cells, length in ways])
    return cells, np.array([length for _, length in ways])


@njit
def layout_of(slots, lengths, rng):
    """Return which ship lies on each cell, or -1: all layouts are equally likely."""
    ships = np.empty(SIZE * SIZE, np.int64)
    while True:
        ships[:] = -1
        free = True
        for ship in range(len(FLEET)):
            while True:
                slot = rng.integers(0, len(slots))
                if lengths[slot] == FLEET[ship]:
                    break
            for cell in slots[slot, : FLEET[ship]]:
                free &= ships[cell] < 0
                ships[cell] = ship
        if free:
            return ships


@njit
def side(state, last, step, length):
    """Return how many open hits follow a cell, in a direction."""
    number, cell = 0, last
    while number < length - 1:
        on_row = abs(step) == 1
        cell += step
        if not 0 <= cell < SIZE * SIZE or (on_row and cell // SIZE != last // SIZE):
            break
        if state[cell] != 2:
            break
        number += 1
    return number


@njit
def attribute(state, last, length):
    """Take hits for a ship that has sunk: 3 for them in place of 2."""
    row = side(state, last, -1, length), side(state, last, 1, length)
    col = side(state, last, -SIZE, length), side(state, last, SIZE, length)
    before, after, step = row[0], row[1], 1
    if sum(col) > sum(row):
        before, after, step = col[0], col[1], SIZE
    before = min(before, length - 1)
    after = min(after, length - 1 - before)
    for number in range(-before, after + 1):
        state[last + number * step] = 3


@njit
def moves_of_a_game(slots, lengths, bonus, ships):
    """Return the moves of a game; a state is 0 open, 1 a miss, 2 an open hit, 3 of a sunk ship."""
    state, score = np.zeros(SIZE * SIZE, np.int64), np.empty(SIZE * SIZE, np.int64)
    left, afloat = FLEET.copy(), np.array((0, 0, 1, 2, 1, 1))
    moves = 0
    while left.any():
        score[:] = 0
        for slot in range(len(slots)):
            weight = afloat[lengths[slot]]
            for cell in slots[slot, : lengths[slot]]:
                if state[cell] == 2:
                    weight *= bonus
                elif state[cell]:
                    weight = 0
                    break
            if weight:
                for cell in slots[slot, : lengths[slot]]:
                    score[cell] += weight
        best = -1
        for cell in range(SIZE * SIZE):
            if not state[cell] and (best < 0 or score[cell] > score[best]):
                best = cell
        moves += 1
        ship = ships[best]
        if ship < 0:
            state[best] = 1
            continue
        state[best] = 2
        left[ship] -= 1
        if not left[ship]:
            afloat[FLEET[ship]] -= 1
            attribute(state, best, FLEET[ship])
    return moves


@njit
def play(slots, lengths, bonus, games, rng):
    """Return how many games had so many moves."""
    counts = np.zeros(SIZE * SIZE + 1, np.int64)
    for _ in range(games):
        counts[moves_of_a_game(slots, lengths, bonus, layout_of(slots, lengths, rng))] += 1
    return counts


if __name__ == "__main__":
    counts = play(*slots_of(), int(sys.argv[2]), int(sys.argv[1]), np.random.default_rng(7))
    print("moves,games")
    for moves, games in enumerate(counts):
        if games:
            print(f"{moves},{games}")
