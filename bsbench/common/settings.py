"""Names and values that users give: files of them, their keys checked, and how they are written."""

from __future__ import annotations

import decimal
import difflib
import os
import re
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from bsbench.common.arguments import is_whole
from bsbench.common.errors import BsbenchError
from bsbench.common.machine import usable_cores
from bsbench.common.reading import LARGEST_TOML, parse_toml, read_text
from bsbench.common.texts import LONGEST_LINE, is_line, shortened


def configs_folder() -> Path:
    """Return ``configs``: inside an installed package, beside it in a checkout."""
    return _shipped("configs")


def results_folder() -> Path:
    """Return ``results``, the records that come with bsbench, as `configs_folder` does."""
    return _shipped("results")


def shipped_path(path: str) -> Path:
    """Return a path; one in ``configs`` that is not here leads to the file that bsbench has.

    So the commands of the documentation, and bundled records, work in every folder.
    """
    given = Path(path)
    if os.path.exists(given) or given.parts[:1] != ("configs",):
        return given
    return configs_folder().joinpath(*given.parts[1:])


def _shipped(name: str) -> Path:
    package = Path(__file__).parent.parent
    installed = package / name
    return installed if os.path.isdir(installed) else package.parent / name


def read_toml(path: Path, what: str) -> dict[str, Any]:
    """Return the table in a TOML file; ``what`` is how the file is called in a message.

    Raises
    ------
    BsbenchError
        If the file can't be read, is not TOML, or is a file of another kind.
    """
    text = read_text(path, LARGEST_TOML, f"the {what} {path}")
    try:
        table = parse_toml(text)
    except (ValueError, RecursionError) as error:
        raise BsbenchError(f"the {what} {path} is not valid TOML: {error}") from None
    kind, how = _kind_of(table.keys(), str(path))
    if kind not in ("", what):
        raise BsbenchError(f"{path} is a {kind}, not a {what}: {how}")
    return table


def _kind_of(keys: Collection[str], path: str) -> tuple[str, str]:
    """Return what kind of file clearly has such keys, and how it is used; empty if none has."""
    who = {"strategy", "strategies", "parts"} & set(keys)
    if not who and "name" in keys and {"fleet", "fleets"} & set(keys):
        return "scenario file", f"'bsbench run --scenario {path}' plays on it"
    if who and {"title", "parts"} & set(keys):
        return "plan", f"'bsbench reproduce {path}' plays it"
    if who and not {"name", "title", "parts"} & set(keys):
        return "run file", f"'bsbench run --config {path}' plays it"
    return "", ""


def suggestion(name: str, known: Iterable[str], otherwise: str = "choose one of") -> str:
    """Return a hint for an unknown name: a known name that is close, otherwise all."""
    known = list(known)
    close = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {close[0]!r}?" if close else f"{otherwise} {', '.join(known)}"


def check_choice(what: str, name: object, known: Iterable[str]) -> None:
    """Check that a name is one of those known; ``what`` is how such a name is called.

    Raises
    ------
    BsbenchError
        If it is not.
    """
    known = list(known)
    if not isinstance(name, str) or name not in known:
        raise BsbenchError(f"unknown {what} {shortened(name)}: {suggestion(str(name), known)}")


def read_settings(settings: Iterable[str]) -> dict[str, str]:
    """Return the values of settings written ``NAME=VALUE``, as text.

    Raises
    ------
    BsbenchError
        If a setting is written otherwise, or a name occurs twice.
    """
    values: dict[str, str] = {}
    for setting in settings:
        name, equals, value = (part.strip() for part in setting.partition("="))
        if not name or not equals:
            raise BsbenchError(
                f"unreadable setting {shortened(setting)}: write NAME=VALUE, such as noise=0.01"
            )
        if name in values:
            raise BsbenchError(f"the parameter {name!r} is set twice: give it one value")
        values[name] = value
    return values


COMMAND = "cmd:"
"""How a strategy or player is named that is a program; its command follows."""


def is_command(text: str) -> bool:
    """Return whether a strategy is named by the command that runs it: it may hold anything."""
    return text.lstrip().startswith(COMMAND)


