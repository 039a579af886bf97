"""The conformance test: built-in strategies pass it, and each kind of broken one is caught."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

import numpy as np
import pytest
from click.testing import CliRunner

from bsbench.cli import main
from bsbench.roster import as_strategy, find_strategy, make_variant, strategy_names
from bsbench.strategies import Insight, Strategy
from bsbench.strategies.base import FixedOrder, parameter
from bsbench.studies.check.study import check_strategy
from tests.support.helpers import quick_strategy
from tests.support.refusals import names


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


# The one place that holds what the check says of each property.
FIRES = "fires at cells of the board, never twice at one, until the fleet is sunk"
SEED = "plays the same game under the same seed"
BATCH = "plays the same games whatever the size of the batch"
ORDER = "plays the same games in whatever order they are dealt"
BESIDE = "plays the same games beside a copy of itself"
INSIGHT = "gives an insight that fits its next shot"
ENGINE = "plays the same games in the engine"
RANDOM = "uses no randomness, as declared"


class Repeating(Sound):
    """Back to the first cell at the sixth move."""

    def shoot(self, view):
        return np.where(view.shots == 5, 0, view.shots)


class Wordless(Sound):
    """Forgets to return its cells."""

    def shoot(self, view):
        self._cells = view.shots


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


@dataclass
class Hollow(Sound):
    """Forgets its parameter when it is copied."""

    width: int = parameter(1, "nothing", least=0)

    def copy(self):
        return type(self)()


# Broken strategy, the property that it lacks, and what the message names.
BROKEN = [
    (Repeating, FIRES, ["classic", "game 0 of seed 0, after 5 shots", "cell 0 (A1)"]),
    (Wordless, FIRES, ["after 0 shots", "None", "int64"]),
    (
        Raising,
        FIRES,
        [
            "game 2 of seed 0, after 4 shots",
            "KeyError: 'the treasure'",
            f'line {Raising.shoot.__code__.co_firstlineno + 3}, in shoot: {{}}["the treasure"]',
        ],
    ),
    (Marking, FIRES, ["game 0", "after 0 shots", "view.shots"]),
    (Replacing, FIRES, ["view.outcome"]),
    (Unseeded, SEED, ["game 0", "bsbench.kernels"]),
    (ByLane, BATCH, ["game 1", "after 0 shots", "A1"]),
    (Remembering, BATCH, ["game 1", "after 0 shots"]),
    (Together, BESIDE, ["class", "copies"]),
    (Boasting, INSIGHT, ["A2 (cell 1)"]),
    (Forgetful, INSIGHT, ["after 1 shot", "A1 (cell 0)"]),
    (Closing, INSIGHT, ["after 0 shots", "A1 (cell 0)"]),
    (Incomplete, FIRES, ["game 0", "after 0 shots", "100"]),
    (Gambling, RANDOM, ["game 0", "after 0 shots", "A2 (cell 1)"]),
    (Recalling, RANDOM, ["shares = True"]),
]


def _assert_caught(report, what: str, named: list[str]) -> None:
    """Fail unless the check finds that a property is missing, in a message that names words."""
    assert not report.passed
    messages = {finding.what: finding.message for finding in report.failures}
    assert what in messages, str(report)
    for name in named:
        assert names(messages[what], name), (name, str(report))


@pytest.mark.parametrize(("broken", "what", "named"), BROKEN, ids=[c[0].__name__ for c in BROKEN])
def test_each_broken_property_is_caught(broken, what, named):
    report = check_strategy(broken(), "classic", games=12)
    _assert_caught(report, what, named)
    # The game can be seen again.
    assert "see it with: bsbench replay --strategy" in report.failures[0].message


def test_a_strategy_whose_copy_has_other_parameters_is_caught():
    report = check_strategy(Hollow(width=3), "classic", games=4)
    assert any(names(each.message, "'sound width=3'") for each in report.failures), str(report)


def test_what_can_not_be_checked_is_not_called_sound():
    report = check_strategy(Wordless(), "classic", games=4)
    assert [finding.passed for finding in report.findings[1:]] == [False] + [None] * 6
    assert str(report).count("–") == 6

    report = check_strategy(Unseeded(), "classic", games=4)
    assert [finding.passed for finding in report.findings[2:]] == [False] + [None] * 5


def test_the_command_tells_what_fails_with_exit_code_1(monkeypatch):
    good = CliRunner().invoke(main, ["check", "linear", "--games", "8"])
    assert good.exit_code == 0
    assert "✗" not in good.stdout
    assert f"✓ {ENGINE}" in good.stdout

    twice = np.array([0, 1, 2, 3, 4, 0, *range(6, 100)], np.uint16).reshape(1, -1)
    monkeypatch.setattr(find_strategy("linear"), "orders", lambda self, games: twice)
    bad = CliRunner().invoke(main, ["check", "linear", "--scenario", "classic"])
    assert bad.exit_code == 1
    assert re.search(rf"✗ {FIRES}\n    classic.* game 0 of seed 0, after 5 shots: ", bad.stdout)
    assert bad.stdout.count("✗") == 1
    quiet = CliRunner().invoke(main, ["check", "linear", "--scenario", "classic", "-q"])
    assert (quiet.exit_code, quiet.stdout) == (1, "")


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
# Kind, whether it says that it is deterministic, its last line, the property it lacks, and what
# the message names. Those of `tests/support/bad_strategies` are others.
OWN = [
    ("python", False, "view.last = 5", FIRES, ["'last'"]),
    ("python", False, "return view.shot", FIRES, ["'shot'", "'shots'"]),
    ("python", True, "return self.rng.choice(view.open_cells)", RANDOM, ["deterministic = True"]),
    (
        "python",
        True,
        "self.shots += 1; return view.open_cells[-1 if self.shots > 9 else 0]",
        RANDOM,
        ["view"],
    ),
    ("numpy", False, "return 5", FIRES, ["int"]),
    ("numpy", False, f"return {UNSEEDED}", SEED, ["view.random()"]),
    (
        "numpy",
        False,
        "self.shots += view.fresh; return (view.shots + self.shots) % view.rules.cells",
        ORDER,
        ["view.fresh"],
    ),
    (
        "numpy",
        False,
        f"return {SEEDED} if view.games < 3 else view.shots.copy()",
        BATCH,
        ["game 0"],
    ),
]


@pytest.mark.parametrize(
    ("kind", "deterministic", "line", "what", "named"),
    OWN,
    ids=[f"{case[0]}-{case[2][:40]}" for case in OWN],
)
def test_faults_of_strategies_of_users_are_caught(kind, deterministic, line, what, named):
    text = PLAIN.format(kind=kind, deterministic=deterministic, line=line)
    names: dict[str, type] = {}
    exec(compile(text, "mine.py", "exec"), names)
    report = check_strategy(as_strategy(names["Mine"]), "classic", games=12, timeout=0.5)
    _assert_caught(report, what, named)


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
        ("'1'", "add(int64, ", "mine.py, line 7: return shots + '1'"),
        ("one", "name 'one' is not defined", "mine.py, line 14, in shoot"),
    ],
)
def test_a_kernel_that_is_not_compiled_is_told_by_its_line(in_folder, what, problem, line):
    spec = _own(in_folder, NOT_COMPILED.format(what=what))
    first, second, *_ = (
        check_strategy(make_variant(spec), "gym-5x5", games=1).failures[0].message.split("\n")
    )
    assert problem in first
    assert second.strip().startswith(line)
