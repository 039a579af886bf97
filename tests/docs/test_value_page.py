"""The page on the value of hiding says what the records say."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest

import bsbench
from tests.pages.value import boards, restricted
from tests.support import ROOT

PAGE = (ROOT / "docs" / "value.md").read_text(encoding="utf-8")


def test_what_the_text_says_of_small_boards():
    found = boards()
    proven = [each for each in found if each["proven"]]
    assert len(proven) >= 12
    more = [100 * (each["high"]["decimal"] / each["uniform"]["decimal"] - 1) for each in proven]
    low, high = map(int, re.search(r"(\d) to (\d) % more shots", PAGE).groups())
    assert (round(min(more)), round(max(more))) == (low, high)
    lost = [each["turned"]["decimal"] - each["low"]["decimal"] for each in proven]
    assert min(lost) >= 0
    assert f"up to {max(lost):.1f} shots" in PAGE
    lost = [each["unaware"]["decimal"] - each["low"]["decimal"] for each in proven]
    behind = [each["against"][0]["mean"]["decimal"] - each["low"]["decimal"] for each in proven]
    assert min(*lost, *behind) >= -1e-9
    assert f"at most {max(lost):.2f} shots of the value, `lattice2` {max(behind):.2f}" in PAGE
    preferred = [each["border"] > each["uniform_border"] - 1e-9 for each in proven]
    assert sum(preferred) > 0.85 * len(found)
    told = {
        each["scenario"]["feedback"]: Fraction(each["low"]["fraction"])
        for each in proven
        if (each["scenario"]["board"], each["scenario"]["fleet"]) == ("3x3", [3, 2])
    }
    assert told["sunk"] == told["ship"]


def test_what_the_text_says_of_classic():
    record = restricted()
    by_label = {each["label"]: each for each in record["shooters"]}
    laws = [each["law"] for each in record["laws"]]
    uniform = min(each["mean"][laws.index("uniform")] for each in record["shooters"])
    assert f"**{record['value']:.2f} ± {record['half_width']:.2f} moves**" in PAGE
    assert f"against {uniform:.2f} on uniform layouts" in PAGE
    chosen = {name for name, each in by_label.items() if each["probability"] > 0}
    for name in chosen:
        assert f"`{name}`" in PAGE
    best = by_label["lattice2"]
    assert f"up to {best['exploitability']:.1f} moves more" in PAGE


def test_the_mixtures_of_classic_are_those_of_its_means():
    record = restricted()
    means = np.array([each["mean"] for each in record["shooters"]])
    hiding = np.array([each["probability"] for each in record["laws"]])
    shooting = np.array([each["probability"] for each in record["shooters"]])
    # No strategy needs less against this hiding, and no law costs more against this shooting.
    assert (means @ hiding).min() == pytest.approx(record["value"])
    assert (shooting @ means).max() == pytest.approx(record["value"])


@pytest.mark.slow
def test_a_mean_of_classic_is_what_is_played():
    record = restricted()
    (shown,) = re.findall(r"```sh\nbsbench run (.*?--seed \d+)\n```", PAGE)
    name, _, scenario, _, law, _, games, _, seed = shown.split()
    played = bsbench.run(name, scenario, placement=law, games=int(games), seed=int(seed))
    (shooter,) = (each for each in record["shooters"] if each["label"] == name)
    place = [each["law"] for each in record["laws"]].index(law)
    assert played.stats.mean == shooter["mean"][place]
