"""Makes the players that users name: see `bsbench.connect4.own.names`."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bsbench.common.errors import BsbenchError
from bsbench.connect4.own.bot import Bot
from bsbench.connect4.own.choosing import Chooser
from bsbench.connect4.own.names import COMMAND
from bsbench.connect4.own.partner import (
    InProcess,
    Partner,
    Program,
    program_of,
    runner_arguments,
)
from bsbench.own.importing import classes_hint, state_of


def own_player(name: str, settings: Mapping[str, Any]) -> Bot:
    """Return the player that a user names; its code is not run before it begins.

    Raises
    ------
    BsbenchError
        If there is no such file, or the name can't be read.
    """
    if name.startswith(COMMAND):
        if settings:
            raise BsbenchError(
                f"{name!r} has no parameters that bsbench knows: write them into the command"
            )
        arguments = program_of(name.removeprefix(COMMAND))

        def start_program(bot: Bot) -> Partner:
            return Program(arguments, name, bot.timeout, bot.hear)

        return Bot(name, {}, start_program)
    names = _class_of(name)

    def start_runner(bot: Bot) -> Partner:
        words = runner_arguments(
            sys.executable, sys.path, names, bot.timeout, bot.parameters, bot.hash_seed
        )
        return Program(words, name, bot.timeout, bot.hear)

    return Bot(name, settings, start_runner)


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
    state_of(path, place)
    return str(path), name, place, spec
