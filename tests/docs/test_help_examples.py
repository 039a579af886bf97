"""The examples of each help page run, with fewer games, in a folder that has what they name."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from bsbench.cli import main
from tests.docs.test_shell import quick, shell
from tests.support import ROOT

ELSEWHERE = {
    "connect4": "tests/connect4/test_commands.py",
}
"""Groups whose examples don't run here, and why."""

LEFT_OUT = {
    r"^bsbench play|--interactive": "waits for somebody who types: tests/play",
    r"^bsbench (optimum --board 5x5|bound( gym-10x10)?$)": "takes minutes",
    r"^bsbench value --board 5x5": "takes minutes: tests/studies/test_value.py",
    r"^bsbench reproduce$": "plays all plans: tests/reproduce",
    r"^bsbench cache --clear": "would compile all kernels again for all other tests",
    r"^bsbench docs$": "opens a browser",
    r"^bsbench show .*parquet": "needs the extra parquet",
    r"^bsbench reproduce efficiency-harbour": "takes minutes: tests/reproduce",
}
"""Examples that don't run here, and why."""

FEW = "--(games|until|from-records|config)| -n "
LESS = {
    r"^(bsbench tune .*-n )\d+": r"\g<1>20000",
    r"--until 0.01 --seed 0-9": "--until 1 --seed 0-2",
    rf"^(bsbench (duel|tune) )(?!.*({FEW}))": r"\g<1>--games 100000 ",
    rf"^(bsbench (run|compare|match|worst) )(?!.*({FEW}))": r"\g<1>-n 4000 ",
    r"^(bsbench (compare .*--fail-if|duel) .*)": r"\1 || test $? = 1",
}
"""What becomes less, or may fail, and by what. A duel of few games is open: exit code 1."""

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
printf 'title = "Mine"\\ngames = 4000\\nstrategies = ["random", "prob"]\\n' > mine.toml
for row in 1 2 3 4 5 6 7 8 9 10; do echo ..........; done > board.txt
"""


def helps(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, list[str]]]:
    """Yield each command with its examples."""
    context = click.Context(group, info_name="bsbench")
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from helps(command, (*path, name))
            continue
        lines = (line.strip() for line in (command.help or "").splitlines())
        found = [line for line in lines if line.startswith("bsbench ")]
        yield " ".join([*path, name]), found


EXAMPLES = dict(helps(main))


def test_what_is_left_out_is_in_a_help():
    lines = [line for found in EXAMPLES.values() for line in found]
    assert [each for each in LEFT_OUT if not any(re.search(each, line) for line in lines)] == []
    assert {name.split()[0] for name in EXAMPLES} >= ELSEWHERE.keys()


@pytest.fixture(scope="module")
def named(tmp_path_factory) -> Path:
    """Return a folder with what examples name."""
    folder = tmp_path_factory.mktemp("named")
    (folder / "my_file.py").write_text(CLASS, encoding="utf-8")
    done = shell(BEFORE.format(root=ROOT), folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", [name for name in EXAMPLES if name.split()[0] not in ELSEWHERE and EXAMPLES[name]]
)
def test_examples_of_a_help_run(command, named, tmp_path):
    folder = tmp_path / "here"
    if command in ANEW:
        folder.mkdir()
        shutil.copy(named / "experiment.toml", folder)
    for example in EXAMPLES[command]:
        if any(re.search(each, example) for each in LEFT_OUT):
            continue
        if command not in IN_TURN or not folder.exists():
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(named, folder)
        script = quick(example)
        for pattern, less in LESS.items():
            script = re.sub(pattern, less, script)
        done = shell(script, folder)
        assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"
