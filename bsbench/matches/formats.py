"""What records of matches and leagues hold, as types; a game names its own."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from bsbench.common.record import Content, Count, Player, Record, Seconds, Share

Three = Meta(min_length=3, max_length=3)


class PlayedRecord(Player, frozen=True):
    """A player, and what its games took.

    Attributes
    ----------
    source
        Who proposed it, and where.
    moves
        Moves played.
    nodes
        Positions searched; may vary where a player remembers positions.
    seconds
        Seconds: of processor time, or of a user's player, of time that has passed.
    """

    source: str
    moves: Count
    nodes: Count
    seconds: Seconds


class ScoreRecord(Record, frozen=True):
    """Points of the first-named player.

    Attributes
    ----------
    share
        Share of the points.
    low
        Lower end of its 95 % interval.
    high
        Upper end.
    """

    share: Share
    low: Share
    high: Share


class EloRecord(Record, frozen=True):
    """A score as a difference in Elo.

    Attributes
    ----------
    difference
        Elo difference; null where it is infinite.
    low
        Lower end of its 95 % interval.
    high
        Upper end.
    """

    difference: float | None
    low: float | None
    high: float | None


class MatchRecord(Content, frozen=True):
    """What a match saves: a game adds the lengths of the games.

    Attributes
    ----------
    players
        Both players, and what the games took them.
    opening_plies
        Moves of an opening, drawn at random.
    seed
        Seed of openings and players.
    games
        Games played.
    requested
        Games asked for: fewer are played if the match is interrupted.
    outcomes
        Pairs of games by what the first-named player made of the game that it began (row) and of
        the other one (column): loss, draw, win.
    score
        Points of the first-named player.
    elo
        The same as a difference in Elo.
    seconds.setup
        Compiling or loading kernels.
    seconds.play
        Playing.
    """

    steps = {"setup": "setup_seconds", "play": "play_seconds"}  # noqa: RUF012

    players: Annotated[list[PlayedRecord], Meta(min_length=2, max_length=2)]
    opening_plies: Count
    seed: Count
    games: Count
    requested: Count
    outcomes: Annotated[list[Annotated[list[Count], Three]], Three]
    score: ScoreRecord
    elo: EloRecord


class RatedRecord(PlayedRecord, frozen=True):
    """A player of a league.

    Attributes
    ----------
    elo
        Rating, relative to the mean of the league.
    half_width
        Half the width of its 95 % interval.
    score
        Share of all points.
    """

    elo: float
    half_width: Annotated[float, Meta(ge=0)]
    score: Share


class MetRecord(Record, frozen=True):
    """Two players that have met.

    Attributes
    ----------
    first
        Place of a player in `players`.
    second
        Place of its opponent.
    points
        A digit for each opening: half points of the first player in its two games.
    """

    first: Count
    second: Count
    points: Annotated[str, Meta(pattern="^[0-4]*$")]


class LeagueRecord(Content, frozen=True):
    """What a league saves: every player meets every other.

    Attributes
    ----------
    opening_plies
        Moves of an opening, drawn at random.
    seed
        Seed of openings and players.
    games
        Games of each match.
    requested
        Players asked for: fewer have played if the league was interrupted.
    players
        The players.
    matches
        Each two players that have met.
    wins
        For each player (row) the number of games won from each (column).
    draws
        The same for games drawn.
    faults
        By label, why players of users are left out; not there if none is.
    seconds.setup
        Compiling or loading kernels.
    seconds.play
        Playing.
    """

    steps = {"setup": "setup_seconds", "play": "play_seconds"}  # noqa: RUF012

    opening_plies: Count
    seed: Count
    games: Count
    requested: Count
    players: list[RatedRecord]
    matches: list[MetRecord]
    wins: list[list[Count]]
    draws: list[list[Count]]
    faults: dict[str, str] | UnsetType = UNSET
