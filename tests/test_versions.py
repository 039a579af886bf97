"""The versions that pyproject.toml allows are those of the sessions of nox, and of their record."""

from __future__ import annotations

import ast
import re
import tomllib

from tests.support import ROOT

TEXT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
PROJECT = tomllib.loads(TEXT)["project"]
PYTHONS = [
    version
    for each in PROJECT["classifiers"]
    for version in re.findall(r"Python :: (3\.\d+)$", each)
]


def sessions() -> dict[str, str]:
    """Return the sessions in noxfile.py, which needs nox to be imported, with what runs each."""
    tree = ast.parse((ROOT / "noxfile.py").read_text(encoding="utf-8"))
    found = {}
    for function in tree.body:
        for decorator in getattr(function, "decorator_list", []):
            named = {each.arg: each.value for each in getattr(decorator, "keywords", [])}
            if "nox.session" in ast.unparse(decorator):
                name = ast.literal_eval(named["name"]) if "name" in named else function.name
                found[name] = ast.unparse(named["python"]) if "python" in named else ""
    return found


def _recorded() -> list[dict[str, str]]:
    """Return the rows of the table of what was run."""
    text = (ROOT / "docs" / "releasing.md").read_text(encoding="utf-8")
    (table,) = re.findall(r"^\| session .*\n\|[-| :]+\|\n((?:\|.*\n)+)", text, flags=re.MULTILINE)
    (head,) = re.findall(r"^\| session .*", text, flags=re.MULTILINE)
    keys = [each.strip() for each in head.strip("|").split("|")]
    return [
        dict(zip(keys, (each.strip() for each in line.strip("|").split("|")), strict=True))
        for line in table.splitlines()
    ]


def test_classifiers_begin_with_the_oldest_python_and_leave_none_out():
    oldest = int(PYTHONS[0].partition(".")[2])
    assert PROJECT["requires-python"] == f">=3.{oldest}"
    without_gap = [f"3.{oldest + i}" for i in range(len(PYTHONS))]
    assert without_gap == PYTHONS


def test_sessions_run_on_the_pythons_of_the_classifiers():
    assert {name: python for name, python in sessions().items() if "PYTHONS" in python} == {
        "tests-oldest": "PYTHONS[0]",
        "tests-newest": "PYTHONS",
        "tests-next": "PYTHONS[-1]",
        "tests-slow": "PYTHONS[0]",
        "survey": "PYTHONS[0]",
        "agents": "PYTHONS[0]",
        "compiled-wheel": "PYTHONS",
    }
    noxfile = (ROOT / "noxfile.py").read_text(encoding="utf-8")
    assert "\nPYTHONS = nox.project.python_versions(nox.project.load_toml())\n" in noxfile


def test_the_record_has_each_python_and_the_oldest_versions():
    rows = _recorded()
    newest = [row["Python"] for row in rows if row["session"] == "`tests-newest`"]
    assert newest == PYTHONS
    (oldest,) = (row for row in rows if row["session"] == "`tests-oldest`")
    assert oldest["Python"] == PYTHONS[0]
    everywhere = [each for each in PROJECT["dependencies"] if ";" not in each]
    lowest = dict(re.match(r"([a-z0-9]+)>=([\d.]+)", each).groups() for each in everywhere)
    for name in ("numba", "numpy", "pandas", "matplotlib"):
        assert f"{oldest[name]}.".startswith(f"{lowest[name]}."), name


def test_upper_bounds_have_a_reason():
    bounds = re.findall(r'^ *"[^"]*<[^"]*",(.*)', TEXT, flags=re.MULTILINE)
    assert bounds
    assert all(len(each.partition("#")[2]) > 20 for each in bounds)
