"""Replays as pages: what is written, and what a browser makes of it."""

from __future__ import annotations

import dataclasses
import itertools
import json
import re
import time

import numpy as np
import pytest
from click.testing import CliRunner

import bsbench
from bsbench.cli import main
from bsbench.play.game import turns_of
from bsbench.present.replaying import Replay, save_page
from bsbench.present.replaying.analysis import analysed
from bsbench.present.replaying.page import facts_of, page_text, percent_text
from bsbench.rules.board import MISS, Feedback, Rules
from bsbench.rules.drawing import HIDDEN, SYMBOLS, cell_name, heat_colour
from bsbench.rules.position import Position, answers_on
from bsbench.rules.scenario import Scenario
from bsbench.rules.slots import slot_code
from bsbench.runs.chances import CellChances, ChanceFinder
from bsbench.strategies import Insight
from tests.support import naive
from tests.support.browsing import NEEDS_BROWSER, barriers, emulate, requests
from tests.support.refusals import names, refused

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
    assert len(page_text([longest]).encode()) < 80_000
    assert len(page_text(replays).encode()) < 130_000
    analysed_ones = analysed(replays, odds=60)
    assert len(page_text(analysed_ones[:1]).encode()) < 80_000
    assert len(page_text(analysed_ones).encode()) < 160_000
    data = json.loads(re.search(r'id="data">(.*?)</script>', page_text(replays))[1])
    (only,) = data["rounds"]
    assert [game["label"] for game in only["games"]] == names
    for game, again in zip(only["games"], replays, strict=True):
        assert [cell for ((cell, *_),) in game["moves"]] == [move.cell for move in again.moves]
    # A strategy without scores has no maps.
    assert ["scores" in game["maps"] for game in only["games"]] == [True, True, True, False]


def test_nothing_in_a_page_is_taken_for_markup():
    scenario = dataclasses.replace(POND, name=HOSTILE)
    again = dataclasses.replace(bsbench.replay("prob", scenario), strategy=HOSTILE)
    text = page_text([again])
    assert text.count("<script") == text.count("</script>") == 2
    assert "<img" not in text
    assert HOSTILE not in text
    frame = again._repr_html_()
    assert frame.count("<") == 2
    assert 'sandbox="allow-scripts"' in frame


def test_games_on_other_layouts_are_not_shown_together(in_folder):
    first = bsbench.replay("linear", POND)
    other = dataclasses.replace(bsbench.replay("linear", POND, game=1), game=0)
    elsewhere = bsbench.replay("linear", "classic", game=1)
    for games, word in (([first, other], "layout"), ([first, elsewhere], "scenario"), ([], "game")):
        with refused(word):
            page_text(games)
    first.save("game.html")
    for path in ("game.html", "nowhere/game.html"):
        with refused(path.partition("/")[0]):
            first.save(path)


KINDS = [*({"feedback": kind} for kind in Feedback), {"shots": 3, "answers": "joint"}]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_the_position_of_a_replay_is_that_of_its_answers(kind):
    scenario = POND.override(fleet=[3, 3, 2], **kind)
    again = bsbench.replay("random", scenario, seed=3, game=1)
    turns = [[move.cell for move in turn] for turn in turns_of(again.moves)]
    told = answers_on(scenario.rules, [*map(slot_code, again.ships)], turns)
    assert [*again.position.answers] == told
    assert Position.parse(str(again.position)).answers == again.position.answers


def test_a_game_that_ended_by_a_fault_is_shown(in_folder):
    (in_folder / "own.py").write_text(
        "class Twice:\n    def shoot(self, view):\n        return len(view.shots) // 2\n"
    )
    again = bsbench.replay("own.py:Twice", POND)
    text = page_text([again])
    assert len(again.moves) == 1
    assert again.fault.problem in text
    for law in ("uniform", "sequential"):
        words = ["replay", "--scenario", "classic", "-s", "own.py:Twice", "--placement", law]
        printed = CliRunner().invoke(main, words)
        assert again.fault.problem in printed.stderr
        assert ("there: bsbench odds" in printed.stderr) == (law == "uniform")


