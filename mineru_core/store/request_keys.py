"""Which task an Idempotency-Key has led to."""

from __future__ import annotations

import time
from dataclasses import dataclass

from sqlalchemy import delete

from mineru_core.store.database import Database
from mineru_core.store.tables import RequestKeyRow

KEEP_S = 86_400.0
"""Seconds a key is known."""


@dataclass(frozen=True, slots=True)
class KnownKey:
    """The task a key has led to, and the fingerprint of what was asked."""

    fingerprint: str
    task_id: str


class RequestKeys:
    """The keys of one home folder; each belongs to an owner."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, owner: str, key: str) -> KnownKey | None:
        """What is known of the owner's key; None for nothing, or nothing any more."""
        with self._database.read() as session:
            row = session.get(RequestKeyRow, (owner, key))
            if row is None or row.created_at <= time.time() - KEEP_S:
                return None
            return KnownKey(row.fingerprint, row.task_id)

    def keep(self, owner: str, key: str, fingerprint: str, task_id: str, *, instead_of: str | None = None) -> str:
        """Keep the task under the key, and return it; where another has come under it meanwhile, return that one.
        ``instead_of`` is a task that was found under it and is to go. Keys past their time go, too."""
        now = time.time()
        with self._database.write() as session:
            session.execute(delete(RequestKeyRow).where(RequestKeyRow.created_at <= now - KEEP_S))
            row = session.get(RequestKeyRow, (owner, key))
            if row is not None and row.task_id != instead_of and row.fingerprint == fingerprint:
                return row.task_id
            if row is not None:
                session.delete(row)
                session.flush()
            session.add(RequestKeyRow(owner=owner, key=key, fingerprint=fingerprint, task_id=task_id, created_at=now))
        return task_id
