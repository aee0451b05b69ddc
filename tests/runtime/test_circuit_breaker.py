"""The breaker against a plain model of it, and from many threads."""

import threading

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from mineru_core.runtime.circuit_breaker import BreakerState, CircuitBreaker, Permit

LIMIT, OPEN_S = 3, 10.0


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class BreakerMachine(RuleBasedStateMachine):
    """Calls that overlap and end in any order: what a caller may rely on, told from the calls alone."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = Clock()
        self.told: list[BreakerState] = []
        self.breaker = CircuitBreaker(LIMIT, OPEN_S, on_change=self.told.append, clock=self.clock)
        self.out: list[tuple[Permit, int]] = []  # a permit, and how many changes there had been when it was given
        self.in_a_row = 0
        self.opened_at: float | None = None

    @rule(seconds=st.floats(0.1, 2 * OPEN_S))
    def time_goes_on(self, seconds: float) -> None:
        self.clock.now += seconds

    @rule()
    def ask(self) -> None:
        before = self.breaker.state
        permit = self.breaker.acquire()
        over = self.opened_at is not None and self.clock.now >= self.opened_at + OPEN_S
        assert (permit is not None) == (before is BreakerState.CLOSED or (before is BreakerState.OPEN and over))
        if permit is not None:
            assert self.breaker.state is (
                BreakerState.CLOSED if before is BreakerState.CLOSED else BreakerState.HALF_OPEN
            )
            self.out.append((permit, len(self.told)))

    @precondition(lambda self: self.out)
    @rule(data=st.data(), outcome=st.sampled_from(["succeeded", "failed", "drop"]))
    def end(self, data: st.DataObject, outcome: str) -> None:
        permit, given_at = self.out.pop(data.draw(st.integers(0, len(self.out) - 1)))
        before, counts = self.breaker.state, given_at == len(self.told)
        getattr(permit, outcome)()
        permit.failed()  # a second word does not count
        after = self.breaker.state
        if not counts:
            assert after is before
        elif before is BreakerState.HALF_OPEN:
            assert after is (BreakerState.CLOSED if outcome == "succeeded" else BreakerState.OPEN)
            self.in_a_row = 0
            if outcome == "failed":
                self.opened_at = self.clock.now
        elif outcome == "failed":
            self.in_a_row += 1
            assert (after is BreakerState.OPEN) == (self.in_a_row == LIMIT)
            if after is BreakerState.OPEN:
                self.in_a_row, self.opened_at = 0, self.clock.now
        else:
            assert after is BreakerState.CLOSED
            self.in_a_row = 0 if outcome == "succeeded" else self.in_a_row

    @invariant()
    def the_last_state_told_is_the_state(self) -> None:
        assert self.breaker.state is (self.told[-1] if self.told else BreakerState.CLOSED)
        assert all(a is not b for a, b in zip(self.told, self.told[1:], strict=False))

    @invariant()
    def it_waits_only_while_it_is_open(self) -> None:
        assert 0 <= self.breaker.wait_s <= OPEN_S
        if self.breaker.wait_s:
            assert self.breaker.state is BreakerState.OPEN


TestBreaker = BreakerMachine.TestCase


def opened(clock: Clock) -> CircuitBreaker:
    breaker = CircuitBreaker(1, OPEN_S, clock=clock)
    permit = breaker.acquire()
    assert permit is not None
    permit.failed()
    return breaker


def test_one_of_many_threads_tries_a_peer_again() -> None:
    clock = Clock()
    breaker = opened(clock)
    clock.now = OPEN_S
    start, given = threading.Barrier(8), []

    def ask() -> None:
        start.wait()
        given.append(breaker.acquire())

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(permit is not None for permit in given) == 1


def test_a_try_that_breaks_off_leaves_the_next_one_to_decide() -> None:
    clock = Clock()
    breaker = opened(clock)
    clock.now = OPEN_S

    def tried() -> None:
        with breaker.acquire() as permit:  # type: ignore[union-attr]
            assert permit is not None
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tried()
    with breaker.acquire() as permit:  # type: ignore[union-attr]
        permit.succeeded()
    assert breaker.state is BreakerState.CLOSED


def test_no_failures_make_no_breaker() -> None:
    with pytest.raises(ValueError, match="one failure"):
        CircuitBreaker(0, OPEN_S)
