"""Strategies that count all layouts: against exact odds; their book of decisions, and its file."""

from __future__ import annotations

import numpy as np
import pytest

from bsbench.counting.evidence import Evidence
from bsbench.counting.joins import pick_layouts
from bsbench.counting.lanes import board_of, count_lane, learn_shots, no_evidence, set_out, walk_of
from bsbench.counting.lanes import forget as forget_lanes
from bsbench.counting.posterior import find_posterior
from bsbench.kernels import book as books
from bsbench.kernels._jit import kernel
from bsbench.play.referee import Referee
from bsbench.roster import make_strategy
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.position import Answer
from bsbench.rules.scenario import find_scenario
from bsbench.strategies import _posterior
from bsbench.strategies.view import View
from tests.support import naive
from tests.support.helpers import draw_layouts, move_counts

pytestmark = pytest.mark.slow  # to compile their kernels takes nine seconds

SMALL = Rules(8, 8, (5, 4, 3, 2), touching=True, feedback=Feedback.SUNK)


def _told(view: View, lane: int) -> Answer:
    arrays = view.cell, view.outcome, view.ship, view.slot
    return Answer(*(int(array[lane]) for array in arrays))


@pytest.mark.parametrize(
    ("scenario", "feedback", "first"),
    [
        *(("classic", "hit", 22), ("classic", "sunk", 16), ("classic", "ship", 14)),
        *(
            ("gym-10x10", "hit", 14),
            ("gym-10x10", "sunk", 14),
            ("gym-8x8", "ship", 8),
            ("gym-12x12", "sunk", 60),
        ),
    ],
)
def test_scores_are_exact_odds_in_every_position(scenario, feedback, first):
    """Two games of random shots, in two lanes; the cheap positions are compared."""
    rules = find_scenario(scenario).override(feedback=feedback).rules
    strategy, view = make_strategy("posterior"), View(rules, 2)
    referee, everyone = Referee(view), np.arange(2)
    strategy.begin(rules, 2, 0)
    referee.deal(everyone, draw_layouts(rules, 2, seed=5))
    strategy.deal(everyone, everyone)
    orders = np.array([np.random.default_rng(n).permutation(rules.cells) for n in (1, 2)])
    evidence = [Evidence(rules), Evidence(rules)]
    for shot in range(rules.cells):
        live = np.flatnonzero(view.live)
        # Notes the last shots; as nobody is asked, it chooses nothing.
        asked, view.asked = view.asked, np.zeros(2, np.bool_)
        strategy.shoot(view)
        view.asked = asked
        for lane in live:
            if shot:
                evidence[lane].learn(_told(view, lane))
            if shot < first or shot % 4:
                continue
            exact = find_posterior(evidence[lane])
            insight = strategy.insight(lane)
            is_open = ~evidence[lane].shot & (exact.cells > 0)
            assert (insight.closed == ~is_open).all()
            assert (insight.scores == np.where(is_open, exact.probabilities, -1)).all()
            counts = exact.slots.astype(np.uint64)
            alike = [sorted(each) for each in exact.evidence.classes]
            for ships in alike:
                afloat = [ship for ship in ships if strategy._evidence.afloat[lane] >> ship & 1]
                total = strategy._walk.counts[afloat].sum(axis=0, dtype=np.uint64)
                assert (total == counts[afloat].sum(axis=0, dtype=np.uint64)).all()
        if not len(live):
            return
        referee.fire(orders[:, shot])


def test_layouts_are_picked_in_a_lane_as_in_a_position():
    rules = Rules(4, 4, (3, 2, 2), touching=True)
    layouts = list(naive.all_layouts(rules))
    board = board_of(rules)
    evidence, walk = no_evidence(rules, board, 3), walk_of(rules, board)
    forget_lanes(np.arange(3), board, evidence)
    told = [np.array(each) for each in ([-1, 5, 6], [0, 1, 0], [-1, -1, -1], [-1, -1, -1])]
    learn_shots(*told, board, evidence)
    left = naive.layouts_left(rules, [(5, 1, -1, -1)])
    number, work = count_lane(1, board, evidence, walk, 1 << 40)
    assert number == len(left)
    assert 0 < work < 100_000
    # Each rank once: every layout once, where ships that are all alike are indistinguishable.
    set_out(1, board, evidence, walk)
    ranks, samples = np.arange(number, dtype=np.uint64), np.zeros((len(left), 3), np.int64)
    pick_layouts(walk.fleet, walk.stack, walk.counts, ranks, samples, board.words)
    codes = board.tables.code[board.tables.kind, samples]
    found = {frozenset(map(frozenset, naive.decode(rules, each))) for each in codes}
    assert found == {frozenset(map(frozenset, layout)) for layout in left}
    assert len(layouts) > len(left)


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """Keep books in a folder of the test; what is called forgets those in memory."""
    monkeypatch.setattr(
        _posterior, "book_file", lambda strategy, rules: tmp_path / strategy.label.replace(" ", "-")
    )
    monkeypatch.setattr(_posterior, "_SAVED", 1)
    yield _posterior._book_at.cache_clear
    _posterior._book_at.cache_clear()


