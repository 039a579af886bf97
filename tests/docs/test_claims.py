"""What pages say of records and of games is true."""

from __future__ import annotations

import json
import re
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import bsbench
from bsbench.cli import main
from bsbench.counting.stored import PLACE, key_of
from bsbench.reproduce.folder import load_report
from bsbench.rules.scenario import find_scenario
from bsbench.stats import versus
from bsbench.studies.match.study import match
from bsbench.studies.survey.rule import Word
from tests.counting.test_counting import labellings
from tests.docs.test_guide import assert_shown
from tests.pages import read_page
from tests.pages.salvos import ANSWERS, PLAIN, SHOTS, record
from tests.pages.survey import PARTS, part_of
from tests.pages.two_sides import ranking
from tests.pages.value import boards, restricted
from tests.support import ROOT


def test_the_numbers_of_layouts_are_those_that_are_stored():
    rows = re.findall(
        r"^\| `([\w-]+)` \| ([\d,]+) \| ([\d,]+) \|$", read_page("exactly"), flags=re.MULTILINE
    )
    assert len(rows) == 5
    entries = json.loads(PLACE.read_text())
    for scenario, unlabelled, labelled in rows:
        rules = find_scenario(scenario).rules
        layouts = entries[key_of(rules)]["layouts"]
        assert f"{layouts:,}" == labelled
        assert f"{layouts // labellings(rules):,}" == unlabelled


@pytest.mark.ci
def test_the_python_of_exact_odds_runs():
    (code,) = re.findall(r"```python\n(.*?)```", read_page("exactly"), flags=re.DOTALL)
    names: dict[str, object] = {}
    exec(code, names)
    rules, posterior = names["position"].rules, names["posterior"]
    assert posterior.probabilities.shape == (rules.cells,)
    assert posterior.ships.shape == (len(rules.fleet), rules.cells)
    assert posterior.sample(10).shape == (10, len(rules.fleet))


def test_what_is_said_of_the_most_likely_cell():
    found = {
        section.name: {
            result.label: (result.stats.mean, difference)
            for result, difference in zip(
                section.comparison.results, section.comparison.differences, strict=True
            )
        }
        for section in load_report(ROOT / "results" / "posterior").sections
    }

    def below(difference, bound: float = 0.0) -> bool:
        return difference.mean + difference.half_width < bound

    sunk, ship, hit, gym = (found[part] for part in ("sunk", "ship", "hit", "gym"))
    lattice, pattern, lengths = "lattice", "posterior pattern=lattice", "posterior pattern=lengths"
    # Where ships may touch, lattice is ahead when the end of a ship is announced.
    assert all(
        sunk[label][1].mean > sunk[label][1].half_width for label in sunk if label != lattice
    )
    assert ship["posterior"][1].mean > ship["posterior"][1].half_width
    # Exact counts gain ten shots where only hits are announced.
    assert -12 < hit["posterior"][1].mean < -9
    # The pattern shortens the games in every table.
    for part in (sunk, ship, hit, gym):
        assert part[pattern][0] < part["posterior"][0]
    # Where ships never touch, exact counts are ahead, and most with both.
    assert all(below(gym[label][1]) for label in ("posterior", pattern, lengths))
    assert min(gym, key=lambda label: gym[label][0]) == lengths


SALVOS = read_page("salvos")
TEXTS = re.findall(r"```text\n(.*?)```", SALVOS, flags=re.DOTALL)


def test_what_is_said_of_records_of_salvos():
    salvo, other = (record("each-10", name).stats.mean for name in ("salvo", "over9000"))
    assert f"needs {salvo:.2f} turns in place of {other:.2f}" in " ".join(SALVOS.split())
    for answers in ANSWERS:
        for shots in SHOTS:
            for name in ("random", "over9000", PLAIN, "salvo"):
                found = record(f"{answers}-{shots}", name)
                assert (found.games, found.scenario.rules.shots) == (200_000, shots)
                assert str(found.scenario.rules.answers) == answers
                assert found.stats.half_width < 0.03
    salvo, other = (record("topcoder", name).stats.median for name in ("salvo", "over9000"))
    assert f"by turn {salvo} of topcoder, of over9000 by turn {other}" in SALVOS


