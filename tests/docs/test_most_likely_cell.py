"""The page docs/most-likely-cell.md is true: its figures are those of the records."""

from __future__ import annotations

import pytest

from bsbench.reproduce.folder import load_report
from tests import pages

PAGE = pages.read_page("most-likely-cell")


@pytest.fixture(scope="module")
def found():
    """Return mean moves, and differences to the first strategy, by part and label."""
    report = load_report(pages.ROOT / "results" / "posterior")
    return {
        section.name: {
            result.label: (result.stats.mean, difference)
            for result, difference in zip(
                section.comparison.results, section.comparison.differences, strict=True
            )
        }
        for section in report.sections
    }


def test_what_the_text_says(found):
    def below(difference, bound: float = 0.0) -> bool:
        return difference.mean + difference.half_width < bound

    sunk, ship, hit, gym = (found[part] for part in ("sunk", "ship", "hit", "gym"))
    lattice, pattern, lengths = "lattice", "posterior pattern=lattice", "posterior pattern=lengths"
    # Where ships may touch, lattice is ahead when the end of a ship is announced.
    assert all(
        sunk[label][1].mean > sunk[label][1].half_width for label in sunk if label != lattice
    )
    assert ship["posterior"][1].mean > ship["posterior"][1].half_width
    # Exact counts gain ten shots where only hits are announced.
    assert -12 < hit["posterior"][1].mean < -9
    # The pattern shortens the games in every table.
    for part in (sunk, ship, hit, gym):
        assert part[pattern][0] < part["posterior"][0]
    # Where ships never touch, exact counts are ahead, and most with both.
    assert all(below(gym[label][1]) for label in ("posterior", pattern, lengths))
    assert min(gym, key=lambda label: gym[label][0]) == lengths
