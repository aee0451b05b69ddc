"""A request whose body does not come is given up: it would hold its connection, and what it has sent, for ever.

And bodies that all come at once take turns, a piece each: the event loop has other things to do between two pieces,
however many are uploading.
"""

from __future__ import annotations

import asyncio
import time

import anyio
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mineru_core.api.errors import UploadTooSlow

IDLE_S = 30.0
"""Seconds that may pass between two pieces of a body."""

GRACE_S = 60.0
LEAST_RATE = 1000.0
"""Bytes a second that a body has to come at, on average, once ``GRACE_S`` seconds have passed."""


class BodyPace:
    """Breaks off requests whose body stops or trickles, and lets no crowd of bodies keep the event loop to itself."""

    def __init__(self, app: ASGIApp, idle_s: float = IDLE_S, grace_s: float = GRACE_S) -> None:
        self.app = app
        self._idle_s, self._grace_s = idle_s, grace_s
        self._turn = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started, received, more = time.monotonic(), 0, True

        async def paced_receive() -> Message:
            nonlocal received, more
            if not more:
                return await receive()  # waits for the client to go away, for as long as that takes
            try:
                with anyio.fail_after(self._idle_s):
                    message = await receive()
            except TimeoutError:
                raise UploadTooSlow from None
            received += len(message.get("body", b""))
            more = message["type"] == "http.request" and message.get("more_body", False)
            late_s = time.monotonic() - started - self._grace_s
            if more and late_s > 0 and received < LEAST_RATE * late_s:
                raise UploadTooSlow
            if more:
                async with self._turn:
                    await asyncio.sleep(0)  # the loop turns once; whoever holds the piece works on it after that
            return message

        await self.app(scope, paced_receive, send)
