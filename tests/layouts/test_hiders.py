"""How people and programs hide: ``weights``, ``border``, ``direction-first`` and ``pick``."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bsbench.common.errors import BsbenchError
from bsbench.layouts import pick, plain, sampler_of, weights
from bsbench.layouts.lookahead import LookAhead
from bsbench.layouts.one_by_one import OneByOne
from bsbench.layouts.plain import Plain
from bsbench.rules.board import Rules
from bsbench.rules.placement import SCORES, Placement
from bsbench.rules.scenario import find_scenario
from tests.layouts.test_layouts import LOOK_AHEAD, _sampler, _tally
from tests.support import naive
from tests.support.helpers import assert_chi_square, draw_layouts, rules
from tests.support.refusals import assert_sentence, refused

BOARDS = [
    Rules(4, 4, (3, 2), touching=True),
    Rules(3, 4, (2, 3), touching="corners"),
    Rules(4, 4, (2, 2, 1), touching=False),
]
MAPS = {
    "few": lambda cell: str(cell * 7 % 5),
    "some": lambda cell: str(1 + cell * 7 % 17),
    "large": lambda cell: str(1 + cell * 977 % 701),
    "fine": lambda cell: f"{cell * 977 % 701 / 701:.9f}e-1",
}
"""Heat maps: what cells weigh, as text. Slots weigh less than 100, more, very much, or rounded."""
PRODUCTS = ["border", *(f"weights:{kind}" for kind in MAPS)]
DIRECTIONS = ["direction-first:anew", "direction-first:keep"]
PICKS = [f"pick:{score}:{number}" for score in SCORES for number in (2, 3)]


@pytest.fixture(autouse=True)
def _maps(tmp_path, monkeypatch):
    """Laws name heat maps by their kind; the board is that of the test."""
    monkeypatch.chdir(tmp_path)


def _save(board: Rules, law: str) -> None:
    """Save the heat map that a law names."""
    kind = law.partition(":")[2]
    if kind in MAPS:
        words = [MAPS[kind](cell) for cell in range(board.cells)]
        rows = [words[first : first + board.cols] for first in range(0, board.cells, board.cols)]
        with open(kind, "w") as file:
            file.writelines(", ".join(row) + "  # a row\n\n" for row in rows)


def _weigh(board: Rules, law: str):
    """Return what tells a ship's weight."""
    if law == "border":
        inside = {
            row * board.cols + col
            for row in range(1, board.rows - 1)
            for col in range(1, board.cols - 1)
        }
        return naive.cell_weight([int(cell not in inside) for cell in range(board.cells)])
    kind = MAPS[law.partition(":")[2]]
    return naive.cell_weight([Fraction(kind(cell)) for cell in range(board.cells)])


def _exact(board: Rules, law: str):
    """Return the exact probability of every layout that has one."""
    name, _, option = law.partition(":")
    if name == "direction-first":
        return naive.direction_law(board, option == "keep")
    if name == "pick":
        score, _, number = option.partition(":")
        return naive.pick_law(naive.scores(board, score), int(number))
    return naive.product_law(board, _weigh(board, law))


def _assert_follows(board: Rules, law: str, sampler, games: int = 200_000) -> None:
    exact = _exact(board, law)
    assert sum(exact.values()) == 1
    drawn = _tally(sampler.draw(8, 0, games))
    codes = {layout: tuple(naive.encode(board, layout)) for layout in exact}
    assert drawn.keys() <= set(codes.values())
    ranked = sorted(exact, key=exact.get)
    # What is too rare for chi-square goes together.
    rare = next(n for n in range(len(ranked)) if games * sum(map(exact.get, ranked[: n + 1])) >= 5)
    while games * exact[ranked[rare + 1]] < 5:
        rare += 1
    groups = [ranked[: rare + 1], *([layout] for layout in ranked[rare + 1 :])]
    assert_chi_square(
        [sum(drawn[codes[layout]] for layout in group) for group in groups],
        [float(games * sum(exact[layout] for layout in group)) for group in groups],
    )


@pytest.mark.parametrize("law", [*PRODUCTS, *DIRECTIONS, *PICKS])
@pytest.mark.parametrize(
    "board", BOARDS, ids=lambda board: f"{board.board} {board.fleet_text} {board.touching}"
)
def test_layouts_follow_their_exact_law(board, law):
    _save(board, law)
    _assert_follows(board, law, sampler_of(board, Placement.parse(law)))


