"""What is kept for how long, and how much of it."""

from __future__ import annotations

import time
from dataclasses import dataclass

from sqlalchemy import ColumnElement, delete, exists, select, update
from sqlalchemy.orm import Session

from mineru_core.store.blobs import BlobStore
from mineru_core.store.database import Database
from mineru_core.store.tables import BlobRefRow, CorrectionLogRow, JobRow

_UNFINISHED = ("pending", "running")
_FINISHED = ("done", "failed", "cancelled")


@dataclass(frozen=True, slots=True)
class Removed:
    """What one pass removed: references, jobs marked expired, and blobs."""

    references: int
    expired_jobs: int
    blobs: int


def enforce(database: Database, blobs: BlobStore, *, max_bytes: int, forget_after_s: float) -> Removed:
    """Remove references past their time, then the oldest while more than ``max_bytes`` are kept, then blobs that
    nobody refers to. References of a pending or running job stay, however old.

    A finished job whose document or result has gone becomes ``expired``, and its corrections go, which hold words of
    the document; its row is forgotten ``forget_after_s`` seconds after it ended. Everything happens under the write
    lock, so no blob goes while somebody refers to it.
    """
    now = time.time()
    with database.write() as session:
        doomed = _over_time(session, now) | _over_size(session, now, max_bytes)
        for reference in doomed:
            session.execute(delete(BlobRefRow).where(BlobRefRow.id == reference))
        expired = _expire_jobs(session)
        forgotten = JobRow.state.in_(("expired", *_FINISHED)) & (JobRow.finished_at < now - forget_after_s)
        session.execute(delete(JobRow).where(forgotten))
        kept = set(session.scalars(select(BlobRefRow.sha256).distinct()))
        unused = [sha256 for sha256 in blobs.names() if sha256 not in kept]
        for sha256 in unused:
            blobs.delete(sha256)
    blobs.sweep()
    return Removed(references=len(doomed), expired_jobs=expired, blobs=len(unused))


def _over_time(session: Session, now: float) -> set[int]:
    """References past their time, but for those of jobs at work."""
    rows = session.scalars(select(BlobRefRow.id).where(BlobRefRow.expires_at <= now, ~_at_work()))
    return set(rows)


def _over_size(session: Session, now: float, max_bytes: int) -> set[int]:
    """The oldest references whose removal brings what is kept down to ``max_bytes``; those of jobs at work stay."""
    living = select(BlobRefRow.sha256, BlobRefRow.size).where((BlobRefRow.expires_at > now) | _at_work())
    sizes: dict[str, int] = {}
    holders: dict[str, int] = {}
    for sha256, size in session.execute(living):
        sizes[sha256] = size
        holders[sha256] = holders.get(sha256, 0) + 1
    total = sum(sizes.values())
    doomed: set[int] = set()
    oldest = select(BlobRefRow.id, BlobRefRow.sha256).where(BlobRefRow.expires_at > now, ~_at_work())
    for reference, sha256 in session.execute(oldest.order_by(BlobRefRow.created_at, BlobRefRow.id)):
        if total <= max_bytes:
            break
        doomed.add(reference)
        holders[sha256] -= 1
        if not holders[sha256]:
            total -= sizes[sha256]
    return doomed


def _at_work() -> ColumnElement[bool]:
    return exists().where(JobRow.id == BlobRefRow.job_id, JobRow.state.in_(_UNFINISHED))


def _expire_jobs(session: Session) -> int:
    """Mark finished jobs whose document or result is no longer claimed; returns how many."""
    document = exists().where(BlobRefRow.job_id == JobRow.id, BlobRefRow.sha256 == JobRow.blob)
    result = exists().where(BlobRefRow.job_id == JobRow.id, BlobRefRow.sha256 == JobRow.result)
    gone = select(JobRow.seq).where(JobRow.state.in_(_FINISHED), ~document | (JobRow.result.is_not(None) & ~result))
    found = session.scalars(gone).all()
    for seq in found:
        session.execute(update(JobRow).where(JobRow.seq == seq).values(state="expired"))
        corrected = select(JobRow.id).where(JobRow.seq == seq)
        session.execute(delete(CorrectionLogRow).where(CorrectionLogRow.job_id.in_(corrected)))
    return len(found)
