"""Which tests are slow, by measured time: ``python -m tests.durations`` writes `tests/slow.txt`.

The command runs tests with this plugin of pytest. It measures the processor seconds of each: of
this process and of children that ended. To import a module, to compile or load a kernel, and to
set up what tests of a file share counts for none of them, or for all alike: which test comes first
is chance. `tests/conftest.py` marks what the file lists.
"""

from __future__ import annotations

import contextlib
import importlib
import pkgutil
import resource
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path

import click
import numpy as np
import pytest

FILE = Path(__file__).with_name("slow.txt")
"""A line is the seconds and the id of a case, or of a test all of whose cases are slow."""

THRESHOLD = 0.3
"""From so many seconds on, a case is slow."""

STEADY = 1.5
"""Noise: what is listed stays until it is that many times quicker than the threshold.

Its seconds stay, too, unless they have changed by this factor.
"""

YARDSTICK = 0.015
"""Seconds of processor time that the yardstick took where `THRESHOLD` was chosen."""

_EVERY = 2.0  # seconds from one look at the yardstick to the next
_COMMON = ["matplotlib.backends.backend_agg", "matplotlib.backends.backend_svg", "pandas"]


def slow_tests(file: Path = FILE) -> dict[str, float]:
    """Return the seconds of each id that a file lists."""
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return {name: float(seconds) for seconds, name in (each.split(maxsplit=1) for each in lines)}


def test_of(case: str) -> str:
    """Return the id of a case without its parameters."""
    return case.partition("[")[0]


def is_listed(case: str, listed: Iterable[str]) -> bool:
    """Return whether a case is slow by a line of its own or by that of its test."""
    return case in listed or test_of(case) in listed


def listed_now(
    before: Mapping[str, float], seconds: Mapping[str, float], unmeasured: Iterable[str]
) -> dict[str, float]:
    """Return what to list of the tests that ran.

    Parameters
    ----------
    before : mapping
        What was listed, with its seconds.
    seconds : mapping
        Of each case that was measured.
    unmeasured : iterable of str
        Cases that exist and were not measured: they stay as they were.
    """
    quickest = {
        each: THRESHOLD / STEADY if is_listed(each, before) else THRESHOLD for each in seconds
    }
    slow = {each: took for each, took in seconds.items() if took >= quickest[each]}
    cases = Counter(test_of(each) for each in {*seconds, *unmeasured})
    for each in unmeasured:
        if is_listed(each, before):
            # The line of a test has the seconds of all its cases.
            slow[each] = before.get(each) or before.get(test_of(each), 0) / cases[test_of(each)]
    of_test = Counter(test_of(each) for each in slow)
    now: dict[str, float] = defaultdict(float)
    for each, took in slow.items():
        test = test_of(each)
        now[test if of_test[test] == cases[test] else each] += took
    for each, took in now.items():
        known = before.get(each, 0)
        if known / STEADY <= took <= known * STEADY:
            now[each] = known
    return dict(now)


def yardstick() -> float:
    """Return the processor seconds of a loop in Python and a sort in numpy, the least of three."""
    return min(_fixed_task() for _ in range(3))


def _fixed_task() -> float:
    begin = time.process_time()
    np.sort(np.array([number * 7919 % 65_537 for number in range(100_000)]))
    return time.process_time() - begin


class _Meter:
    """Counts the processor seconds of this process and its children, compiling apart."""

    def __init__(self) -> None:
        self.aside = 0.0
        self._held = threading.local()

    def read(self) -> float:
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return time.process_time() + children.ru_utime + children.ru_stime - self.aside

    def listen(self) -> None:
        """Leave out what a thread does while it holds the compiler: to compile, and to load."""
        from numba.core import event

        meter, held = self, self._held

        class Compiler(event.Listener):
            def on_start(self, _):
                held.depth = getattr(held, "depth", 0) + 1
                if held.depth == 1:
                    held.begin = time.thread_time()

            def on_end(self, _):
                held.depth -= 1
                if held.depth == 0:
                    meter.aside += time.thread_time() - held.begin

        event.register("numba:compiler_lock", Compiler())


def _import_all() -> None:
    import bsbench
    from bsbench.common.errors import BsbenchError

    for module in pkgutil.walk_packages(bsbench.__path__, "bsbench."):
        if not module.name.endswith("__main__"):
            with contextlib.suppress(ImportError, BsbenchError):
                importlib.import_module(module.name)
    for name in _COMMON:
        importlib.import_module(name)


