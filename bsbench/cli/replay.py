"""``bsbench replay``: one game of a run, move by move, as text or as a page to watch."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping
from functools import cache, partial
from itertools import count, zip_longest
from typing import TYPE_CHECKING, Any, Unpack

import click

from bsbench.cli.completion import RECORD
from bsbench.cli.group import Section, in_section
from bsbench.cli.options import (
    GroupedCommand,
    Rare,
    check_page,
    force_option,
    games_option,
    is_position,
    output_option,
    part_options,
    read_told,
    scenario_option,
    seed_option,
    strategies_option,
    timeout_option,
    trust_option,
)
from bsbench.cli.waiting import progress_bar
from bsbench.common.errors import BsbenchError
from bsbench.common.settings import check_game

if TYPE_CHECKING:
    from bsbench.play.game import Move
    from bsbench.present.replaying import Replay
    from bsbench.rules.board import Rules
    from bsbench.rules.scenario import Parts, Scenario
    from bsbench.runs.chances import CellChances
    from bsbench.runs.results import Result
    from bsbench.strategies import Strategy

_MOST_NEXT = 1000
"""Games after the first one on a page, at most."""

_MOST_EFFORT = 86_400
"""Effort for the odds of a page, at most."""


class _Game(click.types.IntParamType):
    """The number of a game; for a word that is another option, it names that option."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        if value in ("worst", "best"):
            raise BsbenchError(f"--game takes the number of a game: write --{value} in its place")
        return super().convert(value, param, ctx)


