from __future__ import annotations

import itertools
import random
import subprocess
import sys
from collections import defaultdict

import numpy as np
import pytest

from bsbench.present.looks import COLOURS, GROUND, LINES, TONES, colours, look, looks
from bsbench.present.pages import source
from bsbench.roster import find_strategy, strategy_names
from bsbench.rules.drawing import parts_of
from bsbench.runs.records import load_results
from tests.support.browsing import contrast
from tests.support.helpers import strategies_of
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
        if first.linestyle == second.linestyle:
            seen = _seen(first.colour, eye) - _seen(second.colour, eye)
            assert np.linalg.norm(seen) >= 20, (first, second)


@pytest.mark.parametrize("folder", ["classic", "harbour"])
def test_neighbours_in_the_tables_have_different_colours(folder):
    tables = defaultdict(list)
    for result in load_results([f"results/{folder}"]):
        tables[result.scenario.name].append(result)
    for table in tables.values():
        ranked = [each.label for each in sorted(table, key=lambda result: result.stats.mean)]
        for first, second in itertools.pairwise(ranked):
            assert look(first).colour != look(second).colour, (first, second)


@pytest.mark.parametrize("folder", ["classic", "harbour"])
def test_every_strategy_of_a_chart_has_a_look_of_its_own(folder):
    labels = [*dict.fromkeys(strategies_of(folder))]
    found = looks(labels)
    assert len(set(found)) == len(found)
    assert found == [look(label) for label in labels]


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


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 6, 7, 8, 20, 56])
def test_strategies_of_users_look_different_and_have_solid_lines_first(count):
    mine = _invented(count)
    for beside in ([], ["prob", "lattice"], strategies_of("classic")):
        labels = mine + beside if count < 40 else mine
        found = looks(labels)
        assert len(set(found)) == len(labels)
        # Those that come with bsbench look as they always do, whatever stands beside them.
        for label, shown in zip(labels, found, strict=True):
            assert label in mine or shown == look(label)
        mixed = random.Random(7).sample(range(len(labels)), len(labels))
        assert looks(labels[place] for place in mixed) == [found[place] for place in mixed]
    alone = looks(mine)
    assert sum(each.linestyle == LINES["solid"] for each in alone) == min(count, len(COLOURS))
    rank = list(LINES.values()).index
    assert max(rank(each.linestyle) for each in alone) == (count - 1) // len(COLOURS)


def test_beyond_all_looks_strategies_still_have_one():
    assert len(looks(_invented(70))) == 70
    assert len(set(looks(_invented(70)))) == len(COLOURS) * len(LINES)


def test_a_strategy_of_a_user_keeps_its_colour_where_nothing_else_has_it():
    for name in _invented(30):
        others = [other for other in strategies_of("classic")[:3] if other != name]
        if look(name).colour not in {look(other).colour for other in others}:
            assert looks([name, *others])[0] == look(name)


@pytest.mark.usefixtures("keen")
def test_an_unknown_look_of_a_file_is_refused(monkeypatch):
    # Keen is a Linear, and does not look like it.
    assert look("keen").linestyle == LINES["solid"]
    monkeypatch.setattr(find_strategy("keen"), "look", ("pink", "solid"))
    with refused("'keen'", "'pink'", "black, blue"):
        look("keen")
    # Two files of one look.
    monkeypatch.setattr(find_strategy("keen"), "look", ("blue", "solid"))
    first, second = looks(["prob", "keen"])
    assert first != second
    assert {first.colour, second.colour} == {COLOURS["blue"]}


def test_variants_have_the_colour_of_the_strategy_and_lines_of_their_own():
    labels = ["over9000", *(f"over9000 noise={noise}" for noise in range(6))]
    found = looks(labels)
    assert found[0] == look("over9000")
    assert {each.colour for each in found} == {COLOURS["vermilion"]}
    assert len({each.linestyle for each in found}) == len(labels)
    # Whatever the order.
    assert looks(labels[::-1]) == found[::-1]
    # Nor do they take what another strategy always has.
    assert look("lattice") not in looks(["lattice", *labels])[1:]
    assert look("over9000 noise=3").linestyle == LINES["solid"]
    # More variants than lines.
    assert len(set(looks([f"prob x={number}" for number in range(30)]))) == 30


def test_areas_have_different_colours():
    names = ["prob", "over9000-pairs", "prob skew=1", "lattice", *_invented(3)]
    assert len(set(colours(names))) == len(names)
    assert colours(names)[:1] == [COLOURS["blue"]]
    assert colours(names[::-1]) == colours(names)[::-1]
    assert set(colours(strategies_of("classic"))) == set(COLOURS.values())


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
