"""The survey of published figures."""

from __future__ import annotations

from collections import Counter

from bsbench.studies.survey.sheet import source_columns
from bsbench.studies.survey.study import JudgedClaim, survey
from tests.pages import table

FINDINGS = (
    "datagenetics-density-median",
    "datagenetics-density-max",
    "jev-line-edge",
    "jev-density-edge",
    "jev-line-adversarial",
    "jev-density-adversarial",
    "navalnet-dqn-training",
    "ahuja-ppo-spread",
    "sonar-hybrid-hybrid",
    "challenge-normal",
    "dgames-line",
    "lazydamian-smart",
    "rlucine-middle",
    "mayflower-density-10-test-max",
    "mayflower-4x4-32-greedy",
)
"""Claims that the page speaks of."""

PARTS = "of mayflower", "of random players", "of all others"
"""Parts of the figures: the first two agree easily."""


def part_of(judged: JudgedClaim) -> str:
    """Return to which part a figure belongs."""
    if judged.claim.source == "mayflower":
        return PARTS[0]
    return PARTS[1 if judged.claim.group == "random" else 2]


def tables() -> dict[str, str]:
    """Return the counts of verdicts, the claims that the page speaks of, and a row a source."""
    found = survey()
    by_id = {each.claim.id: each for each in found.claims}
    counts = Counter(each.verdict.word for each in found.claims)
    parts = Counter((each.verdict.word, part_of(each)) for each in found.claims)
    words = [
        [word, *map(str, (number, *(parts[word, part] for part in PARTS)))]
        for word, number in counts.most_common()
    ]
    named = [_row(by_id[name]) for name in FINDINGS]
    return {
        "verdicts": table([["verdict", "figures", *PARTS], *words]),
        "findings": table([["figure", "theirs", "ours", "verdict"], *named]),
        "sources": table([["source", "figures", "verdicts"], *_sources(found)], "---"),
    }


def _row(judged: JudgedClaim) -> list[str]:
    claim, nearest = judged.claim, judged.verdict.nearest
    ours = "" if nearest is None else f"{nearest.ours:.2f}".removesuffix(".00")
    return [f"`{claim.id}`, {claim.kind}", claim.text, ours, judged.verdict.word]


def _sources(found) -> list[list[str]]:
    """Return a row a source, the verdicts as ``bsbench survey --sources`` has them."""
    shown = source_columns(found.claims)
    known = {each.claim.source: each.source for each in found.claims}
    links = [f"[{each.name}]({each.where}), {each.year}" for each in known.values()]
    return [*map(list, zip(links, shown["figures"], shown["verdicts"], strict=True))]
