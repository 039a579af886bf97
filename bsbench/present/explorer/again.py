"""Games that are played again for an explorer: many to compare strategies, and a few to watch.

A record gives the means of all its games, but not the move count of each. The first games of each
strategy, played again, show how often one of two finishes before the other on the same layout;
all games played again give paired intervals for all differences, too.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from bsbench.common.errors import BsbenchError, option
from bsbench.present.explorer.scenes import Scene
from bsbench.present.replaying import Replay, replay
from bsbench.present.replaying.analysis import Standing
from bsbench.roster import strategy_names
from bsbench.runs.comparison import Comparison
from bsbench.runs.contestants import strategy_of
from bsbench.runs.engine import run
from bsbench.runs.results import Result
from bsbench.strategies import Strategy

PAIRED = 20_000
"""Games of each strategy that are played again by default."""

_FEWEST = 100
"""Games again at least: fewer say too little."""

_SECONDS = 10.0
"""Time, on all cores, that the games of one strategy may take by default, as its record says."""

_SECONDS_PER_GAME = 2.0
_SECONDS_OF_GAMES = 60.0
"""Time that one game to watch may take, as the record says, and all of them together."""

Note = Callable[[str], object]


@dataclass(frozen=True)
class Again:
    """What was played again for a scene.

    Attributes
    ----------
    scene : Scene
        The scene; its results have all move counts where all games were played again.
    first : mapping of str to Result
        By label, the first games of a strategy.
    watched : mapping of (str, int) to Replay
        By label and move count, games to watch.
    reasons : mapping of str to str
        By label, why a strategy has no games to watch.
    """

    scene: Scene
    first: Mapping[str, Result] = field(default_factory=dict)
    watched: Mapping[tuple[str, int], Replay] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)

    def races(self, reference: str) -> Comparison | None:
        """Return the first games compared with those of a strategy, if it played them again."""
        if reference not in self.first:
            return None
        return Comparison(tuple(self.first.values()), reference)


def play_again(
    scene: Scene,
    paired: int | None,
    games: bool,
    trust: bool = False,
    note: Note = lambda text: None,
) -> Again:
    """Play games of a scene again.

    Parameters
    ----------
    scene : Scene
    paired : int, optional
        How many of the first games of each strategy are played again; 0 for none. Default:
        `PAIRED`, and fewer of slow strategies.
    games : bool
        Whether games are played to be watched.
    trust : bool
        Whether strategies that are not built in, which records name, may play: their code runs.
    note : callable, optional
        Called with a line on what is done.

    Raises
    ------
    KeyboardInterrupt
        If interrupted.
    """
    players: dict[str, Strategy] = {}
    reasons: dict[str, str] = {}
    for result in scene.results:
        try:
            players[result.label] = _player(scene, result, trust)
        except BsbenchError as error:
            reasons[result.label] = str(error)
    first: dict[str, Result] = {}
    kept: list[Result] = []
    for result in scene.results:
        kept.append(result)
        if result.label not in players or result.moves is not None:
            continue
        if (count := _how_many(result, paired)) < 1:
            continue
        note(f"{result.label}: {count:,} games again")
        try:
            played = _first_games(players[result.label], result, count)
        except BsbenchError as error:
            reasons[result.label] = str(error)
            del players[result.label]
            continue
        first[result.label] = played
        if played.games == result.games:
            kept[-1] = dataclasses.replace(result, moves=played.moves)
    for result in scene.results:
        if result.moves is not None and first:
            first[result.label] = result
    watched: dict[tuple[str, int], Replay] = {}
    if games:
        watched = _to_watch(scene, players, reasons, note)
    scene = dataclasses.replace(scene, results=tuple(kept))
    return Again(scene, first, watched, reasons)


def _player(scene: Scene, result: Result, trust: bool) -> Strategy:
    """Return the strategy of a result, to play its games again."""
    if not trust and result.strategy not in strategy_names():
        raise BsbenchError(
            f"it is a strategy of your own, whose code runs with {option('trust', True)} only"
        )
    return strategy_of(dataclasses.replace(result, label=scene.names[result.label]), trust=trust)


def _how_many(result: Result, paired: int | None) -> int:
    """Return how many games of a strategy are played again."""
    if paired is not None:
        return min(paired, result.games)
    most = int(_SECONDS * result.games / max(result.play_seconds, 1e-9))
    count = min(PAIRED, result.games, most)
    return count if count >= min(_FEWEST, result.games) else 0


def _first_games(player: Strategy, result: Result, count: int) -> Result:
    """Play the first games of a record again, and check that they are the same."""
    unit = result.games_per_learner
    count = result.games if count == result.games else count - count % unit
    if count < 1:
        raise BsbenchError(f"a learner plays {unit:,} games")
    played = run(
        player,
        result.scenario,
        games=count,
        seed=result.seed,
        first_game=result.first_game,
        keep_moves=True,
    )
    if played.partial:
        raise KeyboardInterrupt
    known = result.tally
    seen = played.tally.firsts >= 0
    early = (known.firsts >= 0) & (known.firsts < known.first_game + count)
    same = (
        np.array_equal(played.tally.firsts[seen], known.firsts[seen])
        and np.array_equal(seen, early)
        if known.has_evidence
        else bool((played.counts <= known.counts).all())
    )
    if not same or (count == result.games and not np.array_equal(played.counts, known.counts)):
        raise BsbenchError(_OTHER)
    return dataclasses.replace(played, label=result.label)


_OTHER = "its games, played again by this version, have other move counts than the record"


def _to_watch(
    scene: Scene, players: Mapping[str, Strategy], reasons: dict[str, str], note: Note
) -> dict[tuple[str, int], Replay]:
    """Return games to watch, and add why a strategy has none."""
    found: dict[tuple[str, int], Replay] = {}
    slow = "its games take too long to play them here"
    begun = time.monotonic()
    # The median of each before the extremes of any: time may run out.
    for kind in ("median", "best", "worst", "low", "high"):
        for result in scene.results:
            label, moves = result.label, int(getattr(result.stats, kind))
            game = int(result.tally.firsts[moves])
            if label in reasons or (label, moves) in found:
                continue
            if game < 0:
                reasons[label] = "its record, of an older version, does not number them"
                continue
            # A record knows the time of all threads together.
            pace = result.play_seconds * result.threads / result.games
            if pace > _SECONDS_PER_GAME or time.monotonic() - begun > _SECONDS_OF_GAMES:
                reasons[label] = slow
                continue
            note(f"{label}: game {game:,}")
            again = _watched(players[label], result, game)
            if isinstance(again, str) or len(again.moves) != moves:
                reasons[label] = again if isinstance(again, str) else _OTHER
            else:
                found[label, moves] = dataclasses.replace(
                    again, strategy=label, standing=Standing.of(moves, result)
                )
    return found


def _watched(player: Strategy, result: Result, game: int) -> Replay | str:
    """Return a game, or why there is none."""
    try:
        again = replay(
            player, result.scenario, seed=result.seed, game=game, timeout=_SECONDS_PER_GAME * 5
        )
    except BsbenchError as error:
        return str(error)
    return again if again.fault is None else str(again.fault)
