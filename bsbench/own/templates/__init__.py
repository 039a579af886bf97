"""Templates of strategies: working files with comments, one for each kind.

They are the files ``KIND.template`` in this folder, in which ``$Class``, ``$name`` and ``$file``
stand for names that follow from the new file's.
"""

from __future__ import annotations

import keyword
import re
from pathlib import Path
from string import Template

from bsbench.common.errors import BsbenchError, reason

KINDS = "python", "numpy", "numba"
"""In plain Python for one game, in numpy for a batch, with numba kernels."""


def write_template(path: str | Path, kind: str = "python", taken: tuple[str, ...] = ()) -> str:
    """Write a strategy to begin with into a new file.

    Parameters
    ----------
    path : str or Path
        Ends in ``.py``.
    kind : str
        One of `KINDS`.
    taken : tuple of str
        Names of strategies that the new one may not have.

    Returns
    -------
    str
        The name of its class.

    Raises
    ------
    BsbenchError
        If the file is there already or can't be written, or its name gives no name of a class.
    """
    path = Path(path)
    name, called = names(path, taken)
    text = (Path(__file__).parent / f"{kind}.template").read_text(encoding="utf-8")
    # A path with blanks is one word on a command line only in quotes.
    shown = path.as_posix() if re.fullmatch(r"[\w./:~-]+", path.as_posix()) else path.name
    filled = Template(text).substitute(Class=name, name=called, file=shown)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(filled)
    except FileExistsError:
        raise BsbenchError(
            f"{path} is there already, and is left as it is: choose another name"
        ) from None
    except OSError as error:
        raise BsbenchError(f"can't write {path}: {reason(error)}") from None
    return name


def names(path: Path, taken: tuple[str, ...] = ()) -> tuple[str, str]:
    """Return the names of class and strategy in a new file: ``MyFile``, ``my-file``.

    Raises
    ------
    BsbenchError
        If the file's name does not end in ``.py``, or is no name that Python can import.
    """
    if path.suffix != ".py":
        raise BsbenchError(f"{path} is no Python file: choose a name that ends in .py")
    stem = path.stem
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", stem) or keyword.iskeyword(stem):
        raise BsbenchError(
            f"{str(path)!r} gives no name of a module and a class: begin the file's name with a "
            "letter, use letters, digits and _, and no word of Python's own, as my_file.py"
        )
    words = re.findall(r"[A-Za-z0-9]+", stem)
    # A class may not be called True, and a built-in strategy keeps its name.
    if keyword.iskeyword(_joined(words)) or "-".join(words).lower() in taken:
        words.insert(0, "my")
    return _joined(words), "-".join(words).lower()


def _joined(words: list[str]) -> str:
    return "".join(word[0].upper() + word[1:] for word in words)
