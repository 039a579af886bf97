"""Single games of salvos: replays, second opinions, odds before each shot, and games of people."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from itertools import groupby
from operator import attrgetter

import numpy as np
import pytest
from click.testing import CliRunner

import bsbench
from bsbench.cli import main
from bsbench.play.advice import as_turn, hint, hints
from bsbench.play.game import LANE, Move, board_after, last_moves
from bsbench.play.referee import Referee
from bsbench.play.samplers import make_sampler
from bsbench.present.human import HumanGame
from bsbench.present.replaying import replay
from bsbench.present.replaying.page import page_text
from bsbench.roster import make_variant
from bsbench.rules.board import HIT, MISS, SUNK
from bsbench.rules.drawing import MISSED, OPEN, STRUCK, SUNKEN, UNCLEAR
from bsbench.rules.scenario import Scenario
from bsbench.runs.chances import ChanceFinder
from bsbench.strategies import Insight, Strategy
from bsbench.strategies.view import View
from tests.support import naive
from tests.support.naive.layouts import all_layouts
from tests.support.refusals import refused

JOINT = Scenario("6x6", fleet=[3, 2], shots=4, answers="joint", name="joint")
EACH = Scenario("6x6", fleet=[3, 2], shots=4, name="each")


def turns_of(moves):
    return [list(turn) for _, turn in groupby(moves, attrgetter("turn"))]


@pytest.mark.parametrize("scenario", [JOINT, EACH], ids=["joint", "each"])
@pytest.mark.parametrize("player", ["linear", "over9000", "salvo"])
def test_a_replay_is_the_game_of_the_run_turn_by_turn(player, scenario):
    result = bsbench.run(player, scenario, games=20, seed=4)
    for game in range(20):
        again = replay(player, scenario, seed=4, game=game)
        turns = turns_of(again.moves)
        assert again.turns == len(turns) == result.moves[game]
        assert [turn[0].turn for turn in turns] == [*range(1, len(turns) + 1)]
        assert again.length == f"{len(turns)} turns, {len(again.moves)} shots"
        shot: set[int] = set()
        for turn in turns:
            assert 1 <= len(turn) <= 4
            hits = tuple(sum(move.cell in ship for move in turn) for ship in again.ships)
            for move in turn:
                assert move.cell not in shot
                shot.add(move.cell)
                on = [ship for ship in again.ships if move.cell in ship]
                sinks = bool(on) and shot >= set(on[0])
                assert move.outcome == (SUNK if sinks else HIT if on else MISS)
                assert move.ship == (again.ships.index(on[0]) if on else None)
                assert move.sunk == (on[0] if sinks else ())
                assert move.hits == (hits if scenario is JOINT else ())
        assert shot >= {cell for ship in again.ships for cell in ship}
        # Nothing was fired after the last hit.
        assert again.moves[-1].outcome == SUNK


def test_a_board_shows_no_more_than_joint_answers_say():
    again = replay("linear", JOINT, seed=3)
    ships = {cell for ship in again.ships for cell in ship}
    for shots in range(len(again.moves) + 1):
        moves = again.moves[:shots]
        marks = board_after(JOINT.rules, moves).marks
        for turn in turns_of(moves):
            cells = [move.cell for move in turn]
            whole = len(turn) == 4 or (
                turn is not turns_of(moves)[-1] and turn[0].turn < moves[-1].turn
            )
            hits = len(ships & set(cells))
            wanted = {0: MISSED, len(cells): STRUCK}.get(hits, UNCLEAR) if whole else UNCLEAR
            assert {marks[cell] for cell in cells} == {wanted}
        assert marks.count(OPEN) == 36 - shots
        shown = board_after(JOINT.rules, moves, ships=again.ships).marks
        fired = {move.cell for move in moves}
        sunken = {cell for ship in again.ships if fired.issuperset(ship) for cell in ship}
        for cell in range(36):
            hit = STRUCK if cell in ships else MISSED
            assert shown[cell] == (OPEN if cell not in fired else SUNKEN if cell in sunken else hit)


def test_a_turn_with_fewer_shots_is_clear_when_the_next_one_has_begun():
    first = [Move(cell, HIT, 0, turn=1, hits=(2, 0)) for cell in (0, 1)]
    after = Move(5, MISS, turn=2, hits=(0, 0))
    for moves, marks in (
        (first, [UNCLEAR, UNCLEAR, OPEN]),
        ([*first, after], [STRUCK, STRUCK, UNCLEAR]),
    ):
        shown = board_after(JOINT.rules, moves).marks
        assert [shown[cell] for cell in (0, 1, 5)] == marks


@pytest.mark.parametrize("scenario", [JOINT, EACH], ids=["joint", "each"])
def test_what_led_to_a_turn_stands_with_its_first_shot(scenario):
    view = View(scenario.rules, 1)
    referee = Referee(view)
    layout = make_sampler(scenario.rules, scenario.placement).draw(3, 0, 1)
    referee.deal(LANE, layout)
    referee.fire(as_turn(scenario.rules, [30, 2, 9]))
    moves = last_moves(view, layout, Insight(remark="so"))
    assert [move.cell for move in moves] == [30, 2, 9]
    assert [move.insight.waiting for move in moves] == [[], [2, 9], [9]]
    assert [move.insight.remark for move in moves] == ["so", "", ""]


class First(Strategy):
    """Fires one shot a turn, at one cell after the other."""

    name, source = "first", "made for tests"

    def copy(self):
        return type(self)()

    def shoot(self, view):
        return view.shots.copy()

    def salvo(self, view):
        cells = np.full(view.cells.shape, -1)
        cells[:, 0] = view.shots
        return cells


def test_an_opinion_of_fewer_shots_stands_for_all_of_a_turn():
    sampler = make_sampler(JOINT.rules, JOINT.placement)
    given = hints(First(), JOINT.rules, sampler, [[0, 1, 2, 3], [4], [5, 6]], 3)
    assert [hint.cell for hint in given] == [0, 0, 0, 0, 4, 5, 5]


@pytest.mark.parametrize("name", ["hunt-target", "datagenetics"])
def test_opinions_are_the_hints_in_each_position(name):
    """A planner's plan, too, follows shots that are not its own."""
    single = Scenario("6x6", fleet=[3, 2])
    sampler = make_sampler(single.rules, single.placement)
    for game in range(5):
        turns = [[move.cell] for move in replay("random", single, seed=3, game=game).moves]
        given = hints(make_variant(name), single.rules, sampler, turns, 3, game)
        layout = sampler.draw(3, game, 1)
        for number, opinion in enumerate(given):
            alone = hint(make_variant(name), single.rules, layout, turns[:number], 3, game)
            assert opinion.cell == alone.cell


