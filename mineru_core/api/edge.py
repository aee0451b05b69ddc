"""GET and POST /v1/document/edge: documents that were read at the edge, and what of their pictures is wanted."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends, File, Form, Query, Request, UploadFile
from fastapi.responses import Response
from pydantic import BaseModel, Field

from mineru_core.api.backend import Backend
from mineru_core.api.documents import (
    MAX_INSTRUCTION,
    AsyncField,
    EngineField,
    PageField,
    RegionField,
    Wishes,
    answer_to,
    only_known,
    taken,
)
from mineru_core.api.forms import arriving_files
from mineru_core.api.idempotency import KeyOfRequest
from mineru_core.api.tasks import TaskView, json_response, owner_of_call
from mineru_core.document.edge import MOST_PICTURES, EdgeDocument
from mineru_core.document.parts import BlockType
from mineru_core.errors import InvalidRequest
from mineru_core.export.result import DocumentResult
from mineru_core.instruct.selectors import parse_region
from mineru_core.intake.edge import EdgeFile, edge_document_of, write_edge_file
from mineru_core.intake.sniffing import EDGE_MARK
from mineru_core.jobs.comparisons import Upload
from mineru_core.serving.edge import EDGE_ENGINE, PART_OF_BLOCK

EDGE_PATH = "/v1/document/edge"
FIELDS = frozenset({"document", "picture", "instruction", "region", "page", "engine", "async"})
SEVERAL = frozenset({"region", "picture"})


class EdgeTerms(BaseModel):
    """What a server takes of those who read at the edge.

    ``engine`` is the engine that is meant; where one of the same name has read at the edge, nothing is read again.
    ``crops`` are the sorts of blocks whose pictures it is to be sent otherwise.
    """

    version: int = Field(default=1, description="of EdgeDocument")
    engine: str
    crops: tuple[BlockType, ...] = ()


def router(backend: Backend) -> APIRouter:
    """The routes, standing on ``backend``."""
    routes = APIRouter(tags=["documents"], route_class=arriving_files(backend))
    _add_terms(routes, backend)
    _add_edge(routes, backend)
    return routes


def _add_terms(routes: APIRouter, backend: Backend) -> None:
    @routes.get(EDGE_PATH, response_model=EdgeTerms)
    async def edge_terms(
        engine: Annotated[str | None, Query(description="name of the engine; empty: the server's own")] = None,
    ) -> Response:
        """What is to be sent with a document that is read at the edge."""
        return json_response(await backend.call(partial(_terms, backend, engine)))


def _add_edge(routes: APIRouter, backend: Backend) -> None:
    @routes.post(
        EDGE_PATH,
        response_model=DocumentResult,
        responses={202: {"model": TaskView, "description": "async=true: the task that answers"}},
        dependencies=[Depends(only_known(FIELDS, SEVERAL))],
    )
    async def edge(  # noqa: PLR0913, PLR0917  one argument a field
        request: Request,
        document: Annotated[
            UploadFile,
            File(
                description="an EdgeDocument as JSON, or the file that Client(edge=True) makes; named as the document"
            ),
        ],
        picture: Annotated[
            list[UploadFile] | None, File(description="the pictures that the JSON names, in its order")
        ] = None,
        instruction: Annotated[
            str, Form(max_length=MAX_INSTRUCTION, description="what is wanted; empty: everything")
        ] = "",
        region: RegionField = None,
        page: PageField = 1,
        engine: EngineField = None,
        asynchronous: AsyncField = False,
        key: KeyOfRequest = None,
    ) -> Response:
        """Answer the instruction from what was read of a document at the edge, as if its pages had been sent."""
        owner = owner_of_call(request)
        backend.service.refuse_if_full(owner)
        regions = [parse_region(text, page) for text in region or ()]
        upload = await taken(document)
        pictures = [await one.read() for one in (picture or ())[: MOST_PICTURES + 1]]
        data = await backend.submit(partial(_file, backend, upload.data, pictures, engine))
        upload = upload if data is upload.data else Upload(upload.name, data)  # put together from JSON and pictures
        wishes = Wishes(upload.name, instruction, owner, tuple(regions), engine)
        return await answer_to(backend, request, EDGE_PATH, upload, wishes, key, asynchronous=asynchronous)


def _terms(backend: Backend, name: str | None) -> EdgeTerms:
    analyzers = backend.service.analyzers
    name = analyzers.check(name)
    if name == EDGE_ENGINE:
        return EdgeTerms(engine=name)
    parts = analyzers.named(name).engine.capabilities
    return EdgeTerms(engine=name, crops=tuple(block for block, part in PART_OF_BLOCK.items() if part in parts))


def _file(backend: Backend, data: bytes, pictures: list[bytes], engine: str | None) -> bytes:
    """The document as the file it is kept as, checked. Raises what ``EdgeFile`` does, and ``InvalidRequest`` for what
    nobody here can put together."""
    limits = backend.settings.limits
    document: EdgeDocument
    if data.startswith(EDGE_MARK):
        if pictures:
            raise InvalidRequest("The file has its pictures in it.", "Send pictures beside JSON only.")
        document = EdgeFile(data, limits).document
    else:
        document = edge_document_of(data, limits)
        data = write_edge_file(document, pictures)
        EdgeFile(data, limits)
    readers = {EDGE_ENGINE, backend.service.analyzers.check(engine)}
    if document.engine not in readers:
        raise InvalidRequest(
            f"What the engine {document.engine} has read cannot be put together here.",
            f"Read it with one of: {', '.join(sorted(readers))}.",
        )
    return data
