"""Does a strategy keep to the contract? A conformance test, for strategies of all kinds.

`check_strategy` plays some games over and over: again, in batches of other sizes, in another
order, beside a copy, and as the engine does. All of these must be the same games, shot by shot, and
each shot must be legal. Where a property does not hold, the report names game and move, and draws
the board. Users' classes think in processes of their own anyway (`bsbench.own`); users' kernels are
checked in a child (`apart`, `child`), which they may end or block.
"""

from __future__ import annotations

import warnings
from dataclasses import replace

from bsbench.common.arguments import checked
from bsbench.common.errors import BsbenchError, BsbenchWarning, option
from bsbench.common.findings import Finding
from bsbench.common.settings import check_numbers, read_variant
from bsbench.own.adapter import Adapter, StandIn
from bsbench.own.loading import has_kernels
from bsbench.own.printing import kept_quiet, printed_text
from bsbench.own.thinking import shared_state
from bsbench.roster import Given, as_strategy, is_strategy, strategy_names
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.scenario import DEFAULT, Scenario, find_scenario
from bsbench.runs.request import Place, check_timeout, limits_of
from bsbench.strategies import Strategy
from bsbench.studies.check.apart import check_apart
from bsbench.studies.check.cases import Case
from bsbench.studies.check.listening import Listener
from bsbench.studies.check.properties import DESCRIBES, findings_of, properties_of
from bsbench.studies.check.report import CheckReport

__all__ = ["GAMES", "TIMEOUT", "CheckReport", "Finding", "Report", "check_strategy"]

Report = CheckReport
"""Its name in the package `bsbench`."""

GAMES = 24
"""Games on the first scenario, by default; a quarter of that on each of the others."""

_MOST_GAMES = 100_000

TIMEOUT = 10.0
"""Seconds that a game may take of code in Python, by default."""

_NOBODY = Listener()

# Boards unlike the usual ones: a single cell, one row, one column, and more than 256 cells.
_ODD_BOARDS = (
    Rules(1, 1, (1,), touching=True),
    Rules(1, 9, (3,), touching=True),
    Rules(7, 1, (2, 1), touching=False),
    Rules(20, 14, (5, 4, 3), touching=False),
)


@checked
def check_strategy(
    strategy: Given,
    scenario: Place | None = None,
    games: int = GAMES,
    seed: int = 0,
    timeout: float = TIMEOUT,
) -> CheckReport:
    """Check that a strategy keeps to the contract of `Strategy`.

    Parameters
    ----------
    strategy : str, Path, Strategy, type or callable
        As for `bsbench.run`. If it is a text, the code of a user's own runs in another process, and
        whatever it does ends nothing else.
    scenario : str, Path or Scenario, optional
        Where to check it, alone. By default on its home, or on ``classic``, under all feedback
        that is enough for it, then on other scenarios and on odd boards.
    games : int
        How many on the first scenario.
    seed : int
    timeout : float
        Seconds that a game may take of a strategy in Python or numpy; or one call of a strategy
        made of kernels, compiling not counted, if it is given by its name.

    Returns
    -------
    CheckReport

    Raises
    ------
    BsbenchError
        If there is no such strategy or scenario, the scenario shows less than the strategy needs,
        or games, seed or timeout are out of range.

    Examples
    --------
    >>> check_strategy("linear", games=10).passed
    True
    """
    games, seed, _ = check_numbers(games, seed, None)
    if games > _MOST_GAMES:
        raise BsbenchError(f"a check remembers each shot: ask for {_MOST_GAMES:,} games at most")
    timeout = check_timeout(timeout)
    limits = limits_of(timeout)
    place = None if scenario is None else find_scenario(scenario)
    if isinstance(strategy, str):
        name, _ = read_variant(strategy)
        own = is_strategy(name) and name not in strategy_names()
        if own and has_kernels(name, limits.longest_start):
            return check_apart(strategy, place, games, seed, timeout)
    return check_here(as_strategy(strategy, limits), place, games, seed, timeout)


