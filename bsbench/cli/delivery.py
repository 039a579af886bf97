"""From what a user asks to what a command leaves: all activities end in `deliver`."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial, wraps
from typing import TYPE_CHECKING, Any

import click

from bsbench.cli.ending import end_interrupted, saving
from bsbench.cli.exports import Exports, export_options
from bsbench.cli.options import (
    Decorator,
    GroupedCommand,
    added,
    is_position,
    quiet_option,
    read_told,
)
from bsbench.cli.saving import Keeping, Kept, SaveOptions, keeping
from bsbench.cli.waiting import in_background, progress_bar, status
from bsbench.common.errors import StrategyError
from bsbench.common.settings import read_variant
from bsbench.common.texts import for_screen

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from bsbench.common.found import Ending
    from bsbench.present.sheets import Sheet


@dataclass(frozen=True)
class Study:
    """What a command finds, and what it shows and writes of that.

    Attributes
    ----------
    find : callable
        Finds it; takes ``progress``, and ``journal`` of what is kept.
    sheet : callable
        Returns what is shown of what was found.
    in_background : bool
        Whether Ctrl-C ends the search at once; otherwise ``find`` decides what comes of it.
    note : str
        A line for stderr before it begins.
    bars : sequence of str
        What plays, by the labels that progress has, with a bar each; else there is a status line.
    games : int or None
        Games of each, if known.
    interrupted : str
        What to say where Ctrl-C ends ``find`` with nothing found.
    kept : Kept or None
        For commands with `saving_options`.
    files : mapping of str or None to callable
        Files that options name, by their paths; None where an option is not given. What writes
        each, after the table is shown, takes what was found, and a path; it returns False if there
        is nothing to write.
    afterwards : mapping of str or None to callable
        The same of files that are written at the end, where Ctrl-C may stop it; takes what was
        found, and whether to be quiet.
    """

    find: Callable[..., Ending]
    sheet: Callable[[Any], Sheet]
    in_background: bool = True
    note: str = ""
    bars: Sequence[str] = ()
    games: int | None = None
    interrupted: str = ""
    kept: Kept | None = None
    files: Mapping[str | None, Callable[[Any, str], object]] = field(default_factory=dict)
    afterwards: Mapping[str | None, Callable[[Any, bool], object]] = field(default_factory=dict)

    def found(self, quiet: bool, kept: Keeping) -> Ending:
        """Find it, and show how far that is."""
        find = self.find
        if self.kept is not None:
            find = partial(find, journal=kept.journal, **kept.before)
        shown = progress_bar(self.bars, self.games, quiet) if self.bars else status(quiet)
        try:
            with shown as progress:
                find = partial(find, progress=progress)
                return in_background(find) if self.in_background else find()
        except KeyboardInterrupt:
            if not self.interrupted:
                raise
            click.echo(self.interrupted, err=True)
            kept.say_resume(quiet)
            end_interrupted()


def study(
    name: str,
    options: Sequence[Decorator],
    of_csv: str = "the table",
    more: Sequence[Decorator] = (),
) -> Callable[[Callable[..., Study]], click.Command]:
    """Make a command of a function that returns a `Study`.

    The function takes its options by name. Of these, some are read for it, see `read_names`:
    ``strategy``, ``strategies`` and ``scenario`` are objects, and `game_options` are a ``request``.
    `saving_options` are for `Kept`. It may also take these as ``keep``, and ``quiet``.

    Parameters
    ----------
    name : str
    options : sequence of decorators
        Its own options and arguments, in the order of its help.
    of_csv : str
        As for `export_options`.
    more : sequence of decorators
        Options that help lists behind those.
    """

    def add(plan: Callable[..., Study]) -> click.Command:
        wanted = inspect.signature(plan).parameters

        @wraps(plan)
        def command(
            exports: Exports, quiet: bool, keep: SaveOptions | None = None, **values: Any
        ) -> None:
            # Before anything is asked or found.
            exports.check([values.get("output")])
            also = {"keep": keep, "quiet": quiet}
            also = {name: value for name, value in also.items() if name in wanted}
            chosen = plan(**read_names(values), **also)
            exports.check([*chosen.files, *chosen.afterwards])
            games = next(iter(chosen.afterwards), None)
            with keeping(chosen.kept, keep, exports, values, quiet, games) as kept:
                if chosen.note and not quiet:
                    click.echo(chosen.note, err=True)
                try:
                    found = chosen.found(quiet, kept)
                except StrategyError as fault:
                    # What it had played before, where no strategy could go on.
                    if fault.result is not None:
                        with saving() as save:
                            kept.save_run(save, fault.result)
                    raise
                deliver(found, chosen, exports, quiet, kept)

        whole = added([*options, export_options(of_csv), *more, quiet_option], command)
        return click.command(name, cls=GroupedCommand)(whole)

    return add


def read_names(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of options, with objects for names of strategies and scenarios.

    ``strategies`` and ``strategy`` become strategies, ``variants`` stay names; parts of a scenario
    are put into ``scenario``, and a ``position`` is read. Without a name, that is the home of the
    first strategy. With ``scenarios``, all that a `Request` has becomes a ``request``. Errors in
    names are reported before the wait for numba.

    Raises
    ------
    BsbenchError
        If a name is unknown, or a part is wrong.
    """
    from bsbench.rules.position import Position
    from bsbench.rules.scenario import DEFAULT, PARTS
    from bsbench.runs.request import Request

    values = dict(values)
    names = [values["strategy"]] if "strategy" in values else values.get("strategies", ())
    for variant in (*names, *values.get("variants", ())):
        read_variant(variant)
    if "scenarios" in values:
        wished = values.keys() & {*PARTS, *(each.name for each in fields(Request))}
        asked = {name: values.pop(name) for name in wished}
        values["request"] = Request.of(asked.pop("scenarios"), asked.pop("seeds"), **asked)
    elif "scenario" in values or "position" in values:
        told = values.get("position")
        is_told = told is not None and is_position(told)
        values.setdefault("scenario", DEFAULT if is_told else told)
        parts = {name: values.pop(name) for name in PARTS if name in values}
        request = Request.of(values["scenario"], timeout=values.get("timeout"), **parts)
        home = None
        if names:
            from bsbench.roster import make_variant

            made = [make_variant(variant, request.limits) for variant in names]
            home = made[0].home
            values |= {"strategy": made[0]} if "strategy" in values else {"strategies": made}
        (values["scenario"],) = request.scenarios_or(home)
        if told is not None:
            where = values.pop("scenario")
            values["position"] = read_told([told], where) if is_told else Position(where)
    return values


