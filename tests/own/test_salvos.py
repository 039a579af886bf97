"""Strategies of users play salvos: classes in plain Python, and bots."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import bsbench
from bsbench import Scenario, StrategyError
from bsbench.own import exchange
from bsbench.play.game import layout_of
from bsbench.play.lockstep import Block, Simulator
from bsbench.play.samplers import make_sampler
from bsbench.play.session import Session
from bsbench.roster import as_strategy, make_variant
from bsbench.runs.games import parts_of
from bsbench.runs.records import load_result, read_record
from bsbench.runs.request import check_playable
from bsbench.runs.results import save_result
from bsbench.studies.check import properties
from bsbench.studies.check.study import check_strategy
from tests.own.test_bots import fault_of, nothing_is_left_behind
from tests.support.refusals import assert_names, assert_sentence, refused

__all__ = ["nothing_is_left_behind"]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="bots and thinkers are for POSIX")

OWN = '''
class Rolls:
    """Fires the first open cells, in an order that begins elsewhere after each hit."""

    def salvo(self, view):
        if view.rules.joint:
            hits = sum(sum(turn.hits) for turn in view.turns)
        else:
            hits = len(view.hits)
        begin = 7 * hits % len(view.open_cells)
        cells = view.open_cells[begin:] + view.open_cells[:begin]
        assert 1 <= view.allowed <= len(cells)
        return cells[: max(view.rules.most_shots - hits % 3, 1)]


class Both(Rolls):
    """Has a method for single shots, too: these go down from the last cell."""

    def shoot(self, view):
        return view.open_cells[-1]
'''

BOT = """
import sys

games = {}
for line in sys.stdin:
    place, words = "", line.split()
    if words[0].isdigit():
        place = words.pop(0)
    match words:
        case ["bsbench", *_]:
            print(*sys.argv[1:], "can salvo", "ready", sep="\\n", flush=True)
        case ["rules", rows, cols, _, _, _, *fleet, "salvo", shots, answers]:
            print("ready", flush=True)
        case ["game", *_]:
            games[place] = [list(range(int(rows) * int(cols))), 0]
        case ["miss" | "hit" | "sunk", cell, *_]:
            assert answers == "each"
            games[place][0].remove(int(cell))
            games[place][1] += words[0] != "miss"
        case ["hits", *numbers]:
            assert answers == "joint"
            numbers = [*map(int, numbers)]
            games[place][1] += sum(numbers[: len(fleet)])
            for cell in numbers[len(fleet) :]:
                games[place][0].remove(cell)
        case ["salvo", most]:
            cells, hits = games[place]
            begin = 7 * hits % len(cells)
            assert 1 <= int(most) <= len(cells)
            turn = (cells[begin:] + cells[:begin])[: max(int(shots) - hits % 3, 1)]
            print(*turn, flush=True)
        case ["quit"]:
            break
