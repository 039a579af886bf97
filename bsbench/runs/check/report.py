"""What a conformance test found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Finding:
    """Whether a strategy has one property.

    Attributes
    ----------
    what : str
        The property, as what a strategy does: "fires at …".
    passed : bool or None
        None if it could not be checked, since no game was played to the end.
    message : str
        What is wrong, where, and how to fix it; empty if nothing is. Lines after the first draw
        the board.
    """

    what: str
    passed: bool | None
    message: str = ""


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

    def __str__(self) -> str:
        lines = []
        for finding in self.findings:
            mark = {True: "✓", False: "✗", None: "–"}[finding.passed]
            lines.append(f"{mark} {finding.what}")
            lines += [f"    {line}".rstrip() for line in finding.message.split("\n") if line]
        return "\n".join([*lines, *(f"! {alarm}" for alarm in self.alarms)])
