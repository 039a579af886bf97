"""The living survey: each published figure beside what bsbench measures under the same rules.

The verdicts follow by `bsbench.studies.survey.rule` from the games that are on record, so that
nothing is played, unless somebody asks for it. The same record says which players would show a
figure.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar

from bsbench.common.arguments import checked
from bsbench.common.errors import BsbenchError, option
from bsbench.common.found import Found
from bsbench.common.progress import Watch, ignored
from bsbench.common.record import Content, Record, Share
from bsbench.common.shown import Shown
from bsbench.rules.scenario import DEFAULT, Scenario, find_scenario
from bsbench.runs.known import known_laws, known_results
from bsbench.runs.request import Place
from bsbench.stats.intervals import NORMAL_95
from bsbench.studies.survey.claims import Claim, Reading, Source, Survey, check_known, read_survey
from bsbench.studies.survey.rule import Law, Verdict, half_digit, judge, law_of

_MEAN = re.compile(r"\d{1,9}(\.\d{1,9})?")


class JudgedClaim(Record, frozen=True):
    """A published figure with its verdict.

    Attributes
    ----------
    claim
        The figure.
    source
        Who published it.
    verdict
        What the rule says.
    """

    claim: Claim
    source: Source
    verdict: Verdict


class LikePlayer(Record, frozen=True):
    """How likely a player shows a mean.

    Attributes
    ----------
    player
        Label of the strategy, or name of the reading.
    feedback
        What a shot tells it.
    law
        The placement law; ``file`` where its reading makes a file of layouts.
    says
        The reading, in words; or the name of the record.
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
    feedback: str
    law: str
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
        Of a mean, which players would show it: the likeliest first.
    """

    schema = "bsbench-survey-1"
    heading = "Survey of published figures"
    claims: list[JudgedClaim]
    players: list[LikePlayer]


@dataclass(frozen=True, eq=False, repr=False)
class Verdicts(Shown, Found):
    """Published figures with their verdicts; or which players would show a mean.

    Attributes
    ----------
    claims : list of JudgedClaim
        The figures that were asked for.
    players : list of LikePlayer
        Of a mean, the players that would show it, the likeliest first.
    asked : str
        The source, claim or mean that was asked for.
    readings : mapping of str to Reading
        All readings.
    """

    form: ClassVar = SurveyRecord
    entries: ClassVar = "claims"
    results: ClassVar = ()

    claims: list[JudgedClaim]
    players: list[LikePlayer]
    asked: str
    readings: Mapping[str, Reading]

    def __repr__(self) -> str:
        return f"<Verdicts: {len(self.claims)} claims, {len(self.players)} players>"

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each claim; or, of a mean, for each player."""
        record = self.to_dict()
        pairs = zip(self.claims, record["claims"], strict=True)
        rows = [{"figure": one.claim.kind, "theirs": one.claim.text, **row} for one, row in pairs]
        return rows or record["players"]


