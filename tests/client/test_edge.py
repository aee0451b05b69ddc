"""The client that reads at the edge, against real servers."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import httpx
import numpy as np
import pytest
from PIL import Image

from mineru_core.client import AsyncClient, Client
from mineru_core.client.edge import EdgeSide, Terms, encoded
from mineru_core.document.analysis import PageAnalysis, PageFailure, Part
from mineru_core.document.geometry import Box
from mineru_core.document.page import Page
from mineru_core.document.task import Region
from mineru_core.engines.base import Engine, Readings
from mineru_core.engines.echo import EchoEngine
from mineru_core.engines.embedded.engine import EmbeddedEngine
from mineru_core.engines.registry import create_engine
from mineru_core.errors import Cancelled, CorruptPdf, DeadlineExceeded, EncryptedPdf, EngineUnavailable, InvalidRequest
from mineru_core.runtime.context import Progress, RunContext
from mineru_core.serving.analyzer import Analyzer
from mineru_core.settings import Settings
from tests.api.conftest import Api, run_api
from tests.api.test_tasks import TWO_PAGES, HeldEngine
from tests.client.test_client import address, same_but_for_time
from tests.client.test_sending import encoded as picture_of
from tests.client.test_sending import scan
from tests.documents import draw_lines, draw_table, encrypted_pdf, png_bytes, table_pdf
from tests.edge import BlockEngine, EdgeEngine, page_with_blocks
from tests.stand_ins import GatedEngine

PICTURE = png_bytes(draw_lines(["one", "two"]))


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with run_api(tmp_path_factory.mktemp("edge-home"), EchoEngine()) as running:
        yield running


def reader(home: Path, engine: Engine | None = None) -> Analyzer:
    return Analyzer(Settings(home=home / "here"), engine or EchoEngine())


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Analyzer]:
    with reader(tmp_path) as analyzer:
        yield analyzer


def sent_bytes(client: Client) -> list[tuple[str, int]]:
    """Paths and bytes of the bodies of the requests that the client sends from now on."""
    seen: list[tuple[str, int]] = []

    def note(request: httpx.Request) -> None:
        seen.append((request.url.path, len(request.read())))

    client._http.event_hooks["request"].append(note)
    return seen


def test_the_answer_is_the_one_to_the_document(shared: Api, here: Analyzer) -> None:
    regions = [Region(page=1, box=Box(10, 10, 500, 120))]
    with Client(address(shared), edge=here) as client, Client(address(shared), compress=False) as plain:
        for data, wishes in ((PICTURE, {}), (PICTURE, {"regions": regions}), (TWO_PAGES, {"words": "page 2"})):
            sent, whole = (one.analyze(data, name="a", **wishes) for one in (client, plain))  # type: ignore[arg-type]
            assert same_but_for_time(sent) == same_but_for_time(whole)


def test_asyncio_gets_the_same(shared: Api, here: Analyzer) -> None:
    async def run() -> object:
        async with AsyncClient(address(shared), edge=here) as client:
            return await client.analyze(PICTURE, "text", name="a")

    with Client(address(shared), edge=here) as client:
        assert same_but_for_time(asyncio.run(run())) == same_but_for_time(client.analyze(PICTURE, "text", name="a"))


def test_hardly_anything_travels(shared: Api, here: Analyzer) -> None:
    data = picture_of(scan(), "PNG")
    with Client(address(shared), edge=here) as client:
        seen = sent_bytes(client)
        result = client.analyze(data, "text")
    assert max(size for _, size in seen) < 3000 < len(data) / 20
    assert [path for path, _ in seen][:2] == ["/api/v1/document/edge"] * 2
    assert (result.analysis.pages[0].width, result.analysis.pages[0].height) == (2400, 3200)


def test_the_terms_are_asked_for_once(shared: Api, here: Analyzer) -> None:
    with Client(address(shared), edge=here) as client:
        seen = sent_bytes(client)
        for _ in range(3):
            client.analyze(PICTURE, engine="echo")
            client.submit(PICTURE)
    assert sum(size == 0 and path.endswith("edge") for path, size in seen) == 2  # one for each engine that was named


def test_every_later_call_works_on_it(shared: Api, here: Analyzer) -> None:
    with Client(address(shared), edge=here) as client:
        task = client.submit(TWO_PAGES, "text", name="two.pdf")
        assert client.wait(task).state == "done"
        assert client.status(task.task_id).is_final
        assert client.result(task).source == "two.pdf"
        assert client.cancel(task).state == "done"
        text = shared.client.get(f"/api/v1/tasks/{task.task_id}/export/txt")
        assert text.status_code == 200
        assert client.compare(TWO_PAGES, TWO_PAGES).answer.notes[0].code == "no-changes"


def test_its_pictures_go_along_where_they_are_wanted(shared: Api, here: Analyzer) -> None:
    for pictures, status in ((True, 200), (False, 422)):
        with Client(address(shared), edge=here, edge_pictures=pictures) as client:
            task = client.submit(TWO_PAGES, "text")
            client.wait(task)
        answer = shared.client.get(f"/api/v1/tasks/{task.task_id}/export/pdf")
        assert answer.status_code == status
        assert shared.client.get(f"/api/v1/tasks/{task.task_id}/export/zip").status_code == 200


def test_another_engine_gets_the_pictures_of_its_blocks(tmp_path: Path) -> None:
    engine = BlockEngine()
    with run_api(tmp_path, engine) as api, reader(tmp_path, EdgeEngine()) as here:
        with Client(address(api), edge=here) as client:
            seen = sent_bytes(client)
            found = client.analyze(png_bytes(page_with_blocks()))
        assert [table.rows() for table in found.tables] == [[["server", "328x128"]]]
        assert found.blocks[2].text == "E = mc^2"
        assert max(size for _, size in seen) < 4000
        engine.seen.clear()
        sizes = []
        for words in ("text", "extract the tables", ""):  # nothing goes along that the words do not need
            with Client(address(api), edge=here) as client:
                seen = sent_bytes(client)
                client.analyze(png_bytes(page_with_blocks()), words)
                sizes.append(max(size for _, size in seen))
        assert sizes == sorted(sizes)
        assert sizes[0] + 200 < sizes[1]
        assert sizes[1] + 100 < sizes[2]
        assert engine.seen == [(328, 128), (328, 128), (328, 58)]


def test_what_is_wrong_with_a_document_is_said_before_anything_is_sent(shared: Api, here: Analyzer) -> None:
    with Client(address(shared), edge=here) as client:
        client.analyze(PICTURE)
        seen = sent_bytes(client)
        with pytest.raises(CorruptPdf):
            client.analyze(b"%PDF-1.7 nothing")
        with pytest.raises(EncryptedPdf):
            client.analyze(encrypted_pdf("secret"))
        with pytest.raises(InvalidRequest):
            client.analyze(PICTURE, engine="nonsense")
        assert [path for path, size in seen if size] == []


def test_a_password_stays_here(shared: Api, here: Analyzer) -> None:
    with Client(address(shared), edge=here) as client:
        bodies: list[bytes] = []
        client._http.event_hooks["request"].append(lambda request: bodies.append(request.read()))
        assert client.analyze(encrypted_pdf("secret-word"), "text", password="secret-word").success
    assert not any(b"secret-word" in body for body in bodies)


def test_progress_and_deadline_hold_while_it_reads_here(shared: Api, tmp_path: Path) -> None:
    told: list[Progress] = []
    with (
        reader(tmp_path, GatedEngine()) as here,
        Client(address(shared), edge=here) as client,
        pytest.raises(DeadlineExceeded),
    ):
        client.analyze(PICTURE, ctx=RunContext.with_timeout(0.3, on_progress=told.append))
    assert {progress.stage for progress in told} >= {"read"}


def test_a_cancel_ends_the_reading_here(shared: Api, tmp_path: Path) -> None:
    engine = HeldEngine()
    with reader(tmp_path, engine) as here, Client(address(shared), edge=here) as client:
        ctx = RunContext()
        threading.Thread(target=lambda: engine.reached.wait(20.0) and ctx.cancel(), daemon=True).start()
        with pytest.raises(Cancelled):
            client.analyze(TWO_PAGES, ctx=ctx)


def test_a_cancelled_call_ends_the_reading_here(shared: Api, tmp_path: Path) -> None:
    engine = HeldEngine()
    ctx = RunContext()

    async def run() -> None:
        with reader(tmp_path, engine) as here:
            async with AsyncClient(address(shared), edge=here) as client:
                call = asyncio.create_task(client.analyze(TWO_PAGES, ctx=ctx))
                assert await asyncio.to_thread(engine.reached.wait, 20.0)
                call.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await call

    asyncio.run(run())
    assert ctx.cancelled


def test_a_server_of_another_version_is_said() -> None:
    with pytest.raises(EngineUnavailable, match="version 2"):
        Terms(version=2, engine="embedded").check()


def test_an_analyzer_made_here_is_closed_and_one_handed_in_is_not(here: Analyzer) -> None:
    given = EdgeSide(here)
    given.close()
    assert here.engine.name == "echo"
    own = EdgeSide()
    made = own._reader()
    assert made.name == "embedded"
    own.close()
    with pytest.raises(EngineUnavailable):
        _ = made.engine


def test_strips_that_webp_cannot_hold_travel_too() -> None:
    assert encoded(np.zeros((4, 17_000, 3), np.uint8))


@pytest.mark.models
def test_the_embedded_engine_on_both_sides_answers_the_same(tmp_path: Path, models_dir: Path) -> None:
    settings = Settings(home=tmp_path / "server", models=models_dir)
    with (
        run_api(tmp_path / "server", EmbeddedEngine(settings)) as api,
        Analyzer(Settings(home=tmp_path / "here", models=models_dir), "embedded") as here,
        Client(address(api), edge=here) as client,
        Client(address(api), compress=False) as plain,
    ):
        for data in (png_bytes(draw_table([["a", "b"], ["1", "2"]])), table_pdf()):
            seen = sent_bytes(client)
            sent, whole = client.analyze(data, name="a"), plain.analyze(data, name="a")
            assert same_but_for_time(sent) == same_but_for_time(whole)
            assert sent.tables
            assert max(size for _, size in seen) < 8000


class Watched:
    """Notes of which pictures a real engine was asked for what."""

    def __init__(self, engine: Engine, patch: pytest.MonkeyPatch) -> None:
        self.engine = engine
        self.asked: list[tuple[int, int, frozenset[Part]]] = []
        read = engine.read

        def noted(
            pages: Sequence[Page], parts: frozenset[Part], ctx: RunContext, known: Sequence[Readings] = ()
        ) -> list[PageAnalysis | PageFailure]:
            self.asked += [(page.width, page.height, parts) for page in pages]
            return read(pages, parts, ctx, known)

        patch.setattr(engine, "read", noted)


@pytest.mark.models
def test_a_real_other_engine_reads_the_tables_and_nothing_else(
    tmp_path: Path, models_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tiny model knows only its own small pages; what it makes of this one's table is its, right or wrong."""
    page = Image.new("RGB", (760, 520), "white")
    page.paste(draw_lines(["Quarterly report", "All numbers in euros."], width=600), (40, 20))
    page.paste(draw_table([["Item", "Sum"], ["Paper", "12"], ["Ink", "30"]]), (100, 220))
    with Analyzer(Settings(home=tmp_path / "here", models=models_dir), "embedded") as here:
        with here.open(png_bytes(page), name="a") as document:
            alone = here.analyze(document)
        tiny = Watched(create_engine("mineru-tiny", Settings()), monkeypatch)
        with run_api(tmp_path / "server", tiny.engine) as api, Client(address(api), edge=here) as client:
            found = client.analyze(png_bytes(page), name="a")
    assert len(alone.tables) == len(found.tables) == 1
    (width, height, parts) = tiny.asked[0]
    assert len(tiny.asked) == 1
    assert parts == {Part.TABLES}
    assert (width, height) < (760, 520)
    there, here_box = found.tables[0].box, alone.tables[0].box
    assert there is not None
    assert here_box is not None
    assert there.iou(here_box) > 0.7
    texts = [block.text for block in alone.blocks if block.table is None]
    assert [block.text for block in found.blocks if block.table is None] == texts
    assert any("Quarterly report" in text for text in texts)
