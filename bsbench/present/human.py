"""A person against a hidden layout: the game, its hints, its file, how it compares; and who hides.

The layout is that of a game of a run, the same that strategies meet. Only the referee knows
it: the file of a game holds the seed, the game's number and the shots.
"""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy.typing as npt

from bsbench.common.errors import BsbenchError, option, reason
from bsbench.common.files import write_text
from bsbench.common.reading import LARGEST_JSON, parse_json, read_bytes
from bsbench.common.settings import check_game, read_variant
from bsbench.counting.posterior import find_agreeing
from bsbench.layouts import STREAM_VERSION
from bsbench.layouts.file import Listed
from bsbench.play.advice import Hint, hint
from bsbench.play.game import (
    LANE,
    Move,
    as_turn,
    board_after,
    last_moves,
    layout_of,
    turn_numbers,
    turns_of,
)
from bsbench.play.referee import Referee
from bsbench.play.samplers import make_sampler
from bsbench.present.replaying import Replay, played
from bsbench.present.replaying.page import OnRecord
from bsbench.roster import check_trust, make_strategy, make_variant, strategy_names
from bsbench.rules.board import MISS, Rules, slots_left
from bsbench.rules.drawing import UNCLEAR, BoardView, cell_name, read_cell
from bsbench.rules.placement import Placement
from bsbench.rules.position import Position
from bsbench.rules.scenario import Scenario, scenario_from_dict
from bsbench.rules.slots import slot_code
from bsbench.runs.request import Request
from bsbench.runs.running import run
from bsbench.strategies import Insight, Strategy
from bsbench.strategies.view import View

GAMES = 10_000
"""Games of each strategy that a person's game is compared with."""

_FORMAT = "bsbench game 1"


@dataclass(frozen=True)
class AmongGames:
    """A person's game among those of a strategy.

    Attributes
    ----------
    strategy : str
        Its label.
    standing : OnRecord
        How the game compares with its games.
    here : int
        Moves that it takes on the person's own layout.
    """

    strategy: str
    standing: OnRecord
    here: int


