"""GET /v1/tasks/{id}/events: how far a task is, as server-sent events, until it has ended."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from functools import partial

from fastapi import APIRouter, Request
from fastapi.responses import Response, StreamingResponse

from mineru_core.api.backend import Backend
from mineru_core.api.tasks import TaskView, jobs_behind, owner_of_call, view_of
from mineru_core.errors import WorkbenchError
from mineru_core.jobs.model import Job, JobState

LOOK_S = 0.5
"""How often it is looked how far a task is; its end is told at once."""

QUIET_S = 1.0
"""Seconds without news after which a comment is sent: no proxy takes the connection for dead, and whoever reads it can
look whether the task is still wanted."""

EVENT_STREAM = "text/event-stream"
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
_DESCRIPTION = """How far a task is, as server-sent events: `progress` whenever something has changed, the first at
once, and `end` once it has ended. The data of both is a task without its result: GET /v1/tasks/{task_id} gives it."""


def router(backend: Backend) -> APIRouter:
    """The route, standing on ``backend``."""
    routes = APIRouter(tags=["tasks"])
    example = (
        "event: progress\ndata: " + TaskView(task_id="…", state="running", page=1, pages=3, done=0).model_dump_json()
    )

    @routes.get(
        "/v1/tasks/{task_id}/events",
        response_class=StreamingResponse,
        description=_DESCRIPTION,
        responses={200: {"content": {EVENT_STREAM: {"schema": {"type": "string"}, "example": example + "\n\n"}}}},
    )
    async def task_events(request: Request, task_id: str) -> Response:
        owner = owner_of_call(request)
        job = await backend.call(partial(jobs_behind(backend, task_id).get, task_id, owner))
        return StreamingResponse(_events(backend, job, owner), media_type=EVENT_STREAM, headers=_HEADERS)

    return routes


async def _events(backend: Backend, job: Job, owner: str) -> AsyncIterator[str]:
    last, told_at = "", float("-inf")
    try:
        while True:
            news = await _view(backend, job, owner)
            if job.state.is_final:
                yield _event("end", news)
                return
            if news != last:
                yield _event("progress", news)
                last, told_at = news, time.monotonic()
            elif time.monotonic() - told_at > QUIET_S:
                yield ": nothing new\n\n"
                told_at = time.monotonic()
            job = await backend.wait(partial(jobs_behind(backend, job.id).wait, job.id, owner, LOOK_S))
    except WorkbenchError:
        # The server stops, or the task has been forgotten. The answer has begun, so no status can tell it: without an
        # end, whoever reads it asks again.
        return


async def _view(backend: Backend, job: Job, owner: str) -> str:
    result = None
    if job.state is JobState.DONE:  # of which no page could be read has failed, and only the result knows
        result = await backend.call(partial(jobs_behind(backend, job.id).result, job.id, owner))
    return view_of(job, result).model_copy(update={"result": None}).model_dump_json()


def _event(name: str, data: str) -> str:
    return f"event: {name}\ndata: {data}\n\n"
