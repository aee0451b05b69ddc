"""Places of what was found on a page, for their owner's browser only."""

from __future__ import annotations

import secrets

import httpx
import pytest

from mineru_core.api.boxes import TEXT_CHARS, no_boxes, page_boxes, short
from mineru_core.api.middleware import OWNER_COOKIE
from mineru_core.document.analysis import Block, BlockType, DocumentAnalysis, Line, PageAnalysis, Part
from mineru_core.document.geometry import Box, Quad
from mineru_core.document.table import Cell, Table
from mineru_core.document.task import Answer, Change, ChangeKind, FieldValue, Match, Quote, Region, Task, TaskKind
from mineru_core.export.result import DocumentResult
from tests.api.conftest import Api, StartApi
from tests.api.errors import assert_error
from tests.documents import draw_lines, scanned_pdf
from tests.stand_ins import GatedEngine

OWNER = secrets.token_urlsafe(32)
COOKIE = {"Cookie": f"{OWNER_COOKIE}={OWNER}"}
BOX = Box(10, 20, 110, 60)


@pytest.fixture(scope="module")
def job(api: Api) -> str:
    pages = [draw_lines([f"page {number}"], width=700) for number in (1, 2)]
    made = api.service.submit(scanned_pdf(pages), name="two.pdf", owner=OWNER)
    return api.service.wait(made.id, OWNER, timeout_s=60).id


def get(api: Api, path: str, **headers: str) -> httpx.Response:
    return api.client.get(path, headers={**COOKIE, **headers})


def result_of(page: PageAnalysis, answer: Answer, *regions: Region) -> DocumentResult:
    analysis = DocumentAnalysis(source="a.png", sha256="0", media_type="image/png", page_count=9, pages=(page,))
    return DocumentResult(task=Task(regions=regions), answer=answer, analysis=analysis, engine="echo-1")


def page_of(*blocks: Block, rotation: int = 0) -> PageAnalysis:
    return PageAnalysis(
        page=1, width=200, height=400, sha256="0", parts=frozenset({Part.TEXT}), blocks=blocks, rotation=rotation
    )


def test_gives_size_and_blocks_of_the_page(api: Api, job: str) -> None:
    told = get(api, f"/ui/boxes/{job}/2?v=0").json()
    found = api.service.result(job, OWNER)
    page = found.analysis.pages[1]
    assert (told["page"], told["width"], told["height"]) == (2, page.width, page.height)
    assert told == page_boxes(found, page)
    assert len(told["blocks"]) == len(page.blocks) > 0
    assert_error(get(api, f"/ui/boxes/{job}/3"), 422, "no-pages")
    assert_error(get(api, f"/ui/boxes/{job}/x"), 422, "no-pages")


def test_the_browser_keeps_what_cannot_change(api: Api, job: str) -> None:
    answer = get(api, f"/ui/boxes/{job}/1?v=0")
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["vary"].lower().startswith("cookie")
    tag = answer.headers["etag"]
    again = get(api, f"/ui/boxes/{job}/1?v=0", **{"If-None-Match": tag})
    assert (again.status_code, again.content) == (304, b"")
    for other in ("", "?v=7", "?v=x"):
        assert get(api, f"/ui/boxes/{job}/1{other}").headers["cache-control"] == "private, no-cache"


def test_nobody_else_sees_them(api: Api, job: str) -> None:
    other = f"{OWNER_COOKIE}={secrets.token_urlsafe(32)}"
    assert_error(api.client.get(f"/ui/boxes/{job}/1"), 403, "token-required")
    assert_error(api.client.get(f"/ui/boxes/{job}/1", headers={"Cookie": other}), 404, "not-found")
    assert_error(get(api, "/ui/boxes/no-such-job/1"), 404, "not-found")


def test_lines_cells_and_turn_are_told_in_page_pixels() -> None:
    quad = Quad((10, 20), (110, 22), (110, 60), (10, 58))
    line = Line(text="a <b>", box=BOX, quad=quad, confidence=0.999)
    cells = (Cell(row=0, col=0, text="x", box=BOX, confidence=0.5), Cell(row=1, col=0, text="no place"))
    page = page_of(
        Block(type=BlockType.TEXT, box=BOX, order=0, text="a <b>", lines=(line,), confidence=0.9),
        Block(type=BlockType.TABLE, box=BOX, order=1, table=Table(n_rows=2, n_cols=1, cells=cells)),
        rotation=90,
    )
    told = page_boxes(result_of(page, Answer(kind=TaskKind.TEXT)), page)
    assert told["turn"] == 1
    assert told["blocks"] == [[*BOX, "text", 1, 90, "a <b>"], [*BOX, "table", 2, 100, "2 × 1"]]
    assert told["lines"] == [[10, 20, 110, 22, 110, 60, 10, 58, 99, "a <b>"]]  # not rounded up to 100
    assert told["cells"] == [[0, 0, 0, *BOX, 50, "x"]]


def test_every_place_of_the_answer_on_the_page_is_marked() -> None:
    answer = Answer(
        kind=TaskKind.FIND,
        matches=(Match(text="hit", start=0, end=3, page=1, box=BOX), Match(text="2", start=0, end=1, page=2, box=BOX)),
        fields=(FieldValue(name="date", value="today", page=1, box=BOX), FieldValue(name="tax")),
        quotes=(Quote(text="so it is", page=1, box=BOX),),
        changes=(
            Change(
                kind=ChangeKind.CHANGED, before="old", after="new", before_page=1, after_page=2, before_box=BOX,
                after_box=BOX,
            ),
        ),
    )  # fmt: skip
    asked = Region(page=1, box=Box(-5, 0, 900, 50))
    told = page_boxes(result_of(page_of(), answer, asked), page_of())
    assert told["marks"] == [
        [0, 0, 200, 50, "region", ""],
        [*BOX, "hit", "hit"],
        [*BOX, "hit", "date: today"],
        [*BOX, "hit", "so it is"],
        [*BOX, "hit", "old"],
    ]


def test_long_text_is_cut() -> None:
    assert len(short("x" * 1000)) == TEXT_CHARS
    assert short(" a\n b ") == "a b"
    assert no_boxes(3, 10, 20)["blocks"] == []


def test_a_page_that_is_still_read_has_its_size(start_api: StartApi) -> None:
    reader = GatedEngine()
    with start_api(reader) as api:
        job = api.service.submit(scanned_pdf([draw_lines(["one"], width=700)]), name="a.pdf", owner=OWNER)
        try:
            answer = get(api, f"/ui/boxes/{job.id}/1")
            assert answer.headers["cache-control"] == "no-store"
            assert answer.json()["blocks"] == []
            assert answer.json()["width"] > 0
        finally:
            reader.gate.set()
