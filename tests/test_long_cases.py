"""Cases that are slow by `tests/long_cases.txt` exist."""

from __future__ import annotations

import re
from pathlib import Path

from tests.conftest import LONG_CASES


def test_cases_that_take_long_exist():
    for case in LONG_CASES.read_text(encoding="utf-8").splitlines():
        file, _, name = case.partition("::")
        text = (LONG_CASES.parent.parent / Path(file)).read_text(encoding="utf-8")
        function = name.partition("[")[0]
        assert re.search(rf"^def {function}\(" if name else "", text, re.MULTILINE), case
