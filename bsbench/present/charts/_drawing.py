"""What all charts share: style, titles, axes of moves, and how a figure is written."""

from __future__ import annotations

import textwrap
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure, FigureBase
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import MaxNLocator

from bsbench.common.errors import BsbenchError
from bsbench.common.files import write_file
from bsbench.present.looks import Look, looks
from bsbench.rules.board import Rules
from bsbench.rules.scenario import Scenario
from bsbench.runs.results import Result

_LONGEST_NAME = 50

MOST_NAMED = 20
"""Results with a name and a colour in one chart. More could not be read."""

_BEST_OF_MANY = 12
"""Results that keep name and colour where there are more than `MOST_NAMED`."""


@contextmanager
def house_style() -> Iterator[None]:
    """Draw with the project's style sheet, whatever the user's own settings are."""
    sheet = Path(__file__).parent / "bsbench.mplstyle"
    style = dict(matplotlib.rc_params_from_file(sheet, use_default_template=True))
    # Where figures are shown is the user's own setting, and to change it would import pyplot.
    del style["backend"]
    with matplotlib.rc_context(style), warnings.catch_warnings():
        # Letters that the font lacks are drawn as boxes, without a warning.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


def short(name: str, longest: int = _LONGEST_NAME) -> str:
    """Return a name cut to what fits a title, or so many characters."""
    return name if len(name) <= longest else f"{name[: longest - 1]}…"


def folded(text: str, width: int = 66) -> str:
    """Return a text in lines that fit a chart's width: a strategy's parameters make it long."""
    return textwrap.fill(text, width, break_on_hyphens=False)


def entitle(
    axes: Axes, title: str, results: Sequence[Result], more: str = "", played: str | None = None
) -> None:
    """Write the title with the scenario, under it what was played, and the version of bsbench.

    Parameters
    ----------
    axes : Axes
    title : str
        What is drawn, without the scenario.
    results : sequence of Result
        Of one scenario.
    more : str
        More of the rules, such as ``, feedback hit``, or nothing.
    played : str, optional
        Games and seed. Default: those of the results.
    """
    scenario = results[0].scenario
    named, rest = best_of(results)
    some = f": the best {len(named)} of {len(results):,}" if rest else ""
    axes.set_title(folded(f"{title} on {short(scenario.name)}{some}"))
    text = caption_text(scenario, more, played_text(results) if played is None else played)
    caption(axes, text, versions_text(results))


def entitle_figure(figure: Figure, title: str, played: str, version: str) -> None:
    """Write a title over several axes, under it what was played, and the version of bsbench."""
    title = folded(title)
    # An empty line keeps room for what was played, which is longer than any axes are wide.
    figure.suptitle(f"{title}\n", x=0.01, ha="left", fontsize=12, fontweight="bold")
    inches = 0.02 * figure.get_figheight() + 0.2 * (title.count("\n") + 1) + 0.12
    below = 1 - inches / figure.get_figheight()
    figure.text(0.01, below, played, fontsize=9, color="#555555")
    sign(figure, version)


def versions_text(results: Sequence[Result]) -> str:
    """Return the versions of bsbench that the results are of."""
    return ", ".join(sorted({result.bsbench for result in results}))


def caption(axes: Axes, text: str, version: str) -> None:
    """Write a text under the title, and the version of bsbench in the corner."""
    axes.text(0, 1.02, text, transform=axes.transAxes, fontsize=9, color="#555555")
    sign(axes.figure, version)


def caption_text(scenario: Scenario, more: str, played: str) -> str:
    """Return what is played, on a line: board, fleet and layouts, and games and seed."""
    rules = scenario.rules
    return (
        f"{rules.board} board, fleet {rules.fleet_text}, "
        f"{'' if rules.touching else 'no '}touching{more}, "
        f"{scenario.placement.of_layouts(partial(short, longest=24))}; {played}"
    )


def sign(figure: FigureBase, version: str) -> None:
    """Write the version of bsbench into the corner."""
    figure.text(0.995, 0.005, f"bsbench {version}", ha="right", fontsize=7, color="#888888")


def one_scenario(results: Sequence[Result]) -> Scenario:
    """Return the scenario that all results are of.

    Raises
    ------
    BsbenchError
        If there is more than one: 17 ship cells and 21 make different games, and their move
        counts don't compare. Nor do those under different feedback.
    """
    found = Counter(result.scenario.name for result in results)
    first = results[0].scenario
    if any(result.scenario != first for result in results):
        counted = ", ".join(f"{games} of {short(name)}" for name, games in found.items())
        alike = " (of one name, but not the same)" if len(found) == 1 else ""
        raise BsbenchError(
            f"results of different scenarios don't belong on one axis: there are {counted}{alike}; "
            "give those of one ('bsbench chart' takes them alone by --scenario NAME)"
        )
    return first


