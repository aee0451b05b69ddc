"""Objects kept in memory as long as there is room: the one used longest ago goes first."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Generic, TypeVar

T = TypeVar("T")


class Recent(Generic[T]):
    """Objects by key, ``room`` of them by the sizes they are put with. Safe to use from many threads.

    The objects themselves are given out, to everybody: they must not be changed.
    """

    def __init__(self, room: int) -> None:
        self._room = room
        self._lock = threading.Lock()
        self._entries: OrderedDict[str, tuple[T, int]] = OrderedDict()  # the latest use last
        self._used = 0

    def get(self, key: str) -> T | None:
        """The object under the key, if it is still there."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            self._entries.move_to_end(key)
            return entry[0]

    def put(self, key: str, value: T, size: int = 1) -> None:
        """Keep the object, which takes up ``size`` of the room; one that is larger than all the room is not kept."""
        with self._lock:
            self._drop(key)
            if size > self._room:
                return
            self._entries[key] = (value, size)
            self._used += size
            while self._used > self._room:
                self._drop(next(iter(self._entries)))

    def clear(self) -> None:
        """Let go of everything."""
        with self._lock:
            self._entries.clear()
            self._used = 0

    @property
    def used(self) -> int:
        """How much of the room is taken."""
        return self._used

    def __len__(self) -> int:
        return len(self._entries)

    def _drop(self, key: str) -> None:
        """The lock is held."""
        entry = self._entries.pop(key, None)
        if entry is not None:
            self._used -= entry[1]
