"""Replays as pages: what is written, and what a browser makes of it."""

from __future__ import annotations

import dataclasses
import json
import re
import time

import numpy as np
import pytest

import bsbench
from bsbench.common.errors import BsbenchError
from bsbench.present.replaying import Replay, save_page
from bsbench.present.replaying.page import page_text
from bsbench.rules.board import MISS, Feedback, Rules
from bsbench.rules.drawing import HIDDEN, SYMBOLS, cell_name, heat_colour
from bsbench.rules.scenario import Scenario
from bsbench.strategies import Insight
from tests.browsing import NEEDS_BROWSER, contrast, emulate, requests

HOSTILE = "</script><script>window.broken = 1</script><img src=x onerror='window.broken = 2'>"
POND = Scenario(name="pond", rules=Rules(6, 7, (4, 3, 2), touching=True, feedback=Feedback.SHIP))


def test_a_page_holds_the_games_and_is_small():
    names = ["datagenetics", "over9000", "prob", "random"]
    replays = [bsbench.replay(name, "classic", seed=7, game=3) for name in names]
    # The longest game there can be, with other scores before each shot.
    rng = np.random.default_rng(1)
    first = replays[0].moves[0]
    moves = [
        dataclasses.replace(first, cell=cell, insight=Insight(scores=scores))
        for cell, scores in enumerate(rng.random((100, 100)))
    ]
    longest = dataclasses.replace(replays[0], moves=tuple(moves))
    assert len(page_text([longest]).encode()) < 60_000
    assert len(page_text(replays).encode()) < 100_000
    data = json.loads(re.search(r'id="data">(.*?)</script>', page_text(replays))[1])
    assert [game["label"] for game in data["games"]] == names
    for game, again in zip(data["games"], replays, strict=True):
        assert [move[0] for move in game["moves"]] == [move.cell for move in again.moves]
    # A strategy without scores has no maps.
    assert [len(game["highest"]) for game in data["games"]] == [
        *(len(again.moves) for again in replays[:3]),
        0,
    ]


def test_nothing_in_a_page_is_taken_for_markup():
    scenario = dataclasses.replace(POND, name=HOSTILE)
    again = dataclasses.replace(bsbench.replay("bob", scenario), strategy=HOSTILE)
    text = page_text([again])
    assert text.count("<script") == text.count("</script>") == 2
    assert "<img" not in text
    assert HOSTILE not in text
    frame = again._repr_html_()
    assert frame.count("<") == 2
    assert 'sandbox="allow-scripts"' in frame


def test_games_on_other_layouts_are_not_shown_together(in_folder):
    first = bsbench.replay("linear", POND)
    with pytest.raises(BsbenchError, match="one layout only"):
        page_text([first, bsbench.replay("linear", POND, game=1)])
    with pytest.raises(BsbenchError, match="no game"):
        page_text([])
    first.save("game.html")
    with pytest.raises(BsbenchError, match="exists already"):
        save_page([first], "game.html")
    with pytest.raises(BsbenchError, match="no folder"):
        first.save("nowhere/game.html")


def test_a_game_that_ended_by_a_fault_is_shown(in_folder):
    (in_folder / "own.py").write_text(
        "class Twice:\n    def shoot(self, view):\n        return len(view.shots) // 2\n"
    )
    again = bsbench.replay("own.py:Twice", POND)
    text = page_text([again])
    assert len(again.moves) == 1
    assert "it was shot before" in text


# From here on, in a browser.


@pytest.fixture(scope="module")
def replays() -> list[Replay]:
    hidden = dataclasses.replace(POND, name=HOSTILE)
    games = [
        bsbench.replay(name, hidden, seed=5, game=2) for name in ("over9000", "prob", "random")
    ]
    return [*games[:2], dataclasses.replace(games[2], strategy=HOSTILE)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory, replays):
    folder = tmp_path_factory.mktemp("replays")
    save_page(replays, folder / "three.html")
    replays[0].save(folder / "one.html")
    bsbench.replay("datagenetics", "gym-12x12").save(folder / "large.html")
    (folder / "notebook.html").write_text(f"<!doctype html><p>{replays[0]._repr_html_()}")
    return folder


@pytest.fixture
def show(browser, folder):
    """Open a page afresh, on a wide and light screen."""

    def open_page(name: str = "one", address: str = "", width: int = 1200, scheme: str = "light"):
        emulate(browser, width, scheme)
        browser.get("about:blank")
        browser.get((folder / f"{name}.html").as_uri() + address)
        return browser

    return open_page


