"""A report in Markdown, and what is said of where its results come from."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from bsbench.common.settings import setting_text
from bsbench.common.texts import for_markdown, prose_for_markdown
from bsbench.present.pages import environment
from bsbench.present.report import LEADING, ReportPage, ReportSection
from bsbench.present.tables import listed, markdown_table, name_of, own_notes, played_text
from bsbench.roster import find_strategy, strategy_names
from bsbench.runs.results import Result

if TYPE_CHECKING:
    from jinja2 import Environment
    from matplotlib.figure import Figure

_PACKAGE = "bsbench.present.report"

SPEED = "speed"
"""The kind of chart that shows times: it stands in the last section, with the other times."""


def markdown_text(report: ReportPage, figures: Sequence[Mapping[str, Figure]]) -> str:
    """Return the report in Markdown, which shows charts as the files beside it.

    Parameters
    ----------
    report : ReportPage
    figures : sequence of mapping
        As `bsbench.present.report.draw` returns them.
    """
    charts = [
        {kind: _chart(section, kind, figure) for kind, figure in drawn.items()}
        for section, drawn in zip(report.sections, figures, strict=True)
    ]
    text = (
        _environment()
        .get_template("report.md.jinja")
        .render(
            report=report,
            sections=[
                (
                    section,
                    [chart for kind, chart in drawn.items() if kind == LEADING],
                    [chart for kind, chart in drawn.items() if kind not in (LEADING, SPEED)],
                )
                for section, drawn in zip(report.sections, charts, strict=True)
            ],
            speeds=[drawn[SPEED] for drawn in charts if SPEED in drawn],
            # A single section without a title has the report's title for a heading.
            headings=len(report.sections) > 1 or report.sections[0].title != "",
            where=where_table(report),
            machines=machines(report.results),
        )
    )
    return re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n"


def table_text(report: ReportPage) -> str:
    """Return the tables alone, in Markdown."""
    parts = []
    for section in report.sections:
        played = for_markdown(played_text(section.results))
        below = "".join(f"\n{for_markdown(note)}\n" for note in own_notes(section.results))
        parts.append(f"{played}:\n\n{markdown_table(section.table.texts)}\n{below}")
    return "\n".join(parts)


@cache
def _environment() -> Environment:
    templates = environment(_PACKAGE)
    templates.filters |= {
        "facts": _facts,
        "paragraphs": paragraphs,
        "prose": prose_for_markdown,
        "played": lambda section: played_text(section.results),
        "sources": sources,
        "table": markdown_table,
        "text": for_markdown,
    }
    return templates


def _chart(section: ReportSection, kind: str, figure: Figure) -> dict[str, str]:
    """Return the title of a chart, for readers who can't see it, and its file."""
    title = " ".join((figure.get_suptitle() or figure.axes[0].get_title(loc="left")).split())
    return {"title": f"{kind}: {title}", "file": section.file_name(f"{kind}.svg")}


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text, each on a line."""
    return [_on_a_line(part) for part in re.split(r"\n\s*\n", text.strip()) if part.strip()]


def _on_a_line(text: str) -> str:
    return " ".join(text.split())


def _facts(section: ReportSection) -> Iterator[tuple[str, str]]:
    """Yield all keys of a scenario, and games, seed and reference."""
    facts = section.scenario.to_dict()
    del facts["name"]
    facts["fleet"] = section.scenario.rules.fleet_text
    facts["touching"] = section.scenario.rules.apart.option
    facts["games"] = listed(result.games for result in section.results)
    # A seed is a name: without commas.
    facts["seed"] = " / ".join(dict.fromkeys(str(result.seed) for result in section.results))
    if len(section.results) > 1:
        facts["reference"] = section.comparison.reference
    yield from ((key, str(value)) for key, value in facts.items() if value)


def sources(results: Iterable[Result]) -> list[tuple[str, str]]:
    """Return the label of each strategy, with its source and all its parameters."""
    return list({result.label: _source(result) for result in results}.items())


def _source(result: Result) -> str:
    settings = ", ".join(setting_text(*item) for item in result.parameters.items())
    return f"{_origin(result)}{f'; parameters: {settings}' if settings else ''}"


def _origin(result: Result) -> str:
    """Return the source of a strategy; of one that comes with bsbench, what it says of itself."""
    if result.strategy not in strategy_names():
        return result.source
    kind = find_strategy(result.strategy)
    # A list belongs to the sentence before it.
    idea, *rest = re.split(r"\n\s*\n(?!- )", inspect.getdoc(kind) or "")
    said = next((part for part in rest if part.startswith("Source:")), f"Source: {kind.source}.")
    return f"{_on_a_line(idea)} {_on_a_line(said)}"


def where_table(report: ReportPage) -> dict[str, list[str]]:
    """Return the table of times by column."""
    results = report.results
    columns = {
        "strategy": [name_of(result) for result in results],
        "scenario": [result.scenario.name for result in results],
        "games/s": [f"{result.games_per_second:,.0f}" for result in results],
        "play": [f"{result.play_seconds:.2f} s" for result in results],
        "set-up": [f"{result.setup_seconds:.2f} s" for result in results],
        "threads": [str(result.threads) for result in results],
        "date": [result.date for result in results],
    }
    if len(report.sections) == 1:
        del columns["scenario"]
    return columns


def machines(results: Iterable[Result]) -> list[str]:
    """Return the machines, each once."""
    return list(
        dict.fromkeys(
            ", ".join(f"{key} {value}" for key, value in result.machine.items())
            for result in results
        )
    )