def test_under_length_no_letter_says_which_of_equal_ships_has_sunk():
    rules = Rules(5, 5, (2, 2), touching=True, feedback=Feedback.LENGTH)
    page = page_text([bsbench.replay("linear", dataclasses.replace(POND, rules=rules))])
    assert '"ships": ["a ship of 2", "a ship of 2"]' in page
    assert "ship of 2 (" not in page


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
  note: game.querySelector(".words").textContent,
  caption: game.querySelector(".after").textContent,
  current: text(game, "[aria-current] .at"),
  inView: [...game.querySelectorAll("[aria-current]")].every((button) => {
    const list = button.closest("ol").getBoundingClientRect(), row = button.getBoundingClientRect();
    return row.top >= list.top - 1 && row.bottom <= list.bottom + 1;
  }),
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


def _expected(move, colours: int = 64, highest: float | None = None) -> list[str]:
    """Return the ground of each cell of the heat map before a move.

    The brightest is that of its own highest score, or of another.
    """
    levels = np.rint(254 * move.scores / move.scores.max())
    part = move.scores.max() / highest if highest else 1.0
    grounds = []
    for level, score in zip(levels, move.scores, strict=True):
        ground = heat_colour(np.floor(level / 254 * part * (colours - 1) + 0.5) / (colours - 1))
        red, green, blue = (int(ground[place : place + 2], 16) for place in (1, 3, 5))
        grounds.append("" if score < 0 else f"rgb({red}, {green}, {blue})")
    return grounds


def _assert_shown(page, replays: list[Replay], made: int) -> None:
    """Check all that a page shows after some moves against the games."""
    for shown, again in zip(page.execute_script(READ), replays, strict=True):
        view = again.board(min(made, len(again.moves)))
        cells = range(view.rows * view.cols)
        assert shown["inView"]
        assert shown["symbols"] == [view.symbol(cell) for cell in cells]
        assert shown["next"] == [cell == view.next_shot for cell in cells]
        sunk = [text.endswith("sunk") for text in shown["status"]]
        assert sunk == [ship in view.sunk for ship in range(len(view.fleet))]
        if made >= len(again.moves):
            assert names(shown["caption"], f"{len(again.moves)} moves")
            # No second board without a map.
            assert not shown["heat"]
        elif again.moves[made].scores is None:
            assert not shown["heat"]
        else:
            assert shown["grounds"] == _expected(again.moves[made])
            assert ("planned earlier" in shown["note"]) == again.moves[made].waiting
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
        ("#back", 0),
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
    told = page.execute_script(f"return {slider}.getAttribute('aria-valuetext')")
    assert re.findall(r"\d+", told) == [f"{before + 1}", f"{last}"]
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
    assert page.current_url.endswith("#move=18&layers=145")
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

    assert HIDDEN not in shown(".board")
    _click(page, "#choose summary")
    _click(page, "#layers label:nth-child(5)")
    assert HIDDEN in shown(".board")
    assert shown(".board") == [hidden.symbol(cell) for cell in cells]
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
    # One scale for all moves: the brightest colour is that of the highest score of all.
    _press(page, "s")
    highest = max(move.scores.max() for move in again.moves)
    assert scores.max() < highest
    of_all = _expected(again.moves[12], highest=highest)
    assert page.execute_script(on_board) == of_all
    assert expected[scores.argmax()] not in of_all
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
    assert not barriers(page)
    titles = page.execute_script(
        "return [...document.querySelectorAll('.board tbody td')].map((box) => [box.title, "
        "box.getAttribute('aria-label')])"
    )
    first = replays[0].moves[0]
    what = "miss" if first.outcome == MISS else "hit"
    title, label = titles[first.cell]
    assert title == label
    assert all(names(title, name) for name in (cell_name(first.cell, 7), what, "shot 1"))
    assert "next" in titles[replays[0].moves[2].cell][0]
    said = _text(show("three", "#move=99"), "said")
    assert all(names(said, f"{len(again.moves)}") for again in replays if len(again.moves) < 42)


