"""How moves were chosen, of strategies that may fail to choose: sums, records, tables."""

from __future__ import annotations

import contextlib
import dataclasses
import json

import numpy as np
import pytest

import bsbench
from bsbench.common.errors import StrategyError
from bsbench.common.journal import Journal
from bsbench.own.python import TALLIED
from bsbench.present import tables
from bsbench.roster import make_variant
from bsbench.rules.board import Rules
from bsbench.rules.scenario import Scenario
from bsbench.runs import panel, pooling
from bsbench.runs.comparing import play
from bsbench.runs.comparison import Comparison
from bsbench.runs.cores import Run
from bsbench.runs.experiment import Experiment
from bsbench.runs.games import parts_of
from bsbench.runs.panel import Panel
from bsbench.runs.records import load_result, read_record
from bsbench.runs.results import save_result
from bsbench.runs.tally import Tally
from bsbench.runs.worker import play_chunk
from bsbench.stats import AnswerBook, Answers
from bsbench.stats.answers import FIELDS
from bsbench.strategies import Strategy
from tests.support.refusals import refused

POND = Scenario(name="pond", rules=Rules(4, 4, (3, 2), touching=True))


class Forgetful(Strategy):
    """Shoots cell by cell, and says that it did not choose those of every third game's row B."""

    name, source = "forgetful", "made for tests"
    honest = False

    def __init__(self):
        self.answer_book = AnswerBook()

    def copy(self):
        other = type(self)()
        other.answer_book = self.answer_book
        return other

    def begin(self, rules, lanes, seed):
        super().begin(rules, lanes, seed)
        self._games = np.zeros(lanes, np.int64)

    def deal(self, lanes, games):
        self._games[lanes] = games
        for game in games.tolist():
            self.answer_book.begin(game)

    def shoot(self, view):
        for lane in np.flatnonzero(view.live).tolist():
            game, shot = int(self._games[lane]), int(view.shots[lane])
            if game % 3 == 0 and 4 <= shot < 8 and not self.honest:
                self.answer_book.note(game, fallbacks=1, unreadable=2, tokens_in=30)
            else:
                self.answer_book.note(game, own=1, tokens_in=10, tokens_out=1, milliseconds=None)
        return np.minimum(view.shots, 15)


class Honest(Forgetful):
    """Says that all moves are its own."""

    name, honest = "honest", True


def expected(result) -> Answers:
    """Return what the definition above says of games whose moves are kept."""
    numbers = dict.fromkeys(("own", "fallbacks", "unreadable", "tokens_in"), 0)
    for game, moves in enumerate(result.moves.tolist(), result.first_game):
        missed = len(range(4, min(moves, 8))) if game % 3 == 0 else 0
        numbers["fallbacks"] += missed
        numbers["unreadable"] += 2 * missed
        numbers["own"] += moves - missed
        numbers["tokens_in"] += 30 * missed + 10 * (moves - missed)
    tokens_out = numbers["own"]
    return Answers(**numbers, tokens_out=tokens_out, milliseconds=None)


@pytest.fixture(scope="module")
def found():
    return bsbench.run(Forgetful(), POND, games=100, keep_moves=True)


def test_a_run_knows_how_moves_were_chosen(found):
    assert found.answers == expected(found)
    assert found.answers.moves == found.moves.sum()
    assert found.answers.answers == found.answers.own + found.answers.unreadable
    assert bsbench.run("linear", POND, games=10).answers is None


def test_ranges_add_up_to_the_whole(found):
    parts = [
        bsbench.run(Forgetful(), POND, games=games, first_game=first, threads=2)
        for first, games in ((60, 40), (0, 25), (25, 35))
    ]
    assert pooling.merge(parts).answers == found.answers
    silent = dataclasses.replace(parts[0].tally, answers=None)
    with refused("moves"):
        parts[2].tally + silent
    moves = np.full(3, 9, np.uint8)
    with refused("moves"):
        parts[2].tally.and_then(moves)
    assert (Tally.empty(0, 16) + parts[1].tally).answers == parts[1].answers


