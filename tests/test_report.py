"""Reports: what they say, that no text can break out of them, and that they load nothing."""

from __future__ import annotations

import dataclasses
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner

import bsbench
from bsbench.cli import main
from bsbench.present.charts import find_chart
from bsbench.present.report import ReportPage, Section, draw
from bsbench.present.report.render import html_text, inline_svg, markdown_text, table_text
from bsbench.reproduce.folder import gather
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.scenario import Scenario
from bsbench.runs.comparison import Comparison, Pair
from bsbench.runs.records import save_result
from bsbench.stats import Difference

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
    comparison = bsbench.compare(["random", "linear", "over9000"], POND, games=500, seed=3)
    section = Section("", "", "", comparison, ("ecdf", "efficiency"))
    other = Section("b", "Again", "Says `more`.", comparison, ("ecdf",))
    return ReportPage("Ponds", "One.\n\nTwo <b>.", (section, other), "bsbench reproduce pond")


def test_tables_show_the_results(report):
    section = report.sections[0]
    stats = [result.stats for result in section.results]
    shown = section.table.texts
    assert shown["strategy"] == ["random", "linear", "over9000"]
    assert shown["mean ± 95 %"] == [s.mean_text for s in stats]
    for column, name in {"median": "median", "5 %": "low", "95 %": "high", "best": "best"}.items():
        assert shown[column] == [str(getattr(s, name)) for s in stats]
    _, *differences = section.comparison.differences
    assert all(difference.significant for difference in differences)
    assert shown["difference ± 95 %"] == ["reference", *(each.text for each in differences)]
    race = section.comparison.races[2]
    assert race.games == 500
    assert shown["won/tied/lost %"] == [
        *("", shown["won/tied/lost %"][1]),
        f"{race.wins / 5:.1f}/{race.ties / 5:.1f}/{race.losses / 5:.1f}",
    ]
    assert shown["dominance"][0] == ""
    # These differ when the same games are played again, or are in no folder of results.
    assert not {"games/s", "first/tied %"} & set(shown)
    page = _Page(html_text(report, draw(report)))
    for text in (cell for cells in shown.values() for cell in cells):
        assert text in page.text


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
    mean = (counts[2] - counts[0]) / sum(counts)
    record = {"mean": mean, "half_width": 0.0, "least": -1, "counts": counts}
    pair = dataclasses.replace(Pair.from_dict(record, sum(counts)), difference=difference)
    assert [pair.race.wins, pair.race.ties, pair.race.losses] == counts
    results = [bsbench.run(name, POND, games=10) for name in ("linear", "random")]
    comparison = Comparison(tuple(results), "linear", stored={"random": pair})
    section = Section("", "", "", comparison)
    assert section.table.texts["difference ± 95 %"] == ["reference", text]
    assert any(note.startswith("≈ not significant") for note in section.table.notes) == (
        text.startswith("≈")
    )


def test_pairs_are_kept_as_they_are():
    for half_width in (0.25, float("nan")):
        record = {"mean": 1 / 4, "half_width": half_width, "least": -1, "counts": [1, 2, 0, 1]}
        pair = Pair.from_dict(record, 4)
        assert (pair.difference.mean, pair.least) == (0.25, -1)
        assert pair.difference.half_width == pytest.approx(half_width, nan_ok=True)
        again = Pair.from_dict(pair.to_dict(), 4)
        assert again.to_dict() == pair.to_dict()
        assert (again.race.wins, again.race.ties, again.race.losses) == (1, 2, 1)


def test_the_page_loads_nothing(report):
    text = html_text(report, draw(report))
    page = _Page(text)
    assert not re.search(r"https?:|//[a-z]|@import|url\((?!#)", text)
    for tag, attributes in page.tags:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base", "form")
        assert "src" not in attributes
        assert (attributes.get("href") or "#").startswith("#")
    (policy,) = [m["content"] for m in page.named("meta") if "http-equiv" in m]
    assert policy.startswith("default-src 'none';")


def test_ids_of_charts_differ_and_lead_where_they_should(report):
    page = _Page(html_text(report, draw(report)))
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(page.named("svg")) == 3
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
    section = Section("", HOSTILE, HOSTILE, comparison, ("ecdf", "efficiency"))
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


def test_markdown_leads_to_the_charts_beside_it(report):
    text = markdown_text(report, draw(report))
    assert re.findall(r"!\[.*\]\((.*)\)", text) == ["ecdf.svg", "efficiency.svg", "b-ecdf.svg"]
    assert text.startswith("# Ponds\n\nOne.\n\nTwo \\<b\\>.\n")
    assert "\n```sh\nbsbench reproduce pond\n```\n" in text
    assert "\n\n\n" not in text
    for fact in ("- board: 6x6", "- seed: 3", "- placement: uniform", "- fleet: 3 2"):
        assert text.count(f"\n{fact}\n") == 2


def test_records_become_a_report_by_scenario(in_folder):
    for name, scenario in (("smart", "harbour"), ("linear", "classic"), ("prob", "harbour")):
        save_result(bsbench.run(name, scenario, games=100, keep_moves=False), f"mine/{name}")
    result = _run("mine")
    assert (result.exit_code, result.stdout) == (0, "saved report.html\n")
    text = Path("report.html").read_text(encoding="utf-8")
    page = _Page(text)
    assert re.findall("<h2>(.*)</h2>", text)[:2] == ["classic", "harbour"]
    assert [t["aria-label"] for t in page.named("svg")]
    # A record alone is compared with nothing; without move counts, others are by their means.
    classic, harbour = (section.table.texts for section in gather(["mine"]).sections)
    assert "difference ± 95 %" not in classic
    assert harbour["difference ± 95 %"][0] == "reference"
    assert harbour["difference ± 95 %"][1].startswith("* +")
    assert "won/tied/lost %" not in harbour
    assert "* not paired: by the means" in page.text
    printed = _run("mine/prob.json", "mine/smart.json", "-o", "-")
    assert printed.stdout.startswith("<!doctype html>")
    assert printed.stdout.index("prob</th>") < printed.stdout.index("smart</th>")
    again = _run("mine")
    assert again.exit_code == 2
    assert "report.html exists already" in again.stderr


def test_what_is_no_record_is_refused(in_folder):
    (in_folder / "empty").mkdir()
    (in_folder / "other.json").write_text("{}", encoding="utf-8")
    for arguments, words in [
        ([], "no results are named"),
        (["empty"], "there are no records in the folder empty"),
        (["nowhere"], "can't read nowhere"),
        (["other.json"], "other.json is not a record of a run"),
        (["other.json", "-o", "no/where.html"], "there is no folder no"),
    ]:
        result = _run(*arguments)
        assert result.exit_code == 2
        assert words in result.stderr
        assert not (in_folder / "report.html").exists()


def test_records_with_kept_moves_are_compared_with_the_first(in_folder):
    strategies = {"smart": 300, "prob": 200}
    for name, games in strategies.items():
        run = bsbench.run(name, "harbour", games=games, keep_moves=True)
        save_result(run, f"kept/{name}")
    (section,) = gather(["kept/smart.json", "kept/prob.json"]).sections
    comparison = bsbench.compare(list(strategies), "harbour", games=200)
    assert section.comparison.reference == "smart"
    assert section.comparison.differences[1] == comparison.differences[1]
    assert section.comparison.races[1].games == 200
    assert section.table.texts["games"] == ["300", "200"]
