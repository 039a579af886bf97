"""Parameters of strategies: set by name, checked, and told in a label."""

from __future__ import annotations

import numpy as np
import pytest

import bsbench
from bsbench.common.errors import BsbenchError
from bsbench.roster import find_strategy, make_strategy, strategy_names

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
        ("start", 7, 7),
        ("start", np.int64(7), 7),
        ("noise", "0.01", 0.01),
        ("noise", "1e-2", 0.01),
        ("noise", "3", 3.0),
        ("noise", 3, 3.0),
        ("noise", np.float32(0.25), 0.25),
        ("backwards", "true", True),
        ("backwards", "Yes", True),
        ("backwards", "no", False),
        ("backwards", "false", False),
        ("backwards", True, True),
        ("backwards", np.True_, True),
        ("no_touch", "full", "full"),
    ],
)
def test_values_are_read_from_text_and_kept_plain(name, given, value):
    strategy = make_strategy("keen", {name: given})
    assert strategy.parameters == DEFAULTS | {name: value}
    assert type(strategy.parameters[name]) is type(value)
    assert strategy.copy() == strategy


NUMBER = "the parameter 'noise' of strategy 'keen' wants a number, at least 0, not "
WHOLE = "the parameter 'start' of strategy 'keen' wants a whole number, at least 0, at most 9, not "
TRUTH = "the parameter 'backwards' of strategy 'keen' wants true or false, not "
CHOICE = "the parameter 'no_touch' of strategy 'keen' wants one of ignore, sunk, full, not "


@pytest.mark.parametrize(
    ("name", "given", "sentence"),
    [
        ("noise", "loud", NUMBER + "'loud'"),
        ("noise", "", NUMBER + "''"),
        ("noise", "-0.1", NUMBER + "-0.1"),
        ("noise", "nan", NUMBER + "nan"),
        ("noise", "inf", NUMBER + "inf"),
        ("noise", "1e999", NUMBER + "inf"),
        ("noise", 10**400, f"{NUMBER}{10**400}"),
        ("noise", True, NUMBER + "True"),
        ("noise", None, NUMBER + "None"),
        ("noise", [1], NUMBER + "[1]"),
        ("start", "7.0", WHOLE + "'7.0'"),
        ("start", 7.0, WHOLE + "7.0"),
        ("start", "10", WHOLE + "10"),
        ("start", "-1", WHOLE + "-1"),
        ("start", False, WHOLE + "False"),
        ("backwards", "maybe", TRUTH + "'maybe'"),
        ("backwards", "1", TRUTH + "'1'"),
        ("backwards", 1, TRUTH + "1"),
        ("no_touch", "half", CHOICE + "'half'"),
        ("no_touch", "Full", CHOICE + "'Full'"),
        ("no_touch", 3, CHOICE + "3"),
        ("nois", 1, "strategy 'keen' has no parameter 'nois': did you mean 'noise'?"),
        (
            "zzz",
            1,
            "strategy 'keen' has no parameter 'zzz': it has start, noise, backwards, no_touch",
        ),
        ("_hidden", 1, "strategy 'keen' has no parameter '_hidden': it has start, noise"),
    ],
)
def test_wrong_settings_are_refused_in_one_sentence(name, given, sentence):
    with pytest.raises(BsbenchError) as caught:
        make_strategy("keen", {name: given})
    assert str(caught.value).startswith(sentence)
    assert "\n" not in str(caught.value)


def test_a_strategy_without_parameters_says_so():
    with pytest.raises(BsbenchError, match="strategy 'linear' has no parameters: 'noise' can't"):
        make_strategy("linear", {"noise": 1})
    with pytest.raises(BsbenchError, match="unknown strategy 'kean': did you mean 'keen'"):
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
    with pytest.raises(BsbenchError, match="has no parameter 'stat': did you mean 'start'"):
        bsbench.run("keen,stat=3")


def test_files_with_an_underscore_are_no_strategies():
    assert "keen" in strategy_names()
    assert not [name for name in strategy_names() if "shared" in name or "base" in name]
    with pytest.raises(BsbenchError, match="unknown strategy '-shared'"):
        find_strategy("-shared")
