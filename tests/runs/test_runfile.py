from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from bsbench.rules.board import Feedback
from bsbench.rules.placement import Placement
from bsbench.runs.request import Request
from bsbench.runs.runfile import RunFile, RunFileRecord, read_run_file
from tests.support.damage import check_refusals
from tests.support.refusals import refused

WHOLE = """
strategy = "smart,noise=0.01"
scenario = "harbour"
games = 1_000
until = 0.5
seed = 7
threads = 2
placement = "sequential:longest"
board = "8x12"
fleet = [4, 3, 2, 2]
touching = false
feedback = "sunk"
"""


def test_all_keys_are_read(tmp_path):
    path = tmp_path / "run.toml"
    path.write_text(WHOLE)
    assert read_run_file(path) == RunFile(
        strategies=("smart,noise=0.01",),
        sweep=(),
        request=Request(
            scenarios=("harbour",),
            games=1000,
            seeds=(7,),
            threads=2,
            until=0.5,
            changes={
                "board": (8, 12),
                "fleet": (4, 3, 2, 2),
                "touching": False,
                "feedback": Feedback.SUNK,
                "placement": Placement("sequential", "longest"),
            },
        ),
    )


SEVERAL = """
strategy = ["prob", "over9000,noise=0"]
scenario = ["classic", "pond.toml"]
seed = [0, 3]
first_game = 1_000
reference = "prob"

[sweep]
noise = [0, 0.5]
no_touch = "full"
edge_weight = "1:2:0.5"
"""


def test_an_experiment_has_lists(tmp_path):
    path = tmp_path / "run.toml"
    path.write_text(SEVERAL)
    assert read_run_file(path) == RunFile(
        strategies=("prob", "over9000,noise=0"),
        sweep=("noise=0,0.5", "no_touch=full", "edge_weight=1:2:0.5"),
        request=Request(
            ("classic", str(tmp_path / "pond.toml")),
            seeds=(0, 3),
            first_game=1000,
            reference="prob",
        ),
    )


def test_all_keys_may_be_left_out(tmp_path):
    path = tmp_path / "run.toml"
    path.write_text("")
    assert read_run_file(str(path)) == RunFile((), (), Request())


@pytest.mark.parametrize(
    ("scenario", "place"),
    [("pond.toml", "deep/pond.toml"), ("../POND.TOML", "deep/../POND.TOML"), ("pond", "pond")],
)
def test_a_scenario_file_is_found_from_the_run_file(in_folder, scenario, place):
    (in_folder / "deep").mkdir()
    (in_folder / "deep" / "run.toml").write_text(f'scenario = "{scenario}"\n')
    assert read_run_file("deep/run.toml").request == Request((str(Path(place)),))


def test_a_scenario_file_may_be_named_from_the_root(tmp_path):
    target = (tmp_path / "pond.toml").as_posix()
    (tmp_path / "run.toml").write_text(f'scenario = "{target}"\n')
    assert read_run_file(tmp_path / "run.toml").request.scenarios == (str(tmp_path / "pond.toml"),)


@pytest.mark.parametrize("text", [WHOLE, SEVERAL], ids=["run", "experiment"])
def test_whatever_is_wrong_in_a_run_file_is_refused_by_its_key(tmp_path, text):
    content = tomllib.loads(text)
    check_refusals(read_run_file, content, RunFileRecord, tmp_path / "run.toml")


@pytest.mark.parametrize(
    ("named", "content"),
    [
        ("noise", "[sweep]\nnoise = []"),
        ("noise", "[sweep]\nnoise = [[1]]"),
        ("TOML", "games = "),
        ("name", 'name = "harbour"'),
    ],
)
def test_what_a_run_file_can_not_say_is_refused(tmp_path, named, content):
    path = tmp_path / "run.toml"
    path.write_text(content)
    with refused(str(path), named):
        read_run_file(path)