@in_section(Section.LOOK)
@click.command("replay", cls=GroupedCommand)
@click.argument("record", type=RECORD, required=False)
@strategies_option(
    "Strategy; parameters follow after commas. May be repeated: all play on the same layout."
)
@scenario_option("the first strategy's home, else classic")
@click.option(
    "--opinion",
    "opinions",
    cls=Rare,
    metavar="NAME",
    multiple=True,
    help="Strategy that says what it would have shot in each position; may be repeated.",
)
@seed_option("Seed of the run.", default=None)
@click.option("--game", type=_Game(), help="Number of the game in it, from 0.  [default: 0]")
@click.option(
    "--next",
    "following",
    cls=Rare,
    type=int,
    default=0,
    metavar="K",
    help=f"Put the next K games on the page, too, up to {_MOST_NEXT:,}.",
)
@click.option("--worst", is_flag=True, help="The longest game of the run; of several, the first.")
@click.option("--best", is_flag=True, help="The shortest game of the run; of several, the first.")
@games_option("Games of the run, for --worst and --best.", "100,000")
@part_options
@timeout_option("Time that a strategy of yours may spend on the game.", click.Option)
@click.option(
    "--odds",
    cls=Rare,
    type=float,
    metavar="EFFORT",
    default=4.0,
    show_default=True,
    help="Limit on counting odds, for all games of a player, in units of about a second; 0 "
    "leaves them out. What can't be counted with it is estimated, or missing.",
)
@trust_option
@output_option(
    "HTML page to write instead of text: the game as it unfolds, with heat maps; - is "
    "standard output."
)
@force_option
# One parameter for each option, since click passes them by name.
def replay_command(
    record: str | None,
    strategies: tuple[str, ...],
    opinions: tuple[str, ...],
    seed: int | None,
    game: int | None,
    following: int,
    worst: bool,
    best: bool,
    games: int | None,
    timeout: float,
    odds: float,
    trust: bool,
    output: str | None,
    force: bool,
    scenario: str | None,
    **parts: Unpack[Parts],
) -> None:
    """Show one game, move by move, as text or as a page.

    RECORD may also be a game that somebody played: a text such as 'classic: B7=hit:4 C7=miss', or a
    file with its shots and their answers in order, and maybe the layout behind |. For each shot,
    the exact odds are shown, and the best cell. With a layout, each --strategy plays it, too.

    A game is the same in every run of the same strategy, scenario and seed. Give these and the
    game's number, or RECORD, the saved JSON file of a run. A cell is named by the
    letter of its row and the number of its column. A record can't run code of its own choice: if
    its strategy is your own, name it with --strategy, too. What your own strategy prints is shown
    after |, before its move. If a strategy breaks the rules or crashes, its moves and the error
    are shown, and the exit code is 1.

    The page shows how likely each shot was to hit, and how much chance it lost to the most likely
    cell: from the exact odds, counted over all layouts, where the effort allows it.

    \b
    Examples:
      bsbench replay --strategy prob --game 17
      bsbench replay -s over9000 --opinion lattice --game 17 -o replay.html
      bsbench replay -s datagenetics -s prob --seed 7 --game 3 -o replay.html
      bsbench replay results/prob-harbour.json --worst -o worst.html
      bsbench replay game.txt -s prob -s lattice2
      bsbench replay -s my_file.py:Mine --scenario harbour --seed 3 --game 1204
    """
    if record is not None and is_position(record):
        said = {"seed": seed, "game": game, "worst": worst or None, "best": best or None}
        said |= {"next": following or None, "games": games}
        if named := [f"--{name}" for name, value in said.items() if value is not None]:
            raise BsbenchError(f"the text says which game it is: leave out {', '.join(named)}")
        _replay_text(record, strategies, opinions, scenario, parts, timeout, odds, output, force)
        return
    if record is None and not strategies:
        raise BsbenchError("no strategy is named: give --strategy NAME, or a record of a run")
    if sum([worst, best, game is not None]) > 1:
        raise BsbenchError("--game, --worst and --best each name a game: choose one of them")
    if games is not None and not (worst or best):
        raise BsbenchError("--games goes with --worst or --best: give one of these")
    if output is None and (opinions or following):
        raise BsbenchError("--opinion and --next are for a page: name one with -o FILE.html")
    if not 0 <= following <= _MOST_NEXT:
        raise BsbenchError(f"--next {following} games don't fit: give 0 to {_MOST_NEXT:,}")
    if not 0 <= odds <= _MOST_EFFORT:
        raise BsbenchError(f"the effort for odds can't be {odds:g}: give 0 to {_MOST_EFFORT:,}")
    if output and output != "-":
        check_page(output, "a replay")

    given = {"scenario": scenario, "seed": seed, "games": games, **parts}
    shooters, where, seed, run = _run_of(record, strategies, trust, timeout, given)
    if output and output != "-":
        from bsbench.common.files import check_export

        # Before anything that takes time.
        check_export(output, force)
    if worst or best:
        game = _extreme(shooters[0], where, seed, games, run, worst, timeout, output == "-")
    game = check_game(game or 0)
    check_game(game + following)
    replays = [
        _replay(shooter, where, seed, number, timeout, as_text=output is None)
        for number in range(game, game + following + 1)
        for shooter in shooters
    ]
    if output is not None:
        _write(_analysed(replays, opinions, run, timeout, odds, output == "-"), output, force)
    if any(again.fault for again in replays):
        sys.exit(1)


def _replay_text(
    text: str,
    names: tuple[str, ...],
    opinions: tuple[str, ...],
    scenario: str | None,
    parts: Parts,
    timeout: float,
    odds: float,
    output: str | None,
    force: bool,
) -> None:
    """Show a game that somebody played, and those of strategies on its layout."""
    from bsbench.present.replaying import played_on, replay_of
    from bsbench.present.replaying.page import facts_of
    from bsbench.runs.request import Request

    request = Request.of(scenario, timeout=timeout, **parts)
    position = read_told([text], request.scenarios_or(None)[0], ordered=True)
    if names and position.layout is None:
        raise BsbenchError(
            "strategies can't play a layout that is not known: write the ships behind |, such as "
            "| 3:A1-A3, or leave out --strategy"
        )
    if output is not None and output != "-":
        check_page(output, "a replay")
    who = os.path.basename(text) if os.path.isfile(text) else "the game"
    others = [request.single(name, "a replay")[0] for name in names]
    games = [replay_of(position, who), *(played_on(other, position) for other in others)]
    # As text, the others have no odds.
    found = _analysed(games if output else games[:1], opinions, None, timeout, odds, output == "-")
    if output is not None:
        _write(found, output, force)
        return
    (shown,) = found
    click.echo(f"{who} on {position.scenario.name}\n")
    for number, (move, chances) in enumerate(zip_longest(shown.moves, shown.chances), start=1):
        told = _chance_text(position.rules, move, chances)
        click.echo(f"{number:4}  {_move_text(position.rules, move):40}  {told}".rstrip())
    click.echo(f"\n{_final_board(shown)}")
    if any(shown.chances):
        click.echo(
            "%: chance to hit, best: the most likely cell, about: estimated, ± 95 % interval"
        )
    click.echo(" ".join(facts_of(shown)))
    for again in games[1:]:
        click.echo(f"{again.strategy} needs {again.length} on this layout")


