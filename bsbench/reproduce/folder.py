"""Results that can be regenerated: a plan is played, and a folder of results follows from it.

The folder holds a record for each strategy, the tables as CSV and Markdown, charts as PNG and
SVG (some also as ``CHART-dark.png``: the plan says which), a report as Markdown, and
``reproduce.json``, with all that is in none of the records: see `ManifestRecord`. Each record, but
that of the reference, has its comparison with the reference as ``against``.

All of it depends only on the plan, the games, the seed and the versions of bsbench and the
libraries, except for the times, machines and dates at the ends of records and reports.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from operator import methodcaller
from pathlib import Path
from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from bsbench.common.errors import BsbenchError, option
from bsbench.common.files import MANIFEST, PICTURES, Write, read_json, replace_folder, write_results
from bsbench.common.journal import Journal
from bsbench.common.machine import usable_cores
from bsbench.common.record import Record, as_json, read
from bsbench.common.texts import is_line, is_text, shortened
from bsbench.present.charts import Needs, find_chart
from bsbench.present.report import OF_ONE, ReportPage, ReportSection, draw
from bsbench.present.report.render import markdown_text, table_text
from bsbench.reproduce.plan import Part, ReproductionPlan, check_named
from bsbench.roster import make_variant
from bsbench.rules.scenario import Scenario
from bsbench.runs.comparing import play_together
from bsbench.runs.comparison import Comparison, check_pair
from bsbench.runs.contestants import line_up
from bsbench.runs.experiment import Experiment, about_games
from bsbench.runs.opening import opened
from bsbench.runs.panel import Watch
from bsbench.runs.records import load_result
from bsbench.runs.request import LOCAL, TIMEOUT, Engine, Request
from bsbench.runs.results import Result, write_record
from bsbench.strategies import Strategy


class SectionRecord(Record, frozen=True, kw_only=True):
    """What a report shows of one scenario.

    Attributes
    ----------
    name
        Begins the names of its files; may be empty.
    title
        Title.
    text
        Words of the section.
    reference
        Label of the reference.
    charts
        Kinds of charts; of one strategy, with its name.
    dark
        Those of the charts that are there on dark ground, too.
    results
        Files of records.
    """

    name: str
    title: str
    text: str
    reference: str
    charts: list[str]
    dark: list[str] | UnsetType = UNSET
    results: list[str]


class ManifestRecord(Record, frozen=True):
    """`reproduce.json` in a folder of `bsbench reproduce`: what no record of the folder says.

    Attributes
    ----------
    command
        The command that made the folder.
    title
        Title of the report.
    text
        Words of the report.
    sections
        One for each part of the plan.
    files
        All files of the folder but this one.
    """

    schema = "bsbench-reproduction-2"
    heading = "Manifest of reproduced results"

    command: str | None
    title: str
    text: str
    sections: Annotated[list[SectionRecord], Meta(min_length=1)]
    files: list[str]


def check_plan(plan: ReproductionPlan) -> None:
    """Refuse a plan that could not be played and reported to its end.

    Raises
    ------
    BsbenchError
        If a strategy, reference or chart of the plan doesn't exist, or does not fit the plan.
    """
    for part in plan.parts:
        shooters = line_up(part.strategies, part.reference).contestants
        request = Request.of(part.scenario, part.seed, games=part.games)
        for shooter in shooters:
            if isinstance(shooter, Result):
                raise BsbenchError(
                    f"a record, here of {shooter.label}, can't be played: name strategies"
                )
            request.check([shooter], [part.scenario])
        if unknown := [chart for chart in part.dark if chart not in part.charts]:
            raise BsbenchError(
                f"{unknown[0]!r} is to be dark, and is none of the charts {', '.join(part.charts)}"
            )
        for chart in part.charts:
            _check_chart(chart, [each for each in shooters if isinstance(each, Strategy)])


def _check_chart(chart: str, shooters: Sequence[Strategy]) -> None:
    """Refuse a chart that could not be drawn of what these strategies play."""
    kind, _, who = chart.partition(":")
    found = find_chart(kind)
    if (found.needs in OF_ONE) != bool(who) and found.needs is not Needs.EACH:
        meant = f"all: write {kind}" if who else f"one strategy: write {kind}:STRATEGY"
        raise BsbenchError(f"the chart {chart!r} is of {meant}")
    names = {shooter.name for shooter in shooters}
    if found.needs is Needs.COMPARISON and len(names) == len(shooters):
        raise BsbenchError(f"the chart {chart!r} needs {found.needs.value}: give a sweep")
    labels = [shooter.label for shooter in shooters]
    if who and make_variant(who).label not in labels:
        raise BsbenchError(f"the chart {chart!r} is of none of the strategies {', '.join(labels)}")


def about(plan: ReproductionPlan) -> dict[str, Any]:
    """Return what identifies the games of a plan, for `Journal.open`.

    Raises
    ------
    BsbenchError
        If `check_plan` refuses the plan.
    """
    check_plan(plan)
    parts = {}
    for number, part in enumerate(plan.parts, 1):
        shooters, reference = _line_up(part)
        parts[f"part {number}"] = about_games(
            shooters, [part.scenario], [part.seed], reference=reference
        )
    return parts


def _line_up(part: Part) -> tuple[list[Strategy], str]:
    """Return the strategies of a part that `check_plan` allows, and the label of its reference."""
    shooters, reference, _ = line_up(part.strategies, part.reference)
    strategies = [shooter for shooter in shooters if isinstance(shooter, Strategy)]
    return strategies, reference or strategies[0].label


def play(
    plan: ReproductionPlan,
    threads: int | None = None,
    progress: Callable[[Part], contextlib.AbstractContextManager[Watch | None]] | None = None,
    journal: Journal | None = None,
    engine: Engine = LOCAL,
) -> ReportPage:
    """Play what a plan says.

    Parameters
    ----------
    plan : ReproductionPlan
    threads : int, optional
        Default: as many as there are cores.
    progress : callable, optional
        Called with each part when it begins; returns a context. Its value is None, or is called
        now and then with a `GameProgress`.
    journal : Journal, optional
        What keeps all that is played, opened with `about`; what it has is not played again.
    engine : str or distributed.Client
        As for `bsbench.run`.

    Raises
    ------
    BsbenchError
        If `check_plan` refuses the plan.
    KeyboardInterrupt
        If interrupted: a plan half played has no report.
    """
    check_plan(plan)
    sections = []
    with opened(engine) as workers:
        for number, part in enumerate(plan.parts, 1):
            shooters, reference = _line_up(part)
            with progress(part) if progress else contextlib.nullcontext() as watch:
                comparison = play_together(
                    Experiment(
                        tuple(shooters),
                        (part.scenario,),
                        (part.seed,),
                        games=part.games,
                        reference=reference,
                    ),
                    threads or usable_cores(),
                    TIMEOUT,
                    watch=watch,
                    journal=journal,
                    key=f"part {number}",
                    workers=workers,
                )
            if comparison.partial:
                raise KeyboardInterrupt
            recorded = _as_recorded(comparison)
            words = part.name, part.title, part.text
            sections.append(
                ReportSection(*words, recorded, part.charts, dark=part.dark, played=comparison)
            )
    return ReportPage(plan.title, plan.text, tuple(sections), plan.command)


def other_results(report: ReportPage, before: ReportPage) -> list[str] | None:
    """Return the records whose games needed other numbers of moves than in a report before.

    Parameters
    ----------
    report, before : ReportPage

    Returns
    -------
    list of str, or None
        How the names of their files begin; None if nothing is to be compared, since the report
        before has no record of the same games.
    """
    known = {
        _games_of(each, section): each for section in before.sections for each in section.results
    }
    pairs = [
        (section.file_name(each.label), each, known.get(_games_of(each, section)))
        for section in report.sections
        for each in section.results
    ]
    compared = [(name, each, other) for name, each, other in pairs if other is not None]
    if not compared:
        return None
    return [name for name, each, other in compared if each.tally.digest != other.tally.digest]


def _games_of(result: Result, section: ReportSection) -> tuple[str, Scenario, str, int, int]:
    return section.name, section.scenario, result.label, result.seed, result.games


def _as_recorded(comparison: Comparison) -> Comparison:
    """Return a comparison as records have it, so that both give the same report.

    Times are rounded, and what is known of pairs are those with the reference.
    """
    results = (
        dataclasses.replace(
            result,
            setup_seconds=round(result.setup_seconds, 4),
            play_seconds=round(result.play_seconds, 4),
        )
        for result in _without_moves(comparison)
    )
    return dataclasses.replace(comparison, results=tuple(results), stored={}, stored_firsts={})


def reworded(report: ReportPage, plan: ReproductionPlan) -> ReportPage:
    """Return a report of the same results, with the words and charts that its plan has now.

    Raises
    ------
    BsbenchError
        If the plan is of other strategies or scenarios: it must be played.
    """
    sections = []
    for section, part in itertools.zip_longest(report.sections, plan.parts):
        if section is None or part is None or not _is_of(section, part):
            raise BsbenchError(
                f"the records are not of the strategies and scenarios that {plan.name!r} has now: "
                f"play them, without {option('from_records', True)}"
            )
        words = {"title": part.title, "text": part.text}
        pictures = {"charts": part.charts, "dark": part.dark}
        sections.append(dataclasses.replace(section, **words, **pictures))
    return ReportPage(plan.title, plan.text, tuple(sections), report.command)


def _is_of(section: ReportSection, part: Part) -> bool:
    """Return whether a section shows what a part plays, with any number of games."""
    shooters, reference, _ = line_up(part.strategies, part.reference)
    labels = [shooter.label for shooter in shooters]
    return (section.name, section.scenario, section.comparison.reference) == (
        part.name,
        part.scenario,
        reference or labels[0],
    ) and [result.label for result in section.results] == labels


def save_report(report: ReportPage, folder: Path) -> Path:
    """Write a folder of results, in place of the one that an earlier call wrote there.

    Returns
    -------
    Path
        The folder: see `bsbench.common.files.replace_folder`.

    Raises
    ------
    BsbenchError
        If it can't be written.
    """
    return replace_folder(folder, ManifestRecord.schema, partial(write_files, report))


def write_files(report: ReportPage, folder: Path) -> None:
    """Write all that a folder of results holds into an empty one.

    Raises
    ------
    BsbenchError
        If it can't be written, a chart can't be drawn from these results, or two files
        would have the same name.
    """
    from bsbench.present.charts import write_figure

    report = _with_files(report, folder)
    figures = draw(report)
    writers: list[tuple[str, Write]] = []
    for section, drawn in zip(report.sections, figures, strict=True):
        for result in section.results:
            name = section.files[result.label].name
            writers.append((name, partial(write_record, result)))
        for chart, figure in drawn.items():
            for kind in PICTURES:
                name = f"{section.file_name(chart)}.{kind}"
                writers.append((name, partial(write_figure, figure, kind=kind)))
            if chart in section.dark:
                name = f"{section.file_name(chart)}-dark.png"
                writers.append((name, partial(write_figure, figure, kind="png", dark=True)))
    texts = {
        "table.csv": report.csv_text(),
        "table.md": table_text(report),
        "report.md": markdown_text(report, figures),
    }
    writers += [(name, methodcaller("write", text.encode())) for name, text in texts.items()]
    names = [MANIFEST, *(name for name, _ in writers)]
    taken: set[str] = set()
    for name in names:
        # Where a file system ignores case, these would be one file, too.
        if name.lower() in taken:
            raise BsbenchError(
                f"two files would be called {name}: give the parts of the plan names"
            )
        taken.add(name.lower())
    about = {
        "schema": ManifestRecord.schema,
        "command": report.command,
        "title": report.title,
        "text": report.text,
        "sections": [as_json(_section_record(section)) for section in report.sections],
    }
    write_results(folder, writers, about)


def _without_moves(comparison: Comparison) -> Iterator[Result]:
    """Yield the results with what is known of the pairs, and no moves: a megabyte each."""
    reference = comparison.compared_with
    for result, pair in zip(comparison.results, comparison.pairs, strict=True):
        against = None if result is reference or pair is None else pair.against(reference)
        yield dataclasses.replace(result, kept_moves=None, against=against)


def _with_files(report: ReportPage, folder: Path) -> ReportPage:
    """Return the report with the files that its records get in a folder."""
    sections = (
        dataclasses.replace(
            section,
            files={
                result.label: folder / f"{section.file_name(result.label)}.json"
                for result in section.results
            },
        )
        for section in report.sections
    )
    return dataclasses.replace(report, sections=tuple(sections))


def _section_record(section: ReportSection) -> SectionRecord:
    return SectionRecord(
        name=section.name,
        title=section.title,
        text=section.text,
        reference=section.comparison.reference,
        charts=list(section.charts),
        results=[section.files[result.label].name for result in section.results],
    )


def load_report(folder: str | Path, trust: bool = False) -> ReportPage:
    """Return the report of a folder of results, from what it holds.

    Parameters
    ----------
    folder : str or Path
    trust : bool
        Whether its charts may be of strategies that are not built in, whose code will run.

    Raises
    ------
    BsbenchError
        If the folder can't be read, is damaged, or has charts of such strategies.
    """
    path = Path(folder) / MANIFEST
    written = "what 'bsbench reproduce' has written, or is damaged: play it again"
    report = read_json(path, partial(_read_manifest, path.parent), "usable", written)
    for section in report.sections:
        check_named(path, (), section.charts, trust)
    return report


def _read_manifest(folder: Path, content: dict[str, Any]) -> ReportPage:
    said = read(content, ManifestRecord)
    sections = tuple(_read_section(section, folder) for section in said.sections)
    told = said.command is None or (is_line(said.command) and said.command.startswith("bsbench "))
    if not (told and is_line(said.title) and is_text(said.text)):
        raise BsbenchError("its title, text or command are not what they should be")
    return ReportPage(said.title, said.text, sections, said.command)


def _read_section(said: SectionRecord, folder: Path) -> ReportSection:
    """Return a section, if it agrees with its records."""
    files, reference = said.results, said.reference
    if any(Path(file).name != file for file in files):
        raise BsbenchError("a record of a section is not in the folder")
    results = tuple(load_result(folder / file) for file in files)
    if not (is_text(said.text) and all(map(is_line, (said.name, said.title, *said.charts)))):
        raise BsbenchError("the words of a section are not what they should be")
    if any(result.scenario != results[0].scenario for result in results):
        raise BsbenchError("the records of a section are not of one scenario")
    if reference not in [result.label for result in results]:
        raise BsbenchError(f"there is no record of the reference {shortened(reference)}")
    (against,) = (result for result in results if result.label == reference)
    for result in results:
        if result is not against:
            check_pair(result, against)
    return ReportSection(
        said.name,
        said.title,
        said.text,
        comparison=Comparison(results, reference),
        charts=tuple(said.charts),
        files={result.label: folder / file for file, result in zip(files, results, strict=True)},
    )
