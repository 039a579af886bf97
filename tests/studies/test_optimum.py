"""The optimum on small boards: the search against one that leaves out nothing."""

from __future__ import annotations

import itertools
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import combinations_with_replacement, product

import pytest
from click.testing import CliRunner
from hypothesis import assume, given, settings

from bsbench.cli import main
from bsbench.common.errors import BsbenchError
from bsbench.common.progress import Progress, ignored
from bsbench.counting import optimum
from bsbench.counting.optimum import OptimumOutOfReach, find_optimum
from bsbench.roster import make_strategy
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.position import Answer, Position
from bsbench.rules.scenario import Scenario, find_scenario
from bsbench.studies.optimum.study import find_regrets
from tests import pages
from tests.pages.optimum import optima
from tests.support import naive
from tests.support.helpers import rules
from tests.support.naive.play import answer
from tests.support.refusals import refused

PAGE = pages.read_page("optimum")
CASES = {" ".join([*case[0].values()][:4]): case for case in optima()}
MOST_LAYOUTS = 60, 24
"""Of the cases that are found again, and of those that are quick."""

pytestmark = pytest.mark.ci


@pytest.fixture(autouse=True)
def _small_table(monkeypatch):
    monkeypatch.setattr(optimum, "_PLACES", 1 << 16)


# The twin: all shots after all answers, and nothing left out.

Layouts = frozenset[tuple[tuple[int, ...], ...]]


def parts_of(rules, layouts: Layouts, shots: list[int]) -> Iterable[Layouts]:
    """Return the layouts that the last of some shots leaves unfinished, by its answer."""
    parts: dict[object, set] = {}
    for ships in layouts:
        if not set(shots).issuperset(cell for ship in ships for cell in ship):
            parts.setdefault(answer(rules, ships, shots), set()).add(ships)
    return map(frozenset, parts.values())


def _moves(rules, useful: Callable[[Layouts, frozenset], Iterable[int]]):
    """Return the function that gives the fewest moves after some shots, with the shots allowed."""
    known: dict[tuple[Layouts, frozenset], int] = {}

    def moves(layouts: Layouts, shots: frozenset) -> int:
        if not layouts:
            return 0
        if (layouts, shots) not in known:
            known[layouts, shots] = min(after(layouts, shots, x) for x in useful(layouts, shots))
        return known[layouts, shots]

    def after(layouts: Layouts, shots: frozenset, shot: int) -> int:
        parts = parts_of(rules, layouts, [*shots, shot])
        return len(layouts) + sum(moves(part, shots | {shot}) for part in parts)

    return moves, after


def _covered(layouts: Layouts, shots: frozenset) -> Counter[int]:
    """Return how many layouts have a ship on each cell not shot."""
    return Counter(x for ships in layouts for ship in ships for x in ship if x not in shots)


def least_moves(rules, left=None, shots=()) -> dict[int, int]:
    """Return by next shot the moves of a perfect shooter in one game of each layout, together.

    ``left`` are the layouts left after some shots, by default all of them before any.
    """
    # A cell without a ship in any of them tells nothing.
    _, after = _moves(rules, _covered)
    layouts, shots = frozenset(naive.all_layouts(rules) if left is None else left), frozenset(shots)
    return {shot: after(layouts, shots, shot) for shot in _covered(layouts, shots)}


def greedy_moves(rules) -> int:
    """Return the moves of the best shooter that always takes a most likely cell."""

    def likeliest(layouts: Layouts, shots: frozenset) -> list[int]:
        covered = _covered(layouts, shots)
        return [cell for cell, number in covered.items() if number == max(covered.values())]

    moves, _ = _moves(rules, likeliest)
    return moves(frozenset(naive.all_layouts(rules)), frozenset())


def _agrees(board: Rules) -> None:
    layouts = len(list(naive.all_layouts(board)))
    found = find_optimum(board)
    times = layouts // found.layouts
    assert found.layouts * times == layouts
    moves = least_moves(board)
    least = min(moves.values())
    assert found.moves * times == least
    assert found.greedy_moves * times == greedy_moves(board)
    assert set(found.first_shots) == {shot for shot in moves if moves[shot] == least}


BOARDS = [
    (3, 3, (2,), True),
    (3, 3, (2, 1), False),
    (3, 3, (2, 1), "corners"),
    (1, 6, (2, 2), True),
    (4, 2, (2, 1), False),
]
LARGER_BOARDS = [
    (3, 3, (3, 2), True),
    (3, 4, (2,), True),
    (2, 4, (2, 2, 2), True),
    (1, 8, (2, 2, 1), True),
]


