"""The odds calculator as a page: in a browser, its numbers are those of the counts here."""

from __future__ import annotations

import time

import numpy as np
import pytest
from click.testing import CliRunner

from bsbench.cli import main
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.position import Position
from bsbench.rules.scenario import Scenario, find_scenario
from bsbench.studies.odds.calculator import page_text
from bsbench.studies.odds.study import find_odds
from tests.support.browsing import NEEDS_BROWSER, barriers, emulate, requests
from tests.support.refusals import assert_refused

pytestmark = pytest.mark.ci

HOSTILE = "</script><script>window.broken = 1</script><img src=x onerror='window.broken = 2'>"
TWINS = Scenario(name=HOSTILE, rules=Rules(6, 5, (3, 2, 2), touching=True, feedback=Feedback.SUNK))
TINY = Rules(2, 3, (2,), touching=True, feedback=Feedback.SUNK)
POSITIONS = {
    "gym": (find_scenario("gym-10x10"), "D4=hit D5=sunk:2 G3=hit C8=miss"),
    "classic": (
        find_scenario("classic"),
        "D4=hit:3a D5=hit:3b G3=hit:5 C8=miss A1=miss J2=miss J6=miss G7=miss",
    ),
    "hit": (
        find_scenario("classic").override(feedback="hit"),
        "D4=hit D5=hit E5=hit G3=hit C8=miss A1=miss J2=miss J6=miss F8=hit",
    ),
    "unclear": (TWINS, "C2=hit C3=hit C4=sunk:2a E1=miss"),
    "empty": (find_scenario("harbour"), ""),
    "over": (
        Scenario(name="tiny", rules=Rules(2, 3, (2,), touching=True, feedback=Feedback.SUNK)),
        "A1=hit A2=sunk:2",
    ),
}


def test_option_writes_a_page_and_refuses_other_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = CliRunner().invoke
    command = ["odds", "--board", "5x5", "--fleet", "3,2", "--feedback", "sunk", "C3=hit"]
    assert_refused(run(main, [*command, "-o", "odds.txt"]), "odds.txt")
    shown = run(main, [*command, "-o", "odds.html"])
    assert shown.exit_code == 0
    assert "odds.html" in shown.output.splitlines()[-1]
    text = (tmp_path / "odds.html").read_text()
    assert '"C3=hit"' in text
    assert "5x5 3-2 touching sunk:" in text
    assert_refused(run(main, [*command, "-o", "odds.html"]), "odds.html", "--force")
    assert run(main, [*command, "-o", "odds.html", "--force", "-q"]).exit_code == 0


# From here on, in a browser.