def read_variant(text: str) -> tuple[str, dict[str, str]]:
    """Return name and settings of a strategy written ``NAME,PARAMETER=VALUE,…``.

    As tables print it, with blanks in place of commas, it is read, too. A command, ``cmd:…``, may
    have commas; settings are what its end has of this form, without blanks and quotes.

    Raises
    ------
    BsbenchError
        If the text after the name is no list of settings.

    Examples
    --------
    >>> read_variant("over9000,noise=0,edge_weight=1")
    ('over9000', {'noise': '0', 'edge_weight': '1'})
    >>> read_variant("over9000 noise=0.0 edge_weight=1.0")
    ('over9000', {'noise': '0.0', 'edge_weight': '1.0'})
    >>> read_variant("cmd:./mybot --weights 1,2")
    ('cmd:./mybot --weights 1,2', {})
    >>> read_variant("cmd:./mybot --weights 1,2,noise=0")
    ('cmd:./mybot --weights 1,2', {'noise': '0'})
    """
    if is_command(text):
        command = text.strip()
        at = _AT_THE_END.search(command).start()  # type: ignore[union-attr] # it may be empty
        return command[:at], read_settings(command[at + 1 :].split(",") if command[at:] else [])
    is_file = os.path.isfile(text)
    printed = _PRINTED.fullmatch(text) and not is_file
    name, *settings = text.split(" " if printed else ",")
    if settings and is_file:
        raise BsbenchError(
            f"the name of the file {shortened(text)} has a comma, after which settings are read: "
            "rename the file"
        )
    return name.strip(), read_settings(settings)


_PRINTED = re.compile(r"[^\s,=]+( [a-z_][a-z0-9_]*=[^\s,]+)+")
_AT_THE_END = re.compile(r"(,[a-z_][a-z0-9_]*=[^,\s'\"]*)*$")


def variant_of(name: str, settings: Iterable[str]) -> str:
    """Return a strategy and its settings, ``NAME=VALUE`` each, as `read_variant` reads them."""
    # A command holds its arguments.
    apart = (each for each in settings if not (is_command(name) and each.startswith("arguments=")))
    return ",".join([name, *apart])


def check_line(what: str, text: Any) -> None:
    """Refuse what `is_line` is not true of, and blank text; ``what`` is how it is called.

    Raises
    ------
    BsbenchError
        If it is such text, or none.
    """
    if not is_line(text) or not text.strip():
        raise BsbenchError(
            f"{what} {shortened(text)} is empty, can't be printed on a line, or has more than "
            f"{LONGEST_LINE:,} characters"
        )


