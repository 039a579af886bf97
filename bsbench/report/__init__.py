"""Reports: tables, charts and provenance of several results, as one HTML file or as Markdown.

A report has a section for each scenario, since move counts of different ones don't compare.
What it says is a function of its results alone. All that differs when the same games are
played again (dates, seconds, threads, machines) stands in its last section, "Where and
when"; charts of speeds are of that kind, too.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bsbench.charts import Needs, find_chart
from bsbench.errors import BsbenchError
from bsbench.files import file_name
from bsbench.machine import installed_versions
from bsbench.results import Result
from bsbench.roster import make_variant
from bsbench.scenario import Scenario
from bsbench.stats import Counts, Difference

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from bsbench.comparison import Comparison

CHARTS_DRAWN_WITH = ("matplotlib", "pillow")
"""Libraries whose versions decide on the bytes of a chart."""


OF_ONE = (Needs.RESULT, Needs.PAIR, Needs.LEARNER, Needs.STRATEGY)
"""What charts of one strategy need; the others show all strategies of a section."""


@dataclass(frozen=True, eq=False)
class Pair:
    """A strategy and the reference in the same games: all that a report needs to know.

    Attributes
    ----------
    difference : Difference
        Of the strategy's move counts less the reference's.
    least : int
        Smallest difference in one game.
    counts : ndarray of int64, shape (n,)
        Number of games by difference: entry i is the number of games with ``least + i``.
    """

    difference: Difference
    least: int
    counts: Counts

    @property
    def games(self) -> int:
        """Games that both have played."""
        return int(self.counts.sum())

    @property
    def race(self) -> tuple[int, int, int]:
        """Games in which the strategy needed fewer moves than the reference, as many, more."""
        differences = np.arange(self.least, self.least + len(self.counts))
        signs = (differences < 0, differences == 0, differences > 0)
        wins, ties, losses = (int(self.counts[sign].sum()) for sign in signs)
        return wins, ties, losses

    @property
    def text(self) -> str:
        """The mean difference, marked ``≈`` if not significant, ``=`` if all games are the same."""
        if self.race[1] == self.games:
            return "= 0"
        known = self.difference.significant or math.isnan(self.difference.half_width)
        return self.difference.text if known else f"≈ {self.difference.text}"

    def to_dict(self) -> dict[str, Any]:
        """Return the pair as JSON has it."""
        half_width = self.difference.half_width
        return {
            "mean": self.difference.mean,
            "half_width": None if math.isnan(half_width) else half_width,
            "least": self.least,
            "counts": self.counts.tolist(),
        }

    @classmethod
    def from_dict(cls, record: dict[str, Any], games: int) -> Pair:
        """Return the pair that `to_dict` gave, of so many games.

        Raises
        ------
        BsbenchError
            If it contradicts itself.
        KeyError, TypeError, ValueError
            If a key is missing or its value of the wrong kind.
        """
        least, numbers = record["least"], list(record["counts"])
        if not all(type(number) is int for number in (least, *numbers)) or min(numbers) < 0:
            raise BsbenchError("its differences are not whole numbers of games")
        counts = np.array(numbers, np.int64)
        total = int((counts * np.arange(least, least + len(counts))).sum())
        mean, half_width = float(record["mean"]), record["half_width"]
        if counts.sum() != games or not math.isclose(total / games, mean, abs_tol=1e-9):
            raise BsbenchError("its differences don't add up to its games, or to their mean")
        half_width = math.nan if half_width is None else float(half_width)
        return cls(Difference(mean, half_width), least, counts)


class Cell(NamedTuple):
    """A cell of a table: what it shows, and what its column is sorted by."""

    text: str
    value: float | str | None = None


@dataclass(frozen=True, eq=False)
class Section:
    """Strategies in the same scenario.

    Attributes
    ----------
    name : str
        Begins the names of files, if not empty.
    title, text : str
        May be empty.
    results : tuple of Result
        Of one scenario, at least one.
    reference : str or None
        Label of the strategy that the others are compared with; None where games can't be
        paired, as of records without the move count of each game.
    pairs : tuple of Pair or None
        For each result; None for the reference itself, or if there is none.
    charts : tuple of str
        Kinds of charts; those of one strategy are written ``KIND:STRATEGY``.
    """

    name: str
    title: str
    text: str
    results: tuple[Result, ...]
    reference: str | None = None
    pairs: tuple[Pair | None, ...] = ()
    charts: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, comparison: Comparison, name: str, title: str, text: str, charts: tuple[str, ...]
    ) -> Section:
        """Return the section of strategies that have played the same games, moves kept."""
        (reference,) = (r for r in comparison.results if r.label == comparison.reference)
        pairs = (
            None if result is reference else _pair(result, reference, difference)
            for result, difference in zip(comparison.results, comparison.differences, strict=True)
        )
        # Times as records have them, so that a report of the records is the same.
        results = tuple(
            dataclasses.replace(
                result,
                setup_seconds=round(result.setup_seconds, 4),
                play_seconds=round(result.play_seconds, 4),
            )
            for result in comparison.results
        )
        return cls(name, title, text, results, reference.label, tuple(pairs), charts)

    @property
    def scenario(self) -> Scenario:
        """The scenario of all results."""
        return self.results[0].scenario

    @property
    def rows(self) -> list[tuple[Result, Pair | None]]:
        """Each result, and how it compares with the reference."""
        return list(zip(self.results, self.pairs or [None] * len(self.results), strict=True))

    @property
    def reference_result(self) -> Result | None:
        """The result that the others are compared with."""
        return next((r for r in self.results if r.label == self.reference), None)

    @property
    def heading(self) -> str:
        """The title, or else the name of the scenario."""
        return self.title or self.scenario.name

    def file_name(self, what: str) -> str:
        """Return the name, without suffix, of the file of this section for a label or chart."""
        return file_name(f"{self.name}-{what}" if self.name else what)

    @property
    def columns(self) -> dict[str, list[Cell]]:
        """The table's cells by column."""
        stats = [result.stats for result in self.results]
        columns = {
            "strategy": [Cell(result.label, result.label) for result in self.results],
            "mean ± 95 %": [Cell(s.mean_text, s.mean) for s in stats],
        }
        if self.reference:
            columns["difference ± 95 %"] = [_difference_cell(pair) for _, pair in self.rows]
            columns["wins / ties / losses (%)"] = [_race_cell(pair) for _, pair in self.rows]
        columns |= {
            name: [Cell(str(number), number) for number in numbers]
            for name, numbers in {
                "median": [s.median for s in stats],
                "5 %": [s.low for s in stats],
                "95 %": [s.high for s in stats],
                "best": [s.best for s in stats],
                "worst": [s.worst for s in stats],
            }.items()
        }
        if len({result.seed for result in self.results}) > 1:
            columns["seed"] = [Cell(str(result.seed), result.seed) for result in self.results]
        if len({s.games for s in stats}) > 1:
            columns["games"] = [Cell(f"{s.games:,}", s.games) for s in stats]
        return columns

    @property
    def notes(self) -> list[str]:
        """What stands below the table, line by line."""
        notes = []
        if self.reference:
            notes.append(
                f"Difference: mean moves less those of {self.reference}, game by game on the same "
                "layouts. Wins, ties and losses: games with fewer moves, as many, or more."
            )
            texts = [pair.text for _, pair in self.rows if pair]
            if any(text.startswith("≈") for text in texts):
                notes.append("≈ not significant: the interval holds 0.")
            if "= 0" in texts:
                notes.append("= the same games: as many moves in every one.")
        if any(result.learning for result in self.results):
            notes.append("Of strategies that learn, the learner is the unit of the interval.")
        if any(result.partial for result in self.results):
            told = ", ".join(result.label for result in self.results if result.partial)
            notes.append(f"Interrupted before all games were played: {told}.")
        return notes