def _chance_text(rules: Rules, move: Move, chances: CellChances | None) -> str:
    """Return how likely a shot was to hit, and which cell was the most likely."""
    from bsbench.rules.drawing import cell_name

    if chances is None:
        return ""
    best = chances.best
    text = f"{chances.cells[move.cell]:.1%}"
    if chances.samples:
        text = f"about {text} ± {chances.error(move.cell):.1%}"
    if not chances.is_clear:
        return text
    if chances.cells[move.cell] < chances.cells[best]:
        return f"{text}, best {cell_name(best, rules.cols)} {chances.cells[best]:.1%}"
    return f"{text}, the best"


def _run_of(
    record: str | None,
    names: tuple[str, ...],
    trust: bool,
    timeout: float,
    given: Mapping[str, Any],
) -> tuple[list[Strategy], Scenario, int, Result | None]:
    """Return strategies, scenario and seed, and the record of the run if there is one."""
    from bsbench.runs.request import Request

    if record is None:
        request = Request.of(**given, timeout=timeout)

        from bsbench.roster import make_variant

        shooters = [make_variant(each, request.limits) for each in names]
        (where,) = request.scenarios_or(shooters[0].home)
        return shooters, where, request.seed or 0, None
    said = [f"--{option}" for option, value in given.items() if value is not None]
    if said:
        raise BsbenchError(f"the record says which games were played: leave out {', '.join(said)}")

    from bsbench.roster import make_variant, strategy_names
    from bsbench.runs.contestants import strategy_of
    from bsbench.runs.finding import one_record
    from bsbench.runs.records import load_result

    if record in strategy_names():
        raise BsbenchError(f"{record} is a strategy, not a record: write --strategy {record}")
    run = load_result(one_record(record))
    limits = Request.of(timeout=timeout).limits
    own = strategy_of(run, names, trust, others=True, limits=limits)
    others = [
        other
        for name, other in zip(names, (make_variant(each, limits) for each in names), strict=True)
        # What only says where the strategy of the record is from plays no second time.
        if own.built_in or other.name != own.name or ("," in name and other.label != own.label)
    ]
    return [own, *others], run.scenario, run.seed, run


def _extreme(
    shooter: Strategy,
    where: Scenario,
    seed: int,
    games: int | None,
    run: Result | None,
    worst: bool,
    timeout: float,
    quiet: bool,
) -> int:
    """Return the longest or shortest game of the run, and print its number."""
    from bsbench.present.replaying.analysis import extreme_game

    label = shooter.label
    with progress_bar([label], games, quiet) as show:
        found = extreme_game(
            shooter,
            where,
            worst=worst,
            games=games,
            seed=seed,
            run=run,
            timeout=timeout,
            progress=show,
        )
    kind = "longest" if worst else "shortest"
    click.echo(
        f"the {kind} of {found.games:,} games of {label} is game {found.game}, with "
        f"{found.moves} {where.rules.counted}",
        err=quiet,
    )
    return found.game


