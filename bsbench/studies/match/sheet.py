"""A match as text: for the terminal, notebooks, and tables in Markdown and LaTeX."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np

from bsbench.common.files import read_json
from bsbench.common.record import read
from bsbench.common.texts import short_names
from bsbench.present.matches import Columns, cross_columns, outcome_columns
from bsbench.present.sheets import Sheet
from bsbench.present.tables import (
    alarm_texts,
    interrupted_text,
    own_notes,
    rules_text,
    shots_column,
    shots_note,
    threads_text,
)
from bsbench.rules.scenario import scenario_from_dict
from bsbench.runs.results import counted
from bsbench.stats import Outcomes, Score, interval_text, share_interval
from bsbench.studies.match.study import AnyMeeting, Match, MatchRecord, Meeting

_SIDE = "side"

_NAMED = 10
"""Sides whose names the table of all against all has, at most."""


def sheet(found: Match) -> Sheet:
    """Return what is shown of a match: of two sides how games end, of more all against all."""
    if len(found.sides) == 2:
        return Sheet(
            _outcome_columns(found, found.meetings[0, 1]),
            finding=_finding(found.labels, 0, 1, found.score(0, 1)),
            more=_side_columns(found),
            notes=[*_notes(found)],
            alarms=[*alarm_texts(found.results)],
            words=[found.labels[0], _SIDE, "hides by"],
        )
    best, second = found.order[:2]
    ranks = {"": [str(rank) for rank in range(1, len(found.sides) + 1)]}
    against = "% against"
    cross = {**ranks, against: [found.labels[place] for place in found.order]}
    if len(found.sides) > _NAMED:
        # The ranks stand above, and the table fits.
        del cross[against]
    return Sheet(
        ranks | _ranking_columns(found),
        finding=_finding(found.labels, best, second, found.score(best, second)),
        more=cross | cross_columns(found.scores, found.order),
        notes=[*_notes(found)],
        alarms=[*alarm_texts(found.results)],
        words=[_SIDE, against],
    )


def saved_sheet(path: str | Path) -> Sheet | None:
    """Return what the page shows of a saved match; None if a file is no record of a match.

    Raises
    ------
    BsbenchError
        If the file can't be read, or contradicts itself.
    """
    if not os.path.isfile(path):
        return None
    return read_json(Path(path), _read_sheet, "a record of a match", "a record, or is damaged")


def _read_sheet(content: Any) -> Sheet | None:
    if not isinstance(content, dict) or content.get("schema") != MatchRecord.schema:
        return None
    record: Any = read(content, MatchRecord)
    sides, scenario = record.sides, scenario_from_dict(content["scenario"])
    scores = {}
    for each in record.meetings:
        share, low, high = each.score.share, each.score.low, each.score.high
        scores[each.first, each.second] = Score(share, low, high)
        scores[each.second, each.first] = Score(1 - share, 1 - high, 1 - low)
    if {*scores} != {*permutations(range(len(sides)), 2)}:
        raise ValueError("each two sides meet")
    order = sorted(range(len(sides)), key=lambda place: -sides[place].score)
    best, second = order[:2]
    labels = [side.label for side in sides]
    ranked = [sides[place] for place in order]
    columns: Columns = {
        _SIDE: [side.label for side in ranked],
        "rank": [str(rank) for rank in range(1, len(sides) + 1)],
        "score": [f"{100 * side.score:.1f} %" for side in ranked],
        "against 1": [_share_text(scores.get((place, best))) for place in order],
        "hides by": [side.placement for side in ranked],
    }
    if all(side.elo is not None for side in sides):
        elos = [f"{side.elo:+.0f} ± {side.half_width:.0f}" for side in ranked]
        columns["Elo ± 95 %"] = [each.replace("-", "−") for each in elos]
    if all(side.mean for side in sides):
        columns[f"mean {scenario.rules.counted}"] = [
            _range_text(each.mean.values()) for each in ranked
        ]
    if len(sides) == 2:
        (meeting,) = record.meetings
        ends = {"begins": meeting.beginning, "second": meeting.answering}
        shares = {name: [each.won, each.drawn, each.lost] for name, each in ends.items()}
        shares["in all"] = [(a + b) / 2 for a, b in zip(*shares.values(), strict=True)]
        more = outcome_columns(
            labels[meeting.first],
            {name: [*each, each[0] + each[1] / 2] for name, each in shares.items()},
        )
    else:
        cross = np.full((len(sides),) * 2, np.nan)
        for pair, score in scores.items():
            cross[pair] = score.share
        more = {"% against": columns[_SIDE], **cross_columns(cross, order)}
    games = "nothing was played" if record.seed is None else f"{record.games:,} games of each two"
    seed = "" if record.seed is None else f", seed {record.seed}"
    return Sheet(
        columns,
        heading=[f"{' against '.join(short_names(labels))} on {scenario.name}"],
        finding=_finding(labels, best, second, scores[best, second]),
        more=more,
        notes=[
            f"{games}, on {scenario.name}: {rules_text(scenario)}{seed}",
            "score: share of the points, with as many games begun by each side",
            f"bsbench {record.bsbench}, {record.machine.processor}, {record.date}",
        ],
    )


def _finding(labels: Sequence[str], first: int, second: int, score: Score) -> str:
    if not (score.low > 0.5 or score.high < 0.5):
        one, other = labels[first], labels[second]
        verdict = f"not clear who is better, {one} or {other}: {one} takes"
    else:
        if score.share < 0.5:
            first, second = second, first
            score = Score(1 - score.share, 1 - score.high, 1 - score.low)
        verdict = f"{labels[first]} beats {labels[second]}: it takes"
    low, high = 100 * score.low, 100 * score.high
    return (
        f"{verdict} {100 * score.share:.2f} % of the points ({low:.2f} to {high:.2f}), an Elo "
        f"difference of {score.text}"
    )


def _outcome_columns(found: Match, meeting: AnyMeeting) -> Columns:
    rows = {
        "begins": _cells(meeting.beginning),
        "second": _cells(meeting.answering),
        "in all": _cells(meeting.overall),
    }
    expected = meeting.expected
    intervals = [None, None, None, (expected.low, expected.high)]
    columns = outcome_columns(found.labels[0], rows, intervals)
    if isinstance(meeting, Meeting) and meeting.played:
        race, score = meeting.race, meeting.score
        ends = [*map(share_interval, race.shares, race.worth), (score.low, score.high)]
        played = {"in the games played": [*race.shares, score.share]}
        for name, cells in outcome_columns(found.labels[0], played, ends).items():
            columns[name] += cells
    return columns


def _cells(ends: Outcomes) -> list[float]:
    return [*map(float, ends), float(ends.won + ends.drawn / 2)]


def _side_columns(found: Match) -> Columns:
    columns = {_SIDE: found.labels}
    if not found.afloat:
        results = [found.result(place, 1 - place) for place in (0, 1)]
        stats = [each.stats for each in results]
        columns["mean ± 95 %"] = [interval_text(each.mean, each.half_width) for each in stats]
        if isinstance(meeting := found.meetings[0, 1], Meeting):
            means = ["·" if mean is None else f"{mean:.2f}" for mean in meeting.winning]
            columns["if it wins"] = means
        columns |= shots_column(results)
    return columns | {"hides by": [str(side.scenario.placement) for side in found.sides]}


def _ranking_columns(found: Match) -> Columns:
    order, rated = found.order, found.rated
    best = order[0]
    columns = {
        _SIDE: [found.labels[place] for place in order],
        "score": [f"{100 * found.shares[place]:.1f} %" for place in order],
        "against 1": [_against(found, place, best) for place in order],
    }
    if rated is not None:
        columns["Elo ± 95 %"] = [rated.texts[place] for place in order]
    if not found.afloat:
        columns["mean"] = [_means(found, place) for place in order]
    return columns


def _against(found: Match, place: int, best: int) -> str:
    return _share_text(None if place == best else found.score(place, best))


def _share_text(score: Score | None) -> str:
    if score is None:
        return "·"
    return f"{100 * score.share:.2f} ± {50 * (score.high - score.low):.2f} %"


def _means(found: Match, place: int) -> str:
    """Return the mean moves of a side, or the range of those against several laws."""
    others = [at for at in range(len(found.sides)) if at != place]
    return _range_text([found.result(place, other).stats.mean for other in others])


def _range_text(means: Collection[float]) -> str:
    low, high = f"{min(means):.2f}", f"{max(means):.2f}"
    return low if low == high else f"{low}–{high}"


def _notes(found: Match) -> Iterator[str]:
    scenario = found.scenario
    where = f"{scenario.name}: {rules_text(scenario)}"
    ties = "equal counts are a draw" if found.last_turn else "of equal ones, the one that begins"
    if found.afloat:
        yield "of the games played: the faster a side sinks ships, the slower the other one is"
    else:
        counts, moves = f"{counted(found.results, 'move')} counts", counted(found.results)
        yield f"by the {counts} of both, on independent layouts: fewer {moves} win; {ties}"
    if scenario.rules.again:
        yield (
            "a hit gives another shot, which changes nobody's chances: moves are misses plus the "
            f"{scenario.rules.ship_cells} ship cells, and turns are misses + 1, so fewer moves are "
            "fewer turns"
        )
    if found.seed is None:
        yield f"nothing was played: records of {where}"
    elif found.played:
        each = "" if len(found.sides) == 2 else " of each two"
        turns = [meeting.turns for meeting in found.meetings.values()]
        length = f", {turns[0]:.1f} turns each" if len(turns) == 1 else ""
        yield (
            f"{found.games:,} games{each}{length}, in pairs with sides changed, on {where}, seed "
            f"{found.seed}"
        )
    else:
        yield f"records, and {found.requested:,} games of each other shooter, on {where}"
    if shots_column(found.results) and len(found.sides) == 2:
        yield shots_note(found.results[0])
    yield from alarm_texts(found.results)
    yield from own_notes(found.results)
    if found.partial:
        yield f"partial: {interrupted_text(found.games, found.requested)}"
    if found.seed is not None:
        yield f"played in {found.play_seconds:.2f} s on {threads_text(found.threads)}"
