"""Learners of users: classes and bots that play games in a row, and may learn from them."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import bsbench
from bsbench.cli import main
from bsbench.own import program
from bsbench.own.loading import adapt
from bsbench.play.game import layout_of
from bsbench.play.samplers import make_sampler
from bsbench.roster import find_strategy
from bsbench.runs.request import check_learners
from bsbench.studies.check.study import check_strategy
from tests.support.refusals import refused

CLASS = """
import dataclasses

import bsbench


@dataclasses.dataclass
class Recalls:
    '''Shoots first where ships were in the game before, in ascending order.'''

    games_per_learner: int = bsbench.parameter(5, "games in a row")

    def __post_init__(self):
        self._ships, self._games = (), 0

    def reset(self, rules, rng):
        self._games += 1
        assert self._games <= self.games_per_learner

    def over(self, view):
        assert len(view.hits) == view.rules.ship_cells
        assert view.last == view.hits[-1]
        self._ships = tuple(sorted(view.hits))

    def shoot(self, view):
        return next(cell for cell in (*self._ships, *view.open_cells) if view.is_open(cell))
"""

BOT = """
import sys

MANY = len(sys.argv) > 1
seen, games = {}, {}
for line in sys.stdin:
    words = line.split()
    place = words.pop(0) if words[0].isdigit() else "0"
    match words:
        case ["bsbench", *_]:
            print("name recalls\\noption games_per_learner int 5 1 1000")
            print("games 3\\nready" if MANY else "ready")
        case ["rules", rows, cols, *_]:
            cells = int(rows) * int(cols)
            print("ready")
        case ["forget"]:
            seen[place] = []
        case ["game"]:
            order = list(dict.fromkeys([*seen.get(place, []), *range(cells)]))
            games[place] = [order, [], -1]
        case ["shoot", *places]:
            for each in places or ["0"]:
                games[each][2] = games[each][0].pop(0)
            print(*(games[each][2] for each in places or ["0"]))
        case ["hit" | "sunk", cell, *_]:
            games[place][1].append(int(cell))
        case ["over", _]:
            seen[place] = sorted([*games[place][1], games[place][2]])
    sys.stdout.flush()