def _replay(
    shooter: Strategy, where: Scenario, seed: int, game: int, timeout: float, as_text: bool
) -> Replay:
    """Play the game again, and print it if it is to be text."""
    from bsbench.common.texts import for_terminal
    from bsbench.present.replaying import replay
    from bsbench.rules.drawing import hits_text

    if not as_text:
        again = replay(shooter, where, seed=seed, game=game, timeout=timeout)
        _show_printed(again)
        return again
    numbers, turns = count(1), [0]

    @cache  # once, and not before it is known that the game can be played
    def head() -> None:
        click.echo(f"{shooter.label} on {where.name}, game {game} of seed {seed}\n")

    def show(move: Move) -> None:
        head()
        if move.insight.remark:
            hear(move.insight.remark)
        if where.rules.salvos and move.turn > turns[-1]:
            turns.append(move.turn)
            told = f": {hits_text(where.rules.fleet, move.hits)}" if where.rules.joint else ""
            click.echo(f"turn {move.turn}{told}")
        click.echo(f"{next(numbers):4}  {_move_text(where.rules, move)}")

    def hear(text: str) -> None:
        head()
        for line in text.rstrip().split("\n"):
            click.echo(for_terminal(f"      | {line}").rstrip())

    again = replay(
        shooter,
        where,
        seed=seed,
        game=game,
        timeout=timeout,
        scores=getattr(shooter, "remarks", False),
        watch=show,
        hear=hear,
    )
    head()
    click.echo(f"\n{_final_board(again)}\n")
    if again.fault is None:
        click.echo(f"over after {again.length}")
    else:
        click.echo(again.fault, err=True)
        # Under other laws, the odds would be those of other layouts.
        if where.placement.law == "uniform":
            click.echo(f"there: bsbench odds {shlex.quote(str(again.position))}", err=True)
    return again


def _analysed(
    replays: list[Replay],
    opinions: tuple[str, ...],
    run: Result | None,
    timeout: float,
    odds: float,
    quiet: bool,
) -> list[Replay]:
    """Return the games with odds, opinions and their places among others."""
    from bsbench.cli.waiting import in_background, status
    from bsbench.present.replaying.analysis import analysed

    with status(quiet) as show:
        show("looking at the shots")
        return in_background(
            partial(analysed, replays, odds=odds, opinions=opinions, run=run, timeout=timeout)
        )


def _show_printed(again: Replay) -> None:
    from bsbench.own.printing import printed_text

    if text := printed_text("the strategy", *again.printed):
        click.echo(text, err=True)


def _write(replays: list[Replay], output: str, force: bool) -> None:
    """Write the page, and print how the games went."""
    from bsbench.present.replaying import save_page
    from bsbench.present.replaying.page import facts_of, page_text

    if output == "-":
        click.echo(page_text(replays), nl=False)
    else:
        save_page(replays, output, force)
    for again in replays:
        if again.fault is not None:
            click.echo(str(again.fault), err=True)
        elif output != "-":
            which = f" (game {again.game})" if again.game != replays[0].game else ""
            ended = "over after" if again.over else "so far"
            click.echo(f"{again.strategy}{which}: {ended} {' '.join(facts_of(again))}")
    if output != "-":
        click.echo(f"saved {output}")


def _move_text(rules: Rules, move: Move) -> str:
    """Return cell and outcome of a move, such as ``B7  (16)  hit``; ships go by their lengths."""
    from bsbench.rules.board import HIT, MISS
    from bsbench.rules.drawing import cell_name, ship_text

    if move.outcome == MISS:
        what = "miss"
    else:
        what = "hit" if move.outcome == HIT else "sunk"
        if move.ship is not None:
            lettered = not rules.reveals.untold_cells
            what += f", {ship_text(rules.fleet, move.ship, lettered)}"
        if move.sunk:
            what += f": {' '.join(cell_name(cell, rules.cols) for cell in move.sunk)}"
    return f"{cell_name(move.cell, rules.cols):4} {f'({move.cell})':>7}  {what}"


def _final_board(again: Replay) -> str:
    """Return the board as text, with the ships that were not found."""
    from bsbench.play.game import board_after
    from bsbench.rules.drawing import HIDDEN, legend

    board = str(board_after(again.scenario.rules, again.moves, ships=again.ships))
    return f"{board}\n\n{legend(hidden=HIDDEN in board)}"
