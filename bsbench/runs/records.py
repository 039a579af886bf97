"""Records of runs as files: read and checked, found in folders, and written.

`bsbench.runs.results` describes what a record holds. A record that contradicts itself is refused.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from bsbench.common.errors import BsbenchError, StrategyError, WriteError, reason
from bsbench.common.files import (
    json_text,
    output_place,
    read_json,
    replacing,
    write_under_free_name,
)
from bsbench.common.settings import setting_text
from bsbench.rules.scenario import scenario_from_dict
from bsbench.runs.results import LONGEST_PROBLEM, SCHEMA, Result
from bsbench.stats import Counts, Learning, exact_dot, learners_who_played, stage_ends

MOVES_SUFFIX = "-moves.npy"
"""What stands for ``.json`` in the name of the file that keeps the move count of each game."""


def read_record(record: dict[str, Any]) -> Result:
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
    fault = record.get("fault")
    return Result(
        learning=learning,
        fault=None if fault is None else _read_fault(fault, name, record),
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


def _read_fault(fault: dict[str, Any], strategy: str, record: dict[str, Any]) -> StrategyError:
    """Return the fault that ended a run, if it agrees with the games that were played."""
    game, shots = fault["game"], fault["shots"]
    problem, line = fault["problem"], fault["line"]
    for text in (problem, line):
        if not (isinstance(text, str) and text.isprintable() and len(text) <= LONGEST_PROBLEM):
            raise BsbenchError("its fault is not text on a line")
    whole = [number for number in (game, shots) if number is not None]
    if not _are_whole(whole) or not record["games"] <= game < record["requested"]:
        raise BsbenchError("its fault doesn't match its games")
    return StrategyError(strategy, game, int(record["seed"]), shots, problem, line)


def _read_learning(record: dict[str, Any], counts: Counts) -> Learning:
    """Return the sums of learners, if they agree with the histogram."""
    games = int(counts.sum())
    total = exact_dot(counts, np.arange(len(counts)))
    squares = exact_dot(counts, np.arange(len(counts)) ** 2)
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
        # A stage leaves out the games of a learner that did not complete it.
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
        stages=np.array(stages, object),
    )


def _are_whole(numbers: list[Any]) -> bool:
    return all(type(number) is int and number >= 0 for number in numbers)


def _are_sums(count: int, total: int, squares: int) -> bool:
    """Return whether this many whole numbers can have this sum and this sum of squares."""
    return total**2 <= count * squares and squares <= total**2


def _is_label(label: Any, name: str, parameters: dict[str, Any]) -> bool:
    """Return whether a label is the name and some of the parameters, in their order."""
    if not isinstance(label, str) or not label.startswith(name):
        return False
    rest = label.removeprefix(name)
    for parameter, value in parameters.items():
        rest = rest.removeprefix(f" {setting_text(parameter, value)}")
    return not rest


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
    otherwise = (
        "a record of a run, or is damaged: records are the JSON files that 'bsbench run' writes"
    )
    result = read_json(path, read_record, "a usable record", otherwise)
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
            f"{path} is not of the run of the record beside it: remove it, or play the "
            "games again with --keep-moves"
        )
    return moves  # type: ignore[no-any-return]


def load_results(paths: Iterable[str | Path]) -> list[Result]:
    """Read records, each with the move counts beside it if they were kept.

    Parameters
    ----------
    paths : iterable of str or Path
        Records, or folders of them. In a folder, JSON files that are no records of runs, such
        as those of ``bsbench bench``, are skipped.

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
    """Return whether a file is JSON of another schema than a record of a run."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(content, dict) and not str(content.get("schema", "")).startswith(
        "bsbench-run"
    )


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
    WriteError
        If they can't be written.
    """
    folder, stem = output_place(output, result.default_name())
    beside: dict[str, Callable[[IO[bytes]], None]] = {}
    if result.moves is not None:
        moves = result.moves
        beside[MOVES_SUFFIX] = lambda file: np.save(file, moves)
    beside |= charts or {}
    try:
        record = write_under_free_name(folder, stem, partial(write_record, result), beside)
        paths = [record]
        for suffix, write in beside.items():
            path = folder / f"{record.stem}{suffix}"
            with replacing(path) as file:
                write(file)
            paths.append(path)
    except OSError as error:
        raise WriteError(f"can't write to {folder}: {reason(error)}") from None
    return paths


def write_record(result: Result, file: IO[bytes]) -> None:
    """Write a record as JSON."""
    file.write(json_text(result.to_dict()).encode())
