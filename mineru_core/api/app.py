"""The FastAPI application that is mounted under /api."""

from __future__ import annotations

from fastapi import FastAPI

from mineru_core.api import documents, tasks
from mineru_core.api.backend import Backend
from mineru_core.api.errors import ErrorBody, install_handlers
from mineru_core.api.middleware import BodyLimit, LoopbackOnly
from mineru_core.version import __version__

ERROR_STATUSES = (403, 404, 409, 413, 422, 429, 500, 503, 504)


def create_api(backend: Backend) -> FastAPI:
    """The API on ``backend``, which somebody else starts and stops, behind ``RequestId``."""
    app = FastAPI(
        title="MinerU Workbench",
        version=__version__,
        summary="Scans, PDF pages and slide screenshots to text, tables and chart data.",
        docs_url=None,  # its page loads scripts from another host
        redoc_url=None,
        responses={status: {"model": ErrorBody} for status in ERROR_STATUSES},
    )
    install_handlers(app)
    # The last added runs first: who may call comes before how much may come.
    app.add_middleware(
        BodyLimit, max_file_bytes=backend.settings.limits.max_file_bytes, two_files=documents.COMPARE_PATH
    )
    app.add_middleware(LoopbackOnly)
    app.include_router(documents.router(backend))
    app.include_router(tasks.router(backend))
    return app
