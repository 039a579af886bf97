"""Contestants of comparisons: strategies and results, and what they play."""

from __future__ import annotations

import dataclasses
import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from bsbench.common.errors import BsbenchError, NotLoadedError, StrategyError, option
from bsbench.common.settings import check_choice, read_variant
from bsbench.common.texts import for_terminal, shortened
from bsbench.own.adapter import origin_of
from bsbench.own.loading import is_own_file, is_spec
from bsbench.own.thinker import NO_LIMITS, Limits
from bsbench.roster import (
    Given,
    as_strategy,
    check_trust,
    find_strategy,
    make_strategy,
    strategy_names,
)
from bsbench.rules.scenario import Scenario, find_scenario
from bsbench.runs.finding import is_record, one_record
from bsbench.runs.records import check_copies, load_result
from bsbench.runs.request import Request
from bsbench.runs.results import Result
from bsbench.strategies import Strategy


def scenario_of(records: Iterable[Result]) -> Scenario:
    """Return the scenario that records were played on.

    Of several, that with the most feedback: beyond what a strategy needs, it does not change its
    shots.
    """
    return max((each.scenario for each in records), key=lambda each: each.rules.feedback)


class LineUp(NamedTuple):
    """Who is compared: the label of the reference is None for the best.

    ``refused`` has by name why others can't be loaded.
    """

    contestants: list[Strategy | Result]
    reference: str | None
    refused: dict[str, StrategyError]


def check_comparable(records: Iterable[Result], scenario: Scenario) -> None:
    """Refuse records that were not played on a scenario, whatever its feedback.

    Raises
    ------
    BsbenchError
        If one was not.
    """
    for result in records:
        if result.scenario.move_law != scenario.move_law:
            raise BsbenchError(
                f"{result.label} was played on {result.scenario.name}, which does not compare with "
                f"{scenario.name}: give results of the same board, fleet, touching, shots of "
                "a turn, and placement law"
            )


def with_records(request: Request, records: Sequence[Result]) -> Request:
    """Return a request with what it leaves open as in the records that strategies are to meet.

    Scenario and seed are those of the records, and so is the number of games.

    Raises
    ------
    BsbenchError
        If it asks for what can't be compared with records, or these were played on other scenarios.
    """
    if not records:
        return request
    request.check_single("a comparison with records")
    if request.until is not None:
        raise BsbenchError(
            f"only strategies can play until a difference is known, and {records[0].label} is a "
            f"result: leave out {option('until')}, or name all by their strategies"
        )
    if request.exact or request.first_game:
        raise BsbenchError(
            "strategies play the games of the results they are compared with, from the first on: "
            f"leave out {option('exact')} and {option('first_game')}"
        )
    request = dataclasses.replace(
        request,
        scenarios=request.scenarios or (scenario_of(records),),
        games=records[0].games if request.games is None else request.games,
        seeds=request.seeds or (records[0].seed,),
    )
    check_comparable(records, *request.scenarios_or(None))
    return request


def line_up(
    strategies: Iterable[Given | Result],
    reference: str | None = None,
    limits: Limits = NO_LIMITS,
    keep_going: bool = False,
) -> LineUp:
    """Return the contestants of a comparison, made or read, and the label of its reference.

    If another contestant has the label of a result already, the name of the result's record, or
    else a number, is added to the label; to those of users' own strategies, what was typed. With
    ``keep_going``, files whose code can't be loaded are left out.

    Raises
    ------
    BsbenchError
        If there are fewer than two, one is unknown, two strategies are the same, two records
        contradict each other, or the reference is none of them.
    """
    if isinstance(strategies, str | Path | type) or not isinstance(strategies, Iterable):
        raise BsbenchError(
            "strategies to compare are given as a list, such as compare(['prob', 'random']), not "
            f"as {shortened(strategies)}"
        )
    given = [str(each) if isinstance(each, Path) else each for each in strategies]
    refused = dict(_refused(given, limits)) if keep_going else {}
    given = [each for each in given if not (isinstance(each, str) and each in refused)]
    contestants: list[Strategy | Result] = []
    for each in given:
        if isinstance(each, Result):
            contestants.append(each)
        elif isinstance(each, str) and is_record(each):
            contestants.append(load_result(one_record(each)))
        else:
            contestants.append(as_strategy(each, limits))
    check_copies(
        (source, each)
        for source, each in zip(given, contestants, strict=True)
        if isinstance(source, str) and isinstance(each, Result)
    )
    playing = [each for each in contestants if isinstance(each, Strategy)]
    tell_apart(playing)
    taken = set[str]()
    for each in playing:
        if each.label in taken:
            raise BsbenchError(f"{each.label!r} is named twice: compare it with other strategies")
        taken.add(each.label)
    # The next number to try for each label: hundreds of records may be of one strategy.
    numbers: dict[str, Iterator[int]] = defaultdict(partial(itertools.count, 2))
    for place, each in enumerate(contestants):
        if isinstance(each, Result):
            label, source = each.label, given[place]
            if label in taken and isinstance(source, str):
                label = f"{label} ({for_terminal(Path(source).stem)})"
            while label in taken:
                label = f"{each.label} ({next(numbers[each.label])})"
            contestants[place] = dataclasses.replace(each, label=label)
            taken.add(label)
    labels = [each.label for each in contestants]
    if len(labels) < 2:
        if refused:
            raise BsbenchError("\n".join(map(str, refused.values())))
        named = f"there is only {labels[0]!r}" if labels else "none is named"
        raise BsbenchError(f"a comparison takes two strategies or more, and {named}")
    faults = {fault.strategy: fault for fault in refused.values()}
    if reference is None:
        return LineUp(contestants, None, faults)
    if reference in given:
        return LineUp(contestants, labels[given.index(reference)], faults)
    check_choice("reference", reference, labels)
    return LineUp(contestants, reference, faults)


