"""Records of runs as files: read and checked, found in folders, and written.

`bsbench.runs.results` describes what a record holds. A record that contradicts itself is refused.
"""

from __future__ import annotations

import dataclasses
import math
import re
import sys
import warnings
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from bsbench.common.archives import LARGEST_HEADER, BadArchive, read_array
from bsbench.common.errors import BsbenchError, BsbenchWarning, StrategyError, WriteError, reason
from bsbench.common.files import (
    json_text,
    output_place,
    read_json,
    replacing,
    write_under_free_name,
)
from bsbench.common.reading import read_bytes
from bsbench.common.settings import LARGEST_RUN, LARGEST_SEED, MOST_THREADS, setting_text
from bsbench.common.texts import is_line, shortened
from bsbench.rules.board import Rules
from bsbench.rules.scenario import Scenario, scenario_from_dict
from bsbench.runs.request import check_feedback
from bsbench.runs.results import SCHEMA, Result
from bsbench.runs.tally import Tally
from bsbench.stats import Counts, Learning, exact_dot, learners_who_played, stage_ends

_AT_ONCE = 1 << 20
"""Games that are counted at once, so that little memory is needed."""

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
        raise BsbenchError(f"its schema is {shortened(record['schema'])}, not {SCHEMA!r}")
    for key, (fits, wanted) in _FACTS.items():
        value = record
        for part in key.split("."):
            value = value[part]
        if not fits(value):
            raise BsbenchError(f"its {key} is {shortened(value)}, not {wanted}")
    scenario = scenario_from_dict(record["scenario"])
    rules = scenario.rules
    numbers = list(record["counts"])
    if not _are_whole(numbers):
        raise BsbenchError("its counts are not all whole numbers")
    if len(numbers) != rules.cells + 1 or any(numbers[: rules.ship_cells]):
        raise BsbenchError("its counts don't match the board and the fleet")
    if sum(numbers) != record["games"] or record["games"] > record["requested"]:
        raise BsbenchError("its counts don't add up to its games")
    if record["partial"] is not (record["games"] < record["requested"]):
        raise BsbenchError("its partial doesn't match its games")
    until = record.get("until")
    if until is not None and not (_is_number(until) and until > 0):
        raise BsbenchError("its until is not a number above 0")
    name, parameters = record["strategy"]["name"], dict(record["strategy"]["parameters"])
    label = record["strategy"].get("label", name)
    if not is_line(label) or not _is_label(label, name, parameters):
        raise BsbenchError("its label doesn't match its strategy and parameters")
    counts = np.array(numbers, np.int64)
    learning = record.get("learning")
    learning = None if learning is None else _read_learning(learning, counts, rules)
    # Without its learners, the interval would be that of independent games.
    played = learning.games_per_learner if learning else 1
    if parameters.get("games_per_learner", played) != played:
        raise BsbenchError("its learners don't match its parameters")
    _check_built_in(record["strategy"], scenario, played)
    fault = record.get("fault")
    result = Result(
        tally=Tally.without_evidence(counts, learning),
        fault=None if fault is None else _read_fault(fault, name, record),
        scenario=scenario,
        strategy=name,
        source=record["strategy"]["source"],
        parameters=parameters,
        label=label,
        seed=record["seed"],
        requested=record["requested"],
        until=until,
        threads=record["threads"],
        setup_seconds=float(record["seconds"]["setup"]),
        play_seconds=float(record["seconds"]["play"]),
        bsbench=record["bsbench"],
        stream_version=record["stream_version"],
        machine=dict(record["machine"]),
        versions=dict(record["versions"]),
        date=record["date"],
    )
    _check_summary(record["summary"], result)
    return result


def _is_whole(value: Any, least: int, most: int) -> bool:
    return type(value) is int and least <= value <= most


def _is_number(value: Any) -> bool:
    """Return whether a value is a number, neither infinite nor too large for a float."""
    return type(value) in (int, float) and -_LARGEST_FLOAT <= value <= _LARGEST_FLOAT


def _is_seconds(value: Any, least: float) -> bool:
    return _is_number(value) and least <= value <= _MOST_SECONDS


def _is_name(value: Any) -> bool:
    return is_line(value) and bool(value.strip())


def _is_version(value: Any) -> bool:
    return _is_name(value) and re.fullmatch(r"\d[\w.+!-]{0,60}", value, re.ASCII) is not None


def _is_date(value: Any) -> bool:
    try:
        return _is_name(value) and datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False


def _is_setting(value: Any) -> bool:
    return is_line(value) or type(value) is bool or _is_number(value)


def _is_line_or_count(value: Any) -> bool:
    return is_line(value) or _is_whole(value, least=1, most=10**6)


