"""A server that answers as a test wants it to, in the place of the workbench."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.servers import serve_thread


@dataclass
class Stub:
    """``answers`` are given in turn, the last one for good: ok, refused, failed, broken, wrong, silent."""

    answers: list[str] = field(default_factory=lambda: ["ok"])
    delay_s: float = 0.0
    url: str = ""
    seen: list[str] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)
    open: int = 0
    most_open: int = 0

    @property
    def routes(self) -> list[Route]:
        return [
            Route("/api/v1/document/parse", self.parse, methods=["POST"]),
            Route("/api/v1/tasks/{id}", self.task, methods=["GET", "DELETE"]),
            Route("/readyz", self.ready),
        ]

    async def parse(self, request: Request) -> Response:
        async with request.form() as form:
            self.seen.append(str(form["instruction"]))
            asynchronous = "async" in form
        self.tokens.add(request.headers.get("authorization", ""))
        self.open += 1
        self.most_open = max(self.open, self.most_open)
        try:
            return await self._answer(request, asynchronous)
        finally:
            self.open -= 1

    async def _answer(self, request: Request, asynchronous: bool) -> Response:
        kind = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        await asyncio.sleep(self.delay_s)
        while kind == "silent" and (await request.receive())["type"] != "http.disconnect":
            pass
        if kind == "refused":
            body = {"code": "overloaded", "queue_fraction": 1.0}
            return JSONResponse(body, 429, headers={"Retry-After": "1"})
        if kind == "failed":
            return JSONResponse({"code": "corrupt-pdf"}, 422)
        if kind == "broken":
            return Response("no", 500)
        if asynchronous:
            return JSONResponse({"task_id": kind, "state": "pending"}, 202)
        failures = [{"code": "engine-failed"}] if kind == "wrong" else []
        return JSONResponse({"analysis": {"failures": failures}, "timings": {"read": 0.5, "decode": 0.1}})

    async def task(self, request: Request) -> Response:
        kind = request.path_params["id"]
        self.seen.append(f"{request.method} {kind}")
        if kind == "taskfails":
            return JSONResponse({"state": "failed", "error": {"code": "corrupt-pdf"}})
        pending = len([seen for seen in self.seen if seen == f"GET {kind}"]) % 3
        return JSONResponse({"state": "running" if pending else "done"})

    async def ready(self, _request: Request) -> Response:
        return JSONResponse({"status": "ready"})


@contextmanager
def stub_server(*answers: str, delay_s: float = 0.0) -> Iterator[Stub]:
    """The stub on a thread and a port of its own; ``url`` is where."""
    stub = Stub(list(answers) or ["ok"], delay_s)
    with serve_thread(Starlette(routes=stub.routes)) as url:
        stub.url = url
        yield stub
