"""Commands are tested on the mock engine, but for those whose games are looked at."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _on_the_mock_engine(request):
    if not request.node.get_closest_marker("played"):
        request.getfixturevalue("mock_engine")
