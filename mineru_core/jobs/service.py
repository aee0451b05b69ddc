"""Jobs of one process: taking them on, and the answers to everybody who asks."""

from __future__ import annotations

import logging
import threading
import time
import uuid
from collections.abc import Sequence
from typing import NamedTuple

from mineru_core.document.task import Region
from mineru_core.errors import Cancelled, EncryptedPdf, InvalidRequest, NotFound, Overloaded, WorkbenchError
from mineru_core.export.result import DocumentResult
from mineru_core.intake import Document
from mineru_core.jobs.changes import Changes
from mineru_core.jobs.comparisons import Comparisons
from mineru_core.jobs.corrections import Corrections
from mineru_core.jobs.departure import Departures
from mineru_core.jobs.housekeeper import Chore, keep_house
from mineru_core.jobs.liveness import Presence
from mineru_core.jobs.model import Job, JobState
from mineru_core.jobs.places import JobPlaces
from mineru_core.jobs.queue import JobQueue, Submission
from mineru_core.jobs.runner import REGIONS, Runner
from mineru_core.jobs.storage import on_storage
from mineru_core.jobs.uploads import Uploads
from mineru_core.runtime.recent import Recent
from mineru_core.serving.admission import Admission
from mineru_core.serving.analyzer import Analyzer
from mineru_core.serving.analyzers import Analyzers
from mineru_core.serving.selection import check_regions
from mineru_core.settings import Settings
from mineru_core.store import retention
from mineru_core.store.blobs import BlobStore, Incoming
from mineru_core.store.database import Database
from mineru_core.store.tables import JobRow

_LOG = logging.getLogger(__name__)

_DAY_S = 86_400.0
_LOOK_S = 1.0
"""How often a waiter and the housekeeper look for what another process has done; here everybody is woken."""
_TAKE_OVER_S = 5.0
_RETENTION_S = 600.0
_SWEEP_S = 3600.0
_RESTART_S = 10.0
"""When to come again to a service that stops, seconds: another one will be there, as a rule."""
_CLOSE_S = 10.0
_RESULTS_KEPT = 8
MAX_WORDS = 4000
"""Characters of one question."""


class _Asked(NamedTuple):
    """What is asked of a document, and for whom."""

    name: str
    words: str
    owner: str
    regions: tuple[Region, ...]
    engine: str
    password: str | None
    interactive: bool


