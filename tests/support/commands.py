"""Commands as users type them."""

from __future__ import annotations

import click

from bsbench.cli import main


def parsed(words: list[str]) -> click.Context:
    """Return the context of a command, which is not run."""
    group: click.Group = main
    context = click.Context(main, info_name="bsbench", **main.context_settings)
    at = next((at for at, word in enumerate(words) if word and set(word) <= set("<>")), len(words))
    words = words[:at]
    while isinstance(command := group.get_command(context, words[0]), click.Group):
        context = click.Context(command, parent=context, info_name=words[0])
        group, words = command, words[1:]
    assert command is not None, words[0]
    return command.make_context(words[0], list(words[1:]), parent=context)
