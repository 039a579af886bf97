"""Results that met the same layouts, and how each two of them compare."""

from __future__ import annotations

import dataclasses
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from bsbench.common.errors import BsbenchError
from bsbench.present.report import ReportSection
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
    """

    title: str
    results: tuple[Result, ...]
    names: Mapping[str, str]
    reference: str
    known: Mapping[tuple[str, str], Pair] = field(default_factory=dict)

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


def only(sections: Sequence[ReportSection], scenario: str | None) -> list[ReportSection]:
    """Return the sections of one scenario, where it is named.

    Raises
    ------
    BsbenchError
        If there is none.
    """
    found = [each for each in sections if scenario in (None, each.scenario.name)]
    if not found:
        there = ", ".join(sorted({each.scenario.name for each in sections}))
        raise BsbenchError(
            f"none of the results is of the scenario {scenario!r}: they are of {there}"
        )
    return found


def _scene(sections: Sequence[ReportSection]) -> Scene:
    results: list[Result] = []
    names: dict[str, str] = {}
    known: dict[tuple[str, str], Pair] = {}
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
    if len(results) > MOST:
        raise BsbenchError(
            f"an explorer shows up to {MOST} strategies on one scenario, and there are "
            f"{len(results)}: name fewer records"
        )
    # The best, unless the results have a reference of their own.
    best = min(results, key=lambda result: result.stats.mean).label
    reference = reference if len(sections) == 1 else best
    title = min((section.scenario.name for section in sections), key=len)
    return Scene(title, tuple(results), names, reference, known)


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
