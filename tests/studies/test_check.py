"""The conformance test: built-in strategies pass it, and each kind of broken one is caught."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
import pytest
from click.testing import CliRunner

from bsbench.cli import main
from bsbench.common.errors import BsbenchError, BsbenchWarning
from bsbench.roster import find_strategy, make_variant, strategy_names
from bsbench.rules.board import Feedback
from bsbench.strategies import Insight, Strategy
from bsbench.strategies.base import FixedOrder, parameter
from bsbench.studies.check.study import check_strategy
from tests.support.helpers import quick_strategy


@pytest.mark.parametrize("name", strategy_names())
def test_every_strategy_keeps_to_the_contract(name):
    report = check_strategy(quick_strategy(name), games=8)
    assert report.passed, str(report)
    assert not report.failures
    assert len(report.scenarios) >= 6
    assert str(report).count("✓") == len(report.findings)


class Sound(Strategy):
    """Every cell in turn, as the broken ones below do but for their fault."""

    name = "sound"
    source = "the tests"

    def shoot(self, view):
        return view.shots.copy()


def test_a_sound_strategy_passes():
    report = check_strategy(Sound())
    assert report.passed, str(report)
    assert [finding.what for finding in report.findings] == [
        "describes itself",
        "fires at cells of the board, never twice at one, until the fleet is sunk",
        "leaves the view as it is",
        "plays the same game under the same seed",
        "plays the same games whatever the size of the batch",
        "plays the same games in whatever order they are dealt",
        "plays the same games beside a copy of itself",
        "gives an insight that fits its next shot",
        "plays the same games in the engine",
    ]


class Repeating(Sound):
    """Back to the first cell at the sixth move."""

    def shoot(self, view):
        return np.where(view.shots == 5, 0, view.shots)


class Leaving(Sound):
    """Off the board at the fourth move."""

    def shoot(self, view):
        return np.where(view.shots == 3, self.rules.cells, view.shots)


class Wordless(Sound):
    """Forgets to return its cells."""

    def shoot(self, view):
        self._cells = view.shots


class Fractional(Sound):
    """Floats in place of cells."""

    def shoot(self, view):
        return view.shots / 1


class Short(Sound):
    """One cell, whatever the number of lanes."""

    def shoot(self, view):
        return view.shots[:0]


class Raising(Sound):
    """Fails after a while, in one of the games."""

    def deal(self, lanes, games):
        self._games = dict(zip(lanes.tolist(), games.tolist(), strict=True))

    def shoot(self, view):
        for lane, game in self._games.items():
            if game == 2 and view.shots[lane] == 4:
                {}["the treasure"]
        return view.shots.copy()


class Marking(Sound):
    """Writes its next move into the view."""

    def shoot(self, view):
        cells = view.shots.copy()
        view.shots += 1
        return cells


class Replacing(Sound):
    """Puts an array of its own into the view."""

    def shoot(self, view):
        view.outcome = view.outcome.copy()
        return view.shots.copy()


class Unseeded(Sound):
    """An order by chance that belongs to no game."""

    def begin(self, rules, lanes, seed):
        super().begin(rules, lanes, seed)
        self._order = np.array(random.sample(range(rules.cells), rules.cells))

    def shoot(self, view):
        return self._order[view.shots]


class ByLane(Sound):
    """Begins where its lane says."""

    def shoot(self, view):
        return (view.shots + np.arange(view.lanes)) % self.rules.cells


class Remembering(Sound):
    """Begins where its lane stopped in the game before."""

    def begin(self, rules, lanes, seed):
        super().begin(rules, lanes, seed)
        self._start = np.zeros(lanes, np.int64)
        self._last = np.zeros(lanes, np.int64)

    def deal(self, lanes, games):
        self._start[lanes] = self._last[lanes]

    def shoot(self, view):
        self._last = (view.shots + self._start) % self.rules.cells
        return self._last


class Together(Sound):
    """Keeps on the class what belongs to the object: how many lanes there are."""

    shared = 0

    def begin(self, rules, lanes, seed):
        super().begin(rules, lanes, seed)
        Together.shared = lanes

    def shoot(self, view):
        stranger = Together.shared != view.lanes
        return self.rules.cells - 1 - view.shots if stranger else view.shots.copy()


class Boasting(Sound):
    """Announces another shot than it fires."""

    def shoot(self, view):
        self._shots = view.shots
        return view.shots.copy()

    def insight(self, lane):
        return Insight(waiting=[int(self._shots[lane]) + 1])


class Forgetful(Boasting):
    """Calls cells open that it has shot."""

    def insight(self, lane):
        return Insight(closed=np.zeros(self.rules.cells, np.bool_))


class Closing(Boasting):
    """Shoots at what it calls closed."""

    def insight(self, lane):
        return Insight(closed=np.ones(self.rules.cells, np.bool_))


class Ordered(FixedOrder):
    """Every cell in turn, as the two broken ones below do but for their fault."""

    name = "ordered"
    source = "the tests"

    def orders(self, games):
        return np.arange(self.rules.cells, dtype=np.uint16).reshape(1, -1)


class Incomplete(Ordered):
    """Orders with a cell twice."""

    def orders(self, games):
        order = np.arange(self.rules.cells, dtype=np.uint16)
        order[-1] = 0
        return order.reshape(1, -1)


class Moody(Ordered):
    """Orders that depend on who else is asked."""

    def orders(self, games):
        order = np.arange(self.rules.cells, dtype=np.uint16)
        return np.tile(order, (len(games), 1)) if len(games) > 1 else order[::-1].reshape(1, -1)


class Gambling(Sound):
    """Says that it uses no randomness, and begins at a cell that depends on the game's number."""

    deterministic = True

    def begin(self, rules, lanes, seed):
        super().begin(rules, lanes, seed)
        self._games = np.zeros(lanes, np.int64)

    def deal(self, lanes, games):
        self._games[lanes] = games

    def shoot(self, view):
        return (view.shots + self._games // 1000) % self.rules.cells


class Recalling(Sound):
    """Says that games with the same history share shots, and counts how often it was asked."""

    shares = True

    def begin(self, rules, lanes, seed):
        super().begin(rules, lanes, seed)
        self._asked = np.zeros(lanes, np.int64)

    def deal(self, lanes, games):
        self._asked[lanes] = 0

    def shoot(self, view):
        self._asked += view.asked
        always = self._asked == view.shots + 1
        return np.where(always, view.shots, self.rules.cells - 1 - view.shots)


class Stubborn(Sound):
    """Reads which ship was hit, and does not say that it needs to be told."""

    def shoot(self, view):
        if view.rules.feedback < Feedback.SHIP:
            return np.full(view.lanes, -1)
        return view.shots.copy()


@dataclass
class Hollow(Sound):
    """Forgets its parameter when it is copied."""

    width: int = parameter(1, "nothing", least=0)

    def copy(self):
        return type(self)()


FIRES = "fires at cells of the board, never twice at one, until the fleet is sunk"
INSIGHT = "gives an insight that fits its next shot"
# Broken strategy, the property that it lacks, and what the message says of it.
BROKEN = [
    (
        Repeating,
        FIRES,
        "game 0, move 6: its shot A1 (cell 0) is refused, since it was shot",
    ),
    (Repeating, FIRES, ", at move 1"),
    (Leaving, FIRES, "game 0, move 4: its shot cell 100 is refused, since the board is 10x10"),
    (Wordless, FIRES, "move 1: shoot returned None: it must return one int64 for each lane"),
    (Fractional, FIRES, "shape (1,) and type float64: it must return one int64"),
    (Short, FIRES, "shape (0,) and type int64: it must return one int64 for each lane, shape (1,)"),
    (Raising, FIRES, "game 2, move 5: shoot raised KeyError: 'the treasure'\n  "),
    (Raising, FIRES, """test_check.py, line {line}, in shoot: {{}}["the treasure"]"""),
    (Stubborn, FIRES, "classic+hit, feedback hit, seed 0, game 0, move 1: its shot cell -1"),
    (Stubborn, FIRES, "to the end: if it must know which ship each hit is on,"),
    (Stubborn, FIRES, "its class must say needs = Feedback.SHIP"),
    (Marking, "leaves the view as it is", "game 0, move 1: shoot writes to view.shots, which"),
    (Replacing, "leaves the view as it is", "shoot writes to view.outcome"),
    (Unseeded, "plays the same game under the same seed", "game 0, move 1: it shoots "),
    (ByLane, "plays the same games whatever the size of the batch", "game 1, move 1: it shoots A1"),
    (
        Remembering,
        "plays the same games whatever the size of the batch",
        "game 1, move 1: it shoots",
    ),
    (
        Together,
        "plays the same games beside a copy of itself",
        "game 0, move 1: it shoots J10 (cell 99) while a copy of it plays",
    ),
    (Boasting, INSIGHT, "and insight has A2 (cell 1) as the next cell"),
    (Forgetful, INSIGHT, "move 2: insight calls A1 (cell 0) open"),
    (Closing, INSIGHT, "move 1: it shoots A1 (cell 0), which insight"),
    (Incomplete, FIRES, "game 0, move 1: its order does not hold each of the 100 cells once"),
    (
        Moody,
        "plays the same games whatever the size of the batch",
        "game 0, move 1: it shoots J10 (cell 99) in a batch of one game, and A1 (cell 0) when",
    ),
    (Gambling, "uses no randomness, as declared", "game 0, move 1: it shoots A2 (cell 1) u"),
    (
        Recalling,
        "uses no randomness, as declared",
        "so it remembers more than the view shows, though it declares shares = True",
    ),
]


@pytest.mark.parametrize(
    ("broken", "what", "words"), BROKEN, ids=[f"{case[0].__name__}-{case[2]}" for case in BROKEN]
)
def test_each_broken_property_is_caught(broken, what, words):
    line = Raising.shoot.__code__.co_firstlineno + 3
    # Only on other feedback than that of classic can the stubborn one be refused.
    report = check_strategy(broken(), None if broken is Stubborn else "classic", games=12)
    assert not report.passed
    messages = {finding.what: finding.message for finding in report.failures}
    assert what in messages, str(report)
    assert words.format(line=line) in messages[what], str(report)


def test_the_board_is_drawn_as_the_strategy_sees_it():
    report = check_strategy(Repeating(), "harbour", games=3)
    message = report.failures[0].message
    assert message.splitlines()[0] == (
        "harbour, feedback hit, seed 0, game 0, move 6: its shot A1 (cell 0) is refused, since it "
        "was shot before, at move 1"
    )
    *board, command = message.splitlines()[1:]
    assert command == (
        "see it with: bsbench replay --strategy sound --scenario harbour --seed 0 --game 0"
    )
    assert board[0].split() == [str(col) for col in range(1, 11)]
    assert len(board) == 11
    assert set(board[1].split()[1:6]) <= {"○", "✕"}
    assert board[1].split()[6:] == ["·"] * 5
    assert board[10].split() == ["J", *["·"] * 10]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"name": "My Strategy"}, "its name is 'My Strategy': give it one of small letters"),
        ({"source": " "}, "it has no source"),
        ({"__doc__": ""}, "it has no docstring"),
        ({"needs": "sunk"}, "needs is 'sunk': give a Feedback"),
        ({"home": "nowhere"}, "its home can't be found: unknown scenario 'nowhere'"),
        (
            {"home": "harbour", "needs": Feedback.SHIP},
            "harbour gives only feedback hit, and it",
        ),
    ],
)
def test_what_a_strategy_says_of_itself_is_checked(changes, words):
    broken = type("Broken", (Sound,), {"__doc__": "Cells in turn.", **changes})
    assert words in check_strategy(broken(), "classic", games=4).failures[0].message


