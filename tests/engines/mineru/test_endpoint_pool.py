"""Who gets a place at which server, without a server: the pool asks nothing of one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from mineru_core.engines.mineru.endpoint_pool import EndpointPool, Lease
from mineru_core.engines.mineru.endpoints import Endpoint, Fault, ServerFault
from mineru_core.errors import EngineUnavailable, Overloaded
from mineru_core.runtime.circuit_breaker import BreakerState
from mineru_core.settings import MineruServerSettings

GONE = ServerFault(Fault.UNREACHABLE, "gone")


def run(
    test: Callable[[EndpointPool], Awaitable[None]], servers: int = 1, places: int = 1, open_s: float = 600
) -> None:
    settings = MineruServerSettings(breaker_failures=1, breaker_open_s=open_s)

    async def body() -> None:
        endpoints = [Endpoint(f"http://server-{number}", settings) for number in range(servers)]
        await test(EndpointPool(endpoints, places))
        for endpoint in endpoints:
            assert endpoint.in_flight == 0
            await endpoint.wire.aclose()

    asyncio.run(asyncio.wait_for(body(), 30))


def give_back(lease: Lease, fault: ServerFault | None = None) -> None:
    with lease:
        lease.succeeded() if fault is None else lease.failed(fault)


def test_owners_take_turns_and_layouts_go_first() -> None:
    async def test(pool: EndpointPool) -> None:
        held = await pool.lease("ann")
        order: list[str] = []

        async def ask(name: str, owner: str, urgent: bool) -> None:
            with await pool.lease(owner, urgent=urgent) as lease:
                order.append(name)
                lease.succeeded()

        asked = [("a1", "ann", False), ("a2", "ann", False), ("b1", "bob", False), ("b2", "bob", False)]
        tasks = [asyncio.create_task(ask(*item)) for item in [*asked, ("layout", "bob", True)]]
        await asyncio.sleep(0)
        give_back(held)
        await asyncio.gather(*tasks)
        assert order == ["layout", "a1", "b1", "a2", "b2"]

    run(test)


def test_the_least_busy_server_is_chosen_and_the_preferred_one_first() -> None:
    async def test(pool: EndpointPool) -> None:
        leases = [await pool.lease("ann") for _ in range(4)]
        assert [pool.endpoints.index(lease.endpoint) for lease in leases] == [0, 1, 0, 1]
        for lease in leases:
            give_back(lease)
        avoiding = await pool.lease("ann", avoid=frozenset({pool.endpoints[0]}))
        assert avoiding.endpoint is pool.endpoints[1]
        everywhere = await pool.lease("ann", avoid=frozenset(pool.endpoints))
        assert everywhere.endpoint is pool.endpoints[0]
        give_back(avoiding)
        give_back(everywhere)

    run(test, servers=2, places=2)


def test_who_goes_away_takes_no_place() -> None:
    async def test(pool: EndpointPool) -> None:
        held = await pool.lease("ann")
        waiting = asyncio.create_task(pool.lease("bob"))
        given = asyncio.create_task(pool.lease("cy"))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.sleep(0)
        give_back(held)  # cy has it now, and does not know yet
        given.cancel()
        await asyncio.gather(waiting, given, return_exceptions=True)
        give_back(await pool.lease("ann"))

    run(test)


def test_where_no_server_is_left_all_who_wait_learn_it() -> None:
    async def test(pool: EndpointPool) -> None:
        held = await pool.lease("ann")
        waiting = [asyncio.create_task(pool.lease("bob")) for _ in range(3)]
        await asyncio.sleep(0)
        give_back(held, GONE)
        for failure in await asyncio.gather(*waiting, return_exceptions=True):
            assert isinstance(failure, EngineUnavailable)
            assert "gone" in failure.message
        with pytest.raises(EngineUnavailable):
            await pool.lease("ann")

    run(test)


def test_while_a_server_is_tried_again_the_others_wait_for_that() -> None:
    async def test(pool: EndpointPool) -> None:
        (endpoint,) = pool.endpoints
        give_back(await pool.lease("ann"), GONE)
        await asyncio.sleep(0.1)
        trying = await pool.lease("ann")
        assert endpoint.breaker.state is BreakerState.HALF_OPEN
        waiting = asyncio.create_task(pool.lease("bob"))
        await asyncio.sleep(0)
        assert not waiting.done()
        give_back(trying)
        give_back(await waiting)
        assert endpoint.breaker.state is BreakerState.CLOSED

    run(test, places=4, open_s=0.05)


def test_a_pause_is_waited_for_unless_it_is_long() -> None:
    async def test(pool: EndpointPool) -> None:
        give_back(await pool.lease("ann"), ServerFault(Fault.BUSY, "busy", 0.05))
        give_back(await pool.lease("ann"), ServerFault(Fault.BUSY, "busy", 3600))
        with pytest.raises(Overloaded) as raised:
            await pool.lease("ann")
        assert 3500 < (raised.value.retry_after_s or 0) <= 3600

    run(test)


def test_one_block_that_breaks_a_server_again_and_again_takes_it_out_once() -> None:
    broken = ServerFault(Fault.BROKEN, "broken")

    async def test(pool: EndpointPool) -> None:
        with await pool.lease("ann") as lease:
            lease.failed(broken, again=True)
        assert pool.endpoints[0].breaker.state is BreakerState.CLOSED
        with await pool.lease("ann") as lease:
            lease.failed(broken)
        assert pool.endpoints[0].breaker.state is BreakerState.OPEN

    run(test)
