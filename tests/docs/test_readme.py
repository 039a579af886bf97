"""What the documents tell users to type must exist."""

from __future__ import annotations

import re
import tomllib

import pandas as pd
import pytest

from bsbench.cli import main
from bsbench.reproduce.plan import find_plan
from bsbench.roster import find_strategy
from bsbench.rules.scenario import find_scenario
from bsbench.runs.records import load_result
from bsbench.runs.runfile import read_run_file
from bsbench.runs.sweeps import sweep_frame
from tests import pages
from tests.docs.test_blocks import COMMANDS
from tests.docs.test_guide import assert_shown, run
from tests.pages import parameters, results, winners_curse
from tests.pages.when_a_command_ends import commands
from tests.support import ROOT
from tests.support.helpers import strategies_of

README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = {
    path: path.read_text(encoding="utf-8")
    for path in sorted([*ROOT.glob("docs/*.md"), ROOT / "results" / "README.md"])
}
TEXT = "\n".join([README, *DOCUMENTS.values()])


def test_every_option_that_the_documents_name_exists():
    # Those of Slurm, pip, the benchmarks, workers of Dask and scripts in `examples/`.
    others = """
        --array --cpus-per-task --time --requeue --parsable --dependency --wrap --no-compile
        --find-links --index-url --only --quick --nworkers --nthreads --help --help-all
        --layouts --networks --rate --shrink --steps --width
    """
    # What follows the name of a bot is the bot's own.
    text = re.sub(r"cmd:[^'`\n]*", "", TEXT)
    named = set(re.findall(r"(?<=[ `])--[a-z][a-z-]+", text)) - {*others.split(), "--export-"}
    params = [*main.params, *(each for _, command in commands() for each in command.params)]
    assert named <= {option for each in params for option in (*each.opts, *each.secondary_opts)}


def test_toml_files_in_the_readme_are_correct(in_folder):
    blocks = re.findall(r"```toml\n(.*?)```", TEXT, flags=re.DOTALL)
    readers = {
        "strategy = ": read_run_file,
        "[[parts]]": find_plan,
        "[4, 3, 2, 2]": find_scenario,
        "[project.entry-points": tomllib.loads,
        "[[claim]]": tomllib.loads,
    }
    assert len(blocks) == len(readers)
    for block in blocks:
        (in_folder / "mine.toml").write_text(block, encoding="utf-8")
        (reader,) = (reader for mark, reader in readers.items() if mark in block)
        reader(block if reader is tomllib.loads else "mine.toml")


def test_linked_files_exist():
    for path, text in {ROOT / "README.md": README, **DOCUMENTS}.items():
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
            # What is in `reference` is made as the pages are built.
            known = target.startswith("reference/") or (path.parent / target).exists()
            assert "://" in target or known, f"{path.name}: {target}"
        for target in re.findall(r"`((?:results|tests|notebooks|bsbench)/[^`]*)`", text):
            assert (ROOT / target).exists(), f"{path.name}: {target}"


@pytest.mark.parametrize("folder", ["classic", "harbour", "sea-battle"])
def test_the_records_are_of_what_the_tables_say(folder):
    sections = results.sections(folder)
    shown = [result.strategy for section in sections for result in section.results]
    assert sorted(shown) == sorted(strategies_of(folder))
    base = find_scenario(folder)
    for section in sections:
        for result in section.results:
            strategy = find_strategy(result.strategy)()
            assert (result.games, result.partial, result.seed) == (1_000_000, False, 0)
            # A record may be older than a parameter that is as it was played at its default.
            assert result.parameters.items() <= strategy.parameters.items()
            assert result.label == strategy.label
            feedback = result.scenario.rules.feedback
            assert feedback >= strategy.needs
            # The scenario as it is, but for feedback raised to the strategies' need.
            assert result.scenario.rules == base.override(feedback=feedback).rules


def test_the_lines_of_python_print_results(capsys):
    (block,) = re.findall(r"```python\n(import bsbench\n.*?)```", README, flags=re.DOTALL)
    exec(compile(block.replace("100_000", "50"), "README.md", "exec"), {})
    printed = capsys.readouterr().out
    assert re.search(r"datagenetics.*classic.*lattice.*\b50 games", printed, re.DOTALL)


def test_the_record_is_a_record():
    figures, best_published, half_width = DOCUMENTS[ROOT / "docs" / "figures.md"], 44.37, 0.12
    for text in (figures, README):
        assert f"{best_published} ± {half_width}" in text
    folder = ROOT / "results" / "champions"
    for name in ("lattice", "lattice-net"):
        stats = load_result(folder / f"classic-sunk-{name}.json").stats
        assert stats.mean_text in figures
        assert stats.mean + stats.half_width < best_published - half_width


