from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from queue import SimpleQueue

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from mineru_core.errors import Cancelled, DeadlineExceeded
from mineru_core.runtime.context import RunContext
from mineru_core.serving.single_flight import SingleFlight

KEYS = ("a", "b")


class PoisonError(Exception):
    pass


class Steps:
    """Says each time a context was looked at, so that a test waits for a state without sleeping."""

    def __init__(self) -> None:
        self._looked = threading.Condition()

    def tell(self) -> None:
        with self._looked:
            self._looked.notify_all()

    def until(self, reached: Callable[[], bool]) -> None:
        with self._looked:
            assert self._looked.wait_for(reached, timeout=20)


class WatchedContext(RunContext):
    """Tells the steps of every check; a follower checks whenever it has begun to wait."""

    steps: Steps

    def check(self) -> None:
        self.steps.tell()
        super().check()


def watched(steps: Steps, timeout_s: float | None = None) -> WatchedContext:
    ctx = WatchedContext.with_timeout(timeout_s)
    assert isinstance(ctx, WatchedContext)
    object.__setattr__(ctx, "steps", steps)
    return ctx


@dataclass(eq=False)
class Caller:
    """One thread that asks for a key, and what its computation is told to do once it leads."""

    key: str
    ctx: WatchedContext
    orders: SimpleQueue[object] = field(default_factory=SimpleQueue)
    future: Future[tuple[object, bool]] | None = None

    def outcome(self) -> tuple[object, bool]:
        assert self.future is not None
        return self.future.result(timeout=20)

    def error(self) -> BaseException | None:
        assert self.future is not None
        return self.future.exception(timeout=20)


class SingleFlightMachine(RuleBasedStateMachine):
    """Callers come, go and get answers in any order; a leader computes until it is told what comes of it."""

    def __init__(self) -> None:
        super().__init__()
        self.flights: SingleFlight[str, object] = SingleFlight()
        self.steps = Steps()
        self.pool = ThreadPoolExecutor(64)
        self.entered: dict[str, SimpleQueue[Caller]] = {key: SimpleQueue() for key in KEYS}
        self.leader: dict[str, Caller | None] = dict.fromkeys(KEYS)
        self.followers: dict[str, list[Caller]] = {key: [] for key in KEYS}
        self.values = 0

    def teardown(self) -> None:
        for key in KEYS:
            while self.leader[key] is not None:
                self.succeed(key)
        self.pool.shutdown()
        assert len(self.flights) == 0

    @initialize()
    def begin(self) -> None:
        assert len(self.flights) == 0

    @precondition(lambda self: sum(len(callers) for callers in self.followers.values()) < 40)
    @rule(key=st.sampled_from(KEYS))
    def come(self, key: str) -> None:
        caller = Caller(key, watched(self.steps))
        caller.future = self.pool.submit(self.flights.run, key, caller.ctx, self.computation(caller))
        if self.leader[key] is None:
            self.leader[key] = self.entered[key].get(timeout=20)
            assert self.leader[key] is caller
        else:
            self.followers[key].append(caller)
            self.all_wait(key)

    @rule(key=st.sampled_from(KEYS), gone=st.sampled_from(["cancel", "deadline"]))
    def come_too_late(self, key: str, gone: str) -> None:
        ctx = watched(self.steps, 0.0 if gone == "deadline" else None)
        if gone == "cancel":
            ctx.cancel()
        with pytest.raises(DeadlineExceeded if gone == "deadline" else Cancelled):
            self.flights.run(key, ctx, lambda _ctx: pytest.fail("worked for nobody"))

    @rule(key=st.sampled_from(KEYS))
    def succeed(self, key: str) -> None:
        leader = self.leader[key]
        if leader is None:
            return
        self.values += 1
        leader.orders.put(self.values)
        assert leader.outcome() == (self.values, True)
        for follower in self.followers[key]:
            assert follower.outcome() == (self.values, False)
        self.leader[key], self.followers[key] = None, []

    @rule(key=st.sampled_from(KEYS))
    def fail(self, key: str) -> None:
        leader = self.leader[key]
        if leader is None:
            return
        leader.orders.put(PoisonError())
        for caller in (leader, *self.followers[key]):
            assert isinstance(caller.error(), PoisonError)
        self.leader[key], self.followers[key] = None, []

    @rule(key=st.sampled_from(KEYS), by=st.sampled_from(["cancel", "deadline", "exit"]))
    def leader_leaves(self, key: str, by: str) -> None:
        leader = self.leader[key]
        if leader is None:
            return
        error = {"cancel": Cancelled("gone"), "deadline": DeadlineExceeded("late"), "exit": SystemExit()}[by]
        leader.orders.put(error)
        assert leader.error() is error
        self.leader[key] = None
        if self.followers[key]:
            heir = self.entered[key].get(timeout=20)
            self.followers[key].remove(heir)
            self.leader[key] = heir
            self.all_wait(key)

    @precondition(lambda self: any(self.followers.values()))
    @rule(data=st.data())
    def follower_is_cancelled(self, data: st.DataObject) -> None:
        caller = data.draw(st.sampled_from([c for callers in self.followers.values() for c in callers]))
        caller.ctx.cancel()
        assert isinstance(caller.error(), Cancelled)
        self.followers[caller.key].remove(caller)
        self.all_wait(caller.key)

    @invariant()
    def nothing_else_runs(self) -> None:
        assert len(self.flights) == sum(leader is not None for leader in self.leader.values())
        assert all(queue.empty() for queue in self.entered.values())
        for callers in self.followers.values():
            assert not any(caller.future.done() for caller in callers if caller.future)

    def all_wait(self, key: str) -> None:
        self.steps.until(lambda: self.flights.followers(key) == len(self.followers[key]))

    def computation(self, caller: Caller) -> Callable[[RunContext], object]:
        def compute(ctx: RunContext) -> object:
            assert ctx is caller.ctx
            self.entered[caller.key].put(caller)
            order = caller.orders.get(timeout=60)
            if isinstance(order, BaseException):
                raise order
            return order

        return compute


