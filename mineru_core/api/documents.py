"""POST /v1/document/parse: a document and words in, the result or a task's id out."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends, File, Form, Request, UploadFile
from fastapi.responses import Response

from mineru_core.api.backend import Backend
from mineru_core.api.tasks import TaskView, finished_result, json_response, owner_of_call, view_of, wait_for
from mineru_core.errors import FileTooLarge, InvalidRequest
from mineru_core.export.result import DocumentResult
from mineru_core.instruct.selectors import parse_region

API_PREFIX = "/api"
"""Where the server mounts the API."""

MAX_INSTRUCTION = 4000
FILE_HELP = (
    "a picture (PNG, JPEG, WebP, TIFF, BMP, GIF, HEIC, AVIF, JPEG 2000), a PDF or an Office file (PPTX, DOCX, XLSX), "
    "told apart by content"
)
FIELDS = frozenset({"file", "instruction", "region", "page", "engine", "password", "async"})


async def only_known_fields(request: Request) -> None:
    """Refuse what would be ignored: a misspelt field, a field in the query, a field that is given twice."""
    form = await request.form()
    unknown = sorted(set(form) - FIELDS | set(request.query_params))
    if unknown:
        known = ", ".join(sorted(FIELDS))
        raise InvalidRequest(f"Unknown field: {', '.join(unknown)[:200]}.", f"Send these as form fields: {known}.")
    repeated = [name for name in FIELDS - {"region"} if len(form.getlist(name)) > 1]
    if repeated:
        raise InvalidRequest(f"Given more than once: {', '.join(sorted(repeated))}.", "Send one document a request.")


def router(backend: Backend) -> APIRouter:
    """The route, standing on ``backend``."""
    routes = APIRouter(tags=["documents"], dependencies=[Depends(only_known_fields)])

    @routes.post(
        "/v1/document/parse",
        response_model=DocumentResult,
        responses={202: {"model": TaskView, "description": "async=true: the task that reads the document"}},
    )
    async def parse(
        request: Request,
        file: Annotated[UploadFile, File(description=FILE_HELP)],
        instruction: Annotated[
            str,
            Form(max_length=MAX_INSTRUCTION, description="what is wanted, in Chinese or English; empty: everything"),
        ] = "",
        region: Annotated[
            list[str] | None, Form(description="x0,y0,x1,y1 in page pixels, or x0,y0,x1,y1,page; may be repeated")
        ] = None,
        page: Annotated[int, Form(ge=1, description="page of the regions that name none, from 1")] = 1,
        engine: Annotated[
            str | None, Form(description="name of the engine that reads it; empty: the server's own")
        ] = None,
        password: Annotated[str | None, Form(description="opens an encrypted PDF; never stored")] = None,
        asynchronous: Annotated[
            bool, Form(alias="async", description="true: answer at once with a task to ask for")
        ] = False,
    ) -> Response:
        """Read a document and answer the instruction."""
        owner = owner_of_call(request)
        backend.service.refuse_if_full(owner)  # here, where no queue of threads keeps the refusal waiting
        regions = [parse_region(text, page) for text in region or ()]
        data = await _bytes_of(file, backend.settings.limits.max_file_bytes)
        job = await backend.call(
            partial(
                backend.service.submit,
                data,
                name=file.filename or "document",
                words=instruction,
                owner=owner,
                regions=regions,
                engine=engine,
                password=password or None,
            )
        )
        if asynchronous:
            return json_response(view_of(job), status=202, location=f"{API_PREFIX}/v1/tasks/{job.id}")
        job = await wait_for(backend, request, job)
        return await finished_result(backend, job)

    return routes


async def _bytes_of(file: UploadFile, max_bytes: int) -> bytes:
    """The uploaded bytes. Raises ``FileTooLarge``: what else came in the form does not count against the file."""
    if file.size is not None and file.size > max_bytes:
        raise FileTooLarge(f"The upload has {file.size:,} bytes; at most {max_bytes:,} are taken.")
    return await file.read()
