"""The page: its figures are those of the frames, and it works as it says."""

from __future__ import annotations

import dataclasses
import itertools
import json
import re
import time
from html import unescape
from urllib.parse import quote

import numpy as np
import pytest

import bsbench
from bsbench.present.page import again as playing
from bsbench.present.page import html
from bsbench.present.page.again import Again, play_again
from bsbench.present.page.html import page_text
from bsbench.present.page.scenes import MOST, scenes_of
from bsbench.present.report import ReportPage, ReportSection
from bsbench.present.scale import contenders
from bsbench.present.verdicts import verdict
from bsbench.roster import find_strategy
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.scenario import Scenario
from bsbench.runs.comparison import Comparison
from bsbench.runs.finding import only
from bsbench.runs.results import save_result
from bsbench.runs.tally import Tally
from bsbench.stats import Difference, interval_text
from bsbench.studies.match.sheet import sheet
from tests.support.browsing import NEEDS_BROWSER, barriers, emulate, requests
from tests.support.fuzzing import ended
from tests.support.refusals import assert_refused, names, refused

HOSTILE = "</script><script>window.broken = 1</script><img src=x onerror='window.broken = 2'>"
POND = Scenario(name="pond", rules=Rules(6, 6, (3, 2), touching=True, feedback=Feedback.SHIP))
GAMES, PAIRED = 400, 150
ENDS = ("best", "low", "median", "high", "worst")
NAMES = ["linear", "random", "smart", "smart-random", "over9000", "over9000,noise=0"]


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    """Results without move counts, as records have them, and pairs with the reference."""
    return bsbench.compare(NAMES, POND, games=GAMES, seed=1, keep_moves=False, reference="linear")


@pytest.fixture(scope="module")
def with_moves() -> Comparison:
    """Return the same with move counts."""
    return bsbench.compare(NAMES, POND, games=GAMES, seed=1, reference="linear")


@pytest.fixture(scope="module")
def shown(comparison):
    """Return the scene of these results, with games played again."""
    (scene,) = scenes_of([ReportSection("", "", "", comparison)])
    return play_again(scene, PAIRED, games=True)


def _text(shown: list[Again], title: str = "t", say=lambda text: None) -> str:
    """Return a page of scenes alone."""
    return page_text(ReportPage(title, "", ()), shown, say)


def _data(text: str) -> dict:
    """Return what the scripts of a page read."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text)
    return json.loads(found[1])


def test_pairs_are_those_of_comparisons_with_each(shown, comparison):
    """Differences are of all games; those known game by game have the paired interval."""
    (scene,) = _data(_text([shown]))["scenes"]
    labels = [result.label for result in comparison.results]
    for place, row in enumerate(scene["pairs"]):
        expected = bsbench.compare(comparison.results, reference=labels[place]).to_frame()
        for other, pair in enumerate(row):
            if place == other:
                assert pair is None
                continue
            known = expected.iloc[other]
            assert pair["mean"] == pytest.approx(known["difference"], abs=1e-12)
            assert sum(pair["race"]) == (GAMES if 0 in (place, other) else PAIRED)
            assert pair["paired"] == (GAMES if 0 in (place, other) else 0)
            if pair["paired"]:
                assert pair["half"] < np.hypot(*expected.iloc[[place, other]]["half_width"])
            else:
                assert pair["half"] == pytest.approx(known["difference_half_width"])
            assert pair["clear"] == (abs(pair["mean"]) > pair["half"])
            assert pair["race"] == scene["pairs"][other][place]["race"][::-1]


def test_first_games_are_compared_game_by_game(shown, with_moves):
    one, other = (result.moves[:PAIRED].astype(int) for result in with_moves.results[2:4])
    race = shown.races(with_moves.results[3].label).races[2]
    assert (race.wins, race.ties, race.losses) == tuple(
        int(np.count_nonzero(sign)) for sign in (one < other, one == other, one > other)
    )


def test_all_games_again_give_paired_intervals(comparison, with_moves):
    (scene,) = scenes_of([ReportSection("", "", "", comparison)])
    played = play_again(scene, GAMES, games=False)
    for label in ("smart", "over9000"):
        expected = dataclasses.replace(with_moves, reference=label, stored={}, stored_firsts={})
        compared = played.scene.compared(label)
        assert compared.differences == expected.differences
        assert all(compared.paired)
    assert not played.watched


def test_games_that_are_others_now_are_not_shown(comparison):
    """A record that this version can't play again is believed, but nothing is added to it."""
    first = comparison.results[0]
    firsts = first.tally.firsts.copy()
    known = np.flatnonzero(firsts >= 0)
    firsts[known[:2]] = firsts[known[:2]][::-1]
    other = dataclasses.replace(first, tally=dataclasses.replace(first.tally, firsts=firsts))
    (scene,) = scenes_of([ReportSection("", "", "", Comparison((other,), other.label))])
    played = play_again(scene, GAMES, games=True)
    reason = played.reasons[other.label]
    assert not played.watched
    assert not played.first
    (data,) = _data(_text([played]))["scenes"]
    assert data["strategies"][0]["reason"] == reason


