"""Matches: sides that hide and shoot, and who beats whom.

A *side* is a shooter, and a placement law by which it hides its own fleet. Two sides shoot in turn,
one shot each, and whoever sinks all of the other's ships first wins. With the last turn, the second
may still answer, and a draw is possible. Who begins alternates.

Games 2 i and 2 i + 1 are a pair. In game g the first-named side shoots at layout g by the other's
law, and the other at layout g' by the law of the first-named, g' being the other number of the
pair. So if both hide by the same law, the pair has the same two layouts with sides swapped, and
luck in layouts cancels. No shooter looks at the shots at its own fleet, so each plays as in
`bsbench.run`, and the game follows from two move counts. The pair is the unit of all intervals.

Since the two layouts are independent, the probabilities follow from the two histograms, too, and
better (`bsbench.stats.versus`); records of runs need no game at all.

Where a hit gives another shot, turns are misses + 1, and moves are misses plus ship cells, as many
for both: who is first in turns is first in moves, and all of this holds.
"""

from __future__ import annotations

import math
import re
import shlex
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations, pairwise
from typing import Any, ClassVar, TypeAlias, Unpack

import numpy as np
import numpy.typing as npt
from msgspec import UNSET, UnsetType

from bsbench.common.arguments import checked
from bsbench.common.errors import BsbenchError, option
from bsbench.common.found import Found
from bsbench.common.journal import Journal
from bsbench.common.machine import memory
from bsbench.common.progress import Progress, Watch, ignored
from bsbench.common.record import Content, Count, Record, Share
from bsbench.common.settings import is_command
from bsbench.common.shown import Shown
from bsbench.common.texts import shortened
from bsbench.own.loading import is_spec
from bsbench.own.thinker import Limits
from bsbench.play.samplers import make_sampler
from bsbench.roster import Given, as_strategy
from bsbench.rules.board import AFLOAT
from bsbench.rules.placement import LAWS, STREAM_VERSION, Placement
from bsbench.rules.scenario import Scenario, ScenarioRecord
from bsbench.runs.comparing import play_together
from bsbench.runs.contestants import check_comparable, scenario_of, shared_home
from bsbench.runs.experiment import Experiment, about_games
from bsbench.runs.finding import is_record, one_record
from bsbench.runs.formats import StrategyRecord
from bsbench.runs.identity import strategy_hash
from bsbench.runs.known import KnownRecord, kinds_of, known_results
from bsbench.runs.opening import opened
from bsbench.runs.panel import GameProgress
from bsbench.runs.records import load_result
from bsbench.runs.request import GameOptions, Place, Request, in_a_row, with_options
from bsbench.runs.results import Result
from bsbench.stats import Ratings, Score, rate, share_interval
from bsbench.stats.elo import EloRecord, Scored, ScoreRecord
from bsbench.stats.versus import Outcomes, Versus, versus, winning_means
from bsbench.strategies import Strategy
from bsbench.studies.match.afloat import AfloatMeeting, AfloatSide, meet

GAMES = 100_000
"""Games of each two sides, by default."""

_BYTES = 2
"""Of a move count, at most."""

_BYTES_COMPARED = 64
"""Of a game, while two sides are compared."""

ENOUGH = 1_000_000
"""Games of a record that comes with bsbench, to take part."""


class SideRecord(Record, frozen=True):
    """A side.

    Attributes
    ----------
    label
        The shooter, and the law by which it hides if it is not that of the scenario.
    shooter
        What shoots.
    placement
        The law by which it hides.
    from_record
        Whether the move counts of its shooter are from a record, and were not played here.
    mean
        Moves that its shooter needs against each law that it met.
    counts
        For each of these laws, its games by move count: entry m counts the games of m moves.
    score
        Share of the points that it takes, over all other sides alike.
    elo
        Rating by the games played, relative to the mean of all; null without games.
    half_width
        Half the width of its 95 % interval.
    """

    label: str
    shooter: StrategyRecord
    placement: str
    from_record: bool
    mean: dict[str, float]
    counts: dict[str, list[Count]]
    score: Share
    elo: float | None
    half_width: float | None


class OutcomesRecord(Record, frozen=True):
    """Probabilities of how a game ends for the first-named side.

    Attributes
    ----------
    won
        It wins.
    drawn
        Neither does; only with the last turn.
    lost
        The other one wins.
    """

    won: Share
    drawn: Share
    lost: Share


