"""Settings of all tests."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

# No deadline, since a kernel compiles when first called; always the same examples, so
# that a test which passes today passes tomorrow.
settings.register_profile(
    "bsbench",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
settings.load_profile("bsbench")


@pytest.fixture
def in_folder(tmp_path, monkeypatch):
    """Run the test in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
