"""Members of zip files, arrays of numpy, and numbers in JSON, that may come from a stranger.

What a file promises is checked before memory is taken for it: a zip file of one megabyte can
unfold into a gigabyte, and a header of a hundred bytes can ask for an array of a terabyte.
Nothing is unpickled, and nothing is written to disk.
"""

from __future__ import annotations

import base64
import io
import math
import os
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from bsbench.common.reading import open_file

_LARGEST_LIST = 10**6
"""Bytes at most of the list of members at the end of a zip file: about ten thousand members."""

_MOST_UNFOLDED = 200
"""How many times larger than its compressed form a member may be, beyond the first megabyte."""

_END = 22
"""Bytes at the end of a zip file, without a comment, that say where the list is."""

_END_64 = 20
"""Bytes before them in files of more than 4 GB."""

_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00.."
    rb"\{'descr': '([<>|][biuf]\d{1,2})', 'fortran_order': (True|False), "
    rb"'shape': \((|\d{1,18},|\d{1,18}(?:, \d{1,18})+)\), \} *\n",
    re.DOTALL,
)
"""How numpy writes the header of an array of numbers."""


MOST_PACKED = 1 << 28
"""Bytes at most of numbers that are packed."""


class BadArchive(ValueError):
    """A zip file, a member of one, or numbers that are damaged or too large."""


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
    BadArchive
        If they are others, not as many, or have more than `MOST_PACKED` bytes.
    """
    kind = np.dtype(dtype).newbyteorder("<")
    size = count * kind.itemsize
    if not isinstance(text, str) or size > MOST_PACKED:
        raise BadArchive("they are not text, or too many")
    unzip = zlib.decompressobj()
    try:
        data = unzip.decompress(base64.b64decode(text, validate=True), size + 1)
    except (ValueError, zlib.error):
        raise BadArchive("they are not numbers in base64 and zlib") from None
    if len(data) != size or not unzip.eof or unzip.unused_data:
        raise BadArchive(f"they are not {count:,} numbers")
    return np.frombuffer(data, kind).astype(dtype, copy=False)


@contextmanager
def open_archive(path: str | Path, most: int) -> Iterator[zipfile.ZipFile]:
    """Open a zip file of so many bytes at most.

    Raises
    ------
    BadArchive
        If it is no zip file, or too large; also for what goes wrong while it is open.
    OSError
        If it can't be read, or is no regular file.
    """
    with open_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > most:
            raise BadArchive(f"it is larger than {most / 1e6:g} MB")
        with _opened(file, size) as archive:
            yield archive


@contextmanager
def _opened(file: IO[bytes], size: int) -> Iterator[zipfile.ZipFile]:
    """Open a zip file whose list of members is of a size that is harmless."""
    file.seek(max(0, size - _END - _END_64))
    last = file.read()
    end = last[-_END:]
    listed = int.from_bytes(end[12:16], "little")
    if not (end.startswith(b"PK\5\6") and end.endswith(b"\0\0")):
        raise BadArchive("it is not a whole zip file")
    if listed > _LARGEST_LIST or last.startswith(b"PK\6\7"):
        raise BadArchive("it has too many members")
    try:
        with zipfile.ZipFile(file) as archive:
            yield archive
    except (zipfile.BadZipFile, NotImplementedError, EOFError, zlib.error) as error:
        raise BadArchive(str(error) or "it ends too early") from None


def read_member(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    """Return the content of a member of so many bytes at most.

    Raises
    ------
    KeyError
        If there is none of that name.
    BadArchive
        If it is larger, encrypted, or compressed in an unusual way or out of all proportion.
    """
    member = archive.getinfo(name)
    if member.flag_bits & 1:
        raise BadArchive(f"{name!r} is encrypted")
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise BadArchive(f"{name!r} is compressed in an unusual way")
    if member.file_size > most:
        raise BadArchive(f"{name!r} is larger than {most / 1e6:g} MB")
    if member.file_size > 10**6 + _MOST_UNFOLDED * member.compress_size:
        raise BadArchive(f"{name!r} is compressed out of all proportion")
    with archive.open(member) as file:
        # With a number, no more than that is unfolded, whatever the member really holds.
        content = file.read(member.file_size)
    if len(content) < member.file_size:
        raise BadArchive(f"{name!r} ends too early")
    return content


def read_arrays(content: bytes, most: int) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of an ``.npz`` file by name, of so many bytes together at most.

    Raises
    ------
    BadArchive
        If it is no such file, or for the reasons that `read_array` has.
    """
    with _opened(io.BytesIO(content), len(content)) as archive:
        arrays = {}
        for name in archive.namelist():
            member = read_member(archive, name, most)
            most -= len(member)
            arrays[name.removesuffix(".npy")] = read_array(member)
        return arrays


def read_array(content: bytes) -> npt.NDArray[Any]:
    """Return the array in a ``.npy`` file; it takes no memory beyond that of the content.

    Raises
    ------
    BadArchive
        If it is no such file, is not as long as its header says, or does not hold plain numbers.
    """
    header = _HEADER.match(content)
    if header is None:
        raise BadArchive("an array is damaged, or its items are not plain numbers")
    kind, by_column, sizes = (group.decode() for group in header.groups())
    shape = tuple(int(size) for size in re.findall(r"\d+", sizes))
    try:
        dtype = np.dtype(kind)
    except TypeError:
        raise BadArchive(f"an array has items of an unknown kind, {kind!r}") from None
    if len(content) - header.end() != math.prod(shape) * dtype.itemsize:
        raise BadArchive("an array is not as long as its header says")
    numbers = np.frombuffer(content, dtype, offset=header.end())
    return numbers.reshape(shape, order="F" if by_column == "True" else "C")