def test_games_are_cut_where_all_have_played_them(found, monkeypatch):
    """In chunks of few games, interrupted in the middle of the second strategy."""
    monkeypatch.setattr(panel, "CHUNK", 30)
    experiment = Experiment((Forgetful(), Honest()), (POND,), games=100)
    played = {}

    def watch(now):
        played[now.label] = now.done
        if played.get("honest", 0) > 40:
            raise KeyboardInterrupt

    (comparison,) = play(experiment, threads=1, watch=watch)
    first, second = comparison.results
    assert 40 < second.games < 100
    assert first.games == second.games
    assert first.answers == expected(first)
    assert second.answers.own_share == 1


def test_records_keep_them(found):
    record = json.loads(json.dumps(found.to_dict()))
    assert read_record(record).answers == found.answers
    assert record["answers"].keys() == {
        *("own", "fallbacks", "unreadable", "repeated", "tokens_in", "tokens_out")
    }
    del record["moves"]
    assert read_record(record).answers == found.answers
    record["answers"]["own"] = 5
    with refused("answers", "counts"):
        read_record(record)


def test_every_table_marks_a_row_that_is_not_all_own(found):
    honest = bsbench.run(Honest(), POND, games=100, keep_moves=True)
    plain = bsbench.run("linear", POND, games=100, keep_moves=True)
    comparison = Comparison((found, honest, plain), "linear")
    table = tables.comparison_table(comparison)
    assert table.texts["strategy"] == ["forgetful †", "honest", "linear"]
    share = found.answers.own_share
    assert table.texts["own %"] == [f"{100 * share:.1f}", "100", ""]
    note = (
        f"† forgetful chose {100 * share:.1f} % of its {found.answers.moves:,} moves itself; the "
        f"other {found.answers.fallbacks:,} are random cells, since no answer was valid"
    )
    assert note in table.notes
    frame = comparison.to_frame()
    assert frame["own_share"].tolist()[:2] == [share, 1.0]
    assert frame["own_share"].isna()[2]
    assert comparison.to_dict()["strategies"][0]["answers"] == found.answers.to_dict()
    assert "own %" in tables.result_columns(found)
    assert note in list(tables.result_notes(found))
    assert "own %" not in tables.comparison_table(Comparison((plain,), "linear")).columns


def test_a_share_is_whole_only_if_all_moves_are_own():
    nearly = Answers(own=99_999, fallbacks=1)
    assert tables._own_text(nearly.own_share) == "99.9"
    assert tables._own_text(Answers(own=5).own_share) == "100"


AGENT = """
class Tally:
    def __init__(self):
        self.fallbacks = self.unreadable = self.repeated = self.tokens_in = self.tokens_out = 0
        self.milliseconds = None

class Reader:
    tallies = True
    def __init__(self):
        self.tally = Tally()
    def reset(self):
        pass
    def select_action(self, observation):
        cell = int(observation["attack_board"].ravel().argmin())
        self.tally.tokens_in += 10
        if 4 <= cell < 8:
            self.tally.fallbacks += 1
            self.tally.unreadable += 2
        return cell

class Plain(Reader):
    select_action = None
    def reset(self, rules, rng):
        pass
    def shoot(self, view):
        cell = next(cell for cell in range(16) if view.is_open(cell))
        self.tally.fallbacks += 4 <= cell < 8
        return cell

class Turns(Plain):
    def salvo(self, view):
        self.tally.fallbacks += len(view.turns) == 1
        return view.open_cells[: view.allowed]

class Boaster(Reader):
    def select_action(self, observation):
        self.tally.fallbacks += 2
        return super().select_action(observation)

class Careless(Reader):
    def __init__(self):
        self.tally = None
"""


@pytest.fixture(scope="module")
def agents(tmp_path_factory):
    path = tmp_path_factory.mktemp("own") / "readers.py"
    path.write_text(AGENT)
    return path


