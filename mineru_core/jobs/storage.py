"""What a caller is told where the home folder's disk or database fails."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from sqlalchemy.exc import SQLAlchemyError

from mineru_core.errors import StorageUnavailable

P = ParamSpec("P")
R = TypeVar("R")

_LOG = logging.getLogger(__name__)


def on_storage(function: Callable[P, R]) -> Callable[P, R]:
    """Turn a failing disk or database (full, read-only, locked for long) into ``StorageUnavailable``.

    The cause goes to the log, with its paths; the caller gets none of it.
    """

    @wraps(function)
    def told(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except (OSError, SQLAlchemyError) as error:
            _LOG.exception("the home folder failed", extra={"code": StorageUnavailable.code})
            raise StorageUnavailable("The server's storage failed; nothing was changed.") from error

    return told