class JobService:
    """Submits, runs and answers for jobs. States are in the home folder's database: a new service on the same home
    goes on with what waits and what was running. Several services may share a home; each job is run by one of them.

    Every method may be called from any thread. A job is seen by its owner alone: for anybody else it is ``NotFound``.
    Passwords stay in memory; a job that needed one fails with encrypted-pdf after a restart.
    """

    def __init__(
        self,
        settings: Settings,
        analyzer: Analyzer,
        *,
        admission: Admission | None = None,
        departures: Departures | None = None,
    ) -> None:
        """``admission`` is shared with others who use the analyzer; one of the settings' own where left out."""
        self.settings = settings
        self.analyzer = analyzer
        self.analyzers = Analyzers(analyzer)
        self.admission = admission if admission is not None else Admission.from_settings(settings, analyzer.metrics)
        self._departures = departures or Departures(settings.jobs.departure_s)
        self._database = Database(settings.database_path)
        self._blobs = BlobStore(settings.blobs_dir)
        self._presence = Presence(settings.home / "services")
        self._keep_s = settings.store.retention_days * _DAY_S
        self._queue = JobQueue(self._database, self._blobs, self._presence.id, self._keep_s)
        self.uploads = Uploads(self._database, self._blobs, self._keep_s)
        self._changes = Changes()  # told of every submission and ending
        self._places = JobPlaces(self.admission)
        self._passwords: dict[str, str] = {}
        self._results: Recent[DocumentResult] = Recent(_RESULTS_KEPT)
        self.corrections = Corrections(self._database, self.original_result)
        self.comparisons = Comparisons(self)
        self._runner = Runner(
            settings,
            self.analyzers,
            self._queue,
            self._places,
            self._changes,
            corrections=self.corrections,
            password_of=self._passwords.get,
            ended=self._departures.forget,
        )
        self._closing = threading.Event()
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Take over what dead services left, and begin to work; calling it again does nothing."""
        if self._threads:
            return
        chores = (
            Chore(self._runner.look_after, _LOOK_S),
            Chore(self._stop_abandoned, _LOOK_S),
            Chore(self._take_over, _TAKE_OVER_S),
            Chore(self._enforce_retention, _RETENTION_S),
            Chore(self.analyzer.cache.sweep, _SWEEP_S),
        )
        house = threading.Thread(target=keep_house, args=(chores, self._closing), name="jobs-house", daemon=True)
        self._threads = [house, *self._runner.threads()]
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Stop what runs and leave it waiting for the next service; calling it again does nothing."""
        if self._closing.is_set():
            return
        self._closing.set()
        self._runner.stop()
        self._changes.announce()
        until = time.monotonic() + _CLOSE_S
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
        try:
            self._queue.release()  # of a thread that did not end in time; its late result is then refused
        finally:
            self.analyzers.close()
            self._presence.close()
            self._database.close()

    @on_storage
    def submit(  # noqa: PLR0913  one argument each thing that may be said of a document
        self,
        data: bytes,
        *,
        name: str,
        words: str = "",
        owner: str,
        regions: Sequence[Region] = (),
        engine: str | None = None,
        password: str | None = None,
        interactive: bool = False,
        incoming: Incoming | None = None,
    ) -> Job:
        """Hand in a document; it waits for its turn. Returns the pending job.

        ``engine`` names the one that reads it, the analyzer's own where left out. An ``interactive`` job is cancelled
        once its owner's last session is gone and stays gone (see ``left``). ``incoming`` is the same bytes as they came
        to the blob store's disk (``uploads.receive``): they are kept from there, not written again.
        Raises at once what opening the document raises (``EmptyFile``, ``UnsupportedType``, ``CorruptPdf``, …),
        ``InvalidRequest`` for a region on no page, words without end or an engine that may not be chosen, and
        ``Overloaded`` where no place is left.
        """
        try:
            asked = _Asked(name, words, owner, tuple(regions), self.analyzers.check(engine), password, interactive)
            row = self._accept(data, asked, incoming)
        except WorkbenchError as error:
            self.analyzer.metrics.request_ended(error.code)
            raise
        self._changes.announce()
        return Job.from_row(row)

    def _accept(self, data: bytes, asked: _Asked, incoming: Incoming | None) -> JobRow:
        if self._closing.is_set():
            raise Overloaded("The service is stopping.", retry_after_s=_RESTART_S, queue_fraction=1.0)
        if len(asked.words) > MAX_WORDS:
            raise InvalidRequest(f"The words are longer than {MAX_WORDS} characters.", "Say it in fewer words.")
        job_id = uuid.uuid4().hex
        # Before anything is decoded or written: a crowd that is refused must cost neither memory nor disk.
        self._places.keep(job_id, self.admission.enter(asked.owner))
        try:
            clean_name, needs_password = self._inspect(data, asked.name, asked.regions, asked.password)
            submission = Submission(
                job_id=job_id,
                data=data,
                name=clean_name,
                words=_storable(asked.words),
                owner=asked.owner,
                regions=REGIONS.dump_json(asked.regions).decode(),
                engine=asked.engine,
                needs_password=needs_password,
                incoming=incoming,
            )
            # All of this before a worker can claim the job.
            if needs_password and asked.password is not None:
                self._passwords[job_id] = asked.password
            if asked.interactive:
                self._departures.watch(job_id, asked.owner)
            row = self._queue.submit(submission, self.settings.jobs.waiting_places)
            _LOG.info("job submitted", extra={"job": job_id})  # joins the request's id with the job's
        except BaseException:
            self._passwords.pop(job_id, None)
            self._departures.forget(job_id)
            self._places.leave(job_id)
            raise
        self._places.written(job_id)
        return row

    def refuse_if_full(self, owner: str) -> None:
        """Raise ``Overloaded`` where a document of the owner would be refused now. Takes microseconds."""
        try:
            self.admission.check(owner)
        except Overloaded as error:
            self.analyzer.metrics.request_ended(error.code)
            raise

    def arrived(self, owner: str, session: str) -> None:
        """A browser session of the owner is open."""
        self._departures.arrived(owner, session)

    def left(self, owner: str, session: str) -> None:
        """A session has ended. Interactive jobs of an owner without any are cancelled after ``jobs.departure_s``."""
        self._departures.left(owner, session)

    @on_storage
    def resubmit(
        self,
        job_id: str,
        owner: str,
        *,
        words: str = "",
        regions: Sequence[Region] = (),
        engine: str | None = None,
        interactive: bool = False,
    ) -> Job:
        """Ask something else about the document of a job, without handing it in again, with the engine it was read
        with, if it still may be chosen, unless another is named. Returns the new pending job.

        Raises ``NotFound`` where the document is no longer kept, and what ``submit`` raises.
        """
        row = self._queue.get(job_id, owner)
        data, password = self._queue.blob(row.blob, owner), self._passwords.get(job_id)
        return self.submit(
            data,
            name=row.source,
            words=words,
            owner=owner,
            regions=regions,
            engine=engine or (row.engine if row.engine in self.analyzers.choices else None),
            password=password,
            interactive=interactive,
        )

    @on_storage
    def read_again(self, job_id: str, owner: str, engine: str, *, interactive: bool = False) -> Job:
        """Ask the same of the document of a job, of another engine. Raises what ``resubmit`` raises."""
        row = self._queue.get(job_id, owner)
        regions = REGIONS.validate_json(row.regions)
        return self.resubmit(job_id, owner, words=row.words, regions=regions, engine=engine, interactive=interactive)

    def load_progress(self, job: Job) -> float | None:
        """Share (0..1) to which the engine that a running job waits for is loaded; None where it waits for none, or
        that is not known here."""
        if job.state is not JobState.RUNNING or job.stage != "load":
            return None
        step = self.analyzers.load_progress(job.engine)
        return None if step is None else step[1]

    @on_storage
    def get(self, job_id: str, owner: str) -> Job:
        """The job as it stands now. Raises ``NotFound``."""
        return self._with_progress(Job.from_row(self._queue.get(job_id, owner)))

    def wait(self, job_id: str, owner: str, timeout_s: float) -> Job:
        """The job once it has ended, or as it stands after ``timeout_s`` seconds. Raises ``NotFound``."""
        until = time.monotonic() + timeout_s
        while True:
            seen = self._changes.count
            job = self.get(job_id, owner)
            remaining = until - time.monotonic()
            if job.state.is_final or remaining <= 0 or self._closing.is_set():
                return job
            self._await_end(job_id, seen, min(remaining, _LOOK_S))

    def _await_end(self, job_id: str, seen: int, timeout_s: float) -> None:
        """Return once the job may have ended, at the latest after ``timeout_s`` seconds.

        Every change wakes everybody who waits; as long as the job waits or runs here undisturbed, none of them asks
        the database.
        """
        until = time.monotonic() + timeout_s
        while (remaining := until - time.monotonic()) > 0 and not self._closing.is_set():
            self._changes.wait(seen, remaining)
            seen = self._changes.count
            if not self._places.holds(job_id) or self._runner.is_stopping(job_id):
                return

    @on_storage
    def result(self, job_id: str, owner: str) -> DocumentResult:
        """What the job found, with the corrections of its tables: this is given out, shown and exported. Raises what
        ``original_result`` raises."""
        return self.corrections.corrected(job_id, self.original_result(job_id, owner))

    @on_storage
    def original_result(self, job_id: str, owner: str) -> DocumentResult:
        """What the job found, as it was read. Raises the job's own error where it failed, ``Cancelled``, ``NotFound``
        where it has expired, and ``InvalidRequest`` where it has not ended."""
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
        if job.state is JobState.CANCELLED and not self._runner.cancel(job_id):
            self._places.leave(job_id)
            self._departures.forget(job_id)
        self._changes.announce()
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
        return self.analyzer.open(data, name=row.source, password=self._passwords.get(job_id))

    def _inspect(self, data: bytes, name: str, regions: Sequence[Region], password: str | None) -> tuple[str, bool]:
        """Open the document to refuse at once what cannot be read: its clean name, and whether it took the password."""
        needs_password = False
        try:
            document = self.analyzer.open(data, name=name)
        except EncryptedPdf:
            if password is None:
                raise
            document = self.analyzer.open(data, name=name, password=password)
            needs_password = True
        with document:
            check_regions(regions, document.page_count)
            return document.name, needs_password

    def _with_progress(self, job: Job) -> Job:
        step = self._runner.progress_of(job.id)
        if step is None or job.state is not JobState.RUNNING:
            return job
        return job.model_copy(update={"stage": step.stage, "page": step.page, "pages": step.pages, "done": step.done})

    def _stop_abandoned(self) -> None:
        """Cancel what owners that have departed can no longer see."""
        for job_id, owner in self._departures.abandoned():
            _LOG.info("the reader of a job has gone", extra={"job": job_id})
            self.cancel(job_id, owner)

    def _take_over(self) -> None:
        """Let jobs of services that died wait again."""
        for service in self._queue.other_services():
            if not self._presence.is_alive(service) and self._queue.take_over(service):
                self._changes.announce()

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
