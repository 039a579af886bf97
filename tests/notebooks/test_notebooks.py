"""Notebooks show what their code shows: saved with outputs, and run from top to bottom."""

from __future__ import annotations

import base64
import copy
import json
import re
from pathlib import Path

import nbformat
import pytest

from tests.notebooks import NOTEBOOKS, code_hash, played, portable

RENEW = "save it by: python -m tests.notebooks"
named = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def _outputs(notebook):
    return [output for cell in notebook.cells for output in cell.get("outputs", ())]


def _data(output):
    return output.get("data", {})


def _seen(notebook):
    """Return what is shown by each cell, but for pictures, whose bytes depend on matplotlib."""
    seen = copy.deepcopy([cell.get("outputs") for cell in notebook.cells])
    for output in (output for outputs in seen for output in outputs or ()):
        output.pop("metadata", None)
        if "image/png" in _data(output):
            output.data["image/png"] = ""
    return seen


@named
def test_a_notebook_is_saved_with_what_its_code_shows(path):
    notebook = nbformat.read(path, as_version=4)
    assert notebook.metadata["bsbench"]["code"] == code_hash(notebook), RENEW
    outputs = _outputs(notebook)
    kinds = {output.output_type for output in outputs}
    assert kinds <= {"execute_result", "display_data", "stream"}
    assert {output.get("name", "stdout") for output in outputs} == {"stdout"}, "it warns"
    pictures = [data["image/png"] for data in map(_data, outputs) if "image/png" in data]
    assert pictures
    assert max(len(base64.b64decode(picture)) for picture in pictures) <= 64 * 1024
    assert path.stat().st_size <= 400 * 1024
    # Nothing of the machine, and words for those who cannot see the pictures.
    shown = json.dumps([*map(dict, outputs)])
    assert not re.search(rf"{re.escape(str(Path.home()))}/|/tmp/|0x[0-9a-f]{{8}}", shown)
    assert not re.search(r"games/s|\d threads|played in", shown)
    for cell in notebook.cells:
        if any("image/png" in _data(output) for output in cell.get("outputs", ())):
            assert len(cell.metadata["mystnb"]["image"]["alt"]) > 20


@named
def test_a_notebook_shows_the_same_when_played_again(path):
    pytest.importorskip("ipykernel", reason="needs the extra dev")
    again = portable(played(path))
    assert _seen(again) == _seen(nbformat.read(path, as_version=4)), RENEW
