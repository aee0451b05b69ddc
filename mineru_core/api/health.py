"""/livez, /readyz and /metrics: real routes at the root, because a Streamlit server answers 200 to unknown paths."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from mineru_core.api.backend import Backend
from mineru_core.api.errors import error_response
from mineru_core.api.middleware import is_local
from mineru_core.errors import TokenRequired, WorkbenchError


def routes(backend: Backend) -> list[Route]:
    """The routes, standing on ``backend``."""

    async def livez(_request: Request) -> Response:
        return JSONResponse({"status": "alive"})

    async def readyz(request: Request) -> Response:
        try:
            backend.check_ready()
        except WorkbenchError as error:
            return error_response(request.scope, error)
        return JSONResponse({"status": "ready", "engine": backend.service.analyzer.engine.name})

    async def metrics(request: Request) -> Response:
        if not is_local(request.scope):
            return error_response(request.scope, TokenRequired("The metrics are shown on the machine itself only."))
        try:
            body, content_type = backend.service.analyzer.metrics.render()
        except WorkbenchError as error:
            return error_response(request.scope, error)
        return Response(body, media_type=content_type)

    return [Route("/livez", livez), Route("/readyz", readyz), Route("/metrics", metrics)]
