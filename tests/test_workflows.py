"""What is for GitHub alone can't run here; what it calls can, and exists."""

from __future__ import annotations

import itertools
import os
import re
import shlex
from typing import Any

import pytest
import yaml

from tests.support import ROOT
from tests.support.commands import parsed
from tests.test_versions import PYTHONS, sessions

GITHUB = ROOT / ".github"
WORKFLOWS = {path.stem: path for path in sorted(GITHUB.glob("workflows/*.yml"))}
TEXTS = [
    ROOT / "SECURITY.md",
    ROOT / ".pre-commit-config.yaml",
    *(path for path in sorted(GITHUB.rglob("*")) if path.is_file()),
]

MAY_WRITE = {("site", "publish"): {"pages", "id-token"}, ("release", "publish"): {"id-token"}}
"""The jobs whose token may do more than read the repository."""


def _read(path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def _jobs() -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (workflow, name, job)
        for workflow, path in WORKFLOWS.items()
        for name, job in _read(path)["jobs"].items()
    ]


def _variants(job: dict[str, Any]) -> list[dict[str, str]]:
    """Return what the matrix of a job runs it with; those included are whole variants."""
    matrix = dict(job.get("strategy", {}).get("matrix", {}))
    included = matrix.pop("include", [])
    names = list(matrix)
    products = [dict(zip(names, each, strict=True)) for each in itertools.product(*matrix.values())]
    return [*(products if names or not included else []), *included]


def _filled(text: str, variant: dict[str, str]) -> str:
    return re.sub(r"\$\{\{ matrix\.(\w+) \}\}", lambda found: variant[found[1]], str(text))


STEPS = [
    pytest.param(job, step, variant, id=f"{workflow}: {_filled(step['run'], variant)}")
    for workflow, _, job in _jobs()
    for step in job["steps"]
    if "run" in step
    for variant in _variants(job)
]


@pytest.mark.parametrize(("job", "step", "variant"), STEPS)
def test_what_a_job_runs_exists(job, step, variant):
    words = shlex.split(_filled(step["run"], variant))
    if words[0] == ".ci/run":
        assert os.access(ROOT / words[0], os.X_OK)
        return
    assert words[:6] == ["pipx", "run", "--spec", "nox[uv]", "nox", "-s"]
    session, *options = words[6:]
    assert session in sessions()
    given = next((each["with"] for each in job["steps"] if "python" in each.get("uses", "")), {})
    python = _filled(given["python-version"], variant)
    assert python in PYTHONS
    if "-p" in options:
        assert options[options.index("-p") + 1] == python


def test_every_version_of_python_is_tested():
    (job,) = (job for _, name, job in _jobs() if name == "versions")
    tested = {each["python"] for each in _variants(job) if each["os"] == "ubuntu-latest"}
    assert tested == {*PYTHONS}
    systems = {each["os"].partition("-")[0] for each in _variants(job)}
    assert systems == {"ubuntu", "macos", "windows"}


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_a_workflow_may_do_no_more_than_it_must(workflow):
    about = _read(WORKFLOWS[workflow])
    # YAML takes `on` for true.
    assert "pull_request_target" not in about[True]
    assert about["permissions"] == {"contents": "read"}
    assert about["concurrency"]["cancel-in-progress"] is (workflow != "release")
    for name, job in about["jobs"].items():
        assert 0 < job["timeout-minutes"] <= 120
        permissions = job.get("permissions", {})
        assert set(permissions) == MAY_WRITE.get((workflow, name), set())
        # Who may write runs nothing of the repository.
        assert not permissions or not any("run" in step for step in job["steps"])
        assert sum("run" in step for step in job["steps"]) <= 1
        for step in job["steps"]:
            used = step.get("uses", "@v1")
            assert re.search(r"@(v|release/v)\d+$", used), used
            assert not permissions or "actions/checkout" not in used
            if "actions/checkout" in used:
                assert step["with"]["persist-credentials"] is False
            # Texts of strangers, such as titles, would be typed into the shell.
            assert set(re.findall(r"\$\{\{ *(\w+)", step.get("run", ""))) <= {"matrix"}


@pytest.mark.ci
@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_files_that_are_named_exist(path):
    text = path.read_text(encoding="utf-8")
    named = set(re.findall(r"(?<![\w/.-])(?:docs|tests|bsbench|benchmarks)/[\w./-]*\w", text))
    named |= set(re.findall(r"\]\(([^)#:]+)\)", text))
    named |= set(re.findall(r"blob/main/([\w./-]+)", text))
    made = {"docs/_build/html"}
    missing = {each for each in named - made if not (ROOT / each).exists()}
    assert {each for each in missing if "NAME" not in each} == set()


@pytest.mark.ci
@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_commands_that_are_named_parse(path):
    text = path.read_text(encoding="utf-8")
    for command in re.findall(r"`bsbench ([^`]+)`", text):
        assert command == "--version" or parsed(shlex.split(command)), command
    for module in re.findall(r"`python -m ([\w.]+)", text):
        place = ROOT.joinpath(*module.split("."))
        assert place.is_dir() or place.with_suffix(".py").exists(), module
