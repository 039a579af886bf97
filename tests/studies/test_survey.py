"""The survey: its files, the rule of its verdicts, and what the command shows and plays."""

from __future__ import annotations

import json
import math
import re
import runpy
from collections import Counter, defaultdict
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import chain, product

import numpy as np
import pytest
from click.testing import CliRunner

import bsbench
from bsbench.cli import main
from bsbench.common.errors import BsbenchError
from bsbench.studies.survey import claims as files
from bsbench.studies.survey import playing
from bsbench.studies.survey.claims import Claim, read_survey
from bsbench.studies.survey.rule import Law, Word, compare, judge, law_of
from bsbench.studies.survey.sheet import sheet, source_columns
from bsbench.studies.survey.survey import survey as draw
from tests.support import ROOT
from tests.support.refusals import assert_refused, refused


def test_all_that_is_on_record_is_used_and_can_be_played():
    survey = read_survey()
    named = {name.removeprefix("=") for each in survey.claims.values() for name in each.readings}
    assert named - {"cells", "bound"} == survey.readings.keys()
    assert {each.source for each in survey.claims.values()} == survey.sources.keys()
    assert survey.played.keys() <= {reading.key for reading in survey.readings.values()}
    for name, reading in survey.readings.items():
        playing.check_commands(name, reading)
        for word in f"{reading.layouts} {reading.play}".split():
            if word.startswith("results/"):
                assert (ROOT / word.partition(":")[0]).is_file(), word


def _counts(law: Law, games: int, times: int, rng) -> np.ndarray:
    """Return how many games have how many moves, often."""
    shares = np.array([*law.shares.values()])
    return rng.multinomial(games, shares / shares.sum(), size=times)


def _figures(kind: str, law: Law, counts: np.ndarray) -> list[str]:
    """Return the figures that sources would publish of their games."""
    moves, games = np.array([*law.shares]), counts[0].sum()
    if kind == "mean":
        return [f"{mean:.2f}" for mean in counts @ moves / games]
    if kind == "median":
        return [f"{each}" for each in moves[(counts.cumsum(axis=1) >= games / 2).argmax(axis=1)]]
    first = (counts > 0).argmax(axis=1)
    last = len(moves) - 1 - (counts[:, ::-1] > 0).argmax(axis=1)
    return [f"{each}" for each in moves[first if kind == "min" else last]]


def _agreeing(kind: str, name: str, ours: int, theirs: int, times: int, off: float = 0) -> float:
    """Return how often figures agree with us that are true, or off by so many moves."""
    survey, rng = read_survey(), np.random.default_rng([ours, theirs, times])
    law = law_of(survey.readings[name], survey.played)
    texts = _figures(kind, law, _counts(law, theirs, times, rng))
    agree = 0
    for text, counts in zip(texts, _counts(law, ours, times, rng), strict=True):
        pairs = zip(law.shares, counts.tolist(), strict=True)
        measured = Law.of({moves: count / ours for moves, count in pairs if count}, ours)
        text = f"{float(text) + off:.2f}" if off else text
        agree += compare(kind, text, theirs, name, measured).agrees
    return agree / times


@pytest.mark.parametrize("kind", ["mean", "median", "min", "max"])
def test_a_true_figure_is_refused_in_three_of_a_thousand_cases_at_most(kind):
    games = [(4_000, 200), (4_000, 4_000), (4_000, 1_000_000), (1_000_000, 10_000)]
    times = 10_000 if kind == "mean" else 3_000
    for name, (ours, theirs) in product(["random-21", "density", "line"], games):
        assert _agreeing(kind, name, ours, theirs, times) >= 0.997, (name, ours, theirs)


@pytest.mark.parametrize("name", ["random-21", "density", "line", "rows"])
def test_a_mean_half_a_move_off_is_found(name):
    """Where the moves of a game deviate by 10.6 or less; of `hunt-target`, by 13, in 80 %."""
    for off in (0.5, -0.5):
        assert _agreeing("mean", name, 1_000_000, 10_000, 3_000, off) <= 0.05


def test_games_on_layouts_of_a_file_say_less():
    reading = read_survey().readings["density-last-row"]
    law = law_of(reading, read_survey().played)
    assert law.error() == pytest.approx(law.deviation * math.sqrt(1 / 20_000 + 1 / 100_000))


