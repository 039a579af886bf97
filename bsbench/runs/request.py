"""What is asked for: which games to play, checked before any of them is played.

`bsbench run`, `compare`, `tune`, their commands and run files ask for games in the same
way, by a `Request`. The keywords that they share are defined here, once.
"""

from __future__ import annotations

import inspect
import math
import secrets
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import wraps
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeAlias, TypeVar

from bsbench.common.arguments import checked, is_number
from bsbench.common.errors import BsbenchError, option
from bsbench.common.machine import usable_cores
from bsbench.common.settings import (
    as_whole,
    check_numbers,
    read_bytes,
    read_seeds,
    suggestion,
    variant_of,
)
from bsbench.common.texts import shortened
from bsbench.rules.board import AFLOAT
from bsbench.rules.placement import MOST_IN_A_ROW
from bsbench.rules.scenario import (
    DEFAULT,
    Parts,
    Scenario,
    find_scenario,
    parse_parts,
    scenario_options,
)

if TYPE_CHECKING:
    from bsbench.own.thinker import Limits
    from bsbench.roster import Given
    from bsbench.strategies import Strategy

LOCAL = "local"

Engine = Any
"""``local``: threads of this process. The address of a Dask scheduler, such as
``tcp://node1:8786``; a Dask ``Client``; or what
`bsbench.runs.opening.opened` yields."""

TIMEOUT = 60.0
"""Seconds that the code of a strategy in Python may take for one game, by default; kernels are not
interrupted."""

_LONGEST_GAME = 86_400.0

_LEAST_MEMORY = 16 << 20
"""Bytes: with less, hardly any code can be imported."""

GAMES = 100_000
"""Games of a run by default."""

SECRET_BITS = 128
"""Of a secret seed: too many for trying all of them. Layouts depend on a hash of 64 bits."""

MOST_KEPT = 1 << 22
"""Games at most of a run that keeps the move count of each game by default."""

MOST_GAMES = 100_000_000
"""Games at most by default, where an interval or a verdict ends a run."""

CLEAR: Literal["clear"] = "clear"

Until: TypeAlias = float | Literal["clear"] | None
"""What ends a run before all its games are played: the half-width of an interval, in moves;
`CLEAR`, as soon as it is clear how each strategy compares with the reference; or nothing."""

MARGIN = 0.05
"""In moves: strategies that differ by less are equal, by default."""

Place: TypeAlias = str | Path | Scenario
"""A scenario, its name, or the path of its TOML file."""

Where: TypeAlias = Place | Iterable[Place] | None
"""A scenario or several; None for the default."""

Seeds: TypeAlias = int | str | Iterable[int] | None
"""A seed, or several, which may be written ``0-9``; None for the default."""


class GameOptions(Parts, total=False):
    """Keywords of all functions that play games, and of their commands.

    Attributes
    ----------
    secret_seed : bool
        Draw the seed at random: see docs/trust.md.
    threads : int, optional
        Default: as many as there are cores. The result does not depend on it.
    engine : str or distributed.Client
        Where games are played: ``local``, in threads of this process; the address of a Dask
        scheduler; or a Dask client. The result does not depend on it.
    timeout : float
        Seconds that the code of a strategy in Python may take for one game.
    """

    secret_seed: bool
    threads: int | None
    engine: Engine
    timeout: float


class RangeOptions(GameOptions, total=False):
    """The keywords of functions, and of their commands, that play a range of games.

    Attributes
    ----------
    first_game : int
        The number of the first game under the seed; the others follow it.
    until : float or str, optional
        Play until the half-width of the 95 % interval of the mean, or with several strategies
        of each difference, is that small, in moves. The spread of the move counts decides when
        that is, not their mean. With ``clear``, play until it is clear of each strategy whether
        it needs fewer moves than the reference, or more, or differs by less than the margin:
        at most 5 % of comparisons of equal strategies say of any that it differs.
    margin : float, optional
        In moves: with ``until="clear"``, strategies that differ by less are equal. Default: 0.05.
    exact : bool
        Play each layout once, in place of random ones: the result is exact (`Result.exact`).
    reference : str, optional
        The label of the strategy that the others are compared with. Default: the best.
    keep_moves : bool, optional
        Keep the move count of each game (`Result.moves`), not only sums. Default: of runs of up
        to 4,194,304 games.
    """

    first_game: float | str | None
    until: Until
    margin: float | None
    exact: bool
    reference: str | None
    keep_moves: bool | None


