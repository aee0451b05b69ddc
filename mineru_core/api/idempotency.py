"""Idempotency-Key: a request that is sent again, after a broken connection or at once, leads to the same task."""

from __future__ import annotations

import hashlib
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, NamedTuple

from fastapi import Depends, Header, Request

from mineru_core.errors import InvalidRequest, NotFound
from mineru_core.jobs.model import Job, JobState
from mineru_core.jobs.storage import on_storage
from mineru_core.settings import Settings
from mineru_core.store.database import Database
from mineru_core.store.request_keys import RequestKeys

HEADER = "Idempotency-Key"
_KEY = re.compile(r"[\x21-\x7e]{1,255}")
_FRUITLESS = frozenset({JobState.CANCELLED, JobState.FAILED, JobState.EXPIRED})
"""States that a request sent again is not to be answered with: it starts anew."""

KeyHeader = Annotated[
    str | None,
    Header(
        alias=HEADER,
        description="names this request, in at most 255 characters: sent again within a day with the same content, it "
        "leads to the same task, unless that failed or was cancelled",
    ),
]


async def request_key(request: Request, given: KeyHeader = None) -> str | None:
    """The request's key; None where it has none. Raises ``InvalidRequest`` for one that is off."""
    values = request.headers.getlist(HEADER)
    if len(values) > 1 or not (given is None or _KEY.fullmatch(given)):
        raise InvalidRequest(f"{HEADER} is not one value of 1 to 255 visible ASCII characters.", "Send a UUID.")
    return given


KeyOfRequest = Annotated[str | None, Depends(request_key)]


class Asked(NamedTuple):
    """What a request asks of which files. Passwords do not belong in it: a hash of it is written down."""

    wishes: tuple[object, ...]
    files: tuple[bytes, ...]

    def fingerprint(self) -> str:
        """A hash of it all. Of large files it takes a while."""
        parts = [repr(self.wishes), *(hashlib.sha256(data).hexdigest() for data in self.files)]
        return hashlib.sha256("\n".join(parts).encode("utf-8", "backslashreplace")).hexdigest()


class Idempotency:
    """The keys of a home folder. Every method may be called from any thread."""

    def __init__(self, settings: Settings) -> None:
        self._path = settings.database_path
        self._opening = threading.Lock()
        self._database: Database | None = None
        self._busy: Counter[tuple[str, str]] = Counter()
        self._locks: dict[tuple[str, str], threading.Lock] = {}
        self._guard = threading.Lock()

    @on_storage
    def submit_once(
        self,
        owner: str,
        key: str,
        asked: Asked,
        *,
        submit: Callable[[], Job],
        get: Callable[[str], Job],
        cancel: Callable[[str], object],
    ) -> Job:
        """The job that this key has led to, else the one that ``submit`` makes now. Raises ``InvalidRequest`` where the
        key came with another request, and what ``submit`` raises."""
        fingerprint = asked.fingerprint()
        with self._alone(owner, key):
            found = self._keys().find(owner, key)
            if found is not None:
                if found.fingerprint != fingerprint:
                    raise InvalidRequest(
                        f"This {HEADER} was sent with another request.", "Give each request a key of its own."
                    )
                job = _still_good(get, found.task_id)
                if job is not None:
                    return job
            job = submit()
            kept = self._keys().keep(owner, key, fingerprint, job.id, instead_of=found.task_id if found else None)
            if kept != job.id:  # another process on this home was quicker
                cancel(job.id)
                return get(kept)
            return job

    def close(self) -> None:
        """Let go of the database; it is opened again when it is needed."""
        with self._opening:
            database, self._database = self._database, None
        if database is not None:
            database.close()

    def _keys(self) -> RequestKeys:
        with self._opening:
            if self._database is None:
                self._database = Database(self._path)
            return RequestKeys(self._database)

    @contextmanager
    def _alone(self, owner: str, key: str) -> Iterator[None]:
        """Lets one thread at a time in for each key."""
        name = (owner, key)
        with self._guard:
            self._busy[name] += 1
            lock = self._locks.setdefault(name, threading.Lock())
        try:
            with lock:
                yield
        finally:
            with self._guard:
                self._busy[name] -= 1
                if not self._busy[name]:
                    del self._busy[name], self._locks[name]


def _still_good(get: Callable[[str], Job], task_id: str) -> Job | None:
    try:
        job = get(task_id)
    except NotFound:
        return None
    return None if job.state in _FRUITLESS else job
