"""Reports of comparisons, saved records, and folders that `bsbench reproduce` wrote."""

from __future__ import annotations

import dataclasses
import json
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from bsbench.common.files import MANIFEST
from bsbench.common.settings import check_choice
from bsbench.common.texts import listed_in_words
from bsbench.present.report import ReportPage, ReportSection
from bsbench.reproduce.folder import load_report
from bsbench.runs.comparing import compare
from bsbench.runs.comparison import Comparison
from bsbench.runs.finding import find_records
from bsbench.runs.records import check_copies, load_result
from bsbench.runs.results import Result
from bsbench.runs.sweeps import default_of, is_sweep

_MOST_NAMED = 4
"""Strategies or scenarios that a title names; of more it gives the number."""


class _Record(NamedTuple):
    """A result, and the file it was read from."""

    file: Path
    result: Result


def gather(
    paths: Iterable[str | Path], trust: bool = False, reference: str | None = None
) -> ReportPage:
    """Return a report of saved records: of files, or of all those in folders.

    Folders are searched downwards. A section has the records of one scenario that lie in one
    folder, or that are named one by one; where a strategy was played under several seeds, of one
    seed. Of several records of the same games, the longest one counts. Records are compared game by
    game where their move counts are kept, or their comparison is; else by their means. The
    reference is the strategy that they were compared with when they were played; if that is not
    known, the default of a sweep, or the best. A folder that `save_report` has written keeps its
    sections; if it is the only path, it keeps its title and text, too.

    Parameters
    ----------
    paths : iterable of str or Path
        As for `bsbench.runs.finding.find_records`.
    trust : bool
        As for `load_report`.
    reference : str, optional
        The label of the strategy that all others are compared with, in sections that have it.

    Raises
    ------
    BsbenchError
        If a path is neither a record nor a folder with any, or no section has the reference.
    """
    reports: list[ReportPage] = []
    groups: dict[tuple[Path | None, str], list[_Record]] = {}
    for path in paths:
        for found in find_records([path], reports=True):
            if os.path.exists(found / MANIFEST):
                reports.append(load_report(found, trust))
                continue
            result = load_result(found)
            home = None if Path(path) == found else found.parent
            key = home, json.dumps(result.scenario.to_dict())
            groups.setdefault(key, []).append(_Record(found, result))
    # All at once: two of them may contradict each other.
    check_copies(record for records in groups.values() for record in records)
    if len(reports) == 1 and not groups:
        return _with_reference(reports[0], reference)
    sections = [_section_within(page, section) for page in reports for section in page.sections]
    for records in groups.values():
        sections += _sections(records)
    return _with_reference(ReportPage(_title(sections), "", tuple(sections)), reference)


def report_of(panels: Iterable[Comparison]) -> ReportPage:
    """Return the report of comparisons that were just played."""
    sections = tuple(ReportSection("", "", "", panel) for panel in panels)
    return ReportPage(_title(sections), "", sections)


def _with_reference(page: ReportPage, reference: str | None) -> ReportPage:
    """Return a report whose strategies are compared with one of them, where it is there.

    Raises
    ------
    BsbenchError
        If it is nowhere.
    """
    if reference is None:
        return page
    labels = dict.fromkeys(result.label for result in page.results)
    check_choice("reference", reference, labels)
    sections = (
        dataclasses.replace(
            section, comparison=dataclasses.replace(section.comparison, reference=reference)
        )
        if reference in [result.label for result in section.results]
        else section
        for section in page.sections
    )
    return dataclasses.replace(page, sections=tuple(sections))


def _section_within(page: ReportPage, section: ReportSection) -> ReportSection:
    """Return a section of a folder's report as part of a larger one, where its title is missing."""
    if section.title or len(page.sections) > 1:
        return section
    return dataclasses.replace(section, title=page.title, text=section.text or page.text)


def _title(sections: Sequence[ReportSection]) -> str:
    """Return which strategies were played, and on which scenarios."""
    labels = [*dict.fromkeys(result.label for each in sections for result in each.results)]
    scenarios = [*dict.fromkeys(section.scenario.name for section in sections)]
    return f"{_listed(labels, 'strategies')} on {_listed(scenarios, 'scenarios')}"


def _listed(names: Sequence[str], what: str) -> str:
    if len(names) > _MOST_NAMED:
        return f"{len(names)} {what}"
    return listed_in_words(names)


def _sections(records: Sequence[_Record]) -> list[ReportSection]:
    """Return the sections of records of one scenario: of each seed, if a strategy has several."""
    kept, notes = _without_copies(records)
    seeds = [*dict.fromkeys(record.result.seed for record in kept)]
    times = Counter(record.result.label for record in kept)
    again = any(
        times[label] > len({r.result.strategy_sha256 for r in kept if r.result.label == label})
        for label in times
    )
    if len(seeds) == 1 or not again:
        return [_section(kept, "", notes)]
    return [
        _section(
            of_seed := [record for record in kept if record.result.seed == seed],
            f"{of_seed[0].result.scenario.name}, seed {seed}",
            notes if seed == seeds[0] else (),
        )
        for seed in seeds
    ]


def _without_copies(records: Sequence[_Record]) -> tuple[list[_Record], tuple[str, ...]]:
    """Return the longest record of each strategy and seed, and what is said of the others."""
    best: dict[tuple[object, ...], _Record] = {}
    left: list[_Record] = []
    for record in records:
        result = record.result
        # Strategies of one label may be different versions of a user's file.
        key = result.label, result.seed, result.stream_version, result.strategy_sha256
        known = best.get(key)
        if known is not None and known.result.games >= result.games:
            left.append(record)
            continue
        if known is not None:
            left.append(known)
        best[key] = record
    kept = {id(record) for record in best.values()}
    notes = []
    if left:
        files = [record.file.name for record in left]
        some = ", ".join(files[:_MOST_NAMED])
        more = f" and {len(files) - _MOST_NAMED} more" if files[_MOST_NAMED:] else ""
        notes.append(
            "of several records of one strategy and seed, the one with the most games is shown; "
            f"left out: {some}{more}"
        )
    return [record for record in records if id(record) in kept], tuple(notes)


def _section(records: Sequence[_Record], title: str, notes: tuple[str, ...]) -> ReportSection:
    """Return the section of records of one scenario, no two of the same games."""
    times = Counter(record.result.label for record in records)
    results = [
        result
        if times[result.label] == 1
        else dataclasses.replace(result, label=f"{result.label} ({file.stem})")
        for file, result in records
    ]
    files = {result.label: record.file for result, record in zip(results, records, strict=True)}
    if len(results) == 1:
        comparison = Comparison(tuple(results), results[0].label)
    else:
        reference = default_of(results) if is_sweep(results) else _reference_of(results)
        # All are from records here: nothing is to be said of that.
        comparison = dataclasses.replace(compare(results, reference=reference), from_records=())
    return ReportSection("", title, "", comparison, notes=notes, files=files)


def _reference_of(results: Sequence[Result]) -> str:
    """Return the label of the strategy that most were compared with; else that of the best."""
    labels = {result.tally.digest: result.label for result in results}
    asked = Counter(
        labels[result.against["digest"]]
        for result in results
        if result.against is not None and result.against["digest"] in labels
    )
    if asked:
        return asked.most_common(1)[0][0]
    return min(results, key=lambda result: result.stats.mean).label
