"""Names the server answers to, origins of web sockets, security headers."""

from __future__ import annotations

import socket

import anyio
import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Message
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from mineru_core.api.guards import API_HEADERS, PAGE_HEADERS, AllowedHosts, SecurityHeaders
from tests.api.conftest import Api, StartApi
from tests.api.errors import assert_error

OURS = ("docs.example.com", "*.team.example")


def answer_under(
    host: str, *, kind: str = "http", origin: str | None = None, path: str = "/", allowed: tuple[str, ...] = OURS
) -> int | str:
    """What becomes of a request or web socket: a status, or what the application or the guard did."""
    sent: list[Message] = []

    async def app(_scope: object, _receive: object, send: object) -> None:
        await send({"type": "reached"})  # type: ignore[operator]

    async def run() -> None:
        async def send(message: Message) -> None:
            sent.append(message)

        async def receive() -> Message:
            return {"type": "http.disconnect"}

        headers = [(b"host", host.encode("latin-1"))]
        headers += [] if origin is None else [(b"origin", origin.encode("latin-1"))]
        scope = {"type": kind, "method": "GET", "path": path, "headers": headers}
        await AllowedHosts(app, allowed)(scope, receive, send)

    anyio.run(run)
    return sent[0].get("status", sent[0]["type"])


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1:8501",
        "192.168.1.20:8501",
        "[2001:db8::1]:8501",
        "localhost",
        "workbench",
        "my_box:8501",
        "scanner.local",
        "nas.lan:80",
        f"{socket.gethostname()}:8501",
        "docs.example.com",
        "DOCS.example.com.:443",
        "a.team.example",
        "a.b.team.example",
    ],
)
def test_addresses_near_names_and_the_allowed_are_answered(host: str) -> None:
    assert answer_under(host) == "reached"
    assert answer_under(host, kind="websocket") == "reached"
    assert answer_under(host, kind="websocket", origin=f"http://{host}") == "reached"


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "team.example",
        "docs.example.com.evil.example",
        "127.0.0.1.evil.example",
        "",
        "a b",
        "evil.localx",
    ],
)
def test_names_of_others_are_not(host: str) -> None:
    assert answer_under(host) == 421
    assert answer_under(host, kind="websocket") == "websocket.close"
    assert answer_under(host, path="/livez") == "reached"
    assert answer_under(host, allowed=("*",)) == "reached"


@pytest.mark.parametrize(
    ("origin", "outcome"),
    [
        ("http://127.0.0.1:8501", "reached"),
        ("https://127.0.0.1", "reached"),
        ("https://docs.example.com", "reached"),  # a proxy handed on its own name for us
        ("https://evil.example", "websocket.close"),
        ("http://localhost:8501", "websocket.close"),
        ("null", "websocket.close"),
        ("file://127.0.0.1", "websocket.close"),
        ("http://[", "websocket.close"),
    ],
)
def test_a_page_opens_web_sockets_under_its_own_name_alone(origin: str, outcome: str) -> None:
    assert answer_under("127.0.0.1:8501", kind="websocket", origin=origin) == outcome


def test_a_foreign_name_gets_the_one_shape(api: Api, start_api: StartApi) -> None:
    foreign = {"Host": "evil.example"}
    for path in ("/api/v1/tasks/x", "/metrics", "/nothing"):
        body = assert_error(api.client.get(path, headers=foreign), 421, "invalid-request")
        assert "server.allowed_hosts" in str(body["hint"])
    assert api.client.get("/livez", headers=foreign).status_code == 200
    with start_api(server={"allowed_hosts": ["evil.example"]}) as other:
        assert_error(other.client.get("/api/v1/tasks/x", headers=foreign), 403, "token-required")


@pytest.mark.parametrize("path", ["/api/v1/tasks/%00", "/api/%00", "/v1/document/parse%00", "/ui/pages/%00/1"])
def test_paths_that_streamlit_refuses_are_answered_in_the_one_shape(api: Api, echo_server: str, path: str) -> None:
    for url in (str(api.client.base_url), echo_server):
        for odd in (path, path.replace("%00", "..%2f.."), path.replace("%00", "%5c..%5cx")):
            assert_error(httpx.get(url + odd), 404, "not-found")


def test_the_browser_apps_socket_is_kept_from_other_pages(echo_server: str) -> None:
    socket_url = echo_server.replace("http", "ws") + "/_stcore/stream"
    page = {"Accept": "text/html"}
    assert_error(httpx.get(echo_server, headers={**page, "Host": "evil.example"}), 421, "invalid-request")
    with connect(socket_url, origin=echo_server) as opened:  # type: ignore[arg-type]
        assert opened.protocol.state.name == "OPEN"
    with pytest.raises(InvalidStatus) as refused, connect(socket_url, origin="https://evil.example"):  # type: ignore[arg-type]
        pass
    assert refused.value.response.status_code == 403


def test_every_answer_has_its_security_headers(api: Api, echo_server: str) -> None:
    for path in ("/api/nothing", "/v1/document/parse", "/api/openapi.json"):
        sent = api.client.get(path).headers
        assert {name: sent[name] for name in API_HEADERS} == API_HEADERS
    for url in (echo_server, f"{echo_server}/livez"):
        sent = httpx.get(url).headers
        assert {name: sent[name] for name in PAGE_HEADERS} == PAGE_HEADERS


def test_a_routes_own_header_stays() -> None:
    def kept(_request: object) -> Response:
        return PlainTextResponse("x", headers={"Referrer-Policy": "origin"})

    async def fetch() -> httpx.Response:
        app = SecurityHeaders(Starlette(routes=[Route("/api/x", kept)]), ("/api/",))
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://a") as client:
            return await client.get("/api/x")

    assert anyio.run(fetch).headers.get_list("referrer-policy") == ["origin"]
