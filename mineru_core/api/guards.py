"""What keeps other people's web pages out: names the server answers to, origins of web sockets, security headers."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mineru_core.api.access import host_name
from mineru_core.api.errors import NO_SUCH_PATH, error_response
from mineru_core.errors import InvalidRequest
from mineru_core.runtime.addresses import parse_address

MISDIRECTED = 421
POLICY_VIOLATION = 1008
PROBES = frozenset({"/livez", "/readyz"})
"""Paths that answer under any name: whoever asks for them by an address of the pod or of a balancer learns nothing."""

NEAR = (".local", ".lan", ".home.arpa", ".localhost")
"""Ends of names that only the network at hand resolves, so no page on the internet can make its own name one."""

ANY = "*"

PAGE_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    "Referrer-Policy": "same-origin",  # addresses hold ids of jobs
    "Cross-Origin-Resource-Policy": "same-origin",
    # Scripts and styles are not named here: Streamlit's own are inline.
    "Content-Security-Policy": "frame-ancestors 'self'; base-uri 'self'; object-src 'none'; form-action 'self'",
}
API_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}


class AllowedHosts:
    """Answers only under names of the server's own.

    A page of somebody else can point its own name at this server's address (DNS rebinding); its requests, and its web
    sockets, then pass for the server's own pages in a browser, but their Host is that name. Addresses and names that
    only the network at hand resolves cannot be pointed there; others are in ``allowed``, see ``server.allowed_hosts``.
    A web socket opened by a page under another name than the one it asks for is refused as well: browsers let any page
    open one.
    """

    def __init__(self, app: ASGIApp, allowed: Sequence[str]) -> None:
        self.app = app
        self._allowed = tuple(name.lower().rstrip(".") for name in allowed)
        self._own = socket.gethostname().lower()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve or refuse one request or web socket."""
        kind = scope["type"]
        if kind == "http" and not self._answers_to(host_name(_header(scope, "host"))) and scope["path"] not in PROBES:
            await self._refuse(scope, receive, send)
        elif kind == "websocket" and not self._may_open(scope):
            await send({"type": "websocket.close", "code": POLICY_VIOLATION})
        else:
            await self.app(scope, receive, send)

    def _answers_to(self, name: str) -> bool:
        if ANY in self._allowed:
            return True
        if not name:
            return False
        near = "." not in name or name.endswith(NEAR) or name == self._own
        return near or parse_address(name) is not None or self._is_named(name)

    def _is_named(self, name: str) -> bool:
        return any(
            name == one or (one.startswith("*.") and name.endswith(one[1:]) and name != one[1:])
            for one in self._allowed
        )

    def _may_open(self, scope: Scope) -> bool:
        host, origin = host_name(_header(scope, "host")), _header(scope, "origin")
        if not self._answers_to(host):
            return False
        # Names alone are compared: a proxy may listen on another port and leave it out of the Host it hands on. One
        # that hands on another name than the browser's needs the browser's among the allowed.
        from_page = _origin_name(origin)
        return (
            not origin or from_page == host or (bool(from_page) and (ANY in self._allowed or self._is_named(from_page)))
        )

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        name = host_name(_header(scope, "host"))[:100]
        error = InvalidRequest(
            f"This server does not answer to the name {name!r}.",
            "Use its address, or have its operator add the name to server.allowed_hosts.",
        )
        await error_response(scope, error, status=MISDIRECTED)(scope, receive, send)


class SoundPaths:
    """Answers paths of the API that hold what no path of it does, in the API's own shape.

    Streamlit refuses them after this, and before any route, with a text that is none of the API's.
    """

    def __init__(self, app: ASGIApp, prefixes: Sequence[str]) -> None:
        self.app = app
        self._prefixes = tuple(prefixes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve or refuse one request."""
        if scope["type"] == "http" and scope["path"].startswith(self._prefixes) and not _is_sound(scope["path"]):
            await error_response(scope, NO_SUCH_PATH)(scope, receive, send)
            return
        await self.app(scope, receive, send)


class SecurityHeaders:
    """Adds headers that tell browsers what must not be done with an answer; a route's own win."""

    def __init__(self, app: ASGIApp, api_prefixes: Sequence[str]) -> None:
        self.app = app
        self._api = tuple(api_prefixes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        added = API_HEADERS if scope["path"].startswith(self._api) else PAGE_HEADERS

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in added.items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, send_with_headers)


def _is_sound(path: str) -> bool:
    return "\0" not in path and ".." not in path.replace("\\", "/").split("/")


def _header(scope: Scope, name: str) -> str:
    return Headers(scope=scope).get(name, "")


def _origin_name(origin: str) -> str:
    """The host's name in an Origin header; "" for none, such as "null"."""
    try:
        parts = urlsplit(origin)
        return (parts.hostname or "").rstrip(".") if parts.scheme in {"http", "https"} else ""
    except ValueError:
        return ""