def value_text(value: Any) -> str:
    """Return a parameter's value as it is written on the command line."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def setting_text(name: str, value: Any) -> str:
    """Return a parameter and its value as they are written on the command line."""
    return f"{name}={value_text(value)}"


def read_count(text: str, what: str) -> int:
    """Return a whole number written in any usual way: ``1000000``, ``1_000_000``, ``1e6``.

    Raises
    ------
    BsbenchError
        If it is none; ``what`` says what is counted.

    Examples
    --------
    >>> read_count("1e6", "games"), read_count("2.5e3", "games"), read_count("1,000", "games")
    (1000000, 2500, 1000)
    """
    plain = text.strip()
    if re.fullmatch(r"[-+]?\d{1,3}(,\d{3})+", plain):
        plain = plain.replace(",", "")
    # Those of Python, and not more digits than anything here can have.
    if re.fullmatch(r"[-+]?\d+(_\d+)*(\.\d+)?([eE][-+]?\d{1,3})?", plain, re.ASCII) and (
        len(plain) <= _LONGEST_NUMBER
    ):
        number = decimal.Decimal(plain)
        if number == number.to_integral_value():
            return int(number)
    raise BsbenchError(
        f"{shortened(text)} is not a whole number of {what}: write it like 1000000, 1_000_000 "
        "or 1e6"
    )


def read_bytes(text: str) -> int:
    """Return a number of bytes written with a unit: ``512M``, ``1G``, ``1.5 GB``.

    Raises
    ------
    BsbenchError
        If it can't be read.

    Examples
    --------
    >>> read_bytes("512M"), read_bytes("1.5 GB")
    (536870912, 1610612736)
    """
    found = re.fullmatch(
        r"(\d{1,6}(?:\.\d{1,6})?)\s*([KMGT])(?:i?B)?", text.strip(), re.I | re.ASCII
    )
    if found is None:
        raise BsbenchError(
            f"{shortened(text)} is not an amount of memory: write it such as 512M or 1G"
        )
    return int(float(found[1]) * 1024 ** (1 + "KMGT".index(found[2].upper())))


def read_seeds(text: str) -> tuple[int, ...]:
    """Return seeds written as one, or as a list with ranges whose ends belong to them.

    Raises
    ------
    BsbenchError
        If it can't be read, one occurs twice, or there are too many.

    Examples
    --------
    >>> read_seeds("7"), read_seeds("0,5,10-12")
    ((7,), (0, 5, 10, 11, 12))
    """
    seeds: list[int] = []
    for part in text.split(","):
        ends = re.fullmatch(r"\s*([\d_]+)\s*-\s*([\d_]+)\s*", part, re.ASCII)
        try:
            first, last = map(int, ends.groups()) if ends else (int(part), int(part))
        except ValueError:
            raise BsbenchError(
                f"unreadable seed {shortened(text)}: write a whole number, or several like 0,1,7 "
                "or 0-9"
            ) from None
        if last < first:
            raise BsbenchError(f"the seeds {shortened(part)} end before they begin")
        if len(seeds) + last - first >= _MOST_SEEDS:
            raise BsbenchError(f"an experiment has {_MOST_SEEDS:,} seeds at most")
        seeds += range(first, last + 1)
    if len(set(seeds)) < len(seeds):
        raise BsbenchError(f"a seed in {shortened(text)} is there twice: name each once")
    return tuple(seeds)


_MOST_SEEDS = 1_000

_LONGEST_NUMBER = 60
"""Characters of a whole number."""

LARGEST_RUN = 10**15
"""Games at most: thirty years at a million games a second."""

MOST_THREADS = 1_024

LARGEST_SEED = 2**1024 - 1

LAST_GAME = 2**63 - 1
"""What kernels can count to."""


def as_whole(value: Any, name: str) -> int:
    """Return a whole number that is given as one, as 1e6, or as text: see `read_count`.

    Raises
    ------
    BsbenchError
        If it is none; ``name`` says what is counted.

    Examples
    --------
    >>> as_whole(1e5, "games"), as_whole("1e6", "games")
    (100000, 1000000)
    """
    if isinstance(value, str):
        return read_count(value, name)
    if not (is_whole(value) or (isinstance(value, float) and value.is_integer())):
        raise BsbenchError(f"{name} must be a whole number, not {shortened(value)}")
    return int(value)


def check_game(game: Any) -> int:
    """Return the number of a game as a plain integer.

    Raises
    ------
    BsbenchError
        If it is not a whole number, or out of range.
    """
    if isinstance(game, str | float):
        game = as_whole(game, "games")
    if not is_whole(game) or not 0 <= game <= LAST_GAME:
        raise BsbenchError(
            f"games are numbered from 0 to 2^63 - 1: there is no game {shortened(game)}"
        )
    return int(game)


def check_numbers(
    games: float | str, seed: int, threads: int | None, first_game: int = 0
) -> tuple[int, int, int]:
    """Return the numbers of a request to play as plain integers, threads filled in.

    Raises
    ------
    BsbenchError
        If one is not a whole number, or out of range; or the last game would be.
    """
    if threads is None:
        threads = usable_cores()
    if isinstance(games, str | float):
        games = as_whole(games, "games")
    for name, value in (("seed", seed), ("threads", threads)):
        if not is_whole(value):
            raise BsbenchError(f"{name} must be a whole number, not {shortened(value)}")
    if games > LARGEST_RUN:
        raise BsbenchError(f"can't play {games:,} games: ask for {LARGEST_RUN:,} at most")
    if games < 1:
        raise BsbenchError(f"can't play {games} games: ask for at least 1")
    if seed < 0:
        raise BsbenchError(f"a seed is a non-negative integer, not {seed}")
    if seed > LARGEST_SEED:
        raise BsbenchError("a seed has at most 1,024 bits: give a smaller number")
    if not 1 <= threads <= MOST_THREADS:
        raise BsbenchError(f"can't play on {threads} threads: ask for 1 to {MOST_THREADS}")
    for game in (first_game, first_game + games - 1):
        check_game(game)
    return int(games), int(seed), int(threads)
