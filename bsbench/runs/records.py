"""Records of runs as files, read and checked.

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
from typing import Any

import numpy as np

from bsbench.common.archives import BadArchive, unpacked
from bsbench.common.errors import BsbenchError, BsbenchWarning, StrategyError
from bsbench.common.files import (
    file_name,
    read_json,
)
from bsbench.common.settings import (
    LARGEST_RUN,
    LARGEST_SEED,
    LAST_GAME,
    MOST_THREADS,
    setting_text,
)
from bsbench.common.texts import is_line, shortened
from bsbench.play.lockstep import Moves, moves_dtype
from bsbench.rules.board import Rules
from bsbench.rules.placement import STREAM_VERSION
from bsbench.rules.scenario import Scenario, scenario_from_dict
from bsbench.runs.comparison import Pair, check_pair
from bsbench.runs.finding import find_records
from bsbench.runs.request import check_playable
from bsbench.runs.results import SCHEMA, Result, learning_record
from bsbench.runs.tally import Blocks, Tally, block_ranges, blocks_of
from bsbench.stats import (
    Answers,
    Counts,
    Learning,
    exact_dot,
    learners_who_played,
    stage_ends,
)
from bsbench.stats.answers import FIELDS as ANSWER_FIELDS


def read_record(record: dict[str, Any]) -> Result:
    """Return the result that a record holds.

    Raises
    ------
    BsbenchError
        If the record is of another schema, or contradicts itself.
    KeyError, TypeError, ValueError
        If a key is missing or its value of the wrong kind.
    """
    schema = record["schema"]
    if schema != SCHEMA:
        raise BsbenchError(f"its schema is {shortened(schema)}, not {SCHEMA!r}")
    for key, (fits, wanted) in _FACTS.items():
        value = record
        for part in key.split("."):
            value = value[part]
        if not fits(value):
            raise BsbenchError(f"its {key} is {shortened(value)}, not {wanted}")
    scenario = scenario_from_dict(record["scenario"])
    tally = read_tally(record, scenario.rules)
    if record["games"] > record["requested"]:
        raise BsbenchError("its games are more than those requested")
    if record["partial"] is not (record["games"] < record["requested"]):
        raise BsbenchError("its partial doesn't match its games")
    until = record.get("until")
    if until is not None and not (_is_number(until) and until > 0):
        raise BsbenchError("its until is not a number above 0")
    name, parameters = record["strategy"]["name"], dict(record["strategy"]["parameters"])
    label = record["strategy"]["label"]
    if not is_line(label) or not _is_label(label, name, parameters):
        raise BsbenchError("its label doesn't match its strategy and parameters")
    layouts = record.get("layouts_sha256")
    if not (layouts is None or (_is_hash(layouts) and scenario.placement.law == "file")):
        raise BsbenchError("its layouts_sha256 is not the hash of a file of layouts")
    # Without its learners, the interval would be that of independent games.
    played = tally.learning.games_per_learner if tally.learning else 1
    if parameters.get("games_per_learner", played) != played:
        raise BsbenchError("its learners don't match its parameters")
    _check_built_in(record["strategy"], scenario, played)
    fault = record.get("fault")
    result = Result(
        tally=tally,
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
        revisions=tuple(record["revisions"]),
        strategy_sha256=record["strategy"]["sha256"],
        layouts_sha256=layouts,
    )
    _check_summary(record["summary"], result)
    if record.get("against") is not None:
        against = _read_against(record["against"], result)
        result = dataclasses.replace(result, against=against)
    if record.get("moves") is None:
        return result
    return _with_moves(result, _unpacked_moves(record["moves"], result))


def read_tally(record: dict[str, Any], rules: Rules) -> Tally:
    """Return the tally that a record, or a journal, holds.

    Parameters
    ----------
    record : dict
        Its ``first_game`` and ``games`` are whole numbers.
    rules : Rules

    Raises
    ------
    BsbenchError
        If it contradicts itself.
    KeyError, TypeError, ValueError
        If a key is missing or its value of the wrong kind.
    """
    numbers, first_game = list(record["counts"]), record["first_game"]
    if not _are_whole(numbers):
        raise BsbenchError("its counts are not all whole numbers")
    if len(numbers) != rules.cells + 1 or any(numbers[: rules.ship_cells]):
        raise BsbenchError("its counts don't match the board and the fleet")
    if sum(numbers) != record["games"]:
        raise BsbenchError("its counts don't add up to its games")
    if first_game + record["games"] - 1 > LAST_GAME:
        raise BsbenchError("its games go beyond the last one, 2^63 - 1")
    counts = np.array(numbers, np.int64)
    learning = record.get("learning")
    if learning is not None:
        learning = _read_learning(learning, counts, rules)
        if first_game % learning.games_per_learner:
            raise BsbenchError("its first game is not the first one of a learner")
    if "blocks" in record:
        tally = _read_evidence(record, counts, learning, rules)
    else:
        tally = Tally.without_evidence(counts, learning, first_game)
    if "answers" in record:
        return dataclasses.replace(tally, answers=_read_answers(record["answers"], counts))
    return tally


def _is_whole(value: Any, least: int, most: int) -> bool:
    return type(value) is int and least <= value <= most


def _is_number(value: Any) -> bool:
    """Return whether a value is a number, neither infinite nor too large for a float."""
    return type(value) in (int, float) and -_LARGEST_FLOAT <= value <= _LARGEST_FLOAT


def _is_seconds(value: Any, least: float) -> bool:
    return _is_number(value) and least <= value <= _MOST_SECONDS


def _is_hash(value: Any) -> bool:
    return type(value) is str and re.fullmatch(r"[0-9a-f]{64}", value) is not None


def _are_revisions(value: Any) -> bool:
    return (
        type(value) is list
        and len(value) <= _MOST_ENTRIES
        and all(type(each) is str and re.fullmatch(r"[0-9a-f]{16}", each) for each in value)
    )


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
    "revisions": (_are_revisions, "a list of 16 hexadecimal digits each"),
    "stream_version": (
        partial(_is_whole, least=1, most=STREAM_VERSION),
        f"1 to {STREAM_VERSION}: a newer version of bsbench may read it",
    ),
    "strategy.name": (_is_name, "text on a line"),
    "strategy.source": (is_line, "text on a line"),
    "strategy.parameters": (partial(_is_table, of=_is_setting), "a table of values"),
    "strategy.sha256": (lambda value: value is None or _is_hash(value), "a hash, or null"),
    "seed": (partial(_is_whole, least=0, most=LARGEST_SEED), "a whole number from 0 on"),
    "first_game": (partial(_is_whole, least=0, most=LAST_GAME), "a whole number from 0 on"),
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
    if record["label"] != strategy.label:
        raise BsbenchError("its label doesn't match its strategy and parameters")
    if strategy.games_per_learner != games_per_learner:
        raise BsbenchError("its learners don't match its strategy")
    check_playable(strategy, scenario)


def _read_fault(fault: dict[str, Any], strategy: str, record: dict[str, Any]) -> StrategyError:
    """Return the fault that ended a run, if it agrees with the games that were played."""
    found = read_fault(fault, strategy, record["seed"])
    if not record["games"] <= found.game - record["first_game"] < record["requested"]:
        raise BsbenchError("its fault doesn't match its games")
    return found


def read_fault(fault: dict[str, Any], strategy: str, seed: int) -> StrategyError:
    """Return the fault of a strategy that `bsbench.runs.results.fault_record` gave.

    Raises
    ------
    BsbenchError
        If it has no such numbers or texts.
    KeyError
        If a key is missing.
    """
    game, shots = fault["game"], fault["shots"]
    problem, line = fault["problem"], fault["line"]
    if not (is_line(problem) and is_line(line)):
        raise BsbenchError("its fault is not text on a line")
    if not _are_whole([game] if shots is None else [game, shots]):
        raise BsbenchError("its fault doesn't match its games")
    return StrategyError(strategy, game, seed, shots, problem, line)


def _read_evidence(
    record: dict[str, Any], counts: Counts, learning: Learning | None, rules: Rules
) -> Tally:
    """Return the tally of a record, if first games and blocks agree with its counts."""
    first_game, games = record["first_game"], record["games"]
    firsts = _read_firsts(record["firsts"], counts, first_game)
    rows = [record["blocks"][key] for key in ("moves", "squares", "digests")]
    number = blocks_of(first_game, games)
    if any(type(row) is not list or len(row) != number for row in rows):
        raise BsbenchError(f"its blocks are not lists of {number:,} entries")
    moves, squares, digests = rows
    if not (_are_whole(moves) and _are_whole(squares)):
        raise BsbenchError("its blocks are not all whole numbers")
    for row, each in ((moves, np.arange(len(counts))), (squares, np.arange(len(counts)) ** 2)):
        if sum(row) != exact_dot(counts, each):
            raise BsbenchError("its blocks don't add up to its counts")
    for inside, *sums in zip(block_ranges(first_game, games), moves, squares, strict=True):
        least, most = len(inside) * rules.ship_cells, len(inside) * rules.cells
        if not least <= sums[0] <= most or not _are_sums(len(inside), *sums):
            raise BsbenchError("its blocks don't match the board and the fleet")
    if not all(type(each) is str and re.fullmatch(r"[0-9a-f]{32}", each) for each in digests):
        raise BsbenchError("its digests of blocks are not 32 hexadecimal digits each")
    halves = [(int(each[16:], 16), int(each[:16], 16)) for each in digests]
    entries = [(*sums, *half) for *sums, half in zip(moves, squares, halves, strict=True)]
    blocks: Blocks = np.array(entries, np.uint64).reshape(-1, 4)
    return Tally(first_game, games, counts, firsts, blocks, learning)


def _read_firsts(numbers: Any, counts: Counts, first_game: int) -> Counts:
    """Return the first game of each move count, if they are possible."""
    occurred = np.flatnonzero(counts)
    if not _are_whole(numbers) or len(numbers) != len(occurred):
        raise BsbenchError(f"its firsts are not {len(occurred)} whole numbers")
    # All games before the first one of a length have one of the lengths that came before.
    latest, reached = first_game - 1, first_game
    for game, of_this in sorted(zip(numbers, counts[occurred].tolist(), strict=True)):
        if not latest < game <= reached:
            raise BsbenchError("its firsts don't match its counts")
        latest, reached = game, reached + of_this
    firsts = np.full(len(counts), -1)
    firsts[occurred] = numbers
    return firsts


def _read_against(record: dict[str, Any], result: Result) -> dict[str, Any]:
    """Return how a strategy compares with another one, if that is possible."""
    if not (_is_name(record["label"]) and _is_hash(record["digest"])):
        raise BsbenchError("its against names no other strategy")
    pair = Pair.from_dict(record, result.games, result.scenario.rules.reach)
    return {"label": record["label"], "digest": record["digest"], **pair.to_dict()}


def _read_learning(record: dict[str, Any], counts: Counts, rules: Rules) -> Learning:
    """Return the sums of learners, if they agree with the rules and the histogram."""
    games = int(counts.sum())
    total = exact_dot(counts, np.arange(len(counts)))
    squares = exact_dot(counts, np.arange(len(counts)) ** 2)
    per_learner = record["games_per_learner"]
    if type(per_learner) is not int or per_learner <= 1:
        raise BsbenchError("its games per learner are not a whole number above 1")
    played = min(games, per_learner)
    complete, left = divmod(games, per_learner)
    sums = {"moves": (played, total), "squares": (played, squares)}
    for key, (length, expected) in sums.items():
        if not _are_whole(record[key]):
            raise BsbenchError(f"its {key} of learners are not all whole numbers")
        if len(record[key]) != length or sum(record[key]) != expected:
            raise BsbenchError(f"its {key} of learners don't match its counts")
    rest, of_totals = record["rest"], record["squares_of_totals"]
    if not _are_whole([rest, of_totals]):
        raise BsbenchError("its totals of learners are not whole numbers")
    if not _are_sums(complete, total - rest, of_totals):
        raise BsbenchError("its totals of learners don't match its counts")
    of_moves = [learners_who_played(games, per_learner, game + 1) for game in range(played)]
    for number, in_games in zip([left, *of_moves], [rest, *record["moves"]], strict=True):
        if not number * rules.ship_cells <= in_games <= number * rules.cells:
            raise BsbenchError("its moves of learners don't match the board and the fleet")
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
        squares_of_totals=of_totals,
        rest=rest,
        moves=np.array(record["moves"], np.int64),
        squares=np.array(record["squares"], np.int64),
        stages=np.array(stages, object),
    )


def _read_answers(record: dict[str, Any], counts: Counts) -> Answers:
    """Return how moves were chosen, if it agrees with the histogram."""
    numbers: dict[str, Any] = {name: record.get(name) for name in ANSWER_FIELDS}
    known = [number for name, number in numbers.items() if name in record]
    if not _are_whole(known) or record.keys() - numbers.keys():
        raise BsbenchError("its answers are not whole numbers by name")
    if any(numbers[name] is None for name in ("own", "fallbacks", "unreadable", "repeated")):
        raise BsbenchError("its answers don't say how all moves were chosen")
    answers = Answers(**numbers)
    if answers.moves != exact_dot(counts, np.arange(len(counts))):
        raise BsbenchError("its answers don't match its counts")
    return answers


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


def load_result(path: str | Path) -> Result:
    """Read a record, with its move counts if they are kept.

    Parameters
    ----------
    path : str or Path

    Raises
    ------
    BsbenchError
        If a file can't be read, is not a whole and consistent record, or contradicts the record
        beside it that it is compared with.
    """
    path = Path(path)
    result = read_json(path, read_record, *_KIND)
    _check_against(path, result)
    return result


def _check_against(path: Path, result: Result) -> None:
    """Refuse differences to another strategy that contradict the record of that one.

    A comparison is saved in one folder, and names of files differ by labels.
    """
    if result.against is None:
        return
    labels = file_name(result.label), file_name(result.against["label"])
    beside = path.with_stem(path.stem.replace(*labels, 1))
    if beside == path or not beside.is_file():
        return
    try:
        reference = read_json(beside, read_record, *_KIND)
    except BsbenchError:
        # Nothing is known of it.
        return
    # Else another run has taken its place.
    if reference.tally.digest == result.against["digest"]:
        try:
            check_pair(result, reference)
        except BsbenchError as error:
            raise BsbenchError(f"{path} and {beside} contradict each other: {error}") from None


_KIND = (
    "a usable record",
    "a record of a run, or is damaged: records are the JSON files that 'bsbench run' writes",
)
"""What a file of a record is, and what it otherwise is not, for `read_json`."""


def _with_moves(result: Result, moves: Moves) -> Result:
    """Return the result of a record with its move counts, if they agree with all that it says."""
    rules, known = result.scenario.rules, result.tally
    wanted = np.dtype(moves_dtype(rules)), (known.games,)
    if (moves.dtype, moves.shape) != wanted or moves.max() > rules.cells:
        raise BsbenchError("its moves are not of its games")
    tally = Tally.of(known.first_game, moves, rules.cells, result.games_per_learner)
    if not np.array_equal(tally.counts, known.counts):
        raise BsbenchError("its moves don't match its counts")
    if known.has_evidence and not (
        np.array_equal(tally.firsts, known.firsts) and np.array_equal(tally.blocks, known.blocks)
    ):
        raise BsbenchError("its moves don't match its firsts and blocks")
    played = [learning_record(each) for each in (tally.learning, known.learning) if each]
    if played[:1] != played[1:]:
        raise BsbenchError("its moves don't match its learning")
    tally = dataclasses.replace(tally, answers=known.answers)
    return dataclasses.replace(result, moves=moves, tally=tally)


def _unpacked_moves(text: Any, result: Result) -> Moves:
    """Return the move counts in a record."""
    try:
        return unpacked(text, result.games, moves_dtype(result.scenario.rules))
    except BadArchive as error:
        raise BsbenchError(f"its moves can't be read: {error}") from None


def load_results(paths: Iterable[str | Path]) -> list[Result]:
    """Read records, each with its move counts if they are kept.

    Warns if they are of several layout streams.

    Parameters
    ----------
    paths : iterable of str or Path
        As for `bsbench.runs.finding.find_records`.

    Raises
    ------
    BsbenchError
        If a file can't be read or is damaged, two contradict each other, or a folder has no
        records.
    """
    named = [(path, load_result(path)) for path in find_records(paths)]
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

    Built-in strategies play the same games in every run of one version of bsbench. Of ranges that
    begin with the same game, the longer one must hold what the shorter one does.

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
        settings = sorted(result.parameters.items())
        key = result.strategy, *settings, *played, result.first_game, *version
        longest, longer = known.setdefault(key, (path, result))
        if not _begins_with(longer.tally, result.tally):
            raise BsbenchError(
                f"{longest} and {path} are of the same games, and their move counts differ: remove "
                "the one that is wrong"
            )


def _begins_with(longer: Tally, shorter: Tally) -> bool:
    """Return whether a tally can hold another one that begins with the same game."""
    if (shorter.counts > longer.counts).any():
        return False
    if not (shorter.has_evidence and longer.has_evidence):
        return True
    # The last block may have fewer games in the shorter one.
    same = len(shorter.blocks) - (shorter.end < longer.end)
    seen = shorter.firsts >= 0
    return np.array_equal(shorter.blocks[:same], longer.blocks[:same]) and np.array_equal(
        shorter.firsts[seen], longer.firsts[seen]
    )