READ = """
const text = (parent, name) => [...parent.querySelectorAll(name)].map((box) => box.textContent);
return [...document.querySelectorAll(".game")].map((game) => ({
  symbols: text(game, ".board tbody td"),
  next: [...game.querySelectorAll(".board tbody td")].map((box) => box.classList.contains("next")),
  grounds: [...game.querySelectorAll(".heat tbody td")].map((box) => box.style.backgroundColor),
  heat: !game.querySelector(".heat").hidden,
  status: text(game, ".fleet li span:last-child"),
  note: game.querySelector(".notes .note").textContent,
  caption: game.querySelector(".board figcaption").textContent,
  current: text(game, "[aria-current]"),
}));
"""


def _position(page) -> int:
    return int(_text(page, "position").partition(" /")[0])


def _text(page, name: str) -> str:
    return page.execute_script(f"return document.getElementById('{name}').textContent")


def _press(page, *keys: str) -> None:
    from selenium.webdriver.common.keys import Keys

    for key in keys:
        page.switch_to.active_element.send_keys(getattr(Keys, key, key))


def _wait(condition) -> None:
    """Wait for a condition, for a number of looks: a clock goes on where the tests are stopped."""
    for _ in range(1000):
        if condition():
            return
        time.sleep(0.02)
    raise AssertionError("waited in vain")


def _click(page, name: str) -> None:
    from selenium.webdriver.common.by import By

    page.find_element(By.CSS_SELECTOR, name).click()


def _expected(move, colours: int = 64) -> list[str]:
    """Return the ground of each cell of the heat map before a move."""
    levels = np.rint(254 * move.scores / move.scores.max())
    grounds = []
    for level, score in zip(levels, move.scores, strict=True):
        ground = heat_colour(np.floor(level / 254 * (colours - 1) + 0.5) / (colours - 1))
        red, green, blue = (int(ground[place : place + 2], 16) for place in (1, 3, 5))
        grounds.append("" if score < 0 else f"rgb({red}, {green}, {blue})")
    return grounds


def _assert_shown(page, replays: list[Replay], made: int) -> None:
    """Check all that a page shows after some moves against the games."""
    for shown, again in zip(page.execute_script(READ), replays, strict=True):
        view = again.board(min(made, len(again.moves)))
        cells = range(view.rows * view.cols)
        assert shown["symbols"] == [view.symbol(cell) for cell in cells]
        assert shown["next"] == [cell == view.next_shot for cell in cells]
        sunk = [text.endswith("sunk") for text in shown["status"]]
        assert sunk == [ship in view.sunk for ship in range(len(view.fleet))]
        if made >= len(again.moves):
            assert shown["caption"] == f"Over after {len(again.moves)} moves"
            assert shown["note"].startswith(
                "No shot" if view.fleet and again.moves[0].scores is not None else "This"
            )
        elif again.moves[made].scores is None:
            assert shown["note"] == "This strategy has no scores."
            assert not shown["heat"]
        else:
            assert shown["grounds"] == _expected(again.moves[made])
            assert ("from a list" in shown["note"]) == again.moves[made].waiting
        at = min(made, len(again.moves))
        cell = again.moves[at - 1].cell
        assert [text[:-2] for text in shown["current"]] == [cell_name(cell, view.cols)] * (at > 0)


@NEEDS_BROWSER
def test_each_move_is_shown_as_it_was_played(show, replays):
    page = show("three", "#layers=1")
    length = max(len(again.moves) for again in replays)
    assert length > min(len(again.moves) for again in replays)
    for made in range(length + 1):
        assert _position(page) == made
        _assert_shown(page, replays, made)
        _press(page, "ARROW_RIGHT")
    assert _position(page) == length
    for made in (length - 1, length - 2):
        _press(page, "ARROW_LEFT")
        _assert_shown(page, replays, made)


@NEEDS_BROWSER
def test_keys_go_where_they_should(show, replays):
    page, moves = show(), replays[0].moves
    hits = [number for number, move in enumerate(moves, 1) if move.outcome != MISS]
    expected = {
        "ARROW_DOWN": 10,
        "ARROW_RIGHT": 11,
        "ARROW_LEFT": 10,
        "ARROW_UP": 0,
        "END": len(moves),
    }
    for key, position in expected.items():
        _press(page, key)
        assert _position(page) == position, key
    _press(page, "HOME")
    for hit in hits:
        _press(page, "j")
        assert _position(page) == hit
    _press(page, "j")
    assert _position(page) == hits[-1]
    for hit in [*hits[-2::-1], 0, 0]:
        _press(page, "k")
        assert _position(page) == hit
    dialog = "return document.getElementById('help').open"
    _press(page, "?")
    assert page.execute_script(dialog)
    # What is behind it stays as it is.
    _press(page, "ARROW_RIGHT")
    assert _position(page) == 0
    _press(page, "ESCAPE")
    assert not page.execute_script(dialog)