READ = """
const text = (name) => [...document.querySelectorAll(name)].map((box) => box.textContent);
return {
  said: document.getElementById("said").textContent,
  wrong: document.getElementById("said").classList.contains("wrong"),
  waiting: !document.getElementById("progress").hidden,
  cells: text("#board tbody td"),
  titles: [...document.querySelectorAll("#board tbody td")].map((box) => box.title),
  shots: [...document.querySelectorAll("#shots tbody tr")].map((row) =>
    [...row.cells].map((cell) => cell.textContent)),
  most: document.getElementById("most").textContent,
  answers: text("#answers button"),
  choices: text("#answer button"),
  where: text("#where button"),
  address: location.hash,
};
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("calculators")
    for name, (scenario, texts) in POSITIONS.items():
        odds = find_odds(Position.parse(texts, scenario))
        (folder / f"{name}.html").write_text(page_text(odds))
    return folder


@pytest.fixture
def show(browser, folder):
    """Open a page afresh, and wait until it has counted."""

    def open_page(name: str, address: str = "", width: int = 1200, scheme: str = "light"):
        emulate(browser, width, scheme)
        browser.get("about:blank")
        for log in ("browser", "performance"):
            browser.get_log(log)
        browser.get((folder / f"{name}.html").as_uri() + address)
        return browser, _state(browser)

    return open_page


def _state(page) -> dict:
    """Return what the page shows once it has counted."""
    for _ in range(1000):
        state = page.execute_script(READ)
        if not state["waiting"]:
            return state
        time.sleep(0.02)
    raise AssertionError("waited in vain")


def _click(page, text: str) -> dict:
    """Click on a button of a text, or on a cell of a name; return what is shown then."""
    page.execute_script(
        """
        const buttons = [...document.querySelectorAll("button")];
        const cells = [...document.querySelectorAll("#board tbody td")];
        (buttons.find((each) => each.textContent === arguments[0])
          ?? cells.find((each) => each.title.startsWith(`${arguments[0]}:`))).click();
        """,
        text,
    )
    return _state(page)


def _assert_is(state: dict, scenario: Scenario, texts: str) -> None:
    """Check all numbers on a page against the counts here."""
    odds = find_odds(Position.parse(texts, scenario))
    found = odds.posterior
    assert f"{found.unlabelled:,}" in state["said"]
    if found.layouts != found.unlabelled:
        assert f"{found.layouts:,}" in state["said"]
    shot = found.evidence.shot
    shown = [text for text, fired in zip(state["cells"], shot, strict=True) if not fired]
    assert np.allclose(np.array(shown, float), 100 * found.probabilities[~shot], atol=0.0501)
    for cell in np.flatnonzero(~shot):
        assert state["titles"][cell].endswith(f" {odds.information[cell]:.3f} bits")
    order = [cell for cell in np.argsort(-found.probabilities, kind="stable") if not shot[cell]]
    for row, cell in zip(state["shots"], order[:8], strict=True):
        assert row[1] == f"{100 * found.probabilities[cell]:.1f} %"
        shares = [int(ships[cell]) / found.layouts for ships in found.ships]
        assert np.allclose([float(t[:-1]) for t in row[2:-1]], np.multiply(100, shares), atol=0.051)
        assert row[-1] == f"{odds.information[cell]:.3f} bits"


@NEEDS_BROWSER
@pytest.mark.parametrize("name", [name for name in POSITIONS if name != "over"])
def test_numbers_are_those_of_the_counts(show, name):
    page, state = show(name)
    _assert_is(state, *POSITIONS[name])
    assert not barriers(page)
    assert page.get_log("browser") == []
    asked = [url for url in requests(page) if not url.startswith(("file:", "blob:"))]
    assert asked == []
    assert page.execute_script("return window.broken") is None


@NEEDS_BROWSER
def test_a_game_is_entered_click_by_click(show):
    scenario, _ = POSITIONS["gym"]
    page, state = show("gym", "#empty")
    _assert_is(state, scenario, "")
    _click(page, "E5")
    state = _click(page, "hit")
    assert state["answers"] == ["E5=hit"]
    _click(page, "E6")
    state = _click(page, "sunk 2")
    _assert_is(state, scenario, "E5=hit E6=sunk:2")
    assert state["cells"][44:46] == ["■", "■"]
    assert state["address"] == "#E5=hit,E6=sunk:2"
    # What has sunk can't sink again.
    state = _click(page, "A1")
    assert state["choices"] == ["miss", "hit", "sunk 5", "sunk 4", "sunk 3"]
    state = _click(page, "E5=hit")
    assert state["wrong"]
    assert state["said"].startswith("E6=sunk:2 ")
    state = _click(page, "Undo")
    assert not state["wrong"]
    assert state["answers"] == []


@NEEDS_BROWSER
def test_where_a_sunk_ship_lies_may_be_told(show):
    scenario, _ = POSITIONS["unclear"]
    page, state = show("unclear")
    assert state["where"] == []
    page, state = show("unclear", "#C2=hit,D3=hit,C3=sunk:2a")
    assert sorted(state["where"]) == ["C2-C3", "C3-D3"]
    state = _click(page, "C3-D3")
    assert state["answers"][-1] == "C3=sunk:2a@C3-D3"
    _assert_is(state, scenario, "C2=hit D3=hit C3=sunk:2a@C3-D3")


@NEEDS_BROWSER
def test_contradictions_and_too_many_layouts_are_told(show, folder):
    _, state = show("gym", "#D4=hit,D5=sunk:2,E4=hit,A1=miss")
    assert state["wrong"]
    assert state["said"].startswith("E4=hit ")
    text = (folder / "gym.html").read_text()
    (folder / "lazy.html").write_text(text.replace('"limit": 20000000000', '"limit": 1000'))
    # What the page was written with needs no counting: its own position, and the empty board.
    for address, texts in [("", POSITIONS["gym"][1]), ("#empty", "")]:
        _, state = show("lazy", address)
        _assert_is(state, POSITIONS["gym"][0], texts)
    _, state = show("lazy", "#D4=miss")
    assert state["said"].endswith("bsbench odds 'gym-10x10: D4=miss'")
    _, state = show("gym", "#<img src=x>")
    assert state["said"].endswith(": <img src=x>")
    _, state = show("over")
    assert "over" in state["said"]
    assert state["shots"] == []


@NEEDS_BROWSER
def test_keys_and_maps(show):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    scenario, _ = POSITIONS["unclear"]
    page, _ = show("unclear", "#empty")
    body = page.find_element(By.TAG_NAME, "body")
    body.send_keys(Keys.ARROW_DOWN)
    for keys in (Keys.ARROW_DOWN, Keys.ARROW_RIGHT, "m", Keys.ARROW_DOWN, "h", "u"):
        page.switch_to.active_element.send_keys(keys)
        state = _state(page)
    assert state["answers"] == ["B2=miss"]
    _assert_is(state, scenario, "B2=miss")
    page.execute_script(
        "const map = document.getElementById('map'); map.value = 2; "
        "map.dispatchEvent(new Event('change'));"
    )
    found = find_odds(Position.parse("B2=miss", scenario)).posterior
    shown = [text for text in _state(page)["cells"] if text != "○"]
    shares = np.delete(found.ships[2].astype(float), 6) / found.layouts
    assert np.allclose(np.array(shown, float), 100 * shares, atol=0.051)