def test_a_strategy_whose_copy_has_other_parameters_is_caught():
    assert "its copy is 'sound', and it is 'sound width=3' itself" in str(
        check_strategy(Hollow(width=3), "classic", games=4)
    )


def test_what_can_not_be_checked_is_not_called_sound():
    report = check_strategy(Wordless(), "classic", games=4)
    assert [finding.passed for finding in report.findings[1:]] == [False] + [None] * 7
    assert str(report).count("–") == 7


def test_what_differs_from_play_to_play_is_not_compared_further():
    report = check_strategy(Unseeded(), "classic", games=4)
    assert [finding.passed for finding in report.findings[3:]] == [False] + [None] * 5
    assert "must come from the streams of bsbench.kernels" in report.failures[0].message


def test_bad_requests_are_refused():
    with pytest.raises(BsbenchError, match="feedback ship, and scenario harbour gives only hit"):
        check_strategy("over9000", "harbour")
    with pytest.raises(BsbenchError, match="ask for at least 1"):
        check_strategy("linear", games=0)


def test_the_command_tells_what_fails_with_exit_code_1(monkeypatch):
    good = CliRunner().invoke(main, ["check", "linear", "--games", "8"])
    assert good.exit_code == 0
    assert "linear keeps to the contract: " in good.stdout
    assert "✓ plays the same games in the engine" in good.stdout

    twice = np.array([0, 1, 2, 3, 4, 0, *range(6, 100)], np.uint16).reshape(1, -1)
    monkeypatch.setattr(find_strategy("linear"), "orders", lambda self, games: twice)
    bad = CliRunner().invoke(main, ["check", "linear", "--scenario", "classic"])
    assert bad.exit_code == 1
    assert f"✗ {FIRES}\n    classic, feedback ship, seed 0, game 0, move 6: its shot" in bad.stdout
    assert "\n    A  " in bad.stdout
    assert "\nlinear fails 1 of " in bad.stdout
    assert CliRunner().invoke(main, ["check", "linear", "-q"]).stdout == ""

    wrong = CliRunner().invoke(main, ["check", "linaer"])
    assert wrong.exit_code == 2
    assert "did you mean 'linear'" in wrong.stderr


