"""Games that were replayed, and their HTML page, animated, which needs no other file."""

from __future__ import annotations

import base64
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.common.arguments import checked
from bsbench.common.errors import BsbenchError, StrategyError, option
from bsbench.common.files import check_export, write_text
from bsbench.common.texts import for_terminal
from bsbench.play.advice import Hint
from bsbench.play.game import Move, answers_of, board_after, turns_of
from bsbench.present.looks import Look, looks
from bsbench.present.pages import board_data, board_style, framed, page, script_of
from bsbench.present.tables import rules_text
from bsbench.rules.board import MISS
from bsbench.rules.drawing import (
    HIDDEN,
    MEANINGS,
    SYMBOLS,
    UNCLEAR,
    BoardView,
    hits_text,
    ship_text,
)
from bsbench.rules.position import Position
from bsbench.rules.scenario import Scenario, scenario_options
from bsbench.runs.chances import CellChances
from bsbench.runs.results import Result

_PACKAGE = __name__.rpartition(".")[0]

_HIGHEST = 254
"""The byte that stands for the highest score of a move; lower scores in proportion."""

_NO_SCORE = 255
"""The byte that stands for a cell without a score."""


AS_PLAYED = -1
"""In place of the seed of a game that somebody played on a layout of their own."""


@dataclass(frozen=True)
class Opinion:
    """What another strategy would have done in each position of a game.

    Attributes
    ----------
    strategy : str
        Its label.
    variant : str
        What the command line calls it, with its parameters.
    hints : tuple of Hint
        Before each shot.
    """

    strategy: str
    variant: str
    hints: tuple[Hint, ...]

    def turns(self, moves: Sequence[Move]) -> list[list[int]]:
        """Return its cells in the place of each turn of the game."""
        pairs = groupby(zip(moves, self.hints, strict=True), lambda pair: pair[0].turn)
        return [list(dict.fromkeys(hint.cell for _, hint in turn)) for _, turn in pairs]


@dataclass(frozen=True)
class OnRecord:
    """How a game compares with the games of the same strategy on record.

    Attributes
    ----------
    games : int
        On record.
    mean : float
        Their mean number of moves.
    longer, tied : float
        Share of them that took more moves, and as many.
    """

    games: int
    mean: float
    longer: float
    tied: float

    @classmethod
    def of(cls, moves: int, run: Result) -> OnRecord:
        """Return how a game of so many moves compares with those of a result."""
        counts = run.counts
        longer, tied = counts[moves + 1 :].sum(), counts[moves]
        return cls(run.games, run.stats.mean, float(longer / run.games), float(tied / run.games))


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
    chances : tuple of CellChances or None
        How likely each cell held a ship before each shot, where that is known; empty if not asked
        for.
    opinions : tuple of Opinion
        What other strategies would have shot.
    standing : OnRecord or None
        How the game compares with others of the strategy, if they are on record.
    bits : tuple of float or None
        In salvos, how much the answer to each turn told, in bits, where that is known; empty if not
        asked for.
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
    chances: tuple[CellChances | None, ...] = field(default=(), repr=False)
    opinions: tuple[Opinion, ...] = field(default=(), repr=False)
    standing: OnRecord | None = None
    bits: tuple[float | None, ...] = field(default=(), repr=False)

    def __repr__(self) -> str:
        ended = f", {self.fault.problem}" if self.fault else ""
        return (
            f"<Replay: {self.strategy} on {self.scenario.name}, {self.which}, {self.length}{ended}>"
        )

    @property
    def which(self) -> str:
        """Which game it is, such as ``game 17 of seed 3``."""
        if self.seed == AS_PLAYED:
            return "a game that was played"
        return f"game {self.game} of seed {self.seed}"

    @property
    def over(self) -> bool:
        """Whether all ships are sunk."""
        hits = {move.cell for move in self.moves if move.outcome != MISS}
        return len(hits) == self.scenario.rules.ship_cells

    @property
    def turns(self) -> int:
        """The move count so far: turns, each of a shot but in salvos."""
        return self.moves[-1].turn if self.moves else 0

    @property
    def position(self) -> Position:
        """What the shooter knows in the end: ``bsbench odds`` and ``play --from`` take its text."""
        return Position(self.scenario, tuple(answers_of(self.scenario.rules, self.moves)))

    @property
    def length(self) -> str:
        """How long it took, such as ``44 moves``, or ``11 turns, 53 shots``."""
        if self.scenario.rules.salvos:
            turns = f"{self.turns} turn{'s' * (self.turns != 1)}"
            return f"{turns}, {len(self.moves)} shot{'s' * (len(self.moves) != 1)}"
        return f"{self.turns} moves"

    def __str__(self) -> str:
        return str(self.board(hidden=True))

    @checked
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
        shot = "shots" if self.scenario.rules.salvos else "moves"
        if not 0 <= moves <= len(self.moves):
            raise BsbenchError(f"the game has {len(self.moves)} {shot}: there is no board {moves}")
        following = self.moves[moves] if moves < len(self.moves) else None
        return board_after(
            self.scenario.rules,
            self.moves[:moves],
            next_shot=None if following is None else following.cell,
            ships=self.ships if hidden else None,
            scores=None if following is None else following.scores,
            title=f"{self.strategy} on {self.scenario.name}, {self.which}, "
            f"after {moves} of {len(self.moves)} {shot}",
        )

    @checked
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
        return framed(page_text([self]), f"Replay of {self.strategy}")


