"""Files of a page, streamed to disk for their owner alone."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from mineru_core.api import uploads
from mineru_core.api.middleware import OWNER_COOKIE
from mineru_core.errors import NotFound, StorageUnavailable
from mineru_core.intake.sniffing import EDGE_MARK
from mineru_core.jobs.uploads import Uploads
from tests.api.conftest import Api, StartApi
from tests.api.errors import assert_error
from tests.documents import table_pdf

OWNER = secrets.token_urlsafe(32)
LIMIT = 3_000_000
LOCKED = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(200_000) + "EncryptedPackage".encode("utf-16-le")
"""An Office file behind a password, whose mark stands anywhere."""
PICTURE = b"\x89PNG\r\n\x1a\n and more"
"""As far as anybody looks at it before it is read."""


def own_headers(api: Api, owner: str = OWNER) -> dict[str, str]:
    host = api.client.base_url.netloc.decode()
    return {"Cookie": f"{OWNER_COOKIE}={owner}", "Origin": f"http://{host}"}


def send(api: Api, data: bytes | Iterator[bytes], name: str = "note.pdf", **headers: str) -> httpx.Response:
    path = f"/ui/upload?name={quote(name)}"
    return api.client.post(path, content=data, headers={**own_headers(api), **headers})


def files_of(home: Path) -> list[Path]:
    return sorted(path for path in (home / "blobs").rglob("*") if path.is_file())


def test_a_file_comes_to_its_owner_whole_and_by_its_name(api: Api) -> None:
    data = PICTURE + secrets.token_bytes(2 * uploads.BUFFER_BYTES + 12_345)
    answer = send(api, data, "季度 报告 100%.png")
    assert answer.status_code == 201
    assert answer.headers["cache-control"] == "no-store"
    kept = answer.json()
    assert (kept["name"], kept["size"]) == ("季度 报告 100%.png", len(data))
    assert api.service.uploads.read(kept["id"], OWNER) == data


def test_an_id_of_another_owner_opens_nothing(api: Api) -> None:
    kept = send(api, PICTURE).json()["id"]
    number, digits = kept.split("-")
    for upload_id, owner in [
        (kept, secrets.token_urlsafe(32)),
        (f"{number}-{'0' * len(digits)}", OWNER),
        (f"{int(number) + 1}-{digits}", OWNER),
        ("x", OWNER),
        ("", OWNER),
        (f"{'9' * 4000}-{digits}", OWNER),
    ]:
        for ask in (api.service.uploads.read, api.service.uploads.get, api.service.uploads.forget):
            with pytest.raises(NotFound):
                ask(upload_id, owner)
    assert api.service.uploads.read(kept, OWNER) == PICTURE


def test_a_document_of_a_job_is_no_upload(api: Api) -> None:
    api.service.submit(table_pdf(), name="a.pdf", owner=OWNER)
    kept = send(api, table_pdf()).json()["id"]
    number, digits = kept.split("-")
    for other in range(1, int(number)):  # the job's own claim to the same bytes is one of them
        with pytest.raises(NotFound):
            api.service.uploads.read(f"{other}-{digits}", OWNER)


def test_a_file_taken_back_is_gone(api: Api) -> None:
    kept = send(api, PICTURE).json()["id"]
    stranger = own_headers(api, secrets.token_urlsafe(32))
    assert_error(api.client.delete(f"/ui/upload/{kept}", headers=stranger), 404, "not-found")
    assert api.client.delete(f"/ui/upload/{kept}", headers=own_headers(api)).status_code == 204
    assert_error(api.client.delete(f"/ui/upload/{kept}", headers=own_headers(api)), 404, "not-found")


@pytest.mark.parametrize("method", ["POST", "DELETE"])
@pytest.mark.parametrize("origin", [None, "null", "http://evil.example", "http://127.0.0.1", "https://127.0.0.1:1"])
def test_another_sites_page_is_refused(api: Api, method: str, origin: str | None) -> None:
    headers = own_headers(api)
    del headers["Origin"]
    if origin is not None:
        headers["Origin"] = origin
    path = "/ui/upload" if method == "POST" else "/ui/upload/1-a"
    assert_error(api.client.request(method, path, content=b"x", headers=headers), 403, "token-required")


def test_a_browser_without_the_cookie_is_refused(api: Api) -> None:
    assert_error(send(api, b"x", Cookie=f"{OWNER_COOKIE}=local"), 403, "token-required")


def test_an_empty_file_is_refused(api: Api) -> None:
    assert_error(send(api, b""), 422, "empty-file")


@pytest.mark.parametrize(
    ("data", "code", "kind"),
    [
        (b"Rar!\x1a\x07", "unsupported-type", "RAR archive"),
        (b"only words", "unsupported-type", "text file"),
        (b"PK\x03\x04 nothing of Office", "unsupported-type", "ZIP archive"),
        (EDGE_MARK, "unsupported-type", "read of a document"),
        (LOCKED, "encrypted-office", ""),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_at_once_and_nothing_of_it_is_kept(
    api: Api, home: Path, data: bytes, code: str, kind: str
) -> None:
    answer = send(api, data, "page.png")
    assert_error(answer, 422, code)
    assert kind in answer.json()["message"]
    assert files_of(home) == []


def test_too_large_a_file_is_refused_by_what_is_declared_and_by_what_comes(start_api: StartApi, home: Path) -> None:
    with start_api(limits={"max_file_bytes": LIMIT}) as api:
        exact = send(api, PICTURE.ljust(LIMIT, b"\0"))
        assert exact.status_code == 201
        api.service.uploads.forget(exact.json()["id"], OWNER)
        before = files_of(home)
        assert_error(send(api, bytes(LIMIT + 1)), 413, "file-too-large")

        def without_end() -> Iterator[bytes]:
            for _ in range(40):
                yield bytes(100_000)

        assert_error(send(api, without_end()), 413, "file-too-large")
        assert files_of(home) == before


def test_a_declared_length_is_refused_before_anything_comes(start_api: StartApi) -> None:
    with start_api(limits={"max_file_bytes": LIMIT}) as api:
        answer = raw_upload(api, LIMIT + 1, b"", "Expect: 100-continue")
        assert answer.startswith(b"HTTP/1.1 413")


def test_an_upload_that_stops_is_given_up_and_nothing_of_it_is_left(
    start_api: StartApi, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "IDLE_S", 0.2)
    with start_api() as api:
        answer = raw_upload(api, 100, b"half of it")
        assert answer.startswith(b"HTTP/1.1 408")
        assert b"deadline-exceeded" in answer
        assert files_of(home) == []


def test_a_full_disk_is_said_and_nothing_is_left(
    start_api: StartApi, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise StorageUnavailable("The server's storage failed; nothing was changed.")

    with start_api() as api:
        monkeypatch.setattr(Uploads, "keep", full)
        assert_error(send(api, PICTURE), 503, "storage-unavailable")
        assert files_of(home) == []


def raw_upload(api: Api, declared: int, body: bytes, *more: str) -> bytes:
    """The answer to an upload that says it has ``declared`` bytes, sends ``body`` and then waits."""
    url = api.client.base_url
    lines = ["POST /ui/upload?name=a HTTP/1.1", f"Host: {url.netloc.decode()}", f"Content-Length: {declared}", *more]
    lines += [f"{name}: {value}" for name, value in own_headers(api).items()]
    with socket.create_connection((url.host, url.port or 80), timeout=20) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode() + body)
        answer = b""
        while piece := connection.recv(4096):
            answer += piece
    return answer