def test_the_readme_is_short():
    prose = re.sub(r"^```.*?^```$", "", README, flags=re.DOTALL | re.MULTILINE)
    assert len(re.findall(r"\S*\w\S*", prose)) <= 700


def test_the_readme_shows_what_its_commands_print(in_folder, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    result = load_result(ROOT / "results" / "harbour" / "prob.json")
    first, second = re.findall(r"```text\n(.*?)```", README, flags=re.DOTALL)
    assert f"`prob` needs {result.stats.mean:.3f} " in README
    assert_shown(first, run(f"bsbench show {ROOT / 'results' / 'harbour' / 'prob.json'}"))
    (name,) = re.findall(r"Save this as `(\S+)`", README)
    (code,) = re.findall(r"```python\n(class .*?)```", README, flags=re.DOTALL)
    assert len(code.splitlines()) <= 12
    (in_folder / name).write_text(code, encoding="utf-8")
    (line,) = re.findall(rf"^bsbench compare {name} .*$", README, flags=re.MULTILINE)
    assert_shown(second, run(line))


@pytest.mark.ci
@pytest.mark.parametrize("name", pages.page_names())
def test_the_tables_of_documents_are_those_of_the_records(name):
    text = pages.read_page(name)
    assert pages.with_tables(name, text) == text
    assert text.count("<!-- table ") == text.count("<!-- end -->") > 0
    # Nothing of the old tables is kept.
    old = re.sub(r"(<!-- table .*? -->).*?(<!-- end -->)", r"\1 old \2", text, flags=re.DOTALL)
    assert pages.with_tables(name, old) == text


@pytest.mark.ci
def test_what_the_text_says_of_parameters():
    def differences(part: str) -> pd.DataFrame:
        return sweep_frame(found[part].comparison).set_index("label")["difference"]

    found = parameters.sections()
    for part, section in found.items():
        games = {result.games for result in section.results}
        assert games == {200_000 if part == "parameters/learner" else 1_000_000}
    weight = "over9000 noise=0.0"
    pays, costs = -differences("edge/edge")[weight], differences("edge/uniform")[weight]
    assert 6 * costs > pays > 5 * costs > 0
    uniform = differences("edge/uniform")
    assert 0.05 < uniform["over9000-adaptive"] - uniform["over9000"] < 0.15
    on_edge = differences("parameters/edge-weight-edge")
    assert on_edge.idxmin() == "over9000 edge_weight=2.0 noise=0.0"
    assert 1.5 < differences("parameters/edge-weight")[on_edge.idxmin()] < 2.5
    grid = sweep_frame(found["parameters/learner"].comparison)
    means = grid.pivot(index="growth", columns="games_per_learner", values="mean")
    gains = means.loc[0.01] - means.loc[0.1]
    assert (gains > 0.3).all()
    assert gains.is_monotonic_decreasing
    assert differences("parameters/noise")["over9000 noise=0.1"] > 0.4
    hits = differences("parameters/hit-weight")
    assert hits["datagenetics hit_weight=3"] > 0.3
    assert all(abs(hits[f"datagenetics hit_weight={weight}"]) < 0.1 for weight in (10, 30, 1000))
    assert 0.2 < -differences("parameters/noise")[weight] < 0.3
    worst = {result.label: result.stats for result in found["parameters/noise-worst"].results}
    assert worst[weight].mean == worst[weight].best == worst[weight].worst == 72
    assert all(stats.mean < 45 for label, stats in worst.items() if label != weight)
    twenty = {result.label: result for result in found["parameters/twenty"].results}
    learns = twenty["over9000-adaptive"].learning
    assert learns is not None
    *_, last, _ = list(learns.stage_curve())[-1]
    plain = twenty["over9000 edge_weight=1.0 noise=0.0"].stats.mean
    assert plain - last == pytest.approx(11, abs=0.6)


@pytest.mark.ci
def test_what_the_page_on_tunings_says():
    text, record = pages.read_page("winners-curse"), winners_curse.tuning()
    assert record["text"] in " ".join(text.split())
    (words,) = (words for _, words in COMMANDS if "results/tuning/over9000-classic" in words)
    assert record["vary"] == [words[at + 1] for at, word in enumerate(words) if word == "--vary"]
    assert record["budget"]["games"] == float(words[words.index("--games") + 1])
    assert (record["scenario"]["name"], record["seed"]) == ("classic", 0)
    # What was best in the sweeps of docs/parameters.md is found again, and as good.
    (best,) = (
        result
        for result in parameters.sections()["parameters/edge-weight"].results
        if result.label == record["best"]["label"]
    )
    final = record["final"]["best"]
    assert abs(final["mean"] - best.stats.mean) < 2 * (final["half_width"] + best.stats.half_width)


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
        (row,) = re.findall(rf"^\| (.*) \| \| {re.escape(' | '.join(shown))} \|$", TEXT, re.M)
        assert ("96.5" in row) == bool(cut_off)
