"""Matches: sides that hide and shoot."""

from __future__ import annotations

import dataclasses
import json
import math
import runpy
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import bsbench
from bsbench import stats
from bsbench.cli import main
from bsbench.present.matches import outcome_columns
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.scenario import Scenario
from bsbench.runs.records import load_result
from bsbench.runs.request import Request
from bsbench.stats import rate, share_interval, winning_means
from bsbench.studies.match.sheet import sheet
from bsbench.studies.match.study import asked_for, match, read_sides, split
from tests.stats.test_versus import shots
from tests.support import ROOT

FACTS = {
    "lattice-net": 49.76,
    "lattice": 49.13,
    "over9000-pairs": 49.03,
    "datagenetics": 48.40,
    "over9000": 47.78,
    "hard-ai": 37.58,
    "prob": 12.33,
    "hunt-target": 6.99,
    "bob": 6.33,
    "random": 0.00,
}
"""Percent of the points that they take from `lattice2` on classic, as computed without bsbench."""

LEARNER = "over9000-adaptive,games_per_learner=50"


def _run(*arguments: str):
    return CliRunner().invoke(main, ["match", *arguments], prog_name="bsbench")


@pytest.mark.ci
def test_bundled_records_say_who_beats_whom():
    ended = _run("--from-records", "--export-json", "-", "-q")
    assert ended.exit_code == 0, ended.output
    record = json.loads(ended.output)
    labels = [each["label"] for each in record["sides"]]
    champion = labels.index("lattice2")
    found = {}
    for meeting in record["meetings"]:
        places, share = [meeting["first"], meeting["second"]], meeting["score"]["share"]
        if champion in places:
            places.remove(champion)
            found[labels[places[0]]] = share if meeting["second"] == champion else 1 - share
    assert {name: round(100 * found[name], 2) for name in FACTS} == FACTS
    assert record["seed"] is None
    assert record["games"] == record["requested"] == 0


@pytest.mark.parametrize(
    ("rules", "names"),
    [
        (Rules(3, 3, (2,), touching=True), ("prob", "linear", "smart")),
        (Rules(4, 4, (3, 2), touching=False, feedback=Feedback.SUNK), ("smart", "linear")),
    ],
    ids=["3x3", "4x4"],
)
def test_matches_are_those_of_every_pair_of_layouts(rules, names, tmp_path):
    scenario = Scenario(name="tiny", rules=rules)
    results = [bsbench.run(name, scenario, exact=True, keep_moves=True) for name in names]
    counted = match(results)
    for (first, second), meeting in counted.meetings.items():
        ours, theirs = (results[place].moves.tolist() for place in (first, second))
        assert len(ours) == len(theirs) == results[0].games
        for begins, found in ((True, meeting.beginning), (False, meeting.answering)):
            ends = [shots(one, other, begins, False) for one in ours for other in theirs]
            assert found.drawn == 0
            assert found.won == Fraction(int(sum(ends)), len(ends))
        assert meeting.expected.low == meeting.expected.share == meeting.expected.high


