"""Finds records: files, folders that are searched downwards, and those that come with bsbench.

``@classic/lattice`` is the record of `lattice` in the folder ``results/classic`` of bsbench,
``@classic`` that folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from bsbench.common.errors import BsbenchError
from bsbench.common.files import MANIFEST, read_json
from bsbench.common.settings import is_command, results_folder, suggestion
from bsbench.common.texts import shortened

BUNDLED = "@"
"""Begins the name of a record, or folder of them, that comes with bsbench."""

RECORDS = "bsbench-run"
_REPORTS = "bsbench-reproduction"
"""How the schemas of records of runs, and of folders that `bsbench reproduce` wrote, begin."""


def find_records(paths: Iterable[str | Path], reports: bool = False) -> list[Path]:
    """Return the files of records that paths mean.

    Parameters
    ----------
    paths : iterable of str or Path
        Files; folders, which are searched downwards; and names that begin with `BUNDLED`. In a
        folder, JSON files that are no records of runs are skipped, such as those of
        ``bsbench bound``, and so are files and folders whose names begin with a dot: they belong to
        a run that is being saved, or was killed.
    reports : bool
        Return a folder that ``bsbench reproduce`` wrote as it is, without its files.

    Raises
    ------
    BsbenchError
        If there is no such bundled record, a folder has no records, or a file in it can't be read.
    """
    found: list[Path] = []
    for path in paths:
        if not isinstance(path, str | Path):
            raise BsbenchError(f"records are read from a path, not from {shortened(path)}")
        place = _bundled(str(path)) if str(path).startswith(BUNDLED) else Path(path)
        if not os.path.isdir(place):
            found.append(place)
            continue
        inside = list(_in_folder(place, reports))
        if not inside:
            raise BsbenchError(
                f"there are no records in the folder {path}: records are the JSON files that "
                "'bsbench run' writes"
            )
        found += inside
    return found


def one_record(path: str | Path) -> Path:
    """Return the file of one record.

    Raises
    ------
    BsbenchError
        As `find_records` does, or if there are several.
    """
    found = find_records([path])
    if len(found) != 1:
        raise BsbenchError(f"{path} has {len(found)} records: name one")
    return found[0]


def only(found: Sequence[Any], scenario: str | None) -> list[Any]:
    """Return those of some results, or sections of a report, that are of a scenario, if named.

    Raises
    ------
    BsbenchError
        If there are none.
    """
    kept = [each for each in found if scenario in (None, each.scenario.name)]
    if not kept:
        there = ", ".join(sorted({each.scenario.name for each in found}))
        raise BsbenchError(
            f"none of the results is of the scenario {scenario!r}: they are of {there}"
        )
    return kept


def _in_folder(folder: Path, reports: bool) -> Iterator[Path]:
    """Yield the records in a folder, and in those within it, in order of their names."""
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if reports and MANIFEST in files and _schema_of(Path(place, MANIFEST), _REPORTS):
            yield Path(place)
            folders.clear()
            continue
        for name in sorted(files):
            path = Path(place, name)
            if name.endswith(".json") and not name.startswith(".") and _schema_of(path, RECORDS):
                yield path


def _schema_of(path: Path, begins: str) -> bool:
    """Return whether a JSON file is of a schema that begins so."""

    def check(content: Any) -> bool:
        if not isinstance(content, dict):
            raise BsbenchError("it is no table")
        return str(content.get("schema", "")).startswith(begins)

    return read_json(path, check, "a record", "a record of a run, or is damaged")


def _bundled(name: str) -> Path:
    """Return the file or folder that comes with bsbench under a name.

    Raises
    ------
    BsbenchError
        If there is none.
    """
    folder = results_folder()
    if not os.path.isdir(folder):
        raise BsbenchError(
            f"this copy of bsbench has no records, so that {name!r} means nothing: they are in "
            "the folder 'results' of its repository"
        )
    known: dict[str, Path] = {}
    for path in _in_folder(folder, reports=False):
        inside = path.relative_to(folder).with_suffix("")
        known[f"{BUNDLED}{inside.as_posix()}"] = path
        for parent in inside.parents:
            known.setdefault(f"{BUNDLED}{parent.as_posix()}", folder / parent)
    if (place := known.get(name.rstrip("/").removesuffix(".json"))) is None:
        folder_name = name.partition("/")[0]
        beside = [key for key in known if key.startswith(f"{folder_name}/")]
        folders = [key for key in known if "/" not in key and key != f"{BUNDLED}."]
        hint = suggestion(name, beside or folders)
        raise BsbenchError(f"bsbench comes with no record {shortened(name)}: {hint}")
    return place


def is_record(text: str) -> bool:
    """Return whether a contestant is given as the path of a record, not as a strategy."""
    is_file = text.lower().endswith(".json") and not is_command(text)
    return is_file or text.startswith(BUNDLED)
