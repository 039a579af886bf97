"""The survey as text: counts of verdicts, the figures of a source, a figure, and like players."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bsbench.common.errors import option
from bsbench.present.sheets import WORDS as USUAL
from bsbench.present.sheets import Columns, Sheet
from bsbench.stats.intervals import interval_text
from bsbench.studies.survey.rule import DECIDED, Word
from bsbench.studies.survey.study import ClaimRecord, ComparedRecord, Verdicts

WORDS = (*USUAL, "verdict", "claim", "figure", "in", "reading", "agrees", "what it is")
"""Columns that are no figures."""

DIFFERING = (Word.DIFFERS, Word.IMPOSSIBLE, Word.BETWEEN, Word.FEW)
"""Verdicts of figures that are listed where nothing else is asked for."""

UNLIKELY = 0.003
"""Chance below which a player is left out of those who show a mean."""


def sheet(found: Verdicts) -> Sheet:
    """Return what is shown: of a figure, its readings or like players; else verdicts."""
    if found.players:
        return _players(found)
    if found.claim is not None:
        return _claim(found.claims[0])
    if found.about is not None:
        return _source(found.claims)
    return _overview(found)


def _overview(found: Verdicts) -> Sheet:
    """Return the counts of all verdicts, and what differs."""
    counts = found.counts
    decided = sum(counts.get(word, 0) for word in DECIDED)
    sources = len({each.source for each in found.claims})
    differing = [each for word in DIFFERING for each in found.claims if each.verdict == word]
    return Sheet(
        {"verdict": [*counts], "claims": [f"{count:,}" for count in counts.values()]},
        more=_figures(differing),
        heading=[
            f"{len(found.claims)} published figures of {sources} sources, {decided} of them decided"
        ],
        notes=[
            "decided: not those that say little, depend on few games or on who wins, or whose "
            "player is not here or not played"
        ],
        more_notes=["ours: in the reading that comes nearest"],
        words=WORDS,
    )


def _source(claims: Sequence[ClaimRecord]) -> Sheet:
    """Return the figures of a source."""
    first = claims[0]
    return Sheet(
        _figures(claims),
        heading=[f"{first.published}, {first.year}: {first.where}"],
        notes=["ours: in the reading that decides"],
        words=WORDS,
    )


def _figures(claims: Sequence[ClaimRecord]) -> Columns:
    """Return a row for each figure."""
    return {
        "claim": [each.id for each in claims],
        "figure": [each.kind for each in claims],
        "theirs": [each.theirs for each in claims],
        "games": [_games_text(each.games) for each in claims],
        "ours": [_ours_text(each, each.ours) for each in claims],
        "in": [each.reading or "" for each in claims],
        "verdict": [each.verdict for each in claims],
    }


def _claim(claim: ClaimRecord) -> Sheet:
    """Return all readings of a figure."""
    readings = claim.readings
    value, judged = float(claim.theirs), claim.verdict not in (Word.ELSEWHERE, Word.WINNERS)
    return Sheet(
        {
            "reading": [each.reading for each in readings],
            "ours ± 95 %": [_with_interval(claim, each.ours, each.half_width) for each in readings],
            "games": [_games_text(each.games or "exact") for each in readings],
            "theirs ± 95 %": [
                _with_interval(claim, value, each.their_half_width) for each in readings
            ],
            "agrees from": ["" if each.low is None else f"{each.low:.2f}" for each in readings],
            "to": ["" if each.high is None else f"{each.high:.2f}" for each in readings],
            "difference": [f"{each.difference:+.2f}" for each in readings],
            "agrees": [_agrees_text(each, judged) for each in readings],
        },
        finding=f"{claim.id}: {claim.verdict}{f' ({claim.detail})' if claim.detail else ''}",
        heading=[*_rules(claim)],
        notes=[*_said(readings)],
        words=WORDS,
    )


def _rules(claim: ClaimRecord) -> Iterator[str]:
    """Yield what a source says of its figure."""
    yield f"{claim.published}, {claim.year}: {claim.where}"
    yield f"{claim.player}: {claim.kind} {claim.theirs}, games: {_games_text(claim.games)}"
    yield f"stated: {claim.stated}"
    if claim.not_stated:
        yield f"not stated: {claim.not_stated}"


def _said(readings: Sequence[ComparedRecord]) -> Iterator[str]:
    """Yield what each reading is, and what plays it."""
    for each in readings:
        yield f"{each.reading}: {each.says}{f'; {each.remark}' if each.remark else ''}"
        yield from (f"  {command}" for command in each.commands)


def _players(found: Verdicts) -> Sheet:
    """Return the players that would show a mean."""
    likely = [each for each in found.players if each.chance >= UNLIKELY]
    shown = likely or found.players[:3]
    few = "" if likely else "no player on record would; the nearest are shown"
    return Sheet(
        {
            "player": [each.player for each in shown],
            "mean ± 95 %": [interval_text(each.mean, each.half_width) for each in shown],
            "difference": [f"{each.difference:+.2f}" for each in shown],
            "chance": [f"{each.chance:.2g}" for each in shown],
            "what it is": [each.says for each in shown],
        },
        heading=[f"a mean of {found.about} in {found.games:,} games on {found.scenario}"],
        notes=[
            *filter(None, [few]),
            "chance: how likely a mean of so many games is at least that far off",
            f"players below {UNLIKELY:g} are left out: {option('export_csv', '-')} has all of them",
        ],
        words=WORDS,
    )


def _ours_text(claim: ClaimRecord, ours: float | None) -> str:
    """Return a figure of ours with the digits of theirs, and two of a mean at least."""
    if ours is None:
        return ""
    digits = len(claim.theirs.partition(".")[2])
    return f"{ours:.{max(2, digits)}f}" if claim.kind in ("mean", "winners") else f"{ours:g}"


def _agrees_text(one: ComparedRecord, judged: bool) -> str:
    return ("yes" if one.agrees else "no") if judged else ""


def _with_interval(claim: ClaimRecord, value: float, half_width: float | None) -> str:
    """Return a figure with its interval, if it has one."""
    return interval_text(value, half_width) if half_width else _ours_text(claim, value)


def _games_text(games: int | str) -> str:
    return games if isinstance(games, str) else f"{games:,}"
