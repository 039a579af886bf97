"""The worst case: proven where all layouts are played, and found again by the search."""

from __future__ import annotations

import json
import re
import shlex

import numpy as np
import pytest
from click.testing import CliRunner

from bsbench.cli import main
from bsbench.layouts.file import read_layouts
from bsbench.reproduce.plan import find_plan
from bsbench.roster import make_variant
from bsbench.rules.board import TOUCHING, Feedback, Rules
from bsbench.rules.layout import layout_codes, layout_text
from bsbench.rules.placement import Placement
from bsbench.rules.scenario import Scenario, find_scenario
from bsbench.runs.identity import layouts_hash
from bsbench.studies.worst import study as searching
from bsbench.studies.worst.study import Worst, worst
from tests import pages
from tests.pages.worst_case import exploited
from tests.support import naive
from tests.support.helpers import move_counts
from tests.support.refusals import assert_refused

pytestmark = pytest.mark.ci
SMALL = Scenario(name="small", rules=Rules(4, 4, (3, 2), touching=True, feedback=Feedback.SHIP))
APART = Scenario(name="apart", rules=Rules(5, 4, (2, 3), touching=False, feedback=Feedback.SUNK))
POND = Scenario(name="pond", rules=Rules(6, 6, (3, 2, 2), touching=False, feedback=Feedback.SHIP))


def _moves_by_twin(name: str, scenario: Scenario, **parameters) -> list[int]:
    """Return the moves of a strategy on every layout."""
    rules, twin = scenario.rules, naive.twin(name)
    return [
        len(naive.play(twin, rules, layout, 0, 0, **parameters))
        for layout in naive.all_layouts(rules)
    ]


def _facts(found: Worst) -> tuple:
    return found.codes, found.moves, found.half_width, found.games, found.climbs, found.again


@pytest.fixture
def searched(monkeypatch):
    """Makes all layouts too many to be played."""
    monkeypatch.setattr(searching, "_all_layouts", lambda rules, most: None)


def test_the_worst_of_salvos_is_counted_in_turns():
    single, turns = (worst("linear", SMALL.override(shots=shots)) for shots in (1, 3))
    assert (single.moves, turns.moves) == (16, 6)
    words = ["worst", "linear", "--board", "4x4", "--fleet", "3,2", "--shots", "3"]
    shown = CliRunner().invoke(main, words)
    assert "linear needs 6 turns on this layout" in shown.output


@pytest.mark.parametrize(
    ("name", "scenario"), [("lattice", SMALL), ("datagenetics", SMALL), ("prob", APART)]
)
def test_the_worst_of_all_layouts_is_that_of_the_twin(name, scenario):
    found = worst(name, scenario, threads=1)
    moves = _moves_by_twin(name, scenario)
    assert found.proven
    assert found.half_width is None
    assert (found.moves, found.layouts) == (max(moves), moves.count(max(moves)))
    layout = naive.decode(scenario.rules, found.codes)
    assert naive.is_legal(scenario.rules, layout)
    assert len(naive.play(naive.twin(name), scenario.rules, layout, 0, 0)) == found.moves


@pytest.mark.parametrize(
    ("name", "scenario"), [("lattice", SMALL), ("prob", APART), ("over9000,noise=0", SMALL)]
)
@pytest.mark.usefixtures("searched")
def test_the_search_finds_the_worst_layout_of_all(name, scenario):
    found = worst(name, scenario, games=20_000, seed=1)
    name, _, noise = name.partition(",")
    moves = _moves_by_twin(name, scenario, **({"noise": 0.0} if noise else {}))
    assert found.moves == max(moves)
    assert not found.proven
    assert found.layouts is None
    assert 1 <= found.again <= found.climbs


@pytest.mark.usefixtures("searched")
def test_the_result_does_not_depend_on_threads():
    one, two, other = (
        worst("over9000", POND, games=30_000, seed=seed, threads=threads)
        for seed, threads in ((3, 1), (3, 2), (4, 1))
    )
    assert _facts(one) == _facts(two) != _facts(other)


def test_climbs_do_not_depend_on_how_many_climb_at_the_same_time(monkeypatch, searched):
    ends = []
    for at_once in (1, 5):
        monkeypatch.setattr(searching, "_CLIMBS", at_once)
        seen: dict[int, tuple] = {}
        begin = searching._Search._begin

        def note(search, begin=begin, seen=seen):
            climb = begin(search)
            seen[search._begun - 1] = climb
            return climb

        with monkeypatch.context() as patched:
            patched.setattr(searching._Search, "_begin", note)
            worst("lattice", POND, games=100_000)
        ends.append([(seen[n].layout.tolist(), seen[n].moves) for n in range(5)])
    assert ends[0] == ends[1]


