"""What an activity found: a record, rows of figures, and how the command ends."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from bsbench.common.arguments import checked
from bsbench.common.errors import BsbenchError
from bsbench.common.files import check_export, json_text, write_text
from bsbench.common.machine import Provenance

if TYPE_CHECKING:
    import pandas as pd

    from bsbench.common.record import Content


class Ending(ABC):
    """What a command found that has ended: it can be written, and says how the command ends."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the record."""

    @abstractmethod
    def table(self) -> pd.DataFrame:
        """Return what CSV and Parquet hold."""

    @property
    def partial(self) -> bool:
        """Whether it was interrupted, and there is more to find."""
        return False

    @property
    def is_finished(self) -> bool:
        """Whether nothing is left to find, so that the same command need not go on."""
        return not self.partial

    @property
    def exit_code(self) -> int:
        """How a command ends that found it."""
        return 0

    @property
    def fault(self) -> BsbenchError | None:
        """What ended it early, if that is an error: it is raised after all has been delivered."""
        return None


@dataclass(frozen=True, kw_only=True, eq=False)
class Found(Provenance, Ending):
    """What was found, and where and when; each activity has its own kind.

    It says what its record holds (``form``), whose values are its own attributes, and which list of
    the record has the rows of its frame (``entries``).
    """

    form: ClassVar[type[Any]]
    entries: ClassVar[str]

    def content(self) -> Content:
        """Return what the record holds: the attributes of the same names, unless it says else.

        Raises
        ------
        msgspec.ValidationError
            If an attribute is missing, or is not of the type that the record says.
        """
        from bsbench.common.record import content_of

        content: Content = content_of(self, self.form)
        return content

    def to_dict(self) -> dict[str, Any]:
        """Return the record."""
        from bsbench.common.record import as_json

        content = self.content()
        seconds = {step: getattr(self, name) for step, name in content.steps.items()}
        return self.record(content.schema, as_json(content), **seconds)

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows that CSV and Parquet hold: the entries of the record."""
        entries: list[dict[str, Any]] = self.to_dict()[self.entries]
        return entries

    def table(self) -> pd.DataFrame:
        """Return what CSV and Parquet hold: the `rows`, as `frame_of` makes it."""
        return frame_of(self.rows())

    def to_frame(self) -> pd.DataFrame:
        """Return the figures as a tidy frame: that of the files, unless it says else."""
        return self.table()

    @checked
    def save(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the record as JSON.

        Raises
        ------
        BsbenchError
            If there is a file already that is not to be replaced, or it can't be written.
        """
        check_export(path, force)
        write_text(path, json_text(self.to_dict()))
        return Path(path)


def frame_of(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Return rows as a tidy frame.

    Tables within a row become columns, such as ``parameters.depth``; lists are left out.
    """
    import pandas as pd

    frame = pd.json_normalize(rows)
    lists = [name for name, cells in frame.items() if any(isinstance(cell, list) for cell in cells)]
    return frame.drop(columns=lists)
