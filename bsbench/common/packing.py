"""Many whole numbers as text, in JSON that may come from a stranger.

What a file promises is checked before memory is taken for it: a megabyte can unfold into a
gigabyte.
"""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
import numpy.typing as npt

MOST_PACKED = 1 << 28
"""Bytes at most of numbers that are packed."""


class BadPacking(ValueError):
    """Numbers that are damaged or too large."""


def packed(numbers: npt.NDArray[Any]) -> str:
    """Return whole numbers as text: little-endian, compressed by zlib, in base64.

    Parameters
    ----------
    numbers : ndarray of uint8 or uint16, shape (n,)
        Like random ones: no sequence of them comes again, so that zlib looks for none.
    """
    zipped = zlib.compressobj(strategy=zlib.Z_HUFFMAN_ONLY)
    data = numbers.astype(numbers.dtype.newbyteorder("<"), copy=False).tobytes()
    return base64.b64encode(zipped.compress(data) + zipped.flush()).decode()


def unpacked(text: Any, count: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return so many numbers that `packed` has made a text.

    Raises
    ------
    BadPacking
        If they are others, not as many, or have more than `MOST_PACKED` bytes.
    """
    kind = np.dtype(dtype).newbyteorder("<")
    size = count * kind.itemsize
    if not isinstance(text, str) or size > MOST_PACKED:
        raise BadPacking("they are not text, or too many")
    unzip = zlib.decompressobj()
    try:
        data = unzip.decompress(base64.b64decode(text, validate=True), size + 1)
    except (ValueError, zlib.error):
        raise BadPacking("they are not numbers in base64 and zlib") from None
    if len(data) != size or not unzip.eof or unzip.unused_data:
        raise BadPacking(f"they are not {count:,} numbers")
    return np.frombuffer(data, kind).astype(dtype, copy=False)
