"""A report as HTML, in one file that needs no other, and as Markdown."""

from __future__ import annotations

import inspect
import io
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from jinja2 import Environment
from markupsafe import Markup, escape
from matplotlib.figure import Figure

from bsbench.common.settings import setting_text
from bsbench.common.texts import for_markdown, prose_for_markdown
from bsbench.present.charts import write_figure
from bsbench.present.pages import environment, hash_of, source
from bsbench.present.report import LEADING, ReportPage, ReportSection
from bsbench.present.report.replays import median_command
from bsbench.present.report.rows import Lines, lines_of
from bsbench.present.tables import Cell, listed, markdown_table, name_of, own_notes, played_text
from bsbench.roster import find_strategy, strategy_names
from bsbench.runs.results import Result

_PACKAGE = "bsbench.present.report"

SPEED = "speed"
"""The kind of chart that shows times: it stands in the last section, with the other times."""


@dataclass(frozen=True)
class Chart:
    """A chart as a report has it.

    Attributes
    ----------
    title : str
        Title of the chart, for readers who can't see it.
    file : str
        Name of the file that Markdown shows.
    svg : callable
        Draws the picture for HTML.
    """

    title: str
    file: str
    svg: Callable[[], Markup]


Figures = Sequence[Mapping[str, Figure]]
"""For each section of a report, its charts by kind."""


def html_text(report: ReportPage, figures: Figures, folder: Path | None = None) -> str:
    """Return the report as an HTML file: it loads nothing, and works without a network.

    Parameters
    ----------
    report : ReportPage
    figures : sequence of mapping
        As `bsbench.present.report.draw` returns them.
    folder : Path or None
        Where the file will stand: it has links to the records in this folder and below.
    """
    script = source(_PACKAGE, "sort.js")
    return _render(
        "report.html.jinja",
        report,
        figures,
        parts=_parts(report, folder),
        style=Markup(source(_PACKAGE, "palette.css") + source(_PACKAGE, "report.css")),
        script=Markup(script),
        # Nothing else may run, whatever a record contains.
        script_hash=hash_of(script),
    )


def markdown_text(report: ReportPage, figures: Figures) -> str:
    """Return the report in Markdown, which shows charts as the files beside it."""
    text = _render("report.md.jinja", report, figures)
    return re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n"


def table_text(report: ReportPage) -> str:
    """Return the tables alone, in Markdown."""
    parts = []
    for section in report.sections:
        played = for_markdown(played_text(section.results))
        below = "".join(f"\n{for_markdown(note)}\n" for note in own_notes(section.results))
        parts.append(f"{played}:\n\n{markdown_table(section.table.texts)}\n{below}")
    return "\n".join(parts)


def _render(template: str, report: ReportPage, figures: Figures, **more: Any) -> str:
    charts = [
        {kind: _chart(section, kind, figure, number) for kind, figure in drawn.items()}
        for number, (section, drawn) in enumerate(zip(report.sections, figures, strict=True))
    ]
    where = _where(report)
    return (
        _environment()
        .get_template(template)
        .render(
            report=report,
            sections=[
                (
                    section,
                    [drawn[kind] for kind in LEADING if kind in drawn],
                    [chart for kind, chart in drawn.items() if kind not in (*LEADING, SPEED)],
                )
                for section, drawn in zip(report.sections, charts, strict=True)
            ],
            speeds=[drawn[SPEED] for drawn in charts if SPEED in drawn],
            # A single section without a title has the report's title for a heading.
            headings=len(report.sections) > 1 or report.sections[0].title != "",
            where=where,
            where_texts={name: [cell.text for cell in cells] for name, cells in where.items()},
            machines=_machines(report.results),
            **more,
        )
    )


@cache
def _environment() -> Environment:
    templates = environment(_PACKAGE)
    templates.filters |= {
        "address": _address,
        "code": _html_code,
        "facts": _facts,
        "line": _on_a_line,
        "paragraphs": _paragraphs,
        "prose": prose_for_markdown,
        "played": lambda section: played_text(section.results),
        "rows": lambda columns: zip(*columns, strict=True),
        "sources": _sources,
        "table": markdown_table,
        "text": for_markdown,
    }
    return templates


def _chart(section: ReportSection, kind: str, figure: Figure, number: int) -> Chart:
    title = " ".join((figure.get_suptitle() or figure.axes[0].get_title(loc="left")).split())
    return Chart(
        title=f"{kind}: {title}",
        file=section.file_name(f"{kind}.svg"),
        svg=partial(inline_svg, figure, f"{kind}{number}-", title),
    )


