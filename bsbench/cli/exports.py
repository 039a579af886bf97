"""Exports: the same options with every command that prints a table.

A table leaves as CSV or Parquet (its figures, a frame of pandas), as JSON (the record: figures and
where they come from), as Markdown or LaTeX (as it is printed). ``--export-games`` has a row for
each game, for DuckDB, polars and the like.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from bsbench.cli.ending import Saving
from bsbench.cli.options import OUTPUT, Command, Decorator, Rare, force_option, grouped
from bsbench.cli.waiting import progress_bar
from bsbench.common.errors import BsbenchError
from bsbench.common.files import write_file
from bsbench.common.progress import ignored

if TYPE_CHECKING:
    from bsbench.common.found import Ending
    from bsbench.present.sheets import Sheet
    from bsbench.runs.results import Result
    from bsbench.strategies import Strategy

_KINDS = {
    "csv": "CSV",
    "json": "JSON, with where it comes from",
    "md": "Markdown",
    "latex": "LaTeX (booktabs)",
    "parquet": "Parquet (needs pyarrow)",
}
"""What may follow ``--export-``, and what is written then."""

_STDOUT = "-"

_OTHERS = "; - is standard output. In place of csv: md, latex, json, parquet"


def _content(kind: str, found: Ending, sheet: Sheet) -> bytes:
    """Return the content of a file of that kind."""
    from bsbench.common.files import json_text
    from bsbench.present.tables import latex_text, markdown_text
    from bsbench.runs.results import frame_csv

    match kind:
        case "csv":
            text = frame_csv(found.table())
        case "json":
            text = json_text(found.to_dict())
        case "md" if sheet.markdown is not None:
            text = sheet.markdown()
        case "md":
            text = markdown_text(sheet.columns, sheet.all_notes)
        case "latex":
            text = latex_text(sheet.columns, sheet.all_notes)
        case _:
            written, frame = io.BytesIO(), found.table()
            # Parquet has whole numbers of 64 bits; a secret seed has more.
            large = [
                name
                for name, column in frame.items()
                if any(isinstance(each, int) and each >= 2**63 for each in column)
            ]
            frame.astype(dict.fromkeys(large, "string")).to_parquet(written, index=False)
            return written.getvalue()
    return text.encode()


@dataclass(frozen=True)
class Exports:
    """Which exports were asked for: places by kind; and whether to replace files."""

    places: Mapping[str, str]
    force: bool

    @property
    def to_stdout(self) -> bool:
        """Whether standard output is for an export alone."""
        return _STDOUT in self.places.values()

    @property
    def table_stream(self) -> IO[str]:
        """Where tables are printed: standard output, unless an export goes there."""
        return sys.stderr if self.to_stdout else sys.stdout

    def check(self, others: Iterable[str | None] = ()) -> None:
        """Refuse exports that could not be written, before anything is played.

        Parameters
        ----------
        others : iterable of str or None
            Files that further options name, such as charts.

        Raises
        ------
        BsbenchError
            If two go to the same place, a file exists, or what writes Parquet is missing.
        """
        from bsbench.common.files import check_export

        taken: dict[Path, str] = {}
        for kind, place in self.places.items():
            option = f"--export-{kind}"
            if (other := taken.setdefault(Path(place), option)) != option:
                raise BsbenchError(f"{other} and {option} name the same place: give each its own")
        files = [other for other in others if other is not None]
        for path in files:
            if Path(path) in taken:
                raise BsbenchError(
                    f"{taken[Path(path)]} names {path}, and so does another option: give each its "
                    "own"
                )
        for path in (*self.places.values(), *files):
            if path != _STDOUT:
                check_export(path, self.force)
        if "parquet" in self.places:
            _check_parquet(self.places["parquet"])

    def check_apart(self, files: Iterable[Path], games: str | None = None) -> None:
        """Refuse exports under a name that a result is saved under.

        Raises
        ------
        BsbenchError
            If there is one.
        """
        saved = {path.resolve() for path in files}
        for kind, place in [*self.places.items(), *([("games", games)] if games else [])]:
            if place != _STDOUT and Path(place).resolve() in saved:
                raise BsbenchError(
                    f"--export-{kind} and what is saved have the same name, {place}: give each its "
                    "own"
                )

    def write(self, save: Saving, found: Ending, sheet: Sheet) -> None:
        """Write the files."""
        from bsbench.common.files import write_bytes

        for kind, place in self.places.items():
            if place != _STDOUT:
                content = _content(kind, found, sheet)
                save(partial(write_bytes, content=content), place)

    def echo(self, found: Ending, sheet: Sheet) -> None:
        """Print what goes to standard output."""
        for kind, place in self.places.items():
            if place == _STDOUT:
                click.echo(_content(kind, found, sheet), nl=False)


def _check_parquet(place: str) -> None:
    if place == _STDOUT and sys.stdout.isatty():
        raise BsbenchError("a terminal can't show Parquet: send it to a file with '> FILE'")
    check_pyarrow()


def check_pyarrow() -> None:
    """Refuse to write Parquet without pyarrow.

    Raises
    ------
    BsbenchError
        If it is missing.
    """
    if find_spec("pyarrow") is None:
        raise BsbenchError(
            "writing Parquet takes pyarrow: install it with 'pip install pyarrow' (the extra "
            "'parquet' of bsbench)"
        )


def export_options(of_csv: str = "the table") -> Decorator:
    """Add the options that export what a command prints; it receives `Exports` as ``exports``.

    Parameters
    ----------
    of_csv : str
        What CSV and Parquet hold.
    """
    options = [
        click.option(
            f"--export-{kind}",
            metavar="FILE",
            cls=click.Option if kind == "csv" else Rare,
            help=f"Write {of_csv if kind in ('csv', 'parquet') else 'the table'} as {form}"
            f"{_OTHERS if kind == 'csv' else ''}.",
        )
        for kind, form in _KINDS.items()
    ]

    def add(command: Command) -> Command:
        @wraps(command)
        def with_exports(**values: Any) -> Any:
            places = {kind: values.pop(f"export_{kind}") for kind in _KINDS}
            given = {kind: place for kind, place in places.items() if place is not None}
            return command(exports=Exports(given, values.pop("force")), **values)

        return grouped(OUTPUT, [*options, force_option])(with_exports)

    return add


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
        games = GamesExport(values.pop("export_games"), values.pop("export_shots"))
        games.check()
        return command(games_export=games, **values)

    return grouped(OUTPUT, options)(with_games)