@NEEDS_BROWSER
def test_controls_do_what_they_say(show, replays):
    page, last = show(), len(replays[0].moves)
    for name, position in [
        ("#forward", 1),
        ("#forward", 2),
        ("#back", 1),
        ("#last", last),
        ("#first", 0),
        ("[data-move='9']", 9),
    ]:
        _click(page, name)
        assert _position(page) == position
        _assert_shown(page, replays[:1], position)
    # In the middle of the line of cells left is the middle of the game.
    _click(page, "#course")
    assert abs(_position(page) - last / 2) <= 1
    # The slider has keys of its own, which move it once.
    slider = "document.getElementById('slider')"
    page.execute_script(f"{slider}.focus()")
    before = _position(page)
    _press(page, "ARROW_RIGHT")
    assert _position(page) == before + 1
    assert page.execute_script(f"return {slider}.getAttribute('aria-valuetext')") == (
        f"move {before + 1} of {last}"
    )
    page.execute_script(f"{slider}.value = 4; {slider}.dispatchEvent(new Event('input'))")
    _assert_shown(page, replays[:1], 4)
    _click(page, "#ask")
    assert page.execute_script("return document.getElementById('help').open")


@NEEDS_BROWSER
def test_it_plays_pauses_and_ends(show, replays):
    page, last = show(), len(replays[0].moves)
    live = "return document.getElementById('said').getAttribute('aria-live')"
    label = "return document.getElementById('play').getAttribute('aria-label')"
    _press(page, "+", "+", "+", "+", "-", "+")
    assert page.execute_script(
        "return document.getElementById('speed').selectedOptions[0].text"
    ) == ("16 moves/s")
    _press(page, " ")
    assert page.execute_script(label) == "Pause"
    # Sixteen times a second, nobody could listen.
    assert page.execute_script(live) == "off"
    _wait(lambda: _position(page) >= 3)
    _press(page, " ")
    paused = _position(page)
    assert paused >= 3
    assert (page.execute_script(label), page.execute_script(live)) == ("Play", "polite")
    time.sleep(0.3)
    assert _position(page) == paused
    assert page.current_url.endswith(f"#move={paused}")
    _click(page, "#play")
    _wait(lambda: page.execute_script(label) == "Play")
    assert _position(page) == last
    _assert_shown(page, replays[:1], last)
    # At the end, it begins again.
    _press(page, "ARROW_LEFT", "ARROW_RIGHT")
    _click(page, "#play")
    assert _position(page) < last


@NEEDS_BROWSER
def test_the_address_names_the_move_and_the_layers(show, replays):
    page = show("one", "#move=17")
    _assert_shown(page, replays[:1], 17)
    _press(page, "ARROW_RIGHT", "5")
    assert page.current_url.endswith("#move=18&layers=15")
    page.execute_script("location.hash = '#move=3'")
    _wait(lambda: _position(page) == 3)
    last = len(replays[0].moves)
    for address, position in [("#move=999", last), ("#move=-4", 0), ("#move=x", 0), ("#", 0)]:
        assert _position(show("one", address)) == position


@NEEDS_BROWSER
def test_layers_are_switched_by_keys_and_boxes(show, replays):
    page, again = show("one", "#move=12"), replays[0]
    view, hidden = again.board(12), again.board(12, hidden=True)
    cells = range(POND.rules.cells)

    def shown(name: str) -> list[str]:
        boxes = f"[...document.querySelectorAll('{name} tbody td')]"
        return page.execute_script(f"return {boxes}.map((box) => box.textContent)")

    for switch in (lambda: _press(page, "5"), lambda: _click(page, "#layers label:nth-child(5)")):
        assert HIDDEN not in shown(".board")
        switch()
        assert shown(".board") == [hidden.symbol(cell) for cell in cells]
        assert HIDDEN in shown(".board")
        _press(page, "5")
    _press(page, "6")
    order = {move.cell: str(number) for number, move in enumerate(again.moves[:12], 1)}
    assert shown(".board") == [order.get(cell, view.symbol(cell)) for cell in cells]
    _press(page, "6", "3")
    scores = again.moves[12].scores
    shares = [str(round(100 * score / scores.max())) for score in scores]
    numbers = [
        (symbol in SYMBOLS, symbol if symbol in SYMBOLS else int(symbol))
        for symbol in shown(".heat")
    ]
    for cell, (is_symbol, value) in enumerate(numbers):
        # Of 255 levels.
        assert is_symbol if scores[cell] < 0 else abs(value - int(shares[cell])) <= 1
    _press(page, "1", "2")
    assert not page.execute_script("return document.querySelector('.heat').checkVisibility()")
    boxes = "[...document.querySelectorAll('.board tbody td')]"
    on_board = f"return {boxes}.map((box) => box.style.backgroundColor)"
    expected = _expected(again.moves[12])
    assert page.execute_script(on_board) == expected
    # One scale for all moves: none is redder than before.
    _press(page, "4")
    highest = max(move.scores.max() for move in again.moves)
    assert scores.max() < highest
    assert "rgb(214, 47, 31)" in expected
    assert "rgb(214, 47, 31)" not in page.execute_script(on_board)
    # Nothing happens for layers that there are not.
    _press(page, "9")


