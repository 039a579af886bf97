"""The examples of each help page run, with fewer games, in a folder that has what they name."""

from __future__ import annotations

import re
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.docs.test_shell import quick, shell
from tests.pages.when_a_command_ends import commands
from tests.support import ROOT

FEW = "--(games|until|from-records|config)| -n "
LESS = {
    r"^(bsbench tune .*-n )\d+": r"\g<1>20000",
    r"--until 0.01 --seed 0-9": "--until 1 --seed 0-2",
    r"(connect4 match .*(-n|--games)) \d+": r"\1 20",
    r"^(bsbench connect4 match )(?!.*(-n|--games))": r"\1-n 20 ",
    rf"^(bsbench tune )(?!.*({FEW}))": r"\g<1>--games 100000 ",
    rf"^(bsbench (run|compare|match|worst) )(?!.*({FEW}))": r"\g<1>-n 4000 ",
    r"^(bsbench compare .*(--fail-if|--until clear).*)": r"\1 || test $? = 1",
    r"^(bsbench cache --clear)": r"NUMBA_CACHE_DIR=compiled \1",
    r"\.parquet": ".parquet" if find_spec("pyarrow") else ".csv",
}
"""What becomes less, or may fail, and by what. Few games may not make it clear who is better."""

IN_TURN = {"layouts", "merge", "new", "run"}
"""Commands whose examples follow each other, in one folder."""

ANEW = {"merge", "new", "run"}
"""Commands whose examples make what the others find."""

CLASS = '''from dataclasses import dataclass


@dataclass
class Mine:
    """Shoots at the first open cell."""

    caution: int = 0

    def shoot(self, view):
        return view.open_cells[0]


MyStrategy = Mine
'''

BEFORE = """
cp -r {root}/examples/students students
cp students/ada.py mine.py
bsbench new my_hider.py --kind placer
bsbench run prob -n 4000 -o results/prob-harbour -q
bsbench run smart -n 4000 -o results/smart-harbour -q
cp results/*.json .
cp -r {root}/results/classic results/classic
bsbench run prob smart -n 4000 --scenario harbour -o results/harbour -q
cp prob-harbour.json night.json
bsbench run my_file.py:Mine -n 4000 -o mine.json -q
bsbench compare random linear -n 4000 -o both -q
mv both/random-classic.json a.json
mv both/linear-classic.json b.json
rm -r both
printf 'strategy = "prob"\\nscenario = "gym-5x5"\\n' > experiment.toml
printf 'title = "Mine"\\nscenario = "classic"\\ngames = 4000\\n' > mine.toml
printf 'strategies = ["random", "prob"]\\n' >> mine.toml
for row in 1 2 3 4 5 6 7 8 9 10; do echo ..........; done > board.txt
echo 'classic: A1=hit:5 A2=miss | 5:A1-E1 4:A3-D3 3:A5-C5 3:A7-C7 2:A9-B9' > game.txt
"""


EXAMPLES = {
    name: re.findall(r"^ *((?:echo .* \| )?bsbench .*?) *$", command.help or "", re.MULTILINE)
    for name, command in commands()
}


def test_what_becomes_less_is_in_a_help():
    lines = [line for found in EXAMPLES.values() for line in found]
    assert [each for each in LESS if not any(re.search(each, line) for line in lines)] == []
    assert [name for name, found in EXAMPLES.items() if not found] == []


@pytest.fixture(scope="module")
def named(tmp_path_factory) -> Path:
    """Return a folder with what examples name."""
    folder = tmp_path_factory.mktemp("named")
    (folder / "my_file.py").write_text(CLASS, encoding="utf-8")
    done = shell(BEFORE.format(root=ROOT), folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("command", EXAMPLES)
def test_examples_of_a_help_run(command, named, tmp_path):
    """Those of `bound` take minutes, whatever is asked for."""
    folder = tmp_path / "here"
    if command in ANEW:
        folder.mkdir()
        shutil.copy(named / "experiment.toml", folder)
    for example in EXAMPLES[command]:
        if command not in IN_TURN or not folder.exists():
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(named, folder)
        script = quick(example)
        assert script, example
        for pattern, less in LESS.items():
            script = re.sub(pattern, less, script)
        # Where somebody would type, the input ends at once.
        done = shell(script, folder)
        assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"
