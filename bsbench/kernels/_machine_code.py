"""Machine code on disk, as numba reads and writes it.

A failure with the files costs a compilation, never a result: a damaged file is replaced, and where
nothing can be written nothing is kept. Machine code carries a checksum, since a flipped bit in it
would be run.
"""

from __future__ import annotations

import contextlib
import hashlib
import pickle
from pathlib import Path
from typing import Any

from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile
from numba.core.runtime import rtsys

from bsbench.kernels._cache import all_own, folder_for, kernels_in

_DIGEST_BYTES = hashlib.blake2b().digest_size


class _Locator:
    """Says where the machine code of a function is kept, in the terms of ``numba.core.caching``."""

    def __init__(self, function: Any, file: str) -> None:
        self._py_file = file
        self._line = function.__code__.co_firstlineno
        self._folder = folder_for(Path(file).stem, function.sources)

    @classmethod
    def from_function(cls, function: Any, file: str) -> _Locator | None:
        """Return the locator of a function; one typed into a notebook has numba's own."""
        return cls(function, file) if function.sources else None

    def get_cache_path(self) -> str:
        """Return the folder."""
        return str(self._folder)

    def ensure_cache_path(self) -> None:
        """Make the folder again if it has been removed."""
        self._folder.mkdir(parents=True, exist_ok=True)

    def get_source_stamp(self) -> str:
        """Return what changes with the sources: the folder's name."""
        return self._folder.name

    def get_disambiguator(self) -> str:
        """Return what distinguishes functions of one name in one file."""
        return str(self._line)


class _CacheImpl(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_Locator, *CompileResultCacheImpl._locator_classes)


class _CheckedFiles(IndexDataCacheFile):  # type: ignore[misc]
    """Files of machine code that end with a checksum, which unpickling ignores."""

    def _dump(self, content: Any) -> bytes:
        data: bytes = super()._dump(content)
        return data + hashlib.blake2b(data).digest()

    def _load_data(self, name: str) -> Any:
        content = Path(self._data_path(name)).read_bytes()
        data, digest = content[:-_DIGEST_BYTES], content[-_DIGEST_BYTES:]
        if hashlib.blake2b(data).digest() != digest:
            raise ValueError(f"{name} is damaged")
        return pickle.loads(data)


class KernelCache(FunctionCache):  # type: ignore[misc]
    """The compiled versions of one kernel on disk.

    Parameters
    ----------
    function : callable
    wrapped : bool
        Whether Python can call them.
    """

    _impl_class = _CacheImpl

    def __init__(self, function: Any, wrapped: bool = True) -> None:
        super().__init__(function)
        self._wrapped = wrapped
        self._own = all_own(function.sources)
        locator, name = self._impl.locator, self._impl.filename_base
        self._cache_file = _CheckedFiles(self._cache_path, name, locator.get_source_stamp())

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        """Return what distinguishes versions in a file."""
        if kernels := kernels_in(self._py_func):
            # numba would pickle them, which gives other bytes in each process.
            names = tuple((each.__module__, each.__qualname__) for each in kernels)
            return sig, codegen.magic_tuple(), names, self._wrapped
        return *super()._index_key(sig, codegen), self._wrapped

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the machine code for a signature, or None if there is none that can be read."""
        try:
            if self._own:
                # numba would import all that it can compile first, for 90 ms. Machine code of
                # bsbench needs its allocator, no more; what that of users needs is not known.
                rtsys.initialize(target_context)
                found = self._load_overload(sig, target_context)
            else:
                found = super().load_overload(sig, target_context)
        except Exception:  # a damaged file may raise any of them
            self._discard()
            return None
        # Of two processes that wrote at once, one may have replaced the other's file.
        return None if found is None or found.signature.args != tuple(sig) else found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep machine code for the next process, if it can be written."""
        try:
            super().save_overload(sig, data)
        except OSError:
            pass
        except Exception:
            self._discard()

    def _discard(self) -> None:
        with contextlib.suppress(OSError):
            self.flush()
