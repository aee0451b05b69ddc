"""POST /v1/document/parse and /v1/document/compare: documents in, the result or a task's id out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Annotated, NamedTuple

from fastapi import APIRouter, Depends, File, Form, Request, UploadFile
from fastapi.responses import Response

from mineru_core.api.backend import Backend
from mineru_core.api.forms import ArrivingFile, arriving_files
from mineru_core.api.idempotency import Asked, KeyOfRequest
from mineru_core.api.tasks import (
    TaskView,
    finished_result,
    jobs_behind,
    json_response,
    owner_of_call,
    view_of,
    wait_for,
)
from mineru_core.document.task import Region
from mineru_core.errors import InvalidRequest
from mineru_core.export.result import DocumentResult
from mineru_core.instruct.selectors import parse_region
from mineru_core.jobs.comparisons import Upload
from mineru_core.jobs.known_answers import known_answer
from mineru_core.jobs.model import Job
from mineru_core.serving.comparing import COMPARISON

API_PREFIX = "/api"
"""Where the server mounts the API."""

MAX_INSTRUCTION = 4000
FILE_HELP = (
    "a picture (PNG, JPEG, WebP, TIFF, BMP, GIF, HEIC, AVIF, JPEG 2000), a PDF or an Office file (PPTX, DOCX, XLSX), "
    "told apart by content"
)
FIELDS = frozenset({"file", "instruction", "region", "page", "engine", "password", "async"})
COMPARED_FIELDS = frozenset({"before", "after", "instruction", "engine", "password", "async"})

PARSE_PATH, COMPARE_PATH = "/v1/document/parse", "/v1/document/compare"

EngineField = Annotated[str | None, Form(description="name of the engine that reads it; empty: the server's own")]
PasswordField = Annotated[str | None, Form(description="opens an encrypted PDF; never stored")]
RegionField = Annotated[
    list[str] | None, Form(description="x0,y0,x1,y1 in page pixels, or x0,y0,x1,y1,page; may be repeated")
]
PageField = Annotated[int, Form(ge=1, description="page of the regions that name none, from 1")]
AsyncField = Annotated[bool, Form(alias="async", description="true: answer at once with a task to ask for")]


class Wishes(NamedTuple):
    """What is asked of a document, as ``JobService.submit`` is told it."""

    name: str
    words: str
    owner: str
    regions: tuple[Region, ...] = ()
    engine: str | None = None


def only_known(
    fields: frozenset[str], several: frozenset[str] = frozenset({"region"})
) -> Callable[[Request], Awaitable[None]]:
    """Refuses what would be ignored: a misspelt field, a field in the query, a field that is given twice, unless it is
    one of those that may be there several times."""

    async def check(request: Request) -> None:
        form = await request.form()
        unknown = sorted(set(form) - fields | set(request.query_params))
        if unknown:
            known = ", ".join(sorted(fields))
            raise InvalidRequest(f"Unknown field: {', '.join(unknown)[:200]}.", f"Send these as form fields: {known}.")
        repeated = [name for name in fields - several if len(form.getlist(name)) > 1]
        if repeated:
            named = ", ".join(sorted(repeated))
            raise InvalidRequest(f"Given more than once: {named}.", "Send one document a request.")

    return check


def router(backend: Backend) -> APIRouter:
    """The routes, standing on ``backend``."""
    routes = APIRouter(tags=["documents"], route_class=arriving_files(backend))
    _add_parse(routes, backend)
    _add_compare(routes, backend)
    return routes


def _add_parse(routes: APIRouter, backend: Backend) -> None:
    @routes.post(
        PARSE_PATH,
        response_model=DocumentResult,
        responses={202: {"model": TaskView, "description": "async=true: the task that reads the document"}},
        dependencies=[Depends(only_known(FIELDS))],
    )
    async def parse(  # noqa: PLR0913, PLR0917  one argument a field
        request: Request,
        file: Annotated[UploadFile, File(description=FILE_HELP)],
        instruction: Annotated[
            str,
            Form(max_length=MAX_INSTRUCTION, description="what is wanted, in Chinese or English; empty: everything"),
        ] = "",
        region: RegionField = None,
        page: PageField = 1,
        engine: EngineField = None,
        password: PasswordField = None,
        asynchronous: AsyncField = False,
        key: KeyOfRequest = None,
    ) -> Response:
        """Read a document and answer the instruction."""
        owner = owner_of_call(request)
        backend.service.refuse_if_full(owner)  # here, where no queue of threads keeps the refusal waiting
        regions = [parse_region(text, page) for text in region or ()]
        upload = await taken(file)
        wishes = Wishes(upload.name, instruction, owner, tuple(regions), engine)
        return await answer_to(
            backend, request, PARSE_PATH, upload, wishes, key, asynchronous=asynchronous, password=password or None
        )


def _add_compare(routes: APIRouter, backend: Backend) -> None:
    @routes.post(
        COMPARE_PATH,
        response_model=DocumentResult,
        responses={202: {"model": TaskView, "description": "async=true: the task that compares the documents"}},
        dependencies=[Depends(only_known(COMPARED_FIELDS))],
    )
    async def compare(
        request: Request,
        before: Annotated[UploadFile, File(description=f"the earlier document: {FILE_HELP}")],
        after: Annotated[UploadFile, File(description="the later document")],
        instruction: Annotated[
            str, Form(max_length=MAX_INSTRUCTION, description="words that ask what changed; may be left out")
        ] = COMPARISON.words,
        engine: EngineField = None,
        password: PasswordField = None,
        asynchronous: AsyncField = False,
        key: KeyOfRequest = None,
    ) -> Response:
        """Read two documents and tell what changed from the earlier to the later one."""
        owner = owner_of_call(request)
        backend.service.refuse_if_full(owner)
        uploads = [await taken(before, "before"), await taken(after, "after")]
        submit = partial(
            backend.service.comparisons.submit,
            *uploads,
            words=instruction or COMPARISON.words,
            owner=owner,
            engine=engine,
            password=password or None,
        )
        asked = Asked((COMPARE_PATH, instruction, engine, asynchronous), tuple(upload.data for upload in uploads))
        job = await _submitted(backend, owner, submit, key, asked)
        return await _answer(backend, request, job, asynchronous=asynchronous)


async def answer_to(
    backend: Backend,
    request: Request,
    path: str,
    upload: Upload,
    wishes: Wishes,
    key: str | None,
    *,
    asynchronous: bool,
    password: str | None = None,
) -> Response:
    """The answer to a document posted to ``path``: what is known already, the task's view, or its result."""
    if not asynchronous and key is None and not password:
        known = await backend.submit(partial(_known, backend, upload.data, wishes))
        if known is not None:
            return known
    submit = partial(
        backend.service.submit, upload.data, **wishes._asdict(), password=password, incoming=upload.incoming
    )
    asked = Asked((path, wishes.words, [*wishes.regions], wishes.engine, asynchronous), (upload.data,))
    job = await _submitted(backend, wishes.owner, submit, key, asked)
    return await _answer(backend, request, job, asynchronous=asynchronous)