@NEEDS_BROWSER
def test_nothing_is_fetched_and_nothing_goes_wrong(show, browser, folder):
    for log in ("browser", "performance"):
        browser.get_log(log)
    page = show("three")
    _press(page, "1", "2", "3", "4", "5", "6", "END", "j", "k", " ", " ", "?")
    assert page.execute_script("return window.broken ?? null") is None
    assert HOSTILE in page.title
    # The browser's own first page may still be loading.
    asked = {url for url in requests(page) if not url.startswith("chrome://")}
    assert asked <= {(folder / "three.html").as_uri(), "about:blank"}
    assert page.get_log("browser") == []


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


# What the shots were worth.


def _naive_chances(again: Replay) -> list[list[float]]:
    """Return the probability of a ship on each cell before each shot, where all hits are named."""
    left, chances = list(naive.all_layouts(again.scenario.rules)), []
    for move in again.moves:
        taken = [frozenset().union(*laid) for laid in left]
        chances.append(
            [sum(cell in each for each in taken) / len(taken) for cell in range(POND.rules.cells)]
        )
        told = [] if move.ship is None else [move.ship]
        left = [
            laid
            for laid in left
            if [ship for ship, cells in enumerate(laid) if move.cell in cells] == told
        ]
    return chances


@pytest.fixture(scope="module")
def rated(folder) -> Replay:
    """A game whose odds are known, with two opinions, on a page with the game after it."""
    games = [bsbench.replay("prob", POND, seed=5, game=game) for game in (2, 3)]
    both = analysed(games, odds=60, opinions=["prob", "datagenetics"])
    save_page(both, folder / "rated.html")
    return both[0]


@pytest.fixture(scope="module")
def exact(rated) -> list[list[float]]:
    return _naive_chances(rated)


def test_chances_are_those_of_all_layouts(rated, exact):
    for move, each, chances in zip(rated.moves, rated.chances, exact, strict=True):
        assert each.samples == 0
        is_open = each.cells >= 0
        assert np.allclose(each.cells[is_open], np.array(chances)[is_open])
        best = max(np.array(chances)[is_open])
        assert each.lost(move.cell) == pytest.approx(best - chances[move.cell])


def test_estimates_are_near_and_say_how_many_layouts_they_are_from(rated, monkeypatch):
    monkeypatch.setattr(ChanceFinder, "_count", lambda self, moves, allowance: [None] * len(moves))
    finder = ChanceFinder(POND, 20)
    estimated = finder.find(rated.moves)
    known = [each for each in estimated if each is not None]
    # As long as enough random layouts agree with the answers, and no longer.
    assert 2 <= len(known) < len(estimated)
    assert estimated[: len(known)] == tuple(known)
    numbers = [each.samples for each in known]
    assert numbers == sorted(numbers, reverse=True)
    for each, exact in zip(known, rated.chances, strict=False):
        error = 5 * np.sqrt(0.25 / each.samples)
        assert np.abs(each.cells - exact.cells).max() < error
        assert each.lost(exact.best) < error
        # A cell is the most likely one for sure, or none is.
        assert not each.is_clear or exact.cells[each.best] == exact.cells.max()
    assert not known[0].is_clear
    # How far off an estimate is, the page takes from here: it has no rule of its own.
    never = CellChances(np.zeros(42), known[0].samples)
    assert never.error(0) == pytest.approx(1.96 / never.samples, rel=1e-4)
    shown = (never, *known[1:], rated.chances[-1])
    moves = rated.moves[: len(shown)]
    text = page_text([dataclasses.replace(rated, moves=moves, chances=shown, opinions=())])
    (game,) = json.loads(re.search(r'id="data">(.*?)</script>', text)[1])["rounds"][0]["games"]
    right = [each.error(each.best) if each.samples else 0 for each in shown]
    assert [error for _, _, error in game["best"]] == pytest.approx(right, abs=5e-6)


