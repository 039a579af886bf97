"""Make a wheel with machine code of one without: for this Python, system and processor.

    python .ci/compiled_wheel.py dist/bsbench-1.0-py3-none-any.whl [STRATEGY…]

Writes it beside the wheel. This Python must have what bsbench needs, and `wheel`. Strategies, by
default all built-in ones, play on classic and harbour; the kernels that they need are in it.
"""

import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from llvmlite.binding import get_host_cpu_features

V3 = (
    "+avx +avx2 +bmi +bmi2 +crc32 +cx16 +f16c +fma +lzcnt +movbe +popcnt +sahf +sse3 +sse4.1 "
    "+sse4.2 +ssse3 +xsave"
)
LEVELS = {
    "x86_64": {
        "x86-64-v3": ("x86-64", V3),
        "x86-64-v4": ("x86-64", f"{V3} +avx512bw +avx512cd +avx512dq +avx512f +avx512vl"),
    },
    "aarch64": {"armv8-a": ("generic", "")},
}
"""LLVM's name of a processor without any features, and the features of a level.

They are listed, since `best_fit` in `kernels/_machine_code.py` compares them with those of the
processor that loads the code. Two levels: on a processor with AVX-512, code of v3 plays `prob` a
tenth slower.
"""


PLAY = """
import contextlib, sys, bsbench
for name in sys.argv[1:] or bsbench.strategy_names():
    for scenario in ("classic", "harbour"):
        # There may be too little feedback for it, or too many layouts.
        with contextlib.suppress(bsbench.BsbenchError):
            bsbench.run(name, scenario=scenario, games=100)
"""


def play(package: Path, cache: Path, level: str, strategies: list[str]) -> None:
    """Fill the folder with machine code for a level."""
    processor, features = LEVELS[platform.machine()][level]
    environment = {
        **os.environ,
        "PYTHONPATH": str(package),
        "NUMBA_CACHE_DIR": str(cache),
        "NUMBA_CPU_NAME": processor,
        "NUMBA_CPU_FEATURES": features.replace(" ", ","),
        # A library that others may lack.
        "NUMBA_DISABLE_INTEL_SVML": "1",
        # It would be packed.
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [sys.executable, "-c", PLAY, *strategies]
    subprocess.run(command, env=environment, cwd=cache, check=True)


def wheel(*arguments: str | Path) -> None:
    """Call the tool of that name."""
    subprocess.run([sys.executable, "-m", "wheel", *arguments], check=True)


def main() -> None:
    """Make it."""
    if sys.platform != "linux" or platform.machine() not in LEVELS:
        sys.exit("only for Linux on x86_64 and aarch64")
    source, *strategies = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        unpacked, cache, packed = (Path(folder, name) for name in ("unpacked", "cache", "packed"))
        cache.mkdir()
        packed.mkdir()
        wheel("unpack", source, "--dest", unpacked)
        (package,) = unpacked.iterdir()
        here = get_host_cpu_features()
        for level, (_, features) in LEVELS[platform.machine()].items():
            if all(here.get(name[1:]) for name in features.split()):
                play(package, cache, level, strategies)
                print(f"compiled for {level}", flush=True)
            else:
                print(f"not compiled for {level}: this processor lacks a feature of it")
        for path in cache.rglob("*.nb[ic]"):
            place = package / "bsbench/machine_code" / path.parent.name
            place.mkdir(parents=True, exist_ok=True)
            path.rename(place / path.name)
        wheel("pack", package, "--dest-dir", packed)
        python = f"cp{sys.version_info.major}{sys.version_info.minor}"
        platform_tag = f"--platform-tag=manylinux_2_17_{platform.machine()}"
        tags = f"--python-tag={python}", f"--abi-tag={python}{sys.abiflags}", platform_tag
        wheel("tags", "--remove", *tags, *packed.iterdir())
        (made,) = packed.iterdir()
        print(shutil.move(made, Path(source).parent))


main()
