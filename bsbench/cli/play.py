"""``bsbench play``: a person against a hidden layout, in the terminal."""

from __future__ import annotations

import os
import re
import secrets
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bsbench.cli.playing import status, uninterrupted
from bsbench.errors import BsbenchError

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from bsbench.drawing import BoardView
    from bsbench.game import Move
    from bsbench.human import Hint, HumanGame

_SPARE = 4
"""Lines of the screen that are kept free: what was said before, and long sentences."""

_WIDTH = 4
"""Columns of a cell."""

_APART = 4
"""Columns between two boards."""

_STEPS = {"A": (-1, 0), "B": (1, 0), "C": (0, 1), "D": (0, -1)}
"""What arrows do to row and column, by the last letter of what terminals send."""

_WINDOWS_ARROWS = {"H": "A", "P": "B", "M": "C", "K": "D"}

_KEY = re.compile(r"\x1b[\[O][0-9;]*[A-Za-z~]|[\x00\xe0][HPKM]|.", re.DOTALL)

_HELP = "Arrows and enter fire, or type B7; ? is a hint; quit or Ctrl-C keeps the game."
_TYPED_HELP = "Type B7 to fire there, ? for a hint, quit to keep the game for later."


@click.command("play")
@click.option(
    "--scenario",
    metavar="NAME|FILE",
    help="Rules and placement law: a name, or a TOML file.  [default: classic]",
)
@click.option("--placement", metavar="LAW", help="Placement law in place of the scenario's.")
@click.option("--board", metavar="RxC", help="Board in its place, such as 8x8.")
@click.option("--fleet", metavar="LENGTHS", help="Fleet in its place, such as 5,4,3,3,2.")
@click.option("--touching/--no-touching", default=None, help="Whether ships may touch.")
@click.option("--feedback", metavar="KIND", help="Feedback in its place: hit, sunk or ship.")
@click.option("--seed", type=int, help="Seed of the layout.  [default: by chance]")
@click.option("--game", type=int, help="Number of the game under the seed.  [default: 0]")
@click.option("--versus", metavar="STRATEGY", help="Play in turn with a strategy, on two boards.")
@click.option(
    "--hints",
    metavar="STRATEGY",
    help="Who gives hints.  [default: datagenetics; prob where sinking is not told]",
)
@click.option("--resume", is_flag=True, help="Go on with the game that was saved.")
@click.option("--new", "anew", is_flag=True, help="Give the game that was saved up.")
@click.option("--typed", is_flag=True, help="Read lines, and draw nothing over: without arrows.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="HTML page to write at the end: your game beside that of who gives hints.",
)
def play_command(
    scenario: str | None,
    seed: int | None,
    game: int | None,
    versus: str | None,
    hints: str | None,
    resume: bool,
    anew: bool,
    typed: bool,
    output: str | None,
    **changes: Any,
) -> None:
    """Find a hidden fleet yourself, and see how many games of the strategies you beat.

    Fire by the name of a cell, such as B7, or by arrows and enter. '?' is a hint: where a strategy
    would shoot, and its scores. Nothing is taken back. What is left with 'quit', Ctrl-C or the end
    of the input is saved, and offered the next time.

    \b
    Examples:
      bsbench play
      bsbench play --scenario harbour --hints prob
      bsbench play --versus datagenetics
      bsbench play --seed 7 --game 3 -o mine.html     # the layout of game 3 of a run under seed 7
    """
    named = {"scenario": scenario, "seed": seed, "game": game, "versus": versus, "hints": hints}
    said = [f"--{name}" for name, value in {**named, **changes}.items() if value is not None]
    if resume and (anew or said):
        other = "--new" if anew else ", ".join(said)
        raise BsbenchError(f"--resume goes on with the saved game as it is: leave out {other}")
    path = saved_game_path()
    is_saved = os.path.exists(path)
    if is_saved and not (resume or anew) and (said or not sys.stdin.isatty()):
        raise BsbenchError("there is a saved game: go on with --resume, or give it up with --new")
    if output is not None:
        if Path(output).suffix.lower() not in (".html", ".htm"):
            raise BsbenchError(f"a replay is written as HTML: end {output!r} in .html")
        from bsbench.files import check_export

        # Rather than when the game is over.
        check_export(output)
    playing = None
    if resume or (is_saved and not anew):
        playing = _saved(path, resume)
    if playing is None:
        playing = _begun(scenario, changes, seed, game, versus, hints)
    _Table(playing, path).play(typed, output)


def saved_game_path() -> Path:
    """Return where a game is kept that was left: a file in the user's state folder."""
    import platformdirs

    return platformdirs.user_state_path("bsbench") / "game.json"


