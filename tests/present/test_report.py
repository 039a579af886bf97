"""Reports: what they say, that no text can break out of them, and that they load nothing."""

from __future__ import annotations

import dataclasses
import json
import re
import shlex
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pytest
from click.testing import CliRunner

import bsbench
from bsbench.cli import main
from bsbench.present.charts import find_chart
from bsbench.present.report import ReportPage, ReportSection, draw
from bsbench.present.report.bars import BarAxis, axis_of, forest, length_bar, stacked_bar
from bsbench.present.report.render import html_text, inline_svg, markdown_text, table_text
from bsbench.reproduce.gathering import gather
from bsbench.roster import find_strategy
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.scenario import Scenario
from bsbench.runs.comparison import Comparison, Pair
from bsbench.runs.results import save_result
from bsbench.stats import Difference, PairedSums
from tests.support.refusals import assert_refused, names, refused

POND = Scenario(name="pond", rules=Rules(6, 6, (3, 2), touching=True, feedback=Feedback.SHIP))
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"' -->| `a` [b](c) & ${d}"


def _run(*arguments: str):
    return CliRunner().invoke(main, ["report", *arguments], prog_name="bsbench")


class _Page(HTMLParser):
    """The tags of a page, in order, with their attributes; and its texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture(scope="module")
def report() -> ReportPage:
    names = ["random", "linear", "over9000"]
    comparison = bsbench.compare(names, POND, games=500, seed=3, reference="random")
    section = ReportSection("", "", "", comparison, ("ecdf", "efficiency"))
    other = ReportSection("b", "Again", "Says `more`.", comparison, ("ecdf",))
    return ReportPage("Ponds", "One.\n\nTwo <b>.", (section, other), "bsbench reproduce pond")


@pytest.fixture(scope="module")
def figures(report):
    """The charts of the report."""
    return draw(report)


@pytest.fixture(scope="module")
def html(report, figures) -> str:
    """The report as HTML, with its charts."""
    return html_text(report, figures)


def _without_charts(page: ReportPage) -> str:
    return html_text(page, [{} for _ in page.sections])


def test_tables_show_the_results_best_first(report):
    section = report.sections[0]
    ranked = sorted(section.results, key=lambda result: result.stats.mean)
    labels = [result.label for result in ranked]
    assert labels != [result.label for result in section.results]
    stats = [result.stats for result in ranked]
    shown = section.table.texts
    assert shown["strategy"] == labels
    assert shown["mean ± 95 %"] == [s.mean_text for s in stats]
    for column, name in {"median": "median", "5 %": "low", "95 %": "high", "best": "best"}.items():
        assert shown[column] == [str(getattr(s, name)) for s in stats]
    rows = {row["label"]: row for row in section.comparison.rows}
    for label, difference, race, dominance in zip(
        labels,
        shown["difference ± 95 %"],
        shown["won/tied/lost %"],
        shown["dominance"],
        strict=True,
    ):
        row = rows[label]
        if label == "random":
            assert (difference, race, dominance) == ("reference", "", "")
        else:
            assert row["significant"]
            assert difference == Difference(row["difference"], row["difference_half_width"]).text
            shares = [f"{row[name] / 5:.1f}" for name in ("wins", "ties", "losses")]
            assert race == "/".join(shares)
    # These differ when the same games are played again, or are in no folder of results.
    assert not {"games/s", "first/tied %"} & set(shown)
    page = _Page(_without_charts(report))
    for text in (cell for cells in shown.values() for cell in cells):
        assert text in page.text


def test_the_verdict_comes_before_tables_and_charts(report, html):
    verdict = report.sections[0].verdict
    assert all(names(verdict, name) for name in ("over9000", "pond"))
    assert html.index(f'<p class="verdict">{verdict}') < html.index("<figure>")
    assert markdown_text(report, [{} for _ in report.sections]).index(f"**{verdict}**") < 200


def test_headings_differ_and_are_linked(report):
    (section, other) = report.sections
    pages = [
        (ReportPage("", "", (section, section, section)), ["pond, seed 3"] * 3),
        (ReportPage("", "", (section, other)), ["pond", "Again"]),
        (
            ReportPage("", "", tuple(dataclasses.replace(section, origin=o) for o in "ab")),
            ["a: pond", "b: pond"],
        ),
    ]
    for page, headings in pages:
        found = page.headings
        assert len(set(found)) == len(found)
        assert [name.partition(" (")[0] for name in found] == headings
        text = _without_charts(page)
        (contents,) = re.findall(r"(?s)<nav.*?</nav>", text)
        targets = re.findall('href="#(.*?)"', contents)
        assert len(targets) == len(found)
        for target, name in zip(targets, found, strict=True):
            assert f'<section id="{target}">\n<h2>{name} ' in text


def test_the_summary_is_tidy(report):
    frame = report.summary()
    assert frame["part"].tolist() == [""] * 3 + ["b"] * 3
    assert set(frame["reference"]) == {"random"}
    assert frame["wins"].isna().tolist() == [True, False, False] * 2
    assert "games_per_second" not in frame
    row = frame.iloc[2]
    assert row["difference"] == pytest.approx(row["mean"] - frame.iloc[0]["mean"])
    # Whole numbers are written whole, though others are missing.
    assert re.search(r",over9000,over9000,pond,3,500,.*,\d+,\d+,\d+\n", report.csv_text())


@pytest.mark.parametrize(
    ("difference", "counts", "text"),
    [
        (Difference(0.5, 0.1), [0, 1, 1], "+0.50 ± 0.10"),
        (Difference(-0.5, 0.1), [1, 1, 0], "-0.50 ± 0.10"),
        (Difference(0.5, 0.7), [1, 1, 4], "≈ +0.50 ± 0.70"),
        (Difference(0.0, 0.0), [0, 9, 0], "= 0"),
        (Difference(0.5, float("nan")), [0, 1, 1], "+0.50"),
    ],
)
def test_differences_are_marked(difference, counts, text):
    sums = PairedSums(np.array(counts))
    pair = dataclasses.replace(Pair.of_sums(sums), difference=difference)
    assert [pair.race.wins, pair.race.ties, pair.race.losses] == counts
    results = [bsbench.run(name, POND, games=10) for name in ("linear", "random")]
    comparison = Comparison(tuple(results), "linear", stored={"random": pair})
    section = ReportSection("", "", "", comparison)
    assert section.table.texts["difference ± 95 %"] == ["reference", text]
    notes = section.table.notes
    assert any("≈" in note for note in notes) == text.startswith("≈")


def test_pairs_are_kept_as_they_are():
    for counts in ([0, 0, 1, 2, 0, 1, 0], [0, 0, 0, 9_000, 1, 1, 0], [0, 0, 0, 1, 0, 0, 0]):
        pair = Pair.of_sums(PairedSums(np.array(counts)))
        again = Pair.from_dict(pair.to_dict(), sum(counts), 3)
        assert (again.to_dict(), again.race) == (pair.to_dict(), pair.race)
        assert again.difference.from_range == pair.difference.from_range
        for wrong in ({"half_width": 0.0123}, {"mean": 0.01}, {"least": 2}):
            with refused("differences"):
                Pair.from_dict(pair.to_dict() | wrong, sum(counts), 3)


def test_the_page_loads_nothing(html):
    page = _Page(html)
    assert not re.search(r"https?:|//[a-z]|@import|url\((?!#)", html)
    for tag, attributes in page.tags:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base", "form")
        assert "src" not in attributes
        # A link leads within the page, or to a file beside it.
        assert (attributes.get("href") or "#").startswith(("#", "./"))
    (policy,) = [m["content"] for m in page.named("meta") if "http-equiv" in m]
    assert policy.startswith("default-src 'none';")


def test_ids_of_charts_differ_and_lead_where_they_should(report, html):
    page = _Page(html)
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    charts = [tag for tag in page.named("svg") if tag.get("role") and not tag.get("class")]
    assert len(charts) == sum(len(section.shown_charts) for section in report.sections)
    assert len(ids) == len(set(ids))
    for _, attributes in page.tags:
        for value in filter(None, attributes.values()):
            for target in re.findall(r"^#(.+)|url\(#([^)]+)\)", value):
                assert "".join(target) in ids


def test_an_inline_chart_is_the_chart(report):
    figure = find_chart("ecdf").draw(report.sections[0].results)
    text = inline_svg(figure, "a-", 'Title "<x>')
    assert text.startswith("<svg ")
    assert "<!--" not in text
    assert "metadata" not in text
    page = _Page(text)
    (svg,) = page.named("svg")
    assert (svg["role"], svg["aria-label"]) == ("img", 'Title "<x>')
    assert "width" not in svg
    assert svg["viewbox"]
    assert len(page.named("path")) > 10
    assert inline_svg(figure, "a-", 'Title "<x>') == text


def _hostile() -> ReportPage:
    scenario = dataclasses.replace(POND, name=HOSTILE, summary=HOSTILE, source=HOSTILE)
    result = bsbench.run("over9000", scenario, games=50)
    result = dataclasses.replace(
        result,
        label=f"over9000 {HOSTILE}",
        source=HOSTILE,
        parameters={HOSTILE: HOSTILE},
        bsbench=HOSTILE,
        machine={"processor": HOSTILE},
        versions={HOSTILE: HOSTILE},
        date=HOSTILE,
    )
    comparison = Comparison((result,), result.label)
    section = ReportSection("", HOSTILE, HOSTILE, comparison, ("ecdf", "efficiency"))
    return ReportPage(HOSTILE, HOSTILE, (section,), HOSTILE)


def test_hostile_texts_stay_texts_in_html():
    report = _hostile()
    honest = html_text(report, draw(report))
    page = _Page(honest)
    assert len(page.named("script")) == 1
    assert not page.named("img")
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)
    assert page.text.count(HOSTILE) >= 10


def test_hostile_texts_stay_texts_in_markdown():
    report = _hostile()
    # But for the text of the report, which is its author's Markdown.
    report = dataclasses.replace(
        report, text="", sections=(dataclasses.replace(report.sections[0], text=""),)
    )
    for text in (markdown_text(report, draw(report)), table_text(report)):
        outside = re.sub(r"```sh\n.*?\n```", "", text)
        assert not re.search(r"(?<!\\)<", outside)
        assert not re.search(r"(?<!\\)`", outside)
        for line in outside.splitlines():
            if line.startswith("| over9000"):
                assert len(re.findall(r"(?<!\\)\|", line)) in (7, 8)


def test_markdown_leads_to_the_charts_beside_it(report, figures):
    text = markdown_text(report, figures)
    assert re.findall(r"!\[.*\]\((.*)\)", text) == [
        *("ranking.svg", "ahead.svg", "ecdf.svg", "efficiency.svg"),
        *("b-ranking.svg", "b-ahead.svg", "b-ecdf.svg"),
    ]
    assert text.startswith("# Ponds\n\nOne.\n\nTwo \\<b\\>.\n")
    assert "\n```sh\nbsbench reproduce pond\n```\n" in text
    assert "\n\n\n" not in text
    for fact in ("- board: 6x6", "- seed: 3", "- placement: uniform", "- fleet: 3 2"):
        assert text.count(f"\n{fact}\n") == 2


def test_records_become_a_report_by_scenario(in_folder):
    for name, scenario in (("smart", "harbour"), ("linear", "classic"), ("prob", "harbour")):
        save_result(bsbench.run(name, scenario, games=100, keep_moves=False), f"mine/{name}")
    result = _run("mine")
    assert result.exit_code == 0
    assert names(result.stdout, "report.html")
    text = Path("report.html").read_text(encoding="utf-8")
    page = _Page(text)
    assert re.findall("<h2>(.*?) <a", text) == ["classic", "harbour"]
    title = page.text.strip().splitlines()[0]
    assert all(names(title, name) for name in ("linear", "prob", "smart", "classic", "harbour"))
    # A record alone is compared with nothing; without move counts, others are by their means.
    classic, harbour = (section.table.texts for section in gather(["mine"]).sections)
    assert "difference ± 95 %" not in classic
    assert harbour["difference ± 95 %"][0] == "reference"
    assert harbour["difference ± 95 %"][1].startswith("* +")
    assert "won/tied/lost %" not in harbour
    assert re.search(r"(?m)^\s*\* \w", page.text), "a note says what the star means"
    printed = _run("mine/prob.json", "mine/smart.json", "-o", "-")
    assert printed.stdout.startswith("<!doctype html>")
    assert printed.stdout.index("prob</span>") < printed.stdout.index("smart</span>")
    # On standard output, nobody knows where records lie.
    assert 'href="./' not in printed.stdout
    assert_refused(_run("mine"), "report.html")


def test_what_is_no_record_is_refused(in_folder):
    (in_folder / "empty").mkdir()
    (in_folder / "other.json").write_text("{}", encoding="utf-8")
    for arguments, *named in (
        ([],),
        (["empty"], "empty"),
        (["nowhere"], "nowhere"),
        (["other.json"], "other.json"),
        (["other.json", "-o", "no/where.html"], "no"),
    ):
        assert_refused(_run(*arguments), *named)
        assert not (in_folder / "report.html").exists()


def test_records_with_kept_moves_are_compared_with_the_best(in_folder):
    strategies = {"smart": 300, "prob": 200}
    for name, games in strategies.items():
        run = bsbench.run(name, "harbour", games=games, keep_moves=True)
        save_result(run, f"kept/{name}")
    (section,) = gather(["kept/smart.json", "kept/prob.json"]).sections
    comparison = bsbench.compare(["prob", "smart"], "harbour", games=200)
    assert section.comparison.reference == "prob"
    assert section.comparison.differences[0] == comparison.differences[1]
    assert section.comparison.races[0].games == 200
    assert section.table.texts["games"] == ["200", "300"]
    (section,) = gather(["kept"], reference="smart").sections
    assert section.comparison.reference == "smart"
    assert section.comparison.differences[0].mean == -comparison.differences[1].mean
    assert_refused(_run("kept", "--reference", "lattice"), "'lattice'")


OWN = """
class Backwards:
    '''From the last cell on.'''
    def shoot(self, view):
        return view.open_cells[-1]
