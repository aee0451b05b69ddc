"""A server without what the workbench's has, to measure what that is worth: ``python -m mineru_core.loadtest.plain``.

Every handler is an ordinary function that waits in one of the framework's 40 threads. With ``--build-each``, an engine
is built, loaded and closed for every request, four at a time, as an app does that keeps nothing between requests;
without it, one resident engine answers through the same jobs as the workbench's own server.
"""

from __future__ import annotations

import argparse
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

import uvicorn
from anyio import from_thread
from starlette.applications import Starlette
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from mineru_core.errors import Busy, WorkbenchError
from mineru_core.export.result import DocumentResult
from mineru_core.jobs.service import JobService
from mineru_core.loadtest.exchange import PARSE_PATH
from mineru_core.serving.analyzer import Analyzer
from mineru_core.settings import Settings, load_settings

ENGINES_AT_ONCE = 4

_SLICE_S = 1.0
_OWNER = "plain"

Read = Callable[[bytes, str, str], DocumentResult]
"""Bytes, name and words to a result. Raises ``WorkbenchError``."""


class _Resident:
    """One engine for everybody, behind jobs."""

    def __init__(self, settings: Settings) -> None:
        self._analyzer = Analyzer(settings)
        self._service = JobService(settings, self._analyzer)

    def start(self) -> None:
        self._analyzer.load()
        self._service.start()

    def read(self, data: bytes, name: str, words: str) -> DocumentResult:
        job = self._service.submit(data, name=name, words=words, owner=_OWNER)
        while not job.state.is_final:
            job = self._service.wait(job.id, _OWNER, _SLICE_S)
        return self._service.result(job.id, _OWNER)

    def close(self) -> None:
        self._service.close()
        self._analyzer.close()


class _BuiltEachTime:
    """An engine for each request."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._places = threading.BoundedSemaphore(ENGINES_AT_ONCE)

    def start(self) -> None:
        """There is nothing to keep."""

    def read(self, data: bytes, name: str, words: str) -> DocumentResult:
        with self._places, Analyzer(self._settings) as analyzer, analyzer.open(data, name=name) as document:
            return analyzer.analyze(document, words)

    def close(self) -> None:
        """Nothing was kept."""


def application(settings: Settings, *, build_each: bool) -> Starlette:
    """The server as an ASGI application."""
    door = _BuiltEachTime(settings) if build_each else _Resident(settings)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        door.start()
        try:
            yield
        finally:
            door.close()

    def ready(_request: Request) -> Response:
        return JSONResponse({"status": "ready", "engine": settings.engine.name})

    def parse(request: Request) -> Response:
        form = from_thread.run(_form_of, request)
        try:
            file = form["file"]
            if isinstance(file, str):
                return JSONResponse({"code": "invalid-request"}, 422)
            return _answered(door.read, file.file.read(), file.filename or "document", str(form["instruction"]))
        finally:
            from_thread.run(form.close)

    routes = [Route("/readyz", ready), Route(PARSE_PATH, parse, methods=["POST"])]
    return Starlette(routes=routes, lifespan=lifespan)


async def _form_of(request: Request) -> FormData:
    return await request.form()


def _answered(read: Read, data: bytes, name: str, words: str) -> Response:
    try:
        result = read(data, name, words)
    except WorkbenchError as error:
        fraction = error.queue_fraction if isinstance(error, Busy) else None
        return JSONResponse({"code": error.code, "queue_fraction": fraction}, error.http_status)
    return Response(result.model_dump_json(), media_type="application/json")


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until the process is ended."""
    parser = argparse.ArgumentParser(prog="python -m mineru_core.loadtest.plain")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--build-each", action="store_true")
    options = parser.parse_args(arguments)
    app = application(load_settings(), build_each=options.build_each)
    uvicorn.run(app, host="127.0.0.1", port=options.port, log_level="error", access_log=False)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
