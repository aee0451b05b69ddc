"""Logs as JSON lines that carry the request they belong to, and never what was recognised on a page."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import IO

_request: ContextVar[str | None] = ContextVar("request_id", default=None)

_LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}
_BUILT_IN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


@contextmanager
def bound_request(request_id: str) -> Iterator[None]:
    """Everything logged by this thread or task within the block carries ``request_id``."""
    token = _request.set(request_id)
    try:
        yield
    finally:
        _request.reset(token)


def current_request() -> str | None:
    """The id bound now, if any."""
    return _request.get()


class JsonFormatter(logging.Formatter):
    """One JSON object a line: time (UTC, ISO 8601), level, logger, message, request_id, and what ``extra`` holds."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as one line; a traceback goes in as one string."""
        entry: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, tz=UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        request_id = _request.get()
        if request_id is not None:
            entry["request_id"] = request_id
        entry |= {name: value for name, value in vars(record).items() if name not in _BUILT_IN}
        if record.exc_info:
            entry["trace"] = self.formatException(record.exc_info)
        return json.dumps(entry, ensure_ascii=False, default=str)


def configure_logging(level: str = "info", stream: IO[str] | None = None) -> None:
    """Send the package's logs at or above ``level`` to ``stream`` (standard error if None); calling it again replaces
    what it set up before. Other packages' loggers are left alone."""
    logger = logging.getLogger("mineru_core")
    for handler in [h for h in logger.handlers if isinstance(h.formatter, JsonFormatter)]:
        logger.removeHandler(handler)
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter())
    logger.addHandler(handler)
    logger.setLevel(_LEVELS[level])
    logger.propagate = False