class ComparisonOptions(RangeOptions, total=False):
    """The keywords of comparisons, which may be of strangers' code.

    Attributes
    ----------
    keep_going : bool
        Leave out a file whose code can't be loaded, and a strategy that can't play on for
        whatever reason: see `Comparison.faults`. One that breaks the rules or raises is always
        left out.
    limit_seconds : float, optional
        That each strategy may take for its games, on all threads together.
    limit_memory : str, optional
        That each process of your own code may take beyond Python and numpy, such as ``"512M"``.
        Linux only.
    trust_kernels : bool
        With limits: admit strategies of your own that run inside bsbench, where none hold.
    """

    keep_going: bool
    limit_seconds: float | None
    limit_memory: str | None
    trust_kernels: bool


def several(given: Any) -> tuple[Any, ...]:
    """Return what is given, alone or several in a list or the like; a text is one."""
    alone = isinstance(given, str | type) or not isinstance(given, Iterable)
    return (given,) if alone else tuple(given)


@dataclass(frozen=True)
class Request:
    """Which games to play. None, or an empty tuple, is what was not asked for.

    Attributes
    ----------
    scenarios : tuple of str, Path or Scenario
        Those of a run file are names, or the paths of TOML files: see `completed`.
    games, threads : int or None
    seeds : tuple of int
    first_game : int or None
        The number of the first game under each seed.
    until : float, str or None
        What ends a run: see `Until`.
    margin : float or None
        In moves: with `CLEAR`, strategies that differ by less are equal; None is `MARGIN`.
    timeout : float
        Seconds that the code of a strategy in Python may take for one game.
    exact : bool
        Whether each layout is played once, in place of random ones: see `bsbench.layouts.each`.
    secret_seed : bool
        Whether the seed was drawn at random, for this request: see `of`.
    engine : str or distributed.Client
        Where games are played: see `bsbench.runs.opening`.
    reference : str or None
        The label of the strategy that others are compared with; None is the best.
    keep_moves : bool or None
        Whether the move count of each game is kept; None leaves that to their number.
    keep_going, trust_kernels : bool
    limit_seconds : float or None
    limit_memory : str or None
        As for `ComparisonOptions`.
    changes : Parts
        Parts that replace those of the scenario.

    Raises
    ------
    BsbenchError
        If a number is out of range; or each layout is to be played once, and something else says
        which games to play.
    """

    scenarios: tuple[str | Path | Scenario, ...] = ()
    games: int | None = None
    seeds: tuple[int, ...] = ()
    threads: int | None = None
    until: Until = None
    margin: float | None = None
    first_game: int | None = None
    timeout: float = TIMEOUT
    exact: bool = False
    secret_seed: bool = False
    engine: Engine = LOCAL
    reference: str | None = None
    keep_moves: bool | None = None
    keep_going: bool = False
    limit_seconds: float | None = None
    limit_memory: str | None = None
    trust_kernels: bool = False
    changes: Parts = field(default_factory=Parts)

    def __post_init__(self) -> None:
        if self.exact:
            for name in ("games", "seed", "first_game", "until"):
                if getattr(self, name) is not None:
                    raise BsbenchError(
                        f"{option('exact', True)} plays each layout once: leave out {option(name)}"
                    )
        if self.until != CLEAR:
            check_width(self.until, option("until"), f", or {CLEAR!r}")
        check_width(self.margin, option("margin"))
        usual = GAMES if self.until is None else MOST_GAMES
        games = usual if self.games is None else self.games
        for seed in self.seeds or (0,):
            check_numbers(games, seed, self.threads, self.first_game or 0)
        if not is_number(self.timeout):
            raise BsbenchError(f"the timeout is a number of seconds, not {shortened(self.timeout)}")
        if not 0 < self.timeout <= _LONGEST_GAME:
            raise BsbenchError(
                f"{option('timeout')} is the longest time of a game: more than 0 seconds, up to "
                f"{_LONGEST_GAME:g}, not {self.timeout:g}"
            )
        check_engine(self.engine, self.threads)
        self._check_limits()

    @classmethod
    def of(cls, scenario: Where = None, seed: Seeds = None, **keywords: Any) -> Request:
        """Return what the keywords of `bsbench.run` and other functions, or options, ask for.

        Parameters
        ----------
        scenario : str, Path, Scenario, or several of them, optional
        seed : int, str, or several int, optional
            Text is read as that of ``--seed``: ``"0-9"``. With ``secret_seed``, it is drawn.
        **keywords
            Attributes of a request, and parts of a scenario, as for `parse_parts`. What is None
            was not given; others are ignored.

        Raises
        ------
        BsbenchError
            If a value is of the wrong kind, out of range, or contradicts another one; or there is
            no such scenario, or one is named twice.
        """
        known = {each.name for each in fields(cls)}
        given = {name: keywords.pop(name) for name in known & keywords.keys()}
        given = {name: value for name, value in given.items() if value is not None}
        for name in ("games", "first_game"):
            if isinstance(given.get(name), str | float):
                given[name] = as_whole(given[name], name.replace("_", " "))
        if isinstance(seed, str):
            seed = read_seeds(seed)
        for name, value in (("scenario", scenario), ("seed", seed)):
            if value is not None and not (found := several(value)):
                raise BsbenchError(f"there are no {name}s: name one, or leave that out")
            if value is not None:
                given[f"{name}s"] = found
        if given.get("secret_seed"):
            if seed is not None:
                raise BsbenchError(
                    f"{option('secret_seed', True)} draws the seed at random: "
                    f"leave out {option('seed')}"
                )
            given["seeds"] = (secrets.randbits(SECRET_BITS),)
        given["scenarios"] = _found(given.get("scenarios", ()))
        return cls(**given, changes=parse_parts(keywords))

    def completed(self, other: Request) -> Request:
        """Return this request, with what was not asked for taken from another one.

        Raises
        ------
        BsbenchError
            As `of` does: the scenarios of the other one may be names.
        """
        given = {
            each.name: value
            for each in fields(self)
            if (value := getattr(self, each.name)) not in (None, ())
        }
        given["scenarios"] = _found(self.scenarios or other.scenarios)
        return replace(other, **{**given, "changes": {**other.changes, **self.changes}})

    def _check_limits(self) -> None:
        """Refuse limits that are out of range, or can't be kept here."""
        seconds, memory = self.limit_seconds, self.limit_memory
        if seconds is None and memory is None:
            return
        if seconds is not None and not (is_number(seconds) and 0 < seconds < 1e9):
            raise BsbenchError(f"{option('limit_seconds')} takes a number above 0, not {seconds}")
        if memory is not None:
            # Imported late: bad input is reported before numpy is loaded.
            from bsbench.own.thinker_main import can_limit_memory

            if read_bytes(memory) < _LEAST_MEMORY:
                raise BsbenchError(
                    f"with {option('limit_memory', memory)}, hardly any code could be imported: "
                    f"allow {_LEAST_MEMORY >> 20}M or more"
                )
            if not can_limit_memory():
                raise BsbenchError(
                    f"memory can be limited on Linux alone: leave out {option('limit_memory')}"
                )
        if self.engine != LOCAL:
            raise BsbenchError(
                f"limits hold on this machine alone: leave out {option('engine')} or the limits"
            )

    @property
    def limits(self) -> Limits:
        """What users' code may take before its first game, and of memory."""
        # Imported late: bad input is reported before numpy is loaded.
        from bsbench.own.thinker import Limits, longest_start

        seconds, memory = self.limit_seconds, self.limit_memory
        if seconds is None and memory is None:
            return Limits(longest_start=longest_start(self.timeout))
        longest = min(self.timeout, seconds or self.timeout)
        return Limits(
            longest_start=longest_start(longest),
            longest_import=longest,
            memory=None if memory is None else read_bytes(memory),
            trust_kernels=self.trust_kernels,
        )

    @property
    def cores(self) -> int:
        """Threads to play on: all cores, unless a number was asked for."""
        return self.threads or usable_cores()

    @property
    def how(self) -> dict[str, Any]:
        """How games are played, by the keywords of functions that play."""
        return {name: getattr(self, name) for name in ("threads", "engine", "timeout")}

    def scenarios_or(self, home: str | None) -> tuple[Scenario, ...]:
        """Return the scenarios to play on, with the changes.

        Parameters
        ----------
        home : str or None
            The name of the scenario unless any was asked for; None means `DEFAULT`.

        Raises
        ------
        BsbenchError
            If each layout is to be played once, and they are not equally likely.
        """
        bases = self.scenarios or (home or DEFAULT,)
        scenarios = tuple(find_scenario(base).override(**self.changes) for base in bases)
        if not self.exact:
            return scenarios
        for scenario in scenarios:
            if scenario.placement.law not in ("uniform", "each"):
                raise BsbenchError(
                    f"{option('exact', True)} plays each layout of the law uniform once, and "
                    f"{scenario.name} has {scenario.placement} layouts: choose another scenario, "
                    f"or leave out {option('exact')}"
                )
        return tuple(scenario.override(placement="each") for scenario in scenarios)

    @property
    def seed(self) -> int | None:
        """The first seed asked for."""
        return self.seeds[0] if self.seeds else None

    def check_single(self, what: str) -> None:
        """Refuse several scenarios or seeds for something that has one of each.

        Raises
        ------
        BsbenchError
            If there are several.
        """
        for name, given in (("scenario", self.scenarios), ("seed", self.seeds)):
            if len(given) > 1:
                raise BsbenchError(f"{what} has one {name}, and {len(given)} are given: name one")

    def single(self, strategy: Given, what: str) -> tuple[Strategy, Scenario]:
        """Return the strategy of what has one, such as a replay, and where it plays.

        Raises
        ------
        BsbenchError
            If it is none, or can't play there; or several scenarios or seeds are asked for.
        """
        # Imported late: bad input is reported before numba is loaded.
        from bsbench.roster import as_strategy

        self.check_single(what)
        shooter = as_strategy(strategy, self.limits)
        (scenario,) = self.scenarios_or(shooter.home)
        self.check([shooter], [scenario])
        return shooter, scenario

    def check(self, shooters: Sequence[Strategy], scenarios: Iterable[Scenario]) -> None:
        """Refuse strategies that can't play what is asked for.

        Raises
        ------
        BsbenchError
            If one can't play on a scenario or begin with the first game, or the layouts can't be
            kept secret from it; or there is a margin without `CLEAR`.
        """
        # One may be from a run file, and the other not: see `completed`.
        if self.margin is not None and self.until != CLEAR:
            raise BsbenchError(
                f"{option('margin')} says which strategies are equal, with "
                f"{option('until', CLEAR)}: give that, too"
            )
        if self.secret_seed:
            self._check_secret([each for each in shooters if not each.built_in])
        first = self.first_game or 0
        for shooter, scenario in product(shooters, scenarios):
            check_playable(shooter, scenario)
            check_learners(shooter, scenario, first, first)

    def _check_secret(self, own: Sequence[Strategy]) -> None:
        """Refuse users' strategies that could know layouts of a secret seed before they shoot.

        Raises
        ------
        BsbenchError
            If one runs inside bsbench, or meets layouts that it, or another one, has met before.
        """
        # Imported late, as in `replay_line`.
        from bsbench.own.adapter import origin_of
        from bsbench.own.importing import POLICIES

        for shooter in own:
            if origin_of(shooter).trusted:
                raise BsbenchError(
                    f"the seed can't be kept secret from {shooter.name!r}, whose code runs inside "
                    "bsbench, as all subclasses of bsbench.Strategy do: leave out "
                    f"{option('secret_seed')}, or write it in Python or numpy"
                )
        # Networks are no code, and write down nothing.
        labels = [each.label for each in own if not origin_of(each).spec.endswith(POLICIES)]
        again = ""
        if len(labels) > 1:
            again = (
                f"{labels[0]!r} and {labels[1]!r} meet the same ones, and one can read what the "
                "other has written down: play each by a command of its own, and compare the records"
            )
        elif labels and len(self.scenarios) > 1:
            again = (
                f"{labels[0]!r} meets the same ones on several scenarios: play each scenario by a "
                "command of its own"
            )
        elif restarts := [each.label for each in own if each.restart]:
            again = f"after a failure, {restarts[0]!r} plays some games again: leave out restart"
        if again:
            raise BsbenchError(
                f"{option('secret_seed', True)} can't keep the layouts secret, since {again}"
            )


