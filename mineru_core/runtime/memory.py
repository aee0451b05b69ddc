"""How much memory this process holds, how much it may hold, and whether that is passed."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from mineru_core.runtime.heap import trim_heap

_STATM = Path("/proc/self/statm")
_CGROUP_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
_SHARE = 0.8
"""Of the memory there is: what is left is for the pages at work, the disk cache of the system, and other processes."""
_TRIM_EVERY_S = 1.0


def resident_bytes() -> int | None:
    """Memory this process holds now, bytes, read in microseconds; None where the system does not tell it so."""
    try:
        return int(_STATM.read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return None


def available_bytes() -> int | None:
    """Memory this process may use, bytes: the container's limit or the machine's memory; None where unknown."""
    if not sys.platform.startswith("linux"):
        return None
    found = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    for path in _CGROUP_LIMITS:
        try:
            found.append(int(path.read_text("ascii")))
        except (OSError, ValueError):  # not in a container, or "max"
            continue
    return min(found)


def default_ceiling() -> int | None:
    """The ceiling where none is set, bytes; None where the memory there is is not known."""
    there = available_bytes()
    return None if there is None else int(_SHARE * there)


class MemoryCeiling:
    """Tells whether the process holds more than it may. Safe to use from several threads.

    ``ceiling_bytes`` None takes ``default_ceiling()``, 0 means there is none. Before memory counts as too much, what
    is free in the heap is handed back to the system, at most once a second.
    """

    def __init__(
        self,
        ceiling_bytes: int | None = None,
        *,
        resident: Callable[[], int | None] = resident_bytes,
        trim: Callable[[], object] = trim_heap,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.ceiling_bytes = default_ceiling() if ceiling_bytes is None else ceiling_bytes or None
        self._resident, self._trim, self._clock = resident, trim, clock
        self._lock = threading.Lock()
        self._trimmed_at: float | None = None

    def exceeded(self) -> bool:
        """Whether the process is above its ceiling, also after a trim; False where that cannot be known."""
        if not self._above():
            return False
        with self._lock:
            now = self._clock()
            due = self._trimmed_at is None or now - self._trimmed_at >= _TRIM_EVERY_S
            if due:
                self._trimmed_at = now
        if due:
            self._trim()
        return self._above()

    def _above(self) -> bool:
        if self.ceiling_bytes is None:
            return False
        held = self._resident()
        return held is not None and held > self.ceiling_bytes
