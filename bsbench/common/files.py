"""Files and folders of results, written whole or not at all.

A file appears under its name only when it is complete. A folder of results that one command
writes holds `MANIFEST`, a JSON file that says under ``schema`` what made the folder, and under
``files`` which others belong to it. So a command replaces what it has written, and never anything
else.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any, TypeVar

from bsbench.common.errors import BsbenchError, WriteError, option, reason
from bsbench.common.reading import LARGEST_JSON, parse_json, read_bytes
from bsbench.common.texts import shortened

MANIFEST = "reproduce.json"

PICTURES = ("png", "svg")
"""How the names of charts end: each is written as both, unless another is asked for."""

FORMATS = (*PICTURES, "pdf")
"""How the names of charts may end."""

Write = Callable[[IO[bytes]], object]
"""Writes the content of a file."""

_Read = TypeVar("_Read")

TEMPORARY = ".bsbench-"
"""How the names of files and folders begin that are being written. If a process is killed,
they are left over; whoever lists a folder skips names that begin with a dot."""

_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)
"""File names that mean a device on Windows, with any suffix."""

_LONGEST_NAME = 100
"""Bytes at most of a generated file name, before its hash."""


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Open a file that appears under its name only when complete, replacing an older one."""
    descriptor, name = tempfile.mkstemp(prefix=TEMPORARY, dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
        os.chmod(name, _usual_mode())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_file(path: str | Path, write: Write) -> None:
    """Write a file that appears only when complete, replacing an older one.

    A path that is no regular file, such as a pipe, is written to directly.

    Raises
    ------
    WriteError
        If it can't be written.
    """
    path = Path(path)
    try:
        special = os.path.exists(path) and not os.path.isfile(path)
        with path.open("wb") if special else replacing(path) as file:
            write(file)
    except OSError as error:
        raise WriteError(f"can't write {path}: {reason(error)}") from None


def write_text(path: str | Path, text: str) -> None:
    """Write a text as `write_file` does, in UTF-8.

    Raises
    ------
    WriteError
        If it can't be written.
    """
    write_bytes(path, text.encode())


def write_bytes(path: str | Path, content: bytes) -> None:
    """Write a file as `write_file` does.

    Raises
    ------
    WriteError
        If it can't be written.
    """
    write_file(path, lambda file: file.write(content))


def taken(path: Path, replaceable: bool = True) -> BsbenchError:
    """Return the error that a file is where another one is to be written."""
    way = f", or add {option('force', True)} to replace it" if replaceable else ""
    return BsbenchError(f"{path} exists already: choose another name{way}")


def as_path(path: Any) -> Path:
    """Return a path that a user gives.

    Raises
    ------
    BsbenchError
        If it is none, or no file can have this name.
    """
    try:
        possible = b"\0" not in os.fsencode(path)
    except TypeError:
        raise BsbenchError(f"a file is named by its path, not by {shortened(path)}") from None
    except UnicodeError:
        possible = False
    if not possible:
        raise BsbenchError(f"no file can have the name {shortened(path)}")
    return Path(os.fsdecode(path))


def check_export(path: str | Path, force: bool | None = None) -> None:
    """Refuse a path that can't be exported to.

    Parameters
    ----------
    path : str or Path
    force : bool, optional
        Whether a file that exists is replaced. Default: it never is, as where nobody can say so.

    Raises
    ------
    BsbenchError
        If it is a folder, its folder doesn't exist, or it is a file that is not to be replaced.
    """
    path = as_path(path)
    if exists(path) and os.path.isfile(path) and not force:
        raise taken(path, force is not None)
    if not os.path.isdir(path.parent):
        raise BsbenchError(f"can't export to {path}: there is no folder {path.parent}")


def check_output(output: str | Path) -> Path:
    """Return the path under which results are saved.

    Raises
    ------
    BsbenchError
        If it is empty, stands for standard output, or is no path.
    """
    path = as_path(output)
    if not str(output).strip():
        raise BsbenchError("the output path is empty: give a file name")
    if output == "-":
        raise BsbenchError("results are not saved to standard output: name a file")
    return path


def ending_of(path: Path) -> str:
    """Return how a name ends that says what kind of file it is; of ``noise=0.5``, nothing."""
    return path.suffix if re.fullmatch(r"\.[A-Za-z]\w*", path.suffix) else ""


def output_place(output: str | Path | None, default_name: str) -> tuple[Path, str]:
    """Return the folder that results will be written to, made if missing, and their name.

    Parameters
    ----------
    output : str, Path or None
        Path of the record, with or without ``.json``; an existing folder without that, or a path
        that ends in a slash, means the default name in there. None means ``results/``.
    default_name : str

    Raises
    ------
    BsbenchError
        If it ends as the name of another kind of file does.
    WriteError
        If the folder can't be made or written to.
    """
    output = "results/" if output is None else output
    path = check_output(output)
    ending = ending_of(path)
    if str(output).endswith(("/", os.sep)) or (ending != ".json" and os.path.isdir(path)):
        folder, name = path, default_name
    elif ending in ("", ".json"):
        folder, name = path.parent, path.name.removesuffix(".json")
    else:
        raise BsbenchError(
            f"{path} ends in {ending}, and a record is a JSON file: end its name in .json, or "
            "leave the ending out"
        )
    make_folder(folder)
    return folder, name or default_name


def exists(path: Path) -> bool:
    """Return whether there is a file of that name.

    Raises
    ------
    BsbenchError
        If it is a folder, or no file could have that name.
    """
    try:
        path.lstat()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise BsbenchError(f"can't write {path}: {reason(error)}; choose another name") from None
    if os.path.isdir(path):
        raise BsbenchError(f"can't write {path}: it is a folder; choose another name")
    return True


_made: list[Path] = []
"""Folders that `make_folder` has made, each after the one that it is in."""


@contextlib.contextmanager
def no_empty_folders() -> Iterator[None]:
    """Remove at the end what `make_folder` has made, and nothing was written into."""
    _made.clear()
    try:
        yield
    finally:
        while _made:
            with contextlib.suppress(OSError):
                _made.pop().rmdir()


def make_folder(folder: Path) -> None:
    """Make a folder if it is missing; see `no_empty_folders`.

    Raises
    ------
    WriteError
        If it can't be made or written to.
    """
    try:
        _make(folder)
    except FileExistsError:
        raise WriteError(f"can't write to {folder}: it is a file, not a folder") from None
    except OSError as error:
        raise WriteError(
            f"can't write to the folder {folder}: {reason(error)}; choose another one"
        ) from None


def _make(folder: Path) -> None:
    missing = [each for each in (folder, *folder.parents) if not os.path.exists(each)]
    folder.mkdir(parents=True, exist_ok=True)
    _made.extend(reversed(missing))
    with tempfile.TemporaryFile(dir=folder):
        pass


def file_name(text: str) -> str:
    """Return a text as the name of a file: without spaces and the like, and not too long."""
    name = re.sub(r"[^\w.+-]", "-", text)
    name = f"_{name}" if _RESERVED.match(name) else name
    if len(name.encode()) <= _LONGEST_NAME:
        return name
    # File systems allow 255 bytes; a hash keeps different long names apart.
    digest = hashlib.blake2b(name.encode(), digest_size=4).hexdigest()
    return f"{name.encode()[:_LONGEST_NAME].decode(errors='ignore')}-{digest}"


def read_json(path: Path, read: Callable[[Any], _Read], kind: str, otherwise: str) -> _Read:
    """Return what a function makes of the content of a JSON file.

    Parameters
    ----------
    path : Path
    read : callable
        Takes the content. It may raise BsbenchError, or any usual error, on wrong content.
    kind : str
        What the file should be, such as ``usable record``.
    otherwise : str
        Ends the message "FILE is not …", for another kind of file or a damaged one.

    Raises
    ------
    BsbenchError
        If the file can't be read, or is not of that kind.
    """
    content = read_bytes(path, LARGEST_JSON)
    try:
        return read(parse_json(content))
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError):
        raise BsbenchError(f"{path} is not {otherwise}") from None
    except BsbenchError as error:
        raise BsbenchError(f"{path} is not {kind}: {error}") from None


