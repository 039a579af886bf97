"""What the shell completes beside commands and options: names of strategies, scenarios, records.

It happens at each press of the tab key. So nothing is imported that is slow, and no record is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import click
from click.shell_completion import CompletionItem

from bsbench.common.discovery import names_in
from bsbench.common.files import MANIFEST
from bsbench.common.settings import results_folder

BUNDLED = "@"


class Text(click.ParamType):  # type: ignore[type-arg] # generic since click 8.4
    """A text that means something, and may begin as one of some names.

    Parameters
    ----------
    name : str
        Of what it is.
    read : callable
        Returns what a text means, and refuses others in a sentence of its own.
    names : callable
        Returns the names that the shell completes; it completes paths of files, too.
    """

    def __init__(
        self,
        name: str,
        read: Callable[[str], Any] = str,
        names: Callable[[], Iterable[str]] = tuple,
    ) -> None:
        self.name = name
        self._read, self.names = read, names

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return what a text means; what is no text was read before."""
        return self._read(value) if isinstance(value, str) else value

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names that begin so; where there is none, the shell may look for files."""
        # bash gives "@" as a word of its own, although it replaces it with what follows.
        given = ctx.params.get(str(param.name))
        cut = isinstance(given, tuple) and given[-1:] == (BUNDLED,)
        begins = BUNDLED + incomplete if cut else incomplete
        found = [CompletionItem(name) for name in self.names() if name.startswith(begins)]
        # The file comes first: bash forgets what stands before it.
        return [CompletionItem(incomplete, type="file"), *found]


def scenarios() -> list[str]:
    """Return the names of built-in scenarios."""
    from bsbench.rules.scenario import scenario_names

    return scenario_names()


def _strategies() -> list[str]:
    return names_in("bsbench.strategies")


def _records() -> list[str]:
    """Return the names of records that come with bsbench, and of their folders."""
    folder = results_folder()
    files = (path for path in folder.glob("*/*.json") if path.name != MANIFEST)
    records = [path.relative_to(folder).with_suffix("") for path in files]
    folders = {record.parent for record in records}
    return sorted(f"{BUNDLED}{path.as_posix()}" for path in [*folders, *records])


def _kinds() -> Iterable[str]:
    from bsbench.present.charts import kinds

    return kinds()


STRATEGY = Text("strategy", names=_strategies)
SCENARIO = Text("scenario", names=scenarios)
RECORD = Text("record", names=_records)
CONTESTANT = Text("contestant", names=lambda: [*_strategies(), "all", *_records()])
KIND = Text("kind", names=_kinds)
