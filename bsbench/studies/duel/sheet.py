"""A duel as text: for the terminal, notebooks, and tables in Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Iterable

from bsbench.present.sheets import Sheet
from bsbench.present.tables import (
    alarm_texts,
    interrupted_text,
    name_of,
    own_notes,
    played_text,
    shots_column,
    shots_text,
)
from bsbench.runs.results import counted
from bsbench.stats import interval_texts
from bsbench.studies.duel.study import Duel


def sheet(duel: Duel) -> Sheet:
    """Return what is shown of a duel: on the terminal in words alone."""
    return Sheet(
        duel_columns(duel),
        notes=[*duel_notes(duel)],
        alarms=[*alarm_texts(duel.results)],
        finding=duel.text,
        in_words=True,
    )


def duel_columns(duel: Duel) -> dict[str, list[str]]:
    """Return the table of a duel: a row for each of the two."""
    both, shares = (duel.first, duel.second), duel.race.shares
    return {
        "strategy": [name_of(result) for result in both],
        "mean ± 95 %": interval_texts(
            (result.stats.mean for result in both), (result.stats.half_width for result in both)
        ),
        **shots_column(both),
        "finishes first %": [f"{100 * share:.1f}" for share in (shares[0], shares[2])],
    }


def duel_notes(duel: Duel) -> Iterable[str]:
    """Yield what the verdict of a duel rests on."""
    first, second = duel.first, duel.second
    wins, ties, losses = (f"{100 * share:.1f} %" for share in duel.race.shares)
    yield (
        f"{first.label} {first.stats.mean:.2f}, {second.label} {second.stats.mean:.2f} "
        f"{counted(duel.results)} on average; {first.label} finishes first in {wins} of the "
        f"games, {second.label} in {losses}, both at once in {ties}"
    )
    if shots := shots_text(duel.results):
        yield shots
    yield from alarm_texts((first, second))
    yield from own_notes((first, second))
    if duel.partial:
        yield f"partial: {interrupted_text(duel.games, duel.most)}"
    yield f"{played_text((first, second), in_full=True)}; {duel.play_seconds:.2f} s"