@pytest.mark.parametrize("lead", [0.0, 0.02, 0.3])
def test_an_estimate_names_a_cell_that_leads_by_more_than_its_error(lead):
    rng = np.random.default_rng(58)
    clear = []
    for _ in range(500):
        cells = rng.binomial(2_000, [0.3 + lead, *[0.3] * 50]) / 2_000
        each = CellChances(cells, 2_000)
        clear.append(each.is_clear)
        assert not each.is_clear or each.best == 0
        assert CellChances(cells).is_clear
    assert any(clear) == all(clear) == (lead == 0.3)


@pytest.mark.parametrize(
    ("law", "effort", "missing"),
    [("uniform", 2e-5, False), ("uniform", 1e-12, True), ("sequential", 1.0, True)],
)
def test_odds_of_a_game_are_those_without_others_beside_it(law, effort, missing):
    where = POND.override(placement=law)
    games = [bsbench.replay(name, where, seed=5, game=2) for name in ("prob", "linear", "random")]
    (alone,), (beside, *_) = (analysed(some, odds=effort) for some in (games[:1], games))
    known = [
        [each and (each.samples, each.layouts, *each.cells) for each in again.chances]
        for again in (alone, beside)
    ]
    assert known[0] == known[1]
    facts = " ".join(facts_of(alone))
    assert (f"{known[0].count(None)} shots have no odds: " in facts) == missing
    assert ("'odds'" in facts) == (missing and law == "uniform")


@pytest.mark.parametrize(
    ("samples", "sentences"),
    [
        ([9, 9], [r"hits \(all estimated\)\.$"]),
        ([9, 0], [r"hits \(1 of 2 shots estimated\)\.$"]),
        ([0, None], ["hits in the 1 shot whose odds are known.$", "^1 shot has no .* counts it.$"]),
        ([None, None], ["^2 shots have no odds: .* counts them.$"]),
    ],
)
def test_the_shots_without_odds_and_with_estimates_are_counted(samples, sentences):
    again = bsbench.replay("linear", POND)
    even = np.full(42, 0.5)
    chances = tuple(None if number is None else CellChances(even, number) for number in samples)
    facts = [*facts_of(dataclasses.replace(again, moves=again.moves[:2], chances=chances))][1:]
    assert len(facts) == len(sentences)
    assert all(map(re.search, sentences, facts)), facts


