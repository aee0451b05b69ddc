"""The client against a real server."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from mineru_core.client import AsyncClient, Client
from mineru_core.document.geometry import Box
from mineru_core.document.task import Region
from mineru_core.engines.echo import EchoEngine
from mineru_core.errors import (
    Cancelled,
    EncryptedPdf,
    EngineFailed,
    EngineUnavailable,
    InvalidRequest,
    NotFound,
    RateLimited,
    TokenRequired,
)
from mineru_core.export.result import DocumentResult
from mineru_core.runtime.context import Progress, RunContext
from tests.api.conftest import Api, run_api
from tests.api.test_access import make_token
from tests.api.test_tasks import TWO_PAGES, HeldEngine
from tests.client.test_sending import encoded, scan
from tests.documents import draw_lines, encrypted_pdf, png_bytes
from tests.servers import free_port

PICTURE = png_bytes(draw_lines(["one"]))


def address(api: Api) -> str:
    return str(api.client.base_url)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> object:
    with run_api(tmp_path_factory.mktemp("client-home"), EchoEngine()) as running:
        yield running


def both_ways(url: str, call: Callable[[Client | AsyncClient], object], **options: object) -> list[object]:
    """What a call gives from the client and from the asynchronous one."""
    with Client(url, **options) as client:  # type: ignore[arg-type]
        found = [call(client)]

    async def run() -> object:
        async with AsyncClient(url, **options) as client:  # type: ignore[arg-type]
            return await call(client)  # type: ignore[misc]

    return [*found, asyncio.run(run())]


def same_but_for_time(found: object) -> object:
    assert isinstance(found, DocumentResult)
    pages = tuple(page.model_copy(update={"timings": {}}) for page in found.analysis.pages)
    analysis = found.analysis.model_copy(update={"pages": pages})
    return found.model_copy(update={"timings": {}, "analysis": analysis})


def test_it_answers_as_the_api_does(shared: Api) -> None:
    posted = shared.client.post(
        "/api/v1/document/parse", files={"file": ("a.png", PICTURE)}, data={"instruction": "text"}
    )
    expected = same_but_for_time(DocumentResult.model_validate_json(posted.content))
    for found in both_ways(address(shared), lambda client: client.analyze(PICTURE, "text", name="a.png")):
        assert same_but_for_time(found) == expected


def test_a_task_is_handed_in_followed_and_fetched(shared: Api) -> None:
    with Client(address(shared)) as client:
        task = client.submit(TWO_PAGES, name="two.pdf")
        assert client.wait(task).state == "done"
        assert client.status(task.task_id).is_final
        assert client.result(task) == client.result(task.task_id)
        assert client.cancel(task).state == "done"


def test_progress_comes_as_the_library_tells_it(shared: Api) -> None:
    told: list[Progress] = []
    with Client(address(shared)) as client:
        client.analyze(TWO_PAGES, ctx=RunContext(on_progress=told.append))
    assert told
    assert told[-1].stage == "done"


def test_errors_are_the_librarys(shared: Api) -> None:
    for kind, call in (
        (EncryptedPdf, lambda c: c.analyze(encrypted_pdf("secret"), password="wrong")),
        (InvalidRequest, lambda c: c.analyze(PICTURE, engine="nonsense")),
        (NotFound, lambda c: c.status("nosuchtask")),
        (NotFound, lambda c: c.wait("nosuchtask")),
    ):
        with pytest.raises(kind), Client(address(shared)) as client:
            call(client)

        async def run(call: Callable[[AsyncClient], object] = call) -> None:  # type: ignore[assignment]
            async with AsyncClient(address(shared)) as client:
                await call(client)  # type: ignore[misc]

        with pytest.raises(kind):
            asyncio.run(run())


def test_a_task_that_fails_raises_its_error(tmp_path: Path) -> None:
    with run_api(tmp_path, EchoEngine(fail_pages=[1, 2])) as api, Client(address(api)) as client:
        with pytest.raises(EngineFailed):
            client.analyze(TWO_PAGES)
        unfinished = client.submit(TWO_PAGES)
        client.wait(unfinished)
        with pytest.raises(EngineFailed):
            client.result(unfinished)


def test_a_cancel_reaches_the_server(tmp_path: Path) -> None:
    engine = HeldEngine()
    with run_api(tmp_path, engine) as api, Client(address(api)) as client:
        ctx = RunContext()
        threading.Thread(target=lambda: engine.reached.wait(20.0) and ctx.cancel(), daemon=True).start()
        with pytest.raises(Cancelled):
            client.analyze(TWO_PAGES, ctx=ctx)
        (job,) = api.service.list("local")
        assert job.state == "cancelled"


def test_a_cancelled_call_cancels_its_task(tmp_path: Path) -> None:
    engine = HeldEngine()

    async def run(url: str) -> None:
        async with AsyncClient(url) as client:
            call = asyncio.create_task(client.analyze(TWO_PAGES))
            assert await asyncio.to_thread(engine.reached.wait, 20.0)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call

    with run_api(tmp_path, engine) as api:
        asyncio.run(run(address(api)))
        (job,) = api.service.list("local")
        assert job.state == "cancelled"


def test_many_calls_of_one_loop_share_the_connections(shared: Api) -> None:
    async def run() -> list[DocumentResult]:
        async with AsyncClient(address(shared), connections=4) as client:
            documents = [png_bytes(draw_lines([f"page {number}"])) for number in range(12)]
            return await asyncio.gather(*(client.analyze(data, name=f"{n}.png") for n, data in enumerate(documents)))

    assert [found.source for found in asyncio.run(run())] == [f"{n}.png" for n in range(12)]


def test_the_token_and_its_limit(tmp_path: Path) -> None:
    token = make_token(tmp_path)["Authorization"].removeprefix("Bearer ")
    with run_api(tmp_path, EchoEngine(), rate={"burst": 1}) as api:
        with pytest.raises(TokenRequired), Client(address(api)) as client:
            client.analyze(PICTURE)
        with Client(address(api), token=token, patience_s=1.0) as client:
            client.analyze(PICTURE)
            with pytest.raises(RateLimited) as refused:
                client.analyze(PICTURE)
    assert refused.value.retry_after_s is not None
    assert 1 < refused.value.retry_after_s <= 60


def test_a_reduced_picture_gives_places_of_the_original(shared: Api) -> None:
    data = encoded(scan(), "PNG")
    regions = [Region(page=1, box=Box(240, 320, 1200, 1600))]
    with Client(address(shared)) as client, Client(address(shared), compress=False) as plain:
        reduced, whole = client.analyze(data, regions=regions), plain.analyze(data, regions=regions)
    assert reduced.analysis.sha256 != whole.analysis.sha256
    assert [(p.width, p.height) for p in reduced.analysis.pages] == [(2400, 3200)]
    for a, b in zip(reduced.blocks[0].box, whole.blocks[0].box, strict=True):
        assert a == pytest.approx(b, abs=3.0)


def test_a_server_that_is_not_there_is_said() -> None:
    url = f"http://127.0.0.1:{free_port()}"
    with pytest.raises(EngineUnavailable, match="cannot be reached"), Client(url, retries=1) as client:
        client.analyze(PICTURE)


def test_a_server_that_comes_back_is_waited_for(tmp_path: Path) -> None:
    with run_api(tmp_path, EchoEngine()) as api, Client(address(api)) as client:
        lost = iter([True, True])
        sent = client._http.send

        def send(request: httpx.Request, **options: object) -> httpx.Response:
            if request.method == "POST" and next(lost, False):
                sent(request, **options)  # type: ignore[arg-type]  it arrives, and its answer is lost
                raise httpx.ReadError("broken")
            return sent(request, **options)  # type: ignore[arg-type]

        client._http.send = send  # type: ignore[method-assign, assignment]
        assert client.analyze(PICTURE).success
        assert len(api.service.list("local")) == 1


@pytest.mark.parametrize("url", ["", "server:8501", "ftp://server", "http://", "http://a b"])
def test_addresses_that_are_none_are_refused(url: str) -> None:
    for kind in (Client, AsyncClient):
        with pytest.raises(InvalidRequest):
            kind(url)
    with pytest.raises(InvalidRequest):
        Client(token="a b")


def test_importing_it_imports_no_server_and_no_engine() -> None:
    heavy = ("streamlit", "openvino", "torch", "fastapi", "sqlalchemy", "onnxruntime", "uvicorn")
    code = f"import sys, mineru_core.client; print([m for m in {heavy!r} if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
