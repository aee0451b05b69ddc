"""What a job looks like from outside."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Self

from pydantic import Field

from mineru_core.document.model import Model
from mineru_core.errors import WorkbenchError, error_of_code
from mineru_core.store.tables import JobRow


class JobState(StrEnum):
    """Where a job stands. ``expired``: its document and result are no longer kept."""

    PENDING = "pending"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    EXPIRED = "expired"

    @property
    def is_final(self) -> bool:
        """Whether the job will not run any more."""
        return self not in (JobState.PENDING, JobState.RUNNING)


class JobError(Model):
    """Why a job failed: a code of the error tree, what happened, and what to do about it."""

    code: str
    message: str
    hint: str = ""

    @classmethod
    def from_error(cls, error: WorkbenchError) -> Self:
        """The error as data."""
        return cls(code=error.code, message=error.message, hint=error.hint)

    def to_error(self) -> WorkbenchError:
        """The error as it was raised, by its code; the root of the tree for a code that is unknown."""
        return error_of_code(self.code, self.message, self.hint)


class Job(Model):
    """One document somebody asked to have read, as it stands now.

    ``page`` is the page at work (from 1), ``pages`` how many will be read and ``done`` how many of them have been; all
    0 until that is known. ``done`` is told only while the job runs in this process, and once it is done. Times are in
    UTC.
    """

    id: str
    owner: str
    state: JobState
    source: str = Field(description="name of the document as it was handed in")
    words: str = ""
    engine: str = Field(default="", description="name of the engine that reads it; empty: the server's own")
    stage: str = ""
    page: int = 0
    pages: int = 0
    done: int = 0
    created_at: datetime
    finished_at: datetime | None = None
    error: JobError | None = None

    @classmethod
    def from_row(cls, row: JobRow) -> Self:
        """The job as the database has it."""
        error = None
        if row.error_code is not None:
            error = JobError(code=row.error_code, message=row.error_message or "", hint=row.error_hint or "")
        return cls(
            id=row.id,
            owner=row.owner,
            state=JobState(row.state),
            source=row.source,
            words=row.words,
            engine=row.engine or "",
            stage=row.stage,
            page=row.page,
            pages=row.pages,
            done=row.pages if row.state == JobState.DONE else 0,
            created_at=_utc(row.created_at),
            finished_at=None if row.finished_at is None else _utc(row.finished_at),
            error=error,
        )


def _utc(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, tz=UTC)
