"""Files that browsers hand in before anything is asked of them."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from mineru_core.errors import NotFound, UnsupportedType
from mineru_core.intake import EDGE, sniff_file
from mineru_core.jobs.storage import on_storage
from mineru_core.store.blobs import BlobStore, Incoming
from mineru_core.store.database import Database
from mineru_core.store.references import add_incoming
from mineru_core.store.tables import BlobRefRow

_ID = re.compile(r"(\d{1,18})-([0-9a-f]{24})")
_SHA256_DIGITS = 24
_MAX_NAME = 200


@dataclass(frozen=True, slots=True)
class KeptUpload:
    """A file on the server; ``size`` in bytes. The id opens it for its owner alone."""

    id: str
    name: str
    size: int


class Uploads:
    """Files of one home folder that belong to no job, kept for ``keep_s`` seconds as documents of jobs are.

    Each method may be called from any thread. An id of somebody else's file, of one that is past its time or of none
    raises ``NotFound`` alike. Raises ``StorageUnavailable`` where the disk or the database fails.
    """

    def __init__(self, database: Database, blobs: BlobStore, keep_s: float) -> None:
        self._database, self._blobs, self._keep_s = database, blobs, keep_s

    @on_storage
    def receive(self) -> Incoming:
        """A file that comes piece by piece: give its bytes to ``write``, then it to ``keep``; close it in any case."""
        return self._blobs.receive()

    @on_storage
    def write(self, incoming: Incoming, data: bytes | bytearray) -> None:
        """Write the next bytes of a file to disk."""
        incoming.write(data)

    @on_storage
    def whole(self, incoming: Incoming) -> bytes:
        """The bytes of a file that has come whole."""
        return incoming.so_far().read_bytes()

    @on_storage
    def check(self, incoming: Incoming) -> None:
        """Look whether the file, which is whole, is of a kind that can be read: better said now than once something is
        asked of it, or shown. Raises ``EmptyFile``, ``UnsupportedType`` and ``EncryptedOffice``."""
        if sniff_file(incoming.so_far()) == EDGE:
            raise UnsupportedType("This is what was read of a document, without pages to show.", "Upload the document.")

    @on_storage
    def keep(self, incoming: Incoming, name: str, owner: str) -> KeptUpload:
        """Keep the file, which is whole, for the owner."""
        incoming.finish()
        with self._database.write() as session:
            row = add_incoming(session, incoming, owner=owner, name=clean_name(name), keep_s=self._keep_s)
        return _kept(row)

    @on_storage
    def get(self, upload_id: str, owner: str) -> KeptUpload:
        """What is known of the file."""
        with self._database.read() as session:
            return _kept(_owned(session, upload_id, owner))

    @on_storage
    def read(self, upload_id: str, owner: str) -> bytes:
        """The file's bytes."""
        with self._database.read() as session:
            sha256 = _owned(session, upload_id, owner).sha256
        return self._blobs.get(sha256)

    @on_storage
    def forget(self, upload_id: str, owner: str) -> None:
        """Give up the owner's claim to the file; retention removes the bytes that nobody has a claim to."""
        with self._database.write() as session:
            row = _owned(session, upload_id, owner)
            session.execute(delete(BlobRefRow).where(BlobRefRow.id == row.id))


def clean_name(name: str) -> str:
    """The last part of a name or path, without control characters and of ``_MAX_NAME`` characters at most."""
    last = re.split(r"[/\\]", name)[-1]
    return "".join(c for c in last if c.isprintable()).strip()[-_MAX_NAME:] or "document"


def _kept(row: BlobRefRow) -> KeptUpload:
    # The database may give a number anew once its row is gone: the hash makes sure that an old id opens no new file.
    return KeptUpload(f"{row.id}-{row.sha256[:_SHA256_DIGITS]}", row.name, row.size)


def _owned(session: Session, upload_id: str, owner: str) -> BlobRefRow:
    parts = _ID.fullmatch(upload_id)
    row = None
    if parts is not None:
        mine = (BlobRefRow.owner == owner) & BlobRefRow.job_id.is_(None) & (BlobRefRow.expires_at > time.time())
        row = session.scalar(select(BlobRefRow).where(BlobRefRow.id == int(parts[1]), mine))
    if parts is None or row is None or not row.sha256.startswith(parts[2]):
        raise NotFound("The file is no longer kept.", "Upload it again.")
    return row
