"""/livez, /readyz and /metrics: real routes at the root, because a Streamlit server answers 200 to unknown paths."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from mineru_core.api.backend import Backend
from mineru_core.api.errors import in_one_shape


def routes(backend: Backend) -> list[Route]:
    """The routes, standing on ``backend``."""

    async def livez(_request: Request) -> Response:
        return JSONResponse({"status": "alive"})

    async def readyz(_request: Request) -> Response:
        backend.check_ready()
        return JSONResponse({"status": "ready", "engine": backend.service.analyzer.engine.name})

    async def metrics(request: Request) -> Response:
        await backend.access.check_metrics(request.scope)
        body, content_type = backend.service.analyzer.metrics.render()
        return Response(body, media_type=content_type)

    handlers = {"/livez": livez, "/readyz": readyz, "/metrics": metrics}
    return [Route(path, in_one_shape(handler), methods=["GET"]) for path, handler in handlers.items()]
