"""ASGI middleware: a request id, how many bytes may come, and the cookie that says whose work it is."""

from __future__ import annotations

import json
import re
import secrets
import uuid

import anyio
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mineru_core.api.errors import REQUEST_ID_KEY, UploadTooLarge, refused_upload, too_large
from mineru_core.errors import InvalidRequest
from mineru_core.runtime.logging import bound_request

OWNER_COOKIE = "workbench_owner"
OWNER_COOKIE_SECONDS = 365 * 24 * 3600
FORM_ALLOWANCE = 64 * 1024
"""Bytes of a multipart body beside the file: boundaries, headers, words."""

TWO_LENGTHS = "The body has a length and comes in chunks, too."
"""Where a proxy believes the one and the server the other, the rest of the body is taken for another request."""

DRAIN_BYTES = 8 * 1024 * 1024
"""Bytes of a refused upload that are still taken, so that a client in the middle of sending sees the answer."""
DRAIN_SECONDS = 5.0

HOST_CONFIG = "/_stcore/host-config"
"""Where the browser app asks how it is to behave; below any base path."""

_OWNER = re.compile(r"[A-Za-z0-9_-]{43}")  # 32 random bytes, urlsafe base64
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")


class RequestId:
    """Takes X-Request-ID from the caller or makes one; the answer and the logs carry it."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or REQUEST_ID_KEY in scope:
            await self.app(scope, receive, send)
            return
        given = Headers(scope=scope).get("x-request-id", "")
        request_id = given if _REQUEST_ID.fullmatch(given) else uuid.uuid4().hex
        scope[REQUEST_ID_KEY] = request_id

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["X-Request-ID"] = request_id
            await send(message)

        with bound_request(request_id):
            await self.app(scope, receive, send_with_id)


class BodyLimit:
    """Counts a request's bytes as they come and refuses those above the limit before reading them all.

    ``two_files`` is the end of a path that takes two files; they may have twice the bytes together.
    """

    def __init__(self, app: ASGIApp, max_file_bytes: int, two_files: str | None = None) -> None:
        self.app = app
        self.max_file_bytes = max_file_bytes
        self._two_files = two_files

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; a declared length above the limit is refused at once."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if "transfer-encoding" in headers and "content-length" in headers:
            await refused_upload(scope, InvalidRequest(TWO_LENGTHS, "Send one of the two."), 400)(scope, receive, send)
            return
        files = 2 if self._two_files is not None and scope["path"].endswith(self._two_files) else 1
        most = files * self.max_file_bytes + FORM_ALLOWANCE
        declared = headers.get("content-length", "")
        if declared.isdecimal() and int(declared) > most:
            await self._refuse(scope, receive, send)
            return
        received = 0

        async def counted_receive() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > most:
                await drain(receive)
                raise UploadTooLarge(self.max_file_bytes)
            return message

        await self.app(scope, counted_receive, send)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        # A client that asked first (Expect: 100-continue) is waiting for leave to send: there is nothing to take.
        if "100-continue" not in Headers(scope=scope).get("expect", ""):
            await drain(receive)
        await refused_upload(scope, too_large(self.max_file_bytes))(scope, receive, send)


class OwnerCookie:
    """Gives each browser a random cookie that only the server can read: history and jobs belong to it.

    Set with pages only, not with each of a page's many files, so that one visit gets one cookie.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, with a new cookie where a page is asked for without one."""
        if scope["type"] != "http" or owner_of(scope) is not None or not _asks_for_page(scope):
            await self.app(scope, receive, send)
            return
        cookie = f"{OWNER_COOKIE}={secrets.token_urlsafe(32)}; Max-Age={OWNER_COOKIE_SECONDS}"
        cookie += "; Path=/; HttpOnly; SameSite=Lax"
        if scope.get("scheme") == "https":
            cookie += "; Secure"

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).append("Set-Cookie", cookie)
            await send(message)

        await self.app(scope, receive, send_with_cookie)


class NoErrorDialogs:
    """Tells the browser app not to open dialogs of its own for errors: they are English, speak to developers and keep
    the reader from the page. A lost connection is said by the page itself (``ui/components/connection.py``)."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; an answer that is not the host's settings stays as it is."""
        if scope["type"] != "http" or not scope["path"].endswith(HOST_CONFIG):
            await self.app(scope, receive, send)
            return
        plain = [(name, value) for name, value in scope["headers"] if name != b"accept-encoding"]
        start: Message = {}
        body = bytearray()

        async def collect(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = message
                return
            body.extend(message.get("body", b""))
            if message.get("more_body", False):
                return
            answer = _without_dialogs(bytes(body)) if start["status"] == 200 else bytes(body)
            MutableHeaders(scope=start)["Content-Length"] = str(len(answer))
            await send(start)
            await send({"type": "http.response.body", "body": answer})

        await self.app({**scope, "headers": plain}, receive, collect)


def _without_dialogs(settings: bytes) -> bytes:
    try:
        found = json.loads(settings)
    except ValueError:
        return settings
    return json.dumps({**found, "blockErrorDialogs": True}).encode() if isinstance(found, dict) else settings


def owner_of(scope: Scope) -> str | None:
    """The owner named by the request's cookie; None where there is none or it is not one of ours."""
    # Cookies are shared by every port of a host, and the standard library's parser gives up at the first one of
    # another program that it does not like: the owner would be somebody new at each visit.
    value = cookie_parser(Headers(scope=scope).get("cookie", "")).get(OWNER_COOKIE, "")
    return value if _OWNER.fullmatch(value) else None


async def drain(receive: Receive) -> None:
    """Take and forget what the client is still sending, up to ``DRAIN_BYTES`` and ``DRAIN_SECONDS``."""
    taken = 0
    with anyio.move_on_after(DRAIN_SECONDS):
        while taken < DRAIN_BYTES:
            message = await receive()
            taken += len(message.get("body", b""))
            if message["type"] != "http.request" or not message.get("more_body", False):
                return


def _asks_for_page(scope: Scope) -> bool:
    return scope["method"] == "GET" and "text/html" in Headers(scope=scope).get("accept", "")
