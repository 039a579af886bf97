"""Names of players that are not built in: their file, module, or command.

``my_file.py:Mine``
    a class in a file; modules beside the file can be imported there;
``package.module:Mine``
    a class in a module;
``cmd:./my_bot --level 3``
    a program that talks in lines; no shell reads the command, and all of it belongs to the name.
"""

from __future__ import annotations

from bsbench.common.settings import read_variant

COMMAND = "cmd:"


def is_own(name: str) -> bool:
    """Return whether a player is named by file, module or command."""
    return ":" in name or name.endswith(".py")


def split_settings(text: str) -> tuple[str, dict[str, str]]:
    """Return name and settings of a player written ``NAME,PARAMETER=VALUE,…``.

    All of a command belongs to its name.

    Raises
    ------
    BsbenchError
        If the text after the name is no list of settings.
    """
    return (text, {}) if text.startswith(COMMAND) else read_variant(text)
