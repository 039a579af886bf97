"""Damaged records, kept move counts and manifests: refused in a sentence, never believed."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bsbench
from bsbench.reproduce.folder import load_report
from bsbench.runs.records import load_result, save_result
from tests.fuzzing import damaged_json, ended

RESULTS = Path(__file__).parent.parent / "results"

PLAN = """
title = "Pond"
scenario = "pond.toml"
strategies = ["linear", "prob", "over9000,noise=0"]
games = 60
charts = ["histogram:prob"]
"""

POND = 'board = "5x6"\nfleet = [3, 2]\ntouching = true\nfeedback = "ship"\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Small results of all kinds, in the folder ``made``, and a pair of records with moves."""
    place = tmp_path_factory.mktemp("fuzz")
    (place / "pond.toml").write_text(POND)
    (place / "mine.toml").write_text(PLAN)
    ended("reproduce", f"{place / 'mine.toml'}", "-o", f"{place / 'made'}", "-q")
    for name in ("linear", "over9000", "over9000-adaptive"):
        result = bsbench.run(name, place / "pond.toml", games=80, keep_moves=True)
        save_result(result, f"{place / 'kept' / name}")
    bsbench_record = json.loads((RESULTS / "classic" / "prob.json").read_text())
    (place / "kept" / "prob.json").write_text(json.dumps(bsbench_record))
    return place


def _records(place: Path) -> list[Path]:
    return sorted((place / "kept").glob("*.json"))


_COMMANDS: list[Callable[[str, str], list[str]]] = [
    lambda record, other: ["show", record],
    lambda record, other: ["compare", record, other],
    lambda record, other: ["compare", other, record, "--export-csv", "-", "-q"],
    lambda record, other: ["compare", other, record, "--export-markdown", "-", "-q"],
    lambda record, other: ["replay", record, "--game", "3"],
    lambda record, other: ["replay", record, "--worst", "-o", "-"],
    lambda record, other: ["chart", record, "-k", "ecdf", "--format", "svg", "-o", "-", "-q"],
    lambda record, other: ["chart", record, "-k", "shots", "-n", "10", "-o", "-", "-q"],
    lambda record, other: ["chart", record, "-k", "learning", "-o", "-", "-q"],
    lambda record, other: ["report", record, "-o", "-"],
]


def _check_read(path: Path, content: object) -> None:
    """Check that a record that is accepted is understood, by its own figures and by bsbench's."""
    result = load_result(path)
    if not isinstance(content, dict):
        return
    again = result.to_dict()
    # Times are rounded; other names of a placement law, and records of early versions, are known.
    for key in again.keys() - {"summary", "seconds", "scenario", "strategy"}:
        understood, said = again[key], content[key]
        if key == "learning":
            said = {each: said[each] for each in understood}
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
        assert sum(content["learning"]["totals"]) == sum(content["learning"]["moves"]) == total


def _try_record(data, folder: Path) -> None:
    source = data.draw(st.sampled_from(_records(folder)), label="record")
    content, raw = data.draw(damaged_json(json.loads(source.read_text())))
    damaged = folder / "damaged.json"
    damaged.write_bytes(raw)
    other = str(folder / "kept" / "linear.json")
    arguments = data.draw(st.sampled_from(_COMMANDS))(str(damaged), other)
    if ended(*arguments).exit_code == 0:
        _check_read(damaged, content)


def _try_moves(data, folder: Path) -> None:
    record = data.draw(st.sampled_from(_records(folder)[:-1]), label="record")
    result = load_result(record)
    kept = record.with_name(f"{record.stem}-moves.npy").read_bytes()
    damaged = folder / "damaged.json"
    damaged.write_bytes(record.read_bytes())
    beside = folder / "damaged-moves.npy"
    beside.write_bytes(_damaged_moves(data, kept))
    try:
        arguments = data.draw(
            st.sampled_from([["report", "-o", "-"], ["replay", "--best"], ["compare"]])
        )
        others = [str(folder / "kept" / "linear.json")] if arguments == ["compare"] else []
        if ended(*arguments, str(damaged), *others).exit_code == 0:
            moves = load_result(damaged).moves
            assert moves is not None
            assert np.bincount(moves, minlength=len(result.counts)).tolist() == (
                result.counts.tolist()
            )
    finally:
        beside.unlink()


class _Runs:
    """Runs code when it is unpickled."""

    def __reduce__(self):
        return (exec, ("raise SystemError('unpickled')",))


def _damaged_moves(data, kept: bytes) -> bytes:
    moves = np.load(io.BytesIO(kept))
    file = io.BytesIO()
    match data.draw(st.sampled_from(["cut", "byte", "kind", "shape", "npz", "object", "value"])):
        case "cut":
            return kept[: data.draw(st.integers(0, len(kept) - 1))]
        case "byte":
            place = data.draw(st.integers(0, len(kept)))
            return kept[:place] + data.draw(st.binary(min_size=1, max_size=4)) + kept[place + 1 :]
        case "kind":
            kind = data.draw(st.sampled_from(["<u4", ">u2", "i8", "f8", "b1", "S1", "V1", "M8[s]"]))
            np.save(file, (moves.astype("i8") * 50_000_000).astype(kind))
        case "shape":
            shape = data.draw(
                st.sampled_from([(10**14,), (80, 10**12), (), (0,), (2**63,), (-80,), (40, 2)])
            )
            described = {"descr": "|u1", "fortran_order": False, "shape": shape}
            np.lib.format.write_array_header_1_0(file, described)
            file.write(moves.tobytes())
        case "npz":
            np.savez(file, moves=moves)
        case "object":
            np.save(file, np.array([_Runs()] * 80, object), allow_pickle=True)
        case "value":
            place = data.draw(st.integers(0, len(moves) - 1))
            moves[place] = data.draw(st.sampled_from([0, 1, 31, 255]))
            np.save(file, moves)
    return file.getvalue()


def _try_manifest(data, folder: Path) -> None:
    manifest = folder / "made" / "reproduce.json"
    original = manifest.read_bytes()
    _, raw = data.draw(damaged_json(json.loads(original)))
    manifest.write_bytes(raw)
    try:
        if ended("report", str(manifest.parent), "-o", "-").exit_code == 0:
            for section in load_report(manifest.parent).sections:
                base = next(
                    each for each in section.results if each.label == section.comparison.reference
                )
                for result, pair in zip(section.results, section.comparison.pairs, strict=True):
                    assert pair is not None
                    apart = result.stats.mean - base.stats.mean
                    assert math.isclose(pair.difference.mean, apart, abs_tol=1e-9)
    finally:
        manifest.write_bytes(original)


@settings(max_examples=40)
@given(data=st.data())
def test_damaged_records(data, folder):
    _try_record(data, folder)


@settings(max_examples=20)
@given(data=st.data())
def test_damaged_moves(data, folder):
    _try_moves(data, folder)


@settings(max_examples=3)
@given(data=st.data())
def test_damaged_manifests(data, folder):
    _try_manifest(data, folder)


@pytest.mark.slow
@settings(max_examples=560)
@given(data=st.data())
def test_many_damaged_records(data, folder):
    _try_record(data, folder)


@pytest.mark.slow
@settings(max_examples=140)
@given(data=st.data())
def test_many_damaged_moves(data, folder):
    _try_moves(data, folder)


@pytest.mark.slow
@settings(max_examples=100)
@given(data=st.data())
def test_many_damaged_manifests(data, folder):
    _try_manifest(data, folder)
