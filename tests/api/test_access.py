"""Who may call the HTTP API."""

from __future__ import annotations

from ipaddress import ip_network
from pathlib import Path

import httpx
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mineru_core.api import access as module
from mineru_core.api.access import client_address, host_name, is_local
from mineru_core.api.middleware import owner_of
from mineru_core.store.database import Database
from mineru_core.store.tokens import Scope, TokenStore
from tests.api.conftest import Api, StartApi
from tests.api.errors import assert_error
from tests.documents import draw_lines, png_bytes

PARSE = "/api/v1/document/parse"
PROXIES = (ip_network("127.0.0.1"), ip_network("10.0.0.0/8"))


def scope(client: str | None = "127.0.0.1", **headers: str) -> dict[str, object]:
    sent = {"host": "127.0.0.1:8501", **{name.replace("_", "-"): value for name, value in headers.items()}}
    raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in sent.items()]
    return {"type": "http", "client": None if client is None else (client, 5000), "headers": raw}


def make_token(home: Path, name: str = "ci", *scopes: Scope, keep_s: float | None = None) -> dict[str, str]:
    """The header that carries a new token."""
    database = Database(home / "state.db")
    text, _ = TokenStore(database).create(name, scopes or (Scope.DOCUMENTS,), keep_s)
    database.close()
    return {"Authorization": f"Bearer {text}"}


def revoke(home: Path, name: str) -> None:
    database = Database(home / "state.db")
    TokenStore(database).revoke(name)
    database.close()


def post(api: Api, **headers: str) -> httpx.Response:
    files = {"file": ("a.png", png_bytes(draw_lines(["a"])))}
    return api.client.post(PARSE, files=files, headers={k.replace("_", "-"): v for k, v in headers.items()})


@pytest.mark.parametrize(
    "request_scope",
    [
        scope(),
        scope("127.9.9.9"),
        scope("::1", host="[::1]:8501"),
        scope("::ffff:127.0.0.1"),
        scope(host="localhost"),
        scope(host="localhost:8501", origin="http://localhost:8501"),
    ],
)
def test_callers_on_the_machine_are_local(request_scope: dict[str, object]) -> None:
    assert is_local(request_scope)
    assert is_local(request_scope, PROXIES)


@pytest.mark.parametrize(
    "request_scope",
    [
        scope(None),
        scope("10.0.0.7"),
        scope("::ffff:10.0.0.7"),
        scope("testclient"),
        scope(x_forwarded_for="127.0.0.1"),
        scope(forwarded="for=127.0.0.1"),
        scope(x_real_ip="127.0.0.1"),
        scope(host="workbench.example"),
        scope(host=""),
        scope(host="127.0.0.1.example"),
        scope(origin="https://example.com"),
        scope(origin="null"),
        scope(origin="http://127.0.0.1:9999"),
    ],
)
def test_others_are_not(request_scope: dict[str, object]) -> None:
    assert not is_local(request_scope)


@pytest.mark.parametrize(
    ("request_scope", "local", "address"),
    [
        (scope(x_forwarded_for="127.0.0.1"), True, "127.0.0.1"),
        (scope(x_forwarded_for="203.0.113.9"), False, "203.0.113.9"),
        (scope(x_forwarded_for="127.0.0.1, 203.0.113.9"), False, "203.0.113.9"),  # what the caller wrote comes first
        (scope(x_forwarded_for="203.0.113.9, 127.0.0.1"), False, "203.0.113.9"),
        (scope(x_forwarded_for="127.0.0.1, 10.0.0.9"), False, "127.0.0.1"),  # the loopback of another machine
        (scope("10.0.0.7", x_forwarded_for="127.0.0.1"), False, "127.0.0.1"),
        (scope("10.0.0.7", x_forwarded_for="203.0.113.9:4711"), False, "203.0.113.9"),
        (scope("10.0.0.7", x_forwarded_for="[2001:db8::1]:4711"), False, "2001:db8::1"),
        (scope("10.0.0.7", x_forwarded_for="unknown"), False, "10.0.0.7"),
        (scope(x_forwarded_for=""), False, "127.0.0.1"),
        (scope(forwarded="for=127.0.0.1"), False, "127.0.0.1"),
        (scope("192.0.2.1", x_forwarded_for="127.0.0.1"), False, "192.0.2.1"),  # not listed: not believed
        (scope(None, x_forwarded_for="127.0.0.1"), False, ""),
    ],
)
def test_only_what_listed_proxies_say_is_believed(request_scope: dict[str, object], local: bool, address: str) -> None:
    assert is_local(request_scope, PROXIES) is local
    assert client_address(request_scope, PROXIES) == address


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("LocalHost:80", "localhost"),
        ("example.com.", "example.com"),
        ("[::1]:8501", "::1"),
        ("my_box:1", "my_box"),
        ("", ""),
        ("a b", ""),
        ("a:b", ""),
        ("a@b", ""),
        ("[::1", ""),
        ("http://a", ""),
    ],
)
def test_the_name_in_a_host_header(host: str, name: str) -> None:
    assert host_name(host) == name


@given(st.text(st.characters(max_codepoint=255, exclude_characters="\r\n\0")))
@example("[")  # an address that is none once raised ValueError
def test_no_header_breaks_the_checks(text: str) -> None:
    for name in ("host", "origin", "cookie", "x_forwarded_for", "forwarded"):
        is_local(scope(**{name: text}), PROXIES)
        client_address(scope(**{name: text}), PROXIES)
        owner_of(scope(**{name: text}))


def assert_challenge(answer: httpx.Response, status: int, challenge: str) -> None:
    """A token is asked for as RFC 6750 says."""
    assert_error(answer, status, "token-required")
    assert answer.headers["www-authenticate"] == challenge