def save_page(replays: Sequence[Replay], path: str | Path, force: bool | None = None) -> None:
    """Write games as one HTML page: those on one layout side by side, others to choose from.

    Parameters
    ----------
    replays : sequence of Replay
        As for `page_text`.
    path : str or Path
    force : bool, optional
        As for `check_export`.

    Raises
    ------
    BsbenchError
        If they do not belong on one page, there is a file already, or it can't be written.
    """
    check_export(path, force)
    write_text(path, page_text(replays))


def page_text(replays: Sequence[Replay]) -> str:
    """Return games as an HTML page: those on one layout side by side, others to choose from.

    Parameters
    ----------
    replays : sequence of Replay
        Of one scenario. Those of the same game and seed, next to each other, stand side by side.

    Raises
    ------
    BsbenchError
        If there is none, they are of several scenarios, or those of one game are not on the same
        layout.

    Notes
    -----
    The page loads nothing and runs no script but its own: see `bsbench.present.pages`. Scores are
    rounded to 255 levels.
    """
    if not replays:
        raise BsbenchError("there is no game to show: give at least one replay")
    rounds = [list(alike) for _, alike in groupby(replays, lambda each: (each.seed, each.game))]
    for alike in rounds:
        first = alike[0]
        for other in alike[1:]:
            if (other.ships, _board_of(other)) != (first.ships, _board_of(first)):
                raise BsbenchError(
                    f"games are shown side by side on one layout only: that of {other.strategy!r} "
                    f"is not that of {first.strategy!r}; take the same scenario, seed and game"
                )
        if _board_of(first) != _board_of(replays[0]):
            raise BsbenchError(
                "a page shows games of one scenario: these have other boards, fleets or rules"
            )
    first = replays[0]
    names = [each.strategy for each in rounds[0]]
    rules = first.scenario.rules
    return page(
        _PACKAGE,
        "replay.html.jinja",
        ["boards.css", "replay.css"],
        script_text(),
        board_style(rules),
        title=f"{', '.join(names)} on {first.scenario.name}",
        facts=_facts(first),
        data=_data(rounds),
        salvos=rules.salvos,
        symbols=list(zip(SYMBOLS, MEANINGS, range(UNCLEAR), strict=False)),
        hidden=HIDDEN,
        boards=[
            str(board_after(each.scenario.rules, each.moves, ships=each.ships, title=each.strategy))
            for each in replays
        ],
    )


def script_text() -> str:
    """Return the script of the page, which a page that frames it must allow, too."""
    return script_of(_PACKAGE, "boards.js", "replay.js")


def _board_of(replay: Replay) -> tuple[Any, ...]:
    rules = replay.scenario.rules
    return rules.rows, rules.cols, rules.fleet, rules.touching


def _facts(replay: Replay) -> str:
    """Return which game it is, and its rules, in a line."""
    which = replay.which
    return f"{which[0].upper()}{which[1:]}: {rules_text(replay.scenario)}."


def command_text(replays: Sequence[Replay]) -> str:
    """Return the command that makes a page of games on one layout; empty for a person's game."""
    first = replays[0]
    if not all(each.variant for each in replays):
        return ""
    names = [name for each in replays for name in ("-s", each.variant)]
    names += [name for each in first.opinions for name in ("--opinion", each.variant)]
    where = scenario_options(first.scenario)
    which = ["--seed", str(first.seed), "--game", str(first.game), "-o", "replay.html"]
    return shlex.join(["bsbench", "replay", *names, *where, *which])


