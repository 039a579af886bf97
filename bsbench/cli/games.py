"""``--export-games``: a row for each game, for DuckDB, polars and the like."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bsbench.cli.exports import check_pyarrow
from bsbench.cli.options import OUTPUT, Command, Rare, grouped
from bsbench.cli.playing import progress_bar
from bsbench.common.errors import BsbenchError
from bsbench.common.files import write_file
from bsbench.common.progress import ignored

if TYPE_CHECKING:
    from bsbench.runs.results import Result
    from bsbench.strategies import Strategy


@dataclass(frozen=True)
class GamesExport:
    """Where single games are written, if anywhere.

    Attributes
    ----------
    place : str or None
    shots : bool
        Whether with their shots.
    """

    place: str | None
    shots: bool

    def check(self) -> None:
        """Refuse what could not be written, before anything is played.

        Raises
        ------
        BsbenchError
            If the name has another ending, pyarrow is missing, or shots go nowhere.
        """
        if self.place is None:
            if self.shots:
                raise BsbenchError("--export-shots adds to --export-games: name a file there, too")
            return
        ending = Path(self.place).suffix
        if ending not in (".parquet", ".csv"):
            raise BsbenchError(
                f"--export-games writes .parquet or .csv, and {self.place!r} ends in neither"
            )
        if ending == ".parquet":
            check_pyarrow()

    def players(
        self, results: Iterable[Result], known: Sequence[Strategy] = (), trust: bool = False
    ) -> Mapping[str, Strategy]:
        """Return who plays games again, by label.

        Parameters
        ----------
        results : iterable of Result
        known : sequence of Strategy
            Those that have played; others are made of what their records say.
        trust : bool
            Whether the code of strategies runs that records name and that are not built in.

        Raises
        ------
        BsbenchError
            If one may not or can't play again.
        """
        from bsbench.roster import strategy_names
        from bsbench.runs.contestants import strategy_of
        from bsbench.runs.games import plays_again

        players = {strategy.label: strategy for strategy in known}
        for result in results:
            if self.place is None or not plays_again(result, self.shots):
                continue
            if result.label not in players:
                if not (trust or result.strategy in strategy_names()):
                    raise BsbenchError(
                        f"to export the games of {result.label}, the code that its record names "
                        "plays them again: add --trust to 'bsbench show' if you trust it"
                    )
                players[result.label] = strategy_of(result, trust=True)
            if players[result.label].asks_elsewhere:
                raise BsbenchError(
                    f"the games of {result.label} can't be played again, as a model may answer "
                    "otherwise: leave out --export-shots, and keep the move counts"
                )
        return players

    def write(
        self,
        results: Sequence[Result],
        players: Mapping[str, Strategy],
        quiet: bool,
        **options: Any,
    ) -> None:
        """Write the games of results; a file that exists is replaced.

        Further options are those of `bsbench.runs.games.write_games`.

        Raises
        ------
        BsbenchError
            If they can't be played again or written. There is no file then.
        """
        if self.place is None:
            return
        from bsbench.runs.games import write_games

        place, labels = self.place, dict.fromkeys(result.label for result in results)
        options |= {"ending": Path(place).suffix, "shots": self.shots}
        with progress_bar(labels, None, quiet) as watch:
            options["watch"] = watch or ignored
            write_file(place, partial(write_games, results=results, players=players, **options))
        if not quiet:
            click.echo(f"saved {place}", err=True)


def games_options(command: Command) -> Command:
    """Add the options for single games, which the command receives as ``games_export``."""
    options = [
        click.option(
            "--export-games",
            cls=Rare,
            metavar="FILE",
            help="Write a row for each game, with its layout and move count: FILE.parquet (needs "
            "pyarrow) or FILE.csv.",
        ),
        click.option(
            "--export-shots",
            cls=Rare,
            is_flag=True,
            help="With --export-games: write the cells shot, too. All games are played again for "
            "that.",
        ),
    ]

    @wraps(command)
    def with_games(**values: Any) -> Any:
        place, shots = values.pop("export_games"), values.pop("export_shots")
        return command(games_export=GamesExport(place, shots), **values)

    return grouped(OUTPUT, options)(with_games)