def test_the_exact_law_of_shots_in_any_order():
    law = law_of(read_survey().readings["random"], {})
    assert sum(law.shares.values()) == pytest.approx(1)
    # N. Berry: all ships lie among the first m cells; the mean is n (N + 1) / (n + 1).
    assert law.mean == pytest.approx(17 * 101 / 18)
    assert law.last(0.5, -1) == 97
    # Of two players, the better game: the least of two draws.
    pairs = ((a, b, p * q) for a, p in law.shares.items() for b, q in law.shares.items())
    assert law.winners_mean() == pytest.approx(sum(min(a, b) * share for a, b, share in pairs))


SHARES = {50 + k: (11 - abs(k)) / 121 for k in range(-10, 11)}
HERE = Law.of(SHARES, 1_000_000)
THERE = Law.of({moves + 3: share for moves, share in SHARES.items()}, 1_000_000)
LAWS = {"here": HERE, "there": THERE, "least": Law(40.0)}
CASES = [
    ({"mean": "50.01", "games": 10_000}, ["here", "there"], Word.AGREES),
    ({"mean": "53.01", "games": 10_000}, ["here", "there"], Word.OTHER),
    ({"mean": "51.5", "games": 10_000}, ["here", "there"], Word.DIFFERS),
    ({"mean": "51.5", "games": 10_000, "not_stated": "x"}, ["here", "there"], Word.BETWEEN),
    ({"mean": "54", "games": 10_000, "not_stated": "x"}, ["here", "there"], Word.DIFFERS),
    ({"mean": "51", "games": 30}, ["here"], Word.LITTLE),
    ({"mean": "48", "games": 10_000}, ["here"], Word.DIFFERS),
    ({"mean": "49", "games": 10_000}, ["here"], Word.CUT),
    ({"mean": "51", "games": 10_000}, ["there"], Word.DIFFERS),
    # 3² 20 / 1.95² = 47 games; 22 at 2.85.
    ({"mean": "52.0", "games": "not stated"}, ["here"], Word.FEW),
    ({"mean": "52.9", "games": "not stated"}, ["here"], Word.DIFFERS),
    ({"mean": "50.4", "games": "not stated"}, ["here"], Word.AGREES),
    ({"median": "50", "games": 1_000}, ["here"], Word.AGREES),
    ({"median": "50.5", "games": 1_000}, ["here"], Word.AGREES),
    ({"median": "52", "games": 1_000}, ["here"], Word.DIFFERS),
    ({"median": "52", "games": 1_000, "not_stated": "x"}, ["here", "there"], Word.OTHER),
    ({"max": "60", "games": 1_000}, ["here"], Word.AGREES),
    ({"max": "57", "games": 1_000}, ["here"], Word.DIFFERS),
    ({"max": "57", "games": 100}, ["here"], Word.AGREES),
    ({"max": "99", "games": 1_000}, ["here"], Word.DIFFERS),
    ({"min": "40", "games": 1_000}, ["here"], Word.AGREES),
    ({"min": "43", "games": 1_000}, ["here"], Word.DIFFERS),
    ({"min": "17", "games": 1_000}, ["here"], Word.DIFFERS),
    ({"winners": "47.0", "games": 100}, ["here"], Word.WINNERS),
    ({"mean": "41", "games": 100}, ["=here"], Word.ELSEWHERE),
    ({"mean": "39.3", "games": 100}, ["=bound", "=here"], Word.IMPOSSIBLE),
    ({"mean": "39.4", "games": 100}, ["=bound", "=here"], Word.ELSEWHERE),
    ({"mean": "100.3", "games": 100}, ["=cells"], Word.IMPOSSIBLE),
    ({"mean": "50", "games": 100}, ["nowhere", "here"], Word.UNPLAYED),
    ({"mean": "40.0", "games": "exact"}, ["least"], Word.AGREES),
    ({"mean": "40.1", "games": "exact"}, ["least"], Word.DIFFERS),
    ({"median": "40", "games": "exact"}, ["least"], Word.UNPLAYED),
]