def _saved(path: Path, resume: bool) -> HumanGame | None:
    """Return the saved game, or None if it is given up."""
    from bsbench.human import HumanGame

    playing = HumanGame.load(path)
    if not resume:
        what = f"A game on {playing.scenario.name} was left after {_count(len(playing.moves))}."
        click.echo(what)
        try:
            if not click.confirm("Go on with it? (no gives it up)", default=True):
                return None
        except click.Abort:
            raise BsbenchError(
                "there is a saved game: go on with --resume, or give it up with --new"
            ) from None
    return playing


def _begun(
    scenario: str | None,
    changes: dict[str, Any],
    seed: int | None,
    game: int | None,
    versus: str | None,
    hints: str | None,
) -> HumanGame:
    from bsbench.scenario import DEFAULT, find_scenario, parse_parts

    # A wrong scenario is told before the wait for numba.
    where = find_scenario(scenario or DEFAULT).override(**parse_parts(changes))

    from bsbench.human import HumanGame

    # Any seed is as good: nobody knows the layout of this one.
    by_chance = secrets.randbelow(2**32) if seed is None else seed
    return HumanGame(where, by_chance, game or 0, adviser=hints, versus=versus)


class _Table:
    """Where a person sits: it shows the boards, and asks for shots.

    Parameters
    ----------
    game : HumanGame
    path : Path
        Where it is saved after every shot.
    """

    def __init__(self, game: HumanGame, path: Path) -> None:
        from rich.console import Console

        self._game = game
        self._path = path
        self._console = Console(highlight=False)
        rules = game.scenario.rules
        self._cursor = rules.rows // 2 * rules.cols + rules.cols // 2
        self._hint: Hint | None = None
        self._said = ""
        self._typed = ""

    def play(self, typed: bool, output: str | None) -> None:
        """Play until the game is over or left; at its end, write the page if one is wanted."""
        game, console = self._game, self._console
        rules = game.scenario.rules
        keys = console.is_terminal and sys.stdin.isatty() and not typed and self._fits()
        touching = "may" if rules.touching else "may not"
        console.print(
            f"{game.scenario.name}: {rules.board} board, fleet {rules.fleet_text}; "
            f"ships {touching} touch.\n{_HELP if keys else _TYPED_HELP}\n",
            markup=False,
        )
        self._save()
        if self._said:
            console.print(self._said, markup=False)
        interrupted = False
        try:
            if keys:
                self._play_by_keys()
            else:
                self._play_by_lines()
        except KeyboardInterrupt:
            interrupted = True
        except (EOFError, OSError):
            # The end of the input, or a terminal that is gone.
            pass
        if game.over:
            with suppress(OSError):
                self._path.unlink()
            self._end()
            if output is not None:
                self._write(output)
            return
        # Once more, as Ctrl-C may have come between a shot and its being saved.
        with uninterrupted():
            game.save(self._path)
        shots = _count(len(game.moves))
        console.print(f"\nSaved after {shots}: 'bsbench play --resume' goes on.", markup=False)
        if interrupted:
            sys.exit(130)

    def _fits(self) -> bool:
        """Tell whether there is room for drawing the boards in place."""
        console = self._console
        lines = len(console.render_lines(self._screen(), pad=False))
        return lines + _SPARE <= console.height and self._board_width <= console.width

    @property
    def _board_width(self) -> int:
        from bsbench.drawing import row_name

        rules = self._game.scenario.rules
        return len(row_name(rules.rows - 1)) + 1 + _WIDTH * rules.cols

    def _play_by_lines(self) -> None:
        """Read a line for each shot."""
        self._console.print(self._boards())
        while not self._game.over:
            self._console.print(f"\n{len(self._game.moves) + 1}> ", end="", markup=False)
            # `input` would print its prompt past the console.
            line = sys.stdin.readline()
            if not line:
                raise EOFError
            if not sys.stdin.isatty():
                # So that what was asked stands in the record, too.
                self._console.print(line.rstrip("\n"), markup=False)
            fired = len(self._game.moves)
            if not self._obey(line.strip()):
                return
            self._console.print(self._said, markup=False)
            if len(self._game.moves) > fired or line.strip() == "?":
                self._console.print(self._boards())

    def _play_by_keys(self) -> None:
        """Read keys, and draw the boards in place."""
        from rich.live import Live

        with (
            _keys() as read,
            Live(self._screen(), console=self._console, auto_refresh=False) as live,
        ):
            going_on = True
            while going_on and not self._game.over:
                pressed = read()
                if not pressed:
                    raise EOFError
                for key in _KEY.findall(pressed):
                    going_on = self._press(key)
                    if not going_on or self._game.over:
                        break
                live.update(self._screen(), refresh=True)

    def _press(self, key: str) -> bool:
        """Do what a key says; return whether to go on."""
        rules = self._game.scenario.rules
        if key == "\x04":
            raise EOFError
        if key == "\x03":
            raise KeyboardInterrupt
        if len(key) > 1:
            arrow = _WINDOWS_ARROWS.get(key[-1]) if key[0] in "\x00\xe0" else key[-1]
            if arrow in _STEPS:
                down, right = _STEPS[arrow]
                row, col = divmod(self._cursor, rules.cols)
                row = min(max(row + down, 0), rules.rows - 1)
                self._cursor = row * rules.cols + min(max(col + right, 0), rules.cols - 1)
                self._typed = ""
        elif key in "\r\n ":
            typed, self._typed = self._typed, ""
            from bsbench.drawing import cell_name

            return self._obey(typed or cell_name(self._cursor, rules.cols))
        elif key in "\x7f\b":
            self._typed = self._typed[:-1]
        elif key == "?":
            self._typed = ""
            return self._obey(key)
        elif key.isascii() and key.isalnum() and len(self._typed) < 8:
            self._typed += key
        return True

    def _obey(self, order: str) -> bool:
        """Do what is asked for; return whether to go on."""
        from bsbench.drawing import cell_name

        game = self._game
        self._said = ""
        if order.lower() in ("quit", "exit"):
            return False
        try:
            if order == "?":
                self._hint = hint = game.hint()
                cell = cell_name(hint.cell, game.scenario.rules.cols)
                self._said = f"{hint.strategy} would shoot {cell}" + (
                    ", from a list." if hint.scores is None else "; the numbers are % of its score."
                )
                self._save()
                return True
            if order in ("", "help"):
                self._said = _TYPED_HELP
                return True
            cell_shot = game.read_cell(order)
            self._cursor = cell_shot
            self._said = self._told(game.fire(cell_shot))
            self._hint = None
            self._save()
        except BsbenchError as error:
            self._said = str(error)
        return True

    def _told(self, move: Move) -> str:
        """Return what a shot did, and the opponent's answer."""
        game = self._game
        said = f"{len(game.moves)}. {_move_said(game, move)}"
        if game.versus is None:
            return said
        theirs = game.their_moves
        if len(theirs) == len(game.moves):
            said += f"   {game.opponent}: {_move_said(game, theirs[-1])}"
        if game.lost and not game.over:
            said += f"   {game.opponent} has found your fleet in {len(theirs)} moves."
        return said

    def _save(self) -> None:
        if self._game.over:
            return
        try:
            self._game.save(self._path)
        except BsbenchError as error:
            self._said += f" (What follows is not saved: {error}.)"

    def _screen(self) -> RenderableType:
        from rich.console import Group
        from rich.text import Text

        prompt = f"{len(self._game.moves) + 1}> {self._typed}" if not self._game.over else ""
        return Group(self._boards(self._cursor), Text(self._said), Text(prompt))

    def _boards(self, cursor: int | None = None) -> RenderableType:
        """Return the boards, beside each other where there is room."""
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        game = self._game
        scores = self._hint.scores if self._hint else None
        own = game.board(scores=scores)
        advised = self._hint.cell if self._hint else None
        shown = _board(own, cursor, advised)
        if game.versus is None:
            return shown
        theirs = _board(game.their_board(), None, None)
        titles = [
            f"Yours, after {_count(len(game.moves))}",
            f"{game.opponent} shoots at your fleet",
        ]
        if 2 * self._board_width + _APART > self._console.width:
            return Group(Text(titles[0]), shown, Text(titles[1]), theirs)
        table = Table.grid(padding=(0, _APART, 0, 0))
        table.add_row(*(Text(title, style="bold") for title in titles))
        table.add_row(shown, theirs)
        return table

    def _end(self) -> None:
        """Tell how it went, and how the strategies fare."""
        game, console = self._game, self._console
        moves = len(game.moves)
        console.print(f"\nAll ships are sunk after {_count(moves)}.", markup=False)
        if game.hints:
            console.print(f"You took {game.hints} hint{'s' * (game.hints > 1)}.")
        if game.versus is not None:
            told = (
                f"{game.opponent} wins: it took {len(game.their_moves)}."
                if game.lost
                else f"{game.opponent} took as many: a draw."
                if game.their_count == moves
                else f"You win: {game.opponent} would have taken {game.their_count}."
            )
            console.print(told, markup=False)
        _print_placings(game, console)

    def _write(self, output: str) -> None:
        """Write the game as a page, beside that of the adviser."""
        from bsbench.replaying import save_page

        save_page(self._game.replays(), output)
        self._console.print(f"saved {output}", markup=False)


