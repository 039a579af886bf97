from __future__ import annotations

import pytest

from bsbench.rules.board import Feedback
from bsbench.rules.placement import Placement
from bsbench.runs.request import GAMES, MOST_GAMES, TIMEOUT, Request
from tests.support.refusals import refused


def test_options_that_were_not_given_ask_for_nothing():
    texts = {"games": None, "seed": 0, "board": "8x9", "touching": None, "quiet": True}
    assert Request.read(texts) == Request(seeds=(0,), changes={"board": (8, 9)})
    assert Request.read({}) == Request()
    assert Request().timeout == TIMEOUT


def test_what_is_not_asked_for_is_taken_from_the_other_request():
    own = Request(seeds=(0,), until=0.5, changes={"touching": False, "feedback": Feedback.HIT})
    other = Request(("harbour",), 70, (7,), 2, changes={"fleet": (3, 2), "touching": True})
    assert own.completed(other) == Request(
        ("harbour",),
        70,
        (0,),
        2,
        until=0.5,
        changes={"fleet": (3, 2), "touching": False, "feedback": Feedback.HIT},
    )


def test_the_scenario_is_that_asked_for_else_home_with_the_changes():
    changed = Request(changes={"placement": Placement("edge")})
    assert changed.bases == ()
    assert [each.name for each in changed.scenarios_or("harbour")] == ["harbour+edge:3"]
    assert [each.name for each in changed.scenarios_or(None)] == ["classic+edge:3"]
    several = Request(("gym-5x5", "classic")).scenarios_or("harbour")
    assert [each.name for each in several] == ["gym-5x5", "classic"]
    for names in (("nowhere",), ("a", "a")):
        with refused(names[0]):
            _ = Request(names).bases


def test_one_of_several_is_written_with_or_without_a_list():
    texts = {"scenario": ["classic", "harbour"], "seed": (1, 2)}
    assert Request.read(texts) == Request(("classic", "harbour"), seeds=(1, 2))
    assert Request.read({"scenario": "classic", "seed": 3}) == Request(("classic",), seeds=(3,))


def test_what_has_one_seed_refuses_several():
    Request(("classic",), seeds=(1,)).check_single("a match")
    with refused("match", "seed", "2"):
        Request(seeds=(1, 2)).check_single("a match")


def test_a_check_says_how_many_games_are_played_at_most():
    assert Request().check() == GAMES
    assert Request(until=0.1).check() == MOST_GAMES
    assert Request(until=0.1, games=12).check() == 12


@pytest.mark.parametrize(
    ("request_", "named"),
    [
        (Request(games=0), ["0", "games"]),
        (Request(games=10**15 + 1), ["1,000,000,000,000,000"]),
        (Request(seeds=(2**1024,)), ["seed", "1,024"]),
        (Request(seeds=(-1,)), ["seed", "-1"]),
        (Request(seeds=(0, -1)), ["seed", "-1"]),
        (Request(first_game=-1), ["game", "-1"]),
        (Request(first_game=2**63), ["game", "9223372036854775808"]),
        (Request(threads=0), ["0", "threads"]),
        (Request(until=0.0), ["until"]),
        (Request(timeout=0.0), ["0", "seconds"]),
    ],
)
def test_requests_out_of_range_are_refused(request_, named):
    with refused(*named):
        request_.check()
