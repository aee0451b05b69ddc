"""A bound on how many pages are read at once, whose waiters can be cancelled."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from mineru_core.runtime.context import RunContext

_LOOK_S = 0.1
"""A cancel has no way to wake a waiter of the semaphore, so each looks this often; far below the second it may take."""


class Gate:
    """Lets ``places`` pieces of work in at once; the others wait for a place, their deadline, or a cancel."""

    def __init__(self, places: int) -> None:
        self.places = places
        self._free = threading.BoundedSemaphore(places)

    @contextmanager
    def admitted(self, ctx: RunContext) -> Iterator[None]:
        """Hold a place for the length of the block. Raises ``Cancelled`` or ``DeadlineExceeded`` while waiting."""
        ctx.check()
        while not self._free.acquire(timeout=_LOOK_S):
            ctx.check()
        try:
            yield
        finally:
            self._free.release()
