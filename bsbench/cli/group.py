"""A group of commands, each in a file of its own that is imported when it is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, TypeVar

import click

from bsbench.common.errors import BsbenchError
from bsbench.common.settings import check_choice

_Command = TypeVar("_Command", bound=click.Command)


class Section(StrEnum):
    """The headings of a list of commands, in its order; each command names its own."""

    PLAY = "Play"
    LOOK = "Look at results"
    PLAYER = "Your own player"
    ODDS = "Odds and limits"
    KEEP = "Keep and cite"
    OTHER = "More"


class Keeps(StrEnum):
    """What is left of a command that a signal ends early, as `docs/when-a-command-ends.md` says."""

    GAMES = "all games played so far, marked as partial"
    COMMON = "the games that all have played, marked as partial"
    BOUNDS = "the bounds found so far, marked as such"
    BEST = "the worst layout found so far, marked as partial"
    READINGS = "the readings that were over"
    GAME = "the game: `bsbench play --resume` goes on"
    JOURNAL = "a journal, with `-o`"
    JOURNAL_OF_FOLDER = "a journal; an older folder stays as it was"
    NOTHING = "nothing"


def in_section(
    heading: Section, keeps: Keeps | Mapping[str, Keeps] = Keeps.NOTHING
) -> Callable[[_Command], _Command]:
    """Return what puts a command under a heading of the help; others are under the last one.

    Parameters
    ----------
    heading : Section
    keeps : Keeps or mapping of str to Keeps
        What it leaves if a signal ends it early; by the words that tell apart the ways to call it.
    """

    def put(command: _Command) -> _Command:
        command.section = heading  # type: ignore[attr-defined]
        command.keeps = {"": keeps} if isinstance(keeps, Keeps) else keeps  # type: ignore[attr-defined]
        return command

    return put


class CommandGroup(click.Group):
    """Commands by name, whose values are checked before click hands them over.

    Each is ``NAME_command`` in a module of its own.

    Parameters
    ----------
    modules : callable
        Returns the module of each command by its name.
    """

    def __init__(self, *args: Any, modules: Callable[[], Mapping[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._modules = modules

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read arguments; ``help COMMAND`` stands for ``COMMAND --help``."""
        return super().parse_args(ctx, [*args[1:], "--help"] if args[:1] == ["help"] else args)

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

    def sections(self, ctx: click.Context) -> dict[str, list[tuple[str, click.Command]]]:
        """Return all commands with their names, under the headings of the help."""
        found: dict[str, list[tuple[str, click.Command]]] = {each: [] for each in Section}
        for name in self.list_commands(ctx):
            if (command := self.get_command(ctx, name)) is not None:
                found[getattr(command, "section", Section.OTHER)].append((name, command))
        return {heading: commands for heading, commands in found.items() if commands}

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands, each with its whole first sentence: click cuts it to one line."""
        sections = self.sections(ctx)
        column = max(len(name) for commands in sections.values() for name, _ in commands)
        for heading, commands in sections.items():
            with formatter.section(heading if len(sections) > 1 else "Commands"):
                # The texts of all sections stand in one column.
                lines = [(name.ljust(column), each) for name, each in commands]
                formatter.write_dl([(name, each.get_short_help_str(1_000)) for name, each in lines])

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands; under each heading, the help has them in this order."""
        return list(self._modules())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, or None if there is none of that name."""
        modules = self._modules()
        if cmd_name not in modules:
            return None
        module = importlib.import_module(modules[cmd_name])
        command: click.Command = getattr(module, f"{cmd_name}_command")
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
