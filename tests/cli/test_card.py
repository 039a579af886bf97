"""Pictures to share."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from PIL import Image

import bsbench
from bsbench.cli import main
from tests.support.refusals import assert_refused


@pytest.fixture
def saved(in_folder):
    """Save two small records of one scenario, and one of another."""
    for strategy in ("random", "linear"):
        bsbench.run(strategy, "gym-5x5", games=50).save(f"some/{strategy}.json")
    bsbench.run("linear", "gym-6x6", games=50).save("other.json")


def _sizes(*paths: Path) -> list[tuple[int, int]]:
    found = []
    for path in paths:
        with Image.open(path) as picture:
            found.append(picture.size)
    return found


def _card(*words: str):
    return CliRunner().invoke(main, ["card", *words])


@pytest.mark.parametrize(
    ("words", "stem"),
    [
        (["some"], "results/gym-5x5-card"),
        (["some/linear.json"], "results/linear-gym-5x5-card"),
        (["some", "-o", "mine.PNG"], "mine"),
        (["some", "-o", "pictures/"], "pictures/gym-5x5-card"),
    ],
)
def test_a_card_has_the_size_that_sites_show_and_a_dark_one_beside_it(saved, words, stem):
    before = set(Path().rglob("*.*"))
    done = _card(*words)
    assert done.exit_code == 0, done.output
    light, dark = Path(f"{stem}.png"), Path(f"{stem}-dark.png")
    assert set(Path().rglob("*.*")) - before == {light, dark}
    assert str(light) in done.stdout
    assert _sizes(light, dark) == [(1200, 630)] * 2
    with Image.open(light) as bright, Image.open(dark) as dim:
        assert bright.convert("L").getpixel((2, 2)) > 200
        assert dim.convert("L").getpixel((2, 2)) < 60


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["some", "-o", "card.svg"], ["card.svg", ".png"]),
        (["some", "other.json"], ["gym-5x5", "gym-6x6"]),
        (["nowhere"], ["nowhere"]),
    ],
)
def test_a_card_that_can_not_be_drawn_is_refused(saved, words, named):
    assert_refused(_card(*words), *named)
    assert not list(Path().rglob("*.png"))


@pytest.mark.parametrize("there", ["mine.png", "mine-dark.png"])
def test_neither_picture_is_replaced_unless_forced(saved, there):
    Path(there).write_text("kept")
    assert_refused(_card("some", "-o", "mine.png"), there, "--force")
    assert [each.name for each in Path().glob("*.png")] == [there]
    assert Path(there).read_text() == "kept"
    assert _card("some", "-o", "mine.png", "--force", "-q").stdout == ""
    assert _sizes(Path("mine.png"), Path("mine-dark.png")) == [(1200, 630)] * 2
