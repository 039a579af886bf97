"""Connect 4 on a board that is a list: rules, and what the players make of a position.

The board has a cell for each place, column by column from the bottom up: 0 or 1 for the player
whose stone it is, None if it is empty. No bits, and no sharing of code with the package.
"""

from __future__ import annotations

import math

from tests.support.naive.chance import MASK, Stream, mix, stream_key

COLUMNS, ROWS = 7, 6
CENTRE_FIRST = sorted(range(COLUMNS), key=lambda column: (abs(column - 3), column))

WINDOWS = [
    [6 * (column + k * right) + row + k * up for k in range(4)]
    for right, up in ((0, 1), (1, 0), (1, 1), (1, -1))
    for column in range(COLUMNS)
    for row in range(ROWS)
    if column + 3 * right < COLUMNS and 0 <= row + 3 * up < ROWS
]
assert len(WINDOWS) == 69

WINDOWS_OF = [[window for window in WINDOWS if cell in window] for cell in range(42)]


class Board:
    """Stones, how high they stand in each column, and who is to move."""

    def __init__(self, played=()):
        self.cells = [None] * 42
        self.heights = [0] * COLUMNS
        self.to_move = 0
        for column in played:
            self.drop(column)

    def drop(self, column):
        self.cells[6 * column + self.heights[column]] = self.to_move
        self.heights[column] += 1
        self.to_move = 1 - self.to_move

    def take_back(self, column):
        self.heights[column] -= 1
        self.cells[6 * column + self.heights[column]] = None
        self.to_move = 1 - self.to_move

    def open_columns(self):
        return [column for column in range(COLUMNS) if self.heights[column] < ROWS]

    def has_four(self, player):
        return any(
            self.cells[a] == self.cells[b] == self.cells[c] == self.cells[d] == player
            for a, b, c, d in WINDOWS
        )

    def makes_four(self, player, column):
        """Tell whether a stone of the player dropped there completes four."""
        cell = 6 * column + self.heights[column]
        return any(
            all(other == cell or self.cells[other] == player for other in window)
            for window in WINDOWS_OF[cell]
        )

    def threats(self, player):
        """Return the columns in which a stone dropped now makes that the player has four."""
        has_four = self.has_four(player)
        return [c for c in self.open_columns() if has_four or self.makes_four(player, c)]

    @property
    def stones(self):
        return sum(self.heights)


def evaluate(board, ai, opp_threat_penalty=0):
    """Return the seed's evaluation, from the side of the player ``ai``."""
    score = 0
    for window in WINDOWS:
        stones = [board.cells[cell] for cell in window]
        mine, theirs, empty = stones.count(ai), stones.count(1 - ai), stones.count(None)
        score += {(4, 0): 10000, (3, 1): 100, (2, 2): 10}.get((mine, empty), 0)
        score -= {(4, 0): 10000, (3, 1): 120, (2, 2): 10}.get((theirs, empty), 0)
    score += 7 * board.cells[18:24].count(ai)
    if len(board.threats(ai)) >= 2:
        score += 800
    opponents = len(board.threats(1 - ai))
    if opponents >= 2:
        score -= 900
    score -= opp_threat_penalty * opponents
    for left in range(4):
        row = board.cells[6 * left : 6 * left + 19 : 6]
        if row in ([ai, ai, ai, None], [None, ai, ai, ai]):
            score += 200
    return score


class Minimax:
    """Plain minimax with alpha-beta, from the side of one player."""

    def __init__(self, board, depth, terminal="sooner", opp_threat_penalty=0):
        self.board, self.depth = board, depth
        self.terminal, self.penalty = terminal, opp_threat_penalty
        self.ai = board.to_move
        self.nodes = 0

    def scores(self):
        """Return each column's exact score."""
        found = {}
        for column in self.board.open_columns():
            self.board.drop(column)
            found[column] = self.value(self.depth - 1, -math.inf, math.inf)
            self.board.take_back(column)
        return found

    def best(self, scores):
        return max(CENTRE_FIRST, key=lambda column: scores.get(column, -math.inf))

    def value(self, depth, alpha, beta):
        self.nodes += 1
        board, ai = self.board, self.ai
        for player, sign in ((ai, 1), (1 - ai, -1)):
            if self.terminal != "eval" and board.has_four(player):
                return sign * (100000 + (depth if self.terminal == "sooner" else -depth))
        columns = [column for column in CENTRE_FIRST if column in board.open_columns()]
        if depth == 0 or not columns or board.has_four(0) or board.has_four(1):
            return evaluate(board, ai, self.penalty)
        best = -math.inf if board.to_move == ai else math.inf
        for column in columns:
            own = board.to_move == ai
            board.drop(column)
            value = self.value(depth - 1, alpha, beta)
            board.take_back(column)
            if own:
                best = max(best, value)
                alpha = max(alpha, best)
            else:
                best = min(best, value)
                beta = min(beta, best)
            if alpha >= beta:
                break
        return best


def worth(board, known):
    """Return the game's worth to the player to move: 22 less the winner's stones, by brute force.

    ``known`` remembers positions; nobody has four yet.
    """
    key = (board.to_move, tuple(board.cells))
    if key not in known:
        columns = board.open_columns()
        if any(board.makes_four(board.to_move, column) for column in columns):
            known[key] = 22 - (board.stones // 2 + 1)
        else:
            known[key] = max(worths(board, known).values(), default=0)
    return known[key]


def worths(board, known):
    """Return what each column is worth to the player to move, by brute force."""
    found = {}
    for column in board.open_columns():
        if board.makes_four(board.to_move, column):
            found[column] = 22 - (board.stones // 2 + 1)
        else:
            board.drop(column)
            found[column] = -worth(board, known)
            board.take_back(column)
    return found


def random_columns(draw, plies):
    """Return columns of a random game that is not over after so many plies, None if it is."""
    board = Board()
    played = []
    for _ in range(plies):
        column = draw(board.open_columns())
        if board.makes_four(board.to_move, column):
            return None
        board.drop(column)
        played.append(column)
    return played if board.open_columns() else None


def stream(name, seed, game, stones):
    """Return the random stream of a player's move."""
    state = mix((stream_key(f"connect4 {name}", seed) + mix(game)) & MASK)
    return Stream(state, stones)


def wanted(board, greedy):
    """Return the columns among which the player ``random`` or ``greedy`` draws."""
    columns = board.open_columns()
    if greedy:
        for player in (board.to_move, 1 - board.to_move):
            making = [column for column in columns if board.makes_four(player, column)]
            if making:
                return making
    return columns
