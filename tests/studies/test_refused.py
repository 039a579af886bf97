"""What the commands of studies can't do is refused in a sentence, before anything is played."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from bsbench.cli import main
from tests.support.refusals import assert_refused

EDGE = 'board = "4x4"\nfleet = [2]\ntouching = true\nfeedback = "hit"\nplacement = "edge"\n'
TUNE = "tune datagenetics --vary hit_weight=1:12 -n"
REFUSED = [
    ("best gym-6x6", ["gym-6x6", "harbour"]),
    ("bound edge.toml", ["uniform", "edge:3"]),
    ("best --feedback all", ["'all'", "hit"]),
    ("best --speed -1", ["--speed", "-1.0"]),
    ("best --speed 1e9", ["--speed"]),
    ("check linaer", ["'linaer'", "'linear'"]),
    ("check over9000 --scenario harbour", ["ship", "hit"]),
    ("check linear --games 0", ["0 games"]),
    ("match", ["0"]),
    ("match prob", ["1"]),
    ("match prob prob", ["'prob'"]),
    ("match 'prob @ nowhere' random", ["'nowhere'"]),
    ("match prob random -n 7", ["7"]),
    ("match prob random -n 1e12", ["1,000,000,000,000", "memory"]),
    ("match prob random --placement each", ["'each'"]),
    ("match prob random --from-records", ["--from-records"]),
    ("match --from-records --scenario gym-5x5", ["gym-5x5"]),
    ("match '@classic/prob @ edge:3' @classic/bob", ["@"]),
    ("match prob @edge:3", ["@edge:3", "'prob @ edge:3'"]),
    ("match @classic/prob @harbour/prob", ["harbour"]),
    ("match over9000-adaptive,games_per_learner=50 random -n 20", ["50"]),
    ("odds --top -1", ["--top", "-1"]),
    ("odds --interactive -", ["--interactive"]),
    ("odds --scenario edge.toml", ["uniform", "edge:3"]),
    ("odds --feedback told -o odds.html", ["cells of ships", "told", "--output"]),
    ("tune", ["strategy", "0", "--vary"]),
    ("tune linear", ["'linear'", "parameters"]),
    (f"{TUNE} 20000 --seed 1,2", ["seed", "2"]),
    (f"{TUNE} 100", ["100 games", "12 candidates"]),
    ("tune over9000 --vary noise --scenario harbour", ["ship"]),
    ("value", ["100", "64"]),
    ("value --board 4x4 --fleet 5", ["5"]),
    pytest.param(
        "value --board 6x6 --fleet 3,2 --seconds 0.01", ["--seconds"], marks=pytest.mark.ci
    ),
    ("worst lattice -n 0", ["0 games"]),
    ("worst lattice --seconds 0", ["search", "0 seconds"]),
    ("worst lattice --timeout 0", ["game", "0 seconds"]),
    ("worst lattice -o -", ["-o FILE"]),
    ("worst lattice -o no/folder/w.txt", ["no/folder"]),
    ("worst over9000 --scenario harbour", ["ship"]),
]


@pytest.mark.parametrize(("words", "named"), REFUSED)
def test_what_a_study_can_not_do_is_refused(in_folder, words, named):
    if words.startswith("value"):
        pytest.importorskip("scipy", reason="needs bsbench[value]")
    Path("edge.toml").write_text(EDGE)
    assert_refused(CliRunner().invoke(main, shlex.split(words)), *named)
    assert set(os.listdir()) - {"results"} == {"edge.toml"}
