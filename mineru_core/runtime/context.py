"""What travels with a piece of work through every stage: who asked, until when, whether it is still wanted."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field

from mineru_core.errors import Cancelled, DeadlineExceeded


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a document is: ``stage`` (a stable name), the page at work (from 1), pages done, and pages in all."""

    stage: str
    page: int = 0
    done: int = 0
    pages: int = 0

    @property
    def fraction(self) -> float:
        """Share of the pages done, 0..1."""
        return self.done / self.pages if self.pages else 0.0


ProgressListener = Callable[[Progress], None]


@dataclass(frozen=True)
class RunContext:
    """Deadline, cancel, progress, request id and owner of one piece of work.

    ``deadline`` is a reading of ``time.monotonic()``, so a changed wall clock moves nothing. Stages call ``check()``
    wherever they can stop; every copy shares one cancel event.
    """

    owner: str = "local"
    request_id: str = field(default_factory=lambda: uuid.uuid4().hex)
    deadline: float | None = None
    on_progress: ProgressListener | None = None
    cancel_event: threading.Event = field(default_factory=threading.Event)

    @classmethod
    def with_timeout(cls, seconds: float | None, **fields: object) -> RunContext:
        """A context that expires in ``seconds`` from now (None: never)."""
        deadline = None if seconds is None else time.monotonic() + seconds
        return cls(deadline=deadline, **fields)  # type: ignore[arg-type]

    def cancel(self) -> None:
        """Ask the work to stop; it raises ``Cancelled`` at its next check."""
        self.cancel_event.set()

    @property
    def cancelled(self) -> bool:
        """Whether the work is no longer wanted."""
        return self.cancel_event.is_set()

    @property
    def remaining_s(self) -> float | None:
        """Seconds left, never negative; None without a deadline."""
        return None if self.deadline is None else max(0.0, self.deadline - time.monotonic())

    def check(self) -> None:
        """Go on, or raise ``Cancelled`` or ``DeadlineExceeded``."""
        if self.cancelled:
            raise Cancelled("The work was cancelled.")
        if self.deadline is not None and time.monotonic() >= self.deadline:
            raise DeadlineExceeded("The work did not end in the time it was given.")

    def report(self, progress: Progress) -> None:
        """Tell the listener, if there is one."""
        if self.on_progress is not None:
            self.on_progress(progress)
