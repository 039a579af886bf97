"""What shots revealed: for each ship the slots still possible, and the hits to explain.

This is all that counting needs, whatever the feedback: the layouts left are those in which
each ship lies in a slot of its set, ships keep their distance, and a ship lies on every hit.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError
from bsbench.counting.tables import Bits, as_bits, members, tables_of
from bsbench.rules.board import MISS, NOTHING, SUNK, Rules
from bsbench.rules.drawing import cell_name


class Contradiction(BsbenchError):
    """No layout agrees with all answers."""


class Answer(NamedTuple):
    """A shot and what it revealed: the fields of a `bsbench.strategies.view.View`.

    Attributes
    ----------
    cell : int
    outcome : int
        `~bsbench.rules.board.MISS`, `~bsbench.rules.board.HIT` or `~bsbench.rules.board.SUNK`.
    ship : int
        Index in the fleet of the ship that was hit or sunk, or -1.
    slot : int
        The slot code of the ship that was sunk, or -1. Where it is -1 although a ship was sunk,
        the ship's place was not revealed.
    """

    cell: int
    outcome: int
    ship: int = NOTHING
    slot: int = NOTHING


class JointAnswer(NamedTuple):
    """The shots of a turn, and their one answer: see `bsbench.rules.board.Answers`.

    Attributes
    ----------
    cells : tuple of int
    hits : tuple of int
        How many of them hit each ship, in the order of the fleet.
    """

    cells: tuple[int, ...]
    hits: tuple[int, ...]


AnyAnswer = Answer | JointAnswer


class Evidence:
    """What some shots revealed under some rules; at first there are none.

    Parameters
    ----------
    rules : Rules
    answers : iterable of Answer or JointAnswer
        Learned at once, in this order.

    Attributes
    ----------
    rules : Rules
    tables : Tables
    possible : ndarray of uint64, shape (ships, words)
        For each ship, the slots that no answer excludes: see `Tables.all`.
    shot, hit : ndarray of bool, shape (cells,)
        The cells that were shot, and those with a ship; of joint answers, none are known to have
        one.
    told : ndarray of int64, shape (ships,)
        Hits on each ship, of joint answers.
    sunk : set of int
        Ships known to have sunk.

    Raises
    ------
    BsbenchError
        If the board is too large for tables, or as `learn` does.
    """

    def __init__(self, rules: Rules, answers: Iterable[AnyAnswer] = ()) -> None:
        self.rules = rules
        self.tables = tables_of(rules)
        self.possible: Bits = self.tables.all[self.tables.kind]
        self.shot = np.zeros(rules.cells, np.bool_)
        self.hit = np.zeros(rules.cells, np.bool_)
        self.sunk: set[int] = set()
        self.told = np.zeros(len(rules.fleet), np.int64)
        for answer in answers:
            self.learn(answer)

    def learn(self, answer: AnyAnswer) -> None:
        """Take note of one more answer.

        Raises
        ------
        BsbenchError
            If a cell was shot before, or the rules can't give the answer.
        Contradiction
            If a ship then has no slot left. (Without it, there may be no layout, either.)
        """
        if isinstance(answer, JointAnswer) is not self.rules.joint:
            how = "one answer for all shots" if self.rules.joint else "an answer for each shot"
            raise BsbenchError(f"the rules give {how} of a turn: give answers of that kind")
        if isinstance(answer, JointAnswer):
            self._learn_turn(answer)
        else:
            self._learn_shot(answer)

    def _learn_turn(self, answer: JointAnswer) -> None:
        """Keep the slots that hold as many cells of a turn as were hits on their ship."""
        rules, tables = self.rules, self.tables
        cells = list(answer.cells)
        names = [cell_name(cell, rules.cols) for cell in cells]
        for place, cell in enumerate(cells):
            if self.shot[cell] or cell in cells[:place]:
                raise BsbenchError(
                    f"{names[place]} is answered twice: give one answer to each shot"
                )
        if not 1 <= len(cells) <= rules.most_shots:
            raise BsbenchError(
                f"a turn has 1 to {rules.most_shots} shots, not {len(cells)} ({'+'.join(names)})"
                if cells
                else "a turn without a shot has no answer"
            )
        self.shot[cells] = True
        self.told += answer.hits
        for ship, hits in enumerate(answer.hits):
            # Which slots hold the cell, cell by cell: shape (cells, 64 * words).
            through = np.unpackbits(
                tables.through[tables.kind[ship], cells].view(np.uint8), axis=1, bitorder="little"
            )
            number = np.flatnonzero(through.sum(axis=0) == hits)
            self.possible[ship] &= as_bits(number, self.possible.shape[1])
            if self.told[ship] == rules.fleet[ship]:
                self.sunk.add(ship)
            if not self.possible[ship].any():
                raise Contradiction(
                    f"{'+'.join(names)} can't hit the ship of length {rules.fleet[ship]} "
                    f"{hits} time{'s' * (hits != 1)}: no place would be left for it"
                )

    def _learn_shot(self, answer: Answer) -> None:
        cell, outcome, ship, slot = answer
        rules, tables = self.rules, self.tables
        name = cell_name(cell, rules.cols)
        if self.shot[cell]:
            raise BsbenchError(f"{name} is answered twice: give one answer to each shot")
        if outcome == SUNK and not rules.feedback.reveals.sinkings:
            raise BsbenchError(
                f"under feedback hit, nobody says that a ship has sunk: answer {name} with a hit, "
                "or choose feedback sunk"
            )
        if outcome == SUNK and ship in self.sunk:
            raise Contradiction(f"{name} can't sink a ship that has sunk before")
        self.shot[cell] = True
        through = tables.through[tables.kind, cell]
        if outcome == MISS:
            self.possible &= ~through
        else:
            self.hit[cell] = True
            known = ship != NOTHING and (outcome == SUNK or rules.feedback.reveals.ships)
            others = np.arange(len(rules.fleet)) != ship
            if known:
                self.possible[ship] &= through[ship]
                self.possible[others] &= ~through[others]
            if rules.feedback.reveals.sinkings:
                # A ship all of whose cells are hit has sunk, and was announced.
                whole = self._wholly_hit()
                if outcome == SUNK:
                    self.possible[ship] &= whole[ship]
                    if slot != NOTHING:
                        number = np.flatnonzero(tables.code[tables.kind[ship]] == slot)
                        self.possible[ship] &= as_bits(number, self.possible.shape[1])
                    self.sunk.add(ship)
                afloat = np.array([other not in self.sunk for other in range(len(rules.fleet))])
                self.possible[afloat] &= ~whole[afloat]
        self._check(answer, name)

    def _wholly_hit(self) -> Bits:
        """Return for each ship the slots all of whose cells are hit: shape (ships, words)."""
        tables = self.tables
        other = np.bitwise_or.reduce(tables.through[:, ~self.hit], axis=1)
        whole: Bits = (tables.all & ~other)[tables.kind]
        return whole

    def _check(self, answer: Answer, name: str) -> None:
        stuck = np.flatnonzero(~self.possible.any(axis=1))
        if len(stuck) == 0:
            return
        length = self.rules.fleet[answer.ship if answer.ship in stuck else int(stuck[0])]
        if answer.outcome == SUNK and answer.ship in stuck:
            raise Contradiction(
                f"{name} can't sink a ship of length {length}: no {length} cells in a row through "
                f"{name} can be this ship and are all hit"
            )
        told = "a miss" if answer.outcome == MISS else "a hit"
        if answer.outcome == SUNK:
            told = f"the end of a ship of length {self.rules.fleet[answer.ship]}"
        raise Contradiction(
            f"{name} can't be {told}: after the answers before it, no place would be left for "
            f"{'the' if self.rules.fleet.count(length) == 1 else 'a'} ship of length {length}"
        )

    @property
    def open_hits(self) -> npt.NDArray[np.int64]:
        """The hits that no ship is sure to explain, ascending: each ship may have other slots."""
        cells = np.flatnonzero(self.hit)
        through = self.tables.through[self.tables.kind][:, cells]
        explained = ~(self.possible[:, np.newaxis] & ~through).any(axis=2)
        return cells[~explained.any(axis=0)]

    @property
    def classes(self) -> list[list[int]]:
        """Ships that nothing distinguishes: of the same length, with the same slots."""
        found: dict[tuple[int, bytes], list[int]] = {}
        for ship, length in enumerate(self.rules.fleet):
            found.setdefault((length, self.possible[ship].tobytes()), []).append(ship)
        return list(found.values())

    def place_of(self, ship: int) -> int:
        """Return the slot code of a ship, or -1 where it is not known for sure."""
        slots = self.slots_of(ship)
        if len(slots) > 1:
            return NOTHING
        return int(self.tables.code[self.tables.kind[ship], slots[0]])

    def last_cell(self, ship: int, cell: int) -> Bits:
        """Return the possible slots of a ship in which a cell is the only one not hit."""
        tables, kind = self.tables, self.tables.kind[ship]
        others = ~self.hit
        others[cell] = False
        elsewhere = np.bitwise_or.reduce(tables.through[kind, others], axis=0)
        last: Bits = self.possible[ship] & tables.through[kind, cell] & ~elsewhere
        return last

    def slots_of(self, ship: int) -> list[int]:
        """Return the numbers of the slots that a ship may lie in, ascending."""
        return members(self.possible[ship])
