"""The HTML report in a browser: sorting, widths, light and dark, and nothing fetched."""

from __future__ import annotations

import dataclasses

import pytest

import bsbench
from bsbench.present.report import ReportPage, ReportSection, draw
from bsbench.present.report.render import html_text
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.scenario import Scenario
from bsbench.runs.comparison import Comparison
from tests.support.browsing import NEEDS_BROWSER, barriers, contrast, emulate, luminance, requests

pytestmark = NEEDS_BROWSER
HOSTILE = "</script><script>window.broken = 1</script><img src=x onerror='window.broken = 2'>"
POND = Scenario(name="pond", rules=Rules(6, 6, (3, 2), touching=True, feedback=Feedback.SHIP))


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    """Return a comparison with one in the middle."""
    strategies = ["random", "linear", "over9000", "over9000,noise=0", "smart"]
    return bsbench.compare(strategies, POND, games=400, seed=1, reference="smart")


@pytest.fixture(scope="module")
def address(tmp_path_factory, comparison) -> str:
    """Write a report, with texts that try to break out of it."""
    # A heat map is a picture within the chart.
    section = ReportSection("", "", "", comparison, ("ecdf", "occupancy"))
    hostile = dataclasses.replace(section, name="b", title=HOSTILE, text=HOSTILE)
    path = tmp_path_factory.mktemp("report") / "report.html"
    report = ReportPage(HOSTILE, HOSTILE, (section, hostile), HOSTILE)
    path.write_text(html_text(report, draw(report)), encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def page(browser, address):
    """Open the report afresh, on a wide and light screen."""
    emulate(browser, 1200)
    for log in ("browser", "performance"):
        browser.get_log(log)
    browser.get(address)
    return browser


def _state(page) -> tuple[list[str | None], list[list[str]]]:
    """Return of the first table how each header says it is sorted, and the rows' values."""
    return page.execute_script(
        """
        const table = document.querySelector("table.sortable");
        return [
          [...table.tHead.rows[0].cells].map((cell) => cell.getAttribute("aria-sort")),
          [...table.tBodies[0].rows].map((row) =>
            [...row.cells].map((cell) => cell.dataset.value)),
        ];
        """
    )


def _buttons(page):
    from selenium.webdriver.common.by import By

    return page.find_elements(By.CSS_SELECTOR, "table.results thead button")


def _in_order(values: list[str], down: bool) -> list[str]:
    """Return values as a column should have them: ties as given, missing ones last."""
    try:
        key = {value: float(value or 0) for value in values}.get
    except ValueError:
        key = str
    known = sorted(filter(None, values), key=key, reverse=down)
    return known + [""] * values.count("")


def test_a_click_on_a_header_sorts(page):
    told, given = _state(page)
    columns = len(told)
    mean = told.index("ascending")
    assert told.count(None) == columns - 1
    assert _buttons(page)[mean].text.startswith("mean")
    assert [row[mean] for row in given] == _in_order([row[mean] for row in given], False)
    assert len(_buttons(page)) == 2 * columns
    for column in range(columns):
        # The one that they are sorted by already is turned first.
        for down in (True, False) if told[column] == "ascending" else (False, True):
            _buttons(page)[column].click()
            now, rows = _state(page)
            assert now[column] == ("descending" if down else "ascending")
            assert now.count(None) == columns - 1
            values = [row[column] for row in given]
            assert [row[column] for row in rows] == _in_order(values, down)
            # Rows stay whole.
            assert sorted(rows) == sorted(given)
        told = now
    # The other table is left alone.
    other = """
      return [...document.querySelectorAll("table.results")[1].tHead.rows[0].cells].map((cell) =>
        cell.getAttribute("aria-sort"));
    """
    assert page.execute_script(other)[mean] == "ascending"


def test_ties_stay_as_they_were_given(page):
    _, given = _state(page)
    told = [button.text for button in _buttons(page)]
    column = next(i for i, text in enumerate(told) if text.startswith("worst"))
    assert len({row[column] for row in given}) < len(given)
    for _ in range(2):
        _buttons(page)[column].click()
        _, rows = _state(page)
        for value in {row[column] for row in given}:
            assert [row for row in rows if row[column] == value] == [
                row for row in given if row[column] == value
            ]


@pytest.mark.parametrize("key", ["ENTER", "SPACE"])
def test_the_keyboard_sorts(page, key):
    from selenium.webdriver.common.keys import Keys

    first, second, *_ = _buttons(page)
    for _ in range(10):
        page.switch_to.active_element.send_keys(Keys.TAB)
        if page.switch_to.active_element == first:
            break
    page.switch_to.active_element.send_keys(Keys.TAB)
    assert page.switch_to.active_element == second
    outline = page.execute_script("return getComputedStyle(document.activeElement).outlineStyle")
    assert outline != "none"
    for expected in ("descending", "ascending", "descending"):
        page.switch_to.active_element.send_keys(getattr(Keys, key))
        assert _state(page)[0][1] == expected
        assert page.switch_to.active_element == second


def test_nothing_bars_readers_without_eyes_or_mouse(page, tmp_path, comparison):
    # One section has no heading of its own.
    alone = ReportPage("one", "", (ReportSection("", "", "", comparison),))
    (tmp_path / "one.html").write_text(html_text(alone, draw(alone)), encoding="utf-8")
    page.get((tmp_path / "one.html").as_uri())
    emulate(page, 390)
    assert not barriers(page)


def test_nothing_is_fetched_and_nothing_goes_wrong(page, address):
    assert page.execute_script("return window.broken ?? null") is None
    assert page.title == HOSTILE
    for button in _buttons(page):
        button.click()
    asked = requests(page)
    # Pictures within the page are part of it.
    assert {url for url in asked if not url.startswith("data:image/png;")} == {address}
    assert page.get_log("browser") == []


def test_a_page_is_as_wide_as_the_screen(page):
    for width in (320, 400, 800, 1200):
        emulate(page, width)
        assert page.execute_script("return document.documentElement.scrollWidth") <= width
        # Charts are never so small that they can't be read: they scroll by themselves.
        charts = page.execute_script(
            "return [...document.querySelectorAll('section:not(#where) figure svg')].map((s) =>"
            " s.getBoundingClientRect().width)"
        )
        assert len(charts) == 8
        assert min(charts) >= 500


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_stand_out_by_day_and_by_night(page, scheme):
    emulate(page, 1200, scheme)
    ground, *colours = page.execute_script(
        """
        const colour = (name, what) => getComputedStyle(document.querySelector(name))[what];
        return [colour("body", "backgroundColor"),
          ...["h1", "p", "td", "caption", ".note", "thead button", "dd"].map((name) =>
            colour(name, "color"))];
        """
    )
    assert (luminance(ground) < 0.1) == (scheme == "dark")
    for colour in colours:
        assert contrast(colour, ground) >= 4.5
    # Charts stand on the page's ground, and so do their texts; only those on heat maps don't.
    sheet, *inks = page.execute_script(
        """
        const fill = (element) => getComputedStyle(element).fill;
        return [fill(document.querySelector("figure svg path")),
          ...[...document.querySelectorAll("figure svg text")]
            .filter((text) => !/^[0-9.]+$/.test(text.textContent)).map(fill)];
        """
    )
    assert sheet == ground.replace("rgba", "rgb").replace(", 1)", ")")
    assert len(inks) > 10
    assert min(contrast(ink, sheet) for ink in inks) >= 4.5


def test_on_paper_nothing_is_cut_off(page):
    # A4 at 96 dots an inch, margins taken off.
    emulate(page, 720, "dark", "print")
    widths = page.execute_script(
        """
        return [...document.querySelectorAll("table, svg")].map((each) =>
          each.getBoundingClientRect().right);
        """
    )
    assert max(widths) <= 720
    ground = "return getComputedStyle(document.body).backgroundColor"
    assert page.execute_script(ground) == "rgb(255, 255, 255)"


def test_without_scripts_the_report_is_there(browser, address):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get(address)
        from selenium.webdriver.common.by import By
        from selenium.webdriver.support.wait import WebDriverWait

        # The driver does not know that a page without scripts is still being read.
        rows = (By.CSS_SELECTOR, "table.results tbody tr")
        WebDriverWait(browser, 10).until(lambda page: len(page.find_elements(*rows)) == 10)
        assert not _buttons(browser)
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
        # Where sorting is not possible, cards have no header that offers it.
        emulate(browser, 390)
        header = "return getComputedStyle(document.querySelector('.results thead')).display"
        assert browser.execute_script(header) == "none"
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_bars_are_as_long_as_their_figures(page, comparison):
    frame = comparison.sorted("best").to_frame()
    lengths = page.execute_script(
        """
        const width = (element) => element.getBoundingClientRect().width;
        const left = (element) => element.getBoundingClientRect().left;
        return [...document.querySelector(".results").tBodies[0].rows].map((row) => ({
          name: row.cells[0].querySelector(".name").textContent,
          mean: width(row.querySelector(".bar")) / width(row.querySelector(".track")),
          race: [...row.querySelectorAll(".wins, .ties, .losses")].map((part) =>
            width(part) / width(part.ownerSVGElement)),
          reach: width(row.querySelector(".reach")),
        }));
        """
    )
    rules = POND.rules
    assert [row["name"] for row in lengths] == frame["label"].tolist()
    beyond = (frame["mean"] - rules.ship_cells) / (rules.cells - rules.ship_cells)
    assert [row["mean"] for row in lengths] == pytest.approx(beyond.tolist(), abs=2e-3)
    games = frame["games"]
    shares = [(frame[name] / games).tolist() for name in ("wins", "ties", "losses")]
    for row, *expected in zip(lengths, *shares, strict=True):
        if row["name"] == comparison.reference:
            assert row["race"] == []
        else:
            assert row["race"] == pytest.approx(expected, abs=2e-3)
    # Bars from 0 to the difference, all on one axis.
    farthest = frame["difference"].abs().max()
    longest = max(row["reach"] for row in lengths)
    shown = [row["reach"] / longest * farthest for row in lengths]
    assert shown == pytest.approx(frame["difference"].abs().tolist(), abs=0.02 * farthest)


def test_on_a_phone_rows_are_cards(page):
    emulate(page, 390)
    boxes = page.execute_script(
        """
        return [...document.querySelectorAll(".results td")].map((cell) => [
          cell.getBoundingClientRect().left, cell.getBoundingClientRect().right]);
        """
    )
    assert min(left for left, _ in boxes) >= 0
    assert max(right for _, right in boxes) <= 390
    # What is said of a value stands in its card; charts say that they scroll.
    script = "return getComputedStyle(document.querySelector(arguments[0]), '::before').content"
    assert page.execute_script(script, ".results td") == '"mean ± 95 %"'
    assert "scrolls" in page.execute_script(script, ".charts .scroll")
    _, given = _state(page)
    _buttons(page)[0].click()
    _, rows = _state(page)
    assert [row[0] for row in rows] == sorted(row[0] for row in given)


def test_a_link_opens_what_is_folded(page):
    opened = "return document.querySelector('.facts details').open"
    assert page.execute_script(opened) is False
    page.execute_script("document.querySelector('.links a').click()")
    for _ in range(100):
        if page.execute_script(opened):
            break
    assert page.execute_script(opened) is True
    assert page.execute_script("return document.querySelector('dt:target').textContent")


def test_the_reference_stands_between_those_it_beats_and_those_it_loses_to(page, comparison):
    headers = [button.text for button in _buttons(page)]
    column = next(place for place, text in enumerate(headers) if text.startswith("won"))
    _buttons(page)[column].click()
    _, rows = _state(page)
    balance = {
        row["label"]: (row["wins"] or 0) - (row["losses"] or 0)
        for row in comparison.rows
        if row["label"] != comparison.reference
    }
    labels = [row[0] for row in rows]
    at = labels.index(comparison.reference)
    assert all(balance[label] <= 0 for label in labels[:at])
    assert all(balance[label] >= 0 for label in labels[at + 1 :])
    assert 0 < at < len(labels) - 1
