"""The properties that a strategy must have, each a function that raises an error without it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import zip_longest
from typing import NamedTuple

from bsbench.common.errors import Fault
from bsbench.own.adapter import Adapter, StandIn
from bsbench.rules.board import Answers, Feedback
from bsbench.strategies import Strategy
from bsbench.strategies.base import Cells
from bsbench.strategies.view import View
from bsbench.studies.check.cases import Case, Move

_HASH_SEED = 1
"""Of a process in which sets of texts have another order than elsewhere."""

FIRES = "fires at cells of the board, never twice at one, until the fleet is sunk"
"""The property without which no other can be checked."""

REPEATS = "plays the same game under the same seed"
"""The property without which further games show nothing: they differ each time."""

INSIGHT = "gives an insight that fits its next shot"
ANY_ORDER = "plays the same games in whatever order they are dealt"
ANY_BATCH = "plays the same games whatever the size of the batch"
ANY_PROCESS = "plays the same games in another process"
SALVOS = "plays the same salvos, of legal shots, whatever the size of the batch"

_SALVO = 3
"""Shots of a turn where salvos are checked."""


class Property(NamedTuple):
    """A property that a strategy must have.

    Attributes
    ----------
    what : str
        What it does.
    check : callable
        Raises a `StrategyError` where a case has it not.
    hint : str
        What may be the cause, and how to fix it; or empty.
    """

    what: str
    check: Callable[[Case], None]
    hint: str = ""


def properties_of(strategy: Strategy) -> list[Property]:
    """Return the properties that a strategy must have, in the order in which they are checked."""
    chance = "the streams of bsbench.kernels, begun by self.stream_key and the game's number"
    begins = "in deal"
    if isinstance(strategy, Adapter):
        chance, begins = strategy.chooser.chance, strategy.chooser.begins
    on_class = "what stands on its class belongs to all games and copies"
    remembers = f"does it remember the game before? Forget that {begins}; {on_class}"
    if strategy.games_per_learner > 1:
        remembers = ""
    properties = [
        Property("makes copies that are like itself", _copies),
        Property(FIRES, _fires_legally),
        Property(
            REPEATS, _repeats, f"is it random? All randomness must come from {chance}; {on_class}"
        ),
        Property(ANY_BATCH, _any_batch),
        Property(ANY_ORDER, _any_order, remembers),
        Property("plays the same games beside a copy of itself", _copies_are_apart, on_class),
        Property(INSIGHT, _insight_is_true),
        Property("plays the same games in the engine", _engine_agrees),
    ]
    if isinstance(strategy, StandIn):
        hashes = "does it take what comes first in a set of texts, or does it call hash()? Both "
        hashes += "differ from one process to another: sort the set, or use a list or a dict"
        properties.append(Property(ANY_PROCESS, _any_process, hashes))
    if strategy.shares or getattr(strategy, "deterministic", False):
        declared = "deterministic" if getattr(strategy, "deterministic", False) else "shares"
        nothing_else = f"it declares {declared} = True, so its shots follow from the view alone"
        properties.append(Property("uses no randomness, as declared", _no_randomness, nothing_else))
    if strategy.plays_salvos:
        properties.append(Property(SALVOS, _salvos))
    return properties


def _copies(case: Case) -> None:
    strategy, copy = case.strategy, case.strategy.copy()
    if (copy.label, copy.parameters) != (strategy.label, strategy.parameters):
        problem = f"its copy is {copy.label!r}, and it is {strategy.label!r} itself"
        raise case.error(0, None, problem)


def _fires_legally(case: Case) -> None:
    # Asking for the games plays them.
    assert case.shots


def _repeats(case: Case) -> None:
    case.compare(case.play(), "in the same batch again")


def _any_batch(case: Case) -> None:
    case.compare(case.play(1, case.alone), "in a batch of one game")
    case.compare(case.play(3), "in a batch of 3 games")
    case.compare(case.play(len(case.blocks) + 70), "in a larger batch")


def _any_order(case: Case) -> None:
    blocks = case.blocks[::-1]
    case.compare(case.play(blocks=blocks), "in lanes in reverse order")
    # Every game once behind another one than before.
    case.compare(case.play(5, blocks[1::2] + blocks[::2]), "after other games")


def _copies_are_apart(case: Case) -> None:
    """Play with two copies, a game of one after a game of the other."""
    first: dict[int, list[Move]] = {}
    second: dict[int, list[Move]] = {}
    both = case.playing(first, 8, case.blocks), case.playing(second, 3, case.blocks[::-1])
    for _ in zip_longest(*both):
        pass
    for played in (first, second):
        case.compare(played, "while a copy of it plays, too")


def _any_process(case: Case) -> None:
    """Play where texts have other hashes, in another number of lanes."""
    played = case.play(len(case.blocks) // 2 + 1, hash_seed=_HASH_SEED)
    case.compare(played, "in another process")


def _insight_is_true(case: Case) -> None:
    def watch(strategy: Strategy, view: View, cells: Cells) -> None:
        lane = int(view.live.argmax())
        insight, cell = strategy.insight(lane), int(cells[lane])
        if insight.waiting and insight.waiting[0] != cell:
            problem = f"insight has {case.name((insight.waiting[0],))} as the next cell waiting"
        elif insight.closed is not None and insight.closed[cell]:
            problem = "insight calls that closed"
        elif (
            insight.closed is not None and view.shots[lane] and not insight.closed[view.cell[lane]]
        ):
            problem = (
                f"insight calls {case.name((int(view.cell[lane]),))} open, which was shot before"
            )
        elif insight.scores is not None and insight.scores.shape != (case.rules.cells,):
            problem = f"insight has scores of shape {insight.scores.shape}: give one for each cell"
        else:
            return
        raise Fault(lane, f"it shoots {case.name((cell,))}, and {problem}")

    case.compare(case.play(watch=watch), "when insight is asked for")


def _engine_agrees(case: Case) -> None:
    """Play without looking: kernels then play the games of some strategies whole."""
    for lanes in (4, 128):
        for block, counts in case.playing(None, lanes):
            for game, count in enumerate(counts.tolist(), start=block.first_game):
                if count != (expected := len(case.shots[game])):
                    problem = f"the engine counts {count} moves in {lanes} lanes, and shot by shot"
                    raise case.error(game, None, f"{problem} there are {expected}")


def _no_randomness(case: Case) -> None:
    """Play under another seed on the same layouts, and with shared decisions."""
    played = case.play(seed=case.seed + 1, moved=1000 * case.strategy.games_per_learner)
    case.compare(played, "under another seed on the same layout")
    if case.strategy.shares:
        played = case.play(shares=True)
        case.compare(played, "where it is not asked again after a history that another game had")


def _salvos(case: Case) -> None:
    """Play turns of several shots, with answers for each and with joint ones."""
    for answers in Answers:
        feedback = Feedback.least("ships") if answers == Answers.JOINT else case.rules.feedback
        shots = min(_SALVO, case.rules.cells)
        scenario = case.scenario.override(feedback=feedback, shots=shots, answers=answers)
        if scenario.rules.salvos and case.strategy.fits(scenario.rules):
            turns = replace(case, scenario=scenario)
            turns.compare(turns.play(1, case.alone), "in a batch of one game")
