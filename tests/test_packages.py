"""What is in the packages that a release uploads."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import tarfile
import zipfile

import pytest

from tests.kernels.test_cache import PLAY_PROB, compiled, edit
from tests.support import ROOT

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """Build both packages; the wheel is built from the source archive."""
    if importlib.util.find_spec("build") is None:
        pytest.skip("needs the extra dev")
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--outdir", str(out), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return next(out.glob("*.tar.gz")), next(out.glob("*.whl"))


def _tracked(*folders: str) -> set[str]:
    """Return the files of the repository in some folders."""
    done = subprocess.run(
        ["git", "ls-files", "-z", *folders], capture_output=True, text=True, cwd=ROOT, check=True
    )
    return set(done.stdout.split("\0")) - {""}


def test_the_source_archive_has_every_file_of_the_repository(packages):
    with tarfile.open(packages[0]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
        size = packages[0].stat().st_size
    assert _tracked() - names == set()
    assert names - _tracked() <= {"PKG-INFO"}
    assert size < 20e6


def test_the_wheel_has_all_that_commands_need(packages):
    with zipfile.ZipFile(packages[1]) as archive:
        names = set(archive.namelist())
    files = _tracked("bsbench") | {f"bsbench/{name}" for name in _tracked("configs")}
    assert files - names == set()
    assert {name for name in names if not name.startswith("bsbench/")} == {
        name for name in names if ".dist-info/" in name
    }
    runs = [p for p in _tracked("results") if p.endswith(".json") and b"bsbench-run" in _begin(p)]
    survey = _tracked("results/survey")
    assert len(survey) > 6
    assert {f"bsbench/{name}" for name in [*runs, *survey]} - names == set()
    assert packages[1].stat().st_size < 5e6


def _begin(name: str) -> bytes:
    return (ROOT / name).read_bytes()[:60]


def test_links_on_the_page_of_the_package_are_absolute(packages):
    with zipfile.ZipFile(packages[1]) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        text = archive.read(name).decode()
    links = re.findall(r"\]\(([^)]+)\)", text) + re.findall(r'(?:src|srcset)="([^"]+)"', text)
    assert len(links) > 10
    assert [link for link in links if not link.startswith(("https://", "#"))] == []


@pytest.mark.skipif(sys.platform != "linux", reason="compiled wheels are for Linux")
def test_a_compiled_wheel_compiles_only_where_its_machine_code_does_not_fit(
    packages, tmp_path, monkeypatch
):
    pytest.importorskip("wheel", reason="needs the extra dev")
    plain = tmp_path / packages[1].name
    plain.write_bytes(packages[1].read_bytes())
    command = [sys.executable, str(ROOT / ".ci/compiled_wheel.py"), str(plain), "prob"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    (wheel,) = set(tmp_path.glob("*.whl")) - {plain}
    assert f"-cp{sys.version_info.major}{sys.version_info.minor}-" in wheel.name
    installed = tmp_path / "installed"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(installed)
    assert str(tmp_path).encode() not in b"".join(
        path.read_bytes() for path in installed.rglob("*.nbc")
    )
    assert compiled(PLAY_PROB, installed, tmp_path / "1") == []
    # Only what is compiled for a plain processor fits one without features.
    monkeypatch.setenv("NUMBA_CPU_FEATURES", "-avx2")
    assert bool(compiled(PLAY_PROB, installed, tmp_path / "2")) == (os.uname().machine == "x86_64")
    monkeypatch.delenv("NUMBA_CPU_FEATURES")
    edit(installed / "bsbench/kernels/planes.py")
    assert compiled(PLAY_PROB, installed, tmp_path / "3") == [
        "bsbench.kernels._lanes",
        "bsbench.kernels.planes",
        "bsbench.play.planned",
    ]
