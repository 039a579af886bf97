"""The documentation site: what it is made of, and the site itself."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys

import pytest

from bsbench.cli import main
from bsbench.roster import strategy_names
from tests.support import ROOT, browsing

DOCS = ROOT / "docs"
GENERATED = re.compile(r"reference/|notebooks/")


def _entries() -> list[str]:
    """Return the pages that toctrees list."""
    found = []
    for path in DOCS.glob("*.md"):
        blocks = re.findall(r"```\{toctree\}\n(.*?)```", path.read_text(encoding="utf-8"), re.S)
        lines = [line for block in blocks for line in block.splitlines()]
        found += [re.sub(r".*<(.*)>", r"\1", line) for line in lines if line and line[0] != ":"]
    return found


def test_each_page_is_in_the_navigation_once():
    pages = {path.stem for path in DOCS.glob("*.md")} - {"index"}
    entries = [name for name in _entries() if not GENERATED.match(name)]
    assert sorted(entries) == sorted(pages)


@pytest.mark.parametrize("page", ["tutorials", "how-to", "explanation", "research"])
def test_index_pages_have_a_line_for_each_page(page):
    text, _, tree = (DOCS / f"{page}.md").read_text(encoding="utf-8").partition("```{toctree}")
    entries = re.findall(r"^([\w-]+)$", tree, flags=re.MULTILINE)
    # A line is more than a link: it says what the reader can do there.
    links = re.findall(r"^- \[.*?\]\(([\w-]+)\.md\)(?: |: )\w+ \w+", text, flags=re.MULTILINE)
    assert sorted(links) == sorted(entries)


def test_each_notebook_is_in_the_navigation():
    names = {f"notebooks/{path.stem}" for path in ROOT.glob("notebooks/*.ipynb")}
    assert {name for name in _entries() if name.startswith("notebooks/")} == names


def test_pages_are_short():
    """Tables that are written from records don't count, nor does what has no letter or digit."""
    words = {
        path.stem: len(
            re.findall(
                r"\S*\w\S*",
                re.sub(r"<!-- table .*?<!-- end -->", "", path.read_text("utf-8"), flags=re.S),
            )
        )
        for path in DOCS.glob("*.md")
    }
    assert max(words.values()) <= 1_500, max(words, key=words.get)
    assert sum(words.values()) <= 27_500


def test_terms_that_pages_use_are_in_the_glossary():
    glossary = (DOCS / "glossary.md").read_text(encoding="utf-8")
    terms = set(re.findall(r"^\*\*(.+)\*\*$", glossary, flags=re.MULTILINE))
    assert {"scenario", "layout", "slot", "feedback", "home scenario"} <= terms
    texts = [path.read_text(encoding="utf-8") for path in [*DOCS.glob("*.md"), *DOCS.rglob("*.py")]]
    used = {
        re.sub(r".*<(.*)>", r"\1", name).lower()
        for text in texts
        for name in re.findall(r"\{term\}`([^`]+)`", text)
    }
    assert used <= terms


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Build the site, warnings being errors."""
    fcntl = pytest.importorskip("fcntl", reason="POSIX locks")
    if importlib.util.find_spec("pydata_sphinx_theme") is None:
        pytest.skip("needs the extra docs")
    out = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html"]
    # Pages are generated beside the others: two workers must not do so at the same time.
    with (tmp_path_factory.getbasetemp().parent / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = subprocess.run(
            [*command, str(DOCS), str(out)], capture_output=True, text=True, cwd=ROOT, check=False
        )
    assert (done.returncode, done.stderr) == (0, "")
    return out


@pytest.mark.slow
def test_the_site_has_all_commands_strategies_and_boards(site):
    commands = {path.stem for path in (site / "reference" / "commands").glob("*.html")}
    assert commands == {"index", *main.commands, *main.list_commands(None)}
    strategies = {path.stem for path in (site / "reference" / "strategies").glob("*.html")}
    assert strategies == {"index", *strategy_names()}
    replays = {path.stem for path in (site / "replays").glob("*.html")}
    assert replays == set(strategy_names())
    (board,) = re.findall(r'<iframe class="board" src="([^"]+)"', (site / "index.html").read_text())
    assert (site / board).is_file()
    (positions,) = re.findall(r'href="([^"]+)" download', (site / "positions.html").read_text())
    assert (site / positions).is_file()


@pytest.mark.slow
def test_the_site_loads_nothing_from_elsewhere(site):
    loading = r"<(?:script|img|iframe|link)\b[^>]*?(?:src|href)=\"(https?:)?//"
    for path in site.rglob("*.html"):
        assert not re.search(loading, path.read_text(encoding="utf-8")), path
    for path in (site / "_static").rglob("*.css"):
        assert not re.search(r"url\(['\"]?https?:", path.read_text(encoding="utf-8")), path


@browsing.NEEDS_BROWSER
@pytest.mark.slow
def test_search_works_without_a_server(site, browser):
    browser.get(f"{(site / 'search.html').as_uri()}?q=lattice")
    from selenium.webdriver.support.ui import WebDriverWait

    wait = WebDriverWait(browser, 20)
    found = wait.until(lambda page: page.find_elements("css selector", "#search-results li a"))
    assert any("strategies/lattice.html" in link.get_attribute("href") for link in found)
