"""A comparison as a page of HTML, with a game of each: it loads nothing, and needs no network."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from bsbench.common.errors import BsbenchError, StrategyError
from bsbench.present.charts.ranking import ranking
from bsbench.present.pages import environment, hash_of, source
from bsbench.present.replaying import replay
from bsbench.present.replaying.page import page_text, script_text
from bsbench.present.report.render import inline_svg
from bsbench.present.report.replays import median_game
from bsbench.present.tables import experiment_table, played_text, rules_text
from bsbench.present.verdicts import best_first, verdict
from bsbench.runs.comparison import Comparison
from bsbench.runs.results import counted
from bsbench.stats import Difference, Race
from bsbench.strategies import Strategy

_REPORT = "bsbench.present.report"

_PATIENCE = 5.0
"""Seconds at most that a game is played again in which a strategy took too long."""


@dataclass(frozen=True)
class _Shown:
    """A game of a strategy, and what it is called; or why there is none."""

    title: str
    page: str = ""


def html_text(
    panels: Sequence[Comparison],
    strategies: Sequence[Strategy],
    timeout: float,
    note: Callable[[str], object] = lambda text: None,
) -> str:
    """Return comparisons as an HTML file.

    Parameters
    ----------
    panels : sequence of Comparison
        Of each scenario and seed.
    strategies : sequence of Strategy
        Those that played.
    timeout : float
        Seconds that a game may take which is played again to be shown.
    note : callable, optional
        Called with a line on what is done.
    """
    sort, player = source(_REPORT, "sort.js"), script_text()
    known = {strategy.label: strategy for strategy in strategies}
    labels = dict.fromkeys(
        label
        for panel in panels
        for label in (*(result.label for result in panel.results), *known, *panel.faults)
    )
    sections = []
    for label in labels:
        note(f"a game of {label}")
        sections.append(_section(panels, label, known.get(label), timeout))
    anchors = {label: f"player-{number}" for number, label in enumerate(labels)}
    return (
        environment(_REPORT)
        .get_template("compared.html.jinja")
        .render(
            title=f"{len(labels)} strategies on {', '.join(dict.fromkeys(map(_place, panels)))}",
            panels=[_panel(panel, number, panels) for number, panel in enumerate(panels)],
            sections=sections,
            anchors=anchors,
            where=panels[0].results[0],
            style=Markup(
                source(_REPORT, "palette.css")
                + source(_REPORT, "report.css")
                + source(_REPORT, "compared.css")
            ),
            script=Markup(sort),
            # A game stands in a frame of its own, whose script the policy of this page allows.
            hashes=[hash_of(sort), hash_of(player)],
        )
    )


def _place(panel: Comparison) -> str:
    return panel.results[0].scenario.name


def _heading(panel: Comparison, panels: Sequence[Comparison]) -> str:
    """Return what a panel is called beside others."""
    seeds = len({each.seed for each in panels}) > 1
    return f"{_place(panel)}, seed {panel.seed}" if seeds else _place(panel)


def _panel(panel: Comparison, number: int, panels: Sequence[Comparison]) -> dict[str, Any]:
    """Return what the page shows of a panel."""
    ranked = best_first(panel)
    results = ranked.results
    moves = counted(results)
    table = experiment_table([ranked], ("sd",))
    crossed = panel.crossed(results)
    cells = [
        [
            None if first == second else _cell(difference, race)
            for second, (difference, race) in enumerate(zip(*row, strict=True))
        ]
        for first, row in enumerate(zip(*crossed, strict=True))
    ]
    chart = inline_svg(ranking(panel), f"ranking{number}-", f"Mean {moves} on {_place(panel)}")
    return {
        "heading": _heading(panel, panels),
        "moves": moves,
        "verdict": verdict(panel),
        "rules": rules_text(results[0].scenario),
        "played": played_text(results),
        "headers": [*table.columns],
        "rows": [*zip(*table.columns.values(), strict=True)],
        "names": [result.label for result in results],
        "notes": table.notes,
        "cells": cells if len(results) > 1 else None,
        "faults": panel.faults,
        "chart": chart,
    }


def _cell(difference: Difference, race: Race | None) -> dict[str, Any]:
    """Return what the table of all against all has of two."""
    kind = "" if not difference.significant else "fewer" if difference.mean < 0 else "more"
    clear = "" if difference.significant else "≈ "
    shares = "" if race is None else "/".join(f"{100 * share:.0f}" for share in race.shares)
    return {"text": f"{clear}{difference.text}", "shares": shares, "kind": kind}


def _section(
    panels: Sequence[Comparison], label: str, strategy: Strategy | None, timeout: float
) -> dict[str, Any]:
    """Return what the page shows of a strategy or record."""
    played = [
        (_heading(panel, panels), result, rank)
        for panel in panels
        for result, rank in zip(panel.results, panel.ranks, strict=True)
        if result.label == label
    ]
    faults = [
        (_heading(panel, panels), panel.faults[label]) for panel in panels if label in panel.faults
    ]
    return {
        "label": label,
        "strategy": strategy,
        "played": played,
        "alarms": [(where, alarm) for where, result, _ in played for alarm in result.alarms],
        "faults": faults,
        "shown": None if strategy is None else _game_of(panels, strategy, timeout),
    }


def _game_of(panels: Sequence[Comparison], strategy: Strategy, timeout: float) -> _Shown | None:
    """Return the game of a strategy that is shown: that in which it failed, or the median one."""
    for panel in panels:
        fault: StrategyError | None = panel.faults.get(strategy.label)
        known = [each for each in panel.results if each.label == strategy.label]
        result = known[0] if known else None if fault is None else fault.result
        where, patience = panel.results[0], timeout
        if fault is not None and fault.replay:
            game, title = fault.game, f"Game {fault.game}, in which it failed"
            patience = min(timeout, _PATIENCE)
        elif result is not None and (found := median_game(result)) is not None:
            game = found
            title = f"Its median game: game {game}, {result.stats.median} {counted([result])}"
        else:
            continue
        seed = where.seed if fault is None else fault.seed
        try:
            again = replay(strategy, where.scenario, seed=seed, game=game, timeout=patience)
        except BsbenchError as error:
            return _Shown(f"{title}, can't be shown: {error}")
        # With less time, a game that took too long ends earlier; what is said of it stays.
        wrong = again.fault and (fault or again.fault)
        return _Shown(title, page_text([dataclasses.replace(again, fault=wrong)]))
    return None
