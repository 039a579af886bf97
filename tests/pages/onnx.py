"""Agents that learn: trained ones beside built-in strategies."""

from __future__ import annotations

import pandas as pd

from bsbench.stats import interval_text
from tests.pages import ROOT, table

SCENARIOS = "gym-5x5", "gym-6x6", "gym-8x8", "gym-10x10"


def measured(scenario: str) -> pd.DataFrame:
    """Return what 100,000 games of the agent and of others gave, by label; the agent is first."""
    return pd.read_csv(ROOT / "results" / "rl" / f"{scenario}.csv").set_index("label")


def tables() -> dict[str, str]:
    """Return the tables of the document."""
    others = [f"`{label}`" for label in measured(SCENARIOS[0]).index[1:]]
    rows = [["scenario", *others, "trained"]]
    for scenario in SCENARIOS:
        agent, *means = (
            interval_text(*row) for row in measured(scenario)[["mean", "half_width"]].to_numpy()
        )
        rows.append([f"`{scenario}`", *means, f"**{agent}**"])
    return {"trained": table(rows)}
