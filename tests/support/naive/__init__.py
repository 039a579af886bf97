"""Slow, obvious twins of what the kernels do, in plain Python.

No numpy, no jit, no sharing of code with the package but for the rules object: a
board is a set of cells, a game a list of shots.
"""
# ruff: noqa: F403 - tests use these as `naive.NAME`

from tests.support.naive.chance import *
from tests.support.naive.counting import *
from tests.support.naive.density import slot_counts as slot_counts
from tests.support.naive.layouts import *
from tests.support.naive.play import *
from tests.support.naive.strategies import twin as twin
