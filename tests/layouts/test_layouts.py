from __future__ import annotations

import itertools
import re
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bsbench import layouts as laws
from bsbench.common.errors import BsbenchError
from bsbench.kernels import slots
from bsbench.layouts import (
    avoid,
    border,
    classes,
    edge,
    heads,
    lookahead,
    one_by_one,
    plain,
    sampler_of,
)
from bsbench.layouts.classes import Classes
from bsbench.layouts.lookahead import LookAhead
from bsbench.layouts.one_by_one import OneByOne
from bsbench.layouts.plain import Plain
from bsbench.rules.board import Rules
from bsbench.rules.placement import Placement
from bsbench.rules.scenario import find_scenario
from bsbench.runs.exact import exact_law
from bsbench.runs.identity import layouts_hash
from bsbench.strategies.over9000 import Over9000
from tests.support import ROOT, naive
from tests.support.helpers import assert_chi_square, draw_layouts, move_counts, rules
from tests.support.refusals import refused

SEQUENTIAL = ["sequential:longest", "sequential:shortest", "sequential:fleet"]
LAWS = ["uniform", *SEQUENTIAL, "edge:3", "edge:0.5", "direction-first", "pick:spread:3"]
SLOW = ["edge:0.5", "edge:1", "edge:2.5", "edge:0.4", "avoid:1", "avoid:100"]
WEIGHED = ["edge:3", "avoid:3", *(pytest.param(law, marks=pytest.mark.slow) for law in SLOW)]

NEVER = {(plain, "_MOST_ATTEMPTS"): 0}
LOOK_AHEAD = {**NEVER, (classes, "_MOST_CELLS"): 0}

# Each sampler, on small boards, with bounds that make it use all its steps: short lists, short
# heads so that there are later ships, and low limits so that some of these have fixed bounds.
PLAIN = {
    "plain": {(plain, "_MOST_ATTEMPTS"): 10**9},
    "plain, short lists": {(plain, "_MOST_ATTEMPTS"): 10**9, (plain, "_MOST_ROWS"): 150},
}
CLASSES = {"classes": NEVER, "classes, short head": {**NEVER, (classes, "_MOST_CLASSES"): 1}}
AHEAD = {
    f"look ahead, {largest} heads below {limit}": {
        **LOOK_AHEAD,
        (lookahead, "_LARGEST_HEAD_TABLE"): largest,
        (lookahead, "LIMIT"): limit,
    }
    for largest, limit in ((1, 1 << 64), (1, 1), (60, 10_000), (1 << 11, 1 << 64))
}
# Where slots weigh more than 1, the head may be cut short by what weights may not reach.
WEIGHED_AHEAD = {
    f"look ahead, {largest} heads below {limit}": {
        **LOOK_AHEAD,
        (lookahead, "_LARGEST_HEAD_TABLE"): largest,
        (lookahead, "LIMIT"): limit,
    }
    for largest, limit in ((1, 1 << 64), (1, 1), (1 << 11, 3_000), (1 << 11, 1 << 64))
}


def _tally(codes) -> Counter[tuple[int, ...]]:
    """Return how often each layout was drawn."""
    base = int(codes.max()) + 1
    places = base ** np.arange(codes.shape[1], dtype=np.int64)
    _, first, counts = np.unique(codes @ places, return_index=True, return_counts=True)
    return Counter(dict(zip(map(tuple, codes[first].tolist()), counts.tolist(), strict=True)))


@pytest.fixture(autouse=True)
def _made_under_other_bounds():
    yield
    laws._sampler_of.cache_clear()


def _sampler(rules: Rules, law: str, bounds):
    """Return the sampler made under other bounds."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        for (module, name), value in bounds.items():
            monkeypatch.setattr(module, name, value)
        laws._sampler_of.cache_clear()
        name, _, strength = law.partition(":")
        if name == "avoid":
            return avoid.sampler_of(rules, _lateness(rules), int(strength))
        return sampler_of(rules, Placement.parse(law))


@pytest.mark.parametrize("law", LAWS)
@given(drawn=rules())
def test_layouts_are_legal(law, drawn):
    for codes in draw_layouts(drawn, 10, law=law):
        assert naive.is_legal(drawn, naive.decode(drawn, codes))


@given(drawn=rules(max_side=7, max_ships=4), law=st.sampled_from(SEQUENTIAL))
@settings(max_examples=50)
def test_sequential_layouts_agree_with_the_twin(drawn, law):
    order = {
        "longest": naive.longest_first(drawn.fleet),
        "shortest": sorted(range(len(drawn.fleet)), key=lambda ship: drawn.fleet[ship]),
        "fleet": list(range(len(drawn.fleet))),
    }[law.partition(":")[2]]
    for game, codes in enumerate(draw_layouts(drawn, 5, seed=3, law=law)):
        twin = naive.sequential_layout(drawn, order, 3, game)
        assert naive.decode(drawn, codes) == twin


def _weight(drawn: Rules, law: str):
    """Return what tells a ship's weight under a law, and the least weight, as twins take them."""
    name, _, option = law.partition(":")
    if name == "uniform":
        return ()
    if name == "edge":
        factor = Fraction(option)
        return naive.edge_weight(drawn, factor), min(factor.as_integer_ratio())
    weigh = naive.late_weight(drawn, _lateness(drawn), int(option))
    return weigh, min(
        weigh(ship)
        for length in drawn.fleet
        for ship in naive.slots(drawn.rows, drawn.cols, length)
    )


