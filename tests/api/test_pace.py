"""Uploads that stop or trickle."""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from collections.abc import Callable

import anyio
import pytest
from starlette.types import Message, Receive, Scope, Send

from mineru_core.api import pace as module
from mineru_core.api.errors import UploadTooSlow
from mineru_core.api.pace import BodyPace
from tests.api.conftest import Api, StartApi
from tests.documents import draw_lines, png_bytes

PARSE = "/api/v1/document/parse"


def read_all(receive: Callable[[], Message], **options: float) -> int:
    """Read the body of a request through the guard; the number of bytes."""
    total = 0

    async def app(_scope: Scope, paced: Receive, _send: Send) -> None:
        nonlocal total
        more = True
        while more:
            message = await paced()
            total += len(message.get("body", b""))
            more = message.get("more_body", False)

    async def given() -> Message:
        return receive()

    async def never(_message: Message) -> None:
        raise AssertionError

    anyio.run(lambda: BodyPace(app, **options)({"type": "http"}, given, never))
    return total


def piece(size: int, *, more: bool = True) -> Message:
    return {"type": "http.request", "body": b"x" * size, "more_body": more}


def test_bodies_that_come_at_once_leave_the_event_loop_time_between_two_pieces() -> None:
    uploads, pieces = 20, 10
    turns, at = 0, []

    async def turn() -> None:
        nonlocal turns
        while len(at) < uploads * pieces:
            turns += 1
            await asyncio.sleep(0)

    async def app(_scope: Scope, paced: Receive, _send: Send) -> None:
        while (await paced())["more_body"]:
            at.append(turns)

    async def upload() -> None:
        left = iter(range(pieces, -1, -1))

        async def given() -> Message:
            return piece(10, more=next(left) > 0)

        async def never(_message: Message) -> None:
            raise AssertionError

        await guard({"type": "http"}, given, never)

    async def all_of_them() -> None:
        await asyncio.gather(turn(), *(upload() for _ in range(uploads)))

    guard = BodyPace(app)
    asyncio.run(all_of_them())
    assert max(Counter(at).values()) == 1


@pytest.mark.parametrize(("size", "kept"), [(2000, True), (500, False)])
def test_a_body_has_to_come_at_some_rate(size: int, kept: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])

    def receive() -> Message:
        now[0] += 1.0
        return piece(size, more=now[0] < 300.0)

    if kept:
        assert read_all(receive) == 300 * size
    else:
        with pytest.raises(UploadTooSlow):
            read_all(receive)
        assert now[0] < 180.0


def test_a_body_that_stops_is_given_up() -> None:
    async def app(_scope: Scope, paced: Receive, _send: Send) -> None:
        await paced()
        await paced()

    pieces = [piece(10)]

    async def receive() -> Message:
        if pieces:
            return pieces.pop()
        await anyio.sleep_forever()
        raise AssertionError

    async def send(_message: Message) -> None:
        raise AssertionError

    with pytest.raises(UploadTooSlow):
        anyio.run(lambda: BodyPace(app, idle_s=0.05)({"type": "http"}, receive, send))


def test_waiting_for_the_client_to_go_has_no_end() -> None:
    async def app(_scope: Scope, paced: Receive, _send: Send) -> None:
        await paced()
        with anyio.move_on_after(0.2) as waited:
            await paced()
        assert waited.cancelled_caught

    pieces = [piece(10, more=False)]

    async def receive() -> Message:
        if pieces:
            return pieces.pop()
        await anyio.sleep_forever()
        raise AssertionError

    async def send(_message: Message) -> None:
        raise AssertionError

    anyio.run(lambda: BodyPace(app, idle_s=0.05)({"type": "http"}, receive, send))


def test_a_stopped_upload_is_answered_and_leaves_no_job(start_api: StartApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.BodyPace.__init__, "__defaults__", (0.2, 60.0))
    with start_api() as api, connected(api) as line:
        line.sendall(head(1_000_000) + b"--x\r\nContent-Disposition: form-data; name=")
        answer = line.recv(65536)
        assert answer.startswith(b"HTTP/1.1 408 ")
        assert b'"deadline-exceeded"' in answer + line.recv(65536)
        assert api.service.list("local") == []


def test_a_client_gone_in_the_middle_of_its_upload_leaves_no_job(start_api: StartApi) -> None:
    data = png_bytes(draw_lines(["a"]))
    with start_api() as api:
        with connected(api) as line:
            line.sendall(
                head(1_000_000) + b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n'
            )
            line.sendall(data)
        whole = api.client.post(PARSE, files={"file": ("whole.png", data)})
        assert whole.status_code == 200
        assert [job.source for job in api.service.list("local")] == ["whole.png"]


def connected(api: Api) -> socket.socket:
    return socket.create_connection((api.client.base_url.host, api.client.base_url.port or 80), timeout=20.0)


def head(length: int) -> bytes:
    lines = [
        f"POST {PARSE} HTTP/1.1",
        "Host: 127.0.0.1",
        f"Content-Length: {length}",
        "Content-Type: multipart/form-data; boundary=x",
    ]
    return "\r\n".join([*lines, "", ""]).encode()
