"""Replays of Connect 4 as pages: what is written, and what a browser makes of it."""

from __future__ import annotations

import dataclasses
import json
import re

import pytest

from bsbench import connect4
from bsbench.connect4.position import Position, winning_cells
from bsbench.connect4.replaying import Replay
from bsbench.connect4.replaying.page import page_text
from tests.support.browsing import NEEDS_BROWSER, barriers, contrast, emulate, requests

HOSTILE = "</script><script>window.broken = 1</script><img src=x onerror='window.broken = 2'>"


@pytest.fixture(scope="module")
def game() -> Replay:
    again = connect4.replay("hard,depth=1", "greedy", seed=5, game=16, solved_from=14)
    return dataclasses.replace(again, labels=(HOSTILE, again.labels[1]))


def _data(text: str):
    return json.loads(re.search(r'id="data">(.*?)</script>', text)[1])


def test_a_page_holds_the_game(game):
    text = page_text(game)
    assert len(text.encode()) < 40_000
    assert text.count("<script") == text.count("</script>") == 2
    assert "<img" not in text
    assert HOSTILE not in text
    data = _data(text)
    played = game.position.played
    assert tuple(data["played"]) == played
    assert len(data["values"]) == len(played)
    assert data["values"][:14] == [None] * 14
    for shown, values in zip(data["values"][14:], game.values[14:], strict=True):
        found = {column: each for column, each in enumerate(shown) if each is not None}
        assert found == {column: [v.outcome, v.moves] for column, v in values.items()}
    assert len(data["four"]) >= 4
    frame = game._repr_html_()
    assert frame.count("<") == 2
    assert 'sandbox="allow-scripts"' in frame


# From here on, in a browser.


@pytest.fixture(scope="module")
def folder(tmp_path_factory, game):
    folder = tmp_path_factory.mktemp("games")
    game.save(folder / "game.html")
    connect4.replay_moves(Position.parse("4444")).save(folder / "begun.html")
    return folder


@pytest.fixture
def show(browser, folder):
    """Open a page afresh."""

    def open_page(name="game", address="", width=1200, scheme="light"):
        emulate(browser, width, scheme)
        browser.get("about:blank")
        browser.get((folder / f"{name}.html").as_uri() + address)
        return browser

    return open_page


READ = """
const all = (name) => [...document.querySelectorAll(name)];
return {
  board: all(".c4 tbody tr").map((row) =>
    [...row.querySelectorAll(".disc")].map((disc) => disc.textContent || ".").join(" ")),
  last: all(".disc.last").length,
  four: all(".disc.four").length,
  worth: all(".c4 thead td").map((box) => box.textContent),
  best: all(".c4 thead td").map((box) => box.classList.contains("best")),
  chosen: all(".c4 thead td").findIndex((box) => box.classList.contains("chosen")),
  said: document.getElementById("said").textContent,
  note: document.getElementById("note").textContent,
  current: all("[aria-current]").map((box) => box.dataset.move),
  broken: window.broken ?? 0,
};
"""


def _press(page, *keys: str) -> None:
    from selenium.webdriver.common.keys import Keys

    for key in keys:
        page.switch_to.active_element.send_keys(getattr(Keys, key, key))


def _rank(value) -> int:
    return value.outcome * (100 - value.moves)


def _texts(values) -> list[str]:
    signs = {1: "+{}", 0: "=", -1: "−{}"}
    return [
        signs[values[column].outcome].format(values[column].moves) if column in values else ""
        for column in range(7)
    ]


@NEEDS_BROWSER
def test_each_position_is_shown_with_what_its_columns_are_worth(show, game):
    page, played = show(), game.position.played
    for made in range(len(played) + 1):
        shown = page.execute_script(READ)
        at = Position(played[:made])
        assert shown["board"] == at.drawing().splitlines()[:-1]
        assert shown["last"] == (made > 0)
        assert shown["current"] == [str(made)] * (made > 0)
        assert shown["four"] == (len(winning_cells(at)) if made == len(played) else 0)
        assert shown["chosen"] == (played[made] if made < len(played) else -1)
        if made < 14:
            assert shown["worth"] == ["·"] * 7
            assert "14" in shown["note"]
        elif made < len(played):
            values = game.values[made]
            assert shown["worth"] == _texts(values)
            best = max(map(_rank, values.values()))
            assert shown["best"] == [
                column in values and _rank(values[column]) == best for column in range(7)
            ]
            assert "14" not in shown["note"]
        else:
            assert shown["worth"] == [""] * 7
            assert game.ending in shown["said"]
            assert "over" in shown["note"]
        assert shown["broken"] == 0
        _press(page, "ARROW_RIGHT")


@NEEDS_BROWSER
def test_keys_go_to_mistakes_and_switch_layers(show, game):
    page = show("game", "#move=14")
    mistakes = [ply + 1 for ply in range(len(game.position.played)) if game.lost_value(ply)]
    assert mistakes
    _press(page, "HOME", "j")
    shown = page.execute_script(READ)
    assert shown["current"] == [str(mistakes[0])]
    assert "mistake" in shown["said"]
    _press(page, "k", "END", "ARROW_LEFT", "1")
    assert page.execute_script(READ)["worth"] == [""] * 7
    _press(page, "3")
    orders = " ".join(page.execute_script(READ)["board"]).replace(".", "").split()
    assert sorted(map(int, orders)) == list(range(1, len(game.position.played)))
    assert page.current_url.endswith("&layers=23")


@NEEDS_BROWSER
def test_a_game_that_goes_on_is_shown(show):
    shown = show("begun", "#move=4").execute_script(READ)
    assert {"X", "first", "8"} <= set(re.findall(r"\w+", shown["note"]))
    assert "not over" in shown["said"]


@NEEDS_BROWSER
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 390, 1200])
def test_it_fits_and_can_be_read(show, game, scheme, width):
    page = show("game", f"#move={len(game.position.played) - 1}", width, scheme)
    wide = "return document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    assert page.execute_script(wide)
    colours = page.execute_script("""
        const found = [], page = getComputedStyle(document.body).backgroundColor;
        for (const box of document.querySelectorAll(".disc.x, .disc.o")) {
          const style = getComputedStyle(box);
          found.push([style.color, style.backgroundColor]);
        }
        for (const box of document.querySelectorAll(".win, .lose, .draw, #note, .moves button"))
          found.push([getComputedStyle(box).color, page]);
        return found;
    """)
    assert len(colours) > 20
    for text, ground in colours:
        assert contrast(text, ground) >= 4.5, (text, ground)


@NEEDS_BROWSER
def test_it_asks_the_network_for_nothing(show):
    page = show()
    requests(page)
    page = show("game", "#move=3")
    assert not barriers(page)
    assert all(url.startswith(("file:", "about:", "data:")) for url in requests(page))
    assert [entry for entry in page.get_log("browser") if entry["level"] == "SEVERE"] == []
