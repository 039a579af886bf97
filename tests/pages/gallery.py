"""A picture and a command for each kind of chart; ``python -m tests.pages.gallery`` draws all."""

from __future__ import annotations

import html
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterable
from glob import glob
from pathlib import Path

from click.testing import CliRunner

from bsbench.cli import main
from bsbench.present.charts import kinds
from tests import pages

FOLDER = pages.ROOT / "docs" / "gallery"
EXAMPLES = {
    "ranking": "chart @classic",
    "ahead": "chart @classic",
    "matrix": "chart @classic",
    "ecdf": "chart @classic/lattice @classic/datagenetics @classic/prob @classic/random",
    "efficiency": "chart @efficiency-harbour",
    "histogram": "chart @classic/lattice @classic/hunt-target",
    "convergence": """
        compare lattice datagenetics over9000 --scenario classic -n 100000 --keep-moves -o three
        chart three
    """,
    "speed": "chart @classic",
    "difference": """
        compare smart prob --scenario harbour --games 20000 --keep-moves -o pair
        chart pair
    """,
    "sweep": "chart results/parameters/hit-weight-*.json",
    "learning": "chart @parameters/twenty-over9000-adaptive @parameters/twenty-over9000",
    "exploitability": "chart @exploitability",
    "occupancy": "chart --scenario harbour",
    "shots": "chart --strategy lattice --scenario gym-6x6",
    "survey": "chart",
}
"""By kind, in the order of the page, what is typed after ``bsbench``; the chart comes last."""


def commands(kind: str) -> list[str]:
    """Return the commands that draw the picture of a kind of chart."""
    *before, last = EXAMPLES[kind].strip().splitlines()
    last = f"{last.strip()} --kind {kind} -o {kind}.svg"
    return [f"bsbench {line.strip()}" for line in [*before, last]]


def draw(chosen: Iterable[str], folder: Path) -> None:
    """Draw kinds of charts into a folder, by their commands."""
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        (work / "results").symlink_to(pages.ROOT / "results")
        try:
            os.chdir(work)
            for kind in chosen:
                for line in commands(kind):
                    words = shlex.split(line)[1:]
                    words = [each for word in words for each in (sorted(glob(word)) or [word])]
                    done = CliRunner().invoke(main, words, prog_name="bsbench")
                    assert done.exit_code == 0, f"{line}\n{done.output}"
                (folder / f"{kind}.svg").write_bytes((work / f"{kind}.svg").read_bytes())
        finally:
            os.chdir(here)


def tables() -> dict[str, str]:
    """Return the part of the page that shows all kinds."""
    about = kinds()
    # A kind without an example, and an example without a kind, are errors.
    assert set(about) == set(EXAMPLES), set(about) ^ set(EXAMPLES)
    return {"kinds": "\n\n".join(_entry(kind, about[kind]) for kind in EXAMPLES)}


def _entry(kind: str, about: str) -> str:
    svg = (FOLDER / f"{kind}.svg").read_text(encoding="utf-8")
    (title,) = re.findall(r"<title>(.*?)</title>", svg, re.DOTALL)
    alt = re.sub(r"([\[\]\\])", r"\\\1", html.unescape(title))
    lines = "\n".join(commands(kind))
    picture = f"![{alt}](gallery/{kind}.svg)"
    return f"## {kind}\n\n{' '.join(about.split())}\n\n{picture}\n\n```sh\n{lines}\n```"


if __name__ == "__main__":
    draw(sys.argv[1:] or EXAMPLES, FOLDER)
