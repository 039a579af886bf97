from __future__ import annotations

import pytest

from bsbench.roster import make_strategy
from bsbench.rules.board import Feedback
from bsbench.rules.placement import Placement
from bsbench.rules.scenario import find_scenario
from bsbench.runs.experiment import experiment_of
from bsbench.runs.request import GAMES, MOST_GAMES, TIMEOUT, Request
from tests.support.refusals import refused


def test_options_that_were_not_given_ask_for_nothing():
    texts = {"games": None, "seed": 0, "board": "8x9", "touching": None, "quiet": True}
    assert Request.of(**texts) == Request(seeds=(0,), changes={"board": (8, 9)})
    assert Request.of() == Request()
    assert Request().timeout == TIMEOUT


def test_what_is_not_asked_for_is_taken_from_the_other_request():
    own = Request(seeds=(0,), until=0.5, changes={"touching": False, "feedback": Feedback.HIT})
    other = Request(("harbour",), 70, (7,), 2, changes={"fleet": (3, 2), "touching": True})
    assert own.completed(other) == Request(
        (find_scenario("harbour"),),
        70,
        (0,),
        2,
        until=0.5,
        changes={"fleet": (3, 2), "touching": False, "feedback": Feedback.HIT},
    )


def test_the_scenario_is_that_asked_for_else_home_with_the_changes():
    changed = Request(changes={"placement": Placement("edge")})
    assert changed.scenarios == ()
    assert [each.name for each in changed.scenarios_or("harbour")] == ["harbour+edge:3"]
    assert [each.name for each in changed.scenarios_or(None)] == ["classic+edge:3"]
    several = Request.of(["gym-5x5", "classic"]).scenarios_or("harbour")
    assert [each.name for each in several] == ["gym-5x5", "classic"]
    for names in (("nowhere",), ("a", "a")):
        with refused(names[0]):
            Request.of(names)
        with refused(names[0]):
            Request().completed(Request(names))


def test_one_of_several_is_written_with_or_without_a_list():
    classic, harbour = map(find_scenario, ("classic", "harbour"))
    assert Request.of(["classic", harbour], (1, 2)) == Request((classic, harbour), seeds=(1, 2))
    assert Request.of("classic", 3) == Request((classic,), seeds=(3,))


def test_what_has_one_seed_refuses_several():
    Request(("classic",), seeds=(1,)).check_single("a match")
    with refused("match", "seed", "2"):
        Request(seeds=(1, 2)).check_single("a match")


def test_games_are_those_asked_for_or_a_usual_number():
    for request, games in (
        (Request(), GAMES),
        (Request(until=0.1), MOST_GAMES),
        (Request(until=0.1, games=12), 12),
        (Request(exact=True), 524),
    ):
        places = request.scenarios_or("gym-5x5")
        assert experiment_of(request, [make_strategy("linear")], places).games == games


@pytest.mark.parametrize(
    ("wish", "named"),
    [
        ({"games": 0}, ["0", "games"]),
        ({"games": 10**15 + 1}, ["1,000,000,000,000,000"]),
        ({"seeds": (2**1024,)}, ["seed", "1,024"]),
        ({"seeds": (-1,)}, ["seed", "-1"]),
        ({"seeds": (0.5,)}, ["seed", "0.5"]),
        ({"first_game": 2**63}, ["game", "9223372036854775808"]),
        ({"first_game": 2**63 - 10**5, "games": 10**5 + 1}, ["game", "9223372036854775808"]),
        ({"threads": 0}, ["0", "threads"]),
        ({"until": 0.0}, ["until"]),
        ({"timeout": 0.0}, ["0", "seconds"]),
        ({"timeout": "1"}, ["seconds", "1"]),
        ({"engine": "nowhere"}, ["engine", "nowhere"]),
    ],
)
def test_requests_out_of_range_are_refused(wish, named):
    with refused(*named):
        Request(**wish)
    # Also where each half is in range.
    halves = [dict([each]) for each in wish.items()]
    if len(halves) > 1:
        with refused(*named):
            Request(**halves[0]).completed(Request(**halves[1]))