"""


@pytest.mark.parametrize("keep", ["--keep-moves", "--no-keep-moves"])
def test_a_comparison_of_ones_own_has_its_differences(in_folder, keep):
    Path("mine.py").write_text(OWN, encoding="utf-8")
    who = ["linear", "mine.py:Backwards", "random"]
    words = ["compare", *who, "--scenario", "classic", "-n", "400", "--reference", "random", keep]
    played = CliRunner().invoke(main, [*words, "-o", "rec", "--export-json", "-"])
    assert played.exit_code == 0, played.output
    exported = json.loads(played.stdout)
    page = gather(["rec"])
    assert page.title.endswith(" on classic")
    assert set(re.split(", | and ", page.title.removesuffix(" on classic"))) == {
        *("linear", "backwards", "random")
    }
    (section,) = page.sections
    rows = {row["label"]: row for row in section.comparison.rows}
    if keep == "--no-keep-moves":
        # Only this is in the records then.
        assert section.comparison.reference == "random"
    else:
        section = gather(["rec"], reference="random").sections[0]
        rows = {row["label"]: row for row in section.comparison.rows}
    for entry in exported["strategies"]:
        row = rows[entry["label"]]
        assert row["difference"] == pytest.approx(entry["difference"]["mean"])
        assert row["difference_half_width"] == pytest.approx(entry["difference"]["half_width"])
        assert row["significant"] == entry["difference"]["significant"]
        assert {key: row[key] for key in ("wins", "ties", "losses")} == entry["race"]
    assert _run("rec").exit_code == 0
    text = Path("report.html").read_text(encoding="utf-8")
    for file in Path("rec").glob("*.json"):
        assert f'href="./{file.as_posix()}"' in text
    # A command that names the record runs no code that its reader does not allow.
    assert "bsbench replay rec/backwards-classic.json --game" in text
    assert "mine.py:Backwards" in text


def test_a_report_links_what_lies_beside_it_whatever_its_name(in_folder):
    odd = Path("100% #1?") / "a&b"
    odd.mkdir(parents=True)
    run = bsbench.run("linear", POND, games=50)
    save_result(run, f"{odd}/lin\"ear's")
    assert _run("100% #1?").exit_code == 0
    assert _run("100% #1?", "-o", f"{odd}/r.html").exit_code == 0
    Path("elsewhere").mkdir()
    assert _run("100% #1?", "-o", "elsewhere/r.html").exit_code == 0
    for report, links in (("report.html", 1), (odd / "r.html", 1), ("elsewhere/r.html", 0)):
        page = _Page(Path(report).read_text(encoding="utf-8"))
        found = [a["href"] for a in page.named("a") if a["href"].startswith("./")]
        assert len(found) == links
        for address in found:
            assert (Path(report).parent / unquote(address)).is_file()
            assert not set("?#\"'<>&") & set(address)


def test_each_folder_is_a_section_and_of_copies_the_longest_counts(in_folder):
    for folder, name, games, seed in [
        ("a", "linear", 60, 0),
        ("a", "random", 60, 0),
        ("a/again", "linear", 40, 0),
        ("b", "linear", 60, 1),
        ("b", "linear", 60, 2),
    ]:
        run = bsbench.run(name, POND, games=games, seed=seed)
        save_result(run, f"all/{folder}/{name}-{games}-{seed}")
    save_result(bsbench.run("linear", POND, games=30), "all/a/short")
    page = gather(["all"])
    assert page.headings == ["a: pond", "again: pond", "b: pond, seed 1", "b: pond, seed 2"]
    first = page.sections[0]
    assert sorted(result.games for result in first.results) == [60, 60]
    (note,) = first.notes
    assert names(note, "short.json")
    assert note in _Page(_without_charts(page)).text
    # Named one by one, they are together.
    (section,) = gather(["all/a/linear-60-0.json", "all/a/again/linear-40-0.json"]).sections
    assert [result.games for result in section.results] == [60]


def test_games_of_median_length_have_pages(in_folder, monkeypatch):
    Path("mine.py").write_text(OWN, encoding="utf-8")
    for who in ("linear", "random", "mine.py:Backwards"):
        save_result(bsbench.run(who, POND, games=80), f"rec/{who.rpartition(':')[2]}")
    found = {result.label: result for result in gather(["rec"]).results}
    monkeypatch.setattr(find_strategy("random"), "takes_long", True)
    result = _run("rec", "--replays")
    assert result.exit_code == 0, result.output
    told = {
        name: line for line in result.stderr.splitlines() for name in found if names(line, name)
    }
    assert told.keys() == {"random", "backwards"}
    assert names(told["backwards"], "--trust")
    assert all(names(result.stdout, name) for name in ("report.html", "1"))
    text = Path("report.html").read_text(encoding="utf-8")
    assert 'href="./replays/linear-median.html"' in text
    moves = found["linear"].stats.median
    page = Path("replays/linear-median.html").read_text(encoding="utf-8")
    (data,) = re.findall(r'(?s)<script type="application/json"[^>]*>(.*?)</script>', page)
    assert f"over after {moves}" in page or str(moves) in data
    again = _run("rec", "--replays", "-o", "other.html")
    assert again.exit_code == 2
    assert "linear-median.html" in again.stderr
    trusted = _run("rec", "--replays", "--trust", "--force")
    assert "2 replays" in trusted.stdout
    assert Path("replays/backwards-median.html").is_file()
    refused = _run("rec", "--replays", "-o", "-")
    assert refused.exit_code == 2
    # The commands show these games.
    (command,) = re.findall(
        r'<code class="command">(bsbench replay --strategy linear.*?)</code>', text
    )
    words = shlex.split(unescape(command))[1:]
    shown = CliRunner().invoke(main, words[: words.index("-o")])
    assert names(shown.stdout.splitlines()[-1], f"{moves} moves")


def test_bars_and_marks_stand_where_they_should():
    axis = axis_of([(2.0, 1.0), (-1.0, float("nan"))])
    assert axis == BarAxis(-1.0, 3.0)
    for mean, width, side, positions in [
        (2.0, 1.0, "more", (25, 50, 75, 100)),
        (-0.5, 0.25, "fewer", (25, 6.25, 12.5, 18.75)),
        (0.5, 0.5, "unclear", (25, 25, 37.5, 50)),
        (1.0, float("nan"), "unclear", (25, 50, 50, 50)),
    ]:
        text = forest(mean, width, axis)
        zero, low, middle, high = positions
        assert f'class="cell {side}"' in text
        assert f'class="zero" d="M{zero:.2f} ' in text
        assert f'class="interval" d="M{low:.2f} 5H{high:.2f}"' in text
        assert f'class="point" d="M{middle:.2f} ' in text
    assert 'class="bar" width="25.00"' in length_bar(41, BarAxis(17, 113))
    # Nothing is drawn outside of its axis.
    assert 'width="100.00"' in length_bar(200, BarAxis(17, 113))
    bar = stacked_bar([1, 1, 2], {"wins": "won", "ties": "tied", "losses": "lost"})
    assert 'aria-label="won 25.0 %, tied 25.0 %, lost 50.0 %"' in bar
    assert re.findall(r'x="([\d.]+)" width="([\d.]+)"', bar) == [
        *(("0.00", "25.00"), ("25.00", "25.00"), ("50.00", "50.00"))
    ]


@pytest.mark.slow
def test_the_report_of_all_strategies_is_small():
    page = gather(["@classic"])
    assert len(page.results) >= 14
    assert len(html_text(page, draw(page)).encode()) < 300_000
