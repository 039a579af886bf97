"""A restricted game as text: for the terminal, notebooks, and tables in Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bsbench.common.errors import option
from bsbench.present.sheets import Sheet
from bsbench.present.tables import rules_text, threads_text
from bsbench.stats import interval_text
from bsbench.studies.value.study import Restricted


def sheet(found: Restricted) -> Sheet:
    """Return what is shown of a restricted game: each strategy, then the laws that are chosen."""
    record = found.content()
    order = np.argsort([each.mixed for each in record.shooters], kind="stable")
    shooters = [record.shooters[place] for place in order]
    laws = sorted(record.laws, key=lambda each: -each.probability)
    laws = [each for each in laws if each.probability] + laws[-1:]
    value = interval_text(found.value, found.half_width)
    return Sheet(
        {
            "strategy": [each.label for each in shooters],
            "shoots": [_share(each.probability) for each in shooters],
            "against the mixture": [f"{each.mixed:.2f}" for each in shooters],
            "exploitability": [f"{each.exploitability:.2f}" for each in shooters],
            "worst law": [each.worst for each in shooters],
        },
        finding=f"if both choose as well as they can, the shooter needs {value} moves",
        more={
            "hides by": [each.law for each in laws],
            "share": [_share(each.probability) for each in laws],
            "best strategy": [each.best for each in laws],
            "its mean": [f"{each.mean:.2f}" for each in laws],
        },
        words=["strategy", "worst law", "hides by", "best strategy"],
        notes=[*_notes(found)],
    )


def _share(probability: float) -> str:
    return f"{100 * probability:.1f} %" if probability else "·"


def _notes(found: Restricted) -> Iterator[str]:
    yield f"hide so with {option('placement', str(found.hide))}"
    yield (
        "exploitability: moves beyond the value that a strategy needs against the law that is "
        "worst for it"
    )
    yield (
        f"{found.games:,} games of each of {len(found.labels)} strategies on each of "
        f"{len(found.laws)} laws, {found.scenario.name}: {rules_text(found.scenario)}, seed "
        f"{found.seed}; played in {found.play_seconds:.1f} s on {threads_text(found.threads)}"
    )