def _own(folder, text: str) -> str:
    """Write the class Mine into a file; return how it is named."""
    (folder / "mine.py").write_text(text)
    return "mine.py:Mine"


PLAIN = """
import random
import time

import numpy as np


class Mine:
    '''A test.'''

    kind = "{kind}"
    deterministic = {deterministic}

    def reset(self, rules, rng):
        self.rng = rng
        self.shots = 0

    def shoot(self, view):
        {line}
"""
IN_NUMPY = "np.where(view.shot, -1, {numbers}).reshape(view.games, -1).argmax(axis=1)"
SEEDED = IN_NUMPY.format(numbers="view.random()")
UNSEEDED = IN_NUMPY.format(numbers="np.random.default_rng().random(view.shot.shape)")
# Kind, whether it says that it is deterministic, its last line, the property it lacks, and why.
OWN = [
    ("python", False, "return None", FIRES, "game 0, move 1: shoot returned nothing (None)"),
    ("python", False, "return 3", FIRES, "game 0, move 2: shot at cell 3 (A4) refused: it was"),
    ("python", False, "return view.shots[-1]", FIRES, "move 1: IndexError: tuple index out of"),
    ("python", False, "return view.shots[-1]", FIRES, "mine.py, line 19, in shoot: return view."),
    ("python", False, "view.last = 5", FIRES, "the view can only be read: 'last' can't be set"),
    ("python", False, "view.rules.rows = 5", FIRES, "cannot assign to field 'rows'"),
    ("python", False, "while True: pass", FIRES, "game 0, move 1: the game took more than 0.5 s"),
    ("python", False, "while True: pass", FIRES, "mine.py, line 19, in shoot: while True: pass"),
    (
        "python",
        False,
        "return random.choice(view.open_cells)",
        "plays the same game under the same seed",
        "in the same batch again",
    ),
    (
        "python",
        False,
        "return random.choice(view.open_cells)",
        "plays the same game under the same seed",
        "is it random? All randomness must come from rng, which reset(rules, rng) is given",
    ),
    (
        "python",
        True,
        "return self.rng.choice(view.open_cells)",
        "uses no randomness, as declared",
        "though it declares deterministic = True",
    ),
    (
        "python",
        True,
        "self.shots += 1; return view.open_cells[-1 if self.shots > 9 else 0]",
        "uses no randomness, as declared",
        "so it remembers more than the view shows",
    ),
    ("numpy", False, "return 5", FIRES, "shoot returned an object of type int: it must return an"),
    ("numpy", False, "return view.last + 0.5", FIRES, "an array of type float64: it must return"),
    ("numpy", False, "return view.last[:0]", FIRES, "an array of shape (0,): it must return"),
    ("python", False, "return view.shot", FIRES, "the view has no 'shot': did you mean 'shots'?"),
    (
        "numpy",
        False,
        "self.shots += view.fresh; return (view.shots + self.shots) % view.rules.cells",
        "plays the same games in whatever order they are dealt",
        "does it remember the game before? Forget that where view.fresh is true",
    ),
    ("numpy", False, "view.shot[:] = True", FIRES, "ValueError: assignment destination is read-"),
    (
        "numpy",
        False,
        f"return {UNSEEDED}",
        "plays the same game under the same seed",
        "All randomness must come from view.random()",
    ),
    (
        "numpy",
        False,
        f"return {SEEDED} if view.games < 3 else view.shots.copy()",
        "plays the same games whatever the size of the batch",
        "in a batch of one game",
    ),
]


