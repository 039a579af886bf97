"""Tables of matches, leagues and the quality of moves, with the same texts wherever they are shown.

A table maps the header of each column, from the left, to its cells.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence

from bsbench.connect4.quality import Quality
from bsbench.matches.league import League
from bsbench.matches.lockstep import Effort
from bsbench.matches.match import Match
from bsbench.matches.player import Player
from bsbench.present.matches import Columns, cross_columns, outcome_columns
from bsbench.present.sheets import Sheet
from bsbench.present.tables import threads_text, time_text

GROUP = 3
"""Plies that are shown together: enough positions to see what changes with the ply."""


def effort_columns(efforts: Sequence[Effort]) -> Columns:
    """Return the time and the nodes that each player took for a move."""
    return {
        "time a move": [time_text(each.seconds_per_move) for each in efforts],
        "nodes a move": [
            f"{each.nodes / each.moves:,.0f}" if each.nodes else "–" for each in efforts
        ],
        "nodes/s": [
            "–" if math.isnan(each.nodes_per_second) else f"{each.nodes_per_second / 1e6:,.1f} M"
            for each in efforts
        ],
    }


def match_columns(match: Match) -> Columns:
    """Return the results of the first-named in percent, by side and in all."""
    rows = {}
    for name, (won, drawn, lost) in zip(
        ("as first", "as second"), match.by_side.tolist(), strict=True
    ):
        games = won + drawn + lost
        rows[name] = [count / games for count in (won, drawn, lost, won + drawn / 2)]
    score = match.score
    rows["in all"] = [*match.race.shares, score.share]
    intervals = [*match.race.intervals, (score.low, score.high)]
    return outcome_columns(match.labels[0], rows, intervals)


def match_sheet(match: Match) -> Sheet:
    """Return what is shown of a match: who won, by side, and the times of moves."""
    first, second = match.labels
    notes = [
        f"{match.games:,} games, {match.lengths.mean():.1f} moves each, in {match.games // 2:,} "
        f"pairs from openings of {match.opening_plies} random moves, seed {match.seed}"
    ]
    if match.partial:
        how = "interrupted" if match.interrupted else "a player failed"
        notes.append(f"partial: {how} after {match.games:,} of {match.requested:,} games")
    if match.opening_plies == 0:
        notes.append("all games begin on the empty board: deterministic players repeat one pair")
    notes.append(
        f"played in {match.play_seconds:.2f} s on {threads_text(match.threads)}, after "
        f"{match.setup_seconds:.2f} s of compiling or loading kernels; {time_note(match.players)}"
    )
    moves = {"player": [first, second], "moves": [f"{each.moves:,}" for each in match.efforts]}
    return Sheet(
        match_columns(match),
        finding=f"{first} against {second}: Elo difference {match.score.text}",
        more=moves | effort_columns(match.efforts),
        notes=notes,
        words=[first, "player"],
    )


def league_columns(league: League) -> Columns:
    """Return ratings with intervals, scores, times and nodes per move; the best player first."""
    order, texts, shares = league.order, league.ratings.texts, league.shares
    return {
        "player": [league.labels[place] for place in order],
        "Elo ± 95 %": [texts[place] for place in order],
        "score": [f"{100 * shares[place]:.1f} %" for place in order],
        **effort_columns([league.efforts[place] for place in order]),
    }


def league_sheet(league: League) -> Sheet:
    """Return what is shown of a league: ratings, and scores of all against all."""
    columns, count = league_columns(league), len(league.players)
    ranks = {"": [str(rank) for rank in range(1, count + 1)]}
    against = "score in % against"
    cross = {**ranks, against: columns["player"], **cross_columns(league.scores, league.order)}
    notes = [
        f"{league.games:,} games of each two, {league.games * count * (count - 1) // 2:,} in all, "
        f"from openings of {league.opening_plies} random moves, seed {league.seed}",
        f"played in {league.play_seconds:.1f} s on {threads_text(league.threads)}, after "
        f"{league.setup_seconds:.1f} s of compiling or loading kernels; "
        f"{time_note(league.players)}",
        *(f"left out, since it failed: {label}" for label in league.faults),
    ]
    if league.partial:
        notes.append(f"partial: interrupted when {count} of {league.requested} players had all met")
    return Sheet(
        ranks | columns,
        more=cross if count > 2 else {},
        notes=notes,
        words=["player", against],
        faults=faults_of(league),
    )


def faults_of(found: League | Quality) -> list[str]:
    """Return why players were left out."""
    return [f"left out: {fault}" for fault in found.faults.values()]


def ply_groups(found: Quality) -> dict[str, list[int]]:
    """Return the places of plies that are shown together, by their name: ``10–12``."""
    groups = {}
    for begin in range(0, len(found.plies), GROUP):
        plies = found.plies[begin : begin + GROUP]
        name = f"{plies[0]}–{plies[-1]}" if len(plies) > 1 else f"{plies[0]}"
        groups[name] = list(range(begin, begin + len(plies)))
    return groups


def quality_sheet(found: Quality) -> Sheet:
    """Return what is shown of the quality of moves."""
    columns = quality_columns(found)
    optimal = "% optimal by stones"
    notes = [
        f"{found.positions:,} positions of each number of stones from {found.plies[0]} to "
        f"{found.plies[-1]}, seed {found.seed}; outcome kept: a won one stays won, a drawn one "
        "drawn",
        f"judged in {found.judge_seconds:.1f} s, played in {found.play_seconds:.1f} s, on "
        f"{threads_text(found.threads)}",
    ]
    if found.partial:
        judged = f"{len(found.players)} of {found.requested} players"
        notes.append(f"partial: interrupted after {judged} were judged")
    columns = {optimal: columns.pop("player"), **columns}
    return Sheet(columns, notes=notes, words=[optimal], faults=faults_of(found))


def quality_columns(found: Quality) -> Columns:
    """Return shares of optimal moves by plies and in all, and of kept outcomes, in percent.

    The last two, over all plies, are shown with half widths of 95 % intervals. The first row is
    that of any open column.
    """
    columns = {"player": ["any column", *found.labels]}
    for name, group in ply_groups(found).items():
        shares = [found.share(optimal[group])[0] for optimal in found.optimal]
        columns[name] = [f"{100 * each:.0f}" for each in (found.chance[group, 0].mean(), *shares)]
    for name, chance, good in zip(
        ("all plies", "outcome kept"),
        found.chance.mean(axis=0),
        (found.optimal, found.keeps),
        strict=True,
    ):
        shares_with_ends = map(found.share, good)
        cells = [f"{100 * s:.1f} ± {50 * (high - low):.1f}" for s, low, high in shares_with_ends]
        columns[name] = [f"{100 * chance:.1f}", *cells]
    return columns


def time_note(players: Sequence[Player]) -> str:
    """Return what the times of moves are."""
    if any(player.own for player in players):
        return "times of moves are processor time, those of users' players time that has passed"
    return "times of moves are processor time"


def markdown_text(columns: Columns) -> str:
    """Return a table in Markdown; all but the first column are figures."""
    alignment = ["---", *["---:"] * (len(columns) - 1)]
    rows = [columns, alignment, *zip(*columns.values(), strict=True)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"


def csv_text(columns: Columns) -> str:
    """Return a table as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([columns, *zip(*columns.values(), strict=True)])
    return text.getvalue()