def test_games_to_watch_are_those_of_the_record(shown, comparison):
    for result in comparison.results:
        wanted = {getattr(result.stats, key) for key in ENDS}
        games = {
            moves: each for (label, moves), each in shown.watched.items() if label == result.label
        }
        assert games.keys() == wanted
        for moves, each in games.items():
            assert len(each.moves) == moves
            assert each.game == result.tally.firsts[moves]


def test_strategies_that_take_long_play_only_if_asked_to(comparison, monkeypatch):
    (scene,) = scenes_of([ReportSection("", "", "", comparison)])
    monkeypatch.setattr(find_strategy("random"), "takes_long", True)
    said: list[str] = []
    played = play_again(scene, None, games=True, say=said.append)
    (data,) = _data(_text([played]))["scenes"]
    assert names(said[1], "random"), "before anything is played"
    assert all(names(said[-1], name) for name in ("pond", "random", playing._LONG))
    each = {each["label"]: each for each in data["strategies"]}
    slow = each.pop("random")
    assert not slow["pages"]
    assert slow["reason"] == playing._LONG
    assert all(other["pages"] for other in each.values())
    assert play_again(scene, None, games=False).first.keys() == each.keys()
    assert "random" in play_again(scene, 20, games=False).first


def test_games_without_room_are_counted(shown, monkeypatch):
    monkeypatch.setattr(html, "_LARGEST_GAMES", 100_000)
    said: list[str] = []
    (data,) = _data(_text([shown], say=said.append))["scenes"]
    held = sum(len(each["pages"]) for each in data["strategies"])
    assert 0 < held < len(shown.watched)
    (told,) = said
    assert names(told, f"{held} of {len(shown.watched)} games")


def test_a_secret_seed_is_in_the_page_as_it_is():
    """JavaScript rounds numbers of more than 53 bits."""
    given = bsbench.compare(["linear", "random"], POND, games=50, seed=2**127 + 1)
    (played,) = scenes_of([ReportSection("", "", "", given)])
    (scene,) = _data(_text([play_again(played, 0, games=False)]))["scenes"]
    assert [each["seed"] for each in scene["strategies"]] == [f"{2**127 + 1}"] * 2


