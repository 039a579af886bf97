"""``bsbench run --exact`` of orders that answers do not change: laws are computed, not played."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bsbench.cli.delivery import Study
from bsbench.common.errors import BsbenchError
from bsbench.common.found import Ending

if TYPE_CHECKING:
    import pandas as pd

    from bsbench.present.sheets import Sheet
    from bsbench.rules.scenario import Scenario
    from bsbench.runs.exact import Law
    from bsbench.runs.request import Request
    from bsbench.strategies import Strategy

NO_RECORD = "an exact law is no record of games: write its probabilities with --export-csv FILE"


@dataclass(frozen=True, eq=False)
class Laws(Ending):
    """Exact laws of move counts.

    Attributes
    ----------
    laws : sequence of (str, str, ndarray)
        Label of the strategy, name of the scenario, and the probability of each move count.
    """

    laws: Sequence[tuple[str, str, Law]]

    def to_dict(self) -> dict[str, Any]:
        """Refuse a record, which is of games.

        Raises
        ------
        BsbenchError
            Always.
        """
        raise BsbenchError(NO_RECORD)

    def table(self) -> pd.DataFrame:
        """Return a tidy row for each move count that is possible."""
        import pandas as pd

        return pd.concat(
            pd.DataFrame(
                {
                    "label": label,
                    "scenario": scenario,
                    "moves": np.flatnonzero(law),
                    "probability": law[law > 0],
                }
            )
            for label, scenario, law in self.laws
        )

    def sheet(self) -> Sheet:
        """Return a row for each law, the least mean first."""
        from bsbench.present.sheets import Sheet
        from bsbench.stats.summary import exact_text

        rows = []
        for label, scenario, law in self.laws:
            moves = np.arange(len(law))
            mean = float(law @ moves)
            # Rounding must not decide where a share of games is reached exactly.
            low, median, high = np.searchsorted(law.cumsum() + 1e-12, (0.05, 0.5, 0.95))
            rows.append(
                {
                    "strategy": label,
                    "scenario": scenario,
                    "mean": exact_text(mean),
                    "sd": f"{np.sqrt(law @ (moves - mean) ** 2):.2f}",
                    "median": str(median),
                    "5 %": str(low),
                    "95 %": str(high),
                    "best": str(moves[law > 0][0]),
                    "worst": str(moves[law > 0][-1]),
                }
            )
        rows.sort(key=lambda row: float(row["mean"]))
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        note = "exact: the law of such an order is known; no game was played, and nothing is saved"
        return Sheet(columns, notes=[note])


def law_study(
    shooters: Sequence[Strategy], request: Request, scenarios: Sequence[Scenario]
) -> Study | None:
    """Return the study that computes exact laws; None if each layout can be played instead.

    Parameters
    ----------
    shooters : sequence of Strategy
    request : Request
        Asks for an exact result.
    scenarios : sequence of Scenario
        With the placement that is asked for.
    """
    from bsbench.layouts.each import count_layouts
    from bsbench.runs.exact import find_law
    from bsbench.strategies.base import FixedOrder

    if not all(isinstance(shooter, FixedOrder) for shooter in shooters):
        return None
    if all(shooter.name != "random" for shooter in shooters):
        # Without chance, on layouts that can be played: there is a record.
        with suppress(BsbenchError):
            for scenario in request.scenarios_or(None):
                count_layouts(scenario.rules)
            return None

    def find(progress: Any) -> Laws:
        return Laws(
            [
                (shooter.label, scenario.name, find_law(shooter, scenario))
                for scenario in scenarios
                for shooter in shooters
            ]
        )

    return Study(find, Laws.sheet)
