from __future__ import annotations

import itertools
import random
import subprocess
import sys

import numpy as np
import pytest

from bsbench.present.looks import COLOURS, GROUND, TONES, look, looks, own_look
from bsbench.present.pages import source
from bsbench.roster import find_strategy, strategy_names
from bsbench.rules.drawing import parts_of
from tests.support.browsing import contrast
from tests.support.refusals import refused

# How the eye sees without red, green or blue cones: G. M. Machado et al., "A Physiologically-
# based Model for Simulation of Color Vision Deficiency", IEEE TVCG 15, 2009, table 1, severity 1.
EYES = {
    "usual": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}


def _seen(colour: str, eye: str) -> np.ndarray:
    """Return a colour in CIELAB (D65) as an eye sees it."""
    coded = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    linear = np.where(coded <= 0.04045, coded / 12.92, ((coded + 0.055) / 1.055) ** 2.4)
    to_xyz = np.array(
        [
            [0.4124564, 0.3575761, 0.1804375],
            [0.2126729, 0.7151522, 0.0721750],
            [0.0193339, 0.1191920, 0.9503041],
        ]
    )
    xyz = to_xyz @ np.clip(EYES[eye] @ linear, 0, 1) / (0.95047, 1, 1.08883)
    root = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * root[1] - 16, 500 * (root[0] - root[1]), 200 * (root[1] - root[2])])


DARK = {name: TONES[colour.lower()].dark for name, colour in COLOURS.items()}


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize(("shown", "least"), [(COLOURS, 18), (DARK, 13)], ids=["light", "dark"])
def test_colours_are_distinct_to_all_eyes(shown, least, eye):
    for first, second in itertools.combinations(shown.values(), 2):
        assert np.linalg.norm(_seen(first, eye) - _seen(second, eye)) >= least, (first, second)


FAMILIES = {"lattice": 3, "over9000": 3, "hunt-target": 2, "smart": 2}


@pytest.mark.parametrize("shown", [COLOURS, DARK], ids=["light", "dark"])
def test_a_family_has_a_hue_and_its_members_differ_in_lightness(shown):
    for family, count in FAMILIES.items():
        members = [look(name) for name in strategy_names() if name.startswith(family)]
        assert len(members) == count
        assert len({each.hue for each in members}) == 1
        light = sorted(_seen(shown[each.name], "usual")[0] for each in members)
        assert min(np.diff(light)) >= 10
    assert len({look(family).hue for family in FAMILIES}) == len(FAMILIES)


def test_a_strategy_looks_the_same_whatever_stands_beside_it():
    alone = {name: look(name) for name in strategy_names() if own_look(name)}
    assert len(alone) > 20
    assert looks(alone) == list(alone.values())
    # Nobody takes what another one wishes for.
    others = [*_invented(9), *(f"{name} noise=1" for name in alone)]
    assert looks([*others, *alone])[len(others) :] == list(alone.values())
    assert [look(f"{name} noise=1") for name in alone] == list(alone.values())


def test_looks_that_files_give_are_unlike_each_other():
    given = [name for name in strategy_names() if "look" in vars(find_strategy(name))]
    assert len({look(name) for name in given}) == len(given) > 10


def _invented(count: int) -> list[str]:
    draw = random.Random(count)
    return ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=8)) for _ in range(count)]


@pytest.mark.parametrize("count", [1, 7, 30, 112])
def test_strategies_of_users_look_different_and_use_all_hues(count):
    found = looks(_invented(count))
    assert len(set(found)) == count
    assert len({each.hue for each in found[:7]}) == min(count, 7)
    # One that is there twice looks the same.
    assert looks(["prob", *_invented(3), "prob"])[::4] == [look("prob")] * 2


@pytest.mark.usefixtures("keen")
def test_an_unknown_look_of_a_file_is_refused(monkeypatch):
    monkeypatch.setattr(find_strategy("keen"), "look", ("pink", "solid"))
    with refused("'keen'", "'pink'", "blue, vermilion"):
        look("keen")


def test_variants_of_a_strategy_have_its_hue():
    labels = ["over9000", *(f"over9000 noise={noise}" for noise in range(6))]
    found = looks(labels)
    assert found[0] == look("over9000")
    assert len(set(found)) == 7
    assert {each.hue for each in found} == {"vermilion"}


def test_pages_have_the_tones_of_charts():
    light, dark = source("bsbench.present.pages", "palette.css").split("@media")
    for colour, (variable, at_night) in TONES.items():
        assert f"{variable}: {colour.lower()};" in light
        assert f"{variable}: {at_night.lower()};" in dark


def test_names_are_legible_on_their_ground():
    for colour, tone in TONES.items():
        if tone.variable.startswith("--look"):
            assert contrast(_rgb(tone.dark), _rgb(TONES[GROUND].dark)) >= 4.5
        if tone.variable.endswith("-text"):
            assert contrast(_rgb(colour), _rgb(GROUND)) >= 4.5


def _rgb(colour: str) -> str:
    return f"rgb{tuple(parts_of(colour))}"


def test_looks_need_no_charts():
    code = "import sys, bsbench.present.looks; print({'matplotlib', 'numba'} & {*sys.modules})"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "set()"
