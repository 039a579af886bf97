"""The page on salvos says what its commands print, and what its records hold."""

from __future__ import annotations

import re

import bsbench
from bsbench.studies.match.study import match
from tests.docs.test_guide import assert_shown
from tests.pages.salvos import ANSWERS, PLAIN, SHOTS, record
from tests.support import ROOT

PAGE = (ROOT / "docs" / "salvos.md").read_text(encoding="utf-8")
TEXTS = re.findall(r"```text\n(.*?)```", PAGE, flags=re.DOTALL)


def test_what_the_text_says_of_the_records():
    salvo, other = (record("each-10", name).stats.mean for name in ("salvo", "over9000"))
    assert f"needs {salvo:.2f} turns in place of {other:.2f}" in " ".join(PAGE.split())
    for answers in ANSWERS:
        for shots in SHOTS:
            for name in ("random", "over9000", PLAIN, "salvo"):
                found = record(f"{answers}-{shots}", name)
                assert (found.games, found.scenario.rules.shots) == (200_000, shots)
                assert str(found.scenario.rules.answers) == answers
                assert found.stats.half_width < 0.03
    salvo, other = (record("topcoder", name).stats.median for name in ("salvo", "over9000"))
    assert f"by turn {salvo} of topcoder, of over9000 by turn {other}" in PAGE


def test_the_page_shows_what_its_comparison_prints():
    names = ["salvo", "over9000", "random"]
    found = bsbench.compare(names, "classic", shots=5, games=20_000, seed=2029)
    assert_shown(TEXTS[0], str(found))


def test_the_page_shows_what_its_match_prints():
    found = match(["salvo", "over9000"], shots="afloat", games=20_000)
    assert_shown(TEXTS[1], str(found))
    eager = match(["salvo,hit_bonus=10", "over9000"], shots="afloat", games=20_000)
    share = eager.meetings[0, 1].score.share
    assert f"takes {100 * share:.0f} % of the points" in PAGE
