"""The living survey: each published figure beside what bsbench measures under the same rules.

The verdicts follow by `bsbench.studies.survey.rule` from the games that are on record, so that
nothing is played, unless somebody asks for it. The same record says which players would show a
figure.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

from bsbench.common.arguments import checked
from bsbench.common.errors import BsbenchError, option
from bsbench.common.found import Found
from bsbench.common.progress import Watch, ignored
from bsbench.common.record import Content, Count, Record, Share
from bsbench.common.settings import check_choice
from bsbench.common.shown import Shown
from bsbench.rules.scenario import scenario_names
from bsbench.runs.known import known_results
from bsbench.stats.intervals import NORMAL_95
from bsbench.studies.survey.claims import (
    READINGS,
    Claim,
    Games,
    Kind,
    Survey,
    read_survey,
    survey_folder,
)
from bsbench.studies.survey.rule import Compared, Law, Verdict, half_digit, judge, law_of

_FIGURE = re.compile(r"\d{1,9}(\.\d{1,9})?")


class ComparedRecord(Record, frozen=True):
    """A published figure beside what bsbench has for a reading of its rules.

    Attributes
    ----------
    reading
        Name of the reading.
    says
        What it is, in words.
    commands
        What plays it again; none where the law is known.
    games
        Games played; null if the figure is exact.
    ours
        The same figure of ours.
    half_width, their_half_width
        Half the widths of the 95 % intervals of our mean and of theirs, by our deviation; null
        where there is none.
    difference
        Theirs less ours.
    low, high
        Published figures that agree with this reading are between them; null where the claim is
        not judged so.
    agrees
        Whether they agree under this reading.
    remark
        What else decides.
    """

    reading: str
    says: str
    commands: list[str]
    games: Count | None
    ours: float
    half_width: float | None
    their_half_width: float | None
    difference: float
    low: float | None
    high: float | None
    agrees: bool
    remark: str


class ClaimRecord(Record, frozen=True):
    """A published figure with its verdict.

    Attributes
    ----------
    id
        Its name.
    source
        Name of the source.
    published
        How the source is called.
    year
        Year of publication.
    where
        Address of the source.
    player
        The player, in the words of the source.
    group
        What kind of player it is.
    kind
        Which figure it is; `winners` is the mean moves of those who win a match.
    theirs
        The figure, with its last digit.
    games
        Games that it is of; `exact`, or `not stated`.
    stated, not_stated
        What the source says of its rules, and what it leaves open.
    verdict
        What the rule says.
    detail
        In which reading, or by how much.
    reading
        The reading that decides; null if none has been played.
    ours
        Our figure there.
    difference
        Theirs less ours.
    readings
        All readings that have been played.
    """

    id: str
    source: str
    published: str
    year: Count
    where: str
    player: str
    group: str
    kind: Kind
    theirs: str
    games: Games
    stated: str
    not_stated: str
    verdict: str
    detail: str
    reading: str | None
    ours: float | None
    difference: float | None
    readings: list[ComparedRecord]


class LikePlayer(Record, frozen=True):
    """How likely a player shows a mean.

    Attributes
    ----------
    player
        Label of the strategy, or name of the reading.
    says
        Feedback; or the reading, in words.
    mean
        Its mean moves.
    half_width
        Half the width of the 95 % interval.
    difference
        The figure less this mean.
    chance
        How likely a mean of so many games is at least that far off, to either side.
    """

    player: str
    says: str
    mean: float
    half_width: float
    difference: float
    chance: Share


class SurveyRecord(Content, frozen=True):
    """What `bsbench survey --export-json` writes: published figures, with verdicts.

    Attributes
    ----------
    claims
        The figures that were asked for.
    players
        Of a figure, which players would show it: the likeliest first.
    """

    schema = "bsbench-survey-1"
    heading = "Survey of published figures"
    claims: list[ClaimRecord]
    players: list[LikePlayer]


@dataclass(frozen=True, eq=False, repr=False)
class Verdicts(Shown, Found):
    """Published figures with their verdicts; or which players would show a figure.

    Attributes
    ----------
    claims : list of ClaimRecord
        The figures that were asked for.
    players : list of LikePlayer
        Of a figure, the players that would show it, the likeliest first.
    about, claim : str or None
        What was asked for: a source or a figure, and one claim.
    scenario : str
        Of players.
    games : int or None
    problems : list of str
        Why readings could not be played, a sentence for each.
    """

    form: ClassVar = SurveyRecord
    entries: ClassVar = "claims"
    results: ClassVar = ()

    claims: list[ClaimRecord]
    players: list[LikePlayer] = field(default_factory=list)
    about: str | None = None
    claim: str | None = None
    scenario: str = "classic"
    games: int | None = None
    problems: list[str] = field(default_factory=list)

    def __repr__(self) -> str:
        return f"<Verdicts: {len(self.claims)} claims, {len(self.players)} players>"

    @property
    def counts(self) -> dict[str, int]:
        """How many claims have each verdict, most first."""
        return dict(Counter(each.verdict for each in self.claims).most_common())

    @property
    def fault(self) -> BsbenchError | None:
        """Why readings could not be played, if so."""
        more = len(self.problems) - 1
        others = f"; nor can {more} others" if more > 0 else ""
        return BsbenchError(f"{self.problems[0]}{others}") if self.problems else None

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each claim; or, of a figure, for each player."""
        rows: list[dict[str, Any]] = self.to_dict()["players" if self.players else self.entries]
        return rows