def _data(rounds: Sequence[Sequence[Replay]]) -> dict[str, Any]:
    """Return what the script reads."""
    replays = [replay for alike in rounds for replay in alike]
    labels = [each.strategy for each in rounds[0]]
    asked = [each.strategy for each in rounds[0][0].opinions]
    shown = list(dict.fromkeys([*labels, *asked]))
    styles = dict(zip(shown, looks(shown), strict=True))
    rules = replays[0].scenario.rules
    return board_data(rules) | {
        "salvos": rules.salvos,
        "ships": [
            ship_text(rules.fleet, ship, lettered=not rules.reveals.untold_cells)
            for ship in range(len(rules.fleet))
        ],
        "announced": all(each.scenario.rules.reveals.lengths for each in replays),
        "hidden": HIDDEN,
        "hiddenMeaning": "ship cell not found",
        "maps": [
            ("scores", "its scores"),
            ("odds", "odds of a ship"),
            *((f"opinion{number}", f"scores of {label}") for number, label in enumerate(asked)),
        ],
        "rounds": [
            {
                "name": alike[0].which,
                "facts": _facts(alike[0]),
                "ships": alike[0].ships,
                "command": command_text(alike),
                "games": [_game(each, alike, styles) for each in alike],
            }
            for alike in rounds
        ],
    }


def _game(replay: Replay, beside: Sequence[Replay], styles: dict[str, Look]) -> dict[str, Any]:
    """Return a game, turn by turn; ``beside`` are those on the same layout."""
    moves, rules = replay.moves, replay.scenario.rules
    shots = [list(turn) for _, turn in groupby(range(len(moves)), lambda shot: moves[shot].turn)]
    turns = [[moves[shot] for shot in turn] for turn in shots]
    # What was known before a turn is what was known before its first shot.
    began = [turn[0] for turn in turns]
    chances = [replay.chances[turn[0]] if replay.chances else None for turn in shots]
    asked = [[opinion.hints[turn[0]] for turn in shots] for opinion in replay.opinions]
    maps = {
        "scores": _maps(
            [move.scores for move in began], [move.insight.in_percent for move in began]
        ),
        "odds": _maps([None if each is None else each.cells for each in chances], None),
        **{
            f"opinion{number}": _maps(
                [hint.scores for hint in hints], [hint.in_percent for hint in hints]
            )
            for number, hints in enumerate(asked)
        },
    }
    look = styles.get(replay.strategy)
    remarks = [for_terminal(move.insight.remark) for move in began]
    return {
        "label": replay.strategy,
        "look": look.name if look else "black",
        "dashes": look.dashes(2) if look else "none",
        "facts": list(facts_of(replay, beside)),
        "moves": [
            [
                (move.cell, move.outcome, -1 if move.ship is None else move.ship, *move.sunk)
                for move in turn
            ]
            for turn in turns
        ],
        "fault": "" if replay.fault is None else str(replay.fault),
        "maps": {kind: each for kind, each in maps.items() if each is not None},
        "queued": [int(move.waiting) for move in began],
        "remarks": remarks if any(remarks) else [],
        "answers": [hits_text(rules.fleet, move.hits) if rules.joint else "" for move in began],
        "bits": [bits and _rounded(bits) for bits in replay.bits] or [None] * len(turns),
        **_worth(turns, chances, rules.salvos),
        "opinions": [
            {
                "label": opinion.strategy,
                "look": styles[opinion.strategy].name,
                "turns": opinion.turns(moves),
                "chance": [
                    None if each is None or rules.salvos else _rounded(each.cells[hint.cell])
                    for each, hint in zip(chances, hints, strict=True)
                ],
            }
            for opinion, hints in zip(replay.opinions, asked, strict=True)
        ],
    }


def _worth(
    turns: Sequence[Sequence[Move]], chances: Sequence[CellChances | None], salvos: bool
) -> dict[str, list[Any]]:
    """Return for each turn its mean hits and, outside of salvos, the best cell and what was lost.

    With the best cell, -1 if it is not clear, come its chance and how far that is off at most.
    ``samples`` says where these are from: 0 if counted, the number of random layouts if
    estimated from these, -1 if it is what the strategy said itself.
    """
    worth: dict[str, list[Any]] = {"chance": [], "best": [], "lost": [], "samples": []}
    for turn, each in zip(turns, chances, strict=True):
        chance = best = lost = None
        samples, cells = 0, [move.cell for move in turn]
        if each is not None:
            samples, chance = each.samples, _rounded(each.cells[cells].sum())
            if not salvos:
                error = each.error(each.best) if samples else 0.0
                likely = (each.cells[each.best], error)
                best = (each.best if each.is_clear else -1, *map(_rounded, likely))
                lost = _rounded(each.lost(turn[0].cell))
        elif (own := turn[0].insight.chances) is not None and not np.isnan(own[cells]).any():
            samples, chance = -1, _rounded(own[cells].sum())
        for key, value in zip(worth, (chance, best, lost, samples), strict=True):
            worth[key].append(value)
    return worth


def _rounded(share: float) -> float:
    return round(float(share), 5)