def test_a_pair_has_the_same_two_layouts_with_sides_swapped():
    games = 400
    met = match(["prob", "random"], "gym-5x5", games=games, seed=5).meetings[0, 1]
    ours, theirs = (
        bsbench.run(each, "gym-5x5", games=games, seed=5).moves.tolist()
        for each in ("prob", "random")
    )
    for game in range(games):
        won = shots(ours[game], theirs[game ^ 1], game % 2 == 0, False)
        assert met.outcomes[game // 2, game % 2] == 2 * won - 1


def test_each_side_hides_by_its_own_law():
    sides = ["prob @ edge:9", ("random", "sequential"), "linear"]
    found = match(sides, "gym-5x5", games=60, seed=2, last_turn=True)
    assert found.labels == ["prob @ edge:9", "random @ sequential:longest", "linear"]
    law = {0: "edge:9", 1: "sequential", 2: "uniform"}
    for (first, second), meeting in found.meetings.items():
        ours, theirs = (
            bsbench.run(
                ("prob", "random", "linear")[one], "gym-5x5", placement=law[other], games=60, seed=2
            ).moves.tolist()
            for one, other in ((first, second), (second, first))
        )
        for game in range(60):
            ended = shots(ours[game], theirs[game ^ 1], game % 2 == 0, True)
            assert meeting.outcomes[game // 2, game % 2] == 2 * ended - 1
    sides = read_sides(sides, Request.of().limits)
    played = asked_for(Request.of("gym-5x5", games=60), sides).by_law
    assert [len(shooters) for _, shooters in played.values()] == [2, 2, 2]
    assert np.array_equal(found.points[0, 1], found.meetings[0, 1].points)
    assert np.array_equal(found.ratings.elo, rate(found.points).elo)


def test_learners_are_the_units_of_the_interval():
    found = match([LEARNER, "random"], "gym-5x5", games=1_020, seed=3, feedback="ship")
    meeting = found.meetings[0, 1]
    assert meeting.games == found.requested == 1_000
    shares = (meeting.outcomes.reshape(20, -1).mean(axis=1) + 1) / 2
    share, error = shares.mean(), shares.std(ddof=1) / math.sqrt(20)
    worth = min(share * (1 - share) / error**2, 1_000)
    ends = share_interval(share, worth)
    assert (meeting.score.share, meeting.score.low, meeting.score.high) == pytest.approx(
        (share, *ends)
    )
    assert found.rated is None


def test_people_are_the_units_of_both_intervals(in_folder):
    """Each person hides every ship in the same place: 50 games say as little as one."""
    game = bsbench.find_scenario("gym-5x5")
    people = np.random.default_rng(4).permutation(50)
    corners = ["0 0 3 E 0 4 2 S", "0 0 3 E 2 0 2 E", "0 0 3 E 2 3 2 E", "4 2 3 E 0 0 2 S"]
    lines = [line for person in people for line in (f"[{person}]", *[corners[person % 4]] * 50)]
    (in_folder / "people.txt").write_text("\n".join(lines), encoding="utf-8")
    found = match(["linear", "prob @ file:people.txt:50"], game, games=2_000, seed=8)
    meeting = found.meetings[0, 1]
    assert meeting.results[0].games_per_learner == 50
    expected, played = (each.high - each.low for each in (meeting.expected, meeting.score))
    assert 0.5 * played < expected < 1.2 * played
    # As if games were independent, it would be far narrower.
    apart = stats.versus(*(each.counts for each in meeting.results))
    assert expected > 3 * (apart.interval[1] - apart.interval[0])
    # Without the move counts of each game, they count as few as for the mean.
    results = tuple(dataclasses.replace(each, kept_moves=None) for each in meeting.results)
    assert dataclasses.replace(meeting, results=results).versus.error > 3 * apart.error


def test_luck_that_is_opposed_widens_both_intervals():
    class Backwards:
        def shoot(self, view):
            return view.open_cells[-1]

    found = match(["linear", Backwards], board="1x9", fleet="3", games=2_000, seed=1)
    meeting = found.meetings[0, 1]
    expected, played = (each.high - each.low for each in (meeting.expected, meeting.score))
    assert 0.8 * played < expected < played
    apart = stats.versus(*(each.counts for each in meeting.results)).interval
    assert expected > 1.3 * (apart[1] - apart[0])


@pytest.mark.parametrize("shares", [(0.8746, 0.0004, 0.125), (1 / 3, 1 / 3, 1 / 3), (1, 0, 0)])
def test_shares_of_a_row_add_up_to_100(shares):
    columns = outcome_columns("a", {"in all": [*shares, shares[0] + shares[1] / 2]})
    shown = [Fraction(columns[end][0].removesuffix(" %")) for end in ("won", "drawn", "lost")]
    assert sum(shown) == 100
    assert all(abs(one - 100 * other) <= 0.1 for one, other in zip(shown, shares, strict=True))


def test_records_take_part_by_their_histograms(tmp_path):
    paths = [f"{tmp_path}/{name}.json" for name in ("linear", "random")]
    for path in paths:
        bsbench.run(Path(path).stem, "gym-5x5", games=300).save(path)
    recorded = match(paths)
    played = match(["linear", "random"], "gym-5x5", games=300)
    apart = [dataclasses.replace(load_result(path), kept_moves=None) for path in paths]
    one, other = (each.meetings[0, 1].versus for each in (match(apart), played))
    assert recorded.meetings[0, 1].versus.score == one.score == other.score
    # Where it is not known which games belong together, luck may be as opposed as can be.
    low, high = other.interval
    assert one.interval[0] < low < high < one.interval[1]
    assert not recorded.played
    assert recorded.content().meetings[0].played is None
    mixed = match([paths[0], "random"], games=300)
    assert mixed.meetings[0, 1].versus.score == one.score
    assert "partial" not in str(mixed)


def test_the_table_of_two_says_how_games_end():
    ended = _run("prob", "random", "--scenario", "gym-5x5", "-n", "200", "--export-csv", "-", "-q")
    header, row = (line.split(",") for line in ended.output.splitlines())
    cells = dict(zip(header, row, strict=True))
    found = match(["prob", "random"], "gym-5x5", games=200).meetings[0, 1]
    assert float(cells["score"]) == found.expected.share
    assert float(cells["beginning_won"]) == float(found.beginning.won)
    assert float(cells["played_score"]) == found.score.share
    shown = _run("prob", "random", "--scenario", "gym-5x5", "-n", "200").output
    assert f"{100 * found.expected.share:.2f} %" in shown
    ours, theirs = found.moves
    assert f"{np.minimum(ours, theirs).mean():.1f} turns" in shown
    # The better one is named first.
    text = _run("random", "prob", "--scenario", "gym-5x5", "-n", "200").output.splitlines()[0]
    assert text == shown.splitlines()[0]
    assert f"({100 * found.expected.low:.2f} to {100 * found.expected.high:.2f})" in text
    for end in (found.beginning.won, found.answering.lost):
        assert f"{100 * float(end):.1f} %" in shown


def test_a_match_goes_on_from_its_journal(tmp_path, monkeypatch):
    from bsbench.studies.match import study

    played = []

    def broken(experiment, *arguments, **options):
        if played:
            raise KeyboardInterrupt
        played.append(genuine(experiment, *arguments, **options))
        return played[-1]

    def counted(experiment, threads, timeout, *, watch, **options):
        return genuine(experiment, threads, timeout, watch=resumed.append, **options)

    genuine, resumed = study.play_together, []
    monkeypatch.setattr("bsbench.common.journal._FIRST_SECONDS", 0)
    words = ["prob @ edge:9", "random", "--scenario", "gym-5x5", "-n", "100", "-o", "match.json"]
    monkeypatch.chdir(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(study, "play_together", broken)
        ended = _run(*words)
        assert ended.exit_code == 130, ended.output
    assert not (tmp_path / "match.json").exists()
    monkeypatch.setattr(study, "play_together", counted)
    ended = _run(*words, "--resume")
    assert ended.exit_code == 0, ended.output
    assert {each.label for each in resumed} == {"prob"}
    whole = match(["prob @ edge:9", "random"], "gym-5x5", games=100)
    record = json.loads((tmp_path / "match.json").read_text())
    assert record["meetings"] == whole.to_dict()["meetings"]


def test_sides_are_read():
    assert split("lattice2 @ avoid:prob") == ("lattice2", "avoid:prob")
    assert split("over9000,noise=0@edge:3") == ("over9000,noise=0", "edge:3")
    assert split("@classic/lattice") == ("@classic/lattice", None)
    assert split("cmd:./bot --as me@home") == ("cmd:./bot --as me@home", None)
    assert split("cmd:./bot --as me@home @ uniform") == ("cmd:./bot --as me@home", "uniform")
    (side,) = asked_for(
        Request.of("gym-5x5", games=2), read_sides(["prob@uniform", "random"], Request.of().limits)
    ).sides[:1]
    assert side.label == "prob"


@pytest.mark.parametrize("last_turn", [False, True])
def test_the_environment_for_two_plays_the_same_match(last_turn):
    pytest.importorskip("pettingzoo")
    paid = runpy.run_path(str(ROOT / "examples" / "two_player.py"))["play"](
        "hunt-target", "prob", "gym-5x5", games=30, seed=4, last_turn=last_turn
    )
    found = match(["hunt-target", "prob"], "gym-5x5", games=30, seed=4, last_turn=last_turn)
    assert paid == found.meetings[0, 1].outcomes.ravel().tolist()


def test_a_winner_has_the_mean_of_the_games_that_it_wins():
    found = bsbench.match(["prob", "random"], scenario="gym-6x6", games=200, seed=3)
    ours, theirs = (found.result(place, 1 - place).counts for place in (0, 1))
    winning = [float(mean) for mean in winning_means(ours, theirs)]
    (row,) = found.rows()
    assert [row["first_winning"], row["second_winning"]] == winning
    assert found.to_dict()["meetings"][0]["winning"] == winning
    assert sheet(found).more["if it wins"] == [f"{mean:.2f}" for mean in winning]
