"""Records of runs as files, read and checked.

`bsbench.runs.results` describes what a record holds. A record that contradicts itself is refused.
"""

from __future__ import annotations

import dataclasses
import math
import os
import re
import warnings
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import UNSET, UnsetType

from bsbench.common.errors import BsbenchError, BsbenchWarning, StrategyError
from bsbench.common.files import file_name, read_json
from bsbench.common.packing import BadPacking, unpacked
from bsbench.common.record import as_json, read
from bsbench.common.settings import LARGEST_SEED, LAST_GAME, setting_text
from bsbench.common.texts import is_line, shortened
from bsbench.play.lockstep import Moves, moves_dtype
from bsbench.rules.board import Rules
from bsbench.rules.placement import STREAM_VERSION
from bsbench.rules.scenario import Scenario, scenario_from_dict
from bsbench.runs.comparison import Pair, check_pair
from bsbench.runs.finding import find_records
from bsbench.runs.formats import (
    AgainstRecord,
    AnswersRecord,
    FaultRecord,
    LearningRecord,
    RunRecord,
    StrategyRecord,
    TallyRecord,
)
from bsbench.runs.request import check_playable, in_a_row
from bsbench.runs.results import Result, learning_record
from bsbench.runs.tally import Blocks, Tally, block_ranges, blocks_of
from bsbench.stats import Answers, Counts, Learning, exact_dot, learners_who_played, stage_ends
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
    said = read(record, RunRecord)
    _check_texts(record)
    if said.stream_version > STREAM_VERSION:
        raise BsbenchError(
            f"its stream_version is {said.stream_version}, not 1 to {STREAM_VERSION}: a newer "
            "version of bsbench may read it"
        )
    if said.seed > LARGEST_SEED:
        raise BsbenchError("its seed has more than 1,024 bits")
    scenario = scenario_from_dict(record["scenario"])
    tally = read_tally(said, scenario.rules)
    if said.games > said.requested:
        raise BsbenchError("its games are more than those requested")
    if said.partial is not (said.games < said.requested):
        raise BsbenchError("its partial doesn't match its games")
    strategy, tail = said.strategy, {key: record[key] for key in _TAIL}
    if not _is_label(strategy.label, strategy.name, strategy.parameters):
        raise BsbenchError("its label doesn't match its strategy and parameters")
    if said.layouts_sha256 and scenario.placement.path is None:
        raise BsbenchError("its layouts_sha256 is not the hash of a file of its placement law")
    # Without its learners, the interval would be that of independent games.
    played = tally.learning.games_per_learner if tally.learning else 1
    learns = strategy.parameters.get("games_per_learner", 1)
    if type(learns) is int and played % math.lcm(learns, scenario.placement.games_in_a_row):
        raise BsbenchError("its learners don't match its parameters")
    _check_built_in(strategy, scenario, played)
    if forfeits := tuple(said.forfeits or ()):
        ends = pairwise((tally.first_game - 1, *forfeits, tally.end))
        # Each of several parts may have had as many as were allowed.
        whole = tally.counts[scenario.rules.whole_board]
        if tally.shots is not None:
            whole = min(whole, tally.shots[-1])
        known = len(forfeits) <= whole and "restart" in strategy.parameters
        if not known or any(end <= begin for begin, end in ends):
            raise BsbenchError("its forfeits don't match its games")
    setup, play = (float(record["seconds"][step]) for step in ("setup", "play"))
    if play < _SHORTEST:
        raise BsbenchError(f"its seconds.play is {play:g}, not a time above 0")
    result = Result(
        tally=tally,
        fault=_read_fault(said) if said.fault else None,
        forfeits=forfeits,
        scenario=scenario,
        strategy=strategy.name,
        source=strategy.source,
        parameters=strategy.parameters,
        label=strategy.label,
        seed=said.seed,
        requested=said.requested,
        until=said.until or None,
        setup_seconds=setup,
        play_seconds=play,
        stream_version=said.stream_version,
        revisions=tuple(said.revisions),
        strategy_sha256=strategy.sha256,
        layouts_sha256=said.layouts_sha256 or None,
        **tail,
    )
    _check_summary(record["summary"], result)
    if said.against:
        result = dataclasses.replace(result, against=_read_against(said.against, result))
    if said.moves is UNSET:
        return result
    return _with_moves(result, _unpacked_moves(said.moves, result))


