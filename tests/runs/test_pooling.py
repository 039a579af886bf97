"""All seeds together: pooled rows and verdicts against sums and standard errors by hand."""

from __future__ import annotations

import dataclasses
import io
import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import bsbench
from bsbench.cli import main
from bsbench.present.tables import verdict_lines
from bsbench.runs.pooling import pooled
from bsbench.stats import standard_error
from bsbench.stats.intervals import NORMAL_95

SEEDS = (0, 1, 2)


def _moves(results, label):
    return [each.moves.astype(int) for each in results if each.label == label]


def _error(games: list[np.ndarray], unit: int) -> float:
    """Return the standard error of the mean of games under several seeds, by its definition."""
    units = [each[at : at + unit] for each in games for at in range(0, len(each), unit)]
    return standard_error(np.array([u.sum() for u in units]), np.array([len(u) for u in units]))


@pytest.mark.parametrize("reference", ["linear", "prob"])
def test_paired_differences_of_all_seeds_add_up(reference):
    played = bsbench.run(["linear", "prob"], "classic", games=500, seed=SEEDS, reference=reference)
    (together,) = played.pooled
    other = {"linear": "prob", "prob": "linear"}[reference]
    gaps = [a - b for a, b in zip(_moves(played, other), _moves(played, reference), strict=True)]
    row = next(row for row in together.rows if row["label"] == other)
    everything = np.concatenate(gaps)
    assert row["difference"] == pytest.approx(everything.mean())
    assert row["difference_half_width"] == pytest.approx(NORMAL_95 * _error(gaps, 1))
    assert (row["seed"], row["games"], row["paired"]) == (None, 1_500, True)
    assert (row["wins"], row["losses"]) == ((everything < 0).sum(), (everything > 0).sum())
    assert row["first_alone"] == row["wins"]
    assert row["mean"] == pytest.approx(np.concatenate(_moves(played, other)).mean())


def test_learners_that_a_seed_ends_early_are_units_of_their_own():
    # Learners of 4 games; under each of 3 seeds, the last of 10 games makes half a one.
    learner = "over9000-adaptive,games_per_learner=4"
    played = bsbench.run([learner, "prob"], "classic", games=10, seed=SEEDS)
    (together,) = played.pooled
    label = played[0].label
    own = _moves(played, label)
    gaps = [a - b for a, b in zip(_moves(played, "prob"), own, strict=True)]
    row, other = together.rows
    assert row["half_width"] == pytest.approx(NORMAL_95 * _error(own, 4))
    assert together.results[0].learning.learners == 9
    pair = together.pairs[1]
    assert pair.learners.error(0) == pytest.approx(_error(gaps, 4))
    assert other["difference"] == pytest.approx(np.concatenate(gaps).mean())
    curve = together.results[0].learning_curve()
    assert curve["learners"].tolist() == [9, 9, 6, 6]
    assert curve["mean"][3] == pytest.approx(np.mean([each[[3, 7]] for each in own]))


def test_the_best_is_paired_with_all_others_whatever_the_reference():
    played = bsbench.run(["random", "linear", "prob"], "classic", games=300, seed="0,1")
    (line,) = verdict_lines(played.pooled)
    assert line.startswith("prob needs the fewest moves")
    assert "over 600 paired games" in line


def test_a_seed_may_miss_strategies():
    names = ["linear", "prob", "random"]
    played = bsbench.run(names, "classic", games=100, seed="0,1", reference="linear")
    first, second = played.comparisons
    cut = dataclasses.replace(second.of(["linear", "random"]), missing=("prob",))
    (together,) = pooled([first, cut])
    assert [result.label for result in together.results] == ["linear", "random"]
    assert together.missing == ("prob",)
    assert together.partial
    # How often each is the first of two, and not of three.
    assert sum(row["first_alone"] for row in together.rows) + together.rows[0]["first_tied"] == 200
    assert pooled([first]) == pooled([first, first]) == ()


def test_the_command_line_shows_and_exports_all_seeds_together(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["run", "linear", "prob", "--scenario", "classic", "--seed", "0,1", "-n", "200"]
    files = ["--export-csv", "a.csv", "--export-json", "a.json"]
    shown = CliRunner().invoke(main, [*words, "-o", "runs", "--no-charts", *files])
    assert shown.exit_code == 0, shown.output

    assert any(
        line.startswith("all seeds together: prob needs") and "400 paired games" in line
        for line in shown.stdout.splitlines()
    )
    for text in ((tmp_path / "a.csv").read_text(), (tmp_path / "runs/table.csv").read_text()):
        seeds = pd.read_csv(io.StringIO(text), dtype={"seed": "Int64"})["seed"]
        assert seeds.tolist() == [0, 0, 1, 1, pd.NA, pd.NA]
    record = json.loads((tmp_path / "a.json").read_text())
    assert [panel["seed"] for panel in record["panels"]] == [0, 1]
    (together,) = record["pooled"]
    assert (together["seed"], together["games"]) == (None, 400)
    assert {each["seed"] for each in together["strategies"]} == {None}
    assert len(list((tmp_path / "runs").glob("*.json"))) == 4
