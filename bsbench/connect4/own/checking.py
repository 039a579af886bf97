"""Checks whether a user's player keeps to the rules, and how good its moves are.

What must hold: it begins, plays columns with room, and plays the same under the same seed, in
whatever company positions are asked. Remarks say how well it plays; they fail nobody.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from time import perf_counter

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError, Fault
from bsbench.common.findings import Finding
from bsbench.common.settings import check_numbers
from bsbench.connect4.contest import play_match
from bsbench.connect4.faults import fault_at
from bsbench.connect4.openings import drawn_openings
from bsbench.connect4.own.view import View
from bsbench.connect4.players import Player, as_player
from bsbench.connect4.players.base import board_of
from bsbench.connect4.position import Position, columns_text
from bsbench.connect4.quality import judge_players
from bsbench.matches.faults import PlayerError
from bsbench.own.proxy import Proxy

POSITIONS = 100
"""Positions by default."""

_MOST = 10_000

_PLIES = (0, 1, 4, 7, 8, 10, 13, 16, 19, 22, 25, 28, 30)

_JUDGED = (18, 21, 24)
"""Stones on the board where moves are compared with the solver's."""

Chosen = list[int]


@dataclass(frozen=True)
class CheckReport:
    """What was found of a player.

    Attributes
    ----------
    player : str
        Its label.
    findings : tuple of Finding
    remarks : tuple of str
        How well it plays, and how fast.
    """

    player: str
    findings: tuple[Finding, ...]
    remarks: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether it has all properties."""
        return all(finding.passed for finding in self.findings)

    def __str__(self) -> str:
        return "\n".join([*map(str, self.findings), *(f"· {remark}" for remark in self.remarks)])


def check_player(
    player: str | Player | type, positions: int = POSITIONS, seed: int = 0
) -> CheckReport:
    """Check that a player keeps to the rules, and report how good its moves are.

    Parameters
    ----------
    player : str, Player or type
        As for `play_match`.
    positions : int
        In how many positions it is asked.
    seed : int

    Raises
    ------
    BsbenchError
        If there is no such player, it can't begin, or a number is out of range.

    Examples
    --------
    >>> check_player("greedy", positions=20).passed
    True
    """
    check_numbers(1, seed, None)
    if not 1 <= positions <= _MOST:
        raise BsbenchError(f"can't check {positions:,} positions: ask for 1 to {_MOST:,}")
    return _Check(as_player(player), positions, seed).report()


class _Breach(Exception):
    """What is wrong."""


class _Check:
    """Asks a player again and again."""

    def __init__(self, player: Player, positions: int, seed: int) -> None:
        self.player, self.seed = player, seed
        self.positions = [
            Position(tuple(columns))
            for place, ply in enumerate(_PLIES)
            for columns in drawn_openings(
                *(seed, 0, len(range(place, positions, len(_PLIES))), ply), "checks"
            )[0].tolist()
        ]
        self.first: Chosen = []
        self.seconds: list[float] = []

    def report(self) -> CheckReport:
        """Return what is found."""
        properties: dict[str, Callable[[], None]] = {
            "plays columns that have room": self._plays,
            "plays to the end of games": self._ends,
            "plays the same again": self._repeats,
            "plays the same whatever else is asked": self._in_company,
            "plays the same games again": self._same_games,
        }
        findings: list[Finding] = []
        for what, check in properties.items():
            # What fails once would fail again.
            if findings and not findings[0].passed:
                findings.append(Finding(what, None))
                continue
            try:
                check()
                findings.append(Finding(what, True))
            except (_Breach, PlayerError) as breach:
                findings.append(Finding(what, False, str(breach)))
        remarks = list(self._remarks()) if findings[0].passed and findings[1].passed else []
        return CheckReport(self.player.label, tuple(findings), tuple(remarks))

    def _asked(
        self, positions: Sequence[Position], alone: bool = True, hash_seed: int = 0
    ) -> Chosen:
        """Return the columns that a fresh copy plays; the number of a game is that of its place."""
        player = self.player.copy()
        if isinstance(player, Proxy):
            player.hash_seed = hash_seed
        chosen = [-1] * len(positions)
        with closing(player):
            player.begin(self.seed)
            for part in self._parts(positions, 1 if alone else player.games_at_once):
                played = np.array([positions[place].played for place in part], np.int8)
                boards = np.concatenate([board_of(positions[place]) for place in part])
                begun = perf_counter()
                try:
                    columns = player.choose_after(played, boards, np.array(part))
                except Fault as fault:
                    at = positions[part[fault.lane]]
                    raise fault_at(player, at.played, fault) from None
                self.seconds += [(perf_counter() - begun) / len(part)] * len(part)
                for place, column in zip(part, columns.tolist(), strict=True):
                    chosen[place] = column
        return chosen

    def _parts(self, positions: Sequence[Position], size: int) -> Iterator[list[int]]:
        """Yield places of positions with as many stones, in parts of a size at most."""
        plies = [*dict.fromkeys(len(position.played) for position in positions)]
        # Together, positions come in another order than alone.
        for ply in plies if size == 1 else reversed(plies):
            places = [place for place, each in enumerate(positions) if len(each.played) == ply]
            for begin in range(0, len(places), size):
                yield places[begin : begin + size]

    def _plays(self) -> None:
        self.first = self._asked(self.positions)

    def _ends(self) -> None:
        play_match(self.player, "random", games=20, seed=self.seed, threads=1)

    def _repeats(self) -> None:
        hint = "does it take random numbers from elsewhere than the game's, or remember games?"
        self._compare(self._asked(self.positions, hash_seed=1), "asked again", hint)

    def _in_company(self) -> None:
        hint = "does one game change what another one needs?"
        self._compare(self._asked(self.positions, alone=False), "with other games", hint)

    def _compare(self, chosen: Chosen, how: str, hint: str) -> None:
        for position, before, after in zip(self.positions, self.first, chosen, strict=True):
            if before != after:
                text = columns_text(position.played)
                where = f"after {text}" if text else "on the empty board"
                raise _Breach(
                    f"{where}, it plays column {before + 1}, and column {after + 1} {how}: {hint}"
                )

    def _same_games(self) -> None:
        one, other = (
            play_match(self.player, "greedy", games=20, seed=self.seed, threads=threads)
            for threads in (1, 2)
        )
        same = (one.outcomes == other.outcomes) & (one.lengths == other.lengths)
        if not same.all():
            pair = int(np.flatnonzero(~same.all(axis=1))[0])
            raise _Breach(f"the games from opening {pair} differ: does it remember games before?")

    def _remarks(self) -> Iterator[str]:
        """Yield how well it plays, and how fast."""
        median, longest = statistics.median(self.seconds), max(self.seconds)
        yield f"time of a move: median {1e3 * median:.3g} ms, longest {1e3 * longest:.3g} ms"
        threats = _threats(self.seed)
        wins = [
            (after, column)
            for position, column in threats
            for after in _unblocked(position, column)
        ]
        for what, cases in (
            ("wins at once where it can", wins),
            ("blocks what would win", threats),
        ):
            chosen = self._asked([position for position, _ in cases])
            right = sum(
                View(p.played).wins(c) if cases is wins else c == column
                for (p, column), c in zip(cases, chosen, strict=True)
            )
            yield f"{what}: in {right} of {len(cases)} positions"
        found = judge_players([self.player], plies=_JUDGED, positions=30, seed=self.seed)
        share, low, high = found.share(found.keeps[0])
        chance = float(found.chance[:, 1].mean())
        yield (
            f"keeps a won game won and a drawn one drawn: {100 * share:.0f} % "
            f"({100 * low:.0f}–{100 * high:.0f} %) of {found.keeps[0].size * found.positions} "
            f"positions of random play; any column: {100 * chance:.0f} %"
        )


def _threats(seed: int, plies: Sequence[int] = (8, 12, 16, 20)) -> list[tuple[Position, int]]:
    """Return positions in which the opponent would win in one column, and that column."""
    found = []
    for ply in plies:
        columns: npt.NDArray[np.int64] = drawn_openings(seed, 0, 40, ply, "threats")[0]
        for played in columns.tolist():
            view = View(tuple(played))
            threatened = [column for column in view.columns if view.blocks(column)]
            if len(threatened) == 1:
                found.append((Position(tuple(played)), threatened[0]))
    return found


def _unblocked(position: Position, column: int) -> Iterator[Position]:
    """Yield a position in which a win in a column was not prevented, if there is one."""
    for other in position.open_columns:
        if other != column:
            yield position.after(other)
            return
