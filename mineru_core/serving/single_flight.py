"""Equal work at once is done once: who comes second waits for what the first makes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from mineru_core.errors import Cancelled, DeadlineExceeded
from mineru_core.runtime.context import RunContext

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

_LOOK_S = 0.05
"""A cancel has no way to wake a waiter, so each looks this often."""


@dataclass(eq=False)
class _Flight(Generic[V]):
    """One computation. Everything but ``landed`` is set before ``landed`` and read after it."""

    landed: threading.Event = field(default_factory=threading.Event)
    result: tuple[V] | None = None  # a tuple: None may be a result
    error: Exception | None = None  # neither result nor error: the leader left, and somebody else must lead
    followers: int = 0


class SingleFlight(Generic[K, V]):
    """Runs equal keys that are there at once as one; safe to use from many threads.

    Nothing is kept after a computation ends: that is for a cache to do, inside ``compute``.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._flights: dict[K, _Flight[V]] = {}

    def run(self, key: K, ctx: RunContext, compute: Callable[[RunContext], V]) -> tuple[V, bool]:
        """The value for the key, and whether this caller computed it.

        The first caller leads: it runs ``compute`` with its own context. Those who come meanwhile follow: they get
        the leader's value, or the error it failed with. A leader that is cancelled or runs out of time takes nobody
        with it: one of its followers leads next, with its own context. ``compute`` must not ask for its own key.

        Raises ``Cancelled`` or ``DeadlineExceeded`` as soon as the caller's own context says so, leading or following.
        """
        while True:
            ctx.check()
            with self._lock:
                flight = self._flights.get(key)
                leads = flight is None
                if flight is None:
                    flight = self._flights[key] = _Flight()
                else:
                    flight.followers += 1
            if leads:
                return self._lead(key, flight, ctx, compute), True
            self._follow(flight, ctx)
            if flight.error is not None:
                raise flight.error
            if flight.result is not None:
                return flight.result[0], False

    def followers(self, key: K) -> int:
        """How many wait for the computation of the key that runs now."""
        with self._lock:
            flight = self._flights.get(key)
            return 0 if flight is None else flight.followers

    def __len__(self) -> int:
        """Keys that are computed now."""
        with self._lock:
            return len(self._flights)

    def _lead(self, key: K, flight: _Flight[V], ctx: RunContext, compute: Callable[[RunContext], V]) -> V:
        try:
            value = compute(ctx)
            flight.result = (value,)
            return value
        except (Cancelled, DeadlineExceeded):  # the leader's own end, nobody else's
            raise
        except Exception as error:
            flight.error = error
            raise
        finally:
            # First out of the table: whoever comes after a failure tries again.
            with self._lock:
                del self._flights[key]
            flight.landed.set()

    def _follow(self, flight: _Flight[V], ctx: RunContext) -> None:
        try:
            while True:
                ctx.check()
                left = ctx.remaining_s
                if flight.landed.wait(_LOOK_S if left is None else min(_LOOK_S, left)):
                    return
        finally:
            with self._lock:
                flight.followers -= 1