def facts_of(replay: Replay, beside: Sequence[Replay] = ()) -> Iterator[str]:
    """Yield sentences on how the game went: whether it is typical, and the chance it lost.

    Parameters
    ----------
    replay : Replay
    beside : sequence of Replay
        Other games on the same layout, and itself.
    """
    moves = len(replay.moves)
    if replay.fault is None:
        text = replay.length
        if (standing := replay.standing) is not None:
            text += (
                f": better than {percent_text(standing.longer)} of its {standing.games:,} games on "
                f"record (mean {standing.mean:.1f})"
            )
        others = [
            f"{abs(more)} {'more' if more > 0 else 'fewer'} than {other.strategy}"
            for other in beside
            if other is not replay and other.fault is None
            if (more := replay.turns - other.turns)
        ]
        yield f"{'; '.join([text, *others])}."
    yield from _bits_told(replay) if replay.scenario.rules.salvos else _chance_lost(replay)
    for opinion in replay.opinions:
        pairs = zip(turns_of(replay.moves), opinion.turns(replay.moves), strict=True)
        same = sum(move.cell in cells for turn, cells in pairs for move in turn)
        often = f"{same} of the {moves} cells in the same turn"
        if not replay.scenario.rules.salvos:
            often = f"the same cell {same} of {moves} times"
        yield f"{opinion.strategy} would have shot {often}."


def _chance_lost(replay: Replay) -> Iterator[str]:
    """Yield how much chance a game of single shots lost, where that is known."""
    moves = len(replay.moves)
    known = [(each, move) for each, move in zip(replay.chances, replay.moves, strict=False) if each]
    lost = sum(each.lost(move.cell) for each, move in known)
    estimated = sum(each.samples > 0 for each, _ in known)
    shots = "1 shot" if len(known) == 1 else f"{len(known)} shots"
    some = f" in the {shots} whose odds are known" if len(known) < moves else ""
    which = "all" if estimated == len(known) else f"{estimated} of {shots}"
    about = f" ({which} estimated)" if estimated else ""
    if known:
        yield f"Chance lost: {lost:.2f} hits{some}{about}."
    if missing := replay.chances.count(None):
        have, them = ("shot has", "it") if missing == 1 else ("shots have", "them")
        uniform = replay.scenario.placement.law == "uniform"
        more = f"; more {option('odds')} counts {them}" if uniform else ""
        yield f"{missing} {have} no odds: too few random layouts agree with the answers{more}."


def _bits_told(replay: Replay) -> Iterator[str]:
    """Yield how much the answers of a game of salvos told, where that is known."""
    known = [bits for bits in replay.bits if bits is not None]
    if known:
        some = f" in the {len(known)} where it is known" if None in replay.bits else ""
        yield f"Information: {sum(known) / len(known):.2f} bits a turn{some}."


def percent_text(share: float, digits: int = 2) -> str:
    """Return a share in percent, never rounded to none or all: to so many digits if it is near."""
    percent = 100 * share
    if percent > 99:
        return f"{100 - float(f'{100 - percent:.{digits}g}'):.12g} %"
    return f"{percent:.0f} %" if percent >= 1 else f"{percent:.{digits}g} %"


def _maps(
    maps: Sequence[npt.NDArray[Any] | None], estimates: Sequence[bool] | None
) -> dict[str, Any] | None:
    """Return the maps before each shot in a byte for each cell; None if there are none.

    Parameters
    ----------
    maps : sequence of ndarray or None
        Below 0 where a cell has no score.
    estimates : sequence of bool, optional
        Which of them are probabilities, as a strategy estimates them; None for odds.
    """
    shown = [
        each for each, scores in zip(estimates or (), maps, strict=False) if scores is not None
    ]
    percent = all(shown)
    if estimates is None:
        unit = "probability of a ship"
    else:
        unit = "probability of a ship, by its own estimate" if percent else "score"
    levels: list[bytes] = []
    highest: list[float] = []
    of: list[int] = []
    for scores in maps:
        if scores is None:
            of.append(-1)
            continue
        quantised, most = _quantised(scores)
        if not levels or (levels[-1], highest[-1]) != (quantised, most):
            levels.append(quantised)
            highest.append(most)
        of.append(len(levels) - 1)
    if not levels:
        return None
    return {
        "levels": base64.b64encode(b"".join(levels)).decode(),
        "highest": highest,
        "of": of,
        "percent": percent,
        "unit": unit,
    }


def _quantised(raw: npt.NDArray[Any]) -> tuple[bytes, float]:
    """Return scores in a byte each, and the highest one."""
    scores = raw.astype(np.float64)
    most = max(float(scores.max(initial=0.0)), 0.0)
    levels = np.rint(np.clip(scores, 0, None) * (_HIGHEST / most if most > 0 else 0.0))
    levels[scores < 0] = _NO_SCORE
    return levels.astype(np.uint8).tobytes(), most