def read_tally(said: RunRecord | TallyRecord, rules: Rules) -> Tally:
    """Return the tally that a record, or a journal, holds.

    Raises
    ------
    BsbenchError
        If it contradicts itself.
    """
    numbers, first_game = said.counts, said.first_game
    if len(numbers) != rules.most_moves + 1 or any(numbers[: rules.fewest_moves]):
        raise BsbenchError("its counts don't match the board and the fleet")
    if sum(numbers) != said.games:
        raise BsbenchError("its counts don't add up to its games")
    if first_game + said.games - 1 > LAST_GAME:
        raise BsbenchError("its games go beyond the last one, 2^63 - 1")
    counts = np.array(numbers, np.int64)
    learning = None
    if said.learning:
        learning = _read_learning(said.learning, counts, rules)
        if first_game % learning.games_per_learner:
            raise BsbenchError("its first game is not the first one of a learner")
    if said.blocks:
        tally = _read_evidence(said, counts, learning, rules)
    else:
        tally = Tally.without_evidence(counts, learning, first_game)
    if said.answers:
        tally = dataclasses.replace(tally, answers=_read_answers(said.answers, counts))
    # A journal may have the tally of no games.
    if (rules.salvos and said.games) or said.shots is not UNSET:
        tally = dataclasses.replace(tally, shots=_read_shots(said.shots, counts, rules))
    return tally


def _read_shots(said: list[int] | UnsetType, counts: Counts, rules: Rules) -> Counts:
    """Return how many games have how many shots, if it agrees with the histogram of turns."""
    if said is UNSET or not rules.salvos:
        raise BsbenchError(
            f"its shots don't match its scenario, in which moves are {rules.counted}"
        )
    if len(said) != rules.cells + 1 or any(said[: rules.ship_cells]):
        raise BsbenchError("its shots don't match the board and the fleet")
    if sum(said) != counts.sum():
        raise BsbenchError("its shots don't add up to its games")
    shots = np.array(said, np.int64)
    fired, turns = (exact_dot(each, np.arange(len(each))) for each in (shots, counts))
    if not turns <= fired <= rules.most_shots * turns:
        raise BsbenchError("its shots don't match its counts, of turns")
    return shots


_TAIL = ("bsbench", "threads", "machine", "versions", "date")
_SHORTEST = 1e-6
"""Seconds of play at least: speeds are games for each of them."""


def _check_texts(record: dict[str, Any]) -> None:
    """Refuse texts that can't be printed, numbers that are infinite, and a date without zone."""
    for key in ("revisions", "strategy", "machine", "versions", "date"):
        if not all(map(_is_printable, _values(record[key]))):
            raise BsbenchError(f"its {key} has text that can't be printed on a line")
    for key in ("strategy", "until"):
        numbers = (each for each in _values(record.get(key)) if isinstance(each, int | float))
        if not all(map(math.isfinite, numbers)):
            raise BsbenchError(f"its {key} has a number that is not finite")
    try:
        zone = datetime.fromisoformat(record["date"]).tzinfo
    except ValueError:
        zone = None
    if zone is None:
        raise BsbenchError(f"its date is {record['date']!r}, not a date with time and zone")


def _is_printable(value: Any) -> bool:
    return not isinstance(value, str) or is_line(value)


def _values(value: Any) -> Iterator[Any]:
    """Yield what tables and lists hold, and the keys of tables."""
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, list):
        for each in value:
            yield from _values(each)
    else:
        yield value