@pytest.mark.parametrize(
    ("law", "bounds", "kind"),
    [
        # To compile these kernels takes 3 seconds.
        pytest.param("border", LOOK_AHEAD, LookAhead, marks=pytest.mark.slow),
        pytest.param("weights:few", LOOK_AHEAD, LookAhead, marks=pytest.mark.slow),
        ("weights:few", {(plain, "_MOST_ATTEMPTS"): 10**9}, Plain),
        ("weights:some", {}, OneByOne),
        ("weights:fine", {}, OneByOne),
    ],
)
@pytest.mark.parametrize(
    "board", BOARDS, ids=lambda board: f"{board.board} {board.fleet_text} {board.touching}"
)
def test_each_sampler_follows_the_exact_law_and_agrees_with_the_twin(board, law, bounds, kind):
    _save(board, law)
    sampler = _sampler(board, law, bounds)
    assert isinstance(sampler, kind)
    _assert_follows(board, law, sampler)
    weigh = naive.whole_weight(board, _weigh(board, law))
    if kind is OneByOne:
        twin = naive.IndependentSampler(board, weigh)
        totals = [total for total, _, _ in twin.tables]
        assert sampler._columns.ships[twin.order, 1].tolist() == totals
    elif kind is Plain:
        twin = naive.PlainSampler(board, weigh=weigh)
    else:
        head = sampler._heads.slots.shape[1]
        twin = naive.LookAheadSampler(board, head, weigh=weigh, least=0)
    # Whether a bound is off by one shows in one draw of some hundred.
    for game, codes in enumerate(sampler.draw(4, 0, 2_000 if law == "weights:some" else 30)):
        assert naive.decode(board, codes) == twin.layout(4, game)


@pytest.mark.parametrize("law", DIRECTIONS)
@given(drawn=rules(max_side=7, max_ships=4))
@settings(max_examples=40)
def test_directions_are_drawn_as_the_twin_does(law, drawn):
    for game, codes in enumerate(draw_layouts(drawn, 5, seed=3, law=law)):
        twin = naive.direction_layout(drawn, law.endswith("keep"), 3, game)
        assert naive.decode(drawn, codes) == twin


@pytest.mark.parametrize("touching", [True, "corners", False])
def test_on_a_square_board_the_coin_gives_the_layouts_of_sequential(touching):
    board = Rules(8, 8, (3, 4, 2, 1), touching)
    found = [draw_layouts(board, 300, law=law) for law in ("direction-first", "sequential")]
    assert np.array_equal(*found)


def test_a_coin_lays_half_the_ships_down_a_column():
    board, games = Rules(4, 8, (4,), touching=True), 100_000
    down = int((draw_layouts(board, games, law="direction-first") % 2).sum())
    assert abs(down - games / 2) < 4 * math.sqrt(games / 4)


@pytest.mark.parametrize("law", PICKS)
@given(drawn=rules(max_side=4, max_ships=3), seed=st.sampled_from([0, 5, 2**1024 - 1]))
@settings(max_examples=10)
def test_picked_layouts_are_the_best_of_uniform_ones(law, drawn, seed):
    name, number = law.split(":")[1:]
    known = naive.scores(drawn, name)
    uniform = sampler_of(drawn, Placement())
    seeds = [seed + each * 2**1024 for each in range(int(number))]
    tried = [[naive.decode(drawn, codes) for codes in uniform.draw(each, 7, 5)] for each in seeds]
    found = sampler_of(drawn, Placement.parse(law)).draw(seed, 7, 5)
    for codes, *layouts in zip(found, *tried, strict=True):
        # The first of equals, as Python's `max` does.
        assert naive.decode(drawn, codes) == max(layouts, key=known.get)


@pytest.mark.parametrize("law", [*PRODUCTS, *PICKS[::2]])
def test_a_layout_depends_on_seed_and_game_alone(law):
    classic = find_scenario("classic").rules
    _save(classic, law)
    sampler = sampler_of(classic, Placement.parse(law))
    whole = sampler.draw(9, 0, 300)
    parts = [sampler.draw(9, first, games) for first, games in ((0, 1), (1, 130), (131, 169))]
    assert (np.concatenate(parts) == whole).all()
    assert (sampler.draw(10, 0, 300) != whole).any()


