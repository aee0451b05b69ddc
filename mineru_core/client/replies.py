"""From the server's answers to models and to the library's errors."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from mineru_core.client.steps import Reply
from mineru_core.errors import (
    Busy,
    EngineUnavailable,
    FileTooLarge,
    NotFound,
    RateLimited,
    StorageUnavailable,
    TokenRequired,
    WorkbenchError,
    error_of_code,
)

M = TypeVar("M", bound=BaseModel)

_PASSING = (Busy, EngineUnavailable, StorageUnavailable)
"""Errors that may be over in a moment."""

_OF_PROXIES = frozenset({429, 502, 503, 504})
_BY_STATUS: dict[int, type[WorkbenchError]] = {
    401: TokenRequired,
    403: TokenRequired,
    404: NotFound,
    413: FileTooLarge,
    429: RateLimited,
}
"""What a proxy's own answer means."""

_NO_WORKBENCH = "Check the address, and the proxy if there is one: this answer is not of a MinerU Workbench."


def model_of(reply: Reply, model: type[M]) -> M:
    """The body as a model. Raises ``EngineUnavailable`` for an answer that is none of the API's."""
    try:
        return model.model_validate_json(reply.body)
    except ValidationError as error:
        raise EngineUnavailable("The server's answer cannot be understood.", _NO_WORKBENCH) from error


def error_of(reply: Reply) -> WorkbenchError:
    """The error that the answer tells of: of the library's class with its code, the request's id in a note."""
    body = _error_body(reply)
    if body is None:
        kind = _BY_STATUS.get(reply.status, EngineUnavailable)
        return kind(f"The server, or a proxy before it, answered {reply.status}.", _NO_WORKBENCH)
    error = error_of_code(body["code"], body["message"], body["hint"])
    if isinstance(error, Busy):
        error.retry_after_s = reply.retry_after_s
        fraction = body.get("queue_fraction")
        error.queue_fraction = float(fraction) if isinstance(fraction, int | float) else None
    for detail in body.get("details") or ():
        error.add_note(f"{detail.get('place', '')}: {detail.get('message', '')}")
    error.add_note(f"request id: {body.get('request_id', '')}")
    return error


def may_pass(reply: Reply, error: WorkbenchError) -> bool:
    """Whether the same request may go well in a moment."""
    if _error_body(reply) is None:
        return reply.status in _OF_PROXIES
    return isinstance(error, _PASSING)


def _error_body(reply: Reply) -> dict[str, Any] | None:
    """The body, if it has the shape that errors of the API have."""
    try:
        body = json.loads(reply.body)
    except ValueError:
        return None
    shaped = isinstance(body, dict) and all(isinstance(body.get(name), str) for name in ("code", "message", "hint"))
    return body if shaped else None
