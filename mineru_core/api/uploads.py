"""POST /ui/upload?name=NAME: a file from the page of its owner, kept until something is asked of it; DELETE
/ui/upload/{id} gives it up again. The answer to an upload: ``{"id", "name", "size"}``."""

from __future__ import annotations

from functools import partial

import anyio
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from mineru_core.api.backend import Backend
from mineru_core.api.errors import error_response, in_one_shape, refused_upload, too_large
from mineru_core.api.middleware import drain, owner_of
from mineru_core.errors import Cancelled, DeadlineExceeded, FileTooLarge, TokenRequired, WorkbenchError
from mineru_core.jobs.uploads import KeptUpload
from mineru_core.store.blobs import Incoming

IDLE_S = 30.0
"""Seconds in which nothing of an upload comes, after which it is given up."""

BUFFER_BYTES = 1 << 20
"""Bytes of an upload that are held before they are written to disk."""

REQUEST_TIMEOUT = 408


def routes(backend: Backend) -> list[Route]:
    """The routes, standing on ``backend``."""

    async def upload(request: Request) -> Response:
        try:
            owner = _owner_here(request)
            name = request.query_params.get("name", "")
            kept = await _receive(backend, request, name, owner)
        except FileTooLarge as error:
            # A client that asked first (Expect: 100-continue) is waiting for leave to send: there is nothing to take.
            if "100-continue" not in request.headers.get("expect", ""):
                await drain(request.receive)
            return refused_upload(request.scope, error)
        except DeadlineExceeded as error:
            return error_response(request.scope, error, status=REQUEST_TIMEOUT, headers={"Connection": "close"})
        except WorkbenchError as error:
            return error_response(request.scope, error, headers={"Connection": "close"})
        answer = {"id": kept.id, "name": kept.name, "size": kept.size}
        return JSONResponse(answer, status_code=201, headers={"Cache-Control": "no-store"})

    async def forget(request: Request) -> Response:
        owner = _owner_here(request)
        await backend.call(partial(backend.service.uploads.forget, request.path_params["upload_id"], owner))
        return Response(status_code=204)

    return [
        Route("/ui/upload", in_one_shape(upload), methods=["POST"]),
        Route("/ui/upload/{upload_id}", in_one_shape(forget), methods=["DELETE"]),
    ]


def _owner_here(request: Request) -> str:
    """The browser's owner. Raises ``TokenRequired`` for a browser without one, and for another site's page in it:
    browsers say with every POST and DELETE which page sends it."""
    owner = owner_of(request.scope)
    if owner is None:
        raise TokenRequired("Files are taken from pages of this app.", "Open the app in this browser.")
    host = request.headers.get("host", "")
    if request.headers.get("origin") not in (f"http://{host}", f"https://{host}"):
        raise TokenRequired("Files are taken from this app's own pages only.", "Upload from the page itself.")
    return owner


async def _receive(backend: Backend, request: Request, name: str, owner: str) -> KeptUpload:
    """Take the body to disk as it comes. Raises ``FileTooLarge`` as soon as it is, by what is declared or counted, and
    what ``Uploads.check`` raises of a file that cannot be read."""
    uploads, limit = backend.service.uploads, backend.settings.limits.max_file_bytes
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > limit:
        raise too_large(limit)
    incoming = await backend.call(uploads.receive)
    try:
        await _take_body(backend, request, incoming, limit)
        await backend.call(partial(uploads.check, incoming))
        return await backend.call(partial(uploads.keep, incoming, name, owner))
    finally:
        with anyio.CancelScope(shield=True):
            await backend.call(incoming.close)


async def _take_body(backend: Backend, request: Request, incoming: Incoming, limit: int) -> None:
    held, received, more = bytearray(), 0, True
    while more:
        try:
            with anyio.fail_after(IDLE_S):
                message = await request.receive()
        except TimeoutError:
            raise DeadlineExceeded("The upload stopped on its way.", "Upload the file again.") from None
        if message["type"] != "http.request":
            raise Cancelled("The upload was broken off.")
        body, more = message.get("body", b""), message.get("more_body", False)
        received += len(body)
        if received > limit:
            raise too_large(limit)
        held += body
        if len(held) >= BUFFER_BYTES or (held and not more):
            await backend.call(partial(backend.service.uploads.write, incoming, held))
            held = bytearray()