@checked
def survey(
    about: str | None = None,
    *,
    claim: str | None = None,
    games: int | None = None,
    scenario: Place = DEFAULT,
    play: bool = False,
    progress: Watch = ignored,
) -> Verdicts:
    """Return published figures of Battleship with verdicts, by the games that are on record.

    Parameters
    ----------
    about : str, optional
        A source, by its id or its name: only its figures. Or a mean such as ``"51.5"``: which
        players would show it.
    claim : str, optional
        Only this claim.
    games : int, optional
        Games that the mean is of.
    scenario : str, Path or Scenario, optional
        Board, fleet and touching of these players.
    play : bool, optional
        Whether readings whose commands are new are played first. Each is kept when it is over.
    progress : callable, optional
        See `bsbench.common.progress.Progress`.

    Raises
    ------
    BsbenchError
        If there is no such source, claim or scenario, a file of the survey is wrong, or a reading
        can't be played.

    Examples
    --------
    >>> bsbench.survey(claim="mayflower-line").claims[0].verdict.word  # doctest: +SKIP
    'agrees'
    """
    found = read_survey()
    laws = _laws(found)
    if missing := [name for name in found.readings if name not in laws]:
        from bsbench.studies.survey.playing import check_commands, play_readings

        for name in missing:
            check_commands(name, found.readings[name])
        if play:
            found = play_readings(found, missing, progress)
            laws = _laws(found)
    if about is not None and re.fullmatch(r"\d+,\d+", about):
        raise BsbenchError(f"a mean has a point: write {about.replace(',', '.')}, not {about}")
    is_mean = about is not None and _MEAN.fullmatch(about) is not None
    if is_mean and claim is not None:
        raise BsbenchError(f"{about} is a mean of yours: leave it out, or {option('claim')}")
    if is_mean != (games is not None and games > 0):
        ask = f"say with {option('games')} of how many games {about} is the mean"
        raise BsbenchError(ask if is_mean else f"{option('games')} belongs to a mean, as 51.5")
    claims: list[JudgedClaim] = []
    players: list[LikePlayer] = []
    where = find_scenario(scenario)
    if about is not None and games is not None:
        players = [*_like(about, games, where, found, laws)]
        players.sort(key=lambda each: (-each.chance, abs(each.difference)))
    else:
        if about is not None:
            names = {each.name.casefold(): name for name, each in found.sources.items()}
            about = names.get(about.casefold(), about.casefold())
            known = [*found.sources, *names]
            check_known("source", about, known, "'bsbench survey --sources' lists all")
        if claim is not None:
            check_known("claim", claim, found.claims)
        claims = [
            JudgedClaim(each, found.sources[each.source], judge(each, laws))
            for each in found.claims.values()
            if about in (None, each.source) and claim in (None, each.id)
        ]
    if not claims and not players:
        what = f"the rules of {where.name}" if games else "all that is asked for"
        raise BsbenchError(f"nothing on record fits {what}: choose others, or leave something out")
    asked = f"{about} in {games:,} games on {where.name}" if players else claim or about or ""
    return Verdicts(threads=1, claims=claims, players=players, asked=asked, readings=found.readings)


def _laws(found: Survey) -> dict[str, Law]:
    """Return the laws of all readings that are on record."""
    laws = ((name, law_of(each, found.played)) for name, each in found.readings.items())
    return {name: law for name, law in laws if law is not None}


def _like(
    text: str, games: int, scenario: Scenario, found: Survey, laws: Mapping[str, Law]
) -> Iterator[LikePlayer]:
    """Yield all who play with a scenario's board, fleet and touching, by whatever law and feedback.

    Raises
    ------
    BsbenchError
        If no game can have so many moves.
    """
    # Late, since all commands of readings are imported for it.
    from bsbench.studies.survey.playing import check_commands

    rules = scenario.rules
    if not rules.fewest_moves <= float(text) <= rules.most_moves:
        raise BsbenchError(
            f"a mean of {text} is impossible on {scenario.name}: a game has {rules.fewest_moves} "
            f"to {rules.most_moves} {rules.counted}"
        )
    there = {}
    for placement in dict.fromkeys(chain(*known_laws().values())):
        for one in known_results(placement):
            if _alike(find_scenario(one.scenario), scenario):
                deviation = one.half_width / NORMAL_95 * math.sqrt(one.games)
                law = Law(one.mean, deviation, one.games)
                there[one.label, one.feedback, one.law] = one.name, law
    for name, law in laws.items():
        reading = found.readings[name]
        played = check_commands(name, reading) if law.deviation else None
        if played is not None and _alike(played, scenario):
            placed = "file" if reading.layouts else str(played.placement)
            there[name, str(played.rules.feedback), placed] = reading.says, law
    for (player, feedback, placed), (says, law) in there.items():
        difference = float(text) - law.mean
        off = max(0.0, abs(difference) - half_digit(text)) / law.error(games)
        chance, width = math.erfc(off / math.sqrt(2)), NORMAL_95 * law.error()
        yield LikePlayer(player, feedback, placed, says, law.mean, width, difference, chance)


def _alike(one: Scenario, other: Scenario) -> bool:
    """Return whether two scenarios have the same layouts, and a shot a turn."""
    same = one.rules.layout_rules == other.rules.layout_rules
    return same and not one.rules.salvos and not other.rules.salvos
