"""A circuit breaker: a peer that keeps failing is left alone for a while, then tried by one call before the rest."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from enum import StrEnum
from types import TracebackType
from typing import Self


class BreakerState(StrEnum):
    """Whether calls are let through."""

    CLOSED = "closed"
    """All of them."""
    OPEN = "open"
    """None, until its time is over."""
    HALF_OPEN = "half-open"
    """One, which is under way, and decides."""


class Permit:
    """Leave for one call. Tell how it went by ``succeeded`` or ``failed``; only the first word counts.

    As a context manager it is dropped at its end if nothing was said: a call that was cancelled tells nothing about
    the peer, and if it was the one that was to decide, the next may.
    """

    def __init__(self, breaker: CircuitBreaker, generation: int) -> None:
        self._breaker, self._generation, self._told = breaker, generation, False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.drop()

    def succeeded(self) -> None:
        """The peer answered."""
        self._tell(True)

    def failed(self) -> None:
        """The peer did not answer, or not as it should."""
        self._tell(False)

    def drop(self) -> None:
        """Nothing is known of how it went."""
        self._tell(None)

    def _tell(self, outcome: bool | None) -> None:
        if not self._told:
            self._told = True
            self._breaker._told(self._generation, outcome)


class CircuitBreaker:
    """Opens after ``failures`` failed calls in a row, for ``open_s`` seconds; safe to use from many threads.

    Then one call is let through: if it succeeds the breaker closes, if it fails it stays open as long again. Calls
    that began before the breaker last changed its state say nothing any more. ``on_change`` is told every new state,
    in order, and must not call back. ``clock`` gives seconds that never go back.
    """

    def __init__(
        self,
        failures: int,
        open_s: float,
        *,
        on_change: Callable[[BreakerState], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if failures < 1:
            raise ValueError("a breaker opens after one failure at the earliest")
        self._limit, self._open_s = failures, open_s
        self._on_change, self._clock = on_change, clock
        self._lock = threading.Lock()
        self._state = BreakerState.CLOSED
        self._generation = 0
        self._in_a_row = 0
        self._opened_at = 0.0

    @property
    def state(self) -> BreakerState:
        """The state now; an open breaker whose time is over is still open until a call asks for leave."""
        return self._state

    @property
    def wait_s(self) -> float:
        """Seconds until leave may be given; 0 as well while the call that decides is under way."""
        with self._lock:
            return self._wait_s()

    def acquire(self) -> Permit | None:
        """Leave for one call; None where there is none now."""
        with self._lock:
            if self._state is BreakerState.HALF_OPEN or self._wait_s() > 0:
                return None
            if self._state is BreakerState.OPEN:
                self._change(BreakerState.HALF_OPEN)
            return Permit(self, self._generation)

    def _wait_s(self) -> float:
        if self._state is not BreakerState.OPEN:
            return 0.0
        # Never longer than the whole pause, whatever adding up leaves in the last digit.
        return min(max(0.0, self._opened_at + self._open_s - self._clock()), self._open_s)

    def _told(self, generation: int, outcome: bool | None) -> None:
        with self._lock:
            if generation != self._generation:
                return
            if outcome is None:
                if self._state is BreakerState.HALF_OPEN:
                    self._change(BreakerState.OPEN)  # since when it is open stays: the next call may try at once
            elif outcome:
                self._in_a_row = 0
                if self._state is BreakerState.HALF_OPEN:
                    self._change(BreakerState.CLOSED)
            else:
                self._in_a_row += 1
                if self._state is BreakerState.HALF_OPEN or self._in_a_row >= self._limit:
                    self._opened_at = self._clock()
                    self._change(BreakerState.OPEN)

    def _change(self, state: BreakerState) -> None:
        self._state = state
        self._generation += 1
        self._in_a_row = 0
        if self._on_change is not None:
            self._on_change(state)
