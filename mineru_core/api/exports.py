"""GET /v1/tasks/{id}/export/{format}: the result of a task as a file."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Literal
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from mineru_core.api.backend import Backend
from mineru_core.api.tasks import error_of, jobs_behind, owner_of_call
from mineru_core.errors import InvalidRequest, NotFound
from mineru_core.export import result_to_xlsx, safe_name, write_files
from mineru_core.export.result import DocumentResult
from mineru_core.jobs.comparisons import is_comparison

ExportFormat = Literal["csv", "xlsx", "md", "json", "html", "txt", "content_list", "csv_long", "pdf", "zip"]

MEDIA_TYPES = {
    ".csv": "text/csv; charset=utf-8",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".md": "text/markdown; charset=utf-8",
    ".json": "application/json",
    ".html": "text/html; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".pdf": "application/pdf",
    ".zip": "application/zip",
}
_DESCRIPTION = """The result of a task that is done, as a file: what `mineru-workbench analyze --format` writes. Several
files, such as a CSV for each table, come as one ZIP; `xlsx` is one workbook, `pdf` the searchable PDF."""


def router(backend: Backend) -> APIRouter:
    """The route, standing on ``backend``."""
    routes = APIRouter(tags=["tasks"])
    binary = {"schema": {"type": "string", "format": "binary"}}

    @routes.get(
        "/v1/tasks/{task_id}/export/{form}",
        response_class=Response,
        description=_DESCRIPTION,
        responses={200: {"content": {media.partition(";")[0]: binary for media in MEDIA_TYPES.values()}}},
    )
    async def export_task(
        request: Request,
        task_id: str,
        form: ExportFormat,
        no_csv_guard: Annotated[bool, Query(description="leave CSV cells that look like formulas as they are")] = False,
    ) -> Response:
        # Those that hold pages' pixels have few threads to themselves.
        run = backend.draw if form in {"pdf", "zip"} else backend.call
        return await run(partial(_export, backend, task_id, owner_of_call(request), form, not no_csv_guard))

    return routes


def _export(backend: Backend, task_id: str, owner: str, form: ExportFormat, guard: bool) -> Response:
    result = jobs_behind(backend, task_id).result(task_id, owner)
    error = error_of(result)
    if error is not None:
        raise error.to_error()
    if form == "xlsx":
        answer = result.answer
        if not (result.tables or result.charts or answer.fields or answer.changes or answer.quotes):
            raise _nothing(form)
        return _file(f"{safe_name(result.source)}.xlsx", result_to_xlsx(result))
    files = _written(backend, task_id, owner, result, form, guard)
    if not files:
        raise _nothing(form)
    if len(files) == 1:
        return _file(*files[0])
    return _file(f"{safe_name(result.source)}.{form}.zip", _zipped(files))


def _written(
    backend: Backend, task_id: str, owner: str, result: DocumentResult, form: ExportFormat, guard: bool
) -> list[tuple[str, bytes]]:
    """Names and bytes of the files of one format."""
    with TemporaryDirectory(prefix="workbench-export-") as folder, ExitStack() as opened:
        pages = None
        if form in {"pdf", "zip"} and not is_comparison(task_id):
            document = opened.enter_context(backend.service.document(task_id, owner))
            if document.edge is None or document.edge.has_pictures:
                pages = document.page
            elif form == "pdf":
                raise InvalidRequest("The document came without the pictures of its pages.", "Send them along with it.")
        if form == "pdf" and pages is None:
            raise InvalidRequest("A comparison has no searchable PDF.", "Ask for one of either document.")
        paths = write_files(result, Path(folder), [form], guard=guard, pages=pages)
        return [(path.name, path.read_bytes()) for path in paths]


def _zipped(files: Sequence[tuple[str, bytes]]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            archive.writestr(name, data)
    return out.getvalue()


def _file(name: str, data: bytes) -> Response:
    plain = "".join(c if c.isascii() and c not in '"\\' else "_" for c in name)
    headers = {"Content-Disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"}
    return Response(data, media_type=MEDIA_TYPES[Path(name).suffix], headers=headers)


def _nothing(form: str) -> NotFound:
    return NotFound(f"The result holds nothing that is written as {form}.", "Ask for another format, such as md.")
