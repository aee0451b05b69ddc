"""The threads that read what was submitted."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass

from pydantic import TypeAdapter
from sqlalchemy.exc import SQLAlchemyError

from mineru_core.document.parts import Part
from mineru_core.document.task import Region
from mineru_core.errors import Cancelled, WorkbenchError
from mineru_core.export.result import DocumentResult
from mineru_core.jobs.changes import Changes
from mineru_core.jobs.corrections import Corrections
from mineru_core.jobs.model import JobState
from mineru_core.jobs.places import JobPlaces
from mineru_core.jobs.queue import JobQueue
from mineru_core.jobs.storage import on_storage
from mineru_core.runtime.context import Progress, RunContext
from mineru_core.runtime.logging import bound_request
from mineru_core.serving.analyzers import Analyzers
from mineru_core.settings import Settings
from mineru_core.store.tables import JobRow

_LOG = logging.getLogger(__name__)
REGIONS = TypeAdapter(tuple[Region, ...])

_TABLES: frozenset[Part] = frozenset({Part.TABLES})
_NOTHING: frozenset[Part] = frozenset()
_LOOK_S = 5.0
"""How often a thread looks for work where nothing wakes it: a database that was busy wakes nobody."""


@dataclass(eq=False)
class Run:
    """A job that runs here now."""

    ctx: RunContext
    progress: Progress | None = None
    noted: Progress | None = None


def _end_of(result: DocumentResult) -> Progress:
    """How far a document is that was read: an answer that was known already has told nothing of its pages."""
    pages = {page.page for page in result.analysis.pages} | {failure.page for failure in result.analysis.failures}
    return Progress(stage="answer", page=max(pages, default=0), done=len(pages), pages=len(pages))


class Runner:
    """Claims jobs and reads them, ``settings.job_workers`` at once, of one owner at most all but one.

    ``corrections`` takes over in each result, before it is written down, what its owner has corrected; so that there
    are tables to take it over to, those of a corrected document are read whatever is asked. ``password_of`` gives the
    password of a job's document; ``ended`` is told of each job that runs no more.
    """

    def __init__(
        self,
        settings: Settings,
        analyzers: Analyzers,
        queue: JobQueue,
        places: JobPlaces,
        changes: Changes,
        *,
        corrections: Corrections,
        password_of: Callable[[str], str | None],
        ended: Callable[[str], None],
    ) -> None:
        self._settings, self._analyzers, self._queue = settings, analyzers, queue
        self._places, self._changes = places, changes
        self._corrections, self._password_of, self._ended = corrections, password_of, ended
        self._lock = threading.Lock()
        self._running: dict[str, Run] = {}
        self._strays: set[str] = set()
        self._claiming = threading.Lock()
        self._nothing_at = -1  # the count of changes at which there was nothing to claim
        self._closing = threading.Event()

    def threads(self) -> list[threading.Thread]:
        """As many threads as documents are to be open at once, not started yet; they end after ``stop``."""
        count = self._settings.job_workers
        return [threading.Thread(target=self._work, name=f"jobs-worker-{n + 1}", daemon=True) for n in range(count)]

    def stop(self) -> None:
        """Stop what runs, to wait for the next service."""
        self._closing.set()
        with self._lock:
            for run in self._running.values():
                run.ctx.cancel()

    def cancel(self, job_id: str) -> bool:
        """Stop the job at its next check; False where it does not run here."""
        with self._lock:
            run = self._running.get(job_id)
        if run is None:
            return False
        run.ctx.cancel()
        return True

    def is_stopping(self, job_id: str) -> bool:
        """Whether the job runs here and was cancelled."""
        run = self._running.get(job_id)
        return run is not None and run.ctx.cancelled

    def progress_of(self, job_id: str) -> Progress | None:
        """How far a job is that runs here."""
        run = self._running.get(job_id)
        return None if run is None else run.progress

    def look_after(self) -> None:
        """Stop what another process has cancelled, note how far the rest is, find jobs that no thread is at, and
        count what waits."""
        known, waiting = self._places.known(), self._queue.waiting()
        with self._lock:
            running = dict(self._running)
        claimed = self._queue.running_here()  # after the look at memory: what is claimed in between is not stopped
        for job_id in running.keys() - claimed:
            running[job_id].ctx.cancel()
        fresh = {i: r.progress for i, r in running.items() if r.progress is not None and r.progress != r.noted}
        if fresh:
            self._queue.note_progress(fresh)
            for job_id, progress in fresh.items():
                running[job_id].noted = progress
        strays = claimed - running.keys()
        lost = strays & self._strays  # twice in a row: not one that was being claimed or ended just now
        if lost:
            self._queue.recover(lost)
        self._strays = strays
        unseen = self._places.compare(known, waiting, claimed | running.keys())
        if lost or unseen:
            self._changes.announce()

    def _work(self) -> None:
        """A worker thread: claim, run, again. A database that fails ends neither the thread nor, for good, the job:
        ``look_after`` finds it."""
        while not self._closing.is_set():
            seen = self._changes.count
            try:
                row = self._claim(seen)
                if row is not None:
                    with bound_request(row.id):
                        self._run(row)
                    continue
            except (SQLAlchemyError, OSError):
                _LOG.exception("the state of a job could not be written")
            self._changes.wait(seen, _LOOK_S)

    def _claim(self, seen: int) -> JobRow | None:
        """A job to run. Where one thread has found none, the others need not ask the database the same."""
        most_of_one = max(1, self._settings.job_workers - 1)
        with self._claiming:
            if self._nothing_at == seen:
                return None
            row = self._queue.claim(most_of_one)
            if row is None:
                self._nothing_at = seen
            return row

    def _run(self, row: JobRow) -> None:
        ctx = RunContext.with_timeout(
            self._settings.engine.deadline_s, owner=row.owner, request_id=row.id, on_progress=self._listener(row.id)
        )
        with self._lock:
            self._running[row.id] = Run(ctx)
        finished = False
        try:
            self._places.ticket(row.id, row.owner).start()
            if self._closing.is_set() or row.id not in self._queue.running_here():
                ctx.cancel()  # stop() or cancel() may have looked at what runs just before
            finished = self._finish(row, ctx)
        finally:
            with self._lock:
                self._running.pop(row.id, None)
            self._places.leave(row.id, finished=finished)
            self._ended(row.id)
            self._changes.announce()

    def _finish(self, row: JobRow, ctx: RunContext) -> bool:
        """Read the document and write down how it ended; whether it was read to its end."""
        try:
            result = self._read(row, ctx)
            self._corrections.adopt(row, result)
            data = result.model_dump_json().encode()
            on_storage(self._queue.finish)(row.id, JobState.DONE, result=data, progress=_end_of(result))
            _LOG.info("job done", extra={"pages": len(result.analysis.pages), "failures": len(result.failures)})
        except Cancelled:
            if self._closing.is_set():
                self._queue.release(row.id)
            else:
                self._queue.finish(row.id, JobState.CANCELLED)
            return False
        except WorkbenchError as error:
            _LOG.info("job failed", extra={"code": error.code})
            self._queue.finish(row.id, JobState.FAILED, error=error)
        except Exception:  # noqa: BLE001  a fault of ours ends this job, not the worker that has others to run
            _LOG.exception("job broke")
            broken = WorkbenchError("Reading the document broke off.", "Report it with the id of the job.")
            self._queue.finish(row.id, JobState.FAILED, error=broken)
        return True

    def _read(self, row: JobRow, ctx: RunContext) -> DocumentResult:
        data = on_storage(self._queue.document_of)(row)
        password = self._password_of(row.id)
        analyzer = self._analyzers.named(row.engine)
        with analyzer.open(data, name=row.source, password=password) as document:
            regions = REGIONS.validate_json(row.regions)
            also = _TABLES if self._corrections.has_any(row.owner, row.blob) else _NOTHING
            return analyzer.analyze(document, row.words, regions=regions, also=also, ctx=ctx)

    def _listener(self, job_id: str) -> Callable[[Progress], None]:
        def listen(progress: Progress) -> None:
            run = self._running.get(job_id)
            if run is not None:
                run.progress = progress

        return listen
