"""Matches and leagues of a game that nobody knows: `bsbench.matches` serves any game."""

from __future__ import annotations

import contextlib
import itertools
import re

import numpy as np
import pytest

from bsbench.common.errors import BsbenchError, Fault
from bsbench.common.journal import Journal
from bsbench.matches import lockstep
from bsbench.matches.contest import Contest
from bsbench.matches.faults import PlayerError
from bsbench.matches.formats import LeagueRecord, MatchRecord
from bsbench.matches.game import GOES_ON, WON, Table
from bsbench.matches.keeping import about_players
from bsbench.matches.player import Player
from tests.support.refusals import names, refused


class Heap(Table):
    """Who takes the last stone of a heap wins. Games that begin with more stones are longer."""

    def __init__(self, seed, first, pairs, plies):
        self.heap = np.tile((np.arange(first, first + pairs) * 7 + seed) % 30 + 4, 2)
        self.lengths = np.full(2 * pairs, plies, np.int8)

    def to_move(self, games):
        return self.lengths[games] % 2 == 1

    def ask(self, player, games, numbers):
        return player.take(self.heap[games], numbers)

    def play(self, games, moves):
        if (moves > 3).any() or (moves > self.heap[games]).any():
            raise BsbenchError(f"takes {moves.max()} stones")
        self.heap[games] -= moves
        self.lengths[games] += 1
        return np.where(self.heap[games] == 0, WON, GOES_ON)

    def where(self, game):
        return f"with {self.heap[game]} stones left"


class Taker(Player):
    """Takes so many stones, or with 0, as many as leave a multiple of four."""

    source = "this test"

    def __init__(self, most):
        self.most, self.name, self.heard = most, f"take-{most}", []

    def copy(self):
        other = type(self)(self.most)
        other.heard, other.own = self.heard, self.own
        return other

    def try_move(self):
        pass

    def take(self, heap, numbers):
        if self.most == 9 and (heap < 10).any():
            raise Fault(int(np.argmax(heap < 10)), "it is lost")
        best = np.where(heap % 4, heap % 4, 1)
        return np.minimum(heap, best if self.most == 0 else min(self.most, 3))

    def over(self, games, second, outcomes):
        self.heard += zip(games.tolist(), second.tolist(), outcomes.tolist(), strict=True)


class HeapsMatch(MatchRecord, frozen=True):
    schema = "bsbench-heaps-match-1"

    takes: list[int]


class HeapsLeague(LeagueRecord, frozen=True):
    schema = "bsbench-heaps-league-1"


class Heaps(Contest):
    """Many heaps."""

    name, length, longest, opening_plies, most_plies = "heaps", "takes", 60, 0, 1
    match_form, league_form = HeapsMatch, HeapsLeague

    def as_player(self, given):
        return given if isinstance(given, Player) else Taker(given)

    def all_players(self):
        return [Taker(most) for most in range(4)]

    def opening(self, seed, pair, plies):
        return int(Heap(seed, pair, 1, plies).heap[0])

    def deal(self, seed, first, pairs, plies, followed):
        return Heap(seed, first, pairs, plies)


HEAPS = Heaps()


def _won(heap: int, one: int, other: int) -> int:
    """Return 1 if the first wins who takes ``one``, as a child would play it."""
    takes, turn = (one, other), 0
    while True:
        wanted = takes[turn] or heap % 4 or 1
        heap -= min(wanted, 3, heap)
        if heap == 0:
            return 1 if turn == 0 else -1
        turn = 1 - turn


def test_a_match_is_what_its_games_are_one_by_one():
    for one, other in ((0, 3), (1, 2), (3, 3)):
        match = HEAPS.play_match(one, other, games=100, seed=5, threads=1)
        for pair, outcomes in enumerate(match.outcomes.tolist()):
            heap = match.opening(pair)
            assert outcomes == [_won(heap, one, other), -_won(heap, other, one)]
        again = HEAPS.play_match(one, other, games=100, seed=5, threads=3)
        np.testing.assert_array_equal(match.outcomes, again.outcomes)
        record = match.to_dict()
        assert record["schema"] == "bsbench-heaps-match-1"
        assert sum(record["takes"]) == 100
        assert sum(places * count for places, count in enumerate(record["takes"])) == sum(
            each["moves"] for each in record["players"]
        )
    assert match.pairs.tolist() == [0, 0, 50, 0, 0]


