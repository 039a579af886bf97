"""Progress as lines of a log, and what it says."""

from __future__ import annotations

import io
import math
import re
import time
from types import SimpleNamespace

import pytest

from bsbench.common.progress import Progress
from bsbench.present import progress as module
from bsbench.present.progress import (
    COMPILING,
    SETTING_UP,
    Figures,
    _Compiler,
    duration_text,
    leading_text,
    log_lines,
    progress,
)


@pytest.fixture
def at_once(monkeypatch):
    monkeypatch.setattr(module, "_FIRST_LINE", 0.02)
    monkeypatch.setattr(module, "_LONGEST_GAP", 0.02)


@pytest.mark.usefixtures("at_once")
def test_a_log_has_lines_while_nothing_ends():
    log = io.StringIO()
    with progress(["prob"], 1_000, log) as show:
        time.sleep(0.2)
        show(Progress("prob", setting_up=True))
        time.sleep(0.2)
        show(Progress("prob", 100, note="61.3 ± 0.1"))
        time.sleep(0.1)
        show(Progress("prob", 250, note=Figures(61.234, 0.051, 0.051, 0.01).text))
        time.sleep(0.2)
    lines = log.getvalue().splitlines()
    assert lines[0].startswith("setting up and playing the first games, for 0 s so far")
    assert "prob: setting up and playing the first games" in lines
    assert lines[-1].startswith("prob: 250 of 1,000 games (25.0 %), ")
    assert re.search(r" [\d,]+ games/s, \d+ s left, 61.234 ± 0.051, goal ± 0.01$", lines[-1])
    # Nothing follows the end.
    time.sleep(0.1)
    assert log.getvalue().splitlines() == lines


@pytest.mark.usefixtures("at_once")
def test_no_line_of_a_log_is_written_twice():
    """Whoever compiles for a minute reads it once."""
    log, steps = io.StringIO(), [COMPILING, COMPILING, SETTING_UP, COMPILING, "1 game", ""]
    with log_lines(lambda: steps.pop(0) if steps else "", log):
        while steps:
            time.sleep(0.01)
    assert log.getvalue().splitlines() == [COMPILING, SETTING_UP, "1 game"]


def test_kernels_that_are_compiled_are_counted():
    """A kernel that another one needs is compiled within it, and is no step of its own."""
    compiler, seen = _Compiler(), []
    for is_start in (True, True, False, False, True, False):
        compiler.notify(SimpleNamespace(is_start=is_start))
        seen.append(compiler.in_place_of("rest"))
    first, second = f"{COMPILING}: kernel 1", f"{COMPILING}: kernel 2"
    assert seen == [first, first, first, "rest", second, "rest"]


def test_the_best_so_far_are_those_with_the_fewest_moves():
    known = {label: Figures(mean, 0.1) for label, mean in [("c", 3), ("a", 1), ("d", 4), ("b", 2)]}
    assert re.findall(r"(\w) \d\.\d+ ±", leading_text(known)) == ["a", "b", "c"]
    assert leading_text({"a": Figures(1, 0.1)}) == ""


def test_rates_leave_out_setting_up_and_the_turns_of_others(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: clock[0])
    pace = module._Pace()

    def rate(moment: float, label: str, games: int, before: int, setting_up: bool = False):
        clock[0] = moment
        return pace.rate(Progress(label, games, setting_up=setting_up), before)

    assert rate(10, "a", 0, 0, True) == 0
    assert rate(30, "a", 100, 0) == 0
    assert rate(35, "a", 600, 100) == 100
    assert rate(40, "b", 0, 0, True) == 0
    assert rate(50, "b", 100, 0) == 0
    assert rate(60, "b", 600, 100) == 50
    # From the end of the turn of the other.
    assert rate(65, "a", 1_600, 600) == 200
    assert rate(70, "a", 2_600, 1_600) == 200


@pytest.mark.usefixtures("at_once")
def test_a_log_that_nobody_reads_stops_nothing():
    log = io.StringIO()
    with progress(["prob"], 1_000, log) as show:
        log.close()
        time.sleep(0.1)
        show(Progress("prob", 7))


@pytest.mark.usefixtures("at_once")
def test_with_a_goal_the_games_that_it_takes_are_estimated():
    known = Figures(61.2, 0.05, 0.02, 0.01)
    assert known.needed(1_000) == 4_000
    assert Figures(61.2, 0.05, 0.005, 0.01).needed(1_000) == 1_000
    assert Figures(61.2, 0.05).needed(1_000) is None
    log = io.StringIO()
    with progress(["prob"], None, log) as show:
        time.sleep(0.1)
        show(Progress("prob", 1_000, known.needed(1_000), known.text))
        time.sleep(0.2)
    last = log.getvalue().splitlines()[-1]
    assert re.search(r"^prob: 1,000 games, [\d,]+ games/s, about 0 s left, 61.200 ± 0.050, ", last)


def test_a_compilation_is_announced(monkeypatch):
    import numba

    seen = []

    def probe(event):
        _Compiler.notify(compiler, event)
        seen.append(compiler.text)

    compiler = _Compiler()
    monkeypatch.setattr(compiler, "notify", probe, raising=False)
    assert compiler.text == SETTING_UP
    assert numba.njit(lambda number: number + 1)(1) == 2
    numba.core.event.unregister("numba:compile", compiler)
    assert seen[0] == COMPILING
    assert seen[-1] == compiler.text == SETTING_UP


@pytest.mark.parametrize(
    ("known", "text"),
    [
        (Figures(), ""),
        (Figures(61.234, 0.051), "61.234 ± 0.051"),
        (Figures(61.234, 0.051, 0.051, 0.01), "61.234 ± 0.051, goal ± 0.01"),
        (Figures(61.234, 0.051, 0.02, 0.01), "61.234 ± 0.051, ± 0.02 of ± 0.01"),
        (Figures(61.234, 0.051, math.nan, 0.01), "61.234 ± 0.051, goal ± 0.01"),
    ],
)
def test_what_is_known_stands_in_few_words(known, text):
    assert known.text == text


@pytest.mark.parametrize(
    ("now", "line"),
    [
        (Progress("counting layouts"), "counting layouts"),
        (Progress("prob", 1_000), "prob: 1,000 games"),
        (Progress("prob", 0, 5_000, "up to 9"), "prob: 0 of 5,000 games, up to 9"),
        (Progress("counting layouts", 30, unit="%"), "counting layouts: 30 %"),
        (Progress("prob", note="best 61.2"), "prob: best 61.2"),
    ],
)
def test_a_line_says_how_far_it_is(now, line):
    assert str(now) == line


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        *((0.2, "0 s"), (99, "99 s"), (100, "2 min"), (3_600, "60 min"), (6_000, "1.7 h")),
        *((100_000, "27.8 h"), (200_000, "2.3 d")),
    ],
)
def test_times_are_in_units_that_people_count_in(seconds, text):
    assert duration_text(seconds) == text


@pytest.mark.usefixtures("at_once")
def test_a_log_of_ascii_has_plain_characters():
    log = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    with log_lines(lambda: "prob: 1 game, 57.1 ± 0.4 …", log):
        time.sleep(0.2)
    assert log.buffer.getvalue().splitlines()[0] == b"prob: 1 game, 57.1 +- 0.4 ..."