def _check_built_in(said: StrategyRecord, scenario: Scenario, games_per_learner: int) -> None:
    """Refuse what a built-in strategy can't have played: its parameters are known.

    Raises
    ------
    BsbenchError
        If it can't.
    """
    # Imported late: the other checks need no kernels, which take a moment to load.
    from bsbench.strategies import built_in_strategy, strategy_names

    if said.name not in strategy_names():
        return
    strategy = built_in_strategy(said.name).configured(said.parameters)
    if strategy.parameters != {**strategy.parameters, **said.parameters}:
        raise BsbenchError("its parameters are not what the strategy makes of them")
    if said.label != strategy.label:
        raise BsbenchError("its label doesn't match its strategy and parameters")
    if in_a_row(strategy, scenario) != games_per_learner:
        raise BsbenchError("its learners don't match its strategy")
    check_playable(strategy, scenario)


def _read_fault(said: RunRecord) -> StrategyError:
    """Return the fault that ended a run, if it agrees with the games that were played."""
    assert said.fault
    found = read_fault(said.fault, said.strategy.name, said.seed)
    if not said.games <= found.game - said.first_game < said.requested:
        raise BsbenchError("its fault doesn't match its games")
    return found


def read_fault(said: FaultRecord, strategy: str, seed: int) -> StrategyError:
    """Return the fault of a strategy that `bsbench.runs.results.fault_record` gave.

    Raises
    ------
    BsbenchError
        If its texts can't be printed.
    """
    if not (is_line(said.problem) and is_line(said.line)):
        raise BsbenchError("its fault is not text on a line")
    return StrategyError(strategy, said.game, seed, said.shots, said.problem, said.line)


def _read_evidence(
    said: RunRecord | TallyRecord, counts: Counts, learning: Learning | None, rules: Rules
) -> Tally:
    """Return the tally of a record, if first games and blocks agree with its counts."""
    assert said.blocks
    first_game, games = said.first_game, said.games
    firsts = _read_firsts(said.firsts or [], counts, first_game)
    moves, squares, digests = said.blocks.moves, said.blocks.squares, said.blocks.digests
    number = blocks_of(first_game, games)
    if not len(moves) == len(squares) == len(digests) == number:
        raise BsbenchError(f"its blocks are not lists of {number:,} entries")
    for row, each in ((moves, np.arange(len(counts))), (squares, np.arange(len(counts)) ** 2)):
        if sum(row) != exact_dot(counts, each):
            raise BsbenchError("its blocks don't add up to its counts")
    for inside, *sums in zip(block_ranges(first_game, games), moves, squares, strict=True):
        least, most = len(inside) * rules.fewest_moves, len(inside) * rules.most_moves
        if not least <= sums[0] <= most or not _are_sums(len(inside), *sums):
            raise BsbenchError("its blocks don't match the board and the fleet")
    halves = [(int(each[16:], 16), int(each[:16], 16)) for each in digests]
    entries = [(*sums, *half) for *sums, half in zip(moves, squares, halves, strict=True)]
    blocks: Blocks = np.array(entries, np.uint64).reshape(-1, 4)
    return Tally(first_game, games, counts, firsts, blocks, learning)


def _read_firsts(numbers: list[int], counts: Counts, first_game: int) -> Counts:
    """Return the first game of each move count, if they are possible."""
    occurred = np.flatnonzero(counts)
    if len(numbers) != len(occurred):
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


def _read_against(said: AgainstRecord, result: Result) -> dict[str, Any]:
    """Return how a strategy compares with another one, if that is possible."""
    if not is_line(said.label):
        raise BsbenchError("its against names no other strategy")
    pair = Pair.from_dict(as_json(said), result.games, result.scenario.rules.reach)
    return {"label": said.label, "digest": said.digest, **pair.to_dict()}


