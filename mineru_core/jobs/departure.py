"""Whose browser sessions are open, and which jobs nobody is there any more to read."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

_FORGET_S = 3600.0
"""After so long nothing is on its way any more that was handed in by a session that is gone."""


class Departures:
    """Interactive jobs by owner, and the sessions of the owners. Safe to use from several threads.

    ``grace_s`` is how long an owner may be away: a reload closes one session and opens the next.
    An owner is away from the end of the last session on until the next one begins. One who never had a session here
    is not away: there is nothing that would tell.
    """

    def __init__(self, grace_s: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._grace_s, self._clock = grace_s, clock
        self._lock = threading.Lock()  # of what follows
        self._sessions: dict[str, set[str]] = {}
        self._left_at: dict[str, float] = {}
        self._jobs: dict[str, str] = {}

    def arrived(self, owner: str, session: str) -> None:
        """A session of the owner is open; telling so again does nothing."""
        with self._lock:
            self._sessions.setdefault(owner, set()).add(session)
            self._left_at.pop(owner, None)

    def left(self, owner: str, session: str) -> None:
        """A session of the owner is closed; one that is unknown does not count."""
        with self._lock:
            sessions = self._sessions.get(owner, set())
            if session not in sessions:
                return
            sessions.discard(session)
            if not sessions:
                del self._sessions[owner]
                self._left_at[owner] = self._clock()

    def watch(self, job_id: str, owner: str) -> None:
        """The job is to stop where its owner departs."""
        with self._lock:
            self._jobs[job_id] = owner

    def forget(self, job_id: str) -> None:
        """The job has ended."""
        with self._lock:
            self._jobs.pop(job_id, None)

    def abandoned(self) -> list[tuple[str, str]]:
        """Watched jobs of owners that have departed, with the owners; they are watched no longer."""
        with self._lock:
            now = self._clock()
            gone = {owner for owner, at in self._left_at.items() if now - at >= self._grace_s}
            found = [(job_id, owner) for job_id, owner in self._jobs.items() if owner in gone]
            for job_id, _ in found:
                del self._jobs[job_id]
            for owner in gone:
                if now - self._left_at[owner] > _FORGET_S:
                    del self._left_at[owner]
        return found