def test_chances_too_large_for_64_bits_are_rounded(monkeypatch):
    board = BOARDS[0]
    chances = pick._chances(board)
    assert math.gcd(*chances.tolist()) == 1
    monkeypatch.setattr(pick, "_LARGEST_SCORE", 25)
    rounded = pick._chances(board)
    assert 25 / 2 < board.ship_cells * rounded.max() <= 25 < board.ship_cells * chances.max()
    assert (np.diff(rounded[np.argsort(chances)]) >= 0).all()


def test_chances_that_cannot_be_counted_are_refused(monkeypatch):
    monkeypatch.setattr(pick, "_STEPS", 100)
    with refused("hostile", "4x4"):
        pick.sampler_of(BOARDS[0], "hostile:2")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("1 1 1 1\n" * 3, ["hot.txt", "3 rows", "4"]),
        ("1 1 1 1\n" * 5, ["hot.txt", "5 rows", "4"]),
        ("", ["hot.txt", "0 rows"]),
        ("1 1 1 1\n\n1 1 1\n", ["line 3", "3", "4 columns"]),
        ("1 1 1 1\n1 1 1 -1\n", ["line 2", "character 7", "'-1'"]),
        ("1 1 1 nan\n", ["line 1", "'nan'"]),
        ("# hot\n1,1,inf,1\n", ["line 2", "'inf'"]),
        ("1 1 1 0x3\n", ["'0x3'"]),
        ("1 1 1 1e999999999\n", ["'1e999999999'"]),
        ("1 1 1 \u0663\n", ["line 1"]),
        ("0 0 0 0\n" * 4, ["hot.txt", "3 cells"]),
        ("1 1 0 1\n" + "0 1 0 0\n" * 3, None),
        ("1 1 0 1\n" + "0 0 0 0\n" * 3, ["hot.txt", "3 cells"]),
        ("1 1 1 0\n" + "0 0 0 0\n" * 3, ["4x4"]),
    ],
)
def test_what_is_no_heat_map_is_refused(text, named):
    with open("hot.txt", "w", encoding="utf-8") as file:
        file.write(text)

    def draw():
        return draw_layouts(BOARDS[0], 3, law="weights:hot.txt")

    if named is None:
        assert len(draw()) == 3
        return
    with refused(*named):
        draw()


def test_damaged_heat_maps_are_refused_in_a_sentence_or_read():
    good = "".join(f"0.5, 1 {row}; 2e-1\n" for row in range(4))
    refusals = 0
    for number in range(500):
        chance = Random(number)
        text = [*good]
        for _ in range(chance.randint(1, 3)):
            place = chance.randrange(len(text))
            text[place] = chance.choice(["", "-", ".", ",", "e", "\n", "#", "\0", "7", "nan", " "])
        with open("hot.txt", "w") as file:
            file.write("".join(text))
        try:
            assert len(weights._read(BOARDS[0], "hot.txt")) == 16
        except BsbenchError as error:
            assert_sentence(str(error), "hot.txt")
            refusals += 1
    assert 100 < refusals < 500


def test_a_heat_map_is_read_anew():
    found = []
    for last in (1, 0):
        with open("hot.txt", "w") as file:
            file.write("1 1 1 1\n" * 3 + f"{last} " * 4)
        found.append(draw_layouts(BOARDS[0], 50, law="weights:hot.txt"))
    assert (found[0] != found[1]).any()


def test_a_heat_map_that_cannot_be_read_is_refused(tmp_path):
    for path in ("none.txt", str(tmp_path)):
        with refused(path):
            draw_layouts(BOARDS[0], 1, law=f"weights:{path}")


@pytest.mark.parametrize(
    ("board", "named"),
    [
        (Rules(5, 5, (5, 5, 5), touching=True), ["5x5", "edge"]),
        (Rules(5, 5, (3,) * 6, touching=True), ["5x5", "edge"]),
    ],
)
def test_a_fleet_that_does_not_fit_on_the_border_is_refused(board, named):
    with refused(*named):
        draw_layouts(board, 1, law="border")
