from __future__ import annotations

import ctypes
import gc
import sys
from pathlib import Path

import pytest

from mineru_core.runtime.heap import _malloc_trim, settle_objects, trim_heap

BLOCK, PIN, COUNT = 64_000, 2_000, 1_000


def _resident() -> int:
    """Bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.skipif(_malloc_trim() is None, reason="the C library keeps its heap to itself")
def test_free_memory_goes_back_to_the_system() -> None:
    libc = ctypes.CDLL(None)
    libc.malloc.argtypes, libc.malloc.restype = [ctypes.c_size_t], ctypes.c_void_p
    libc.free.argtypes = [ctypes.c_void_p]
    # Blocks below the threshold of mmap, with a small one kept after each, so that free ones cannot join.
    pairs = [(libc.malloc(BLOCK), libc.malloc(PIN)) for _ in range(COUNT)]
    for large, _ in pairs:
        ctypes.memset(large, 1, BLOCK)
    before = _resident()  # of all of them: part of what is freed may go back at once
    for large, _ in pairs:
        libc.free(large)
    trim_heap()
    assert before - _resident() > BLOCK * COUNT // 2
    for _, small in pairs:
        libc.free(small)


def test_it_does_nothing_where_the_library_cannot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    _malloc_trim.cache_clear()
    assert not trim_heap()
    monkeypatch.undo()
    _malloc_trim.cache_clear()


def test_settled_objects_are_not_collected_again() -> None:
    try:
        settle_objects()
        assert gc.get_freeze_count() > 10_000
        assert len(gc.get_objects()) < 1_000
    finally:
        gc.unfreeze()
