"""The machine code of kernels on disk: compiled again only when something they import changes.

numba's own cache notices an edit of the module in which a kernel stands, but not of a module whose
kernels it calls, and would then run stale code. Here each module with kernels has a folder
named by a hash of its *import closure*: its own source, the sources of the modules that it
imports at its top, of those that these import, and so on. Imports inside functions don't count:
no kernel can call what they import. So an edit means another folder for the modules that depend
on the edited one, and for no others. The path of a source does not count either: two checkouts
with the same sources share their machine code. `_machine_code` reads and writes the files.

A wheel may carry such folders, for stated levels of processors: then nothing is compiled.

Whoever can write to the cache can run code as its user: numba unpickles what it finds there. A
cache that belongs to another user, or that others can write to, is not used. That a group has no
other members can't be known, so that its right to write counts, too; folders are made without it,
whatever the umask.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import re
import shlex
import shutil
import stat
import tempfile
import time
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import platformdirs

import bsbench
import bsbench.kernels

_PACKAGE = Path(bsbench.__file__).resolve().parent

SHIPPED = _PACKAGE / "machine_code"
"""Machine code that came with the package; `.ci/compiled_wheel.py` puts it there."""

_UNUSED_DAYS = 30
"""Folders that no process has used for so long are removed."""

_IMPORT = re.compile(r"^(?:from +([.\w]+) +import +(\([^)]*\)|.+)|import +(.+))", re.MULTILINE)
"""Imports at the top of a module. Prose that looks like one names no module, and does no harm."""


def _file_of(name: str, root: Path | None) -> Path | None:
    """Return the file of a module, as far as it belongs to bsbench or stands below ``root``."""
    first, *rest = name.split(".")
    if first == _PACKAGE.name:
        place = _PACKAGE.joinpath(*rest)
    elif root is not None:
        place = root.joinpath(first, *rest)
    else:
        return None
    for path in (place.with_name(f"{place.name}.py"), place / "__init__.py"):
        if os.path.isfile(path):
            return path
    return None


class _Source(NamedTuple):
    """What a file holds now: its digest, and the files that it imports."""

    digest: bytes
    imports: frozenset[Path]


_WORD = re.compile(r"\b(?!as\b)\w+")


def _source(path: Path, root: Path | None = None) -> _Source:
    """Return what a file holds; a strategy may be edited and loaded again in one process."""
    if path.is_relative_to(_PACKAGE):
        # Where bsbench is installed, numba and numpy stand beside it.
        root = None
    state = path.stat()
    return _source_of(path, root, state.st_mtime_ns, state.st_size)


@cache
def _source_of(path: Path, root: Path | None, *_state: int) -> _Source:
    content = path.read_bytes()
    imports = frozenset(_imports(content.decode("utf-8", "replace"), path, root))
    return _Source(hashlib.blake2b(content, digest_size=8).digest(), imports)


def _imports(text: str, path: Path, root: Path | None) -> Iterator[Path]:
    """Yield the files that a file imports; of a lazy package, those that define the names."""
    wanted: list[str] = []
    for module, names, modules in _IMPORT.findall(text):
        if modules:
            wanted += re.findall(r"[.\w]+", modules)
            continue
        name = module.lstrip(".")
        if above := len(module) - len(name):
            parts = path.relative_to(root or _PACKAGE.parent).parts[:-above]
            name = ".".join((*parts, name)).strip(".")
        modules_of, file = _lazy_modules(name), _file_of(name, root)
        listed = {each: f"{name}.{modules_of.get(each, each)}" for each in _WORD.findall(names)}
        # What a lazy package does not import is its own.
        own = not modules_of or any(_file_of(each, root) is None for each in listed.values())
        if file is not None and own:
            yield file
        if file is None or file.name == "__init__.py":
            # The names may be those of modules.
            wanted += listed.values()
    yield from filter(None, (_file_of(name, root) for name in wanted))
    # What a module like `bsbench.kernels.lanes` passes on.
    yield from filter(os.path.isfile, [path.with_name(f"_{path.name}")])


def _lazy_modules(module: str) -> dict[str, str]:
    """Return where a package of bsbench finds the names that it imports when first used."""
    lazy = {"bsbench": bsbench, "bsbench.kernels": bsbench.kernels}
    return lazy[module]._MODULE_OF if module in lazy else {}


def closure(path: Path) -> dict[Path, bytes]:
    """Return the files on which the kernels in a file depend, itself included, with digests.

    Parameters
    ----------
    path : Path
        Of a module of bsbench or of a user. The user's own files count, too: those below the
        folder that holds the file, or its outermost package.
    """
    root = path.parent
    while os.path.exists(root / "__init__.py"):
        root = root.parent
    found: dict[Path, bytes] = {}
    fresh = [path]
    while fresh:
        if (file := fresh.pop()) not in found:
            found[file], imports = _source(file, root)
            fresh += imports
    return found


def kernels_in(function: Any) -> list[Any]:
    """Return the functions of kernels that a function made by another one has from that one."""
    variables = [cell.cell_contents for cell in function.__closure__ or ()]
    return [each.__wrapped__ for each in variables if hasattr(each, "__wrapped__")]


def all_own(sources: dict[Path, bytes]) -> bool:
    """Return whether all of some files, at least one, belong to bsbench."""
    return bool(sources) and all(path.is_relative_to(_PACKAGE) for path in sources)


def folder_for_others() -> Path:
    """Return a folder for functions that users decorate with numba's own decorators.

    They are compiled again when any kernel that `bsbench.kernels` offers may have changed, but
    not when another file of the user changes: numba does not know of it.
    """
    kernels = _PACKAGE / "kernels"
    return folder_for("others", {path: _source(path).digest for path in kernels.glob("*.py")})


def folder_for(name: str, sources: dict[Path, bytes]) -> Path:
    """Return a writable folder for machine code that depends on these sources, made if missing.

    It lies in the user's cache folder, or in ``NUMBA_CACHE_DIR`` if that is set. Where
    nothing can be written, a temporary folder serves this process alone.

    Parameters
    ----------
    name : str
        What its name begins with.
    sources : dict of Path to bytes
        Digests of files, as `closure` returns them.
    """
    return _writable(cache_folder() / folder_name(name, sources))


def folder_name(name: str, sources: dict[Path, bytes]) -> str:
    """Return what changes with sources, and with what compiles them: versions and level."""
    import llvmlite
    import numba
    from llvmlite.binding import llvm_version_info

    compiler = (
        f"numba {numba.__version__}, llvmlite {llvmlite.__version__}, {llvm_version_info}, "
        f"{numba.config.OPT}"
    )
    digest = hashlib.blake2b(compiler.encode(), digest_size=8)
    for source in sorted(sources):
        digest.update(source.name.encode() + sources[source])
    return f"{name}-{digest.hexdigest()}"


def cache_folder() -> Path:
    """Return where machine code is kept, whether or not the folder exists."""
    parent = Path(os.environ.get("NUMBA_CACHE_DIR") or platformdirs.user_cache_dir())
    return parent / "bsbench-kernels"


def cached_modules() -> list[Path]:
    """Return the folders in the cache: one for each module, or several after edits."""
    named = re.compile(r".+-[0-9a-f]{16}")
    found = cache_folder().glob("*/")
    return [path for path in found if named.fullmatch(path.name) and not os.path.islink(path)]


def clear() -> None:
    """Remove the machine code that is kept; kernels are compiled again when next used.

    Raises
    ------
    OSError
        If it can't be removed.
    """
    for folder in cached_modules():
        shutil.rmtree(folder)


@cache
def _writable(folder: Path) -> Path:
    """Return a folder, made if missing; or another one, if nothing can be written there."""
    try:
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not os.path.exists(folder):
            _remove_unused(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
        if not (_is_own(folder.parent) and (_is_closed(folder.parent) or _is_own(folder))):
            raise PermissionError
        os.utime(folder)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        if error.errno is not None:
            _say_unkept(folder.parent, os.strerror(error.errno))
        folder = Path(tempfile.mkdtemp(prefix="bsbench-kernels-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def _say_unkept(parent: Path, why: str) -> None:
    """Warn, once a process, that each command will compile."""
    # Not at the top: all kernels depend on what this file imports there.
    from bsbench.common.errors import BsbenchWarning

    warnings.warn(
        f"compiled code can't be kept in {parent} ({why}), so each command compiles for some "
        "seconds: set NUMBA_CACHE_DIR to a folder that you can write to",
        BsbenchWarning,
        stacklevel=2,
    )


def _is_closed(folder: Path) -> bool:
    """Return whether nobody else can enter a folder, so that the modes below it don't matter."""
    return os.name != "nt" and not folder.stat().st_mode & (stat.S_IXGRP | stat.S_IXOTH)


