"""The page docs/exactly.md is true: its commands print what it shows."""

from __future__ import annotations

import json
import re
import shlex

import pytest
from click.testing import CliRunner

from bsbench.cli import main
from bsbench.counting.stored import PLACE, key_of
from bsbench.rules.scenario import find_scenario
from tests.counting.test_counting import labellings
from tests.docs.test_guide import assert_shown
from tests.support import ROOT

PAGE = (ROOT / "docs" / "exactly.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```sh\nbsbench (.*?)\n```\n\n```text\n(.*?)```", PAGE, flags=re.DOTALL)


def test_blocks_are_found():
    assert len(BLOCKS) == 3


@pytest.mark.parametrize(("command", "shown"), BLOCKS)
def test_commands_print_what_is_shown(command, shown):
    words = shlex.split(command.removesuffix(" || true"))
    printed = CliRunner(env={"COLUMNS": "200"}).invoke(main, words, prog_name="bsbench")
    assert (printed.exit_code == 0) == ("|| true" not in command)
    assert_shown(shown, printed.output)


def test_the_numbers_of_layouts_are_those_that_are_stored():
    rows = re.findall(r"^\| `([\w-]+)` \| ([\d,]+) \| ([\d,]+) \|$", PAGE, flags=re.MULTILINE)
    assert len(rows) == 4
    entries = json.loads(PLACE.read_text())
    for scenario, unlabelled, labelled in rows:
        rules = find_scenario(scenario).rules
        layouts = entries[key_of(rules)]["layouts"]
        assert f"{layouts:,}" == labelled
        assert f"{layouts // labellings(rules):,}" == unlabelled


def test_the_lines_of_python_run():
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    names: dict[str, object] = {}
    exec(code, names)
    rules, posterior = names["rules"], names["posterior"]
    assert posterior.probabilities.shape == (rules.cells,)
    assert posterior.ships.shape == (len(rules.fleet), rules.cells)
    assert posterior.sample(10).shape == (10, len(rules.fleet))
