"""The results in ``results/connect4``: a league of all players, and the quality of their moves.

The folder holds ``league.json`` and ``quality.json``, the records; charts as PNG and SVG; the
tables as Markdown and CSV; ``report.md``; and ``reproduce.json``, of schema
``bsbench-connect4-results-1``, with the ``files`` that belong to it. Made again by the same
versions, all is the same but for times, dates and machine, and what is drawn from times.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from operator import methodcaller
from pathlib import Path

from bsbench.common.files import Write, json_text, replace_folder, write_results
from bsbench.connect4.league import League, play_league
from bsbench.connect4.quality import Quality, judge_players
from bsbench.connect4.tables import (
    Columns,
    cross_columns,
    csv_text,
    league_columns,
    markdown_text,
    quality_columns,
)

SCHEMA = "bsbench-connect4-results-1"

COMMAND = "bsbench connect4 reproduce"

GAMES = 100
"""Games of each two players by default."""

OPENING_PLIES = 12
"""With fewer random moves, nearly all of the time would be that of `perfect`: it takes about ten
times as long for a move after 8."""


@dataclass(frozen=True)
class Results:
    """A league, and the quality of moves."""

    league: League
    quality: Quality


def play(
    games: int,
    positions: int,
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[str], None] = lambda what: None,
) -> Results:
    """Play the league of all players, and judge their moves.

    Parameters
    ----------
    games : int
        Of each match.
    positions : int
        Of each ply.
    seed, threads
        As for `play_league`.
    progress : callable
        Called with what is done.

    Raises
    ------
    BsbenchError
        If a number is out of range.
    KeyboardInterrupt
        If interrupted: half of the results would pass for all.
    """
    quality = judge_players(
        positions=positions,
        seed=seed,
        threads=threads,
        progress=lambda what, done: progress(f"quality of moves: {what}, {done} plies"),
    )
    league = play_league(
        games=games,
        opening_plies=OPENING_PLIES,
        seed=seed,
        threads=threads,
        progress=lambda who, done: progress(f"league: {done:,} games, {who}"),
    )
    if league.partial:
        raise KeyboardInterrupt
    return Results(league, quality)


def save(results: Results, folder: Path) -> Path:
    """Write the folder, in place of the one that an earlier call wrote there; return its place.

    Raises
    ------
    BsbenchError
        If it can't be written.
    """
    return replace_folder(folder, SCHEMA, partial(write_files, results))


def write_files(results: Results, folder: Path) -> None:
    """Write all that the folder holds into an empty one.

    Raises
    ------
    BsbenchError
        If a file can't be written.
    """
    from bsbench.connect4.charts.quality import quality
    from bsbench.connect4.charts.ratings import ratings
    from bsbench.connect4.charts.strength import strength
    from bsbench.present.charts import write_figure

    texts = {
        "league.json": json_text(results.league.to_dict()),
        "quality.json": json_text(results.quality.to_dict()),
        "league.csv": csv_text(_strength(results.league)),
        "quality.csv": csv_text(quality_columns(results.quality)),
        "report.md": report_text(results),
    }
    figures = {
        "ratings": ratings(results.league),
        "strength": strength(results.league),
        "quality": quality(results.quality),
    }
    files: list[tuple[str, Write]] = [
        (name, methodcaller("write", text.encode())) for name, text in texts.items()
    ]
    for name, figure in figures.items():
        for kind in ("png", "svg"):
            files.append((f"{name}.{kind}", partial(write_figure, figure, kind=kind)))
    write_results(folder, files, {"schema": SCHEMA, "command": COMMAND})


def _strength(league: League) -> Columns:
    """Return the table of a league; nodes per second are for the terminal."""
    return {name: cells for name, cells in league_columns(league).items() if name != "nodes/s"}


def report_text(results: Results) -> str:
    """Return the report, in Markdown."""
    league, quality = results.league, results.quality
    table = _strength(league)
    table["player"] = [f"`{label}`" for label in table["player"]]
    ranked = [f"{rank}. {label}" for rank, label in enumerate(table["player"], 1)]
    return "\n".join(
        [
            "# Connect 4: strength of the players, and quality of their moves\n",
            "## Strength\n",
            f"{league.games:,} games of each two players, from openings of {league.opening_plies} "
            "random moves, each played twice with sides changed. Elo relative to the mean of the "
            "league; times are processor time of a single core.\n",
            markdown_text(table),
            "![Elo ratings with intervals](ratings.png)\n",
            "![Elo against depth, and against time per move](strength.png)\n",
            "Score in percent of the one in the row against the one in the column:\n",
            markdown_text({"player": ranked, **cross_columns(league)}),
            "## Quality of moves\n",
            f"Moves that are optimal, in percent, by stones on the board: {quality.positions:,} "
            "positions of random play with each number of stones, in which columns differ in "
            "worth, judged by `perfect`. *Outcome kept*: a won position stays won, a drawn one "
            f"drawn. Positions with fewer than {quality.plies[0]} stones take the solver up to "
            "seconds each, and are not judged. *Any column* is the share of the open columns that "
            "are optimal.\n",
            markdown_text(quality_columns(quality)),
            "![Share of optimal moves by stones on the board](quality.png)\n",
            "## Where and when\n",
            f"Seed {league.seed}; bsbench {league.bsbench}, {league.threads} threads of "
            f"{league.machine['processor']}, {league.date}. Games took "
            f"{league.play_seconds:,.0f} s, judging positions {quality.judge_seconds:,.0f} s. "
            f"All of it: `{COMMAND}`.\n",
        ]
    )