@pytest.mark.parametrize("board", BOARDS, ids=str)
@pytest.mark.parametrize("feedback", Feedback, ids=str)
def test_the_optimum_of_a_position_is_that_of_a_full_search(board, feedback):
    rows, cols, fleet, touching = board
    rules = Rules(rows, cols, fleet, touching, feedback)
    if not _is_kept(rules):
        return
    rng = random.Random(f"{board} {feedback}")
    layouts = list(naive.all_layouts(rules))
    for shots in (1, 2, 3):
        fired = rng.sample(range(rules.cells), shots)
        layout = rng.choice(layouts)
        if set(itertools.chain(*layout)) <= {*fired}:
            continue
        told = naive.answers(rules, layout, fired)
        left = naive.layouts_left(rules, told)
        found = find_optimum(rules, answers=[Answer(*answer) for answer in told])
        moves = least_moves(rules, left, fired)
        assert found.mean == Fraction(min(moves.values()), len(left))
        assert {shot for shot in moves if moves[shot] == min(moves.values())} == {
            *found.first_shots
        }


@pytest.mark.parametrize(
    ("named", "others"),
    [
        ("4x4 2-2 touching sunk: A1=hit A2=sunk:2a", ["4x4 2-2 touching sunk: A1=hit A2=sunk:2"]),
        ("4x4 3-1-1 apart sunk: A1=sunk:1a", ["4x4 3-1-1 apart sunk: A1=sunk:1"]),
        (
            "4x4 2-2 apart sunk: A1=hit A2=sunk:2a",
            [f"4x4 2-2 apart {feedback}: A1=hit A2=sunk" for feedback in ("sunk", "told")],
        ),
    ],
)
def test_a_sunk_ship_without_its_letter_is_the_first_of_equal_ones(named, others):
    known, *found = (find_optimum(*_answered(each)) for each in (named, *others))
    assert {(each.mean, each.layouts) for each in found} == {(known.mean, known.layouts)}
    assert known.at_least == known.moves


def _answered(text: str):
    position = Position.parse(text)
    return position.rules, optimum.MOST_STATES, ignored, position.answers


@pytest.mark.parametrize(
    "board",
    [*BOARDS, *(pytest.param(each, marks=pytest.mark.slow) for each in LARGER_BOARDS)],
    ids=str,
)
@pytest.mark.parametrize("feedback", Feedback, ids=str)
def test_the_optimum_is_that_of_a_full_search(board, feedback):
    rows, cols, fleet, touching = board
    rules = Rules(rows, cols, fleet, touching, feedback)
    if _is_kept(rules):
        _agrees(rules)
    else:
        with refused(str(feedback), "cells", "sunk", kind=OptimumOutOfReach):
            find_optimum(rules)


def _is_kept(rules: Rules) -> bool:
    """Return whether a state holds all that is known: also which cells ships that sank have."""
    return rules.reveals.cells or not rules.reveals.sinkings


@settings(max_examples=40)
@given(rules(max_side=4, max_ships=3))
def test_any_small_optimum_is_that_of_a_full_search(drawn):
    assume(drawn.cells <= 9 and _is_kept(drawn))
    assume(sum(1 for _ in naive.all_layouts(drawn)) <= 16)
    _agrees(drawn)


@pytest.mark.parametrize("feedback", ["hit", "sunk", "ship"])
def test_bounds_hold_at_every_moment_and_get_narrower(monkeypatch, feedback):
    monkeypatch.setattr(optimum, "_AT_ONCE", 10)
    board = Rules(3, 4, (2, 2), True, feedback)
    least, moments = find_optimum(board).moves, 0

    def interrupt(now: Progress) -> None:
        nonlocal left
        left -= "the least mean," in now.label
        if left < 0:
            raise KeyboardInterrupt

    before: tuple[Fraction, Fraction] | None = None
    for moment in range(0, 400, 13):
        left = moment
        found = find_optimum(board, progress=interrupt)
        if found.proven:
            break
        moments += 1
        assert found.interrupted
        assert not found.first_shots
        assert found.at_least <= least <= found.moves <= found.greedy_moves
        if before is not None:
            assert before[0] <= found.bounds[0] < found.bounds[1] <= before[1]
        before = found.bounds
    assert moments > 2


def test_the_table_may_be_too_small(monkeypatch):
    board = Rules(4, 4, (3, 2), True, Feedback.HIT)
    expected = find_optimum(board)
    monkeypatch.setattr(optimum, "_PLACES", 1 << 9)
    found = find_optimum(board)
    assert (found.moves, found.first_shots) == (expected.moves, expected.first_shots)
    assert found.states > expected.states


@pytest.mark.parametrize(
    ("board", "named"),
    [
        (Rules(13, 5, (2,), True), ["65 cells", "64 cells"]),
        (Rules(6, 6, (6, 6, 6), True), ["18 cells", "14 cells"]),
        (Rules(6, 6, (5, 4, 3), True), ["1,000 layouts"]),
    ],
)
def test_what_is_too_large_is_refused(board, named, monkeypatch):
    monkeypatch.setattr(optimum, "MOST_LAYOUTS", 1_000)
    with refused(*named, kind=OptimumOutOfReach):
        find_optimum(board)