def tell_apart(strategies: Sequence[Strategy]) -> None:
    """Add what was typed to the labels of users' own strategies that are called the same."""
    kinds: dict[str, set[type[Strategy]]] = defaultdict(set)
    for each in strategies:
        kinds[each.label].add(type(each))
    for each, several in [(each, len(kinds[each.label]) > 1) for each in strategies]:
        if several and not each.built_in:
            each.typed = for_terminal(origin_of(each).called)


def _refused(
    given: Sequence[Given | Result], limits: Limits
) -> Iterator[tuple[Given | Result, StrategyError]]:
    """Yield those whose file is there, but can't be loaded, and why."""
    for each in given:
        name = read_variant(str(each))[0] if isinstance(each, str | Path) else ""
        if is_own_file(name):
            try:
                find_strategy(name, limits)
            except BsbenchError as error:
                problem, _, line = str(error).partition("\n")
                yield each, NotLoadedError(for_terminal(str(each)), problem, line.strip())


def strategy_of(
    result: Result,
    named: Iterable[str] = (),
    trust: bool | None = False,
    others: bool = False,
    limits: Limits = NO_LIMITS,
) -> Strategy:
    """Return the strategy that played a run, to play its games again.

    Code of a user's own strategy runs only if the user allows it.

    Parameters
    ----------
    result : Result
        Read from a record, which may come from a stranger.
    named : iterable of str
        Strategies that the user names beside the record: that of the record may be one of them.
    trust : bool or None
        Whether the record may name a strategy that is not built in; None as False, where the user
        can't say so.
    others : bool
        Whether the user may name other strategies, too.
    limits : Limits, optional
        What a user's own code may take.

    Raises
    ------
    BsbenchError
        If the strategy is not allowed or not known here, the user named another one or other
        parameters, or the games can't be played again.
    """
    result.check_stream()
    own = None
    for text in named:
        name, settings = read_variant(text)
        kind = find_strategy(name, limits)
        same = kind.name == result.strategy
        if same:
            own = own or kind.configured(result.parameters)
            same = kind.configured(own.parameters | settings).label == own.label
        if not (same or others):
            raise BsbenchError(f"the record is of {result.label}, not of {text}: leave that out")
    if own is not None:
        return own
    # Where the record says that a user's own strategy is from.
    place = result.source if is_spec(result.source) else result.strategy
    if result.strategy in strategy_names():
        place = result.strategy
    how = f"name it with {option('strategy')}, too"
    check_trust(place, "the record", trust, how)
    try:
        strategy = make_strategy(place, result.parameters, limits)
    except BsbenchError as error:
        raise BsbenchError(
            f"the strategy of the record is not known here ({error}): {how}"
        ) from None
    if strategy.name != result.strategy:
        raise BsbenchError(
            f"the record is of {result.strategy!r}, and {place} is called {strategy.name!r}: {how}"
        )
    return strategy


def shared_home(strategies: Iterable[Strategy]) -> str | None:
    """Return the scenario that is home to all strategies that have a home, if there is one.

    Of several homes, those don't count on whose board a strategy does not play: a trained agent
    knows one board.
    """
    strategies = list(strategies)
    homes = {strategy.home for strategy in strategies if strategy.home is not None}
    if len(homes) > 1:
        rules = {home: find_scenario(home).rules for home in homes}
        homes = {home for home in homes if all(each.fits(rules[home]) for each in strategies)}
    return homes.pop() if len(homes) == 1 else None


def scenarios_for(
    request: Request, shooters: Sequence[Strategy]
) -> tuple[tuple[Scenario, ...], str]:
    """Return where strategies play, and what is said of that where nobody has named it.

    Raises
    ------
    BsbenchError
        As `Request.scenarios_or` does.
    """
    home = shared_home(shooters)
    where = request.scenarios_or(home)
    if request.scenarios or not shooters:
        return where, ""
    at_home = {shooter.name: shooter.home for shooter in shooters if shooter.home}
    why = "the default, since no strategy has a home"
    if home:
        why = f"home of {', '.join(name for name, of in at_home.items() if of == home)}"
    elif at_home:
        why = f"the default, since {', '.join(at_home)} don't share a home"
    elif len(shooters) == 1:
        why = f"the default, since {shooters[0].name} has no home"
    return where, f"scenario {where[0].name} ({why})"
