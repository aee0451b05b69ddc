"""The places that jobs take up, by job."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping

from mineru_core.serving.admission import Admission, Ticket


class JobPlaces:
    """One ticket of the admission for each job that waits in the home folder or runs here.

    Safe to use from several threads. Jobs that another service, or one before this, has taken on are counted once
    ``compare`` has seen them.
    """

    def __init__(self, admission: Admission) -> None:
        self._admission = admission
        self._lock = threading.Lock()
        self._tickets: dict[str, Ticket] = {}
        self._on_their_way: set[str] = set()

    def keep(self, job_id: str, ticket: Ticket) -> None:
        """The job that was let in by this ticket is on its way into the database."""
        with self._lock:
            self._tickets[job_id] = ticket
            self._on_their_way.add(job_id)

    def written(self, job_id: str) -> None:
        """The job is in the database."""
        with self._lock:
            self._on_their_way.discard(job_id)

    def ticket(self, job_id: str, owner: str) -> Ticket:
        """The job's ticket; a new one where it was let in elsewhere."""
        with self._lock:
            if job_id not in self._tickets:
                self._tickets[job_id] = self._admission.adopt(owner)
            return self._tickets[job_id]

    def leave(self, job_id: str, *, finished: bool = False) -> None:
        """The job has ended, or is not in the database after all."""
        with self._lock:
            ticket = self._tickets.pop(job_id, None)
            self._on_their_way.discard(job_id)
        if ticket is not None:
            ticket.leave(finished=finished)

    def holds(self, job_id: str) -> bool:
        """Whether the job has a place."""
        with self._lock:
            return job_id in self._tickets

    def known(self) -> set[str]:
        """Jobs with a place that are in the database."""
        with self._lock:
            return self._tickets.keys() - self._on_their_way

    def compare(self, before: Collection[str], waiting: Mapping[str, str], running: Collection[str]) -> bool:
        """Give the places of jobs back that wait and run no more, and count those that wait unseen; True if there
        were such.

        ``before`` is what was known before the database was asked, so that a job that came meanwhile is not mistaken
        for one that has gone; ``waiting`` gives the owner of each waiting job; ``running`` are those that run here.
        """
        for job_id in set(before) - waiting.keys() - set(running):
            self.leave(job_id)
        with self._lock:
            unseen = waiting.keys() - self._tickets.keys() - set(before)  # those before that have left since, have left
        for job_id in unseen:
            self.ticket(job_id, waiting[job_id])
        return bool(unseen)
