"""One strategy in many clothes: built in, as a class in Python, and as bots, which talk in lines.

All play the same games, as `tests/own/test_new_bots.py` shows.
"""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks.measuring import play
from bsbench.own.templates import write_template
from bsbench.roster import make_variant
from bsbench.rules.board import Feedback, Rules
from bsbench.rules.scenario import Scenario

SCENARIO = Scenario(name="classic+sunk", rules=Rules(10, 10, (5, 4, 3, 3, 2), True, Feedback.SUNK))

BUILT_IN = "`datagenetics`, built in"

_IN_PYTHON = """
import sys

sys.path.insert(0, FOLDER)
from my_bot import Game, Rules, choose, hit, miss, sunk


class InPython:
    name = "in-python"
    needs = "sunk"

    def reset(self, rules, rng):
        self.rules = Rules(rules.rows, rules.cols, rules.apart.wire, rules.fleet)
        self.game = Game(self.rules)

    def shoot(self, view):
        if view.shots:
            if view.outcome == 0:
                miss(self.rules, self.game, view.last)
            elif view.outcome == 1:
                hit(self.rules, self.game, view.last)
            else:
                sunk(self.rules, self.game, view.ship, view.sunk[-1].cells)
        return choose(self.rules, self.game)
"""


class Cost(NamedTuple):
    """Seconds of the processor: in bsbench, and in the processes that it starts."""

    here: float
    elsewhere: float


def measurements(folder: Path, quick: bool) -> dict[str, Callable[[], Cost]]:
    """Return what measures the cost of a game, for each of the clothes.

    Parameters
    ----------
    folder : Path
        An empty one, for bots.
    quick : bool
        Whether fewer games will do.

    Raises
    ------
    FileNotFoundError
        If there is no g++.
    """
    bot = folder / "my_bot.py"
    write_template(bot, "python-process")
    (folder / "in_python.py").write_text(in_python(folder))
    played = {
        BUILT_IN: ("datagenetics", 200_000),
        "a class in Python": (f"{folder}/in_python.py:InPython", 500),
        "a bot in Python, 64 games at once": (f"cmd:python3 {shlex.quote(str(bot))}", 1_000),
        "a bot in C++, 64 games at once": (_built(folder, 64), 40_000),
        "a bot in C++, game by game": (_built(folder, 1), 2_000),
    }
    for spec, _ in played.values():
        _costs(spec, 100)  # compiles
    return {
        what: partial(_cost, spec, games // 5 if quick else games)
        for what, (spec, games) in played.items()
    }


def in_python(folder: Path) -> str:
    """Return a module with the bot in a folder as a class."""
    return _IN_PYTHON.replace("FOLDER", repr(str(folder)))


def _built(folder: Path, games: int) -> str:
    """Build the bot in C++ so that it plays so many games at once, and return its name."""
    source = folder / f"games_{games}.cpp"
    written = write_template(source)
    source.write_text(source.read_text().replace("games 64", f"games {games}"))
    subprocess.run(shlex.split(written.build), check=True)
    return written.spec


def _cost(spec: str, games: int) -> Cost:
    """Return the cost of a game, without that of starting processes."""
    one, many = _costs(spec, 1), _costs(spec, games + 1)
    return Cost((many.here - one.here) / games, (many.elsewhere - one.elsewhere) / games)


def _costs(spec: str, games: int) -> Cost:
    strategy = make_variant(spec)
    before = _spent()
    play(strategy, SCENARIO, games)
    after = _spent()
    return Cost(after.here - before.here, after.elsewhere - before.elsewhere)


def _spent() -> Cost:
    """Return the seconds of this process, and of those that it started and that have ended."""
    # Windows lacks it.
    import resource

    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return Cost(*(each.ru_utime + each.ru_stime for each in used))
