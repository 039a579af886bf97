"""The game of median length of each strategy: the command that shows it, and its page."""

from __future__ import annotations

import dataclasses
import os
import shlex
from collections.abc import Callable
from pathlib import Path

from bsbench.common.errors import BsbenchError
from bsbench.common.files import file_name, make_folder, taken, write_text
from bsbench.present.report import ReportPage, ReportSection
from bsbench.roster import strategy_names
from bsbench.runs.contestants import strategy_of
from bsbench.runs.request import replay_line
from bsbench.runs.results import Result

FOLDER = "replays"
"""Stands beside the report."""

_ODDS = 2.0
"""Effort for the odds of all positions of a game."""


def median_game(result: Result) -> int | None:
    """Return the number of the first game as long as the median; None if that is not known."""
    game = int(result.tally.firsts[result.stats.median])
    return game if game >= 0 else None


def median_command(section: ReportSection, result: Result, record: str | None) -> str | None:
    """Return the command line that shows the game of median length, if its number is known.

    Of a strategy that is not built in, it names the record rather than code, and so runs none
    that its reader did not allow.

    Parameters
    ----------
    section : ReportSection
    result : Result
    record : str or None
        The path of the record from where the command is given.
    """
    if (game := median_game(result)) is None:
        return None
    page = ["-o", f"{section.file_name(result.label)}-median.html"]
    if result.strategy in strategy_names():
        try:
            shooter = strategy_of(result)
        except BsbenchError:
            # Such as one that was played on another layout stream.
            return None
        line = replay_line(shooter, result.scenario, result.seed, game)
        return f"{line} {shlex.join(page)}"
    if record is None:
        file = section.files.get(result.label)
        record = (
            file_name(f"{result.label}-{result.scenario.name}.json") if file is None else file.name
        )
    return shlex.join(["bsbench", "replay", record, "--game", str(game), *page])


def write_replays(
    report: ReportPage,
    folder: Path,
    trust: bool,
    force: bool,
    say: Callable[[str], object],
) -> ReportPage:
    """Write a page for each game of median length; return the report with links to them.

    Parameters
    ----------
    report : ReportPage
    folder : Path
        Where the report stands.
    trust : bool
        Whether strategies that are not built in are played, whose code will run.
    force : bool
        Whether pages that exist are replaced.
    say : callable
        Called with why a strategy has no page.

    Raises
    ------
    BsbenchError
        If a page exists already, or can't be written.
    """
    sections = []
    for section, heading in zip(report.sections, report.headings, strict=True):
        pages: dict[str, str] = {}
        for result in section.results:
            beginning = f"{heading}-" if len(report.sections) > 1 else ""
            name = file_name(f"{beginning}{result.label}-median.html")
            try:
                text = _page(result, trust)
            except BsbenchError as error:
                say(f"no replay of {result.label}: {error}")
                continue
            path = folder / FOLDER / name
            if os.path.exists(path) and not force:
                raise taken(path)
            make_folder(path.parent)
            write_text(path, text)
            pages[result.label] = f"{FOLDER}/{name}"
        sections.append(dataclasses.replace(section, replays=pages))
    return dataclasses.replace(report, sections=tuple(sections))


def _page(result: Result, trust: bool) -> str:
    """Return the page of the game of median length.

    Raises
    ------
    BsbenchError
        If the game can't be played again, or would take long.
    """
    from bsbench.present.replaying import replay
    from bsbench.present.replaying.analysis import analysed
    from bsbench.present.replaying.page import page_text

    if (game := median_game(result)) is None:
        raise BsbenchError("its record does not say which games were how long")
    shooter = strategy_of(result, trust=trust)
    if shooter.takes_long:
        raise BsbenchError("its games take long; the report has the command")
    again = replay(shooter, result.scenario, seed=result.seed, game=game)
    if again.fault is not None:
        raise BsbenchError(str(again.fault))
    if again.turns != result.stats.median:
        raise BsbenchError(
            f"game {game:,} took {again.turns} {result.scenario.rules.counted}, not "
            f"{result.stats.median} as its record says: the strategy is not what it was"
        )
    return page_text(analysed([again], odds=_ODDS, run=result))