@checked
def survey(
    about: str | None = None,
    *,
    claim: str | None = None,
    games: int | None = None,
    scenario: str = "classic",
    play: bool = False,
    progress: Watch = ignored,
) -> Verdicts:
    """Return published figures of Battleship with verdicts, by the games that are on record.

    Parameters
    ----------
    about : str, optional
        A source, by its short name: only its figures. Or a mean such as ``"51.5"``: which players
        would show it.
    claim : str, optional
        Only this claim.
    games : int, optional
        Games that the mean is of.
    scenario : str, optional
        Where these players play.
    play : bool, optional
        Whether readings that are new or have changed are played first. Each is kept when it is
        over.
    progress : callable, optional
        See `bsbench.common.progress.Progress`.

    Raises
    ------
    BsbenchError
        If there is no such source, claim or scenario, a file of the survey is wrong, or a reading
        can't be played.

    Examples
    --------
    >>> bsbench.survey(claim="mayflower-line").claims[0].verdict  # doctest: +SKIP
    'agrees'
    """
    found = read_survey()
    problems: list[str] = []
    if missing := found.missing():
        from bsbench.studies.survey.playing import check_command, play_missing

        for name, reading in missing.items():
            try:
                check_command(reading)
            except BsbenchError as error:
                path = survey_folder() / READINGS
                raise BsbenchError(f"{path}, reading {name!r}: {error}") from None
        if play:
            found, problems = play_missing(found, progress)
    laws = {
        name: law
        for name, reading in found.readings.items()
        if (law := law_of(reading, found.played)) is not None
    }
    if about is not None and _FIGURE.fullmatch(about):
        check_choice("scenario", scenario, scenario_names())
        if games is None or games < 1:
            raise BsbenchError(f"say of how many games {about} is the mean, with {option('games')}")
        players = [*_like(about, games, scenario, found, laws)]
        players.sort(key=lambda each: (-each.chance, abs(each.difference)))
        if not players:
            raise BsbenchError(f"nothing on record is played on {scenario}: choose another one")
        return Verdicts(
            threads=1, claims=[], players=players, about=about, scenario=scenario, games=games
        )
    if games is not None:
        raise BsbenchError(f"{option('games')} belongs to a mean, such as 51.5: give that, too")
    if about is not None:
        check_choice("source", about, found.sources)
    if claim is not None:
        check_choice("claim", claim, found.claims)
    claims = [
        _record(each, judge(each, laws), found)
        for each in found.claims.values()
        if about in (None, each.source) and claim in (None, each.id)
    ]
    if not claims:
        raise BsbenchError(f"the claim {claim!r} is none of {about}: leave one of them out")
    return Verdicts(threads=1, claims=claims, about=about, claim=claim, problems=problems)


def _record(claim: Claim, verdict: Verdict, found: Survey) -> ClaimRecord:
    """Return a claim with its verdict."""
    source, nearest = found.sources[claim.source], verdict.nearest
    same = ("id", "source", "player", "group", "kind", "games", "stated", "not_stated")
    return ClaimRecord(
        **{name: getattr(claim, name) for name in same},
        published=source.name,
        year=source.year,
        where=source.where,
        theirs=claim.text,
        verdict=str(verdict.word),
        detail=verdict.detail,
        reading=nearest and nearest.reading,
        ours=nearest and nearest.ours,
        difference=nearest and nearest.difference,
        readings=[_compared(each, claim, found) for each in verdict.compared],
    )


def _compared(one: Compared, claim: Claim, found: Survey) -> ComparedRecord:
    """Return a reading beside a claim."""
    reading, law = found.readings[one.reading], one.law
    random = claim.kind == "mean" and law.deviation > 0
    theirs = claim.games if isinstance(claim.games, int) and random else None
    return ComparedRecord(
        reading=one.reading,
        says=reading.says,
        commands=reading.commands,
        games=None if math.isinf(law.games) else int(law.games),
        ours=one.ours,
        half_width=NORMAL_95 * law.error if random else None,
        their_half_width=theirs and NORMAL_95 * law.deviation / math.sqrt(theirs),
        difference=one.difference,
        low=None if math.isnan(one.low) else one.low,
        high=None if math.isnan(one.high) else one.high,
        agrees=one.agrees,
        remark=one.remark,
    )


def _like(
    text: str, games: int, scenario: str, found: Survey, laws: dict[str, Law]
) -> Iterator[LikePlayer]:
    """Yield all players on record on a scenario, with the chance that they show a mean."""
    known = {
        (each.label, f"feedback {each.feedback}"): Law(
            each.mean, each.half_width / NORMAL_95 * math.sqrt(each.games), each.games
        )
        for each in known_results()
        if each.scenario == scenario
    }
    known |= {
        (name, found.readings[name].says): law
        for name, law in laws.items()
        if found.readings[name].option("--scenario") == scenario and law.deviation
    }
    value, rounding = float(text), half_digit(text)
    for (player, says), law in known.items():
        error = math.hypot(law.error, law.deviation / math.sqrt(games))
        off = max(0.0, abs(value - law.mean) - rounding) / error
        yield LikePlayer(
            player=player,
            says=says,
            mean=law.mean,
            half_width=NORMAL_95 * law.error,
            difference=value - law.mean,
            chance=math.erfc(off / math.sqrt(2)),
        )
