"""All checks of bsbench, each in an environment of its own: `nox --list` shows them.

What follows `--` goes to the command: `nox -s tests-newest -p 3.12 -- tests/rules`.
"""

import shutil
from pathlib import Path

import nox

nox.needs_version = ">=2024.10.9"
nox.options.default_venv_backend = "uv"
nox.options.reuse_existing_virtualenvs = True
nox.options.sessions = ["lint", "types", "tests-newest"]

PYTHONS = nox.project.python_versions(nox.project.load_toml())
NEXT = "numba", "numpy", "pandas", "matplotlib"
"""Only these are installed as pre-releases: bsbench uses internals of them, or most of them."""


def _tests(session: nox.Session, *how: str) -> None:
    session.run("python", "-m", "pytest", *how, *session.posargs)


@nox.session(name="tests-oldest", python=PYTHONS[0])
def tests_oldest(session: nox.Session) -> None:
    """Quick tests, with the oldest versions that pyproject.toml allows."""
    session.install("--upgrade", "--resolution=lowest-direct", "-e", ".[test]")
    # Old libraries use what newer ones, below them, call deprecated.
    _tests(session, "-W", "ignore::DeprecationWarning")


@nox.session(name="tests-newest", python=PYTHONS)
def tests_newest(session: nox.Session) -> None:
    """Quick tests, with the newest versions."""
    session.install("--upgrade", "-e", ".[test]")
    _tests(session)


@nox.session(name="tests-next", python=PYTHONS[-1])
def tests_next(session: nox.Session) -> None:
    """Quick tests, with pre-releases of the libraries of which bsbench uses most."""
    session.install("--upgrade", "-e", ".[test]")
    # In a step of its own, which ignores upper bounds: whether they are needed is what is asked.
    upgraded = (f"--upgrade-package={name}" for name in NEXT)
    session.install("--prerelease=allow", *upgraded, *NEXT)
    _tests(session)


@nox.session(name="tests-slow", python=PYTHONS[0])
def tests_slow(session: nox.Session) -> None:
    """Slow tests, with the newest versions."""
    session.install("--upgrade", "-e", ".[dev]")
    _tests(session, "-m", "slow")


@nox.session(python=PYTHONS[0])
def survey(session: nox.Session) -> None:
    """Play the readings of the survey that are not on record, and print what follows."""
    session.install("-e", ".")
    session.run("bsbench", "survey", "--play")


@nox.session(python=PYTHONS[0])
def agents(session: nox.Session) -> None:
    """Test exported models, and train one for a short time, with torch for CPUs."""
    # By default, it is torch for graphics cards, which takes 4 GB more.
    session.install("torch", "--index-url", "https://download.pytorch.org/whl/cpu")
    session.install("-e", ".[rl,test]")
    _tests(session, "-m", "", "tests/env", "tests/examples/test_trained_agents.py")


@nox.session
def lint(session: nox.Session) -> None:
    """Lint and format."""
    session.install("-e", ".[dev]")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")


@nox.session
def types(session: nox.Session) -> None:
    """Types."""
    session.install("-e", ".[dev]")
    session.run("mypy", *session.posargs)


@nox.session
def docs(session: nox.Session) -> None:
    """Build the site, in docs/_build/html."""
    session.install("-e", ".[dev]")
    session.run(
        "sphinx-build", "-q", "-W", "--keep-going", "-b", "html", "docs", "docs/_build/html"
    )


@nox.session
def wheels(session: nox.Session) -> None:
    """Build all packages in dist/, and try the wheels; `-- v1.0.0` is what they must be."""
    session.install("build", "twine")
    shutil.rmtree("dist", ignore_errors=True)
    session.run("python", "-m", "build", "--outdir", "dist")
    session.run("twine", "check", "--strict", *map(str, Path("dist").iterdir()))
    (wheel,) = Path("dist").glob("*.whl")
    version = wheel.name.split("-")[1]
    if session.posargs not in ([], [f"v{version}"]):
        session.error(f"dist/ has version {version}, and not {' '.join(session.posargs)}")
    session.install(str(wheel))
    # Where the checkout is not what is imported.
    session.chdir(session.create_tmp())
    session.run("bsbench", "run", "-s", "linear", "-n", "1000", "--no-charts", "--force", "-o", "x")
    for python in PYTHONS:
        session.notify(f"compiled-wheel-{python}", posargs=())


@nox.session(name="compiled-wheel", python=PYTHONS)
def compiled_wheel(session: nox.Session) -> None:
    """Make a wheel with machine code of the one in dist/, and try it."""
    (wheel,) = Path("dist").glob("*-none-any.whl")
    session.install("--upgrade", str(wheel), "twine", "wheel")
    session.run("python", ".ci/compiled_wheel.py", str(wheel))
    (wheel,) = Path("dist").glob(f"*-cp{str(session.python).replace('.', '')}-*.whl")
    session.run("twine", "check", "--strict", str(wheel))
    session.install("--reinstall", "--no-deps", str(wheel))
    folder = Path(session.create_tmp()).absolute()
    session.chdir(folder)
    cache = folder / "cache"
    shutil.rmtree(cache, ignore_errors=True)
    run = "bsbench run -s prob -n 1000 --no-save --quiet"
    session.run(*run.split(), env={"NUMBA_CACHE_DIR": str(cache)})
    if compiled := [path.name for path in cache.rglob("*.nbc")]:
        session.error(f"compiled although it should be in the wheel: {', '.join(compiled)}")


@nox.session
def ratio(session: nox.Session) -> None:
    """Compare the speed of this checkout with that of a revision: `nox -s ratio -- main`."""
    session.install("-e", ".")
    session.run("python", "-m", "benchmarks.ratio", *session.posargs)