def check_here(
    strategy: Strategy,
    scenario: Scenario | None,
    games: int,
    seed: int,
    timeout: float,
    listener: Listener = _NOBODY,
) -> CheckReport:
    """Check a strategy as `check_strategy` does, in this process, which it may end.

    Parameters
    ----------
    listener : Listener
        Hears what is checked.
    """
    if isinstance(strategy, Adapter):
        strategy.timeout = timeout
    cases = [
        Case(strategy, place, games if number == 0 else -(-games // 4), seed, listener)
        for number, place in enumerate(_places(strategy, scenario))
    ]
    label, scenarios = strategy.label, tuple(case.scenario.name for case in cases)
    count = sum(len(case.games) for case in cases)
    listener.begins(label, scenarios, count, list(properties_of(strategy)))
    findings = []
    with kept_quiet() as printed:
        if isinstance(strategy, StandIn):
            strategy.printed = printed
        before = _on_class(strategy)
        for finding in findings_of(strategy, cases):
            findings.append(finding)
            listener.found(finding)
        _blame_class(findings, before, _on_class(strategy))
    if isinstance(strategy, StandIn):
        strategy.talkers.close()
    if remark := printed_text(f"strategy {strategy.name!r}", printed.lines, printed.first):
        warnings.warn(remark, BsbenchWarning, stacklevel=2)
    return CheckReport(
        label,
        scenarios,
        count,
        tuple(findings),
        tuple(f"{case.scenario.name}: {alarm}" for case in cases for alarm in case.alarms),
    )


def _on_class(strategy: Strategy) -> dict[str, tuple[str, str]]:
    """Return the lists, dicts and sets of a class by name: the type of each, and its text."""
    return strategy.shared() if isinstance(strategy, Adapter) else shared_state(type(strategy))


def _blame_class(
    findings: list[Finding], before: dict[str, tuple[str, str]], after: dict[str, tuple[str, str]]
) -> None:
    """Add to the first failure what games have changed in the class that they share."""
    changed = [name for name in before if before[name] != after.get(name)]
    for number, finding in enumerate(findings):
        if changed and finding.passed is False and finding.what != DESCRIBES:
            name = changed[0]
            hint = (
                f"its class has one {before[name][0]} {name!r} for all games, which they change: "
                "let each game make its own, as an attribute of self"
            )
            findings[number] = replace(finding, message=f"{finding.message}\n{hint}")
            return


def _places(strategy: Strategy, place: Scenario | None) -> list[Scenario]:
    """Return where to check a strategy: on the scenario given, or on unlike ones."""
    if place is not None:
        if place.rules.salvos:
            raise BsbenchError(
                f"scenario {place.name} has {place.rules.turn_text}, and a check plays single "
                "shots, and then salvos of its own if the strategy plays them: choose another"
            )
        if not place.rules.feedback.covers(strategy.needs):
            raise BsbenchError(
                f"strategy {strategy.name!r} needs feedback {strategy.needs}, and scenario "
                f"{place.name} gives only {place.rules.feedback}: choose another, or override it"
            )
        return [place]
    try:
        home = find_scenario(strategy.home or DEFAULT)
    except BsbenchError:
        home = find_scenario(DEFAULT)
    places = [home] + [find_scenario(name) for name in ("classic", "harbour", "gym-6x9")]
    kinds = [feedback for feedback in Feedback if feedback.covers(strategy.needs)]
    found = {}
    # At home with each kind of feedback it may meet, elsewhere with the least of them.
    for place, kind in [(home, kind) for kind in kinds] + [(place, kinds[0]) for place in places]:
        place = place.override(feedback=kind)
        found[place.name] = place
    for rules in _ODD_BOARDS:
        name = f"{rules.board} with ships {rules.fleet_text}"
        found[name] = Scenario(name=name, rules=replace(rules, feedback=kinds[0]))
    fitting = [place for place in found.values() if strategy.fits(place.rules)]
    if not fitting:
        raise BsbenchError(
            f"strategy {strategy.name!r} plays on none of the usual boards: "
            f"give {option('scenario')}"
        )
    return fitting
