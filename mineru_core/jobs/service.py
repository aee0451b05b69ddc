"""Jobs of one process: worker threads that read what was submitted, and the answers to everybody who asks."""

from __future__ import annotations

import logging
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter
from sqlalchemy.exc import SQLAlchemyError

from mineru_core.document.task import Region
from mineru_core.errors import Cancelled, EncryptedPdf, InvalidRequest, NotFound, Overloaded, WorkbenchError
from mineru_core.export.result import DocumentResult
from mineru_core.intake import Document, open_document
from mineru_core.jobs.housekeeper import Chore, keep_house
from mineru_core.jobs.liveness import Presence
from mineru_core.jobs.model import Job, JobState
from mineru_core.jobs.queue import JobQueue, Submission
from mineru_core.jobs.recent import Recent
from mineru_core.jobs.storage import on_storage
from mineru_core.runtime.context import Progress, RunContext
from mineru_core.runtime.logging import bound_request
from mineru_core.serving.analyzer import Analyzer
from mineru_core.serving.selection import check_regions
from mineru_core.settings import Settings
from mineru_core.store import retention
from mineru_core.store.blobs import BlobStore
from mineru_core.store.database import Database
from mineru_core.store.tables import JobRow

_LOG = logging.getLogger(__name__)
_REGIONS = TypeAdapter(tuple[Region, ...])

_DAY_S = 86_400.0
_LOOK_S = 1.0
"""How often a waiter and the housekeeper look for what another process has done; here everybody is woken."""
_TAKE_OVER_S = 5.0
_RETENTION_S = 600.0
_CLOSE_S = 10.0
_RESULTS_KEPT = 8
MAX_WORDS = 4000
"""Characters of one question."""


@dataclass(eq=False)
class _Run:
    """A job that runs here now."""

    ctx: RunContext
    progress: Progress | None = None
    noted: Progress | None = None