@pytest.mark.parametrize(
    ("kind", "deterministic", "line", "what", "words"),
    OWN,
    ids=[f"{case[0]}-{case[-1]}" for case in OWN],
)
def test_faults_of_strategies_of_users_are_caught(
    in_folder, kind, deterministic, line, what, words
):
    spec = _own(in_folder, PLAIN.format(kind=kind, deterministic=deterministic, line=line))
    report = check_strategy(make_variant(spec), "classic", games=12, timeout=0.5)
    messages = {finding.what: finding.message for finding in report.failures}
    assert what in messages, str(report)
    assert words in messages[what], str(report)


@pytest.mark.parametrize(
    ("kind", "line", "words"),
    [
        (
            "python",
            "view.outcome and rules.fleet[view.ship]; return view.open_cells[0]",
            [
                "NoneType (it read view.ship, which feedback hit does not reveal: a class that "
                "depends on it says needs = 'ship')",
                "under feedback ship, it plays these games to the end",
                "needs = 'ship'",
            ],
        ),
        (
            "python",
            "len(view.hits) < 20 or view.sunk[-1]; return view.open_cells[0]",
            ["(it read view.sunk, which", "says needs = 'sunk')", "must say needs = 'sunk'"],
        ),
        (
            "python",
            "\n        while len(view.hits) == 20 and not view.sunk: pass"
            "\n        return view.open_cells[0]",
            ["allow more time (it read view.sunk, which", "must say needs = 'sunk'"],
        ),
        (
            "numpy",
            "return -1 if (view.hit.sum((1, 2)) * view.afloat.all(1)).max() == 20 else view.shots",
            ["an object of type int", "what sank, its class must say needs = 'sunk'"],
        ),
        (
            "python",
            "return 3 if len(view.hits) == 20 else view.open_cells[0]",
            ["refused: it was shot before"],
        ),
    ],
)
def test_a_strategy_that_is_told_too_little_hears_so(in_folder, kind, line, words):
    code = PLAIN.format(kind=kind, deterministic=False, line=line)
    spec = _own(in_folder, code.replace("rules.fleet", "view.rules.fleet"))
    report = check_strategy(make_variant(spec), "harbour", games=4, timeout=0.5)
    message = report.failures[0].message
    for text in words:
        assert text in message, str(report)
    assert ("needs" in message) == ("needs" in words[-1]), str(report)