def _is_table(value: Any, of: Callable[[Any], bool]) -> bool:
    """Return whether a value is a table with such entries."""
    return (
        type(value) is dict
        and len(value) <= _MOST_ENTRIES
        and all(map(_is_name, value))
        and all(map(of, value.values()))
    )


_LARGEST_FLOAT = sys.float_info.max
_MOST_SECONDS = 1e10
_MOST_ENTRIES = 1_000

_FACTS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "bsbench": (_is_version, "a version such as 0.1.0"),
    "stream_version": (partial(_is_whole, least=1, most=10**6), "a whole number above 0"),
    "strategy.name": (_is_name, "text on a line"),
    "strategy.source": (is_line, "text on a line"),
    "strategy.parameters": (partial(_is_table, of=_is_setting), "a table of values"),
    "seed": (partial(_is_whole, least=0, most=LARGEST_SEED), "a whole number from 0 on"),
    "games": (partial(_is_whole, least=1, most=LARGEST_RUN), f"1 to {LARGEST_RUN:,}"),
    "requested": (partial(_is_whole, least=1, most=LARGEST_RUN), f"1 to {LARGEST_RUN:,}"),
    "threads": (partial(_is_whole, least=1, most=MOST_THREADS), f"1 to {MOST_THREADS:,}"),
    "seconds.setup": (partial(_is_seconds, least=0), "a time in seconds"),
    "seconds.play": (partial(_is_seconds, least=1e-6), "a time in seconds, above 0"),
    "machine": (partial(_is_table, of=_is_line_or_count), "a table of texts and whole numbers"),
    "versions": (partial(_is_table, of=is_line), "a table of texts"),
    "date": (_is_date, "a date with time and zone"),
}
"""What a record says beside its counts: what each value must be, and how that is called."""


def _check_built_in(record: dict[str, Any], scenario: Scenario, games_per_learner: int) -> None:
    """Refuse what a built-in strategy can't have played: its parameters are known.

    Raises
    ------
    BsbenchError
        If it can't.
    """
    # Imported late: the other checks need no kernels, which take a moment to load.
    from bsbench.strategies import built_in_strategy, strategy_names

    if record["name"] not in strategy_names():
        return
    parameters = record["parameters"]
    strategy = built_in_strategy(record["name"]).configured(parameters)
    if strategy.parameters != {**strategy.parameters, **parameters}:
        raise BsbenchError("its parameters are not what the strategy makes of them")
    if record.get("label", strategy.label) != strategy.label:
        raise BsbenchError("its label doesn't match its strategy and parameters")
    if strategy.games_per_learner != games_per_learner:
        raise BsbenchError("its learners don't match its strategy")
    check_feedback(strategy, scenario)


def _read_fault(fault: dict[str, Any], strategy: str, record: dict[str, Any]) -> StrategyError:
    """Return the fault that ended a run, if it agrees with the games that were played."""
    game, shots = fault["game"], fault["shots"]
    problem, line = fault["problem"], fault["line"]
    if not (is_line(problem) and is_line(line)):
        raise BsbenchError("its fault is not text on a line")
    whole = [number for number in (game, shots) if number is not None]
    if not _are_whole(whole) or not record["games"] <= game < record["requested"]:
        raise BsbenchError("its fault doesn't match its games")
    return StrategyError(strategy, game, int(record["seed"]), shots, problem, line)


def _read_learning(record: dict[str, Any], counts: Counts, rules: Rules) -> Learning:
    """Return the sums of learners, if they agree with the rules and the histogram."""
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
    last = games - per_learner * (len(record["totals"]) - 1)
    of_totals = [per_learner] * (len(record["totals"]) - 1) + [last]
    of_moves = [learners_who_played(games, per_learner, game + 1) for game in range(played)]
    for key, of in (("totals", of_totals), ("moves", of_moves)):
        for number, total in zip(of, record[key], strict=True):
            if not number * rules.ship_cells <= total <= number * rules.cells:
                raise BsbenchError(f"its {key} of learners don't match the board and the fleet")
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


def _are_whole(numbers: Any) -> bool:
    return type(numbers) is list and all(type(number) is int and number >= 0 for number in numbers)


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


def _check_summary(summary: dict[str, Any], result: Result) -> None:
    """Refuse a summary that is not that of the counts; records of early versions have less in it.

    Raises
    ------
    BsbenchError
        If it is not.
    """
    known = dataclasses.asdict(result.stats)
    for key, value in summary.items():
        expected = known.get(key)
        if expected is None or math.isnan(expected):
            same = value is None
        else:
            same = _is_number(value) and math.isclose(value, expected, rel_tol=_ROUNDING)
        if key not in known or not same:
            raise BsbenchError(
                f"its summary says {shortened(key)} is {shortened(value)}, which doesn't match its "
                "counts"
            )


