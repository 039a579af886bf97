from __future__ import annotations

import itertools
import random
import subprocess
import sys

import numpy as np
import pytest

from bsbench.present.looks import COLOURS, GREY, GROUND, LINES, TONES, look, looks
from bsbench.present.pages import source
from bsbench.roster import find_strategy, strategy_names
from bsbench.rules.drawing import parts_of
from bsbench.runs.records import load_results
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
@pytest.mark.parametrize(("shown", "least"), [(COLOURS, 17), (DARK, 25)], ids=["light", "dark"])
def test_colours_are_distinct_to_all_eyes(shown, least, eye):
    for first, second in itertools.combinations(shown.values(), 2):
        assert np.linalg.norm(_seen(first, eye) - _seen(second, eye)) >= least, (first, second)


@pytest.mark.parametrize("eye", ["usual", "protanopia", "deuteranopia"])
def test_neighbours_on_classic_are_distinct_to_eyes_that_miss_red_or_green(eye):
    ranked = sorted(load_results(["results/classic"]), key=lambda result: result.stats.mean)
    shown = looks(result.label for result in ranked)
    for first, second in [*itertools.pairwise(shown), *zip(shown, shown[2:], strict=False)]:
        if first.linestyle == second.linestyle and first.colour != second.colour:
            seen = _seen(first.colour, eye) - _seen(second.colour, eye)
            assert np.linalg.norm(seen) >= 20, (first, second)


@pytest.mark.parametrize("folder", ["classic", "harbour"])
def test_no_two_of_a_chart_share_a_colour_while_there_are_some(folder):
    ranked = sorted(load_results([f"results/{folder}"]), key=lambda result: result.stats.mean)
    found = looks([*dict.fromkeys(each.label for each in ranked)])
    assert {each.colour for each in found[:7]} == set(COLOURS.values())
    assert {each.colour for each in found[7:]} == {GREY}


def test_the_first_who_wishes_for_a_colour_has_it():
    prob, lattice_net = look("prob"), look("lattice-net")
    assert prob.colour == lattice_net.colour
    assert looks(["prob", "lattice-net"])[0] == prob
    first, second = looks(["lattice-net", "prob"])
    assert (first, second.colour != first.colour) == (lattice_net, True)
    # Nobody takes what another one wishes for.
    assert looks(["mine", "prob"])[1] == prob


def test_looks_that_files_give_are_unlike_each_other():
    given = [name for name in strategy_names() if "look" in vars(find_strategy(name))]
    found = [look(name) for name in given]
    assert len(set(found)) == len(found) > 10
    assert {line for each in found for line in [each.linestyle]} <= {
        LINES["solid"],
        LINES["dashed"],
        LINES["dashdot"],
    }


def _invented(count: int) -> list[str]:
    draw = random.Random(count)
    return ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=8)) for _ in range(count)]


@pytest.mark.parametrize("count", [1, 7, 8, 15, 30])
def test_strategies_of_users_have_solid_lines_and_the_others_are_grey(count):
    found = looks(_invented(count))
    assert len({each.colour for each in found[:7]}) == min(count, 7)
    assert {each.linestyle for each in found[:7]} == {LINES["solid"]}
    assert {each.colour for each in found[7:]} <= {GREY}
    # Grey lines differ as long as they can.
    assert len(set(found)) == min(count, len(COLOURS) + len(LINES))
    # One that is there twice looks the same.
    assert looks(["prob", *_invented(3), "prob"])[::4] == [look("prob")] * 2


@pytest.mark.usefixtures("keen")
def test_an_unknown_look_of_a_file_is_refused(monkeypatch):
    # Keen is a Linear, and does not look like it.
    assert look("keen").linestyle == LINES["solid"]
    monkeypatch.setattr(find_strategy("keen"), "look", ("pink", "solid"))
    with refused("'keen'", "'pink'", "blue, vermilion"):
        look("keen")


def test_variants_of_a_strategy_differ_in_colour():
    labels = ["over9000", *(f"over9000 noise={noise}" for noise in range(6))]
    assert looks(labels)[0] == look("over9000")
    assert len({each.colour for each in looks(labels)}) == 7


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