def _lateness(drawn: Rules) -> list[int]:
    """Return how late cells are shot, by a strategy that there is none of."""
    return [1_000 + cell * 977 % 701 for cell in range(drawn.cells)]


def _agree(sampler, twin) -> None:
    for game, codes in enumerate(sampler.draw(4, 0, 5)):
        assert naive.decode(sampler.rules, codes) == twin.layout(4, game)


@pytest.mark.parametrize("law", ["uniform", "edge:3", "edge:0.5", "avoid:3"])
@pytest.mark.parametrize("bounds", PLAIN.values(), ids=PLAIN)
@given(drawn=rules(max_side=6, max_ships=4))
@settings(max_examples=25)
def test_plain_layouts_agree_with_the_twin(bounds, law, drawn):
    sampler = _sampler(drawn, law, bounds)
    assume(isinstance(sampler, Plain))
    most = bounds.get((plain, "_MOST_ROWS"), 1 << 15)
    _agree(sampler, naive.PlainSampler(drawn, most, *_weight(drawn, law)[:1]))


@pytest.mark.parametrize("bounds", CLASSES.values(), ids=CLASSES)
@given(drawn=rules(max_side=6, max_ships=5))
@settings(max_examples=20)
def test_layouts_by_classes_agree_with_the_twin(bounds, drawn):
    sampler = _sampler(drawn, "uniform", bounds)
    assume(isinstance(sampler, Classes))
    _agree(sampler, naive.ClassSampler(drawn, int(sampler._classes.head)))


# More cells than a word has bits; with free cells on both sides of its end.
@pytest.mark.parametrize(
    ("drawn", "kind"),
    [
        (Rules(9, 9, (3, 4, 4, 3, 2, 2), touching=False), Classes),
        (Rules(5, 14, (4, 3, 3, 2, 2, 1, 1), touching=False), Classes),
        (Rules(10, 7, (5, 2, 3), touching=True), Plain),
        (Rules(11, 12, (6, 2, 4), touching=False), Plain),
    ],
)
def test_boards_of_several_words_agree_with_the_twin(drawn, kind):
    bounds = CLASSES["classes, short head"] if kind is Classes else PLAIN["plain, short lists"]
    sampler = _sampler(drawn, "uniform", {**bounds, (plain, "_MOST_ROWS"): 1 << 9})
    assert isinstance(sampler, kind)
    if kind is Classes:
        _agree(sampler, naive.ClassSampler(drawn, int(sampler._classes.head)))
    else:
        _agree(sampler, naive.PlainSampler(drawn, 1 << 9))


def _agrees_looking_ahead(drawn: Rules, law: str, bounds) -> None:
    assume(len(drawn.fleet) > 1)
    sampler = _sampler(drawn, law, bounds)
    assert isinstance(sampler, LookAhead)
    head = sampler._heads.slots.shape[1]
    limit = bounds[lookahead, "LIMIT"]
    _agree(sampler, naive.LookAheadSampler(drawn, head, limit, *_weight(drawn, law)))


@pytest.mark.parametrize("bounds", AHEAD.values(), ids=AHEAD)
@given(drawn=rules(max_side=6, max_ships=4))
@settings(max_examples=25)
def test_layouts_looked_ahead_for_agree_with_the_twin(bounds, drawn):
    _agrees_looking_ahead(drawn, "uniform", bounds)


# To compile the kernels of these laws takes 3 seconds, and no other quick test needs them.
@pytest.mark.slow
@pytest.mark.parametrize("law", WEIGHED)
@pytest.mark.parametrize("bounds", WEIGHED_AHEAD.values(), ids=WEIGHED_AHEAD)
@given(drawn=rules(max_side=6, max_ships=4))
@settings(max_examples=15)
def test_weighed_layouts_looked_ahead_for_agree_with_the_twin(bounds, law, drawn):
    _agrees_looking_ahead(drawn, law, bounds)


