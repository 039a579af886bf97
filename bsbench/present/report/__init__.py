"""Reports: verdicts, tables, charts and provenance of results: what a page and Markdown show.

A report has a section for each scenario, since move counts of different ones don't compare.
Its content is a function of its results alone. Everything that differs when the same games are
played again (dates, seconds, threads, machines, charts of speeds) stands in its last section,
"Where and when".

`render` writes them in Markdown, `bsbench.present.page` in HTML. `bsbench.reproduce.gathering`
makes reports of records.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bsbench.common.errors import BsbenchError
from bsbench.common.files import file_name
from bsbench.common.machine import installed_versions
from bsbench.present.charts import Needs, find_chart
from bsbench.present.tables import Table, comparison_table
from bsbench.present.verdicts import verdict
from bsbench.roster import make_variant
from bsbench.rules.scenario import Scenario
from bsbench.runs.results import Result, frame_csv

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from bsbench.runs.comparison import Comparison

CHARTS_DRAWN_WITH = ("matplotlib", "pillow")
"""Libraries whose versions decide on the bytes of a chart."""


OF_ONE = (Needs.PAIR, Needs.LEARNER, Needs.STRATEGY)
"""What charts of one strategy need; the others show all strategies of a section."""


LEADING = "ranking"
"""The kind of chart that begins every section with something to compare."""

_LEFT_OUT = ("games/s", "first/tied %")
"""Columns that a report lacks: speeds differ when the games are played again, and folders of
results hold each strategy's comparison with the reference, not which strategy finishes first."""

_AGAINST = ("difference", "difference_half_width", "significant", "wins", "ties", "losses")
"""Figures of a strategy against the reference that the summary of a report has."""


@dataclass(frozen=True, eq=False)
class ReportSection:
    """Strategies in the same scenario: a comparison, and words on it.

    Attributes
    ----------
    name : str
        Begins the names of files, if not empty.
    title, text : str
        May be empty.
    comparison : Comparison
        Of at least one result; a single one is compared with nothing.
    charts : tuple of str
        Kinds of charts; those of one strategy are written ``KIND:STRATEGY``.
    dark : tuple of str
        Those of the charts that a folder of results has on dark ground, too.
    notes : tuple of str
        What is to be said of the records, below the table.
    files : mapping of str to Path
        By label, the file of the record, as far as known.
    played : Comparison or None
        The same comparison with the move counts of all games, for charts that need them.
    """

    name: str
    title: str
    text: str
    comparison: Comparison
    charts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    files: Mapping[str, Path] = field(default_factory=dict)
    played: Comparison | None = None
    dark: tuple[str, ...] = ()

    @property
    def results(self) -> tuple[Result, ...]:
        """The results compared."""
        return self.comparison.results

    @property
    def scenario(self) -> Scenario:
        """The scenario of all results."""
        return self.results[0].scenario

    @property
    def heading(self) -> str:
        """The title, or else the name of the scenario."""
        return self.title or self.scenario.name

    def file_name(self, what: str) -> str:
        """Return the name, without suffix, of the file of this section for a label or chart."""
        return file_name(f"{self.name}-{what}" if self.name else what)

    @cached_property
    def ranked(self) -> Comparison:
        """The comparison, best first."""
        return self.comparison.sorted("best")

    @cached_property
    def verdict(self) -> str:
        """What was found, in a sentence or two."""
        return verdict(self.comparison)

    @cached_property
    def table(self) -> Table:
        """The table, best first, with the columns that a folder of results supports."""
        table = comparison_table(self.ranked, _LEFT_OUT)
        return Table(table.columns, [*table.notes, *self.notes])

    @cached_property
    def shown_charts(self) -> tuple[str, ...]:
        """The charts, `LEADING` first if there is something to compare."""
        leading = [LEADING] if len(self.results) > 1 else []
        return tuple(dict.fromkeys([*leading, *self.charts]))


@dataclass(frozen=True, eq=False)
class ReportPage:
    """The content of a report.

    Attributes
    ----------
    title, text : str
        Text is in paragraphs with an empty line between them, code in backquotes.
    sections : tuple of ReportSection
        At least one.
    command : str or None
        The command that regenerates these results.
    """

    title: str
    text: str
    sections: tuple[ReportSection, ...]
    command: str | None = None

    @property
    def results(self) -> list[Result]:
        """All results, section by section."""
        return [result for section in self.sections for result in section.results]

    @property
    def versions(self) -> list[str]:
        """The versions that results depend on, a line for each that differs."""
        lines = dict.fromkeys(
            f"bsbench {result.bsbench}, layout stream {result.stream_version}; "
            + ", ".join(f"{name} {version}" for name, version in result.versions.items())
            for result in self.results
        )
        return list(lines)

    @property
    def drawn_with(self) -> str:
        """The versions that charts depend on."""
        return ", ".join(f"{k} {v}" for k, v in installed_versions(CHARTS_DRAWN_WITH).items())

    def summary(self) -> pd.DataFrame:
        """Return a tidy row for each result.

        To the columns of `Result.summary`, but for the games per second, come ``part``, the
        section's name; ``reference``, a label; ``difference``, ``difference_half_width`` and
        ``significant``; and ``wins``, ``ties`` and ``losses``, the games in which the strategy
        needed fewer moves than the reference, as many, or more. They are empty for the
        reference.
        """
        import pandas as pd

        rows: list[dict[str, Any]] = []
        for section in self.sections:
            for result, row in zip(section.results, section.comparison.rows, strict=True):
                known = {"part": section.name, **result.figures(), "reference": row["reference"]}
                del known["games_per_second"]
                if row["label"] != row["reference"]:
                    known |= {key: row[key] for key in _AGAINST}
                rows.append(known)
        # As objects, whole numbers stay whole beside missing ones.
        return pd.DataFrame(rows, dtype=object)

    def csv_text(self) -> str:
        """Return the summary as CSV text."""
        return frame_csv(self.summary())


def draw(report: ReportPage) -> list[dict[str, Figure]]:
    """Draw the charts of a report: for each section, figures by the names of its charts.

    Raises
    ------
    BsbenchError
        If the results lack what a chart needs.
    """
    return [
        {chart: _figure(section, chart) for chart in section.shown_charts}
        for section in report.sections
    ]


def _figure(section: ReportSection, name: str) -> Figure:
    """Draw the chart written ``KIND`` or ``KIND:STRATEGY``."""
    kind, _, who = name.partition(":")
    chart = find_chart(kind)
    if chart.needs in (Needs.COMPARISON, Needs.COMPARED):
        return chart.function(section.comparison)
    if not who:
        return chart.draw(section.results)
    strategy = make_variant(who)
    found = [result for result in section.results if result.label == strategy.label]
    if not found:
        labels = ", ".join(result.label for result in section.results)
        raise BsbenchError(f"the chart {name!r} is of none of the strategies {labels}")
    shown = found[0]
    others = [result for result in section.results if result.label == section.comparison.reference]
    match chart.needs:
        case Needs.PAIR:
            both = {each.label: each for each in (section.played or section.comparison).results}
            others = [both[each.label] for each in others]
            shown = both[shown.label]
            if shown.kept_moves is None:
                raise BsbenchError(
                    f"the chart {name!r} needs the move count of each game, which records don't "
                    "hold: play again"
                )
            return chart.draw([*others, shown])
        case Needs.LEARNER:
            return chart.draw([shown, *others])
        case _:
            return chart.draw([shown], strategy=strategy)
