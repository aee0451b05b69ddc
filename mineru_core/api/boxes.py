"""GET /ui/boxes/{job_id}/{n}?v=VERSION: the places of everything found on a page, for the page view."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import partial

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from mineru_core.api.backend import Backend
from mineru_core.api.errors import in_one_shape
from mineru_core.api.middleware import owner_of
from mineru_core.api.pictures import whole_number
from mineru_core.document.analysis import Block, PageAnalysis
from mineru_core.document.geometry import Box
from mineru_core.errors import NoPages, TokenRequired
from mineru_core.export.result import DocumentResult
from mineru_core.jobs.model import JobState

TEXT_CHARS = 180
"""Characters of a block, line or cell that are sent: a tooltip shows no more."""
MOST_MARKS = 500
"""Places of the answer marked on one page."""
KEPT, FRESH = "private, max-age=86400, immutable", "private, no-cache"
ENCODING_VERSION = 1
"""Part of the ETag: raise it when places are told differently."""

Numbers = list[float | int | str]


def routes(backend: Backend) -> list[Route]:
    """The route, standing on ``backend``."""

    async def boxes(request: Request) -> Response:
        owner = owner_of(request.scope)
        if owner is None:
            raise TokenRequired("Pages are shown to the browser that uploaded them.", "Open the app in this browser.")
        number = whole_number(request.path_params["number"])
        if number is None:
            raise NoPages("The document has no such page.", "Pages are counted from 1.")
        known = request.headers.get("if-none-match", "")
        version = whole_number(request.query_params.get("v", ""))
        job_id = request.path_params["job_id"]
        # What is known does not wait behind pictures that are drawn.
        answer = await backend.call(partial(_known, backend, job_id, owner, number, version, known))
        if answer is not None:
            return answer
        return await backend.draw(partial(_size_only, backend, job_id, owner, number))

    return [Route("/ui/boxes/{job_id}/{number}", in_one_shape(boxes), methods=["GET"])]


def page_boxes(found: DocumentResult, page: PageAnalysis) -> dict[str, object]:
    """What was found on the page as rows of numbers and plain texts, in page pixels.

    ``turn`` counts the clockwise quarter turns that set the page upright. A block is left, top, right, bottom, type,
    number, percent of confidence and text; a line its four corners, percent and text; a cell the table's place on the
    page, row, column, its box, percent and text; a mark a box, its kind ("hit" or "region") and text.
    """
    return {
        "page": page.page,
        "width": page.width,
        "height": page.height,
        "turn": page.rotation // 90 % 4,
        "blocks": [_block(block) for block in page.blocks],
        "lines": [
            [*(round(v, 1) for corner in line.quad for v in corner), _percent(line.confidence), short(line.text)]
            for line in page.lines
        ],
        "cells": list(_cells(page)),
        "marks": list(_marks(found, page))[:MOST_MARKS],
    }


def no_boxes(number: int, width: int, height: int) -> dict[str, object]:
    """The same of a page of which nothing is known but its size in pixels."""
    return {
        "page": number, "width": width, "height": height, "turn": 0,
        "blocks": [], "lines": [], "cells": [], "marks": [],
    }  # fmt: skip


def short(text: str) -> str:
    """The text in one line of at most ``TEXT_CHARS`` characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= TEXT_CHARS else flat[: TEXT_CHARS - 1] + "…"


def places_of(found: DocumentResult) -> Iterator[tuple[int, Box, str]]:
    """Page, box and text of each thing in the answer that stands on a page of the document: hits, values, quotes and
    changes; of a comparison with an earlier document, what stands in the later one."""
    answer = found.answer
    for match in answer.matches:
        yield match.page, match.box, match.text
    for field in answer.fields:
        if field.page is not None and field.box is not None:
            yield field.page, field.box, f"{field.name}: {field.value}"
    for quote in answer.quotes:
        yield quote.page, quote.box, quote.text
    for change in answer.changes:
        if found.before is None and change.before_page is not None and change.before_box is not None:
            yield change.before_page, change.before_box, change.before
        if change.after_page is not None and change.after_box is not None:
            yield change.after_page, change.after_box, change.after


def _known(
    backend: Backend, job_id: str, owner: str, number: int, version: int | None, known_tag: str
) -> Response | None:
    """What was found on the page; None where it was not read, or not yet."""
    service = backend.service
    if service.get(job_id, owner).state is not JobState.DONE:
        return None
    found = service.result(job_id, owner)
    page = next((one for one in found.analysis.pages if one.page == number), None)
    if page is None:
        return None
    now = service.corrections.state(job_id, owner).version
    tag = f'"{hashlib.sha256(f"{ENCODING_VERSION}/{job_id}/{number}/{now}".encode()).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": KEPT if version == now else FRESH, "Vary": "Cookie"}
    if tag in known_tag:
        return Response(status_code=304, headers=headers)
    return _json(page_boxes(found, page), headers)


def _size_only(backend: Backend, job_id: str, owner: str, number: int) -> Response:
    with backend.service.document(job_id, owner) as document:
        page = document.page(number)
    return _json(no_boxes(number, page.width, page.height), {"Cache-Control": "no-store"})


def _json(content: dict[str, object], headers: dict[str, str]) -> Response:
    return JSONResponse(content, headers={**headers, "X-Content-Type-Options": "nosniff"})


def _block(block: Block) -> Numbers:
    text = block.text if block.table is None else f"{block.table.n_rows} × {block.table.n_cols}"
    return [*_box(block.box), block.type.value, block.order + 1, _percent(block.confidence), short(text)]


def _cells(page: PageAnalysis) -> Iterator[Numbers]:
    for index, table in enumerate(page.tables):
        for cell in table.cells:
            if cell.box is not None:
                yield [
                    index, cell.row, cell.col, *_box(cell.box), 100 if cell.edited else _percent(cell.confidence),
                    short(cell.text),
                ]  # fmt: skip


def _marks(found: DocumentResult, page: PageAnalysis) -> Iterator[Numbers]:
    for region in found.task.regions:
        if region.page == page.page:
            yield [*_box(region.box.clipped(page.width, page.height)), "region", ""]
    for number, box, text in places_of(found):
        if number == page.page:
            yield [*_box(box.clipped(page.width, page.height)), "hit", short(text)]


def _box(box: Box) -> list[float]:
    return [round(value, 1) for value in box]


def _percent(confidence: float) -> int:
    """Rounded down: nothing that is not wholly sure may read as 100."""
    return int(100 * confidence)