@pytest.mark.parametrize(
    ("scenario", "law", "kind"),
    [
        ("classic", "uniform", Plain),
        ("classic", "edge:3", Plain),
        ("classic", "edge:3.14159", LookAhead),
        ("harbour", "uniform", Classes),
        ("harbour", "edge:3", LookAhead),
        ("gym-10x10", "uniform", Plain),
        ("gym-12x12", "uniform", Plain),
    ],
)
def test_each_sampler_serves_where_it_is_fastest(scenario, law, kind):
    assert isinstance(sampler_of(find_scenario(scenario).rules, Placement.parse(law)), kind)


@pytest.mark.parametrize(
    ("drawn", "law", "kind"),
    [
        (Rules(6, 7, (2, 3, 1), touching=False), "uniform", Plain),
        (Rules(12, 12, (5, 4, 3, 3, 2), touching=False), "edge:3", Plain),
        (Rules(8, 8, (3, 2, 4, 2, 1, 1), touching=False), "uniform", Classes),
        (Rules(8, 16, (5, 4, 3, 3, 2, 2, 1, 1), touching=False), "uniform", Classes),
        (Rules(12, 12, (5, 4, 3, 3, 2, 2, 1, 1, 1), touching=False), "uniform", LookAhead),
        (Rules(1, 7, (3, 1), touching=False), "sequential", OneByOne),
    ],
)
def test_boards_hold_the_ships_of_the_layouts(drawn, law, kind):
    sampler = sampler_of(drawn, Placement.parse(law))
    assert isinstance(sampler, kind)
    boards = sampler.draw_boards(7, 2**40, 20)
    assert boards.shape == (20, -(-drawn.cells // 64))
    for board, codes in zip(boards.tolist(), sampler.draw(7, 2**40, 20), strict=True):
        cells = {cell for ship in naive.decode(drawn, codes) for cell in ship}
        assert sum(word << 64 * place for place, word in enumerate(board)) == sum(
            1 << cell for cell in cells
        )


def _is_given_up(sampler, game: int) -> bool:
    try:
        sampler.draw(1, game, 1)
    except BsbenchError:
        return True
    return False


@pytest.mark.parametrize(
    ("module", "bounds"),
    [
        (plain, PLAIN["plain, short lists"]),
        (classes, CLASSES["classes, short head"]),
        (lookahead, AHEAD[f"look ahead, 1 heads below {1 << 64}"]),
    ],
)
def test_games_are_given_up_after_so_many_attempts_whatever_is_drawn_with_them(
    monkeypatch, module, bounds
):
    sampler = _sampler(Rules(6, 5, (3, 3, 2, 2), touching=False), "uniform", bounds)
    monkeypatch.setattr(module, "ATTEMPTS", 3)
    given_up = {game for game in range(200) if _is_given_up(sampler, game)}
    assert 0 < len(given_up) < 200
    with refused("game") as caught:
        sampler.draw(1, 0, 200)
    assert int(re.search(r"game (\d+)", str(caught.value))[1]) in given_up
    first = min(given_up)
    assert len(sampler.draw(1, 0, first)) == first


@given(st.lists(st.sampled_from([1, 7]) | st.integers(1, 10**17), min_size=1, max_size=50))
def test_the_alias_table_is_exact(weights):
    total, cut, other = heads.alias_table(np.array(weights, np.uint64))
    n, height = len(weights), int(total)
    area = [0] * n
    for index in range(n):
        below = min(int(cut[index]), height)
        area[index] += below
        area[other[index]] += height - below
    assert area == [weight * n for weight in weights]
    assert (cut.tolist(), other.tolist()) == naive.alias_table(weights)


ALL = {**PLAIN, **CLASSES, **AHEAD}


@pytest.mark.parametrize("bounds", ALL.values(), ids=ALL)
@pytest.mark.parametrize(
    ("size", "fleet", "touching", "count"),
    [
        ((4, 4), (3, 2), False, None),
        pytest.param((6, 7), (4,), True, None, id="one ship"),
        pytest.param((4, 4), (3, 2), True, None, marks=pytest.mark.slow),
        pytest.param((5, 5), (3, 2), False, 524, marks=pytest.mark.slow),
        pytest.param((6, 6), (3, 2), False, 1_656, marks=pytest.mark.slow),
        pytest.param((3, 4), (3, 2, 1, 1), True, None, marks=pytest.mark.slow),
        pytest.param((5, 5), (2, 2, 2), False, None, marks=pytest.mark.slow),
        pytest.param((5, 5), (1, 3, 1, 2), False, None, marks=pytest.mark.slow),
        pytest.param((4, 6), (2, 2, 1, 3), False, None, marks=pytest.mark.slow),
        ((4, 4), (3, 2), "corners", None),
        ((3, 3), (2, 2), "corners", 24),
        pytest.param((4, 4), (2, 1, 2, 1), "corners", None, marks=pytest.mark.slow),
    ],
)
def test_uniform_layouts_are_uniform(bounds, size, fleet, touching, count):
    board = Rules(*size, fleet, touching)
    layouts = list(naive.all_layouts(board))
    assert count is None or len(layouts) == count
    games = max(100 * len(layouts), 100_000)
    drawn = _tally(_sampler(board, "uniform", bounds).draw(11, 0, games))
    expected = {tuple(naive.encode(board, layout)) for layout in layouts}
    assert drawn.keys() <= expected
    observed = [drawn[codes] for codes in expected]
    assert_chi_square(observed, [games / len(layouts)] * len(layouts))


ALL_WEIGHED = {**PLAIN, **WEIGHED_AHEAD}


@pytest.mark.parametrize("bounds", ALL_WEIGHED.values(), ids=ALL_WEIGHED)
@pytest.mark.parametrize("law", WEIGHED)
@pytest.mark.parametrize(
    ("size", "fleet", "touching"),
    [
        ((4, 4), (3, 2), True),
        pytest.param((5, 5), (3, 2), False, marks=pytest.mark.slow),
        pytest.param((2, 5), (2, 3, 1), True, marks=pytest.mark.slow),
        pytest.param((4, 5), (1, 3, 1), False, marks=pytest.mark.slow),
        ((1, 9), (3, 1), False),
        ((4, 4), (3, 2), "corners"),
    ],
)
def test_weighed_layouts_follow_their_exact_law(bounds, law, size, fleet, touching):
    board = Rules(*size, fleet, touching)
    exact = naive.product_law(board, _weight(board, law)[0])
    games = max(200_000, 200 * len(exact))
    drawn = _tally(_sampler(board, law, bounds).draw(8, 0, games))
    codes = {layout: tuple(naive.encode(board, layout)) for layout in exact}
    assert drawn.keys() <= set(codes.values())
    assert_chi_square(
        [drawn[codes[layout]] for layout in exact], [float(games * p) for p in exact.values()]
    )


def _border_ships(board: Rules, codes):
    """Return for each layout how many of its ships lie wholly on the border."""
    ships = np.zeros(len(codes), int)
    for ship, length in enumerate(board.fleet):
        on_border = np.zeros(2 * board.cells, int)
        for slot in naive.slots(board.rows, board.cols, length):
            on_border[naive.encode(board, [slot])] = naive.on_border(board, slot)
        ships += on_border[codes[:, ship]]
    return ships


@pytest.mark.parametrize(
    "factor",
    [
        "3",
        *(
            pytest.param(each, marks=pytest.mark.slow)
            for each in ("0.5", "2.5", "3.14159", "0.001")
        ),
    ],
)
def test_edge_on_the_classic_board_has_the_exact_number_of_ships_on_the_border(factor):
    # All layouts by the number of ships on the border, counted apart from bsbench: pairs
    # of a 5 and a 4, and for each the disjoint triples of the others by matrix products.
    layouts = [7_137_060_688, 13_390_530_336, 7_732_796_368, 1_694_165_040, 136_388_736, 3_034_368]
    assert sum(layouts) == 30_093_975_536
    board = find_scenario("classic").rules
    games = 1_000_000
    drawn = _border_ships(board, draw_layouts(board, games, seed=5, law=f"edge:{factor}"))
    weights = [float(count * Fraction(factor) ** ships) for ships, count in enumerate(layouts)]
    expected = games * np.array(weights) / sum(weights)
    # What is too rare for chi-square goes with its neighbour.
    rare = int((expected < 5).sum())
    observed = np.bincount(np.minimum(drawn, 5 - rare), minlength=6 - rare)
    assert_chi_square(observed, [*expected[: 5 - rare], expected[5 - rare :].sum()])


def test_a_border_factor_of_any_size_keeps_to_64_bits():
    board = find_scenario("classic").rules
    for factor, ships in (("1000000000", 5), ("0.000000001", 0)):
        assert (_border_ships(board, draw_layouts(board, 50, law=f"edge:{factor}")) == ships).all()


@pytest.mark.parametrize("option", ["longest", "shortest", "fleet"])
@pytest.mark.parametrize(
    ("size", "fleet", "touching"),
    [
        ((4, 4), (2, 3, 1), True),
        pytest.param((5, 5), (2, 3, 1), False, marks=pytest.mark.slow),
        ((4, 4), (2, 3, 1), "corners"),
    ],
)
def test_sequential_layouts_follow_their_exact_law(option, size, fleet, touching):
    board = Rules(*size, fleet, touching)
    sign = {"longest": -1, "shortest": 1, "fleet": 0}[option]
    order = sorted(range(len(fleet)), key=lambda ship: sign * fleet[ship])
    law = naive.sequential_law(board, order)
    games = 400_000
    drawn = _tally(draw_layouts(board, games, seed=2, law=f"sequential:{option}"))
    codes = {layout: tuple(naive.encode(board, layout)) for layout in law}
    assert_chi_square(
        [drawn[codes[layout]] for layout in law], [games * share for share in law.values()]
    )


def test_occupancy_of_the_classic_board_is_exact():
    # Exact values, from a count of all 30,093,975,536 layouts. The four corners, and the four cells
    # of the centre, are alike by symmetry.
    scenario = find_scenario("classic")
    games = 1_000_000
    codes = draw_layouts(scenario.rules, games, seed=5)
    occupied = np.zeros(100)
    for ship, length in enumerate(scenario.rules.fleet):
        first, down = codes[:, ship] // 2, codes[:, ship] % 2
        for part in range(length):
            occupied += np.bincount(first + part * np.where(down, 10, 1), minlength=100)
    share = occupied / games
    for cells, exact in (((0, 9, 90, 99), 0.0799989), ((44, 45, 54, 55), 0.2135994)):
        for cell in cells:
            error = np.sqrt(exact * (1 - exact) / games)
            assert abs(share[cell] - exact) <= 4 * error + 0.5e-7


def _images_of_boards(boards):
    """Return the cells of ships in all 8 images of boards of 10 x 10."""
    octets = np.ascontiguousarray(boards).view(np.uint8)
    bits = np.unpackbits(octets, axis=1, count=100, bitorder="little").reshape(-1, 10, 10)
    for image in (bits, bits.transpose(0, 2, 1)):
        for rows in (image, image[:, ::-1]):
            yield from (rows.reshape(-1, 100), rows[:, :, ::-1].reshape(-1, 100))


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["classic", "harbour", "sea-battle"])
def test_a_million_layouts_follow_the_exact_law_of_linear_from_every_corner(scenario):
    # The last cell of a ship, in rows or columns from each corner: the laws of `linear` on eight
    # images of the same layouts, which are alike only if all layouts are alike.
    found = find_scenario(scenario)
    sampler = sampler_of(found.rules, found.placement)
    boards = np.concatenate(
        [sampler.draw_boards(21, 2**33 + first, 50_000) for first in range(0, 10**6, 50_000)]
    )
    law = 10**6 * exact_law("linear", found)
    often = np.flatnonzero(law >= 5)
    for bits in _images_of_boards(boards):
        assert (bits.sum(axis=1) == found.rules.ship_cells).all()
        last = 100 - bits[:, ::-1].argmax(axis=1)
        counts = np.bincount(last, minlength=101)
        # What is too rare for chi-square goes with its neighbour.
        low = often[0]
        assert_chi_square(
            [counts[: low + 1].sum(), *counts[low + 1 :]], [law[: low + 1].sum(), *law[low + 1 :]]
        )


def test_acceptance_counts_the_layouts_of_harbour():
    # An attempt ends in a layout with probability (number of layouts) / total, so the
    # share of attempts that succeed counts the layouts: 21,410,273,930,608 without telling
    # the equal ships apart (an independent count), 2! x 2! x 2! times that with.
    sampler = _sampler(find_scenario("harbour").rules, "uniform", LOOK_AHEAD)
    labelled = 8 * 21_410_273_930_608
    failed = 0
    games = 40_000
    with pytest.MonkeyPatch.context() as monkeypatch:
        # A single attempt for each game: see which are given up.
        monkeypatch.setattr(lookahead, "ATTEMPTS", 1)
        for game in range(games):
            try:
                sampler.draw(1, game, 1)
            except BsbenchError:
                failed += 1
    expected = labelled / int(sampler._heads.total)
    error = np.sqrt(expected * (1 - expected) / games)
    assert abs((games - failed) / games - expected) <= 4 * error


CORNERS = Rules(4, 4, (2, 1, 2), touching=False)


def _listed(folder, content: str | bytes, board: Rules = CORNERS):
    path = folder / "some.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return sampler_of(board, Placement("file", str(path)))


def test_layouts_of_a_file_are_equally_likely_and_twice_so_when_listed_twice(tmp_path):
    lines = ["0 0 2 E  3 3 1 E  2 0 2 S", "0 3 2 S  3 3 1 E  0 0 2 E", "3 0 2 E  0 0 1 S  0 3 2 S"]
    expected = {
        ((0, 1), (15,), (8, 12)): 2,
        ((3, 7), (15,), (0, 1)): 1,
        ((12, 13), (0,), (3, 7)): 1,
    }
    games = 100_000
    codes = _listed(tmp_path, "\n".join([*lines, lines[0]])).draw(3, 0, games)
    drawn = Counter(naive.decode(CORNERS, row) for row in np.array(codes))
    assert drawn.keys() == expected.keys()
    assert_chi_square(
        [drawn[layout] for layout in expected], [games * n / 4 for n in expected.values()]
    )


def test_layouts_of_a_file_are_drawn_as_the_twin_does(tmp_path):
    lines = [" ".join(f"{row} {col} 1 E" for row, col in ((0, n), (1, n))) for n in range(7)]
    codes = _listed(tmp_path, "\n".join(lines), Rules(2, 7, (1, 1), touching=True)).draw(5, 90, 50)
    for game, row in enumerate(codes, start=90):
        line = naive.Stream(naive.stream_key("layouts", 5), game).draw(7)
        assert row.tolist() == [2 * line, 2 * (7 + line)]


PEOPLE = "".join(
    f"[{who}]\n" + "".join(f"0 {n} 1 E  1 {n} 1 E\n" for n in cells)
    for who, cells in {"ann": (0, 1, 2), "bob two": (3, 3, 4), "cy": (6, 5, 0, 1)}.items()
)
"""Layouts of three people on 2x7 cells; the ships of each lie in one column."""


def _of_people(folder, option, text=PEOPLE):
    (folder / "people.txt").write_text(text)
    board = Rules(2, 7, (1, 1), touching=True)
    return sampler_of(board, Placement("file", f"{folder / 'people.txt'}{option}"))


def test_layouts_of_people_follow_each_other_as_the_twin_says(tmp_path):
    """Games 3 k to 3 k + 2 are the first three layouts of one person, in order."""
    columns = [[0, 1, 2], [3, 3, 4], [6, 5, 0]]
    codes = _of_people(tmp_path, ":3").draw(5, 92, 50)
    for game, row in enumerate(codes, start=92):
        who = naive.Stream(naive.stream_key("layouts", 5), game // 3).draw(3)
        column = columns[who][game % 3]
        assert row.tolist() == [2 * column, 2 * (7 + column)]


def test_each_person_is_equally_likely(tmp_path):
    first = _of_people(tmp_path, ":3").draw(1, 0, 90_000)[::3, 0] // 2
    assert_chi_square([int((first == column).sum()) for column in (0, 3, 6)], [10_000] * 3)


def test_a_path_may_end_in_a_colon_and_a_number(tmp_path):
    lay = Placement("file", "lay:5:1")
    assert (lay.path, lay.games_in_a_row) == ("lay:5", 1)
    assert Placement("file", lay.option) == lay
    assert Placement("file", "lay:1").option == "lay"
    (tmp_path / "lay:5").write_text(PEOPLE)
    place = Placement("file", f"{tmp_path / 'lay:5'}:3")
    board = Rules(2, 7, (1, 1), touching=True)
    assert len(sampler_of(board, place).draw(0, 0, 9)) == 9


def test_without_a_number_it_does_not_matter_who_used_a_layout(tmp_path):
    plain = "".join(line for line in PEOPLE.splitlines(keepends=True) if line[0] != "[")
    games = _of_people(tmp_path, "").draw(1, 0, 100).tolist()
    assert games == _of_people(tmp_path, ":1").draw(1, 0, 100).tolist()
    assert games == _of_people(tmp_path, "", text=plain).draw(1, 0, 100).tolist()


@pytest.mark.parametrize(
    ("option", "text", "named"),
    [
        (":4", PEOPLE, ["line 1", "3", "4", "people.txt:3"]),
        (":2", PEOPLE.partition("\n")[2], ["line 1", "[alice]"]),
        (":2", "[ann]\n", ["line 1"]),
        (":0", PEOPLE, ["1,000,000", "0"]),
        (":1000001", PEOPLE, ["1,000,000", "1,000,001"]),
        (":2", PEOPLE + "0 0 1 E  0 0 1 E\n", ["line 14", "overlaps"]),
        (":2", PEOPLE + "[ann]\n", ["line 14", "[ann]"]),
        ("", PEOPLE + "[dot\n", ["line 14", "[dot"]),
    ],
)
def test_impossible_rows_of_people_are_refused(tmp_path, option, text, named):
    with refused(*named):
        _of_people(tmp_path, option, text=text)


@given(drawn=rules(max_side=6), law=st.sampled_from(LAWS))
@settings(max_examples=40)
def test_a_layout_survives_being_written_to_a_file(tmp_path_factory, drawn, law):
    # Equal ships keep their order, and a slot its only code, also on boards of one column.
    for codes in draw_layouts(drawn, 3, law=law):
        words = []
        for size, ship in zip(drawn.fleet, naive.decode(drawn, codes), strict=True):
            row, col = divmod(ship[0], drawn.cols)
            east = size > 1 and ship[1] // drawn.cols == row
            words += [row, col, size, "E" if east else "S"]
        line = " ".join(map(str, words))
        sampler = _listed(tmp_path_factory.mktemp("listed"), line, drawn)
        assert (sampler.draw(0, 7, 1) == codes).all()


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf# one\r\n\r\n0 0 2 E\t3 3 1 E  2 0 2 S  # its own\r\n",
        b"  \n#\n# two\r0 0 2 E 3 3 1 E 2 0 2 S\r",
    ],
)
def test_files_of_layouts_may_have_comments_blank_lines_and_any_line_ends(tmp_path, content):
    assert naive.decode(CORNERS, _listed(tmp_path, content).draw(0, 0, 1)[0]) == (
        (0, 1),
        (15,),
        (8, 12),
    )


