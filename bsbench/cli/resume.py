"""``bsbench resume``: continue what was interrupted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from bsbench.cli.group import WORDS
from bsbench.cli.options import trust_option
from bsbench.common.errors import BsbenchError
from bsbench.common.settings import read_variant

_LEFT_OUT = ("--trust", "--force", "--extend", "--resume")
_ENGINE = "--engine"
_EXPORT = "--export-"
"""Words of the command that are not given again: a journal may come from a stranger, and can't
decide which code runs, what is replaced, and what else is written. The scheduler of an engine
could run any code."""


@click.command("resume")
@click.argument("path", metavar="PATH")
@trust_option
@click.pass_context
def resume_command(context: click.Context, path: str, trust: bool) -> None:
    """Continue a command that was interrupted, or whose machine crashed.

    PATH is the journal that the command left behind, NAME.journal, or the record or folder that
    the journal belongs to. The same command runs again, in the same folder, with --resume, but
    without its exports and its cluster. The result is that of a run without interruption. To keep
    exports and cluster, use 'bsbench COMMAND … --resume'.

    \b
    Example:
      bsbench resume results/prob-harbour.journal
    """
    from bsbench.cli.saving import COMMAND, WANTED, ResumeOption
    from bsbench.common.journal import Journal
    from bsbench.common.texts import for_terminal

    journal = _journal_of(path)
    words = Journal.peek(journal, COMMAND)
    if type(words) is not list or not words or not all(type(word) is str for word in words):
        raise BsbenchError(f"{journal} does not say which command wrote it: give it with --resume")
    assert context.parent is not None
    group: click.Command = context.parent.command
    parent, called = context.parent, []
    while isinstance(group, click.Group):
        known = group.get_command(parent, words[0]) if words else None
        if known is None:
            raise BsbenchError(f"{journal} is not of a command of this version of bsbench")
        called.append(words.pop(0))
        parent, group = click.Context(known, parent, called[-1]), known
    if not any(isinstance(option, ResumeOption) for option in group.params):
        raise BsbenchError(f"{journal} is of 'bsbench {' '.join(called)}', which keeps no journal")
    arguments = ["--resume", *(["--trust"] if trust else []), *_kept(words)]
    shown = " ".join([*called, *arguments])
    click.echo(for_terminal(f"bsbench {shown}"), err=True)
    # click takes words out of the list that it is given.
    with group.make_context(called[-1], [*arguments], parent=parent.parent) as again:
        _check_trust(again.params, journal, trust)
        if again.params.get("secret_seed"):
            raise BsbenchError(f"{journal} is of a run with a secret seed, which keeps no journal")
        again.meta[WANTED], again.meta[WORDS] = journal, [*called, *arguments]
        group.invoke(again)


def _journal_of(path: str) -> Path:
    """Return the journal that a path means."""
    from bsbench.common.journal import SUFFIX

    whole = Path(path.rstrip("/").removesuffix(".json").removesuffix(SUFFIX))
    journal = whole.with_name(f"{whole.name}{SUFFIX}")
    if not journal.exists():
        raise BsbenchError(
            f"there is nothing to resume: there is no {journal}. A journal is written after some "
            "seconds, and removed when all is saved"
        )
    return journal


def _kept(words: list[str]) -> list[str]:
    """Return the words that are given again."""
    kept: list[str] = []
    rest = iter(words)
    for word in rest:
        if word.startswith((_EXPORT, _ENGINE)):
            if "=" not in word:
                next(rest, None)
        elif word not in _LEFT_OUT:
            kept.append(word)
    return kept


def _check_trust(parameters: dict[str, Any], journal: Path, trust: bool) -> None:
    """Refuse strategies that a journal names, unless they are built in or the user trusts it.

    Raises
    ------
    BsbenchError
        If it names any.
    """
    from bsbench.roster import check_trust

    for key in ("variants", "strategies"):
        for variant in parameters.get(key) or ():
            check_trust(read_variant(variant)[0], journal, trust)
