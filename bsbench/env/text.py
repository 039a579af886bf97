"""Observations as text and text as actions, for language models: see `bsbench.llm.text`."""

from bsbench.llm.text import (
    STYLES,
    UnreadableAction,
    action_to_text,
    how_to_answer,
    obs_to_text,
    parse_action,
    see,
    symbols_text,
)

__all__ = [
    "STYLES",
    "UnreadableAction",
    "action_to_text",
    "how_to_answer",
    "obs_to_text",
    "parse_action",
    "see",
    "symbols_text",
]