GOOD = "0 0 2 E 3 3 1 E 2 0 2 S"


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("0 0 2 E 3 3 1 E", ["2", "2 1 2"]),
        ("0 0 2 E 3 3 1 E 2 0 3 E", ["2 0 3 E", "2 1 2"]),
        (f"{GOOD} 0 3 1 E", ["0 3 1 E"]),
        ("0 0 2 E 3 3 1", ["3 3 1", "row col size E|S"]),
        ("0 0 2 N", ["0 0 2 N"]),
        ("0 \u0663 2 E", ["row col size E|S"]),
        ("9" * 10_000, [f"{'9' * 39}…"]),
        ("0 3 2 E", ["0 3 2 E", "4x4"]),
        ("3 0 2 S", ["3 0 2 S", "4x4"]),
        ("0 4 2 S", ["0 4 2 S", "4x4"]),
        ("0 0 2 E 3 3 1 E 0 1 2 S", ["0 1 2 S", "0 0 2 E"]),
        ("0 0 2 E 3 3 1 E 2 2 2 E", ["2 2 2 E", "3 3 1 E"]),
    ],
)
def test_a_line_that_is_no_layout_is_refused_by_its_number(tmp_path, line, named):
    with refused(str(tmp_path / "some.txt"), "line 4", *named):
        _listed(tmp_path, f"{GOOD}\n# a comment\n\n{line}\n{GOOD}\n")