def _print_placings(game: HumanGame, console: Console) -> None:
    """Print where a game stands among those of the strategies; Ctrl-C is enough of it."""
    from rich import box
    from rich.table import Table

    from bsbench.scenario import scenario_options

    found = []
    with status(quiet=False) as tell, suppress(KeyboardInterrupt):
        for name, placing in game.placings():
            if placing is not None:
                found.append(placing)
            if name:
                tell(f"{name} plays … (Ctrl-C is enough of it)")
    if not found:
        return
    found.sort(key=lambda placing: placing.mean)
    named = next((each for each in found if each.strategy == game.adviser), found[0])
    console.print(
        f"Better than {_percent(named.beaten)} of {named.strategy} games; "
        f"{_percent(named.tied)} took as many moves.\n",
        markup=False,
    )
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column("strategy")
    for column in ("mean moves", "you beat", "as many", "on this layout"):
        table.add_column(column, justify="right")
    for placing in found:
        table.add_row(
            placing.strategy,
            f"{placing.mean:.1f}",
            _percent(placing.beaten),
            _percent(placing.tied),
            str(placing.here),
        )
    console.print(table)
    where = ["-s", named.strategy, *scenario_options(game.scenario)]
    which = ["--seed", str(game.seed), "--game", str(game.game), "-o", "replay.html"]
    console.print(
        f"{found[0].games:,} games each. How it is done: "
        f"{shlex.join(['bsbench', 'replay', *where, *which])}",
        markup=False,
        style="dim",
        soft_wrap=True,
    )