def _usual_mode() -> int:
    """Return the mode of a new file; temporary files are made private."""
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask


def json_text(record: dict[str, Any]) -> str:
    """Return a record as JSON, lists of numbers on one line each."""
    text = json.dumps(record, indent=1, ensure_ascii=False)
    # One number a line would make the histogram most of the file. Only lists have line
    # breaks in them: no name or other text is touched.
    text = re.sub(r"\[\n([\d\s,]+)\]", lambda match: f"[{' '.join(match[1].split())}]", text)
    return f"{text}\n"


def check_folder(folder: Path, schema: str, command: str) -> None:
    """Refuse a folder that can't be written to, or that holds files that bsbench did not write.

    Parameters
    ----------
    folder : Path
    schema : str
        The schema in the folder's `MANIFEST`.
    command : str
        The command that writes such folders, for the message.

    Raises
    ------
    BsbenchError
        If it is such a folder.
    """
    folder = as_path(folder)
    try:
        with contextlib.suppress(FileNotFoundError):
            folder.lstat()
        foreign = _foreign(folder, schema)
        _make(folder.parent)
    except (NotADirectoryError, FileExistsError):
        raise BsbenchError(f"can't write to {folder}: there is a file of that name") from None
    except OSError as error:
        raise BsbenchError(
            f"can't write to {folder}: {reason(error)}; choose another folder with "
            f"{option('output')}"
        ) from None
    if foreign:
        named = ", ".join(foreign[:3]) + (", …" if foreign[3:] else "")
        raise BsbenchError(
            f"{folder} holds files that {command!r} did not make ({named}): move them "
            f"elsewhere, or choose another folder with {option('output')}"
        )


