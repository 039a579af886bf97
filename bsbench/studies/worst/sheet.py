"""The worst case as text: for the terminal, for tables in Markdown and LaTeX, and as a file."""

from __future__ import annotations

from itertools import chain

from bsbench.present.sheets import Sheet
from bsbench.present.tables import rules_text
from bsbench.rules.drawing import OPEN, SUNKEN, BoardView
from bsbench.rules.placement import Placement
from bsbench.runs.request import replay_line
from bsbench.stats import interval_text
from bsbench.studies.worst.study import Worst


def worst_sheet(found: Worst, output: str | None = None) -> Sheet:
    """Return what is shown of the worst layout: the board with all ships on it.

    Parameters
    ----------
    found : Worst
    output : str, optional
        The file of layouts that holds the layout.
    """
    where = found.scenario
    rules = rules_text(where).rpartition(", ")[0]
    columns = {
        "strategy": found.strategy.label,
        "scenario": where.name,
        where.rules.counted: _moves_text(found),
        "layout": found.layout,
        "proven": "yes" if found.proven else "no",
        "climbs": f"{found.climbs:,}",
        "found again": f"{found.again:,}",
        "games": f"{found.games:,}",
    }
    notes = [
        *(["partial: interrupted before the search was over"] if found.partial else []),
        found.layout,
        f"{how_sure(found)}; {found.games:,} games in {found.seconds:.1f} s, seed {found.seed}",
    ]
    if output is not None:
        there = where.override(placement=Placement("file", output))
        notes.append(replay_line(found.strategy, there, found.seed, 0))
    return Sheet(
        {name: [cell] for name, cell in columns.items()},
        [f"{where.name}: {rules}", f"{_found_text(found)} on this layout"],
        notes,
        _board(found),
    )


def _board(found: Worst) -> BoardView:
    rules = found.scenario.rules
    marks = [OPEN] * rules.cells
    for cell in chain.from_iterable(rules.ships(found.codes)):
        marks[cell] = SUNKEN
    return BoardView(rules.rows, rules.cols, rules.fleet, tuple(marks))


def how_sure(found: Worst) -> str:
    """Return whether no layout is worse, or how often as bad ones were found."""
    if found.layouts is not None:
        alike = (
            f"one of {found.layouts:,} such layouts"
            if found.layouts > 1
            else "no other needs as many"
        )
        return f"proven: each layout was played; {alike}"
    if found.proven:
        return "proven: no game is longer"
    if not found.climbs:
        return "not proven: no climb came to its end; allow more games"
    ended = f"{found.climbs:,} climb{'' if found.climbs == 1 else 's'}"
    within = "within a move of it" if found.half_width is not None else "there"
    return f"not proven: {found.again:,} of {ended} ended {within}"


def file_text(found: Worst) -> str:
    """Return the text of a file of layouts that lists the layout."""
    rules = found.scenario.rules
    return "\n".join(
        [
            f"# {_found_text(found)} on it, with feedback {rules.feedback}",
            f"# ({how_sure(found)}; {found.games:,} games, seed {found.seed}).",
            found.layout,
            "",
        ]
    )


def _found_text(found: Worst) -> str:
    mean = "" if found.half_width is None else " on average"
    return f"{found.strategy.label} needs {_moves_text(found)} {found.scenario.rules.counted}{mean}"


def _moves_text(found: Worst) -> str:
    if found.half_width is None:
        return f"{found.moves:.0f}"
    return interval_text(found.moves, found.half_width)
