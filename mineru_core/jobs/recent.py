"""A few things kept in memory, the least recently used going first."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Generic, TypeVar

V = TypeVar("V")


class Recent(Generic[V]):
    """At most ``places`` values by name. Safe to use from several threads."""

    def __init__(self, places: int) -> None:
        self._places = places
        self._values: OrderedDict[str, V] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, name: str) -> V | None:
        """The value, which then is the most recently used; None where it is not kept."""
        with self._lock:
            if name in self._values:
                self._values.move_to_end(name)
            return self._values.get(name)

    def put(self, name: str, value: V) -> None:
        """Keep the value."""
        with self._lock:
            self._values[name] = value
            self._values.move_to_end(name)
            while len(self._values) > self._places:
                self._values.popitem(last=False)
