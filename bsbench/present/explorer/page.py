"""The explorer as one HTML page that needs no other file.

Games to watch are the pages that `bsbench replay` writes. Each stands in a frame when it is asked
for; what all of them have in common is kept once. A frame inherits the policy of this page, which
therefore allows the styles and scripts of these pages, too.
"""

from __future__ import annotations

import base64
import json
import math
import re
import shlex
import zlib
from collections.abc import Callable, Mapping, Sequence
from html import unescape
from typing import Any

from markupsafe import Markup

import bsbench
from bsbench.common.errors import BsbenchError
from bsbench.common.parameters import changed_settings
from bsbench.common.settings import setting_text, variant_of
from bsbench.own.loading import is_spec
from bsbench.present.explorer.again import Again
from bsbench.present.explorer.scenes import Scene
from bsbench.present.looks import COLOURS, LINES, dashes_of, own_look
from bsbench.present.pages import environment, hash_of, source
from bsbench.present.replaying import Replay
from bsbench.present.replaying.page import page_text as replay_page
from bsbench.present.tables import alarm_texts, comparison_table, own_notes, played_text, rules_text
from bsbench.present.verdicts import verdict
from bsbench.roster import find_strategy, strategy_names
from bsbench.rules.scenario import scenario_options
from bsbench.runs.comparison import Comparison
from bsbench.runs.results import Result, counted
from bsbench.stats import Difference, exact_text, interval_texts
from bsbench.stats.histograms import quantile

_PACKAGE = __name__.rpartition(".")[0]
_STYLES = ("palette.css", "explorer.css")
_SCRIPTS = ("model.js", "views.js", "explorer.js")

_WIDTH = 2
"""Of lines, in pixels."""

_LARGEST_GAMES = 1_000_000
"""Characters of all games to watch: together with the figures, a page has less than 1.5 MB."""


def page_text(
    title: str, shown: Sequence[Again], say: Callable[[str], object] = lambda text: None
) -> str:
    """Return the explorer as an HTML page.

    Parameters
    ----------
    title : str
    shown : sequence of Again
        At least one.
    say : callable, optional
        Called with a line on the games that the page has no room for, if there are any.
    """
    pages, policies = _Pages(), _Policies()
    scenes, left_out = [], 0
    for again in shown:
        kept = pages.add(again.watched, policies)
        scenes.append(_scene(again, kept))
        left_out += len(again.watched) - len(kept)
    if left_out:
        games = left_out + pages.count
        say(f"the page has room for {pages.count} of {games} games to watch")
    style = "".join(source(_PACKAGE, name) for name in _STYLES)
    script = "".join(source(_PACKAGE, name) for name in _SCRIPTS)
    policies.allow("style-src", f"'{hash_of(style)}'")
    policies.allow("script-src", f"'{hash_of(script)}'")
    templates = environment(_PACKAGE)
    templates.filters["rows"] = lambda columns: zip(*columns, strict=True)
    return templates.get_template("explorer.html.jinja").render(
        title=title,
        policy=policies.text,
        style=Markup(style),
        script=Markup(script),
        data={"scenes": scenes, "games": pages.packed()},
        tables=[_static(again) for again in shown],
        version=bsbench.__version__,
    )


class _Policies:
    """What a page and the pages in its frames may load: nothing but what is allowed here."""

    def __init__(self) -> None:
        self._allowed: dict[str, dict[str, None]] = {}

    def allow(self, what: str, *sources: str) -> None:
        """Allow sources, such as the hash of a script."""
        self._allowed.setdefault(what, {}).update(dict.fromkeys(sources))

    def allow_page(self, page: str) -> None:
        """Allow what the policy of a page allows."""
        found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
        assert found is not None, "a replay has a policy"
        for directive in unescape(found[1]).split(";"):
            what, *sources = directive.split()
            if sources != ["'none'"]:
                self.allow(what, *sources)

    @property
    def text(self) -> str:
        """The policy."""
        parts = ["default-src 'none'", "base-uri 'none'", "form-action 'none'"]
        for what, sources in self._allowed.items():
            # Hashes beside it would switch it off.
            inline = "'unsafe-inline'"
            listed = [inline] if what == "style-src" and inline in sources else sources
            parts.append(f"{what} {' '.join(listed)}")
        return "; ".join(parts)


class _Pages:
    """Pages of games as the numbers of their lines, most of which are in all of them."""

    def __init__(self) -> None:
        self._lines: dict[str, int] = {}
        self._pages: list[list[int]] = []
        self._size = 0

    def add(
        self, games: Mapping[tuple[str, int], Replay], policies: _Policies
    ) -> dict[tuple[str, int], int]:
        """Return the number of the page of each game, for as many games as there is room."""
        kept = {}
        for key, game in games.items():
            page = replay_page([game])
            lines = page.splitlines(keepends=True)
            fresh = [line for line in lines if line not in self._lines]
            # Packed, heat maps are about two thirds as long.
            more = sum(map(len, fresh)) * 2 // 3
            if self._size + more > _LARGEST_GAMES:
                break
            self._size += more
            policies.allow_page(page)
            kept[key] = len(self._pages)
            self._pages.append([self._lines.setdefault(line, len(self._lines)) for line in lines])
        return kept

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._pages)

    def packed(self) -> str:
        """Return all pages, packed by zlib, in base64."""
        text = json.dumps({"lines": list(self._lines), "pages": self._pages})
        return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def _scene(again: Again, kept: Mapping[tuple[str, int], int]) -> dict[str, Any]:
    """Return what the scripts read of a scene."""
    scene = again.scene
    labels = [result.label for result in scene.results]
    return {
        "title": scene.title,
        "verdict": verdict(scene.compared(scene.reference)),
        "facts": f"{_rules(scene)}; {played_text(scene.results)}",
        "notes": [*alarm_texts(scene.results), *own_notes(scene.results)],
        # What is counted, and its parts: single shots, or turns.
        "moves": counted(scene.results),
        "shot": counted(scene.results, "shot"),
        "cells": scene.results[0].scenario.rules.cells,
        "reference": labels.index(scene.reference),
        "alike": scene.alike,
        "feedbacks": {str(kind): kind.summary for kind in scene.feedbacks},
        "exact": all(result.exact for result in scene.results),
        "strategies": [
            _strategy(again, result, text, kept)
            for result, text in zip(scene.results, _means(scene.results), strict=True)
        ],
        "pairs": [_row(again, comparison) for comparison in scene.comparisons],
        "colours": [*COLOURS],
        "lines": [dashes_of(line, _WIDTH) for line in LINES.values()],
    }


