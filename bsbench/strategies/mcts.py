"""The strategy ``mcts``."""

import math
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, cast

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError
from bsbench.counting.evidence import Evidence
from bsbench.counting.joins import Joins
from bsbench.counting.posterior import within_joins
from bsbench.counting.tables import Tables, tables_of
from bsbench.kernels.density import Evidence as Planes
from bsbench.kernels.numbers import LANES
from bsbench.kernels.playouts import (
    MOST_SHIPS,
    Nodes,
    ShipEvidence,
    Slots,
    Turning,
    begin_playouts,
    fire,
    lay_out,
    position_key,
    room_for_nodes,
    take_up,
    turning,
)
from bsbench.kernels.random import stream_key
from bsbench.rules.board import MISS, Feedback, Rules
from bsbench.rules.position import Answer
from bsbench.rules.slots import slot_cells
from bsbench.strategies import built_in_strategy
from bsbench.strategies.base import Cells, Insight, Strategy, parameter
from bsbench.strategies.view import View

_WORK = 100_000_000
"""Words joined before a position is left to the base."""

_Counts = npt.NDArray[np.int64]


class _Base(Protocol):
    """A strategy whose shots follow from its evidence and nothing else."""

    @property
    def evidence(self) -> Planes | ShipEvidence:
        """What is known in each lane; it may be written to."""

    def begin(self, rules: Rules, lanes: int, seed: int) -> None: ...

    def deal(self, lanes: Cells, games: Cells) -> None: ...

    def shoot(self, view: View) -> Cells: ...

    def insight(self, lane: int) -> Insight: ...

    def chosen(self, view: View) -> npt.NDArray[Any]:
        """Return a cell for every live lane, from the evidence as it is."""


class _Room(NamedTuple):
    """What playouts need.

    Attributes
    ----------
    base : _Base
        Plays them, a node in each lane.
    view : View
        Its view, of which only ``live`` matters.
    slots : Slots
    now, after : Nodes
    turning : Turning
    """

    base: _Base
    view: View
    slots: Slots
    now: Nodes
    after: Nodes
    turning: Turning


