"""What tests of several folders share: twins, players that go wrong, drawn rules, a browser."""

from pathlib import Path

SUPPORT = Path(__file__).parent
ROOT = SUPPORT.parent.parent
