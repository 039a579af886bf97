"""Conditions on which a comparison fails."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

import bsbench
from bsbench.cli import main
from bsbench.runs.conditions import STATISTICS, Condition
from bsbench.stats import Summary
from tests.support.refusals import assert_refused, refused


@pytest.fixture(scope="module")
def comparison():
    return bsbench.compare(["prob", "smart", "linear"], games=2_000, seed=1)


def _who(text: str, comparison) -> list[str]:
    return [told.split(" fails ")[0] for told in Condition.read(text).failures(comparison)]


@pytest.mark.parametrize(
    ("text", "who"),
    [
        # prob needs about 61 moves, smart 69, linear 95.5.
        ("mean > +0.5", ["smart", "linear"]),
        ("mean > +20", ["linear"]),
        ("mean>+40", []),
        ("mean > 65", ["smart", "linear"]),
        ("mean < 61.5", ["prob"]),
        ("mean > -1", ["smart", "linear"]),
        ("mean > +20%", ["linear"]),
        ("mean > 120 %", ["linear"]),
        ("mean >= 110%", ["smart", "linear"]),
        ("worst <= +0", []),
        ("median > +.5", ["smart", "linear"]),
        (" high >= 100 ", ["linear"]),
        ("low < 60", ["prob", "smart"]),
        ("sd < 1", []),
    ],
)
def test_who_fails(comparison, text, who):
    assert _who(text, comparison) == who


def test_statistics_are_those_of_a_summary():
    assert set(STATISTICS) <= set(Summary.__dataclass_fields__)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        *((text, []) for text in ("", "mean = 3", "mean > nan", "mean > +-3")),
        ("avg > 3", ["avg", *STATISTICS]),
    ],
)
def test_bad_conditions_get_one_sentence(text, named):
    with refused(repr(text), *named):
        Condition.read(text)


def test_the_command_ends_with_code_1():
    def run(*conditions: str):
        limits = [word for condition in conditions for word in ("--fail-if", condition)]
        arguments = ["compare", "prob", "smart", "-n", "500", "--scenario", "harbour"]
        arguments += ["--reference", "prob", *limits]
        return CliRunner().invoke(main, arguments, prog_name="bsbench")

    result = run("mean > +50", "worst > 100")
    assert (result.exit_code, result.stderr) == (0, "")
    result = run("mean > +0.5", "worst > 1")
    assert result.exit_code == 1
    assert [line.split()[0] for line in result.stderr.splitlines()] == ["smart", "prob", "smart"]
    assert_refused(run("mean > half"), "mean > half")


def test_the_sentence_tells_what_is_compared(comparison):
    smart, linear = Condition.read("mean > +0.5").failures(comparison)
    difference = comparison.differences[1]
    assert smart == (
        f"smart fails 'mean > +0.5': its mean is {comparison.results[1].stats.mean:.6g}, "
        f"{difference.mean:.4g} more than that of prob (± {difference.half_width:.2g})"
    )
    assert linear.startswith("linear fails")
    worst = Condition.read("worst >= 100").failures(comparison)
    assert worst == [
        "linear fails 'worst >= 100': its worst game is 100, "
        f"{100 - comparison.results[0].stats.worst} more than that of prob"
    ]


def test_it_says_when_it_may_be_chance():
    comparison = bsbench.compare(["over9000", "over9000,noise=0.0001"], games=200)
    told = Condition.read("mean > -50").failures(comparison)
    assert len(told) == 1
    assert told[0].endswith(", not significant)")
