"""The cookie that says whose work it is."""

from __future__ import annotations

import re

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from mineru_core.api.middleware import OWNER_COOKIE, NoErrorDialogs, owner_of
from tests.api.test_access import scope


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


def test_the_browser_app_opens_no_dialogs_of_its_own(echo_server: str) -> None:
    for headers in ({}, {"Accept-Encoding": "gzip"}):
        answer = httpx.get(f"{echo_server}/_stcore/host-config", headers=headers)
        assert answer.json()["blockErrorDialogs"] is True
        assert "metricsUrl" in answer.json()  # the rest is Streamlit's own


@pytest.mark.parametrize(("status", "body"), [(200, b"no settings"), (200, b"[]"), (404, b"{}")])
def test_what_is_no_settings_of_the_browser_app_stays_as_it_is(status: int, body: bytes) -> None:
    async def other(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": body[:1], "more_body": True})
        await send({"type": "http.response.body", "body": body[1:]})

    answer = TestClient(NoErrorDialogs(other)).get("/below/_stcore/host-config")
    assert (answer.status_code, answer.content) == (status, body)
