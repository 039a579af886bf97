"""Damaged records: refused in a sentence, never believed."""

from __future__ import annotations

import base64
import json
import math
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bsbench
from bsbench.runs.records import load_result
from bsbench.runs.results import save_result
from bsbench.runs.tally import BLOCK, Tally
from tests.support import ROOT
from tests.support.fuzzing import damaged_json, ended

RESULTS = ROOT / "results"
MANY = settings.default.max_examples  # fewer unless all cases run

POND = 'board = "5x6"\nfleet = [3, 2]\ntouching = true\nfeedback = "ship"\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Small results of all kinds."""
    place = tmp_path_factory.mktemp("fuzz")
    (place / "pond.toml").write_text(POND)
    for name in ("linear", "over9000", "over9000-adaptive"):
        # Across the border of a block.
        first = BLOCK - 40 if name != "over9000-adaptive" else 0
        result = bsbench.run(name, place / "pond.toml", games=80, first_game=first)
        save_result(result, f"{place / 'kept' / name}")
    bsbench_record = json.loads((RESULTS / "classic" / "prob.json").read_text())
    (place / "kept" / "prob.json").write_text(json.dumps(bsbench_record))
    return place


def _records(place: Path) -> list[Path]:
    return sorted((place / "kept").glob("*.json"))


def _check_read(path: Path, content: object) -> None:
    """Check that a record that is accepted is understood, by its own figures and by bsbench's."""
    result = load_result(path)
    if not isinstance(content, dict):
        return
    again = result.to_dict()
    # Times are rounded; other names of a placement law are known.
    others = {"summary", "seconds", "scenario", "strategy"}
    if "blocks" not in content:
        # With all moves, they are known.
        others |= {"firsts", "blocks"}
    for key in again.keys() - others:
        understood, said = again[key], content[key]
        if key == "learning":
            said = {each: said[each] for each in understood}
        if key == "moves":
            # The same numbers can be packed in several ways.
            understood, said = _unpacked(understood), _unpacked(said)
        assert json.dumps(understood) == json.dumps(said), key
    counts = content["counts"]
    games = content["games"]
    assert sum(counts) == games <= content["requested"]
    assert content["partial"] is (games < content["requested"])
    total = sum(moves * number for moves, number in enumerate(counts))
    known = content["summary"]
    assert math.isclose(known.get("mean", total / games), total / games, rel_tol=1e-8)
    played = [moves for moves, number in enumerate(counts) if number]
    assert known.get("best", played[0]) == played[0]
    assert known.get("worst", played[-1]) == played[-1]
    if content.get("learning"):
        assert sum(content["learning"]["moves"]) == total
    if result.tally.has_evidence:
        assert result.tally.blocks[:, 0].sum() == total
        firsts = result.tally.firsts[result.counts > 0]
        assert firsts.min() == result.first_game
        assert firsts.max() < result.tally.end
    if result.moves is not None:
        cells, in_a_row = result.scenario.rules.cells, result.games_per_learner
        tally = Tally.of(result.first_game, result.moves, cells, in_a_row)
        assert tally.digest == result.tally.digest
        assert (tally.firsts == result.tally.firsts).all()


def _unpacked(text: str) -> str:
    return zlib.decompress(base64.b64decode(text)).hex()


@settings(max_examples=5 * MANY)
@given(data=st.data())
def test_damaged_records(data, folder):
    source = data.draw(st.sampled_from(_records(folder)), label="record")
    content, raw = data.draw(damaged_json(json.loads(source.read_text())))
    damaged = folder / "damaged.json"
    damaged.write_bytes(raw)
    if ended("show", str(damaged)).exit_code == 0:
        _check_read(damaged, content)