@pytest.mark.parametrize("fleet", [(3,), (2, 2), (3, 2)])
def test_the_least_mean_where_lengths_are_told(fleet):
    """By all that can be shot and told, without bits and bounds."""
    beliefs = runpy.run_path(str(ROOT / "results" / "survey" / "beliefs.py"))

    @cache
    def moves(shots: frozenset[int], left: frozenset) -> int:
        open_cells = set().union(*chain(*left)) - shots
        if not open_cells:
            return 0
        sums = []
        for cell in open_cells:
            told = defaultdict(set)
            for ships in left:
                told[beliefs["answer"](ships, shots, cell)].add(ships)
            after = (moves(shots | {cell}, frozenset(these)) for these in told.values())
            over = sum(shots >= set().union(*ships) for ships in left)
            sums.append(len(left) - over + sum(after))
        return min(sums)

    layouts = frozenset(beliefs["layouts_of"](3, 3, fleet))
    mean = beliefs["Least"](3, 3, fleet).mean()
    assert mean == Fraction(moves(frozenset(), layouts), len(layouts))


def _claim(readings: list[str], **said) -> Claim:
    head = {"id": "a", "source": "b", "player": "c", "group": "d", "stated": "e"}
    return files.read({**head, **said, "readings": readings}, Claim)


@pytest.mark.parametrize(("said", "readings", "word"), CASES)
def test_each_verdict(said, readings, word):
    assert judge(_claim(readings, **said), LAWS).word == word


