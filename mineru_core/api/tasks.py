"""GET and DELETE /v1/tasks/{id}, and how a job is shown and waited for."""

from __future__ import annotations

from functools import partial

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

from mineru_core.api.access import caller_of
from mineru_core.api.backend import Backend
from mineru_core.errors import Cancelled, NotFound
from mineru_core.export.result import DocumentResult
from mineru_core.jobs.comparisons import Comparisons, is_comparison
from mineru_core.jobs.model import Job, JobError, JobState
from mineru_core.jobs.service import JobService

WAIT_SLICE_S = 1.0
"""How long one wait for a job lasts before it is seen whether the caller is still there."""

UNFINISHED_STATUS = {JobState.CANCELLED: Cancelled, JobState.EXPIRED: NotFound}


class TaskView(BaseModel):
    """A task as the API shows it. ``result`` is there when it is done, ``error`` when it has failed."""

    task_id: str
    state: str = Field(description="pending, running, done, failed, cancelled or expired")
    page: int = Field(description="page at work, from 1; the last one when it is done; 0 before the first")
    pages: int = Field(description="pages in all; 0 while not known")
    done: int = Field(description="pages that have been read")
    result: DocumentResult | None = None
    error: JobError | None = None


def router(backend: Backend) -> APIRouter:
    """The routes, standing on ``backend``."""
    routes = APIRouter(tags=["tasks"])

    @routes.get("/v1/tasks/{task_id}", response_model=TaskView)
    async def get_task(request: Request, task_id: str) -> Response:
        """How far a task is, and its result when it is done."""
        return await backend.call(partial(_load_view, backend, task_id, owner_of_call(request)))

    @routes.delete("/v1/tasks/{task_id}", response_model=TaskView)
    async def cancel_task(request: Request, task_id: str) -> Response:
        """Cancel a task that is waiting or running; a finished one is left as it is."""
        job = await backend.call(partial(jobs_behind(backend, task_id).cancel, task_id, owner_of_call(request)))
        return json_response(view_of(job))

    return routes


def jobs_behind(backend: Backend, task_id: str) -> JobService | Comparisons:
    """What gives, waits for and cancels the task: one document's, or a comparison of two."""
    return backend.service.comparisons if is_comparison(task_id) else backend.service


def owner_of_call(request: Request) -> str:
    """Whose work a call of the API is."""
    return caller_of(request.scope).owner


def view_of(job: Job, result: DocumentResult | None = None) -> TaskView:
    """A job as the API shows it. A document of which no page could be read has failed, however well the job ran."""
    error = job.error if result is None else error_of(result)
    return TaskView(
        task_id=job.id,
        state=(JobState.FAILED if error is not None else job.state).value,
        page=job.page,
        pages=job.pages,
        done=job.done,
        result=result if error is None else None,
        error=error,
    )


def error_of(result: DocumentResult) -> JobError | None:
    """Why nothing of the document, or of one of two that were compared, could be read; None where a page was."""
    if not result.is_unread:
        return None
    sides = (result.before, result.analysis)
    first = next(side.failures[0] for side in sides if side is not None and side.failures and not side.pages)
    return JobError(code=first.code, message=first.message, hint=first.hint)


def json_response(view: BaseModel, status: int = 200, location: str | None = None) -> Response:
    """A model as the body of an answer, without validating it a second time."""
    headers = {} if location is None else {"Location": location}
    return Response(view.model_dump_json(), status_code=status, media_type="application/json", headers=headers)


async def wait_for(backend: Backend, request: Request, job: Job) -> Job:
    """The job once it has ended. A caller that goes away cancels it, unless others wait for it, too: nobody is left to
    read the answer."""
    backend.readers[job.id] += 1
    try:
        return await _wait_for(backend, request, job)
    finally:
        backend.readers[job.id] -= 1
        if not backend.readers[job.id]:
            del backend.readers[job.id]


async def _wait_for(backend: Backend, request: Request, job: Job) -> Job:
    while not job.state.is_final:
        # The service is asked for anew each time: once the server stops, that raises.
        job = await backend.wait(partial(jobs_behind(backend, job.id).wait, job.id, job.owner, WAIT_SLICE_S))
        if not job.state.is_final and await request.is_disconnected():
            if backend.readers[job.id] > 1:
                raise Cancelled("The caller has gone.")
            job = await backend.call(partial(jobs_behind(backend, job.id).cancel, job.id, job.owner))
    return job


async def finished_result(backend: Backend, job: Job) -> Response:
    """The result of an ended job, or its error. A document of which no page could be read is an error too."""
    if job.state in UNFINISHED_STATUS:
        raise UNFINISHED_STATUS[job.state](f"The task was {job.state.value}.")
    if job.error is not None:
        raise job.error.to_error()
    return await backend.call(partial(_load_result, backend, job))


def _load_result(backend: Backend, job: Job) -> Response:
    result = jobs_behind(backend, job.id).result(job.id, job.owner)
    error = error_of(result)
    if error is not None:
        raise error.to_error()
    return json_response(result)


def _load_view(backend: Backend, task_id: str, owner: str) -> Response:
    jobs = jobs_behind(backend, task_id)
    job = jobs.get(task_id, owner)
    done = job.state is JobState.DONE
    return json_response(view_of(job, jobs.result(task_id, owner) if done else None))