class HumanGame:
    """A game that a person plays, shot by shot.

    Parameters
    ----------
    scenario : Scenario
    seed, game : int
        The layout is that of the game of that number under the seed.
    adviser : str, optional
        The strategy that gives hints; by default ``datagenetics``, or ``prob`` under
        feedback ``hit``.
    versus : str, optional
        A strategy that plays at the same time, on the layout of the next game.
    fleet : list of int, optional
        The slot codes of the person's own fleet, at which ``versus`` shoots instead.
    begun : Position, optional
        Where the game goes on from, under the same scenario; if it has no layout, it gets one that
        agrees with the answers, by the seed.

    Attributes
    ----------
    moves : list of Move
        The shots that were answered.
    pending : list of int
        In salvos: the cells of a turn that is not complete.
    hints : int
        How many hints were taken.

    Raises
    ------
    BsbenchError
        If an argument is out of range, or a strategy can't play this scenario.
    """

    def __init__(
        self,
        scenario: Scenario,
        seed: int,
        game: int = 0,
        *,
        adviser: str | None = None,
        versus: str | None = None,
        fleet: Sequence[int] | None = None,
        begun: Position | None = None,
    ) -> None:
        self._request = Request.of(scenario, seed)
        self.scenario, self.seed, self.game = scenario, seed, check_game(game)
        self.versus, self.fleet = versus, fleet
        rules = scenario.rules
        rules.check_no_repeats("people shoot at open cells")
        default = "datagenetics" if rules.reveals.lengths else "prob"
        if rules.salvos:
            default = "salvo" if rules.reveals.ships else "random"
        self.adviser = default if adviser is None else adviser
        self._adviser = self._strategy(self.adviser)
        self.moves: list[Move] = []
        self.pending: list[int] = []
        self.hints = 0
        self._sampler = sampler = make_sampler(rules, scenario.placement)
        self.begun = begun
        if begun is not None:
            layout = begun.layout
            if layout is None:
                scenario.check_uniform()
                left = find_agreeing(rules, begun.answers)
                layout = tuple(left.sample(1, seed)[0].tolist())
                self.begun = replace(begun, layout=layout)
            self._sampler = sampler = Listed(rules, [layout])
        self._layout = sampler.draw(self.seed, game, 1)
        self._ships = layout_of(rules, sampler, self.seed, game)
        self._view = View(rules, 1)
        self._referee = Referee(self._view)
        self._referee.deal(LANE, self._layout)
        self._theirs: tuple[Move, ...] = ()
        self._own_ships: tuple[tuple[int, ...], ...] = ()
        if versus is not None:
            opponent = self._strategy(versus)
            own = sampler if fleet is None else Listed(rules, [_legal(fleet, rules)])
            # What it does depends on its own board alone, and is shown move by move.
            again = played(opponent, scenario, own, self.seed, game + 1)
            if again.fault is not None:
                raise again.fault
            self.opponent = opponent.label
            self._theirs, self._own_ships = again.moves, again.ships
            self._their_game = again
        for cell in (cell for turn in begun.shots for cell in turn) if begun is not None else ():
            self.fire(cell)

    def _strategy(self, name: str) -> Strategy:
        return self._request.single(name, "a game")[0]

    @property
    def own_code(self) -> bool:
        """Whether a strategy of the game is not built in: the saved game must then be trusted."""
        named = filter(None, (self.adviser, self.versus))
        return any(not make_variant(name).built_in for name in named)

    @property
    def over(self) -> bool:
        """Whether the last ship cell is hit."""
        return not self._view.live[0]

    @property
    def shots_text(self) -> str:
        """How many shots the person has fired, in words."""
        shots = "1 shot" if len(self.moves) == 1 else f"{len(self.moves)} shots"
        if not self.scenario.rules.turn_text:
            return shots
        chosen = f", {len(self.pending)} more chosen" if self.pending else ""
        return f"{self.turns} turn{'s' * (self.turns != 1)}, {shots}{chosen}"

    @property
    def turns(self) -> int:
        """The person's turns that are over: each of a shot, but in salvos and after hits."""
        return self._turns_of(self.moves) - self.again

    @property
    def again(self) -> bool:
        """Whether the person's last shot has hit, and gives another one in the same turn."""
        hit = bool(self.moves) and self.moves[-1].outcome != MISS
        return self.scenario.rules.again and hit and not self.over

    def _turns_of(self, moves: Sequence[Move]) -> int:
        return max(turn_numbers(self.scenario.rules, moves), default=0)

    @property
    def their_moves(self) -> tuple[Move, ...]:
        """The opponent's shots so far: of as many turns as the person's at most."""
        return tuple(move for turn, move in self._their_shots if turn <= self.turns)

    @property
    def their_turn(self) -> tuple[Move, ...]:
        """The opponent's shots after the person's last one: none before that turn is over."""
        if self.again:
            return ()
        return tuple(move for turn, move in self._their_shots if turn == self.turns)

    @property
    def _their_shots(self) -> Iterator[tuple[int, Move]]:
        return zip(turn_numbers(self.scenario.rules, self._theirs), self._theirs, strict=True)

    @property
    def their_count(self) -> int:
        """Turns that the opponent takes in all."""
        return self._turns_of(self._theirs)

    @property
    def lost(self) -> bool:
        """Whether the opponent has found the person's fleet in fewer turns."""
        # In the turn in which both find the last ship cell, nobody has lost.
        return 0 < self.their_count <= self.turns - self.over

    def read_cell(self, name: str) -> int:
        """Return the cell of a name, such as ``B7``.

        Raises
        ------
        BsbenchError
            If there is none, or it was shot before.
        """
        rules = self.scenario.rules
        cell = read_cell(name, rules.rows, rules.cols)
        self._check(cell)
        return cell

    def _check(self, cell: int) -> None:
        if cell in self.pending or any(move.cell == cell for move in self.moves):
            name = cell_name(cell, self.scenario.rules.cols)
            raise BsbenchError(f"{name} was shot before: choose another cell")

    def fire(self, cell: int) -> list[Move]:
        """Fire at a cell, and return what was answered: in salvos nothing until the turn is over.

        Raises
        ------
        BsbenchError
            If it was shot before, or the game is over.
        """
        if self.over:
            raise BsbenchError("the game is over: there is nothing left to shoot at")
        self._check(cell)
        rules, turn = self.scenario.rules, [*self.pending, cell]
        if len(turn) < min(rules.most_shots, rules.cells - len(self.moves)):
            self.pending = turn
            return []
        shots = as_turn(rules, turn)
        self._referee.fire(shots)
        answered = last_moves(self._view, self._layout, Insight(), self.moves)
        self.pending = []
        self.moves += answered
        return answered

    def board(self, hidden: bool = False, scores: npt.NDArray[Any] | None = None) -> BoardView:
        """Return the person's board, with ``hidden`` the ships not found, too."""
        ships = self._ships if hidden else None
        view = board_after(self.scenario.rules, self.moves, ships=ships, scores=scores)
        marks = [*view.marks]
        for cell in self.pending:
            marks[cell] = UNCLEAR
        return replace(view, marks=tuple(marks))

    def their_board(self) -> BoardView:
        """Return the board that the opponent shoots at, with the person's fleet."""
        return board_after(self.scenario.rules, self.their_moves, ships=self._own_ships)

    def hint(self) -> Hint:
        """Return what the adviser would do: in salvos its turn, and the next cell of it.

        Raises
        ------
        BsbenchError
            If it ignores the outcomes of shots, or fails; or the game is over.
        """
        if self.over:
            raise BsbenchError("the game is over: there is nothing left to shoot at")
        turns = [[move.cell for move in turn] for turn in turns_of(self.moves)]
        given = hint(self._adviser, self.scenario.rules, self._layout, turns, self.seed, self.game)
        self.hints += 1
        # What the person has chosen for this turn is no advice.
        left = [cell for cell in given.turn if cell not in self.pending]
        return replace(given, cell=left[0]) if left else given

    def replays(self) -> list[Replay]:
        """Return the game, which is over, and that of the adviser on the same layout.

        If the person has hidden a fleet, it is that of the opponent, who shoots at it.
        """
        own = Replay(self.scenario, "you", self.seed, self.game, self._ships, tuple(self.moves))
        if self.fleet is not None:
            return [own, self._their_game]
        return [own, self._played(self._adviser, scores=True)]

    def _played(self, strategy: Strategy, scores: bool = False) -> Replay:
        """Play a game of a strategy on the person's layout."""
        return played(strategy, self.scenario, self._sampler, self.seed, self.game, scores)

    def placings(
        self, games: int = GAMES, progress: Callable[[str], object] = lambda name: None
    ) -> Iterator[AmongGames]:
        """Play games of the built-in strategies, and compare this game with those of each.

        Strategies that learn from game to game, take long, or can't play this scenario, are left
        out.

        Parameters
        ----------
        games : int
            Of each strategy.
        progress : callable, optional
            Called with the name of each strategy before it plays.

        Raises
        ------
        KeyboardInterrupt
            If interrupted.
        """
        moves = self.moves[-1].turn
        for name in strategy_names():
            strategy = make_strategy(name)
            if strategy.games_per_learner > 1 or strategy.takes_long:
                continue
            progress(name)
            try:
                result = run(strategy, self.scenario, games=games, seed=self.seed)
            except BsbenchError:
                continue
            if result.games < games:
                # Interrupted: the games played so far are no fair comparison.
                raise KeyboardInterrupt
            standing = OnRecord.of(moves, result)
            yield AmongGames(strategy.label, standing, self._played(strategy).turns)

    def save(self, path: Path) -> None:
        """Write the game to a file; without the layout, unless it began at a position.

        Raises
        ------
        BsbenchError
            If it can't be written.
        """
        record = {
            "format": _FORMAT,
            "stream_version": STREAM_VERSION,
            "scenario": self.scenario.to_dict(),
            "seed": self.seed,
            "game": self.game,
            "adviser": self.adviser,
            "versus": self.versus,
            "hints": self.hints,
            **({} if self.fleet is None else {"fleet": list(self.fleet)}),
            **({} if self.begun is None else {"begun": str(self.begun)}),
            "shots": [*[move.cell for move in self.moves], *self.pending],
        }
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BsbenchError(f"can't make the folder {path.parent}: {reason(error)}") from None
        write_text(path, json.dumps(record, indent=1))

    @classmethod
    def load(cls, path: Path, trust: bool = False) -> HumanGame:
        """Return the game that was saved in a file.

        Parameters
        ----------
        path : Path
        trust : bool
            Whether it may name strategies that are not built in, whose code will run.

        Raises
        ------
        BsbenchError
            If there is none, it is damaged, names such a strategy, or another version would lay
            other ships.
        """
        if not os.path.exists(path):
            raise BsbenchError(f"no game is saved: begin one without {option('resume')}")
        content = read_bytes(path, LARGEST_JSON, f"the game saved in {path}")
        try:
            record = parse_json(content)
            if record["format"] != _FORMAT or record["stream_version"] != STREAM_VERSION:
                raise BsbenchError(f"the game saved in {path} is of another version of bsbench")
            if not (_is_whole(record["seed"]) and _is_whole(record["game"])):
                raise TypeError(record["seed"], record["game"])
            names = record["adviser"], record["versus"]
            if not all(name is None or isinstance(name, str) for name in names):
                raise TypeError(names)
            for name in filter(None, names):
                check_trust(read_variant(name)[0], path, trust)
            where, begun = scenario_from_dict(record["scenario"]), record.get("begun")
            game = cls(
                where,
                record["seed"],
                record["game"],
                adviser=record["adviser"],
                versus=record["versus"],
                fleet=record.get("fleet"),
                begun=None if begun is None else replace(Position.parse(begun), scenario=where),
            )
            for cell in record["shots"][len(game.moves) :]:
                if not _is_whole(cell) or cell >= game.scenario.rules.cells:
                    raise ValueError(cell)
                game.fire(cell)
            if not _is_whole(record["hints"]):
                raise ValueError(record["hints"])
            game.hints = record["hints"]
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError):
            raise BsbenchError(f"the game saved in {path} is damaged") from None
        except BsbenchError as error:
            if str(path) in str(error):
                raise
            raise BsbenchError(f"the game saved in {path} can't be continued: {error}") from None
        return game


