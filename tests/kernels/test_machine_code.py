"""Machine code that came with the package is used only where all of its key fits."""

from __future__ import annotations

import shutil

import llvmlite
import numba
import pytest
from llvmlite import binding
from numba.core.codegen import CPUCodegen

from bsbench.kernels import _machine_code
from bsbench.kernels._jit import _dispatcher
from bsbench.kernels._machine_code import best_fit
from bsbench.kernels.random import stream_key, stream_start

LINUX = "x86_64-unknown-linux-gnu"
SHIPPED = (LINUX, "x86-64", "+avx2,+sse3")
HERE = (LINUX, "znver4", "+avx2,+avx512f,+sse3,-xop")
KEY = stream_key("a", 1)
STARTED = stream_start(KEY, 5)


def made():
    """Return the kernel made anew, as in another process."""
    return _dispatcher(stream_start.__wrapped__, _nrt=False)


def found() -> bool:
    """Return whether there is machine code; if not, numba compiles."""
    kernel = made()
    return kernel._cache.load_overload(stream_start.signatures[0], kernel.targetctx) is not None


def describe(patch: pytest.MonkeyPatch, *processor: str) -> None:
    patch.setattr(CPUCodegen, "magic_tuple", lambda self: processor)


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """Compile a kernel for a plain processor with AVX2; return the folder."""
    folder = tmp_path_factory.mktemp("package")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUMBA_CACHE_DIR", str(folder))
        describe(patch, *SHIPPED)
        assert made()(KEY, 5) == STARTED
    return folder / "bsbench-kernels"


@pytest.fixture
def shipped(package, tmp_path, monkeypatch):
    """Let it have come with the package; the user's cache is empty."""
    shutil.copytree(package, tmp_path / "package")
    monkeypatch.setattr(_machine_code, "SHIPPED", tmp_path / "package")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "user"))
    describe(monkeypatch, *HERE)
    # So that what a test changes is why there is none.
    assert found()
    return monkeypatch


def test_it_is_used_and_nothing_is_compiled(shipped):
    kernel = made()
    assert kernel(KEY, 5) == STARTED
    assert sum(kernel.stats.cache_hits.values()) == 1


@pytest.mark.parametrize(
    "processor",
    [
        (LINUX, "znver4", "-avx2,+avx512f,+sse3"),
        (LINUX, "znver4", "+avx,+sse3"),
        (LINUX, "znver4", ""),
        ("x86_64-pc-windows-msvc", *HERE[1:]),
        ("aarch64-unknown-linux-gnu", *HERE[1:]),
    ],
    ids=["masked", "missing", "none", "Windows", "arm"],
)
def test_not_on_a_processor_or_system_of_another_kind(shipped, processor):
    describe(shipped, *processor)
    assert not found()


@pytest.mark.parametrize(
    ("owner", "name", "other"),
    [
        (numba, "__version__", "0.0.1"),
        (llvmlite, "__version__", "0.0.1"),
        (binding, "llvm_version_info", (1, 0, 0)),
        (numba.config, "OPT", 2),
    ],
    ids=["numba", "llvmlite", "LLVM", "less optimized"],
)
def test_not_with_another_compiler(shipped, owner, name, other):
    shipped.setattr(owner, name, other)
    assert not found()


def test_not_with_another_python(shipped):
    shipped.setattr("sys.abiflags", "t", raising=False)
    assert not found()


def test_not_if_a_source_has_changed(shipped):
    sources = vars(stream_start.__wrapped__)["sources"]
    shipped.setitem(sources, next(iter(sources)), b"another")
    assert not found()


def test_not_if_it_is_damaged(shipped):
    for path in _machine_code.SHIPPED.rglob("*.nbc"):
        content = path.read_bytes()
        path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    kernel = made()
    assert kernel(KEY, 5) == STARTED
    assert not kernel.stats.cache_hits
    # What was compiled instead is kept.
    assert found()


def test_of_several_levels_the_one_with_most_features_that_the_processor_has():
    plain, avx2, avx512 = (
        ("types", (LINUX, "x86-64", features), "rest")
        for features in ("", "+avx2,-prefer", "+avx2,+avx512f")
    )
    levels = [avx2, plain, avx512]
    for features, best in [
        ("+avx2,+avx512f,+sse3", avx512),
        ("+avx2,-avx512f,+sse3", avx2),
        ("+sse3", plain),
        ("", plain),
    ]:
        assert best_fit(("types", (LINUX, "any", features), "rest"), levels) == best
    assert best_fit(("others", (LINUX, "any", "+avx2"), "rest"), levels) is None
    assert best_fit(("types", (LINUX, "any", "+avx2"), "another"), levels) is None
    # The name of a processor implies features that nobody lists.
    named = ("types", (LINUX, "haswell", "+avx2"), "rest")
    assert best_fit(("types", (LINUX, "any", "+avx2"), "rest"), [named]) is None
