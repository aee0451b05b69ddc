"""Memory that is free again, given back to the system."""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Callable
from functools import cache


@cache
def _malloc_trim() -> Callable[[int], int] | None:
    """glibc's ``malloc_trim``; None where the C library has none (musl, macOS, Windows)."""
    if not sys.platform.startswith("linux"):
        return None
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim.argtypes, trim.restype = [ctypes.c_size_t], ctypes.c_int
    return trim


def trim_heap() -> bool:
    """Give the free pages of the C heap back; whether there were any.

    Pages of different sizes, read in several threads, leave holes in the heap that glibc keeps for itself: a process
    that reads for days would seem to grow. Takes a few milliseconds; does nothing where the C library cannot.
    """
    trim = _malloc_trim()
    return trim is not None and bool(trim(0))


def settle_objects() -> None:
    """Take every object there is now out of garbage collection, for the rest of the process.

    With the libraries and an engine loaded, some 200,000 objects are there to stay. A full collection looks at each of
    them: 60 to 300 ms in which no thread runs, measured; 0.1 ms with them settled. A cycle among them that is let go
    of later is not freed, so this is for a process whose one purpose is to serve.
    """
    gc.collect()
    gc.freeze()