def test_touching_layouts_of_a_file_are_fine_where_the_rules_allow_them(tmp_path):
    board = Rules(4, 4, (2, 2), touching=True)
    sampler = _listed(tmp_path, "0 0 2 E 1 0 2 E", board)
    assert naive.decode(board, sampler.draw(0, 0, 1)[0]) == ((0, 1), (4, 5))
    with refused("line 1", "0 1 2 S", "0 0 2 E"):
        _listed(tmp_path, "0 0 2 E 0 1 2 S", board)


@pytest.mark.parametrize(
    ("content", "named"),
    [(b"\n# nothing\r\n  \n", "row col size E|S"), (f"{GOOD}\n\0".encode(), "UTF-8")],
)
def test_files_without_layouts_are_refused(tmp_path, content, named):
    with refused(str(tmp_path / "some.txt"), named):
        _listed(tmp_path, content)


def test_files_that_cannot_be_read_are_refused(tmp_path):
    for place in (tmp_path / "none.txt", tmp_path):
        with refused(str(place)):
            sampler_of(CORNERS, Placement("file", str(place)))


def test_bundled_layouts_are_found_in_every_folder(in_folder):
    classic, placement = find_scenario("classic"), Placement("file", "configs/layouts/twenty.txt")
    assert len(layouts := sampler_of(classic.rules, placement).draw(0, 0, 50)) == 50
    hashed = layouts_hash(placement)
    # A file of the user comes first.
    mine = in_folder / placement.option
    mine.parent.mkdir(parents=True)
    mine.write_text("0 0 5 E  2 0 4 E  4 0 3 E  6 0 3 E  8 0 2 E\n")
    assert layouts_hash(placement) != hashed
    assert (sampler_of(classic.rules, placement).draw(0, 0, 50) != layouts).any()
    with refused("configs/none.txt"):
        sampler_of(classic.rules, Placement("file", "configs/none.txt"))


