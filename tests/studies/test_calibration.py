"""Calibration: what strategies say of cells, against what these hold."""

from __future__ import annotations

import io
import json
import math
import re
import shlex

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from bsbench import run
from bsbench.cli import main
from bsbench.common.errors import StrategyError
from bsbench.counting.evidence import Answer, Evidence
from bsbench.counting.posterior import find_posterior
from bsbench.kernels.forecasts import UNIT
from bsbench.play import lockstep
from bsbench.play.session import Session
from bsbench.present import charts
from bsbench.present import terminal as table
from bsbench.present.terminal import console_for, print_sheet
from bsbench.roster import find_strategy, make_variant
from bsbench.rules.board import MISS, Feedback, Rules
from bsbench.rules.scenario import Scenario, scenario_from_dict
from bsbench.runs.records import load_result
from bsbench.stats import share_interval
from bsbench.stats.forecasts import Forecasts
from bsbench.strategies import Strategy
from bsbench.strategies.base import Insight
from bsbench.studies.calibration import study as calibration
from bsbench.studies.calibration.sheet import calibration_sheet
from bsbench.studies.calibration.study import calibrate
from tests import pages
from tests.docs.test_guide import assert_shown
from tests.pages import calibration as page
from tests.support import naive
from tests.support.helpers import draw_layouts
from tests.support.naive.density import RecordByShip, factor
from tests.support.naive.play import answer
from tests.support.refusals import assert_refused, assert_sentence, refused

POND = Scenario(name="pond", rules=Rules(5, 5, (3, 2, 2), touching=True, feedback=Feedback.SHIP))
APART = Scenario(name="apart", rules=Rules(5, 6, (3, 2), touching=False, feedback=Feedback.SHIP))


# The sums, in plain Python


def _chance(factors, cell: int) -> float:
    water = math.prod(total - counts[cell] for total, counts in factors)
    return 1 - water / math.prod(total for total, _ in factors)


def _factors_of_bob(rules, shots, ships):
    misses = {cell for cell in shots if not any(cell in ship for ship in ships)}
    return [
        factor(
            rules,
            [slot for slot in naive.slots(rules.rows, rules.cols, n) if misses.isdisjoint(slot)],
        )
        for n in rules.fleet
    ]


def _said(name: str, rules, ships, shots: list[int]):
    """Yield, before each shot, what is said of each cell."""
    record = RecordByShip(rules, "sunk")
    for number, cell in enumerate(shots):
        if name == "bob":
            factors = _factors_of_bob(rules, shots[:number], ships)
        else:
            factors = record.pair_factors() if name == "over9000-pairs" else record.factors()
        yield [_chance(factors, c) for c in range(rules.cells)]
        record.note(cell, answer(rules, ships, shots[: number + 1]))


