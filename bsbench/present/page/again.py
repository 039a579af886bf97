"""Games that are played again for a page: many to compare strategies, and a few to watch.

A record gives the means of all its games, but not the move count of each. The first games of each
strategy, played again, show how often one of two finishes before the other on the same layout;
all games played again give paired intervals for all differences, too.

What is played again depends on the records and on what is asked for, never on a clock: the same
records make the same page, however busy the machine is.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from bsbench.common.errors import BsbenchError, option
from bsbench.present.page.scenes import Scene
from bsbench.present.replaying import Replay, replay
from bsbench.present.replaying.page import OnRecord
from bsbench.roster import strategy_names
from bsbench.runs.comparison import Comparison
from bsbench.runs.contestants import strategy_of
from bsbench.runs.request import TIMEOUT
from bsbench.runs.results import Result
from bsbench.runs.running import run
from bsbench.strategies import Strategy

PAIRED = 20_000
"""Games of each strategy that are played again by default, but of those that take long."""

_KINDS = ("median", "best", "worst", "low", "high")
"""Games to watch of each strategy: the median of each first, since a page has limited room."""

_PATIENCE = 5.0
"""Seconds at most that a game is played again in which a strategy took too long."""

_LONG = "its games take long"
"""Why a strategy with the mark `takes_long` plays nothing again unless asked to."""

Note = Callable[[str], object]
"""Takes a line on what is done."""


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
    failed : mapping of str to Replay
        By label, the games in which strategies failed that are left out.
    """

    scene: Scene
    first: Mapping[str, Result] = field(default_factory=dict)
    watched: Mapping[tuple[str, int], Replay] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)
    failed: Mapping[str, Replay] = field(default_factory=dict)

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
    say: Note = lambda text: None,
    known: Mapping[str, Strategy] = MappingProxyType({}),
    timeout: float = TIMEOUT,
) -> Again:
    """Play games of a scene again.

    Parameters
    ----------
    scene : Scene
    paired : int, optional
        How many of the first games of each strategy are played again; 0 for none. Default:
        `PAIRED`, and none of strategies that take long.
    games : bool
        Whether games are played to be watched.
    trust : bool
        Whether strategies that are not built in, which records name, may play: their code runs.
    note : callable, optional
        Called with a line on what is done now.
    say : callable, optional
        Called with lines to keep: before anything is played, on what will be; at the end, on what
        is left out.
    known : mapping of str to Strategy, optional
        By label, strategies that have just played, and may do so again.
    timeout : float, optional
        Seconds that the code of a strategy may take for a game to watch.

    Raises
    ------
    KeyboardInterrupt
        If interrupted.
    """
    players = dict(known)
    reasons: dict[str, str] = {}
    for result in scene.results:
        name = scene.names[result.label]
        try:
            players[result.label] = known.get(name) or _player(scene, result, trust)
        except BsbenchError as error:
            reasons[result.label] = str(error)
    counts = {
        result.label: count
        for result in scene.results
        if result.label in players and result.kept_moves is None
        if (count := _how_many(players[result.label], result, paired))
    }
    for line in _announced(scene, players, counts, paired, games):
        say(f"{scene.title}: {line}")
    first: dict[str, Result] = {}
    kept: list[Result] = []
    for result in scene.results:
        kept.append(result)
        if (count := counts.get(result.label, 0)) < 1:
            continue
        note(f"replaying {count:,} games of {result.label}, to compare it game by game")
        try:
            played = _first_games(players[result.label], result, count)
        except BsbenchError as error:
            reasons[result.label] = str(error)
            del players[result.label]
            continue
        first[result.label] = played
        if played.games == result.games:
            kept[-1] = dataclasses.replace(result, kept_moves=played.kept_moves)
    for result in scene.results:
        if result.kept_moves is not None and first:
            first[result.label] = result
    watched: dict[tuple[str, int], Replay] = {}
    failed: dict[str, Replay] = {}
    if games:
        watched = _to_watch(scene, players, reasons, note, timeout)
        failed = _failed(scene, players, note, min(timeout, _PATIENCE))
    for label, reason in reasons.items():
        say(f"{scene.title}: no games of {label}: {reason}")
    scene = dataclasses.replace(scene, results=tuple(kept))
    return Again(scene, first, watched, reasons, failed)