def _rules(scene: Scene) -> str:
    """Return the rules, with all kinds of feedback."""
    scenario = scene.results[0].scenario
    text = rules_text(scenario)
    if not scene.feedbacks:
        return text
    *others, last = map(str, scene.feedbacks)
    kinds = f"{', '.join(others)} or {last}"
    return text.replace(f"feedback {scenario.rules.feedback}", f"feedback {kinds}")


def _strategy(
    again: Again, result: Result, text: str, kept: Mapping[tuple[str, int], int]
) -> dict[str, Any]:
    stats, scene, wish = result.stats, again.scene, own_look(result.label)
    played = slice(stats.best, stats.worst + 1)
    return {
        "label": result.label,
        # Colours are chosen for what is shown: the script gives them as `looks` does.
        "wish": wish and {"colour": wish.name, "dashes": wish.dashes(_WIDTH)},
        "feedback": str(result.scenario.rules.feedback) if scene.feedbacks else "",
        "games": result.games,
        # From the best on.
        "counts": result.counts[played].tolist(),
        "firsts": result.tally.firsts[played].tolist(),
        "mean": stats.mean,
        "half": _or_null(stats.half_width),
        "text": text,
        "median": stats.median,
        "low": stats.low,
        "high": stats.high,
        "best": stats.best,
        "worst": stats.worst,
        "quarters": [quantile(result.counts, share) for share in (0.25, 0.75)],
        # As text: JavaScript has whole numbers of 53 bits.
        "seed": f"{result.seed}",
        "command": _command(scene.names[result.label], result),
        "pages": {
            str(moves): number for (label, moves), number in kept.items() if label == result.label
        },
        "reason": again.reasons.get(result.label, ""),
    }


def _means(results: Sequence[Result]) -> list[str]:
    """Return the texts of the column of means."""
    if any(result.exact for result in results):
        return [result.stats.mean_text for result in results]
    return interval_texts(
        (result.stats.mean for result in results), (result.stats.half_width for result in results)
    )


def _row(again: Again, comparison: Comparison) -> list[dict[str, Any] | None]:
    """Return how each strategy compares with a reference; None for itself."""
    first = again.races(comparison.reference)
    raced = (
        {}
        if first is None
        else {result.label: race for result, race in zip(first.results, first.races, strict=True)}
    )
    row: list[dict[str, Any] | None] = []
    for result, difference, pair in zip(
        comparison.results, comparison.differences, comparison.pairs, strict=True
    ):
        if result.label == comparison.reference:
            row.append(None)
            continue
        race = raced.get(result.label) if pair is None else pair.race
        same = race is not None and pair is not None and race.ties == race.games
        row.append(
            {
                "mean": difference.mean,
                "half": _or_null(difference.half_width),
                "text": "= 0" if same else _text(difference, comparison.exact),
                "clear": difference.significant,
                # Games that the interval rests on, where they were compared one by one.
                "paired": 0 if pair is None else int(pair.counts.sum()),
                "race": None if race is None else [race.wins, race.ties, race.losses],
            }
        )
    return row


def _text(difference: Difference, exact: bool) -> str:
    if exact:
        text = exact_text(difference.mean)
        return text if text.startswith("-") else f"+{text}"
    return difference.text


def _command(label: str, result: Result) -> str:
    """Return the command that shows a game, up to its number.

    No code of a user's own strategy is run to find it.
    """
    who = result.strategy
    if who in strategy_names():
        try:
            strategy = find_strategy(who).configured(result.parameters)
            settings = changed_settings(strategy)
        except BsbenchError:
            settings = [setting_text(*item) for item in result.parameters.items()]
    else:
        who = result.source if is_spec(result.source) else who
        settings = [setting_text(*item) for item in result.parameters.items()]
    words = [
        "bsbench",
        "replay",
        "--strategy",
        variant_of(who, settings),
        *scenario_options(result.scenario),
    ]
    return shlex.join([*words, "--seed", str(result.seed), "--game"])


def _static(again: Again) -> dict[str, Any]:
    """Return the table for browsers without scripts."""
    scene = again.scene
    table = comparison_table(scene.compared(scene.reference).sorted("best"))
    found = verdict(scene.compared(scene.reference))
    return {
        "title": scene.title,
        "verdict": found,
        "columns": table.texts,
        "notes": [played_text(scene.results), *table.notes],
    }


def _or_null(number: float) -> float | None:
    return None if math.isnan(number) else number
