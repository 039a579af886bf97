"""Exercises of the class story find what their hints say."""

from __future__ import annotations

import importlib.util
import re

import nbformat
import pytest

import bsbench
from bsbench.stats import interval_text
from tests.support import ROOT

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def solutions():
    path = ROOT / "examples/hunter_exercises.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def hints():
    """The text of the exercises, by number."""
    notebook = nbformat.read(ROOT / "notebooks/beat_hunt_target.ipynb", as_version=4)
    text = notebook.cells[-1].source.partition("## Exercises")[2]
    return dict(enumerate(" ".join(part.split()) for part in text.split("\n\n**")))


def _mean(result):
    row = result.to_frame().iloc[0]
    return f"{row['mean']:.1f} ± {row['half_width']:.1f}", int(row["worst"])


def test_of_the_four_grids_two_are_equally_good_and_one_has_no_long_games(solutions, hints):
    means, worst = zip(
        *(
            _mean(bsbench.run(solutions.Hunter(step=step), "classic", games=2_000))
            for step in (1, 2, 3, 4)
        ),
        strict=True,
    )
    assert re.findall(r"\d+\.\d ± \d+\.\d", hints[1]) == list(means)
    assert {str(worst[1]), str(worst[2])} <= set(re.findall(r"\d+", hints[1]))


@pytest.mark.parametrize(
    ("number", "name", "words"),
    [(2, "Middle", "fewer"), (3, "Afloat", "more"), (4, "Fits", "fewer")],
)
def test_ideas_gain_what_the_hints_say(solutions, hints, number, name, words):
    own = getattr(solutions, name)
    compared = bsbench.compare([solutions.Hunter, own], "classic", games=2_000, reference="hunter")
    row = compared.to_frame().iloc[1]
    change = f"{abs(row['difference']):.1f} ± {row['difference_half_width']:.1f} {words}"
    assert _mean(compared.results[1])[0] in hints[number]
    assert change in hints[number]
    assert (row["difference"] < 0) == (words == "fewer")


def test_counting_is_as_good_as_datagenetics(solutions, hints):
    mean, _ = _mean(bsbench.run(solutions.Counting, "classic", games=500))
    assert mean in hints[5]


def test_an_unclear_difference_gives_no_clear_estimate(hints, tmp_path, monkeypatch):
    notebook = nbformat.read(ROOT / "notebooks/beat_hunt_target.ipynb", as_version=4)
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    classes = [source.partition("\n\n\n")[0] for source in code if source.startswith("class ")]
    tmp_path.joinpath("lesson.py").write_text("\n\n\n".join(classes) + "\n")
    monkeypatch.chdir(tmp_path)
    for games in (1_000, 2_000):
        compared = bsbench.compare(
            ["lesson.py:Hunter", "lesson.py:Thirds"], "classic", games=games, reference="hunter"
        )
        row = compared.to_frame().iloc[1]
        assert interval_text(row["difference"], row["difference_half_width"]) in hints[6]
    needed = 2_000 * (row["difference_half_width"] / row["difference"]) ** 2
    assert f"{round(needed, -3):,.0f}" in hints[6]
