"""Rules of Connect 4, and its players against their plain twins."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from bsbench.connect4.kernels import board as kernels
from bsbench.connect4.kernels import minimax, solver
from bsbench.connect4.players import board_of, make_player, player_names
from bsbench.connect4.position import BOARD, Position
from tests.support.naive import connect4 as naive
from tests.support.refusals import refused

SEED = 11
SLOW = pytest.mark.slow


def _columns(count, plies, seed=SEED):
    """Return columns of random games that are not over, of the lengths given."""
    rng = np.random.default_rng(seed)
    lengths = np.resize(plies, count)
    found = []
    for length in lengths:
        played = None
        while played is None:
            played = naive.random_columns(rng.choice, length)
        found.append([int(column) for column in played])
    return found


def _words(board):
    """Return the stones of the first and of the second player as words."""
    return [
        sum(1 << (7 * (cell // 6) + cell % 6) for cell in range(42) if board.cells[cell] == player)
        for player in (0, 1)
    ]


def _finished(seed):
    """Return columns of a random game up to its end."""
    rng = np.random.default_rng(seed)
    board, played = naive.Board(), []
    while board.open_columns() and not board.has_four(1 - board.to_move):
        played.append(int(rng.choice(board.open_columns())))
        board.drop(played[-1])
    return played


def test_positions_follow_the_rules():
    for seed in range(150):
        played = _finished(seed)
        board = naive.Board()
        for number, column in enumerate(played):
            position = Position(tuple(played[:number]))
            assert not position.is_over
            assert list(position.open_columns) == board.open_columns()
            words = _words(board)
            assert (position.mover, position.stones) == (words[number % 2], sum(words))
            board.drop(column)
        position = Position(tuple(played))
        assert position.is_over
        won = board.has_four(1 - board.to_move)
        assert position.winner == (("first", "second")[1 - board.to_move] if won else None)
        assert (position.stones == BOARD) or won
        assert Position.parse(position.text) == position


def test_impossible_positions_are_refused():
    for text, *named in (
        ("48", "'48'", "'8'", "2"),
        ("4444444", "column 4", "move 7", "6"),
        ("12121213", "move 7", "'1212121'"),
    ):
        with refused(*named):
            Position.parse(text)


def test_there_is_nothing_to_play_once_a_game_is_over():
    with refused("'1212121'", "first player"):
        Position.parse("1212121").open()
    drawn = next(
        position
        for seed in range(10000)
        if (position := Position(tuple(_finished(seed)))).winner is None
    )
    with refused("draw"):
        drawn.open()


def test_kernels_play_and_recognise_the_end_like_the_twin():
    games = [_finished(seed) for seed in range(200)]
    boards = np.zeros((len(games), 2), np.uint64)
    lists = [naive.Board() for _ in games]
    live = list(range(len(games)))
    for number in range(42):
        live = [game for game in live if number < len(games[game])]
        if not live:
            break
        moving = boards[live]
        outcomes = np.full(len(live), -1)
        columns = np.array([games[game][number] for game in live])
        assert kernels.play_columns(moving, columns, outcomes) == -1
        boards[live] = moving
        for game, column, outcome in zip(live, columns, outcomes, strict=True):
            lists[game].drop(column)
            expected = kernels.GOES_ON
            if lists[game].has_four(number % 2):
                expected = kernels.WON
            elif not lists[game].open_columns():
                expected = kernels.DRAWN
            assert outcome == expected
            words = _words(lists[game])
            assert boards[game].tolist() == [words[1 - number % 2], sum(words)]


@pytest.mark.parametrize("column", [-1, 3, 7])
def test_a_column_that_is_full_or_none_is_reported(column):
    boards = np.concatenate([board_of(Position()), board_of(Position.parse("444444"))])
    before = boards[1].copy()
    assert kernels.play_columns(boards, np.array([0, column]), np.zeros(2, np.int64)) == 1
    assert boards[1].tolist() == before.tolist()


@pytest.mark.parametrize("count", [150, pytest.param(2000, marks=SLOW)])
def test_the_evaluation_is_that_of_the_seed(count):
    # Boards on the way, and finished ones, on which the other terms count as well.
    games = [*_columns(count, range(42)), *map(_finished, range(count))]
    for number, played in enumerate(games):
        board = naive.Board(played)
        penalty = (0, 120)[number % 2]
        for ai in (0, 1):
            words = _words(board)
            found = minimax.evaluate(np.uint64(words[ai]), np.uint64(words[1 - ai]), penalty)
            assert found == naive.evaluate(board, ai, penalty), (played, ai)


def _chosen(player, games, numbers=None):
    """Return what a player chooses after some columns each, asked for all at once."""
    boards = np.concatenate([board_of(Position(tuple(played))) for played in games])
    return player.choose(boards, np.array(numbers or range(len(games)))).tolist()


def _check_hard(games, depth, terminal, penalty=0):
    player = make_player(
        "hard", {"depth": depth, "terminal": terminal, "opp_threat_penalty": penalty}
    )
    player.begin(0)
    for played in games:
        twin = naive.Minimax(naive.Board(played), depth, terminal, penalty)
        scores = twin.scores()
        position = Position(tuple(played))
        analysis = player.analyse(position)
        assert analysis.scores == scores, played
        assert analysis.best == twin.best(scores), played
        assert analysis.nodes == twin.nodes, played
        assert player.choose(board_of(position), np.arange(1)).tolist() == [analysis.best], played


TERMINALS = [("eval", 0), ("sooner", 0), ("later", 120)]


@pytest.mark.parametrize(("terminal", "penalty"), TERMINALS)
@pytest.mark.parametrize(
    ("depth", "count"),
    [(1, 20), (2, 8), (3, 4), (4, 1)]
    + [
        pytest.param(*each, marks=SLOW)
        for each in ((1, 1000), (2, 600), (3, 200), (4, 60), (5, 20))
    ],
)
def test_hard_scores_and_plays_like_its_twin(depth, count, terminal, penalty):
    # From early positions to late ones, however few.
    plies = range(4, 40, max(1, 36 // count))
    _check_hard(_columns(count, plies, seed=depth), depth, terminal, penalty)


def test_the_search_is_plain_alpha_beta():
    # As many boards as in another program with the same move order, columns searched one by one.
    nodes = np.zeros(1, np.int64)
    no_table, empty = np.zeros(0, np.uint64), np.uint64(0)
    search = minimax.Search(minimax.SOONER, 0, no_table, np.uint64(1), nodes)
    for column in range(7):
        minimax.score_column(empty, empty, column, minimax.ANY_SCORE, 10, search)
    assert nodes[0] == 716_085


@pytest.mark.parametrize("depth", [8, 9, 10])
def test_the_table_and_threads_change_no_score(depth, monkeypatch):
    games = _columns(3, [3, 8, 12])
    analyses = []
    for threads in (1, 2, 7):
        player = make_player("hard", {"depth": depth, "threads": threads})
        player.begin(0)
        analyses.append([player.analyse(Position(tuple(played))) for played in games])

    def no_thread(*arguments):
        raise RuntimeError("can't start new thread")

    # With threads, but none that can be started; and nothing is kept from depth 9 on, either.
    monkeypatch.setattr(threading.Thread, "start", no_thread)
    monkeypatch.setattr("bsbench.connect4.players._TABLE_DEPTH", 99)
    player.begin(0)
    analyses.append([player.analyse(Position(tuple(played))) for played in games])
    for others in analyses[1:]:
        for one, other in zip(analyses[0], others, strict=True):
            assert (one.best, one.scores) == (other.best, other.scores)
    if depth == 8:
        assert len({analysis[0].nodes for analysis in analyses}) == 1
    else:
        assert analyses[0][0].nodes < analyses[-1][0].nodes


def _perfect():
    player = make_player("perfect", {"table_bits": 16})
    player.begin(0)
    return player


def _check_perfect(player, position, worths):
    """Compare what the player makes of a position with what each column is worth."""
    analysis = player.analyse(position)
    assert analysis.scores == worths, position
    assert player.worth(position) == max(worths.values()), position
    assert worths[analysis.best] == max(worths.values())
    chosen = player.choose(board_of(position), np.arange(1)).tolist()
    assert chosen == [analysis.best], position


@pytest.mark.ci
@pytest.mark.parametrize(
    ("count", "plies"), [(60, range(30, 42)), pytest.param(300, range(26, 42), marks=SLOW)]
)
def test_perfect_knows_late_positions_like_brute_force(count, plies):
    player = _perfect()
    for played in _columns(count, plies):
        board = naive.Board(played)
        worths = naive.worths(board, {})
        _check_perfect(player, Position(tuple(played)), worths)


@pytest.mark.ci
@pytest.mark.parametrize(
    ("count", "plies"), [(40, range(16, 30)), pytest.param(100, range(10, 30), marks=SLOW)]
)
def test_perfect_knows_of_a_position_what_follows_from_the_next_ones(count, plies):
    # Each by a solver that knows nothing yet, so that one's mistake is not the other's.
    for played in _columns(count, plies):
        position = Position(tuple(played))
        worths = {}
        for column in position.open_columns:
            after = position.after(column)
            if after.winner is None:
                worths[column] = -_perfect().worth(after)
            else:
                worths[column] = 22 - (len(played) // 2 + 1)
        _check_perfect(_perfect(), position, worths)


@pytest.mark.parametrize("name", ["random", "greedy"])
def test_players_of_chance_draw_what_their_twins_draw(name):
    player = make_player(name)
    player.begin(SEED)
    games = [*_columns(100, range(42)), *_columns(60, range(12, 30), seed=SEED + 1)]
    found = _chosen(player, games)
    for game, (played, column) in enumerate(zip(games, found, strict=True)):
        draw = naive.stream(name, SEED, game, len(played)).draw
        columns = naive.wanted(naive.Board(played), greedy=name == "greedy")
        assert column == columns[draw(len(columns))], played


@pytest.mark.parametrize(
    "name",
    [pytest.param(each, marks=[pytest.mark.ci] * (each == "perfect")) for each in player_names()],
)
def test_a_column_depends_on_board_and_game_alone(name):
    quick = {"hard": {"depth": 9}, "perfect": {"table_bits": 10}}
    player = make_player(name, quick.get(name))
    player.begin(SEED)
    games = _columns(12, range(24, 42))
    together = _chosen(player, games)
    other = player.copy()
    other.begin(SEED)
    numbers = range(len(games))
    alone = [_chosen(other, games[game : game + 1], [game])[0] for game in reversed(numbers)]
    assert together == alone[::-1]
    for game, played in enumerate(games):
        position = Position(tuple(played))
        assert player.analyse(position, game).best == together[game] in position.open_columns


@pytest.mark.ci
def test_kernels_that_call_themselves_have_one_version():
    # Two versions can't be loaded from the cache again: that is a segmentation fault, and ends
    # this test as well. If one is loaded, it has no signature of its own.
    position = Position(tuple(_columns(1, [30])[0]))
    for name, settings in (("hard", {"depth": 4}), ("perfect", {"table_bits": 10})):
        player = make_player(name, settings)
        player.begin(0)
        player.choose(board_of(position), np.arange(1))
        player.analyse(position)
    for recursive in (minimax._search, solver._search):
        assert len(recursive.signatures) <= 1


@pytest.mark.ci
def test_an_empty_place_of_the_table_is_no_position():
    assert solver._key_of(np.uint64(0), np.uint64(0)) != 0
