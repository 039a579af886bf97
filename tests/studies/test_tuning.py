"""Tunings: a known best point is found, no game has two purposes, and the last figure is honest."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from bsbench.cli import main
from bsbench.common.errors import StrategyError
from bsbench.common.settings import read_variant
from bsbench.play.samplers import make_sampler
from bsbench.roster import make_strategy
from bsbench.rules.scenario import find_scenario
from bsbench.runs.runfile import read_run_file
from bsbench.stats import Difference, PairedSums
from bsbench.studies.tune import study as module
from bsbench.studies.tune.searching import FINALISTS, Budget, CandidateScore, search
from bsbench.studies.tune.sheet import tuning_columns, tuning_notes
from bsbench.studies.tune.spaces import read_space
from bsbench.studies.tune.study import seed_for, tune
from tests.support import ROOT
from tests.support.refusals import assert_sentence, names, refused

pytestmark = pytest.mark.ci
PAGE = (ROOT / "docs" / "winners-curse.md").read_text(encoding="utf-8")

AIMER = '''
from dataclasses import dataclass

import numpy as np

from bsbench.common.errors import BsbenchError
from bsbench.strategies.base import FixedOrder, parameter


@dataclass
class Aimer(FixedOrder):
    """Cells by their distance to a number.

    Source: the tests, where the best values are known.
    """

    name = "aimer"
    source = "tests"

    aim: float = parameter(3.0, "the number", least=0, most=29)
    share: int = parameter(10, "of 10 games, in which it aims at all", least=0, most=10)
    backwards: bool = parameter(False, "whether the last cell is first")
    order: str = parameter("near", "by distance, or by number", choices=("rows", "near", "far"))

    def __post_init__(self):
        super().__post_init__()
        if self.backwards and self.order == "far":
            raise BsbenchError("that is near")

    def orders(self, games):
        cells = np.arange(self.rules.cells)
        distance = np.abs(cells - self.aim)
        keys = {"near": distance, "far": -distance, "rows": cells}[self.order]
        order = np.argsort(keys, kind="stable")[:: -1 if self.backwards else 1]
        aims = (games % 10 < self.share)[:, None]
        return np.where(aims, order, cells).astype(np.uint16)
'''

# Ships of 2 cells whose first cell is 18 to 22, most often 20: the best aim is 20.5.
LAYOUTS = "3 0 2 E\n3 1 2 E\n3 2 2 E\n3 2 2 E\n3 2 2 E\n3 3 2 E\n3 4 2 E\n"


@pytest.fixture
def aimer(tmp_path, monkeypatch):
    """Add the strategy ``aimer``; yield the scenario on which its best values are known."""
    from bsbench import strategies

    folder = tmp_path / "strategies"
    folder.mkdir()
    (folder / "aimer.py").write_text(AIMER)
    (tmp_path / "layouts.txt").write_text(LAYOUTS)
    monkeypatch.setattr(strategies, "__path__", [*strategies.__path__, str(folder)])
    placement = f"file:{tmp_path / 'layouts.txt'}"
    yield find_scenario("classic").override(board="5x6", fleet="2", placement=placement)
    sys.modules.pop("bsbench.strategies.aimer", None)
    vars(strategies).pop("aimer", None)


def _found(tuning) -> list:
    """Return all that must not depend on threads or an interruption."""
    record = tuning.to_dict()
    counts = [result.counts.tolist() for result in tuning.results]
    return [*(record[key] for key in ("trials", "best", "final", "games", "seeds")), counts]


def test_the_best_values_are_found_whatever_their_types(aimer):
    vary = ["aim=0:29", "share=0:10", "backwards=false,true", "order=rows,near,far"]
    tuning = tune("aimer", vary, aimer, games=400_000, seed=2)
    best = tuning.best.parameters
    assert 20 <= best["aim"] <= 21
    assert (best["share"], best["backwards"], best["order"]) == (10, False, "near")
    assert tuning.difference.significant
    assert tuning.difference.mean < -10
    assert make_strategy(*read_variant(tuning.variant)).parameters == best
    # The better one first, by how much, and in how many games.
    assert tuning.text.startswith(f"{tuning.best.label} ")
    for name in ("aimer", f"{-tuning.difference.mean:.3f}", f"{tuning.results[0].games:,}"):
        assert names(tuning.text, name), tuning.text
    # All that was allowed is played, and no more.
    assert 399_990 <= tuning.games <= 400_000


def test_all_points_of_a_small_space_play_one_race(aimer):
    tuning = tune("aimer,aim=20", ["aim=0,10,20.5,29"], aimer, games=20_000)
    labels = {trial.label for trial in tuning.trials if trial.stage == "race 1"}
    assert labels == {f"aimer aim={aim}" for aim in ("0.0", "10.0", "20.5", "29.0")}
    assert tuning.budget.races == 1
    assert tuning.best.label == "aimer aim=20.5"
    # The start is no candidate: all are compared with it.
    tuning = tune("aimer,aim=20.5", ["aim=0,10,20.5,29"], aimer, games=20_000)
    assert "aimer aim=20.5" not in {trial.label for trial in tuning.trials}
    assert tuning.best is tuning.start
    assert names(tuning.text, "aimer aim=20.5")
    assert tuning.to_dict()["final"]["difference"] == {"mean": 0.0, "half_width": 0.0}


def test_parameters_without_effect_are_told(in_folder):
    # Where the ship of each hit is reported, and ships may touch, it multiplies nothing.
    tuning = tune(
        "lattice2", ["hit_weight=1:9"], "gym-5x5", touching=True, feedback="ship", games=9000
    )
    assert_sentence(tuning.text, "gym-5x5+touching+ship", "lattice2")
    # No number: it is the start itself.
    assert not re.search(r"\d", tuning_columns(tuning)["to the start"][-1])


def test_the_same_seed_gives_the_same_on_any_number_of_threads():
    vary = ["hit_weight=1:20"]
    first, again, other = (
        tune("datagenetics", vary, games=60_000, seed=seed, threads=threads)
        for seed, threads in ((1, 1), (1, 3), (2, 2))
    )
    assert _found(first) == _found(again)
    assert _found(first) != _found(other)


def test_no_game_has_two_purposes(monkeypatch):
    ranges: list[tuple[int, int, int]] = []
    panel = module.Panel

    def noted(runs, **more):
        made = panel(runs, **more)
        (seed,) = {run.seed for run in runs}
        (first,) = {run.tally.first_game for run in runs}
        ranges.append((seed, first, made))
        return made

    monkeypatch.setattr(module, "Panel", noted)
    tuning = tune("datagenetics", ["hit_weight=1:40"], games=30_000, seed=7)
    seeds = [seed_for(purpose, 7) for purpose in ("training", "validation", "final")]
    assert len({*seeds, 7}) == 4
    assert list(tuning.to_dict()["seeds"].values()) == seeds
    assert list(dict.fromkeys(seed for seed, _, _ in ranges)) == seeds
    rules, placement = tuning.scenario.rules, tuning.scenario.placement
    sampler, digests = make_sampler(rules, placement), {seed: [] for seed in seeds}
    for seed, first, made in ranges:
        drawn = sampler.draw(seed, first, made.games)
        digests[seed] += [row.tobytes() for row in np.sort(drawn, axis=1)]
    # No layout of 30 billion is drawn twice: neither by two purposes, nor by two races.
    every = [each for part in digests.values() for each in part]
    assert len(every) > 5_000
    assert len(set(every)) == len(every)
    assert all(digests.values())
    assert seed_for("final", 7) != seed_for("final", 8)


def test_each_race_keeps_the_winner_of_the_one_before_and_halves_the_rest():
    tuning = tune("datagenetics", ["hit_weight=1:200"], games=60_000)
    frame = tuning.to_frame()
    first, third, ninth = (rung * tuning.budget.first_rung for rung in (1, 3, 9))
    winner = "datagenetics"
    for race in range(1, tuning.budget.races + 1):
        part = frame[frame["stage"] == f"race {race}"]
        ninths, thirds = len(part) // 9 or 1, len(part) // 3
        more = [third] * (thirds - ninths) + [first] * (len(part) - thirds)
        assert list(part["games"]) == [ninth] * ninths + more
        for games in (ninth, third, first):
            assert part[part["games"] == games]["difference"].is_monotonic_increasing
        assert part["label"].is_unique
        if winner != "datagenetics":
            assert winner in set(part["label"])
        winner = part["label"].iloc[0] if part["difference"].iloc[0] < 0 else "datagenetics"
    finalists = frame[frame["stage"] == "validation"]
    assert 1 <= len(finalists) <= FINALISTS
    assert set(finalists["games"]) == {tuning.budget.validation}
    assert frame["stage"].iloc[-1] == "final"
    assert frame["spent"].iloc[-1] == tuning.games


class _Null:
    """Games in which no parameter matters: differences are noise, around 0."""

    def __init__(self, seed: int) -> None:
        self._draws = np.random.default_rng(seed)
        self.calls: list[str] = []

    def __call__(self, stage, strategies, first, games):
        self.calls.append(stage)
        nothing = np.zeros(games, np.int64)
        moves = np.minimum(self._draws.geometric(0.2, (len(strategies), games)), 64)
        moves[0] = 5
        # Skewed, and of mean 0.
        return [
            CandidateScore(int(row.sum()), PairedSums.empty(59).and_then(row, nothing + 5))
            for row in moves
        ]


def _null_tuning(seed: int):
    """Return the differences of a tuning where nothing matters, in validation and at last."""
    space = read_space(["hit_weight=1:1000"], make_strategy("datagenetics"))
    budget = replace(Budget.of(30_000, space), races=1, candidates=9, first_rung=20, validation=48)
    play = _Null(seed)
    found = search(space, budget, seed, play)
    if found.best is space.start:
        return None
    chosen = next(trial for trial in found.trials if trial.stage == "validation")
    assert chosen.label == found.best.label
    last = play("final", [space.start, found.best], 0, 400)[1]
    return Difference(chosen.difference, chosen.half_width), last.difference


@pytest.mark.slow  # a thousand tunings, whose parts have quick tests
def test_the_last_interval_holds_zero_where_nothing_matters(pytestconfig):
    whole = pytestconfig.option.all_cases
    tunings = range(11_000 if whole else 1_500)
    runs = [run for seed in tunings if (run := _null_tuning(seed)) is not None]
    validation, final = (
        np.mean([abs(each.mean) <= each.half_width for each in part])
        for part in zip(*runs, strict=True)
    )
    print(f"covered: {final:.4f}, in validation {validation:.4f}")
    # Of some 1,000 tunings, 4 standard errors: they find one of 90 % in 99 of 100 such tests.
    reach = 0.01 if whole else 4 * np.sqrt(0.95 * 0.05 / len(runs))
    assert abs(final - 0.95) <= reach
    # The best of four is better by luck there: that is what final games are for.
    assert validation < final - 0.02
    assert np.mean([each.mean for each, _ in runs]) < -0.2
    # Moves of 400 games have a variance of 20.
    assert abs(np.mean([each.mean for _, each in runs])) < 4 * np.sqrt(20 / 400 / len(runs))
    if not whole:
        return
    assert len(runs) >= 8_000
    shown = f"{len(runs):,}", f"{100 * final:.1f} %", f"{100 * validation:.1f} %"
    assert re.search(".*".join(map(re.escape, shown)), " ".join(PAGE.split())), shown


OWN = """
from dataclasses import dataclass

