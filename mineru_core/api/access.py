"""Who is calling the HTTP API: by a bearer token, or from the machine itself as long as there are no tokens."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network

import anyio
from anyio import CapacityLimiter, to_thread
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from mineru_core.api.errors import INSUFFICIENT_SCOPE, INVALID_TOKEN, error_response
from mineru_core.errors import TokenRequired, WorkbenchError
from mineru_core.jobs.storage import on_storage
from mineru_core.runtime.addresses import Address, is_loopback_name, parse_address
from mineru_core.settings import Settings
from mineru_core.store.database import Database
from mineru_core.store.tokens import Scope as TokenScope
from mineru_core.store.tokens import Token, TokenStore, recognise

LOCAL_OWNER = "local"
"""Whose jobs those of callers on this machine are, as long as there are no tokens."""

FRESH_S = 1.0
"""How long a token may go on working after it was revoked, seconds."""

CALLER_KEY = "workbench_caller"

_HOST = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+))(?::[0-9]*)?")
_FORWARDING = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip")
_MAKE_ONE = "Make one on the server: mineru-workbench token create NAME"

Network = IPv4Network | IPv6Network


@dataclass(frozen=True, slots=True)
class Caller:
    """Who makes a request. ``owner`` is whose its documents are; ``scopes`` are those of its token, none without."""

    owner: str
    scopes: frozenset[TokenScope] = frozenset()


class TokenBook:
    """The tokens of a home folder, read anew once a second at most: a request with a token costs no thread."""

    def __init__(self, settings: Settings) -> None:
        self._path = settings.database_path
        self._database: Database | None = None
        self._tokens: Mapping[str, Token] = {}
        self._read_at = float("-inf")
        self._reading = anyio.Lock()
        self._threads = CapacityLimiter(1)

    async def tokens(self) -> Mapping[str, Token]:
        """Tokens by id, revoked ones too. Raises ``StorageUnavailable``."""
        if not self._is_fresh():
            async with self._reading:
                if not self._is_fresh():
                    self._tokens = await to_thread.run_sync(self._read, limiter=self._threads)
                    self._read_at = time.monotonic()
        return self._tokens

    def close(self) -> None:
        """Close the database; it is opened again when it is needed."""
        database, self._database = self._database, None
        if database is not None:
            database.close()

    def _is_fresh(self) -> bool:
        return time.monotonic() - self._read_at < FRESH_S

    @on_storage
    def _read(self) -> Mapping[str, Token]:
        if self._database is None:
            self._database = Database(self._path)
        return {token.id: token for token in TokenStore(self._database).all()}


class Access:
    """Decides who a request is from."""

    def __init__(self, settings: Settings) -> None:
        self._trusted = settings.server.trusted_proxies
        self._book = TokenBook(settings)

    async def caller(self, scope: Scope) -> Caller:
        """Who asks for documents. Raises ``TokenRequired``.

        Once there is a token, callers on the machine need one, too: a proxy on the machine that tells nobody's address
        would else make everybody a caller on the machine.
        """
        tokens = await self._book.tokens()
        token = _token_of(scope, tokens)
        if token is not None:
            if TokenScope.DOCUMENTS not in token.scopes:
                raise _insufficient("This token is not good for documents.", TokenScope.DOCUMENTS)
            return Caller(f"token:{token.name}", token.scopes)
        if _are_any(tokens):
            raise TokenRequired("The HTTP API asks for a token.", "Send Authorization: Bearer TOKEN.", challenge="")
        if not is_local(scope, self._trusted):
            raise TokenRequired(
                "Without a token, the HTTP API answers only callers on its own machine.",
                f"Call from the machine itself, or send Authorization: Bearer TOKEN. {_MAKE_ONE}",
            )
        return Caller(LOCAL_OWNER)

    async def check_metrics(self, scope: Scope) -> None:
        """Return if the request may see the metrics, else raise ``TokenRequired``."""
        if is_local(scope, self._trusted):
            return
        tokens = await self._book.tokens()
        token = _token_of(scope, tokens)
        told = "The metrics are shown on the machine itself, or with a token that has the scope metrics."
        if token is None:
            raise TokenRequired(told, challenge="" if _are_any(tokens) else None)
        if TokenScope.METRICS not in token.scopes:
            raise _insufficient(told, TokenScope.METRICS)

    def close(self) -> None:
        """Let go of the database."""
        self._book.close()


class AccessControl:
    """Lets a request through with its ``Caller``, or refuses it before anything of its body is read."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app = app
        self.access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve or refuse one request."""
        if scope["type"] == "http":
            try:
                scope[CALLER_KEY] = await self.access.caller(scope)
            except WorkbenchError as error:
                await error_response(scope, error)(scope, receive, send)
                return
        await self.app(scope, receive, send)


def caller_of(scope: Scope) -> Caller:
    """Who makes a request that ``AccessControl`` has let through."""
    caller: Caller = scope[CALLER_KEY]
    return caller


def is_local(scope: Scope, trusted: Sequence[Network] = ()) -> bool:
    """Whether the request comes from this machine and not from somebody's web page.

    One that came through a proxy does only where the proxy is on this machine, is trusted, and names no address but
    those of this machine. A Host that is no loopback name, or an Origin that is another, was sent by a web page of
    somebody else.
    """
    headers = Headers(scope=scope)
    peer = _peer(scope)
    if peer is None or not peer.is_loopback or not all(a is not None and a.is_loopback for a in _hops(scope, trusted)):
        return False
    host = headers.get("host", "")
    return is_loopback_name(host_name(host)) and headers.get("origin") in (None, f"http://{host}", f"https://{host}")


def client_address(scope: Scope, trusted: Sequence[Network] = ()) -> str:
    """The address the request comes from, as far as it can be believed: behind trusted proxies the first that is none
    of them, else whoever connected; "" where that is not known."""
    peer = _peer(scope)
    hops = _hops(scope, trusted)
    if None not in hops:
        believed = [address for address in hops if address is not None]
        stranger = next((address for address in reversed(believed) if not _is_in(address, trusted)), None)
        peer = stranger or next(iter(believed), peer)
    return "" if peer is None else str(peer)


def host_name(host: str) -> str:
    """The name or address in a Host header, in small letters, without the port and an IPv6 address's brackets; "" for
    what is none."""
    match = _HOST.fullmatch(host)
    return (match[1] or match[2]).lower().rstrip(".") if match else ""


def _token_of(scope: Scope, tokens: Mapping[str, Token]) -> Token | None:
    """The live token a request carries; None where it carries none. Raises ``TokenRequired`` for a bad one."""
    scheme, _, given = Headers(scope=scope).get("authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        return None
    token = recognise(given.strip(), tokens)
    if token is None or not token.is_live(time.time()):
        raise TokenRequired("This token is not known, or no longer good.", _MAKE_ONE, challenge=INVALID_TOKEN)
    return token


def _are_any(tokens: Mapping[str, Token]) -> bool:
    """Whether there are tokens, those that have expired too: time alone opens nothing. Ephemeral ones do not count."""
    return any(token.closes_the_door for token in tokens.values())


def _insufficient(message: str, scope: TokenScope) -> TokenRequired:
    """The error of a good token that is not good for this."""
    return TokenRequired(message, _MAKE_ONE, challenge=f'{INSUFFICIENT_SCOPE}, scope="{scope.value}"')


def _peer(scope: Scope) -> Address | None:
    client = scope.get("client")
    return None if client is None else parse_address(client[0])


def _hops(scope: Scope, trusted: Sequence[Network]) -> list[Address | None]:
    """The addresses that proxies have named, the one closest to us last; None stands for what cannot be believed.

    X-Forwarded-For alone is believed, which proxies add to; other headers pass through them as the caller wrote them.
    """
    headers = Headers(scope=scope)
    named = [part for value in headers.getlist("x-forwarded-for") for part in value.split(",")]
    if not named:
        return [None] if any(name in headers for name in _FORWARDING) else []
    peer = _peer(scope)
    if peer is None or not _is_in(peer, trusted):
        return [None]
    return [parse_address(host_name(part.strip()) or part.strip()) for part in named]


def _is_in(address: Address, networks: Iterable[Network]) -> bool:
    return any(address in network for network in networks)
