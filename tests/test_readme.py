"""What the documents tell users to type must exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from bsbench.cli import main
from bsbench.results import load_result
from bsbench.runfile import read_run_file
from bsbench.scenario import find_scenario

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = [
    shlex.split(line, comments=True)
    for block in re.findall(r"```sh\n(.*?)```", README, flags=re.DOTALL)
    for line in re.findall(r"(?:^|bin/|do |[|] )(bsbench .*?)(?:;|$)", block, flags=re.MULTILINE)
]


def test_commands_are_found():
    assert len(COMMANDS) >= 8


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_in_the_readme_parses(words):
    command = main.commands[words[1]]
    parent = click.Context(main, info_name="bsbench", **main.context_settings)
    with command.make_context(words[1], words[2:], parent=parent):
        pass


def test_every_option_of_run_that_the_readme_names_exists():
    known = {
        option for command in main.commands.values() for p in command.params for option in p.opts
    }
    known |= {option for p in main.commands["run"].params for option in p.secondary_opts}
    named = set(re.findall(r"(?<=[ `])--[a-z][a-z-]+", README)) - {"--quiet", "--help"}
    assert named <= known


def test_toml_files_in_the_readme_are_correct(in_folder):
    blocks = re.findall(r"```toml\n(.*?)```", README, flags=re.DOTALL)
    run_files = [block for block in blocks if "strategy =" in block]
    assert (len(blocks), len(run_files)) == (2, 1)
    for block in blocks:
        (in_folder / "mine.toml").write_text(block, encoding="utf-8")
        (read_run_file if block in run_files else find_scenario)("mine.toml")


def test_linked_files_exist():
    for target in re.findall(r"\]\(([^)]+)\)", README) + re.findall(
        r"`((?:results|tests|notebooks|bsbench)/[^`]*)`", README
    ):
        assert (ROOT / target).exists(), target


def test_the_table_is_that_of_the_records():
    rows = re.findall(r"^\| `([a-z-]+)` \| (\d\S* ± .*?) \|$", README, flags=re.MULTILINE)
    assert [name for name, _ in rows] == ["random", "linear", "smart", "smart-random", "prob"]
    for name, cells in rows:
        result = load_result(ROOT / "results" / "readme" / f"{name}-harbour.json")
        stats = result.stats
        mean, half_width, *others = re.split(r" ± | \| ", cells)
        assert (stats.games, result.partial) == (1_000_000, False)
        assert f"{mean} ± {half_width}" == stats.mean_text
        whole = [stats.median, stats.low, stats.high, stats.best, stats.worst]
        assert others[:-1] == [f"{stats.sd:.2f}", *map(str, whole)]
        assert int(others[-1].replace(",", "")) == pytest.approx(result.games_per_second, rel=1e-3)


def test_the_table_of_spot_the_ships_is_that_of_the_records():
    published = {"random": 96, "linear": 94, "smart": 68, "prob": 60}
    laws = ("uniform", "longest", "shortest")
    means = {
        (name, law): load_result(
            ROOT / "results" / "spot-the-ships" / f"{name}-{law}.json"
        ).stats.mean
        for name in published
        for law in laws
    }
    for name, figure in published.items():
        cells = " | ".join(f"{means[name, law]:.3f}" for law in laws)
        assert f"| `{name}` | {figure} | {cells} |" in README
    for cut_off in (0, 0.5):
        squares = [
            sum((means[name, law] - figure - cut_off) ** 2 for name, figure in published.items())
            for law in laws
        ]
        shown = [f"{(square / 4) ** 0.5:.2f}" for square in squares]
        row = "the same, if cut off (from 96.5 …)" if cut_off else "root mean square difference"
        assert f"| {row} | | {' | '.join(shown)} |" in README
