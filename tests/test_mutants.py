"""Mutants: what is changed, that each change is one place, and that tests see what they look at."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.mutants import CORE, KERNELS, drawn, looked_at, mutants_of
from tests.support import ROOT


@pytest.mark.ci
def test_mutants_are_drawn_alike_from_all_of_the_core_and_from_kernels():
    core, kernels = drawn(CORE, 300, kernels=False), drawn(KERNELS, 40, kernels=True)
    assert len({each.name for each in core}) == 300
    assert len({each.name for each in kernels}) == 40
    folders = {each.file.rpartition("/")[0] for each in core}
    assert folders >= {"bsbench/rules", "bsbench/stats", "bsbench/runs"}
    assert all(each.kernel for each in kernels)


@pytest.mark.ci
def test_each_survivor_that_was_looked_at_is_still_a_mutant():
    names = {
        each.name
        for file in {name.partition(":")[0] for name in looked_at()}
        for each in mutants_of(file)
    }
    assert looked_at().keys() <= names
    assert all(looked_at().values())


@pytest.mark.slow  # starts pytest a dozen times
def test_what_a_test_looks_at_is_found_and_what_changes_nothing_survives(tmp_path):
    (tmp_path / "toy" / "most").mkdir(parents=True)
    (tmp_path / "tests").mkdir()
    (tmp_path / "toy" / "most" / "of.py").write_text(
        "LEAST = 3\n\ndef most(a, b):\n    return a if a > b else b\n\n"
        "def up(to):\n    while to > 0:\n        to -= 1\n    return to + LEAST\n\n"
        "def unseen():\n    return list()\n"
    )
    (tmp_path / "tests" / "test_of.py").write_text(
        "from toy.most.of import most, up\n\n"
        "def test_most():\n    assert most(1, 2) == most(2, 1) == 2\n\n"
        "def test_up():\n    assert up(2) == 3\n"
    )
    code = (
        "from pathlib import Path; from tests.mutants import hunted, mutants_of\n"
        "import sys; root = Path(sys.argv[1]); sys.path.append(str(root))\n"
        "for each in hunted(mutants_of('toy/most/of.py', root), 2, root):\n"
        "    print(each[0].name.partition(':')[2], '=', each[1], each[2])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    found = dict(line.split(" = ") for line in done.stdout.splitlines())
    assert found == {
        ": 3 -> 4": "True 2",
        "most: a > b -> a >= b": "False 1",
        "most: return a if a > b else b -> return None": "True 1",
        "up: to > 0 -> to >= 0": "True 1",
        "up: 0 -> 1": "True 1",
        "up: to -= 1 -> to += 1": "True 1",  # never ends
        "up: 1 -> 2": "False 1",
        "up: return to + LEAST -> return None": "True 1",
        "up: to + LEAST -> to - LEAST": "True 1",
        "unseen: return list() -> return None": "False 0",
    }, done.stderr[-2000:]
