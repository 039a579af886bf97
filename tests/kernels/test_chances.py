"""The kernels of the family of Over 9000, against enumeration."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bsbench.common.errors import BsbenchError
from bsbench.kernels import chances, choosing, pairs
from bsbench.kernels.numbers import LANES, empty_numbers, lane_of_words
from bsbench.kernels.random import start_streams
from bsbench.play.referee import Referee
from bsbench.roster import find_strategy
from bsbench.rules.board import TOUCHING, Feedback, Rules
from bsbench.strategies.view import View
from tests.support import naive
from tests.support.helpers import as_words, draw_layouts, rules
from tests.support.naive.density import RecordByShip
from tests.support.naive.play import answer

# Counting and multiplying


def test_fleets_whose_chances_no_number_can_hold_are_refused():
    board = Rules(30, 30, (2,) * 100, touching=True, feedback=Feedback.SHIP)
    for name in ("bob", "over9000", "over9000-pairs"):
        with pytest.raises(BsbenchError, match="100 ships on the 30x30 board are too many"):
            find_strategy(name)().begin(board, 1, 0)
    find_strategy("over9000")().begin(Rules(30, 30, (2,) * 90, True, Feedback.SHIP), 1, 0)


# Fleets whose products are exact as float64, exact as 64-bit integers, and neither.
FLEETS = [
    ((3, 2, 1), True, np.float64),
    ((3, 3, 2, 2, 2, 2, 1, 1), True, np.uint64),
    ((3, 3, 2, 2, 2, 2, 1, 1), False, np.float64),
    ((3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1), True, np.float64),
]


@pytest.mark.parametrize(("fleet", "exact", "dtype"), FLEETS)
def test_products_are_those_of_whole_numbers(fleet, exact, dtype):
    board = Rules(8, 9, fleet, touching=True)
    room = chances.ship_chances(board, shared_plane=False, exact=exact)
    assert room.water.dtype == dtype
    largest = math.prod(len(board.slots(length)) for length in fleet)
    assert (largest < 2**53) == (fleet == FLEETS[0][0])
    assert (largest >= 2**64) == (fleet == FLEETS[3][0])
    generator = np.random.default_rng(1)
    for unit, length in enumerate(fleet):
        room.totals[unit] = generator.integers(1, len(board.slots(length)) + 1, LANES)
        # On the empty board, too.
        room.totals[unit, 0] = len(board.slots(length))
        room.counts[unit] = generator.integers(0, 2 * length + 1, (board.cells, LANES))
        room.counts[unit] = np.minimum(room.counts[unit], room.totals[unit])
    chances.multiply_chances(room)
    for lane in (0, 1, 63):
        totals = room.totals[:, lane].tolist()
        # Below 2^64 a rounded product is that of exact factors, one after the other.
        number = int if exact and dtype is np.uint64 else float
        assert number(room.product[0, lane]) == math.prod(map(number, totals))
        for cell in range(board.cells):
            missed = [t - int(c) for t, c in zip(totals, room.counts[:, cell, lane], strict=True)]
            assert number(room.water[cell, lane]) == math.prod(map(number, missed))


@given(st.sampled_from([0.0, 0.25]), st.integers(0, 1000))
@settings(max_examples=10)
def test_chances_are_weighted(noise, seed):
    board = Rules(4, 3, (3, 2, 1), touching=True)
    lanes = 100
    room = chances.ship_chances(board, shared_plane=False, exact=False)
    generator = np.random.default_rng(seed)
    room.totals[:] = generator.integers(1, 8, room.totals.shape)
    room.counts[:] = generator.integers(0, room.totals[:, None] + 1, room.counts.shape)
    missed = (room.totals[:, None] - room.counts.astype(float)).prod(axis=0)
    product = room.totals.astype(float).prod(axis=0)
    start = empty_numbers(2, dtype=np.uint64)
    start_streams(np.uint64(seed), np.arange(lanes), np.arange(lanes), start)
    shots = generator.integers(0, 12, lanes)
    wanted = np.uint64((1 << lanes - LANES) - 1)
    is_open = generator.random((board.cells, LANES)) < 0.8
    for sets, complete in itertools.product((1, 2), (False, True)):
        weights = empty_numbers(sets, board.cells, dtype=np.float64)
        weights[:] = generator.random(weights.shape)
        weighing = chances.Weighing(weights, noise, start)
        chances.weigh_chances(room, weighing, 1, shots, wanted, as_words(is_open), complete)
        for lane in (0, lanes - LANES - 1):
            stream = naive.Stream(seed, LANES + lane)
            # A number for every cell at every shot so far.
            for _ in range(shots[LANES + lane] * board.cells):
                stream.bits()
            plain, scores = [], []
            for cell in range(board.cells):
                chance = 1.0 - missed[cell, lane] * (1.0 / product[lane])
                plain.append(weights[sets - 1, cell, lane] * chance)
                scores.append(plain[-1] + noise * ((stream.bits() >> 11) * 2.0**-53))
            greatest = max((plain[cell] for cell in np.flatnonzero(is_open[:, lane])), default=0)
            for cell in range(board.cells):
                may_win = is_open[cell, lane] and plain[cell] + noise >= greatest
                expected = scores if complete or may_win else plain
                assert room.score[cell, lane] == expected[cell]


@given(
    st.sampled_from([np.float64, np.uint64]),
    st.integers(1, 30) | st.just(300),
    st.integers(0, 10_000),
)
def test_the_first_least_value_is_chosen(dtype, cells, seed):
    generator = np.random.default_rng(seed)
    value, ceiling = empty_numbers(cells, dtype=dtype), empty_numbers(1, dtype=dtype)
    value[:], ceiling[:] = generator.integers(0, 6, value.shape), generator.integers(1, 7, LANES)
    if dtype is np.uint64:
        # Of a sign there is no question.
        value[:], ceiling[:] = value + np.uint64(2**63 - 3), ceiling + np.uint64(2**63 - 3)
    is_open = generator.random(value.shape) < generator.random(LANES)
    wanted = generator.random(LANES) < 0.7
    best = choosing.empty_cells(3 * LANES, cells)
    best.fill(77)
    stuck = choosing.first_least(value, as_words(is_open), ceiling, as_words(wanted), 1, best)
    assert (best[[0, 2]] == 77).all()
    below = (value < ceiling) & is_open
    for lane in range(LANES):
        candidates = np.flatnonzero(below[:, lane]).tolist()
        if candidates:
            assert best[1, lane] == min(candidates, key=lambda cell: value[cell, lane])
    without = np.flatnonzero(wanted & ~below.any(axis=0))
    assert stuck == (LANES + without[0] if len(without) else -1)


# What hits leave of a ship's plane, and counting in games


class Game:
    """Games of random shots in all lanes, and what a plain record has of some of them."""

    def __init__(self, board: Rules, no_touch: str, lanes: int, followed, seed: int) -> None:
        self.board = Rules(board.rows, board.cols, board.fleet, board.touching, Feedback.SHIP)
        self.ships = chances.unknown_ships(self.board, lanes, no_touch, len(board.fleet))
        self.view = View(self.board, lanes)
        self.referee = Referee(self.view)
        self.codes = draw_layouts(self.board, lanes, seed=seed)
        everyone = np.arange(lanes)
        self.referee.deal(everyone, self.codes)
        chances.forget_ships(everyone, self.ships)
        self.records = {lane: RecordByShip(self.board, no_touch) for lane in followed}
        self.shots: dict[int, list[int]] = {lane: [] for lane in followed}

    def fire(self, cells) -> None:
        view = self.view
        playing = view.live.copy()
        self.referee.fire(cells)
        chances.learn_ships(view.cell, view.outcome, view.ship, view.slot, self.ships)
        for lane, record in self.records.items():
            if playing[lane]:
                self.shots[lane].append(int(cells[lane]))
                ships = naive.decode(self.board, self.codes[lane])
                record.note(int(cells[lane]), answer(self.board, ships, self.shots[lane]))

    def play_at_random(self, seed: int):
        """Yield after every shot, while a game goes on."""
        generator = np.random.default_rng(seed)
        lanes, cells = self.view.lanes, self.board.cells
        orders = np.array([generator.permutation(cells) for _ in range(lanes)])
        yield
        for shot in range(cells):
            self.fire(np.ascontiguousarray(orders[:, shot]))
            yield
        assert not self.view.live.any()

    def plane(self, ship: int, lane: int) -> set[int]:
        """Return the cells where a ship may lie, by the kernel."""
        return set(np.flatnonzero(lane_of_words(self.ships.may[ship], lane)).tolist())


@given(rules(max_side=6), st.sampled_from(["ignore", "sunk", "full"]), st.integers(0, 1000))
@settings(max_examples=40)
def test_the_slots_within_a_ships_plane_are_those_that_agree_with_all_shots(board, no_touch, seed):
    followed = (0, 63, 130)
    game = Game(board, no_touch, 131, followed, seed)
    board = game.board
    room = chances.ship_chances(board, shared_plane=False, exact=False)
    for _ in game.play_at_random(seed):
        for lane in followed:
            record = game.records[lane]
            unshot = lane_of_words(game.ships.unshot, lane)
            assert np.flatnonzero(unshot).tolist() == record.candidates()
            chances.count_ships(game.ships, lane // LANES, room)
            for ship, length in enumerate(board.fleet):
                afloat = ship in record.afloat
                slots = record.possible_slots(ship) if afloat else []
                plane = game.plane(ship, lane)
                within = [s for s in naive.slots(board.rows, board.cols, length) if plane >= {*s}]
                assert within == slots
                through = np.zeros(board.cells, int)
                for slot in slots:
                    through[list(slot)] += 1
                # A ship that sank is a factor of 1.
                assert room.totals[ship, lane % LANES] == (len(slots) if afloat else 1)
                assert (room.counts[ship, :, lane % LANES] == through).all()


@given(
    rules(max_side=5),
    st.permutations([3, 2, 2, 1]),
    st.integers(1, 4),
    st.sampled_from(["ignore", "sunk", "full"]),
    st.integers(0, 1000),
)
@settings(max_examples=25)
def test_pairs_are_counted_as_by_laying_both_ships(board, lengths, ships, no_touch, seed):
    side = max(board.rows, board.cols)
    fleet = tuple(min(length, side) for length in lengths[:ships])
    if sum(fleet) > 0.3 * board.cells:
        fleet = fleet[:1]
    followed = (0, 63, 65)
    game = Game(Rules(board.rows, board.cols, fleet, board.touching), no_touch, 66, followed, seed)
    board = game.board
    table, room = pairs.pair_chances(board, exact=True)
    for _ in game.play_at_random(seed):
        for lane in followed:
            record = game.records[lane]
            pairs.count_pairs(game.ships, table, lane // LANES, room)
            for unit in range(-(-len(fleet) // 2)):
                pair = [ship for ship in (2 * unit, 2 * unit + 1) if ship in record.afloat]
                total, through = 0, np.zeros(board.cells, int)
                # All joint placements, one by one: of a ship alone its slots, of none one.
                for placed in itertools.product(*map(record.possible_slots, pair)):
                    if len(placed) == 2 and naive.excluded(board, placed[0]) & {*placed[1]}:
                        continue
                    total += 1
                    for slot in placed:
                        through[list(slot)] += 1
                assert room.totals[unit, lane % LANES] == total
                assert (room.counts[unit, :, lane % LANES] == through).all()


# To compile what counts pairs takes 3 seconds.
@pytest.mark.slow
def test_pairs_of_the_classic_fleet_on_the_empty_board():
    board = Rules(10, 10, (5, 4, 3, 3, 2), touching=True, feedback=Feedback.SHIP)
    ships = chances.unknown_ships(board, 1, "sunk", planes=5)
    table, room = pairs.pair_chances(board, exact=True)
    pairs.count_pairs(ships, table, 0, room)
    for unit, pair in enumerate([(5, 4), (3, 3)]):
        ones, others = (naive.slots(10, 10, length) for length in pair)
        ways = sum({*one}.isdisjoint(other) for one in ones for other in others)
        assert room.totals[unit, 0] == ways
        assert room.counts[unit, :, 0].sum() == ways * sum(pair)
    assert room.totals[2, 0] == 180


# What strategies say of a game


@pytest.mark.parametrize("touching", TOUCHING)
@pytest.mark.parametrize("plain", [True, False])
def test_insight_of_over9000_agrees_with_the_twin(plain, touching):
    board = Rules(6, 7, (4, 3, 2), touching, Feedback.SHIP)
    lanes, followed, seed = 66, (0, 63, 65), 3
    parameters = {"edge_weight": 1, "noise": 0} if plain else {"edge_weight": 1.5, "noise": 0.1}
    strategy = find_strategy("over9000")(**parameters)
    strategy.begin(board, lanes, seed)
    game = Game(board, "sunk", lanes, followed, seed)
    strategy.deal(np.arange(lanes), np.arange(lanes))
    streams = {
        lane: naive.Stream(naive.stream_key("strategy over9000", seed), lane) for lane in followed
    }
    while game.view.live.any():
        cells = strategy.shoot(game.view).copy()
        for lane in [lane for lane in followed if game.view.live[lane]]:
            record, insight = game.records[lane], strategy.insight(lane)
            assert insight.closed is not None
            assert insight.scores is not None
            is_open = record.candidates()
            assert np.flatnonzero(~insight.closed).tolist() == is_open
            for cell in range(board.cells):
                water = math.prod(1 - counts[cell] / total for total, counts in record.factors())
                row, col = divmod(cell, board.cols)
                score = 1 - water
                if not plain:
                    border = row in (0, board.rows - 1) or col in (0, board.cols - 1)
                    score *= 1.5 if border else 1
                    score += 0.1 * ((streams[lane].bits() >> 11) * 2.0**-53)
                expected = score if cell in is_open else -1
                assert insight.scores[cell] == pytest.approx(expected, abs=1e-12)
            # The plain version compares whole numbers: rounding may part what ties there.
            assert insight.scores[cells[lane]] == pytest.approx(insight.scores.max(), abs=1e-12)
            if not plain:
                assert cells[lane] == insight.scores.argmax()
        game.fire(cells)
    assert all(not record.afloat for record in game.records.values())
