"""A person's game: what it is, how it is kept, what he is told, by lines and by keys."""

from __future__ import annotations

import itertools
import json
import os
import re
import select
import signal
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import bsbench
from bsbench.cli import main
from bsbench.common.errors import BsbenchError
from bsbench.present.human import Hiding, HumanGame
from bsbench.roster import make_strategy, make_variant, strategy_names
from bsbench.rules.board import MISS, Feedback, Rules
from bsbench.rules.drawing import HIDDEN, SYMBOLS, cell_name
from bsbench.rules.scenario import Scenario
from bsbench.rules.slots import slot_code
from bsbench.strategies.base import FixedOrder, Planner
from tests.support import naive
from tests.support.refusals import assert_refused, names, refused

POND = Scenario(name="pond", rules=Rules(6, 7, (4, 3, 2), touching=True, feedback=Feedback.SHIP))


def _finish(game: HumanGame) -> None:
    """Shoot all ships, and nothing else."""
    for cell in _ship_cells(game):
        game.fire(cell)


def _ship_cells(game: HumanGame) -> list[int]:
    again = bsbench.replay("linear", game.scenario, seed=game.seed, game=game.game)
    return [cell for ship in again.ships for cell in ship]


# The game.


def test_the_layout_is_that_of_the_game_of_a_run():
    played = bsbench.replay("bob", POND, seed=3, game=5)
    game = HumanGame(POND, 3, 5)
    told = [answered for move in played.moves for answered in game.fire(move.cell)]
    assert tuple(told) == played.moves
    assert game.over
    assert str(game.board()) == "\n".join(str(played.board()).splitlines()[1:])
    with refused("game"):
        game.fire(0)
    with refused("game"):
        game.hint()
    own, other = game.replays()
    assert own.moves == played.moves
    assert other.moves == bsbench.replay("datagenetics", POND, seed=3, game=5).moves


def test_nothing_is_shot_twice_or_beside_the_board():
    game = HumanGame(POND, 3)
    assert game.read_cell("b3") == 9
    game.fire(9)
    for name in ("B3", "G1", "x"):
        with refused(name):
            game.read_cell(name)
    with refused("B3"):
        game.fire(9)
    assert len(game.moves) == 1


# To compile the kernels of the last one takes long.
@pytest.mark.parametrize(
    "strategy",
    [*strategy_names(), pytest.param("over9000-pairs,noise=0.01", marks=pytest.mark.slow)],
)
def test_a_hint_is_what_the_strategy_would_do(strategy):
    if isinstance(make_variant(strategy), FixedOrder):
        with refused(f"'{strategy}'"):
            HumanGame(POND, 1, adviser=strategy).hint()
        return
    # Followed from the first shot on, hints are the strategy's own game (of a learner, the first).
    game = HumanGame(POND, 1, adviser=strategy)
    played = bsbench.replay(strategy, POND, seed=1)
    is_planner = isinstance(make_strategy(strategy.partition(",")[0]), Planner)
    for move in played.moves:
        hint = game.hint()
        # Planners draw lots when they plan, for which they are asked at other times here.
        if not is_planner:
            assert hint.cell == move.cell
            assert hint.scores is None if move.waiting else (hint.scores == move.scores).all()
        game.fire(hint.cell if is_planner else move.cell)
        if game.over:
            break
    # After whatever shots, it is an open cell.
    rng = np.random.default_rng(2)
    game = HumanGame(POND, 1, adviser=strategy)
    while not game.over:
        shot = {move.cell for move in game.moves}
        hint = game.hint()
        assert hint.cell not in shot
        if hint.scores is not None:
            assert (hint.scores[sorted(shot)] < 0).all()
            assert hint.scores[hint.cell] >= hint.scores.max() - 1e-12
        others = sorted(set(range(POND.rules.cells)) - shot)
        game.fire(hint.cell if rng.random() < 0.3 else int(rng.choice(others)))
    assert game.hints == len(game.moves)