def test_results_on_the_same_layouts_make_one_scene():
    """Feedback changes no layout; a strategy that played under two kinds is shown twice."""
    given = [
        bsbench.compare(
            names,
            POND.override(feedback=feedback),
            games=50,
            keep_moves=False,
            reference=names[0],
        )
        for names, feedback in (
            (["linear", "smart"], Feedback.HIT),
            (["smart", "lattice"], Feedback.SUNK),
        )
    ]
    again = bsbench.compare(["linear", "random"], POND, games=50, seed=3)
    larger = POND.override(board=(7, 7))
    other = bsbench.compare(["linear", "random"], larger, games=50)
    sections = [ReportSection("", "", "", each) for each in (*given, other, given[0], again)]
    first, second, third = scenes_of(sections)
    assert [first.title, third.title] == ["pond+hit", "pond"], "other seeds, other layouts"
    assert first.alike
    labels = [result.label for result in first.results]
    assert labels == ["linear", "smart (hit)", "smart (sunk)", "lattice"], "no game is shown twice"
    assert first.feedbacks == ["hit", "sunk"]
    assert not second.feedbacks
    best = min(first.results, key=lambda result: result.stats.mean)
    assert first.reference == best.label
    compared = first.compared("linear")
    assert compared.paired == (True, True, False, False)
    assert first.compared("smart (sunk)").paired == (False, False, True, True)
    assert first.compared("lattice").differences[2].mean == pytest.approx(
        first.results[2].stats.mean - first.results[3].stats.mean
    )
    played = play_again(first, 0, games=True)
    text = _text([played])
    (scene,) = _data(text)["scenes"]
    assert "feedback hit or sunk" in text
    commands = [each["command"] for each in scene["strategies"]]
    assert all("--strategy smart " in command for command in commands[1:3])
    assert "--feedback hit" in commands[1]
    assert "--feedback sunk" in commands[2]
    assert only(sections, "pond+sunk") == [sections[1]]
    with refused("'sea'"):
        only(sections, "sea")


def test_too_many_strategies_are_refused(comparison):
    first = comparison.results[0]
    many = tuple(dataclasses.replace(first, label=f"linear {n}") for n in range(MOST + 1))
    with refused(f"{MOST} strategies"):
        scenes_of([ReportSection("", "", "", Comparison(many, many[0].label))])


OWN = """
from pathlib import Path

Path(__file__).with_name("RAN").touch()


class Mine:
    def shoot(self, view):
        return view.open_cells[0]
"""


def test_the_command(in_folder):
    (in_folder / "own.py").write_text(OWN)
    names = ["linear", "random", "own.py:Mine"]
    compared = bsbench.compare(names, "classic", games=30, seed=1, keep_moves=False)
    for result in compared.results:
        save_result(result, f"records/{result.label}.json")
    (in_folder / "RAN").unlink()
    records = sorted(map(str, (in_folder / "records").glob("*.json")))
    quiet = ended("report", *records, "-q", "--paired", "20")
    assert quiet.exit_code == 0
    assert not quiet.output
    text = (in_folder / "report.html").read_text(encoding="utf-8")
    (scene,) = _data(text)["scenes"]
    own = next(each for each in scene["strategies"] if each["label"] not in names[:2])
    assert not (in_folder / "RAN").exists(), "no code of a record's choice runs"
    assert "--trust" in own["reason"]
    assert not own["pages"]
    assert own["command"].startswith("bsbench replay --strategy own.py:Mine --scenario classic")
    assert_refused(ended("report", *records), "report.html", "--force")
    printed = ended("report", "records", "-o", "-", "-q", "--trust", "--paired", "0")
    (scene,) = _data(printed.stdout)["scenes"]
    own = next(each for each in scene["strategies"] if each["label"] not in names[:2])
    assert (in_folder / "RAN").exists()
    assert own["pages"]
    assert not own["reason"]
    printed = ended("report", "records", "-o", "-", "-q", "--no-games", "--paired", "0")
    assert not any(each["pages"] for each in _data(printed.stdout)["scenes"][0]["strategies"])


def test_the_page_says_all_of_it_without_scripts(shown, comparison):
    text = unescape(_text([shown]).partition("<script")[0])
    (table,) = re.findall(r"<table.*?</table>", text, re.DOTALL)
    for result in comparison.results:
        assert result.stats.mean_text in table
        assert result.label in table
    assert text.index(verdict(comparison)) < text.index(table)
    hidden = re.findall(r"<(\w+)[^>]* hidden>", text)
    assert "table" not in hidden