@NEEDS_BROWSER
def test_those_who_do_not_see_are_told(show, replays):
    page = show("three", "#move=2")
    said = _text(page, "said")
    for again in replays:
        assert cell_name(again.moves[1].cell, POND.rules.cols) in said
    unnamed = page.execute_script(
        """
        return [...document.querySelectorAll("button, select, input, table, svg, section")]
          .filter((each) => !(each.getAttribute("aria-label") || each.labels?.length
            || each.textContent.trim())).length;
        """
    )
    assert unnamed == 0
    titles = page.execute_script(
        "return [...document.querySelectorAll('.board tbody td')].map((box) => [box.title, "
        "box.getAttribute('aria-label')])"
    )
    first = replays[0].moves[0]
    what = "miss" if first.outcome == MISS else "hit"
    title, label = titles[first.cell]
    assert title == label == f"{cell_name(first.cell, 7)}: {what}, shot 1"
    assert titles[replays[0].moves[2].cell][0].endswith("of the highest score, next shot")
    said = _text(show("three", "#move=99"), "said")
    assert "the last ship cell" in said
    assert said.count("over after") == 2


@NEEDS_BROWSER
def test_nothing_is_fetched_and_nothing_goes_wrong(show, browser, folder):
    for log in ("browser", "performance"):
        browser.get_log(log)
    page = show("three")
    _press(page, "1", "2", "3", "4", "5", "6", "END", "j", "k", " ", " ", "?")
    assert page.execute_script("return window.broken ?? null") is None
    assert HOSTILE in page.title
    assert set(requests(page)) <= {(folder / "three.html").as_uri(), "about:blank"}
    assert page.get_log("browser") == []


@NEEDS_BROWSER
@pytest.mark.parametrize("width", [320, 360, 800, 1400])
def test_a_page_is_as_wide_as_the_screen(show, width):
    for name in ("large", "three"):
        page = show(name, "#layers=1", width)
        assert page.execute_script("return document.documentElement.scrollWidth") <= width
    page = show("large", "", width)
    right = page.execute_script(
        "return document.querySelector('.grid').getBoundingClientRect().right"
    )
    assert right <= width
    # Large enough for fingers.
    sizes = page.execute_script(
        "return [...document.querySelectorAll('.row button')].map((b) => b.getBoundingClientRect())"
        ".map((box) => Math.min(box.width, box.height))"
    )
    assert min(sizes) >= 34


@NEEDS_BROWSER
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_stand_out_by_day_and_by_night(show, scheme):
    page = show("three", "#move=20&layers=5", 1200, scheme)
    pairs = page.execute_script(
        """
        const ground = getComputedStyle(document.body).backgroundColor;
        const pairs = [];
        for (const name of ["h1", ".note", "figcaption", ".fleet li", ".moves button"]) {
          pairs.push([getComputedStyle(document.querySelector(name)).color, ground]);
        }
        for (const box of document.querySelectorAll(".board tbody td")) {
          const style = getComputedStyle(box);
          pairs.push([style.color, style.backgroundColor]);
        }
        return pairs;
        """
    )
    for colour, ground in pairs:
        assert contrast(colour, ground) >= 4.5, (colour, ground)


@NEEDS_BROWSER
def test_in_a_notebook_it_plays_in_a_frame(show, replays):
    page = show("notebook")
    page.switch_to.frame(0)
    try:
        _click(page, "#forward")
        _press(page, "ARROW_RIGHT")
        # How wide a frame is when its script begins, on which this depends, is up to the browser.
        beside = "document.querySelector('#layers input')"
        page.execute_script(f"if (!{beside}.checked) {beside}.click()")
        _assert_shown(page, replays[:1], 2)
    finally:
        page.switch_to.default_content()


@NEEDS_BROWSER
def test_without_scripts_the_boards_are_there(browser, show, replays):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        from selenium.webdriver.common.by import By

        page = show("three")
        texts = [pre.text for pre in page.find_elements(By.CSS_SELECTOR, "noscript pre")]
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    for text, again in zip(texts, replays, strict=True):
        assert str(again.board()).splitlines()[2] in text