@pytest.mark.usefixtures("searched")
def test_the_worst_mean_of_a_strategy_with_chance():
    found = worst("over9000,noise=0.3", SMALL, games=100_000, seed=2)
    rules, strategy = SMALL.rules, make_variant("over9000,noise=0.3")
    layouts = [naive.encode(rules, layout) for layout in naive.all_layouts(rules)]
    games = 1_000
    moves = move_counts(rules, strategy, np.repeat(layouts, games, axis=0), seed=99)
    moves = moves.reshape(len(layouts), games)
    means, errors = moves.mean(axis=1), moves.std(axis=1) / np.sqrt(games)
    assert not found.proven
    assert found.half_width is not None
    here = layouts.index(list(found.codes))
    bound = 4 * np.hypot(errors, found.half_width / 1.96)
    assert abs(found.moves - means[here]) <= bound[here]
    # No other layout is worse for certain.
    assert (means - found.moves <= bound).all()


def test_a_search_of_some_time_ends():
    found = worst("prob", APART, seconds=0.3)
    assert not found.proven
    assert found.climbs > 0
    assert found.moves == max(_moves_by_twin("prob", APART))


def test_races_keep_the_best_and_the_layout_itself():
    sums = np.array([0.0, 5, 9, 7, 9, 1, 2, 3])
    left = np.array([0, 1, 2, 3, 4, 5, 7])
    assert searching._best_quarter(sums, left).tolist() == [0, 2, 4]