def names(results: Sequence[Result]) -> list[str]:
    """Return distinct names of the results of one chart: labels, with seeds where labels are alike.

    Raises
    ------
    BsbenchError
        If two are of the same strategy and seed, and so of the same games.
    """
    labels = Counter(result.label for result in results)
    found = [
        result.label if labels[result.label] == 1 else f"{result.label} (seed {result.seed})"
        for result in results
    ]
    for name, times in Counter(found).items():
        if times > 1:
            raise BsbenchError(
                f"{name} is given {times} times: give one result of each strategy and seed"
            )
    return found


def played_text(results: Sequence[Result]) -> str:
    """Return how many games each result is of, and of which seed, for the caption."""
    games = sorted({result.games for result in results})
    seeds = sorted({result.seed for result in results})
    of_games = " / ".join(f"{count:,}" for count in games[:3]) + (" / …" if games[3:] else "")
    of_seeds = ", ".join(map(str, seeds[:5])) + (", …" if seeds[5:] else "")
    return (
        f"{of_games} game{'s' if games != [1] else ''}{' each' if len(results) > 1 else ''}"
        f"{' (partial)' if any(result.partial for result in results) else ''}, "
        f"seed{'s' if len(seeds) > 1 else ''} {of_seeds}"
    )


def with_looks(
    results: Sequence[Result],
) -> tuple[list[tuple[Result, str, Look]], list[Result]]:
    """Return results of one chart, each with its name and its look, and the rest: `best_of`.

    Raises
    ------
    BsbenchError
        If they are not of one scenario, or two are of the same games.
    """
    one_scenario(results)
    named = dict(zip(map(id, results), names(results), strict=True))
    shown, rest = best_of(results)
    labels = [named[id(result)] for result in shown]
    return list(zip(shown, labels, looks(labels), strict=True)), rest


def best_of(
    results: Sequence[Result], number: int = _BEST_OF_MANY
) -> tuple[list[Result], list[Result]]:
    """Return the results that a chart names, in their order, and the rest, which it shows in grey.

    Parameters
    ----------
    results : sequence of Result
        Up to `MOST_NAMED` are all named.
    number : int
        So many of more than that: those with the smallest means.

    Returns
    -------
    list of Result, list of Result
        The second one in ascending order of means.
    """
    if len(results) <= MOST_NAMED:
        return list(results), []
    ranked = sorted(results, key=lambda result: result.stats.mean)
    named = set(map(id, ranked[:number]))
    return [each for each in results if id(each) in named], ranked[number:]


def rest_text(rest: Sequence[Result]) -> str:
    """Return how a chart calls the results that it does not name."""
    return f"the other {len(rest):,}"


def move_axis(axes: Axes, rules: Rules) -> None:
    """Let x be moves, from the perfect game to the whole board, and mark both."""
    axes.set_xlim(rules.ship_cells - 1.5, rules.cells + 1.5)
    for moves in (rules.ship_cells, rules.cells):
        axes.axvline(moves, color="#888888", linewidth=0.8, linestyle=(0, (1, 2)), zorder=0.5)
    label_moves(axes, rules)


def label_moves(axes: Axes, rules: Rules) -> None:
    """Label x with moves, whole numbers, and say which are the fewest and the most."""
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel(f"moves ({rules.ship_cells} is a perfect game, {rules.cells} the whole board)")


def new_chart() -> tuple[Figure, Axes]:
    """Return an empty figure with one pair of axes."""
    figure = new_figure()
    return figure, figure.subplots()


def new_figure() -> Figure:
    """Return an empty figure that needs no screen."""
    figure = Figure(layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def settle(figure: Figure) -> None:
    """Lay a figure out, once and for all; in the house's style.

    A second layout, at the resolution of a file, would shift everything a little: the second
    file of a figure would differ from the same file written alone.
    """
    engine = figure.get_layout_engine()
    if isinstance(engine, ConstrainedLayoutEngine):
        engine.execute(figure)
        figure.set_layout_engine(None)


def write_figure(figure: Figure, file: IO[bytes], kind: str) -> None:
    """Write a figure as ``png`` or ``svg``; the same figure gives the same bytes."""
    # No date and no version of the library in the file.
    metadata = {"Software": None} if kind == "png" else {"Date": None, "Creator": None}
    with house_style():
        settle(figure)
        figure.savefig(file, format=kind, metadata=metadata)


def save_figure(figure: Figure, folder: Path, name: str, formats: Sequence[str]) -> list[Path]:
    """Write a figure in some formats, all under one name; pictures of that name are replaced.

    Parameters
    ----------
    figure : Figure
    folder : Path
        An existing folder.
    name : str
        Without suffix.
    formats : sequence of str
        ``png``, ``svg`` or both.

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    WriteError
        If they can't be written.
    """
    paths = []
    for kind in formats:
        paths.append(folder / f"{name}.{kind}")
        write_file(paths[-1], partial(write_figure, figure, kind=kind))
    return paths
