"""Notebooks with what their cells show: ``python -m tests.notebooks`` plays all of them again.

With names, ``python -m tests.notebooks first_run`` plays only these. A saved notebook is the same
to the byte wherever it is played by the same versions: `portable` says what is left out.
"""

from __future__ import annotations

import base64
import hashlib
import io
import re
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from PIL import Image

from tests.support import ROOT

FOLDER = ROOT / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
TONES = 64
"""Colours of a saved picture: charts have few, and pictures of 200 pixels an inch are large."""


def played(path: Path) -> Any:
    """Return a notebook after all cells have run in an empty folder."""
    # The quick tests only read notebooks.
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        NotebookClient(
            notebook,
            timeout=900,
            startup_timeout=300,
            kernel_name="python3",
            record_timing=False,
            # Else it is a matter of time which lines share an output.
            coalesce_streams=True,
            resources={"metadata": {"path": folder}},
        ).execute()
    return notebook


def portable(notebook: Any) -> Any:
    """Return a notebook that has nothing of the machine, and pictures that all pages show."""
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            if "text/html" in data:
                data["text/html"] = _plain_html(data["text/html"])
            if "image/png" in data:
                data["image/png"] = _small(data["image/png"])
    notebook.metadata = {
        "bsbench": {"code": code_hash(notebook)},
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return notebook


def code_hash(notebook: Any) -> str:
    """Return a hash of the code that made the outputs."""
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    return hashlib.sha256("\n\n".join(code).encode()).hexdigest()


def _plain_html(text: str) -> str:
    """Return the HTML of a result without chart, speed and threads; other HTML as it is.

    GitHub shows neither SVG within HTML nor its styles.
    """
    if 'class="bsbench-shown"' not in text:
        return text
    text = re.sub(r"<(svg|style)\b.*?</\1>", "", text, flags=re.DOTALL)
    text = re.sub(r", \d+ threads?|<br>played in [^<]*|(?<=>)played in [^<]*", "", text)
    heads = re.findall(r"<th [^>]*>(.*?)</th>", text)
    if "games/s" not in heads:
        return text
    before = f"(<tr>(?:<t[hd] [^>]*>[^<]*</t[hd]>){{{heads.index('games/s')}}})"
    return re.sub(rf"{before}<t[hd] [^>]*>[^<]*</t[hd]>", r"\1", text)


def _small(picture: str) -> str:
    """Return a PNG in fewer colours, in base64."""
    image = Image.open(io.BytesIO(base64.b64decode(picture))).convert("RGB")
    file = io.BytesIO()
    few = image.quantize(TONES, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    few.save(file, "PNG", optimize=True)
    return base64.b64encode(file.getvalue()).decode()


def main(names: list[str]) -> None:
    """Play notebooks and save them."""
    for path in NOTEBOOKS:
        if not names or path.stem in names:
            nbformat.write(portable(played(path)), path)
            print(f"wrote notebooks/{path.name}, {path.stat().st_size / 1000:.0f} kB", flush=True)