@pytest.mark.parametrize("digits", [2, 4])
def test_only_none_is_0_percent_and_only_all_is_100(digits):
    for games in (1_000, 100_000):
        for some in {*range(0, games + 1, games // 1_000), 1, games - 1}:
            text = percent_text(some / games, digits)
            number = float(re.fullmatch(r"(\d+(?:\.\d+)?) %", text)[1])
            assert (number == 0, number == 100) == (some == 0, some == games), text
            off = abs(number - 100 * some / games)
            assert off < (0.51 if 1 <= number <= 99 else 0.0051), text
    assert percent_text(0.99999, digits) == "99.999 %"
    assert percent_text(0.996, digits) == "99.6 %"


def test_odds_do_not_depend_on_the_clock(monkeypatch):
    again = bsbench.replay("prob", POND, seed=5, game=2)
    text = page_text(analysed([again]))
    clock = itertools.count(0, 1000)
    for name in ("monotonic", "perf_counter", "process_time", "thread_time", "time"):
        monkeypatch.setattr(time, name, lambda: float(next(clock)))
    assert page_text(analysed([again])) == text


def test_with_more_effort_more_positions_are_counted(rated, monkeypatch):
    """From the last one back: the later, the fewer layouts."""
    monkeypatch.setattr(ChanceFinder, "_estimate", lambda self, moves: [None] * len(moves))
    counted = []
    for effort in (1e-12, 2e-5, 1.0):
        chances = ChanceFinder(POND, effort).find(rated.moves)
        counted.append([each is not None for each in chances])
    little, some, all_ = counted
    assert sum(little) < sum(some) < sum(all_) == len(rated.moves)
    assert some == sorted(some)


def test_without_effort_there_are_no_odds():
    again = bsbench.replay("linear", POND)
    (none,) = analysed([again], odds=0)
    assert none.chances == ()
    assert "Chance lost" not in page_text([none]).split("<script")[1]


def test_a_strategy_agrees_with_itself(rated):
    own, other = rated.opinions
    cells = [move.cell for move in rated.moves]
    assert [hint.cell for hint in own.hints] == cells
    assert [hint.cell for hint in other.hints] != cells
    # What another one would shoot was not shot before.
    for number, hint in enumerate(other.hints):
        assert hint.cell not in cells[:number]


def test_who_ignores_answers_has_no_opinion(in_folder):
    with refused("'linear'"):
        bsbench.replay("prob", POND, opinions=["linear"])
    text = "class Fails:\n    def shoot(self, view):\n        raise ValueError('no idea')\n"
    (in_folder / "fails.py").write_text(text)
    with refused("'fails'"):
        bsbench.replay("prob", POND, opinions=["fails.py:Fails"])


def test_a_games_place_among_those_on_record():
    from bsbench.runs.finding import find_records
    from bsbench.runs.records import load_result

    again = bsbench.replay("datagenetics", "classic", seed=7, game=3)
    (again,) = analysed([again], odds=0)
    run = load_result(find_records(["@classic/datagenetics"])[0])
    longer = run.counts[len(again.moves) + 1 :].sum() / run.games
    assert again.standing.longer == longer
    assert f"{100 * longer:.0f} % of its {run.games:,} games" in page_text([again])
    # Not on record, under these rules.
    (other,) = analysed([bsbench.replay("datagenetics", POND)], odds=0)
    assert other.standing is None


RATED = """
const text = (name) => [...document.querySelectorAll(name)].map((box) => box.textContent);
return {
  chance: text(".moves .chance"),
  lost: text(".moves .lost"),
  worst: [...document.querySelectorAll(".moves .worst")].map((box) => Number(box.dataset.move)),
  words: text(".words p"),
  likeliest: document.querySelectorAll(".board .likeliest").length,
  other: [...document.querySelectorAll(".board tbody td")].flatMap((box, cell) =>
    box.classList.contains("other") ? [cell] : []),
  path: document.querySelector("#course .curve").getAttribute("d"),
  facts: document.getElementById("facts").textContent,
};
"""


@NEEDS_BROWSER
def test_the_page_shows_what_each_shot_was_worth(show, rated, exact):
    page = show("rated")
    shown = page.execute_script(RATED)
    moves, chances = rated.moves, exact
    assert shown["chance"] == [
        f"{100 * each[move.cell]:.1f}" for each, move in zip(chances, moves, strict=True)
    ]
    # One step of the curve for each shot, as high as its chance.
    steps = [
        float(y) for y in re.findall(r"[MV][\d.]* ?([\d.]+)H", shown["path"].replace("V", "V "))
    ]
    assert [100 - y for y in steps] == pytest.approx(
        [100 * each[move.cell] for each, move in zip(chances, moves, strict=True)], abs=0.01
    )
    lost = [each.lost(move.cell) for each, move in zip(rated.chances, moves, strict=True)]
    assert [text.replace("–", "0.0") for text in shown["lost"]] == [
        f"{100 * each if each >= 0.0005 else 0:.1f}" for each in lost
    ]
    order = sorted(range(len(lost)), key=lambda shot: -lost[shot])
    assert set(shown["worst"]) == {shot + 1 for shot in order[:3]}
    # From the weakest shot to the next: the position before it.
    for shot in order[:2]:
        _press(page, "w")
        assert _position(page) == shot
        words = " ".join(page.execute_script(RATED)["words"])
        for told in (cell_name(moves[shot].cell, 7), f"{100 * lost[shot]:.1f} points", "prob"):
            assert names(words, told)
    _press(page, "W")
    assert _position(page) == order[0]
    for made in range(len(moves)):
        page.execute_script(f"location.hash = '#move={made}'")
        _wait(lambda made=made: _position(page) == made)
        shown = page.execute_script(RATED)
        assert shown["other"] == sorted({each.hints[made].cell for each in rated.opinions})
        best = rated.chances[made].best
        assert shown["likeliest"] == (best != moves[made].cell)


@NEEDS_BROWSER
def test_maps_scales_and_curves_are_chosen_and_stand_in_the_address(show, rated):
    page = show("rated", "#move=9&layers=13&map=odds")

    def numbers() -> dict[int, str]:
        boxes = "[...document.querySelectorAll('.heat tbody td')].map((box) => box.textContent)"
        texts = page.execute_script(f"return {boxes}")
        return {cell: text for cell, text in enumerate(texts) if text not in SYMBOLS}

    each = rated.chances[9].cells
    found = numbers()
    assert found.keys() == {cell for cell, share in enumerate(each) if share >= 0}
    for cell, text in found.items():
        assert abs(float(text) - 100 * each[cell]) <= 1
    _press(page, "s", "s")
    assert page.current_url.endswith("&map=odds&scale=rank")
    ranks = {cell: int(text) for cell, text in numbers().items()}
    assert ranks[rated.chances[9].best] == 1
    for cell, rank in ranks.items():
        assert rank <= 1 + sum(other > each[cell] - 1e-9 for other in each)
    _press(page, "c")
    assert "&curve=lost" in page.current_url
    legend = "return document.querySelector('.scale').textContent"
    assert "rank 1" in page.execute_script(legend)
    _press(page, "m")
    assert "opinion0" in page.current_url


@NEEDS_BROWSER
def test_other_games_are_chosen(show, rated):
    page = show("rated")
    _press(page, "n")
    assert names(page.execute_script(RATED)["facts"], "Game 3")
    _press(page, "END")
    assert "&move=" in page.current_url.replace("#game=2", "#&").replace("#&&", "&")
    assert names(show("rated", "#game=2&move=4").execute_script(RATED)["facts"], "Game 3")
    _click(page, "#earlier")
    assert names(page.execute_script(RATED)["facts"], "Game 2")
    assert _position(page) == 0


@NEEDS_BROWSER
def test_link_and_command_are_shared(show, rated):
    page = show("rated", "#move=5")
    _press(page, "l")
    value = "return document.getElementById('{}').value"
    assert page.execute_script(value.format("link")) == page.current_url
    command = page.execute_script(value.format("command"))
    assert command == (
        "bsbench replay -s prob --opinion prob --opinion datagenetics --scenario classic "
        "--board 6x7 --fleet 4,3,2 --seed 5 --game 2 -o replay.html"
    )


@pytest.fixture(scope="module")
def quartet(folder, rated):
    names = ["datagenetics", "prob", "lattice", "hunt-target"]
    games = [bsbench.replay(name, "classic", seed=7, game=3) for name in names]
    save_page(analysed(games, odds=0), folder / "four.html")
    save_page(analysed(games[:2], odds=0), folder / "two.html")
    games[0].save(folder / "single.html")


@NEEDS_BROWSER
def test_a_phone_shows_a_whole_board_above_the_bar(show, quartet):
    for name, address in [("large", ""), ("four", ""), ("single", "&layers=1")]:
        page = show(name, f"#move=17{address}", 390)
        assert page.execute_script("return document.documentElement.scrollWidth") <= 390
        # Large enough for fingers.
        sizes = page.execute_script(
            "return [...document.querySelectorAll('#bar .row button')]"
            ".filter((b) => b.checkVisibility()).map((b) => b.getBoundingClientRect())"
            ".map((box) => Math.min(box.width, box.height))"
        )
        assert min(sizes) >= 34
        board, bar = page.execute_script(
            "return [document.querySelector('.grid').getBoundingClientRect().bottom,"
            "document.getElementById('bar').getBoundingClientRect().top]"
        )
        assert board <= bar
        across = "return document.querySelector('.grid').getBoundingClientRect().width"
        assert page.execute_script(across) > 280
        # What the layers are is in reach.
        _click(page, "#choose summary")
        box = page.execute_script(
            "const box = document.getElementById('layers').getBoundingClientRect();"
            "return [box.left, box.top, box.right]"
        )
        assert box[0] >= 0
        assert box[1] >= 0
        assert box[2] <= 390
