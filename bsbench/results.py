"""The record of a run: a histogram of move counts, and where it came from.

A record is a JSON file of schema ``bsbench-run-1`` with these keys:

``schema``, ``bsbench``, ``stream_version``
    This schema's name, the version of bsbench, and that of the layout stream.
``scenario``
    The scenario fully resolved, with the keys of a scenario file.
``strategy``
    ``name``, ``source``, ``parameters`` (a table, all of them) and ``label``: the name
    and those parameters that differ from their defaults, such as ``over9000 noise=0.01``.
    Records of early versions have no label; it is the name then.
``seed``, ``games``, ``requested``, ``partial``
    Games 0 … games - 1 under the seed were played; ``requested`` is what was asked
    for, and ``partial`` tells that the run was interrupted before.
``until``
    Only where the run was to end when the 95 % interval of the mean had this half-width. Then
    ``requested`` is ``games`` when it came to an end, by the width or the most games allowed,
    which the half-width in the summary tells apart; else the most games allowed.
``counts``
    Number of games by move count: entry m is the number of games of m moves.
``learning``
    For a strategy that learns from game to game only: ``games_per_learner``; ``totals``, the
    moves of each learner in all its games; ``moves`` and ``squares``, the sums over
    learners of the moves of their n-th game, and of their squares, for each n that was
    played; ``stages``, the same for their moves in games 1, 2, 3 to 5, 6 to 10, 11 to 20,
    and so on, over the learners that completed these.
``summary``
    Mean and so on (`bsbench.stats.Summary`), from the counts; for readers only.
``threads``, ``seconds``
    Threads used; ``setup`` (compiling or loading kernels, tables) and ``play``.
``machine``, ``versions``, ``date``
    Processor, cores and system; Python and libraries; UTC time, last, so that
    two records differ by their ends.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import io
import itertools
import json
import math
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bsbench.errors import BsbenchError
from bsbench.exact import EFFORT, Law, exact_law
from bsbench.machine import library_versions, this_machine
from bsbench.scenario import Scenario, scenario_from_dict
from bsbench.settings import setting_text
from bsbench.stats import (
    Counts,
    Learning,
    Summary,
    half_width,
    learners_who_played,
    stage_ends,
    summarize,
)

if TYPE_CHECKING:
    import pandas as pd

SCHEMA = "bsbench-run-1"

_LONGEST_NAME = 100
"""Bytes of a file name that is made up here."""


@dataclass(frozen=True, eq=False)
class Result:
    """Move counts of one run, with full provenance.

    Attributes
    ----------
    scenario : Scenario
    strategy : str
    source : str
        The strategy's source.
    parameters : dict
        The strategy's parameters, all of them.
    label : str
        The strategy's name and those parameters that differ from their defaults: what
        tells it from its variants, such as ``over9000 noise=0.01``.
    seed : int
    requested : int
        Games asked for; fewer were played if the run was interrupted.
    until : float or None
        Half-width of the interval of the mean that was asked for: ``requested`` is then
        the most games allowed if the run was interrupted, else those played.
    counts : ndarray of int64, shape (cells + 1,)
        Number of games by move count.
    learning : Learning or None
        How learners fared, for a strategy that learns from game to game.
    threads : int
    setup_seconds, play_seconds : float
        Compiling or loading kernels and building tables; playing.
    moves : ndarray of uint8 or uint16, shape (games,), or None
        Move count of each game, if kept.
    bsbench, stream_version, machine, versions, date
        Where and with what it was played.
    """

    scenario: Scenario
    strategy: str
    source: str
    parameters: dict[str, Any]
    label: str
    seed: int
    requested: int
    counts: Counts = field(repr=False)
    threads: int
    setup_seconds: float
    play_seconds: float
    bsbench: str
    stream_version: int
    until: float | None = None
    learning: Learning | None = field(default=None, repr=False)
    moves: npt.NDArray[Any] | None = field(default=None, repr=False)
    machine: dict[str, Any] = field(default_factory=this_machine, repr=False)
    versions: dict[str, str] = field(default_factory=library_versions, repr=False)
    date: str = field(
        default_factory=lambda: datetime.now(UTC).isoformat(sep=" ", timespec="seconds")
    )

    @cached_property
    def stats(self) -> Summary:
        """Mean, interval, spread and quantiles."""
        return summarize(self.counts, self.learning)

    @property
    def games(self) -> int:
        """Games played."""
        return self.stats.games

    @property
    def partial(self) -> bool:
        """Whether the run was interrupted before all games were played."""
        return self.games < self.requested

    @property
    def games_per_learner(self) -> int:
        """Consecutive games that depend on each other: above 1 where the strategy learns."""
        return self.learning.games_per_learner if self.learning else 1

    @property
    def games_per_second(self) -> float:
        """Games played per second of play, set-up not counted."""
        return self.games / self.play_seconds

    def exact_law(self, effort: int = EFFORT) -> Law | None:
        """Return the exact law of the move counts, or None where it is not known.

        It is for ``random``, and mostly for ``linear``: `bsbench.exact.find_law` says where, and
        why not. Whether the move counts follow it tells `bsbench.stats.goodness_of_fit`.

        Returns
        -------
        ndarray of float64, shape (cells + 1,), or None
            Probability of each move count.
        """
        return exact_law(self.strategy, self.scenario, effort)

    def first(self, games: int) -> Result:
        """Return the result of the first games alone, of a run whose move counts were kept.

        They are given their share of the time.
        """
        if self.moves is None:
            raise BsbenchError("the first games can't be told apart: run with keep_moves")
        if games >= self.games:
            return self
        moves = self.moves[:games]
        return dataclasses.replace(
            self,
            counts=np.bincount(moves, minlength=len(self.counts)),
            learning=self.learning and Learning.of(self.learning.games_per_learner, moves),
            moves=moves,
            play_seconds=self.play_seconds * len(moves) / self.games,
        )

    def histogram(self) -> pd.DataFrame:
        """Return the tidy histogram: columns strategy, label, scenario, moves, games.

        One row for each move count that occurred, ascending. Results of several variants
        of a strategy, put together, are told apart by ``label``; for parameters as numbers
        add columns, as in ``result.histogram().assign(**result.parameters)``.
        """
        import pandas as pd

        moves = np.flatnonzero(self.counts)
        return pd.DataFrame(
            {
                "strategy": self.strategy,
                "label": self.label,
                "scenario": self.scenario.name,
                "moves": moves,
                "games": self.counts[moves],
            }
        )

    def figures(self) -> dict[str, Any]:
        """Return the row of `summary`, by column."""
        return {
            "strategy": self.strategy,
            "label": self.label,
            "scenario": self.scenario.name,
            "seed": self.seed,
            # What is not there is NaN in frames, as pandas wants it.
            **{
                key: math.nan if value is None else value
                for key, value in dataclasses.asdict(self.stats).items()
            },
            "games_per_second": self.games_per_second,
        }

    def summary(self) -> pd.DataFrame:
        """Return one tidy row: strategy, label, scenario, seed and all fields of `Summary`.

        Variants of a strategy are told apart as in `histogram`.
        """
        import pandas as pd

        return pd.DataFrame([self.figures()])

    def learning_curve(self) -> pd.DataFrame:
        """Return the tidy learning curve: columns label, game, learners, mean, half_width.

        One row for each game of a learner, from its first on: how many learners played it,
        their mean moves in it, and the half width of its 95 % interval, with the learner as
        the unit; NaN where one learner did.

        Raises
        ------
        BsbenchError
            If the strategy does not learn from game to game.
        """
        import pandas as pd

        if self.learning is None:
            raise BsbenchError(f"{self.label} does not learn from game to game: it has no curve")
        learners, mean, error = self.learning.curve()
        return pd.DataFrame(
            {
                "label": self.label,
                "game": np.arange(1, len(learners) + 1),
                "learners": learners,
                "mean": mean,
                "half_width": half_width(error),
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the record, as described at the top of this module."""
        return {
            "schema": SCHEMA,
            "bsbench": self.bsbench,
            "stream_version": self.stream_version,
            "scenario": self.scenario.to_dict(),
            "strategy": {
                "name": self.strategy,
                "source": self.source,
                "parameters": self.parameters,
                "label": self.label,
            },
            "seed": self.seed,
            "games": self.games,
            "requested": self.requested,
            "partial": self.partial,
            **({} if self.until is None else {"until": self.until}),
            "counts": self.counts.tolist(),
            **({"learning": _learning_record(self.learning)} if self.learning else {}),
            "summary": {
                key: None if value != value else value
                for key, value in dataclasses.asdict(self.stats).items()
            },
            "threads": self.threads,
            "seconds": {
                "setup": round(self.setup_seconds, 4),
                "play": round(self.play_seconds, 4),
            },
            "machine": self.machine,
            "versions": self.versions,
            "date": self.date,
        }

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> Result:
        """Return the result that a record holds.

        Raises
        ------
        BsbenchError
            If the record is of another schema, or contradicts itself.
        KeyError, TypeError, ValueError
            If a key is missing or its value of the wrong kind.
        """
        if record["schema"] != SCHEMA:
            raise BsbenchError(f"its schema is {record['schema']!r}, not {SCHEMA!r}")
        scenario = scenario_from_dict(record["scenario"])
        numbers = list(record["counts"])
        if not all(type(number) is int and number >= 0 for number in numbers):
            raise BsbenchError("its counts are not all whole numbers")
        if len(numbers) != scenario.rules.cells + 1 or any(numbers[: scenario.rules.ship_cells]):
            raise BsbenchError("its counts don't match the board and the fleet")
        if sum(numbers) != record["games"] or not 1 <= record["games"] <= record["requested"]:
            raise BsbenchError("its counts don't add up to its games")
        if not (record["seconds"]["play"] > 0 and record["threads"] >= 1 and record["seed"] >= 0):
            raise BsbenchError("its seconds, threads or seed can't be")
        until = record.get("until")
        if until is not None and not (type(until) in (int, float) and 0 < until < math.inf):
            raise BsbenchError("its until is not a number above 0")
        if not all(type(record[key]) is dict for key in ("machine", "versions", "strategy")):
            raise BsbenchError("its machine, versions or strategy are not tables")
        name, parameters = str(record["strategy"]["name"]), dict(record["strategy"]["parameters"])
        label = record["strategy"].get("label", name)
        if not _is_label(label, name, parameters):
            raise BsbenchError("its label doesn't match its strategy and parameters")
        counts = np.array(numbers, np.int64)
        learning = record.get("learning")
        learning = None if learning is None else _read_learning(learning, counts)
        # Without its learners, the interval would be that of independent games.
        played = learning.games_per_learner if learning else 1
        if parameters.get("games_per_learner", played) != played:
            raise BsbenchError("its learners don't match its parameters")
        return cls(
            learning=learning,
            scenario=scenario,
            strategy=name,
            source=str(record["strategy"]["source"]),
            parameters=parameters,
            label=label,
            seed=int(record["seed"]),
            requested=int(record["requested"]),
            until=until,
            counts=counts,
            threads=int(record["threads"]),
            setup_seconds=float(record["seconds"]["setup"]),
            play_seconds=float(record["seconds"]["play"]),
            bsbench=str(record["bsbench"]),
            stream_version=int(record["stream_version"]),
            machine=dict(record["machine"]),
            versions=dict(record["versions"]),
            date=str(record["date"]),
        )

    def default_name(self) -> str:
        """Return a file name without suffix, such as ``over9000-noise-0.01-classic``."""
        return file_name(f"{self.label}-{self.scenario.name}")


