"""Which documents are let in, and when those that are not should come again.

All of it is in memory: a refusal costs no disk, no database and no decoding.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from math import exp

from mineru_core.errors import Overloaded
from mineru_core.runtime.memory import MemoryCeiling
from mineru_core.runtime.metrics import Metrics
from mineru_core.settings import Settings

Clock = Callable[[], float]

HORIZON_S = 18.0
"""Work let in at once, in seconds of it: a document let in as the last one ends well within half a minute."""
LEAST_PLACES = 6
MOST_PLACES = 256
"""Documents inside where the places follow the rate learned."""
START_PER_PAGE_S = 0.2
"""Documents a second for each page in flight, as long as nothing is known: of one page each, of middling size."""

_MEMORY_S = 60.0
"""Seconds of work that the learned rate looks back on."""
_TRUST_S = 4.0
"""Seconds of work that the rate at the start counts for."""
_LEAST_RATE = 1e-3
_AT_ONCE_S = 0.05
"""A document answered in less was not read but known: it says nothing of how fast documents are read."""
_HINT_S = (1.0, 60.0)


class ServiceRate:
    """Documents read per second of work, learned from what is finished; old work counts for less and less.

    Work is told in seconds by ``spent``; it counts from the next ending on, since documents read side by side take
    long to end and then end together.
    """

    def __init__(self, start_per_s: float) -> None:
        self._done, self._work = start_per_s * _TRUST_S, _TRUST_S
        self._pending = 0.0
        self.total_s = 0.0

    def spent(self, seconds: float) -> None:
        """Note that there was work all these seconds."""
        self._pending += max(0.0, seconds)
        self.total_s += max(0.0, seconds)

    def ended(self, share: float = 1.0) -> None:
        """Note that a document was finished, a ``share`` (0..1) of it in this work."""
        if share <= 0:
            return
        fade = exp(-self._pending / _MEMORY_S)
        self._done = self._done * fade + share
        self._work = self._work * fade + self._pending
        self._pending = 0.0

    def per_s(self, inside: int) -> float:
        """The rate; less than was learned where even all ``inside`` documents ending now could not keep it up."""
        learned = self._done / self._work
        at_best = (self._done + inside) / (self._work + self._pending)
        return max(_LEAST_RATE, min(learned, at_best))


class Ticket:
    """One document that was let in: it waits, is read after ``start``, and is out after ``leave``."""

    def __init__(self, admission: Admission, owner: str) -> None:
        self.owner = owner
        self._admission = admission
        self.started_at: float | None = None
        self.work_before = (0.0, 0.0)
        self.inside = True

    def start(self) -> None:
        """The document is read from now on."""
        self._admission._start(self)

    def leave(self, *, finished: bool = False) -> None:
        """It is gone; ``finished`` says that it was read to its end. Calling it again does nothing."""
        self._admission._leave(self, finished=finished)


class Admission:
    """Bounds the documents inside one process: those that are read and those that wait.

    ``workers`` documents are read at once. With ``waiting_places`` so many may wait besides. Without it, as many are
    let in as are read in ``HORIZON_S`` seconds at the rate learned, at least ``LEAST_PLACES``; and an owner may hold
    twice as many as are left free, at least two: nobody takes all, and whoever comes new finds a place.

    Above ``ceiling`` of memory nobody is let in while anything is inside. Every method may be called from any thread;
    only differences of ``clock`` count, which must not go backwards.
    """

    def __init__(
        self,
        *,
        workers: int,
        full: int,
        start_per_s: float,
        waiting_places: int | None = None,
        ceiling: MemoryCeiling | None = None,
        metrics: Metrics | None = None,
        clock: Clock = time.monotonic,
    ) -> None:
        """``full``: from so many documents read at once on, the machine does all it can."""
        self.workers, self.waiting_places = workers, waiting_places
        self._full = full
        self._ceiling, self._metrics, self._clock = ceiling, metrics, clock
        self._lock = threading.Lock()  # of what follows
        self._held: Counter[str] = Counter()
        self._running = 0
        self._busy = ServiceRate(start_per_s)  # while the machine did all it could
        self._light = ServiceRate(0.0)  # while it could have done more: a least
        self._seen = clock()
        self._promised = clock()  # until when the places that come free are given to those sent away
        self._tell()

    @classmethod
    def from_settings(cls, settings: Settings, metrics: Metrics | None = None) -> Admission:
        """As the settings have it."""
        return cls(
            workers=settings.job_workers,
            full=min(settings.job_workers, settings.pages_in_flight),
            start_per_s=start_rate(settings),
            waiting_places=settings.jobs.waiting_places,
            ceiling=MemoryCeiling(settings.serving.memory_ceiling_bytes),
            metrics=metrics,
        )

    @property
    def inside(self) -> int:
        """Documents that wait or are read."""
        with self._lock:
            return self._inside()

    @property
    def rate_per_s(self) -> float:
        """Documents that can be read in a second, as learned."""
        with self._lock:
            return self._rate()

    @property
    def places(self) -> int:
        """Documents that may be inside now."""
        with self._lock:
            return self._places()

    @property
    def queue_fraction(self) -> float:
        """Share of the places that is taken, 0..1: of those to wait at where their number is set, else of all."""
        with self._lock:
            return self._fraction()

    def check(self, owner: str) -> None:
        """Raise ``Overloaded`` where a document of the owner would not be let in now. It is not counted twice: whoever
        asks here does not call ``enter`` after a refusal."""
        crowded = self._is_crowded()
        with self._lock:
            self._refuse_if_full(owner, crowded)

    def enter(self, owner: str) -> Ticket:
        """Let a document of the owner in, to wait. Raises ``Overloaded``, with the share of the places taken and the
        seconds after which one should be free."""
        crowded = self._is_crowded()
        with self._lock:
            self._refuse_if_full(owner, crowded)
            return self._let_in(owner)

    def adopt(self, owner: str) -> Ticket:
        """Count a document that was let in before, by another process or before a restart."""
        with self._lock:
            return self._let_in(owner)

    def _inside(self) -> int:
        return self._held.total()

    def _rate(self) -> float:
        self._pass_time()
        return max(self._busy.per_s(self._inside()), self._light.per_s(self._inside()))

    def _places(self) -> int:
        if self.waiting_places is not None:
            return self.workers + self.waiting_places
        return places_at(self._rate())

    def _fraction(self) -> float:
        if self.waiting_places is None:
            return min(1.0, self._inside() / self._places())
        return min(1.0, self._waiting() / self.waiting_places)

    def _waiting(self) -> int:
        """Documents without a worker: those not started, and those that callers started beyond the workers."""
        return self._inside() - min(self._running, self.workers)

    def _is_crowded(self) -> bool:
        """Whether memory is taken up. Asked without the lock: a trim takes milliseconds."""
        return self._ceiling is not None and self._ceiling.exceeded()

    def _refuse_if_full(self, owner: str, crowded: bool) -> None:
        inside = self._inside()
        if inside and crowded:
            raise self._refusal("memory", "The server's memory is taken up.", 1 / self._rate())
        if self.waiting_places is not None:
            if self._waiting() >= self.waiting_places:
                raise self._refusal("places", f"All {self.waiting_places} waiting places are taken.", self._next_free())
            return
        places, held = self._places(), self._held[owner]
        if inside >= places:
            over = (inside - places) / self._rate()
            raise self._refusal("places", f"All {places} places are taken.", over + self._next_free())
        if held >= max(2, 2 * (places - inside)):
            # One of the owner's own has to end; they get their part of what is read.
            wait = inside / held / self._rate()
            raise self._refusal("share", f"You hold {held} of {places} places already.", wait)

    def _next_free(self) -> float:
        """Seconds until the next place that was not promised to somebody before; it is promised hereby."""
        now, longest = self._clock(), _HINT_S[1]
        self._promised = min(max(now, self._promised) + 1 / self._rate(), now + longest)
        return self._promised - now

    def _refusal(self, reason: str, message: str, wait_s: float) -> Overloaded:
        if self._metrics is not None:
            self._metrics.refused(reason)
        least, most = _HINT_S
        return Overloaded(message, retry_after_s=min(max(least, wait_s), most), queue_fraction=self._fraction())

    def _let_in(self, owner: str) -> Ticket:
        self._pass_time()
        self._held[owner] += 1
        self._tell()
        return Ticket(self, owner)

    def _start(self, ticket: Ticket) -> None:
        with self._lock:
            if ticket.inside and ticket.started_at is None:
                self._pass_time()
                ticket.started_at = self._clock()
                ticket.work_before = (self._busy.total_s, self._light.total_s)
                self._running += 1
                self._tell()

    def _leave(self, ticket: Ticket, *, finished: bool) -> None:
        with self._lock:
            if not ticket.inside:
                return
            self._pass_time()
            ticket.inside = False
            if ticket.started_at is not None:
                if finished:
                    self._learn(ticket)
                self._running -= 1
            self._held[ticket.owner] -= 1
            if not self._held[ticket.owner]:
                del self._held[ticket.owner]
            self._tell()

    def _pass_time(self) -> None:
        """Note the work done since the last look."""
        now = self._clock()
        if self._running:
            (self._busy if self._running >= self._full else self._light).spent(now - self._seen)
        self._seen = now

    def _learn(self, ticket: Ticket) -> None:
        """Count a finished document where its time was spent."""
        busy, light = self._busy.total_s - ticket.work_before[0], self._light.total_s - ticket.work_before[1]
        if busy + light >= _AT_ONCE_S:
            self._busy.ended(busy / (busy + light))
            self._light.ended(light / (busy + light))

    def _tell(self) -> None:
        if self._metrics is not None:
            self._metrics.set_queue(self._fraction(), self._rate())


def start_rate(settings: Settings) -> float:
    """Documents per second that are counted on before any was read: by the pages in flight, which go by the cores."""
    return START_PER_PAGE_S * settings.pages_in_flight


def places_at(documents_per_s: float) -> int:
    """Documents let in at this rate, those that are read included."""
    return min(MOST_PLACES, max(LEAST_PLACES, int(HORIZON_S * documents_per_s)))
