"""The survey as text: counts of verdicts, the figures of a source, a figure, and like players."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from bsbench.common.errors import option
from bsbench.present.sheets import WORDS as USUAL
from bsbench.present.sheets import Columns, Sheet
from bsbench.stats.intervals import interval_text
from bsbench.studies.survey.rule import DECIDED, Compared, Word
from bsbench.studies.survey.study import JudgedClaim, Verdicts

_OWN = ["verdict", "verdicts", "source", "claim", "figure", "reading", "feedback", "law"]
WORDS = (*USUAL, *_OWN, "what it is")
"""Columns that are no figures."""

DIFFERING = (Word.DIFFERS, Word.IMPOSSIBLE, Word.BETWEEN, Word.FEW)
"""Verdicts of figures that are listed where nothing else is asked for."""

UNLIKELY = 0.003
"""Chance below which a player is left out of those who show a mean."""


def sheet(found: Verdicts, by_source: bool = False) -> Sheet:
    """Return what is shown: of a figure, its readings or like players; else verdicts."""
    if found.players:
        return _players(found)
    if by_source:
        return Sheet(source_columns(found.claims), words=WORDS)
    if not found.asked:
        return _overview(found.claims)
    first = found.claims[0]
    source = f"{first.source.name}, {first.source.year}: {first.source.where}"
    if found.asked == first.claim.id:
        return _claim(found, first, source)
    note = "ours: in the reading that decides"
    return Sheet(_figures(found.claims), heading=[source], notes=[note], words=WORDS)


def _overview(claims: Sequence[JudgedClaim]) -> Sheet:
    """Return the counts of all verdicts, and what differs."""
    counts = _counts(claims)
    decided = sum(counts.get(word, 0) for word in DECIDED)
    sources = len({each.claim.source for each in claims})
    return Sheet(
        {"verdict": [*counts], "figures": [f"{count}" for count in counts.values()]},
        heading=[f"{len(claims)} published figures of {sources} sources, {decided} decided"],
        more=_figures([one for word in DIFFERING for one in claims if one.verdict.word == word]),
        more_notes=[
            "ours: in the reading that comes nearest",
            "not decided: what says little, depends on few games or on who wins, or was not played",
        ],
        words=WORDS,
    )


def source_columns(claims: Sequence[JudgedClaim]) -> Columns:
    """Return a row for each source: how many of its figures have each verdict."""
    names = {each.claim.source: each.source for each in claims}
    counts = [_counts([each for each in claims if each.claim.source == name]) for name in names]
    return {
        "source": [*names],
        "name": [f"{each.name}, {each.year}" for each in names.values()],
        "figures": [f"{sum(each.values())}" for each in counts],
        "verdicts": ["; ".join(f"{word}: {each[word]}" for word in each) for each in counts],
    }


def _counts(claims: Sequence[JudgedClaim]) -> dict[str, int]:
    """Return how many figures have each verdict, the most frequent first."""
    return dict(Counter(each.verdict.word for each in claims).most_common())


def _figures(claims: Sequence[JudgedClaim]) -> Columns:
    """Return a row for each figure."""
    ours = [each.verdict.nearest for each in claims]
    return {
        "claim": [each.claim.id for each in claims],
        "figure": [each.claim.kind for each in claims],
        "theirs": [each.claim.text for each in claims],
        "games": [_games_text(each.claim.games) for each in claims],
        "ours": [_text(a, b.ours) if b else "" for a, b in zip(claims, ours, strict=True)],
        "reading": [each.reading if each else "" for each in ours],
        "verdict": [each.verdict.word for each in claims],
    }


def _claim(found: Verdicts, one: JudgedClaim, source: str) -> Sheet:
    """Return all readings of a figure."""
    claim, verdict, compared = one.claim, one.verdict, one.verdict.compared
    rules = f"stated: {claim.stated}", f"not stated: {claim.not_stated}"
    theirs = float(claim.text)
    return Sheet(
        {
            "reading": [each.reading for each in compared],
            "ours ± 95 %": [_text(one, each.ours, each.half_width) for each in compared],
            "theirs ± 95 %": [_text(one, theirs, each.their_half_width) for each in compared],
            "difference": [f"{each.difference:+.2f}" for each in compared],
            "agrees from": [_end_text(each.low, theirs) for each in compared],
            "to": [_end_text(each.high, theirs) for each in compared],
        },
        finding=f"{claim.id}: {verdict.word}{f' ({verdict.detail})' if verdict.detail else ''}",
        heading=[
            source,
            f"{claim.player}: {claim.kind} {claim.text}, games: {_games_text(claim.games)}",
            *rules[: 2 if claim.not_stated else 1],
        ],
        notes=[line for each in compared for line in _said(found, each)],
        words=WORDS,
    )


def _said(found: Verdicts, one: Compared) -> Iterator[str]:
    """Yield what a reading is, and what plays it."""
    reading = found.readings[one.reading]
    yield f"{one.reading}: {'; '.join(filter(None, (reading.says, one.remark)))}"
    yield from (f"  {line}" for line in (reading.layouts, reading.play) if line)


def _players(found: Verdicts) -> Sheet:
    """Return the players that would show a mean."""
    likely = [each for each in found.players if each.chance >= UNLIKELY]
    shown = likely or found.players[:3]
    rest = f"{option('export_csv', '-')} has those with a chance below {UNLIKELY:g}, too"
    return Sheet(
        {
            "player": [each.player for each in shown],
            "mean ± 95 %": [interval_text(each.mean, each.half_width) for each in shown],
            "difference": [f"{each.difference:+.2f}" for each in shown],
            "chance": [f"{each.chance:.3f}" for each in shown],
            "feedback": [each.feedback for each in shown],
            "law": [each.law for each in shown],
            "what it is": [each.says for each in shown],
        },
        heading=[f"a mean of {found.asked}"],
        notes=[
            "difference: your mean less theirs; feedback and placement law: theirs",
            "chance: how likely a mean of so many games is at least that far off",
            rest if likely else "no player on record would show it: these are the nearest",
        ],
        words=WORDS,
    )


def _text(one: JudgedClaim, value: float, half_width: float = 0.0) -> str:
    """Return a figure with its interval, or with the digits of theirs, two of a mean at least."""
    if half_width:
        return interval_text(value, half_width)
    digits = max(2, len(one.claim.text.partition(".")[2]))
    return f"{value:.{digits}f}" if one.claim.kind in ("mean", "winners") else f"{value:g}"


def _end_text(end: float | None, value: float) -> str:
    """Return an end of a range with two digits, or as many as show on which side a value is."""
    if end is None:
        return ""
    texts = (f"{end:.{digits}f}" for digits in range(2, 18))
    return next(text for text in texts if (float(text) - value) * (end - value) > 0 or end == value)


def _games_text(games: int | str) -> str:
    return games if isinstance(games, str) else f"{games:,}"
