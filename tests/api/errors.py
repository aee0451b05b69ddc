"""The one place that knows what an error of the API looks like."""

from __future__ import annotations

import httpx

FIELDS = {"code", "message", "hint", "request_id", "details"}


def assert_error(answer: httpx.Response, status: int, code: str) -> dict[str, object]:
    """The answer is an error in the one shape, with this status and code; returns its body."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    body: dict[str, object] = answer.json()
    busy = {"queue_fraction"} if status == 429 else set()
    assert set(body) - busy == FIELDS
    assert body["code"] == code
    assert isinstance(body["message"], str)
    assert body["message"]
    assert body["hint"], "every error names what to do"
    assert body["request_id"] == answer.headers["x-request-id"]
    assert isinstance(body["details"], list)
    for detail in body["details"]:
        assert set(detail) == {"place", "message"}
    return body
