"""Parameters of strategies: set by name, checked, and told in a label."""

from __future__ import annotations

import numpy as np
import pytest

import bsbench
from bsbench.roster import find_strategy, make_strategy, strategy_names
from tests.support.refusals import refused

pytestmark = pytest.mark.usefixtures("keen")

DEFAULTS = {"start": 0, "noise": 0.5, "backwards": False, "no_touch": "sunk"}


def test_parameters_not_set_have_their_defaults():
    for settings in (None, {}):
        assert make_strategy("keen", settings).parameters == DEFAULTS
    assert make_strategy("linear").parameters == {}


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        ("start", "7", 7),
        ("start", np.int64(7), 7),
        ("noise", "1e-2", 0.01),
        ("noise", 3, 3.0),
        ("noise", np.float32(0.25), 0.25),
        ("backwards", "Yes", True),
        ("backwards", "false", False),
        ("backwards", np.True_, True),
        ("no_touch", "full", "full"),
    ],
)
def test_values_are_read_from_text_and_kept_plain(name, given, value):
    strategy = make_strategy("keen", {name: given})
    assert strategy.parameters == DEFAULTS | {name: value}
    assert type(strategy.parameters[name]) is type(value)
    assert strategy.copy() == strategy


@pytest.mark.parametrize(
    ("name", "given", "told"),
    [
        ("noise", "loud", "'loud'"),
        ("noise", "-0.1", "-0.1"),
        ("noise", "nan", "nan"),
        ("noise", "1e999", "inf"),
        ("noise", 10**400, "number"),  # too long to be shown whole
        ("noise", True, "True"),
        ("noise", [1], "[1]"),
        ("start", "7.0", "'7.0'"),
        ("start", 7.0, "7.0"),
        ("start", "10", "9"),
        ("start", "-1", "-1"),
        ("start", False, "False"),
        ("backwards", "maybe", "'maybe'"),
        ("backwards", 1, "1"),
        ("no_touch", "Full", "'Full'"),
        ("no_touch", 3, "3"),
        ("nois", 1, "'noise'"),
        ("_hidden", 1, "start, noise, backwards, no_touch"),
    ],
)
def test_wrong_settings_are_refused_in_one_sentence(name, given, told):
    with refused("'keen'", f"'{name}'", told):
        make_strategy("keen", {name: given})


def test_a_strategy_without_parameters_says_so():
    with refused("'linear'", "'noise'"):
        make_strategy("linear", {"noise": 1})
    with refused("'kean'", "'keen'"):
        make_strategy("kean", {"noise": 1})


def test_the_label_tells_what_is_not_default():
    assert make_strategy("linear").label == "linear"
    assert make_strategy("keen").label == "keen"
    assert make_strategy("keen", {"noise": "0.50", "start": 0}).label == "keen"
    # In the order of declaration, written as on the command line.
    settings = {"no_touch": "full", "backwards": True, "noise": 1}
    strategy = make_strategy("keen", settings)
    assert strategy.label == "keen noise=1.0 backwards=true no_touch=full"
    again = dict(setting.split("=") for setting in strategy.label.split()[1:])
    assert make_strategy("keen", again) == strategy


def test_a_run_takes_parameters():
    result = bsbench.run("keen,backwards=yes,start=2", games=300)
    assert result.parameters == DEFAULTS | {"backwards": True, "start": 2}
    assert result.label == "keen start=2 backwards=true"
    same = bsbench.run(make_strategy("keen", result.parameters), games=300)
    assert (same.counts == result.counts).all()
    assert (bsbench.run("keen", games=300).counts != result.counts).any()
    with refused("'keen'", "'stat'", "'start'"):
        bsbench.run("keen,stat=3")


def test_files_with_an_underscore_are_no_strategies():
    assert "keen" in strategy_names()
    assert not [name for name in strategy_names() if "shared" in name or "base" in name]
    with refused("'-shared'"):
        find_strategy("-shared")
