"""Calibrations as text: for the terminal, and for tables in Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Iterator

from bsbench.present.sheets import Sheet
from bsbench.present.tables import rules_text
from bsbench.stats import interval_text
from bsbench.stats.forecasts import Estimate, Forecasts
from bsbench.studies.calibration.study import FIRST_SHOTS, STAGES, CalibrationReport

WORDS = "strategy", "cells"
"""Columns that are no figures."""


def calibration_sheet(report: CalibrationReport) -> Sheet:
    """Return what is shown of calibrations; where they are too wide, scores stand below."""
    compared = exact_columns(report)
    return Sheet(
        calibration_columns(report),
        notes=[*calibration_notes(report)],
        cut="Brier",
        more=compared,
        more_notes=[exact_note()] if compared else [],
        words=WORDS,
    )


def _points(estimate: Estimate) -> str:
    """Return a share, or a difference of shares, in per cent."""
    return interval_text(100 * estimate.value, 100 * estimate.half_width)


def calibration_columns(report: CalibrationReport) -> dict[str, list[str]]:
    """Return the table: for each strategy a row for the cells shot, and one for all open cells."""
    columns: dict[str, list[str]] = {}
    for each in report.calibrations:
        for cells, forecasts in (("shot", each.shots), ("open", each.cells)):
            row = {"strategy": each.label, "cells": cells, **_figures(forecasts)}
            for name, text in row.items():
                columns.setdefault(name, []).append(text)
    return columns


def _figures(forecasts: Forecasts) -> dict[str, str]:
    return {
        "probabilities": f"{forecasts.forecasts:,}",
        "given %": f"{100 * forecasts.forecast.value:.2f}",
        "ships %": _points(forecasts.share),
        "off by": f"{100 * forecasts.gap:.2f}",
        "Brier": forecasts.brier.text,
        "reliability": forecasts.reliability.text,
        "resolution": f"{forecasts.resolution.value:.4f}",
        "uncertainty": f"{forecasts.uncertainty.value:.4f}",
        "bits": "infinite" if forecasts.impossible else forecasts.bits.text,
    }


def exact_columns(report: CalibrationReport) -> dict[str, list[str]]:
    """Return the table of comparisons with exact probabilities; empty without any."""
    compared = [(each.label, each.exact) for each in report.calibrations if each.exact]
    if not compared:
        return {}
    return {
        "strategy": [label for label, _ in compared],
        "positions": [f"{exact.positions:,}" for _, exact in compared],
        "error": [_points(exact.error) for _, exact in compared],
        "excess": [_points(exact.excess) for _, exact in compared],
        "loss": [_points(exact.loss) for _, exact in compared],
    }


def exact_note() -> str:
    """Return what the columns of the comparison with exact probabilities are."""
    return (
        "error: mean distance from the exact probability, over the open cells; excess: probability "
        "of the cell shot minus the exact one; loss: exact probability of the likeliest cell minus "
        f"that of the cell shot; all in points, after {FIRST_SHOTS} to {FIRST_SHOTS + STAGES - 1} "
        "shots"
    )


def calibration_notes(report: CalibrationReport) -> Iterator[str]:
    """Yield what stands below the table."""
    scenario = report.scenario
    yield (
        f"{scenario.name}: {rules_text(scenario)}; {report.games:,} "
        f"game{'s' if report.games > 1 else ''} each, seed {report.seed}"
    )
    yield (
        "off by: root of the reliability, in points; Brier = reliability - resolution + "
        "uncertainty, apart from differences within bins"
    )
    for each in report.calibrations:
        if number := each.cells.impossible:
            yield (
                f"{each.label}: {number:,} of its probabilities were 0 or 1, and wrong, so the "
                "bits are infinite"
            )
