"""What users see of an object in a shell or notebook, and what it can do for them there.

Results are made in rooms that know nothing of tables and charts. So this is the only file that
imports from a later room, and only when somebody looks at an object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bsbench.common.arguments import checked

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Shown:
    """An object with figures: as text, in a notebook, as a table of LaTeX, as a chart."""

    def __str__(self) -> str:
        return str(_showing().text_of(self))

    def _repr_html_(self) -> str:
        """Return a table and a small chart, for notebooks."""
        return str(_showing().html_of(self))

    def to_latex(self) -> str:
        """Return the table for LaTeX, in the style of the package booktabs; notes are comments."""
        return str(_showing().latex_of(self))

    @checked
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
        figure: Figure = _showing().figure_of(self, kind, **options)
        return figure


def _showing() -> Any:
    """Return the module that shows results."""
    from bsbench.present import showing

    return showing
