"""What bsbench has to say of a bad player: its docstring holds it, a line for each key."""

from __future__ import annotations

import warnings

import pytest

from bsbench.common.errors import BsbenchError, BsbenchWarning
from bsbench.studies.check import properties
from bsbench.studies.check.study import check_strategy
from tests.support.refusals import assert_names, assert_sentence


def verdict_in(docstring: str) -> dict[str, str]:
    """Return what stands behind each key, below the line that says what the player does."""
    lines = docstring.split("\n")[2:]
    return {key: said.strip() for key, _, said in (line.partition(":") for line in lines)}


def words_of(verdict: dict[str, str], key: str) -> list[str]:
    """Return what a message must name."""
    return verdict[key].split(", ") if verdict.get(key) else []


def assert_verdict(verdict: dict[str, str], player: str, file: str, *given, timeout: float) -> None:
    """Fail unless the check of a player, which is in a file, ends as its docstring says."""
    named = words_of(verdict, "refused") + words_of(verdict, "names")
    if "refused" in verdict:
        with pytest.raises(BsbenchError) as caught:
            check_strategy(player, *given, timeout=timeout)
        sentence, *line = str(caught.value).split("\n")
        assert_sentence(sentence, file, *named)
        assert verdict.get("line", "") in "\n".join(line)
        return
    with warnings.catch_warnings():
        # Some print.
        warnings.simplefilter("ignore", BsbenchWarning)
        report = check_strategy(player, *given, timeout=timeout)
    assert report.passed == ("passes" in verdict), str(report)
    assert bool(report.alarms) == ("alarms" in verdict), str(report)
    if not report.passed:
        failure = report.failures[0]
        assert failure.what == getattr(properties, verdict["fails"]), str(report)
        assert_names(failure.message, *named)
        if "line" in verdict:
            assert verdict["line"] in failure.message, str(report)
            assert f"{file.rpartition('/')[2]}, line " in failure.message, str(report)
