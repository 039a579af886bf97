"""Files to begin a strategy with: working ones, with comments, one for each kind.

They are the files ``KIND.template`` in this folder, in which ``$Class``, ``$name`` and ``$file``
stand for names that follow from the new file's.
"""

from __future__ import annotations

import keyword
import re
from pathlib import Path
from string import Template

from bsbench.errors import BsbenchError

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
    name = class_name(path, taken)
    text = (Path(__file__).parent / f"{kind}.template").read_text(encoding="utf-8")
    # A path with blanks is one word on a command line only in quotes.
    shown = path.as_posix() if re.fullmatch(r"[\w./:~-]+", path.as_posix()) else path.name
    filled = Template(text).substitute(Class=name, name=strategy_name(name), file=shown)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(filled)
    except FileExistsError:
        raise BsbenchError(
            f"{path} is there already, and is left as it is: choose another name"
        ) from None
    except OSError as error:
        raise BsbenchError(f"can't write {path}: {error.strerror}") from None
    return name


def class_name(path: Path, taken: tuple[str, ...] = ()) -> str:
    """Return the name of the class in a new file: ``my_file.py`` has ``MyFile``.

    Raises
    ------
    BsbenchError
        If the file's name does not end in ``.py``, or has no letters to make a name of.
    """
    if path.suffix != ".py":
        raise BsbenchError(f"{path} is no Python file: choose a name that ends in .py")
    words = re.findall(r"[A-Za-z0-9]+", path.stem)
    name = "".join(word[0].upper() + word[1:] for word in words)
    if not re.match(r"[A-Z]", name):
        raise BsbenchError(
            f"{path} gives no name of a class: begin the file's name with a letter, as my_file.py"
        )
    if keyword.iskeyword(name) or strategy_name(name) in taken:
        return f"My{name}"
    return name


def strategy_name(name: str) -> str:
    """Return the name of a strategy by that of its class: ``MyFile`` is ``my-file``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()