def _announced(
    scene: Scene,
    players: Mapping[str, Strategy],
    counts: Mapping[str, int],
    paired: int | None,
    games: bool,
) -> Iterator[str]:
    """Return what will be played, and why."""
    for count in sorted(set(counts.values()), reverse=True):
        who = [label for label in counts if counts[label] == count]
        whose = ", ".join(who) if len(who) < len(scene.results) else "every strategy"
        yield (
            f"replaying the first {count:,} games of {whose}, to see who finishes first on the "
            f"same layout ({option('paired', 'N')} replays N; 0, none)"
        )
    slow = [label for label, player in players.items() if player.takes_long]
    if slow and paired is None:
        yield (
            f"not replaying {', '.join(slow)} for that: their games take long "
            f"({option('paired', 'N')} replays N of them)"
        )
    if games and len(players) > len(slow):
        none, but = option("no_games", True), ", but no slow ones," if slow else ""
        yield f"replaying {len(_KINDS)} games of each strategy{but} to watch ({none} replays none)"


def _player(scene: Scene, result: Result, trust: bool) -> Strategy:
    """Return the strategy of a result, to play its games again."""
    if not trust and result.strategy not in strategy_names():
        raise BsbenchError(
            f"it is a strategy of your own, whose code runs with {option('trust', True)} only"
        )
    return strategy_of(dataclasses.replace(result, label=scene.names[result.label]), trust=trust)


def _how_many(player: Strategy, result: Result, paired: int | None) -> int:
    """Return how many games of a strategy are played again."""
    if paired is None:
        paired = 0 if player.takes_long else PAIRED
    return min(paired, result.games)


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


def _failed(
    scene: Scene, players: Mapping[str, Strategy], note: Note, timeout: float
) -> dict[str, Replay]:
    """Return the games in which strategies failed, as far as they can be shown."""
    found: dict[str, Replay] = {}
    for label, fault in scene.faults.items():
        if not fault.replay or label not in players:
            continue
        note(f"replaying game {fault.game:,} of {label}, in which it failed")
        again = _watched(players[label], scene.results[0], fault.seed, fault.game, timeout)
        if not isinstance(again, str):
            # With less time, a game that took too long ends earlier; what is said of it stays.
            found[label] = dataclasses.replace(again, fault=again.fault and fault)
    return found


def _to_watch(
    scene: Scene,
    players: Mapping[str, Strategy],
    reasons: dict[str, str],
    note: Note,
    timeout: float,
) -> dict[tuple[str, int], Replay]:
    """Return games to watch, and add why a strategy has none."""
    found: dict[tuple[str, int], Replay] = {}
    for kind in _KINDS:
        for result in scene.results:
            label, moves = result.label, int(getattr(result.stats, kind))
            game = int(result.tally.firsts[moves])
            if label in reasons or (label, moves) in found:
                continue
            if players[label].takes_long:
                reasons[label] = _LONG
                continue
            if game < 0:
                reasons[label] = "its record does not number them, as it has no evidence"
                continue
            note(f"replaying game {game:,} of {label}, to watch it")
            again = _watched(players[label], result, result.seed, game, timeout)
            if isinstance(again, str):
                reasons[label] = again
            elif again.fault is not None or again.turns != moves:
                reasons[label] = str(again.fault or _OTHER)
            else:
                found[label, moves] = dataclasses.replace(
                    again, strategy=label, standing=OnRecord.of(moves, result)
                )
    return found


def _watched(
    player: Strategy, result: Result, seed: int, game: int, timeout: float
) -> Replay | str:
    """Return a game in the scenario of a result, or why there is none."""
    try:
        return replay(player, result.scenario, seed=seed, game=game, timeout=timeout)
    except BsbenchError as error:
        return str(error)
