"""What the documents tell users to type must exist."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import click
import numpy as np
import pandas as pd
import pytest

from bsbench.cli import main
from bsbench.reproduce.plan import find_plan
from bsbench.roster import find_strategy
from bsbench.rules.scenario import find_scenario
from bsbench.runs.exact import exact_law
from bsbench.runs.records import load_result
from bsbench.runs.runfile import read_run_file
from bsbench.stats import Difference, goodness_of_fit, interval_text
from tests.helpers import strategies_of

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = {path: path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("docs/*.md"))}
TEXT = "\n".join([README, *DOCUMENTS.values()])
COMMANDS = [
    shlex.split(line, comments=True)
    for block in re.findall(r"```sh\n(.*?)```", TEXT, flags=re.DOTALL)
    for line in re.findall(
        r"(?:^|bin/|do |[|] )(bsbench .*?)(?:;| \|\||$)", block, flags=re.MULTILINE
    )
]


def test_commands_are_found():
    assert len(COMMANDS) >= 8


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_in_the_readme_parses(words):
    group, words = main, words[1:]
    context = click.Context(main, info_name="bsbench", **main.context_settings)
    while isinstance(command := group.get_command(context, words[0]), click.Group):
        context = click.Context(command, parent=context, info_name=words[0])
        group, words = command, words[1:]
    with command.make_context(words[0], words[1:], parent=context):
        pass


def _options(command: click.Command) -> set[str]:
    """Return the options of a command, and of those within it."""
    found = {option for p in command.params for option in (*p.opts, *p.secondary_opts)}
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found |= _options(command.get_command(context, name))
    return found


def test_every_option_that_the_documents_name_exists():
    # The benchmarks have `--only`.
    named = set(re.findall(r"(?<=[ `])--[a-z][a-z-]+", TEXT)) - {"--only", "--help"}
    assert named <= _options(main)


def test_toml_files_in_the_readme_are_correct(in_folder):
    blocks = re.findall(r"```toml\n(.*?)```", TEXT, flags=re.DOTALL)
    readers = {
        "strategy = ": read_run_file,
        "[[parts]]": find_plan,
        "[4, 3, 2, 2]": find_scenario,
        "[project.entry-points": tomllib.loads,
    }
    assert len(blocks) == len(readers)
    for block in blocks:
        (in_folder / "mine.toml").write_text(block, encoding="utf-8")
        (reader,) = (reader for mark, reader in readers.items() if mark in block)
        reader(block if reader is tomllib.loads else "mine.toml")


def test_linked_files_exist():
    for path, text in {ROOT / "README.md": README, **DOCUMENTS}.items():
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
            assert "://" in target or (path.parent / target).exists(), f"{path.name}: {target}"
        for target in re.findall(r"`((?:results|tests|notebooks|bsbench)/[^`]*)`", text):
            assert (ROOT / target).exists(), f"{path.name}: {target}"


def _table_rows() -> dict[str, dict[str, list[str]]]:
    """Return the cells of the tables of strategies by scenario and strategy."""
    classic, harbour = README.split("On `harbour`", maxsplit=1)
    pattern = r"^\| `([\w-]+)` \| (\d\S* ± \S+ \| \d+ \| .*?) \|$"
    return {
        scenario: {
            name: cells.split(" | ")
            for name, cells in re.findall(pattern, text, flags=re.MULTILINE)
            if cells.count(" | ") == 6
        }
        for scenario, text in (("classic", classic), ("harbour", harbour))
    }


@pytest.mark.parametrize("folder", ["classic", "harbour"])
def test_the_tables_are_those_of_the_records(folder):
    rows = _table_rows()[folder]
    assert sorted(rows) == sorted(strategies_of(folder))
    for name, (mean, *others, rate) in rows.items():
        # Those that are told more are parts of their own, named by what they are told.
        (path,) = (
            path
            for part in ("", "sunk-", "ship-")
            if (path := ROOT / "results" / folder / f"{part}{name}.json").exists()
        )
        result = load_result(path)
        stats, rules = result.stats, result.scenario.rules
        strategy = find_strategy(name)()
        assert (stats.games, result.partial, result.seed) == (1_000_000, False, 0)
        assert result.parameters == strategy.parameters
        # The scenario as it is, but for feedback raised to the strategy's need.
        base = find_scenario(folder)
        needed = max(base.rules.feedback, strategy.needs)
        assert rules == base.override(feedback=needed).rules
        assert mean == stats.mean_text
        shown = [stats.median, stats.low, stats.high, stats.best, stats.worst]
        assert others == list(map(str, shown))
        assert int(rate.replace(",", "")) == pytest.approx(result.games_per_second, rel=1e-3)


@pytest.mark.slow
def test_the_exact_laws_are_those_of_the_records():
    rows = re.findall(r"^\| `(random|linear)` \| `(\w+)` \| (.*) \|$", TEXT, flags=re.MULTILINE)
    assert [row[:2] for row in rows] == [
        (strategy, scenario)
        for scenario in ("classic", "harbour")
        for strategy in ("random", "linear")
    ]
    for strategy, scenario, cells in rows:
        result = load_result(ROOT / "results" / scenario / f"{strategy}.json")
        law = exact_law(result.strategy, result.scenario)
        assert cells.split(" | ") == [
            f"{law @ np.arange(len(law)):.4f}",
            result.stats.mean_text,
            goodness_of_fit(result.counts, law).text,
        ]


def test_what_a_shooter_is_told_stands_above_its_row():
    told = README.index("**told more than the ones above**")
    for name in strategies_of("harbour"):
        place = README.rindex(f"| `{name}` |", 0, README.index("## Use"))
        assert (place > told) == (
            find_strategy(name).needs > find_scenario("harbour").rules.feedback
        )


def test_the_record_is_a_record():
    stats = load_result(ROOT / "results" / "classic" / "lattice.json").stats
    assert f"**`lattice` holds the record**: {stats.mean_text} moves" in README
    assert stats.mean <= 43.94
    best_published, half_width = 44.37, 0.12
    assert stats.mean + stats.half_width < best_published - half_width


def _compared(name: str) -> pd.DataFrame:
    table = pd.read_csv(ROOT / "results" / "compare" / f"{name}.csv")
    assert (table["games"] == 1_000_000).all()
    return table.set_index("label")


def _cells(table: pd.DataFrame, label: str) -> str:
    """Return what a table shows of a strategy: its mean, or the difference to the reference."""
    row = table.loc[label]
    if label == row["reference"]:
        return interval_text(row["mean"], row["half_width"])
    return Difference(row["difference"], row["difference_half_width"]).text


@pytest.mark.parametrize(
    "files",
    [("weights-uniform", "weights-edge", "weights-twenty"), ("noise-uniform", "noise-worst")],
)
def test_tables_of_parameters_are_those_compared(files):
    tables = [_compared(file) for file in files]
    for label in tables[0].index:
        assert f"| `{label}` | {' | '.join(_cells(t, label) for t in tables)} |" in TEXT


def test_the_table_of_hit_weights_is_that_compared():
    table = _compared("hit-weight")
    weights = [int(label.partition("=")[2] or 5) for label in table.index]
    table = table.iloc[np.argsort(weights)]
    means = [interval_text(*row) for row in table[["mean", "half_width"]].to_numpy()]
    differences = [
        "reference" if label == "datagenetics" else _cells(table, label) for label in table.index
    ]
    assert f"| `hit_weight` | {' | '.join(map(str, sorted(weights)))} |" in TEXT
    assert f"| mean | {' | '.join(means)} |" in TEXT
    assert f"| difference | {' | '.join(differences)} |" in TEXT


def test_what_the_text_says_of_parameters():
    weight, noise = "over9000 noise=0.0", "over9000"
    pays = -_compared("weights-edge").loc[weight, "difference"]
    costs = _compared("weights-uniform").loc[weight, "difference"]
    assert 6 * costs > pays > 5 * costs > 0
    assert 0 < _compared("noise-uniform").loc[noise, "difference"] < 0.3
    learns = "over9000-adaptive"
    for placement in ("edge", "twenty"):
        row = _compared(f"weights-{placement}").loc[learns]
        assert row["difference"] + row["difference_half_width"] < 0
    table = _compared("learning-uniform")
    row = table.loc[learns]
    assert row["difference"] + row["difference_half_width"] < 0.2
    assert f"there is nothing to learn, it costs {_cells(table, learns)[1:]} moves" in TEXT


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
        assert f"| `{name}` | {figure} | {cells} |" in TEXT
    for cut_off in (0, 0.5):
        squares = [
            sum((means[name, law] - figure - cut_off) ** 2 for name, figure in published.items())
            for law in laws
        ]
        shown = [f"{(square / 4) ** 0.5:.2f}" for square in squares]
        row = "the same, if cut off (from 96.5 …)" if cut_off else "root mean square difference"
        assert f"| {row} | | {' | '.join(shown)} |" in TEXT
