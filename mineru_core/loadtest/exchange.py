"""What is sent to the HTTP API and what its answers say, in bytes: nothing here sends anything."""

from __future__ import annotations

import json
import re
from typing import Any

from mineru_core.loadtest.supply import Request

PARSE_PATH = "/api/v1/document/parse"
TASK_PATH = "/api/v1/tasks/"
BOUNDARY = "workbench-load-test-3c1d5f0a9b"
FORM_TYPE = f"multipart/form-data; boundary={BOUNDARY}"

REFUSED = 429
"""Status of an answer that turns a request away."""


def multipart(request: Request, *, asynchronous: bool) -> bytes:
    """The form that hands a document in."""
    parts: list[bytes] = []
    fields = {"instruction": request.words} | ({"async": "true"} if asynchronous else {})
    for name, value in fields.items():
        parts.append(f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode())
    # Quotes and line ends would end the field: what is left is enough of a name.
    name = re.sub(r'["\\\r\n]', "_", request.document.name)
    disposition = f'Content-Disposition: form-data; name="file"; filename="{name}"'
    parts += [f"--{BOUNDARY}\r\n{disposition}\r\n\r\n".encode(), request.document.data]
    parts.append(f"\r\n--{BOUNDARY}--\r\n".encode())
    return b"".join(parts)


def is_right(content: bytes, expected: tuple[bytes, ...]) -> bool:
    """Whether no page of the answer failed, and at least half of the expected words are in it.

    Looked for in the bytes: parsing a large answer would keep everybody else's clock waiting.
    """
    if content.count(b'"failures":[') != content.count(b'"failures":[]'):
        return False
    return 2 * sum(word in content for word in expected) >= len(expected)


def timings_of(content: bytes) -> dict[str, float]:
    """The seconds by stage that an answer tells; empty where it tells none."""
    start = content.rfind(b'"timings":{')
    end = content.find(b"}", start)
    if start < 0 or end < 0:
        return {}
    try:
        found = json.loads(content[start + len(b'"timings":') : end + 1])
    except ValueError:
        return {}
    return {str(name): float(value) for name, value in found.items() if isinstance(value, int | float)}


def error_of(content: bytes, status: int) -> tuple[str, float | None]:
    """Code and queue fraction of an error; "overloaded" or "http-STATUS" where the server has another shape of
    errors."""
    found = _object(content)
    code, fraction = found.get("code"), found.get("queue_fraction")
    default = "overloaded" if status == REFUSED else f"http-{status}"
    return (code if isinstance(code, str) else default), (fraction if isinstance(fraction, int | float) else None)


def task_of(content: bytes) -> str:
    """The id of the task that an answer names; "" where it names none."""
    return str(_object(content).get("task_id", ""))


def state_of(content: bytes) -> tuple[str, str]:
    """A task's state, and the code of its error (its state, where it has none)."""
    found = _object(content)
    state, error = str(found.get("state", "unknown")), found.get("error")
    return state, str(error.get("code", state)) if isinstance(error, dict) else state


def retry_after(headers: Any) -> float:
    """Seconds an answer asks to stay away for, by its headers (a mapping, or none); 0 where it does not ask."""
    try:
        return float(headers.get("retry-after") or 0) if headers else 0.0
    except ValueError:  # a date
        return 0.0


def _object(content: bytes) -> dict[str, Any]:
    """The JSON object; an empty one for what is none."""
    try:
        found = json.loads(content)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