def inline_svg(figure: Figure, prefix: str, title: str) -> Markup:
    """Return a figure as an SVG element to stand in an HTML page, in the colours of its palette.

    Parameters
    ----------
    figure : Figure
    prefix : str
        Begins every id, so that those of several charts on a page differ.
    title : str
        Screen readers read it in place of the picture.
    """
    file = io.BytesIO()
    write_figure(figure, file, "svg")
    root = ET.fromstring(file.getvalue())
    # The page has the dark colours. A title would follow the pointer all over the chart.
    for name in ("style", "title"):
        for element in root.findall(f"{{http://www.w3.org/2000/svg}}{name}"):
            root.remove(element)
    # The page says how large it is.
    for side in ("width", "height"):
        root.attrib.pop(side, None)
    referred = set(re.findall(r"(?:href=\"|url\()#([^\")]+)", file.getvalue().decode()))
    for element in root.iter():
        # In HTML, elements and links of SVG have no namespaces.
        element.tag = element.tag.rpartition("}")[2]
        attributes = {name.rpartition("}")[2]: text for name, text in element.attrib.items()}
        element.attrib.clear()
        for name, text in attributes.items():
            if name == "id":
                if text in referred:
                    element.set(name, prefix + text)
            elif name == "href":
                element.set(name, re.sub("^#", f"#{prefix}", text))
            else:
                element.set(name, text.replace("url(#", f"url(#{prefix}"))
    root.set("role", "img")
    root.set("aria-label", title)
    return Markup(ET.tostring(root, encoding="unicode"))


def _paragraphs(text: str) -> list[str]:
    return [_on_a_line(part) for part in re.split(r"\n\s*\n", text.strip()) if part.strip()]


def _on_a_line(text: str) -> str:
    return " ".join(text.split())


def _html_code(text: str) -> Markup:
    """Return text for HTML, that in backquotes as code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


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


def _sources(results: Iterable[Result]) -> list[tuple[str, str]]:
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
    idea, *rest = re.split(r"\n\s*\n", inspect.getdoc(kind) or "")
    said = next((part for part in rest if part.startswith("Source:")), f"Source: {kind.source}.")
    return f"{_on_a_line(idea)} {_on_a_line(said)}"


class _Part(NamedTuple):
    """What the HTML of a section has beyond that of Markdown.

    Attributes
    ----------
    anchor : str
        The id of the section; those of what is in it begin so.
    heading : str
    lines : Lines
    links : mapping of str to str
        By label, its record.
    games : list of tuple
        For each strategy its label, and the command that shows its game of median length; empty
        where the game is not known.
    anchors : mapping of str to str
        By label, the id of what is said of the strategy.
    """

    anchor: str
    heading: str
    lines: Lines
    links: Mapping[str, str]
    games: list[tuple[str, str]]
    anchors: Mapping[str, str]


def _parts(report: ReportPage, folder: Path | None) -> list[_Part]:
    parts = []
    for number, (section, heading) in enumerate(
        zip(report.sections, report.headings, strict=True), 1
    ):
        anchor = f"section-{number}"
        links = {} if folder is None else section.beside(folder)
        games = [
            (each.label, median_command(section, each, links.get(each.label)) or "")
            for each in section.ranked.results
        ]
        anchors = {label: f"{anchor}-{place}" for place, (label, _) in enumerate(games, 1)}
        parts.append(_Part(anchor, heading, lines_of(section), links, games, anchors))
    return parts


def _address(path: str) -> str:
    """Return a path as a link to a file, whatever its name."""
    return f"./{quote(path)}"


def _where(report: ReportPage) -> dict[str, list[Cell]]:
    """Return the table of times by column."""
    results = report.results
    columns = {
        "strategy": [Cell(name_of(result), result.label) for result in results],
        "scenario": [Cell(result.scenario.name, result.scenario.name) for result in results],
        "games/s": [
            Cell(f"{result.games_per_second:,.0f}", result.games_per_second) for result in results
        ],
        "play": [Cell(f"{result.play_seconds:.2f} s", result.play_seconds) for result in results],
        "set-up": [
            Cell(f"{result.setup_seconds:.2f} s", result.setup_seconds) for result in results
        ],
        "threads": [Cell(str(result.threads), result.threads) for result in results],
        "date": [Cell(result.date, result.date) for result in results],
    }
    if len(report.sections) == 1:
        del columns["scenario"]
    return columns


def _machines(results: Iterable[Result]) -> list[str]:
    """Return the machines, each once."""
    return list(
        dict.fromkeys(
            ", ".join(f"{key} {value}" for key, value in result.machine.items())
            for result in results
        )
    )
