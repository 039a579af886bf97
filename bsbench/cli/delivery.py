"""From what a user asks to what a command leaves: all activities end in `deliver`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from typing import TYPE_CHECKING, Any

import click

from bsbench.cli.ending import end_interrupted, saving
from bsbench.cli.exports import Exportable, Exports, export_options
from bsbench.cli.options import Decorator, GroupedCommand, added, quiet_option
from bsbench.cli.playing import in_background, status
from bsbench.common.settings import read_variant

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from bsbench.cli.saving import Draw, KeptRecord
    from bsbench.common.found import Found
    from bsbench.present.sheets import Sheet


@dataclass(frozen=True)
class Study:
    """What a command finds, and what it shows and writes of that.

    Attributes
    ----------
    find : callable
        Finds it; takes ``progress``.
    sheet : callable
        Returns what is shown of what was found.
    write : callable, optional
        Writes the file that ``-o`` names: takes what was found, and a path.
    in_background : bool
        Whether Ctrl-C ends the search at once; otherwise ``find`` decides what comes of it.
    """

    find: Callable[..., Found]
    sheet: Callable[[Any], Sheet]
    write: Callable[[Any, str], object] | None = None
    in_background: bool = True


def study(
    name: str, options: Sequence[Decorator], of_csv: str = "the table"
) -> Callable[[Callable[..., Study]], click.Command]:
    """Make a command of a function that returns a `Study`.

    The function takes its options by name. Of these, some are read for it, see `read_names`:
    ``strategy``, ``strategies`` and ``scenario`` are objects.

    Parameters
    ----------
    name : str
    options : sequence of decorators
        Its own options and arguments, in the order of its help.
    of_csv : str
        As for `export_options`.
    """

    def add(plan: Callable[..., Study]) -> click.Command:
        @wraps(plan)
        def command(exports: Exports, quiet: bool, **values: Any) -> None:
            output = values.get("output")
            chosen = plan(**read_names(values))
            exports.check([output])
            with status(quiet) as progress:
                find = partial(chosen.find, progress=progress)
                found = in_background(find) if chosen.in_background else find()
            write = None if chosen.write is None else partial(chosen.write, found)
            deliver(found, chosen.sheet(found), exports, quiet, output, write)

        whole = added([*options, export_options(of_csv), quiet_option], command)
        return click.command(name, cls=GroupedCommand)(whole)

    return add


def read_names(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of options, with objects for names of strategies and scenarios.

    ``strategies`` and ``strategy`` become strategies, ``variants`` stay names; parts of a scenario
    are put into ``scenario``. Without a name, that is the home of the first strategy. Errors in
    names are reported before the wait for numba.

    Raises
    ------
    BsbenchError
        If a name is unknown, or a part is wrong.
    """
    from bsbench.rules.scenario import PARTS, find_scenario, parse_parts

    values = dict(values)
    parts = parse_parts({name: values.pop(name) for name in PARTS if name in values})
    names = [values["strategy"]] if "strategy" in values else values.get("strategies", ())
    for variant in (*names, *values.get("variants", ())):
        read_variant(variant)
    scenario = values.get("scenario")
    where = None if scenario is None else find_scenario(scenario).override(**parts)
    if names:
        from bsbench.roster import make_variant
        from bsbench.runs.request import limits_of, scenario_for

        limits = [limits_of(values["timeout"])] if "timeout" in values else []
        made = [make_variant(variant, *limits) for variant in names]
        where = where or scenario_for(made[0]).override(**parts)
        values |= {"strategy": made[0]} if "strategy" in values else {"strategies": made}
    return {**values, "scenario": where} if "scenario" in values else values


def deliver(
    found: Found,
    sheet: Sheet,
    exports: Exports,
    quiet: bool,
    output: str | None = None,
    write: Callable[[str], object] | None = None,
    kept: KeptRecord | None = None,
    beside: Mapping[str, Draw] | None = None,
) -> None:
    """Write, export and print what was found, and end the command as `Found` says.

    Parameters
    ----------
    found : Found
    sheet : Sheet
    exports : Exports
    quiet : bool
        Whether nothing is printed.
    output, write : str and callable, optional
        A file that another option names, and what writes it.
    kept : KeptRecord, optional
        Where the record is saved, with its journal.
    beside : mapping, optional
        What writes further files beside the record, by their suffixes.
    """
    exportable = Exportable(
        found.to_frame, found.to_dict, lambda: sheet.columns, lambda: sheet.all_notes
    )
    from bsbench.present.terminal import print_sheet

    show = partial(print_sheet, sheet)
    if kept is None:
        exports.finish(exportable, quiet, show, output, write)
    else:
        with saving() as save:
            kept.finish(save, found, exportable, lambda _, stream: show(stream), quiet, beside)
            if output is not None and write is not None:
                save(write, output)
    for alarm in sheet.alarms:
        click.echo(alarm, err=True)
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
