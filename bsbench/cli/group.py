"""A group of commands, each in a file of its own that is imported when it is asked for."""

from __future__ import annotations

import importlib
from typing import Any

import click


class CommandGroup(click.Group):
    """Commands by name: each is ``NAME_command`` in a module of its own.

    Parameters
    ----------
    modules : dict of str to str
        The module of each command, in the order of the help.
    """

    def __init__(self, *args: Any, modules: dict[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._modules = modules

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, in the order of the help."""
        return list(self._modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, or None if there is none of that name."""
        if cmd_name not in self._modules:
            return None
        module = importlib.import_module(self._modules[cmd_name])
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command
