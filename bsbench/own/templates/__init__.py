"""Templates of strategies, placers and bots: working files with comments, one for each kind.

They are the files ``KIND.template`` in this folder, in which ``$Class`` and ``$name`` stand for
names that follow from the new file's, ``$build`` and ``$spec`` for what is typed in a shell.
"""

from __future__ import annotations

import keyword
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import NamedTuple

from bsbench.common.errors import BsbenchError, reason
from bsbench.common.settings import COMMAND
from bsbench.common.texts import listed_in_words


@dataclass(frozen=True)
class Kind:
    """What can be written.

    Attributes
    ----------
    suffixes : tuple of str
        How the names of such files end. Of several kinds with the same, the first is the default.
    run : str
        The command that runs a bot, with fields as in ``build``. Empty for strategies in Python,
        which bsbench imports.
    build : str
        The command that makes the program, if one is needed. Fields are ``{file}``, the program
        as ``{output}``, and as ``{program}`` where it is run, and ``{folder}`` and ``{Class}``.
    role : str
        What a class in Python is.
    """

    suffixes: tuple[str, ...]
    run: str = ""
    build: str = ""
    role: str = "strategy"


KINDS = {
    "python": Kind((".py",)),
    "numpy": Kind((".py",)),
    "numba": Kind((".py",)),
    "learner": Kind((".py",)),
    "placer": Kind((".py",), role="placer"),
    "cpp": Kind((".cpp", ".cc", ".cxx"), "{program}", "g++ -O3 -std=c++17 -o {output} {file}"),
    "rust": Kind((".rs",), "{program}", "rustc -O -o {output} {file}"),
    "java": Kind((".java",), "java -cp {folder} {Class}", "javac {file}"),
    "js": Kind((".js", ".mjs"), "node {file}"),
    "python-process": Kind((".py",), "python3 {file}"),
}
"""Strategies in plain Python for one game, in numpy for a batch, with numba kernels, or in plain
Python for games in a row; programs that place ships; and bots."""

_FOLDER = Path(__file__).parent


class Written(NamedTuple):
    """What was written.

    Attributes
    ----------
    what : str
        ``the strategy MyFile``, ``a bot``.
    spec : str
        How the strategy is named wherever one is.
    build : str
        The command for a shell that makes the program, if one is needed.
    """

    what: str
    spec: str
    build: str


def write_template(
    path: str | Path, kind: str | None = None, taken: tuple[str, ...] = ()
) -> Written:
    """Write a strategy or bot to begin with into a new file.

    Parameters
    ----------
    path : str or Path
    kind : str, optional
        One of `KINDS`. Default: by the end of the file's name.
    taken : tuple of str
        Names of strategies that a new strategy may not have.

    Raises
    ------
    BsbenchError
        If the file is there already or can't be written, or its name does not fit the kind or
        gives no name of a class.
    """
    path = Path(path)
    kind = _kind_of(path, kind)
    text = (_FOLDER / f"{kind}.template").read_text(encoding="utf-8")
    # A Java class hides others of its name, such as String.
    hidden = set(re.findall(r"\b[A-Z]\w*", text)) if kind == "java" else set()
    is_bot = bool(KINDS[kind].run)
    # Bots are called by their files, with bot- in front of a name that is taken.
    name, called = names(path, () if is_bot else taken, hidden, importable=not is_bot)
    # What is typed goes into a comment, which a path with other characters could end.
    plain = re.fullmatch(r"[\w./~-]+", path.as_posix())
    build, spec = _typed(kind, path if plain else Path(path.name), name)
    filled = Template(text).substitute(Class=name, name=called, build=build, spec=shlex.quote(spec))
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(filled)
    except FileExistsError:
        raise BsbenchError(
            f"{path} exists already, and is left as it is: choose another name"
        ) from None
    except OSError as error:
        raise BsbenchError(f"can't write {path}: {reason(error)}") from None
    build, spec = _typed(kind, path, name)
    return Written("a bot" if is_bot else f"the {KINDS[kind].role} {name}", spec, build)


def _kind_of(path: Path, kind: str | None) -> str:
    """Return the kind of a file.

    Raises
    ------
    BsbenchError
        If the end of its name does not fit.
    """
    if kind is None:
        fitting = (name for name, each in KINDS.items() if path.suffix in each.suffixes)
        if (found := next(fitting, None)) is not None:
            return found
        ends = dict.fromkeys(end for each in KINDS.values() for end in each.suffixes)
        raise BsbenchError(
            f"the name {str(path)!r} does not say which language it is: choose one that ends in "
            f"{listed_in_words(ends, 'or')}"
        )
    if path.suffix not in KINDS[kind].suffixes:
        raise BsbenchError(
            f"{path} is not a file of the kind {kind}: choose a name that ends in "
            f"{' or '.join(KINDS[kind].suffixes)}"
        )
    return kind


def _typed(kind: str, path: Path, name: str) -> tuple[str, str]:
    """Return what is typed to build a file, if anything, and to name its strategy."""
    if not KINDS[kind].run:
        return "", f"{path.as_posix()}:{name}"
    program = path.with_suffix("").as_posix()
    fields = {
        "file": shlex.quote(path.as_posix()),
        "output": shlex.quote(program),
        # Without a folder, a shell would look for it elsewhere.
        "program": shlex.quote(program if "/" in program else f"./{program}"),
        "folder": shlex.quote(path.parent.as_posix()),
        "Class": name,
    }
    build, run = (text.format(**fields) for text in (KINDS[kind].build, KINDS[kind].run))
    return build, f"{COMMAND}{run}"


def names(
    path: Path,
    taken: tuple[str, ...] = (),
    hidden: set[str] | frozenset[str] = frozenset(),
    importable: bool = True,
) -> tuple[str, str]:
    """Return the names of class and strategy in a new file: ``MyFile``, ``my-file``.

    Parameters
    ----------
    path : Path
    taken : tuple of str
        Names that a strategy may not have.
    hidden : set of str
        Names that a class may not have.
    importable : bool
        Whether Python imports the file.

    Raises
    ------
    BsbenchError
        If the file's name is none for a class, or none that Python can import.
    """
    stem = path.stem
    reserved = importable and keyword.iskeyword(stem)
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", stem) or reserved:
        word = ", and no word of Python's own" if importable else ""
        raise BsbenchError(
            f"{str(path)!r} gives no name of a {'module and a ' if importable else ''}class: begin "
            f"the file's name with a letter, use letters, digits and _{word}, as "
            f"my_file{path.suffix}"
        )
    words = re.findall(r"[A-Za-z0-9]+", stem)
    # A class may not be called True, and a built-in strategy keeps its name.
    if (
        keyword.iskeyword(_joined(words))
        or _joined(words) in hidden
        or "-".join(words).lower() in taken
    ):
        words.insert(0, "my")
    return _joined(words), "-".join(words).lower()


def _joined(words: list[str]) -> str:
    return "".join(word[0].upper() + word[1:] for word in words)
