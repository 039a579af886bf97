"""The code in docs/gymnasium.md runs as written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("gymnasium", reason="needs bsbench[gym]")

GUIDE = Path(__file__).parent.parent / "docs" / "gymnasium.md"


def test_the_code_in_the_guide_runs(capsys):
    blocks = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(blocks) == 9
    names: dict[str, object] = {"__name__": "guide"}
    for block in blocks:
        if "needs the extra rl" not in block:
            exec(compile(block, str(GUIDE), "exec"), names)
    assert "sunk" in capsys.readouterr().out