def test_the_comparison_of_salvos_is_as_shown():
    names = ["salvo", "over9000", "random"]
    found = bsbench.compare(names, "classic", shots=5, games=20_000, seed=2029)
    assert_shown(TEXTS[0], str(found))


def test_the_match_of_salvos_is_as_shown():
    found = match(["salvo", "over9000"], shots="afloat", games=20_000)
    assert_shown(TEXTS[1], str(found))
    eager = match(["salvo,hit_bonus=10", "over9000"], shots="afloat", games=20_000)
    share = eager.meetings[0, 1].score.share
    assert f"takes {100 * share:.0f} % of the points" in SALVOS


TWO_SIDES = read_page("two-sides")


def meeting(first: str, second: str):
    found = ranking()
    places = found.labels.index(first), found.labels.index(second)
    one = found.meetings[min(places), max(places)]
    return one.versus.score if places[0] < places[1] else 1 - one.versus.score


@pytest.mark.ci
def test_the_lower_mean_wins():
    found = ranking()
    for (first, second), one in found.meetings.items():
        means = [found.result(*places).stats.mean for places in ((first, second), (second, first))]
        low, high = one.versus.interval
        # Those that are as good as each other apart.
        assert low <= 0.5 <= high or (means[0] < means[1]) == (one.versus.score > 0.5)


def test_how_many_published_figures_agree_without_the_easy_ones():
    claims, page = bsbench.survey().claims, " ".join(read_page("survey").split())
    found = Counter((part_of(each), each.verdict.word) for each in claims)
    numbers = re.search(
        r"Of the (\d+) that agree, (\d+) are of one source, mayflower, and (\d+) of random "
        r"players; of all others, (\d+) of (\d+) agree, and (\d+) differ",
        page,
    ).groups()
    agree = [found[part, Word.AGREES] for part in PARTS]
    others = sum(number for (part, _), number in found.items() if part == PARTS[2])
    assert [*map(int, numbers)] == [sum(agree), *agree, others, found[PARTS[2], Word.DIFFERS]]
    exact = [each for each in claims if part_of(each) == PARTS[0] and each.claim.games == "exact"]
    assert {each.verdict.word for each in exact} == {Word.AGREES}
    assert f"All {len(exact)} exact ones of [mayflower]" in page


@pytest.mark.ci
def test_what_is_said_of_records_of_two_sides():
    found = ranking()
    champion = found.labels.index("lattice2")
    result = found.result(champion, champion - 1 if champion else 1)
    alone = versus(result.counts, result.counts)
    assert f"{100 * float(alone.outcomes(True).won):.2f} %" in TWO_SIDES
    mean = {
        label: found.result(place, 0 if place else 1).stats.mean
        for place, label in enumerate(found.labels)
    }
    assert f"{mean['hunt-target'] - mean['bob']:.1f} moves fewer" in TWO_SIDES
    assert meeting("bob", "hunt-target") > 0.5
    assert meeting("hunt-target", "lattice2") > meeting("bob", "lattice2")
    near = [label for label in mean if 0 < mean[label] - mean["lattice2"] < 1.5]
    for label in near:
        worth = 100 * float(0.5 - meeting(label, "lattice2")) / (mean[label] - mean["lattice2"])
        assert 1.9 < worth < 3.3, label
    both = sum(100 * float(0.5 - meeting(label, "lattice2")) for label in near) / sum(
        mean[label] - mean["lattice2"] for label in near
    )
    assert f"{both:.1f} points" in TWO_SIDES


@pytest.mark.slow
def test_what_the_text_says_of_a_side_that_hides():
    for side in ("lattice2", "lattice2 @ avoid:prob"):
        share = match([side, "prob"]).meetings[0, 1].expected.share
        assert f"{100 * share:.2f} %" in TWO_SIDES


