"""The HTML report in a browser: sorting, widths, light and dark, and nothing fetched."""

from __future__ import annotations

import dataclasses

import pytest

import bsbench
from bsbench.present.report import ReportPage, Section, draw
from bsbench.present.report.render import html_text
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.scenario import Scenario
from tests.browsing import NEEDS_BROWSER, contrast, emulate, luminance, requests

pytestmark = NEEDS_BROWSER
HOSTILE = "</script><script>window.broken = 1</script><img src=x onerror='window.broken = 2'>"
POND = Scenario(name="pond", rules=Rules(6, 6, (3, 2), touching=True, feedback=Feedback.SHIP))


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> str:
    """Write a report, with texts that try to break out of it."""
    strategies = ["random", "linear", "over9000", "over9000,noise=0", "smart"]
    comparison = bsbench.compare(strategies, POND, games=400, seed=1)
    # A heat map is a picture within the chart.
    section = Section("", "", "", comparison, ("ecdf", "occupancy"))
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

    return page.find_elements(By.CSS_SELECTOR, "table.sortable thead button")


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
    assert told == [None] * len(told)
    columns = len(told)
    assert len(_buttons(page)) == 2 * columns
    for column in range(columns):
        for down in (False, True):
            _buttons(page)[column].click()
            told, rows = _state(page)
            assert told[column] == ("descending" if down else "ascending")
            assert told.count(None) == columns - 1
            values = [row[column] for row in given]
            assert [row[column] for row in rows] == _in_order(values, down)
            # Rows stay whole.
            assert sorted(rows) == sorted(given)
    # The other table is left alone.
    assert (
        page.execute_script(
            "return document.querySelectorAll('table.sortable')[1].querySelector('[aria-sort]')"
        )
        is None
    )


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
    for expected in ("ascending", "descending", "ascending"):
        page.switch_to.active_element.send_keys(getattr(Keys, key))
        assert _state(page)[0][1] == expected
        assert page.switch_to.active_element == second


def test_nothing_is_fetched_and_nothing_goes_wrong(page, address):
    assert page.execute_script("return window.broken ?? null") is None
    assert page.title == HOSTILE
    for button in _buttons(page):
        button.click()
    asked = requests(page)
    # Pictures within the page are part of it.
    assert {url for url in asked if not url.startswith("data:image/png;")} == {address}
    assert page.get_log("browser") == []


@pytest.mark.parametrize("width", [320, 400, 800, 1200])
def test_a_page_is_as_wide_as_the_screen(page, width):
    emulate(page, width)
    assert page.execute_script("return document.documentElement.scrollWidth") <= width
    # Charts are never so small that they can't be read: they scroll by themselves.
    charts = page.execute_script(
        "return [...document.querySelectorAll('svg')].map((s) => s.getBoundingClientRect().width)"
    )
    assert len(charts) == 4
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
    chart = page.execute_script(
        "return getComputedStyle(document.querySelector('figure .scroll')).backgroundColor"
    )
    assert chart == "rgb(255, 255, 255)"


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

        assert len(browser.find_elements(By.CSS_SELECTOR, "table.sortable tbody tr")) == 10
        assert not _buttons(browser)
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
