"""Plays the readings that are not on record, each by its own command in a process of its own."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from bsbench.cli.delivery import read_names
from bsbench.cli.layouts import layouts_command
from bsbench.cli.run import run_command
from bsbench.common.errors import BsbenchError
from bsbench.common.progress import Progress, Watch
from bsbench.common.settings import check_choice, results_folder
from bsbench.own.loading import is_spec
from bsbench.roster import make_variant
from bsbench.rules.scenario import Scenario
from bsbench.studies.optimum.command import optimum_command
from bsbench.studies.survey.claims import LAYOUTS, Played, Reading, Survey, naming_reading

_AS_CSV = ("-q", "--export-csv", "-")
_PROGRAMS = {"bsbench": ("-P", "-m", "bsbench"), "python": ()}
_COMMANDS = {"run": run_command, "optimum": optimum_command, "layouts": layouts_command}
_MORE = {"run": ("--no-save", *_AS_CSV), "optimum": _AS_CSV}


def play_readings(survey: Survey, missing: Sequence[str], progress: Watch) -> Survey:
    """Play readings, keep the games of each when it is over, and return them with the others.

    Raises
    ------
    BsbenchError
        If one can't be played. Those before are kept.
    """
    for number, name in enumerate(missing):
        progress(Progress(f"playing {name}", number, len(missing), unit="readings"))
        reading = survey.readings[name]
        with naming_reading(name):
            played = {**survey.played, reading.key: play(reading)}
        survey = replace(survey, played=played)
        survey.write_played()
    return survey


def check_commands(name: str, reading: Reading) -> Scenario | None:
    """Check the commands of a reading as bsbench does before it plays; no player's file is read.

    Returns
    -------
    Scenario or None
        Where ``bsbench run`` plays; None if the games are those of another command.

    Raises
    ------
    BsbenchError
        If one names an unknown option, rule or strategy.
    """
    scenario = None
    with naming_reading(name):
        for line in filter(None, (reading.layouts, reading.play)):
            program, kind, *words = [*line.split(), "", ""]
            check_choice("program", program, _PROGRAMS)
            if program == "bsbench":
                check_choice("command", kind, _COMMANDS)
                scenario = _check_options(_COMMANDS[kind], words[:-2])
    return scenario


def _check_options(command: click.Command, words: list[str]) -> Scenario | None:
    """Check what follows a command, and return where it plays, if it is ``bsbench run``."""
    home = None
    try:
        values = command.make_context(command.name, words).params
    except click.UsageError as error:
        raise BsbenchError(error.format_message()) from None
    for variant in values.pop("variants", ()):
        if not is_spec(variant.partition(",")[0]):
            home = make_variant(variant).home
    request = read_names(values).get("request")
    return request and request.scenarios_or(home)[0]


def play(reading: Reading) -> Played:
    """Return the games of a reading.

    Raises
    ------
    BsbenchError
        If a command of it fails.
    """
    before, rows = os.times(), []
    with TemporaryDirectory() as folder:
        for line in filter(None, (reading.layouts, reading.play)):
            path = str(Path(folder, LAYOUTS))
            rows = _rows([word.replace(LAYOUTS, path) for word in line.split()])
    seconds = round(sum(os.times()[2:4]) - sum(before[2:4]), 1)
    if reading.column in rows[0]:
        mean = rows[0][reading.column]
        return Played(command=reading.key, games=0, seconds=seconds, mean=mean)
    games = {int(row["moves"]): int(row["games"]) for row in rows}
    first, total = min(games), sum(games.values())
    counts = [games.get(moves, 0) for moves in range(first, max(games) + 1)]
    return Played(command=reading.key, games=total, seconds=seconds, first=first, counts=counts)


def _rows(words: Sequence[str]) -> list[dict[str, str]]:
    """Return the rows of CSV that a command prints."""
    words = [sys.executable, *_PROGRAMS[words[0]], *words[1:], *_MORE.get(words[1], ())]
    place = results_folder().parent
    done = subprocess.run(words, cwd=place, capture_output=True, check=False, encoding="utf-8")
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.strip()]
        raise BsbenchError("".join(said[-1:]).removeprefix("Error: ") or "it failed")
    return [*csv.DictReader(done.stdout.splitlines())]
