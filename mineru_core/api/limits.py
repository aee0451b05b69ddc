"""How many documents a caller may hand in, and the refusal of those beyond it before their bytes are read."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import anyio
import anyio.to_thread
from limits import RateLimitItem, RateLimitItemPerMinute
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mineru_core.api.access import LOCAL_OWNER, Caller, caller_of
from mineru_core.api.backend import Backend
from mineru_core.api.errors import error_response
from mineru_core.api.middleware import drain
from mineru_core.api.rate_windows import OwnWindows, SharedWindows, Windows
from mineru_core.errors import RateLimited, WorkbenchError
from mineru_core.runtime.circuit_breaker import BreakerState
from mineru_core.settings import RateSettings
from mineru_core.store.tokens import Scope as TokenScope

LONG_MINUTES = 5
"""Minutes over which the rate is an average."""

THREADS = 8
"""Threads that may wait for a shared storage at once: of their own, as others may be busy with documents."""

STORAGE = "rate-storage"
"""What the shared storage is called in the metrics."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a caller has used up what it may: the ``limit`` it is closest to, how many documents are left of it, and
    in how many seconds there are more; ``policy`` names every limit."""

    limit: int
    remaining: int
    reset_s: float
    policy: str

    def headers(self) -> dict[str, str]:
        """The same as headers of an answer."""
        return {
            "RateLimit-Limit": str(self.limit),
            "RateLimit-Remaining": str(max(0, self.remaining)),
            "RateLimit-Reset": str(max(0, math.ceil(self.reset_s))),
            "RateLimit-Policy": self.policy,
        }


class SubmissionLimiter:
    """Counts submissions by whom they are from: in the memory of this process, or in the settings' shared storage.

    Two windows move along: ``burst`` in any minute, and ``per_minute`` on average over ``LONG_MINUTES``. Safe to use
    from several threads. ``on_change`` is told whether the shared storage is used.
    """

    def __init__(self, settings: RateSettings, on_change: Callable[[BreakerState], None] | None = None) -> None:
        url = settings.storage_url
        self._windows: Windows = OwnWindows() if url is None else SharedWindows(url.get_secret_value(), on_change)
        self._items: list[RateLimitItem] = []
        if settings.per_minute:
            self._items.append(RateLimitItemPerMinute(settings.burst))
            self._items.append(RateLimitItemPerMinute(LONG_MINUTES * settings.per_minute, LONG_MINUTES))
        self._policy = ", ".join(f"{item.amount};w={item.get_expiry()}" for item in self._items)

    @property
    def is_shared(self) -> bool:
        """Whether counting takes the way to a storage that others share; not for an event loop to wait for."""
        return self._windows.is_shared

    def take(self, who: str) -> None:
        """Count a submission, or raise ``RateLimited`` and count nothing."""
        full = self._windows.take(self._items, who)
        if full:
            raise RateLimited(
                f"More documents were handed in than may be in a while ({self._policy.replace(';w=', ' in ')} s).",
                "Wait for as long as Retry-After says, or ask for a token without this limit.",
                retry_after_s=max(self._standing(item, who).reset_s for item in full),
            )

    def standing(self, who: str) -> Standing | None:
        """Where the caller stands now; None where nothing is limited."""
        standings = [self._standing(item, who) for item in self._items]
        return min(standings, key=lambda standing: standing.remaining, default=None)

    def _standing(self, item: RateLimitItem, who: str) -> Standing:
        reset, remaining = self._windows.stats(item, who)
        return Standing(item.amount, remaining, max(0.0, reset - time.time()), self._policy)


class Submissions:
    """Refuses a document that would be refused anyhow, for want of a place or for the rate, before its bytes are read.

    ``paths`` are the ends of the paths that documents are posted to. Runs behind ``AccessControl``.
    """

    def __init__(self, app: ASGIApp, backend: Backend, paths: Sequence[str]) -> None:
        self.app = app
        self._backend = backend
        self._paths = tuple(paths)
        told = partial(backend.service.analyzer.metrics.set_breaker, STORAGE)
        self._limiter = SubmissionLimiter(backend.settings.rate, told)
        self._threads = anyio.CapacityLimiter(THREADS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve or refuse one request."""
        if scope["type"] != "http" or scope["method"] != "POST" or not scope["path"].endswith(self._paths):
            await self.app(scope, receive, send)
            return
        caller = caller_of(scope)
        limited = self._is_limited(caller)
        try:
            self._backend.service.refuse_if_full(caller.owner)  # before it counts as one that was handed in
            if limited:
                await self._counted(partial(self._limiter.take, caller.owner))
        except WorkbenchError as error:
            await self._refuse(error, await self._headers(caller, limited), scope, receive, send)
            return
        headers = await self._headers(caller, limited)

        async def send_with_standing(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(headers)
            await send(message)

        await self.app(scope, receive, send_with_standing)

    def _is_limited(self, caller: Caller) -> bool:
        if TokenScope.EXEMPT in caller.scopes:
            return False
        # Whoever is at the machine could switch the limit off, and shares it with nobody who asks by HTTP.
        return caller.owner != LOCAL_OWNER or self._backend.settings.rate.local

    async def _counted(self, ask: Callable[[], _T]) -> _T:
        """What the limiter says, without the event loop's waiting for a storage elsewhere."""
        return await anyio.to_thread.run_sync(ask, limiter=self._threads) if self._limiter.is_shared else ask()

    async def _headers(self, caller: Caller, limited: bool) -> dict[str, str]:
        standing = await self._counted(partial(self._limiter.standing, caller.owner)) if limited else None
        return {} if standing is None else standing.headers()

    async def _refuse(
        self, error: WorkbenchError, headers: dict[str, str], scope: Scope, receive: Receive, send: Send
    ) -> None:
        if isinstance(error, RateLimited):
            self._backend.service.analyzer.metrics.refused("rate")

        async def send_then_drain(message: Message) -> None:
            if message["type"] != "http.response.body":
                await send(message)
                return
            # The answer goes out at once, for those who look up while they send; the connection ends only after what
            # others are still sending has been taken, or they would never see it.
            await send({**message, "more_body": True})
            if "100-continue" not in Headers(scope=scope).get("expect", ""):
                await drain(receive)
            await send({"type": "http.response.body", "body": b"", "more_body": False})

        answer = error_response(scope, error, headers={**headers, "Connection": "close"})
        await answer(scope, receive, send_then_drain)
