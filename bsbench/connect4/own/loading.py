"""Makes the players that users name by file, module, or command.

``my_file.py:Mine``
    a class in a file; modules beside the file can be imported there;
``package.module:Mine``
    a class in a module;
``cmd:./my_bot --level 3``
    a program that talks in lines; no shell reads the command, and all of it belongs to the name.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bsbench.common.errors import BsbenchError, reason
from bsbench.common.reading import open_file
from bsbench.common.settings import is_command
from bsbench.connect4.own.bot import Bot
from bsbench.connect4.own.choosing import Chooser
from bsbench.connect4.own.partner import InProcess, Partner, Program, runner_arguments
from bsbench.own.importing import classes_hint
from bsbench.own.lines import arguments_of

_MODEL = "llm:"
"""How a language model is named in commands of Battleship."""

_LARGEST = 1 << 26
"""Bytes of a file that is part of a player's source."""


def own_player(name: str, settings: Mapping[str, Any]) -> Bot:
    """Return the player that a user names; its code is not run before it begins.

    Raises
    ------
    BsbenchError
        If there is no such file, the name can't be read, or it is that of a language model.
    """
    if is_command(name):
        if settings:
            raise BsbenchError(
                f"{name!r} has no parameters that bsbench knows: write them into the command"
            )
        arguments = arguments_of(name)

        def start_program(bot: Bot) -> Partner:
            return Program(arguments, name, bot.timeout, bot.hear, bot.hash_seed)

        return Bot(name, {}, start_program, _source(arguments))
    if name.startswith(_MODEL):
        raise BsbenchError(
            f"{name!r} is a language model, which can't play Connect 4: your own player is "
            "FILE.py:CLASS, PACKAGE.MODULE:CLASS or cmd:COMMAND"
        )
    names = _class_of(name)

    def start_runner(bot: Bot) -> Partner:
        words = runner_arguments(sys.executable, sys.path, names, bot.timeout, bot.parameters)
        return Program(words, name, bot.timeout, bot.hear, bot.hash_seed)

    return Bot(name, settings, start_runner, _source(names[:1]))


def class_player(player: type, settings: Mapping[str, Any] | None = None) -> Bot:
    """Return a player of a class that is there already; it is played in this process.

    Raises
    ------
    BsbenchError
        If it is no player.
    """
    name = player.__name__
    given = dict(settings or {})
    Chooser(player, given, name)
    return Bot(name, given, lambda bot: InProcess(Chooser(player, given, name)))


def _source(names: Sequence[str]) -> str:
    """Return what a player's source is called: a digest of the files among some names is part.

    So a journal of a match does not go on with a player that has been changed.
    """
    digest = hashlib.blake2b(digest_size=6)
    found = False
    for name in names:
        path = Path(name)
        if path.is_file() and path.stat().st_size <= _LARGEST:
            digest.update(path.read_bytes())
            found = True
    return f"a user's own, {digest.hexdigest()}" if found else "a user's own"


def _class_of(spec: str) -> tuple[str, str, str, str]:
    """Return place, name, file and class as the runner takes them."""
    # The last colon counts: others may belong to the path.
    place, _, name = spec.rpartition(":")
    if spec.endswith(".py") or not place or not name.isidentifier():
        raise BsbenchError(f"{spec!r} names no class: {classes_hint(spec)}")
    if not place.endswith(".py"):
        if not re.fullmatch(r"\w+(\.\w+)*", place):
            raise BsbenchError(
                f"unreadable player {spec!r}: write FILE.py:CLASS, PACKAGE.MODULE:CLASS or "
                "cmd:COMMAND"
            )
        return place, name, place, spec
    path = Path(place).absolute()
    try:
        open_file(path).close()
    except OSError as error:
        raise BsbenchError(f"can't read {place}: {reason(error)}") from None
    return str(path), name, place, spec
