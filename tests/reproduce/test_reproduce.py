"""Folders of results that are made again: the same bytes, the old ones whole, no other's file."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

import bsbench
import bsbench.reproduce.folder as reproduce_module
from bsbench.cli import main
from bsbench.common.files import MANIFEST
from bsbench.common.machine import installed_versions
from bsbench.present.report import CHARTS_DRAWN_WITH, ReportSection
from bsbench.reproduce.folder import (
    ManifestRecord,
    load_report,
    other_results,
    play,
    reworded,
    save_report,
    write_files,
)
from bsbench.reproduce.plan import find_plan, plan_names
from bsbench.runs.comparing import play_together
from bsbench.runs.records import load_result
from tests.support import ROOT
from tests.support.damage import check_refusals
from tests.support.refusals import assert_refused, refused

MINE = """
title = "A pond"
text = "Small."
scenario = "pond.toml"
games = 300
seed = 4
reference = "linear"
charts = ["ecdf"]

[[parts]]
strategies = ["random", "linear"]

[[parts]]
name = "b"
strategies = ["linear", "over9000,noise=0"]
"""
BRIEF = """
title = "A puddle"
scenario = "pond.toml"
strategies = ["linear", "random"]
games = 300
seed = 4
"""
"""Played in a moment: for tests in which the old results stay, whatever the new ones are."""
POND = """
board = "6x6"
fleet = [3, 2]
touching = true
feedback = "ship"
"""


def _write_mine(folder: Path) -> None:
    (folder / "pond.toml").write_text(POND, encoding="utf-8")
    (folder / "mine.toml").write_text(MINE, encoding="utf-8")


@pytest.fixture
def mine(in_folder) -> str:
    """Write a plan, and the scenario that it names."""
    _write_mine(in_folder)
    return "mine.toml"


@pytest.fixture
def brief(mine, monkeypatch) -> str:
    """Write a plan of the same name that is played faster and has no charts."""
    monkeypatch.setattr(ReportSection, "shown_charts", property(lambda section: section.charts))
    Path(mine).write_text(BRIEF, encoding="utf-8")
    return mine


@pytest.fixture(scope="module")
def played(tmp_path_factory) -> tuple[Path, Result]:
    """Play the plan on one thread; return its folder, and what the command said."""
    folder = tmp_path_factory.mktemp("played")
    _write_mine(folder)
    with contextlib.chdir(folder):
        result = _run("mine.toml", "--threads", "1")
    assert result.exit_code == 0, result.output
    return folder, result


@pytest.fixture
def results(mine, played) -> None:
    """Put the results of the plan where it would put them."""
    shutil.copytree(played[0] / "results", "results")


def _run(*arguments: str):
    return CliRunner().invoke(main, ["reproduce", *arguments], prog_name="bsbench")


def test_a_plan_says_which_charts_are_also_dark(brief):
    plan = Path(brief)

    def dark(*said: str) -> list[str]:
        plan.write_text("\n".join([BRIEF, *said]), encoding="utf-8")
        result = _run(brief, *(["--from-records"] if Path("results").exists() else []))
        assert result.exit_code == 0, result.output
        assert Path("results/mine/ecdf.png").exists()
        return sorted(path.name for path in Path("results/mine").glob("*-dark*"))

    assert dark('charts = ["ecdf"]', 'dark = ["ecdf"]') == ["ecdf-dark.png"]
    both = 'charts = ["ecdf", "efficiency"]'
    assert dark(both, 'dark = ["efficiency"]') == ["efficiency-dark.png"]
    assert dark('charts = ["ecdf"]') == []
    plan.write_text(f'{BRIEF}charts = ["ecdf"]\ndark = ["speed"]\n', encoding="utf-8")
    assert_refused(_run(brief), "speed", "ecdf")


def _contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def _lasting(contents: dict[str, bytes]) -> dict[str, str | bytes]:
    """Return what must be the same when the same games are played again."""
    kept: dict[str, str | bytes] = {}
    for name, content in contents.items():
        if name == "report.md":
            kept[name], _ = content.decode().split("## Where and when\n")
        elif name.endswith(".json") and name != MANIFEST:
            record = json.loads(content)
            last = ["threads", "seconds", "machine", "versions", "date"]
            assert list(record)[-5:] == last
            kept[name] = json.dumps({key: record[key] for key in record if key not in last})
        else:
            kept[name] = content
    return kept


def test_a_plan_is_played_and_reported(played, monkeypatch):
    there, result = played
    monkeypatch.chdir(there)
    assert "saved results/mine" in result.stdout
    assert "over9000 noise=0.0" in result.stdout
    folder = Path("results/mine")
    strategies = ["linear", "over9000-noise-0.0"]
    records = ["linear.json", "random.json", *(f"b-{name}.json" for name in strategies)]
    drawn = [f"{part}{kind}" for part in ("", "b-") for kind in ("ranking", "ecdf")]
    charts = [f"{chart}.{kind}" for chart in drawn for kind in ("png", "svg")]
    others = ["report.md", "reproduce.json", "table.csv", "table.md"]
    assert sorted(_contents(folder)) == sorted([*records, *charts, *others])
    assert sorted(path.name for path in Path("results").iterdir()) == ["mine"]
    assert folder.stat().st_mode & 0o777 == 0o777 & ~_umask()

    found = [each for section in load_report(folder).sections for each in section.results]
    assert all(each.moves is None and each.tally.has_evidence for each in found)
    table = pd.read_csv(folder / "table.csv", keep_default_na=False, na_values=[""])
    assert table["part"].isna().tolist() == [True, True, False, False]
    for record, (_, row) in zip(records[1::-1] + records[2:], table.iterrows(), strict=True):
        played = load_result(folder / record)
        again = bsbench.run(
            bsbench.make_strategy(played.strategy, played.parameters),
            "pond.toml",
            games=300,
            seed=4,
        )
        assert (played.counts == again.counts).all()
        assert (row["label"], row["games"], row["seed"]) == (again.label, 300, 4)
        assert row["mean"] == again.stats.mean


def _umask() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return umask


def test_differences_are_those_of_the_comparison(mine):
    report = play(find_plan(mine))
    save_report(report, Path("there"))
    for given in (report, load_report("there")):
        for section in given.sections:
            names = [r.label.replace(" ", ",") for r in section.results]
            comparison = bsbench.compare(names, "pond.toml", games=300, seed=4, reference="linear")
            (reference,) = (r.moves.astype(int) for r in comparison.results if r.label == "linear")
            for result, difference, shown, pair in zip(
                comparison.results,
                comparison.differences,
                section.results,
                section.comparison.pairs,
                strict=True,
            ):
                assert shown.label == result.label
                assert pair.difference == difference
                moves = result.moves.astype(int) - reference
                race = (pair.race.wins, pair.race.ties, pair.race.losses)
                assert race == ((moves < 0).sum(), (moves == 0).sum(), (moves > 0).sum())
                assert pair.race.games == 300
                expected = np.bincount(moves - moves.min())
                assert (pair.least, pair.counts.tolist()) == (moves.min(), expected.tolist())


@pytest.mark.usefixtures("results")
def test_made_again_the_files_are_the_same_but_for_times(mine):
    first = _contents(Path("results/mine"))
    result = _run(mine, "--threads", "3")
    assert "the results are those in results/mine\n" in result.stdout
    again = _contents(Path("results/mine"))
    assert _lasting(first) == _lasting(again)
    # Without playing, all are the same.
    result = _run(mine, "--from-records")
    assert result.exit_code == 0, result.output
    assert _contents(Path("results/mine")) == again


@pytest.mark.usefixtures("results")
def test_other_results_than_before_are_named(brief):
    other = bsbench.run("random", "pond.toml", games=300, seed=5)
    before = load_report("results/mine")
    (section, *_), changed = before.sections, dataclasses.replace(other, seed=4)
    results = tuple(changed if r.label == "random" else r for r in section.results)
    comparison = dataclasses.replace(section.comparison, results=results)
    wrong = dataclasses.replace(
        before, sections=(dataclasses.replace(section, comparison=comparison),)
    )
    report = play(find_plan(brief))
    assert other_results(report, wrong) == ["random"]
    assert other_results(report, before) == []
    assert other_results(play(find_plan(brief, games=20)), before) is None


@pytest.mark.usefixtures("in_folder")
def test_without_a_folder_the_records_are_those_that_come_with_bsbench(mine):
    result = _run("rollouts", "--from-records", "-q")
    assert result.exit_code == 0, result.output
    ours = ROOT / "results" / "rollouts"
    for name in ("report.md", "gym-5x5-lattice.json", "reproduce.json"):
        assert Path("results/rollouts", name).read_bytes() == (ours / name).read_bytes()
    result = _run(mine, "--from-records")
    assert_refused(result, "results/mine/reproduce.json")


@pytest.mark.usefixtures("results")
def test_words_and_charts_follow_the_run_file_without_playing(mine):
    before = _contents(Path("results/mine"))
    text = MINE.replace("A pond", "Another").replace('charts = ["ecdf"]', 'charts = ["efficiency"]')
    Path(mine).write_text(text, encoding="utf-8")
    assert _run(mine, "-q", "--from-records").exit_code == 0
    after = _contents(Path("results/mine"))
    assert "# Another\n" in after["report.md"].decode()
    assert "b-efficiency.svg" in after
    assert "b-ecdf.svg" not in after
    assert after["table.csv"] == before["table.csv"]
    for change in ('"random", "linear"', 'reference = "linear"', 'name = "b"', "pond.toml"):
        assert change in text
        other = {"pond.toml": "classic", 'name = "b"': 'name = "c"'}.get(
            change, change.replace('"linear"', '"linear", "smart"').replace('= "linear", ', "= ")
        )
        Path(mine).write_text(text.replace(change, other), encoding="utf-8")
        result = _run(mine, "--from-records")
        assert result.exit_code == 2, change
    assert _contents(Path("results/mine")) == after


@pytest.mark.parametrize("arguments", [["--games", "50"], ["--seed", "9"]])
@pytest.mark.usefixtures("results")
def test_trials_leave_the_results_alone(brief, arguments):
    before = _contents(Path("results/mine"))
    assert _run(brief, "-q", *arguments).exit_code == 0
    assert _contents(Path("results/mine")) == before
    record = load_result("results/mine-trial/linear.json")
    wanted = {"--games": (50, 4), "--seed": (300, 9)}[arguments[0]]
    assert (record.games, record.seed) == wanted
    command = f"bsbench reproduce mine.toml {' '.join(arguments)}"
    assert f"\n{command}\n" in Path("results/mine-trial/report.md").read_text(encoding="utf-8")


def test_a_link_to_a_folder_stays_one(brief):
    Path("elsewhere").mkdir()
    Path("link").symlink_to("elsewhere")
    for _ in range(2):
        assert _run(brief, "-q", "-o", "link").exit_code == 0
        assert Path("link").is_symlink()
        assert "report.md" in _contents(Path("elsewhere"))


@pytest.mark.usefixtures("results")
def test_a_folder_with_files_of_others_is_refused_before_playing(mine, monkeypatch):
    Path("results/mine/notes.md").write_text("mine", encoding="utf-8")
    before = _contents(Path("results/mine"))
    monkeypatch.setattr(reproduce_module, "play_together", None)
    result = _run(mine)
    assert_refused(result, "results/mine", "notes.md", "--output")
    assert _contents(Path("results/mine")) == before


@pytest.mark.usefixtures("results")
def test_a_folder_without_a_list_of_its_files_is_all_of_others(mine):
    folder = Path("results/mine")
    for damage in ("{}", "[]", "{", None):
        path = folder / MANIFEST
        path.write_text(damage) if damage else path.unlink()
        assert_refused(_run(mine), "results/mine", "b-ecdf.png", "b-ecdf.svg", "b-linear.json")
    os.rename(folder, "away")
    folder.write_text("a file")
    assert_refused(_run(mine), "results/mine")


@pytest.mark.usefixtures("results")
def test_a_file_that_comes_in_the_meantime_is_kept(brief, monkeypatch):
    write = reproduce_module.write_files

    def slowly(report, folder):
        write(report, folder)
        Path("results/mine/notes.md").write_text("mine", encoding="utf-8")

    monkeypatch.setattr(reproduce_module, "write_files", slowly)
    result = _run(brief)
    assert result.exit_code == 0
    assert "saved results/mine-2" in result.stdout
    assert "report.md" in _contents(Path("results/mine-2"))
    assert Path("results/mine/notes.md").read_text() == "mine"


@pytest.mark.parametrize("step", ["write_results", "write_record", "rename"])
@pytest.mark.usefixtures("results")
def test_whatever_goes_wrong_the_old_results_stay(brief, monkeypatch, step):
    before = _contents(Path("results/mine"))
    rename = Path.rename

    def fail(*arguments, **named):
        if step == "rename" and arguments[0].name != "new":
            return rename(*arguments)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path if step == "rename" else reproduce_module, step, fail)
    result = _run(brief)
    assert result.exit_code == 3
    assert "No space left on device" in result.stderr
    assert _contents(Path("results/mine")) == before
    if step != "rename":
        assert [path.name for path in Path("results").iterdir()] == ["mine"]


def _interrupted(*arguments, **named):
    raise KeyboardInterrupt


def _interrupted_later(*arguments, **named):
    whole = play_together(*arguments, **named)
    return dataclasses.replace(whole, missing=("smart",))


@pytest.mark.parametrize(
    ("step", "interrupted"),
    [
        ("reproduce.folder.play_together", _interrupted),
        ("reproduce.folder.play_together", _interrupted_later),
        ("reproduce.folder.write_record", _interrupted),
        ("common.files._exchange", _interrupted),
    ],
)
@pytest.mark.usefixtures("results")
def test_ctrl_c_leaves_the_old_results(brief, monkeypatch, step, interrupted):
    before = _contents(Path("results/mine"))
    monkeypatch.setattr(f"bsbench.{step}", interrupted)
    result = _run(brief)
    assert (result.exit_code, result.stdout) == (130, "")
    assert result.stderr.startswith("Interrupted")
    assert _contents(Path("results/mine")) == before
    # Nothing was played before the first of these.
    left = (
        [] if interrupted is _interrupted and step.endswith("play_together") else ["mine.journal"]
    )
    assert sorted(os.listdir("results")) == ["mine", *left]
    assert ("--resume" in result.stderr) == bool(left)


@pytest.mark.parametrize("step", ["new", "mine"])
def test_ctrl_c_while_folders_change_places_leaves_one_of_them(brief, monkeypatch, step):
    assert _run(brief, "-q").exit_code == 0
    before = _lasting(_contents(Path("results/mine")))
    rename = Path.rename

    def interrupted(path, target):
        rename(path, target)
        if path.name == step:
            monkeypatch.setattr(Path, "rename", rename)
            raise KeyboardInterrupt

    monkeypatch.setattr(Path, "rename", interrupted)
    assert _run(brief).exit_code == 130
    assert _lasting(_contents(Path("results/mine"))) == before
    assert sorted(os.listdir("results")) == ["mine", "mine.journal"]


def test_without_a_name_the_bundled_ones_are_listed(in_folder):
    result = _run()
    assert result.exit_code == 0
    for name in plan_names():
        assert re.search(rf"^{name} +{re.escape(find_plan(name).title)} ", result.stdout, re.M)
    assert not list(in_folder.iterdir())


def test_bad_input_gets_a_sentence(in_folder):
    for arguments, *named in (
        (["classic", "--from-records", "-n", "9"], "--from-records"),
        (["clasic"], "clasic", "classic"),
    ):
        assert_refused(_run(*arguments), *named)
    assert not list(in_folder.iterdir())


def test_two_files_of_one_name_are_refused(in_folder, monkeypatch):
    (in_folder / "mine.toml").write_text(
        'title = "T"\nscenario = "classic"\nstrategies = ["linear", "random"]\ngames = 100\n'
        '[[parts]]\nname = "a"\n[[parts]]\nname = "a-b"\n',
        encoding="utf-8",
    )
    report = play(find_plan("mine.toml"))
    one, other = report.sections
    clash = dataclasses.replace(other, name="A")
    with refused("A-linear.json"):
        save_report(type(report)("T", "", (one, clash)), Path("there"))
    assert not Path("there").exists()


@pytest.mark.usefixtures("results")
def test_whatever_is_wrong_in_a_manifest_is_refused_by_its_key():
    path = Path("results/mine", MANIFEST)
    content = json.loads(path.read_text(encoding="utf-8"))
    check_refusals(lambda path: load_report(path.parent), content, ManifestRecord, path)


@pytest.mark.parametrize(
    ("named", "change"),
    [
        ("prob", lambda manifest, pair: manifest["sections"][0].update(reference="prob")),
        (
            "nowhere.json",
            lambda manifest, pair: manifest["sections"][0]["results"].append("nowhere.json"),
        ),
        ("record", lambda manifest, pair: manifest["sections"][0]["results"].append("../x.json")),
        ("title", lambda manifest, pair: manifest.update(title="two\nlines")),
        ("command", lambda manifest, pair: manifest.update(command="rm -r /")),
        (
            "differences",
            lambda manifest, pair: pair["counts"].__setitem__(0, pair["counts"][0] + 1),
        ),
        ("mean", lambda manifest, pair: pair.update(mean=pair["mean"] + 0.5)),
        ("reference", lambda manifest, pair: pair.update(digest=pair["digest"][::-1])),
    ],
)
@pytest.mark.usefixtures("results")
def test_folders_that_contradict_themselves_are_refused(named, change):
    path = Path("results/mine", MANIFEST)
    manifest = json.loads(path.read_text(encoding="utf-8"))
    first = path.with_name(manifest["sections"][0]["results"][0])
    record = json.loads(first.read_text(encoding="utf-8"))
    change(manifest, record["against"])
    path.write_text(json.dumps(manifest), encoding="utf-8")
    first.write_text(json.dumps(record), encoding="utf-8")
    with refused(str(path), named):
        load_report("results/mine")


@pytest.mark.parametrize(
    # One of them always; the others, of many strategies, take longer.
    "name",
    [
        name if name == "efficiency-harbour" else pytest.param(name, marks=pytest.mark.slow)
        for name in plan_names()
    ],
)
def test_bundled_run_files_are_reproduced(in_folder, monkeypatch, name):
    # Without the exact law of linear on harbour, which takes longer than all the rest.
    monkeypatch.setattr("bsbench.present.charts.histogram.exact_law", lambda *asked: None)
    result = _run(name, "--games", "100", "-q")
    assert result.exit_code == 0, result.output
    folder = Path("results", f"{name}-trial")
    plan = find_plan(name, games=100)
    report = load_report(folder)
    assert reworded(report, plan).command == plan.command
    write_files(reworded(report, plan), in_folder)
    assert _contents(folder).items() <= _contents_of_files(in_folder).items()
    shown = (folder / "report.md").read_text(encoding="utf-8")
    for part, section in zip(plan.parts, report.sections, strict=True):
        assert {result.games for result in section.results} == {part.games} == {100}
        for chart in part.charts:
            assert f"]({section.file_name(chart)}.svg)" in shown


def _contents_of_files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize(
    "name",
    [
        name if name == "classic" else pytest.param(name, marks=pytest.mark.slow)
        for name in plan_names()
    ],
)
def test_committed_results_are_those_of_their_records(tmp_path, name):
    folder = ROOT / "results" / name
    plan = find_plan(name)
    report = load_report(folder)
    # As the plan says, at its full size.
    assert report.command == plan.command
    for part, section in zip(plan.parts, report.sections, strict=True):
        assert {(r.games, r.seed, r.partial) for r in section.results} == {
            (part.games, part.seed, False)
        }
    versions = {result.bsbench for result in report.results}
    told = (folder / "report.md").read_text(encoding="utf-8")
    assert f"```sh\n{plan.command}\n```" in told
    assert all(f"bsbench {version}, layout stream " in told for version in versions)
    assert all(f"- seed: {part.seed}\n" in told for part in plan.parts)

    write_files(reworded(report, plan), tmp_path)
    made, committed = _contents(tmp_path), _contents(folder)
    assert set(made) == set(committed)
    drawn = ", ".join(f"{k} {v}" for k, v in installed_versions(CHARTS_DRAWN_WITH).items())
    for file, content in committed.items():
        # With other versions of the libraries, charts may have other bytes.
        if f"charts: {drawn}" in told or Path(file).suffix not in (".png", ".svg", ".html", ".md"):
            assert made[file] == content, file
