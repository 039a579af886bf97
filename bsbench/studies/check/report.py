"""What a conformance test found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bsbench.common.findings import Finding


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
        return "\n".join([*map(str, self.findings), *(f"! {alarm}" for alarm in self.alarms)])
