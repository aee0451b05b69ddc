"""A count of what has changed, to be waited on."""

from __future__ import annotations

import threading


class Changes:
    """Whoever waits is woken by the next change; a change between a look and the wait is not missed."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._count = 0

    @property
    def count(self) -> int:
        """How many changes there were: note it, look, and wait for another."""
        return self._count

    def announce(self) -> None:
        """Something has changed."""
        with self._changed:
            self._count += 1
            self._changed.notify_all()

    def wait(self, seen: int, timeout_s: float) -> None:
        """Return once there was a change since the count was ``seen``, at the latest after ``timeout_s`` seconds."""
        with self._changed:
            self._changed.wait_for(lambda: self._count != seen, timeout_s)
