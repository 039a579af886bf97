"""A page for each command, with all commands within it, from what click knows of them."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator

import click

from _pages import toctree
from bsbench.cli import main
from bsbench.cli.options import option_sections

_HEAD = """\
# Commands

Every command prints its own help: `bsbench run --help`. These pages show the same texts, with all options, as `--help-all` does.

"""


def pages() -> Iterator[tuple[str, str]]:
    """Yield a page that lists all commands, and one for each of them."""
    # With the settings of the group, as click keeps what is first asked of a command.
    top = click.Context(main, info_name="bsbench", **main.context_settings)
    rows, names = [], []
    for heading, commands in main.sections(top).items():
        rows.append(f"## {heading}\n")
        for name, command in commands:
            yield f"reference/commands/{name}.md", _section(command, name, top, "#")
            rows.append(f"[`bsbench {name}`]({name}.md)\n: {_prose(_summary(command))}\n")
            names.append(name)
    index = "\n".join(rows)
    yield "reference/commands/index.md", f"{_HEAD}{index}\n{toctree(names, hidden=True)}"


def _summary(command: click.Command) -> str:
    """Return the first sentence of a command's help, whole."""
    return " ".join((command.help or "").split("\n\n")[0].split())


def _section(command: click.Command, name: str, above: click.Context, heading: str) -> str:
    """Return what is said of a command, and after it of those within it."""
    context = click.Context(command, info_name=name, parent=above)
    path = context.command_path
    usage = " ".join([path, *command.collect_usage_pieces(context)])
    parts = [f"{heading} {path}", *_description(command)]
    parts.insert(2, f"```text\n{usage}\n```")
    for title, options in option_sections(command, context):
        listed = [_option(names, text, path) for names, text in options]
        parts += [f"**{title}**", "\n".join(listed)]
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            within = command.get_command(context, inner)
            assert within is not None
            parts.append(_section(within, inner, context, f"{heading}#"))
    return "\n\n".join(parts) + "\n"


def _description(command: click.Command) -> Iterator[str]:
    """Yield the paragraphs of a command's help; examples and lists are blocks of their own."""
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        if not paragraph.startswith("\b\n"):
            yield _prose(" ".join(paragraph.split()))
            continue
        title, _, lines = paragraph.removeprefix("\b\n").partition("\n")
        kind = "sh" if title.startswith("Example") else "text"
        yield f"{_prose(title)}\n\n```{kind}\n{textwrap.dedent(lines)}\n```"


def _option(names: str, text: str, path: str) -> str:
    """Return an option, as a term and its meaning; the term can be linked to."""
    found = re.findall(r"--[\w-]+", names)
    anchor = f"{path.replace(' ', '-')}{found[0][1:]}"
    return f"`{names}`{{#{anchor}}}\n: {_prose(text)}\n"


def _prose(text: str) -> str:
    """Return a text in Markdown: commands in quotes become code, and nothing else is markup."""
    escaped = re.sub(r"([\\`*_<>\[\]|{}$])", r"\\\1", text)
    return re.sub(r"'(bsbench [^']+)'", lambda found: f"`{found[1].replace(chr(92), '')}`", escaped)