def _known(backend: Backend, data: bytes, wishes: Wishes) -> Response | None:
    """The answer that is known already; None where a job has to find it."""
    found = known_answer(backend.service, data, **wishes._asdict())
    return None if found is None else json_response(found)


async def _submitted(backend: Backend, owner: str, submit: Callable[[], Job], key: str | None, asked: Asked) -> Job:
    """The job that is made now, or the one that the same request with the same key has made before."""
    if key is None:
        return await backend.submit(submit)

    def get(task_id: str) -> Job:
        return jobs_behind(backend, task_id).get(task_id, owner)

    def cancel(task_id: str) -> Job:
        return jobs_behind(backend, task_id).cancel(task_id, owner)

    return await backend.submit(
        partial(backend.idempotency.submit_once, owner, key, asked, submit=submit, get=get, cancel=cancel)
    )


async def _answer(backend: Backend, request: Request, job: Job, *, asynchronous: bool) -> Response:
    """The task's view at once, or its result once it has ended."""
    if asynchronous:
        return json_response(view_of(job), status=202, location=f"{API_PREFIX}/v1/tasks/{job.id}")
    job = await wait_for(backend, request, job)
    return await finished_result(backend, job)


async def taken(file: UploadFile, name: str = "document") -> Upload:
    """A file of a form, whole; ``name`` where the form gives none."""
    incoming = file.incoming if isinstance(file, ArrivingFile) else None
    return Upload(file.filename or name, await file.read(), incoming)
