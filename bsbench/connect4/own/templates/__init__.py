"""Templates of players: working files with comments, one for each kind.

They are the files ``KIND.template`` in this folder, in which ``$Class``, ``$file`` and ``$program``
stand for names that follow from the new file's.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from string import Template

from bsbench.common.errors import BsbenchError
from bsbench.common.files import check_export, write_text
from bsbench.own.templates import names

KINDS = {"python": ".py", "cpp": ".cpp", "python-process": ".py"}
"""How files end, by kind: a class in Python, and programs in C++ and Python."""


def write_template(file: str, kind: str | None = None) -> list[str]:
    """Write a player to begin with into a new file; return what to do next, line by line.

    Parameters
    ----------
    file : str
        Ends as is usual for the kind.
    kind : str, optional
        One of `KINDS`. Default: what the file's name ends in.

    Raises
    ------
    BsbenchError
        If the file is there already or can't be written, or its name does not fit.
    """
    path = Path(file)
    if kind is None:
        kind = next((kind for kind, end in KINDS.items() if path.suffix == end), None)
    if kind is None:
        raise BsbenchError(
            f"there is no template for {file}: choose a name that ends in .py or .cpp, or "
            "write a program in another language, see docs/connect4.md"
        )
    if path.suffix != KINDS[kind]:
        raise BsbenchError(
            f"{file} is not a name for --kind {kind}: choose one that ends in {KINDS[kind]}"
        )
    program = path.with_suffix("")
    called = str(program) if program.parent.name else f"./{program}"
    shown = shlex.quote(file)
    name = names(path, ())[0] if kind == "python" else ""
    if kind == "python":
        before, spec = [], f"{file}:{name}"
    elif kind == "cpp":
        before = [f"c++ -O2 -std=c++17 {shown} -o {shlex.quote(str(program))}"]
        spec = f"cmd:{shlex.quote(called)}"
    else:
        before, spec = [], f"cmd:python3 {shown}"
    check_export(path, False)
    text = (Path(__file__).parent / f"{kind}.template").read_text(encoding="utf-8")
    filled = Template(text).substitute(Class=name, file=path.name, program=program.name)
    write_text(path, filled)
    quoted = shlex.quote(spec)
    commands = [
        *before,
        f"bsbench connect4 check {quoted}",
        f"bsbench connect4 match {quoted} greedy --games 200",
    ]
    return [f"Wrote a player to {file}. Next:", *(f"  {command}" for command in commands)]
