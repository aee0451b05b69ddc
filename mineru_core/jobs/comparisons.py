"""Two documents handed in together and compared: two jobs, seen as one.

A comparison is nothing but its two jobs, and its id is made of theirs. So it lives as long as they do, over restarts
too, is open to their owner alone, and follows what is corrected in either.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from mineru_core.document.task import TaskKind
from mineru_core.errors import InvalidRequest, NotFound, WorkbenchError
from mineru_core.export.result import DocumentResult
from mineru_core.instruct import parse_words
from mineru_core.jobs.model import Job, JobState
from mineru_core.serving.comparing import COMPARISON, compared
from mineru_core.store.blobs import Incoming

if TYPE_CHECKING:
    from mineru_core.jobs.service import JobService

_BETWEEN_IDS = "-"
_WORST_FIRST = (JobState.FAILED, JobState.CANCELLED, JobState.EXPIRED)


class Upload(NamedTuple):
    """A document as it is handed in: its name and bytes, and these as they came to disk, where they did."""

    name: str
    data: bytes
    incoming: Incoming | None = None


class Comparisons:
    """The comparisons of a service. Every method may be called from any thread, and raises what the service's does."""

    def __init__(self, service: JobService) -> None:
        self._service = service

    def submit(
        self,
        before: Upload,
        after: Upload,
        *,
        words: str = COMPARISON.words,
        owner: str,
        engine: str | None = None,
        password: str | None = None,
    ) -> Job:
        """Hand in two documents, the earlier first; returns the comparison, pending. ``password`` opens those that
        need one. Raises ``InvalidRequest`` for words that ask for something else; where one document is refused
        neither is read."""
        if parse_words(words).kind is not TaskKind.COMPARE:
            raise InvalidRequest("The words do not ask what changed.", "Leave them out, or ask what changed.")
        first, then = (
            partial(
                self._service.submit,
                upload.data,
                name=upload.name,
                words=words,
                owner=owner,
                engine=engine,
                password=password,
                incoming=upload.incoming,
            )
            for upload in (before, after)
        )
        job = first()
        try:
            return _as_one(job, then())
        except WorkbenchError:
            self._service.cancel(job.id, owner)
            raise

    def get(self, comparison_id: str, owner: str) -> Job:
        """The comparison as it stands now. Raises ``NotFound``."""
        return _as_one(*(self._service.get(job_id, owner) for job_id in jobs_of(comparison_id)))

    def wait(self, comparison_id: str, owner: str, timeout_s: float) -> Job:
        """The comparison once it has ended, or as it stands when one of its jobs has not after ``timeout_s`` seconds:
        twice that passes at most."""
        return _as_one(*(self._service.wait(job_id, owner, timeout_s) for job_id in jobs_of(comparison_id)))

    def cancel(self, comparison_id: str, owner: str) -> Job:
        """Cancel what has not ended of it."""
        return _as_one(*[self._service.cancel(job_id, owner) for job_id in jobs_of(comparison_id)])

    def result(self, comparison_id: str, owner: str) -> DocumentResult:
        """What changed, with the corrections of both documents. Raises what the results of its jobs raise, and
        ``InvalidRequest`` where they were asked something else."""
        before, after = (self._service.result(job_id, owner) for job_id in jobs_of(comparison_id))
        return compared(before, after)

    def between(self, jobs: Sequence[str], owner: str) -> DocumentResult | None:
        """What changed between two documents that were handed in together; None where there are not two, one is not
        read, or they were asked something else."""
        name = comparison_id(jobs)
        if name is None or self.get(name, owner).state is not JobState.DONE:
            return None
        results = [self._service.result(job_id, owner) for job_id in jobs]
        asked = all(result.task.kind is TaskKind.COMPARE for result in results)
        return compared(*results) if asked else None


def comparison_id(jobs: Sequence[str]) -> str | None:
    """The id of the comparison of two jobs, the earlier document's first; None where there are not two."""
    return _BETWEEN_IDS.join(jobs) if len(jobs) == 2 else None


def is_comparison(job_id: str) -> bool:
    """Whether the id is that of a comparison, not of a job."""
    return _BETWEEN_IDS in job_id


def jobs_of(comparison_id: str) -> tuple[str, str]:
    """The two jobs of a comparison, the earlier document's first. Raises ``NotFound`` for what is no such id."""
    before, _, after = comparison_id.partition(_BETWEEN_IDS)
    if not before or not after:
        raise NotFound("There is no such comparison.")
    return before, after


def _as_one(before: Job, after: Job) -> Job:
    """Both jobs as one: failed, cancelled or expired as soon as one is, done when both are; pages counted together."""
    jobs = (before, after)
    states = [job.state for job in jobs]
    state = next((worst for worst in _WORST_FIRST if worst in states), None)
    if state is None and states[0] is states[1]:
        state = states[0]
    at_work = before if before.state is not JobState.DONE else after
    return Job(
        id=f"{before.id}{_BETWEEN_IDS}{after.id}",
        owner=after.owner,
        state=state or JobState.RUNNING,
        source=f"{before.source} → {after.source}",
        words=after.words,
        engine=after.engine,
        stage=at_work.stage,
        page=at_work.page + (before.pages if at_work is after and at_work.page else 0),
        pages=before.pages + after.pages if before.pages and after.pages else 0,
        done=before.done + after.done,
        created_at=before.created_at,
        finished_at=max(filter(None, (job.finished_at for job in jobs)), default=None)
        if all(job.state.is_final for job in jobs)
        else None,
        error=next((job.error for job in jobs if job.error is not None), None),
    )