@dataclass
class Mcts(Strategy):
    """Plays on from several cells, on layouts that agree with all answers, and shoots the best one.

    Source: rollouts with a fixed player ("flat Monte Carlo"), as in G. Tesauro and G. R. Galperin,
    "On-line policy improvement using Monte-Carlo search", NIPS 1996. gym-battleship names a player
    `mcts` and calls it broken; this one is bsbench's own.

    A decision compares the ``candidates`` cells with the highest scores of the base. Layouts
    that agree with all answers are drawn, each equally likely (see docs/exactly.md). On each of
    them, the base plays the game to its end from each cell, without knowing the layout. The
    first ``screening`` layouts choose ``finalists`` cells. On ``playouts`` other
    layouts, the base's own cell is compared with these. Another cell is shot only if it needs fewer
    moves by ``margin`` standard errors of the paired difference, on average. Where no more than
    ``playouts`` layouts agree, each of them is played once from all candidates. The means are exact
    then, and the cell with the least one is shot.

    Rollouts begin when few ships are afloat: ``hunt_ships`` at most while no hit is open,
    ``target_ships`` at most otherwise. Before that, and where there are too many layouts to count
    them quickly, the base's own cell is shot. The layouts drawn depend on the position alone: not
    on the seed. They agree with all that is reported, also which ship a hit is on. Of the bases,
    ``lattice2`` uses that, too, where ships may touch. Otherwise, the base uses only what sank.

    The ``proposer`` may be a strategy that is stronger than the base, but too slow to play the
    rollouts. It uses all that is reported. Where rollouts are made, its cell takes the place of
    the base's own cell: it is always compared, and shot unless another one is better by ``margin``.
    """

    base: str = parameter(
        "lattice",
        "the strategy that plays the rollouts",
        choices=("lattice", "lattice2", "datagenetics"),
    )
    proposer: str = parameter(
        "base",
        "the strategy whose cell is shot unless rollouts show a better one",
        choices=("base", "lattice2", "lattice-net"),
    )
    playouts: int = parameter(
        400, "layouts on which the best cells are compared", least=2, most=100_000
    )
    screening: int = parameter(100, "layouts that choose the best cells", least=2, most=100_000)
    candidates: int = parameter(8, "cells that are considered", least=2, most=100)
    finalists: int = parameter(3, "cells that are compared with the one proposed", least=1, most=99)
    margin: float = parameter(
        1.5, "standard errors by which another cell must be better", least=0, most=100
    )
    hunt_ships: int = parameter(
        2, "ships afloat at most for rollouts while no hit is open", least=0, most=100
    )
    target_ships: int = parameter(
        3, "ships afloat at most for rollouts while a hit is open", least=0, most=100
    )

    name = "mcts"
    source = "Tesauro and Galperin 1996"
    needs = Feedback.SUNK
    uses = Feedback.SHIP
    home = "classic"
    look = ("orange", "dashdot")
    takes_long = True

    @property
    def shares(self) -> bool:
        """True: shots depend on nothing but what earlier ones did, and rollouts take time."""
        return True

    def _make_base(self, lanes: int, seed: int) -> _Base:
        base = cast(_Base, built_in_strategy(self.base)())
        rules = self.rules
        if rules.apart.sides:
            # Nodes don't keep which ship a hit is on.
            rules = replace(rules, feedback=Feedback.SUNK)
        base.begin(rules, lanes, seed)
        return base

    def begin(self, rules: Rules, lanes: int, seed: int) -> None:
        """Make the base; room for playouts is made when they are first needed."""
        super().begin(rules, lanes, seed)
        self._player = self._make_base(lanes, seed)
        self._proposer: Strategy | None = None
        if self.proposer != "base":
            self._proposer = built_in_strategy(self.proposer)()
            self._proposer.begin(rules, lanes, seed)
        self._samples_key = stream_key("strategy mcts", 0)
        self._games = np.zeros(lanes, np.int64)
        self._answers: list[list[Answer]] = [[] for _ in range(lanes)]
        self._evidence: list[Evidence | None] = [None] * lanes
        self._room: _Room | None = None
        self._tables: Tables | None = None
        if len(rules.fleet) <= MOST_SHIPS:
            # On a board too large for them, the base plays alone.
            with suppress(BsbenchError):
                self._tables = tables_of(rules)

    def deal(self, lanes: Cells, games: Cells) -> None:
        """Forget what was known."""
        self._player.deal(lanes, games)
        if self._proposer is not None:
            self._proposer.deal(lanes, games)
        self._games[lanes] = games
        for lane in lanes.tolist():
            self._answers[lane].clear()
            self._evidence[lane] = None

    def shoot(self, view: View) -> Cells:
        """Ask the base, and where few ships are afloat, look for a better cell."""
        for lane in np.flatnonzero(view.live).tolist():
            # Whoever fires other cells may ask twice after a shot.
            if view.shots[lane] > len(self._answers[lane]):
                shot = view.cell[lane], view.outcome[lane], view.ship[lane], view.slot[lane]
                cell, outcome, ship, slot = map(int, shot)
                self._answers[lane].append(Answer(cell, outcome, ship, slot))
        # The base chooses in live lanes alone.
        cells = self._player.shoot(view)
        if self._tables is not None:
            proposed = cells if self._proposer is None else self._proposer.shoot(view)
            for lane in np.flatnonzero(self._wants_rollouts() & view.asked).tolist():
                cells[lane] = self._best(lane, int(proposed[lane]))
        self._chosen = cells
        return cells

    def _wants_rollouts(self) -> npt.NDArray[np.bool_]:
        """Return the lanes where few enough ships are afloat."""
        known = self._player.evidence
        if isinstance(known, ShipEvidence):
            afloat = self._flags(known.ships.afloat).sum(axis=0)
            hit = self._flags(known.struck).any(axis=0)
        else:
            afloat = known.afloat.sum(axis=0).reshape(-1)[: self.lanes]
            hit = self._flags(np.bitwise_or.reduce(known.struck, axis=1))
        wants: npt.NDArray[np.bool_] = afloat <= np.where(hit, self.target_ships, self.hunt_ships)
        return wants

    def _flags(self, words: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
        """Return bits of lanes, shape (..., words), as flags, shape (..., lanes)."""
        flags = np.unpackbits(words.view(np.uint8), axis=-1, bitorder="little", count=self.lanes)
        return flags.astype(np.bool_)

    def _learned(self, lane: int) -> Evidence:
        """Return the evidence of a lane, up to date."""
        evidence = self._evidence[lane]
        if evidence is None:
            evidence = self._evidence[lane] = Evidence(self.rules.deduced)
        for answer in self._answers[lane][evidence.shot.sum() :]:
            evidence.learn(answer)
        return evidence

    def _ranked(self, lane: int) -> Cells:
        """Return the cells that are considered, the base's own first."""
        scores = self._player.insight(lane).scores
        assert scores is not None
        cells = np.argsort(-scores, kind="stable")[: self.candidates]
        return cells[scores[cells] > 0]

    def _counted(self, lane: int) -> tuple[Joins, int] | None:
        """Return what draws layouts that agree with all answers, and how many there are."""
        evidence = self._learned(lane)
        joins = Joins(evidence) if within_joins(evidence) else None
        found = joins.count(_WORK) if joins else None
        return (joins, found[0]) if joins and found else None

    def _key_of(self, lane: int, key: np.uint64) -> np.uint64:
        """Return the key of random streams that belongs to what is known in a lane."""
        now = self._room_for(1).now
        take_up(self._player.evidence, lane, 0, 1, now)
        return np.uint64(position_key(key, now))

    def _best(self, lane: int, proposed: int) -> int:
        """Return the cell to shoot in a lane: the one proposed, unless another is better."""
        cells = self._ranked(lane)
        counted = self._counted(lane) if len(cells) > 1 else None
        if counted is None:
            # Without layouts, `gain` can't measure what another proposal is worth.
            return int(cells[0])
        cells = np.array([proposed, *cells[cells != proposed]])
        joins, layouts = counted
        if layouts <= self.playouts:
            moves = self._play(lane, cells, joins.all_layouts(layouts)).sum(axis=1)
            return int(cells[np.argmin(moves)])
        key = self._key_of(lane, self._samples_key)
        drawn = joins.sample(key, layouts, self.screening + self.playouts)
        if len(cells) > self.finalists + 1:
            moves = self._play(lane, cells, drawn[: self.screening]).sum(axis=1)
            order = 1 + np.argsort(moves[1:], kind="stable")
            cells = cells[[0, *order[: self.finalists]]]
        return int(cells[_better(self._play(lane, cells, drawn[self.screening :]), self.margin)])

    def gain(self, lane: int, cell: int) -> float:
        """Return how many more moves the base's own cell needs than another one.

        Both are played to the end by the base on `playouts` layouts that the choice has not seen,
        or on all of them where they are fewer. Ask after `shoot`, before the next.

        Parameters
        ----------
        lane : int
        cell : int
            What was shot there.
        """
        own = int(self._ranked(lane)[0])
        counted = self._counted(lane) if cell != own else None
        if counted is None:
            return 0.0
        joins, layouts = counted
        if layouts <= self.playouts:
            ships = joins.all_layouts(layouts)
        else:
            # Other layouts in each game: games that share a position share no luck.
            key = self._key_of(lane, stream_key("gains of mcts", int(self._games[lane])))
            ships = joins.sample(key, layouts, self.playouts)
        moves = self._play(lane, np.array([own, cell]), ships).sum(axis=1)
        return float(moves[0] - moves[1]) / len(ships)

    def _room_for(self, nodes: int) -> _Room:
        """Return room for playouts at so many nodes."""
        if self._room is None or len(self._room.now.left) < nodes:
            rules, tables, nodes = self.rules, self._tables, 1 << (nodes - 1).bit_length()
            assert tables is not None
            base = self._make_base(nodes, 0)
            by_ship = isinstance(base.evidence, ShipEvidence)
            self._room = _Room(
                base,
                View(rules, nodes),
                _slots(rules, tables),
                room_for_nodes(rules, nodes, by_ship),
                room_for_nodes(rules, nodes, by_ship),
                turning(rules),
            )
        return self._room

    def _play(self, lane: int, cells: Cells, ships: npt.NDArray[np.int64]) -> _Counts:
        """Return the shots to the end from some cells on some layouts, shape (cells, layouts)."""
        count = len(cells) * len(ships)
        room = self._room_for(count)
        base, live, now, after = room.base, room.view.live, room.now, room.after
        hits = sum(answer.outcome != MISS for answer in self._answers[lane])
        take_up(self._player.evidence, lane, self.rules.ship_cells - hits, len(cells), now)
        playouts = begin_playouts(self.rules, room.slots, ships, len(cells))
        step = 0
        while True:
            step += 1
            count, nodes = fire(step, count, cells, playouts, room.slots, now, after)
            if count == 0:
                return playouts.shots.reshape(-1, len(ships))
            lay_out(after, nodes, base.evidence, room.turning)
            live[:nodes] = True
            live[nodes:] = False
            cells = base.chosen(room.view)
            now, after = after, now

    def insight(self, lane: int) -> Insight:
        """Return the scores of the base; a cell that rollouts prefer has the highest one, too."""
        insight, cell = self._player.insight(lane), self._chosen[lane]
        assert insight.scores is not None
        assert insight.closed is not None
        if not insight.closed[cell]:
            insight.scores[cell] = insight.scores.max()
        return insight


def _slots(rules: Rules, tables: Tables) -> Slots:
    """Return the slots of tables as boards."""
    kinds, slots = tables.code.shape
    cells, water = np.zeros((2, kinds, slots, rules.cells), np.bool_)
    cross = np.zeros((kinds, rules.cells, rules.cells), np.bool_)
    for kind, slot in zip(*np.nonzero(tables.code >= 0), strict=True):
        length = tables.length[tables.kind == kind][0]
        sunk = list(slot_cells(int(tables.code[kind, slot]), int(length), rules.cols))
        cells[kind, slot, sunk] = water[kind, slot, sunk] = True
        cross[np.ix_([kind], sunk, sunk)] = True
        for cell in sunk:
            water[kind, slot, rules.closed_around(cell)] = True
    return Slots(tables.kind, tables.length, _boards(cells), _boards(water), _boards(cross))


def _boards(flags: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint64]:
    """Return flags of cells, along the last axis, as boards."""
    padding = [(0, 0)] * (flags.ndim - 1) + [(0, -flags.shape[-1] % LANES)]
    return np.packbits(np.pad(flags, padding), axis=-1, bitorder="little").view(np.uint64)


def _better(shots: _Counts, margin: float) -> int:
    """Return which cell to shoot: the first one, unless another is better beyond doubt.

    Parameters
    ----------
    shots : ndarray of int64, shape (cells, layouts)
        From each cell to the end.
    margin : float
        Standard errors by which another cell must be better.
    """
    layouts, best, least = shots.shape[1], 0, 0
    for cell in range(1, len(shots)):
        differences = shots[cell] - shots[0]
        total, squares = int(differences.sum()), int((differences**2).sum())
        # Of the sum.
        error = math.sqrt((squares * layouts - total * total) / (layouts - 1))
        if total < least and -total > margin * error:
            best, least = cell, total
    return best
