"""A check in this process: the properties of a strategy one by one, and the report of them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bsbench.common.errors import BsbenchError, BsbenchWarning, StrategyError, option
from bsbench.own.adapter import Adapter, StandIn
from bsbench.own.printing import kept_quiet, printed_text
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.scenario import DEFAULT, Scenario, find_scenario
from bsbench.runs.request import check_playable
from bsbench.strategies import Strategy
from bsbench.studies.check.cases import Case
from bsbench.studies.check.properties import FIRES, REPEATS, Property, properties_of

_ODD_BOARDS = (
    Rules(1, 1, (1,), touching=True),
    Rules(1, 9, (3,), touching=True),
    Rules(7, 1, (2, 1), touching=False),
    Rules(20, 14, (5, 4, 3), touching=False),
)
"""Boards unlike the usual ones: a single cell, one row, one column, and more than 256 cells."""


_MARKS = {True: "✓", False: "✗", None: "–"}


@dataclass(frozen=True)
class Finding:
    """Whether a strategy has one property.

    Attributes
    ----------
    what : str
        The property, as what it does: "fires at …".
    passed : bool or None
        None if it could not be checked, as where no game was played to the end.
    message : str
        What is wrong and where, with the command that shows it and what may be the cause, a line
        each; empty if nothing is.
    """

    what: str
    passed: bool | None
    message: str = ""

    def __str__(self) -> str:
        lines = [f"    {line}".rstrip() for line in self.message.split("\n") if line]
        return "\n".join([f"{_MARKS[self.passed]} {self.what}", *lines])


@dataclass(frozen=True)
class CheckReport:
    """What the conformance test of a strategy found.

    Attributes
    ----------
    strategy : str
        Its label.
    scenarios : tuple of str
        Where it was checked.
    games : int
        Games on all of these together.
    findings : tuple of Finding
        One for each property.
    alarms : tuple of str
        What no honest strategy reaches, by scenario: see `bsbench.runs.alarms`. They don't make
        the strategy fail.
    """

    strategy: str
    scenarios: tuple[str, ...]
    games: int
    findings: tuple[Finding, ...]
    alarms: tuple[str, ...] = ()

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> CheckReport:
        """Return the report that `dataclasses.asdict` has taken apart, also from JSON."""
        findings = tuple(Finding(**finding) for finding in content["findings"])
        rest = {key: tuple(content[key]) for key in ("scenarios", "alarms")}
        return cls(**{**content, **rest, "findings": findings})

    @property
    def passed(self) -> bool:
        """Whether it has all properties."""
        return all(finding.passed for finding in self.findings)

    @property
    def failures(self) -> tuple[Finding, ...]:
        """The properties that it lacks."""
        return tuple(finding for finding in self.findings if finding.passed is False)

    @property
    def text(self) -> str:
        """The result in words."""
        places, failed = len(self.scenarios), len(self.failures)
        played = f"{self.games} games on {places} scenario{'' if places == 1 else 's'}"
        if self.passed:
            return f"{self.strategy} keeps to the contract: {played}"
        return f"{self.strategy} fails {failed} of {len(self.findings)} properties: {played}"

    def __str__(self) -> str:
        return "\n".join([*map(str, self.findings), *(f"! {alarm}" for alarm in self.alarms)])


def check_here(
    strategy: Strategy,
    scenario: Scenario | None,
    games: int,
    seed: int,
    timeout: float,
    call: Callable[[str], None] = lambda _: None,
    hear: Callable[[CheckReport], None] = lambda _: None,
) -> CheckReport:
    """Check a strategy as `check_strategy` does, in this process, which it may end.

    Parameters
    ----------
    call : callable
        Hears of each call of the strategy where it is.
    hear : callable
        Hears what was found so far, while bsbench itself is busy.
    """
    if isinstance(strategy, Adapter):
        strategy.timeout = timeout
    cases = [
        Case(strategy, place, games if number == 0 else -(-games // 4), seed, call)
        for number, place in enumerate(_places(strategy, scenario))
    ]
    properties = properties_of(strategy)
    findings = [Finding(each.what, None) for each in properties]
    report = CheckReport(
        strategy.label,
        tuple(case.scenario.name for case in cases),
        sum(len(case.layouts) for case in cases),
        tuple(findings),
    )
    hear(report)
    with kept_quiet() as printed:
        if isinstance(strategy, StandIn):
            strategy.printed = printed
        for number, each in enumerate(properties):
            findings[number] = _finding(each, cases)
            report = replace(report, findings=tuple(findings))
            hear(report)
            if not findings[number].passed and each.what in (FIRES, REPEATS):
                break
    if isinstance(strategy, StandIn):
        strategy.talkers.close()
    if remark := printed_text(f"strategy {strategy.name!r}", printed.lines, printed.first):
        warnings.warn(remark, BsbenchWarning, stacklevel=2)
    alarms = (f"{case.scenario.name}: {alarm}" for case in cases for alarm in case.alarms)
    return replace(report, alarms=tuple(alarms))


def _finding(wanted: Property, cases: Sequence[Case]) -> Finding:
    """Return whether all cases have a property; or the first that has not."""
    for case in cases:
        try:
            wanted.check(case)
        except StrategyError as error:
            message = f"{case.scenario.name}: {error}"
            return Finding(wanted.what, False, "\n".join(filter(None, [message, wanted.hint])))
    return Finding(wanted.what, True)


def _places(strategy: Strategy, place: Scenario | None) -> list[Scenario]:
    """Return where to check a strategy: on the scenario given, or on unlike ones."""
    if place is not None:
        if place.rules.salvos:
            raise BsbenchError(
                f"scenario {place.name} has {place.rules.turn_text}, and a check plays single "
                "shots, and then salvos of its own if the strategy plays them: choose another"
            )
        place.rules.check_no_repeats("a check plays open cells")
        check_playable(strategy, place)
        return [place]
    home = find_scenario(strategy.home or DEFAULT)
    needed = strategy.needs.reveals
    kinds = [feedback for feedback in Feedback if feedback.reveals.cover(needed)]
    # At home with each kind of feedback it may meet, elsewhere with the least of them.
    usual = [find_scenario(name) for name in ("classic", "harbour", "gym-6x9")]
    places = [home.override(feedback=kind) for kind in kinds]
    places += [place.override(feedback=kinds[0]) for place in usual]
    for rules in _ODD_BOARDS:
        places.append(Scenario(rules=replace(rules, feedback=kinds[0])))
    found = {place.name: place for place in places}
    fitting = [place for place in found.values() if strategy.plays(place.rules)]
    if not fitting:
        raise BsbenchError(
            f"strategy {strategy.name!r} plays on none of the usual boards: "
            f"give {option('scenario')}"
        )
    return fitting
