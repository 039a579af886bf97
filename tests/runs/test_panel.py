"""Panels: chunks change nothing, nothing grows with the games, and chunks make the whole."""

from __future__ import annotations

import dataclasses
import gc
import tracemalloc

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bsbench
from bsbench.common.journal import Journal
from bsbench.roster import make_variant
from bsbench.rules.board import Rules
from bsbench.rules.scenario import Scenario, find_scenario
from bsbench.runs import comparing, panel
from bsbench.runs.comparing import play
from bsbench.runs.comparison import Comparison
from bsbench.runs.experiment import Experiment
from bsbench.runs.pooling import merge
from bsbench.runs.tally import MoveLog
from tests.support.crashing import described
from tests.support.refusals import refused

CLASSIC = find_scenario("classic")
POND = Scenario(name="pond", rules=Rules(6, 6, (3, 2), touching=True))
LEARNERS = ("over9000-adaptive,games_per_learner=50", "over9000-adaptive,games_per_learner=40")


def _made(*variants: str):
    return tuple(map(make_variant, variants))


def _streamed(monkeypatch, chunk: int, experiment: Experiment) -> dict:
    """Return what is found in chunks, move counts being forgotten after each."""
    monkeypatch.setattr(panel, "CHUNK", chunk)
    (comparison,) = play(dataclasses.replace(experiment, keep_moves=False))
    assert all(result.moves is None for result in comparison.results)
    found = described(comparison)
    for result in found["results"]:
        del result["moves"]
    return found


@pytest.mark.parametrize(
    "variants",
    [
        ("prob", "linear", "random"),
        ("over9000", *LEARNERS),
        # The reference learns; the last learners are cut short.
        (LEARNERS[0], "linear"),
    ],
)
@pytest.mark.parametrize("chunk", [1, pytest.param(999, marks=pytest.mark.slow), 20_000])
def test_chunks_change_nothing(monkeypatch, variants, chunk):
    games = 6_000 if chunk == 1 else 20_030
    monkeypatch.setattr(comparing, "_SMALLEST_ROUND", 10**9)
    if chunk == 1:
        chunk, games = 200, 1_070
    experiment = Experiment(_made(*variants), (CLASSIC,), games=games)
    (kept,) = play(dataclasses.replace(experiment, keep_moves=True))
    # From the move counts of all games at once.
    at_once = described(Comparison(kept.results, kept.reference))
    for result in at_once["results"]:
        del result["moves"]
    assert _streamed(monkeypatch, chunk, experiment) == at_once


def test_a_record_is_paired_chunk_by_chunk(monkeypatch):
    monkeypatch.setattr(panel, "CHUNK", 1_000)
    record = bsbench.run("prob", "classic", games=5_000, first_game=1_500)
    strategies = ["linear", "random", record]
    how = {"games": 8_000, "seed": 0, "reference": "linear"}
    found = bsbench.compare(strategies, "classic", **how, keep_moves=False)
    whole = bsbench.compare(strategies, "classic", **how, keep_moves=True)
    assert found.pairs[2].race.games == 5_000
    assert found.pairs[1].race.games == 8_000
    again = Comparison(whole.results, whole.reference)
    assert [pair.to_dict() for pair in found.pairs] == [pair.to_dict() for pair in again.pairs]
    assert found.firsts == again.firsts
    assert found.firsts[0].alone < 5_000
    # The record as the reference.
    turned = bsbench.compare(
        strategies, "classic", games=8_000, seed=0, reference="prob", keep_moves=False
    )
    assert turned.differences[0].mean == -found.differences[2].mean
    assert turned.firsts == found.firsts


@pytest.mark.parametrize("variants", [("prob", "linear"), ("over9000", LEARNERS[0])])
def test_records_without_moves_are_still_compared(variants):
    first = make_variant(variants[0]).label
    how = {"games": 2_020, "reference": first}
    kept = bsbench.compare(list(variants), "classic", **how)
    streamed = bsbench.compare(list(variants), "classic", **how, keep_moves=False)
    one, other = streamed.results
    assert (one.against, other.against["label"]) == (None, one.label)
    for results, expected in (
        ([one, other], kept.pairs[1]),
        ([other, one], Comparison(kept.results[::-1], kept.results[1].label).pairs[1]),
    ):
        pair = bsbench.compare(results, reference=results[0].label).pairs[1]
        assert pair.to_dict() == expected.to_dict()
        assert pair.race == expected.race
    more = bsbench.run(make_variant(variants[1]), "classic", games=2_030)
    longer = bsbench.compare([one, more], reference=first)
    assert longer.paired == (True, False)


def test_memory_does_not_grow_with_the_games(monkeypatch):
    monkeypatch.setattr(panel, "CHUNK", 50_000)
    peaks = []
    # The first time compiles, and imports.
    for games in (100_000, 200_000, 1_000_000):
        gc.collect()
        tracemalloc.start()
        bsbench.compare(["linear", "random"], POND, games=games, threads=1, keep_moves=False)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[2] < 1.2 * peaks[1]


def test_a_strategy_that_fails_late_leaves_the_others_compared(monkeypatch, in_folder):
    (in_folder / "late.py").write_text(
        "class Late:\n"
        "    def shoot(self, view):\n"
        "        if len(view.shots) == 28 and not view.hits:\n"
        "            raise ValueError('no luck')\n"
        "        return next(cell for cell in range(36) if cell not in view.shots)\n"
    )
    monkeypatch.setattr(panel, "CHUNK", 50)
    for keep in (True, False):
        for variants in (
            ("late.py:Late", "linear", "random"),
            ("linear", "random", "late.py:Late"),
        ):
            late = bsbench.compare(
                _made(*variants), POND, games=3_000, seed=2, keep_moves=keep, threads=1
            )
            (fault,) = late.faults.values()
            assert 100 < fault.game < 3_000
            others = bsbench.compare(["linear", "random"], POND, games=3_000, seed=2)
            assert [result.label for result in late.results] == ["linear", "random"]
            # Without move counts of the games before, a new reference has no pairs.
            known = keep or variants[0] == "linear"
            assert late.paired == (True, known)
            assert late.differences[1].mean == pytest.approx(others.differences[1].mean)
            assert (late.firsts == others.firsts) == keep


