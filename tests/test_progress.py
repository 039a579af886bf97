"""Progress as lines of a log, and what it says."""

from __future__ import annotations

import io
import math
import time

import pytest

from bsbench.present import progress as module
from bsbench.present.progress import SoFar, duration_text, progress


@pytest.fixture
def at_once(monkeypatch):
    monkeypatch.setattr(module, "_FIRST_LINE", 0.02)
    monkeypatch.setattr(module, "_LONGEST_GAP", 0.02)


@pytest.mark.usefixtures("at_once")
def test_a_log_has_lines_while_nothing_ends():
    log = io.StringIO()
    with progress(["prob"], 1_000, log) as show:
        time.sleep(0.2)
        show("prob", 0, SoFar(setting_up=True))
        time.sleep(0.2)
        show("prob", 250, SoFar(61.234, 0.051, 0.051, 0.01))
        time.sleep(0.2)
    lines = log.getvalue().splitlines()
    assert lines[0].startswith("compiling or loading kernels, for 0 s so far")
    assert "prob: compiling or loading kernels" in lines
    assert lines[-1].startswith("prob: 250 of 1,000 games (25.0 %), ")
    assert lines[-1].endswith(" games/s, 1 s left, 61.234 ± 0.051, goal ± 0.01")
    # Nothing follows the end.
    time.sleep(0.1)
    assert log.getvalue().splitlines() == lines


def test_a_short_log_is_empty():
    log = io.StringIO()
    with progress(["prob"], 1_000, log) as show:
        show("prob", 1_000)
    assert log.getvalue() == ""


@pytest.mark.usefixtures("at_once")
def test_a_log_that_nobody_reads_stops_nothing():
    log = io.StringIO()
    with progress(["prob"], 1_000, log) as show:
        log.close()
        time.sleep(0.1)
        show("prob", 7)


@pytest.mark.parametrize(
    ("known", "text"),
    [
        (SoFar(), ""),
        (SoFar(setting_up=True), "compiling or loading kernels"),
        (SoFar(61.234, 0.051), "61.234 ± 0.051"),
        (SoFar(61.234, 0.051, 0.051, 0.01), "61.234 ± 0.051, goal ± 0.01"),
        (SoFar(61.234, 0.051, 0.02, 0.01), "61.234 ± 0.051, ± 0.02 of ± 0.01"),
        (SoFar(61.234, 0.051, math.nan, 0.01), "61.234 ± 0.051, goal ± 0.01"),
    ],
)
def test_what_is_known_stands_in_few_words(known, text):
    assert known.text == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        *((0.2, "0 s"), (99, "99 s"), (100, "2 min"), (3_600, "60 min"), (6_000, "1.7 h")),
        *((100_000, "27.8 h"), (200_000, "2.3 d")),
    ],
)
def test_times_are_in_units_that_people_count_in(seconds, text):
    assert duration_text(seconds) == text
