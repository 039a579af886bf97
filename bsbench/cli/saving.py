"""Where results are saved: one policy of names for all commands that play.

One run is a record, with charts beside it: ``NAME.json``, ``NAME.png``. Several runs are a folder:
a record each, ``table.csv`` and charts. Nothing that exists is replaced unless the user says how
the new result is related to it: ``--force``, ``--extend`` or ``--resume``. All of that is checked
before anything is played.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, partial, wraps
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from bsbench.cli.options import Command, Decorator, Rare, grouped
from bsbench.common.errors import BsbenchError, WriteError
from bsbench.common.files import PICTURES, Write
from bsbench.common.journal import SUFFIX, Journal

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from bsbench.cli.ending import Saving
    from bsbench.cli.exports import Exports
    from bsbench.rules.scenario import Scenario
    from bsbench.runs.experiment import Experiment
    from bsbench.runs.results import Result
    from bsbench.strategies import Strategy

_MOST_LABELS = 4
"""Strategies, scenarios or seeds that a default name lists."""

Key = tuple[str, "Scenario", int]
"""Which run of an experiment: label, scenario and seed."""

Charts = Mapping[str, Callable[[Any], "Figure"]]
"""What draws each chart of what was found, by how the name of its file ends."""

Beside = Callable[[Any, IO[bytes]], object]
"""Writes a file beside a record: takes what was found, and the file."""


@dataclass(frozen=True)
class SaveOptions:
    """What the user wants to be saved, and what may be overwritten.

    Attributes
    ----------
    output : str or None
        The record, or the folder of several.
    save, charts : bool
        Whether anything is saved, and whether charts are.
    force, extend, resume : bool
        One of them at most.
    ways : str
        What to do where a file exists, for the message.
    """

    output: str | None = None
    save: bool = True
    charts: bool = True
    force: bool = False
    extend: bool = False
    resume: bool = False
    ways: str = ""

    def check(self) -> None:
        """Refuse wishes that contradict each other.

        Raises
        ------
        BsbenchError
            If they do.
        """
        ways = [f"--{name}" for name in ("force", "extend", "resume") if getattr(self, name)]
        if len(ways) > 1:
            raise BsbenchError(
                f"{' and '.join(ways)} contradict each other: --extend plays more games of a "
                "complete result, --resume continues one that was interrupted, and --force "
                "starts from the beginning"
            )
        if self.output == "-":
            raise BsbenchError(
                "results are not saved to standard output: name a file, or print them with "
                "--export-json -"
            )
        if not self.save:
            for name in ("output", "extend", "resume"):
                if getattr(self, name):
                    raise BsbenchError(
                        f"--no-save saves nothing, and --{name} is about what is saved: leave out "
                        "one of them"
                    )

    @property
    def goes_on(self) -> bool:
        """Whether what exists is read first."""
        return self.extend or self.resume


resume_option = click.option(
    "--resume",
    is_flag=True,
    help="Continue where the same command was interrupted, or its machine crashed.",
)


def saving_options(default: str | None, several: bool = True) -> Decorator:
    """Add the options on what is saved; the command receives them as `SaveOptions`, ``keep``.

    ``--force`` comes with `export_options`, which stands below: it is for these files, too.

    Parameters
    ----------
    default : str or None
        The name without ``--output``; None if nothing is saved then.
    several : bool
        Whether there may be several runs, and charts of them.
    """
    options: list[Decorator] = [
        click.option(
            "-o",
            "--output",
            metavar="PATH",
            help=(
                "Record to write, with charts beside it; for several runs, a folder."
                if several
                else "Record to write."
            )
            + f"  [default: {default or 'nothing is saved'}]",
        ),
        resume_option,
    ]
    if several:
        options[1:1] = [
            click.option(
                "--extend",
                is_flag=True,
                help="Continue from the saved result, which has fewer games; play only the rest.",
            )
        ]
        options.append(click.option("--no-charts", cls=Rare, is_flag=True, help="Draw no charts."))
    if default is not None:
        options.append(click.option("--no-save", is_flag=True, help="Write nothing."))
    else:
        # Known, since other commands have it: click would propose --no-charts.
        hidden = click.option(
            "--no-save", is_flag=True, hidden=True, expose_value=False, callback=_refuse_no_save
        )
        options.append(hidden)

    ways = "add --extend to play more games of it, " if several else "add "
    if default is not None:
        ways += "--no-save to write nothing, "

    def add(command: Command) -> Command:
        @wraps(command)
        def with_keep(**values: Any) -> Any:
            keep = SaveOptions(
                output=values.pop("output"),
                save=not values.pop("no_save", False),
                charts=not values.pop("no_charts", False),
                force=values["force"],
                extend=values.pop("extend", False),
                resume=values.pop("resume"),
                ways=ways,
            )
            keep.check()
            if keep.output is None and default is None:
                if keep.goes_on:
                    way = "--extend" if keep.extend else "--resume"
                    raise BsbenchError(f"{way} continues a saved result: name it with --output")
                keep = SaveOptions(save=False)
            return command(keep=keep, **values)

        return grouped("What is saved", options)(with_keep)

    return add


def _refuse_no_save(ctx: click.Context, _: click.Parameter, given: bool) -> None:
    if given:
        raise BsbenchError(
            f"{ctx.info_name} saves only what --output names: leave out --no-save, and --output "
            "to save nothing"
        )


@dataclass(frozen=True)
class Place:
    """The files of an experiment, or of another record.

    Attributes
    ----------
    whole : Path
        The record without suffix, or the folder of several.
    files : tuple of Path
        All that will be written, the records first.
    records : mapping of Key to Path
        Of each run.
    panels : mapping of tuple to Path
        By scenario and seed, how the names of charts begin.
    table : Path or None
        The table of several runs; None if there is only one record.
    """

    whole: Path
    files: tuple[Path, ...] = ()
    records: Mapping[Key, Path] = field(default_factory=dict)
    panels: Mapping[tuple[Scenario, int], Path] = field(default_factory=dict)
    table: Path | None = None

    @property
    def journal(self) -> Path:
        """What keeps the run while it is in progress."""
        return _with(self.whole, SUFFIX)


def _with(path: Path, suffix: str) -> Path:
    return path.with_name(f"{path.name}{suffix}")


def _panel_name(experiment: Experiment, scenario: Scenario, seed: int, secret: bool) -> str:
    """Return what names of files say of a panel: what is usual is left out."""
    parts = [scenario.name]
    if len(experiment.seeds) > 1 or seed:
        parts.append("secret-seed" if secret else f"seed-{seed}")
    if experiment.first_game:
        parts.append(f"from-{experiment.first_game}")
    return "-".join(parts)


def _experiment_name(experiment: Experiment, secret: bool) -> str:
    """Return the default name of a folder: its strategies, scenarios and seeds.

    Of many variants, it has the names of the strategies and of what they differ in.
    """
    from bsbench.common.files import file_name
    from bsbench.runs.sweeps import swept_parameters

    labels = [strategy.label for strategy in experiment.strategies]
    swept = swept_parameters(experiment.strategies)
    if len(labels) > _MOST_LABELS and swept:
        names = dict.fromkeys(strategy.name for strategy in experiment.strategies)
        labels = [f"{_some([*names], 'strategies')}-by-{'-'.join(swept)}"]
    scenarios = [scenario.name for scenario in experiment.scenarios]
    seeds = [str(seed) for seed in experiment.seeds]
    parts = [_some(labels, "strategies"), _some(scenarios, "scenarios")]
    if secret:
        parts.append("secret-seed")
    elif experiment.seeds != (0,):
        parts.append(f"seed-{seeds[0]}" if len(seeds) == 1 else f"seeds-{_some(seeds, 'more')}")
    if experiment.first_game:
        parts.append(f"from-{experiment.first_game}")
    return file_name("-".join(parts))


def _some(names: Sequence[str], what: str) -> str:
    """Return names, or of many how many there are."""
    return "-".join(names) if len(names) <= _MOST_LABELS else f"{len(names)}-{what}"


def check_place(place: Place, keep: SaveOptions) -> None:
    """Refuse to overwrite what nobody allowed to be overwritten.

    Raises
    ------
    BsbenchError
        If a file exists.
    """
    from bsbench.common.files import exists

    # A folder of one of these names is refused whatever is allowed.
    found = [path for path in place.files if exists(path)]
    interrupted = exists(place.journal)
    if keep.force:
        return
    if interrupted and not keep.resume:
        Journal.check_unused(place.journal)
        raise BsbenchError(
            f"{place.journal} is left from a run that was interrupted: add --resume to "
            "continue it, --force to start from the beginning, or name another with --output"
        )
    if found and not keep.goes_on:
        raise BsbenchError(
            f"{found[0]} exists already: {keep.ways}--force to replace it, or name another with "
            "--output"
        )


def open_journal(place: Place, keep: SaveOptions, about: Mapping[str, Any]) -> Journal:
    """Open the journal of what is played now; with ``--force``, one that was left is removed.

    Raises
    ------
    BsbenchError
        If it is of something else, or damaged.
    """
    if keep.force:
        Journal.remove(place.journal)
    return Journal.open(place.journal, about, keep.resume)


@dataclass(frozen=True)
class Kept:
    """How what is found is saved, and what keeps it while it is played: as a record.

    Attributes
    ----------
    name : str
        Of the record, in a folder that the user names.
    about : callable
        Returns what identifies what is played, for `Journal.open`.
    secret : bool
        Whether there is no journal, since a strategy could read the seed in it.
    beside : mapping of str to callable
        What writes further data beside the record, by their suffixes.
    charts : mapping of str to callable
        What draws each chart, by how the name of its file ends.
    """

    name: str
    about: Callable[[], Mapping[str, Any]]
    secret: bool = False
    beside: Mapping[str, Beside] = field(default_factory=dict)
    charts: Charts = field(default_factory=dict)

    @staticmethod
    def pictures(figure: Callable[[Any], Figure]) -> dict[str, Beside]:
        """Return what writes a chart of what was found, in all formats by suffix; drawn once."""
        drawn = cache(figure)

        def write(kind: str, found: Any, file: IO[bytes]) -> None:
            from bsbench.present.charts import write_figure

            write_figure(drawn(found), file, kind)

        return {f".{kind}": partial(write, kind) for kind in PICTURES}

    @property
    def suffixes(self) -> list[str]:
        """How the names of all pictures end."""
        return [f"{chart}.{kind}" for chart in self.charts for kind in PICTURES]

    def placed(self, keep: SaveOptions, exports: Exports, options: Any, quiet: bool) -> Keeping:
        """Return where it is saved; the arguments are as for `keeping`, which opens the journal.

        Raises
        ------
        BsbenchError
            If a file exists, or the folder can't be made or written to.
        """
        from bsbench.common.files import exists, output_place

        folder, stem = output_place(keep.output, self.name)
        whole = folder / stem
        suffixes = (".json", *self.beside, *self.suffixes)
        place = Place(whole, tuple(_with(whole, suffix) for suffix in suffixes))
        asked = _hash_of(self.about(), options)
        if keep.resume and not exists(place.journal):
            is_finished = _is_of(place.files[0], asked)
            if is_finished and all(map(exists, place.files)) and not exports.places:
                if not quiet:
                    click.echo(f"nothing is missing: {place.files[0]} is left as it was")
                click.get_current_context().exit()
            # Unlike a run, it goes on from a journal alone; exports are of all that is found again.
            keep = replace(keep, resume=is_finished)
        check_place(place, keep)
        return Keeping(self, keep, place, asked=asked)

    def write(self, save: Saving, found: Any, kept: Keeping) -> list[Path]:
        """Write the record, and data beside it; return what was written."""
        from bsbench.common.files import json_text

        record = found.to_dict()
        if found.is_finished:
            record = {**record, "asked": kept.asked, "date": record.pop("date")}
        text = json_text(record).encode()
        written = written_to(save, kept.place.files[0], lambda file: file.write(text))
        for suffix, write in self.beside.items():
            written += written_to(save, _with(kept.place.whole, suffix), partial(write, found))
        return written

    def drawn(self, found: Any, place: Place) -> Iterable[tuple[Path, Any]]:
        """Return what has charts, with how the names of these begin."""
        return [(place.whole, found)]

    def drawings(self, found: Any, place: Place) -> Iterator[tuple[Path, Write]]:
        """Yield all pictures, with what draws and writes each."""
        for stem, subject in self.drawn(found, place):
            for name, draw in self.charts.items():
                for suffix, write in self.pictures(draw).items():
                    yield _with(stem, f"{name}{suffix}"), partial(write, subject)


def _folder(output: str | None, default: str) -> Path:
    """Return the folder of several records, which has a name for the journal beside it."""
    from bsbench.common.files import check_output, ending_of

    if output is None:
        return Path(default)
    folder = check_output(output)
    if (ending := ending_of(folder)) and not (output.endswith("/") or os.path.isdir(folder)):
        raise BsbenchError(
            f"{folder} ends in {ending} as a file does, and several records are saved in a folder: "
            "leave the ending out"
        )
    if folder.name in ("", ".."):
        folder = folder.resolve()
    if not folder.name:
        raise BsbenchError(f"{folder} has no name for a journal beside it: name another folder")
    return folder


@dataclass(frozen=True)
class KeptRuns(Kept):
    """The same of an experiment: a record for each run, and a table of several; panels have charts.

    Attributes
    ----------
    experiment : Experiment
    in_folder : bool
        Whether a single run gets a folder, too.
    no_seed : bool
        Whether no name may reveal the seed.
    """

    experiment: Experiment = field(kw_only=True)
    in_folder: bool = field(kw_only=True)
    no_seed: bool = field(kw_only=True)

    def placed(self, keep: SaveOptions, exports: Exports, options: Any, quiet: bool) -> Keeping:
        """Return where it is saved, in a folder that is made if missing, and what was there."""
        place = self._place(keep)
        check_place(place, keep)
        before = read_before(self.experiment, place, keep)
        return Keeping(self, keep, place, before={"before": before})

    def _place(self, keep: SaveOptions) -> Place:
        from bsbench.common.files import file_name, make_folder, output_place

        played, secret = self.experiment, self.no_seed
        stems = {
            (scenario, seed): _panel_name(played, scenario, seed, secret)
            for scenario in played.scenarios
            for seed in played.seeds
        }
        names = {
            (strategy.label, *panel): file_name(f"{strategy.label}-{name}")
            for panel, name in stems.items()
            for strategy in played.strategies
        }
        is_folder = self.in_folder or len(names) > 1
        if not is_folder:
            whole = Path(*output_place(keep.output, *names.values()))
            folder, names = whole.parent, dict.fromkeys(names, whole.name)
        else:
            whole = folder = _folder(keep.output, f"results/{_experiment_name(played, secret)}")
            make_folder(folder)
        if len(played.strategies) == 1:
            stems = {run[1:]: name for run, name in names.items()}
        else:
            stems = {panel: file_name(name) for panel, name in stems.items()}
        records = {run: folder / f"{name}.json" for run, name in names.items()}
        panels = {panel: folder / stem for panel, stem in stems.items()}
        # Saved records alone have no others.
        table = folder / "table.csv" if is_folder and records else None
        pictures = [
            _with(stem, each) for stem in panels.values() for each in self.suffixes if keep.charts
        ]
        return Place(
            whole, (*records.values(), *filter(None, [table]), *pictures), records, panels, table
        )

    def write(self, save: Saving, found: Any, kept: Keeping) -> list[Path]:
        """Write the records, and the table of several; return what was written."""
        from bsbench.runs.results import frame_csv

        written: list[Path] = []
        for panel in found.panels:
            faulty = (fault.result for fault in panel.faults.values())
            for result in (*panel.played, *filter(None, faulty)):
                written += kept.save_run(save, result)
        if kept.place.table is not None:
            text = frame_csv(found.table()).encode()
            written += written_to(save, kept.place.table, lambda file: file.write(text))
        return written

    def drawn(self, found: Any, place: Place) -> Iterable[tuple[Path, Any]]:
        """Return the panels, with how the names of their charts begin."""
        for panel in found.panels:
            first = panel.results[0]
            yield place.panels[first.scenario, first.seed], panel


def written_to(save: Saving, path: Path, write: Write, replaces: bool = True) -> list[Path]:
    """Write a file; return where it is: elsewhere if it can't be written there, or nowhere.

    Parameters
    ----------
    save : Saving
    path : Path
    write : callable
    replaces : bool
        Whether a file that another process has written meanwhile is replaced.
    """
    from bsbench.common.files import write_file

    def at(place: str) -> Path:
        if not replaces and place == str(path) and os.path.exists(path):
            raise WriteError(f"{path} was written by another process meanwhile")
        write_file(place, write)
        return Path(place)

    found = save(at, str(path))
    return [] if found is None else [found]


@dataclass(frozen=True)
class Keeping:
    """Where something is saved, and the journal of what is played for it; or neither.

    Attributes
    ----------
    kept : Kept or None
    keep : SaveOptions
    place : Place
        Nowhere, if nothing is saved.
    journal : Journal or None
    asked : str
        A hash of what is asked for, which a record has when all of it is found.
    before : mapping
        What was saved before, as a keyword of what goes on from it.
    """

    kept: Kept | None = None
    keep: SaveOptions = SaveOptions(save=False)
    place: Place = Place(Path())
    journal: Journal | None = None
    asked: str = ""
    before: Mapping[str, Mapping[Key, Result]] = field(default_factory=dict)

    def write(self, save: Saving, found: Any) -> list[Path]:
        """Write records and data; return what was written."""
        if self.kept is None or self._adds_nothing(found):
            return []
        return self.kept.write(save, found, self)

    def save_run(self, save: Saving, result: Result) -> list[Path]:
        """Write the record of a run, if it has a place; return what was written."""
        from bsbench.runs.results import write_record

        path = self.place.records.get((result.label, result.scenario, result.seed))
        if path is None:
            return []
        replaces = self.keep.force or self.keep.goes_on
        return written_to(save, path, partial(write_record, result), replaces)

    def draw(self, save: Saving, found: Any, written: Sequence[Path]) -> str:
        """Draw the charts, unless something could not be written; return what is said of files.

        Parameters
        ----------
        save : Saving
        found : object
        written : sequence of Path
            What `write` has written.
        """
        several = self.place.table is not None
        if self._adds_nothing(found):
            where = self.place.whole if several else self.place.files[0]
            return f"no game was missing: {where} is left as it was"
        there = [*written]
        kept = self.kept if self.keep.charts and not save.problems else None
        for path, write in kept.drawings(found, self.place) if kept else ():
            try:
                there += written_to(save, path, write)
            except BsbenchError as error:
                # Such as after an interruption: the results are worth more than that.
                click.echo(f"no chart {path}: {error}", err=True)
        there = [path for path in there if path in self.place.files]
        if not there:
            return ""
        if several:
            files = "1 file" if len(there) == 1 else f"{len(there)} files"
            return f"saved {files} in {self.place.whole}"
        beside = ", ".join(path.name for path in there[1:])
        return f"saved {there[0]}{beside and f', and beside it {beside}'}"

    def _adds_nothing(self, found: Any) -> bool:
        """Return whether what is extended has all games already."""
        return self.keep.extend and bool(found.adds_nothing(**self.before))

    def say_resume(self, quiet: bool) -> None:
        """Say how to continue what was interrupted, if there is a journal of it."""
        if self.journal is not None and not quiet:
            click.echo("to continue, give the same command with --resume", err=True)


@contextmanager
def keeping(
    kept: Kept | None,
    keep: SaveOptions | None,
    exports: Exports,
    options: Mapping[str, Any],
    quiet: bool,
    games: str | None = None,
) -> Iterator[Keeping]:
    """Keep a journal while something is played, if it is to be saved.

    Parameters
    ----------
    kept : Kept or None
    keep : SaveOptions or None
    exports : Exports
    options : mapping
        All options of the command: a record has their hash, so that one that is whole is known.
    quiet : bool
    games : str, optional
        Where single games are exported.

    Raises
    ------
    BsbenchError
        If a file exists, can't be written, is to be an export, too, or has the journal of something
        else.
    """
    if kept is None or keep is None or not keep.save:
        yield Keeping()
        return
    found = kept.placed(keep, exports, options, quiet)
    exports.check_apart(found.place.files, games)
    if kept.secret:
        yield found
        return
    with open_journal(found.place, found.keep, kept.about()) as journal:
        yield replace(found, journal=journal)


_HOW = {"threads", "engine", "timeout", "seconds", "states", "output"}
"""Options that don't say what is found, where all of it is found."""


