"""What users see of an object in a shell or notebook, and what it can do for them there.

Results are made in rooms that know nothing of tables and charts. So the package itself registers
here what shows them: it is imported when somebody looks at an object for the first time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_find: Callable[[], Any]
"""Returns the module that shows objects."""


def show_with(find: Callable[[], Any]) -> None:
    """Let a module show objects; the function that returns it is called when one is looked at."""
    global _find
    _find = find


class Shown:
    """An object with figures: as text, in a notebook, as a table of LaTeX, as a chart."""

    def __str__(self) -> str:
        return str(_find().text_of(self))

    def _repr_html_(self) -> str:
        """Return a table and a small chart, for notebooks."""
        return str(_find().html_of(self))

    def to_latex(self) -> str:
        """Return the table for LaTeX, in the style of the package booktabs; notes are comments."""
        return str(_find().latex_of(self))

    def plot(self, kind: str | None = None, **options: Any) -> Figure:
        """Draw a chart.

        Parameters
        ----------
        kind : str, optional
            One of the kinds that ``bsbench chart --help`` lists. Default: what fits best.
        **options
            ``games`` and ``seed`` of what the chart plays, if it plays anything; and
            ``strategy``, the one of the result, if that is your own.

        Returns
        -------
        matplotlib.figure.Figure
            A notebook shows it; ``figure.savefig("chart.pdf")`` writes it.

        Raises
        ------
        BsbenchError
            If there is no such kind of chart, or it needs something else.
        """
        figure: Figure = _find().figure_of(self, kind, **options)
        return figure