"""


@pytest.fixture(params=["class", pytest.param("bot", marks=pytest.mark.ci), "bot of many games"])
def recalls(request, in_folder):
    """Write one learner in three ways; it shoots where ships lay in the game before."""
    if request.param == "class":
        Path("recalls.py").write_text(CLASS)
        yield "recalls.py:Recalls"
        return
    Path("recalls.py").write_text(BOT)
    yield f"cmd:{sys.executable} -S recalls.py{' many' if 'many' in request.param else ''}"
    for bots in program._found.values():
        bots.close()
    program._found.clear()


def expected(place: str, seed: int, games: int, in_a_row: int) -> list[int]:
    """Return the move counts of the learner, from the layouts."""
    counts, before = [], []
    scenario = bsbench.find_scenario(place)
    rules, sampler = scenario.rules, make_sampler(scenario.rules, scenario.placement)
    for game in range(games):
        layout = layout_of(rules, sampler, seed, game)
        ships = sorted(cell for ship in layout for cell in ship)
        first = [] if game % in_a_row == 0 else before
        order = list(dict.fromkeys([*first, *range(rules.cells)]))
        counts.append(max(order.index(cell) for cell in ships) + 1)
        before = ships
    return counts


def test_series_are_independent_and_in_order(recalls):
    """Move counts follow from the layouts, whatever the number of threads or the range."""
    place, seed = "gym-6x9", 3
    truth = expected(place, seed, 60, 5)
    for threads in (1, 2):
        result = bsbench.run(recalls, place, games=60, seed=seed, threads=threads)
        assert result.moves.tolist() == truth
        assert result.games_per_learner == 5
    # The interval is that of twelve means, not of sixty numbers.
    means = result.moves.astype(float).reshape(12, 5).mean(axis=1)
    assert result.stats.half_width == pytest.approx(1.96 * means.std(ddof=1) / 12**0.5, rel=1e-4)
    part = bsbench.run(recalls, place, games=20, seed=seed, first_game=35)
    assert part.moves.tolist() == truth[35:55]
    assert len(bsbench.replay(recalls, place, seed=seed, game=13).moves) == truth[13]
    for games in (3, 1):
        spec = f"{recalls},games_per_learner={games}"
        other = bsbench.run(spec, place, games=60, seed=seed)
        assert other.moves.tolist() == expected(place, seed, 60, games) != truth
    assert other.learning is None
    with refused("5"):
        bsbench.run(recalls, place, games=10, first_game=3)


def test_check_knows_learners(recalls):
    report = check_strategy(f"{recalls},games_per_learner=3", "gym-5x5", 6)
    assert report.passed, str(report)


@pytest.mark.slow
def test_the_template_gains_a_move_where_ships_prefer_the_border(in_folder):
    """docs/add-a-strategy.md says so."""
    assert CliRunner().invoke(main, ["new", "learner.py", "--kind", "learner"]).exit_code == 0
    template = "learner.py:Learner"
    compared = bsbench.compare([template, f"{template},growth=0"], placement="edge", games=5_000)
    gain = compared.differences[1]
    assert gain.mean - gain.half_width > 0
    assert abs(gain.mean - 1) < 0.5


def people(folder: Path) -> str:
    """Write the layouts of four people: each uses one for three games, and then another one."""
    lines = []
    for who in range(4):
        lines.append(f"[p{who}]")
        lines += [f"{who} 0 3 E  5 {nth // 3} 2 E" for nth in range(6)]
    (folder / "people.txt").write_text("\n".join(lines))
    return "file:people.txt:6"


def test_a_learner_meets_one_person_at_a_time(recalls, in_folder):
    """It knows the long ship from the game before, and games of a person are one unit."""
    place = bsbench.Scenario(board="6x6", fleet=[3, 2], touching=True, placement=people(in_folder))
    learner, alone = (
        bsbench.run(f"{recalls},games_per_learner={games}", place, games=60, seed=3)
        for games in (3, 1)
    )
    assert (learner.games_per_learner, alone.games_per_learner) == (6, 6)
    firsts = np.arange(60) % 3 == 0
    assert learner.moves[firsts].tolist() == alone.moves[firsts].tolist()
    assert set(learner.moves[~firsts].tolist()) == {5}
    means = alone.moves.astype(float).reshape(10, 6).mean(axis=1)
    assert alone.stats.half_width == pytest.approx(1.96 * means.std(ddof=1) / 10**0.5, rel=1e-4)
    with refused("6", "multiple"):
        bsbench.run("linear", place, games=6, first_game=3)


def test_records_of_people_are_read_merged_and_verified(in_folder):
    place = bsbench.Scenario(board="6x6", fleet=[3, 2], touching=True, placement=people(in_folder))
    parts = [bsbench.run("linear", place, games=30, first_game=first) for first in (0, 30)]
    whole = bsbench.run("linear", place, games=60, threads=2)
    joined = parts[0] + parts[1]
    assert joined.moves.tolist() == whole.moves.tolist()
    assert joined.stats.half_width == whole.stats.half_width
    whole.save("whole.json")
    assert bsbench.load("whole.json") == whole
    ended = CliRunner().invoke(main, ["verify", "whole.json"])
    assert ended.exit_code == 0, ended.output
    assert not whole.alarms


def test_impossible_numbers_of_games_are_refused(in_folder):
    Path("recalls.py").write_text(CLASS)
    for number in ("0", "1000001", "half"):
        with refused("games_per_learner"):
            bsbench.run(f"recalls.py,games_per_learner={number}", "gym-5x5", games=6)


def test_learners_and_people_that_hardly_ever_begin_together_are_refused(in_folder):
    """A block of so many games would not fit into memory."""
    place = bsbench.find_scenario("gym-5x5").override(placement="file:none.txt:999999")
    strategy = find_strategy("over9000-adaptive")(games_per_learner=1_000_000)
    with refused("1,000,000", "999,999"):
        check_learners(strategy, place, 0, 0)


FIELD = "games_per_learner: int = bsbench.parameter(5, 'in a row')"


@pytest.mark.parametrize(
    ("head", "field", "method"),
    [
        ("class Own:", "games_per_learner = 5", "shoot(self, view)"),
        ("class Own:", "games_per_learner: int = 5", "shoot(self, view)"),
        # Only what is asked game by game can learn.
        ("@dataclass\nclass Own(bsbench.BatchStrategy):", FIELD, "shoot(self, view)"),
        ("@dataclass\nclass Own:", FIELD, "select_action(self, observation)"),
    ],
)
def test_a_learner_is_a_dataclass(head, field, method):
    """Else it would silently be none."""
    space = {"bsbench": bsbench, "dataclass": dataclasses.dataclass}
    exec(f"{head}\n    {field}\n    def {method}:\n        return 0", space)
    with refused("Own", "games_per_learner"):
        adapt(space["Own"])