def test_the_worst_layout_is_what_its_header_says():
    path = ROOT / "configs" / "layouts" / "worst.txt"
    classic = find_scenario("classic")
    from_file = sampler_of(classic.rules, Placement("file", str(path))).draw(0, 0, 1)
    for noise, least, most in ((0, 72, 72), (0.001, 0, 50)):
        moves = move_counts(classic.rules, Over9000(noise=noise), from_file.tolist() * 64)
        assert least <= moves.mean() <= most
        assert (moves.min() == moves.max()) == (noise == 0)


@pytest.mark.parametrize("scenario", ["classic", "harbour"])
@pytest.mark.parametrize("law", LAWS)
def test_a_layout_depends_on_seed_and_game_alone(law, scenario):
    sampler = sampler_of(find_scenario(scenario).rules, Placement.parse(law))
    whole = sampler.draw(9, 0, 300)
    parts = [sampler.draw(9, first, games) for first, games in ((0, 1), (1, 130), (131, 169))]
    assert (np.concatenate(parts) == whole).all()
    assert (sampler.draw(10, 0, 300) != whole).any()


def test_a_board_filled_to_80_percent_ends_with_layouts_or_an_error(monkeypatch):
    board = Rules(10, 10, (5,) * 16, touching=True)
    for codes in draw_layouts(board, 5, law="sequential"):
        assert naive.is_legal(board, naive.decode(board, codes))
    # Fewer attempts than usual, so that the test is quick; the mechanism is the same.
    monkeypatch.setattr(lookahead, "ATTEMPTS", 2_000)
    with refused("game 7", "16 ships", "80 %"):
        sampler_of(board, Placement.parse("uniform")).draw(0, 7, 1)
    with refused("game 7", "factor"):
        edge.sampler_of(board, "3").draw(0, 7, 1)
    monkeypatch.setattr(one_by_one, "ATTEMPTS", 1)
    with refused("game", "16 ships"):
        draw_layouts(board, 5, law="sequential")


