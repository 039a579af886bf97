"""Twins of the strategies: one file each, found by its name.

A twin is a generator that has the name of its file. It yields a cell and is sent the
`Reply`. The game is over when all ship cells are hit, so that a twin that counts slots
never chooses a cell without one: if it does, the counting is wrong, and an assertion fails.

A strategy that plays salvos, but not in a fixed order, has a second twin, with ``_salvos`` after
its name. It yields a turn's cells, and is sent how many the next turn may have with what the last
one revealed: see `tests.support.naive.salvos`.

The file may also say:

``VARIANTS``
    parameters with which the strategy is compared with its twin; without it, the defaults.
    The tests that need independent games use the first ones: a learner's play one game there.
``SLOWNESS``
    how many times fewer games are played with it, because a game takes the twin long.
``MOST_LAYOUTS``
    on boards where the fleet may have more layouts the twin does not play.
"""

from __future__ import annotations

import importlib
import math
from pathlib import Path
from types import ModuleType

FOLDER = Path(__file__).parent


def twin_file(name: str) -> ModuleType:
    """Return the file of a strategy's twin."""
    module = name.replace("-", "_")
    path = FOLDER / f"{module}.py"
    assert path.exists(), f"strategy {name!r} needs a twin: the generator {module} in {path}"
    return importlib.import_module(f"{__name__}.{module}")


def twin(name: str):
    """Return the twin of a strategy."""
    return getattr(twin_file(name), name.replace("-", "_"))


def salvo_twin(name: str):
    """Return the twin of a strategy that plays salvos."""
    return getattr(twin_file(name), f"{name.replace('-', '_')}_salvos")


def variants(name: str) -> list[dict[str, object]]:
    """Return the parameters with which a strategy is compared with its twin."""
    return getattr(twin_file(name), "VARIANTS", [{}])


def slowness(name: str) -> int:
    """Return by what to divide the number of games."""
    return getattr(twin_file(name), "SLOWNESS", 1)


def takes_long(name: str) -> bool:
    """Return whether games of a strategy, or of its twin, take so long that most tests are slow.

    `tests/conftest.py` marks them.
    """
    return slowness(name) >= 30


def plays(name: str, rules) -> bool:
    """Return whether the twin of a strategy can play under these rules."""
    most = getattr(twin_file(name), "MOST_LAYOUTS", math.inf)
    return math.prod(len(rules.slots(length)) for length in rules.fleet) <= most


def boards(name: str) -> dict[str, int]:
    """Return what bounds the rules that are drawn for a comparison with the twin."""
    return {"max_side": 4, "max_ships": 3} if hasattr(twin_file(name), "MOST_LAYOUTS") else {}