def _legal(fleet: Sequence[int], rules: Rules) -> Sequence[int]:
    """Return the slot codes of a fleet.

    Raises
    ------
    BsbenchError
        If they are none: they may be from a file.
    """
    whole = len(fleet) == len(rules.fleet) and all(map(_is_whole, fleet))
    laid = (code in slots_left(rules, fleet[:ship]) for ship, code in enumerate(fleet))
    if not (whole and all(laid)):
        raise BsbenchError("the fleet that was hidden is damaged")
    return fleet


def _is_whole(number: Any) -> bool:
    """Return whether a value of a JSON file is a whole number, at least 0."""
    return type(number) is int and number >= 0


_PLACE = re.compile(r"\s*([A-Za-z]+?\s*[0-9]+)[\s,]*([A-Za-z]*)\s*")

_WAYS = {"E": False, "EAST": False, "RIGHT": False, "S": True, "SOUTH": True, "DOWN": True}
"""Whether a ship goes down, by what a person types."""


class Hiding:
    """A fleet that is being laid.

    Parameters
    ----------
    rules : Rules

    Attributes
    ----------
    laid : list of int
        The slot codes of the ships laid so far, in the order of the fleet.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.laid: list[int] = []

    @property
    def done(self) -> bool:
        """Whether all ships are laid."""
        return len(self.laid) == len(self.rules.fleet)

    @property
    def length(self) -> int:
        """Of the ship that is laid next."""
        return self.rules.fleet[len(self.laid)]

    def lay(self, text: str) -> None:
        """Lay the next ship.

        Parameters
        ----------
        text : str
            Its first cell, and E where it goes to the right, S where it goes down: ``B7 E``. A ship
            of one cell needs no letter.

        Raises
        ------
        BsbenchError
            If it can't lie there.
        """
        rules, length = self.rules, self.length
        match = _PLACE.fullmatch(text)
        down = None if match is None else _WAYS.get(match[2].upper())
        if length == 1 and match is not None and not match[2]:
            down = False
        if match is None or down is None:
            raise BsbenchError(
                f"{text.strip()!r} is no place for a ship of {length}: give its first cell, and E "
                "if it goes to the right, S if it goes down, such as B7 E"
            )
        first = read_cell(match[1], rules.rows, rules.cols)
        step = rules.cols if down else 1
        row, col = divmod(first, rules.cols)
        fits = (row if down else col) + length <= (rules.rows if down else rules.cols)
        code = slot_code(range(first, first + step * length, step)) if fits else -1
        if code not in slots_left(rules, self.laid):
            raise BsbenchError(
                f"a ship of {length} can't lie at {text.strip()}: it must lie on the board, "
                "overlap no other ship, and leave room for the ships after it; ships "
                f"{rules.apart.sentence}"
            )
        self.laid.append(code)

    def lay_all(self, placement: Placement) -> None:
        """Lay all ships at random, by a placement law."""
        sampler = make_sampler(self.rules, placement)
        # Nobody knows the seed.
        self.laid = sampler.draw(secrets.randbelow(2**32), 0, 1)[0].tolist()

    def take_back(self) -> None:
        """Take the last ship back, if there is one."""
        del self.laid[-1:]

    def board(self) -> BoardView:
        """Return the board with the ships laid so far."""
        ships = tuple(map(tuple, self.rules.ships(self.laid)))
        return board_after(self.rules, [], ships=ships)