@pytest.mark.parametrize("until", [None, 0.08])
def test_a_result_can_be_gone_on_from(until):
    strategies = _made("prob", "linear")
    for chosen in (strategies[:1], strategies):
        experiment = Experiment(chosen, (CLASSIC,), games=30_000)
        (first,) = play(experiment)
        before = {(each.label, CLASSIC, 0): each for each in first.results}
        seen = []
        longer = dataclasses.replace(
            experiment, games=90_000 if until is None else 10**6, until=until
        )
        (found,) = play(longer, before=before, watch=seen.append)
        games = found.games
        assert games == 90_000 if until is None else games > 30_000
        assert all(now.done > 30_000 for now in seen if not now.setting_up)
        (whole,) = play(dataclasses.replace(experiment, games=games))
        assert described(found) == described(whole)
        with refused("30,000", "prob"):
            play(dataclasses.replace(experiment, games=20_000), before=before)


def test_one_that_is_ahead_waits_for_the_others():
    experiment = Experiment(_made("prob", "linear"), (CLASSIC,), games=20_000)
    ahead = bsbench.run("linear", "classic", games=15_000)
    (found,) = play(experiment, before={("linear", CLASSIC, 0): ahead})
    assert described(found) == described(play(experiment)[0])
    forgotten = dataclasses.replace(ahead, kept_moves=None)
    (found,) = play(experiment, before={("linear", CLASSIC, 0): forgotten})
    assert found.paired == (True, False)
    assert found.results[1].tally.digest == play(experiment)[0].results[1].tally.digest


PIECES = st.lists(
    st.tuples(
        st.integers(1, 3_000),  # games of the piece
        st.integers(0, 2),  # how often it is extended
        st.lists(st.integers(0, 6), max_size=2),  # blocks before each crash
        st.booleans(),  # by Ctrl-C
    ),
    min_size=1,
    max_size=4,
)


class _Crash(BaseException):
    pass


def _played(first: int, games: int, before, crashes, ctrl_c: bool, place):
    """Play a range of games that crashes at times; return the result."""
    experiment = Experiment(_made("random"), (POND,), (7,), first_game=first, games=games)
    for blocks in (*crashes, 10**9):
        journal = Journal.open(place, experiment.about(), resume=True)
        left = [blocks]

        def watch(now, left=left) -> None:
            left[0] -= not now.setting_up
            if left[0] < 0:
                raise KeyboardInterrupt if ctrl_c else _Crash

        try:
            (found,) = play(experiment, threads=1, journal=journal, watch=watch, before=before)
        except (_Crash, KeyboardInterrupt):
            journal.close()
            continue
        if not found.partial:
            journal.discard()
            return found.results[0]
        journal.close()
    raise AssertionError("it ends without a crash at last")


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(pieces=PIECES, order=st.randoms(use_true_random=False))
def test_split_crashed_extended_and_merged_in_any_order_is_one_run(tmp_path, pieces, order):
    with pytest.MonkeyPatch.context() as patch:
        for name in ("_FIRST_SECONDS", "_SECONDS", "_MOST_SECONDS"):
            patch.setattr("bsbench.common.journal." + name, 0.0)
        patch.setattr("bsbench.play.lockstep.SMALLEST_BLOCK", 128)
        results, first = [], 0
        for games, extensions, crashes, ctrl_c in pieces:
            before, result = {}, None
            for number in range(extensions + 1):
                part = games * (number + 1) // (extensions + 1)
                if part:
                    place = tmp_path / "a.journal"
                    result = _played(first, part, before, crashes, ctrl_c, place)
                    before = {("random", POND, 7): result}
            results.append(result)
            first += games
    order.shuffle(results)
    merged = merge(results)
    whole = bsbench.run("random", POND, seed=7, games=first)
    assert merged.tally.digest == whole.tally.digest
    assert (merged.counts == whole.counts).all()
    assert (merged.tally.firsts == whole.tally.firsts).all()
    assert (merged.moves == whole.moves).all()


@given(
    st.lists(
        st.tuples(st.sampled_from(["add", "again", "ask", "forget"]), st.integers(0, 30)),
        max_size=30,
    )
)
def test_a_log_is_a_list_that_forgets(steps):
    log, first, plain = MoveLog(100, np.uint8), 100, []
    for number, (step, size) in enumerate(steps):
        end = first + len(plain)
        if step == "add":
            log.add(end, np.full(size, number, np.uint8))
            plain += [number] * size
        elif step == "again":
            begin = max(end - size, first)
            plain[begin - first :] = [number] * 3
            log.add(begin, np.full(3, number, np.uint8))
        elif step == "forget":
            log.forget(first + min(size, len(plain)))
            first, plain = first + min(size, len(plain)), plain[size:]
        else:
            begin = min(first + size, end)
            assert log.between(begin, end).tolist() == plain[begin - first :]
        assert (log.first_game, log.end) == (first, first + len(plain))
    assert log.between(first, log.end).tolist() == plain
    assert log.between(first - 1, log.end) is None
    assert log.between(first, log.end + 1) is None
    log.stop()
    log.add(log.end, np.zeros(5, np.uint8))
    assert (log.first_game, log.end) == (first + len(plain) + 5,) * 2
