"""Journals of Connect 4: matches, leagues and the quality of moves go on after a crash."""

from __future__ import annotations

import contextlib
import sqlite3

import numpy as np
import pytest

from bsbench.common import journal as module
from bsbench.common.journal import Journal
from bsbench.connect4.contest import play_league, play_match
from bsbench.connect4.players import as_player
from bsbench.connect4.quality import judge_players
from bsbench.matches.keeping import about_players
from tests.support.helpers import sign_again
from tests.support.refusals import refused

PLAYERS = ("greedy", "random", "hard,depth=2")


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Let each checkpoint be due at once, and blocks be short."""
    for name in ("_FIRST_SECONDS", "_SECONDS", "_MOST_SECONDS"):
        monkeypatch.setattr(module, name, 0.0)
    monkeypatch.setattr("bsbench.matches.lockstep._BLOCK_SECONDS", 0.001)


class _Crash(BaseException):
    pass


ABOUT = about_players([as_player(player) for player in PLAYERS], seed=3)


def _crashing(play, place, every: int):
    """Play with a journal, with a crash after more and more calls of the progress function."""
    for number in range(1, 100):
        journal, left = Journal.open(place, ABOUT, resume=True), [every * number]

        def progress(*_, left=left) -> None:
            left[0] -= 1
            if left[0] < 0:
                raise _Crash

        with contextlib.closing(journal), contextlib.suppress(_Crash):
            return play(journal=journal, progress=progress)
    raise AssertionError("it ends at last")


def test_a_match_goes_on(tmp_path):
    def play(**options):
        return play_match("greedy", "random", games=400, seed=3, threads=1, **options)

    whole = play()
    again = _crashing(play, tmp_path / "a", 5)
    np.testing.assert_array_equal(again.outcomes, whole.outcomes)
    np.testing.assert_array_equal(again.lengths, whole.lengths)
    assert [each.moves for each in again.efforts] == [each.moves for each in whole.efforts]
    assert again.play_seconds > 0
    journal = Journal.open(tmp_path / "a", ABOUT, resume=True)
    with refused("journal", "400 games"):
        play_match("greedy", "random", games=100, seed=3, journal=journal)
    longer = play_match("greedy", "random", games=500, seed=3, journal=journal)
    np.testing.assert_array_equal(longer.outcomes[:200], whole.outcomes)
    expected = play_match("greedy", "random", games=500, seed=3)
    np.testing.assert_array_equal(longer.outcomes, expected.outcomes)


def test_a_league_goes_on(tmp_path):
    def play(**options):
        return play_league(PLAYERS, games=100, seed=3, threads=1, **options)

    whole = play()
    again = _crashing(play, tmp_path / "a", 6)
    np.testing.assert_array_equal(again.points, whole.points)
    assert again.ratings.elo.tolist() == whole.ratings.elo.tolist()
    seen = []
    with contextlib.closing(Journal.open(tmp_path / "a", ABOUT, resume=True)) as journal:
        play(journal=journal, progress=lambda *told: seen.append(told))
    assert seen == []


def test_the_quality_of_moves_goes_on(tmp_path):
    def play(**options):
        return judge_players(PLAYERS, plies=(28, 29, 30), positions=10, seed=3, **options)

    whole = play()
    again = _crashing(play, tmp_path / "a", 4)
    np.testing.assert_array_equal(again.optimal, whole.optimal)
    np.testing.assert_array_equal(again.keeps, whole.keeps)
    np.testing.assert_array_equal(again.chance, whole.chance)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE rows SET data = zeroblob(length(data))",
        "UPDATE rows SET data = randomblob(length(data))",
        "UPDATE rows SET data = substr(data, 2)",
        "DELETE FROM rows",
        "UPDATE states SET state = '[1000000, 5]' WHERE key LIKE 'greedy%'",
        "UPDATE states SET state = '\"a\"' WHERE key LIKE 'greedy%'",
    ],
)
def test_what_is_damaged_is_refused(tmp_path, statement):
    def play(journal):
        judge_players(["greedy"], plies=(30,), positions=5, journal=journal)
        if "zeroblob" not in statement:
            play_match("greedy", "random", games=20, journal=journal)

    with contextlib.closing(Journal.open(tmp_path / "a", ABOUT)) as journal:
        play(journal)
    with contextlib.closing(sqlite3.connect(tmp_path / "a")) as database, database:
        database.execute(statement)
        sign_again(database)
    journal = Journal.open(tmp_path / "a", ABOUT, resume=True)
    with (
        contextlib.closing(journal),
        refused("journal"),
    ):
        play(journal)
