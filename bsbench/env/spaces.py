"""Spaces of observations and actions."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from bsbench.observation import Field, Observing


def observation_space(observing: Observing) -> spaces.Space[Any]:
    """Return the space of the observations of one game."""
    boxes: dict[str, spaces.Space[Any]] = {
        name: _box(field) for name, field in observing.fields.items()
    }
    return boxes["observation"] if observing.bare else spaces.Dict(boxes)


def _box(field: Field) -> spaces.Box:
    # Bounds as arrays, since Box takes numbers as those of a float.
    low, high = (np.full(field.shape, bound, field.dtype) for bound in (field.low, field.high))
    return spaces.Box(low, high, field.shape, field.dtype)


def action_space(observing: Observing) -> spaces.Discrete:
    """Return the space of actions: the cells of the board."""
    return spaces.Discrete(observing.rules.cells)