class JobService:
    """Submits, runs and answers for jobs. States are in the home folder's database: a new service on the same home
    goes on with what waits and what was running. Several services may share a home; each job is run by one of them.

    Every method may be called from any thread. A job is seen by its owner alone: for anybody else it is ``NotFound``.
    Passwords stay in memory; a job that needed one fails with encrypted-pdf after a restart.
    """

    def __init__(self, settings: Settings, analyzer: Analyzer) -> None:
        self.settings = settings
        self.analyzer = analyzer
        self._database = Database(settings.database_path)
        self._blobs = BlobStore(settings.blobs_dir)
        self._presence = Presence(settings.home / "services")
        self._keep_s = settings.store.retention_days * _DAY_S
        self._queue = JobQueue(self._database, self._blobs, self._presence.id, self._keep_s)
        self._changed = threading.Condition()  # guards what follows; told of every submission and ending
        self._changes = 0
        self._running: dict[str, _Run] = {}
        self._passwords: dict[str, str] = {}
        self._results: Recent[DocumentResult] = Recent(_RESULTS_KEPT)
        self._strays: set[str] = set()
        self._mean_s: float | None = None
        self._closing = threading.Event()
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Take over what dead services left, and begin to work; calling it again does nothing."""
        if self._threads:
            return
        chores = (
            Chore(self._look_after_runs, _LOOK_S),
            Chore(self._take_over, _TAKE_OVER_S),
            Chore(self._enforce_retention, _RETENTION_S),
        )
        house = threading.Thread(target=keep_house, args=(chores, self._closing), name="jobs-house", daemon=True)
        workers = [
            threading.Thread(target=self._work, name=f"jobs-worker-{n + 1}", daemon=True)
            for n in range(self.settings.jobs.workers)
        ]
        self._threads = [house, *workers]
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Stop what runs and leave it waiting for the next service; calling it again does nothing."""
        if self._closing.is_set():
            return
        self._closing.set()
        with self._changed:
            for run in self._running.values():
                run.ctx.cancel()
        self._announce()
        until = time.monotonic() + _CLOSE_S
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
        try:
            self._queue.release()  # of a thread that did not end in time; its late result is then refused
        finally:
            self._presence.close()
            self._database.close()

    @on_storage
    def submit(
        self,
        data: bytes,
        *,
        name: str,
        words: str = "",
        owner: str,
        regions: Sequence[Region] = (),
        password: str | None = None,
    ) -> Job:
        """Hand in a document; it waits for its turn. Returns the pending job.

        Raises at once what opening the document raises (``EmptyFile``, ``UnsupportedType``, ``CorruptPdf``, …),
        ``InvalidRequest`` for a region on no page or words without end, and ``Overloaded`` where no place is left.
        """
        try:
            row = self._accept(data, name, words, owner, regions, password)
        except WorkbenchError as error:
            self.analyzer.metrics.request_ended(error.code)
            if isinstance(error, Overloaded) and self._mean_s is not None:
                error.retry_after_s = max(1.0, self._mean_s / self.settings.jobs.workers)
            raise
        self._announce()
        return Job.from_row(row)

    def _accept(
        self, data: bytes, name: str, words: str, owner: str, regions: Sequence[Region], password: str | None
    ) -> JobRow:
        if self._closing.is_set():
            raise Overloaded("The service is stopping.")
        if len(words) > MAX_WORDS:
            raise InvalidRequest(f"The words are longer than {MAX_WORDS} characters.", "Say it in fewer words.")
        # Before anything is decoded or written: a crowd that is refused must cost neither memory nor disk.
        self._queue.check_places(self.settings.jobs.waiting_places)
        clean_name, needs_password = self._inspect(data, name, regions, password)
        job_id = uuid.uuid4().hex
        submission = Submission(
            job_id=job_id,
            data=data,
            name=clean_name,
            words=_storable(words),
            owner=owner,
            regions=_REGIONS.dump_json(tuple(regions)).decode(),
            needs_password=needs_password,
        )
        if needs_password and password is not None:
            self._passwords[job_id] = password  # here before a worker can claim the job
        try:
            return self._submit(submission)
        except BaseException:
            self._passwords.pop(job_id, None)
            raise

    @on_storage
    def resubmit(self, job_id: str, owner: str, *, words: str = "", regions: Sequence[Region] = ()) -> Job:
        """Ask something else about the document of a job, without handing it in again. Returns the new pending job.

        Raises ``NotFound`` where the document is no longer kept, and what ``submit`` raises.
        """
        row = self._queue.get(job_id, owner)
        data, password = self._queue.blob(row.blob, owner), self._passwords.get(job_id)
        return self.submit(data, name=row.source, words=words, owner=owner, regions=regions, password=password)

    @on_storage
    def get(self, job_id: str, owner: str) -> Job:
        """The job as it stands now. Raises ``NotFound``."""
        return self._with_progress(Job.from_row(self._queue.get(job_id, owner)))

    def wait(self, job_id: str, owner: str, timeout_s: float) -> Job:
        """The job once it has ended, or as it stands after ``timeout_s`` seconds. Raises ``NotFound``."""
        until = time.monotonic() + timeout_s
        while True:
            seen = self._changes
            job = self.get(job_id, owner)
            remaining = until - time.monotonic()
            if job.state.is_final or remaining <= 0 or self._closing.is_set():
                return job
            self._await_change(seen, min(remaining, _LOOK_S))

    @on_storage
    def result(self, job_id: str, owner: str) -> DocumentResult:
        """What the job found. Raises the job's own error where it failed, ``Cancelled``, ``NotFound`` where it has
        expired, and ``InvalidRequest`` where it has not ended."""
        job = self._queue.get(job_id, owner)
        state = JobState(job.state)
        if state is JobState.CANCELLED:
            raise Cancelled("The job was cancelled.")
        error = Job.from_row(job).error
        if state is JobState.FAILED and error is not None:
            raise error.to_error()
        if state is JobState.EXPIRED:
            raise NotFound("The result is no longer kept.", "Upload the document again.")
        if job.result is None:
            raise InvalidRequest("The job has not ended.", "Wait until its state is done.")
        result = self._results.get(job_id)
        if result is None:
            result = DocumentResult.model_validate_json(self._queue.blob(job.result, owner))
            self._results.put(job_id, result)
        return result

    @on_storage
    def cancel(self, job_id: str, owner: str) -> Job:
        """Cancel the job: its state changes at once, and a worker on it stops at its next check. A job that has ended
        stays as it is. Raises ``NotFound``."""
        job = Job.from_row(self._queue.cancel(job_id, owner))
        with self._changed:
            run = self._running.get(job_id)
        if run is not None and job.state is JobState.CANCELLED:
            run.ctx.cancel()
        self._announce()
        return job

    @on_storage
    def list(self, owner: str, limit: int = 50) -> list[Job]:
        """The owner's jobs, newest first, at most ``limit``."""
        return [self._with_progress(Job.from_row(row)) for row in self._queue.list(owner, limit)]

    @on_storage
    def document(self, job_id: str, owner: str) -> Document:
        """The job's document, opened; close it after use. Raises ``NotFound``, and ``EncryptedPdf`` after a restart."""
        row = self._queue.get(job_id, owner)
        data = self._queue.blob(row.blob, owner)
        return open_document(data, name=row.source, password=self._passwords.get(job_id), settings=self.settings)

    def _inspect(self, data: bytes, name: str, regions: Sequence[Region], password: str | None) -> tuple[str, bool]:
        """Open the document to refuse at once what cannot be read: its clean name, and whether it took the password."""
        needs_password = False
        try:
            document = open_document(data, name=name, settings=self.settings)
        except EncryptedPdf:
            if password is None:
                raise
            document = open_document(data, name=name, password=password, settings=self.settings)
            needs_password = True
        with document:
            check_regions(regions, document.page_count)
            return document.name, needs_password

    def _submit(self, submission: Submission) -> JobRow:
        places = self.settings.jobs.waiting_places
        row = self._queue.submit(submission, places)
        self.analyzer.metrics.set_queue(self._queue.waiting(), places)
        return row

    def _work(self) -> None:
        """A worker thread: claim, run, again. A database that fails ends neither the thread nor, for good, the job:
        the housekeeper finds it."""
        while not self._closing.is_set():
            seen = self._changes
            try:
                row = self._queue.claim()
                if row is not None:
                    with bound_request(row.id):
                        self._run(row)
                    continue
            except (SQLAlchemyError, OSError):
                _LOG.exception("the state of a job could not be written")
            self._await_change(seen, _TAKE_OVER_S)

    def _run(self, row: JobRow) -> None:
        ctx = RunContext.with_timeout(
            self.settings.engine.deadline_s, owner=row.owner, request_id=row.id, on_progress=self._listener(row.id)
        )
        with self._changed:
            self._running[row.id] = _Run(ctx)
        started = time.monotonic()
        try:
            self.analyzer.metrics.set_queue(self._queue.waiting(), self.settings.jobs.waiting_places)
            if self._closing.is_set() or row.id not in self._queue.running_here():
                ctx.cancel()  # close() or cancel() may have looked at what runs just before
            self._finish(row, ctx)
        finally:
            with self._changed:
                self._running.pop(row.id, None)
                spent = time.monotonic() - started
                self._mean_s = spent if self._mean_s is None else 0.8 * self._mean_s + 0.2 * spent
            self._announce()

    def _finish(self, row: JobRow, ctx: RunContext) -> None:
        """Read the document and write down how it ended."""
        try:
            result = self._read(row, ctx)
            on_storage(self._queue.finish)(row.id, JobState.DONE, result=result.model_dump_json().encode())
            _LOG.info("job done", extra={"pages": len(result.analysis.pages), "failures": len(result.failures)})
        except Cancelled:
            if self._closing.is_set():
                self._queue.release(row.id)
            else:
                self._queue.finish(row.id, JobState.CANCELLED)
        except WorkbenchError as error:
            _LOG.info("job failed", extra={"code": error.code})
            self._queue.finish(row.id, JobState.FAILED, error=error)
        except Exception:  # noqa: BLE001  a fault of ours ends this job, not the worker that has others to run
            _LOG.exception("job broke")
            broken = WorkbenchError("Reading the document broke off.", "Report it with the id of the job.")
            self._queue.finish(row.id, JobState.FAILED, error=broken)

    def _read(self, row: JobRow, ctx: RunContext) -> DocumentResult:
        data = on_storage(self._queue.document_of)(row)
        password = self._passwords.get(row.id)
        with open_document(data, name=row.source, password=password, settings=self.settings) as document:
            regions = _REGIONS.validate_json(row.regions)
            return self.analyzer.analyze(document, row.words, regions=regions, ctx=ctx)

    def _listener(self, job_id: str) -> Callable[[Progress], None]:
        def listen(progress: Progress) -> None:
            run = self._running.get(job_id)
            if run is not None:
                run.progress = progress

        return listen

    def _with_progress(self, job: Job) -> Job:
        run = self._running.get(job.id)
        step = run.progress if run is not None else None
        if step is None or job.state is not JobState.RUNNING:
            return job
        return job.model_copy(update={"stage": step.stage, "page": step.page, "pages": step.pages, "done": step.done})

    def _announce(self) -> None:
        with self._changed:
            self._changes += 1
            self._changed.notify_all()

    def _await_change(self, seen: int, timeout_s: float) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._changes != seen, timeout_s)

    def _look_after_runs(self) -> None:
        """Stop what another process has cancelled, note how far the rest is, find jobs that no thread is at."""
        with self._changed:
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
        if lost := strays & self._strays:  # twice in a row: not one that was being claimed or ended just now
            self._queue.recover(lost)
            self._announce()
        self._strays = strays

    def _take_over(self) -> None:
        """Let jobs of services that died wait again."""
        for service in self._queue.other_services():
            if not self._presence.is_alive(service) and self._queue.take_over(service):
                self._announce()

    def _enforce_retention(self) -> None:
        """Remove what is past its time, from the disk and from memory."""
        removed = retention.enforce(
            self._database, self._blobs, max_bytes=self.settings.store.max_bytes, forget_after_s=2 * self._keep_s
        )
        if removed.blobs:
            _LOG.info("removed what was past its time", extra={"blobs": removed.blobs})
        for job_id in self._queue.expired_among(list(self._passwords)):  # not: what is unknown, it may be on its way
            self._passwords.pop(job_id, None)
        self._presence.sweep()


def _storable(text: str) -> str:
    """The text without lone surrogates: a command line can hold them, a database cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")
