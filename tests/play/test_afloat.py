"""Games in which a turn has as many shots as the shooter has ships afloat."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from click.testing import CliRunner

from bsbench.cli import main
from bsbench.play.game import layout_of
from bsbench.play.samplers import make_sampler
from bsbench.roster import make_variant
from bsbench.rules.board import Rules
from bsbench.rules.placement import Placement
from bsbench.rules.scenario import Scenario
from bsbench.stats import Outcomes
from bsbench.studies.match import afloat
from bsbench.studies.match.afloat import AfloatSide, play_afloat
from bsbench.studies.match.study import match
from tests.support import naive
from tests.support.refusals import assert_refused, refused

SMALL = Rules(3, 3, (2, 1), touching=True, feedback="ship", shots="afloat")


@dataclass
class Dealt:
    """Deals given layouts in order."""

    codes: np.ndarray

    def draw(self, seed, first, games):
        return self.codes[first : first + games]


def winner(targets, orders) -> tuple[bool, int, int]:
    """Play in plain Python: whether the first side wins, its turns, and its shots up to the last.

    ``targets`` are the layouts that both shoot at, ``orders`` the cells that they fire in order.
    """
    shot: tuple[list[int], list[int]] = ([], [])

    def afloat(side) -> int:
        # Its own ships are those that the other one shoots at.
        return sum(not set(ship) <= set(shot[1 - side]) for ship in targets[1 - side])

    turns = 0
    while True:
        turns += 1
        for side in (0, 1):
            for cell in orders[side][len(shot[side]) :][: afloat(side)]:
                shot[side].append(cell)
                if set(shot[side]) >= {cell for ship in targets[side] for cell in ship}:
                    return side == 0, turns, len(shot[side])


@pytest.mark.parametrize("names", [("linear", "linear"), ("random", "linear")])
def test_every_pair_of_layouts_is_played_as_in_plain_python(names):
    layouts = list(naive.all_layouts(SMALL))
    pairs = list(product(layouts, layouts))
    # Game g shoots at layout g of who is second, the other side at layout g xor 1.
    codes = np.array([naive.encode(SMALL, ships) for ships in layouts], np.int32)
    hidden = np.zeros((2, 2 * len(pairs), 2), np.int32)
    for place, (one, other) in enumerate(product(codes, codes)):
        hidden[0, 2 * place + 1], hidden[1, 2 * place] = other, one
        # Nobody shoots at these.
        hidden[0, 2 * place], hidden[1, 2 * place + 1] = codes[place % 7], codes[place % 5]
    games = 2 * np.arange(len(pairs))
    players = [
        AfloatSide(make_variant(name), Dealt(own)) for name, own in zip(names, hidden, strict=True)
    ]
    ended = play_afloat(SMALL, *players, 0, games)
    orders = []
    for name in names:
        shooter = make_variant(name)
        shooter.begin(SMALL, 1, 0)
        orders.append(np.broadcast_to(shooter.orders(games), (len(games), 9)).tolist())
    for place, targets in enumerate(pairs):
        wanted = winner(targets, [order[place] for order in orders])
        found = ended.won[place], ended.turns[place], ended.shots[place]
        assert tuple(map(int, found)) == tuple(map(int, wanted)), targets


def test_a_match_is_two_games_on_each_two_layouts(monkeypatch):
    """With the sides changed: whoever begins game g shoots at layout g, the other at g xor 1."""
    monkeypatch.setattr(afloat, "_AT_ONCE", 8)
    names, place = ("random", "linear"), Scenario("4x4", fleet=[2, 1], shots="afloat")
    seen = []
    (meeting,) = match(
        names, place, games=60, seed=5, threads=2, progress=lambda now: seen.append(now.done)
    ).meetings.values()
    sampler = make_sampler(place.rules, place.placement)
    games, orders = np.arange(60), []
    for name in names:
        shooter = make_variant(name)
        shooter.begin(place.rules, 1, 5)
        orders.append(np.broadcast_to(shooter.orders(games), (60, 16)).tolist())
    ends = []
    for game in range(60):
        targets = [layout_of(place.rules, sampler, 5, number) for number in (game, game ^ 1)]
        # The first-named side is second in games of odd numbers.
        sides = [order[game] for order in orders][:: -1 if game % 2 else 1]
        won, turns, shots = winner(targets, sides)
        ends.append((1 if won != game % 2 else -1, turns, shots))
    outcomes, turns, shots = np.array(ends).T
    assert meeting.outcomes.tolist() == outcomes.reshape(30, 2).tolist()
    assert (meeting.turns, meeting.shots) == (turns.mean(), shots.mean())
    wins = [int((outcomes[begins::2] == 1).sum()) for begins in (0, 1)]
    assert wins[0] != wins[1]
    for found, number, most in (
        (meeting.beginning, wins[0], 30),
        (meeting.answering, wins[1], 30),
        (meeting.overall, sum(wins), 60),
    ):
        assert found == Outcomes(Fraction(number, most), Fraction(0), Fraction(most - number, most))
    assert seen == [16, 32, 48, 60]


def test_a_stopped_match_has_the_games_so_far(monkeypatch):
    monkeypatch.setattr(afloat, "_AT_ONCE", 8)
    place = Scenario("4x4", fleet=[2, 1], shots="afloat")

    def stop(now):
        if now.done > 16:
            raise KeyboardInterrupt

    whole = match(["random", "linear"], place, games=60, threads=1).meetings[0, 1]
    found = match(["random", "linear"], place, games=60, threads=1, progress=stop)
    assert found.partial
    assert found.meetings[0, 1].outcomes.tolist() == whole.outcomes[:16].tolist()
    with pytest.raises(KeyboardInterrupt):
        # The others have not met.
        match(["random", "linear", "salvo"], place, games=60, threads=1, progress=stop)

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(afloat, "play_afloat", interrupted)
    with pytest.raises(KeyboardInterrupt):
        match(["random", "linear"], place, games=60, threads=1)


def test_games_end_when_they_are_to_stop():
    sampler = make_sampler(SMALL, Placement.parse("uniform"))
    players = [AfloatSide(make_variant("linear"), sampler) for _ in range(2)]
    assert play_afloat(SMALL, *players, 0, np.arange(8), lambda: True) is None


@pytest.mark.ci
def test_games_do_not_depend_on_threads_or_on_how_many_are_played():
    sides, place = ["over9000", "salvo"], Scenario("6x6", fleet=[3, 2], shots="afloat")
    one = match(sides, place, games=3000, threads=1)
    (meeting,) = one.meetings.values()
    (same,) = match(sides, place, games=3000, threads=3).meetings.values()
    assert np.array_equal(meeting.outcomes, same.outcomes)
    assert meeting.turns == same.turns
    (first,) = match(sides, place, games=500).meetings.values()
    assert np.array_equal(first.outcomes, meeting.outcomes[:250])
    (turned,) = match(sides[::-1], place, games=3000).meetings.values()
    # The other side begins game 2 i then, on the layouts of the other game of the pair.
    assert abs(turned.score.share - (1 - meeting.score.share)) < 4 * 0.5 / 3000**0.5
    assert one.to_frame()["turns"].tolist() == [meeting.turns]


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["match", "random", "linear", "--shots", "afloat", "--last-turn"], ["--last-turn"]),
        (["match", "random", "prob", "--shots", "afloat"], ["'prob'", "as many shots a turn"]),
        (["match", "--from-records", "--shots", "afloat"], ["no records"]),
    ],
)
def test_what_has_no_meaning_is_refused(words, named):
    assert_refused(CliRunner().invoke(main, words), *named)


def test_learners_are_refused():
    with refused("over9000-adaptive"):
        match(["random", "over9000-adaptive"], shots="afloat", games=100)
