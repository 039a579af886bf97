"""Connect 4: openings, matches, and a person who plays."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from bsbench.cli import main
from bsbench.connect4.cli import make_players
from bsbench.connect4.match import openings, play_match
from bsbench.connect4.players import Random, make_player
from bsbench.connect4.position import CENTRE_FIRST, Position
from tests.support.helpers import assert_chi_square
from tests.support.naive import connect4 as naive
from tests.support.refusals import assert_names, assert_refused, names


@pytest.mark.parametrize("plies", [0, 7, 30])
def test_openings_are_legal_and_the_game_goes_on(plies):
    columns, boards = openings(3, 0, 100, plies)
    for played, board in zip(columns.tolist(), boards.tolist(), strict=True):
        position = Position(tuple(played))
        assert [position.mover, position.stones] == board
        own = naive.Board(played)
        assert not own.has_four(1 - own.to_move)
        assert not any(own.makes_four(own.to_move, column) for column in own.open_columns())


def test_an_opening_is_known_by_its_number():
    for some, all_ in zip(openings(5, 40, 3, 8), openings(5, 0, 50, 8), strict=True):
        assert np.array_equal(some, all_[40:43])
    assert not np.array_equal(openings(5, 0, 3, 8)[0], openings(6, 0, 3, 8)[0])


def test_short_openings_are_all_as_likely_as_each_other():
    columns, _ = openings(1, 0, 49_000, 2)
    assert_chi_square(np.bincount(columns @ [7, 1], minlength=49), np.full(49, 1000.0))


def _opening(match, pair):
    """Return the position from which a pair of games begins."""
    columns, _ = openings(match.seed, pair, 1, match.opening_plies)
    return Position(tuple(columns[0].tolist()))


def _played(match, pair, side):
    """Play one game of a match again, on a board that is a list; return outcome and stones."""
    players = [player.copy() for player in match.players]
    for player in players:
        player.begin(match.seed)
    position = _opening(match, pair)
    board = naive.Board(position.played)
    while board.open_columns() and not board.has_four(1 - board.to_move):
        # On side 0, the first-named has the stones of `first`.
        index = board.to_move ^ side
        column = players[index].analyse(position, pair).best
        position = position.after(column)
        board.drop(column)
    outcome = 0
    if board.has_four(1 - board.to_move):
        outcome = 1 if (1 - board.to_move) ^ side == 0 else -1
    return outcome, len(position.played)


@pytest.mark.parametrize("names", [("greedy", "random"), ("hard,depth=2", "greedy")])
@pytest.mark.parametrize("plies", [8, 5])
def test_games_of_a_match_are_those_played_one_by_one(names, plies):
    match = play_match(*names, games=60, opening_plies=plies, seed=4)
    for pair in range(30):
        for side in range(2):
            told = match.outcomes[pair, side], match.lengths[pair, side]
            assert told == _played(match, pair, side)


def test_threads_and_length_change_no_game():
    whole = play_match("greedy", "random", games=3000, seed=9, threads=3)
    part = play_match("greedy", "random", games=400, seed=9, threads=1)
    assert np.array_equal(whole.outcomes[:200], part.outcomes)
    assert np.array_equal(whole.lengths[:200], part.lengths)
    other = play_match("greedy", "random", games=400, seed=10, threads=1)
    assert not np.array_equal(part.lengths, other.lengths)


@pytest.mark.ci
def test_perfect_loses_nothing_that_is_won():
    match = play_match("perfect", "hard,depth=4", games=120, opening_plies=20, seed=1)
    solver = make_player("perfect")
    solver.begin(0)
    worth = [solver.worth(_opening(match, pair)) for pair in range(60)]
    assert min(worth) < 0 < max(worth)
    for outcome, value in zip(match.outcomes.tolist(), worth, strict=True):
        # After 20 moves `first` is to move: the worth is its, and the other's is the opposite.
        assert outcome[0] >= np.sign(value)
        assert outcome[1] >= -np.sign(value)


def test_the_record_tells_what_the_match_was():
    match = play_match("greedy", "random", games=500, seed=3)
    record = match.to_dict()
    joint = np.array(record["outcomes"])
    ends, pairs = (-1, 0, 1), [tuple(pair) for pair in match.outcomes.tolist()]
    assert joint.tolist() == [[pairs.count((one, other)) for other in ends] for one in ends]
    assert match.by_side.tolist() == [joint.sum(axis=axis)[::-1].tolist() for axis in (1, 0)]
    points = np.add.outer(np.arange(3), np.arange(3))
    assert record["score"]["share"] == pytest.approx((joint * points).sum() / 1000)
    assert sum(record["stones"]) == record["games"] == record["requested"] == 500
    mean = np.arange(43) @ record["stones"] / 500
    moves = sum(player["moves"] for player in record["players"]) / 500
    assert mean == pytest.approx(8 + moves)
    assert match.race.wins + match.race.ties / 2 == pytest.approx(500 * match.score.share)
    json.dumps(record, allow_nan=False)


def test_elo_that_is_infinite_is_null_in_the_record():
    match = play_match("hard,depth=4", "random", games=20)
    elo = match.to_dict()["elo"]
    assert match.score.share == 1
    assert elo["difference"] is elo["high"] is None
    assert elo["low"] > 100


def _after(games):
    def interrupt(now):
        if now.done >= games:
            raise KeyboardInterrupt

    return interrupt


class _Wild(Random):
    name = "random"

    def choose(self, boards, games):
        return np.full(len(boards), 3)


def test_a_player_that_plays_where_no_room_is_ends_the_match():
    with pytest.raises(ValueError, match="no room"):
        play_match(_Wild(), _Wild(), games=40, opening_plies=12)


def test_ctrl_c_keeps_the_pairs_that_were_played():
    match = play_match("greedy", "random", games=10_000, seed=9, progress=_after(500))
    assert match.partial
    assert 500 <= match.games < 10_000
    whole = play_match("greedy", "random", games=10_000, seed=9)
    assert np.array_equal(match.outcomes, whole.outcomes[: match.games // 2])


def _run(*arguments, **more):
    return CliRunner().invoke(main, ["connect4", *map(str, arguments)], **more)


def test_what_an_option_sets_is_for_all_that_have_it():
    players = make_players(["hard", "hard,depth=3", "random"], {"depth": "5"})
    assert [player.label for player in players] == ["hard depth=5", "hard depth=3", "random"]


def test_match_prints_what_was_played_and_writes_it(in_folder):
    result = _run("match", "hard", "random", "-n", 64, "--depth", 3, "--export-json", "m.json")
    assert result.exit_code == 0, result.output
    assert_names(result.stdout, "hard depth=3", "random", "64 games")
    record = json.loads(Path("m.json").read_text())
    shares = np.sum(record["outcomes"], axis=1) / 32
    (begun,) = (line for line in result.stdout.splitlines() if line.startswith("as first"))
    printed = [float(share) / 100 for share in re.findall(r"([\d.]+) %", begun)]
    assert printed[:3] == pytest.approx(shares[::-1], abs=0.001)
    assert record["players"][0]["parameters"]["depth"] == 3
    again = _run("match", "hard,depth=3", "random", "-n", 64, "--export-json", "-", "-q")
    assert json.loads(again.stdout)["outcomes"] == record["outcomes"]
    assert_refused(_run("match", "hard", "random", "--export-json", "m.json"), "m.json", "--force")


def _play(text, *arguments):
    return _run("play", *arguments, input=text)


def test_a_person_wins_loses_and_draws():
    # Against random, at this seed, four in a column are not blocked.
    won = _play("4\n4\n4\n4\n", "--player", "random", "--seed", 3)
    assert won.exit_code == 0, won.output
    assert "you win" in won.stdout
    lost = _play("1\n1\n1\n7\n7\n7\n2\n2\n2\n", "--player", "hard", "--depth", 4)
    assert names(lost.stdout, "hard depth=4 wins")
    # One cell is left: it decides nothing.
    full = "".join(str(column + 1) for column in _drawn_game()[:-1])
    last = _drawn_game()[-1] + 1
    drawn = _play(f"{last}\n", "--second", "--player", "random", "--position", full)
    assert names(drawn.stdout, "draw")
    assert names(drawn.stdout.splitlines()[-1], f"{full}{last}")


def _drawn_game():
    """Return columns of a game without a winner, found by playing at random."""
    for seed in range(10_000):
        played = naive.random_columns(np.random.default_rng(seed).choice, 41)
        if played is not None:
            board = naive.Board(played)
            (last,) = board.open_columns()
            if not board.makes_four(board.to_move, last):
                return [*played, last]
    raise AssertionError("there was none")


def test_a_person_may_ask_take_back_and_quit():
    told = _play("?\n4\nu\n3\n8\n\nq\n", "--depth", 2)
    assert told.exit_code == 0, told.output
    (advice,) = (line for line in told.stdout.splitlines() if "would play" in line)
    assert_names(advice, "hard depth=2", "4")
    # Two answers of the player, and a line for what is no column.
    assert told.stdout.count("hard depth=2 plays") == 2
    assert names(told.stdout, "'8'")
    assert "played: 3" in told.stdout
    # With nothing to take back, and in a full column, the person is asked again.
    for typed, given in (("u", "44"), ("1", "111111")):
        asked = _play(f"{typed}\nq\n", "--position", given, "--depth", 1)
        assert asked.exit_code == 0, asked.output
        assert asked.stdout.count("your column") == 2
        assert f"played: {given}" in asked.stdout
    assert _play("4\n", "--depth", 1).exit_code == 0


def test_the_scores_shown_are_the_players():
    position = Position.parse("4455")
    hard = make_player("hard", {"depth": 3})
    hard.begin(0)
    scores = hard.analyse(position).scores
    told = _play("?\nq\n", "--depth", 3, "--position", "4455").stdout.splitlines()
    (line,) = (line for line in told if line.startswith("score "))
    assert list(map(int, line.split()[1:])) == [scores[column] for column in sorted(CENTRE_FIRST)]
