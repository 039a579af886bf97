"""The twin of ``smart``."""

from tests.support.naive.layouts import DIAGONALS, EAST, SOUTH, beside


def smart(rules, seed: int, game: int):
    yield from scan_list(rules, list(range(rules.cells)), [EAST, SOUTH])


def scan_list(rules, board_list: list[int], to_front: list[tuple[int, int]]):
    """The pseudo-code solveSmart, line by line, on a plain list."""
    while board_list:
        pos = board_list.pop(0)
        reply = yield pos
        if reply.hit:
            if not rules.touching:
                for diagonal in beside(rules.rows, rules.cols, pos, DIAGONALS):
                    if diagonal in board_list:
                        board_list.remove(diagonal)
            listed = [
                cell for cell in beside(rules.rows, rules.cols, pos, to_front) if cell in board_list
            ]
            board_list = listed + [cell for cell in board_list if cell not in listed]
