"""Strategies of users: found, loaded and played as the built-in ones are."""

from __future__ import annotations

import importlib.metadata
import random
import sys
from dataclasses import dataclass

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import bsbench
from bsbench import HIT, MISS, SUNK, BatchStrategy, Feedback, FixedOrder, Rules
from bsbench.cli import main
from bsbench.kernels.shared import NEW
from bsbench.own.adapter import origin_of
from bsbench.own.choosing import Terms, alias
from bsbench.own.game import GameMemory
from bsbench.own.loading import adapt, adapt_class, installed, is_spec, load_strategy
from bsbench.own.python import PythonChooser
from bsbench.roster import as_strategy, find_strategy, make_variant
from bsbench.rules.drawing import row_name
from bsbench.strategies import Strategy
from tests.support import naive
from tests.support.helpers import draw_layouts, move_counts, rules, shots_fired
from tests.support.refusals import assert_sentence, names, refused, warned

OWN = '''
from dataclasses import dataclass

import numpy as np

import bsbench


@dataclass
class Beside:
    """Beside hits, else from a cell on.

    Source: the tests.
    """

    start: int = 0
    _hidden: tuple = ()

    def shoot(self, view):
        for hit in view.hits:
            for cell in view.neighbours(hit):
                if view.is_open(cell):
                    return cell
        later = [cell for cell in view.open_cells if cell >= self.start]
        return (later or view.open_cells)[0]


class Shared(Beside):
    deterministic = True


class Shuffled:
    def reset(self, rules, rng):
        self.order = rng.sample(range(rules.cells), rules.cells)

    def shoot(self, view):
        return self.order[len(view.shots)]


class Batch(bsbench.BatchStrategy):
    """The cell with the largest random number, beside hits if there are any."""

    def shoot(self, view):
        hit = np.pad(view.hit, ((0, 0), (1, 1), (1, 1)))
        beside = hit[:, 2:, 1:-1] | hit[:, :-2, 1:-1] | hit[:, 1:-1, 2:] | hit[:, 1:-1, :-2]
        scores = np.where(view.shot, -1, view.random() + beside)
        return scores.reshape(view.games, -1).argmax(axis=1)


class Kernels(bsbench.Strategy):
    def shoot(self, view):
        return view.shots
'''


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A file of strategies in the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "own.py").write_text(OWN)
    yield tmp_path
    sys.modules.pop("own", None)


def test_all_ways_to_name_a_strategy_find_it(own):
    (own / "one.py").write_text(
        "from own import Beside\nclass Mine(Beside): ...\nclass _Not(Mine): ..."
    )
    assert load_strategy("one.py")().name == "one"
    for spec in ("own.py:Beside", f"{own / 'own.py'}:Beside", "own:Beside"):
        strategy = make_variant(f"{spec},start=3")
        assert (strategy.label, strategy.home) == ("beside start=3", None)
        assert strategy.idea == "Beside hits, else from a cell on."
        assert origin_of(strategy).called == spec
    assert load_strategy("own.py:Kernels")().name == "kernels"
    assert is_spec("C:\\x.py:Name")
    assert not is_spec("prob")


def test_a_file_runs_once_until_it_changes(own):
    first = load_strategy("own.py:Beside")
    assert load_strategy("own.py:Beside") is first
    (own / "own.py").write_text(OWN.replace("start: int = 0", "start: int = 77"))
    assert make_variant("own.py:Beside").parameters == {"start": 77}


def test_a_file_finds_modules_beside_it_but_hides_none_of_the_library(own):
    (own / "friend.py").write_text("START = 5")
    (own / "wave.py").write_text("raise RuntimeError('hidden')")
    code = "import wave\nfrom friend import START\nclass Mine:\n    def shoot(self, view): ..."
    (own / "mine.py").write_text(code)
    assert load_strategy("mine.py:Mine")().name == "mine"
    assert "friend" not in sys.modules, "it is imported in another process"


