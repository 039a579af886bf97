"""Charts, one file each: a function that takes results and returns a matplotlib Figure.

A file here, or in the folder of a study, that says in ``NEEDS`` what its function takes is a kind
of chart: `CHARTS` and ``bsbench chart`` find it there. One that plays what it draws says in
``PLAY`` how. Files whose names begin with an underscore are shared by several.

What is named here is imported when first used: `kinds` needs no matplotlib.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bsbench.common.discovery import study_packages
from bsbench.common.errors import BsbenchError
from bsbench.common.settings import check_choice

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from bsbench.present.charts._drawing import new_figure
    from bsbench.present.charts._layout import house_style
    from bsbench.present.charts._saving import save_figure, write_figure
    from bsbench.present.charts._sheets import STYLES, drawn_for, read_width
    from bsbench.runs.request import Place
    from bsbench.runs.results import Result
    from bsbench.strategies import Strategy

_HOMES = {
    "STYLES": "_sheets",
    "drawn_for": "_sheets",
    "house_style": "_layout",
    "new_figure": "_drawing",
    "read_width": "_sheets",
    "save_figure": "_saving",
    "write_figure": "_saving",
}

__all__ = [
    "CHARTS",
    "STYLES",
    "ChartKind",
    "Needs",
    "drawn_for",
    "find_chart",
    "house_style",
    "kinds",
    "new_figure",
    "read_width",
    "save_figure",
    "write_figure",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)


class Needs(Enum):
    """What the function of a chart takes; the value is how it is called in a message."""

    EACH = "one result, or several of one scenario"
    RESULTS = "results of one scenario"
    COMPARED = "results of one scenario, or a comparison"
    LAWS = "results of strategies on several placement laws"
    COMPARISON = "results of variants of a strategy"
    PAIR = "two results of the same games, with kept moves"
    LEARNER = "a result of a strategy that learns, and others to compare it with"
    SCENARIO = "a scenario"
    STRATEGY = "a strategy and a scenario"
    NOTHING = "no result"


@dataclass(frozen=True)
class ChartKind:
    """A kind of chart.

    Attributes
    ----------
    kind : str
        Its name, that of its file.
    needs : Needs
    function : callable
        Draws it. What it takes, by what is needed: ``EACH``, a Result, or a list
        of them; ``RESULTS`` and ``LAWS``, a list; ``COMPARED``, a Comparison, or a list of results;
        ``COMPARISON``, a Comparison; ``PAIR``, a Result and the reference; ``LEARNER``, a Result
        and a list of others; ``SCENARIO`` and ``STRATEGY``, what ``play`` returns.
    play : callable or None
        Plays what is drawn: takes a scenario; before it a strategy (``STRATEGY``); and ``games``
        and ``seed`` by name. With ``NOTHING``, it takes none of these.
    """

    kind: str
    needs: Needs
    function: Callable[..., Figure]
    play: Callable[..., Any] | None = None

    def draw(
        self,
        results: Sequence[Result],
        *,
        games: int | None = None,
        seed: int | None = None,
        strategy: Strategy | None = None,
    ) -> Figure:
        """Draw results.

        A chart that needs layouts of their scenario, or games of their strategy, plays them.

        Parameters
        ----------
        results : sequence of Result
        games, seed : int, optional
            Of what is played. Default: as many as where it is played by itself, under the seed of
            the (first) result.
        strategy : Strategy, optional
            What plays. Default: the strategy of the result, if it is built in.

        Raises
        ------
        BsbenchError
            If these are not the results that it needs, or their games can't be played again.
        """
        count = len(results)
        most = {Needs.NOTHING: 0, Needs.STRATEGY: 1, Needs.PAIR: 2}.get(self.needs, count)
        least = 2 if self.needs in (Needs.PAIR, Needs.COMPARISON) else 1
        if not least <= count <= most:
            given = {0: "there is none", 1: "one is given"}.get(count, f"{count} are given")
            raise BsbenchError(f"the chart {self.kind!r} needs {self.needs.value}, and {given}")
        first = results[0]
        seed = first.seed if seed is None else seed
        match self.needs:
            case Needs.COMPARISON:
                from bsbench.present.charts._drawing import one_scenario
                from bsbench.runs.comparing import compare
                from bsbench.runs.sweeps import default_of

                one_scenario(results)
                return self.function(compare(results, reference=default_of(results)))
            case Needs.PAIR:
                return self.function(results[1], first)
            case Needs.LEARNER:
                # If several learn, the first given is drawn.
                learner = next((each for each in results if each.learning), first)
                return self.function(learner, [each for each in results if each is not learner])
            case _ if self.play is not None:
                from bsbench.present.charts._drawing import one_scenario
                from bsbench.runs.contestants import strategy_of

                players: list[Strategy] = []
                if self.needs is Needs.SCENARIO:
                    first.check_stream()
                else:
                    players = [strategy or strategy_of(first, trust=None)]
                played = self.played(players, one_scenario(results), games, seed)
                return self.function(played)
            case _:
                return self.function(results)

    def played(
        self,
        strategies: Sequence[Strategy],
        scenario: Place | None,
        games: int | None,
        seed: int | None,
    ) -> Any:
        """Play what is drawn, and return it: for charts that have ``play``."""
        assert self.play is not None
        return self.play(*strategies, scenario, games=games, seed=seed)


def kinds() -> dict[str, str]:
    """Return all kinds of charts by name, with a sentence on each; none is imported."""
    found = {}
    for kind, (_, file) in sorted(_files().items()):
        text = file.read_text(encoding="utf-8")
        if re.search(r"^NEEDS = ", text, re.MULTILINE):
            found[kind] = (ast.get_docstring(ast.parse(text)) or "").partition("\n\n")[0]
    return found


def _files() -> dict[str, tuple[str, Path]]:
    """Return the module and the file of all that may be a chart, by kind: here, and of studies."""
    here = [(__name__, Path(folder)) for folder in __path__]
    return {
        file.stem: (f"{package}.{file.stem}", file)
        for package, folder in (*here, *study_packages().items())
        for file in folder.glob("[!_]*.py")
    }


class _Charts(Mapping[str, ChartKind]):
    """All charts by kind; one is imported when asked for."""

    def __getitem__(self, kind: str) -> ChartKind:
        if kind not in kinds():
            raise KeyError(kind)
        module = importlib.import_module(_files()[kind][0])
        (function,) = (
            member
            for name, member in inspect.getmembers(module, inspect.isfunction)
            if member.__module__ == module.__name__ and not name.startswith("_")
        )
        return ChartKind(kind, module.NEEDS, function, getattr(module, "PLAY", None))

    def __iter__(self) -> Iterator[str]:
        return iter(kinds())

    def __len__(self) -> int:
        return len(kinds())


CHARTS: Mapping[str, ChartKind] = _Charts()
"""By kind; all charts in this folder, and in those of studies."""


def find_chart(kind: str) -> ChartKind:
    """Return the chart of that kind.

    Raises
    ------
    BsbenchError
        If there is none; matplotlib is not imported for this check.
    """
    check_choice("kind of chart", kind, kinds())
    return CHARTS[kind]
