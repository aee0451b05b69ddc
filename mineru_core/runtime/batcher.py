"""Items of many callers in few calls: what arrives within a moment goes into one call of a batch function.

No engine has to use it: a page's own lines already fill a batch. It pays where many callers each have a few items.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from mineru_core.errors import Cancelled, EngineFailed, EngineUnavailable, WorkbenchError
from mineru_core.runtime.context import RunContext

T = TypeVar("T")
R = TypeVar("R")

_LOOK_S = 0.1
"""How often somebody who waits for an answer looks whether it is still wanted."""


@dataclass(eq=False)
class _Entry(Generic[T, R]):
    item: T
    ctx: RunContext | None
    arrived: float
    future: Future[R] = field(default_factory=Future)

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


class Batcher(Generic[T, R]):
    """Calls ``process`` with up to ``max_items`` items of whoever submits them; results in the order of the items.

    The first item that waits opens a window of ``window_s`` seconds; the call is made when the window ends or the
    batch is full. ``key`` sorts items into buckets (shapes, say): a call holds items of one bucket only. ``workers``
    threads make the calls. ``on_batch`` is told the size of each call.

    A call that raises, or answers with another number of results, is repeated item by item, so only the item that
    breaks it is refused. Every submitted item gets exactly one answer, also when it is cancelled, when its context
    expires (no work is then done for it), and when the batcher is closed.
    """

    def __init__(
        self,
        process: Callable[[list[T]], Sequence[R]],
        *,
        max_items: int,
        window_s: float = 0.002,
        key: Callable[[T], Hashable] | None = None,
        workers: int = 1,
        on_batch: Callable[[int], None] | None = None,
    ) -> None:
        if max_items < 1 or workers < 1 or window_s < 0:
            raise ValueError("max_items and workers must be at least 1, window_s not negative")
        self._process = process
        self._max_items = max_items
        self._window_s = window_s
        self._key = key
        self._on_batch = on_batch
        self._buckets: dict[Hashable, deque[_Entry[T, R]]] = {}  # in order of the oldest arrival of each bucket
        self._changed = threading.Condition()
        self._closed = False
        self._threads = [threading.Thread(target=self._work, name=f"batcher-{n}", daemon=True) for n in range(workers)]
        for thread in self._threads:
            thread.start()

    def submit(self, item: T, ctx: RunContext | None = None) -> Future[R]:
        """Queue an item; the future gets its result. Raises ``EngineUnavailable`` once closed."""
        entry: _Entry[T, R] = _Entry(item, ctx, time.monotonic())
        bucket = self._key(item) if self._key is not None else None
        with self._changed:
            if self._closed:
                raise EngineUnavailable("The batcher was closed.")
            self._buckets.setdefault(bucket, deque()).append(entry)
            self._changed.notify()
        return entry.future

    def run(self, items: Sequence[T], ctx: RunContext | None = None) -> list[R]:
        """Results of all items, in order. Raises what the first refused item was refused with, or ``Cancelled`` or
        ``DeadlineExceeded`` as soon as ``ctx`` says so; what still waits is then withdrawn."""
        futures: list[Future[R]] = []
        try:
            futures += (self.submit(item, ctx) for item in items)
            return [_await(future, ctx) for future in futures]
        finally:
            for future in futures:
                future.cancel()

    def close(self) -> None:
        """End the calls at work, answer what still waits with ``Cancelled``; calling it again does nothing."""
        with self._changed:
            self._closed = True
            waiting = [entry for bucket in self._buckets.values() for entry in bucket]
            self._buckets.clear()
            self._changed.notify_all()
        for entry in waiting:
            if entry.future.set_running_or_notify_cancel():
                entry.future.set_exception(Cancelled("The batcher was closed."))
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        while (batch := self._next_batch()) is not None:
            wanted = [entry for entry in batch if entry.start()]
            if wanted:
                self._answer(wanted)

    def _next_batch(self) -> list[_Entry[T, R]] | None:
        """The next batch once it is full or its window has ended; None when closed."""
        with self._changed:
            while True:
                if self._closed:
                    return None
                ready = self._ready_bucket()
                if isinstance(ready, deque):
                    return self._take(ready)
                self._changed.wait(ready)

    def _ready_bucket(self) -> deque[_Entry[T, R]] | float | None:
        """A bucket to call with now, else the seconds until there is one (None: nothing waits). The lock is held."""
        now = time.monotonic()
        soonest: float | None = None
        for bucket in self._buckets.values():
            left = bucket[0].arrived + self._window_s - now
            if len(bucket) >= self._max_items or left <= 0:
                return bucket
            soonest = left if soonest is None else min(soonest, left)
        return soonest

    def _take(self, bucket: deque[_Entry[T, R]]) -> list[_Entry[T, R]]:
        """Up to ``max_items`` from the bucket, the oldest first. The lock is held."""
        key = next(key for key, other in self._buckets.items() if other is bucket)
        batch = [bucket.popleft() for _ in range(min(self._max_items, len(bucket)))]
        del self._buckets[key]
        if bucket:
            self._buckets[key] = bucket  # to the end: a busy bucket does not keep the others waiting
            self._changed.notify()
        return batch

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
        if self._on_batch is not None:
            self._on_batch(len(entries))
        results = self._process([entry.item for entry in entries])
        if len(results) != len(entries):
            raise EngineFailed(f"A call with {len(entries)} items gave {len(results)} results.")
        return results


def _await(future: Future[R], ctx: RunContext | None) -> R:
    while True:
        try:
            return future.result(timeout=None if ctx is None else _LOOK_S)
        except TimeoutError:
            if future.done():  # the call itself timed out: its error is the answer
                raise
            if ctx is not None:
                ctx.check()
        except CancelledError:
            raise Cancelled("The item was withdrawn.") from None