TestSingleFlight = SingleFlightMachine.TestCase
TestSingleFlight.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)


def test_equal_keys_at_once_are_computed_once() -> None:
    flights: SingleFlight[str, int] = SingleFlight()
    calls: list[int] = []
    steps, all_there = Steps(), threading.Event()

    def compute(_ctx: RunContext) -> int:
        calls.append(1)
        assert all_there.wait(20)
        return 42

    with ThreadPoolExecutor(20) as pool:
        futures = [pool.submit(flights.run, "k", watched(steps), compute) for _ in range(20)]
        steps.until(lambda: flights.followers("k") == 19)
        all_there.set()
        outcomes = [future.result(timeout=20) for future in futures]
    assert calls == [1]
    assert sorted(outcomes) == [(42, False)] * 19 + [(42, True)]
    assert (len(flights), flights.followers("k")) == (0, 0)


def test_a_follower_ends_at_its_own_deadline() -> None:
    flights: SingleFlight[str, int] = SingleFlight()
    led, done = threading.Event(), threading.Event()

    def compute(_ctx: RunContext) -> int:
        led.set()
        assert done.wait(20)
        return 1

    with ThreadPoolExecutor(1) as pool:
        leader = pool.submit(flights.run, "k", RunContext(), compute)
        assert led.wait(20)
        with pytest.raises(DeadlineExceeded):
            flights.run("k", RunContext.with_timeout(0.05), compute)
        done.set()
        assert leader.result(timeout=20) == (1, True)


def test_nothing_is_kept_and_none_is_a_value() -> None:
    flights: SingleFlight[str, None] = SingleFlight()
    calls: list[float] = []
    for _ in range(2):
        assert flights.run("k", RunContext(), lambda _ctx: calls.append(time.monotonic())) == (None, True)
    assert len(calls) == 2
