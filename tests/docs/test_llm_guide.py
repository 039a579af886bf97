"""docs/language-models.md is true: run as written, it prints what it shows."""

from __future__ import annotations

import re
import runpy
import shlex
import threading
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner

from bsbench.cli import main
from tests.docs.test_guide import assert_shown
from tests.support import ROOT

GUIDE = (ROOT / "docs" / "language-models.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", GUIDE, flags=re.DOTALL)


@pytest.fixture
def stand_in():
    """Serve as the example does, on a free port; yield its address."""
    names = runpy.run_path(str(ROOT / "examples" / "stand_in_model.py"))
    with ThreadingHTTPServer(("127.0.0.1", 0), names["StandIn"]) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()


def test_the_guide_is_true_as_written(stand_in, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    printed, ran = "", 0
    for language, content in BLOCKS:
        if language == "sh":
            printed = ""
            for line in content.replace("127.0.0.1:8123", stand_in).splitlines():
                found = CliRunner().invoke(main, shlex.split(line)[1:])
                assert found.exit_code == 0, f"{line}\n{found.output}"
                printed += found.output
                ran += 1
        elif language == "text":
            assert_shown(content, printed)
    assert ran == 5
    assert Path("transcripts/demo.jsonl").exists()