def test_the_placing_counts_the_games_of_each_strategy():
    game = HumanGame(POND, 2)
    for cell in [*range(0, 42, 4), *_ship_cells(game)]:
        if not game.over and cell not in {move.cell for move in game.moves}:
            game.fire(cell)
    moves = len(game.moves)
    playing: list[str] = []
    found = {placing.strategy: placing for placing in game.placings(500, playing.append)}
    # Learners are left out, and what takes long.
    names = [name for name in strategy_names() if make_strategy(name).games_per_learner == 1]
    names.remove("mcts")
    assert set(found) == set(names)
    assert playing == names
    for name in ("linear", "prob", "lattice"):
        run = bsbench.run(name, POND, seed=2, games=500, keep_moves=True)
        standing = found[name].standing
        assert standing.games == 500
        assert standing.mean == pytest.approx(run.moves.mean(), abs=1e-12)
        assert standing.longer == (run.moves > moves).mean()
        assert standing.tied == (run.moves == moves).mean()
        assert found[name].here == run.moves[0]
    # Some need to be told more.
    deaf = Scenario(name="deaf", rules=Rules(5, 5, (3,), touching=True, feedback=Feedback.HIT))
    game = HumanGame(deaf, 2)
    _finish(game)
    found = [placing.strategy for placing in game.placings(games=20)]
    assert "prob" in found
    assert "datagenetics" not in found


def test_in_turn_the_first_to_find_the_fleet_wins():
    theirs = bsbench.replay("prob", POND, seed=1, game=1)
    for wasted in (0, len(theirs.moves) - 9, len(theirs.moves) - 8):
        game = HumanGame(POND, 1, versus="prob")
        ships = _ship_cells(game)
        water = [cell for cell in range(POND.rules.cells) if cell not in ships]
        for cell in [*water[:wasted], *ships]:
            game.fire(cell)
            assert game.their_moves == theirs.moves[: len(game.moves)]
            shown = str(game.their_board())
            found = sum(move.outcome != MISS for move in game.their_moves)
            assert shown.count(HIDDEN) == 9 - found
        # Nine shots find the fleet.
        assert game.over
        assert game.lost == (wasted + 9 > len(theirs.moves))


def test_the_file_holds_no_layout_and_gives_the_game_back(tmp_path):
    path = tmp_path / "not" / "there" / "game.json"
    game = HumanGame(POND, 8, 2, adviser="bob", versus="prob")
    game.hint()
    for cell in (3, 17, 30):
        game.fire(cell)
    game.save(path)
    # Written over by the next shot.
    game.fire(9)
    game.save(path)
    again = HumanGame.load(path)
    assert again.moves == game.moves
    assert (again.hints, again.adviser, again.versus) == (1, "bob", "prob")
    assert (again.scenario, again.seed, again.game) == (POND, 8, 2)
    assert again.their_moves == game.their_moves
    record = json.loads(path.read_text())
    assert record.pop("shots") == [3, 17, 30, 9]
    assert set(record) <= {
        *("format", "stream_version", "scenario", "seed", "game", "adviser", "versus", "hints")
    }
    assert [entry.name for entry in path.parent.iterdir()] == ["game.json"]


@pytest.mark.parametrize(
    ("damage", "named"),
    [
        (lambda record: {**record, "shots": [3, 3]}, ["A4"]),
        (lambda record: {**record, "shots": [42]}, []),
        (lambda record: {**record, "adviser": "nobody"}, ["'nobody'"]),
        (lambda record: {**record, "seed": 1.5}, []),
        (lambda record: {**record, "versus": 3}, []),
        (lambda record: {**record, "hints": -1}, []),
        (lambda record: {**record, "stream_version": 0}, ["version"]),
        (lambda record: {}, []),
    ],
)
def test_what_is_damaged_is_told_in_a_sentence(tmp_path, damage, named):
    path = tmp_path / "game.json"
    game = HumanGame(POND, 8, 2)
    game.fire(3)
    game.save(path)
    text = path.read_text()
    path.write_text(json.dumps(damage(json.loads(text))) if damage else text[:-9])
    with refused(str(path), *named):
        HumanGame.load(path)


# The command, which reads lines where there is no terminal.

SMALL = "--board 5x5 --fleet 3,2 --seed 4"


@pytest.fixture
def path(tmp_path, monkeypatch):
    path = tmp_path / "state" / "game.json"
    monkeypatch.setattr("bsbench.cli.play.saved_game_path", lambda: path)
    return path


def _play(arguments: str, *lines: str):
    return CliRunner().invoke(main, ["play", *arguments.split()], "".join(f"{x}\n" for x in lines))


def _small() -> HumanGame:
    rules = Rules(5, 5, (3, 2), touching=True, feedback=Feedback.SHIP)
    return HumanGame(Scenario(name="small", rules=rules), 4)