@cache
def _is_own(folder: Path) -> bool:
    """Return whether nobody else can put files into a folder; warn if somebody can."""
    state = folder.stat()
    own = os.name == "nt" or state.st_uid == os.geteuid()
    if own and (os.name == "nt" or not state.st_mode & (stat.S_IWGRP | stat.S_IWOTH)):
        return True
    # Not at the top: all kernels depend on what this file imports there.
    from bsbench.common.errors import BsbenchWarning

    problem, remedy = "belongs to another user", "change its owner"
    if own:
        whose = "everybody" if state.st_mode & stat.S_IWOTH else "its group"
        problem = f"can be written to by {whose}"
        closed = f"chmod go-w {shlex.quote(str(folder))}"
        remedy = f"remove it, or type {closed} if nobody has put files there"
    warnings.warn(
        f"the kernel cache {folder} {problem}, who could run code as you: it is not used, and "
        f"kernels are compiled in each process; {remedy}, or set NUMBA_CACHE_DIR to a folder of "
        "your own",
        BsbenchWarning,
        stacklevel=2,
    )
    return False


@cache
def _remove_unused(parent: Path) -> None:
    """Remove folders that have not been used for long; once a process, when one is added."""
    for folder in parent.glob("*/"):
        with contextlib.suppress(OSError):
            if time.time() - folder.stat().st_mtime > _UNUSED_DAYS * 86400:
                shutil.rmtree(folder, ignore_errors=True)
