"""Which server a block goes to: the least busy one that is let through, the preferred first among equals.

Everything here runs on one event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from mineru_core.engines.mineru.endpoints import Endpoint, Fault, ServerFault
from mineru_core.errors import EngineUnavailable, Overloaded, WorkbenchError
from mineru_core.runtime.circuit_breaker import BreakerState, Permit
from mineru_core.runtime.turns import Turns

CHECK_SERVERS = "Check that the servers run, and mineru_server.urls, .model and .api_key."
"""What to do where no server can be used."""

LONGEST_PAUSE_S = 60.0
"""A server that asks to be left alone for longer is not waited for."""


@dataclass(eq=False)
class _Waiting:
    avoid: frozenset[Endpoint]
    future: asyncio.Future[Lease] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Lease:
    """A place at a server for one request. Tell how it went; the place is given back at the end of the block."""

    def __init__(self, pool: EndpointPool, endpoint: Endpoint, permit: Permit) -> None:
        self._pool, self.endpoint, self._permit = pool, endpoint, permit
        endpoint.in_flight += 1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._permit.drop()
        self.endpoint.in_flight -= 1
        self._pool.deal()

    def succeeded(self) -> None:
        """The server answered."""
        self._permit.succeeded()

    def failed(self, fault: ServerFault, *, again: bool = False) -> None:
        """The server did not answer as it should; ``again``: it has failed this same block before.

        A block that breaks whatever server it comes to must not take one out alone, so an answer that is wrong counts
        once for each block and server.
        """
        self._pool.note(self.endpoint, fault)
        if fault.fault is Fault.BLOCK:
            self._permit.succeeded()
        elif fault.fault is Fault.BUSY:
            self.endpoint.pause(fault)
            self._permit.succeeded()
        elif not (again and fault.fault is Fault.BROKEN):
            self.endpoint.well = fault.fault is Fault.BROKEN and self.endpoint.well
            self._permit.failed()
            if self.endpoint.breaker.state is not BreakerState.CLOSED:
                self.endpoint.well = False


class EndpointPool:
    """The servers, the preferred first, each with at most ``concurrency`` requests at once.

    Those who wait for a place get one owner by owner; ``urgent`` ones before all others. Nobody waits for a server that
    is taken out: where none is left, all who wait learn it at once. While one is being tried again they wait for that.
    """

    def __init__(self, endpoints: Sequence[Endpoint], concurrency: int) -> None:
        self.endpoints = list(endpoints)
        self._concurrency = concurrency
        self._lines: tuple[Turns[_Waiting], Turns[_Waiting]] = (Turns(), Turns())  # urgent, others
        self._last: dict[Endpoint, ServerFault] = {}
        self._timer: asyncio.TimerHandle | None = None

    async def lease(self, owner: str, *, urgent: bool = False, avoid: frozenset[Endpoint] = frozenset()) -> Lease:
        """A place, as soon as there is one; at a server of ``avoid`` only if no other has one.

        Raises ``Overloaded`` or ``EngineUnavailable`` where no server may be asked.
        """
        waiting = _Waiting(avoid)
        line = self._lines[0 if urgent else 1]
        line.add(owner, waiting)
        self.deal()
        try:
            return await waiting.future
        except asyncio.CancelledError:
            line.discard(owner, waiting)
            if waiting.future.done() and not waiting.future.cancelled() and waiting.future.exception() is None:
                with waiting.future.result():  # given at the very moment: it goes back
                    pass
            raise

    def note(self, endpoint: Endpoint, fault: ServerFault) -> None:
        """Remember the server's last fault, to tell it when no server is left."""
        self._last[endpoint] = fault

    def deal(self) -> None:
        """Give the places there are to those who wait; called whenever a place or a server comes free."""
        while any(self._lines):
            free = [endpoint for endpoint in self.endpoints if self._free(endpoint)]
            if not free:
                break
            waiting = self._lines[0].next() or self._lines[1].next()
            if waiting is None or waiting.future.done():
                continue
            chosen = min(free, key=lambda endpoint: (endpoint in waiting.avoid, endpoint.in_flight))
            permit = chosen.breaker.acquire()
            if permit is None:  # free says that it has one: all who ask do so on this loop
                raise AssertionError("a server that is free gives leave")
            waiting.future.set_result(Lease(self, chosen, permit))
        if any(self._lines):
            self._wait_or_refuse()

    def refusal(self) -> WorkbenchError:
        """Why no server can be asked now."""
        said = "; ".join(self._last[endpoint].message for endpoint in self.endpoints if endpoint in self._last)
        busy = [endpoint.pause_s for endpoint in self.endpoints if endpoint.pause_s > 0]
        if busy:
            return Overloaded(f"The servers of the model are busy: {said}.", retry_after_s=min(busy))
        return EngineUnavailable(
            f"No server of the model can be used: {said or 'none has been reached'}.",
            CHECK_SERVERS,
        )

    def _free(self, endpoint: Endpoint) -> bool:
        return (
            endpoint.in_flight < self._concurrency
            and endpoint.pause_s == 0
            and endpoint.breaker.state is not BreakerState.HALF_OPEN
            and endpoint.breaker.wait_s == 0
        )

    def _wait_or_refuse(self) -> None:
        if all(endpoint.breaker.wait_s > 0 or endpoint.pause_s > LONGEST_PAUSE_S for endpoint in self.endpoints):
            refusal = self.refusal()
            for line in self._lines:
                for waiting in line.clear():
                    if not waiting.future.done():
                        waiting.future.set_exception(refusal)
            return
        soonest = min(
            (max(e.breaker.wait_s, e.pause_s) for e in self.endpoints if e.breaker.wait_s or e.pause_s), default=None
        )
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if soonest is None else asyncio.get_running_loop().call_later(soonest, self.deal)
