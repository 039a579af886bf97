"""Plays the readings that are not on record, each by its own command in a process of its own."""

from __future__ import annotations

import csv
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from bsbench.cli.delivery import read_names
from bsbench.cli.run import run_command
from bsbench.common.errors import BsbenchError
from bsbench.common.progress import Progress, Watch
from bsbench.common.settings import results_folder
from bsbench.own.loading import is_spec
from bsbench.roster import make_variant
from bsbench.studies.optimum.command import optimum_command
from bsbench.studies.survey.claims import LAYOUTS, Played, Reading, Survey, write_played

_BSBENCH, _AS_CSV = ("-P", "-m", "bsbench"), ("-q", "--export-csv", "-")


def play_missing(found: Survey, progress: Watch) -> tuple[Survey, list[str]]:
    """Play what is not on record, and keep the games of each reading when it is over.

    Returns
    -------
    Survey
        With what was played.
    list of str
        Why readings could not be played, a sentence for each.
    """
    played, problems = dict(found.played), []
    missing = found.missing()
    for number, (name, reading) in enumerate(missing.items()):
        progress(Progress(f"playing {name}", number, len(missing), unit="readings"))
        try:
            played[reading.key] = play(reading)
        except BsbenchError as error:
            problems.append(f"the reading {name!r} can't be played: {error}")
        else:
            write_played(played, found.readings)
    return replace(found, played=played), problems


def check_command(reading: Reading) -> None:
    """Check the command of a reading, as bsbench does before it plays; no player's file is read.

    Raises
    ------
    BsbenchError
        If it names an unknown option, rule or strategy.
    """
    if reading.outside:
        return
    command = run_command if reading.run else optimum_command
    try:
        with command.make_context(
            command.name, shlex.split(reading.run or reading.optimum)
        ) as made:
            values = made.params
    except click.UsageError as error:
        raise BsbenchError(error.format_message()) from None
    variants = values.pop("variants", ())
    read_names(values)
    for variant in variants:
        if not is_spec(variant.partition(",")[0]):
            make_variant(variant)


def play(reading: Reading) -> Played:
    """Return the games of a reading.

    Raises
    ------
    BsbenchError
        If its command fails.
    """
    before, mean, counts = os.times(), "", {}
    if reading.outside:
        counts = _counts(_call(shlex.split(reading.outside)))
    elif reading.optimum:
        (row, *_) = _call([*_BSBENCH, *_words(reading.commands[0]), *_AS_CSV])
        mean = row[reading.column]
    else:
        with TemporaryDirectory() as folder:
            *first, last = (_words(line, folder) for line in reading.commands)
            for words in first:
                _call([*_BSBENCH, *words])
            counts = _counts(_call([*_BSBENCH, *last, "--no-save", *_AS_CSV]))
    after = os.times()
    fewest = min(counts, default=0)
    return Played(
        command=reading.key,
        games=sum(counts.values()),
        layouts=reading.layouts_in_file,
        seconds=round(sum(after[2:4]) - sum(before[2:4]), 1),
        first=fewest,
        counts=[counts.get(moves, 0) for moves in range(fewest, max(counts, default=-1) + 1)],
        mean=mean,
    )


def _words(line: str, folder: str = "") -> list[str]:
    """Return what follows ``bsbench`` in a command line; its file of layouts is in a folder."""
    return [word.replace(LAYOUTS, str(Path(folder, LAYOUTS))) for word in shlex.split(line)[1:]]


def _call(words: Sequence[str]) -> list[dict[str, str]]:
    """Return the rows of CSV that a program in Python prints."""
    done = subprocess.run(
        [sys.executable, *words],
        cwd=results_folder().parent,
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    if done.returncode:
        last = [line for line in done.stderr.splitlines() if line.strip()][-1:]
        problem = "".join(last).removeprefix("Error: ")
        raise BsbenchError(problem or f"it ended with exit code {done.returncode}")
    return [*csv.DictReader(done.stdout.splitlines())]


def _counts(rows: Sequence[Mapping[str, str]]) -> dict[int, int]:
    """Return how many games have how many moves."""
    return {int(row["moves"]): int(row["games"]) for row in rows}