@pytest.mark.parametrize("lanes", [1, 40])
@pytest.mark.parametrize("settings", [{}, {"pattern": "lattice"}])
def test_games_are_the_same_with_a_book_and_without(shelf, monkeypatch, tmp_path, settings, lanes):
    codes, strategy = draw_layouts(SMALL, 120), make_strategy("posterior", settings)
    with monkeypatch.context() as patch:
        patch.setattr(_posterior, "_BOOK_BYTES", 1)
        patch.setattr(_posterior, "_DEAR_ROWS", 0)
        without = move_counts(SMALL, strategy, codes, lanes=lanes)
    assert not list(tmp_path.iterdir())
    shelf()
    cold = move_counts(SMALL, strategy, codes, lanes=lanes)
    (file,) = tmp_path.iterdir()
    kept = file.read_bytes()
    assert len(kept) % 16 == 0
    assert len(kept) > 200
    shelf()
    warm = move_counts(SMALL, strategy, codes, lanes=lanes)
    assert file.read_bytes() == kept
    assert (without == cold).all()
    assert (without == warm).all()


def test_decisions_in_the_file_are_those_that_are_played(shelf, tmp_path):
    """A file with other cells leads to other games: so it is read, and its digest is checked."""
    codes, strategy = draw_layouts(SMALL, 60), make_strategy("posterior")
    expected = move_counts(SMALL, strategy, codes)
    (file,) = tmp_path.iterdir()
    kept = file.read_bytes()
    rows = np.frombuffer(kept[32:], np.uint64).reshape(-1, 2).copy()
    # Another first shot.
    rows[0, 1] ^= np.uint64(3)
    changed = rows.tobytes()
    for content, same in (
        (_posterior._digest(changed) + changed, False),
        (kept[:32] + changed, True),
        (kept[:-8], True),
        (kept[:20], True),
        (b"", True),
    ):
        file.write_bytes(content)
        shelf()
        played = move_counts(SMALL, strategy, codes)
        assert (played == expected).all() == same


def test_a_book_depends_on_strategy_parameters_rules_and_sources(monkeypatch):
    plain = make_strategy("posterior")
    files = [
        _posterior.book_file(plain, SMALL),
        _posterior.book_file(make_strategy("posterior", {"pattern": "lattice"}), SMALL),
        _posterior.book_file(make_strategy("information"), SMALL),
        _posterior.book_file(plain, find_scenario("gym-6x6").rules),
    ]
    assert len(set(files)) == 4
    assert len({file.parent for file in files}) == 1
    from bsbench.kernels._cache import cached_modules

    assert files[0].parent in cached_modules()
    sources = _posterior.closure
    monkeypatch.setattr(_posterior, "closure", lambda path: dict.fromkeys(sources(path), b"edited"))
    assert _posterior.book_file(plain, SMALL).parent != files[0].parent
    names = {path.name for path in sources(_posterior.Path(_posterior.__file__).resolve())}
    assert {"joins.py", "lanes.py", "tables.py", "_posterior.py", "book.py"} <= names


@kernel
def _note(key, cell, work, book):
    books.note(key, cell, work, 100, book)


@kernel
def _find(key, book):
    return books.find(key, book)


def test_what_differs_in_any_of_112_bits_is_another_position():
    book = books.empty_book(1 << 14, 4)
    key = np.array([0x1B5C << 40 | 7, 0x9E3D << 48], np.uint64)
    assert _find(key, book) == -1
    _note(key, 44, 100, book)
    assert _find(key, book) == 44
    for word, bits in ((0, range(64)), (1, range(16, 64))):
        for bit in bits:
            other = key.copy()
            other[word] ^= np.uint64(1 << bit)
            assert _find(other, book) == -1
    _note(key, 44, 99, book)
    assert book.counts.tolist() == [1, 100]
    assert (book.rows != 0).any(axis=1).sum() == 1


def test_a_full_book_takes_no_more_and_keeps_what_it_has():
    book = books.empty_book(64 * books.BYTES_OF_ROW, 10)
    keys = np.random.default_rng(1).integers(1, 1 << 62, (500, 2)).astype(np.uint64)
    for number, key in enumerate(keys):
        _note(key, number, 100, book)
    found = [_find(key, book) for key in keys]
    assert all(cell in (-1, number) for number, cell in enumerate(found))
    assert sum(cell >= 0 for cell in found) == 64
    assert book.counts[0] == len(book.dear) == 10
    again = books.empty_book(64 * books.BYTES_OF_ROW, 10)
    books.fill(book.dear, again)
    assert [_find(key, again) for key in keys[:10]] == list(range(10))


def test_the_order_of_shots_does_not_matter():
    """The key of a position does not depend on the order of its shots."""
    board = board_of(SMALL)
    evidence = no_evidence(SMALL, board, 2)
    forget_lanes(np.arange(2), board, evidence)
    none = np.full(2, -1)
    for cells in ([3, 40], [40, 21], [21, 3]):
        learn_shots(np.array(cells), np.zeros(2, np.int64), none, none, board, evidence)
    assert (evidence.key[0] == evidence.key[1]).all()
    learn_shots(np.array([3, 50]), np.zeros(2, np.int64), none, none, board, evidence)
    assert (evidence.key[0] != evidence.key[1]).all()
