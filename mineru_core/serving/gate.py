"""How many pages are worked on at once, and whose page is next."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from functools import partial
from math import ceil
from time import monotonic
from typing import Any, TypeVar

from mineru_core.errors import Cancelled, EngineUnavailable, Overloaded, WorkbenchError
from mineru_core.runtime.context import RunContext
from mineru_core.runtime.turns import Turns

T = TypeVar("T")

_LOOK_S = 0.02
"""A context has no way to wake anybody, so one thread looks at all of them this often, only while there are any."""
_REST_S = 10.0
"""A thread without work ends after this long: a gate that nobody closed holds no threads for ever."""
_CLOSE_S = 10.0
_NO_THREADS_S = 10.0
"""When to come again where the system has no thread to give, seconds: once others have ended."""

OnChange = Callable[[int, int], None]


@dataclass(eq=False)
class _Piece:
    """One piece of work. Its future is answered once: by the work, or before its end by its context."""

    owner: str
    ctx: RunContext
    work: Callable[[], Any]
    context: Context = field(default_factory=copy_context)
    future: Future[Any] = field(default_factory=Future)

    def refuse(self, error: BaseException) -> None:
        with suppress(InvalidStateError):  # it was answered in this moment
            self.future.set_exception(error)

    def accept(self, value: object) -> None:
        with suppress(InvalidStateError):
            self.future.set_result(value)

    def unwanted(self) -> WorkbenchError | None:
        """Why its context wants it no more."""
        try:
            self.ctx.check()
        except WorkbenchError as error:
            return error
        return None


class Gate:
    """Does work in at most ``places`` threads, and fairly: owners take turns, and each owner's work is in order.

    While several owners have work, each holds at most its share of the places, rounded up; one alone holds all but
    one (where there are two or more), so that a newcomer's first piece starts at once. A piece that is cancelled or
    whose time is over is answered within ``_LOOK_S`` seconds: one that waits never starts; one at work keeps its place
    until the work itself stops. Every future gets exactly one answer, also when the gate is closed.

    ``on_change`` is told how many pieces wait and how many are at work after each change; it must be quick and must
    not call back. Work must not wait for other work of the same gate.
    """

    def __init__(self, places: int, *, on_change: OnChange | None = None) -> None:
        if places < 1:
            raise ValueError("places must be at least 1")
        self.places = places
        self._on_change = on_change
        lock = threading.Lock()  # of what follows
        self._wake = threading.Condition(lock)  # told of work to take
        self._look = threading.Condition(lock)  # told of contexts to look at
        self._line: Turns[_Piece] = Turns()
        self._running: set[_Piece] = set()
        self._held: Counter[str] = Counter()
        self._resting = 0
        self._threads: set[threading.Thread] = set()
        self._watcher: threading.Thread | None = None
        self._made = 0
        self._closed = False

    @property
    def waiting(self) -> int:
        """Pieces that have not started."""
        with self._wake:
            return len(self._line)

    @property
    def in_flight(self) -> int:
        """Pieces at work, those whose callers have gone too."""
        with self._wake:
            return len(self._running)

    def submit(self, owner: str, ctx: RunContext, work: Callable[[], T]) -> Future[T]:
        """Queue ``work``; the future gets what it returns or raises, or ``Cancelled`` or ``DeadlineExceeded``, or
        ``Overloaded`` where the system has not one thread to do it in.

        The work runs with the caller's context variables, so its logs carry the caller's request id. Raises
        ``EngineUnavailable`` once closed.
        """
        piece = _Piece(owner, ctx, work)
        with self._wake:
            if self._closed:
                raise EngineUnavailable("The analyzer was closed.", "Make a new Analyzer.")
            if (error := piece.unwanted()) is None:
                self._line.add(owner, piece)
                self._changed()
                self._watch_over()
                if not self._threads:  # the system has not one to give: nobody would ever come to the piece
                    self._line.discard(owner, piece)
                    self._changed()
                    error = Overloaded("The machine has no thread left.", retry_after_s=_NO_THREADS_S)
        if error is not None:
            piece.refuse(error)
        return piece.future

    def close(self, wait_s: float = _CLOSE_S) -> None:
        """Answer what waits with ``Cancelled``, and wait at most ``wait_s`` seconds for what is at work; calling it
        again does nothing."""
        with self._wake:
            self._closed = True
            left = self._line.clear()
            self._changed()
            self._wake.notify_all()
            self._look.notify_all()
            threads = self._threads - {threading.current_thread()}
        for piece in left:
            piece.refuse(Cancelled("The analyzer was closed."))
        until = monotonic() + wait_s
        for thread in threads:
            thread.join(max(0.0, until - monotonic()))

    def _most_of_one(self) -> int:
        """Places one owner may hold now."""
        owners = len(self._line.owners | self._held.keys())
        return max(1, min(self.places - 1, ceil(self.places / max(1, owners))))

    def _take(self) -> _Piece | None:
        """The next piece that may start, taken out of its line. Called with the lock."""
        most = self._most_of_one()
        if len(self._running) >= self.places:
            return None
        return self._line.next(lambda owner: self._held[owner] < most)

    def _changed(self) -> None:
        """Bring threads to the work that waits, and tell of the change. Called with the lock."""
        waiting = len(self._line)
        self._wake.notify(waiting)
        for _ in range(min(waiting - self._resting, self.places - len(self._threads))):
            self._made += 1
            thread = _started(self._work, f"gate-{self._made}")
            if thread is None:
                break
            self._threads.add(thread)
        if self._on_change is not None:
            self._on_change(waiting, len(self._running))

    def _work(self) -> None:
        while (piece := self._next_piece()) is not None:
            answer: Callable[[], None]
            try:
                value = piece.context.run(piece.work)
            except BaseException as error:  # noqa: BLE001  whatever it was, it is the answer to who waits for it
                answer = partial(piece.refuse, error)
            else:
                answer = partial(piece.accept, value)
                del value
            with self._wake:  # the place is free before the answer is seen
                self._running.discard(piece)
                self._release(piece.owner)
                self._changed()
            answer()
            del piece, answer  # or the last page would stay in memory while the thread rests

    def _next_piece(self) -> _Piece | None:
        """The piece to work on, marked as running; None where the thread should end."""
        rested = False
        while True:
            with self._wake:
                piece = self._take()
                if piece is None:
                    if self._closed or rested:
                        self._threads.discard(threading.current_thread())
                        return None
                    self._resting += 1
                    rested = not self._wake.wait(_REST_S)
                    self._resting -= 1
                    continue
                error = piece.unwanted()
                if error is None and piece.future.set_running_or_notify_cancel():
                    self._running.add(piece)
                    self._held[piece.owner] += 1
                    self._changed()
                    return piece
                self._changed()
            if error is not None:
                piece.refuse(error)

    def _release(self, owner: str) -> None:
        self._held[owner] -= 1
        if not self._held[owner]:
            del self._held[owner]

    def _watch_over(self) -> None:
        """Have a thread that looks at the contexts. Called with the lock."""
        if self._watcher is None:
            self._watcher = _started(self._watch, "gate-watch")
        elif not self._running and len(self._line) == 1:  # it rests
            self._look.notify()

    def _watch(self) -> None:
        while True:
            with self._wake:
                if not self._line and not self._running:
                    rested = self._closed or not self._look.wait(_REST_S)
                    if rested and not self._line and not self._running:
                        self._watcher = None
                        return
                self._look.wait(_LOOK_S)
                refused = self._unwanted()
            for piece, error in refused:
                piece.refuse(error)
            del refused

    def _unwanted(self) -> list[tuple[_Piece, WorkbenchError]]:
        """Pieces that nobody wants any more, those that wait taken out of their lines. Called with the lock."""
        found = [(piece, error) for piece in self._running if (error := piece.unwanted()) is not None]
        waiting = len(self._line)
        for piece in list(self._line):
            if (error := piece.unwanted()) is not None:
                found.append((piece, error))
                self._line.discard(piece.owner, piece)
            elif piece.future.cancelled():
                self._line.discard(piece.owner, piece)
        if len(self._line) < waiting:
            self._changed()  # with fewer owners, each may hold more places
        return found


def _started(work: Callable[[], None], name: str) -> threading.Thread | None:
    """A thread that does the work; None where the system has no more of them: those there are go on without it."""
    thread = threading.Thread(target=work, name=name, daemon=True)
    try:
        thread.start()
    except RuntimeError:
        return None
    return thread
