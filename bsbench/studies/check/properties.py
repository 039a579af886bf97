"""The properties that a strategy must have, each a function that raises `Breach` without it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from bsbench.common.errors import BsbenchError, StrategyError
from bsbench.common.findings import Finding
from bsbench.own.adapter import Adapter, StandIn
from bsbench.play.lockstep import Block, Simulator
from bsbench.rules.board import Answers, Feedback, Rules
from bsbench.rules.scenario import find_scenario
from bsbench.strategies import Strategy
from bsbench.strategies.base import Cells
from bsbench.strategies.view import View
from bsbench.studies.check.cases import Breach, Case, Playing, failure

DESCRIBES = "describes itself"
"""The property that takes no game."""

_HASH_SEED = 1
"""Of a process in which sets of texts have another order than elsewhere."""

_ALONE = 4
"""Games that are also played one after the other: the slowest way to play them."""


FIRES = "fires at cells of the board, never twice at one, until the fleet is sunk"
"""The property without which no other can be checked."""

REPEATS = "plays the same game under the same seed"
INSIGHT = "gives an insight that fits its next shot"
ANY_BATCH = "plays the same games whatever the size of the batch"
ANY_PROCESS = "plays the same games in another process"
SALVOS = "plays the same salvos, of legal shots, whatever the size of the batch"

_SALVO = 3
"""Shots of a turn where salvos are checked."""


def properties_of(strategy: Strategy) -> dict[str, Callable[[Any], None]]:
    """Return what checks each property that a strategy must have, in order."""
    properties: dict[str, Callable[[Any], None]]
    properties = {DESCRIBES: _describes, FIRES: _fires_legally, **_PROPERTIES}
    if isinstance(strategy, StandIn):
        properties[ANY_PROCESS] = _any_process
    if strategy.shares or getattr(strategy, "deterministic", False):
        properties["uses no randomness, as declared"] = _no_randomness
    if strategy.plays_salvos:
        properties[SALVOS] = _salvos
    return properties


def findings_of(strategy: Strategy, cases: list[Case]) -> Iterator[Finding]:
    """Check one property after the other."""
    described, *properties = properties_of(strategy).items()
    yield _find(*described, [strategy])
    checked = cases
    for what, check in properties:
        finding = _find(what, check, checked)
        yield finding
        if check is _fires_legally:
            # To wait for every game that takes too long would take far longer.
            late = any(case.late for case in cases)
            checked = [] if late else [case for case in cases if case.ends_well]
        elif check is _repeats and not finding.passed:
            # The same games differ each time: further comparisons would show nothing.
            checked = []


def _find(what: str, check: Callable[[Any], None], cases: Sequence[Any]) -> Finding:
    """Return whether a check passes on all cases; or the first breach."""
    for case in cases:
        played = case if isinstance(case, Case) else None
        if played:
            played.listener.at(what, played.place)
        try:
            check(case)
        except Breach as breach:
            return Finding(what, False, played.describe(breach) if played else breach.problem)
        finally:
            if played:
                played.close()
    return Finding(what, True if cases else None)


def _describes(strategy: Strategy) -> None:
    name = getattr(strategy, "name", None)
    fits = isinstance(name, str) and re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
    # A language model has the name that its server knows it by.
    if not (fits or strategy.asks_elsewhere):
        raise Breach(
            f"its name is {name!r}: give it one of small letters, digits and hyphens, such as "
            "name = 'my-strategy'"
        )
    source = getattr(strategy, "source", None)
    if not isinstance(source, str) or not source.strip():
        raise Breach("it has no source: say who proposed it, such as source = 'my own'")
    if not strategy.idea:
        raise Breach("it has no docstring: begin it with its idea in one line")
    if not isinstance(strategy.needs, Feedback):
        raise Breach(f"needs is {strategy.needs!r}: give a Feedback, such as Feedback.SUNK")
    if strategy.home is not None:
        try:
            home = find_scenario(strategy.home)
        except BsbenchError as error:
            raise Breach(f"its home can't be found: {error}") from None
        if not home.rules.feedback.covers(strategy.needs):
            raise Breach(
                f"its home {home.name} gives only feedback {home.rules.feedback}, and it needs "
                f"{strategy.needs}"
            )
    try:
        copy = strategy.copy()
    except Exception as error:
        raise Breach(failure(error, "copy")) from error
    if (copy.label, copy.parameters) != (strategy.label, strategy.parameters):
        raise Breach(f"its copy is {copy.label!r}, and it is {strategy.label!r} itself")


def _fires_legally(case: Case) -> None:
    try:
        # Asking for the games plays them.
        assert case.shots
    except Breach as breach:
        # A game that took too long is not waited for again, unless what is hidden may be the cause.
        if not case.late or "does not reveal" in breach.problem:
            breach.hint = _with_more_feedback(case)
        raise


def _with_more_feedback(case: Case) -> str:
    """Return a hint if games that fail are played to the end with more feedback."""
    for feedback in Feedback:
        if case.rules.feedback.covers(feedback):
            continue
        wider = replace(case.scenario, rules=replace(case.rules, feedback=feedback))
        other = Case(case.strategy, wider, case.wanted, case.seed, case.listener)
        with contextlib.closing(other), contextlib.suppress(Breach):
            Playing(other, len(other.groups)).to_the_end()
            own = isinstance(case.strategy, Adapter)
            needs = f"'{feedback}'" if own else f"Feedback.{feedback.name}"
            return (
                f"under feedback {feedback}, it plays these games to the end: if it must know "
                f"{feedback.summary.removeprefix('also ')}, its class must say needs = {needs}"
            )
    return ""


def _leaves_the_view(case: Case) -> None:
    if case.touched:
        raise case.touched


def _repeats(case: Case) -> None:
    try:
        case.compare(Playing(case, len(case.groups)).to_the_end(), "in the same batch again")
    except Breach as breach:
        source = "the streams of bsbench.kernels, begun by self.stream_key and the game's number"
        if isinstance(case.strategy, Adapter):
            source = case.strategy.chooser.chance
        breach.hint = f"is it random? All randomness must come from {source}"
        raise


def _any_batch(case: Case) -> None:
    alone = case.groups[: max(_ALONE // case.turns, 2)]
    case.compare(Playing(case, 1, alone).to_the_end(), "in a batch of one game")
    case.compare(Playing(case, 3).to_the_end(), "in a batch of 3 games")
    case.compare(Playing(case, len(case.groups) + 70).to_the_end(), "in a larger batch")


def _any_order(case: Case) -> None:
    groups = case.groups[::-1]
    case.compare(Playing(case, len(groups), groups).to_the_end(), "in lanes in reverse order")
    # Every game once behind another one than before.
    groups = groups[1::2] + groups[::2]
    try:
        case.compare(Playing(case, 5, groups).to_the_end(), "after other games")
    except Breach as breach:
        if case.strategy.games_per_learner == 1:
            where = (
                case.strategy.chooser.begins if isinstance(case.strategy, Adapter) else "in deal"
            )
            breach.hint = f"does it remember the game before? Forget that {where}"
        raise


def _copies_are_apart(case: Case) -> None:
    first = Playing(case, len(case.groups))
    second = Playing(case, 3, case.groups[::-1])
    while all([first.step(), second.step()]):
        pass
    for playing in (first, second):
        case.compare(playing.to_the_end(), "while a copy of it plays, too")


def _any_process(case: Case) -> None:
    """Play where texts have other hashes, in another number of lanes."""
    try:
        playing = Playing(case, len(case.groups) // 2 + 1, hash_seed=_HASH_SEED)
        case.compare(playing.to_the_end(), "in another process")
    except Breach as breach:
        breach.hint = (
            "does it take what comes first in a set of texts, or does it call hash()? Both differ "
            "from one process to another: sort the set, or use a list or a dict"
        )
        raise


def _insight_is_true(case: Case) -> None:
    def watch(strategy: Strategy, lane: int, cell: int, before: list[int]) -> None:
        try:
            insight = strategy.insight(lane)
        except Exception as error:
            raise Breach(failure(error, "insight")) from error
        if insight.waiting and insight.waiting[0] != cell:
            raise Breach(
                f"it shoots {case.name(cell)}, and insight has {case.name(insight.waiting[0])} as "
                "the next cell waiting"
            )
        if insight.closed is not None:
            if insight.closed[cell]:
                raise Breach(f"it shoots {case.name(cell)}, which insight calls closed")
            for shot in before:
                if not insight.closed[shot]:
                    raise Breach(f"insight calls {case.name(shot)} open, which was shot before")
        if insight.scores is not None and insight.scores.shape != (case.rules.cells,):
            raise Breach(
                f"insight has scores of shape {insight.scores.shape}: give one for each cell"
            )

    playing = Playing(case, len(case.groups), watch=watch)
    case.compare(playing.to_the_end(), "when insight is asked for")


def _engine_agrees(case: Case) -> None:
    counts: dict[int, int] = {}
    for lanes in (4, 128):
        strategy = case.fresh()
        simulator = Simulator(case.rules, case.sampler, strategy, case.seed, lanes)
        try:
            for block, moves in simulator.play(iter(case.blocks)):
                played = range(block.first_game, block.first_game + block.games)
                counts |= zip(played, moves.tolist(), strict=True)
        except StrategyError as error:
            raise Breach(
                failure(error, "play"),
                error.game,
                None if error.shots is None else error.shots + 1,
            ) from None
        except Exception as error:
            raise Breach(failure(error, "play")) from error
        for game, count in counts.items():
            if count != len(case.shots[game]):
                raise Breach(
                    f"the engine counts {count} moves in {lanes} lanes, and shot by shot there are "
                    f"{len(case.shots[game])}",
                    game,
                )


def _no_randomness(case: Case) -> None:
    """Play under another seed on the same layouts, and with shared decisions."""
    own = getattr(case.strategy, "deterministic", False)
    declared = f"though it declares {'deterministic' if own else 'shares'} = True"
    moved = 1000 * case.strategy.games_per_learner
    playing = Playing(case, len(case.groups), seed=case.seed + 1, number=lambda game: game + moved)
    case.compare(playing.to_the_end(), f"under another seed on the same layout, {declared},")
    if case.strategy.shares:
        try:
            playing = Playing(case, len(case.groups), shares=True)
            case.compare(playing.to_the_end(), "where games with the same history share decisions")
        except Breach as breach:
            breach.hint = (
                "it is not asked again after a history that another game had: so it remembers "
                f"more than the view shows, {declared}"
            )
            raise


def _salvos(case: Case) -> None:
    """Play turns of several shots in the engine, with answers for each and with joint ones."""
    for answers in Answers:
        feedback = Feedback.least("ships") if answers == Answers.JOINT else case.rules.feedback
        shots = min(_SALVO, case.rules.cells)
        rules = replace(case.rules, feedback=feedback, shots=shots, answers=answers)
        if rules.salvos and case.strategy.fits(rules):
            expected = _turns(case, rules, len(case.groups), case.blocks)
            alone = _turns(case, rules, 1, case.blocks[: max(_ALONE // case.turns, 2)])
            for game, turns in alone.items():
                both = zip(turns, expected[game], strict=False)
                number = next((nth for nth, (one, other) in enumerate(both) if one != other), None)
                if number is not None:
                    one, other = (
                        ", ".join(map(case.name, each[number])) for each in (turns, expected[game])
                    )
                    raise Breach(
                        f"with {rules.turn_text}, its turn {number + 1} in game {game} is {one} in "
                        f"a batch of one game, and {other} when all games are played side by side"
                    )


def _turns(
    case: Case, rules: Rules, lanes: int, blocks: Sequence[Block]
) -> dict[int, list[list[int]]]:
    """Return the turns of each game in some blocks, played by other rules than the case's."""
    played: dict[int, list[list[int]]] = {}

    def observe(view: View, lanes: Cells) -> None:
        assert view.salvo is not None
        for lane in lanes.tolist():
            cells = view.salvo.cells[lane, : view.salvo.fired[lane]].tolist()
            played.setdefault(int(simulator.session.games[lane]), []).append(cells)

    try:
        strategy = case.fresh()
        simulator = Simulator(rules, case.sampler, strategy, case.seed, lanes, observer=observe)
        for _ in simulator.play(iter(blocks)):
            pass
    except StrategyError as error:
        turn = len(played.get(error.game, [])) + 1
        problem = failure(error, "salvo")
        raise Breach(
            f"with {rules.turn_text}, in turn {turn} of game {error.game}: {problem}"
        ) from None
    except Exception as error:
        raise Breach(failure(error, "salvo")) from error
    return played


_PROPERTIES: dict[str, Callable[[Case], None]] = {
    "leaves the view as it is": _leaves_the_view,
    REPEATS: _repeats,
    ANY_BATCH: _any_batch,
    "plays the same games in whatever order they are dealt": _any_order,
    "plays the same games beside a copy of itself": _copies_are_apart,
    INSIGHT: _insight_is_true,
    "plays the same games in the engine": _engine_agrees,
}
