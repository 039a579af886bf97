"""How to cite a result: BibTeX, and a paragraph for the methods section of a paper."""

from __future__ import annotations

from bsbench import __version__
from bsbench.common.texts import listed_in_words
from bsbench.rules.board import AFLOAT
from bsbench.rules.scenario import Scenario
from bsbench.runs.results import Result, counted

REPOSITORY = "https://github.com/bsbench/bsbench"
"""Where bsbench is: as in ``pyproject.toml`` and ``CITATION.cff``."""


def bibtex(version: str = __version__, *, year: str) -> str:
    """Return the entry of a bibliography for a version of bsbench.

    Parameters
    ----------
    version : str
    year : str
        When it was used, in four digits.
    """
    fields = {
        "author": "{The bsbench authors}",
        "title": "bsbench: the benchmark of {Battleship} shooting strategies",
        "version": version,
        "year": year,
        "url": REPOSITORY,
    }
    lines = "".join(f"  {key:<7} = {{{value}}},\n" for key, value in fields.items())
    return f"@software{{bsbench,\n{lines}}}"


def methods(result: Result) -> str:
    """Return what a paper says of a result: what was played, how, and what came out."""
    stats, tally = result.stats, result.tally
    games = "1 game" if stats.games == 1 else f"{stats.games:,} games"
    played = f"games {tally.first_game:,} to {tally.end - 1:,} under seed {result.seed}"
    versions = ", ".join(f"{name} {number}" for name, number in result.versions.items())
    parts = [
        f"We played {games} of the strategy {result.label} ({result.source}) with "
        f"bsbench {result.bsbench}{' (a partial run)' if result.partial else ''}.",
        scenario_words(result.scenario),
    ]
    if result.layouts_sha256 is not None:
        parts.append(f"The file of the placement law has the SHA-256 {result.layouts_sha256}.")
    parts.append(
        f"These are {played} (layout stream {result.stream_version}), so they can be played again "
        "exactly."
    )
    parts.append(
        f"The mean number of {counted([result], 'shots')} is {stats.mean_text}"
        + (" (exact)" if result.exact else " (95 % confidence interval)")
        + f"; the median is {stats.median}, the 5 % and 95 % quantiles are {stats.low} and "
        f"{stats.high}."
    )
    if result.shots is not None:
        which = result.scenario.rules.shots_text.capitalize()
        parts.append(f"{which}, {result.shots.mean_text} shots are fired on average.")
    if tally.has_evidence:
        parts.append(f"The digest of all move counts is {tally.digest}.")
    if result.revisions:
        parts.append(
            f"The revision of the code is {listed_in_words(result.revisions)}; {versions}."
        )
    return " ".join(parts)


def scenario_words(scenario: Scenario) -> str:
    """Return a scenario in words that need no bsbench to be understood."""
    rules, placement = scenario.rules, scenario.placement
    ships = listed_in_words(map(str, rules.fleet))
    laws = {
        "uniform": "every legal layout is equally likely",
        "each": "every legal layout was played once",
        "sequential": "ships are placed one after another, each at random where there is room "
        f"(placement law {placement})",
    }
    law = laws.get(placement.law, f"layouts follow the placement law {placement} of bsbench")
    # The feedback of single shots says nothing of joint answers.
    told = "" if rules.joint else rules.feedback.sentence
    if rules.salvos:
        shots = f"{rules.shots} shot{'s' * (rules.shots != 1)}"
        shots = "as many shots as own ships are afloat" if rules.shots == AFLOAT else shots
        turn = f"a turn has {shots}, fired together, and {rules.answers.sentence}"
        turn += "; the last turn is fired whole" if rules.whole_turns else ""
        told = "; ".join(filter(None, [turn, told]))
    if rules.repeats:
        told = f"{told}; a shot at a cell that was shot before counts, and reveals nothing"
    if rules.again:
        told = f"{told}, and a hit gives another shot"
    return (
        f"The scenario {scenario.name} has a board of {rules.rows} × {rules.cols} cells and ships "
        f"of length {ships}, which {rules.apart.sentence}; "
        f"{told}; {law}."
    )
