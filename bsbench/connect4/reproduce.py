"""The results in ``results/connect4``: a league of all players, and the quality of their moves.

The folder holds ``league.json`` and ``quality.json``, the records; charts as PNG and SVG; the
tables as Markdown and CSV; ``report.md``; and ``reproduce.json``, of schema
``bsbench-connect4-results-1``, with the ``files`` that belong to it. Made again by the same
versions, all is the same but for times, dates and machine, and what is drawn from times.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from operator import methodcaller
from pathlib import Path

from bsbench.connect4.charts.quality import GROUP
from bsbench.connect4.league import League, play_league
from bsbench.connect4.quality import Quality, judge_players
from bsbench.connect4.tables import (
    cross_cells,
    markdown_table,
    quality_cells,
    quality_columns,
    rating_cells,
    time_text,
)
from bsbench.files import Write, json_text, replace_folder, write_results

SCHEMA = "bsbench-connect4-results-1"

COMMAND = "bsbench connect4 reproduce"

GAMES = 100
"""Games of each two players, unless told otherwise."""

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
    from bsbench.charts import write_figure
    from bsbench.connect4.charts.quality import quality
    from bsbench.connect4.charts.ratings import ratings
    from bsbench.connect4.charts.strength import strength

    texts = {
        "league.json": json_text(results.league.to_dict()),
        "quality.json": json_text(results.quality.to_dict()),
        "league.csv": _csv(*league_table(results.league)),
        "quality.csv": _csv(*quality_table(results.quality)),
        "report.md": report_text(results),
    }
    writers: dict[str, Write] = {
        name: methodcaller("write", text.encode()) for name, text in texts.items()
    }
    figures = {
        "ratings": ratings(results.league),
        "strength": strength(results.league),
        "quality": quality(results.quality),
    }
    for name, figure in figures.items():
        for kind in ("png", "svg"):
            writers[f"{name}.{kind}"] = partial(write_figure, figure, kind=kind)
    write_results(folder, writers.items(), {"schema": SCHEMA, "command": COMMAND})


def league_table(league: League) -> tuple[list[str], list[list[str]]]:
    """Return columns and rows: ratings, and what moves took, the best first."""
    rows = []
    for place, (label, rating, score) in zip(league.order, rating_cells(league), strict=True):
        effort = league.efforts[place]
        nodes = f"{effort.nodes / effort.moves:,.0f}" if effort.nodes else "–"
        rows.append([f"`{label}`", rating, score, time_text(effort.seconds_per_move), nodes])
    return ["player", "Elo ± 95 %", "score", "time a move", "nodes a move"], rows


def quality_table(quality: Quality) -> tuple[list[str], list[list[str]]]:
    """Return columns and rows: shares of optimal moves by ply, in percent."""
    columns = ["player", *quality_columns(quality, GROUP), "all plies", "outcome kept"]
    return columns, quality_cells(quality, GROUP)


def report_text(results: Results) -> str:
    """Return the report, in Markdown."""
    league, quality = results.league, results.quality
    order = league.order
    numbered = [
        [f"{rank}. `{label}`", *scores] for rank, (label, *scores) in enumerate(
            cross_cells(league), 1
        )
    ]  # fmt: skip
    return "\n".join(
        [
            "# Connect 4: strength of the players, and quality of their moves\n",
            "## Strength\n",
            f"{league.games:,} games of each two players, from openings of {league.opening_plies} "
            "random moves, each played twice with sides changed. Elo relative to the mean of the "
            "league; times are processor time of a single core.\n",
            markdown_table(*league_table(league)),
            "![Elo ratings with intervals](ratings.png)\n",
            "![Elo against depth, and against time per move](strength.png)\n",
            "Score in percent of the one in the row against the one in the column:\n",
            markdown_table(["player", *map(str, range(1, len(order) + 1))], numbered),
            "## Quality of moves\n",
            f"Moves that are optimal, in percent, by stones on the board: {quality.positions:,} "
            "positions of random play with each number of stones, in which columns differ in "
            "worth, judged by `perfect`. *Outcome kept*: a won position stays won, a drawn one "
            f"drawn. Positions with fewer than {quality.plies[0]} stones take the solver up to "
            "seconds each, and are not judged. *Any column* is the share of the open columns that "
            "are optimal.\n",
            markdown_table(*quality_table(quality)),
            "![Share of optimal moves by stones on the board](quality.png)\n",
            "## Where and when\n",
            f"Seed {league.seed}; bsbench {league.bsbench}, {league.threads} threads of "
            f"{league.machine['processor']}, {league.date}. Games took "
            f"{league.play_seconds:,.0f} s, judging positions {quality.judge_seconds:,.0f} s. "
            f"All of it: `{COMMAND}`.\n",
        ]
    )


def _csv(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([cell.strip("`") for cell in row] for row in rows)
    return text.getvalue()
