"""Everything a server answers beside the browser app: what asgi.py mounts, and a server without the browser app."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route

from mineru_core.api import boxes, grid_data, health, pictures, uploads
from mineru_core.api.app import create_api
from mineru_core.api.backend import Backend
from mineru_core.api.documents import API_PREFIX
from mineru_core.api.errors import NO_SUCH_PATH, error_response
from mineru_core.api.guards import AllowedHosts, SecurityHeaders, SoundPaths
from mineru_core.api.middleware import NoErrorDialogs, OwnerCookie, RequestId

ALIAS = "/v1/document/parse"

Lifespan = Callable[[Any], AbstractAsyncContextManager[None]]


class ServerParts:
    """Routes, middleware and lifespan that belong together; one a process.

    parts = ServerParts()
    app = App(script, routes=parts.routes, middleware=parts.middleware, lifespan=parts.lifespan)
    """

    def __init__(self, backend: Backend | None = None) -> None:
        self.backend = backend if backend is not None else Backend()
        self.api = create_api(self.backend)
        self.routes: list[BaseRoute] = [
            *health.routes(self.backend),
            *pictures.routes(self.backend),
            *boxes.routes(self.backend),
            *grid_data.routes(self.backend),
            *uploads.routes(self.backend),
            Route(ALIAS, endpoint=self.api),
            Mount(API_PREFIX, app=self.api),
        ]
        self.guards = [
            Middleware(RequestId),
            Middleware(SecurityHeaders, api_prefixes=(f"{API_PREFIX}/", ALIAS)),
            Middleware(AllowedHosts, allowed=self.backend.settings.server.allowed_hosts),
            Middleware(SoundPaths, prefixes=(f"{API_PREFIX}/", ALIAS, "/ui/")),
        ]
        self.middleware = [*self.guards, Middleware(OwnerCookie), Middleware(NoErrorDialogs)]

    @property
    def lifespan(self) -> Lifespan:
        """Starts the backend before the first request and stops it after the last."""

        @asynccontextmanager
        async def run(_app: Any) -> AsyncIterator[None]:
            # A mounted application's own lifespan does not run: it is entered here.
            async with self.api.router.lifespan_context(self.api):
                await self.backend.start()
                try:
                    yield
                finally:
                    await self.backend.stop()

        return run


def create_api_server(backend: Backend | None = None) -> Starlette:
    """The HTTP API and the health routes without the browser app."""
    parts = ServerParts(backend)

    async def not_found(request: Request, _error: Exception) -> Response:
        return error_response(request.scope, NO_SUCH_PATH)

    return Starlette(
        routes=parts.routes,
        middleware=parts.guards,
        lifespan=parts.lifespan,
        exception_handlers={404: not_found},
    )
