"""Who may call, and the cookie that says whose work it is."""

from __future__ import annotations

import re

import httpx
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mineru_core.api.middleware import OWNER_COOKIE, is_local, owner_of
from tests.api.conftest import Api
from tests.api.errors import assert_error


def scope(client: str | None = "127.0.0.1", **headers: str) -> dict[str, object]:
    sent = {"host": "127.0.0.1:8501", **{name.replace("_", "-"): value for name, value in headers.items()}}
    raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in sent.items()]
    return {"type": "http", "client": None if client is None else (client, 5000), "headers": raw}


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


@given(st.text(st.characters(max_codepoint=255, exclude_characters="\r\n\0")))
@example("[")  # an address that is none once raised ValueError
def test_no_header_breaks_the_checks(text: str) -> None:
    for name in ("host", "origin", "cookie"):
        is_local(scope(**{name: text}))
        owner_of(scope(**{name: text}))


@pytest.mark.parametrize(
    ("headers", "body"),
    [({"X-Forwarded-For": "127.0.0.1"}, b""), ({"Origin": "https://example.com"}, b"x" * 500_000)],
)
def test_the_api_refuses_others(api: Api, headers: dict[str, str], body: bytes) -> None:
    for path in ("/api/v1/document/parse", "/v1/document/parse", "/api/nothing"):
        assert_error(api.client.post(path, content=body, headers=headers), 403, "token-required")
    assert_error(api.client.get("/metrics", headers=headers), 403, "token-required")
    assert api.client.get("/livez", headers=headers).status_code == 200


@given(st.text(st.characters(codec="ascii"), max_size=60))
def test_only_a_cookie_of_ours_names_an_owner(value: str) -> None:
    owner = owner_of(scope(cookie=f"a=b; {OWNER_COOKIE}={value}".replace("\r", "").replace("\n", "")))
    assert owner is None or re.fullmatch(r"[A-Za-z0-9_-]{43}", owner)


@pytest.mark.parametrize("other", ['prefs={"dark":1}', "a=b c", "bad name=1", "path=/", "=", "", "lone", "x=[1,2]"])
def test_cookies_of_other_programs_on_the_host_hide_no_owner(other: str) -> None:
    owner = "A" * 43
    assert owner_of(scope(cookie=f"{other}; {OWNER_COOKIE}={owner}")) == owner
    assert owner_of(scope(cookie=f"{OWNER_COOKIE}={owner}; {other}")) == owner


def test_a_browser_gets_one_cookie_with_the_page(echo_server: str) -> None:
    page = {"Accept": "text/html,application/xhtml+xml"}
    with httpx.Client(base_url=echo_server) as browser:
        first = browser.get("/", headers=page)
        cookie = first.headers["set-cookie"]
        assert re.match(rf"{OWNER_COOKIE}=[A-Za-z0-9_-]{{43}};", cookie)
        assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(cookie.split("; "))
        assert "set-cookie" not in browser.get("/", headers=page).headers
    with httpx.Client(base_url=echo_server) as other:
        assert other.get("/", headers=page).headers["set-cookie"] != cookie
    assert "set-cookie" not in httpx.get(f"{echo_server}/livez").headers
    assert OWNER_COOKIE not in httpx.get(f"{echo_server}/_stcore/health").headers.get("set-cookie", "")
    forged = httpx.get(f"{echo_server}/", headers={**page, "Cookie": f"{OWNER_COOKIE}=mine"})
    assert OWNER_COOKIE in forged.headers["set-cookie"]
