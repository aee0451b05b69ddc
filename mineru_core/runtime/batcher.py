"""Items of many callers in few calls, and no later than without: who waits for company waits only while that pays.

Calls cost about a · units + b seconds; the batcher learns a and b from its own calls, and how soon items arrive. Items
that arrive while every worker is busy go together without anybody having waited. An idle worker waits for more, at
most ``max_wait_s``, only if those on their way save more time than those who wait lose: on an idle system never.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import FIRST_EXCEPTION, CancelledError, Future, wait
from dataclasses import dataclass, field, replace
from typing import Generic, NamedTuple, TypeVar

from mineru_core.errors import Cancelled, EngineFailed, EngineUnavailable, WorkbenchError
from mineru_core.runtime.context import RunContext
from mineru_core.runtime.estimates import Arrivals, Latency, LatencyModel
from mineru_core.runtime.fair_queue import CallLimits, FairQueue

T = TypeVar("T")
R = TypeVar("R")

FIXED_SHARE = 0.03
"""A call is large enough where its fixed cost is this share of it: more company would gain less than that, and keep
the next owner waiting for longer."""

LEAST_COMPANY = 4
"""Items a call may always have: with ever single ones the fixed cost could not be learned anew."""

_LOOK_S = 0.1
"""How often somebody who waits for an answer looks whether it is still wanted."""

_log = logging.getLogger(__name__)


class BatchReport(NamedTuple):
    """One call: its items, their useful units, the units computed for them (padding in), and its seconds."""

    items: int
    units: float
    padded_units: float
    seconds: float


@dataclass(eq=False)
class _Entry(Generic[T, R]):
    item: T
    ctx: RunContext | None
    key: Hashable
    units: float
    size: float
    arrived: float
    owner: str
    rank: int
    future: Future[R] = field(default_factory=Future)

    @property
    def given_up(self) -> bool:
        """Whether its context has ended; it is still to be answered."""
        return self.ctx is not None and (self.ctx.cancelled or self.ctx.remaining_s == 0)

    def start(self) -> bool:
        """Whether the item is still wanted; one that is not is answered here, before any work for it."""
        return self.future.set_running_or_notify_cancel() and self.go_on()

    def go_on(self) -> bool:
        """Whether its context lets the item go on; where not, the item is answered here."""
        try:
            if self.ctx is not None:
                self.ctx.check()
        except WorkbenchError as error:
            self.future.set_exception(error)
            return False
        return True


@dataclass(frozen=True)
class Shape(Generic[T]):
    """How items fit together in a call.

    Only items of one ``key`` share a call (None: any may). ``units`` is an item's useful work (pixels, tokens), above
    0; ``size`` the work if it is computed alone (its padding in; None: the same). A call of n items computes n times
    its largest ``size``. Items of different sizes are mixed as long as what is computed is at most ``1 + padding``
    times what is useful. ``counts``: a call has only these numbers of items, 1 among them, so that shapes stay few.
    ``rank``: of the calls that could be made, one that begins with an item of the lowest rank goes first (None: all
    rank alike).
    """

    key: Callable[[T], Hashable] | None = None
    units: Callable[[T], float] | None = None
    size: Callable[[T], float] | None = None
    padding: float = 0.2
    counts: Sequence[int] | None = None
    rank: Callable[[T], int] | None = None

    def counts_up_to(self, max_items: int) -> Sequence[int]:
        """The numbers of items a call may have, ascending from 1."""
        if self.counts is None:
            return range(1, max_items + 1)
        if 1 not in self.counts:
            raise ValueError("counts must hold 1: what is left over goes alone")
        return sorted({n for n in self.counts if n <= max_items})


class Batcher(Generic[T, R]):
    """Calls ``process`` with items of whoever submits them; results in the order of the items.

    A call has at most ``max_items`` items and ``max_units`` units, one item of more excepted; ``shape`` says what fits
    together. ``workers`` threads make the calls; ``on_batch`` is told of each.

    Owners (``ctx.owner``) take turns in beginning a call and in filling it; each owner's items go in the order they
    came. A call that raises, or answers with another number of results, is repeated item by item, so only the item
    that breaks it is refused. Every submitted item gets exactly one answer, also when it is cancelled, when its
    context expires (no work is then done for it), and when the batcher is closed.
    """

    def __init__(
        self,
        process: Callable[[list[T]], Sequence[R]],
        *,
        max_items: int,
        max_units: float = float("inf"),
        max_wait_s: float = 0.1,
        shape: Shape[T] | None = None,
        workers: int = 1,
        on_batch: Callable[[BatchReport], None] | None = None,
        name: str = "batcher",
    ) -> None:
        if max_items < 1 or workers < 1 or max_units <= 0 or max_wait_s < 0:
            raise ValueError("max_items and workers must be at least 1, max_units above 0, max_wait_s not negative")
        self._process = process
        self._shape: Shape[T] = shape if shape is not None else Shape()
        self._limits = CallLimits(self._shape.counts_up_to(max_items), max_units, self._shape.padding)
        self._max_wait_s = max_wait_s
        self._on_batch = on_batch
        self._queue: FairQueue[_Entry[T, R]] = FairQueue()
        self._model = LatencyModel()
        self._arrivals = Arrivals()
        self._changed = threading.Condition()
        self._idle = 0
        self._closed = False
        self._threads = [threading.Thread(target=self._work, name=f"{name}-{n}", daemon=True) for n in range(workers)]
        for thread in self._threads:
            thread.start()

    @property
    def waiting(self) -> int:
        """Items that no worker has taken yet."""
        with self._changed:
            return len(self._queue)

    @property
    def latency(self) -> Latency | None:
        """What was learned of the calls' times; None while too few were made."""
        with self._changed:
            return self._model.latency

    def submit(self, item: T, ctx: RunContext | None = None) -> Future[R]:
        """Queue an item; the future gets its result. Raises ``EngineUnavailable`` once closed."""
        return self.submit_all([item], ctx)[0]

    def submit_all(self, items: Sequence[T], ctx: RunContext | None = None) -> list[Future[R]]:
        """Queue items at one moment, so that they can share calls; each future gets its item's result, or is refused
        alone. Raises ``EngineUnavailable`` once closed."""
        return [entry.future for entry in self._submit(items, ctx)]

    def run(self, items: Sequence[T], ctx: RunContext | None = None) -> list[R]:
        """Results of all items, in order. Raises what the first refused item was refused with, or ``Cancelled`` or
        ``DeadlineExceeded`` as soon as ``ctx`` says so; what still waits is then withdrawn."""
        entries = self._submit(items, ctx)
        try:
            _await([entry.future for entry in entries], ctx)
            return [_result(entry.future) for entry in entries]
        finally:
            self._withdraw(entries)

    def close(self) -> None:
        """End the calls at work, answer what still waits with ``Cancelled``; calling it again does nothing."""
        with self._changed:
            self._closed = True
            waiting = self._queue.clear()
            self._changed.notify_all()
        for entry in waiting:
            if entry.future.set_running_or_notify_cancel():
                entry.future.set_exception(Cancelled("The batcher was closed."))
        for thread in self._threads:
            thread.join()

    def _submit(self, items: Sequence[T], ctx: RunContext | None) -> list[_Entry[T, R]]:
        now = time.monotonic()
        entries = [self._entry(item, ctx, now) for item in items]
        with self._changed:
            if self._closed:
                raise EngineUnavailable("The batcher was closed.")
            arrived: dict[Hashable, int] = {}
            for entry in entries:
                self._queue.add(entry)
                arrived[entry.key] = arrived.get(entry.key, 0) + 1
            for key, count in arrived.items():
                self._arrivals.observe(key, count, now)
            self._changed.notify(len(entries))
        for entry in entries:
            entry.future.add_done_callback(lambda future, entry=entry: self._left(entry, future))  # type: ignore[misc]
        return entries

    def _entry(self, item: T, ctx: RunContext | None, now: float) -> _Entry[T, R]:
        shape = self._shape
        key = shape.key(item) if shape.key is not None else None
        units = float(shape.units(item)) if shape.units is not None else 1.0
        size = float(shape.size(item)) if shape.size is not None else units
        if not 0 < units <= size:
            raise ValueError("an item's units must be above 0, and its size no less")
        rank = shape.rank(item) if shape.rank is not None else 0
        return _Entry(item, ctx, key, units, size, now, ctx.owner if ctx is not None else "", rank)

    def _left(self, entry: _Entry[T, R], future: Future[R]) -> None:
        """A cancelled item leaves the queue at once: it neither waits on nor counts as company."""
        if future.cancelled():
            with self._changed:
                self._queue.discard(entry)

    def _withdraw(self, entries: Sequence[_Entry[T, R]]) -> None:
        for entry in entries:
            entry.future.cancel()

    def _work(self) -> None:
        while (batch := self._next_batch()) is not None:
            wanted = [entry for entry in batch if entry.start()]
            if wanted:
                self._answer(wanted)

    def _next_batch(self) -> list[_Entry[T, R]] | None:
        """The next call's items once they are better called than kept waiting; None when closed.

        Items found given up come out alone, to be answered without work: a call is put together of the others.
        """
        with self._changed:
            self._idle += 1
            try:
                while not self._closed:
                    ready = self._ready()
                    if isinstance(ready, list):
                        if given_up := [entry for entry in ready if entry.given_up]:
                            for entry in given_up:
                                self._queue.discard(entry)
                            return given_up
                        self._queue.take(ready)
                        if self._queue:
                            self._changed.notify()
                        return ready
                    self._changed.wait(ready)
                return None
            finally:
                self._idle -= 1

    def _ready(self) -> list[_Entry[T, R]] | float | None:
        """Items to call with now, else the seconds until there are some (None: nothing waits). The lock is held."""
        now = time.monotonic()
        soonest: float | None = None
        latency = self._model.latency
        for seed in sorted(self._queue.seeds(), key=lambda entry: entry.rank):
            limits = self._enough(seed, latency)
            chosen = self._queue.company(seed, limits)
            until = self._wait_until(chosen, limits, latency, now)
            if until <= now:
                return chosen if self._idle == 1 else self._queue.company(seed, self._shared_out(limits))
            soonest = until - now if soonest is None else min(soonest, until - now)
        return soonest

    def _enough(self, seed: _Entry[T, R], latency: Latency | None) -> CallLimits:
        """The limits of a call, units reduced to where more company gains nothing worth waiting for."""
        if latency is None or latency.per_unit_s <= 0:
            return self._limits
        enough = latency.fixed_s / latency.per_unit_s * (1 / FIXED_SHARE - 1)
        return replace(self._limits, units=min(self._limits.units, max(enough, LEAST_COMPANY * seed.size)))

    def _shared_out(self, limits: CallLimits) -> CallLimits:
        """Where other workers are idle too, they take their share: two halves at once end sooner than the whole."""
        return replace(limits, units=min(limits.units, self._queue.units / self._idle))

    def _wait_until(
        self, chosen: Sequence[_Entry[T, R]], limits: CallLimits, latency: Latency | None, now: float
    ) -> float:
        """Until when these items should wait for company; ``now`` or earlier: not at all. The lock is held."""
        key, count = chosen[0].key, len(chosen)
        full = count == limits.counts[-1] or max(e.size for e in chosen) * (count + 1) > limits.units
        if full or latency is None or count < self._queue.waiting_in(key):
            return now
        paying = self._arrivals.worth_waiting_until(key, count, latency.fixed_s, now)
        return min(paying, min(e.arrived for e in chosen) + self._max_wait_s)

    def _answer(self, entries: list[_Entry[T, R]]) -> None:
        try:
            results = self._call(entries)
        except BaseException as error:  # noqa: BLE001  whatever it is, every waiter must be answered
            if len(entries) == 1:
                entries[0].future.set_exception(error if isinstance(error, Exception) else EngineFailed(repr(error)))
                return
            for entry in entries:
                if entry.go_on():
                    self._answer([entry])
            return
        for entry, result in zip(entries, results, strict=True):
            entry.future.set_result(result)

    def _call(self, entries: list[_Entry[T, R]]) -> Sequence[R]:
        computed = max(entry.size for entry in entries) * len(entries)
        started = time.monotonic()
        try:
            results = self._process([entry.item for entry in entries])
        finally:
            seconds = time.monotonic() - started
            self._report(BatchReport(len(entries), sum(entry.units for entry in entries), computed, seconds))
        if len(results) != len(entries):
            raise EngineFailed(f"A call with {len(entries)} items gave {len(results)} results.")
        with self._changed:
            self._model.observe(computed, seconds)
        return results

    def _report(self, report: BatchReport) -> None:
        if self._on_batch is not None:
            try:
                self._on_batch(report)
            except Exception:  # noqa: BLE001  a broken listener takes nobody's answer
                _log.exception("the listener of a batcher failed")


def _await(futures: Sequence[Future[R]], ctx: RunContext | None) -> None:
    """Wait until all are done; raises the error of the first refused one, or the context's where that ends sooner."""
    while True:
        look_s = None if ctx is None else _LOOK_S if ctx.remaining_s is None else min(_LOOK_S, ctx.remaining_s)
        done, pending = wait(futures, timeout=look_s, return_when=FIRST_EXCEPTION)
        for future in futures:
            if future in done:
                _result(future)
        if not pending:
            return
        if ctx is not None:
            ctx.check()


def _result(future: Future[R]) -> R:
    try:
        return future.result(timeout=0)
    except CancelledError:
        raise Cancelled("The item was withdrawn.") from None