@pytest.mark.parametrize("name", ["Reader", "Plain"])
def test_users_objects_count_how_they_chose(agents, name):
    found = bsbench.run(f"{agents}:{name}", POND, games=20, threads=2, keep_moves=True)
    fallbacks = sum(min(moves, 8) - 4 for moves in found.moves.tolist())
    assert found.answers.fallbacks == fallbacks
    assert found.answers.moves == found.moves.sum()
    assert found.answers.milliseconds is None
    if name == "Reader":
        assert found.answers.unreadable == 2 * fallbacks
        assert found.answers.tokens_in == 10 * found.answers.moves
        # A class that no other process finds is played here.
        names = {"__name__": "__main__"}
        exec(AGENT, names)
        here = bsbench.run(names["Reader"], POND, games=20, keep_moves=True)
        assert here.answers == found.answers


def test_turns_of_salvos_are_moves_that_were_chosen(agents, tmp_path, monkeypatch):
    """A class that says how it chose, in games whose shots are counted, too."""
    for name in ("_FIRST_SECONDS", "_SECONDS", "_MOST_SECONDS"):
        monkeypatch.setattr("bsbench.common.journal." + name, 0.0)
    spec, scenario = f"{agents}:Turns", POND.override(shots=3)
    found = bsbench.run(spec, scenario, games=20, threads=2, keep_moves=True)
    # All its turns but the second are its own.
    assert found.answers.fallbacks == 20
    assert found.answers.own == found.moves.sum() - 20
    plain = bsbench.run("linear", scenario, games=20)
    assert found.moves.tolist() == plain.moves.tolist()
    assert found.tally.shots.tolist() == plain.tally.shots.tolist()
    (path,) = save_result(found, str(tmp_path / "a.json"))
    again = load_result(path)
    assert (again.answers, again.shots) == (found.answers, found.shots)
    parts = [bsbench.run(spec, scenario, games=10, first_game=first) for first in (0, 10)]
    assert (parts[0] + parts[1]).answers == found.answers
    monkeypatch.setattr("bsbench.play.lockstep.SMALLEST_BLOCK", 4)
    experiment = Experiment((make_variant(spec),), (scenario,), games=20)
    for most in (8, 10**9):
        journal = Journal.open(tmp_path / "a.journal", experiment.about(), resume=True)

        def watch(now, most=most):
            if now.done >= most:
                raise RuntimeError

        with contextlib.suppress(RuntimeError):
            (comparison,) = play(experiment, threads=1, journal=journal, watch=watch)
        journal.close()
    assert comparison.results[0].answers == found.answers
    assert comparison.results[0].shots == found.shots
    runs = [Run(make_variant(name), scenario, 0, 1) for name in (spec, "linear")]
    Panel(runs, workers=_Workers(tmp_path)).play(lambda _: 20, 20)
    assert runs[0].tally.answers == found.answers
    assert runs[0].tally.shots.tolist() == found.tally.shots.tolist()
    assert runs[0].notes.between(0, 20).shape == (20, 8)


@pytest.mark.parametrize("name", ["Boaster", "Careless"])
def test_tallies_that_can_not_be_are_faults(agents, name):
    with refused("fallbacks", kind=StrategyError, lines=2):
        bsbench.run(f"{agents}:{name}", POND, games=3)


class _Workers:
    """Plays chunks as the workers of a cluster do, in this process."""

    threads = 1

    def __init__(self, folder):
        self._folder = folder

    def chunks(self, job, places, first_game, end, moves):
        for first in range(first_game, end, 8):
            games = min(8, end - first)
            yield play_chunk(job, self._folder, places, first, games, moves)


def test_objects_tally_all_but_the_moves_that_are_their_own():
    # Where users' code runs, the statistics are not imported.
    assert ("own", *TALLIED) == FIELDS


@pytest.mark.parametrize("scenario", [POND, POND.override(shots=3)], ids=["single", "salvos"])
def test_shots_of_games_are_exported_beside_what_was_noted(agents, scenario):
    found = bsbench.run(f"{agents}:Turns", scenario, games=20, keep_moves=True)
    (part,) = parts_of(found, make_variant(f"{agents}:Turns"), shots=True)
    shots = found.counts if found.tally.shots is None else found.tally.shots
    assert np.bincount(part.fired, minlength=17).tolist() == shots.tolist()
    assert len(part.shots) == shots @ np.arange(17)
