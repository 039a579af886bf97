"""What users see of an object in a shell or notebook, and what it can do for them there.

Results are made in rooms that know nothing of tables and charts. Here, and only here, an object
reaches a later room by its name: when somebody looks at it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def late(module: str, name: str) -> Any:
    """Return a function of a room that may come after this one, imported now.

    Examples
    --------
    >>> late("rules.scenario", "find_scenario")("classic").name
    'classic'
    """
    return getattr(importlib.import_module(f"bsbench.{module}"), name)


class Shown:
    """An object with figures: as text, in a notebook, as a table of LaTeX, as a chart."""

    def __str__(self) -> str:
        return str(late("present.showing", "text_of")(self))

    def _repr_html_(self) -> str:
        """Return a table and a small chart, for notebooks."""
        return str(late("present.showing", "html_of")(self))

    def to_latex(self) -> str:
        """Return the table for LaTeX, in the style of the package booktabs; notes are comments."""
        return str(late("present.showing", "latex_of")(self))

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
        figure: Figure = late("present.showing", "figure_of")(self, kind, **options)
        return figure
