"""The page itself: one file of HTML that needs no other.

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
from collections.abc import Callable, Hashable, Mapping, Sequence
from html import unescape
from typing import Any, TypeVar

import bsbench
from bsbench.common.texts import listed_in_words
from bsbench.present.looks import looks
from bsbench.present.page.again import Again
from bsbench.present.page.scenes import Scene
from bsbench.present.pages import environment, page, script_of
from bsbench.present.replaying import Replay
from bsbench.present.replaying.page import page_text as replay_page
from bsbench.present.report import ReportPage
from bsbench.present.report.render import machines, paragraphs, sources, where_table
from bsbench.present.sheets import Sheet
from bsbench.present.tables import (
    RANK,
    alarm_texts,
    experiment_table,
    own_notes,
    played_text,
    rules_text,
)
from bsbench.present.verdicts import verdict
from bsbench.rules.scenario import scenario_options
from bsbench.runs.comparison import Comparison
from bsbench.runs.results import Result, argument_of, counted
from bsbench.stats import Difference, exact_text, interval_texts
from bsbench.stats.histograms import quantile

_PACKAGE = __name__.rpartition(".")[0]
_SCRIPTS = ("model.js", "views.js", "page.js")

_WIDTH = 2
"""Of lines, in pixels."""

_LARGEST_GAMES = 1_000_000
"""Characters of all games to watch: together with the figures, a page has less than 1.5 MB."""

_LEFT_OUT = ("sd", "games/s", "first/tied %")
"""Columns that the table lacks: speeds stand with the times, and few records have the others."""


def page_text(
    report: ReportPage,
    shown: Sequence[Again],
    say: Callable[[str], object] = lambda text: None,
    lead: Sheet | None = None,
) -> str:
    """Return the page.

    Parameters
    ----------
    report : ReportPage
        Its title, its words, and where its results come from.
    shown : sequence of Again
        Its scenes.
    say : callable, optional
        Called with a line on the games that the page has no room for, if there are any.
    lead : Sheet, optional
        What comes first: a finding with tables of its own.
    """
    pages = _Pages()
    numbers = [(pages.add(each.watched), pages.add(each.failed)) for each in shown]
    games = sum(len(each.watched) + len(each.failed) for each in shown)
    if games > pages.count:
        say(f"the page has room for {pages.count} of {games} games to watch")
    scenes = [_scene(again, kept) for again, (kept, _) in zip(shown, numbers, strict=True)]
    names = {each["look"]["colour"] for scene in scenes for each in scene["strategies"]}
    style = "".join(
        f".look-{name} {{ --look: var(--look-{name}); }}\n"
        f".text-{name} {{ --look: var(--look-{name}-text); }}\n"
        for name in sorted(names)
    )
    framed = " ".join(f"'{hash}'" for hash in pages.hashes)
    environment(_PACKAGE).filters["rows"] = lambda columns: zip(*columns, strict=True)
    return page(
        _PACKAGE,
        "page.html.jinja",
        ("page.css",),
        script_of(_PACKAGE, *_SCRIPTS),
        style,
        {"style-src": framed, "script-src": framed},
        title=report.title,
        report=report,
        text=paragraphs(report.text),
        lead=lead,
        data={"scenes": scenes, "games": pages.packed()},
        scenes=[_plain(again, failed) for again, (_, failed) in zip(shown, numbers, strict=True)],
        where=where_table(report),
        machines=machines(report.results),
        version=bsbench.__version__,
    )


Key = TypeVar("Key", bound=Hashable)


class _Pages:
    """Pages of games as the numbers of their lines, most of which are in all of them."""

    def __init__(self) -> None:
        self._lines: dict[str, int] = {}
        self._pages: list[list[int]] = []
        self._size = 0
        self.hashes: dict[str, None] = {}
        """Of their styles and scripts."""

    def add(self, games: Mapping[Key, Replay]) -> dict[Key, int]:
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
            (policy,) = re.findall(r'"Content-Security-Policy" content="([^"]*)"', page)
            self.hashes |= dict.fromkeys(re.findall(r"sha256-[\w+/=]+", unescape(policy)))
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
    ranked = sorted(scene.results, key=lambda each: each.stats.mean)
    worn = dict(zip((each.label for each in ranked), looks(_called(scene, ranked)), strict=True))
    ranks = experiment_table([scene.compared(scene.reference)]).texts.get(RANK, [""] * len(labels))
    return {
        "title": scene.title,
        # What is counted, and its parts: single shots, or turns.
        "moves": counted(scene.results),
        "shot": counted(scene.results, "shot"),
        "cells": scene.results[0].scenario.rules.cells,
        "reference": labels.index(scene.reference),
        "alike": scene.alike,
        "feedbacks": {str(kind): kind.summary for kind in scene.feedbacks},
        "exact": all(result.exact for result in scene.results),
        "strategies": [
            _strategy(again, result, kept)
            | {"text": text, "rank": rank}
            | {"look": {"colour": look.name, "dashes": look.dashes(_WIDTH)}}
            for result, text, rank, look in zip(
                scene.results,
                _means(scene.results),
                ranks,
                (worn[label] for label in labels),
                strict=True,
            )
        ],
        "pairs": [_row(again, comparison) for comparison in scene.comparisons],
    }


def _rules(scene: Scene) -> str:
    """Return the rules, with all kinds of feedback."""
    scenario = scene.results[0].scenario
    text = rules_text(scenario)
    if not scene.feedbacks:
        return text
    kinds = listed_in_words(map(str, scene.feedbacks), "or")
    return text.replace(f"feedback {scenario.rules.feedback}", f"feedback {kinds}")


def _called(scene: Scene, results: Sequence[Result]) -> list[str]:
    """Return what strategies are called in their records, which says how they look."""
    labels = [scene.names[result.label] for result in results]
    # Under two kinds of feedback, a strategy is there twice.
    return labels if len(set(labels)) == len(labels) else [result.label for result in results]


def _strategy(again: Again, result: Result, kept: Mapping[tuple[str, int], int]) -> dict[str, Any]:
    stats, scene = result.stats, again.scene
    played = slice(stats.best, stats.worst + 1)
    return {
        "label": result.label,
        "feedback": str(result.scenario.rules.feedback) if scene.feedbacks else "",
        "games": result.games,
        # From the best on.
        "counts": result.counts[played].tolist(),
        "firsts": result.tally.firsts[played].tolist(),
        "mean": stats.mean,
        "half": _or_null(stats.half_width),
        "median": stats.median,
        "low": stats.low,
        "high": stats.high,
        "best": stats.best,
        "worst": stats.worst,
        "quarters": [quantile(result.counts, share) for share in (0.25, 0.75)],
        # As text: JavaScript has whole numbers of 53 bits.
        "seed": f"{result.seed}",
        "command": _command(result),
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


def _command(result: Result) -> str:
    """Return the command that shows a game, up to its number."""
    words = ["bsbench", "replay", "--strategy", argument_of(result)]
    words += [*scenario_options(result.scenario), "--seed", str(result.seed), "--game"]
    return shlex.join(words)


def _plain(again: Again, failed: Mapping[str, int]) -> dict[str, Any]:
    """Return what the page says of a scene by itself, without scripts."""
    scene = again.scene
    compared = scene.compared(scene.reference)
    table = experiment_table([compared.sorted("best")], _LEFT_OUT)
    said = [*alarm_texts(scene.results), *own_notes(scene.results)]
    return {
        "title": scene.title,
        "words": scene.words,
        "verdict": verdict(compared),
        "facts": f"{_rules(scene)}; {played_text(scene.results)}",
        "columns": table.texts,
        # What explains the table, and what is worth knowing without it.
        "legend": [note for note in table.notes if note not in said],
        "notes": [*said, *scene.notes],
        "feedbacks": {str(kind): kind.summary for kind in scene.feedbacks},
        "alike": scene.alike,
        "faults": [(label, fault, failed.get(label)) for label, fault in scene.faults.items()],
        "sources": sources(scene.results),
    }


def _or_null(number: float) -> float | None:
    return None if math.isnan(number) else number