def test_a_game_is_played_to_its_end(path, in_folder):
    cells = [cell_name(cell, 5) for cell in _ship_cells(_small())]
    result = _play(f"{SMALL} -o mine.html", "e9", "", cells[0], cells[0], *cells[1:])
    assert result.exit_code == 0, result.output
    # The last board shows the two ships and no other shot.
    board, over = result.output.rpartition("5. ")[2].split("\n\n")[:2]
    assert "5 shots" in over
    assert board.count(SYMBOLS[3]) == 5
    assert board.count(SYMBOLS[0]) == 20
    run = bsbench.run("datagenetics", _small().scenario, seed=4, games=10_000, keep_moves=True)
    beaten, tied = (run.moves > 5).mean(), (run.moves == 5).mean()
    told = re.findall(r"(\S+) %", result.output)
    assert float(told[0]) == pytest.approx(100 * beaten, abs=0.5)
    assert float(told[1]) == pytest.approx(100 * tied, abs=0.01)
    assert not path.exists()
    assert '"label": "you"' in (in_folder / "mine.html").read_text()


def test_a_game_is_left_and_gone_on_with(path):
    for words, named in (("--resume", "--resume"), ("--versus over9000 --feedback hit", "ship")):
        assert_refused(_play(words), named)
        assert not path.exists()
    result = _play(SMALL, "a1", "quit", "b1")
    assert result.exit_code == 0
    assert all(names(result.output, name) for name in ("1 shot", "'bsbench play --resume'"))
    # Nothing is given up without being asked.
    for arguments in (SMALL, ""):
        assert_refused(_play(arguments, "b2"), "--resume", "--new")
    assert _play("--resume --seed 3").exit_code == 2
    result = _play("--resume", "a1", "b2", "?")
    assert "2. B2" in result.output
    assert all(names(result.output, name) for name in ("A1", "datagenetics", "2 shots"))
    game = HumanGame.load(path)
    assert ([move.cell for move in game.moves], game.hints) == ([0, 6], 1)
    assert names(_play(f"{SMALL} --new").output, "0 shots")
    assert HumanGame.load(path).moves == []
    path.write_text("{")
    assert_refused(_play("--resume"), str(path), "--new")


# The command in a terminal, by keys.

UP, DOWN, RIGHT, LEFT = (f"\x1b[{letter}" for letter in "ABCD")
ESCAPES = re.compile(r"\x1b(\[[0-9;?]*[A-Za-z]|\][^\x07]*\x07|[()][A-Z0-9])")


class Terminal:
    """A program in a pseudo-terminal of 100 columns and 40 rows."""

    def __init__(self, fd: int, pid: int) -> None:
        self.fd, self.pid, self.text = fd, pid, ""

    def press(self, keys: str) -> None:
        os.write(self.fd, keys.encode())

    def wait_for(self, text: str) -> str:
        """Return what was printed up to some text, which is waited for; it is not seen again."""
        # A number of looks, as a clock goes on where the tests are stopped.
        looks = 600
        while text not in self.text:
            ready, _, _ = select.select([self.fd], [], [], 0.1)
            if not ready:
                looks -= 1
                assert looks, f"no {text!r} in {self.text!r}"
                continue
            try:
                printed = os.read(self.fd, 65536).decode(errors="replace")
            except OSError:
                printed = ""
            assert printed, f"ended without {text!r}: {self.text!r}"
            self.text = ESCAPES.sub("", self.text + printed)
        seen, _, self.text = self.text.partition(text)
        return seen

    def end(self) -> int:
        """Return the exit code."""
        with pytest.raises(AssertionError, match="ended"):
            self.wait_for("nothing that is ever printed")
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


@contextmanager
def _terminal(state, *arguments: str):
    import fcntl
    import pty
    import struct
    import termios

    pid, fd = pty.fork()
    if pid == 0:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        os.environ.update(XDG_STATE_HOME=str(state), TERM="xterm-256color", LANG="C.UTF-8")
        os.execv(sys.executable, [sys.executable, "-m", "bsbench", "play", *arguments])
    terminal = Terminal(fd, pid)
    try:
        yield terminal
    finally:
        # Nothing is left behind, whatever failed.
        try:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass
        os.close(fd)


