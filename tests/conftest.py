"""Settings of all tests."""

from __future__ import annotations

import gc
import hashlib
import os
import sys
import tempfile
import threading
import zlib
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from bsbench.common.files import PICTURES
from bsbench.common.journal import Journal
from bsbench.roster import strategy_names
from tests.durations import is_listed, slow_tests
from tests.support.mock_engine import mock_engine
from tests.support.naive.strategies import takes_long

# No deadline, since a kernel compiles when first called; always the same examples, so
# that a test which passes today passes tomorrow.
settings.register_profile(
    "bsbench",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
settings.register_profile("sampled", settings.get_profile("bsbench"), max_examples=30)
settings.load_profile("bsbench")

FEW_CASES = 2
"""A family of parameters with no more cases than this is run whole."""

SHARE = 8
"""Of a larger family, one case in so many is run, chosen by a hash of its name."""


def pytest_addoption(parser):
    """Let users ask for all cases."""
    parser.addoption(
        "--all-cases",
        action="store_true",
        help="run every case of large families of parameters, not one in eight, tests marked `ci`,"
        " and 100 examples of a property, not 30; so does `-m ''`, a choice of tests by path or -k,"
        " and CI",
    )


def pytest_configure(config):
    """Run all cases of what is chosen, and in CI; let workers compile each kernel once."""
    if not hasattr(config, "workerinput"):
        chosen = config.args_source is not config.ArgsSource.TESTPATHS or config.option.keyword
        every = chosen or not config.option.markexpr or os.environ.get("CI")
        config.option.all_cases |= bool(every)
    else:
        config.option.all_cases = config.workerinput["all_cases"]
        _compile_once(config.workerinput["testrunuid"])
    if not config.option.all_cases:
        settings.load_profile("sampled")
        # Less is optimized, which compiles in two thirds of the time, for the same games. Where all
        # cases run, in CI, kernels are compiled as users compile them.
        os.environ.setdefault("NUMBA_OPT", "1")


def _compile_once(run: str) -> None:
    """Let workers of one run compile each kernel once: one at a time, the others then load it.

    Kernels call each other without circles, so workers can't wait for each other in one, either.
    """
    from filelock import FileLock
    from numba.core.dispatcher import Dispatcher

    folder = Path(tempfile.gettempdir()) / f"bsbench-tests-{run}"
    folder.mkdir(exist_ok=True)
    unlocked = Dispatcher.compile

    def locked(self, sig):
        code = self.py_func.__code__
        name = hashlib.sha1(f"{code.co_filename}:{code.co_firstlineno}".encode()).hexdigest()
        with FileLock(folder / name):
            return unlocked(self, sig)

    Dispatcher.compile = locked


@pytest.hookimpl(trylast=True)
def pytest_collection_finish():
    """Let the collector of garbage look at nothing of what stays until the end."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)  # of xdist
def pytest_configure_node(node):
    """Tell a worker which cases were asked for: it knows no more than the command line."""
    node.workerinput["all_cases"] = node.config.option.all_cases


@pytest.hookimpl(trylast=True)  # what is deselected by its mark is out
def pytest_collection_modifyitems(config, items):
    """Leave out most cases of large families of parameters, and what is marked `ci`."""
    if config.option.all_cases:
        return
    families = defaultdict(list)
    left_out = set()
    for item in items:
        if item.get_closest_marker("ci"):
            left_out.add(item)
        elif not item.get_closest_marker("all_cases"):
            families[item.nodeid.partition("[")[0]].append(item)
    for cases in families.values():
        cases.sort(key=lambda item: zlib.crc32(item.nodeid.encode()))
        left_out |= set(cases[max(FEW_CASES, -(-len(cases) // SHARE)) :])
    config.hook.pytest_deselected(items=[item for item in items if item in left_out])
    items[:] = [item for item in items if item not in left_out]


def pytest_itemcollected(item):
    """Mark as slow what was measured to take long, and tests of strategies that take long.

    These have kernels of their own, which take seconds to compile.
    """
    given = item.callspec.params.values() if hasattr(item, "callspec") else ()
    named = {each for each in given if isinstance(each, str)}
    listed = is_listed(item.nodeid, _listed()) and not item.get_closest_marker("quick")
    if listed or named & _long_strategies():
        item.add_marker(pytest.mark.slow)


@cache
def _long_strategies():
    return {name for name in strategy_names() if takes_long(name)}


@cache
def _listed():
    return slow_tests()


@pytest.fixture(autouse=True)
def _as_before():
    """Forget the folders of users' files: a later test may have a file of the same name."""
    folders = [*sys.path]
    yield
    sys.path[:] = folders


@pytest.fixture(autouse=True)
def _journals_are_closed(monkeypatch):
    """Close what a test leaves open: from Python 3.13 on, a database that is left is an error."""
    opened, connect = [], Journal._connect

    def noted(journal):
        connect(journal)
        opened.append(journal._database)

    monkeypatch.setattr(Journal, "_connect", noted)
    yield
    for database in opened:
        database.close()


KEEN = '''
from dataclasses import dataclass

from bsbench.strategies.base import Strategy, parameter


@dataclass
class Keen(Strategy):
    """Every cell in turn, from a given one on.

    Source: the tests [1], in which every kind of parameter has to be there, whether or not
    it does anything.

    - a list
    """

    name = "keen"
    source = "tests [1]"

    start: int = parameter(0, "the first cell [of all]", least=0, most=9)
    noise: float = parameter(0.5, "nothing", least=0)
    backwards: bool = parameter(False, "whether the last cell is first")
    no_touch: str = parameter("sunk", "nothing", choices=("ignore", "sunk", "full"))
    _hidden: int = 0

    def shoot(self, view):
        cells = (view.shots + self.start) % self.rules.cells
        return self.rules.cells - 1 - cells if self.backwards else cells
'''


@pytest.fixture
def in_folder(tmp_path, monkeypatch):
    """Run the test in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(name="mock_engine")
def _mock_engine(monkeypatch):
    """Play no games: move counts follow by a formula, and no kernel is compiled."""
    mock_engine(monkeypatch)


@pytest.fixture(autouse=True)
def _unrendered(request, monkeypatch):
    """Let charts beside records be drawn, but their files be empty: to render them takes long."""
    if request.node.get_closest_marker("rendered"):
        return
    from bsbench.cli.saving import Kept

    def pictures(draw):
        drawn = cache(draw)
        return {f".{kind}": lambda panel, file: drawn(panel) for kind in PICTURES}

    monkeypatch.setattr(Kept, "pictures", staticmethod(pictures))


@pytest.fixture
def ends_threads():
    """Check that the test leaves no thread of its own."""
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) <= before


@pytest.fixture
def keen(tmp_path_factory, monkeypatch):
    """Add the strategy ``keen``, which has parameters, as a file among the others."""
    from bsbench import strategies

    folder = tmp_path_factory.mktemp("strategies")
    (folder / "keen.py").write_text(KEEN)
    (folder / "_shared.py").write_text("")
    monkeypatch.setattr(strategies, "__path__", [*strategies.__path__, str(folder)])
    yield
    sys.modules.pop("bsbench.strategies.keen", None)
    vars(strategies).pop("keen", None)


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """Start a browser that keeps a log of its console and of what it asks the network for."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    from tests.support import browsing

    options = webdriver.ChromeOptions()
    options.binary_location = browsing.BROWSER
    for flag in [*browsing.FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    # Told where the driver is, selenium looks for none on the network.
    driver = webdriver.Chrome(options=options, service=Service(browsing.DRIVER))
    yield driver
    driver.quit()