@pytest.mark.parametrize("touching", TOUCHING)
def test_neighbours_are_the_legal_layouts_with_one_ship_or_two_elsewhere(touching):
    rules = Rules(4, 5, (3, 2, 2), touching)
    near, layouts = searching._Neighbours(rules), list(naive.all_layouts(rules))
    layout = layouts[len(layouts) // 2]
    here = near.numbers(naive.encode(rules, layout))
    wanted: dict[int, set] = {1: set(), 2: set()}
    for other in layouts:
        moved = sum(one != two for one, two in zip(layout, other, strict=True))
        if moved in wanted:
            wanted[moved].add(tuple(naive.encode(rules, other)))
    singles = near.codes(near.singles(here)).tolist()
    assert len(singles) == len(wanted[1])
    assert {*map(tuple, singles)} == wanted[1]
    draws = searching._Draws(0, 0)
    pairs = {tuple(codes) for _ in range(20) for codes in near.codes(near.pairs(here, draws))}
    assert pairs == wanted[2]


def test_numbers_drawn_are_those_of_every_version_of_numpy():
    assert searching._Draws(7, 3).below(1_000, 5).tolist() == [670, 161, 542, 633, 639]


def test_no_game_is_longer_than_the_board():
    found = worst("linear", "classic", threads=1)
    assert found.proven
    assert found.moves == 100


def test_one_that_learns_plays_its_first_game():
    found = worst("over9000-adaptive", SMALL, threads=1)
    assert found.strategy.parameters["games_per_learner"] == 1
    moves = [
        len(naive.play_learner(SMALL.rules, [layout], 0, 0)[0])
        for layout in naive.all_layouts(SMALL.rules)
    ]
    assert found.moves == max(moves)


def _run(*arguments: str):
    return CliRunner(env={"COLUMNS": "200"}).invoke(main, arguments, prog_name="bsbench")


RULES = ["--board", "4x4", "--fleet", "3,2", "--threads", "1"]


def test_the_command_shows_saves_and_exports(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = _run("worst", "lattice", *RULES, "-o", "w.txt", "--export-json", "w.json")
    assert done.exit_code == 0, done.output
    found = worst("lattice", find_scenario("classic").override(board="4x4", fleet="3,2"))
    text = done.stdout
    assert re.search(rf"^lattice .*\b{found.moves:.0f} moves", text, re.MULTILINE)
    assert re.search("^proven: ", text, re.MULTILINE)
    assert text.count("■") == 5
    assert text.splitlines()[-1].split()[-1] == "w.txt"
    rules = found.scenario.rules
    assert read_layouts("w.txt", rules).tolist() == [list(found.codes)]
    (entry,) = json.loads((tmp_path / "w.json").read_text())["worst"]
    assert entry["layout"] == layout_text(found.codes, rules)
    assert (entry["moves"], entry["proven"]) == (found.moves, True)
    (replay,) = re.findall(r"^bsbench (replay .*)$", text, flags=re.MULTILINE)
    shown = _run(*shlex.split(replay))
    assert shown.exit_code == 0, shown.output
    assert re.search(rf"^ *{found.moves:.0f} ", shown.stdout, flags=re.MULTILINE)
    assert not re.search(rf"^ *{found.moves + 1:.0f} ", shown.stdout, flags=re.MULTILINE)
    assert_refused(_run("worst", "lattice", *RULES, "-o", "w.txt"), "w.txt", "--force")


def test_the_command_searches_where_layouts_are_many():
    done = _run("worst", "lattice", "-n", "2e4", "--export-csv", "-")
    assert done.exit_code == 0, done.output
    assert "not proven: " in done.stderr
    header, row = done.stdout.splitlines()
    assert dict(zip(header.split(","), row.split(","), strict=True))["proven"] == "False"


# --- docs/worst-case.md ---------------------------------------------------------------------------

TEXT = pages.read_page("worst-case")


def test_the_table_is_that_of_the_records():
    assert TEXT.count("<!-- table ") == TEXT.count("<!-- end -->") == 1
    assert (pages.ROOT / "results" / "exploitability" / "means.png").stat().st_size > 10_000


def test_all_strategies_are_in_the_table():
    found = exploited()
    played = {name for part in find_plan("classic").parts for name in part.strategies}
    # It plays 11,400 games a second: a search would take hours.
    played -= {"lattice-net"}
    assert {known["uniform"].strategy for known in found.values()} >= played
    (command,) = re.findall(r"^for s in (.*?); do$", TEXT, flags=re.MULTILINE | re.DOTALL)
    variants = [make_variant(word) for word in command.replace("\\\n", " ").split()]
    assert {variant.label for variant in variants} == set(found)
    for label, known in found.items():
        record = known["worst"]
        law = known["file"].scenario.placement
        rules = known["file"].scenario.rules
        ((entry,), (line,)) = record["worst"], read_layouts(str(pages.ROOT / law.option), rules)
        assert entry["layout"] == layout_text(line, rules)
        assert known["file"].layouts_sha256 == layouts_hash(
            Placement("file", str(pages.ROOT / law.option))
        )
        assert make_variant(str(known["avoid"].scenario.placement.option)[:-2]).label == label
        # The search and the games that were played afterwards agree.
        if not known["file"].learning:
            width = 2 * np.hypot(entry["half_width"] or 0, known["file"].stats.half_width)
            assert abs(entry["moves"] - known["file"].stats.mean) <= width + 1e-9


@pytest.mark.parametrize("name", ["lattice", "datagenetics", "prob", "smart", "over9000-pairs"])
def test_twins_need_as_many_moves_on_the_layouts_found(name):
    known = exploited()[name]
    (entry,), rules = known["worst"]["worst"], known["file"].scenario.rules
    layout = naive.decode(rules, layout_codes(entry["layout"], rules))
    assert len(naive.play(naive.twin(name), rules, layout, 0, 0)) == entry["moves"]


def _means(label: str) -> tuple[float, float, float]:
    known = exploited()[label]
    return tuple(known[law].stats.mean for law in ("uniform", "avoid", "file"))


def test_what_the_text_says():
    best = [*exploited()][:5]
    assert "over9000" not in best
    uniform, avoided, worst_found = np.transpose([_means(label) for label in best])
    assert (round(min(worst_found - uniform)), round(max(worst_found - uniform))) == (27, 31)
    assert (round(min(avoided - uniform)), round(max(avoided - uniform))) == (4, 6)
    assert _means("lattice")[2] == _means("lattice2")[2] == min(worst_found) == 71
    assert [f"{mean:.1f}" for mean in _means("over9000")[1:]] == ["46.9", "67.8"]
    assert [f"{mean:.1f}" for mean in _means("over9000 noise=0.0")[1:]] == ["47.9", "75.0"]
    assert f"{_means('over9000 noise=0.1')[2]:.1f}" == "62.7"
    plain, noisy, louder = (
        _means(label)[0] for label in ("over9000 noise=0.0", "over9000", "over9000 noise=0.1")
    )
    assert 0.2 < noisy - plain < 0.3
    assert 0.6 < louder - noisy < 0.8
    assert f"{_means('over9000-adaptive')[2]:.2f}" == "17.62"
    assert exploited()["over9000-adaptive"]["worst"]["worst"][0]["moves"] == 75
    assert abs(_means("random")[2] - _means("random")[0]) < 0.1
    unlearned = [label for label, known in exploited().items() if not known["uniform"].learning]
    least = [min(unlearned, key=lambda label: _means(label)[law]) for law in (1, 2)]
    assert least == ["over9000", "hunt-line"]
    for name in ("smart", "linear"):
        assert exploited()[name]["worst"]["worst"][0]["proven"]