def test_turns_of_one_shot_with_joint_answers_have_hints():
    single = Scenario("6x6", fleet=[3, 2], answers="joint")
    again = replay("random", single, seed=2, opinions=["salvo"])
    assert again.turns == len(again.moves) == len(again.opinions[0].hints)
    game = HumanGame(single, 2)
    for move in again.moves[:5]:
        assert game.fire(move.cell) == [move]
        assert not game.pending
        if len(game.moves) < 3:
            assert game.shots_text == ["1 turn, 1 shot", "2 turns, 2 shots"][game.turns - 1]
    assert game.hint().cell == again.opinions[0].hints[5].cell
    assert game.turns == 5


@pytest.mark.parametrize("scenario", [JOINT, EACH], ids=["joint", "each"])
def test_odds_before_a_shot_are_those_of_the_turns_before(scenario):
    again = replay("salvo", scenario, seed=6, game=2, odds=True)
    layouts = list(naive.all_layouts(scenario.rules))
    before: list = []
    for turn in turns_of(again.moves):

        def agrees(layout):
            for told in before:
                for ship, real in zip(layout, again.ships, strict=True):
                    cells = {move.cell for move in told}
                    ours, theirs = cells & set(ship), cells & set(real)
                    if (len(ours) != len(theirs)) if scenario is JOINT else (ours != theirs):
                        return False
            return True

        left = [layout for layout in layouts if agrees(layout)]
        shares = naive.ships_on_cells(scenario.rules, left)
        fired = {move.cell for told in before for move in told}
        for move in turn:
            chances = again.chances[again.moves.index(move)]
            assert chances.samples == 0
            for cell in range(36):
                share = sum(row[cell] for row in shares) / len(left)
                assert chances.cells[cell] == (-1 if cell in fired else pytest.approx(share))
            # The next cell of a turn is compared with those that the turn has not shot.
            fired.add(move.cell)
        before.append(turn)