_ROUNDING = 1e-9
"""Relative difference of figures at most that versions of bsbench and libraries may make."""


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
    result = read_json(path, read_record, *_KIND)
    return _with_moves(path, result) if with_moves else result


_KIND = (
    "a usable record",
    "a record of a run, or is damaged: records are the JSON files that 'bsbench run' writes",
)
"""What a file of a record is, and what it otherwise is not, for `read_json`."""


def _with_moves(path: Path, result: Result) -> Result:
    """Return the result of a record with the move counts that are kept beside it, if any are."""
    kept = path.with_name(f"{path.stem}{MOVES_SUFFIX}")
    return (
        dataclasses.replace(result, moves=_read_moves(kept, result)) if kept.is_file() else result
    )


def _read_moves(path: Path, result: Result) -> npt.NDArray[Any]:
    """Return kept move counts, if they are those of the record."""
    # The smallest kind of numbers that holds every move count.
    wanted = np.min_scalar_type(result.scenario.rules.cells)
    most = result.games * wanted.itemsize + LARGEST_HEADER
    moves = np.empty(0, wanted)
    try:
        if path.stat().st_size <= most:
            moves = read_array(read_bytes(path, most))
    except BadArchive:
        raise BsbenchError(f"{path} holds no move counts, or is damaged: remove it") from None
    except MemoryError:
        raise BsbenchError(f"the move counts in {path} don't fit in memory") from None
    same = moves.dtype == wanted and moves.ndim == 1
    if not same or not np.array_equal(_counted(moves, len(result.counts)), result.counts):
        raise BsbenchError(
            f"{path} is not of the run of the record beside it: remove it, or play the "
            "games again with --keep-moves"
        )
    return moves


def _counted(moves: npt.NDArray[Any], length: int) -> Counts:
    """Return the number of games by move count; those with more moves than that are left out."""
    counts = np.zeros(length, np.int64)
    for begin in range(0, len(moves), _AT_ONCE):
        counts += np.bincount(moves[begin : begin + _AT_ONCE], minlength=length)[:length]
    return counts


def load_results(paths: Iterable[str | Path]) -> list[Result]:
    """Read records, each with the move counts beside it if they were kept.

    Warns if they are of several layout streams.

    Parameters
    ----------
    paths : iterable of str or Path
        Records, or folders of them. In a folder, JSON files that are no records of runs, such
        as those of ``bsbench bench``, are skipped, and so are files whose names begin with a dot:
        they belong to a run that is being saved, or was killed.

    Raises
    ------
    BsbenchError
        If a file can't be read or is damaged, two contradict each other, or a folder has no
        records.
    """
    named: list[tuple[Path, Result]] = []
    for path in map(Path, paths):
        if not path.is_dir():
            named.append((path, load_result(path, with_moves=True)))
            continue
        inside = [
            (each, _with_moves(each, result))
            for each in sorted(path.glob("[!.]*.json"))
            if (result := read_json(each, _read_if_record, *_KIND)) is not None
        ]
        if not inside:
            raise BsbenchError(
                f"there are no records in the folder {path}: records are the JSON files that "
                "'bsbench run' writes"
            )
        named += inside
    check_copies(named)
    found = [result for _, result in named]
    streams = sorted({result.stream_version for result in found})
    if len(streams) > 1:
        warnings.warn(
            f"the records are of several layout streams ({', '.join(map(str, streams))}): a seed "
            "means other games in each",
            BsbenchWarning,
            stacklevel=2,
        )
    return found


def check_copies(named: Iterable[tuple[str | Path, Result]]) -> None:
    """Refuse records of the same games whose move counts differ: one of them must be wrong.

    Built-in strategies play the same games in every run of one version of bsbench.

    Parameters
    ----------
    named : iterable of tuple
        Results with the names of their files.

    Raises
    ------
    BsbenchError
        If there are such records.
    """
    from bsbench.strategies import strategy_names

    built_in = set(strategy_names())
    known: dict[Any, tuple[str | Path, Result]] = {}
    for path, result in sorted(named, key=lambda each: -each[1].games):
        if result.strategy not in built_in or result.scenario.placement.law == "file":
            continue
        played = result.scenario.rules, result.scenario.placement, result.seed
        version = result.bsbench, result.stream_version
        key = result.strategy, *sorted(result.parameters.items()), *played, *version
        longest, longer = known.setdefault(key, (path, result))
        if (result.counts > longer.counts).any():
            raise BsbenchError(
                f"{longest} and {path} are of the same games, and their move counts differ: remove "
                "the one that is wrong"
            )


def _read_if_record(content: Any) -> Result | None:
    """Return the result that the content of a JSON file is; None if it is of another schema."""
    other = isinstance(content, dict) and not str(content.get("schema", "")).startswith(
        "bsbench-run"
    )
    return None if other else read_record(content)


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
