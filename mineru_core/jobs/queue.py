"""States of jobs in the database, as one service sees and changes them."""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import ColumnElement, func, or_, select, update
from sqlalchemy.orm import Session, aliased

from mineru_core.errors import EncryptedPdf, EngineFailed, NotFound, Overloaded, WorkbenchError
from mineru_core.jobs.model import JobState
from mineru_core.runtime.context import Progress
from mineru_core.store.blobs import BlobStore, Incoming
from mineru_core.store.database import Database
from mineru_core.store.references import add_reference, read_blob
from mineru_core.store.tables import JobRow

_LOOK_AGAIN_S = 5.0
"""When to come again where other processes have filled the places, seconds: how fast they read is not known here."""

_MAX_ATTEMPTS = 3
"""A document that ended its process this often is given up: it would end the next one too."""


@dataclass(frozen=True, slots=True)
class Submission:
    """What is handed in. ``regions`` is JSON; ``needs_password`` says that only this service can open the document;
    ``incoming`` is the data as it came to the blob store's disk, where it did."""

    job_id: str
    data: bytes
    name: str
    words: str
    owner: str
    regions: str
    needs_password: bool
    engine: str = ""
    incoming: Incoming | None = None


class JobQueue:
    """Jobs of one home folder. ``service`` is the name under which jobs are claimed; ``keep_s`` how long documents
    and results are kept, seconds.

    Each change is one transaction under the write lock and conditional on the state it changes from, so a job is
    run by one service at a time and ends once.
    """

    def __init__(self, database: Database, blobs: BlobStore, service: str, keep_s: float) -> None:
        self._database = database
        self._blobs = blobs
        self._service = service
        self._keep_s = keep_s

    def submit(self, submission: Submission, places: int | None = None) -> JobRow:
        """Add a pending job. Raises ``Overloaded`` where ``places`` jobs wait already, whoever took them on."""
        data = submission.data
        # Slow, so before the lock; the reference makes sure that it is still there.
        if submission.incoming is None:
            self._blobs.put(data)
        else:
            submission.incoming.finish()
            submission.incoming.place()
        with self._database.write() as session:
            if places is not None:
                _check_places(session, places)
            row = JobRow(
                id=submission.job_id,
                owner=submission.owner,
                state=JobState.PENDING,
                source=submission.name,
                words=submission.words,
                regions=submission.regions,
                engine=submission.engine,
                blob="",
                password_holder=self._service if submission.needs_password else None,
                created_at=time.time(),
            )
            session.add(row)
            session.flush()
            row.blob = self._refer(session, data, row, submission.name)
        return row

    def claim(self, most_of_one: int | None = None) -> JobRow | None:
        """Take a waiting job to run it here: of the owner with the fewest running jobs, the oldest. None if none, or
        none of an owner with fewer than ``most_of_one`` jobs running here."""
        other = aliased(JobRow)
        running = select(func.count()).where(other.owner == JobRow.owner, other.state == JobState.RUNNING)
        mine_to_open = or_(JobRow.password_holder.is_(None), JobRow.password_holder == self._service)
        first = (
            select(JobRow)
            .where(JobRow.state == JobState.PENDING, mine_to_open)
            .order_by(running.scalar_subquery(), JobRow.seq)
            .limit(1)
        )
        if most_of_one is not None:
            here = running.where(other.worker == self._service)
            first = first.where(here.scalar_subquery() < most_of_one)
        with self._database.write() as session:
            row = session.scalar(first)
            if row is not None:
                row.state, row.worker, row.started_at = JobState.RUNNING, self._service, time.time()
                row.attempts += 1
        return row

    def finish(
        self,
        job_id: str,
        state: JobState,
        *,
        result: bytes | None = None,
        error: WorkbenchError | None = None,
        progress: Progress | None = None,
    ) -> bool:
        """End a job that runs here, having come as far as ``progress`` says. False where it does not run here any
        more: it was cancelled, and keeps that state."""
        if result is not None:
            self._blobs.put(result)
        with self._database.write() as session:
            row = session.scalar(select(JobRow).where(JobRow.id == job_id, self._runs_here()))
            if row is None:
                return False
            _end(row, state, error)
            if progress is not None:
                row.stage, row.page, row.pages = progress.stage, progress.page, progress.pages
            if result is not None:
                row.result = self._refer(session, result, row, f"{row.source}.json")
        return True

    def release(self, job_id: str | None = None) -> None:
        """Let a job that runs here (None: each of them) wait again; the attempt does not count."""
        which = self._runs_here() if job_id is None else self._runs_here() & (JobRow.id == job_id)
        values = {"state": JobState.PENDING, "worker": None, "attempts": JobRow.attempts - 1, "stage": "", "page": 0}
        with self._database.write() as session:
            session.execute(update(JobRow).where(which).values(values))

    def cancel(self, job_id: str, owner: str) -> JobRow:
        """Cancel a waiting or running job; a finished one stays as it is. Raises ``NotFound``."""
        with self._database.write() as session:
            row = _owned(session, job_id, owner)
            if not JobState(row.state).is_final:
                _end(row, JobState.CANCELLED)
        return row

    def get(self, job_id: str, owner: str) -> JobRow:
        """The job. Raises ``NotFound`` for an unknown id and for another owner's."""
        with self._database.read() as session:
            return _owned(session, job_id, owner)

    def list(self, owner: str, limit: int) -> list[JobRow]:
        """The owner's jobs, newest first."""
        newest = select(JobRow).where(JobRow.owner == owner).order_by(JobRow.seq.desc()).limit(limit)
        with self._database.read() as session:
            return [*session.scalars(newest)]

    def blob(self, sha256: str, owner: str) -> bytes:
        """A document or result that the owner has a claim to. Raises ``NotFound``."""
        with self._database.read() as session:
            return read_blob(session, self._blobs, sha256, owner)

    def document_of(self, row: JobRow) -> bytes:
        """The document of a job that runs here, past its time or not. Raises ``NotFound`` where it has gone."""
        return self._blobs.get(row.blob)

    def waiting(self) -> dict[str, str]:
        """The jobs that wait, with their owners."""
        with self._database.read() as session:
            found = session.execute(select(JobRow.id, JobRow.owner).where(JobRow.state == JobState.PENDING))
            return {job_id: owner for job_id, owner in found}  # noqa: C416  rows are no pairs to the type checker

    def running_here(self) -> set[str]:
        """The jobs this service has claimed that are neither ended nor cancelled."""
        with self._database.read() as session:
            return set(session.scalars(select(JobRow.id).where(self._runs_here())))

    def expired_among(self, job_ids: Collection[str]) -> set[str]:
        """Those of the jobs whose document is no longer kept."""
        with self._database.read() as session:
            gone = select(JobRow.id).where(JobRow.id.in_(job_ids), JobRow.state == JobState.EXPIRED)
            return set(session.scalars(gone))

    def note_progress(self, progress: dict[str, Progress]) -> None:
        """Write down how far jobs that run here are."""
        with self._database.write() as session:
            for job_id, step in progress.items():
                place = {"stage": step.stage, "page": step.page, "pages": step.pages}
                session.execute(update(JobRow).where(JobRow.id == job_id, self._runs_here()).values(place))

    def other_services(self) -> set[str]:
        """Names of the other services that run a job, or hold the password of a waiting one."""
        unfinished = JobRow.state.in_((JobState.PENDING, JobState.RUNNING))
        with self._database.read() as session:
            workers = session.scalars(select(JobRow.worker).where(JobRow.state == JobState.RUNNING).distinct())
            holders = session.scalars(select(JobRow.password_holder).where(unfinished).distinct())
            names = {*workers, *holders}
        return {name for name in names if name is not None and name != self._service}

    def take_over(self, service: str) -> bool:
        """Let jobs of a dead service wait again; True if there were any.

        One whose password died with it fails with encrypted-pdf, one that was started too often with engine-failed.
        """
        running = (JobRow.worker == service) & (JobRow.state == JobState.RUNNING)
        waiting = (JobRow.password_holder == service) & (JobRow.state == JobState.PENDING)
        with self._database.write() as session:
            rows = session.scalars(select(JobRow).where(running | waiting)).all()
            for row in rows:
                if row.password_holder is not None:
                    _end(row, JobState.FAILED, EncryptedPdf("The password was not kept over a restart."))
                else:
                    _try_again(row)
        return bool(rows)

    def recover(self, job_ids: Collection[str]) -> None:
        """Let jobs that count as running here, but that no thread is at, wait again: their end could not be written."""
        with self._database.write() as session:
            for row in session.scalars(select(JobRow).where(JobRow.id.in_(job_ids), self._runs_here())):
                _try_again(row)

    def _runs_here(self) -> ColumnElement[bool]:
        return (JobRow.state == JobState.RUNNING) & (JobRow.worker == self._service)

    def _refer(self, session: Session, data: bytes, row: JobRow, name: str) -> str:
        return add_reference(session, self._blobs, data, owner=row.owner, name=name, job_id=row.id, keep_s=self._keep_s)


def _check_places(session: Session, places: int) -> None:
    waiting = session.scalar(select(func.count()).where(JobRow.state == JobState.PENDING)) or 0
    if waiting >= places:
        raise Overloaded(f"All {places} waiting places are taken.", retry_after_s=_LOOK_AGAIN_S, queue_fraction=1.0)


def _owned(session: Session, job_id: str, owner: str) -> JobRow:
    row = session.scalar(select(JobRow).where(JobRow.id == job_id, JobRow.owner == owner))
    if row is None:
        raise NotFound("There is no such job.")
    return row


def _try_again(row: JobRow) -> None:
    if row.attempts >= _MAX_ATTEMPTS:
        _end(row, JobState.FAILED, EngineFailed(f"Reading this document broke off {row.attempts} times."))
    else:
        row.state, row.worker, row.stage, row.page = JobState.PENDING, None, "", 0


def _end(row: JobRow, state: JobState, error: WorkbenchError | None = None) -> None:
    row.state, row.worker, row.password_holder, row.finished_at = state, None, None, time.time()
    if error is not None:
        row.error_code, row.error_message, row.error_hint = error.code, error.message, error.hint