def _pair(result: Result, reference: Result, difference: Difference) -> Pair:
    assert result.moves is not None
    assert reference.moves is not None
    common = min(result.games, reference.games)
    differences = result.moves[:common].astype(np.int64) - reference.moves[:common]
    least = int(differences.min())
    return Pair(difference, least, np.bincount(differences - least))


def _difference_cell(pair: Pair | None) -> Cell:
    return Cell("reference", 0.0) if pair is None else Cell(pair.text, pair.difference.mean)


def _race_cell(pair: Pair | None) -> Cell:
    if pair is None:
        return Cell("–")
    return Cell(
        " / ".join(f"{100 * games / pair.games:.2f}" for games in pair.race),
        pair.race[0] / pair.games,
    )


@dataclass(frozen=True, eq=False)
class Report:
    """What a report says.

    Attributes
    ----------
    title, text : str
        Text is in paragraphs with an empty line between them, code in backquotes.
    sections : tuple of Section
        At least one.
    command : str or None
        What brings these results about.
    """

    title: str
    text: str
    sections: tuple[Section, ...]
    command: str | None = None

    @property
    def results(self) -> list[Result]:
        """All results, section by section."""
        return [result for section in self.sections for result in section.results]

    @property
    def versions(self) -> list[str]:
        """The versions that results and charts depend on, a line for each that differs."""
        lines = dict.fromkeys(
            f"bsbench {result.bsbench}, layout stream {result.stream_version}; "
            + ", ".join(f"{name} {version}" for name, version in result.versions.items())
            for result in self.results
        )
        drawn = ", ".join(f"{k} {v}" for k, v in installed_versions(CHARTS_DRAWN_WITH).items())
        return [*lines, f"charts: {drawn}"]

    def summary(self) -> pd.DataFrame:
        """Return a tidy row for each result.

        To the columns of `Result.summary`, but for the games per second, come ``part``, the
        section's name; ``reference``, a label; ``difference``, ``difference_half_width`` and
        ``significant``; and ``wins``, ``ties`` and ``losses``, the games in which the strategy
        needed fewer moves than the reference, as many, or more. They are empty for the
        reference.
        """
        import pandas as pd

        rows = []
        for section in self.sections:
            for result, pair in section.rows:
                row: dict[Any, Any] = {"part": section.name}
                row |= result.summary().to_dict("records")[0]
                del row["games_per_second"]
                row["reference"] = section.reference
                if pair is not None:
                    difference = pair.difference
                    row |= {
                        "difference": difference.mean,
                        "difference_half_width": difference.half_width,
                        "significant": difference.significant,
                    }
                    row |= zip(("wins", "ties", "losses"), pair.race, strict=True)
                rows.append(row)
        # As objects, whole numbers stay whole beside missing ones.
        return pd.DataFrame(rows, dtype=object)

    def csv_text(self) -> str:
        """Return the summary as CSV text."""
        return self.summary().to_csv(index=False, lineterminator="\n")


def draw(report: Report) -> list[dict[str, Figure]]:
    """Draw the charts of a report: for each section, figures by the names of its charts.

    Raises
    ------
    BsbenchError
        If the results lack what a chart needs.
    """
    return [
        {chart: _figure(section, chart) for chart in section.charts} for section in report.sections
    ]


def _figure(section: Section, name: str) -> Figure:
    """Draw the chart written ``KIND`` or ``KIND:STRATEGY``."""
    kind, _, who = name.partition(":")
    chart = find_chart(kind)
    if not who:
        return chart.draw(section.results)
    label = make_variant(who).label
    (shown,) = (result for result in section.results if result.label == label)
    others = [result for result in section.results if result.label == section.reference]
    match chart.needs:
        case Needs.PAIR:
            if shown.moves is None:
                raise BsbenchError(
                    f"the chart {name!r} needs the move count of each game, which records don't "
                    "hold: play again"
                )
            return chart.draw([*others, shown])
        case Needs.LEARNER:
            return chart.draw([shown, *others])
        case _:
            return chart.draw([shown])
