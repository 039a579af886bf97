"""How results show themselves in a shell and in a notebook: see `bsbench.common.shown`."""

from __future__ import annotations

import importlib
import io
import itertools
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from bsbench.common.arguments import checked
from bsbench.common.errors import BsbenchError
from bsbench.common.texts import for_terminal
from bsbench.present import tables, terminal
from bsbench.present.charts import Needs, find_chart
from bsbench.present.looks import TONES
from bsbench.present.sheets import Sheet
from bsbench.roster import as_strategy
from bsbench.runs.comparison import Comparison
from bsbench.runs.results import Result
from bsbench.runs.several import Results
from bsbench.runs.sweeps import is_sweep

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@runtime_checkable
class Showable(Protocol):
    """What a study found; `sheet` in the study's ``sheet.py`` returns what is shown of it.

    Attributes
    ----------
    results : sequence of Result
        What any chart can be drawn of.
    """

    @property
    def results(self) -> Sequence[Result]:
        """Return them."""

    @property
    def form(self) -> type[Any]:
        """The type of its record."""


Figures = Result | Comparison | Results | Showable
"""What can be shown."""

_numbers = itertools.count(1)
"""Of the charts of this process: ids within a page must differ."""

_DARK = (
    'body[data-jp-theme-light="false"]',
    "body.vscode-dark",
    "body.vscode-high-contrast",
    'html[data-theme="dark"]',
)
"""What notebooks and pages say of themselves that are dark: JupyterLab, VS Code, Sphinx."""


def text_of(shown: Figures) -> str:
    """Return what the terminal shows, as plain text."""
    stream = io.StringIO()
    if isinstance(shown, Result):
        terminal.print_result(shown, stream)
    elif isinstance(shown, Showable):
        terminal.print_sheet(_sheet(shown), stream)
    elif panels := _panels(shown):
        terminal.print_experiment(panels, stream)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()).strip("\n")


def latex_of(shown: Figures) -> str:
    """Return the table for LaTeX."""
    return tables.latex_text(*_table(shown))


def html_of(shown: Figures) -> str:
    """Return a heading, a table with its notes, and a small chart, for notebooks.

    All texts are escaped, and nothing is loaded.
    """
    columns, notes = _table(shown)
    heading = _heading(shown)
    parts = [f"<p><strong>{escape(for_terminal(heading))}</strong></p>" if heading else ""]
    if columns:
        parts.append(_html_table(columns))
    below = "<br>".join(escape(for_terminal(note)) for note in notes if note != heading)
    parts.append(f'<p style="font-size: 85%; opacity: 0.8">{below}</p>' if below else "")
    parts.append(_small_chart(shown))
    dark = "; ".join(f"{tone.variable}: {tone.dark}" for tone in TONES.values())
    where = ", ".join(f"{each} .bsbench-shown" for each in _DARK)
    return (
        f"<style>{where} {{ {dark} }} .bsbench-shown svg {{ width: 100%; max-width: 640px; "
        "height: auto }</style>"
        f'<div class="bsbench-shown">{"".join(parts)}</div>'
    )


@checked
def figure_of(shown: Figures, kind: str | None = None, **options: Any) -> Figure:
    """Return a chart: see `bsbench.common.shown.Shown.plot`."""
    unknown = options.keys() - {"games", "seed", "strategy"}
    if unknown:
        names = ", ".join(sorted(unknown))
        raise BsbenchError(f"plot takes games, seed and strategy, not {names}")
    if options.get("strategy") is not None:
        options["strategy"] = as_strategy(options["strategy"])
    if kind is None and isinstance(shown, Showable) and (draw := _sheet(shown).figure) is not None:
        return draw()
    chart = find_chart(usual_kind(_results(shown), shown) if kind is None else kind)
    compared = shown
    if isinstance(shown, Results) and len(shown.comparisons) == 1:
        (compared,) = shown.comparisons
    if isinstance(compared, Comparison) and chart.needs is Needs.COMPARED and not options:
        return chart.function(compared)
    return chart.draw(_results(shown), **options)


def _sheet(found: Showable) -> Sheet:
    """Return what is shown of what a study found."""
    study = type(found).__module__.rpartition(".")[0]
    sheet: Sheet = importlib.import_module(f"{study}.sheet").sheet(found)
    return sheet


def usual_kind(results: Sequence[Result], shown: Figures | None = None) -> str:
    """Return the kind of chart that fits results best, and what they are shown as."""
    if not results:
        raise BsbenchError("there is no result to draw: give results, or records")
    if len(results) == 1:
        return "histogram"
    return "sweep" if is_sweep(results) and not isinstance(shown, Comparison) else "ranking"


def _results(shown: Figures) -> list[Result]:
    if isinstance(shown, Result):
        return [shown]
    return list(shown if isinstance(shown, Results) else shown.results)


def _panels(shown: Comparison | Results) -> Sequence[Comparison]:
    if isinstance(shown, Comparison):
        found: Sequence[Comparison] = (shown,)
    else:
        found = (*shown.comparisons, *shown.pooled)
    return [panel for panel in found if panel.results]


def _table(shown: Figures) -> tuple[Mapping[str, Sequence[str]], Iterable[str]]:
    """Return the table of the terminal, and its notes."""
    if isinstance(shown, Result):
        name = {"strategy": [tables.name_of(shown)], "scenario": [shown.scenario.name]}
        return {**name, **tables.result_columns(shown)}, tables.result_notes(shown)
    if isinstance(shown, Showable):
        sheet = _sheet(shown)
        return sheet.columns, sheet.notes
    if not (panels := _panels(shown)):
        return {}, ["no results"]
    table = tables.experiment_table(panels, ("sd",), ())
    return table.texts, tables.experiment_notes(panels, table)


def _heading(shown: Figures) -> str:
    """Return what was found, in a sentence."""
    if isinstance(shown, Showable):
        return _sheet(shown).finding
    if isinstance(shown, Result):
        return f"{tables.name_of(shown)} on {shown.scenario.name}, seed {shown.seed}"
    return " ".join(tables.verdict_lines(_panels(shown)))


def _html_table(columns: Mapping[str, Sequence[str]]) -> str:
    def row(tag: str, cells: Iterable[tuple[str, str]]) -> str:
        return "".join(
            f'<{tag} style="text-align: {"left" if name in tables.WORDS else "right"}">'
            f"{escape(for_terminal(text))}</{tag}>"
            for name, text in cells
        )

    head = row("th", zip(columns, columns, strict=True))
    body = "".join(
        f"<tr>{row('td', zip(columns, cells, strict=True))}</tr>"
        for cells in zip(*columns.values(), strict=True)
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _small_chart(shown: Figures) -> str:
    """Return the usual chart as SVG, or nothing where there is none."""
    try:
        figure = figure_of(shown)
    except BsbenchError:
        # Such as of results of several scenarios.
        return ""
    text = inline_svg(figure, f"shown{next(_numbers)}-", _heading(shown))
    # The page says whether it is dark, not the system.
    return re.sub(r"<style>.*?</style>", "", text, count=1, flags=re.DOTALL)


def inline_svg(figure: Figure, prefix: str, title: str) -> str:
    """Return a figure as an SVG element to stand in an HTML page, in the colours of its palette.

    Parameters
    ----------
    figure : Figure
    prefix : str
        Begins every id, so that those of several charts on a page differ.
    title : str
        Screen readers read it in place of the picture.
    """
    from bsbench.present.charts import write_figure

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
    return ET.tostring(root, encoding="unicode")