@pytest.mark.parametrize(
    ("fleet", "why"),
    [
        ((3, 2), "fill 31 % of the 16 cells that this law allows, and clash in each of 2,097,152"),
        ((3, 3, 2), "fill 50 % of the 16 cells"),
        ((4, 4, 3), "can't fit on the 16 cells that this law allows"),
        ((4, 2, 2, 2), "can't fit on the 16 cells that this law allows"),
    ],
)
def test_a_layout_that_is_not_found_may_be_none(fleet, why):
    board = Rules(5, 5, fleet, touching=False)
    sides = {cell for cell, on in enumerate(border.border_cells(board)) if on}
    fits = any(sides.issuperset(itertools.chain(*ships)) for ships in naive.all_layouts(board))
    assert fits != why.startswith("can't fit")
    with refused("game 7", why, "edge"):
        border.sampler_of(board).check_found(7, 0)


def test_a_board_too_large_for_tables_is_refused():
    with refused("250x250"):
        slots.slot_table(Rules(250, 250, (5, 4), touching=True))


@given(drawn=rules(max_side=6))
def test_the_slot_table_agrees_with_the_twin(drawn):
    table = slots.slot_table(drawn)
    numbered = {}
    for ship, length in enumerate(drawn.fleet):
        first = 64 * int(table.begin[ship])
        for offset, slot in enumerate(naive.slots(drawn.rows, drawn.cols, length)):
            numbered[first + offset] = slot
            assert int(table.code[first + offset]) == naive.encode(drawn, [slot])[0]

    def members(bits) -> set[int]:
        return {
            64 * word + place
            for word, value in enumerate(bits)
            for place in range(64)
            if int(value) >> place & 1
        }

    assert members(table.free) == set(numbered)
    for number, slot in numbered.items():
        closed = naive.excluded(drawn, slot)
        kept = {other for other, cells in numbered.items() if closed.isdisjoint(cells)}
        assert members(table.keep[number]) == kept