SOURCE = '[source.me]\nname = "Me"\nyear = 2026\nwhere = "https://example.org/me"\n'
CLAIM = """
[[claim]]
id = "me-random"
source = "me"
player = "random"
group = "random"
mean = "7.00"
games = 1000
stated = "all"
readings = ["small"]
"""
READING = (
    '[small]\nsays = "small"\nplay = "bsbench run random --board 3x3 --fleet 2 -n 200 --seed 7"\n'
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return the folder of a survey of one claim."""
    for module in (files, playing):
        monkeypatch.setattr(module, "results_folder", lambda: tmp_path / "results")
    made = tmp_path / "results" / "survey"
    made.mkdir(parents=True)
    (made / "claims.toml").write_text(SOURCE + CLAIM)
    (made / "readings.toml").write_text(READING)
    return made


def _run(*words: str):
    return CliRunner().invoke(main, ["survey", *words], prog_name="bsbench")


WRONG = [
    ("claims.toml", 'id = "me-random"', 'id = "me-random"\nnote = "x"', ["note", "me-random"]),
    ("claims.toml", CLAIM, CLAIM + CLAIM, ["id", "me-random"]),
    ("claims.toml", 'where = "https://example.org/me"\n', "", ["where", "me"]),
    ("claims.toml", "https:", "http:", ["where", "me"]),
    ("claims.toml", 'source = "me"', 'source = "you"', ["source", "you"]),
    ("claims.toml", '"7.00"', "7.0", ["mean", "me-random"]),
    ("claims.toml", '"7.00"', '"about 7"', ["mean", "me-random"]),
    ("claims.toml", '"7.00"', '"9.01"', ["mean", "9.01", "9"]),
    ("claims.toml", '["small"]', '["=cells"]', ["mean", "7.00", "100"]),
    ("claims.toml", "games = 1000", "games = 0", ["games", "me-random"]),
    ("claims.toml", "games = 1000", f"games = 1{400 * '0'}", ["games", "me-random"]),
    ("claims.toml", "games = 1000", 'games = "many"', ["games", "me-random"]),
    ("claims.toml", "games = 1000", 'games = 10\nmax = "9"', ["mean", "max"]),
    ("claims.toml", 'mean = "7.00"', "", ["mean", "winners"]),
    ("claims.toml", '["small"]', '["large"]', ["readings", "large"]),
    ("claims.toml", '["small"]', "[]", ["readings"]),
    ("claims.toml", '["small"]', '["small", "=small"]', ["readings"]),
    ("claims.toml", '["small"]', '["=bound"]', ["readings"]),
    ("claims.toml", "[[claim]]", "[claim]", ["claim"]),
    ("claims.toml", "[[claim]]", "[[claim]", ["claims.toml"]),
    ("claims.toml", SOURCE, "source = 1\n", ["source"]),
    ("readings.toml", "says =", "tells =", ["tells", "small"]),
    ("readings.toml", "run random", "run rondom", ["rondom", "small"]),
    ("readings.toml", "--fleet 2", "--fleat 2", ["--fleat", "small"]),
    ("readings.toml", "3x3", "3x", ["small"]),
    ("readings.toml", "--board 3x3", "--scenario nowhere", ["nowhere", "small"]),
    ("readings.toml", "bsbench run", "sh run", ["sh", "small"]),
    ("readings.toml", "bsbench run", "bsbench cache", ["cache", "small"]),
    ("readings.toml", "run random --board", "run random,x=1 --board", ["random", "small"]),
    ("readings.toml", 'says = "small"', 'says = "s"\nexact = "2 of 9"', ["exact", "play"]),
    ("readings.toml", 'says = "small"', 'says = "s"\nlayouts = "bsbench layouts"', ["layouts"]),
    ("readings.toml", READING, '[small]\nsays = "s"\nexact = "9 of 2"\n', ["exact"]),
    ("readings.toml", READING, '[small]\nsays = "s"\nexact = "0 of 9"\n', ["exact"]),
    ("readings.toml", READING, '[small]\nsays = "s"\nplay = "bsbench"\n', ["small"]),
    ("readings.toml", READING, "small = 1\n", ["small"]),
]


@pytest.mark.parametrize(("name", "old", "new", "named"), WRONG)
def test_what_is_wrong_in_a_file_is_told_with_file_and_key(folder, name, old, new, named):
    path = folder / name
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    done = _run()
    assert_refused(done, *named)
    assert name in done.stderr.replace("\n", "")


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"played": []}', '{"schema": "bsbench-survey-played-1"}']
)
def test_a_damaged_record_of_games_is_told(folder, content):
    _check_damaged(folder, content)


@pytest.mark.parametrize(
    "played",
    [
        {"games": 0},
        {"games": 3, "counts": [1, 1]},
        {"games": 2, "counts": [1, 1], "mean": "5/2"},
        {"games": 0, "mean": "5/0"},
        {"games": 0, "mean": "x"},
        {"games": 1, "counts": [-1, 2]},
    ],
)
def test_games_that_cannot_be_are_told(folder, played):
    key = READING.partition('play = "')[2].removesuffix('"\n')
    line = {"command": key, "seconds": 1.0, **played}
    content = {"schema": "bsbench-survey-played-1", "played": [line]}
    _check_damaged(folder, json.dumps(content))


def _check_damaged(folder, content: str) -> None:
    (folder / "played.json").write_text(content)
    done = _run()
    assert_refused(done)
    assert "played.json" in done.stderr.replace("\n", "")


def test_only_what_is_new_or_has_changed_is_played_and_each_is_kept(folder, monkeypatch):
    assert bsbench.survey().claims[0].verdict.word == Word.UNPLAYED
    more = READING.replace("[small]", "[other]").replace("random", "linear")
    (folder / "readings.toml").write_text(READING + more)
    play, played = playing.play, []

    def playing_once(reading):
        played.append(reading.play.split()[2])
        if len(played) == 2:
            raise KeyboardInterrupt
        return play(reading)

    monkeypatch.setattr(playing, "play", playing_once)
    with pytest.raises(KeyboardInterrupt):
        bsbench.survey(play=True)
    assert played == ["random", "linear"]
    (kept,) = json.loads((folder / "played.json").read_text())["played"]
    assert (kept["command"], kept["games"], sum(kept["counts"])) == (READING[31:-2], 200, 200)
    # The same games as those of the command itself.
    own = bsbench.run("random", board="3x3", fleet="2", games=200, seed=7)
    moves = [kept["first"] + k for k, count in enumerate(kept["counts"]) for _ in range(count)]
    assert sum(moves) / 200 == own.stats.mean
    bsbench.survey(play=True)
    assert played == ["random", "linear", "linear"]
    text = (folder / "readings.toml").read_text()
    (folder / "readings.toml").write_text(text.replace("200 --seed 7", "100 --seed 7", 1))
    found = bsbench.survey(play=True)
    assert played[3:] == ["random"]
    assert found.claims[0].verdict.word in (Word.AGREES, Word.DIFFERS)
    lines = (folder / "played.json").read_text().splitlines()
    assert [json.loads(line.rstrip(","))["games"] for line in lines[1:-1]] == [100, 200]


def test_layouts_of_a_file_a_script_and_a_least_mean_are_played(folder):
    (folder / "script.py").write_text('print("moves,games\\n5,2\\n7,1")\n')
    (folder / "fraction.py").write_text('print("exact\\n9/4")\n')
    board = "--board 3x3 --fleet 2"
    (folder / "readings.toml").write_text(f"""
[small]
says = "row by row on three layouts"
layouts = "bsbench layouts sequential:longest {board} -n 3 --seed 1 -o layouts.txt"
play = "bsbench run linear {board} --placement file:layouts.txt -n 30 --seed 7"
[script]
says = "a script"
play = "python results/survey/script.py"
[least]
says = "least mean"
play = "bsbench optimum {board} --feedback sunk -s linear"
[linear]
says = "mean of a strategy, exactly"
play = "bsbench optimum {board} --feedback sunk -s linear"
column = "exact"
[fraction]
says = "a script that prints a mean"
play = "python results/survey/fraction.py"
column = "exact"
""")
    bsbench.survey(play=True)
    survey = read_survey()
    laws = [law_of(each, survey.played) for each in survey.readings.values()]
    small, script, least, linear, fraction = laws
    assert len(small.shares) <= 3
    assert small.games == pytest.approx(1 / (1 / 30 + 1 / 3))
    assert script.shares == {5: 2 / 3, 7: 1 / 3}
    assert (least.mean, least.deviation) == (4.5, 0)
    assert (linear.mean, fraction.mean) == (6, 2.25)


def test_a_reading_that_cannot_be_played_is_told(folder):
    path = folder / "readings.toml"
    path.write_text(READING.replace("random", "results/survey/none.py:None"))
    with refused("small", "none.py"):
        bsbench.survey(play=True)
    assert_refused(_run("--play"), "small")


def test_the_command_shows_counts_and_all_that_differs():
    done = _run()
    assert done.exit_code == 0
    counts = Counter(each.verdict.word for each in bsbench.survey().claims)
    for word, count in counts.items():
        assert re.search(rf"^{word} +{count} ", done.stdout, re.MULTILINE)
    assert "patel-random" in done.stdout
    assert "mayflower-line " not in done.stdout


def test_the_command_shows_a_source_and_a_claim():
    done = _run("datagenetics").stdout
    assert "https://www.datagenetics.com" in done
    assert "datagenetics-random-min" in done
    done = _run("--claim", "jev-line-edge").stdout
    assert "agrees" in done
    assert "bsbench layouts results/survey/placers.py:JevEdge" in done
    assert "50.1 ± 1.2" in done
    assert_refused(_run("--claim", "jev"), "claim", "jev")
    assert_refused(_run("jev", "--claim", "datagenetics-random-min"))


def test_a_source_is_found_by_its_id_or_name():
    assert {each.claim.source for each in bsbench.survey("SeaBattle for ios").claims} == {
        "sea-battle-ios"
    }
    assert_refused(_run("datagenetic"), "datagenetics")
    assert_refused(_run("xyz"), "xyz", "bsbench survey --sources")


def test_the_verdicts_of_all_sources_are_all_verdicts():
    shown, counts = source_columns(bsbench.survey().claims), Counter()
    for figures, verdicts in zip(shown["figures"], shown["verdicts"], strict=True):
        words = {word: int(n) for word, n in re.findall(r"([^;]+): (\d+)(?:; |$)", verdicts)}
        assert sum(words.values()) == int(figures)
        counts.update(words)
    assert counts == Counter(each.verdict.word for each in bsbench.survey().claims)
    assert "SeaBattle for iOS, 2026" in _run("--sources").stdout


def test_a_figure_is_within_the_range_that_is_shown_just_if_it_agrees():
    found = bsbench.survey()
    for each in found.claims:
        shown = sheet(replace(found, claims=[each], asked=each.claim.id)).columns
        ends = zip(shown["agrees from"], shown["to"], strict=True)
        for one, (low, high) in zip(each.verdict.compared, ends, strict=True):
            if low:
                within = float(low) <= float(each.claim.text) <= float(high)
                assert within == one.agrees, (each.claim.id, low, high)


SMALL = "--board 3x3 --fleet 2"
PLAYS = {
    "usual": f"random {SMALL}",
    "told": "random --fleet 2 --board=3x3 --feedback sunk --placement sequential:longest",
    "apart": f"random {SMALL} --touching no",
    "longer": "random --board 3x3 --fleet 3",
    "wider": "random --board 3x4 --fleet 2",
    "salvos": f"random {SMALL} --shots 2",
    "home": "smart",
    "made": f"random {SMALL} --placement file:layouts.txt",
}


def test_a_mean_is_compared_with_all_who_play_on_such_layouts(folder):
    text = '[{}]\nsays = "s"\nplay = "bsbench run {} -n 9"\n'
    readings = "".join(text.format(*each) for each in PLAYS.items())
    made = f'layouts = "bsbench layouts edge:3 {SMALL} -n 9 -o layouts.txt"\n'
    (folder / "readings.toml").write_text(readings + made)
    (folder / "claims.toml").write_text(SOURCE + CLAIM.replace("small", "usual"))
    games = {"seconds": 1, "games": 9, "first": 5, "counts": [4, 5]}
    played = [{"command": each.key, **games} for each in read_survey().readings.values()]
    content = {"schema": "bsbench-survey-played-1", "played": played}
    (folder / "played.json").write_text(json.dumps(content))
    board = bsbench.Scenario("3x3", fleet=[2], name="x")
    found = bsbench.survey("5.6", games=100, scenario=board.override(again=True))
    assert {(each.player, each.feedback, each.law) for each in found.players} == {
        ("made", "ship", "file"),
        ("usual", "ship", "uniform"),
        ("told", "sunk", "sequential:longest"),
    }
    at_home = bsbench.survey("55", games=9, scenario="harbour").players
    assert "home" in {each.player for each in at_home}
    for mean in ("1.9", "9.1"):
        with refused(mean, "impossible", "2", "9"):
            bsbench.survey(mean, games=9, scenario=board)
    with refused("5x5"):
        bsbench.survey("3", games=9, scenario=board.override(board="5x5"))
    with refused("x+2-shots"):
        bsbench.survey("3", games=9, scenario=board.override(shots=2))


def test_which_players_would_show_a_mean_follows_from_their_errors():
    found = bsbench.survey("51.5", games=20_000)
    assert {"jev-density-edge", "one-line-shortest"} <= {each.player for each in found.players[:4]}
    chances = [each.chance for each in found.players]
    assert chances == sorted(chances, reverse=True)
    line = next(each for each in found.players if each.player == "line")
    survey = read_survey()
    law = law_of(survey.readings["line"], survey.played)
    error = law.deviation * math.sqrt(1e-6 + 1 / 20_000)
    off = (51.5 - law.mean - 0.05) / error
    assert line.chance == pytest.approx(math.erfc(off / math.sqrt(2)))


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["44.3", "-n", "1,000,000"], ["datagenetics ", "density "]),
        (["75.0", "--games", "2e4", "--scenario", "sea-battle"], ["russian-random-halo "]),
        (["55.89", "-n", "9999", "--scenario", "configs/sea-battle.toml"], ["@sea-battle/"]),
        (["20", "--games", "1000"], ["no player", " 0.000 "]),
    ],
)
def test_the_command_shows_which_players_would_show_a_mean(words, shown):
    done = _run(*words).stdout
    assert all(each in done for each in shown)


def test_a_mean_without_its_games_or_of_a_source_is_refused():
    assert_refused(_run("44.3"), "--games")
    assert_refused(_run("44.3", "--games", "0"), "--games")
    assert_refused(_run("jev", "--games", "9"), "--games")
    assert_refused(_run("44.3", "--games", "9", "--claim", "jev-line-edge"), "--claim")
    assert_refused(_run("44.3", "--games", "9", "--sources"), "--sources")
    assert_refused(_run("--claim", "jev-line-edge", "--sources"), "--sources")
    assert_refused(_run("44.3", "--games", "9", "--scenario", "nowhere"), "nowhere")
    assert_refused(_run("57,3", "--games", "9"), "57.3")


def test_errors_are_of_one_kind():
    with pytest.raises(BsbenchError):
        bsbench.survey("nobody")


def test_more_figures_of_one_mean_do_not_make_a_higher_picture():
    found = bsbench.survey()
    agreeing = [each for each in found.claims if each.verdict.word == Word.AGREES]
    ones, more = (draw(replace(found, claims=agreeing * times)).get_figheight() for times in (3, 6))
    assert ones == pytest.approx(more, rel=0.2)