NOT_COMPILED = """
import bsbench
from bsbench.kernels import kernel

@kernel
def choose(shots):
    return shots + {what}

class Mine(bsbench.Strategy):
    "A kernel that numba refuses."
    name, source = "mine", "the tests"

    def shoot(self, view):
        return choose(view.shots[0])
"""


@pytest.mark.parametrize(
    ("what", "problem", "line"),
    [
        ("'1'", "found for signature: >>> add(int64, ", "mine.py, line 7: return shots + '1'"),
        ("one", "TypingError: NameError: name 'one' is not defined", "mine.py, line 14, in shoot"),
    ],
)
def test_a_kernel_that_is_not_compiled_is_told_by_its_line(in_folder, what, problem, line):
    spec = _own(in_folder, NOT_COMPILED.format(what=what))
    first, second, *_ = (
        check_strategy(make_variant(spec), "gym-5x5", games=1).failures[0].message.split("\n")
    )
    assert problem in first
    assert second.strip().startswith(line)


def test_what_games_share_by_their_class_is_named(in_folder):
    line = "self.queue.append(len(self.queue)); return self.queue[-1]"
    code = PLAIN.format(kind="python", deterministic=False, line=line)
    spec = _own(in_folder, code.replace("    kind", "    queue = []\n    never = []\n    kind"))
    message = check_strategy(make_variant(spec), "classic", games=4).failures[0].message
    assert "its class has one list 'queue' for all games, which they change: let each" in message
    assert "never" not in message


@pytest.mark.parametrize(
    ("kind", "deterministic", "line"),
    [
        ("python", False, "return self.rng.choice(view.open_cells)"),
        ("python", True, "return view.open_cells[0]"),
        ("numpy", False, f"return {SEEDED}"),
    ],
)
def test_sound_strategies_of_users_pass(in_folder, kind, deterministic, line):
    spec = _own(in_folder, PLAIN.format(kind=kind, deterministic=deterministic, line=line))
    report = check_strategy(make_variant(spec), games=8)
    assert report.passed, str(report)


def test_what_a_strategy_prints_is_told_once(in_folder, capsys):
    line = "print('aha', view.last); return view.open_cells[0]"
    spec = _own(in_folder, PLAIN.format(kind="python", deterministic=False, line=line))
    with pytest.warns(BsbenchWarning, match=r"'mine' printed .* lines, .*the first: 'aha None'"):
        assert check_strategy(make_variant(spec), "gym-5x5", games=4).passed
    assert capsys.readouterr().out == ""
