"""Folders of results that are written anew by one command, whole or not at all.

Such a folder holds `MANIFEST`, a JSON file that says under ``schema`` what made the folder, and
under ``files`` which others belong to it. So a command replaces what it has written, and never
anything else.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from bsbench.errors import BsbenchError

MANIFEST = "reproduce.json"


def check_folder(folder: Path, schema: str, command: str) -> None:
    """Refuse a folder that can't be written to, or that holds what is not of our making.

    Parameters
    ----------
    folder : Path
    schema : str
        That of the folder's `MANIFEST`.
    command : str
        What writes such folders, for the message.

    Raises
    ------
    BsbenchError
        If it is one.
    """
    try:
        foreign = _foreign(folder, schema)
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder.parent):
            pass
    except (NotADirectoryError, FileExistsError):
        raise BsbenchError(f"can't write to {folder}: there is a file of that name") from None
    except OSError as error:
        raise BsbenchError(
            f"can't write to {folder}: {error.strerror}; choose another folder with --output"
        ) from None
    if foreign:
        named = ", ".join(foreign[:3]) + (", …" if foreign[3:] else "")
        raise BsbenchError(
            f"{folder} holds files that {command!r} did not make ({named}): move them "
            "elsewhere, or choose another folder with --output"
        )


def _foreign(folder: Path, schema: str) -> list[str]:
    """Return the names in a folder that no earlier call has written there."""
    if not folder.exists():
        return []
    made = {MANIFEST}
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        if manifest["schema"] == schema:
            made |= set(manifest["files"])
    return sorted(name for name in os.listdir(folder) if name not in made)


def replace_folder(folder: Path, schema: str, write: Callable[[Path], None]) -> Path:
    """Write a folder of results, in place of the one that an earlier call wrote there.

    The new folder takes the old one's place when it is complete: whatever goes wrong
    before, the old one stays as it was.

    Parameters
    ----------
    folder : Path
    schema : str
        That of the folder's `MANIFEST`.
    write : callable
        Writes all, `MANIFEST` too, into an empty folder.

    Returns
    -------
    Path
        The folder: with a number, if somebody else's file has come into the one wanted in
        the meantime.

    Raises
    ------
    BsbenchError
        If it can't be written.
    """
    try:
        # A link stays one: what it leads to is replaced.
        folder = folder.resolve() if folder.is_symlink() else folder
        with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as beside:
            new = Path(beside, "new")
            new.mkdir()
            write(new)
            free = (folder.with_name(f"{folder.name}-{n}") for n in itertools.count(2))
            places = itertools.chain([folder], free)
            folder = next(place for place in places if not _foreign(place, schema))
            _exchange(new, folder, Path(beside, "old"))
    except OSError as error:
        raise BsbenchError(f"can't write {folder}: {error.strerror}") from None
    return folder


def _exchange(new: Path, folder: Path, old: Path) -> None:
    """Let a new folder take the place of an old one, if there is one, which is put aside."""
    try:
        with contextlib.suppress(FileNotFoundError):
            folder.rename(old)
        new.rename(folder)
    except BaseException:
        # Ctrl-C, too, leaves one of them in the place, and whole.
        if old.exists() and not folder.exists():
            old.rename(folder)
        raise