def test_who_plays_well_leads_the_league():
    seen = []
    league = HEAPS.play_league(games=100, seed=5, threads=2, progress=seen.append)
    assert names(str(seen[-1]), "600 of 600")
    assert names(str(seen[-1]), "take-2")
    assert league.labels[league.order[0]] == "take-0"
    assert league.to_dict()["schema"] == "bsbench-heaps-league-1"


def _lost_at(heap: int, second: bool) -> int:
    """Return the stones before which the player fails that takes three, the other taking one."""
    heap -= second
    while heap >= 10:
        heap -= 4
    return heap


def test_a_fault_says_where_it_was_and_keeps_what_was_played(monkeypatch):
    monkeypatch.setattr(lockstep, "_BLOCK_SECONDS", 0)
    bad = Taker(9)
    bad.own = True
    good = Taker(1)
    for seed, players in itertools.product(range(3), [(bad, good), (good, bad)]):
        with pytest.raises(PlayerError) as error:
            HEAPS.play_match(*players, games=100, seed=seed, threads=1)
        told = re.search(r"game (\d+) .*with (\d+) stones .*it is lost", str(error.value))
        assert told is not None
        pair, second = divmod(int(told[1]), 2)
        is_second = bool(second) != (players[1] is bad)
        assert int(told[2]) == _lost_at(HEAPS.opening(seed, pair, 0), is_second)
        names = " ".join(player.name for player in players)
        replay = f"bsbench heaps replay {names} --seed {seed} --opening 0 --game {told[1]}"
        assert error.value.replay == replay
        assert error.value.match is None or error.value.match.games == 2 * pair
    league = HEAPS.play_league([0, bad, 1], games=100, seed=20)
    assert league.labels == ["take-0", "take-1"]
    assert list(league.faults) == ["take-9"]


def test_both_hear_how_games_have_ended():
    one, other = Taker(2), Taker(2)
    one.own = other.own = True
    match = HEAPS.play_match(one, other, games=40, seed=3, threads=1)
    told = [[0, 0] for _ in range(20)]
    for pair, second, outcome in one.heard:
        told[pair][second] = outcome
    assert told == match.outcomes.tolist()
    assert sorted(other.heard) == sorted(
        (pair, not second, -outcome) for pair, second, outcome in one.heard
    )


def test_a_move_that_is_not_allowed_is_refused():
    class Greedy(Taker):
        def take(self, heap, numbers):
            return np.full(len(heap), 4)

    with refused("'take-1'", "4 stones"):
        HEAPS.play_match(Greedy(1), 2, games=10)
    with refused("2", "1"):
        HEAPS.play_match(1, 2, games=10, opening_plies=2)


def test_a_match_goes_on_from_a_journal(tmp_path, monkeypatch):
    monkeypatch.setattr(lockstep, "_BLOCK_SECONDS", 0)
    monkeypatch.setattr("bsbench.common.journal._FIRST_SECONDS", 0.0)
    about = about_players([Taker(0), Taker(2)], seed=5)

    def stop(now):
        raise KeyboardInterrupt

    journal = Journal.open(tmp_path / "a", about)
    with contextlib.closing(journal):
        part = HEAPS.play_match(0, 2, games=200, seed=5, progress=stop, journal=journal, threads=1)
        journal.write()
    assert 0 < part.games < 200
    assert part.partial
    with contextlib.closing(Journal.open(tmp_path / "a", about, resume=True)) as journal:
        whole = HEAPS.play_match(0, 2, games=200, seed=5, journal=journal)
    fresh = HEAPS.play_match(0, 2, games=200, seed=5)
    np.testing.assert_array_equal(whole.outcomes, fresh.outcomes)
    np.testing.assert_array_equal(whole.lengths, fresh.lengths)
