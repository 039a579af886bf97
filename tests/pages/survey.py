"""The survey of published figures."""

from __future__ import annotations

from collections import Counter

from bsbench.studies.survey.rule import DECIDED, Word
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


def tables() -> dict[str, str]:
    """Return the counts of verdicts, the claims that the page speaks of, and a row a source."""
    found = survey()
    by_id = {each.claim.id: each for each in found.claims}
    counts = Counter(each.verdict.word for each in found.claims)
    words = [[word, f"{number}"] for word, number in counts.most_common()]
    named = [_row(by_id[name]) for name in FINDINGS]
    return {
        "verdicts": table([["verdict", "figures"], *words]),
        "findings": table([["figure", "theirs", "ours", "verdict"], *named]),
        "sources": table([["source", "figures", "agree", "differ", "undecided"], *_sources(found)]),
    }


def _row(judged: JudgedClaim) -> list[str]:
    claim, nearest = judged.claim, judged.verdict.nearest
    ours = "" if nearest is None else f"{nearest.ours:.2f}".removesuffix(".00")
    return [f"`{claim.id}`, {claim.kind}", claim.text, ours, judged.verdict.word]


def _sources(found) -> list[list[str]]:
    rows: dict[str, list[JudgedClaim]] = {}
    for each in found.claims:
        rows.setdefault(
            f"[{each.source.name}]({each.source.where}), {each.source.year}", []
        ).append(each)
    agree = (Word.AGREES, Word.OTHER, Word.CUT)
    lines = []
    for source, claims in rows.items():
        words = Counter(each.verdict.word for each in claims)
        decided = sum(words[word] for word in DECIDED)
        agreeing = sum(words[word] for word in agree)
        figures = (len(claims), agreeing, decided - agreeing, len(claims) - decided)
        lines.append([source, *(f"{each}" if each else "" for each in figures)])
    return lines