def _percent(share: float) -> str:
    """Return a share in percent, never rounded to none or all."""
    percent = 100 * share
    return f"{percent:.0f} %" if 1 <= percent <= 99 else f"{percent:.4g} %"


_MARK_STYLES = ("", "bold", "bold black on dark_orange", "bold white on dark_red")


def _board(view: BoardView, cursor: int | None, advised: int | None) -> RenderableType:
    """Return a board in colours; scores stand in the cells that have one."""
    from rich.console import Group
    from rich.text import Text

    from bsbench.drawing import OPEN, heat_colour, row_name, shares_of, text_colour

    shares = [-1.0] * len(view.marks) if view.scores is None else shares_of(view.scores)
    beside = len(row_name(view.rows - 1))
    names = "".join(f" {col + 1:<3}" for col in range(view.cols))
    text = Text(f"{'':>{beside}} {names}\n", no_wrap=True)
    for row in range(view.rows):
        text.append(f"{row_name(row):>{beside}} ")
        for cell in range(row * view.cols, (row + 1) * view.cols):
            style, shown = _MARK_STYLES[view.marks[cell]], view.symbol(cell)
            if shares[cell] >= 0 and view.marks[cell] == OPEN:
                ground, shown = heat_colour(shares[cell]), f"{100 * shares[cell]:.0f}"
                style = f"{text_colour(ground)} on {ground}"
            if cell == advised:
                style += " bold underline"
            around = "[]" if cell == cursor else "<>" if cell == advised else "  "
            if len(shown) < _WIDTH - 1:
                shown = f"{around[0]}{shown}{around[1]}"
            # Three digits leave no room for brackets.
            text.append(f"{shown:<{_WIDTH}}", f"{style} reverse" if cell == cursor else style)
        if row < view.rows - 1:
            text.append("\n")
    return Group(text, Text(view.status))


@contextmanager
def _keys() -> Iterator[Callable[[], str]]:
    """Yield what reads the keys pressed since, as terminals send them; empty at the end."""
    try:
        import termios
        import tty
    except ImportError:
        # Windows.
        yield click.getchar
        return
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    # For the whole game, where click.getchar would drop what is typed between two calls.
    tty.setcbreak(terminal, termios.TCSADRAIN)
    try:
        yield lambda: os.read(terminal, 64).decode(errors="replace")
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def _move_said(game: HumanGame, move: Move) -> str:
    """Return cell and outcome of a move, such as ``B7 hit, ship of 3``."""
    from bsbench.drawing import cell_name
    from bsbench.rules import MISS

    rules = game.scenario.rules
    name = cell_name(move.cell, rules.cols)
    if move.outcome == MISS:
        return f"{name} miss"
    if move.ship is None:
        return f"{name} hit"
    return f"{name} {'sunk' if move.sunk else 'hit'}, ship of {rules.fleet[move.ship]}"


def _count(shots: int) -> str:
    return "1 shot" if shots == 1 else f"{shots} shots"
