"""Machine code on disk, as numba reads and writes it.

A failure with the files costs a compilation, never a result: a damaged file is replaced, and where
nothing can be written nothing is kept. Machine code carries a checksum, since a flipped bit in it
would be run.

What is not in the user's cache may have come with the package. It is taken only if this processor
has every feature that it was compiled for; the rest of its key is that of the cache.
"""

from __future__ import annotations

import contextlib
import hashlib
import pickle
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile
from numba.core.runtime import rtsys

from bsbench.kernels._cache import SHIPPED, all_own, folder_for, folder_name, kernels_in

_PLAIN = "x86-64", "generic"
"""LLVM's names for processors without any feature that not all of the architecture have."""

_DIGEST_BYTES = hashlib.blake2b().digest_size


class _Locator:
    """Says where the machine code of a function is kept, in the terms of ``numba.core.caching``."""

    def __init__(self, function: Any, file: str) -> None:
        self._py_file = file
        self._line = function.__code__.co_firstlineno
        name = Path(file).stem
        self._folder = folder_for(name, function.sources)
        self._stamp = folder_name(name, function.sources)

    @classmethod
    def from_function(cls, function: Any, file: str) -> _Locator | None:
        """Return the locator of a function; one typed into a notebook has numba's own."""
        return cls(function, file) if function.sources else None

    def get_cache_path(self) -> str:
        """Return the folder."""
        return str(self._folder)

    def ensure_cache_path(self) -> None:
        """Make the folder again if it has been removed."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def get_source_stamp(self) -> str:
        """Return what changes with the sources."""
        return self._stamp

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


def _features(described: str) -> set[str]:
    return {each for each in described.split(",") if each.startswith("+")}


def best_fit(wanted: Any, keys: Iterable[Any]) -> Any:
    """Return the key of the machine code with most features that can run here, or None.

    Parameters
    ----------
    wanted : tuple
        The key of this processor: signature, what numba calls the "magic tuple", and the rest.
        The tuple has the system, the processor's name, and its features, as LLVM names them.
    keys : iterable of tuple
        What there is.
    """
    signature, (system, _, here), *rest = wanted
    fitting = {
        key: _features(features)
        for key in keys
        for its_signature, (its_system, processor, features), *its_rest in [key]
        # Of another name it is not known which features it implies.
        if processor in _PLAIN and _features(features) <= _features(here)
        if (its_signature, its_system, its_rest) == (signature, system, rest)
    }
    return max(fitting, key=lambda key: len(fitting[key]), default=None)


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
        stamp = locator.get_source_stamp()
        self._cache_file = _CheckedFiles(self._cache_path, name, stamp)
        self._shipped = _CheckedFiles(str(SHIPPED / stamp), name, stamp)

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
                if found is None:
                    found = self._load_shipped(sig, target_context)
            else:
                found = super().load_overload(sig, target_context)
        except Exception:  # a damaged file may raise any of them
            self._discard()
            return None
        # Of two processes that wrote at once, one may have replaced the other's file.
        return None if found is None or found.signature.args != tuple(sig) else found

    def _load_shipped(self, sig: Any, target_context: Any) -> Any:
        wanted = self._index_key(sig, target_context.codegen())
        key = best_fit(wanted, self._shipped._load_index())
        data = None if key is None else self._shipped.load(key)
        return data and self._impl.rebuild(target_context, data)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep machine code for the next process, if it can be written."""
        if self._own:
            # Its types as text, with paths, would be two fifths of the file.
            data = data._replace(type_annotation="")
        try:
            super().save_overload(sig, data)
        except OSError:
            pass
        except Exception:
            self._discard()

    def _discard(self) -> None:
        with contextlib.suppress(OSError):
            self.flush()