def _naive_sums(name: str, scenario: Scenario, games: int, seed: int):
    """Return the sums of shots and of all open cells, as nested lists of whole numbers."""
    rules = scenario.rules
    sums = np.zeros((2, calibration.GROUPS, 100, 7), object)

    def add(sums, said, holds):
        q = round(said * UNIT)
        row = sums[min(q // 10_000, 99)]
        of_outcome = said if holds else 1 - said
        bits = round(-math.log2(of_outcome) * UNIT) if of_outcome else 0
        row += [1, int(holds), q, q * q, q * holds, bits, int(of_outcome == 0)]

    for game, codes in enumerate(draw_layouts(rules, games, seed)):
        ships = naive.decode(rules, codes)
        held = {cell for ship in ships for cell in ship}
        shots = naive.play(naive.twin(name), rules, ships, seed, game)
        for number, said in enumerate(_said(name, rules, ships, shots)):
            for cell in set(range(rules.cells)) - set(shots[:number]):
                add(sums[1, game % calibration.GROUPS], said[cell], cell in held)
                if cell == shots[number]:
                    add(sums[0, game % calibration.GROUPS], said[cell], cell in held)
    return sums


@pytest.mark.parametrize("scenario", [POND, APART], ids=lambda scenario: scenario.name)
@pytest.mark.parametrize("name", ["bob", "over9000", "over9000-pairs"])
def test_sums_are_those_of_the_plain_twin(name, scenario):
    games = 230
    (found,) = calibrate([name], scenario, games=games, seed=4, threads=1).calibrations
    expected = _naive_sums(name, scenario, games, 4)
    for forecasts, sums in zip((found.shots, found.cells), expected, strict=True):
        # Logarithms may be rounded the other way.
        assert (abs(forecasts.sums[..., 5] - sums[..., 5]) <= sums[..., 0]).all()
        for column in (0, 1, 2, 3, 4, 6):
            assert (forecasts.sums[..., column] == sums[..., column]).all()


def test_weights_noise_and_growth_leave_probabilities_as_they_are():
    rules, shots = POND.rules, [7, 3]
    (layout,) = draw_layouts(rules, 1)
    said = []
    for text in ("over9000", "over9000,edge_weight=1,noise=0", "over9000-adaptive,growth=3"):
        session = lockstep.Session(make_variant(text), rules, 1, 0)
        session.deal(np.array([0]), np.array([0]), layout[np.newaxis])
        for cell in shots:
            session.fire_instead(np.array([cell]))
        session.choose()
        said.append(session.chances(np.array([0]))[0])
    assert np.array_equal(said[0], said[1])
    assert np.array_equal(said[0], said[2])
    is_open = np.delete(np.arange(rules.cells), shots)
    assert (said[0][is_open] > 0).any()


def test_sums_depend_neither_on_threads_nor_on_lanes(monkeypatch):
    names = ["over9000", "over9000-adaptive,games_per_learner=7"]
    once = calibrate(names, POND, games=3000, seed=2, threads=1)
    monkeypatch.setattr(calibration, "lanes_and_block", lambda *_: (70, 700))
    again = calibrate(names, POND, games=3000, seed=2, threads=3)
    for one, other in zip(once.calibrations, again.calibrations, strict=True):
        for kind in ("shots", "cells"):
            assert (getattr(one, kind).sums == getattr(other, kind).sums).all()


# Probabilities that are known


class Enumerating(Strategy):
    """The likeliest cell, by enumeration of all layouts; told hit or miss."""

    name = "enumerating"
    power = 1.0

    def begin(self, rules, lanes, seed):
        super().begin(rules, lanes, seed)
        layouts = [set().union(*ships) for ships in naive.all_layouts(rules)]
        self.held = np.array([[c in cells for c in range(rules.cells)] for cells in layouts])
        self.left = np.ones((lanes, len(layouts)), bool)
        self.open = np.ones((lanes, rules.cells), bool)

    def deal(self, lanes, games):
        self.left[lanes] = self.open[lanes] = True

    def shoot(self, view):
        for lane in np.flatnonzero(view.cell >= 0):
            cell = view.cell[lane]
            self.left[lane] &= self.held[:, cell] == (view.outcome[lane] != MISS)
            self.open[lane, cell] = False
        layouts = np.maximum(self.left.sum(axis=1), 1)
        self.known = self.left @ self.held.astype(int) / layouts[:, np.newaxis]
        return np.argmax(np.where(self.open, self.known, -1), axis=1)

    def chances(self, lanes):
        return np.where(self.open[lanes], self.known[lanes] ** self.power, -1)


class Showing(Enumerating):
    """The same, by scores."""

    name = "showing"
    gives_chances = True
    chances = Strategy.chances

    def insight(self, lane):
        scores = np.where(self.open[lane] & (self.known[lane] > 0), self.known[lane], -1)
        return Insight(scores=scores)


class Bold(Enumerating):
    """The same, but too sure."""

    name = "bold"
    power = 0.8


SMALL = Scenario(name="small", rules=Rules(4, 4, (3, 2), touching=True, feedback=Feedback.HIT))


@pytest.fixture(scope="module")
def known():
    """Calibrations of one who knows the probabilities, and of one who exaggerates."""
    report = calibrate([Enumerating(), Bold()], SMALL, games=4000, seed=3, threads=1, exact=0)
    return report.calibrations


def test_exact_probabilities_are_calibrated(known):
    for forecasts in (known[0].shots, known[0].cells):
        # Of all open cells, they add up to the ship cells left: there, they are only rounded.
        assert abs(forecasts.bias.value) <= 4 * forecasts.bias.error + 1 / UNIT
        assert abs(forecasts.reliability.value) <= 4 * forecasts.reliability.error
        assert forecasts.reliability.value < 1e-3
        assert forecasts.resolution.value > 0.02
        assert forecasts.impossible == 0
        for each in forecasts.bins():
            error = math.sqrt(each.forecast * (1 - each.forecast) / each.forecasts)
            assert abs(each.share - each.forecast) <= 8 * error + 1e-9


def test_scores_that_are_probabilities_need_no_more():
    by_method, by_scores = calibrate([Enumerating(), Showing()], SMALL, games=70).calibrations
    for kind in ("shots", "cells"):
        assert (getattr(by_method, kind).sums == getattr(by_scores, kind).sums).all()


def test_wrong_probabilities_are_not_calibrated(known):
    for forecasts in (known[1].shots, known[1].cells):
        assert forecasts.bias.value > 8 * forecasts.bias.error
        assert forecasts.reliability.value > 8 * forecasts.reliability.error
        assert forecasts.brier.value > 0


def test_the_parts_of_the_brier_score_add_up(known):
    for forecasts in (known[0].shots, known[1].cells):
        parts = (
            forecasts.reliability.value
            - forecasts.resolution.value
            + forecasts.uncertainty.value
            + forecasts.within.value
        )
        assert parts == pytest.approx(forecasts.brier.value, abs=1e-12)


def test_errors_of_exact_probabilities_are_none(monkeypatch):
    monkeypatch.setattr(calibration, "FIRST_SHOTS", 2)
    monkeypatch.setattr(calibration, "STAGES", 5)
    report = calibrate([Enumerating(), Bold()], SMALL, games=10, exact=40)
    exact, bold = (each.exact for each in report.calibrations)
    assert exact.positions == 40
    for estimate in (exact.error, exact.excess, exact.loss):
        assert abs(estimate.value) < 1e-12
    assert bold.error.value > 0.01
    assert bold.excess.value > 0.01
    assert abs(bold.loss.value) < 1e-12


def test_games_with_exact_probabilities_need_not_fit_memory(monkeypatch):
    lanes = []

    class Noted(Session):
        def __init__(self, strategy, rules, number, seed):
            lanes.append(number)
            super().__init__(strategy, rules, number, seed)

    monkeypatch.setattr(calibration, "Session", Noted)
    monkeypatch.setattr(calibration, "_AT_ONCE", 25)
    (some,) = calibrate(["over9000"], POND, games=1, exact=60).calibrations
    monkeypatch.setattr(calibration, "_AT_ONCE", 100)
    (all_,) = calibrate(["over9000"], POND, games=1, exact=60).calibrations
    assert lanes == [25, 25, 10, 60]
    assert some.exact.positions == all_.exact.positions
    for name in ("error", "excess", "loss"):
        found, expected = getattr(some.exact, name), getattr(all_.exact, name)
        assert found.value == pytest.approx(expected.value)
        assert found.half_width == pytest.approx(expected.half_width)


def test_what_is_the_same_in_all_games_has_no_error():
    # Ships cover the board: "0.023643479957333291 ± 0.000000000000000020" is rounding alone.
    full = Scenario(
        name="full", rules=Rules(3, 3, (3, 3, 3), touching=True, feedback=Feedback.SHIP)
    )
    (found,) = calibrate(["over9000"], full, games=10).calibrations
    for name in ("forecast", "brier", "reliability", "within", "bits"):
        assert getattr(found.shots, name).half_width == 0


def test_posterior_gives_exact_probabilities(monkeypatch):
    monkeypatch.setattr(calibration, "FIRST_SHOTS", 1)
    monkeypatch.setattr(calibration, "STAGES", 8)
    (found,) = calibrate(["posterior"], POND, games=60, exact=60).calibrations
    assert found.exact.positions > 50
    assert (found.exact.error.value, found.exact.loss.value) == (0, 0)
    # They add up to the ship cells left.
    assert abs(found.cells.bias.value) < 1 / UNIT
    with refused("'posterior pattern=lattice'"):
        calibrate(["posterior,pattern=lattice"], POND, games=1)


def test_errors_are_those_of_positions_counted_one_by_one(monkeypatch):
    monkeypatch.setattr(calibration, "FIRST_SHOTS", 3)
    monkeypatch.setattr(calibration, "STAGES", 4)
    rules, figures = POND.rules, []
    for game, codes in enumerate(draw_layouts(rules, 30, 5)):
        ships = naive.decode(rules, codes)
        shots = naive.play(naive.twin("over9000-pairs"), rules, ships, 5, game)
        stop = 3 + game % 4
        if stop >= len(shots):
            continue
        answers = []
        for number in range(stop):
            told = answer(rules, ships, shots[: number + 1])
            ship = -1 if told.ship is None else told.ship
            slot = -1
            if told.sunk:
                first, second = sorted(told.cells)[:2]
                slot = 2 * first + (second - first == rules.cols)
            answers.append(Answer(shots[number], told.hit + told.sunk, ship, slot))
        exact = find_posterior(Evidence(rules, answers)).probabilities
        said = list(_said("over9000-pairs", rules, ships, shots))[stop]
        is_open = sorted(set(range(rules.cells)) - set(shots[:stop]))
        figures.append(
            (
                np.mean([abs(said[cell] - exact[cell]) for cell in is_open]),
                said[shots[stop]] - exact[shots[stop]],
                max(exact[cell] for cell in is_open) - exact[shots[stop]],
            )
        )
    report = calibrate(["over9000-pairs"], POND, games=10, seed=5, exact=30)
    (found,) = (each.exact for each in report.calibrations)
    assert found.positions == len(figures)
    means = np.mean(figures, axis=0)
    errors = np.std(figures, axis=0, ddof=1) / np.sqrt(len(figures))
    for estimate, mean, error in zip(
        (found.error, found.excess, found.loss), means, errors, strict=True
    ):
        assert (estimate.value, estimate.error) == pytest.approx((mean, error))


# The figures


def _forecasts(pairs, groups: int = 4, bins: int = 10) -> Forecasts:
    """Return sums of (group, forecast, outcome)."""
    sums = np.zeros((groups, bins, 7), object)
    for group, said, came in pairs:
        q = round(said * UNIT)
        of_outcome = said if came else 1 - said
        bits = round(-math.log2(of_outcome) * UNIT) if of_outcome else 0
        row = sums[group, min(q * bins // UNIT, bins - 1)]
        row += [1, came, q, q * q, q * came, bits, int(of_outcome == 0)]
    return Forecasts(sums, UNIT)


PAIRS = [(0, 0.25, 0), (0, 0.25, 1), (1, 0.75, 1), (1, 0.25, 0), (2, 0.75, 1), (2, 0.75, 0)]


def test_figures_by_hand():
    found = _forecasts(PAIRS)
    assert (found.forecasts, found.came, found.impossible) == (6, 3, 0)
    assert found.brier.value == pytest.approx((4 * 0.25**2 + 2 * 0.75**2) / 6)
    assert found.bits.value == pytest.approx(-(4 * math.log2(0.75) + 2 * math.log2(0.25)) / 6)
    assert (found.forecast.value, found.share.value) == pytest.approx((0.5, 0.5))
    assert found.bias.value == pytest.approx(0)
    low, high = found.bins()
    assert (low.forecasts, low.forecast, low.share) == (3, 0.25, pytest.approx(1 / 3))
    assert (high.forecasts, high.forecast, high.share) == (3, 0.75, pytest.approx(2 / 3))
    assert low.low == low.interval[0] < 1 / 3 < low.interval[1] == low.high
    (whole,) = found.bins(1)
    assert (whole.forecasts, whole.forecast, whole.share) == (6, 0.5, 0.5)
    # Squares over all groups, and without each of them: the third has the worst forecast.
    scores = [0.0625 + 0.5625, 0.125, 0.625]
    without = np.array([(sum(scores) - each) / 4 for each in scores])
    assert found.brier.error == pytest.approx(
        math.sqrt(2 / 3 * ((without - without.mean()) ** 2).sum())
    )


def test_means_are_plain_where_groups_differ_in_size():
    found = _forecasts([*PAIRS, (0, 0.75, 1), (0, 0.25, 1), (1, 0.25, 0)])
    assert found.share.value == pytest.approx(5 / 9, rel=1e-15)
    assert found.forecast.value == pytest.approx(4.25 / 9, rel=1e-15)
    assert found.bias.value == pytest.approx(4.25 / 9 - 5 / 9)
    assert found.uncertainty.value == pytest.approx(5 / 9 * 4 / 9)
    assert found.brier.value == pytest.approx(2.0625 / 9, rel=1e-15)


def test_one_group_has_no_errors_and_impossible_outcomes_infinite_bits():
    found = _forecasts([(0, 0.0, 1), (0, 0.5, 1)], groups=1)
    assert found.impossible == 1
    assert found.bits.value == math.inf
    assert math.isnan(found.brier.error)
    assert found.brier.value == pytest.approx(1.25 / 2)
    assert all(math.isnan(bound) for each in found.bins() for bound in each.interval)


def test_parts_of_the_brier_score_by_hand():
    # Of three forecasts of 1/4, one came, of three of 3/4, two; of one group, nothing is corrected.
    found = _forecasts([(0, said, came) for _, said, came in PAIRS], groups=1)
    assert found.reliability.value == pytest.approx((1 / 3 - 1 / 4) ** 2)
    assert found.resolution.value == pytest.approx((1 / 2 - 1 / 3) ** 2)
    assert found.uncertainty.value == pytest.approx(1 / 4)


def test_forecasts_that_come_together_are_worth_less():
    alike = [(group, 0.5, group) for group in (0, 1) for _ in range(4)]
    never = [(group, 0.1, 0) for group in (0, 1)]
    none, half = _forecasts(alike + never, groups=2).bins()
    assert (none.forecasts, none.share, none.interval) == (2, 0, share_interval(0, 2))
    # Two groups of four that all come or all don't are worth one forecast: 1/4 over a variance of
    # 2 / (2 - 1) * (2^2 + 2^2) / 8^2.
    assert half.interval == pytest.approx(share_interval(0.5, 1))
    # Of three such groups, the third as the second: 2/9 over 3 / 2 * (8/3^2 + 2 * 4/3^2) / 12^2.
    (most,) = _forecasts([*alike, *[(2, 0.5, 1)] * 4], groups=3).bins(1)
    assert most.interval == pytest.approx(share_interval(2 / 3, 2 / 9 * 12**2 / (3 / 2 * 96 / 9)))


def test_sums_add_up():
    whole = _forecasts(PAIRS)
    parts = _forecasts(PAIRS[:2]) + _forecasts(PAIRS[2:])
    assert (whole.sums == parts.sums).all()


# Requests, the command, the chart


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["lattice"], ["'lattice'", "bob", "over9000"]),
        ([], ["bob", "over9000"]),
        (["bob", "bob"], ["'bob'"]),
        (["over9000", "--scenario", "harbour"], ["'ship'"]),
        (["bob", "-n", "0"], ["0 games"]),
        (["bob", "--exact", "-1"], ["-1 games"]),
        (["bob", "-o", "a.gif"], ["a.gif", ".png", ".svg", ".pdf"]),
        (["bob", "--exact", "5", "--placement", "edge"], ["uniform"]),
        (["bob", "--placement", "each"], ["uniform"]),
        (["bob", "--timeout", "0"], ["0 seconds"]),
        (["bob", "-n", "3", "--board", "3x3", "--fleet", "2", "--exact", "5"], ["'bob'"]),
    ],
    ids=lambda part: " ".join(part),
)
def test_bad_input_gets_one_sentence(in_folder, arguments, named):
    done = CliRunner().invoke(main, ["calibration", *arguments], prog_name="bsbench")
    assert_refused(done, *named)
    assert not list(in_folder.iterdir())


class Unsure(Enumerating):
    """Says nothing."""

    name = "unsure"

    def chances(self, lanes):
        return np.full((len(lanes), self.rules.cells), np.nan)


class Absurd(Enumerating):
    """Says more than is possible."""

    name = "absurd"

    def chances(self, lanes):
        return 2 * self.known[lanes]


class Short(Enumerating):
    """Says too little."""

    name = "short"

    def chances(self, lanes):
        return self.known[lanes, 0]


OWN = """
class Halves:
    probabilities = True

    def shoot(self, view):
        self.scores = [0.5 if view.is_open(c) else -1 for c in range(view.rules.cells)]
        return view.open_cells[0]

class Sure(Halves):
    deterministic = True

    def shoot(self, view):
        cell = super().shoot(view)
        self.scores[cell] = 1.5
        return cell

class Silent(Halves):
    probabilities = False

class Slow(Halves):
    def shoot(self, view):
        import time
        time.sleep(60)
"""


def test_scores_of_users_are_probabilities_if_they_say_so(in_folder):
    (in_folder / "mine.py").write_text(OWN)
    (found,) = calibrate(["mine.py:Halves"], SMALL, games=30).calibrations
    (shots,) = found.shots.bins()
    (cells,) = found.cells.bins()
    assert (shots.forecast, cells.forecast) == (0.5, 0.5)
    # Cell by cell: before the m-th shot, 17 - m cells are open.
    moves = run("linear", SMALL, games=30).moves.astype(int)
    assert shots.forecasts == moves.sum()
    assert cells.forecasts == sum(16 * m - m * (m - 1) // 2 for m in moves)
    with pytest.raises(StrategyError) as error:
        calibrate(["mine.py:Sure"], SMALL, games=3)
    assert_sentence(error.value.problem, "1.5", "cell 0", "A1")
    with pytest.raises(StrategyError) as error:
        calibrate(["mine.py:Slow"], SMALL, games=3, timeout=0.1)
    assert_sentence(error.value.problem, "0.1 s")
    with refused("'silent'"):
        calibrate(["mine.py:Silent"], SMALL, games=3)


def test_what_is_no_probability_is_refused():
    with refused("unsure"):
        calibrate([Unsure()], SMALL, games=5)
    with pytest.raises(StrategyError) as error:
        calibrate([Absurd()], SMALL, games=5)
    assert re.search(r"1\.\d+ .*cell \d+ \([A-J]\d+\)", error.value.problem)
    with pytest.raises(StrategyError) as error:
        calibrate([Short()], SMALL, games=5, threads=1)
    assert_sentence(error.value.problem, "(5,)", "float64")


def test_the_command_prints_exports_and_draws(in_folder):
    words = ["calibration", "bob", "over9000", "-n", "400", "--exact", "12", "--threads", "1"]
    files = ["-o", "a.png", "--export-csv", "a.csv", "--export-json", "a.json"]
    done = CliRunner(env={"COLUMNS": "200"}).invoke(main, [*words, *files], prog_name="bsbench")
    assert done.exit_code == 0, done.output
    assert {"classic:", "10x10"} <= set(done.stdout.split())
    assert "a.png" in done.stdout.splitlines()[-1]
    report = calibrate(["bob", "over9000"], games=400, exact=12, threads=2)
    record = json.loads((in_folder / "a.json").read_text())
    assert record["schema"] == "bsbench-calibration-1"
    assert record["strategies"] == json.loads(json.dumps(report.to_dict()["strategies"]))
    frame = pd.read_csv(in_folder / "a.csv")
    shots = frame[(frame["strategy"] == "bob") & (frame["cells"] == "shot")]
    assert shots["forecasts"].sum() == report.calibrations[0].shots.forecasts
    for each in report.calibrations:
        assert each.label in done.stdout
        assert each.cells.brier.text in done.stdout
        assert f"{100 * each.exact.error.value:.2f}"[:3] in done.stdout
    assert (in_folder / "a.png").read_bytes().startswith(b"\x89PNG")


def test_scores_stand_below_where_the_terminal_is_narrow(monkeypatch):
    report, wide, narrow = calibrate(["bob"], POND, games=20), io.StringIO(), io.StringIO()
    monkeypatch.setattr(table, "console_for", lambda file: console_for(file, 60))
    print_sheet(calibration_sheet(report), narrow)
    monkeypatch.undo()
    print_sheet(calibration_sheet(report), wide)
    (header,) = (line for line in wide.getvalue().splitlines() if line.startswith("strategy"))
    above, below = (line for line in narrow.getvalue().splitlines() if line.startswith("strategy"))
    assert header.split() == [*above.split(), *below.split()[2:]]
    assert report.calibrations[0].cells.bits.text in narrow.getvalue()


def test_the_chart_shows_shares_by_probability(known):
    report = calibrate([Enumerating(), Bold()], SMALL, games=600, threads=1)
    figure = charts.CHARTS["reliability"].function(report)
    top = figure.axes[0]
    names = [text.get_text() for text in top.get_legend().get_texts()]
    assert names == ["enumerating", "bold"]
    for column, kind in enumerate(("shots", "cells")):
        shares = [box.lines[0] for box in figure.axes[column].containers]
        off = [box.lines[0] for box in figure.axes[2 + column].containers]
        for each, line, distance in zip(report.calibrations, shares, off, strict=True):
            forecasts = getattr(each, kind)
            bins = [
                b
                for b in forecasts.bins(20)
                if b.interval[1] - b.interval[0] <= 0.3
                and b.forecasts >= 1e-4 * forecasts.forecasts
            ]
            assert len(bins) > 3
            drawn, off_by = line.get_xydata(), distance.get_ydata()
            points = ~np.isnan(drawn[:, 0])
            assert np.allclose(drawn[points], [(100 * b.forecast, 100 * b.share) for b in bins])
            shown = [100 * (b.share - b.forecast) for b in bins]
            assert np.allclose(off_by[points], shown)
            # A line ends where a bin is not shown.
            places = [min(int(20 * b.forecast), 19) for b in bins]
            assert np.count_nonzero(~points) == sum(np.diff(places) > 1) > 0


def test_the_chart_of_one_game_is_drawn():
    assert charts.CHARTS["reliability"].function(calibrate(["bob"], POND, games=1)).axes


def test_strategies_without_probabilities_say_so():
    assert find_strategy("bob")().gives_chances
    assert not find_strategy("prob")().gives_chances


# The page docs/calibration.md

PAGE = pages.read_page("calibration")
PLAIN = "over9000 edge_weight=1.0 noise=0.0"


def test_the_page_shows_what_the_command_prints(in_folder):
    ((command, shown),) = re.findall(
        r"```sh\nbsbench (.*?)\n```\n\n```text\n(.*?)```", PAGE, re.DOTALL
    )
    done = CliRunner(env={"COLUMNS": "200"}).invoke(main, shlex.split(command))
    assert done.exit_code == 0, done.output
    assert_shown(shown, done.stdout)
    assert (in_folder / "reliability.png").exists()


def test_the_lines_of_python_on_the_page_run(in_folder):
    mine, code = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    (in_folder / "mine.py").write_text(mine)
    assert calibrate(["mine.py:Halves"], SMALL, games=5).calibrations[0].shots.forecast.value == 0.5
    names: dict[str, object] = {}
    exec(code, names)
    assert names["figure"].axes


def _recorded(scenario: str, label: str):
    """Return a strategy of a record, and how far off its open cells are, by 5 points."""
    (found,) = (each for each in page.records()[scenario]["strategies"] if each["label"] == label)
    bins = pd.DataFrame(found["cells"]["bins"])
    weight = bins["forecasts"]
    bins["came"], bins["said"] = bins["share"] * weight, bins["forecast"] * weight
    by_five = bins.groupby((bins["forecast"] * 20).astype(int)).sum()
    return found, 100 * (by_five["came"] - by_five["said"]) / by_five["forecasts"]


def test_what_the_page_says_of_figures():
    plain, off = _recorded("classic", PLAIN)
    pairs, _ = _recorded("classic", "over9000-pairs")
    assert plain["exact"]["error"]["value"] == pytest.approx(0.0038, abs=5e-5)
    assert off[2:5].between(0.6, 0.9).all()
    assert off[6:15].abs().max() < 0.5
    assert pairs["exact"]["error"]["value"] / plain["exact"]["error"]["value"] == pytest.approx(
        0.8, abs=0.03
    )
    assert plain["shots"]["bias"]["value"] == pytest.approx(-0.0008, abs=5e-5)
    assert plain["exact"]["loss"]["value"] == pytest.approx(0.0008, abs=5e-5)
    apart, _ = _recorded("gym-10x10+ship", PLAIN)
    both, _ = _recorded("gym-10x10+ship", "over9000-pairs")
    assert 3.7 < apart["exact"]["error"]["value"] / plain["exact"]["error"]["value"] < 4
    assert apart["shots"]["bias"]["value"] == pytest.approx(0.015, abs=5e-4)
    assert apart["exact"]["loss"]["value"] == pytest.approx(0.014, abs=5e-4)
    assert both["exact"]["loss"]["value"] == pytest.approx(0.010, abs=5e-4)
    bob, _ = _recorded("classic+hit", "bob")
    assert 0.045 < bob["shots"]["reliability"]["value"] ** 0.5 < 0.055
    assert bob["exact"]["loss"]["value"] == pytest.approx(0.46, abs=5e-3)
    said = [each for each in bob["shots"]["bins"] if 0.5 <= each["forecast"] < 0.6]
    hits = sum(each["share"] * each["forecasts"] for each in said)
    assert hits / sum(each["forecasts"] for each in said) == pytest.approx(0.40, abs=0.005)


def test_what_the_page_says_of_moves():
    moves = page.moves().set_index(["scenario", "strategy"])
    assert not moves.loc[("classic", "over9000-pairs"), "significant"]
    apart = moves.loc[("gym-10x10+ship", "over9000-pairs")]
    assert apart["significant"]
    assert apart["difference"] == pytest.approx(-0.08, abs=0.005)
    exact = moves.loc[("classic", "posterior")]
    assert exact["difference"] == pytest.approx(0.15, abs=5e-3)
    assert exact["significant"]
    assert moves.loc[("gym-10x10+ship", "posterior"), "difference"] == pytest.approx(
        -0.33, abs=5e-3
    )
    lattice = load_result(pages.ROOT / "results" / "classic" / "lattice.json").stats.mean
    assert lattice < moves.loc["classic", "mean"].min() - 0.1


PARTS = "reliability", "resolution", "uncertainty", "within"


def test_records_of_calibrations_add_up():
    for record in page.records().values():
        for each in record["strategies"]:
            for found in (each["shots"], each["cells"]):
                assert sum(part["forecasts"] for part in found["bins"]) == found["forecasts"]
                parts = {key: found[key]["value"] for key in ("brier", *PARTS)}
                assert parts["reliability"] - parts["resolution"] + parts["uncertainty"] + parts[
                    "within"
                ] == pytest.approx(parts["brier"], abs=1e-9)


def test_a_record_of_calibrations_is_what_is_played(pytestconfig):
    if not pytestconfig.option.all_cases:
        pytest.skip("all games of a record are played only where all cases run")
    record = page.records()["classic+hit"]
    report = calibrate(["bob"], scenario_from_dict(record["scenario"]), games=record["games"])
    (found,) = json.loads(json.dumps(report.to_dict()["strategies"]))
    (kept,) = record["strategies"]
    assert {**found, "exact": None} == {**kept, "exact": None}
