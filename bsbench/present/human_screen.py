"""A person's game on a terminal: the boards in colours, and shots by keys or by lines."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from bsbench.common.errors import BsbenchError
from bsbench.play.advice import Hint
from bsbench.play.game import Move
from bsbench.present.boards import WIDTH, coloured_board
from bsbench.present.human import Hiding, HumanGame
from bsbench.rules.board import MISS, SUNK
from bsbench.rules.drawing import BoardView, cell_name, hits_text, row_name
from bsbench.rules.scenario import Scenario

_SPARE = 4
"""Lines of the screen that stay free: for earlier output, and for long sentences."""

_APART = 4
"""Columns between two boards."""

_STEPS = {"A": (-1, 0), "B": (1, 0), "C": (0, 1), "D": (0, -1)}
"""What arrows do to row and column, by the last letter that terminals send."""

_WINDOWS_ARROWS = {"H": "A", "P": "B", "M": "C", "K": "D"}

_KEY = re.compile(r"\x1b[\[O][0-9;]*[A-Za-z~]|[\x00\xe0][HPKM]|.", re.DOTALL)

_HELP = "Arrows and enter fire, or type B7; ? gives a hint; quit or Ctrl-C saves the game."
_TYPED_HELP = "Type B7 to fire there, ? for a hint, quit to save the game for later."
_SALVO_HELP = "A turn is answered when all its cells are chosen; on the board, ? is not clear yet."


class Screen:
    """Shows the boards of a game, and asks for shots.

    Parameters
    ----------
    game : HumanGame
    path : Path
        Where the game is saved after every shot.
    console : Console
    """

    def __init__(self, game: HumanGame, path: Path, console: Console) -> None:
        self._game = game
        self._path = path
        self._console = console
        self._rules = rules = game.scenario.rules
        self._board_width = len(row_name(rules.rows - 1)) + 1 + WIDTH * rules.cols
        self._cursor = rules.rows // 2 * rules.cols + rules.cols // 2
        self._hint: Hint | None = None
        self._message = ""
        self._typed = ""
        self._before = ""

    def play(self, typed: bool) -> None:
        """Play until the game is over, the person quits, or the input ends.

        Parameters
        ----------
        typed : bool
            Whether shots are typed on lines even where the terminal has keys.

        Raises
        ------
        KeyboardInterrupt
            If interrupted.
        """
        rules, console = self._rules, self._console
        keys = console.is_terminal and sys.stdin.isatty() and not typed and self._fits()
        console.print(
            f"{self._game.scenario.name}: {rules.board} board, fleet {rules.fleet_text}; "
            f"ships {rules.apart.sentence}{rules.turn_text and f'; {rules.turn_text}'}.\n"
            f"{_HELP if keys else _TYPED_HELP}\n{f'{_SALVO_HELP}{chr(10)}' if rules.salvos else ''}"
        )
        self._save()
        if self._message:
            console.print(self._message)
        try:
            if keys:
                self._play_by_keys()
            else:
                self._play_by_lines()
        except (EOFError, OSError):
            # The end of the input, or a terminal that is gone.
            pass

    def _fits(self) -> bool:
        """Return whether there is room for drawing the boards in place."""
        console = self._console
        lines = len(console.render_lines(self._picture(), pad=False))
        return lines + _SPARE <= console.height and self._board_width <= console.width

    def _play_by_lines(self) -> None:
        """Read a line for each shot."""
        console, moves = self._console, self._game.moves
        console.print(self._boards())
        while not self._game.over:
            console.print(f"\n{self._prompt}", end="")
            # `input` would print its prompt past the console.
            line = sys.stdin.readline()
            if not line:
                raise EOFError
            if not sys.stdin.isatty():
                # So that a recorded game shows what was typed.
                console.print(line.rstrip("\n"))
            fired = len(moves)
            if not self._obey(line.strip()):
                return
            if self._message:
                console.print(self._message)
            if len(moves) > fired or line.strip() == "?":
                console.print(self._boards())

    def _play_by_keys(self) -> None:
        """Read keys, and draw the boards in place."""
        with (
            _keys() as read,
            Live(self._picture(), console=self._console, auto_refresh=False) as live,
        ):
            continues = True
            while continues and not self._game.over:
                pressed = read()
                if not pressed:
                    raise EOFError
                for key in _KEY.findall(pressed):
                    continues = self._press(key)
                    if not continues or self._game.over:
                        break
                live.update(self._picture(), refresh=True)

    def _press(self, key: str) -> bool:
        """Handle a key; return whether to continue."""
        before, self._before = self._before, key
        if key == "\x04":
            raise EOFError
        if key == "\x03":
            raise KeyboardInterrupt
        if len(key) > 1:
            arrow = _WINDOWS_ARROWS.get(key[-1]) if key[0] in "\x00\xe0" else key[-1]
            if arrow in _STEPS:
                rules, (down, right) = self._rules, _STEPS[arrow]
                row, col = divmod(self._cursor, rules.cols)
                row = min(max(row + down, 0), rules.rows - 1)
                self._cursor = row * rules.cols + min(max(col + right, 0), rules.cols - 1)
                self._typed = ""
        elif key in "\r\n" and before == "?":
            # It ends the question, as where lines are read: a shot can't be taken back.
            pass
        elif key in "\r\n ":
            typed, self._typed = self._typed, ""
            return self._obey(typed or cell_name(self._cursor, self._rules.cols))
        elif key in "\x7f\b":
            self._typed = self._typed[:-1]
        elif key == "?":
            self._typed = ""
            return self._obey(key)
        elif key.isascii() and key.isalnum() and len(self._typed) < 8:
            self._typed += key
        return True

    def _obey(self, order: str) -> bool:
        """Handle what the person typed; return whether to continue."""
        self._message = ""
        if order.lower() in ("quit", "exit"):
            return False
        try:
            if order in ("", "help"):
                self._message = _TYPED_HELP
                return True
            if order == "?":
                self._hint = hint = self._game.hint()
                cells = " ".join(map(self._name, hint.turn))
                self._message = f"{hint.strategy} would shoot {cells}" + (
                    ", from a list." if hint.scores is None else "; the numbers are % of its score."
                )
            else:
                self._fire(order)
                self._hint = None
            self._save()
        except BsbenchError as error:
            self._message = str(error)
        return True

    def _fire(self, order: str) -> None:
        """Fire at a cell; in salvos, a line may have several."""
        names = re.split(r"[\s,+]+", order.strip()) if self._rules.salvos else [order]
        for name in names:
            self._cursor = cell = self._game.read_cell(name)
            if answered := self._game.fire(cell):
                self._message = self._turn_message(answered)

    def _name(self, cell: int) -> str:
        return cell_name(cell, self._rules.cols)

    @property
    def _prompt(self) -> str:
        """Which turn it is, in salvos also which shot of it."""
        game = self._game
        shot = f".{len(game.pending) + 1}" if self._rules.salvos else ""
        return f"{game.turns + 1}{shot}> "

    def _turn_message(self, turn: list[Move]) -> str:
        """Return the answer to a turn, and what the opponent did."""
        game = self._game
        message = f"{game.turns + game.again}. {self._turn_text(turn)}"
        if game.again:
            message += ": another shot"
        if theirs := game.their_turn:
            message += f"   {game.opponent}: {self._turn_text(theirs)}"
        if game.lost and not game.over:
            counted = "turns" if self._rules.turn_text else "moves"
            message += f"   {game.opponent} has found your fleet in {game.their_count} {counted}."
        return message

    def _turn_text(self, turn: Sequence[Move]) -> str:
        if self._rules.joint:
            cells = " ".join(self._name(move.cell) for move in turn)
            return f"{cells}: {hits_text(self._rules.fleet, turn[0].hits)}"
        return "; ".join(map(self._move_text, turn))

    def _move_text(self, move: Move) -> str:
        """Return cell and outcome of a move, such as ``B7 hit, ship of 3``."""
        name = self._name(move.cell)
        if move.outcome == MISS:
            return f"{name} miss"
        text = f"{name} {'sunk' if move.outcome == SUNK else 'hit'}"
        return text if move.ship is None else f"{text}, ship of {self._rules.fleet[move.ship]}"

    def _save(self) -> None:
        if self._game.over:
            return
        try:
            self._game.save(self._path)
        except BsbenchError as error:
            self._message += f" (The game is not saved from here on: {error}.)"

    def _picture(self) -> RenderableType:
        """Return all that is drawn in place."""
        prompt = f"{self._prompt}{self._typed}" if not self._game.over else ""
        return Group(self._boards(self._cursor), Text(self._message), Text(prompt))

    def _boards(self, cursor: int | None = None) -> RenderableType:
        """Return the boards, beside each other where there is room."""
        game, hint = self._game, self._hint
        own = game.board(scores=hint.scores if hint else None)
        shown = _board(own, cursor, hint.cell if hint else None)
        if game.versus is None:
            return shown
        theirs = _board(game.their_board())
        titles = [
            Text(f"Yours, after {game.shots_text}", style="bold"),
            Text(f"{game.opponent} shoots at your fleet", style="bold"),
        ]
        if 2 * self._board_width + _APART > self._console.width:
            return Group(titles[0], shown, titles[1], theirs)
        table = Table.grid(padding=(0, _APART, 0, 0))
        table.add_row(*titles)
        table.add_row(shown, theirs)
        return table


_HIDE_HELP = (
    "Hide your fleet: B7 E lays a ship from B7 to the right, B7 S down; back takes the last one "
    "back, random lays all ships at random, quit ends."
)


def hidden_fleet(scenario: Scenario, console: Console) -> list[int] | None:
    """Ask a person to hide a fleet, ship by ship; return the slot codes, or None after quit.

    Raises
    ------
    KeyboardInterrupt
        If interrupted.
    """
    rules, hiding = scenario.rules, Hiding(scenario.rules)
    console.print(f"{rules.board} board, fleet {rules.fleet_text}; ships {rules.apart.sentence}.")
    console.print(f"{_HIDE_HELP}\n")
    while not hiding.done:
        console.print(_board(hiding.board()))
        console.print(f"\nship of {hiding.length}> ", end="")
        line = sys.stdin.readline()
        order = line.strip().lower()
        if not sys.stdin.isatty():
            console.print(line.rstrip("\n"))
        if not line or order in ("quit", "exit"):
            return None
        try:
            if order == "back":
                hiding.take_back()
            elif order == "random":
                hiding.lay_all(scenario.placement)
            elif order in ("", "help", "?"):
                console.print(_HIDE_HELP)
            else:
                hiding.lay(line)
        except BsbenchError as error:
            console.print(str(error))
    console.print(_board(hiding.board()))
    return hiding.laid


def _board(view: BoardView, cursor: int | None = None, advised: int | None = None) -> Group:
    return Group(coloured_board(view, cursor, advised), Text(view.status))


@contextmanager
def _keys() -> Iterator[Callable[[], str]]:
    """Yield a function that returns the keys pressed since its last call; empty at the end."""
    try:
        import termios
        import tty
    except ImportError:
        # Windows.
        yield click.getchar
        return
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    # For the whole game, since click.getchar would drop keys pressed between two calls.
    tty.setcbreak(terminal, termios.TCSADRAIN)
    try:
        yield lambda: os.read(terminal, 64).decode(errors="replace")
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
