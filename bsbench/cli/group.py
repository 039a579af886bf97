"""A group of commands, each in a file of its own that is imported when it is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import click

from bsbench.common.errors import BsbenchError
from bsbench.common.settings import check_choice


class CheckedGroup(click.Group):
    """Commands whose values are checked before click hands them over."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that arguments name, and its own arguments, checked.

        Raises
        ------
        BsbenchError
            If there is no such command, a value is empty, or an option that has one value is given
            twice.
        """
        if not (ctx.resilient_parsing or args[0].startswith("-")):
            check_choice("command", args[0], self.list_commands(ctx))
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None:
            _check_values(command, click.Context(command, ctx, name), rest)
        return name, command, rest

    def sections(self, ctx: click.Context) -> dict[str, list[str]]:
        """Return the names of all commands under the headings of the help."""
        return {"Commands": self.list_commands(ctx)}

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands, each with its whole first sentence: click cuts it to one line."""
        for heading, names in self.sections(ctx).items():
            found = [(name, self.get_command(ctx, name)) for name in names]
            with formatter.section(heading):
                formatter.write_dl(
                    [(name, each.get_short_help_str(1_000)) for name, each in found if each]
                )


class CommandGroup(CheckedGroup):
    """Commands by name: each is ``NAME_command`` in a module of its own.

    Parameters
    ----------
    modules : callable
        Returns the module of each command by its name, under each heading of the help.
    """

    def __init__(
        self, *args: Any, modules: Callable[[], dict[str, dict[str, str]]], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self._sections = modules

    @property
    def _modules(self) -> dict[str, str]:
        return {name: at for names in self._sections().values() for name, at in names.items()}

    def sections(self, ctx: click.Context) -> dict[str, list[str]]:
        """Return the names of all commands under the headings of the help."""
        return {heading: list(names) for heading, names in self._sections().items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, in the order of the help."""
        return list(self._modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, or None if there is none of that name."""
        if cmd_name not in self._modules:
            return None
        module = importlib.import_module(self._modules[cmd_name])
        command: click.Command = getattr(module, f"{cmd_name}_command")
        if ctx.resilient_parsing:
            # The shell asks what may follow.
            from bsbench.cli.completion import complete

            complete(command)
        return command


def _check_values(command: click.Command, context: click.Context, arguments: list[str]) -> None:
    """Refuse empty values, and options of which the last would silently win."""
    try:
        values, _, given = command.make_parser(context).parse_args(list(arguments))
    except click.UsageError:
        return  # click reports it when it parses in earnest
    seen = set()
    for each in given:
        value = values[each.name]
        # A position of Connect 4 may be empty: nothing is played yet.
        if each.name != "position" and "" in (value if type(value) in (list, tuple) else [value]):
            raise BsbenchError(f"{_called(each)} is empty: give a value, or leave it out")
        has_one_value = isinstance(each, click.Option) and not (
            each.multiple or each.count or (each.is_flag and not each.secondary_opts)
        )
        if has_one_value and each in seen:
            raise BsbenchError(f"{_called(each)} is given twice: give one value")
        seen.add(each)


def _called(parameter: click.Parameter) -> str:
    """Return what a parameter is called on the command line."""
    if isinstance(parameter, click.Argument):
        return f"the argument {parameter.metavar or parameter.name}"
    return "/".join([*parameter.opts[-1:], *parameter.secondary_opts])