def deliver(
    found: Ending,
    study: Study,
    exports: Exports,
    quiet: bool,
    kept: Keeping | None = None,
) -> None:
    """Write, export, print and draw what was found, and end the command as that says.

    Charts come last; while they are drawn, the journal stays, so that ``--resume`` draws them.

    Parameters
    ----------
    found : Ending
    study : Study
        How it is shown, and what is written of it.
    exports : Exports
    quiet : bool
        Whether nothing is printed but faults and alarms.
    kept : Keeping, optional
        Where it is saved, with its journal.
    """
    from bsbench.present.terminal import print_sheet

    kept = kept or Keeping()
    stream = exports.table_stream
    with saving() as save:
        written = kept.write(save, found)
        sheet = study.sheet(found)
        exports.write(save, found, sheet)
        try:
            if not quiet:
                print_sheet(sheet, stream)
            exports.echo(found, sheet)
            for line in (*sheet.faults, *(sheet.alarms if quiet else ())):
                click.echo(line, err=True)
        finally:
            # Charts take as long as many games. Whoever reads the table may have closed the pipe.
            said = [kept.draw(save, found, written)]
            for path, write in study.files.items():
                if path is not None and save(partial(write, found), path) is not False:
                    said.append(f"saved {path}")
            if kept.journal is not None and found.is_finished:
                save.end_journal(kept.journal)
        for line in () if quiet else filter(None, said):
            click.echo(for_screen(line, stream), file=stream)
    for path, export in study.afterwards.items():
        if path is not None:
            export(found, quiet)
    if found.fault is not None:
        raise found.fault
    if not found.is_finished:
        kept.say_resume(quiet)
    if found.partial:
        end_interrupted()
    if found.exit_code:
        sys.exit(found.exit_code)


def drawing(figure: Callable[[Any], Figure], kind: str) -> Callable[[Any, str], None]:
    """Return what writes a chart of what was found, of a kind such as ``png``, to a path."""

    def draw(found: Any, path: str) -> None:
        from bsbench.common.files import write_file
        from bsbench.present.charts import write_figure

        write_file(path, partial(write_figure, figure(found), kind=kind))

    return draw