_P = ParamSpec("_P")
_R = TypeVar("_R")


def with_options(options: type) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Show each keyword of some options in the signature and docstring of a function, `checked`.

    Parameters
    ----------
    options : type
        `GameOptions` or the like. The function takes them as ``**options``, and so does its
        docstring. Another keyword is a TypeError.
    """
    defaults = {each.name: each.default for each in fields(Request)}

    def add(function: Callable[_P, _R]) -> Callable[_P, _R]:
        known = inspect.signature(function)
        *own, _ = known.parameters.values()
        shared = [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=defaults.get(name),
                annotation=kind.__forward_arg__,
            )
            for name, kind in options.__annotations__.items()
        ]
        signature = known.replace(parameters=[*own, *shared])

        vars(function)["__signature__"] = signature
        of_right_kind = checked(function)

        @wraps(function)
        def call(*args: _P.args, **keywords: _P.kwargs) -> _R:
            for name in keywords.keys() - signature.parameters:
                hint = suggestion(name, signature.parameters)
                raise TypeError(f"{function.__name__}() has no keyword {name!r}: {hint}")
            return of_right_kind(*args, **keywords)

        if function.__doc__ is not None:
            text = inspect.cleandoc(function.__doc__)
            call.__doc__ = text.replace("**options", _attributes(options), 1)
        return call

    return add


def _attributes(options: type) -> str:
    """Return what docstrings say of options, and of those that they build upon."""
    known = options.__annotations__.keys()
    texts = [
        inspect.cleandoc(each.__doc__ or "").partition("----------\n")[2]
        for each in (ComparisonOptions, RangeOptions, GameOptions, Parts)
        if each.__annotations__.keys() <= known
    ]
    return "\n".join(texts)


def _found(scenarios: Iterable[Place]) -> tuple[Scenario, ...]:
    """Return scenarios, by their names or paths, too.

    Raises
    ------
    BsbenchError
        If there is no such scenario, or one is named twice.
    """
    named = tuple(scenarios)
    for name in named:
        if named.count(name) > 1:
            raise BsbenchError(f"the scenario {str(name)!r} is named twice: name it once")
    return tuple(map(find_scenario, named))


def check_engine(engine: Engine, threads: int | None = None) -> None:
    """Refuse what is no engine.

    Raises
    ------
    BsbenchError
        If it is none, or a number of threads is asked for where the cluster decides.
    """
    if engine is None or engine == LOCAL:
        return
    # A Dask client, or an open cluster; Dask is not imported to know.
    is_open = hasattr(engine, "nthreads") or hasattr(engine, "chunks")
    if not (is_open or (isinstance(engine, str) and "://" in engine)):
        raise BsbenchError(
            f"unknown engine {shortened(engine)}: choose {LOCAL}, the address of a Dask scheduler, "
            "such as tcp://node1:8786, or in Python a Dask Client"
        )
    if threads is not None:
        raise BsbenchError(
            f"a cluster has as many threads as its workers: leave out {option('threads')}, or "
            "start other workers"
        )


def in_a_row(strategy: Strategy, scenario: Scenario) -> int:
    """Return how many games in a row depend on each other: of a learner, against one person."""
    return math.lcm(strategy.games_per_learner, scenario.placement.games_in_a_row)


def check_learners(strategy: Strategy, scenario: Scenario, first_game: int, end: int) -> None:
    """Refuse to play on in the middle of a learner, which has to play its games in order.

    Parameters
    ----------
    strategy : Strategy
    scenario : Scenario
    first_game, end : int
        The first game of a run, and that where it is to go on.

    Raises
    ------
    BsbenchError
        If either is not the first game of a learner, or against a person; or too many games
        depend on each other.
    """
    unit = in_a_row(strategy, scenario)
    if unit > MOST_IN_A_ROW:
        raise BsbenchError(
            f"{strategy.label!r} learns in {strategy.games_per_learner:,} games, and "
            f"{scenario.placement.games_in_a_row:,} are against one person: only every {unit:,} "
            "games do both begin; let one of these numbers be a multiple of the other"
        )
    for what, game in (("begin", first_game), ("go on", end)):
        if game % unit:
            why = f"{unit:,} games in a row belong together"
            if unit == strategy.games_per_learner:
                why = f"each of its learners plays {unit:,} games in a row"
            raise BsbenchError(
                f"{strategy.label!r} can't {what} with game {game:,}: {why}, so {what} with a "
                "multiple of that"
            )


def check_width(width: float | None, name: str, other: str = "") -> None:
    """Refuse a width in moves that is not above 0, or no number; ``other`` is what may be, too.

    Raises
    ------
    BsbenchError
        If it is.
    """
    if width is None:
        return
    if not (is_number(width) and 0 < width < math.inf):
        raise BsbenchError(
            f"{name} must be a number of moves above 0, such as 0.05{other}, not {shortened(width)}"
        )


def variant_text(strategy: Strategy) -> str:
    """Return what finds a strategy again, with its parameters: ``NAME,PARAMETER=VALUE,…``."""
    # Imported late: bad input is reported before numba is loaded.
    from bsbench.common.parameters import changed_settings
    from bsbench.own.adapter import origin_of

    return variant_of(origin_of(strategy).called, changed_settings(strategy))


def replay_line(strategy: Strategy, scenario: Scenario, seed: int, game: int) -> str:
    """Return the command line that shows a game, if the scenario's name identifies it."""
    who = variant_text(strategy)
    words = ["bsbench", "replay", "--strategy", who, *scenario_options(scenario)]
    return shlex.join([*words, "--seed", str(seed), "--game", str(game)])


def check_playable(strategy: Strategy, scenario: Scenario) -> None:
    """Refuse a scenario that a strategy can't play, for want of feedback or for other reasons.

    Raises
    ------
    BsbenchError
        If it can't.
    """
    rules = scenario.rules
    if rules.shots == AFLOAT:
        raise BsbenchError(
            "as many shots as ships afloat are counted by the shooter's own ships, which only a "
            "match has (counted by the target's, the rule would reward whoever avoids sinking): "
            f"use 'bsbench match', or set {option('shots', 5)}"
        )
    strategy.check_fits(rules)