def file_name(text: str) -> str:
    """Return a text as the name of a file: without spaces and the like, and not too long."""
    name = re.sub(r"[^\w.+-]", "-", text)
    if len(name.encode()) <= _LONGEST_NAME:
        return name
    # File systems allow 255 bytes; a hash keeps different long names apart.
    digest = hashlib.blake2b(name.encode(), digest_size=4).hexdigest()
    return f"{name.encode()[:_LONGEST_NAME].decode(errors='ignore')}-{digest}"


def _learning_record(learning: Learning) -> dict[str, Any]:
    return {
        "games_per_learner": learning.games_per_learner,
        "totals": learning.totals.tolist(),
        "moves": learning.moves.tolist(),
        "squares": learning.squares.tolist(),
        "stages": learning.stages.tolist(),
    }


def _read_learning(record: dict[str, Any], counts: Counts) -> Learning:
    """Return how learners fared, if it agrees with the histogram."""
    games = int(counts.sum())
    total = int((counts * np.arange(len(counts))).sum())
    squares = int((counts * np.arange(len(counts)) ** 2).sum())
    per_learner = record["games_per_learner"]
    if type(per_learner) is not int or per_learner <= 1:
        raise BsbenchError("its games per learner are not a whole number above 1")
    played = min(games, per_learner)
    sums = {
        "totals": (-(-games // per_learner), total),
        "moves": (played, total),
        "squares": (played, squares),
    }
    for key, (length, expected) in sums.items():
        if not _are_whole(record[key]):
            raise BsbenchError(f"its {key} of learners are not all whole numbers")
        if len(record[key]) != length or sum(record[key]) != expected:
            raise BsbenchError(f"its {key} of learners don't match its counts")
    moves, stages, ends = record["moves"], record["stages"], stage_ends(per_learner)
    if [len(stage) for stage in stages] != [len(ends)] * 2 or not all(map(_are_whole, stages)):
        raise BsbenchError("its stages of learners are not two lists of whole numbers")
    for game, sums_of_game in enumerate(zip(moves, record["squares"], strict=True), start=1):
        if not _are_sums(learners_who_played(games, per_learner, game), *sums_of_game):
            raise BsbenchError("its squares of learners don't match their moves")
    for begin, end, in_stage, squares_of_stage in zip([0, *ends], ends, *stages, strict=False):
        in_games = sum(moves[begin:end])
        # Of a learner who did not complete the stage, its games there are left out.
        completed = not begin < games % per_learner < end
        if in_stage > in_games or (completed and in_stage != in_games):
            raise BsbenchError("its stages of learners don't match their moves")
        learners = learners_who_played(games, per_learner, end)
        if not _are_sums(learners, in_stage, squares_of_stage):
            raise BsbenchError("its stages of learners don't match their squares")
    return Learning(
        games=games,
        games_per_learner=per_learner,
        totals=np.array(record["totals"], np.int64),
        moves=np.array(record["moves"], np.int64),
        squares=np.array(record["squares"], np.int64),
        stages=np.array(stages, np.int64),
    )


def _are_whole(numbers: list[Any]) -> bool:
    return all(type(number) is int and number >= 0 for number in numbers)


def _are_sums(count: int, total: int, squares: int) -> bool:
    """Tell whether so many whole numbers can have this sum, and these squares this one."""
    return total**2 <= count * squares and squares <= total**2


def _is_label(label: Any, name: str, parameters: dict[str, Any]) -> bool:
    """Tell whether a label is the name and some of the parameters, in their order."""
    if not isinstance(label, str) or not label.startswith(name):
        return False
    rest = label.removeprefix(name)
    for parameter, value in parameters.items():
        rest = rest.removeprefix(f" {setting_text(parameter, value)}")
    return not rest


MOVES_SUFFIX = "-moves.npy"
"""What stands for ``.json`` in the name of the file that keeps the move count of each game."""


def load_result(path: str | Path, with_moves: bool = False) -> Result:
    """Read a record.

    Parameters
    ----------
    path : str or Path
    with_moves : bool
        Read the move counts, too, if they are kept beside the record.

    Raises
    ------
    BsbenchError
        If a file can't be read, or is not a whole and consistent record.
    """
    path = Path(path)
    try:
        result = Result.from_dict(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise BsbenchError(f"can't read {path}: {error.strerror}") from None
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError):
        raise BsbenchError(
            f"{path} is not a record of a run, or is damaged: records are the JSON files that "
            "'bsbench run' writes"
        ) from None
    except BsbenchError as error:
        raise BsbenchError(f"{path} is not a usable record: {error}") from None
    kept = path.with_name(f"{path.stem}{MOVES_SUFFIX}")
    if with_moves and kept.is_file():
        return dataclasses.replace(result, moves=_read_moves(kept, result))
    return result


def _read_moves(path: Path, result: Result) -> npt.NDArray[Any]:
    """Return kept move counts, if they are those of the record."""
    try:
        moves = np.load(path, allow_pickle=False)
        whole = moves.ndim == 1 and np.issubdtype(moves.dtype, np.unsignedinteger)
        counts = np.bincount(moves, minlength=len(result.counts)) if whole else None
    except OSError as error:
        raise BsbenchError(f"can't read {path}: {error.strerror or error}") from None
    except (ValueError, EOFError):
        raise BsbenchError(f"{path} holds no move counts, or is damaged: remove it") from None
    if counts is None or not np.array_equal(counts, result.counts):
        raise BsbenchError(
            f"{path} is not of the run that the record beside it tells of: remove it, or play the "
            "games again with --keep-moves"
        )
    return moves  # type: ignore[no-any-return]


def load_results(paths: Iterable[str | Path]) -> list[Result]:
    """Read records, each with the move counts beside it if they were kept.

    Parameters
    ----------
    paths : iterable of str or Path
        Records, or folders of them. In a folder, JSON files that are no records of runs, such
        as those of ``bsbench bench``, are passed over.

    Raises
    ------
    BsbenchError
        If a file can't be read or is damaged, or a folder has no records.
    """
    found = []
    for path in map(Path, paths):
        if path.is_dir():
            inside = [each for each in sorted(path.glob("*.json")) if not _is_other(each)]
            if not inside:
                raise BsbenchError(
                    f"there are no records in the folder {path}: records are the JSON files that "
                    "'bsbench run' writes"
                )
            found += inside
        else:
            found.append(path)
    return [load_result(path, with_moves=True) for path in found]


def _is_other(path: Path) -> bool:
    """Tell whether a file is JSON that says it is something else than a record of a run."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(content, dict) and not str(content.get("schema", "")).startswith(
        "bsbench-run"
    )


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Open a file that appears under its name only when complete, replacing an older one."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
        os.chmod(name, _usual_mode())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def output_place(output: str | None, default_name: str) -> tuple[Path, str]:
    """Return the folder that results will be written to, made if missing, and their name.

    Parameters
    ----------
    output : str or None
        Path of the record, with or without ``.json``; an existing folder, or a path that
        ends in a slash, means the default name in there. None means ``results/``.
    default_name : str

    Raises
    ------
    BsbenchError
        If the folder can't be made or written to.
    """
    if output is None:
        output = "results/"
    if not output.strip():
        raise BsbenchError("the output path is empty: give a file name")
    path = Path(output)
    if output.endswith(("/", os.sep)) or path.is_dir():
        folder, name = path, default_name
    else:
        folder, name = path.parent, path.name.removesuffix(".json")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except FileExistsError:
        raise BsbenchError(f"can't write to {folder}: it is a file, not a folder") from None
    except OSError as error:
        raise BsbenchError(
            f"can't write to the folder {folder}: {error.strerror}; choose another one"
        ) from None
    return folder, name or default_name


def save_result(
    result: Result,
    output: str | None = None,
    charts: dict[str, Callable[[IO[bytes]], None]] | None = None,
) -> list[Path]:
    """Write the record, the move counts if kept, and charts, beside each other.

    Parameters
    ----------
    result : Result
    output : str, optional
        As for `output_place`; default ``results/LABEL-SCENARIO.json``. If any file
        of that name exists, the next free number is appended to the name, so that
        nothing is overwritten.
    charts : dict of callable, optional
        By file suffix, such as ``.png``, a function that writes the chart.

    Returns
    -------
    list of Path
        The files written, the record first.

    Raises
    ------
    BsbenchError
        If they can't be written.
    """
    folder, stem = output_place(output, result.default_name())
    beside: dict[str, Callable[[IO[bytes]], None]] = {}
    if result.moves is not None:
        moves = result.moves
        beside[MOVES_SUFFIX] = lambda file: np.save(file, moves)
    beside |= charts or {}
    try:
        record = _save_under_free_name(result, folder, stem, list(beside))
        paths = [record]
        for suffix, write in beside.items():
            path = folder / f"{record.stem}{suffix}"
            with replacing(path) as file:
                write(file)
            paths.append(path)
    except OSError as error:
        raise BsbenchError(f"can't write to {folder}: {error.strerror}") from None
    return paths


def _save_under_free_name(result: Result, folder: Path, stem: str, suffixes: list[str]) -> Path:
    """Write the record as ``stem.json``, ``stem-2.json``, …: the first that is free.

    The record claims its name in one step, also against a run that ends at the
    same moment; the files beside it then belong to it.
    """
    with tempfile.NamedTemporaryFile(dir=folder, prefix=f".{stem}.", suffix=".json") as file:
        write_record(result, file)
        file.flush()
        os.chmod(file.name, _usual_mode())
        for number in itertools.count(1):
            name = stem if number == 1 else f"{stem}-{number}"
            path = folder / f"{name}.json"
            if any((folder / f"{name}{suffix}").exists() for suffix in suffixes):
                continue
            try:
                os.link(file.name, path)
            except FileExistsError:
                continue
            except OSError:
                # A file system without hard links: claim the name first, then fill it.
                try:
                    os.close(os.open(path, os.O_CREAT | os.O_EXCL))
                except FileExistsError:
                    continue
                with replacing(path) as claimed:
                    write_record(result, claimed)
            return path
    raise AssertionError("counting never ends")


def _usual_mode() -> int:
    """Return the mode of a new file; temporary files are made private."""
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask


def write_record(result: Result, file: IO[bytes]) -> None:
    """Write a record as JSON."""
    file.write(json_text(result.to_dict()).encode())


def json_text(record: dict[str, Any]) -> str:
    """Return a record as JSON, lists of numbers on one line each."""
    text = json.dumps(record, indent=1, ensure_ascii=False)
    # One number a line would make the histogram most of the file. Only lists have line
    # breaks in them: no name or other text is touched.
    text = re.sub(r"\[\n([\d\s,]+)\]", lambda match: f"[{' '.join(match[1].split())}]", text)
    return f"{text}\n"


def write_csv(result: Result, path: str | Path) -> None:
    """Write the tidy histogram as CSV: columns strategy, label, scenario, moves, games.

    Raises
    ------
    BsbenchError
        If it can't be written, or a file is there already.
    """
    check_export(path)
    write_file(path, lambda file: file.write(csv_text(result).encode()))


def check_export(path: str | Path) -> None:
    """Refuse a path that can't be exported to: nothing that exists is overwritten.

    Raises
    ------
    BsbenchError
        If it is a file or folder already, or its folder doesn't exist.
    """
    path = Path(path)
    if path.is_dir():
        raise BsbenchError(f"can't export to {path}: it is a folder")
    if path.is_file():
        raise BsbenchError(f"{path} exists already: choose another name, or remove it")
    if not path.parent.is_dir():
        raise BsbenchError(f"can't export to {path}: there is no folder {path.parent}")


def write_file(path: str | Path, write: Callable[[IO[bytes]], object]) -> None:
    """Write a file that appears only when complete, replacing an older one.

    What is no regular file, such as a pipe, is written to as it is.

    Raises
    ------
    BsbenchError
        If it can't be written.
    """
    path = Path(path)
    try:
        whole = replacing(path) if path.is_file() or not path.exists() else path.open("wb")
        with whole as file:
            write(file)
    except OSError as error:
        raise BsbenchError(f"can't write {path}: {error.strerror}") from None


def csv_text(result: Result) -> str:
    """Return the tidy histogram as CSV text."""
    text = io.StringIO()
    result.histogram().to_csv(text, index=False, lineterminator="\n")
    return text.getvalue()