@pytest.mark.parametrize("scenario", [JOINT, EACH], ids=["joint", "each"])
def test_odds_are_estimated_where_they_are_not_counted(scenario):
    again = replay("over9000", scenario, seed=6, game=13, odds=True)
    found = ChanceFinder(scenario, effort=0).find(again.moves)
    known = [place for place, chances in enumerate(found) if chances]
    assert len({again.moves[place].turn for place in known}) > 2
    for place in known:
        chances, exact = found[place], again.chances[place].cells
        left = exact >= 0
        for cells in (chances.cells, *chances.halves):
            assert np.array_equal(cells >= 0, left)
        errors = np.sqrt(exact[left] * (1 - exact[left]) / chances.samples)
        assert (np.abs(chances.cells - exact)[left] <= 4 * errors + 1e-9).all()


def test_a_second_opinion_is_a_turn_of_its_own():
    again = replay("over9000", JOINT, seed=2, opinions=["over9000", "salvo"])
    own, other = again.opinions
    assert [hint.cell for hint in own.hints] == [move.cell for move in again.moves]
    assert len(other.hints) == len(again.moves)
    first = replay("salvo", JOINT, seed=2)
    assert [hint.cell for hint in other.hints[:4]] == [move.cell for move in first.moves[:4]]


@pytest.mark.parametrize("scenario", [JOINT, EACH], ids=["joint", "each"])
def test_a_page_goes_by_turns_and_measures_answers_in_bits(scenario):
    """The yardstick, against all layouts: by how much each answer narrows them down."""
    again = replay("salvo", scenario, seed=0, odds=True)
    text = page_text([again])
    (only,) = json.loads(re.search(r'id="data">(.*?)</script>', text)[1])["rounds"]
    (game,) = only["games"]
    turns = turns_of(again.moves)
    assert [[cell for cell, *_ in turn] for turn in game["moves"]] == [
        [move.cell for move in turn] for turn in turns
    ]
    left = list(all_layouts(scenario.rules))
    for number, turn in enumerate(turns):
        cells = [move.cell for move in turn]
        hits = [sum(cell in ship for cell in cells for ship in layout) for layout in left]
        assert game["chance"][number] == pytest.approx(sum(hits) / len(left), abs=1e-5)
        before, told = len(left), _told(scenario, again.ships, cells)
        left = [layout for layout in left if _told(scenario, layout, cells) == told]
        assert game["bits"][number] == pytest.approx(math.log2(before / len(left)), abs=1e-5)
    mean = sum(game["bits"]) / len(turns)
    assert again.length + f". Information: {mean:.2f} bits a turn." == " ".join(game["facts"])
    # No shot is held against the most likely cell, not that of a last turn of one shot either.
    assert {*game["best"], *game["lost"]} == {None}


def _told(scenario, layout, cells):
    """Return what a turn reveals of a layout: of each shot the ship, or how many hit each."""
    ships = [next((i for i, ship in enumerate(layout) if c in ship), None) for c in cells]
    return Counter(ships) if scenario.rules.joint else ships


def test_the_text_has_a_line_for_each_turn():
    words = "replay -s linear --board 6x6 --fleet 3,2 --seed 3 --shots 4 --answers joint"
    printed = CliRunner().invoke(main, words.split()).stdout
    for turn in turns_of(replay("linear", JOINT, seed=3).moves):
        assert f"turn {turn[0].turn}: " in printed


# Games of people.


