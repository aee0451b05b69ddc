"""Where submissions are counted: in the memory of this process, or in a Valkey that several servers share."""

from __future__ import annotations

import hashlib
import logging
import threading
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar
from urllib.parse import urlsplit

from limits import RateLimitItem
from limits.errors import StorageError
from limits.storage import MemoryStorage, RedisStorage
from limits.strategies import MovingWindowRateLimiter

from mineru_core.runtime.circuit_breaker import BreakerState, CircuitBreaker

_log = logging.getLogger(__name__)

ANSWER_S = 0.5
"""Seconds the shared storage may take for an answer: a document waits for it before its bytes are taken."""

AWAY_S = 5.0
"""Seconds a shared storage that did not answer is left alone."""

PREFIX = "mineru-workbench:rate"

_T = TypeVar("_T")


class Windows(Protocol):
    """Counts in windows of time that move along; safe to use from several threads."""

    @property
    def is_shared(self) -> bool:
        """Whether others count here as well: asking then takes the way over the network."""

    def take(self, items: Sequence[RateLimitItem], who: str) -> list[RateLimitItem]:
        """Count one in every window, or in none; those windows that are full."""

    def stats(self, item: RateLimitItem, who: str) -> tuple[float, int]:
        """When there is more in the window, Unix time in seconds, and how many are left of it."""


class OwnWindows:
    """Counts in the memory of this process."""

    is_shared = False

    def __init__(self) -> None:
        self._windows = MovingWindowRateLimiter(MemoryStorage())
        self._lock = threading.Lock()  # between the test and the count nobody else may count

    def take(self, items: Sequence[RateLimitItem], who: str) -> list[RateLimitItem]:
        """As ``Windows`` says."""
        with self._lock:
            return _take(self._windows, items, who)

    def stats(self, item: RateLimitItem, who: str) -> tuple[float, int]:
        """As ``Windows`` says."""
        return _stats(self._windows, item, who)


class SharedWindows:
    """Counts in a Valkey or Redis server; in the memory of this process while that does not answer.

    A storage that is away must neither stop work nor lift the limit: each server then allows what it would alone.
    ``on_change`` is told whether the storage is used, in order. Nobody's name is stored: owners are hashed.
    """

    is_shared = True

    def __init__(self, url: str, on_change: Callable[[BreakerState], None] | None = None) -> None:
        from valkey.backoff import NoBackoff  # most servers count for themselves
        from valkey.exceptions import ConnectionError as ConnectionBroken
        from valkey.retry import Retry

        self.address = address_of(url)
        self._on_change = on_change
        self._storage = RedisStorage(
            _in_one_scheme(url),
            key_prefix=PREFIX,
            wrap_exceptions=True,
            socket_timeout=ANSWER_S,
            socket_connect_timeout=ANSWER_S,
            # A server that was started anew has closed the connections that are kept here.
            retry=Retry(NoBackoff(), 1),  # type: ignore[arg-type]  # limits hands on what it has no type for
            retry_on_error=[ConnectionBroken],  # type: ignore[arg-type]
        )
        self._shared = MovingWindowRateLimiter(self._storage)
        self._own = OwnWindows()
        self._breaker = CircuitBreaker(1, AWAY_S, on_change=self._changed)
        if on_change is not None:
            on_change(self._breaker.state)

    def take(self, items: Sequence[RateLimitItem], who: str) -> list[RateLimitItem]:
        """As ``Windows`` says. Of several servers that ask at once for the last place of one window, those that do not
        get it may have counted in another."""
        found = self._ask(lambda: _take(self._shared, items, _hidden(who)))
        return self._own.take(items, who) if found is None else found

    def stats(self, item: RateLimitItem, who: str) -> tuple[float, int]:
        """As ``Windows`` says."""
        found = self._ask(lambda: _stats(self._shared, item, _hidden(who)))
        return self._own.stats(item, who) if found is None else found

    def answers(self) -> bool:
        """Whether the storage answers now."""
        return self._storage.check()

    def _ask(self, call: Callable[[], _T]) -> _T | None:
        """What the storage answers; None where it does not, or did not just now."""
        permit = self._breaker.acquire()
        if permit is None:
            return None
        with permit:
            try:
                found = call()
            except StorageError as error:
                _log.debug("the storage of the rate limits did not answer: %s", type(error.storage_error).__name__)
                permit.failed()
                return None
            permit.succeeded()
        return found

    def _changed(self, state: BreakerState) -> None:
        if state is BreakerState.OPEN:
            _log.warning("rate limits: %s does not answer, each server counts for itself", self.address)
        elif state is BreakerState.CLOSED:
            _log.info("rate limits: %s answers again", self.address)
        if self._on_change is not None:
            self._on_change(state)


def address_of(url: str) -> str:
    """Host, port and database of a storage, or its socket's path, without name and password."""
    parts = urlsplit(url)
    if not parts.hostname:
        return parts.path
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{host}:{parts.port or 6379}{parts.path.rstrip('/')}"


def _in_one_scheme(url: str) -> str:
    """Redis servers are spoken to by Valkey's client as well: both protocols are one."""
    scheme, rest = url.split("://", 1)
    return f"{scheme.replace('rediss', 'valkeys').replace('redis', 'valkey')}://{rest}"


def _hidden(who: str) -> str:
    return hashlib.sha256(who.encode()).hexdigest()[:32]


def _take(windows: MovingWindowRateLimiter, items: Sequence[RateLimitItem], who: str) -> list[RateLimitItem]:
    full = [item for item in items if not windows.test(item, who)]
    if full:
        return full
    return [item for item in items if not windows.hit(item, who)]


def _stats(windows: MovingWindowRateLimiter, item: RateLimitItem, who: str) -> tuple[float, int]:
    reset, remaining = windows.get_window_stats(item, who)
    return reset, remaining
