"""Reports: what they say, that no text can break out of them, and that they load nothing."""

from __future__ import annotations

import dataclasses
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import bsbench
from bsbench.cli import main
from bsbench.present.charts import find_chart
from bsbench.present.page.scenes import scenes_of
from bsbench.present.report import ReportPage, ReportSection, draw
from bsbench.present.report.render import markdown_text, table_text
from bsbench.present.showing import inline_svg
from bsbench.reproduce.gathering import gather
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
    result = bsbench.run("random", scenario, games=50)
    result = dataclasses.replace(
        result,
        label=f"random {HOSTILE}",
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
            if line.startswith("| random"):
                assert len(re.findall(r"(?<!\\)\|", line)) in (7, 8)


def test_records_become_a_report_by_scenario(in_folder):
    for name, scenario in (("random", "harbour"), ("linear", "classic"), ("linear", "harbour")):
        run = bsbench.run(name, scenario, games=100, keep_moves=False)
        save_result(run, f"mine/{name}-{scenario}")
    result = _run("mine")
    assert result.exit_code == 0
    assert names(result.stdout, "report.html")
    text = Path("report.html").read_text(encoding="utf-8")
    assert re.findall("<h2>(.*?)</h2>", text) == ["classic", "harbour"]
    (title,) = re.findall("<h1>(.*?)</h1>", text)
    assert all(names(title, name) for name in ("linear", "random", "classic", "harbour"))
    # A record alone is compared with nothing; without move counts, others are by their means.
    classic, harbour = (section.table.texts for section in gather(["mine"]).sections)
    assert "difference ± 95 %" not in classic
    assert harbour["difference ± 95 %"][0] == "reference"
    assert harbour["difference ± 95 %"][1].startswith("* +")
    assert "won/tied/lost %" not in harbour
    assert re.search(r"\* \w", text.partition("<script")[0]), "a note says what the star means"
    printed = _run("mine/linear-harbour.json", "mine/random-harbour.json", "-o", "-", "-q")
    assert printed.stdout.startswith("<!doctype html>")
    assert_refused(_run("mine"), "report.html")


def test_what_is_no_record_is_refused(in_folder):
    (in_folder / "empty").mkdir()
    (in_folder / "other.json").write_text("{}", encoding="utf-8")
    for arguments, *named in (
        ([],),
        (["empty"], "empty"),
        (["other.json"], "other.json"),
    ):
        assert_refused(_run(*arguments), *named)
        assert not (in_folder / "report.html").exists()


def test_records_with_kept_moves_are_compared_with_the_best(in_folder):
    for name, games in {"random": 300, "linear": 200}.items():
        run = bsbench.run(name, "harbour", games=games, keep_moves=True)
        save_result(run, f"kept/{name}")
    (section,) = gather(["kept/random.json", "kept/linear.json"]).sections
    comparison = bsbench.compare(["linear", "random"], "harbour", games=200)
    assert section.comparison.reference == "linear"
    assert section.comparison.differences[0] == comparison.differences[1]
    assert section.comparison.races[0].games == 200
    assert section.table.texts["games"] == ["200", "300"]
    (section,) = gather(["kept"], reference="random").sections
    assert section.comparison.reference == "random"
    assert section.comparison.differences[0].mean == -comparison.differences[1].mean
    assert_refused(_run("kept", "--reference", "lattice"), "'lattice'")


@pytest.mark.ci
@pytest.mark.parametrize("keep", ["--keep-moves", "--no-keep-moves"])
def test_a_comparison_has_its_differences(in_folder, keep):
    words = ["compare", "linear", "random", "--scenario", "classic", "-n", "400", keep]
    words += ["--reference", "random", "-o", "rec", "--export-json", "-"]
    played = CliRunner().invoke(main, words)
    assert played.exit_code == 0, played.output
    # Without move counts, only this is in the records.
    asked = {"reference": "random"} if keep == "--keep-moves" else {}
    (section,) = gather(["rec"], **asked).sections
    assert section.comparison.reference == "random"
    rows = {row["label"]: row for row in section.comparison.rows}
    for entry in json.loads(played.stdout)["strategies"]:
        row = rows[entry["label"]]
        assert row["difference"] == pytest.approx(entry["difference"]["mean"])
        assert row["difference_half_width"] == pytest.approx(entry["difference"]["half_width"])
        assert row["significant"] == entry["difference"]["significant"]
        assert {key: row[key] for key in ("wins", "ties", "losses")} == entry["race"]


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
    headings = [section.heading for section in page.sections]
    assert headings == ["pond", "pond", "pond, seed 1", "pond, seed 2"]
    first = page.sections[0]
    assert sorted(result.games for result in first.results) == [60, 60]
    (note,) = first.notes
    assert names(note, "short.json")
    (scene, *_) = scenes_of(page.sections)
    assert scene.notes == (note,)
    # Named one by one, they are together.
    (section,) = gather(["all/a/linear-60-0.json", "all/a/again/linear-40-0.json"]).sections
    assert [result.games for result in section.results] == [60]
