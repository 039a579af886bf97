"""The page on two sides says what its commands print."""

from __future__ import annotations

from pathlib import Path

import pytest

from bsbench.stats import versus
from bsbench.studies.match.study import match
from tests.pages.two_sides import ranking
from tests.support import ROOT

PAGE = (ROOT / "docs" / "two-sides.md").read_text(encoding="utf-8")


def meeting(first: str, second: str):
    found = ranking()
    places = found.labels.index(first), found.labels.index(second)
    one = found.meetings[min(places), max(places)]
    return one.versus.score if places[0] < places[1] else 1 - one.versus.score


@pytest.mark.ci
def test_the_lower_mean_wins():
    found = ranking()
    for (first, second), one in found.meetings.items():
        means = [found.result(*places).stats.mean for places in ((first, second), (second, first))]
        low, high = one.versus.interval
        # Those that are as good as each other apart.
        assert low <= 0.5 <= high or (means[0] < means[1]) == (one.versus.score > 0.5)


@pytest.mark.ci
def test_what_the_text_says_of_the_records():
    found = ranking()
    champion = found.labels.index("lattice2")
    result = found.result(champion, champion - 1 if champion else 1)
    alone = versus(result.counts, result.counts)
    assert f"{100 * float(alone.outcomes(True).won):.2f} %" in PAGE
    mean = {
        label: found.result(place, 0 if place else 1).stats.mean
        for place, label in enumerate(found.labels)
    }
    assert f"{mean['hunt-target'] - mean['bob']:.1f} moves fewer" in PAGE
    assert meeting("bob", "hunt-target") > 0.5
    assert meeting("hunt-target", "lattice2") > meeting("bob", "lattice2")
    near = [label for label in mean if 0 < mean[label] - mean["lattice2"] < 1.5]
    for label in near:
        worth = 100 * float(0.5 - meeting(label, "lattice2")) / (mean[label] - mean["lattice2"])
        assert 1.9 < worth < 3.3, label
    both = sum(100 * float(0.5 - meeting(label, "lattice2")) for label in near) / sum(
        mean[label] - mean["lattice2"] for label in near
    )
    assert f"{both:.1f} points" in PAGE


@pytest.mark.slow
def test_what_the_text_says_of_a_side_that_hides():
    for side in ("lattice2", "lattice2 @ avoid:prob"):
        share = match([side, "prob"]).meetings[0, 1].expected.share
        assert f"{100 * share:.2f} %" in PAGE


@pytest.mark.slow
def test_a_placer_learns_where_a_strategy_shoots_late(tmp_path, monkeypatch):
    from click.testing import CliRunner

    import bsbench
    from bsbench.cli import main

    text = (ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8")
    hider = ROOT / "examples" / "late_hider.py"
    monkeypatch.chdir(tmp_path)
    arguments = ["--shooter", "lattice2", "-n", "1000", "-o", "late.txt"]
    ended = CliRunner().invoke(main, ["layouts", str(hider), *arguments])
    assert ended.exit_code == 0, ended.output
    assert Path("late.txt").exists()
    means = []
    for law in ("file:late.txt", "uniform"):
        result = bsbench.run("lattice2", "classic", placement=law, games=100_000)
        assert result.stats.mean_text in text
        means.append(result.stats.mean)
    assert f"{means[0] - means[1]:.1f} moves" in text