@pytest.mark.parametrize(
    ("spec", "named"),
    [
        ("none.py:Mine", ("none.py",)),
        ("own.py", ("own.py:Beside", "own.py:Shared")),
        ("own.py:Besides", ("'Besides'", "own.py", "'Beside'")),
        ("own.py:np", ("'np'", "own.py")),
        (":Mine", (":Mine",)),
        ("nowhere.at_all:Mine", ("nowhere.at_all", "ModuleNotFoundError")),
        ("own.py:Beside,depth=3", ("'beside'", "'depth'", "start")),
        ("own.py:Beside,start=x", ("'beside'", "'start'")),
        ("besid", ("'besid'",)),
    ],
)
def test_what_can_not_be_loaded_is_told_in_the_users_words(own, spec, named):
    with refused(*named):
        make_variant(spec)


@pytest.mark.parametrize(
    ("code", "error"),
    [("import math\n1 / 0", "ZeroDivisionError"), ("class Mine(", "SyntaxError")],
)
def test_the_line_that_fails_on_import_is_told(own, code, error):
    (own / "fails.py").write_text(code)
    with refused("fails.py", error, lines=2) as caught:
        make_variant("fails.py:Mine")
    *_, line = lines = code.splitlines()
    assert str(caught.value).splitlines()[1] == f"  fails.py, line {len(lines)}: {line}"


def declared(**body):
    return type("Mine", (), {"shoot": lambda self, view: 0, **body})


@pytest.mark.parametrize(
    ("player", "named"),
    [
        (type("Mine", (Strategy,), {}), ("Mine", "shoot")),
        (
            type("Mine", (Strategy,), {"shoot": 0, "begin": lambda self, rules: 0}),
            ("begin(self, rules)", "begin(self, rules, lanes, seed)"),
        ),
        (declared(kind="fortran"), ("'fortran'", "python", "numpy")),
        (declared(name="my strategy"), ("'my strategy'",)),
        (declared(name=3), ("3",)),
        (declared(needs="all"), ("'all'", "hit", "sunk", "ship")),
        (declared(reset=lambda self, rules: 0), ("reset(self, rules, rng)",)),
        (declared(home="nowhere"), ("Mine", "'nowhere'")),
        (declared(name="prob"), ("'prob'",)),
        (declared(__init__=lambda self, depth: None), ("depth",)),
        (declared(shoot=lambda self: 0), ("shoot(self)", "shoot(self, view)")),
        (declared(kind="numpy", reset=lambda rules: 0), ("reset(self, rules, games)",)),
        (dataclass(declared(__annotations__={"depth": int})), ("depth", "none")),
        (dataclass(declared(__annotations__={"depth": int}, depth=None)), ("depth", "None")),
    ],
)
def test_what_makes_no_sense_in_a_class_is_told(player, named):
    with refused(*named):
        adapt(player)


def test_names_are_made_of_class_names():
    names = {"ParityHunter": "parity-hunter", "HTTPShooter": "http-shooter", "My2nd": "my2nd"}
    for called, name in names.items():
        assert adapt(type(called, (), {"shoot": lambda self, view: 0})).name == name
    assert adapt(declared(name="sly_one", needs="sunk", home="harbour")).needs is Feedback.SUNK


class Plainly:
    def shoot(self, view):
        return view.open_cells[0]


def test_a_class_can_be_played_as_it_is():
    class Mine:
        def shoot(self, view):
            return view.open_cells[-1]

    assert origin_of(as_strategy(Mine)).spec == "", "no other process finds it"
    assert origin_of(adapt_class(Plainly)()).spec == f"{__name__}:Plainly"
    result = bsbench.run(Mine, games=40, threads=2, keep_moves=True)
    assert result.strategy == "mine"
    again = bsbench.run(Mine, games=30, threads=1, keep_moves=True)
    np.testing.assert_array_equal(result.moves[:30], again.moves)
    assert as_strategy(find_strategy("linear")).name == "linear"