@dataclass
class Mine:
    first: int = 0
    bad: bool = False

    def shoot(self, view):
        if self.bad:
            raise ValueError("that is bad")
        return min(view.open_cells, key=lambda cell: abs(int(cell) - self.first))
"""


def test_strategies_of_users_are_tuned_and_those_with_a_fault_left_out(aimer, in_folder):
    Path("mine.py").write_text(OWN)
    tuning = tune("mine.py:Mine", ["first=0,20", "bad=false,true"], aimer, games=2_000, threads=1)
    assert tuning.best.label == "mine first=20"
    faulty = [trial.label for trial in tuning.trials if not trial.games]
    assert faulty == ["mine bad=true", "mine first=20 bad=true"]
    frame = tuning.to_frame()
    assert list(frame[frame["games"] == 0]["label"]) == faulty
    assert any(names(note, "2 candidates") for note in tuning_notes(tuning))
    assert tomllib.loads(tuning.run_file())["strategy"] == "mine.py:Mine,first=20"
    with pytest.raises(StrategyError, match="that is bad"):  # what the class raises
        tune("mine.py:Mine,bad=yes", ["first=0,20"], aimer, games=2_000, threads=1)


REFUSED = [
    ([], ["'vary'", "'over9000'"]),
    (["zzz=1:2"], ["'over9000'", "'zzz'"]),
    (["nois=0:1"], ["'nois'", "'noise'"]),
    (["=0:1"], ["'=0:1'"]),
    (["noise=0,,1"], ["'noise=0,,1'"]),
    (["noise=0:1", "noise=2"], ["'noise'"]),
    (["noise=1:0"], ["'1:0'", "'noise'"]),
    (["noise=0:nan"], ["'0:nan'", "'noise'"]),
    (["noise=0:1:0"], ["'0:1:0'", "'noise'"]),
    (["noise=0:1:1e-9"], ["'noise'", "1,000,000,001", "10,001"]),
    (["noise=-1:1"], ["'noise'", "'over9000'", "-1.0"]),
    (["noise=0.5"], ["'vary'"]),
]


@pytest.mark.parametrize(("vary", "named"), REFUSED)
def test_what_can_not_vary_is_refused_in_one_sentence(vary, named):
    with refused(*named):
        tune("over9000", vary)


def test_final_games_on_the_layouts_of_the_races_are_refused():
    # Under any seed, game i has layout i: the final games would be those that chose the best.
    each = find_scenario("classic").override(board="5x5", fleet="3,2", placement="each")
    with refused("random layouts"):
        tune("datagenetics", ["hit_weight=1:20"], each, games=20_000)


def test_as_many_games_as_the_sentence_says_are_enough():
    space = read_space(["noise=0:1"], make_strategy("over9000"))
    with refused("100 games") as caught:
        Budget.of(100, space)
    least = max(int(each.replace(",", "")) for each in re.findall(r"[\d,]*\d", str(caught.value)))
    assert Budget.of(least, space).first_rung == 16
    with refused(f"{least - 2:,} games", f"{least:,}"):
        Budget.of(least - 2, space)


def test_learners_play_whole_careers():
    start = "over9000-adaptive,games_per_learner=20"
    twenty = find_scenario("classic").override(placement="file:configs/layouts/twenty.txt")
    tuning = tune(start, ["growth=0,0.1,0.5"], twenty, games=20_000)
    assert {trial.games % 20 for trial in tuning.trials} == {0}
    assert tuning.difference.significant
    with refused("games_per_learner", "learner"):
        tune(start, ["games_per_learner=17,19,23,29"], games=60_000)


@pytest.mark.parametrize(
    ("name", "text", "values"),
    [
        ("noise", "0:0.3:0.1", (0.0, 0.1, 0.2, 0.3)),
        ("noise", "0.3,0.1:0.2:0.05,0.1", (0.1, 0.15, 0.2, 0.3)),
        ("edge_weight", "1:1.1", tuple(round(1 + k / 10_000, 4) for k in range(1_001))),
        ("edge_weight", "1:3", tuple(round(1 + k / 100, 2) for k in range(201))),
    ],
)
def test_values_of_an_axis(name, text, values):
    (axis,) = read_space([f"{name}={text}"], make_strategy("over9000")).axes
    assert axis.values == values
    assert axis.nearest(values[2] + 1e-7) == 2


# --- the command ----------------------------------------------------------------------------------


def _run(*words: str):
    return CliRunner(env={"COLUMNS": "200"}).invoke(main, ["tune", *words], prog_name="bsbench")


QUICK = ["datagenetics", "--vary", "hit_weight=1:12", "-n", "20000"]


def test_the_run_file_has_the_rules_and_the_other_settings(in_folder):
    scenario = find_scenario("harbour").override(touching=True, fleet="4,3", feedback="ship")
    start = "over9000,noise=0,no_touch=full"
    tuning = tune(start, ["edge_weight=1,1.5"], scenario, games=3_000)
    Path("a.toml").write_text(tuning.run_file())
    file = read_run_file("a.toml")
    (played,) = file.request.scenarios_or(None)
    assert (played.rules, played.placement) == (scenario.rules, scenario.placement)
    (variant,) = file.strategies
    assert make_strategy(*read_variant(variant)).label == tuning.best.label
    assert "no_touch=full" in variant
