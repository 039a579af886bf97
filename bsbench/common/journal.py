"""Journals: what a run in progress keeps on disk, so that it can go on after a crash.

A journal is an SQLite database. It is the most tested store there is for this: a transaction is in
the file whole or not at all, whatever is killed, unplugged or full at whatever moment. In WAL mode
(https://www.sqlite.org/wal.html) a transaction is appended to a file beside the database and
needs a single sync; ``synchronous=FULL`` makes that wait for the disk.

It holds what was asked for (*about*), a *state* for each part of the work, as JSON, and *rows* of
bytes, such as move counts, which are added and deleted but never rewritten. Nothing in it is code:
a journal may come from a stranger.

Each entry carries a digest of its content. Before anything is written to a journal, or played on,
all of it is checked. That finds damage, such as by a failing disk, not forgery: who changes an
entry on purpose can compute its digest again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from bsbench.common.errors import BsbenchError, BsbenchWarning, option
from bsbench.common.texts import for_terminal, shortened

SUFFIX = ".journal"
"""What the name of a journal ends in."""

_APPLICATION = 0x42534A32
_SCHEMA = (
    "CREATE TABLE about (about TEXT NOT NULL, digest BLOB NOT NULL)",
    "CREATE TABLE states (key TEXT PRIMARY KEY, state TEXT NOT NULL, digest BLOB NOT NULL)",
    "CREATE TABLE rows (key TEXT NOT NULL, first INTEGER NOT NULL, after INTEGER NOT NULL, "
    "data BLOB NOT NULL, digest BLOB NOT NULL, PRIMARY KEY (key, first))",
)
_CONTENT = {"about": "about", "states": "key, state", "rows": "key, first, after, data"}
"""By table, the columns that the digest of an entry is of."""

_FIRST_SECONDS = 3.0
_SECONDS = 4.0
_MOST_SECONDS = 8.0
"""Seconds until the first checkpoint, and between two at best and at most."""

_SHARE = 0.005
"""Share of the time that checkpoints may take, unless they would be too seldom."""

_LARGEST_VALUE = 1 << 28
"""Bytes of a state or a row at most."""

_LARGEST_ROW = 1 << 22


@dataclass
class _Waiting:
    """What the next transaction writes for one key: its state, and rows to add and to delete."""

    state: str = "{}"
    rows: list[tuple[int, int, bytes]] = field(default_factory=list)
    forget: int | None = None


class Journal:
    """Keeps the state of what is being played; made by `Journal.open`.

    A journal's file appears with the first checkpoint, some seconds after the first call of `due`,
    or where the block of a ``with`` statement ends before all is done. If it can't be written,
    there is a warning, the run goes on, and later checkpoints are tried again. A file that nothing
    could be written to does not stay.

    Attributes
    ----------
    path : Path
    """

    def __init__(self, path: Path, about: str) -> None:
        self.path, self._about = path, about
        self._database: sqlite3.Connection | None = None
        self._waiting: dict[str, _Waiting] = {}
        self._warned = self._begun = False
        self._next: float | None = None
        self._most: float | None = None

    @classmethod
    def open(cls, path: str | Path, about: Mapping[str, Any], resume: bool = False) -> Self:
        """Open the journal of a run that begins, or goes on.

        Parameters
        ----------
        path : str or Path
        about : mapping
            What is played, as JSON has it. It must be the same when the run goes on.
        resume : bool
            Go on from what the journal holds, if there is one.

        Raises
        ------
        BsbenchError
            If there is a journal and ``resume`` is not set, it is of something else, it is no
            journal or damaged, it can't be read, or another process uses it. It is left as it is.
        """
        path = Path(path)
        journal = cls(path, json.dumps(about, sort_keys=True))
        if not os.path.exists(path):
            return journal
        if not resume:
            cls.check_unused(path)
            raise BsbenchError(
                f"{path} is the journal of a run that has not ended: continue it with "
                f"{option('resume', True)}, or remove the file"
            )
        with journal._reading(), journal._read_only() as database:
            was = None if _is_new(database) else journal._check(database)
        if was is not None and (difference := _difference(was, json.loads(journal._about))):
            raise BsbenchError(
                f"{path} is the journal of another run: {difference}; continue with the same "
                "options, or remove the file"
            )
        with journal._reading():
            journal._connect()
        return journal

    @property
    def is_kept(self) -> bool:
        """Whether the file, which is open, has anything to continue from."""
        try:
            return self._database is not None and not _is_new(self._database)
        except sqlite3.Error:
            return True

    @classmethod
    def check_unused(cls, path: str | Path) -> None:
        """Refuse a journal that another process writes.

        Raises
        ------
        BsbenchError
            If one does.
        """
        journal = cls(Path(path), "{}")
        try:
            with journal._read_only() as database:
                _is_new(database)
        except sqlite3.Error as error:
            if _is_locked(error):
                raise BsbenchError(f"can't open the journal {path}: {_IN_USE}") from None

    @classmethod
    def remove(cls, path: str | Path) -> None:
        """Remove a journal, damaged or not.

        Raises
        ------
        BsbenchError
            If another process uses it.
        """
        if not os.path.exists(path):
            return
        journal = cls(Path(path), "{}")
        try:
            journal._connect()
        except sqlite3.Error as error:
            if _is_locked(error):
                raise BsbenchError(f"can't remove the journal {path}: {_IN_USE}") from None
        finally:
            journal._close()
        remove_journal(path)

    def _check(self, database: sqlite3.Connection) -> dict[str, Any]:
        """Return what a journal is of, if nothing in it is damaged."""
        (number,) = database.execute("PRAGMA application_id").fetchone()
        found = database.execute("SELECT sql FROM sqlite_master WHERE sql NOT NULL")
        if number == _APPLICATION - 1:
            raise BsbenchError(
                f"{self.path} was written by an older version of bsbench: continue it with that "
                "version, or remove the file"
            )
        if number != _APPLICATION or sorted(sql for (sql,) in found) != sorted(_SCHEMA):
            raise ValueError("no journal")
        if database.execute("PRAGMA integrity_check(1)").fetchall() != [("ok",)]:
            raise ValueError("tables that contradict themselves")
        for table, columns in _CONTENT.items():
            for *content, digest in database.execute(f"SELECT {columns}, digest FROM {table}"):
                if digest != _digest(*content):
                    raise ValueError("content of another digest")
        ((text,),) = database.execute("SELECT about FROM about")
        about = json.loads(text)
        if type(about) is not dict:
            raise ValueError("no table")
        return about

    @contextlib.contextmanager
    def _read_only(self) -> Iterator[sqlite3.Connection]:
        """Open the file so that nothing is written to it, nor stays beside it."""
        made = [beside for beside in _beside(self.path) if not os.path.exists(beside)]
        place = f"{self.path.absolute().as_uri()}?mode=ro"
        database = sqlite3.connect(place, uri=True, timeout=_PATIENCE, isolation_level=None)
        try:
            _prepare(database)
            yield database
        finally:
            # Before it is closed: until then, no other process can begin to write here. Windows
            # removes no file that is open.
            for beside in made:
                with contextlib.suppress(OSError):
                    beside.unlink()
            database.close()

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        """Say in a sentence what is wrong with a file that is read."""
        try:
            yield
        except sqlite3.OperationalError as error:
            if "decode" in str(error):
                raise self.damaged() from None
            why = _IN_USE if _is_locked(error) else str(error)
            raise BsbenchError(f"can't open the journal {self.path}: {why}") from None
        except (sqlite3.Error, ValueError, TypeError, RecursionError, MemoryError):
            raise self.damaged() from None

    def damaged(self) -> BsbenchError:
        """Return the error that says that what is in the journal can't be used."""
        return BsbenchError(
            f"{self.path} is not a journal that bsbench has written, or is damaged: remove it"
        )

    def _connect(self) -> None:
        """Open the file for writing, and lock it."""
        is_empty = not os.path.exists(self.path) or self.path.stat().st_size == 0
        database = sqlite3.connect(self.path, timeout=_PATIENCE, isolation_level=None)
        try:
            _prepare(
                database,
                # The first page needs no second file to be written whole. Who is killed meanwhile
                # would leave one that must be written to before anything can be read.
                *(("journal_mode = MEMORY",) if is_empty else ()),
                # Held until it is closed: no other process can open the journal.
                "locking_mode = EXCLUSIVE",
                "journal_mode = WAL",
                "synchronous = FULL",
                "journal_size_limit = 16777216",
            )
            # Takes the lock.
            database.execute("BEGIN IMMEDIATE")
            database.execute("COMMIT")
        except BaseException:
            database.close()
            raise
        self._database = database

    def read(self, key: str) -> Any:
        """Return the state of a part of the work, None if there is none.

        Raises
        ------
        BsbenchError
            If it is damaged.
        """
        if self._database is None:
            return None
        with self._reading():
            return None if _is_new(self._database) else _state(self._database, key)

    def rows(self, key: str, most: int) -> Iterator[tuple[int, bytes]]:
        """Yield rows in order, by the number of the first unit of each.

        Parameters
        ----------
        key : str
        most : int
            Bytes at most of all of them.

        Raises
        ------
        BsbenchError
            If they are more, or damaged.
        """
        if self._database is None:
            return
        query = "SELECT first, data FROM rows WHERE key = ? ORDER BY first"
        total = 0
        with self._reading():
            for first, data in self._database.execute(query, (key,)):
                if type(first) is not int or type(data) is not bytes:
                    raise ValueError("wrong types")
                total += len(data)
                if total > most:
                    raise ValueError("too many rows")
                yield first, data

    def put(
        self,
        key: str,
        state: Any,
        rows: Iterable[tuple[int, int, bytes]] = (),
        forget: int | None = None,
    ) -> None:
        """Take note of what the next checkpoint has to write.

        Parameters
        ----------
        key : str
        state : object
            As JSON has it; replaces the state of this key.
        rows : iterable of (int, int, bytes)
            First unit of each, the unit after its last, and its bytes. They are added.
        forget : int, optional
            Rows that end before this unit, or with it, are deleted.
        """
        # States of the same work are written together: all or nothing.
        waiting = self._waiting.setdefault(key, _Waiting())
        waiting.state = json.dumps(state)
        waiting.rows += rows
        if forget is not None:
            waiting.forget = forget
            waiting.rows = [row for row in waiting.rows if row[1] > forget]

    def due(self, good_moment: bool = False) -> bool:
        """Return whether it is time for a checkpoint.

        Parameters
        ----------
        good_moment : bool
            Whether there is little to write now.
        """
        now = time.monotonic()
        if self._next is None or self._most is None:
            self._next = self._most = now + _FIRST_SECONDS
        return now >= (self._next if good_moment else self._most)

    def write(self) -> bool:
        """Write what was `put`, in one transaction; return whether that worked."""
        begun = time.monotonic()
        try:
            if self._database is None:
                if not self._begun:
                    self._make()
                self._connect()
            self._write()
            worked = True
        except (sqlite3.Error, OSError) as error:
            worked = False
            if not (kept := self.is_kept):
                # On a full disk, results need what it takes.
                self._close()
            if not self._warned:
                self._warned = True
                what = "be resumed only from what it holds" if kept else "not be resumed"
                warnings.warn(
                    f"can't write the journal {self.path}: {error}; the run goes on, but could "
                    f"{what}",
                    BsbenchWarning,
                    stacklevel=2,
                )
        now = time.monotonic()
        self._next = now + min(max(_SECONDS, (now - begun) / _SHARE), _MOST_SECONDS)
        self._most = now + _MOST_SECONDS
        return worked

    def _write(self) -> None:
        assert self._database is not None
        database = self._database
        database.execute("BEGIN IMMEDIATE")
        try:
            if _is_new(database):
                for statement in (*_SCHEMA, f"PRAGMA application_id = {_APPLICATION}"):
                    database.execute(statement)
                database.execute("INSERT INTO about VALUES (?, ?)", _signed(self._about))
            for key, waiting in self._waiting.items():
                database.execute(
                    "INSERT INTO states VALUES (?, ?, ?) ON CONFLICT (key) "
                    "DO UPDATE SET state = excluded.state, digest = excluded.digest",
                    _signed(key, waiting.state),
                )
                # Ctrl-C may come after a COMMIT, or while rows are put: they are given again then.
                database.executemany(
                    "INSERT OR REPLACE INTO rows VALUES (?, ?, ?, ?, ?)",
                    (_signed(key, *row) for row in waiting.rows),
                )
                if waiting.forget is not None:
                    database.execute(
                        "DELETE FROM rows WHERE key = ? AND after <= ?", (key, waiting.forget)
                    )
            database.execute("COMMIT")
        except BaseException:
            if database.in_transaction:
                database.execute("ROLLBACK")
            raise
        self._waiting.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        """Write what was `put`, unless an error ended it early, and close the file.

        Ctrl-C is no error: a run goes on from here, however short it was.
        """
        if self._waiting and (error is None or not issubclass(error, Exception)):
            self.write()
        self.close()

    def close(self) -> None:
        """Write what was `put`, if there is a file or it is time, and close the file."""
        if self._waiting and (self._database is not None or self.due()):
            self.write()
        self._close()

    def _make(self) -> None:
        """Make the file, which does not exist."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self.path.touch(exist_ok=False)
        except FileExistsError:
            raise sqlite3.OperationalError("another run has begun to write it") from None
        self._begun = True

    def _close(self) -> None:
        kept = self.is_kept
        if self._database is not None:
            with contextlib.suppress(sqlite3.Error):
                self._database.close()
            self._database = None
        if self._begun and not kept:
            remove_journal(self.path)
        self._begun = False

    def discard(self) -> None:
        """Remove the file: what it holds is saved elsewhere."""
        written = self._database is not None
        # Else it would be written again when it is closed.
        self._waiting.clear()
        self._close()
        if written:
            remove_journal(self.path)


_IN_USE = "another process uses it: wait until that has ended, or end it"


def _is_locked(error: sqlite3.Error) -> bool:
    """Return whether an error is that another process uses a database."""
    return "locked" in str(error) or "busy" in str(error)


_PATIENCE = 0.2
"""Seconds to wait for another process that reads a journal."""


def _prepare(database: sqlite3.Connection, *pragmas: str) -> None:
    """Guard against what a stranger's database may hold, and set what else is asked for."""
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LARGEST_VALUE)
    database.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    for pragma in ("trusted_schema = OFF", "cell_size_check = ON", *pragmas):
        database.execute(f"PRAGMA {pragma}").fetchall()


