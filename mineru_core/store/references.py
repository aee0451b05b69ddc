"""Who may read which blob, and until when."""

from __future__ import annotations

import time

from sqlalchemy import select
from sqlalchemy.orm import Session

from mineru_core.errors import NotFound
from mineru_core.store.blobs import BlobStore, Incoming
from mineru_core.store.tables import BlobRefRow


def add_reference(
    session: Session, blobs: BlobStore, data: bytes, *, owner: str, name: str, job_id: str | None, keep_s: float
) -> str:
    """Give ``owner`` a claim to the bytes for ``keep_s`` seconds and return their sha256.

    The session must hold the write lock, and the bytes should have been ``put`` before it was taken: here they are
    only written if retention has removed them in between, which it can do under the same lock alone.
    """
    sha256 = blobs.put(data)
    session.add(_claim(sha256, len(data), owner, name, job_id, keep_s))
    return sha256


def add_incoming(session: Session, incoming: Incoming, *, owner: str, name: str, keep_s: float) -> BlobRefRow:
    """Place finished bytes in their store and give ``owner`` a claim to them for ``keep_s`` seconds, without a job.

    The session must hold the write lock: between the two, retention would remove what nobody refers to.
    """
    row = _claim(incoming.place(), incoming.size, owner, name, None, keep_s)
    session.add(row)
    session.flush()  # gives it its id
    return row


def read_blob(session: Session, blobs: BlobStore, sha256: str, owner: str) -> bytes:
    """The bytes, for an owner who has a claim to them that has not expired.

    Raises ``NotFound`` otherwise: knowing a hash opens nothing, and does not even tell whether the bytes are kept.
    """
    claim = (
        select(BlobRefRow.id)
        .where(BlobRefRow.sha256 == sha256, BlobRefRow.owner == owner, BlobRefRow.expires_at > time.time())
        .limit(1)
    )
    if session.scalar(claim) is None:
        raise NotFound("The document is no longer kept.", "Upload it again.")
    return blobs.get(sha256)


def _claim(sha256: str, size: int, owner: str, name: str, job_id: str | None, keep_s: float) -> BlobRefRow:
    now = time.time()
    return BlobRefRow(
        sha256=sha256, owner=owner, name=name, size=size, job_id=job_id, created_at=now, expires_at=now + keep_s
    )
