"""Files are what their JSON Schemas say."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from _pages.schemas import formats, schemas
from bsbench.cli import main
from bsbench.common.record import read, whole
from tests.support import ROOT
from tests.support.damage import check_refusals, example

SCHEMAS = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / "bsbench" / "schemas").glob("*.json"))
}
REGISTRY = Registry().with_resources(
    (schema["$id"], Resource.from_contents(schema)) for schema in SCHEMAS.values()
)
BY_NAME = {
    schema["properties"]["schema"]["const"]: name
    for name, schema in SCHEMAS.items()
    if "schema" in schema.get("properties", {})
}
# No command writes that one any more: docs/value.md.
RECORDS = sorted({*(ROOT / "results").rglob("*.json")} - {ROOT / "results/value/classic.json"})


def _check(name: str, content: Any) -> None:
    errors = Draft202012Validator(SCHEMAS[name], registry=REGISTRY).iter_errors(content)
    assert [f"{error.json_path}: {error.message[:200]}" for error in errors] == []


def test_schemas_are_those_of_their_types():
    """Run ``python docs/_pages/schemas.py`` where a type has changed."""
    made = schemas()
    assert SCHEMAS.keys() == made.keys()
    for name, schema in made.items():
        assert SCHEMAS[name] == schema, f"{name}: write it again"


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_one(name):
    Draft202012Validator.check_schema(SCHEMAS[name])


def test_bundled_results_follow_their_schemas():
    found = set()
    for path in RECORDS:
        content = json.loads(path.read_text(encoding="utf-8"))
        name = BY_NAME[content["schema"]] if "schema" in content else path.parent.name
        found.add(name)
        _check(name, content)
    assert {"record", "reproduction", "tuning", "bound", "worst", "rollouts-worth"} <= found


def test_a_wrong_record_does_not():
    record = json.loads(RECORDS[-1].read_text(encoding="utf-8"))
    for wrong in ({"games": -1}, {"surplus": 1}, {"scenario": {}}):
        with pytest.raises(AssertionError):
            _check(BY_NAME[record["schema"]], record | wrong)


@pytest.mark.parametrize("name", sorted(SCHEMAS.keys() - {"common"}))
def test_whatever_is_wrong_is_refused_in_a_sentence_with_its_key(name):
    kind = formats()[name]
    check_refusals(lambda table: read(table, kind), example(whole(kind)), kind)


SMALL = ("--scenario", "gym-5x5", "-n", "200")
COMMANDS = {
    "comparison": ("compare", "random", "linear", "--scenario", "gym-5x5", "--until", "clear"),
    "experiment": ("run", "random", "linear", *SMALL, "--seed", "0,1", "--no-save"),
    "value": ("value", "--board", "3x3", "--fleet", "2"),
    "match": ("match", "linear", "random @ edge:3", "--scenario", "gym-5x5", "-n", "90"),
    "odds": ("odds", "--scenario", "gym-5x5"),
    "connect4-match": ("connect4", "match", "random", "greedy", "-n", "20"),
    "optimum": ("optimum", "--board", "3x3", "--fleet", "2", "--strategy", "linear"),
    "worst": ("worst", "linear", *SMALL),
    "best": ("best", "--feedback", "hit"),
    "bound": ("bound", "gym-5x5"),
    "survey": ("survey", "datagenetics"),
    "tuning": (
        "tune",
        "datagenetics",
        "--vary",
        "hit_weight=2,9",
        "--scenario",
        "gym-5x5",
        "-n",
        "9000",
    ),
}
ELSEWHERE = {
    "common",
    "plan",
    "record",
    "reproduction",
    "rollouts-worth",
    "run-file",
    "scenario",
    "survey-played",
    "transcript",
}
"""Schemas of what no command exports as JSON: other tests check most of them."""


def test_every_schema_has_its_test():
    assert {*COMMANDS, *ELSEWHERE} == SCHEMAS.keys()
    assert not ELSEWHERE & COMMANDS.keys()


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.ci] if name in ("optimum", "value") else [])
        for name in COMMANDS
    ],
)
def test_exports_follow_their_schemas(in_folder, name):
    words = [*COMMANDS[name], "--export-json", "out.json", "-q"]
    done = CliRunner().invoke(main, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    content = json.loads(Path("out.json").read_text(encoding="utf-8"))
    assert BY_NAME[content["schema"]] == name
    _check(name, content)


def test_a_record_that_was_just_saved_follows_its_schema(in_folder):
    words = ["run", "linear", *SMALL, "--no-charts", "-q"]
    CliRunner().invoke(main, [*words, "-o", "out.json"], catch_exceptions=False)
    record = json.loads(Path("out.json").read_text(encoding="utf-8"))
    assert {"blocks", "firsts"} <= set(record)
    _check("record", record)


def test_plans_and_scenarios_follow_their_schemas():
    for path in (ROOT / "configs").glob("*.toml"):
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        if "sides" not in content:  # a family is no file of a user
            _check("scenario", content)
    for path in (ROOT / "configs" / "reproduce").glob("*.toml"):
        _check("plan", tomllib.loads(path.read_text(encoding="utf-8")))