def test_a_search_that_is_given_up_says_what_is_known(monkeypatch):
    monkeypatch.setattr(optimum, "_AT_ONCE", 1_000)
    seen: list[Progress] = []
    board = Rules(5, 5, (3, 2), True, Feedback.SUNK)
    with refused("11.3682", kind=OptimumOutOfReach) as caught:
        find_optimum(board, 20_000, seen.append)
    bounds = r"\d\.\d{4} to 11\.3682"
    assert re.search(bounds, str(caught.value))
    assert len(seen) >= 20_000 // 1_000
    assert re.search(rf"{bounds}.* 2\d,\d{{3}} ", str(seen[-1]))


def test_no_more_states_are_looked_at_than_allowed():
    with refused("5 states", kind=OptimumOutOfReach):
        find_optimum(Rules(4, 4, (3, 2), touching=True), 5)
    with refused("0 states"):
        find_optimum(Rules(3, 3, (2,), touching=True), 0)


def test_regrets_are_exact():
    pond = Scenario(name="pond", rules=Rules(1, 4, (2,), True, Feedback.HIT))
    found = find_regrets(pond, [make_strategy("linear"), make_strategy("random")], games=1_000)
    # The second cell first: 3 moves if it misses, else 2 or 3.
    assert found.optimum.mean == Fraction(8, 3)
    linear, drawn = found.results
    assert found.regret(linear) == 3 - Fraction(8, 3)
    assert not drawn.exact
    entries = found.to_dict()["strategies"]
    assert entries[0]["exact"] == "3"
    assert entries[1]["exact"] is None


def test_other_laws_are_refused():
    pond = Scenario(name="pond", rules=Rules(3, 3, (2,), True)).override(placement="edge")
    with refused("uniform", "edge:3"):
        find_regrets(pond)


def test_the_command_prints_and_exports(in_folder):
    words = "optimum --board 3x3 --fleet 2 --feedback hit -s prob -s random -n 1000"
    command = words.split()
    result = CliRunner().invoke(main, [*command, "--export-json", "x.json"])
    assert result.exit_code == 0, result.output
    (line,) = re.findall(r"^.*\b9/2\b.*$", result.output, re.MULTILINE)
    assert {"4.5000", "12"} <= set(line.split())
    (first_shots,) = (line for line in result.output.splitlines() if "first shots" in line)
    assert len(re.findall(r"\b[A-C][1-3]\b", first_shots)) >= 1
    record = json.loads((in_folder / "x.json").read_text())
    assert record["least"] == "9/2"
    assert [entry["strategy"] for entry in record["strategies"]] == ["prob", "random"]
    csv = CliRunner().invoke(main, [*command, "-q", "--export-csv", "-"]).stdout
    assert csv.startswith("board,fleet,touching,feedback,layouts,least,greedy,first_shots,strategy")
    assert csv.splitlines()[1].startswith("3x3,2,True,hit,12,9/2,")


def test_greedy_is_optimal_on_smaller_boards_than_the_page_shows():
    sizes = [(rows, cols) for rows in range(1, 3) for cols in range(rows, 6) if rows * cols <= 5]
    fleets = [fleet for n in (1, 2, 3) for fleet in combinations_with_replacement(range(1, 6), n)]
    boards = [*product(sizes, fleets, (True, False), Feedback)]
    found = 0
    for (rows, cols), fleet, touching, feedback in boards:
        try:
            pond = Scenario(name="pond", rules=Rules(rows, cols, fleet, touching, feedback)).rules
        except BsbenchError:
            continue
        if not _is_kept(pond):
            continue
        optimal = find_optimum(pond)
        assert optimal.mean == optimal.greedy_mean
        found += 1
    assert found > 100
    row = find_optimum(Rules(1, 6, (2, 2), True, Feedback.SUNK))
    assert (row.mean, row.greedy_mean) == (Fraction(29, 6), 5)


def test_the_lines_of_python_run():
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    names: dict[str, object] = {}
    exec(code, names)
    found = names["optimum"]
    assert (found.mean, found.greedy_mean) == (Fraction(145, 22), Fraction(291, 44))
    assert found.first_shots == (1, 3, 4, 5, 7)


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(case, id=name, marks=pytest.mark.slow if layouts > MOST_LAYOUTS[1] else ())
        for name, case in CASES.items()
        if (layouts := int(case[0]["layouts"])) <= MOST_LAYOUTS[0]
    ],
)
def test_results_are_found_again(rows):
    first = rows[0]
    parts = {key: first[key] for key in ("board", "feedback")}
    fleet, touching = first["fleet"].replace("-", ","), first["touching"] == "True"
    pond = find_scenario("classic").override(**parts, fleet=fleet, touching=touching)
    exact = {row["strategy"]: row["exact"] for row in rows if row["exact"]}
    found = find_regrets(pond, [make_strategy(name) for name in exact])
    assert str(found.optimum.mean) == first["least"]
    assert str(found.optimum.greedy_mean) == first["greedy"]
    assert " ".join(found.first_shots) == first["first_shots"]
    assert {result.label: str(result.mean_as_fraction) for result in found.results} == exact
