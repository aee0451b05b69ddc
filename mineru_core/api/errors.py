"""One shape for every error the HTTP API answers with, and the handlers that bring all errors into it."""

from __future__ import annotations

import logging
import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import wraps
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Scope

from mineru_core.errors import (
    Busy,
    DeadlineExceeded,
    FileTooLarge,
    InvalidRequest,
    NotFound,
    TokenRequired,
    WorkbenchError,
)

REQUEST_ID_KEY = "workbench_request_id"
METHOD_NOT_ALLOWED = 405
UNAUTHORIZED = 401

# What RFC 6750, 3.1, calls these.
INVALID_TOKEN = 'error="invalid_token"'
INSUFFICIENT_SCOPE = 'error="insufficient_scope"'

Handler = Callable[[Request], Awaitable[Response]]

_log = logging.getLogger(__name__)


class ErrorDetail(BaseModel):
    """One thing that is wrong: ``place`` names the field, ``message`` says what about it."""

    place: str
    message: str


class ErrorBody(BaseModel):
    """What every error of the API looks like. ``code`` is stable; ``message`` and ``hint`` are for people."""

    code: str = Field(description="stable kebab-case name, such as file-too-large")
    message: str = Field(description="what happened")
    hint: str = Field(description="what to do about it")
    request_id: str = Field(description="also in the X-Request-ID header; name it when you report a problem")
    details: list[ErrorDetail] = Field(default_factory=list, description="what is wrong, field by field")
    queue_fraction: float | None = Field(
        default=None, description="of a busy server: share of its places that is taken, 0 to 1"
    )


class UploadRefused(HTTPException):
    """A body is not read to its end; an HTTPException because FastAPI turns others raised in a body into 400."""

    def __init__(self, status: int, error: WorkbenchError) -> None:
        super().__init__(status_code=status)
        self.error = error


class UploadTooLarge(UploadRefused):
    """More bytes than allowed came in."""

    def __init__(self, max_bytes: int) -> None:
        super().__init__(413, too_large(max_bytes))


class UploadTooSlow(UploadRefused):
    """The bytes have stopped coming, or trickle."""

    def __init__(self) -> None:
        super().__init__(408, DeadlineExceeded("The upload stopped on its way.", "Send the file again."))


NO_SUCH_PATH = NotFound("There is nothing at this path.", "Check the path.")
"""What is answered at paths that are none; it is never raised."""


def too_large(max_bytes: int) -> FileTooLarge:
    """The error of an upload above ``max_bytes`` bytes."""
    return FileTooLarge(f"The upload has more than {max_bytes:,} bytes.")


def request_id_of(scope: Scope) -> str:
    """The id the middleware gave to this request; "" where no middleware ran."""
    return str(scope.get(REQUEST_ID_KEY, ""))


def error_response(
    scope: Scope,
    error: WorkbenchError,
    details: Sequence[ErrorDetail] = (),
    *,
    status: int | None = None,
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    """The answer to a request that ended in ``error``; a busy server also says when to come back and how full it is,
    one that asks for a token for which.

    ``status`` stands in for the error's own where HTTP has a more telling one.
    """
    sent = dict(headers or {})
    if isinstance(error, Busy) and error.retry_after_s is not None:
        sent["Retry-After"] = str(max(1, math.ceil(error.retry_after_s)))
    if isinstance(error, TokenRequired) and error.challenge is not None:
        sent["WWW-Authenticate"] = f"Bearer {error.challenge}".strip()
        status = status or (error.http_status if INSUFFICIENT_SCOPE in error.challenge else UNAUTHORIZED)
    body = ErrorBody(
        code=error.code,
        message=error.message,
        hint=error.hint,
        request_id=request_id_of(scope),
        details=list(details),
        queue_fraction=error.queue_fraction if isinstance(error, Busy) else None,
    )
    return JSONResponse(body.model_dump(exclude_none=True), status_code=status or error.http_status, headers=sent)


def refused_upload(scope: Scope, error: WorkbenchError, status: int | None = None) -> JSONResponse:
    """The answer to an upload that is not read to its end: the connection ends with it, and so does the sending."""
    return error_response(scope, error, status=status, headers={"Connection": "close"})


def install_handlers(app: FastAPI) -> None:
    """Bring every error of ``app`` into the one shape: ours, FastAPI's, unknown paths and bugs."""
    app.add_exception_handler(WorkbenchError, _handle_workbench_error)
    app.add_exception_handler(RequestValidationError, _handle_validation)
    app.add_exception_handler(HTTPException, _handle_http)
    app.add_exception_handler(Exception, _handle_bug)


def in_one_shape(handler: Handler) -> Handler:
    """A handler outside FastAPI whose errors are answered in the one shape, bugs too."""

    @wraps(handler)
    async def guarded(request: Request) -> Response:
        try:
            return await handler(request)
        except WorkbenchError as error:
            return error_response(request.scope, error)
        except Exception as error:  # noqa: BLE001  the boundary: logged, and answered as code internal
            return await _handle_bug(request, error)

    return guarded


async def _handle_workbench_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, WorkbenchError)
    return error_response(request.scope, error)


async def _handle_validation(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    details = [ErrorDetail(place=_place(e["loc"]), message=_told(e)) for e in error.errors()]
    names = ", ".join(dict.fromkeys(d.place for d in details if d.place))
    return error_response(
        request.scope, InvalidRequest(f"The request is not valid: {names or 'see details'}."), details
    )


async def _handle_http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    if isinstance(error, UploadRefused):
        return refused_upload(request.scope, error.error, error.status_code)
    if error.status_code == NotFound.http_status:
        return error_response(request.scope, NO_SUCH_PATH)
    if error.status_code == METHOD_NOT_ALLOWED:
        headers = error.headers or {}
        fault = InvalidRequest("This path has no such method.", f"Use {headers.get('Allow', 'another method')}.")
        return error_response(request.scope, fault, status=METHOD_NOT_ALLOWED, headers=headers)
    fault = InvalidRequest("The request cannot be understood.", "Send multipart/form-data with a file.")
    return error_response(request.scope, fault)


async def _handle_bug(request: Request, error: Exception) -> JSONResponse:
    _log.error("request %s broke", request_id_of(request.scope), exc_info=error)
    fault = WorkbenchError("Something broke on the server.", "Try again; if it stays, report it with the request id.")
    return error_response(request.scope, fault)


def _told(fault: Mapping[str, Any]) -> str:
    """What is wrong with a field, without the names of the program's own types."""
    message = str(fault["msg"])
    return "A file is to be sent here" if "UploadFile" in message else message


def _place(loc: Sequence[Any]) -> str:
    """The field's name, without the word for where it travels ("body", "query")."""
    return ".".join(str(part) for part in loc[1:])