def _is_new(database: sqlite3.Connection) -> bool:
    """Return whether nothing has been written: a process was killed before that."""
    return database.execute("SELECT 1 FROM sqlite_master").fetchone() is None


def _state(database: sqlite3.Connection, key: str) -> Any:
    query = "SELECT state FROM states WHERE key = ?"
    found = database.execute(query, (key,)).fetchone()
    return None if found is None else json.loads(found[0])


def _signed(*content: str | int | bytes) -> tuple[str | int | bytes, ...]:
    """Return the columns of an entry, its digest last."""
    return (*content, _digest(*content))


def _digest(*content: Any) -> bytes:
    """Return the SHA-256 of what columns hold."""
    digest = hashlib.sha256()
    for each in content:
        data = each if isinstance(each, bytes) else str(each).encode()
        digest.update(f"{type(each).__name__} {len(data)}\n".encode())
        digest.update(data)
    return digest.digest()


def _beside(path: Path) -> list[Path]:
    """Return the files that SQLite keeps beside a database."""
    return [Path(f"{path}{suffix}") for suffix in ("-wal", "-shm")]


def remove_journal(path: str | Path) -> None:
    """Remove a journal, and what SQLite keeps beside it."""
    for each in (Path(path), *_beside(Path(path))):
        each.unlink(missing_ok=True)


def cut_rows(first: int, data: bytes, width: int) -> Iterator[tuple[int, int, bytes]]:
    """Yield rows of a size that suits a journal, for `Journal.put`.

    Parameters
    ----------
    first : int
        Number of the first unit.
    data : bytes
    width : int
        Bytes of a unit.
    """
    units = _LARGEST_ROW // width
    for begin in range(0, len(data) // width, units):
        part = data[begin * width : (begin + units) * width]
        yield first + begin, first + begin + len(part) // width, part


def _difference(was: Any, now: Any, name: str = "") -> str:
    """Return in words in what two values of JSON differ first; empty if in nothing."""
    if isinstance(was, dict) and isinstance(now, dict):
        for key in dict.fromkeys((*now, *was)):
            inside = f"{name}, {key}" if name else str(key)
            if found := _difference(was.get(key), now.get(key), inside):
                return found
        return ""
    if isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        pairs = enumerate(zip(was, now, strict=True), 1)
        inner = (_difference(*pair, f"{name} {place}") for place, pair in pairs)
        return next(filter(None, inner), "")
    if was == now and type(was) is type(now):
        return ""
    return f"its {for_terminal(name)} was {shortened(was)}, and is {shortened(now)} now"
