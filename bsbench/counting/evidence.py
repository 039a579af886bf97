"""What shots revealed: for each ship the slots still possible, and the hits to explain.

This is all that counting needs, whatever the feedback: the layouts left are those in which
each ship lies in a slot of its set, ships keep their distance, and a ship lies on every hit.

Where a sinking is told without the ship's cells, no such sets say it. Then there are *stories*: the
ways in which the ships told can have sunk, one after the other. Each is evidence as if it had been
told where they lie, and each layout left agrees with one story, and with no other.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Self

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError
from bsbench.counting.tables import Bits, as_bits, members, tables_of
from bsbench.rules.board import HIT, MISS, NOTHING, SUNK, Feedback, Rules
from bsbench.rules.drawing import cell_name
from bsbench.rules.position import Answer, AnyAnswer, JointAnswer, shots_of
from bsbench.rules.slots import slot_cells


class Contradiction(BsbenchError):
    """No layout agrees with all answers."""


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
        Ships known to have sunk; of equal ones that are not told apart, the first.
    unlettered : dict of int to list of int
        Of lengths of which an answer does not say which ship has sunk: those that it may be. With
        stories, of all lengths.
    stories : list of (int, Evidence)
        Where the feedback does not tell the cells of ships that have sunk, see above; else none.
        Before each is how many names it stands for: which of equal ships have sunk.

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
        self.unlettered: dict[int, list[int]] = {}
        self.told = np.zeros(len(rules.fleet), np.int64)
        self.stories: list[tuple[int, Evidence]] = []
        if rules.feedback.reveals.untold_cells:
            for ship, length in enumerate(rules.fleet):
                self.unlettered.setdefault(length, []).append(ship)
            self.stories = [(1, Evidence(replace(rules, feedback=Feedback.least("cells"))))]
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
        cells = shots_of(answer)
        for place, cell in enumerate(cells):
            if self.shot[cell] or cell in cells[:place]:
                name = cell_name(cell, self.rules.cols)
                raise BsbenchError(f"{name} is answered twice: give one answer to each shot")
        if isinstance(answer, JointAnswer):
            self._learn_turn(answer)
        elif self.stories:
            self._learn_in_stories(answer)
        else:
            self._learn_shot(answer)

    def _learn_turn(self, answer: JointAnswer) -> None:
        """Keep the slots that hold as many cells of a turn as were hits on their ship."""
        rules, tables = self.rules, self.tables
        cells = list(answer.cells)
        names = [cell_name(cell, rules.cols) for cell in cells]
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

    def _learn_in_stories(self, answer: Answer) -> None:
        """Go on with each story, in all ways that agree with an answer."""
        name = cell_name(answer.cell, self.rules.cols)
        going_on = []
        for names, story in self.stories:
            for times, told in story._told_in_full(answer):
                after = story._copied()
                try:
                    after.learn(told)
                except Contradiction:
                    continue
                going_on.append((names * times, after))
        if not going_on:
            what = {MISS: "a miss", HIT: "a hit", SUNK: "the end of a ship"}[answer.outcome]
            raise Contradiction(
                f"{name} can't be {what}: after the answers before it, no ships of the fleet "
                "would agree with it"
            )
        self._go_on_with(going_on)

    def _go_on_with(self, stories: list[tuple[int, Evidence]]) -> None:
        self.stories = stories
        known = [story for _, story in stories]
        self.shot, self.hit = known[0].shot, known[0].hit
        self.possible = np.bitwise_or.reduce([story.possible for story in known])
        self.sunk = set.intersection(*(story.sunk for story in known))

    def of(self, stories: list[tuple[int, Evidence]]) -> Self:
        """Return the same, if the others of its stories turn out to be impossible."""
        twin = copy.copy(self)
        twin._go_on_with(stories)
        return twin

    def _told_in_full(self, answer: Answer) -> Iterator[tuple[int, Answer]]:
        """Yield an answer with all that it may mean: ship and slot, and how many ships it may be.

        Of equal ships, the first one that is afloat stands for all of them.
        """
        if answer.outcome != SUNK:
            yield 1, answer
            return
        fleet, tables = self.rules.fleet, self.tables
        wanted = fleet[answer.ship] if answer.ship != NOTHING else 0
        afloat = [ship for ship in range(len(fleet)) if ship not in self.sunk]
        for length in sorted({fleet[ship] for ship in afloat} & ({wanted} if wanted else {*fleet})):
            alike = [ship for ship in afloat if fleet[ship] == length]
            for number in members(self.last_cell(alike[0], answer.cell)):
                slot = int(tables.code[tables.kind[alike[0]], number])
                if answer.slot in (NOTHING, slot):
                    yield len(alike), Answer(answer.cell, SUNK, alike[0], slot)

    def _copied(self) -> Self:
        twin = copy.copy(self)
        twin.possible, twin.shot, twin.hit = self.possible.copy(), self.shot.copy(), self.hit.copy()
        twin.sunk = {*self.sunk}
        return twin

    def _learn_shot(self, answer: Answer) -> None:
        cell, outcome, ship, slot, unlettered = answer
        rules, tables = self.rules, self.tables
        name = cell_name(cell, rules.cols)
        if outcome == SUNK and not rules.reveals.sinkings:
            raise BsbenchError(
                f"under feedback hit, nobody says that a ship has sunk: answer {name} with a hit, "
                "or choose feedback sunk"
            )
        if outcome == SUNK and ship == NOTHING:
            raise BsbenchError(
                f"under feedback {rules.feedback}, it is told which ship has sunk: name it in the "
                f"answer for {name}"
            )
        if outcome == SUNK and ship in self.sunk:
            raise Contradiction(f"{name} can't sink a ship that has sunk before")
        if unlettered:
            equal = {
                other for other, length in enumerate(rules.fleet) if length == rules.fleet[ship]
            }
            self.unlettered.setdefault(rules.fleet[ship], sorted(equal - self.sunk))
        self.shot[cell] = True
        through = tables.through[tables.kind, cell]
        if outcome == MISS:
            self.possible &= ~through
        else:
            self.hit[cell] = True
            known = ship != NOTHING and (outcome == SUNK or rules.reveals.ships)
            others = np.arange(len(rules.fleet)) != ship
            if known:
                self.possible[ship] &= through[ship]
                self.possible[others] &= ~through[others]
            if rules.reveals.sinkings:
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

    @property
    def sunk_cells(self) -> set[int]:
        """The cells that are known for sure to be of ships that have sunk."""
        if self.stories:
            return set.intersection(*(story.sunk_cells for _, story in self.stories))
        cells: set[int] = set()
        for ship in self.sunk:
            length, slots = self.rules.fleet[ship], self.slots_of(ship)
            if len(slots) == 1:
                code = int(self.tables.code[self.tables.kind[ship], slots[0]])
                cells.update(slot_cells(code, length, self.rules.cols))
        return cells

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
