"""What the front page shows: the odds calculator, and the ranking as it is drawn for a phone."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from _pages import ROOT
from bsbench.present.charts import drawn_for, find_chart, read_width, save_figure
from bsbench.rules.position import Position
from bsbench.runs.records import load_result
from bsbench.studies.odds.calculator import page_text
from bsbench.studies.odds.study import find_odds

_POSITION = "gym-10x10: C8=miss D4=hit D5=sunk:2 F7=miss G3=hit"
"""Enough answers that a click is counted at once."""

_PHONE = "84mm"


def pages() -> Iterator[tuple[str, str | bytes]]:
    """Yield the calculator with a position, and the ranking of the records on `classic`."""
    odds = find_odds(Position.parse(_POSITION))
    yield "reference/_pages/odds.html", page_text(odds)
    paths = sorted((ROOT / "results" / "classic").glob("*.json"))
    results = [load_result(path) for path in paths if path.name != "reproduce.json"]
    with tempfile.TemporaryDirectory() as folder, drawn_for(inches=read_width(_PHONE)):
        (path,) = save_figure(find_chart("ranking").draw(results), Path(folder), "ranking", ["svg"])
        yield "reference/ranking-phone.svg", path.read_bytes()