class Durations:
    """The plugin: measures in each worker, and writes where the reports come together."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.file = config.rootpath / "tests" / FILE.name
        self.meter = _Meter()
        self.looked = -_EVERY
        self.scale = 1.0
        self.shared: list[tuple[str, float]] = []
        self.ending: dict[object, tuple[str, float]] = {}
        self.seconds: dict[str, float] = {}
        self.skipped: set[str] = set()
        self.wide: dict[str, float] = defaultdict(float)
        self.users: dict[str, list[str]] = defaultdict(list)

    @pytest.hookimpl
    def pytest_collection_finish(self):
        from bsbench.kernels._jit import set_up_numba

        _import_all()
        set_up_numba()
        self.meter.listen()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        if time.monotonic() > self.looked + _EVERY:
            self.scale = YARDSTICK / yardstick()
            self.looked = time.monotonic()
        self.shared = []
        self.begin = self.meter.read()
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef, request):
        begin = self.meter.read()
        result = yield
        if fixturedef.scope != "function":
            shared = f"{request.node.nodeid} {fixturedef.argname}"
            self._share(shared, begin)
            # The last finalizer to be added is the first to run.
            begins = partial(self._begin_to_end, fixturedef, shared)
            fixturedef.addfinalizer(begins)
        return result

    def _begin_to_end(self, fixturedef, shared: str) -> None:
        self.ending[fixturedef] = shared, self.meter.read()

    def pytest_fixture_post_finalizer(self, fixturedef):
        if fixturedef in self.ending:
            self._share(*self.ending.pop(fixturedef))

    def _share(self, shared: str, begin: float) -> None:
        used = self.meter.read() - begin
        self.meter.aside += used
        self.shared.append((shared, used * self.scale))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item, call):
        if call.when == "teardown":
            took = (self.meter.read() - self.begin) * self.scale
            item.user_properties.append(("took", [took, self.shared, item.fixturenames]))
        return (yield)

    def pytest_runtest_logreport(self, report):
        if report.skipped:
            self.skipped.add(report.nodeid)
        measured = dict(report.user_properties).get("took")
        if measured:
            self.seconds[report.nodeid], shared, fixtures = measured
            for name, used in shared:
                self.wide[name] += used
            for name in fixtures:
                self.users[name].append(report.nodeid)

    def pytest_sessionfinish(self, session, exitstatus):
        if hasattr(session.config, "workerinput"):
            return
        for each in self.skipped:
            self.seconds.pop(each, None)
        for name, used in self.wide.items():
            folder, _, fixture = name.rpartition(" ")
            users = {each for each in self.users[fixture] if each.startswith(folder)}
            for each in users & {*self.seconds}:
                self.seconds[each] += used / len(users & {*self.seconds})
        self.write(exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED))

    def write(self, everything_ran: bool) -> None:
        """Write the lines of the tests in the given files and folders anew; others stay."""
        root, before = self.config.rootpath, slow_tests(self.file)
        given = [
            Path(self.config.invocation_params.dir, each).resolve() for each in self.config.args
        ]
        files = {each: root / each.partition("::")[0] for each in before}
        ours = {each for each, file in files.items() if any(map(file.is_relative_to, given))}
        unmeasured = self.skipped if everything_ran else self.skipped | ours - {*self.seconds}
        now = {each: took for each, took in before.items() if each not in ours}
        now |= listed_now(before, self.seconds, unmeasured)
        lines = [f"{took:7.1f} {each}\n" for each, took in sorted(now.items())]
        self.file.write_text("".join(lines), encoding="utf-8")


def pytest_configure(config):
    """Measure."""
    config.pluginmanager.register(Durations(config))


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path(exists=True))
def main(paths: tuple[str, ...]) -> None:
    """Run all tests, slow ones too, or those of some files and folders; list those that are slow.

    Only the lines of what ran are written anew. On a quiet machine, please.
    """
    # Tests of a file in one process, so that what they share is set up once.
    raise SystemExit(
        pytest.main([*(paths or ["tests"]), "-m", "", "--dist=loadfile", "-p", "tests.durations"])
    )


if __name__ == "__main__":
    main(prog_name="python -m tests.durations")
