"""What papers cite."""

from __future__ import annotations

import re
import tomllib
from datetime import date
from pathlib import Path

from click.testing import CliRunner

import bsbench
from bsbench.cli import main
from bsbench.cli.installed import TOPICS
from bsbench.present.citing import REPOSITORY, bibtex, methods
from bsbench.runs.finding import find_records
from bsbench.runs.records import load_result
from tests.support import ROOT
from tests.support.fuzzing import ended
from tests.support.refusals import assert_refused


def _invoke(*words: str) -> str:
    done = CliRunner().invoke(main, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_all_places_name_one_repository_and_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["urls"]["Repository"] == REPOSITORY
    assert all(url.startswith(REPOSITORY) for url in project["urls"].values())
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert text.count("https://github.com/") == text.count(REPOSITORY)
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f'repository-code: "{REPOSITORY}"' in citation
    assert f"\nversion: {bsbench.__version__}\n" in citation


def test_a_paragraph_has_what_another_needs_to_play_it_again():
    (path,) = find_records(["@classic/lattice"])
    result = load_result(path)
    text = methods(result)
    for fact in (
        result.stats.mean_text,
        result.tally.digest,
        f"{result.games:,} games",
        f"seed {result.seed}",
        f"layout stream {result.stream_version}",
        f"bsbench {result.bsbench}",
        "5, 4, 3, 3 and 2, which may touch",
        "equally likely",
    ):
        assert fact in text


def test_the_command_prints_one_entry_and_a_paragraph_for_each_record():
    assert _invoke("cite").strip() == bibtex(year=f"{date.today().year}")
    text = _invoke("cite", "@classic/lattice", "@classic/prob")
    assert text.count("@software{bsbench,") == 1
    assert len(re.findall(r"^We played .* of the strategy", text, flags=re.MULTILINE)) == 2


def test_docs_has_a_topic_for_each_page(monkeypatch, in_folder):
    assert [path.stem for path in sorted((ROOT / "docs").glob("*.md"))] == TOPICS
    clone = in_folder / "clone"
    for file in ("docs/index.md", "docs/salvos.md", "docs/_build/html/trust.html"):
        (clone / file).parent.mkdir(parents=True, exist_ok=True)
        (clone / file).touch()
    (clone / "bsbench").mkdir()
    monkeypatch.setattr(
        "bsbench.cli.installed.__file__", str(in_folder / "lib/bsbench/cli/installed.py")
    )
    address = _invoke("docs", "salvos", "--print").strip()
    assert address == f"{REPOSITORY}/blob/main/docs/salvos.md"
    monkeypatch.chdir(clone)
    for topic, page in (("salvos", "docs/salvos.md"), ("trust", "docs/_build/html/trust.html")):
        assert _invoke("docs", topic, "--print").strip() == str(clone / page)
    assert_refused(ended("docs", "salvo", "--print"), "salvo", "'salvos'")


def test_docs_of_an_installed_package_are_those_of_the_clone_around(monkeypatch, in_folder):
    monkeypatch.setattr(
        "bsbench.cli.installed.__file__", str(in_folder / "lib/bsbench/cli/installed.py")
    )
    assert _invoke("docs", "--print").strip() == f"{REPOSITORY}/tree/main/docs"
    for folder in (ROOT, ROOT / "tests"):
        monkeypatch.chdir(folder)
        assert Path(_invoke("docs", "--print").strip()).is_relative_to(ROOT / "docs")
    # The environment of README is in the clone; its user may be elsewhere.
    monkeypatch.chdir(in_folder)
    module = ROOT / ".venv/lib/python3.11/site-packages/bsbench/cli/installed.py"
    monkeypatch.setattr("bsbench.cli.installed.__file__", str(module))
    assert Path(_invoke("docs", "--print").strip()).is_relative_to(ROOT / "docs")