class PlayedRecord(Record, frozen=True):
    """What the games of two sides say by themselves.

    Attributes
    ----------
    games
        Games played.
    outcomes
        Pairs of games by what the first-named side made of the game that it began (row) and of the
        other one (column): loss, draw, win.
    score
        Points of the first-named side.
    elo
        The same as a difference in Elo.
    """

    games: Count
    outcomes: list[list[Count]]
    score: ScoreRecord
    elo: EloRecord


class MeetingRecord(Record, frozen=True):
    """Two sides against each other.

    Attributes
    ----------
    first
        Place of a side in `sides`.
    second
        Place of the other one.
    beginning
        How games end that the first-named begins.
    answering
        How the others end.
    score
        Points of the first-named, from the two histograms.
    elo
        The same as a difference in Elo.
    played
        What the games say by themselves; null if none were played.
    winning
        Mean moves of each of them in the games that it wins, from the two histograms; null if it
        wins none. Missing where each side's games depend on the other's.
    """

    first: Count
    second: Count
    beginning: OutcomesRecord
    answering: OutcomesRecord
    score: ScoreRecord
    elo: EloRecord
    played: PlayedRecord | None
    winning: list[float | None] | UnsetType = UNSET


class MatchRecord(Content, frozen=True):
    """What `bsbench match --export-json` writes.

    Attributes
    ----------
    stream_version
        Version of the rule that turns seed and number of a game into a layout.
    scenario
        What was played; a side may hide by another law.
    last_turn
        Whether the second has the last word.
    seed
        Seed of the layouts; null if all is from records.
    games
        Games of each two sides; 0 if all is from records.
    requested
        Games asked for: fewer are played if the match is interrupted.
    sides
        The sides.
    meetings
        Each two of them.
    seconds.setup
        Compiling or loading kernels, building tables, and a first game.
    seconds.play
        Playing.
    """

    schema = "bsbench-match-1"
    steps = {"setup": "setup_seconds", "play": "play_seconds"}  # noqa: RUF012
    stream_version: Count
    scenario: ScenarioRecord
    last_turn: bool
    seed: Count | None
    games: Count
    requested: Count
    sides: list[SideRecord]
    meetings: list[MeetingRecord]


@dataclass(frozen=True, eq=False)
class Side:
    """Who shoots, and how it hides.

    Attributes
    ----------
    shooter : Strategy or Result
        A result is of a shooter that has played before.
    scenario : Scenario
        With the law by which the side hides.
    label : str
    """

    shooter: Strategy | Result
    scenario: Scenario
    label: str


