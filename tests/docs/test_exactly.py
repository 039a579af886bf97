"""The page docs/exactly.md is true: its figures are those that are stored, and its Python runs."""

from __future__ import annotations

import json
import re

import pytest

from bsbench.counting.stored import PLACE, key_of
from bsbench.rules.scenario import find_scenario
from tests.counting.test_counting import labellings
from tests.support import ROOT

PAGE = (ROOT / "docs" / "exactly.md").read_text(encoding="utf-8")


def test_the_numbers_of_layouts_are_those_that_are_stored():
    rows = re.findall(r"^\| `([\w-]+)` \| ([\d,]+) \| ([\d,]+) \|$", PAGE, flags=re.MULTILINE)
    assert len(rows) == 5
    entries = json.loads(PLACE.read_text())
    for scenario, unlabelled, labelled in rows:
        rules = find_scenario(scenario).rules
        layouts = entries[key_of(rules)]["layouts"]
        assert f"{layouts:,}" == labelled
        assert f"{layouts // labellings(rules):,}" == unlabelled


@pytest.mark.ci
def test_the_lines_of_python_run():
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    names: dict[str, object] = {}
    exec(code, names)
    rules, posterior = names["position"].rules, names["posterior"]
    assert posterior.probabilities.shape == (rules.cells,)
    assert posterior.ships.shape == (len(rules.fleet), rules.cells)
    assert posterior.sample(10).shape == (10, len(rules.fleet))
