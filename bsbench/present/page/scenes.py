"""Results that met the same layouts, and how each two of them compare."""

from __future__ import annotations

import dataclasses
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from bsbench.common.errors import BsbenchError, StrategyError
from bsbench.present.report import ReportSection
from bsbench.present.report.render import paragraphs
from bsbench.rules.board import Feedback
from bsbench.runs.comparison import Comparison, Pair
from bsbench.runs.results import Result

MOST = 60
"""Strategies of a scene at most: the page holds a figure for each two of them."""


@dataclass(frozen=True, eq=False)
class Scene:
    """Results whose move counts compare: of one board, fleet and placement law.

    The feedback may differ, since it changes no layout.

    Attributes
    ----------
    title : str
    results : tuple of Result
        At least one, with different labels.
    names : mapping of str to str
        By label in the scene, the label of the strategy in its record.
    reference : str
        The label of the strategy that others are compared with, unless the reader chooses another.
    known : mapping of (str, str) to Pair
        Of a strategy and a reference, by their labels: what is known without the move counts.
    words, notes : tuple of str
        Paragraphs on the results; and what is to be said of their records.
    faults : mapping of str to StrategyError
        By label, the faults of strategies that are left out because of them.
    whole : Comparison or None
        The comparison that all results are of, if they are of one.
    """

    title: str
    results: tuple[Result, ...]
    names: Mapping[str, str]
    reference: str
    known: Mapping[tuple[str, str], Pair] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    faults: Mapping[str, StrategyError] = field(default_factory=dict)
    whole: Comparison | None = None

    @property
    def feedbacks(self) -> list[Feedback]:
        """The kinds of feedback, if they differ; else nothing."""
        found = sorted({result.scenario.rules.feedback for result in self.results})
        return found if len(found) > 1 else []

    @property
    def alike(self) -> bool:
        """Whether all met the same layouts."""
        return len(_layouts_of(self.results)) == 1

    @cached_property
    def comparisons(self) -> tuple[Comparison, ...]:
        """All results compared with each of them, in the order of `results`."""
        return tuple(self.compared(result.label) for result in self.results)

    def compared(self, reference: str) -> Comparison:
        """Return all results compared with one of them."""
        if self.whole is not None and self.whole.reference == reference:
            return dataclasses.replace(self.whole, results=self.results)
        stored = {
            result.label: pair
            for result in self.results
            if (pair := self._known(result.label, reference))
        }
        labels = tuple(result.label for result in self.results)
        return Comparison(self.results, reference, from_records=labels, stored=stored)

    def _known(self, label: str, reference: str) -> Pair | None:
        if pair := self.known.get((label, reference)):
            return pair
        pair = self.known.get((reference, label))
        return pair and pair.turned


def scenes_of(sections: Iterable[ReportSection]) -> list[Scene]:
    """Return scenes of the sections of a report: those on the same layouts make one.

    Those of one scenario under other seeds make another one.

    Raises
    ------
    BsbenchError
        If a scene has more than `MOST` strategies.
    """
    grouped: dict[object, list[ReportSection]] = {}
    for section in sections:
        key = section.scenario.move_law, _layouts_of(section.results)
        grouped.setdefault(key, []).append(section)
    scenes = [_scene(group) for group in grouped.values()]
    titles = [scene.title for scene in scenes]
    taken: set[str] = set()
    for place, scene in enumerate(scenes):
        title = scene.title
        if titles.count(title) > 1:
            title = f"{title}, seed {scene.results[0].seed}"
        title = _free(title, taken)
        taken.add(title)
        scenes[place] = dataclasses.replace(scene, title=title)
    return scenes


def _layouts_of(results: Iterable[Result]) -> frozenset[tuple[int, int]]:
    """Return which layouts results met, of one law: by the seeds, and how these are drawn."""
    return frozenset((result.seed, result.stream_version) for result in results)


def _scene(sections: Sequence[ReportSection]) -> Scene:
    results: list[Result] = []
    names: dict[str, str] = {}
    known: dict[tuple[str, str], Pair] = {}
    faults: dict[str, StrategyError] = {}
    references: dict[str, None] = {}
    # The same strategy may have played with several kinds of feedback.
    given = [each for section in sections for each in section.results]
    several = {each.label for each in given if _differ(each, given)}
    for section in sections:
        called: dict[str, str] = {}
        for result in section.results:
            label = result.label
            if label in several:
                label = f"{label} ({result.scenario.rules.feedback})"
            same = [each for each in results if each.label == label or names[each.label] == label]
            if not any(_same_games(result, each) for each in same):
                label = _free(label, names)
                names[label] = result.label
                results.append(dataclasses.replace(result, label=label))
            called[result.label] = label
        stored = section.comparison.stored.items()
        reference = called[section.comparison.reference]
        known |= {(called[label], reference): pair for label, pair in stored if label in called}
        faults |= section.comparison.faults
        references[reference] = None
    if len(results) > MOST:
        raise BsbenchError(
            f"a page shows up to {MOST} strategies on one scenario, and there are "
            f"{len(results)}: name fewer records"
        )
    best = min(results, key=lambda result: result.stats.mean).label
    return Scene(
        min((section.scenario.name for section in sections), key=len),
        tuple(results),
        names,
        next(iter(references)) if len(references) == 1 else best,
        known,
        words=tuple(
            ". ".join(filter(None, (section.title, text)))
            for section in sections
            for text in (paragraphs(section.text) or [""])
            if section.title or text
        ),
        notes=tuple(dict.fromkeys(note for section in sections for note in section.notes)),
        faults=faults,
        whole=sections[0].comparison if len(sections) == 1 else None,
    )


def _differ(result: Result, given: Iterable[Result]) -> bool:
    """Return whether there are results of the same strategy with other feedback."""
    feedback = result.scenario.rules.feedback
    return any(
        each.label == result.label and each.scenario.rules.feedback != feedback for each in given
    )


def _same_games(first: Result, second: Result) -> bool:
    """Return whether two results are of the same games."""
    return (
        first.strategy == second.strategy
        and first.scenario == second.scenario
        and (first.seed, first.tally.digest) == (second.seed, second.tally.digest)
        and first.counts.tolist() == second.counts.tolist()
    )


def _free(label: str, taken: Container[str]) -> str:
    """Return a name that is not taken: with a number, if it must be."""
    number, free = 2, label
    while free in taken:
        free, number = f"{label} ({number})", number + 1
    return free