@pytest.mark.skipif(sys.platform != "linux", reason="the state folder is set as on Linux")
def test_a_terminal_takes_arrows_and_enter_and_ctrl_c_keeps_the_game(tmp_path):
    saved = tmp_path / "bsbench" / "game.json"
    with _terminal(tmp_path, *SMALL.split()) as terminal:
        # The cursor is in the middle, C3.
        assert f"[{SYMBOLS[0]}]" in terminal.wait_for("1> ")
        terminal.press("\r")
        terminal.wait_for("1. C3")
        terminal.wait_for("2> ")
        # From the corner.
        terminal.press(UP * 5 + LEFT * 9 + DOWN * 2 + UP + RIGHT * 2 + LEFT * 2 + "\r")
        terminal.wait_for("2. B1")
        terminal.press("e5")
        terminal.wait_for("3> e5")
        terminal.press("\x7f4\r")
        terminal.wait_for("3. E4")
        # An enter that ends the question is no shot.
        terminal.press("?\r")
        terminal.wait_for("datagenetics")
        terminal.wait_for("4> ")
        terminal.press("\x03")
        terminal.wait_for("3 shots")
        assert terminal.end() == 130
    game = HumanGame.load(saved)
    assert [cell_name(move.cell, 5) for move in game.moves] == ["C3", "B1", "E4"]
    assert game.hints == 1


# Both sides.

FLEETS = [
    Rules(3, 4, (3, 2), touching=True),
    Rules(4, 3, (2, 1, 2), touching="corners"),
    Rules(4, 3, (2, 1, 2), touching=False),
]


@pytest.mark.parametrize("rules", FLEETS, ids=["touching", "corners", "apart"])
def test_a_ship_may_lie_where_a_layout_has_it(rules):
    layouts = set(naive.all_layouts(rules))
    cells = [cell_name(cell, rules.cols) for cell in range(rules.cells)]
    for laid in range(len(rules.fleet)):
        before = sorted({layout[:laid] for layout in layouts})[::7]
        for ships in before:
            for way, step in (("E", 1), ("s", rules.cols)):
                for first, name in enumerate(cells):
                    hiding = Hiding(rules)
                    hiding.laid += [slot_code(ship) for ship in ships]
                    ship = tuple(range(first, first + step * hiding.length, step))
                    # A ship that leaves the board at the right has such cells, too.
                    beyond = step == 1 and first % rules.cols + hiding.length > rules.cols
                    after = (*ships, ship)
                    legal = any(layout[: laid + 1] == after for layout in layouts) and not beyond
                    try:
                        hiding.lay(f" {name} {way}")
                    except BsbenchError:
                        assert not legal
                    else:
                        assert legal
                        assert hiding.laid[-1] == slot_code(ship)


@pytest.mark.parametrize("text", ["", "B7 X", "7 E", "B7 E S", "Z9 E"])
def test_what_is_no_place_is_told(text):
    hiding = Hiding(POND.rules)
    with refused():
        hiding.lay(text)
    assert hiding.laid == []


def test_a_person_hides_and_shoots(path, in_folder):
    hidden = ["random", "quit"]
    assert _play(f"{SMALL} --both --versus linear", *hidden).exit_code == 0
    assert len(HumanGame.load(path).fleet) == 2
    hidden = ["b1 e", "b1 s", "back", "a1 e", "c1 e"]
    result = _play(f"{SMALL} --both --versus linear --new", *hidden, "e5", "quit")
    assert result.exit_code == 0, result.output
    # The fleet of the next game, at which `linear` would shoot otherwise, is another one.
    assert "linear: A1 hit" in result.output
    game = HumanGame.load(path)
    assert str(game.their_board()).count(HIDDEN) == 4
    ships = [*itertools.chain(*game._ships)]
    assert game.fleet == [0, 20]
    result = _play("--resume -o both.html", *(cell_name(cell, 5) for cell in ships))
    assert result.exit_code == 0, result.output
    assert not path.exists()
    page = Path("both.html").read_text()
    assert '"label": "you"' in page
    assert '"label": "linear"' in page
    theirs = game._theirs
    assert [move.cell for move in theirs] == [*range(12)]


@pytest.mark.parametrize("typed", [[], ["a1 e", "quit"]])
def test_who_hides_no_fleet_plays_no_game(path, typed):
    assert _play(f"{SMALL} --both", *typed).exit_code == 0
    assert not path.exists()


@pytest.mark.parametrize("fleet", [[0], [0, 0], [0, 8], "ab", [0, True], [-1, 20]])
def test_a_damaged_fleet_is_refused(path, fleet):
    _play(f"{SMALL} --both --versus linear", "a1 e", "c1 e", "quit")
    record = json.loads(path.read_text())
    assert record["fleet"] == [0, 20]
    path.write_text(json.dumps(record | {"fleet": fleet}))
    assert_refused(_play("--resume"), str(path))
