"""Notebooks run from top to bottom; with fewer games than a reader would play."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

# The one that newcomers open first, and that of the environment: the others are longer.
QUICK = {"first_run", "gymnasium"}
NOTEBOOKS = sorted(Path(__file__).parent.parent.joinpath("notebooks").glob("*.ipynb"))


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=[] if path.stem in QUICK else pytest.mark.slow, id=path.name)
        for path in NOTEBOOKS
    ],
)
def test_a_notebook_runs(path, in_folder):
    notebook = nbformat.read(path, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "save it without outputs"
    for cell in notebook.cells:
        cell.source = re.sub(r"^GAMES = .*", "GAMES = 2_000", cell.source, flags=re.MULTILINE)
    NotebookClient(notebook, timeout=300, startup_timeout=300, kernel_name="python3").execute()
    last = [cell for cell in notebook.cells if cell.cell_type == "code"][-1]
    assert "image/png" in str(last.outputs), "the chart at the end is not shown"
