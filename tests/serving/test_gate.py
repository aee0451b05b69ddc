import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field
from math import ceil
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from mineru_core.errors import Cancelled, DeadlineExceeded, EngineUnavailable, Overloaded
from mineru_core.runtime.context import RunContext
from mineru_core.runtime.logging import bound_request, current_request
from mineru_core.serving.gate import Gate

T = TypeVar("T")

WAIT_S = 20.0


class Poisoned(Exception):
    pass


@dataclass(eq=False)
class Work:
    """A piece of work whose end the test decides."""

    owner: str
    number: int
    poisoned: bool = False
    entered: threading.Event = field(default_factory=threading.Event)
    go: threading.Event = field(default_factory=threading.Event)
    ctx: RunContext = field(default_factory=RunContext)
    gone: bool = False

    def __call__(self) -> int:
        self.entered.set()
        assert self.go.wait(WAIT_S)
        if self.poisoned:
            raise Poisoned(self.number)
        return self.number


class Seen:
    """What the gate says of itself, to be waited for."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.now = (0, 0)
        self.most = 0

    def __call__(self, waiting: int, running: int) -> None:
        with self.changed:
            self.now = (waiting, running)
            self.most = max(self.most, running)
            self.changed.notify_all()

    def wait_for(self, waiting: int, running: int) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: self.now == (waiting, running), WAIT_S), self.now


class GateMachine(RuleBasedStateMachine):
    """Pieces come, end, break, are cancelled and expire in any order; a plain model says which are at work."""

    @initialize(places=st.integers(1, 4))
    def build(self, places: int) -> None:
        self.places, self.seen = places, Seen()
        self.gate = Gate(places, on_change=self.seen)
        self.lines: OrderedDict[str, deque[Work]] = OrderedDict()
        self.running: list[Work] = []
        self.futures: dict[Work, Future[int]] = {}
        self.answers: Counter[Work] = Counter()

    def _settle(self) -> None:
        """Start in the model what may start, and wait until the gate has come to the same."""
        while len(self.running) < self.places:
            held = Counter(work.owner for work in self.running)
            owners = max(1, len(self.lines.keys() | held.keys()))
            most = max(1, min(self.places - 1, ceil(self.places / owners)))
            owner = next((one for one in self.lines if held[one] < most), None)
            if owner is None:
                break
            self.running.append(self.lines[owner].popleft())
            if self.lines[owner]:
                self.lines.move_to_end(owner)
            else:
                del self.lines[owner]
        self.seen.wait_for(sum(map(len, self.lines.values())), len(self.running))
        for work in self.running:
            assert work.entered.wait(WAIT_S)
        for line in self.lines.values():
            assert not any(work.entered.is_set() for work in line)

    def _drop(self, work: Work) -> None:
        if work in self.running:
            work.gone = True  # it keeps its place until it stops
            return
        self.lines[work.owner].remove(work)
        if not self.lines[work.owner]:
            del self.lines[work.owner]

    def _open(self) -> list[Work]:
        return [work for work, future in self.futures.items() if not future.done()]

    @rule(owner=st.sampled_from("abc"), poisoned=st.booleans())
    def submit(self, owner: str, poisoned: bool) -> None:
        work = Work(owner, len(self.futures), poisoned)
        self.futures[work] = future = self.gate.submit(owner, work.ctx, work)
        future.add_done_callback(lambda _: self.answers.update([work]))
        self.lines.setdefault(owner, deque()).append(work)
        self._settle()

    @precondition(lambda self: self.running)
    @rule(data=st.data())
    def end(self, data: st.DataObject) -> None:
        work = data.draw(st.sampled_from(self.running))
        work.go.set()
        if not work.gone:
            if work.poisoned:
                with pytest.raises(Poisoned, match=str(work.number)):
                    self.futures[work].result(WAIT_S)
            else:
                assert self.futures[work].result(WAIT_S) == work.number
        self.running.remove(work)
        self._settle()

    @precondition(lambda self: self._open())
    @rule(data=st.data(), expires=st.booleans())
    def leave(self, data: st.DataObject, expires: bool) -> None:
        work = data.draw(st.sampled_from(self._open()))
        if expires:
            object.__setattr__(work.ctx, "deadline", 0.0)
        else:
            work.ctx.cancel()
        assert isinstance(self.futures[work].exception(WAIT_S), DeadlineExceeded if expires else Cancelled)
        self._drop(work)
        self._settle()

    @precondition(lambda self: self.lines)
    @rule(data=st.data())
    def withdraw(self, data: st.DataObject) -> None:
        work = data.draw(st.sampled_from([work for line in self.lines.values() for work in line]))
        assert self.futures[work].cancel()
        self._drop(work)
        self._settle()

    def teardown(self) -> None:
        if not hasattr(self, "gate"):
            return
        waiting = [work for line in self.lines.values() for work in line]
        self.gate.close(wait_s=0.0)
        for work in self.running:
            work.go.set()
        self.gate.close()
        assert not any(work.entered.is_set() for work in waiting)
        assert all(future.done() for future in self.futures.values())
        assert self.answers == dict.fromkeys(self.futures, 1)
        assert self.seen.most <= self.places


TestGateMachine = GateMachine.TestCase
TestGateMachine.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)


def run(gate: Gate, owner: str, ctx: RunContext, work: Callable[[], T]) -> T:
    """What the work gives, once it has had its turn."""
    return gate.submit(owner, ctx, work).result(WAIT_S)


@settings(max_examples=15, deadline=None)
@given(places=st.integers(1, 4), callers=st.integers(1, 10))
def test_never_more_inside_than_places_and_everybody_gets_in(places: int, callers: int) -> None:
    seen = Seen()
    gate = Gate(places, on_change=seen)
    entered: list[int] = []

    def pass_through() -> None:
        run(gate, threading.current_thread().name, RunContext(), lambda: entered.append(1))

    threads = [threading.Thread(target=pass_through) for _ in range(callers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT_S)
    gate.close()
    assert len(entered) == callers
    assert seen.most <= places


def test_a_place_is_given_back_after_a_failure() -> None:
    gate = Gate(1)

    def broken() -> None:
        raise ValueError("inside")

    for _ in range(2):
        with pytest.raises(ValueError, match="inside"):
            run(gate, "ann", RunContext(), broken)


def test_a_waiter_is_cancelled_and_one_past_its_deadline_leaves() -> None:
    gate, ctx = Gate(1), RunContext()
    first = Work("ann", 0)
    gate.submit("ann", first.ctx, first)
    assert first.entered.wait(WAIT_S)
    threading.Timer(0.02, ctx.cancel).start()
    with pytest.raises(Cancelled):
        run(gate, "bob", ctx, lambda: pytest.fail("there was no place"))
    with pytest.raises(DeadlineExceeded):
        run(gate, "bob", RunContext.with_timeout(0.02), lambda: pytest.fail("there was no place"))
    first.go.set()


def test_a_cancelled_caller_does_not_take_a_free_place() -> None:
    ctx = RunContext()
    ctx.cancel()
    with pytest.raises(Cancelled):
        run(Gate(1), "ann", ctx, lambda: pytest.fail("it was cancelled before"))


def test_what_the_work_gives_and_raises_comes_out() -> None:
    gate = Gate(2)
    assert run(gate, "ann", RunContext(), lambda: 7) == 7

    def broken() -> None:
        raise Poisoned

    with pytest.raises(Poisoned):
        run(gate, "ann", RunContext(), broken)


def test_the_request_of_the_caller_is_that_of_the_work() -> None:
    with bound_request("r-1"):
        assert run(Gate(1), "ann", RunContext(), current_request) == "r-1"


def test_a_newcomer_starts_at_once_beside_a_batch_of_200() -> None:
    gate = Gate(4)
    batch = [Work("batch", number) for number in range(200)]
    futures = [gate.submit("batch", work.ctx, work) for work in batch]
    for work in batch[:3]:
        assert work.entered.wait(WAIT_S)
    assert run(gate, "newcomer", RunContext(), lambda: "read") == "read"
    single = Work("newcomer", 0)
    gate.submit("newcomer", single.ctx, single)
    assert single.entered.wait(WAIT_S)
    for work in batch[:2]:  # while the newcomer is there, the batch holds its share alone
        work.go.set()
    assert batch[3].entered.wait(WAIT_S)
    assert not batch[4].entered.is_set()
    for work in [single, *batch]:
        work.go.set()
    assert [future.result(WAIT_S) for future in futures] == list(range(200))
    gate.close()


def test_work_that_does_not_stop_keeps_its_place_but_not_its_caller() -> None:
    gate, work = Gate(1), Work("ann", 1)
    future = gate.submit("ann", work.ctx, work)
    assert work.entered.wait(WAIT_S)
    work.ctx.cancel()
    with pytest.raises(Cancelled):
        future.result(WAIT_S)
    assert gate.in_flight == 1
    after = gate.submit("ann", RunContext(), lambda: "after")
    assert (gate.waiting, after.done()) == (1, False)
    work.go.set()
    assert after.result(WAIT_S) == "after"


def test_closed_it_answers_what_waits_and_takes_nothing_more() -> None:
    gate, work = Gate(1), Work("ann", 1)
    running = gate.submit("ann", work.ctx, work)
    assert work.entered.wait(WAIT_S)
    waiting = gate.submit("bob", RunContext(), lambda: 2)
    closer = threading.Thread(target=gate.close)
    closer.start()
    with pytest.raises(Cancelled):
        waiting.result(WAIT_S)
    work.go.set()
    closer.join(WAIT_S)
    assert running.result(WAIT_S) == 1
    with pytest.raises(EngineUnavailable):
        gate.submit("ann", RunContext(), lambda: 3)
    gate.close()


def test_threads_without_work_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mineru_core.serving.gate._REST_S", 0.01)
    before, gate = set(threading.enumerate()), Gate(3)
    assert run(gate, "ann", RunContext(), lambda: 1) == 1
    for thread in set(threading.enumerate()) - before:
        thread.join(WAIT_S)
        assert not thread.is_alive()
    assert run(gate, "ann", RunContext(), lambda: 2) == 2


def test_a_withdrawn_piece_never_starts() -> None:
    gate, work = Gate(1), Work("ann", 1)
    gate.submit("ann", work.ctx, work)
    assert work.entered.wait(WAIT_S)
    future = gate.submit("ann", RunContext(), lambda: 1)
    assert future.cancel()
    work.go.set()
    assert run(gate, "ann", RunContext(), lambda: 2) == 2
    with pytest.raises(CancelledError):
        future.result(0)


def _no_more_threads(_: threading.Thread) -> None:
    raise RuntimeError("can't start new thread")


def test_without_a_single_thread_work_is_refused_and_taken_again_later(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[int, int]] = []
    gate = Gate(2, on_change=lambda *counts: told.append(counts))
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", _no_more_threads)
        with pytest.raises(Overloaded) as refused:
            gate.submit("a", RunContext(), lambda: 1).result(WAIT_S)
        assert refused.value.retry_after_s is not None
        assert (gate.waiting, told[-1]) == (0, (0, 0))
    assert gate.submit("a", RunContext(), lambda: 2).result(WAIT_S) == 2
    gate.close()


def test_the_threads_there_are_do_all_work_where_there_are_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    gate, first = Gate(3), Work("a", 1)
    answers = [gate.submit("a", RunContext(), first)]
    assert first.entered.wait(WAIT_S)
    monkeypatch.setattr(threading.Thread, "start", _no_more_threads)
    answers += [gate.submit(owner, RunContext(), lambda: 2) for owner in ("a", "b", "c")]
    first.go.set()
    assert [answer.result(WAIT_S) for answer in answers] == [1, 2, 2, 2]
    gate.close()