def _hash_of(about: Mapping[str, Any], options: Mapping[str, Any]) -> str:
    """Return a hash of what is asked for."""
    wishes = {name: value for name, value in options.items() if name not in _HOW}
    text = json.dumps([about, wishes], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _is_of(path: Path, asked: str) -> bool:
    """Return whether a record has all that is asked for."""
    from bsbench.common.files import read_json

    if not os.path.exists(path):
        return False
    return read_json(path, lambda of: str(of.get("asked")), "a record", "a record") == asked


@contextmanager
def kept_folder(folder: Path, resume: bool, about: Mapping[str, Any]) -> Iterator[Journal]:
    """Keep a journal while what makes a folder of results is played.

    Its file stays unless it is discarded; if the command is interrupted, it says so, and ends.

    Parameters
    ----------
    folder : Path
    resume : bool
    about : mapping
        What identifies what is played, for `Journal.open`.

    Raises
    ------
    BsbenchError
        If there is a journal and it is not to be resumed, or it is of something else.
    """
    from bsbench.cli.ending import end_interrupted

    place = Place(folder)
    try:
        with open_journal(place, SaveOptions(resume=resume), about) as journal:
            yield journal
    except KeyboardInterrupt:
        if not os.path.exists(place.journal):
            raise
        click.echo(
            f"Interrupted; {place.journal} keeps what was played. To continue, give the same "
            "command with --resume.",
            err=True,
        )
        end_interrupted()


def read_before(experiment: Experiment, place: Place, keep: SaveOptions) -> dict[Key, Result]:
    """Return the saved results from which runs go on; none unless the user wants that.

    Raises
    ------
    BsbenchError
        If one is damaged, is not of these games, or has no fewer games than are asked for; or if
        there is none, and ``--extend`` was given.
    """
    if not keep.goes_on or (keep.resume and os.path.exists(place.journal)):
        return {}
    from bsbench.runs.records import load_result

    strategies = {strategy.label: strategy for strategy in experiment.strategies}
    before = {}
    for key, path in place.records.items():
        if not os.path.exists(path):
            if keep.extend:
                raise BsbenchError(
                    f"there is no {path} to extend: leave out --extend to play from the "
                    "beginning, or give --resume to play what is missing"
                )
            continue
        result = load_result(path)
        _check_same(path, result, strategies[key[0]], key, experiment.first_game)
        before[key] = result
    fewest = min((result.games for result in before.values()), default=0)
    if keep.extend and experiment.until is None and fewest >= experiment.games:
        raise BsbenchError(
            f"{next(iter(place.records.values()))} has {fewest:,} games already: ask for more "
            "with --games"
        )
    return before


def _check_same(path: Path, result: Result, strategy: Strategy, key: Key, first_game: int) -> None:
    """Refuse a result that is not of the same games as a run.

    Raises
    ------
    BsbenchError
        If it is not.
    """
    from bsbench.runs.identity import Identity

    _, scenario, seed = key
    if not result.tally.has_evidence:
        raise BsbenchError(
            f"{path} has no evidence, as records of very many games, and can't be continued: play "
            "its games again, with --force or under another name"
        )
    result.identity.and_of(Identity.of(strategy, scenario, seed), str(path), "what is asked for")
    if result.first_game != first_game:
        raise BsbenchError(
            f"{path} begins with game {result.first_game:,}, and what is asked for with game "
            f"{first_game:,}: name another with --output"
        )