@pytest.mark.slow
def test_a_placer_learns_where_a_strategy_shoots_late(tmp_path, monkeypatch):
    text = read_page("scenarios")
    hider = ROOT / "examples" / "late_hider.py"
    monkeypatch.chdir(tmp_path)
    arguments = ["--shooter", "lattice2", "-n", "1000", "-o", "late.txt"]
    ended = CliRunner().invoke(main, ["layouts", str(hider), *arguments])
    assert ended.exit_code == 0, ended.output
    assert Path("late.txt").exists()
    means = []
    for law in ("file:late.txt", "uniform"):
        result = bsbench.run("lattice2", "classic", placement=law, games=100_000)
        assert result.stats.mean_text in text
        means.append(result.stats.mean)
    assert f"{means[0] - means[1]:.1f} moves" in text


VALUE = read_page("value")


def test_what_the_text_says_of_small_boards():
    found = boards()
    proven = [each for each in found if each["proven"]]
    assert len(proven) >= 12
    more = [100 * (each["high"]["decimal"] / each["uniform"]["decimal"] - 1) for each in proven]
    low, high = map(int, re.search(r"(\d) to (\d) % more shots", VALUE).groups())
    assert (round(min(more)), round(max(more))) == (low, high)
    lost = [each["turned"]["decimal"] - each["low"]["decimal"] for each in proven]
    assert min(lost) >= 0
    assert f"up to {max(lost):.1f} shots" in VALUE
    lost = [each["unaware"]["decimal"] - each["low"]["decimal"] for each in proven]
    behind = [each["against"][0]["mean"]["decimal"] - each["low"]["decimal"] for each in proven]
    assert min(*lost, *behind) >= -1e-9
    assert f"at most {max(lost):.2f} shots of the value, `lattice2` {max(behind):.2f}" in VALUE
    preferred = [each["border"] > each["uniform_border"] - 1e-9 for each in proven]
    assert sum(preferred) > 0.85 * len(found)
    told = {
        each["scenario"]["feedback"]: Fraction(each["low"]["fraction"])
        for each in proven
        if (each["scenario"]["board"], each["scenario"]["fleet"]) == ("3x3", [3, 2])
    }
    assert told["sunk"] == told["ship"]


def test_what_the_text_says_of_classic():
    record = restricted()
    by_label = {each["label"]: each for each in record["shooters"]}
    laws = [each["law"] for each in record["laws"]]
    uniform = min(each["mean"][laws.index("uniform")] for each in record["shooters"])
    assert f"**{record['value']:.2f} ± {record['half_width']:.2f} moves**" in VALUE
    assert f"against {uniform:.2f} on uniform layouts" in VALUE
    chosen = {name for name, each in by_label.items() if each["probability"] > 0}
    for name in chosen:
        assert f"`{name}`" in VALUE
    best = by_label["lattice2"]
    assert f"up to {best['exploitability']:.1f} moves more" in VALUE


def test_the_mixtures_of_classic_are_those_of_its_means():
    record = restricted()
    means = np.array([each["mean"] for each in record["shooters"]])
    hiding = np.array([each["probability"] for each in record["laws"]])
    shooting = np.array([each["probability"] for each in record["shooters"]])
    # No strategy needs less against this hiding, and no law costs more against this shooting.
    assert (means @ hiding).min() == pytest.approx(record["value"])
    assert (shooting @ means).max() == pytest.approx(record["value"])


@pytest.mark.slow
def test_a_mean_of_classic_is_what_is_played():
    record = restricted()
    (shown,) = re.findall(r"```sh\nbsbench run (.*?--seed \d+)\n```", VALUE)
    name, _, scenario, _, law, _, games, _, seed = shown.split()
    played = bsbench.run(name, scenario, placement=law, games=int(games), seed=int(seed))
    (shooter,) = (each for each in record["shooters"] if each["label"] == name)
    place = [each["law"] for each in record["laws"]].index(law)
    assert played.stats.mean == shooter["mean"][place]
