"""``bsbench play``: a person against a hidden layout, in the terminal."""

from __future__ import annotations

import os
import secrets
import shlex
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from bsbench.cli.completion import STRATEGY
from bsbench.cli.ending import end_interrupted, uninterrupted
from bsbench.cli.group import Keeps, Section, in_section
from bsbench.cli.options import (
    GroupedCommand,
    check_page,
    output_option,
    part_options,
    read_told,
    scenario_option,
    trust_option,
)
from bsbench.cli.waiting import status
from bsbench.common.errors import BsbenchError

if TYPE_CHECKING:
    from rich.console import Console

    from bsbench.present.human import HumanGame
    from bsbench.rules.scenario import Parts

_SAVED_EXISTS = "there is a saved game: continue it with --resume, or discard it with --new"


@in_section(Section.PLAY, Keeps.GAME)
@click.command("play", cls=GroupedCommand)
@scenario_option("classic")
@part_options
@click.option("--seed", type=int, help="Seed of the layout.  [default: random]")
@click.option("--game", type=int, help="Number of the game under the seed.  [default: 0]")
@click.option(
    "--from",
    "begun",
    metavar="POSITION",
    help="Go on from a position: 'classic: B7=hit C7=miss', or a file with answers or a board.",
)
@click.option("--versus", type=STRATEGY, help="Play against a strategy, in turns on two boards.")
@click.option(
    "--both",
    is_flag=True,
    help="Hide a fleet yourself, too, at which the strategy of --versus shoots.  "
    "[default of --versus: that of --hints]",
)
@click.option(
    "--hints",
    metavar="STRATEGY",
    help="Strategy that gives hints.  [default: datagenetics; prob under feedback hit]",
)
@click.option("--resume", is_flag=True, help="Continue the saved game.")
@trust_option
@click.option("--new", is_flag=True, help="Discard the saved game and begin another one.")
@click.option(
    "--typed", is_flag=True, help="Read a line for each shot: no arrow keys, no redrawing."
)
@output_option(
    "HTML page to write at the end: your game beside that of the strategy that gives hints."
)
# One parameter for each option, since click passes them by name.
def play_command(
    scenario: str | None,
    seed: int | None,
    game: int | None,
    begun: str | None,
    versus: str | None,
    both: bool,
    hints: str | None,
    resume: bool,
    trust: bool,
    new: bool,
    typed: bool,
    output: str | None,
    **parts: Unpack[Parts],
) -> None:
    """Find a hidden fleet yourself, in the terminal.

    At the end you see how many games of the strategies you beat. Fire by the name of a cell, such
    as B7, or by arrows and enter. '?' gives a hint: where a strategy would shoot, and its scores. A
    shot can't be taken back. A game that you leave with 'quit', Ctrl-C or the end of the input is
    saved; the next 'bsbench play' offers to continue it.

    \b
    Examples:
      bsbench play
      bsbench play --scenario harbour --hints prob
      bsbench play --versus datagenetics
      bsbench play --from 'classic: E5=hit:5 E6=miss'
      bsbench play --both -o both.html              # you hide, too
      bsbench play --seed 7 --game 3 -o mine.html   # as game 3 of a run
    """
    named: dict[str, object] = {
        "scenario": scenario,
        "seed": seed,
        "game": game,
        "from": begun,
        "versus": versus,
        "hints": hints,
    }
    named["both"] = both or None
    given = [f"--{name}" for name, value in {**named, **parts}.items() if value is not None]
    if resume and (new or given):
        other = "--new" if new else ", ".join(given)
        raise BsbenchError(f"--resume continues the saved game as it is: leave out {other}")
    path = saved_game_path()
    is_saved = os.path.exists(path)
    if is_saved and not (resume or new) and (given or not sys.stdin.isatty()):
        raise BsbenchError(_SAVED_EXISTS)
    if output is not None:
        check_page(output, "a replay")
        from bsbench.common.files import check_export

        # Before the game, since it may take an hour.
        check_export(output)
    from bsbench.rules.scenario import DEFAULT, find_scenario, parse_parts

    # A wrong scenario is reported before numba is loaded, which takes a second.
    base = find_scenario(DEFAULT if scenario is None else scenario)
    where = base.override(**parse_parts(parts))
    position = None
    if begun is not None:
        position = read_told([begun], where)
        where = position.scenario

    from rich.console import Console

    from bsbench.present.human import HumanGame
    from bsbench.present.human_screen import Screen, hidden_fleet

    playing, console = None, Console(highlight=False, markup=False)
    if resume or (is_saved and not new):
        try:
            playing = HumanGame.load(path, trust)
        except BsbenchError as error:
            if not is_saved:
                raise
            raise BsbenchError(f"{error}; --new begins another game") from None
        if not (resume or _wants_to_continue(playing)):
            playing = None
    if playing is None:
        # Any seed will do: nobody knows its layout.
        seed = secrets.randbelow(2**32) if seed is None else seed
        begin = partial(HumanGame, where, seed, game or 0, adviser=hints, begun=position)
        playing = begin(versus=versus)
        if both:
            try:
                fleet = hidden_fleet(where, console)
            except KeyboardInterrupt:
                console.print("\nNo fleet is hidden: there is nothing to save.")
                end_interrupted()
            if fleet is None:
                console.print("No fleet is hidden: there is nothing to save.")
                return
            versus = versus or playing.adviser
            playing = begin(versus=versus, fleet=fleet)
    interrupted = False
    try:
        Screen(playing, path, console).play(typed)
    except KeyboardInterrupt:
        interrupted = True
    if playing.over:
        with suppress(OSError):
            path.unlink()
        _print_end(playing, console)
        _print_placings(playing, console)
        if output is not None:
            from bsbench.present.replaying import save_page
            from bsbench.present.replaying.analysis import analysed

            save_page(analysed(playing.replays()), output)
            console.print(f"saved {output}")
        return
    # Once more, since Ctrl-C may have come between a shot and its being saved.
    with uninterrupted():
        playing.save(path)
    how = "bsbench play --resume" + (" --trust" if playing.own_code else "")
    console.print(f"\nSaved after {playing.shots_text}: continue with '{how}'.")
    if interrupted:
        end_interrupted()


