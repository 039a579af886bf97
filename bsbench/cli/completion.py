"""What the shell completes: names of strategies, scenarios, records, plans and kinds of charts.

It happens at each press of the tab key. So nothing is imported that is slow, and no record is read.
Parameters of strategies are read from their files, which are not run.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from bsbench.common.files import MANIFEST
from bsbench.common.settings import configs_folder, results_folder
from bsbench.rules.board import Feedback

BUNDLED = "@"
_STRATEGIES = Path(__file__).parent.parent / "strategies"
_LAWS = ("uniform", "sequential", "edge", "avoid:", "mix:", "hide", "file:", "each")
Names = Iterable[str]


class Completed(click.ParamType):  # type: ignore[type-arg] # generic since click 8.4
    """A type of a parameter that reads values as another one, and completes names.

    Parameters
    ----------
    read : ParamType
    names : callable
        Returns the names that may stand there, given how one begins.
    files : bool
        Whether the shell completes paths of files, too.
    listed : bool
        Whether there may be several names with commas.
    """

    def __init__(
        self,
        read: click.ParamType[Any],
        names: Callable[[str], Names],
        files: bool = False,
        listed: bool = False,
    ) -> None:
        self.name, self._read = read.name, read
        self._names, self._files, self._listed = names, files, listed

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return what the other type returns."""
        return self._read.convert(value, param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names that begin so; where there is none, the shell may look for files."""
        before = ""
        if self._listed:
            *others, incomplete = incomplete.split(",")
            before = "".join(f"{other}," for other in others)
        # bash gives "@" as a word of its own, although it replaces it with what follows.
        given = ctx.params.get(str(param.name))
        cut = bool(given) and isinstance(given, tuple) and given[-1] == BUNDLED
        begins = BUNDLED + incomplete if cut else incomplete
        found = [name for name in self._names(begins) if name.startswith(begins)]
        items = [CompletionItem(before + name) for name in found]
        # The file comes first: bash forgets what stands before it.
        return [CompletionItem(incomplete, type="file"), *items] if self._files else items


def complete(command: click.Command) -> None:
    """Let the parameters of a command complete what belongs there."""
    for param in command.params:
        if (how := _of(command, param)) is not None and not isinstance(param.type, Completed):
            param.type = Completed(param.type, *how)


def _of(command: click.Command, param: click.Parameter) -> tuple[Any, ...] | None:
    """Return the names that a parameter completes, whether files, and whether lists of names."""
    modules = type(command).__module__, getattr(command.callback, "__module__", "")
    if any(".connect4." in module for module in modules):
        return (_players,) if param.name in ("variant", "variants") else None
    if isinstance(param, click.Option):
        return _option(command, param)
    what = param.metavar or str(param.name).upper()
    if any(word in what for word in ("STRATEGY", "PLAYER", "SIDE")):
        if command.name in ("run", "value"):
            return (lambda begins: [*_strategies(begins), "all"]), True
        records = "RECORD" in what or "PLAYER" in what
        return (_strategies_and_records if records else _strategies), True
    if "SCENARIO" in what:
        return _scenarios, True
    if "RECORD" in what or "RESULT" in what:
        return _records, True
    if command.name == "reproduce":
        return _plans, True
    if command.name == "list":
        return (lambda begins: [*_strategies(begins), *_scenarios(begins)]), True
    return None


def _option(command: click.Command, option: click.Option) -> tuple[Any, ...] | None:
    names = set(option.opts)
    if names & {"--strategy", "--reference", "--versus", "--shooter"}:
        return _strategies, True
    if "--scenario" in names:
        return _scenarios, True, True
    if names & {"--against"}:
        return _records, True
    if command.name == "chart" and "--kind" in names:
        return (_kinds,)
    if "--placement" in names:
        return ((lambda begins: _LAWS),)
    if "--feedback" in names:
        return ((lambda begins: map(str, Feedback)),)
    if "--format" in names and not isinstance(option.type, click.Choice):
        return (lambda begins: ("png", "svg", "pdf")), False, True
    return None


def _strategies(begins: str) -> Iterator[str]:
    """Yield names of strategies; after a comma, their parameters."""
    names = _named(_STRATEGIES)
    name, comma, settings = begins.partition(",")
    if not comma:
        yield from names
        return
    if name in names:
        *before, _ = settings.split(",")
        taken = {setting.partition("=")[0] for setting in before}
        for parameter in _parameters(name.replace("-", "_")):
            if parameter not in taken:
                yield ",".join([name, *before, f"{parameter}="])


def _players(begins: str) -> list[str]:
    return _named(Path(__file__).parent.parent / "connect4" / "players")


def _named(folder: Path) -> list[str]:
    """Return the strategies or players of a folder, as `bsbench.common.discovery` does."""
    files = sorted(path.stem for path in folder.glob("[!_]*.py"))
    return [stem.replace("_", "-") for stem in files if stem not in ("base", "view")]


def _strategies_and_records(begins: str) -> list[str]:
    return [*_records(begins)] if begins.startswith(BUNDLED) else [*_strategies(begins), "all"]


def _scenarios(begins: str) -> list[str]:
    from bsbench.rules.scenario import scenario_names

    return scenario_names()


def _records(begins: str) -> list[str]:
    """Return the names of records that come with bsbench, and of their folders."""
    folder = results_folder()
    files = (path for path in folder.glob("*/*.json") if path.name != MANIFEST)
    records = [path.relative_to(folder).with_suffix("") for path in files]
    folders = {record.parent for record in records}
    return sorted(f"{BUNDLED}{path.as_posix()}" for path in [*folders, *records])


def _plans(begins: str) -> list[str]:
    return sorted(path.stem for path in (configs_folder() / "reproduce").glob("*.toml"))


def _kinds(begins: str) -> Iterable[str]:
    from bsbench.present.charts import kinds

    return kinds()


@cache
def _parameters(module: str) -> tuple[str, ...]:
    """Return the parameters of the strategies in a file, and those of the classes they are of."""
    text = (_STRATEGIES / f"{module}.py").read_text(encoding="utf-8")
    tree = ast.parse(text)
    found: dict[str, None] = {}
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    bases = {ast.unparse(base) for node in classes for base in node.bases}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and bases & {alias.name for alias in node.names}:
            home = re.fullmatch(r"bsbench\.strategies\.(?!base$)(\w+)", node.module or "")
            found |= dict.fromkeys(_parameters(home[1])) if home else {}
    for line in (line for node in classes for line in node.body):
        # Made by `parameter`, or by a function that calls it.
        if isinstance(line, ast.AnnAssign) and isinstance(line.value, ast.Call):
            found[ast.unparse(line.target)] = None
    return tuple(found)