def test_installed_strategies_are_found_by_name_and_broken_ones_are_a_warning(own, monkeypatch):
    values = {
        "sly": "own:Beside",
        "prob": "own:Beside",
        "gone": "no_such_package.strategies:Gone",
        "odd": "own",
    }
    points = [importlib.metadata.EntryPoint(*each, "bsbench.strategies") for each in values.items()]
    monkeypatch.setattr("bsbench.own.loading.entry_points", lambda group: points)
    sys.path.append(str(own))
    result = CliRunner().invoke(main, ["list"])
    assert result.exit_code == 0, result.output
    assert "own" not in sys.modules, "nothing is imported that was not named"
    warned = result.stderr.splitlines()
    assert all(line.startswith("Warning: ") for line in warned)
    assert len(warned) == 3
    for name in ("prob", "gone", "odd"):
        assert sum(names(line, f"'{name}'") for line in warned) == 1, warned
    assert find_strategy("sly")().name == "beside"
    assert find_strategy("prob").__module__ == "bsbench.strategies.prob"
    for name, *named in (("gone", "ModuleNotFoundError"), ("odd",), ("slyy", "'slyy'", "'sly'")):
        with refused(name, *named):
            find_strategy(name)
    assert "sly" in installed()


def test_what_is_printed_on_import_is_told_as_a_warning(own, capsys):
    (own / "loud.py").write_text("print('hello', 3)\nprint()\n" + OWN)
    with warned("2 lines", "'hello 3'"):
        load_strategy("loud.py:Beside")
    assert capsys.readouterr().out == ""


@given(board=rules(max_side=6), data=st.data())
def test_a_view_tells_what_happened_and_nothing_else(board, data):
    codes = draw_layouts(board, 1)
    ships = naive.layouts.decode(board, codes[0])
    asked = []

    class Looking:
        def shoot(self, view):
            asked.append(view)
            shots = dict(zip(view.shots, view.outcomes, strict=True))
            hits = {cell for cell in shots if any(cell in ship for ship in ships)}
            told = naive.answers(board, ships, view.shots)
            # The ships that were told to have sunk, and the cells that were told of each.
            gone = {ship: slot for _, outcome, ship, slot in told if outcome == 2 and ship >= 0}
            laid = dict(zip(naive.encode(board, ships), ships, strict=True))
            sunk = {ship: set(laid.get(slot, ())) for ship, slot in gone.items()}
            assert sorted([*shots, *view.open_cells]) == list(range(board.cells))
            assert set(view.hits) == hits
            assert set(view.misses) == set(shots) - hits
            assert {each.ship: set(each.cells) for each in view.sunk} == sunk
            assert view.afloat == tuple(i for i in range(len(ships)) if i not in gone)
            assert set(view.wounded) == hits.difference(*sunk.values())
            if board.feedback == Feedback.SHIP and view.outcome:
                assert view.last in ships[view.ship]
            cell = data.draw(st.sampled_from(view.open_cells))
            assert view.is_open(cell)
            return cell

    (shots,) = shots_fired(board, adapt(Looking)(), codes)
    assert len(shots) == len(asked)


def test_a_view_can_only_be_read():
    view = GameMemory(Rules(3, 4, (2,), touching=True)).view
    assert (view.last, view.outcome, view.ship, view.shots) == (None, None, None, ())
    for name in ("last", "outcome", "anything"):
        with pytest.raises(AttributeError):
            setattr(view, name, 3)
    with pytest.raises(AttributeError):
        del view.last
    assert not view.is_open(-1)
    assert not view.is_open(12)
    assert (view.rows, view.cols, view.row(7), view.col(7), view.at(1, 3)) == (3, 4, 1, 3, 7)
    assert view.at(3, 0) is None
    assert view.neighbours(5) == (1, 4, 6, 9)
    assert view.neighbours(0, diagonals=True) == (1, 4, 5)


def test_a_view_is_drawn():
    game = GameMemory(Rules(2, 3, (2, 1), touching=True, feedback=Feedback.SUNK))
    game.note(0, MISS, -1, -1)
    game.note(1, HIT, -1, -1)
    game.note(5, SUNK, 1, 10)
    assert game.view.board == "   1  2  3\nA  ○  ✕  ·\nB  ·  ·  ■"
    assert repr(game.view) == "<GameView of 2x3 after 3 shots>"
    assert [row_name(row) for row in (25, 26, 249)] == ["Z", "AA", "IP"]


def test_random_numbers_belong_to_name_seed_and_game():
    drawn = []

    class Noting:
        def reset(self, rules, rng):
            drawn.append(rng.random())

        def shoot(self, view):
            return view.open_cells[0]

    board = Rules(1, 1, (1,), touching=True)
    move_counts(board, adapt(Noting)(), [[0]] * 5, seed=8, lanes=2)
    assert drawn == [random.Random(alias("noting", 8, game)).random() for game in range(5)]