def _foreign(folder: Path, schema: str) -> list[str]:
    """Return the names in a folder that no earlier call has written there."""
    if not os.path.exists(folder):
        return []
    made = {MANIFEST}
    with contextlib.suppress(BsbenchError, ValueError, KeyError, TypeError, RecursionError):
        manifest = parse_json(read_bytes(folder / MANIFEST, LARGEST_JSON))
        if manifest["schema"] == schema:
            made |= set(manifest["files"])
    return sorted(
        name for name in os.listdir(folder) if name not in made and not name.startswith(TEMPORARY)
    )


def replace_folder(folder: Path, schema: str, write: Callable[[Path], None]) -> Path:
    """Write a folder of results, in place of the one that an earlier call wrote there.

    The new folder takes the old one's place when it is complete. If anything fails
    before, the old one stays as it was.

    Parameters
    ----------
    folder : Path
    schema : str
        The schema in the folder's `MANIFEST`.
    write : callable
        Writes all files, `MANIFEST` too, into an empty folder.

    Returns
    -------
    Path
        The folder. Its name has a number if another program has put a file into the wanted
        one in the meantime.

    Raises
    ------
    WriteError
        If it can't be written.
    """
    try:
        # A symbolic link stays: the folder behind it is replaced.
        folder = folder.resolve() if os.path.islink(folder) else folder
        with tempfile.TemporaryDirectory(prefix=TEMPORARY, dir=folder.parent) as beside:
            new = Path(beside, "new")
            new.mkdir()
            write(new)
            free = (folder.with_name(f"{folder.name}-{n}") for n in itertools.count(2))
            places = itertools.chain([folder], free)
            folder = next(place for place in places if not _foreign(place, schema))
            _exchange(new, folder, Path(beside, "old"))
    except OSError as error:
        raise WriteError(f"can't write {folder}: {reason(error)}") from None
    return folder


def write_results(folder: Path, files: Iterable[tuple[str, Write]], about: dict[str, Any]) -> None:
    """Write the files of a folder of results, and its `MANIFEST`.

    Parameters
    ----------
    folder : Path
        An empty folder.
    files : iterable of tuple
        Name and content of each.
    about : dict
        What the manifest says beside the names of the files.

    Raises
    ------
    WriteError
        If one can't be written.
    """
    files = list(files)
    manifest = {**about, "files": sorted(name for name, _ in files)}
    for name, write in files:
        write_file(folder / name, write)
    write_text(folder / MANIFEST, json_text(manifest))


def _exchange(new: Path, folder: Path, old: Path) -> None:
    """Move a new folder to its place; an old one there is moved aside."""
    try:
        with contextlib.suppress(FileNotFoundError):
            folder.rename(old)
        new.rename(folder)
    except BaseException:
        # After Ctrl-C, too, one of them is in place, and complete.
        if os.path.exists(old) and not os.path.exists(folder):
            old.rename(folder)
        raise