def _read_learning(said: LearningRecord, counts: Counts, rules: Rules) -> Learning:
    """Return the sums of learners, if they agree with the rules and the histogram."""
    games = int(counts.sum())
    total = exact_dot(counts, np.arange(len(counts)))
    squares = exact_dot(counts, np.arange(len(counts)) ** 2)
    per_learner = said.games_per_learner
    played = min(games, per_learner)
    complete, left = divmod(games, per_learner)
    for key, numbers, expected in (
        ("moves", said.moves, total),
        ("squares", said.squares, squares),
    ):
        if len(numbers) != played or sum(numbers) != expected:
            raise BsbenchError(f"its {key} of learners don't match its counts")
    rest, of_totals = said.rest, said.squares_of_totals
    if not _are_sums(complete, total - rest, of_totals):
        raise BsbenchError("its totals of learners don't match its counts")
    of_moves = [learners_who_played(games, per_learner, game + 1) for game in range(played)]
    for number, in_games in zip([left, *of_moves], [rest, *said.moves], strict=True):
        if not number * rules.fewest_moves <= in_games <= number * rules.most_moves:
            raise BsbenchError("its moves of learners don't match the board and the fleet")
    moves, stages, ends = said.moves, said.stages, stage_ends(per_learner)
    if [len(stage) for stage in stages] != [len(ends)] * 2:
        raise BsbenchError(f"its stages of learners are not two lists of {len(ends)} numbers")
    for game, sums_of_game in enumerate(zip(moves, said.squares, strict=True), start=1):
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
        moves=np.array(said.moves, np.int64),
        squares=np.array(said.squares, np.int64),
        stages=np.array(stages, object),
    )


def _read_answers(said: AnswersRecord, counts: Counts) -> Answers:
    """Return how moves were chosen, if it agrees with the histogram."""
    # What is missing is not known.
    numbers: dict[str, Any] = dict.fromkeys(ANSWER_FIELDS) | as_json(said)
    answers = Answers(**numbers)
    if answers.moves != exact_dot(counts, np.arange(len(counts))):
        raise BsbenchError("its answers don't match its counts")
    return answers


def _are_sums(count: int, total: int, squares: int) -> bool:
    """Return whether this many whole numbers can have this sum and this sum of squares."""
    return total**2 <= count * squares and squares <= total**2


def _is_label(label: str, name: str, parameters: dict[str, Any]) -> bool:
    """Return whether a label is the name and some of the parameters, in their order.

    In brackets may follow what distinguishes it from another one.
    """
    if not label.startswith(name):
        return False
    rest = re.sub(r" \(.*\)$", "", label.removeprefix(name))
    for parameter, value in parameters.items():
        rest = rest.removeprefix(f" {setting_text(parameter, value)}")
    return not rest


def _check_summary(summary: dict[str, Any], result: Result) -> None:
    """Refuse a summary that is not that of the counts; older ones have fewer figures.

    Raises
    ------
    BsbenchError
        If it is not.
    """
    figures = dataclasses.asdict(result.stats)
    for key, value in summary.items():
        expected = figures[key]
        if expected is None or math.isnan(expected):
            same = value is None
        else:
            same = value is not None and math.isclose(value, expected, rel_tol=_ROUNDING)
        if not same:
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
    if beside == path or not os.path.isfile(beside):
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
    if (moves.dtype, moves.shape) != wanted or moves.max() > rules.most_moves:
        raise BsbenchError("its moves are not of its games")
    tally = Tally.of(known.first_game, moves, rules.most_moves, result.games_per_learner)
    if not np.array_equal(tally.counts, known.counts):
        raise BsbenchError("its moves don't match its counts")
    if known.has_evidence and not (
        np.array_equal(tally.firsts, known.firsts) and np.array_equal(tally.blocks, known.blocks)
    ):
        raise BsbenchError("its moves don't match its firsts and blocks")
    played = [learning_record(each) for each in (tally.learning, known.learning) if each]
    if played[:1] != played[1:]:
        raise BsbenchError("its moves don't match its learning")
    tally = dataclasses.replace(tally, answers=known.answers, shots=known.shots)
    return dataclasses.replace(result, kept_moves=moves, tally=tally)


def _unpacked_moves(text: Any, result: Result) -> Moves:
    """Return the move counts in a record."""
    try:
        return unpacked(text, result.games, moves_dtype(result.scenario.rules))
    except BadPacking as error:
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
        if result.strategy not in built_in or result.scenario.placement.path is not None:
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