@given(board=rules(max_side=6))
def test_a_batch_view_tells_what_game_views_tell(board):
    codes = draw_layouts(board, 9)

    class Batch(BatchStrategy):
        def shoot(self, view):
            cells = np.zeros(view.games, np.int64)
            for place in np.flatnonzero(view.live):
                assert view.fresh[place] == (view.last[place] == -1) == (view.shots[place] == 0)
                is_open = np.flatnonzero(~view.shot[place].ravel())
                hits = np.count_nonzero(view.hit[place])
                assert np.array_equal(view.shot[place], view.hit[place] ^ view.missed[place])
                assert not (view.sunk[place] & ~view.hit[place]).any()
                lengths = np.array(board.fleet)[~view.afloat[place]]
                if not board.reveals.untold_cells:
                    assert lengths.sum() == np.count_nonzero(view.sunk[place])
                assert board.cells - len(is_open) == view.shots[place]
                cells[place] = is_open[hits % len(is_open)]
            return cells

    class Plain:
        def shoot(self, view):
            return view.open_cells[len(view.hits) % len(view.open_cells)]

    batch = move_counts(board, adapt(Batch)(), codes, lanes=4)
    np.testing.assert_array_equal(batch, move_counts(board, adapt(Plain)(), codes, lanes=2))


@pytest.mark.parametrize(
    ("answer", "named"),
    [
        (lambda view: None, ("None",)),
        (lambda view: [0] * view.games, ("list",)),
        (lambda view: np.full(view.games, 100), ("100", "10x10")),
    ],
)
def test_nonsense_of_a_strategy_in_numpy_is_told(answer, named):
    odd = type("Odd", (BatchStrategy,), {"shoot": lambda self, view: answer(view)})
    with pytest.raises(bsbench.StrategyError) as caught:
        bsbench.run(odd, "classic", games=10)
    assert_sentence(caught.value.problem, *named)


class Orders(FixedOrder):
    """Is played in advance, in an order that a test sets."""

    given = None

    def deal(self, lanes, games):
        raise AssertionError("it is played in advance")

    def orders(self, games):
        return type(self).given


@pytest.mark.parametrize(
    ("orders", "named"),
    [
        (np.zeros((1, 100), np.uint16), ("100",)),
        (np.arange(99, dtype=np.uint16)[None], ("(1, 99)", "(1, 100)")),
        (np.arange(100)[None], ("int64", "uint16")),
        ([list(range(100))], ("list",)),
    ],
)
def test_an_order_that_lacks_a_cell_is_refused(monkeypatch, orders, named):
    monkeypatch.setattr(Orders, "given", orders)
    with pytest.raises(bsbench.StrategyError) as caught:
        bsbench.run(Orders, "classic", games=10)
    assert_sentence(caught.value.problem, *named)


def test_shared_decisions_make_no_difference(own):
    board = Rules(6, 6, (3, 2, 2), touching=True, feedback=Feedback.SHIP)
    codes = draw_layouts(board, 300)
    alone = move_counts(board, load_strategy("own.py:Beside")(), codes)
    shared = load_strategy("own.py:Shared")()
    for lanes in (1, 8, 300):
        np.testing.assert_array_equal(alone, move_counts(board, shared, codes, lanes=lanes))


def test_games_with_the_same_history_share_decisions():
    asked = []

    class Asked:
        deterministic = True

        def shoot(self, view):
            asked.append(view.shots)
            return view.open_cells[0]

    # The same layout over and over, hit by the shots 11 and 12: each of the first games follows
    # the tree, adds `NEW` decisions to it, and leaves it.
    board = Rules(5, 5, (2,), touching=True, feedback=Feedback.SUNK)
    move_counts(board, adapt(Asked)(), [[2 * 10]] * 50, lanes=1)
    assert len(asked) == sum(range(12, 0, -NEW))


def test_the_time_of_a_strategy_can_be_watched_before_it_is_asked():
    chooser = PythonChooser(Plainly, Terms("plainly", {}, Rules(3, 4, (2,), True), 5, 0, 1.0))
    # The thread that watches looks then, too.
    assert chooser.overtime() is None
    assert chooser.spent() == 0
