"""A Python in which what Windows lacks is missing: as near as this machine can come to Windows.

`hide` takes the modules and names away that Python has on POSIX only. Path names, the console and
the file system stay as they are here, so what passes may still fail on Windows.
"""

from __future__ import annotations

import asyncio
import faulthandler
import functools
import importlib.abc
import multiprocessing.context
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

# Imported before anything is hidden: on Windows, these have code of their own.
LIBRARIES = (asyncio, multiprocessing.context, subprocess, tempfile)

MODULES = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}

NAMES: dict[Any, str] = {
    # `geteuid` stays, since `os.name` does: the kernel cache asks by that.
    os: """
        O_ASYNC O_CLOEXEC O_DIRECTORY O_DSYNC O_NOCTTY O_NOFOLLOW O_NONBLOCK O_SYNC P_PID WNOHANG
        WEXITSTATUS chown confstr ctermid fchmod fchown fdatasync fork forkpty get_blocking getegid
        getgid getgroups getloadavg getpgid getpgrp getpriority getsid getuid initgroups killpg
        lchown lockf mkfifo mknod nice openpty pathconf pipe2 posix_spawn posix_spawnp pread preadv
        pwrite pwritev readv register_at_fork sched_getaffinity sched_setaffinity sched_yield
        set_blocking setgid setpgid setpgrp setpriority setsid setuid statvfs sync sysconf
        tcgetpgrp tcsetpgrp ttyname uname wait wait3 wait4 waitid writev
    """,
    select: "epoll kqueue poll",
    socket: "AF_UNIX",
    faulthandler: "register unregister",
    time: "clock_gettime pthread_getcpuclockid tzset",
    signal: """
        ITIMER_REAL SIGALRM SIGCHLD SIGCONT SIGHUP SIGIO SIGKILL SIGPIPE SIGPROF SIGQUIT SIGSTOP
        SIGTSTP SIGTTIN SIGTTOU SIGUSR1 SIGUSR2 SIGWINCH alarm getitimer pause pthread_kill
        pthread_sigmask setitimer siginterrupt sigpending sigtimedwait sigwait
    """,
}

RESERVED = {"CON", "PRN", "AUX", "NUL"} | {f"{port}{n}" for port in ("COM", "LPT") for n in "123"}


def hide() -> None:
    """Take away what Windows lacks, and watch what bsbench opens, for the rest of this process."""
    for module, names in NAMES.items():
        for name in names.split():
            if hasattr(module, name):
                delattr(module, name)
    sys.meta_path.insert(0, _Missing())
    for name in MODULES - {"posix"}:
        sys.modules.pop(name, None)
    os.O_BINARY = 1 << 40  # type: ignore[attr-defined]
    os.open = _opening(os.open)  # type: ignore[assignment]
    sys.addaudithook(_watch)


def is_legal(path: str) -> bool:
    """Return whether Windows allows all names in a path."""
    names = PurePosixPath(path).parts[path.startswith("/") :]
    return not any(
        set(name) & set('<>:"|?*\\')
        or min(name) < " "
        or (name.endswith((".", " ")) and name not in (".", ".."))
        or name.partition(".")[0].upper() in RESERVED
        for name in names
    )


class _Missing(importlib.abc.MetaPathFinder):
    def find_spec(self, name: str, path: object, target: object = None) -> None:
        if name in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}, on Windows", name=name)


def _opening(real: Callable[..., int]) -> Callable[..., int]:
    """Return `os.open`, which on Windows changes the ends of lines unless told not to."""

    @functools.wraps(real)
    def opened(path: Any, flags: int, *rest: Any, **named: Any) -> int:
        binary = flags & os.O_BINARY  # type: ignore[attr-defined]
        writes = flags & (os.O_WRONLY | os.O_RDWR) and path != os.devnull
        if writes and not binary and _caller().startswith("bsbench."):
            raise AssertionError(f"{path} is written without O_BINARY: Windows would add \\r")
        return real(path, flags & ~binary, *rest, **named)

    return opened


def _caller() -> str:
    return str(sys._getframe(2).f_globals.get("__name__", ""))


def _watch(event: str, given: tuple[Any, ...]) -> None:
    """Refuse to make files and folders whose names Windows forbids."""
    made: list[Any] = []
    if (event == "open" and given[2] & os.O_CREAT) or event == "os.mkdir":
        made = [given[0]]
    elif event == "os.rename":
        made = [given[1]]
    for path in made:
        if isinstance(path, str) and not path.startswith("/dev/") and not is_legal(path):
            raise AssertionError(f"Windows allows no file of the name {path!r}")
