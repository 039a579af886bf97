"""Measure how fast bsbench is, and write it down: ``python -m benchmarks``.

A record is a JSON file of schema ``bsbench-benchmarks-1``: ``quick``, git ``revision``,
provenance as in `bsbench.common.machine`, ``load_after``, and ``parts``: for each its ``rows``
and the ``seconds`` that measuring them took. A rate or time that was measured in rounds is a
table of ``median``, ``least`` and ``most``. Beside it stand the report in Markdown and charts.
All are written anew after each part, so that an interrupt loses only the one under way.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import time
from functools import partial
from pathlib import Path
from typing import Any

import click

from benchmarks.charts import CHARTS
from benchmarks.measuring import load_averages
from benchmarks.parts import FULL, PARTS, QUICK, ROOT
from benchmarks.tables import markdown, part_markdown
from bsbench.common.files import write_file, write_text
from bsbench.common.machine import Provenance, usable_cores
from bsbench.layouts import STREAM_VERSION
from bsbench.present.charts import write_figure

SCHEMA = "bsbench-benchmarks-1"


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--quick", is_flag=True, help="About a minute, for a first impression.")
@click.option(
    "--only",
    "parts",
    multiple=True,
    type=click.Choice(list(PARTS)),
    help="Measure this part only; may be repeated.",
)
@click.option("--name", help="Name of the files.  [default: the date]")
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=ROOT / "benchmarks" / "results",
    help="Where to write them.  [default: benchmarks/results]",
)
def main(quick: bool, parts: tuple[str, ...], name: str | None, folder: Path) -> None:
    """Measure how fast bsbench is: JSON, Markdown and charts, in about 7 minutes."""
    content = {
        "quick": quick,
        "revision": _revision(),
        "stream_version": STREAM_VERSION,
        "load": load_averages(),
        "load_after": None,
        "parts": {},
    }
    record = Provenance(threads=usable_cores()).record(SCHEMA, content)
    folder.mkdir(parents=True, exist_ok=True)
    stem = _free_name(folder, name or record["date"][:10])
    for part in [part for part in PARTS if part in parts or not parts]:
        click.echo(f"{part} …", err=True)
        begun = time.perf_counter()
        rows = PARTS[part](QUICK if quick else FULL)
        record["parts"][part] = {"seconds": round(time.perf_counter() - begun, 1), "rows": rows}
        record["load_after"] = load_averages()
        _write(record, folder / stem)
        click.echo(f"{part_markdown(part, rows)}\n")
    click.echo(f"wrote {folder / stem}.json, and beside it the report and charts", err=True)


def _revision() -> str | None:
    """Return the git revision of the checkout, ``+`` where files differ from it, if known."""

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(ROOT), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    try:
        changed = git("status", "--porcelain", "--untracked-files=no")
        return git("rev-parse", "--short=12", "HEAD") + ("+" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return None


def _free_name(folder: Path, name: str) -> str:
    """Return the name, or with the first number that makes it a new one."""
    names = itertools.chain([name], (f"{name}-{number}" for number in itertools.count(2)))
    return next(stem for stem in names if not (folder / f"{stem}.json").exists())


def _write(record: dict[str, Any], path: Path) -> None:
    texts = {"json": json.dumps(record, indent=1, ensure_ascii=False), "md": markdown(record)}
    for suffix, text in texts.items():
        write_text(f"{path}.{suffix}", f"{text.rstrip()}\n")
    for part in record["parts"].keys() & CHARTS.keys():
        figure = CHARTS[part](record["parts"][part]["rows"])
        for kind in ("png", "svg"):
            write_file(f"{path}-{part}.{kind}", partial(write_figure, figure, kind=kind))


if __name__ == "__main__":
    main(prog_name="python -m benchmarks")