@dataclass(frozen=True, eq=False)
class Meeting(Scored):
    """Two sides against each other.

    Attributes
    ----------
    places : tuple of 2 int
    results : tuple of 2 Result
        Of the first-named side's shooter against the second's law, and the other way round.
    last_turn : bool
    played : bool
        Whether they met in pairs of games.
    """

    places: tuple[int, int]
    results: tuple[Result, Result]
    last_turn: bool
    played: bool

    @cached_property
    def moves(self) -> npt.NDArray[np.int64]:
        """Move counts of both in each game: that begun by the first-named, and the other one.

        The shape is ``(2, pairs, 2)``.
        """
        ours, theirs = (
            np.asarray(each.kept_moves, np.int64)[: self.games].reshape(-1, 2)
            for each in self.results
        )
        return np.stack([ours, theirs[:, ::-1]])

    @property
    def games(self) -> int:
        """Games that were played, all in pairs."""
        return min(each.games for each in self.results) // 2 * 2 if self.played else 0

    @cached_property
    def outcomes(self) -> npt.NDArray[np.int8]:  # type: ignore[override]
        """1 if the first-named won, 0 for a draw, -1 if it lost: as the beginner, and second."""
        ours, theirs = self.moves
        outcomes: npt.NDArray[np.int8] = np.sign(theirs - ours).astype(np.int8)
        if not self.last_turn:
            outcomes[outcomes[:, 0] == 0, 0] = 1
            outcomes[outcomes[:, 1] == 0, 1] = -1
        return outcomes

    @cached_property
    def score(self) -> Score:
        """Share of the points of the first-named in the games played.

        Where games of a learner, or against one person, depend on each other, they are worth as
        many as `bsbench.stats.race` says.
        """
        unit = math.lcm(2, *(each.games_per_learner for each in self.results))
        if unit == 2:
            return super().score
        units = self.games // unit
        means = (self.outcomes[: units * unit // 2].reshape(units, -1).mean(axis=1) + 1) / 2
        share = float(means.mean())
        error = float(means.std(ddof=1)) / math.sqrt(units) if units > 1 else math.nan
        worth = min(share * (1 - share) / error**2, self.games) if error else float(units)
        return Score(share, *share_interval(share, worth))

    @cached_property
    def versus(self) -> Versus:
        """What follows from the move counts of both."""
        ours, theirs = self.results
        together = ours.seed == theirs.seed and not (ours.exact or theirs.exact)
        moves = None
        if (
            together
            and ours.kept_moves is not None
            and theirs.kept_moves is not None
            and len(ours.kept_moves) == len(theirs.kept_moves)
        ):
            moves = ours.kept_moves, theirs.kept_moves
        return versus(
            ours.counts,
            theirs.counts,
            (_worth(ours), _worth(theirs)),
            moves,
            math.lcm(*(each.games_per_learner for each in self.results)),
            together,
        )

    @property
    def expected(self) -> Score:
        """Share of the points of the first-named, on independent layouts."""
        return Score(float(self.versus.score), *self.versus.interval)

    @property
    def beginning(self) -> Outcomes:
        """How games end that the first-named begins, from the two histograms."""
        return self.versus.outcomes(True, self.last_turn)

    @property
    def answering(self) -> Outcomes:
        """How the other games end."""
        return self.versus.outcomes(False, self.last_turn)

    @property
    def overall(self) -> Outcomes:
        """How all games end."""
        return self.versus.outcomes(None, self.last_turn)

    @property
    def winning(self) -> list[float | None]:
        """Mean moves of both in the games that they win, from the two histograms."""
        ours, theirs = self.results
        means = winning_means(ours.counts, theirs.counts, self.last_turn)
        return [None if mean is None else float(mean) for mean in means]

    @property
    def turns(self) -> float:
        """Turns of a game on average: those of the side that wins."""
        return self.results[0].scenario.rules.turns(float(self.moves.min(axis=0).mean()))


AnyMeeting: TypeAlias = Meeting | AfloatMeeting


def _worth(result: Result) -> float:
    """Return how many independent games say as much of the mean as those of a result."""
    if result.exact:
        return math.inf
    if result.learning is None:
        return float(result.games)
    error, spread = result.learning.standard_error, result.stats.sd
    return min(spread**2 / error**2, float(result.games)) if error else float(result.games)


def _content(meeting: AnyMeeting) -> MeetingRecord:
    """Return the record."""
    played = None
    if isinstance(meeting, AfloatMeeting) or meeting.played:
        played = PlayedRecord(
            games=meeting.games,
            outcomes=meeting.joint.tolist(),
            score=ScoreRecord.of(meeting.score),
            elo=EloRecord.of(meeting.score),
        )
    return MeetingRecord(
        first=meeting.places[0],
        second=meeting.places[1],
        beginning=OutcomesRecord(**_floats(meeting.beginning)),
        answering=OutcomesRecord(**_floats(meeting.answering)),
        score=ScoreRecord.of(meeting.expected),
        elo=EloRecord.of(meeting.expected),
        played=played,
        winning=meeting.winning if isinstance(meeting, Meeting) else UNSET,
    )


def _floats(outcomes: Outcomes) -> dict[str, float]:
    return {name: float(value) for name, value in outcomes._asdict().items()}


@dataclass(frozen=True, eq=False, repr=False)
class Match(Shown, Found):
    """How sides did against each other.

    Attributes
    ----------
    sides : tuple of Side
    scenario : Scenario
        Whose law a side has that names none.
    last_turn : bool
    seed : int or None
        None if all is from records.
    requested : int
        Games asked for, of each two.
    meetings : mapping of (int, int) to Meeting or AfloatMeeting
        By the places of both sides, the smaller one first.
    """

    form: ClassVar = MatchRecord
    entries: ClassVar = "meetings"

    sides: tuple[Side, ...]
    scenario: Scenario
    last_turn: bool
    seed: int | None
    requested: int
    meetings: dict[tuple[int, int], AnyMeeting]
    setup_seconds: float = 0.0
    play_seconds: float = 0.0

    def __repr__(self) -> str:
        return f"<Match of {' and '.join(self.labels)} on {self.scenario.name}>"

    @property
    def labels(self) -> list[str]:
        """The labels of the sides."""
        return [side.label for side in self.sides]

    @property
    def results(self) -> tuple[Result, ...]:
        """All results, each once."""
        meetings = [each for each in self.meetings.values() if isinstance(each, Meeting)]
        found = {id(each): each for meeting in meetings for each in meeting.results}
        return tuple(found.values())

    @property
    def afloat(self) -> bool:
        """Whether turns depend on the ships that a side has afloat, and so on each other."""
        return self.scenario.rules.shots == AFLOAT

    @property
    def games(self) -> int:
        """Games of each two sides; 0 if all is from records."""
        return max(each.games for each in self.meetings.values())

    @property
    def played(self) -> bool:
        """Whether each two sides met in pairs of games, all as many."""
        return self.afloat or not any(isinstance(side.shooter, Result) for side in self.sides)

    @property
    def partial(self) -> bool:
        """Whether it was interrupted before all games were played."""
        if self.afloat:
            return any(each.games < self.requested for each in self.meetings.values())
        return any(each.partial for each in self.results if not self.is_recorded(each))

    def is_recorded(self, result: Result) -> bool:
        """Return whether a result was not played for this match."""
        return any(side.shooter is result for side in self.sides)

    @checked
    def result(self, place: int, against: int) -> Result:
        """Return the games of a side's shooter against the law of another side."""
        meeting = self._meeting(place, against)
        if not isinstance(meeting, Meeting):
            raise BsbenchError("of shots by ships afloat, there are only games of two sides")
        return meeting.results[place > against]

    @checked
    def score(self, place: int, against: int) -> Score:
        """Return the share of the points that a side takes from another one, as far as known."""
        found = self._meeting(place, against).expected
        return found if place < against else Score(1 - found.share, 1 - found.high, 1 - found.low)

    def _meeting(self, place: int, against: int) -> AnyMeeting:
        if (pair := (min(place, against), max(place, against))) not in self.meetings:
            raise BsbenchError(
                f"two of the sides meet, numbered from 0 to {len(self.sides) - 1}, not "
                f"{place} and {against}"
            )
        return self.meetings[pair]

    @cached_property
    def points(self) -> npt.NDArray[np.int8]:
        """Half points, 0 to 4, that i took from j in each pair; 0 for i = j."""
        count = len(self.sides)
        pairs = min(each.games for each in self.meetings.values()) // 2
        points = np.zeros((count, count, pairs), np.int8)
        for (first, second), meeting in self.meetings.items():
            points[first, second] = meeting.points[:pairs]
            points[second, first] = 4 - points[first, second]
        return points

    @cached_property
    def scores(self) -> npt.NDArray[np.float64]:
        """Share of the points that i takes from j, from the histograms; NaN against itself."""
        scores = np.full((len(self.sides),) * 2, np.nan)
        for (first, second), meeting in self.meetings.items():
            share = meeting.expected.share
            scores[first, second], scores[second, first] = share, 1 - share
        return scores

    @property
    def shares(self) -> npt.NDArray[np.float64]:
        """Share of the points that each side takes in all."""
        return np.asarray(np.nanmean(self.scores, axis=1), np.float64)

    @property
    def order(self) -> list[int]:
        """Places of the sides by their scores, the best first."""
        return [int(place) for place in np.argsort(-self.shares, kind="stable")]

    @cached_property
    def ratings(self) -> Ratings:
        """Elo ratings by the games played, and their intervals."""
        return rate(self.points)

    @cached_property
    def rated(self) -> Ratings | None:
        """The ratings; None without games, or where these are not alone."""
        alone = all(each.games_per_learner == 1 for each in self.results)
        return self.ratings if self.played and alone else None

    def content(self) -> MatchRecord:
        """Return the record."""
        return MatchRecord(
            stream_version=STREAM_VERSION,
            scenario=ScenarioRecord(**self.scenario.to_dict()),
            last_turn=self.last_turn,
            seed=self.seed,
            games=self.games,
            requested=self.requested,
            sides=[self._side_record(place) for place in range(len(self.sides))],
            meetings=[_content(each) for each in self.meetings.values()],
        )

    def _side_record(self, place: int) -> SideRecord:
        side = self.sides[place]
        against = {
            str(other.scenario.placement): self.result(place, at)
            for at, other in enumerate(self.sides)
            if at != place and not self.afloat
        }
        return SideRecord(
            label=side.label,
            shooter=_shooter_record(side.shooter),
            placement=str(side.scenario.placement),
            from_record=isinstance(side.shooter, Result),
            mean={law: each.stats.mean for law, each in against.items()},
            counts={law: each.counts.tolist() for law, each in against.items()},
            score=float(self.shares[place]),
            elo=None if self.rated is None else round(float(self.rated.elo[place]), 2),
            half_width=None
            if self.rated is None
            else round(float(self.rated.half_widths[place]), 2),
        )

    def _means(self, meeting: AnyMeeting) -> dict[str, float | None]:
        """Return the mean moves of both, also where they win; or of who wins, if they depend."""
        if isinstance(meeting, AfloatMeeting):
            return {"turns": meeting.turns, "shots": meeting.shots}
        first, second = (each.stats.mean for each in meeting.results)
        ours, theirs = meeting.winning
        return {
            "first_mean": first,
            "second_mean": second,
            "first_winning": ours,
            "second_winning": theirs,
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each two sides, the first-named first."""
        rows = []
        for meeting in self.meetings.values():
            record = _content(meeting)
            row: dict[str, Any] = {
                "first": self.labels[meeting.places[0]],
                "second": self.labels[meeting.places[1]],
                "scenario": self.scenario.name,
                "last_turn": self.last_turn,
                **self._means(meeting),
                "score": record.score.share,
                "score_low": record.score.low,
                "score_high": record.score.high,
                "elo": record.elo.difference,
                "elo_low": record.elo.low,
                "elo_high": record.elo.high,
            }
            for name in ("beginning", "answering"):
                ends = getattr(record, name)
                row |= {f"{name}_{end}": getattr(ends, end) for end in ("won", "drawn", "lost")}
            if record.played is not None:
                row |= {
                    "seed": self.seed,
                    "games": record.played.games,
                    "played_score": record.played.score.share,
                    "played_score_low": record.played.score.low,
                    "played_score_high": record.played.score.high,
                }
            rows.append(row)
        return rows


def _shooter_record(shooter: Strategy | Result) -> StrategyRecord:
    return StrategyRecord(
        label=shooter.label,
        name=shooter.strategy if isinstance(shooter, Result) else shooter.name,
        parameters=shooter.parameters,
        source=shooter.source,
        sha256=shooter.strategy_sha256 if isinstance(shooter, Result) else strategy_hash(shooter),
    )


# Who takes part.

_LAW = re.compile(rf"\s*({'|'.join(LAWS)})(:.*)?\s*", re.DOTALL)

Sided: TypeAlias = Given | Result | tuple[Given | Result, str | Placement]
"""A side as it is given: a shooter or the result of one, alone or with a placement law."""

Read = tuple[Strategy | Result, Placement | None]
"""A side as it is read: its law is None if it names none."""


def split(text: str) -> tuple[str, str | None]:
    """Return the shooter and the law that are written as ``SHOOTER@LAW``; None without a law.

    Raises
    ------
    BsbenchError
        If what follows the @ is no placement law.
    """
    shooter, at, law = text.rpartition("@")
    if not (at and shooter.strip()):
        return text, None
    if not _LAW.fullmatch(law) and (is_spec(shooter) or is_command(text) or is_record(text)):
        # The @ is one of a path, or of a command.
        return text, None
    Placement.parse(law.strip())
    return shooter.strip(), law.strip()


def read_sides(given: Iterable[Sided], limits: Limits) -> list[Read]:
    """Return shooters, and the laws that they name.

    Raises
    ------
    BsbenchError
        If one can't be read.
    """
    if isinstance(given, str | type) or not isinstance(given, Iterable):
        raise BsbenchError(
            "the sides of a match are given as a list, such as match(['prob', 'random']), not as "
            f"{shortened(given)}"
        )
    sides: list[Read] = []
    given = list(given)
    for before, each in pairwise(given):
        if isinstance(before, str) and isinstance(each, str) and _is_law(each):
            raise BsbenchError(
                f"{each} is the law by which a side hides: name the side in quotes, "
                f"{shlex.quote(f'{before} @ {each[1:]}')}"
            )
    for each in given:
        shooter, law = each if isinstance(each, tuple) else (each, None)
        if isinstance(shooter, str) and law is None:
            shooter, law = split(shooter)
        if isinstance(shooter, str) and is_record(shooter):
            shooter = load_result(one_record(shooter))
        if not isinstance(shooter, Result):
            shooter = as_strategy(shooter, limits)
        sides.append((shooter, None if law is None else Placement.parse(law)))
    return sides


def _is_law(text: str) -> bool:
    """Return whether a side is a placement law after an ``@``, not a record."""
    if not text.startswith("@"):
        return False
    try:
        Placement.parse(text[1:])
    except BsbenchError:
        return False
    return True


def bundled(scenario: Scenario) -> list[Result]:
    """Return the records that come with bsbench of a million games on a scenario.

    Raises
    ------
    BsbenchError
        If there are fewer than two.
    """
    kind, name = str(scenario.rules.feedback), scenario.name.partition("+")[0]
    found: dict[str, KnownRecord] = {}
    for each in known_results():
        if each.games >= ENOUGH and each.scenario == name and kind in kinds_of(each):
            found.setdefault(each.label, each)
    results = [load_result(one_record(each.name)) for each in found.values()]
    results = [each for each in results if each.scenario.move_law == scenario.move_law]
    if len(results) < 2:
        raise BsbenchError(
            f"bsbench comes with no records of two players on {scenario.name}: leave out "
            f"{option('from_records', True)}, and name the sides"
        )
    return results


@dataclass(frozen=True)
class Asked:
    """A match that can be played.

    Attributes
    ----------
    sides : tuple of Side
    scenario : Scenario
    games, seed, threads : int
    last_turn : bool
    """

    sides: tuple[Side, ...]
    scenario: Scenario
    games: int
    seed: int
    threads: int
    last_turn: bool

    @property
    def shooters(self) -> dict[str, Strategy]:
        """Those that play, by label."""
        strategies = [each.shooter for each in self.sides if isinstance(each.shooter, Strategy)]
        return {each.label: each for each in strategies}

    @property
    def by_law(self) -> dict[Placement, tuple[Scenario, list[Strategy]]]:
        """Who shoots at the layouts of which law: all that meet a side that hides by it."""
        found = {}
        for law in dict.fromkeys(side.scenario.placement for side in self.sides):
            hiders = [side for side in self.sides if side.scenario.placement == law]
            met = [side for side in self.sides if hiders != [side]]
            shooters = {
                each.shooter.label: each.shooter
                for each in met
                if isinstance(each.shooter, Strategy)
            }
            if shooters:
                found[law] = hiders[0].scenario, list(shooters.values())
        return found

    def about(self) -> dict[str, Any]:
        """Return what identifies the match, for `Journal.open`."""
        scenarios = [scenario for scenario, _ in self.by_law.values()]
        return about_games(list(self.shooters.values()), scenarios, [self.seed], match=True)


def asked_for(
    request: Request,
    given: Sequence[Read],
    last_turn: bool = False,
) -> Asked:
    """Return the match that is asked for, if it can be played.

    Parameters
    ----------
    request : Request
    given : sequence of Read
        As `read_sides` returns them.
    last_turn : bool

    Raises
    ------
    BsbenchError
        If there are too few sides, two are the same, one can't play, or a number is out of range.
    """
    request.check_single("a match")
    if len(given) < 2:
        raise BsbenchError(f"a match takes two sides or more, not {len(given)}: name another one")
    records = [each for each, _ in given if isinstance(each, Result)]
    shooters = [each for each, _ in given if isinstance(each, Strategy)]
    if records and not request.scenarios and not request.changes:
        scenario = scenario_of(records)
    else:
        (scenario,) = request.scenarios_or(shared_home(shooters))
    check_comparable(records, _one_sided(scenario))
    if scenario.placement.law == "each" and shooters:
        raise BsbenchError(
            "a match is played on random layouts: leave out the placement law 'each', or give the "
            f"records of runs with {option('exact', True)}"
        )
    sides = []
    for shooter, law in given:
        if records and law is not None:
            raise BsbenchError(
                "a record is of layouts that are given: leave out the laws after @, or name all "
                "sides by their strategies"
            )
        where = scenario if law is None else scenario.override(placement=law)
        hides = "" if where.placement == scenario.placement else f" @ {where.placement}"
        sides.append(Side(shooter, where, f"{shooter.label}{hides}"))
    if scenario.rules.shots == AFLOAT:
        _check_afloat(sides, last_turn)
    labels = [side.label for side in sides]
    for label in labels:
        if labels.count(label) > 1:
            raise BsbenchError(f"{label!r} is named twice: name each side once")
    if scenario.rules.shots == AFLOAT:
        # By the rules of the match; alone, one plays by those of a single side.
        for shooter in shooters:
            shooter.check_fits(scenario.rules)
    request.check(shooters, [_one_sided(side.scenario) for side in sides])
    games = GAMES if request.games is None else request.games
    if shooters and games * (len(shooters) * _BYTES + _BYTES_COMPARED) > memory():
        raise BsbenchError(
            f"the move counts of {games:,} games of each don't fit in memory: play fewer games"
        )
    if games % 2 and shooters:
        raise BsbenchError(
            f"can't play {games:,} games: the same layouts are played twice, with sides swapped, "
            "so ask for an even number"
        )
    units = [in_a_row(each, side.scenario) for each in shooters for side in sides]
    if games < (unit := math.lcm(2, *units)):
        raise BsbenchError(f"{unit:,} games depend on each other: ask for {unit:,} or more")
    games, seed = games // unit * unit, request.seed or 0
    return Asked(tuple(sides), scenario, games, seed, request.cores, last_turn)


def _one_sided(scenario: Scenario) -> Scenario:
    """Return a scenario that a shooter can play alone: it has no ships of its own to count."""
    rules = scenario.rules
    return scenario.override(shots=rules.most_shots) if rules.shots == AFLOAT else scenario


def _check_afloat(sides: Sequence[Side], last_turn: bool) -> None:
    """Refuse what has no meaning where shots are counted by ships afloat."""
    if last_turn:
        raise BsbenchError(
            "who has no ship afloat has no shot left for a last turn: leave out "
            f"{option('last_turn', True)}"
        )
    for side in sides:
        if isinstance(side.shooter, Result):
            raise BsbenchError(
                "a record has no games in which shots are counted by ships afloat: name all sides "
                "by their strategies"
            )
        if in_a_row(side.shooter, side.scenario) > 1:
            raise BsbenchError(
                f"games of {side.label!r} depend on each other, and those in which shots are "
                "counted by ships afloat are played one by one: name another side"
            )


@with_options(GameOptions)
def match(
    sides: Iterable[Sided],
    scenario: Place | None = None,
    *,
    games: float | str | None = None,
    seed: int | None = None,
    last_turn: bool = False,
    progress: Watch | None = None,
    **options: Unpack[GameOptions],
) -> Match:
    """Let sides hide and shoot against each other, each two in pairs of games.

    Parameters
    ----------
    sides : list of str, Path, Strategy, type, callable, Result or tuple
        Two or more: a shooter as for `bsbench.run`, alone or in a tuple with the placement law by
        which the side hides, such as ``("lattice2", "avoid:prob")``; as a text,
        ``"lattice2 @ avoid:prob"``. Without a law it hides by that of the scenario. A result, or
        the path of a record, takes part by its histogram.
    scenario : str, Path or Scenario, optional
        Default: that of the records, or the home that all shooters share, else ``classic``.
    games : int, optional
        Of each two sides, an even number. Default: 100,000.
    seed : int, optional
        Any non-negative integer. Default: 0.
    last_turn : bool
        Whether the second has the last word: then draws exist.
    progress : callable, optional
        As for `bsbench.run`.
    **options

    Returns
    -------
    Match
        After Ctrl-C, of the games that all have finished.

    Raises
    ------
    BsbenchError
        If an argument is out of range, two sides are the same, or a shooter needs more feedback
        than the scenario gives.
    StrategyError
        If a strategy breaks the rules, raises, or takes too long.
    KeyboardInterrupt
        If interrupted before two sides have met.

    Examples
    --------
    >>> match(["linear", "random"], "gym-5x5", games=1000).order
    [0, 1]
    """
    request = Request.of(scenario, seed, games=games, **options)
    asked = asked_for(request, read_sides(sides, request.limits), last_turn)
    return play_match(asked, request, progress)


def play_match(
    asked: Asked, request: Request, progress: Watch | None = None, journal: Journal | None = None
) -> Match:
    """Play a match that can be played.

    Parameters
    ----------
    asked : Asked
    request : Request
        Says where, and how long a game may take.
    progress : callable, optional
    journal : Journal, optional
        What keeps the games, opened with `Asked.about`.

    Raises
    ------
    StrategyError, KeyboardInterrupt
        As for `match`.
    """
    if asked.scenario.rules.shots == AFLOAT:
        return _play_afloat(asked, request, progress or ignored)
    results: dict[tuple[str, Placement], Result] = {}
    partial_, laws = False, asked.by_law
    bars = len(laws) > 1

    def watch(law: Placement, now: GameProgress) -> None:
        assert progress is not None
        who = f"{now.label} against {law}" if bars else now.label
        progress(Progress(who, now.done, asked.games, setting_up=now.setting_up))

    with opened(request.engine) as workers:
        for number, (law, (scenario, shooters)) in enumerate(laws.items()):
            if partial_:
                raise KeyboardInterrupt
            experiment = Experiment(
                tuple(shooters), (scenario,), (asked.seed,), games=asked.games, keep_moves=True
            )
            found = play_together(
                experiment,
                asked.threads,
                request.timeout,
                watch=progress and partial(watch, law),
                journal=journal,
                key=f"law {number}",
                workers=workers,
            )
            for fault in found.faults.values():
                raise fault
            partial_ = found.partial
            results |= {(each.label, law): each for each in found.results}
    return _match(asked, results)


def _play_afloat(asked: Asked, request: Request, watch: Watch) -> Match:
    begun = time.perf_counter()
    rules = asked.scenario.rules
    players = []
    for side in asked.sides:
        assert isinstance(side.shooter, Strategy)
        players.append(AfloatSide(side.shooter, make_sampler(rules, side.scenario.placement)))
    meetings: dict[tuple[int, int], AnyMeeting] = {}
    for places in combinations(range(len(players)), 2):
        first, second = (asked.sides[place].label for place in places)
        meetings[places] = meet(
            rules,
            places,
            (players[places[0]], players[places[1]]),
            asked.seed,
            asked.games,
            asked.threads,
            request.timeout,
            watch,
            f"{first} against {second}",
        )
        if meetings[places].games < asked.games and len(meetings) < math.comb(len(players), 2):
            # The others have not met.
            raise KeyboardInterrupt
    return Match(
        sides=asked.sides,
        scenario=asked.scenario,
        last_turn=False,
        seed=asked.seed,
        requested=asked.games,
        meetings=meetings,
        threads=asked.threads,
        play_seconds=time.perf_counter() - begun,
    )


def _match(asked: Asked, results: dict[tuple[str, Placement], Result]) -> Match:
    def against(side: Side, other: Side) -> Result | None:
        if isinstance(side.shooter, Result):
            return side.shooter
        return results.get((side.shooter.label, other.scenario.placement))

    meetings: dict[tuple[int, int], AnyMeeting] = {}
    for first, side in enumerate(asked.sides):
        for second, other in enumerate(asked.sides[first + 1 :], first + 1):
            both = against(side, other), against(other, side)
            if both[0] is None or both[1] is None:
                raise KeyboardInterrupt
            played = not any(isinstance(each.shooter, Result) for each in (side, other))
            meetings[first, second] = Meeting(
                (first, second), (both[0], both[1]), asked.last_turn, played
            )
    played_here = list(results.values())
    met = [each for each in meetings.values() if isinstance(each, Meeting)]
    if played_here and any(each.played and not each.games for each in met):
        raise KeyboardInterrupt
    return Match(
        sides=asked.sides,
        scenario=asked.scenario,
        last_turn=asked.last_turn,
        seed=asked.seed if played_here else None,
        requested=asked.games if played_here else 0,
        meetings=meetings,
        threads=asked.threads,
        setup_seconds=sum(each.setup_seconds for each in played_here),
        play_seconds=sum(each.play_seconds for each in played_here),
    )
