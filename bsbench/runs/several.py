"""Several results: what a list of runs gives, and what a folder of records holds."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, overload

from bsbench.common.arguments import checked
from bsbench.common.errors import BsbenchError
from bsbench.common.shown import Shown
from bsbench.common.texts import shortened
from bsbench.runs.comparing import compare
from bsbench.runs.comparison import Comparison
from bsbench.runs.finding import find_records
from bsbench.runs.pooling import pooled
from bsbench.runs.records import load_result, load_results
from bsbench.runs.results import Result, save_results
from bsbench.runs.sweeps import swept_parameters

if TYPE_CHECKING:
    import pandas as pd


class Results(Shown, Sequence[Result]):
    """Results of several runs, in order.

    Parameters
    ----------
    results : iterable of Result
    comparisons : sequence of Comparison
        Of the same results, where they are known.

    Examples
    --------
    >>> import bsbench
    >>> results = bsbench.run(["linear", "random"], "classic", games=100)
    >>> len(results), results[0].label, [each.games for each in results]
    (2, 'linear', [100, 100])
    """

    @checked
    def __init__(
        self, results: Iterable[Result], comparisons: Sequence[Comparison] | None = None
    ) -> None:
        self._results = tuple(results)
        for each in self._results:
            if not isinstance(each, Result):
                raise BsbenchError(f"results are of type Result, not {shortened(each)}")
        if comparisons is not None:
            self.comparisons = tuple(comparisons)

    @overload
    def __getitem__(self, place: int) -> Result: ...

    @overload
    def __getitem__(self, place: slice) -> Results: ...

    def __getitem__(self, place: int | slice) -> Result | Results:
        return Results(self._results[place]) if isinstance(place, slice) else self._results[place]

    def __len__(self) -> int:
        return len(self._results)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Results) and self._results == other._results

    def __hash__(self) -> int:
        return hash(self._results)

    def __repr__(self) -> str:
        return f"<Results: {len(self)}, of {_enumerated(each.label for each in self)}>"

    @cached_property
    def comparisons(self) -> tuple[Comparison, ...]:
        """How they compare: a `Comparison` for each scenario and seed, in order.

        One of a single result is among them. Each is compared with the first, unless the runs had
        a reference.
        """
        groups: dict[object, list[Result]] = {}
        for each in self:
            groups.setdefault((each.scenario.move_law, each.seed), []).append(each)
        return tuple(
            compare(group) if len(group) > 1 else Comparison(tuple(group), group[0].label)
            for group in groups.values()
        )

    @cached_property
    def pooled(self) -> tuple[Comparison, ...]:
        """All seeds together: see `bsbench.runs.pooling.pooled`. Their ``seed`` is None."""
        return pooled(self.comparisons)

    def to_frame(self) -> pd.DataFrame:
        """Return a tidy row for each result: see `Result.to_frame`.

        A column for each parameter in which results of one strategy differ follows the label.
        `Comparison.to_frame` has differences, too.
        """
        import pandas as pd

        varied = swept_parameters(self)
        rows = []
        for each in self:
            figures = each.figures()
            named = {key: figures.pop(key) for key in ("strategy", "label")}
            own = {
                f"parameter_{name}" if name in figures else name: each.parameters.get(name)
                for name in varied
            }
            rows.append({**named, **own, **figures})
        return pd.DataFrame(rows)

    @checked
    def save(self, folder: str | Path, *, force: bool = False) -> list[Path]:
        """Write a record of each into a folder, from which `bsbench.load` reads them.

        Parameters
        ----------
        folder : str or Path
            Made if it is missing.
        force : bool
            Whether records that exist are replaced.

        Returns
        -------
        list of Path

        Raises
        ------
        BsbenchError
            If a record exists already, or can't be written.
        """
        return save_results(self, folder, force)


@checked
def load(path: str | Path | Iterable[str | Path]) -> Result | Results:
    """Read a record, or all those in a folder.

    Parameters
    ----------
    path : str or Path, or several of them
        A JSON file that ``bsbench run`` or `Result.save` has written; a folder, which is searched
        downwards; or the name of records that come with bsbench: ``@classic/lattice``,
        ``@classic``.

    Returns
    -------
    Result or Results
        `Results`, if several paths or a folder are given.

    Raises
    ------
    BsbenchError
        If there are none, or one can't be read or is not a whole and consistent record.

    Examples
    --------
    >>> load("@classic/lattice").games
    1000000
    >>> len(load("@classic")) > 10
    True
    """
    single = isinstance(path, str | Path)
    paths = [path] if isinstance(path, str | Path) else path
    if not isinstance(paths, Iterable):
        raise BsbenchError(f"records are read from a path, not from {shortened(path)}")
    paths = list(paths)
    found = find_records(paths)
    if single and len(found) == 1 and not os.path.isdir(paths[0]):
        return load_result(found[0])
    return Results(load_results(found))


def _enumerated(labels: Iterator[str]) -> str:
    """Return the first labels of some, each once."""
    names = list(dict.fromkeys(labels))
    return ", ".join(
        [*itertools.islice(names, _MOST_NAMED), *(["…"] if names[_MOST_NAMED:] else [])]
    )


_MOST_NAMED = 5