def test_a_person_fires_a_turn_and_is_then_answered(tmp_path):
    game = HumanGame(JOINT, 3, versus="linear")
    theirs = replay("linear", JOINT, seed=3, game=1)
    own = replay("linear", JOINT, seed=3)
    answered = []
    for number, move in enumerate(own.moves, 1):
        told = game.fire(move.cell)
        answered += told
        if not told:
            assert game.board().marks[move.cell] == UNCLEAR
            assert game.pending
            path = tmp_path / "game.json"
            game.save(path)
            again = HumanGame.load(path)
            assert (again.moves, again.pending) == (game.moves, game.pending)
            with refused("shot before"):
                game.read_cell("A1")
        assert game.turns == len(turns_of(own.moves[:number])) - bool(game.pending)
        assert game.their_moves == tuple(m for m in theirs.moves if m.turn <= game.turns)
    # The turn goes on, and what follows the last hit does not count.
    assert not game.over
    answered += game.fire(35)
    assert tuple(answered) == own.moves
    assert game.over
    assert game.shots_text == own.length
    assert game.their_count == theirs.turns


def test_the_last_turn_of_a_person_has_the_cells_that_are_left():
    game = HumanGame(Scenario("2x3", fleet=[1], shots=4, answers="joint"), 3)
    ship = game.board(hidden=True).ships[0][0]
    waters = [cell for cell in range(6) if cell != ship]
    answered = [len(game.fire(cell)) for cell in [*waters, ship]]
    assert answered == [0, 0, 0, 4, 0, 2]
    assert (game.over, game.turns) == (True, 2)


def test_a_person_is_placed_by_turns():
    game = HumanGame(EACH, 3)
    for move in replay("over9000", EACH, seed=3).moves:
        game.fire(move.cell)
    while not game.over:
        game.fire(next(cell for cell in range(36) if game.board().marks[cell] == OPEN))
    placings = {placing.strategy: placing for placing in game.placings(100)}
    assert {"random", "linear", "over9000", "salvo"} <= placings.keys()
    for name, placing in placings.items():
        moves = bsbench.run(name, EACH, games=100, seed=3).moves
        assert placing.standing.mean == moves.mean()
        assert placing.standing.longer == (moves > game.turns).mean()
        assert placing.standing.tied == (moves == game.turns).mean()
        assert placing.here == moves[0]


def test_a_hint_is_of_a_turn_of_its_own():
    game = HumanGame(JOINT, 3)
    assert game.adviser == "salvo"
    assert game.shots_text == "0 turns, 0 shots"
    hint = game.hint()
    assert hint.cell == replay("salvo", JOINT, seed=3).moves[0].cell
    game.fire(0)
    assert game.hint().cell == hint.cell
    assert HumanGame(Scenario(shots=3, feedback="hit"), 1).adviser == "random"


def test_a_hint_goes_on_where_the_person_has_begun_its_turn():
    game, whole = HumanGame(JOINT, 3), HumanGame(JOINT, 3).hint()
    assert len(whole.turn) == 4
    assert list(whole.turn) == [move.cell for move in replay("salvo", JOINT, seed=3).moves[:4]]
    for place, cell in enumerate(whole.turn[:-1], 1):
        game.fire(cell)
        assert (game.hint().cell, game.hint().turn) == (whole.turn[place], whole.turn)


def test_a_line_may_have_the_cells_of_a_turn(tmp_path, monkeypatch):
    from bsbench.cli import play

    monkeypatch.setattr(play, "saved_game_path", lambda: tmp_path / "game.json")
    words = "play --board 6x6 --fleet 3,2 --seed 3 --shots 4 --answers joint"
    lines = ["A1+A2,A3 A4", "A5 A6 A1", "?", "quit"]
    ended = CliRunner().invoke(main, words.split(), input="\n".join(lines))
    assert ended.exit_code == 0, ended.output
    assert "1. A1 A2 A3 A4: no hit" in ended.output
    assert "2.3> " in ended.output
    asked = [line for line in ended.output.splitlines() if "would shoot" in line]
    assert len(asked[0].split(";")[0].split()) == 3 + 4


def test_answers_for_each_shot_are_told_after_the_turn(tmp_path, monkeypatch):
    from bsbench.cli import play

    monkeypatch.setattr(play, "saved_game_path", lambda: tmp_path / "game.json")
    words = "play --board 6x6 --fleet 3,2 --seed 3 --shots 4"
    ended = CliRunner().invoke(main, words.split(), input="A1\nA2\nA3\nB1\nquit")
    assert "1. A1 miss; A2 miss; A3 miss; B1 hit, ship of 3" in ended.output
