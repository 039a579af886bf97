"""Games of a run, played again and shown as text or as an HTML page.

`extremes`
    the longest and the shortest game of a run;
`analysis`
    what the shots were worth: odds, second opinions, and whether a game is typical;
`page`
    the page.

The package is not called ``replay``, since that is the name of the function in `bsbench`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bsbench.common.errors import BsbenchError, StrategyError
from bsbench.common.files import check_export, write_text
from bsbench.common.settings import check_game
from bsbench.own.adapter import StandIn
from bsbench.play.game import Move, board_after, layout_of, play_game
from bsbench.play.samplers import make_sampler
from bsbench.present.replaying.analysis import Opinion, Standing, analysed, borrowed, variant_text
from bsbench.roster import Given, as_strategy
from bsbench.rules.board import Feedback
from bsbench.rules.drawing import BoardView
from bsbench.rules.placement import Placement
from bsbench.rules.scenario import Scenario
from bsbench.runs.chances import EFFORT, Chances
from bsbench.runs.request import (
    TIMEOUT,
    Place,
    Request,
    check_playable,
    check_request,
    check_timeout,
)
from bsbench.strategies import Strategy


@dataclass(frozen=True, repr=False)
class Replay:
    """A game that was played again.

    Attributes
    ----------
    scenario : Scenario
    strategy : str
        Its label.
    seed, game : int
    ships : tuple of tuple of int
        The cells of each ship, in the order of the fleet.
    moves : tuple of Move
        Up to the end of the game, or to what went wrong.
    fault : StrategyError or None
        What went wrong, if anything did.
    printed : tuple of int and str
        How many lines the strategy printed, and the first.
    variant : str
        What the command line calls the strategy, with its parameters; empty for a person.
    chances : tuple of Chances or None
        How likely each cell held a ship before each shot, where that is known; empty if not asked
        for.
    opinions : tuple of Opinion
        What other strategies would have shot.
    standing : Standing or None
        How the game compares with others of the strategy, if they are on record.
    """

    scenario: Scenario
    strategy: str
    seed: int
    game: int
    ships: tuple[tuple[int, ...], ...]
    moves: tuple[Move, ...]
    fault: StrategyError | None = None
    printed: tuple[int, str] = (0, "")
    variant: str = ""
    chances: tuple[Chances | None, ...] = field(default=(), repr=False)
    opinions: tuple[Opinion, ...] = field(default=(), repr=False)
    standing: Standing | None = None

    def __repr__(self) -> str:
        ended = f", {self.fault.problem}" if self.fault else ""
        return (
            f"<Replay: {self.strategy} on {self.scenario.name}, game {self.game} of seed "
            f"{self.seed}, {len(self.moves)} moves{ended}>"
        )

    def __str__(self) -> str:
        return str(self.board(hidden=True))

    def board(self, moves: int | None = None, hidden: bool = False) -> BoardView:
        """Return the board after so many moves, with the next shot and its scores.

        Parameters
        ----------
        moves : int, optional
            0 to ``len(self.moves)``, by default the latter.
        hidden : bool
            Whether the ships that were not found yet are shown.

        Raises
        ------
        BsbenchError
            If the game has fewer moves.
        """
        moves = len(self.moves) if moves is None else moves
        if not 0 <= moves <= len(self.moves):
            raise BsbenchError(f"the game has {len(self.moves)} moves: there is no board {moves}")
        following = self.moves[moves] if moves < len(self.moves) else None
        return board_after(
            self.scenario.rules,
            self.moves[:moves],
            next_shot=None if following is None else following.cell,
            ships=self.ships if hidden else None,
            scores=None if following is None else following.scores,
            title=f"{self.strategy} on {self.scenario.name}, game {self.game} of seed {self.seed}, "
            f"after {moves} of {len(self.moves)} moves",
        )

    def save(self, path: str | Path) -> None:
        """Write the game as an HTML page that needs no other file, to be watched in a browser.

        Parameters
        ----------
        path : str or Path
            A new file.

        Raises
        ------
        BsbenchError
            If there is a file already, or it can't be written.
        """
        save_page([self], path)

    def _repr_html_(self) -> str:
        """Return the page within a frame, for notebooks."""
        from bsbench.present.pages import framed
        from bsbench.present.replaying.page import page_text

        return framed(page_text([self]), f"Replay of {self.strategy}")


def save_page(replays: Sequence[Replay], path: str | Path, force: bool | None = None) -> None:
    """Write games as one HTML page: those on one layout side by side, others to choose from.

    Parameters
    ----------
    replays : sequence of Replay
        As for `bsbench.present.replaying.page.page_text`.
    path : str or Path
    force : bool, optional
        As for `check_export`.

    Raises
    ------
    BsbenchError
        If they do not belong on one page, there is a file already, or it can't be written.
    """
    from bsbench.present.replaying.page import page_text

    check_export(path, force)
    write_text(path, page_text(replays))


def replay(
    strategy: Given,
    scenario: Place | None = None,
    *,
    seed: int | None = None,
    game: float | str = 0,
    board: str | tuple[int, int] | None = None,
    fleet: Iterable[int] | str | None = None,
    touching: bool | None = None,
    feedback: Feedback | str | None = None,
    placement: Placement | str | None = None,
    timeout: float = TIMEOUT,
    scores: bool = True,
    odds: bool | float = False,
    opinions: Sequence[str | Strategy | type] = (),
    watch: Callable[[Move], object] = lambda move: None,
    hear: Callable[[str], object] = lambda text: None,
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
    board : str or pair of int, optional
    fleet : list of int or str, optional
    touching : bool, optional
    feedback : str or Feedback, optional
    placement : str or Placement, optional
        In place of those of the scenario, as for `bsbench.run`.
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
    request = Request.of(
        scenario,
        seed,
        timeout=timeout,
        board=board,
        fleet=fleet,
        touching=touching,
        feedback=feedback,
        placement=placement,
    )
    request.check_single("a replay")
    shooter = as_strategy(strategy, request.limits)
    (scenario,) = request.scenarios_or(shooter.home)
    check_playable(shooter, scenario)
    game = check_game(game)
    _, seed, _ = check_request(None, request.seed or 0, 1)
    timeout = check_timeout(timeout)
    sampler = make_sampler(scenario.rules, scenario.placement)
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
    again = Replay(
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
    if not odds and not opinions:
        return again
    effort = EFFORT if odds is True else float(odds)
    return analysed([again], odds=effort, opinions=opinions, timeout=timeout)[0]
