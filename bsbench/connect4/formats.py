"""What records of matches, leagues and results of Connect 4 hold, as types."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from bsbench.common.record import Count, Record
from bsbench.connect4.position import CELLS
from bsbench.matches.formats import LeagueRecord, MatchRecord


class Connect4Match(MatchRecord, frozen=True):
    """What `bsbench connect4 match` saves, and writes with `--export-json`.

    Attributes
    ----------
    stones
        Number of games by stones on the board at the end: entry n counts games of n stones.
    """

    schema = "bsbench-connect4-match-1"
    heading = "Match of Connect 4"

    stones: Annotated[list[Count], Meta(min_length=CELLS + 1, max_length=CELLS + 1)]


class Connect4League(LeagueRecord, frozen=True):
    """What `bsbench connect4 league` saves, and writes: every player meets every other."""

    schema = "bsbench-connect4-league-1"
    heading = "League of Connect 4"


class ManifestRecord(Record, frozen=True):
    """`reproduce.json` in the folder that `bsbench connect4 reproduce` wrote.

    Attributes
    ----------
    command
        The command that made the folder.
    files
        Files of the folder that belong to it.
    """

    schema = "bsbench-connect4-results-1"
    heading = "Manifest of results of Connect 4"

    command: str
    files: list[str]
