"""Files of forms go to disk as they come, and nothing of them stays that nobody asked to keep."""

from __future__ import annotations

import hashlib
import socket
import tempfile
import threading
from pathlib import Path

import httpx
import numpy as np
import pytest
from PIL import Image

from mineru_core.api import forms
from mineru_core.engines.echo import EchoEngine
from mineru_core.store.blobs import BlobStore, Incoming
from tests.api.conftest import Api, StartApi
from tests.api.errors import assert_error
from tests.api.test_uploads import files_of
from tests.documents import draw_lines, png_bytes

PARSE = "/api/v1/document/parse"
COMPARE = "/api/v1/document/compare"
LIMIT = 4_000_000
SMALL = png_bytes(draw_lines(["a"]))
LARGE = png_bytes(Image.fromarray(np.random.default_rng(1).integers(0, 256, (900, 900, 3), dtype=np.uint8)))
BOUNDARY = "wall"


def post(api: Api, data: bytes, path: str = PARSE, name: str = "file", **fields: str) -> httpx.Response:
    return api.client.post(path, files={name: ("a.png", data)}, data=fields)


def head(api: Api, length: int) -> bytes:
    """The beginning of a form with a file whose bytes are to follow."""
    part = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n'
    lines = [
        f"POST {PARSE} HTTP/1.1",
        f"Host: {api.client.base_url.netloc.decode()}",
        f"Content-Type: multipart/form-data; boundary={BOUNDARY}",
        f"Content-Length: {length}",
    ]
    return "\r\n".join([*lines, "", part]).encode()


def connect(api: Api) -> socket.socket:
    return socket.create_connection((api.client.base_url.host, api.client.base_url.port or 80), timeout=20.0)


@pytest.fixture
def arriving(monkeypatch: pytest.MonkeyPatch) -> list[Incoming]:
    """The files that begin to come."""
    seen: list[Incoming] = []
    receive = BlobStore.receive

    def watched(store: BlobStore) -> Incoming:
        seen.append(receive(store))
        return seen[-1]

    monkeypatch.setattr(BlobStore, "receive", watched)
    return seen


def test_a_large_file_is_kept_from_where_it_came_to(
    start_api: StartApi, home: Path, arriving: list[Incoming], monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[int] = []
    monkeypatch.setattr("mineru_core.store.blobs.write_whole", lambda _path, data, **_: written.append(len(data)))
    monkeypatch.setattr(tempfile, "SpooledTemporaryFile", None)
    with start_api(EchoEngine(delay_s=60.0)) as api:
        assert post(api, LARGE, **{"async": "true"}).status_code == 202
        sha256 = hashlib.sha256(LARGE).hexdigest()
        assert [(one.size, one.sha256) for one in arriving] == [(len(LARGE), sha256)]
        assert (home / "blobs" / sha256[:2] / sha256[2:4] / sha256).read_bytes() == LARGE
        assert list((home / "blobs" / "tmp").iterdir()) == []
        assert written == []


def test_a_small_file_is_written_once_it_is_accepted(start_api: StartApi, arriving: list[Incoming]) -> None:
    with start_api() as api:
        assert post(api, SMALL).status_code == 200
    assert arriving == []


def test_a_large_file_is_answered_as_a_small_one(start_api: StartApi) -> None:
    with start_api() as api:
        large, again = post(api, LARGE), post(api, LARGE)
        assert large.status_code == again.status_code == 200
        assert again.json()["analysis"] == large.json()["analysis"]


def test_two_large_files_are_compared(start_api: StartApi, arriving: list[Incoming]) -> None:
    later = LARGE + b"more"
    with start_api() as api:
        files = {"before": ("a.pdf", LARGE), "after": ("b.pdf", later)}
        answer = api.client.post(COMPARE, files=files)
    assert answer.status_code == 200
    assert len(arriving) == 2


def test_nothing_stays_of_a_file_that_is_refused(start_api: StartApi, home: Path, arriving: list[Incoming]) -> None:
    with start_api() as api:
        assert_error(post(api, b"\x00\x01\x02 no document" * 200_000), 422, "unsupported-type")
        assert_error(post(api, LARGE, page="none"), 422, "invalid-request")
        assert_error(post(api, LARGE, instructions="misspelt"), 422, "invalid-request")
        assert_error(post(api, LARGE, name="document"), 422, "invalid-request")
        assert len(arriving) == 4
        assert files_of(home) == []


def test_the_limit_holds_while_the_file_comes(start_api: StartApi, home: Path, arriving: list[Incoming]) -> None:
    with start_api(limits={"max_file_bytes": LIMIT}) as api:
        allowed = LARGE + b"x" * (LIMIT - len(LARGE))
        assert post(api, allowed, **{"async": "true"}).status_code == 202
        kept = files_of(home)
        assert_error(post(api, allowed + b"x"), 413, "file-too-large")
        assert arriving[-1].size <= LIMIT
        assert files_of(home) == kept


def test_nothing_stays_of_a_file_whose_sender_went_away(
    start_api: StartApi, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, closed = threading.Event(), threading.Event()
    write, close = Incoming.write, Incoming.close

    def told_write(one: Incoming, data: bytes) -> None:
        write(one, data)
        begun.set()

    def told_close(one: Incoming) -> None:
        close(one)
        closed.set()

    monkeypatch.setattr(Incoming, "write", told_write)
    monkeypatch.setattr(Incoming, "close", told_close)
    with start_api() as api:
        with connect(api) as line:
            line.sendall(head(api, len(LARGE) + 500) + LARGE[: forms.BUFFER_BYTES + 5000])
            assert begun.wait(20.0)
            assert len(files_of(home)) == 1
        assert closed.wait(20.0)
        assert files_of(home) == []


@pytest.mark.parametrize("end", [f"\r\n--{BOUNDARY}", f"\r\n--{BOUNDARY}\r\nContent-Disposition: form-data\r\n\r\nx"])
def test_nothing_stays_of_a_form_that_breaks_off(
    start_api: StartApi, home: Path, arriving: list[Incoming], end: str
) -> None:
    with start_api() as api, connect(api) as line:
        rest = LARGE + end.encode()
        start = head(api, 0)
        body = start.partition(b"\r\n\r\n")[2]
        line.sendall(head(api, len(body) + len(rest)) + rest)
        assert line.recv(65536).startswith(b"HTTP/1.1 4")
        assert len(arriving) == 1
        assert files_of(home) == []


def test_a_full_disk_is_said(start_api: StartApi, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_one: Incoming, _data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Incoming, "write", full)
    with start_api() as api:
        assert_error(post(api, LARGE), 503, "storage-unavailable")
        assert files_of(home) == []
