"""Rollouts: what their choices are worth."""

from __future__ import annotations

import msgspec

from bsbench.common.files import parse_json
from bsbench.present.tables import markdown_table
from bsbench.studies.rollouts.sheet import WORDS, worth_columns
from bsbench.studies.rollouts.study import WorthRecord
from tests.pages import ROOT


def worths() -> list[WorthRecord]:
    """Return the records of what choices are worth, by the names of their files.

    They have neither head nor tail.
    """
    paths = sorted((ROOT / "results" / "rollouts-worth").glob("*.json"))
    return [msgspec.convert(parse_json(path.read_bytes()), WorthRecord) for path in paths]


def tables() -> dict[str, str]:
    """Return the table of the document."""
    return {"worth": markdown_table(worth_columns(worths()), WORDS)}