def _cells(text: str) -> list[dict[str, list[str]]]:
    """Return the tables of a page, by column."""
    found = []
    for table in re.findall(r"<table.*?</table>", text, re.DOTALL):
        head, *rows = re.findall(r"<tr>(.*?)</tr>", table)
        cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in (head, *rows)]
        found.append({name: [*column] for name, *column in zip(*cells, strict=True)})
    return found


@pytest.mark.parametrize("sides", [["smart", "random"], ["random", "smart", "linear @ edge:3"]])
def test_a_saved_match_is_a_page(in_folder, sides):
    """It says what the terminal said when it was played."""
    found = bsbench.match(sides, "classic", games=200)
    (in_folder / "m.json").write_text(json.dumps(found.to_dict()), encoding="utf-8")
    ended_ = ended("report", "m.json", "-q", "-o", "-")
    assert ended_.exit_code == 0, ended_.stderr
    text = unescape(ended_.stdout)
    known = sheet(found)
    assert known.finding in text
    ranking, second = _cells(text)
    if len(sides) == 2:
        # On the terminal, games that were played are below.
        first_rows = {name: cells[:3] for name, cells in known.columns.items()}
        assert second == first_rows
    else:
        assert ranking["side"] == known.columns["side"]
        assert ranking["score"] == known.columns["score"]
        assert ranking["against 1"] == known.columns["against 1"]
        elo = [each.replace("−", "-").removeprefix("+") for each in ranking["Elo ± 95 %"]]
        assert elo == known.columns["Elo ± 95 %"]
        assert [*second.values()][1:] == [*known.more.values()][2:]
    assert_refused(ended("report", "m.json", "--paired", "3"), "m.json", "match")
    record = found.to_dict()
    record["meetings"].pop()
    (in_folder / "m.json").write_text(json.dumps(record), encoding="utf-8")
    assert_refused(ended("report", "m.json"), "m.json")