"""


@pytest.fixture(scope="module")
def own(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("own")
    (folder / "own.py").write_text(OWN)
    (folder / "bot.py").write_text(BOT)
    return folder


def place_of(answers: str = "each", shots: int = 4, feedback: str = "ship") -> Scenario:
    """Return the scenario of these tests, on a small board."""
    fleet = (3, 3, 2)
    return Scenario("6x7", fleet=fleet, feedback=feedback, shots=shots, answers=answers)


def played(strategy, place: Scenario, games: int, lanes: int, first: int = 0) -> list[list[int]]:
    """Return the turns and the shots of each game, as the engine counts them."""
    sampler = make_sampler(place.rules, place.placement)
    simulator = Simulator(place.rules, sampler, strategy, 3, lanes)
    ((_, moves),) = simulator.play(iter([Block(first, games)]))
    return moves.tolist()


def by_hand(place: Scenario, game: int) -> list[int]:
    """Return the turns and the shots up to the last hit of `Rolls`, by a loop over the rules."""
    rules = place.rules
    ships = layout_of(rules, make_sampler(rules, place.placement), 3, game)
    left = {cell for ship in ships for cell in ship}
    open_cells, hits, turns, shots, last_hit = list(range(rules.cells)), 0, 0, 0, 0
    while left:
        begin = 7 * hits % len(open_cells)
        turn = (open_cells[begin:] + open_cells[:begin])[: max(rules.most_shots - hits % 3, 1)]
        turns += 1
        for cell in turn:
            shots += 1
            open_cells.remove(cell)
            if cell in left:
                left.remove(cell)
                hits, last_hit = hits + 1, shots
    return [turns, last_hit]


GAMES = 40


@pytest.mark.parametrize(
    ("answers", "shots", "feedback"),
    [("each", 4, "hit"), ("each", 42, "hit"), ("joint", 4, "ship"), ("joint", 1, "ship")],
)
def test_classes_and_bots_play_by_their_rule(own, answers, shots, feedback):
    place = place_of(answers, shots, feedback)
    expected = [by_hand(place, game) for game in range(GAMES)]
    assert len({turns for turns, _ in expected}) > 1 or shots == 42
    bot = f"cmd:{shlex.join([sys.executable, '-S', str(own / 'bot.py')])}"
    for spec in (f"{own / 'own.py'}:Rolls", f"{own / 'own.py'}:Both", bot, f"{bot} 'games 3'"):
        strategy = make_variant(spec)
        assert strategy.plays_salvos
        check_playable(strategy, place)
        for lanes in (1, 7):
            copy = strategy.copy()
            assert played(copy, place, GAMES, lanes) == expected, (spec, lanes)
            copy.close()
    assert played(make_variant(bot), place, 9, 4, 20) == expected[20:29]


def test_a_bot_that_fails_forfeits_games_of_salvos(tmp_path, monkeypatch):
    """Such a game counts as one in which every cell was shot, a whole turn each time."""
    monkeypatch.chdir(tmp_path)
    asked = 'case ["salvo", most]:'
    Path("fails.py").write_text(
        BOT.replace(asked, f'case ["salvo", "1" | "2" | "3"]: break\n        {asked}')
    )
    place, spec = place_of("joint"), f"cmd:{sys.executable} -S fails.py,restart=60"
    whole = bsbench.run(spec, place, games=60, seed=3, threads=2)
    lost = [*whole.forfeits]
    # It fails where less than a turn is left.
    wanted = [by_hand(place, game) for game in range(60)]
    assert 3 < len(lost) < 40
    assert min(wanted[game][1] for game in lost) >= 40
    others = [game for game in range(60) if game not in lost]
    assert whole.moves[others].tolist() == [wanted[game][0] for game in others]
    assert whole.moves[lost].tolist() == [place.rules.whole_board] * len(lost)
    fired = [42 if game in lost else shots for game, (_, shots) in enumerate(wanted)]
    assert whole.tally.shots.tolist() == np.bincount(fired, minlength=43).tolist()
    (path,) = save_result(whole, "whole.json")
    assert load_result(path).forfeits == whole.forfeits
    record = json.loads(path.read_text())
    with refused("forfeits"):
        read_record({**record, "forfeits": [*range(1 + record["counts"][11])]})
    parts = [bsbench.run(spec, place, games=30, seed=3, first_game=first) for first in (0, 30)]
    joined = parts[0] + parts[1]
    assert joined.tally.shots.tolist() == whole.tally.shots.tolist()
    (part,) = parts_of(whole, make_variant(spec), shots=True)
    shots = [0 if game in lost else number for game, number in enumerate(fired)]
    assert part.fired.tolist() == shots
    assert len(part.shots) == sum(shots)


def test_without_shoot_a_shot_is_a_turn(own):
    place, space = Scenario("6x7", fleet=(3, 3, 2)), {}
    # In this process.
    exec(OWN, space)
    counts = played(as_strategy(space["Rolls"]), place, GAMES, 7)
    assert counts == [by_hand(place, game)[1] for game in range(GAMES)]
    assert played(as_strategy(space["Both"]), place, GAMES, 7) != counts


# What is shown.


NAMES = (
    *("allowed", "turns", "shots", "outcomes", "last", "outcome", "ship", "open_cells", "hits"),
    *("misses", "sunk", "wounded", "afloat", "board"),
)

ROW = Scenario("1x6", fleet=(2, 1), feedback="ship")


def row_game(**rules) -> list[dict]:
    """Return what is shown before each turn, and after the last one, of the next cells in a row.

    The ship of 2 lies on cells 1 and 2, the one of 1 on cell 5.
    """
    seen = []

    # Not of this module, so that it plays in this process.
    @dataclass
    class Noting:
        games_per_learner: int = 2

        def salvo(self, view):
            self.over(view)
            return view.open_cells[: view.allowed]

        def over(self, view):
            seen.append({name: getattr(view, name) for name in NAMES})

    place = ROW.override(**rules)
    sampler = make_sampler(place.rules, place.placement)
    layouts = ((game, layout_of(place.rules, sampler, 3, game)) for game in range(0, 999, 2))
    game = next(game for game, layout in layouts if layout == ((1, 2), (5,)))
    played(as_strategy(Noting), place, 2, 1, game)
    return seen


def test_answers_for_each_are_shown_shot_by_shot():
    first, second, third, fourth, *_ = row_game(shots=2)
    assert first["allowed"] == 2
    assert first["turns"] == ()
    assert second["turns"] == (((0, 1), ("miss", "hit"), (None, 0), (1, 0)),)
    assert (second["hits"], second["misses"], second["ship"]) == ((1,), (0,), 0)
    assert third["turns"][1] == ((2, 3), ("sunk", "miss"), (0, None), (1, 0))
    assert third["outcomes"] == ("miss", "hit", "sunk", "miss")
    assert third["sunk"] == ((0, (1, 2)),)
    assert (third["afloat"], third["open_cells"], third["last"]) == ((1,), (4, 5), 3)
    # After the last turn, which nobody has answered.
    assert fourth["turns"][2] == ((4, 5), (None, None), (None, None), None)
    assert fourth["hits"] == (1, 2)
    assert fourth["board"].splitlines()[1] == "A  ○  ■  ■  ○  ?  ?"


def test_feedback_hides_the_ships():
    _, second, third, *_ = row_game(shots=2, feedback="sunk")
    assert second["turns"][0] == ((0, 1), ("miss", "hit"), (None, None), None)
    assert third["turns"][1] == ((2, 3), ("sunk", "miss"), (0, None), None)
    _, second, *_ = row_game(shots=2, feedback="hit")
    assert second["turns"][0] == ((0, 1), ("miss", "hit"), (None, None), None)


def test_joint_answers_show_no_single_shot():
    _, second, third, *_ = row_game(shots=2, answers="joint")
    unknown = (None, None)
    assert second["turns"] == (((0, 1), unknown, unknown, (1, 0)),)
    assert third["turns"][1] == ((2, 3), unknown, unknown, (1, 0))
    for shown in (second, third):
        assert (shown["hits"], shown["misses"], shown["sunk"], shown["wounded"]) == ((),) * 4
        assert (shown["outcome"], shown["ship"]) == unknown
    assert third["outcomes"] == (None,) * 4
    assert (second["afloat"], third["afloat"]) == ((0, 1), (1,))
    assert (third["shots"], third["open_cells"]) == ((0, 1, 2, 3), (4, 5))
    assert third["board"].splitlines()[1] == "A  ?  ?  ?  ?  ·  ·"


def test_single_shots_are_turns():
    def watching(view):
        seen.append((view.allowed, view.turns))
        return view.open_cells[0]

    seen = []
    played(as_strategy(watching), ROW, 1, 1)
    assert {allowed for allowed, _ in seen} == {1}
    last = seen[-1][1]
    assert [turn.cells for turn in last] == [(cell,) for cell in range(len(seen) - 1)]
    assert sum(sum(turn.hits) for turn in last) == 2
    assert all((turn.outcomes == ("miss",)) == (turn.ships == (None,)) for turn in last)


# What goes wrong.


def wrong(answer, answers: str = "each") -> StrategyError:
    """Return the fault of a class whose third turn of game 5 is an answer."""

    class Wrong:
        def salvo(self, view):
            return answer(view) if len(view.turns) == 2 else view.open_cells[:4]

    session = Session(as_strategy(Wrong), place_of(answers).rules, 1, 3)
    sampler = make_sampler(session.view.rules, place_of().placement)
    session.deal(np.array([0]), np.array([5]), sampler.draw(3, 5, 1))
    for _ in range(2):
        session.step()
    with pytest.raises(StrategyError) as caught:
        session.step()
    assert (caught.value.game, caught.value.shots) == (5, 8)
    assert_sentence(caught.value.problem)
    return caught.value


@pytest.mark.parametrize(
    ("answer", "named"),
    [
        (lambda view: [], ("without", "4")),
        (lambda view: view.open_cells[:5], ("5", "turn", "4")),
        (lambda view: [9, 8, 9], ("B3", "twice")),
        (lambda view: [9, view.shots[1]], ("A2", "before")),
        (lambda view: [9, 42], ("42", "6x7")),
        (lambda view: [9, 10**30], (str(10**30), "6x7")),
        (lambda view: None, ("salvo", "nothing", "list")),
        (lambda view: "12", ("str", "list")),
        (lambda view: [True], ("True", "bool")),
    ],
)
def test_faults_name_what_is_wrong(answer, named):
    assert_sentence(wrong(answer).problem, *named)


def test_arrays_are_turns():
    class Arrays:
        def salvo(self, view):
            return np.array(view.open_cells[-view.allowed :])

    def last_cells(view):
        return view.open_cells[-1]

    shots = played(as_strategy(last_cells), Scenario("6x7", fleet=(3, 3, 2)), 9, 1)
    turns = played(as_strategy(Arrays), place_of(), 9, 3)
    assert [turn for turn, _ in turns] == [-(-count // 4) for count in shots]


def test_what_joint_answers_hide_is_said_when_it_fails():
    assert_sentence(wrong(lambda view: [view.hits[0]], "joint").problem, "view.hits", "joint")
    assert "joint" not in wrong(lambda view: [view.shots[0]], "joint").problem


@pytest.mark.parametrize(
    ("answer", "named"),
    [("''", ("without", "3")), ("'A1'", ("A1", "3", "24")), ("'0 25'", ("25", "5x5"))],
)
def test_faults_of_bots_name_what_is_wrong(answer, named, tmp_path, monkeypatch):
    fault = fault_of(f"play_salvos(lambda cells: {answer})", tmp_path, monkeypatch, 2, shots=3)
    assert_sentence(fault.problem, *named)
    assert (fault.game, fault.shots) == (0, 0)


@pytest.mark.parametrize("answer", ["0 -1", "0,1", "0 9999999999", "0 1.0"])
def test_what_is_no_turn_is_not_read(answer):
    assert exchange.read_turn(answer.encode()) is None


# Who does not play.


class Agent:
    def select_action(self, observation):
        return 0

    def salvo(self, view):
        """Do something else."""


@pytest.mark.parametrize("given", [lambda view: 0, Agent, "prob"])
def test_others_are_refused(given):
    strategy, place = as_strategy(given), place_of()
    assert not strategy.plays_salvos
    for refuse in (check_playable, lambda *_: Session(strategy, place.rules, 1, 0)):
        with refused(strategy.name, "4 shots", "salvo"):
            refuse(strategy, place)


def test_a_bot_that_does_not_know_salvos_never_hears_of_them(tmp_path):
    (tmp_path / "old.py").write_text(
        "import sys\nfor line in sys.stdin:\n"
        "    print(line, end='', file=open(sys.argv[1], 'a'))\n"
        "    print('ready', flush=True)\n"
    )
    strategy = make_variant(f"cmd:{sys.executable} -S {tmp_path / 'old.py'} {tmp_path / 'heard'}")
    with refused("old", "4 shots", "salvo"):
        check_playable(strategy, place_of())
    assert not strategy.fits(place_of().rules)
    assert strategy.fits(Scenario("6x7", fleet=(3, 3, 2)).rules)
    assert (tmp_path / "heard").read_text().splitlines() == [
        "bsbench battleship 1",
        "rules 6 7 touching ship 1 3 3 2",
    ]
    strategy.talkers.close()


@pytest.mark.parametrize(
    ("bases", "salvo", "named"),
    [
        ((bsbench.BatchStrategy,), lambda self, view: view, ["numpy", "salvo"]),
        ((), lambda self, view, count: [0], ["salvo(self, view, count)"]),
    ],
)
def test_methods_that_are_none_are_refused(bases, salvo, named):
    with refused("Mine", *named):
        as_strategy(type("Mine", bases, {"salvo": salvo}))


# `bsbench check`.


def test_check_plays_salvos_too(own):
    report = check_strategy(f"{own / 'own.py'}:Rolls", games=8)
    assert report.passed, str(report)
    assert properties.SALVOS in [finding.what for finding in report.findings]
    report = check_strategy("hunt-target", games=8)
    assert properties.SALVOS not in [finding.what for finding in report.findings]
    with refused("6x7+3-3-2+4-shots", "4 shots"):
        check_strategy("random", place_of())


@pytest.mark.parametrize(
    ("turn", "named"),
    [
        ("random.sample(view.open_cells, view.allowed)", ("--shots 3", "game 0")),
        (
            "[view.shots[0]] if view.turns[1:] else view.open_cells[:3]",
            ("--shots 3", "after 6 shots", "A1", "before"),
        ),
        (
            "view.hits if view.rules.joint else view.open_cells[:2]",
            ("--answers joint", "after 0 shots", "without"),
        ),
    ],
)
def test_check_finds_what_is_wrong(turn, named, in_folder):
    Path("mine.py").write_text(
        "import random\n\n\nclass Mine:\n    'An idea.'\n\n"
        "    def shoot(self, view):\n        return view.open_cells[0]\n\n"
        f"    def salvo(self, view):\n        return {turn}\n"
    )
    (failure,) = check_strategy("mine.py", "gym-5x5", games=8).failures
    assert failure.what == properties.SALVOS
    assert_names(failure.message, *named)
