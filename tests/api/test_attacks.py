"""Headers, paths and file names as an attacker would write them."""

from __future__ import annotations

import socket
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.export.result import DocumentResult
from tests.api.conftest import Api
from tests.api.errors import assert_error
from tests.documents import draw_lines, png_bytes

PARSE = "/api/v1/document/parse"
PICTURE = png_bytes(draw_lines(["a"]))


def raw(api: Api, request: bytes) -> bytes:
    """What comes back to these very bytes."""
    with socket.create_connection((api.client.base_url.host, api.client.base_url.port or 80), timeout=20.0) as line:
        line.sendall(request)
        line.shutdown(socket.SHUT_WR)
        found = b""
        while piece := line.recv(65536):
            found += piece
    return found


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("..\\..\\windows\\win.ini", "win.ini"),
        ("/etc/passwd", "passwd"),
        ("C:\\a.png", "a.png"),
        ("a\r\nX-Evil: 1.png", None),
        ("a\0b.png", None),
        ("\u202egnp.exe", "gnp.exe"),
        ("<script>alert(1)</script>.png", "script>.png"),
        ("发票.png", "发票.png"),
        ("x" * 1000 + ".png", None),
        (".", "."),
        ("=cmd|'/c calc'!A1.png", None),
    ],
)
def test_a_files_name_is_a_name_and_nothing_else(api: Api, given: str, kept: str | None) -> None:
    answer = api.client.post(PARSE, files={"file": (given, PICTURE)})
    assert answer.status_code == 200
    assert "x-evil" not in answer.headers
    source = DocumentResult.model_validate_json(answer.content).source
    assert source.isprintable()
    assert "/" not in source
    assert "\\" not in source
    assert 0 < len(source) <= 255
    if kept is not None:
        assert source == kept


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/tasks/../../etc/passwd",
        "/api/v1/tasks/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "/api/v1/tasks/..%2f..%2fstate.db",
        "/api/v1/tasks/%00",
        "/api/v1/tasks/a%0d%0aX-Evil:%201",
        "/api/v1/tasks/" + "a" * 8000,
        "/api/v1/tasks/'%20OR%20'1'='1",
        "/api/v1/tasks/-",
        "/api/v1/tasks/a-b-c",
        "/api//v1/tasks/x",
        "/api/v1/tasks/x/",
        "/API/v1/tasks/x",
        "/api/v1/tasks/\u00e9",
        "/api/.well-known/x",
    ],
)
@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_no_path_leads_out_or_breaks_anything(api: Api, path: str, method: str) -> None:
    answer = api.client.request(method, path)
    assert answer.status_code in {404, 405, 422}, answer.text
    assert "x-evil" not in answer.headers
    assert answer.json()["request_id"] == answer.headers["x-request-id"]


@given(st.text(st.characters(codec="utf-8", exclude_characters="/?#"), min_size=1, max_size=40))
def test_no_id_of_a_task_breaks_anything(api: Api, task_id: str) -> None:
    for suffix in ("", "/events"):
        assert api.client.get(f"/api/v1/tasks/{quote(task_id, safe='')}{suffix}").status_code in {404, 405}


@given(
    st.dictionaries(
        st.sampled_from(
            ["X-Request-ID", "Origin", "Cookie", "Accept", "If-None-Match", "Range", "X-Forwarded-Host", "TE", "Via"]
        ),
        st.text(st.characters(min_codepoint=32, max_codepoint=255, exclude_characters="\x7f"), max_size=60),
    )
)
def test_no_header_breaks_the_api(api: Api, headers: dict[str, str]) -> None:
    sent = [(name.encode(), value.strip().encode("latin-1")) for name, value in headers.items()]
    answer = api.client.get("/api/v1/tasks/x", headers=sent)
    assert answer.status_code in {403, 404}
    assert answer.headers["x-request-id"] == answer.json()["request_id"]


@pytest.mark.parametrize("given", ["a b", "x" * 200, "<script>", "a\x85b", ""])
def test_a_request_id_that_is_off_is_replaced(api: Api, given: str) -> None:
    answer = api.client.get("/livez", headers={b"X-Request-ID": given.encode("latin-1")})
    assert answer.headers["x-request-id"] not in {given, ""}


@pytest.mark.parametrize(
    "lines",
    [
        ["Transfer-Encoding: chunked", "Content-Length: 5"],
        ["Content-Length: 5", "Content-Length: 6"],
        ["Content-Length: -1"],
        ["Content-Length: 1e9"],
        ["Content-Length: \u0665"],
        ["Transfer-Encoding: chunked, identity"],
    ],
)
def test_bodies_of_two_minds_are_refused_or_end_the_connection(api: Api, lines: list[str]) -> None:
    """Where proxy and server differ about a body's end, the rest would be taken for another request."""
    head = "\r\n".join([f"POST {PARSE} HTTP/1.1", "Host: 127.0.0.1", *lines, "", ""]).encode()
    smuggled = b"0\r\n\r\nGET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    assert b"alive" not in raw(api, head + smuggled)


def test_a_form_of_very_many_parts_is_refused(api: Api) -> None:
    part = '--x\r\nContent-Disposition: form-data; name="region"\r\n\r\n0,0,1,1\r\n'
    headers = {"content-type": "multipart/form-data; boundary=x"}
    answer = api.client.post(PARSE, content=(part * 5000 + "--x--\r\n").encode(), headers=headers)
    assert answer.status_code in {413, 422}
    assert answer.json()["code"] in {"invalid-request", "file-too-large"}


def test_nothing_is_written_outside_the_home(api: Api, tmp_path: Path) -> None:
    outside = tmp_path / "outside.png"
    assert api.client.post(PARSE, files={"file": (str(outside), PICTURE)}).status_code == 200
    assert not outside.exists()


def test_an_unknown_method_is_answered(api: Api) -> None:
    for method in ("TRACE", "PROPFIND", "BREW"):
        assert_error(api.client.request(method, PARSE), 405, "invalid-request")
