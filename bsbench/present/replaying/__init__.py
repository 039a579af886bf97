"""Games of a run, played again and shown as text or as an HTML page.

`analysis`
    what the shots were worth: odds, second opinions, and whether a game is typical; and the longest
    and the shortest game of a run;
`page`
    a game that was played again, with what is known of it, and its page.

The package is not called ``replay``, since that is the name of the function in `bsbench`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Unpack

import numpy as np

from bsbench.common.errors import BsbenchError, StrategyError
from bsbench.common.settings import check_game
from bsbench.counting.posterior import find_agreeing
from bsbench.layouts import Sampler
from bsbench.layouts.file import Listed
from bsbench.own.adapter import StandIn, borrowed
from bsbench.play.game import Move, layout_of, moves_on, play_game
from bsbench.play.samplers import make_sampler
from bsbench.present.replaying.analysis import analysed
from bsbench.present.replaying.page import AS_PLAYED
from bsbench.present.replaying.page import Replay as Replay
from bsbench.present.replaying.page import save_page as save_page
from bsbench.roster import Given
from bsbench.rules.board import SUNK
from bsbench.rules.position import Position, answer_text
from bsbench.rules.scenario import Parts, Scenario
from bsbench.runs.chances import EFFORT
from bsbench.runs.request import TIMEOUT, Place, Request, variant_text, with_options
from bsbench.strategies import Strategy


@with_options(Parts)
def replay(
    strategy: Given,
    scenario: Place | None = None,
    *,
    seed: int | None = None,
    game: float | str = 0,
    timeout: float = TIMEOUT,
    scores: bool = True,
    odds: bool | float = False,
    opinions: Sequence[str | Strategy | type] = (),
    watch: Callable[[Move], object] = lambda move: None,
    hear: Callable[[str], object] = lambda text: None,
    **parts: Unpack[Parts],
) -> Replay:
    """Play one game of a run again, move by move.

    Parameters
    ----------
    strategy : str, Path, Strategy, type or callable
        As for `bsbench.run`.
    scenario : str, Path or Scenario, optional
        As for `bsbench.run`.
    seed, game : int
        The game of that number under the seed. Default: 0.
    timeout : float
        Seconds that a strategy in Python may spend on the game.
    scores : bool
        Whether to ask the strategy for the scores behind each shot.
    odds : bool or float
        Whether to find out how likely each cell held a ship before each shot, and the game's place
        among others on record; a number is the effort that this may take, in units of about a
        second.
    opinions : sequence of str, Strategy or type
        Strategies that say what they would have shot, each given as ``strategy``.
    watch : callable, optional
        Called with each move when it is made.
    hear : callable, optional
        Called with what a strategy in Python or numpy prints, before the move it was printed for.
    **options

    Raises
    ------
    BsbenchError
        If an argument is out of range, or the strategy can't be played.

    Examples
    --------
    >>> again = replay("linear", "classic", seed=1, game=7)
    >>> [move.cell for move in again.moves[:3]]
    [0, 1, 2]
    """
    request = Request.of(scenario, seed, timeout=timeout, **parts)
    shooter, where = request.single(strategy, "a replay")
    game, seed = check_game(game), request.seed or 0
    sampler = make_sampler(where.rules, where.placement)
    again = played(shooter, where, sampler, seed, game, scores, timeout, watch, hear)
    if not odds and not opinions:
        return again
    effort = EFFORT if odds is True else float(odds)
    return analysed([again], odds=effort, opinions=opinions, timeout=timeout)[0]


def replay_of(position: Position, name: str) -> Replay:
    """Return a game that somebody played.

    Parameters
    ----------
    position : Position
        Its shots and their answers. Without a layout, ships that were not found are not known.
    name : str
        Who played it.

    Raises
    ------
    BsbenchError
        If no layout agrees with the answers, or they leave open what shots did.
    """
    rules, layout = position.rules, position.layout
    ships: tuple[tuple[int, ...], ...] = ()
    if layout is None:
        if not position.answers:
            raise BsbenchError("the game has no shots: give answers in their order, as A1=miss")
        if rules.joint:
            raise BsbenchError("joint answers do not say what a shot did: add the layout behind |")
        left = find_agreeing(rules, position.answers)
        if rules.feedback.reveals.cells and left.parts:
            # Of equal ships that are not told apart, the first ones have sunk.
            ((_, left),) = left.parts
        for each in position.single_answers if rules.feedback.reveals.cells else ():
            if each.outcome == SUNK and np.count_nonzero(left.slots[each.ship]) > 1:
                text = answer_text(each, rules)
                raise BsbenchError(f"{text} leaves open where the ship lies: add it, as in @A1-A3")
        # Any layout left answers the shots as they were.
        codes = left.sample(1)
    else:
        codes = np.array([layout], np.int32)
        ships = layout_of(rules, Listed(rules, codes), 0, 0)
    moves = moves_on(rules, codes, position.shots)
    return Replay(position.scenario, name, AS_PLAYED, 0, ships, tuple(moves))


def played_on(shooter: Strategy, position: Position) -> Replay:
    """Play the layout of a position, which is known, from the beginning."""
    assert position.layout is not None
    sampler = Listed(position.rules, [position.layout])
    again = played(shooter, position.scenario, sampler, 0, 0, scores=True)
    return replace(again, seed=AS_PLAYED)


def played(
    shooter: Strategy,
    scenario: Scenario,
    sampler: Sampler,
    seed: int,
    game: int,
    scores: bool = False,
    timeout: float = TIMEOUT,
    watch: Callable[[Move], object] = lambda move: None,
    hear: Callable[[str], object] = lambda text: None,
) -> Replay:
    """Play one game on the layout that a sampler has for it; see `replay`."""
    ships = layout_of(scenario.rules, sampler, seed, game)
    moves: list[Move] = []
    fault: StrategyError | None = None
    heard = 0, ""
    with borrowed(shooter, timeout) as player:
        if isinstance(player, StandIn):
            player.hear = hear
        try:
            for move in play_game(player, scenario.rules, sampler, seed, game, scores):
                moves.append(move)
                watch(move)
        except StrategyError as error:
            fault = error
        if isinstance(player, StandIn):
            heard = player.printed.lines, player.printed.first
    return Replay(
        scenario,
        shooter.label,
        seed,
        game,
        ships,
        tuple(moves),
        fault,
        heard,
        variant_text(shooter),
    )
