"""GET /ui/data/{job_id}?table=PAGE.INDEX&v=VERSION: a table of a job with its corrections, as the grid editor takes it.

For its owner's browser only. ``table`` names a table as the corrections do: the number of its page, from 1, and its
place among the tables there, from 0. ``v`` is a version of the job's corrections. The table is given as it is now, with
the version it is at: where that is ``v``, the answer never changes and the browser keeps it, else it is not kept. Texts
are JSON strings, never markup.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from functools import partial

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mineru_core.api.backend import Backend
from mineru_core.api.errors import in_one_shape
from mineru_core.api.middleware import owner_of
from mineru_core.document.table import Cell, Table
from mineru_core.errors import InvalidRequest, TokenRequired
from mineru_core.jobs.correction_log import TableId

HEADER, DOUBTFUL, EDITED = 1, 2, 4
"""Flags of a cell."""

FORM_VERSION = 1
"""Part of the ETag, and of the address that the editor asks for: raise it when the columns change."""

KEPT = "private, max-age=86400, immutable"
NOT_KEPT = "private, no-store"
_WORTH_PACKING = 4096  # bytes

_TABLE = re.compile(r"(\d{1,9})\.(\d{1,9})", re.ASCII)
_VERSION = re.compile(r"\d{1,9}", re.ASCII)


def routes(backend: Backend) -> list[Route]:
    """The route, standing on ``backend``."""

    async def table_data(request: Request) -> Response:
        owner = owner_of(request.scope)
        if owner is None:
            raise TokenRequired("Tables are shown to the browser that uploaded them.", "Open the app in this browser.")
        table, version = _table(request.query_params.get("table", "")), _version(request.query_params.get("v"))
        return await backend.call(partial(_answer, backend, request, owner, table, version))

    return [Route("/ui/data/{job_id}", in_one_shape(table_data), methods=["GET"])]


def table_columns(table: Table, version: int) -> dict[str, object]:
    """The table by columns: ``row``, ``col``, ``text`` and ``flags`` have an item for each cell, in reading order.
    ``spans`` are (number of the cell, rowspan, colspan) of those that span, ``sure`` (number of the cell, percent) of
    those that were not read for certain."""
    cells = table.cells
    return {
        "version": version,
        "rows": table.n_rows,
        "cols": table.n_cols,
        "caption": table.caption,
        "row": [cell.row for cell in cells],
        "col": [cell.col for cell in cells],
        "text": [cell.text for cell in cells],
        "flags": [flags_of(cell) for cell in cells],
        "spans": [[n, c.rowspan, c.colspan] for n, c in enumerate(cells) if c.rowspan > 1 or c.colspan > 1],
        "sure": [[n, int(100 * cell.confidence)] for n, cell in enumerate(cells) if cell.confidence < 1],
    }


def flags_of(cell: Cell) -> int:
    """What the editor marks the cell for."""
    return HEADER * cell.header | DOUBTFUL * cell.doubtful | EDITED * cell.edited


def _answer(backend: Backend, request: Request, owner: str, table_id: TableId, wanted: int | None) -> Response:
    job_id = request.path_params["job_id"]
    version, table = backend.service.corrections.table(job_id, owner, table_id)
    tag = _etag(job_id, table_id, version)
    headers = {
        "ETag": tag,
        "Cache-Control": KEPT if wanted == version else NOT_KEPT,
        "Vary": "Cookie, Accept-Encoding",
        "X-Content-Type-Options": "nosniff",
    }
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    data = json.dumps(table_columns(table, version), separators=(",", ":")).replace("<", "\\u003c").encode("ascii")
    if len(data) > _WORTH_PACKING and "gzip" in request.headers.get("accept-encoding", ""):
        data = gzip.compress(data, 1)
        headers["Content-Encoding"] = "gzip"
    return Response(data, media_type="application/json", headers=headers)


def _etag(job_id: str, table: TableId, version: int) -> str:
    key = f"{FORM_VERSION}/{job_id}/{table.page}.{table.index}/{version}"
    return f'"{hashlib.sha256(key.encode()).hexdigest()[:32]}"'


def _table(text: str) -> TableId:
    match = _TABLE.fullmatch(text)
    if match is None or match[1].strip("0") == "":
        raise InvalidRequest("table must be PAGE.INDEX, pages from 1 and tables from 0.", "Correct table.")
    return TableId(page=int(match[1]), index=int(match[2]))


def _version(text: str | None) -> int | None:
    if text is not None and not _VERSION.fullmatch(text):
        raise InvalidRequest("v must be the number of a version.", "Correct v, or leave it out.")
    return None if text is None else int(text)
