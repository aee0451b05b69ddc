"""The FastAPI application that is mounted under /api."""

from __future__ import annotations

from typing import Any

from fastapi import Depends, FastAPI
from fastapi.middleware.cors import CORSMiddleware
from fastapi.security import HTTPBearer

from mineru_core.api import documents, edge, events, exports, tasks
from mineru_core.api.access import AccessControl
from mineru_core.api.backend import Backend
from mineru_core.api.errors import ErrorBody, install_handlers
from mineru_core.api.limits import Submissions
from mineru_core.api.middleware import BodyLimit
from mineru_core.api.pace import BodyPace
from mineru_core.document.edge import EdgeDocument
from mineru_core.version import __version__

ERROR_STATUSES = (401, 403, 404, 408, 409, 413, 422, 429, 500, 503, 504)

BEARER = HTTPBearer(auto_error=False, description="made by `mineru-workbench token create NAME`")
"""For the description alone: ``AccessControl`` decides."""

SUBMISSIONS = (documents.PARSE_PATH, documents.COMPARE_PATH, edge.EDGE_PATH)
"""Ends of the paths that documents are posted to."""

EXPOSED = (
    "Location",
    "Retry-After",
    "RateLimit-Limit",
    "RateLimit-Policy",
    "RateLimit-Remaining",
    "RateLimit-Reset",
    "X-Request-ID",
)
"""Headers of answers that scripts of allowed pages may read."""


class _Api(FastAPI):
    """The application; its description also says what an edge document is, which travels as a file."""

    def openapi(self) -> dict[str, Any]:
        if self.openapi_schema is None:
            schemas = super().openapi()["components"]["schemas"]
            edge_document = EdgeDocument.model_json_schema(ref_template="#/components/schemas/{model}")
            for name, schema in {**edge_document.pop("$defs"), "EdgeDocument": edge_document}.items():
                schemas.setdefault(name, schema)
        return super().openapi()


def create_api(backend: Backend) -> FastAPI:
    """The API on ``backend``, which somebody else starts and stops, behind ``RequestId``."""
    app = _Api(
        title="MinerU Workbench",
        version=__version__,
        summary="Scans, PDF pages and slide screenshots to text, tables and chart data.",
        docs_url=None,  # its page loads scripts from another host
        redoc_url=None,
        redirect_slashes=False,  # where to is made of the caller's own Host
        responses={status: {"model": ErrorBody} for status in ERROR_STATUSES},
        dependencies=[Depends(BEARER)],
    )
    install_handlers(app)
    # The last added runs first: who may call comes before how many documents, and these before how much may come.
    app.add_middleware(
        BodyLimit, max_file_bytes=backend.settings.limits.max_file_bytes, two_files=documents.COMPARE_PATH
    )
    app.add_middleware(BodyPace)
    app.add_middleware(Submissions, backend=backend, paths=SUBMISSIONS)
    app.add_middleware(AccessControl, access=backend.access)
    if backend.settings.server.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=backend.settings.server.cors_origins,
            allow_methods=("GET", "POST", "DELETE"),
            allow_headers=("Authorization", "Idempotency-Key", "X-Request-ID"),
            expose_headers=EXPOSED,
        )
    app.include_router(documents.router(backend))
    app.include_router(edge.router(backend))
    app.include_router(tasks.router(backend))
    app.include_router(events.router(backend))
    app.include_router(exports.router(backend))
    return app
