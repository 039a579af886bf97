from __future__ import annotations

from pathlib import Path

import pytest

from bsbench.common.errors import BsbenchError
from bsbench.rules.board import Feedback
from bsbench.rules.placement import Placement
from bsbench.runs.request import Request
from bsbench.runs.runfile import RunFile, read_run_file

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


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('stratgy = "smart"', "unknown key 'stratgy': did you mean 'strategy'?"),
        (
            "zzz = 1",
            "unknown key 'zzz': known are board, fleet, touching, feedback, placement, strategy",
        ),
        ('name = "harbour"', "unknown key 'name'"),
        ("strategy = 3", "the key 'strategy' wants text or a list of texts, not 3"),
        ("scenario = true", "the key 'scenario' wants text or a list of texts, not True"),
        ("games = 1e6", "the key 'games' wants a whole number from 0, not 1000000.0"),
        ("games = true", "the key 'games' wants a whole number from 0, not True"),
        ('seed = "7"', "the key 'seed' wants a whole number from 0 or a list of whole"),
        ("threads = [2]", "the key 'threads' wants a whole number"),
        ('fleet = "5,4"', "the key 'fleet' wants a list of whole numbers from 1, not '5,4'"),
        ("fleet = [5, true]", "the key 'fleet' wants a list of whole numbers"),
        ('touching = "no"', "the key 'touching' wants true or false"),
        ("strategies = ['prob']", "unknown key 'strategies': did you mean 'strategy'?"),
        ("seed = [1, 'x']", "the key 'seed' wants a whole number"),
        ("[sweep]\nnoise = []", "the sweep of 'noise' wants a list of values, or a text such as"),
        ("[sweep]\nnoise = [[1]]", "the sweep of 'noise' wants a list of values"),
        ("[parameters]", "unknown key 'parameters'"),
        ("games = ", "is not valid TOML"),
    ],
)
def test_wrong_run_files_are_refused_by_name_and_key(tmp_path, content, words):
    path = tmp_path / "run.toml"
    path.write_text(content)
    with pytest.raises(BsbenchError) as caught:
        read_run_file(path)
    assert words in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_run_file_is_named(tmp_path):
    with pytest.raises(BsbenchError, match=r"can't read the run file .*none\.toml: No such file"):
        read_run_file(tmp_path / "none.toml")
