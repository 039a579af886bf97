"""What fuzz tests share: inputs made of real ones, and how every command must end."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Iterator
from typing import Any

from click.testing import CliRunner, Result
from hypothesis import strategies as st

from bsbench.cli import main
from bsbench.common.texts import for_terminal
from tests.support.refusals import assert_refused

JUNK = [
    *(None, True, False, 0, 1, -1, 2, 0.5, 0.9, 1.7, -0.0, math.nan, math.inf, -math.inf),
    *(1e-320, 1e308, 2**31, 2**53 + 1, 2**63, 2**64, 10**15, 10**17, 10**19, 10**400),
    *("", " ", "x", "1", "0.5", "nan", "prob", "uniform", "1x1", "x.py:X", "pack.tools:X"),
    *("\ud800", "\x1b[31m", "\x9b2J", "\x00", "a\nb", "a\tb", "\u202etxt", "=1+1", "`|<b>"),
    *("x" * 5_000, "1" * 5_000, "../../etc/passwd", "file:/dev/zero", "2026-02-30"),
    *([], {}, [[]], [{}], {"": 0}, [None], [0], ["x"], {"a": {"b": [1]}}),
]
"""Values that stand where others should."""

_NESTED = "\x00nested"
"""Stands for what `json_text` writes as lists in lists, deeper than any file has them."""


def ended(*arguments: str, input: str | None = None, codes: tuple[int, ...] = (0, 2)) -> Result:
    """Run a command in this process, and check that it ends as a user expects.

    It ends with exit code 0, or with 2 and one sentence; ``codes`` are those that the command may
    end with. Nothing it prints is a control character.
    """
    result = CliRunner().invoke(main, arguments, input=input)
    said = (arguments, result.output[-2_000:])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise AssertionError(said) from result.exception
    assert result.exit_code in codes, said
    if not result.stdout_bytes.startswith(b"\x89PNG"):
        assert for_terminal(result.stdout) == result.stdout, said
    assert for_terminal(result.stderr) == result.stderr, said
    if result.exit_code == 2:
        assert_refused(result)
    return result


def places(content: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the place of each value in a JSON document: keys and numbers, from the outside."""
    if path:
        yield path
    if not isinstance(content, dict | list):
        return
    for key, value in content.items() if isinstance(content, dict) else enumerate(content):
        yield from places(value, (*path, key))


@st.composite
def damaged_json(draw, original: Any) -> tuple[Any, bytes]:
    """Return a JSON document with one to three changes, and the bytes of its file.

    The document is None where the bytes are no JSON.
    """
    content = copy.deepcopy(original)
    for _ in range(draw(st.sampled_from([1, 1, 1, 2, 3]))):
        content = _changed(draw, content)
    text = json.dumps(content).replace(json.dumps(_NESTED), "[" * 100_000 + "]" * 100_000)
    data = text.encode()
    match draw(st.sampled_from(["whole"] * 17 + ["cut", "byte", "bom"])):
        case "cut":
            return None, data[: draw(st.integers(0, len(data) - 1))]
        case "byte":
            place = draw(st.integers(0, len(data)))
            return None, data[:place] + draw(st.binary(min_size=1, max_size=3)) + data[place:]
        case "bom":
            return None, b"\xef\xbb\xbf" + data
    return (None if _NESTED in str(content) else content), data


def _changed(draw, content: Any) -> Any:
    """Change one value of a document in place; values deep inside long lists are as rare as any."""
    known = list(places(content))
    if not known:
        return draw(st.sampled_from(JUNK))
    # Lists of numbers are long: first choose a key, then an entry.
    keys = sorted({path[:2] for path in known}, key=str)
    begin = draw(st.sampled_from(keys))
    path = draw(st.sampled_from([each for each in known if each[: len(begin)] == begin]))
    holder = content
    for key in path[:-1]:
        holder = holder[key]
    value = holder[path[-1]]
    match draw(st.sampled_from(["junk", "junk", "number", "delete", "twice", "key", "nested"])):
        case "number" if isinstance(value, int | float) and not isinstance(value, bool):
            change = draw(st.sampled_from([1, -1, 0.5, 1e-3, 1_000]))
            holder[path[-1]] = draw(
                st.sampled_from([value + change, -value, float(value), str(value), value * 2])
            )
        case "delete":
            del holder[path[-1]]
        case "twice" if isinstance(holder, list):
            holder.append(copy.deepcopy(value))
        case "key" if isinstance(holder, dict):
            holder[draw(st.sampled_from(["", "x", "\x1b", "preset"]))] = value
        case "nested":
            holder[path[-1]] = _NESTED
        case _:
            holder[path[-1]] = copy.deepcopy(draw(st.sampled_from(JUNK)))
    return content