def saved_game_path() -> Path:
    """Return where an unfinished game is saved: a file in the user's state folder."""
    import platformdirs

    return platformdirs.user_state_path("bsbench") / "game.json"


def _wants_to_continue(game: HumanGame) -> bool:
    """Ask whether to continue a saved game."""
    click.echo(f"A game on {game.scenario.name} was saved after {game.shots_text}.")
    try:
        return click.confirm("Continue it? (no discards it)", default=True)
    except click.Abort:
        raise BsbenchError(_SAVED_EXISTS) from None


def _print_end(game: HumanGame, console: Console) -> None:
    """Print how the game went."""
    console.print(f"\nAll ships are sunk after {game.shots_text}.")
    if game.hints:
        console.print(f"You took {game.hints} hint{'s' * (game.hints > 1)}.")
    if game.lost:
        console.print(f"{game.opponent} wins: it took {game.their_count}.")
    elif game.versus is not None and game.their_count == game.turns:
        console.print(f"{game.opponent} took as many: a draw.")
    elif game.versus is not None:
        console.print(f"You win: {game.opponent} would have taken {game.their_count}.")


def _print_placings(game: HumanGame, console: Console) -> None:
    """Print how a game compares with those of the strategies; Ctrl-C skips the rest of them."""
    from bsbench.present.replaying.page import percent_text
    from bsbench.present.terminal import print_table
    from bsbench.rules.scenario import scenario_options

    found = []
    with status(quiet=False) as show, suppress(KeyboardInterrupt):
        for placing in game.placings(
            progress=lambda name: show(f"{name} plays … (Ctrl-C skips the rest)")
        ):
            found.append(placing)
    if not found:
        return
    found.sort(key=lambda placing: placing.standing.mean)
    percent = partial(percent_text, digits=4)
    named = next((each for each in found if each.strategy == game.adviser), found[0])
    console.print(
        f"Better than {percent(named.standing.longer)} of {named.strategy} games; "
        f"{percent(named.standing.tied)} took as many {game.scenario.rules.counted}.\n"
    )
    columns = {
        "strategy": [each.strategy for each in found],
        f"mean {game.scenario.rules.counted}": [f"{each.standing.mean:.1f}" for each in found],
        "you beat": [percent(each.standing.longer) for each in found],
        "as many": [percent(each.standing.tied) for each in found],
        "on this layout": [str(each.here) for each in found],
    }
    print_table(console, columns)
    where = ["-s", named.strategy, *scenario_options(game.scenario)]
    which = ["--seed", str(game.seed), "--game", str(game.game), "-o", "replay.html"]
    if game.begun is not None:
        where, which = [str(game.begun)], ["-s", named.strategy]
    console.print(
        f"{found[0].standing.games:,} games each. See how it plays: "
        f"{shlex.join(['bsbench', 'replay', *where, *which])}",
        style="dim",
        soft_wrap=True,
    )