@pytest.fixture(scope="module")
def address(tmp_path_factory, comparison) -> str:
    """Write a page with a second scene, and names that try to break out of it."""
    shore = POND.override(placement="edge:3")
    few = bsbench.compare(["linear", "random"], shore, games=GAMES, seed=1, keep_moves=True)
    results = list(comparison.results)
    results[1] = dataclasses.replace(results[1], label=HOSTILE, source=HOSTILE)
    stored = {label: pair for label, pair in comparison.stored.items() if label != "random"}
    hostile = Comparison(tuple(results), results[0].label, stored=stored)
    sections = [ReportSection(HOSTILE, HOSTILE, HOSTILE, each) for each in (hostile, few)]
    scenes = scenes_of(sections)
    report = ReportPage(HOSTILE, HOSTILE, tuple(sections), HOSTILE)
    text = page_text(report, [play_again(each, PAIRED, games=True) for each in scenes])
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(text, encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def page(browser, address):
    """Open the page afresh, on a wide and light screen."""
    emulate(browser, 1300)
    browser.get("about:blank")
    for log in ("browser", "performance"):
        browser.get_log(log)
    browser.get(address)
    return browser


def _open(page, address: str, asked: str) -> None:
    page.get("about:blank")
    page.get(f"{address}#{asked}")


def _rows(page, table: str) -> dict[str, list[str]]:
    """Return the texts of a table's cells by the strategy of the row."""
    rows = page.execute_script(
        """
        return [...document.querySelectorAll(`${arguments[0]} tbody tr`)].map((row) =>
          [...row.cells].map((cell) => cell.textContent.trim()));
        """,
        table,
    )
    return {name: cells for name, *cells in rows}


def _press(page, *keys: str) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    ActionChains(page).send_keys(*keys).perform()


def _wait(condition, seconds: float = 5.0):
    end = time.monotonic() + seconds
    while not (found := condition()) and time.monotonic() < end:
        time.sleep(0.02)
    return found


def _called(label: str) -> str:
    return HOSTILE if label == "random" else label


def _open_page_of(browser, folder, results, asked: str = "") -> None:
    """Write the page of some results, compared with the first, and open it."""
    both = Comparison(tuple(results), results[0].label)
    (scene,) = scenes_of([ReportSection("", "", "", both)])
    path = folder / "page.html"
    path.write_text(_text([play_again(scene, 0, games=False)]), encoding="utf-8")
    emulate(browser, 1300)
    browser.get(f"{path.as_uri()}#{asked}")


@NEEDS_BROWSER
def test_names_that_are_cut_stay_different(browser, tmp_path, comparison):
    results = [
        dataclasses.replace(result, label=f"{'x' * 15}{place}{'y' * 25}")
        for place, result in enumerate(comparison.results)
    ]
    _open_page_of(browser, tmp_path, results)
    names = browser.execute_script(
        "return [...document.querySelectorAll('.rank text')].map((each) => each.textContent)"
    )
    assert len({name for name in names if "…" in name}) == len(results), names


@NEEDS_BROWSER
def test_the_table_shows_the_figures_of_the_frame(page, address, comparison):
    for reference in ("linear", "smart"):
        _open(page, address, f"reference={reference}")
        shown = _rows(page, "#figures")
        stored = comparison.stored if reference == "linear" else {}
        compared = dataclasses.replace(comparison, reference=reference, stored=stored)
        frame = compared.to_frame().set_index("label")
        assert len(shown) == len(frame)
        for label, row in frame.iterrows():
            mean, *lengths, difference, rank, races = shown[_called(label)]
            assert mean == interval_text(row["mean"], row["half_width"])
            assert lengths == [str(row[key]) for key in ("median", "low", "high", "best", "worst")]
            low, high = row["rank_low"], row["rank_high"]
            assert rank == (f"{low}" if low == high else f"{low}–{high}")
            if label == reference:
                assert (difference, races) == ("reference", "")
                continue
            if label != "random" and row["paired"]:
                numbers = [100 * row[key] / GAMES for key in ("wins", "ties", "losses")]
                assert races == "/".join(f"{number:.1f}" for number in numbers)
                gap = Difference(row["difference"], row["difference_half_width"])
                assert difference.replace("−", "-") == gap.text
            else:
                assert difference.replace("−", "-").startswith(f"{row['difference']:+.1f}"[:3])


@NEEDS_BROWSER
def test_shares_at_a_shot_are_those_of_the_counts(page, address, comparison):
    """By the address, and then by the keys of a chart."""
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    _open(page, address, "view=distribution&shot=20")
    page.find_element(By.ID, "plot").send_keys(Keys.ARROW_RIGHT)
    shots = [21]
    _check_shares(page, comparison, shots[0])
    page.find_element(By.ID, "plot").send_keys(Keys.PAGE_DOWN)
    _check_shares(page, comparison, 11)
    assert _wait(lambda: "shot=11" in page.current_url), "the address follows"
    _press(page, "3")
    ahead = _rows(page, "#readout")
    by = {each.label: each.counts[:12].sum() / GAMES for each in comparison.results}
    for label, cells in by.items():
        expected = "" if label == "linear" else f"{100 * (cells - by['linear']):+.2f}"
        assert ahead[_called(label)][-1].replace("−", "-").replace("+0.00", "0.00") == (
            expected.replace("+0.00", "0.00").replace("-0.00", "0.00")
        )


def _check_shares(page, comparison, shot: int) -> None:
    shown = _rows(page, "#readout")
    for result in comparison.results:
        games = int(result.counts[shot])
        cells = shown[_called(result.label)]
        assert cells[0].removeprefix("▶ ") == f"{games:,}"
        assert cells[1] == f"{100 * games / GAMES:.2f} %"
        assert cells[2] == f"{100 * int(result.counts[: shot + 1].sum()) / GAMES:.2f} %"


@NEEDS_BROWSER
def test_an_address_restores_all_of_the_state(page, address):
    asked = (
        "on=linear&on=smart&on=over9000&reference=smart&view=pairs&show=first&shot=17"
        "&of=linear&to=smart&sort=worst&down=1"
    )
    _open(page, address, asked)
    state = page.execute_script(
        """
        const checked = [...document.querySelectorAll("#list input:checked")];
        return {
          on: checked.map((box) => box.parentNode.querySelector(".called").textContent).sort(),
          reference: document.getElementById("reference").selectedOptions[0].text,
          radios: [...document.querySelectorAll("#app [aria-checked='true']")]
            .map((each) => each.dataset.value),
          pair: document.getElementById("pair").textContent,
          sorted: document.querySelector("[aria-sort]").dataset.key,
          down: document.querySelector("[aria-sort]").getAttribute("aria-sort"),
        };
        """
    )
    assert state["on"] == ["linear", "over9000", "smart"]
    assert state["reference"] == "smart"
    assert state["radios"] == ["pairs", "first"]
    assert all(names(state["pair"], name) for name in ("linear", "smart", f"{GAMES} games"))
    assert (state["sorted"], state["down"]) == ("worst", "descending")
    # Another view keeps the rest; and the browser's way back leads here again.
    _press(page, "2")
    assert "show=" not in page.current_url
    assert "view=distribution" in page.current_url
    assert "Shot 17" in page.execute_script("return document.querySelector('#readout').textContent")
    page.back()
    assert _wait(lambda: "view=pairs" in page.current_url)
    assert _wait(lambda: page.execute_script("return document.querySelector('.matrix') !== null"))
    # The other scenario has a title of its own, and nonsense is ignored.
    _open(page, address, "scenario=pond%2Bedge%3A3&on=linear&view=nonsense&shot=-3&game=x&moves=9")
    assert list(_rows(page, "#figures")) == ["linear"]
    assert not page.execute_script("return window.broken")


@NEEDS_BROWSER
def test_everything_by_keyboard(page):
    from selenium.webdriver.common.keys import Keys

    def focused() -> str:
        return page.execute_script(
            "const e = document.activeElement; return e.id || e.textContent || e.type"
        )

    def tab_to(condition, limit: int = 60) -> None:
        for _ in range(limit):
            if condition():
                return
            _press(page, Keys.TAB)
        raise AssertionError("no way by the keyboard")

    tab_to(lambda: focused() == "none")
    _press(page, Keys.ENTER)
    assert not _rows(page, "#figures")
    said = page.execute_script("return document.getElementById('said').textContent")
    assert names(said, "0 of 6")
    tab_to(lambda: page.execute_script("return document.activeElement.type === 'checkbox'"))
    _press(page, Keys.SPACE)
    assert len(_rows(page, "#figures")) == 1
    tab_to(lambda: focused() == "Ranking")
    outline = "return getComputedStyle(document.activeElement).outlineStyle"
    assert page.execute_script(outline) == "solid", "the focus is seen"
    _press(page, Keys.ARROW_RIGHT)
    assert focused() == "Distribution", "arrows go from view to view, and keep the focus"
    tab_to(lambda: focused() == "plot")
    _press(page, Keys.HOME, Keys.ENTER)
    assert focused() == "gamehead"
    _press(page, Keys.ESCAPE)
    assert page.execute_script("return document.getElementById('game').hidden")
    assert focused() == "plot", "the focus goes back"


@NEEDS_BROWSER
def test_contenders_are_to_scale(browser, address):
    """The script's rule is that of charts, for any distances."""
    emulate(browser, 1300)
    browser.get(address)
    draws = np.random.default_rng(1)
    cases = [np.exp(draws.normal(0, 2.5, size)).tolist() for size in range(9) for _ in range(20)]
    cases += [[0.0], [0.0, 3.0], [5.0, 1.0], [5.001, 1.0], [1.0, 1.0, 5.0, 5.0, 25.0]]
    found = browser.execute_script("return arguments[0].map(contenders)", cases)
    assert [np.flatnonzero(each).tolist() for each in found] == [*map(contenders, cases)]


@NEEDS_BROWSER
def test_what_is_far_away_is_an_arrow_with_its_figure(browser, tmp_path, comparison):
    first, near = comparison.results[0], np.arange(GAMES) % 20 + 10
    games = {"near": near, "nearer": near + (np.arange(GAMES) < 40), "far": np.full(GAMES, 36)}
    results = []
    for label, moves in games.items():
        tally = Tally.empty(0, POND.rules.cells).and_then(moves.astype(np.uint8), 1)
        results.append(dataclasses.replace(first, label=label, tally=tally, against=None))
    _open_page_of(browser, tmp_path, results, "view=ranking")
    arrows = "return [...document.querySelectorAll('.rank:has(.arrow)')].map((e) => e.dataset.who)"
    assert browser.execute_script(arrows) == ["2"]
    browser.get("about:blank")
    _open_page_of(browser, tmp_path, results, "view=ahead")
    told = browser.execute_script("return document.querySelector('#stage > .note').textContent")
    assert "↓ far −100.00" in told
    assert not names(told, "nearer")
    ticks = "return [...document.querySelectorAll('.plot .tick')].map((e) => e.textContent)"
    assert "−100" not in browser.execute_script(ticks)


@NEEDS_BROWSER
def test_a_game_is_watched_in_the_page(page, address, comparison):
    result = comparison.results[4]
    moves = result.stats.median
    _open(page, address, f"game=over9000&moves={moves}")
    frames = "return document.querySelectorAll('#game iframe').length"
    assert _wait(lambda: page.execute_script(frames) == 1)
    # A link to a game leads to the game, which is far below.
    top = "return document.getElementById('game').getBoundingClientRect().top"
    assert 0 <= page.execute_script(top) < 300
    assert page.execute_script("return scrollY") > 300
    assert not barriers(page)
    command = page.execute_script("return document.querySelector('#game code').textContent")
    assert command.endswith(f"--seed 1 --game {result.tally.firsts[moves]}")
    assert command.startswith("bsbench replay --strategy over9000 ")
    page.switch_to.frame(0)
    try:
        ready = "return document.getElementById('position')?.textContent"
        assert _wait(lambda: f"/ {moves}" in (page.execute_script(ready) or "")), "its script runs"
        _press(page, "\ue010")
    finally:
        page.switch_to.default_content()
    # A length that the page holds no game of has the command alone.
    others = [
        int(length)
        for length in np.flatnonzero(result.counts)
        if length
        not in (result.stats.best, result.stats.low, moves, result.stats.high, result.stats.worst)
    ]
    _open(page, address, f"game=over9000&moves={others[0]}")
    assert page.execute_script(frames) == 0
    shown = page.execute_script("return document.querySelector('#game').textContent")
    assert f"--game {result.tally.firsts[others[0]]}" in shown
    hostile = comparison.results[1].stats.median
    _open(page, address, f"game={quote(HOSTILE)}&moves={hostile}")
    assert _wait(lambda: page.execute_script(frames) == 1)
    assert not page.execute_script("return window.broken")
    logged = [entry for entry in page.get_log("browser") if entry["level"] == "SEVERE"]
    assert not logged
    assert all(url.startswith(("file:", "about:", "data:")) for url in requests(page))


@NEEDS_BROWSER
def test_all_strategies_take_few_screens(browser, in_folder):
    """And without scripts, all figures are there."""
    made = ended("report", "@classic", "-q", "--paired", "0", "--no-games")
    assert made.exit_code == 0, made.stderr
    for scripts, width in itertools.product((True, False), (1440, 390)):
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not scripts})
        emulate(browser, width)
        browser.get((in_folder / "report.html").as_uri())
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
        high, wide, seen = browser.execute_script(
            """
            const page = document.documentElement;
            const shown = (each) => each.getClientRects().length && !each.closest("details");
            return [page.scrollHeight, page.scrollWidth,
              [...document.querySelectorAll("table.figures")].filter(shown)
                .map((table) => table.tBodies[0].rows.length)];
            """
        )
        assert high < 4_000
        assert wide <= width
        assert seen == [17]
    assert not barriers(browser)