@pytest.mark.parametrize(
    ("headers", "body"),
    [({"X-Forwarded-For": "127.0.0.1"}, b""), ({"Origin": "https://example.com"}, b"x" * 500_000)],
)
def test_the_api_refuses_others(api: Api, headers: dict[str, str], body: bytes) -> None:
    for path in (PARSE, "/v1/document/parse", "/api/nothing"):
        answer = api.client.post(path, content=body, headers=headers)
        assert_error(answer, 403, "token-required")
        assert "www-authenticate" not in answer.headers  # there is no token that could be sent
    assert_error(api.client.get("/metrics", headers=headers), 403, "token-required")
    assert api.client.get("/livez", headers=headers).status_code == 200


def test_a_token_opens_the_api_from_elsewhere(start_api: StartApi, home: Path) -> None:
    bearer = make_token(home)
    with start_api() as api:
        assert post(api, **bearer, X_Forwarded_For="203.0.113.9").status_code == 200
        assert [job.source for job in api.service.list("token:ci")] == ["a.png"]
        assert post(api, Authorization=bearer["Authorization"].replace("Bearer", "bearer")).status_code == 200


def test_once_there_is_a_token_everybody_needs_one(start_api: StartApi, home: Path) -> None:
    make_token(home)
    with start_api() as api:
        assert_challenge(post(api), 401, "Bearer")
        assert_challenge(api.client.get("/metrics", headers={"X-Real-IP": "203.0.113.9"}), 401, "Bearer")
        assert api.client.get("/metrics").status_code == 200
        assert api.client.get("/readyz").status_code == 200


@pytest.mark.parametrize("given", ["x", "mwb_0123456789ab_" + "A" * 43, "x" * 5000, "\xe9", "mwb_"])
def test_a_token_that_is_not_known_is_refused(api: Api, given: str) -> None:
    headers = {b"Authorization": f"Bearer {given}".encode("latin-1")}
    for path in ("/api/v1/tasks/x", "/metrics"):
        answer = api.client.get(path, headers=[*headers.items(), (b"X-Forwarded-For", b"203.0.113.9")])
        assert_challenge(answer, 401, 'Bearer error="invalid_token"')


def test_other_ways_to_authorise_are_left_to_proxies(api: Api) -> None:
    headers = {"Authorization": "Basic dXNlcjpwYXNzd29yZA=="}
    assert_error(api.client.get("/api/v1/tasks/x", headers=headers), 404, "not-found")


def test_a_token_ends_with_its_time_or_with_its_revocation(
    start_api: StartApi, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FRESH_S", 0.0)
    over, good = make_token(home, "over", keep_s=0.0), make_token(home, "good")
    with start_api() as api:
        assert_challenge(post(api, **over), 401, 'Bearer error="invalid_token"')
        assert post(api, **good).status_code == 200
        revoke(home, "good")
        assert_challenge(post(api, **good), 401, 'Bearer error="invalid_token"')
        assert_challenge(post(api), 401, "Bearer")  # one that has expired still says that tokens are wanted
        revoke(home, "over")
        assert post(api).status_code == 200


def test_a_token_without_the_scope_is_refused(start_api: StartApi, home: Path) -> None:
    watcher, reader = make_token(home, "watcher", Scope.METRICS), make_token(home, "reader")
    elsewhere = {"X-Forwarded-For": "203.0.113.9"}
    with start_api() as api:
        assert_challenge(post(api, **watcher), 403, 'Bearer error="insufficient_scope", scope="documents"')
        assert api.client.get("/metrics", headers={**watcher, **elsewhere}).status_code == 200
        refused = api.client.get("/metrics", headers={**reader, **elsewhere})
        assert_challenge(refused, 403, 'Bearer error="insufficient_scope", scope="metrics"')


def test_nobody_sees_what_belongs_to_another_token(start_api: StartApi, home: Path) -> None:
    first, second, rotated = make_token(home, "a"), make_token(home, "b"), make_token(home, "a")
    files = {"file": ("a.png", png_bytes(draw_lines(["a"])))}
    with start_api() as api:
        task = api.client.post(PARSE, files=files, data={"async": "true"}, headers=first).headers["location"]
        assert api.client.get(task, headers=rotated).status_code == 200
        for method in ("GET", "DELETE"):
            assert_error(api.client.request(method, task, headers=second), 404, "not-found")


def test_a_storage_that_fails_lets_nobody_in(start_api: StartApi, monkeypatch: pytest.MonkeyPatch) -> None:
    with start_api() as api:

        def fail(_: object) -> None:
            raise OSError("disk gone")

        monkeypatch.setattr(module.TokenStore, "all", fail)
        monkeypatch.setattr(module, "FRESH_S", 0.0)
        assert_error(api.client.get("/api/v1/tasks/x"), 503, "storage-unavailable")


def test_scripts_of_other_pages_are_let_in_only_where_they_are_named(start_api: StartApi, home: Path) -> None:
    preflight = {
        "Origin": "https://app.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization",
    }
    bearer = make_token(home)
    with start_api() as api:
        closed = [api.client.options(PARSE, headers=preflight), post(api, **bearer, Origin="https://app.example")]
    with start_api(server={"cors_origins": ["https://app.example"]}) as api:
        asked = api.client.options(PARSE, headers=preflight)
        answer = post(api, **bearer, Origin="https://app.example")
        other = post(api, **bearer, Origin="https://other.example")
    assert not [a for a in [*closed, other] if "access-control-allow-origin" in a.headers]
    for allowed in (asked, answer):
        assert allowed.status_code == 200
        assert allowed.headers["access-control-allow-origin"] == "https://app.example"
    assert "X-Request-ID" in answer.headers["access-control-expose-headers"]
