"""The batcher against an engine that is slow, fails and is poisoned, step by step in any order."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from mineru_core.errors import Cancelled, DeadlineExceeded, WorkbenchError
from mineru_core.runtime.batcher import Batcher, Shape
from mineru_core.runtime.context import RunContext

PATIENCE_S = 20.0


class EngineBrokeError(Exception):
    pass


class PoisonError(Exception):
    pass


@dataclass(eq=False)
class Item:
    number: int
    owner: str
    key: int
    units: float
    size: float
    poisoned: bool


@dataclass(eq=False)
class Waiter:
    item: Item
    ctx: RunContext
    future: Future[int]
    withdrawn: bool = False


class SteppedEngine:
    """Every call stops until the test lets it go on, in one way or another."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.calls: list[list[Item]] = []
        self.at_work = False
        self._orders: list[str] = []
        self.open = False

    def __call__(self, items: list[Item]) -> list[int]:
        with self.changed:
            self.calls.append(items)
            self.at_work = True
            self.changed.notify_all()
            assert self.changed.wait_for(lambda: self._orders or self.open, PATIENCE_S)
            order = self._orders.pop(0) if self._orders else "work"
            self.at_work = False
        if order == "break":
            raise EngineBrokeError
        if any(item.poisoned for item in items):
            raise PoisonError
        return [item.number for item in items]

    def let_go(self, order: str) -> None:
        with self.changed:
            self._orders.append(order)
            self.at_work = False
            self.changed.notify_all()


class BatcherMachine(RuleBasedStateMachine):
    @initialize(
        max_items=st.integers(1, 5),
        max_units=st.sampled_from([25.0, 60.0, float("inf")]),
        counts=st.sampled_from([None, (1, 2, 4)]),
    )
    def begin(self, max_items: int, max_units: float, counts: tuple[int, ...] | None) -> None:
        self.engine = SteppedEngine()
        self.waiters: list[Waiter] = []
        self.max_items, self.max_units, self.counts = max_items, max_units, counts
        self.closed = False
        self.batcher: Batcher[Item, int] = Batcher(
            self.engine,
            max_items=max_items,
            max_units=max_units,
            max_wait_s=0,  # when calls begin is then for this test to say, not for the clock
            shape=Shape(lambda i: i.key, lambda i: i.units, lambda i: i.size, padding=0.2, counts=counts),
        )
        self.batcher._model.observe = lambda *_: None  # type: ignore[method-assign]  nor how large they are

    @rule(
        owner=st.sampled_from(["ann", "bob", "cy"]),
        items=st.lists(st.tuples(st.integers(0, 1), st.integers(1, 30), st.integers(0, 5), st.booleans()), max_size=6),
        expired=st.booleans(),
        poison=st.booleans(),
    )
    def submit(self, owner: str, items: list[tuple[int, int, int, bool]], expired: bool, poison: bool) -> None:
        ctx = RunContext(owner=owner, deadline=0.0 if expired else None)
        page = [
            Item(len(self.waiters) + place, owner, key, units, units + padding, poisoned and poison)
            for place, (key, units, padding, poisoned) in enumerate(items)
        ]
        # All at once, as run() does: one by one, the first might be at work before the second is there, or not.
        for entry in self.batcher._submit(page, ctx):
            self.waiters.append(Waiter(entry.item, ctx, entry.future))
            entry.future.add_done_callback(self._told)

    @precondition(lambda self: self.waiters)
    @rule(data=st.data(), way=st.sampled_from(["future", "context"]))
    def cancel(self, data: st.DataObject, way: str) -> None:
        waiter = data.draw(st.sampled_from(self.waiters))
        if way == "future":
            waiter.withdrawn = waiter.future.cancel() or waiter.withdrawn
        else:
            waiter.ctx.cancel()

    @precondition(lambda self: self.engine.at_work)
    @rule(order=st.sampled_from(["work", "work", "break"]))
    def let_go(self, order: str) -> None:
        self.engine.let_go(order)

    def _told(self, _future: Future[int]) -> None:
        with self.engine.changed:
            self.engine.changed.notify_all()

    def _settled(self) -> bool:
        return self.engine.at_work or all(waiter.future.done() for waiter in self.waiters)

    @invariant()
    def nobody_is_lost(self) -> None:
        """Either a call is at work or everybody has an answer."""
        if hasattr(self, "engine"):
            with self.engine.changed:
                assert self.engine.changed.wait_for(self._settled, PATIENCE_S)

    @invariant()
    def calls_keep_the_limits(self) -> None:
        for call in self.engine.calls if hasattr(self, "engine") else []:
            computed = max(item.size for item in call) * len(call)
            assert len({item.key for item in call}) == 1
            assert len(call) <= self.max_items
            assert len(call) == 1 or computed <= self.max_units
            alike = len({item.size for item in call}) == 1
            assert alike or computed <= 1.2 * sum(item.units for item in call) + 1e-9

    @invariant()
    def likes_of_an_owner_are_called_in_order(self) -> None:
        """First calls only: those that follow a failure repeat their items."""
        begun: dict[tuple[str, int, float, float], list[int]] = {}
        seen: set[int] = set()
        for item in (item for call in self.engine.calls for item in call) if hasattr(self, "engine") else []:
            if item.number not in seen:
                seen.add(item.number)
                begun.setdefault((item.owner, item.key, item.size, item.units), []).append(item.number)
        assert all(numbers == sorted(numbers) for numbers in begun.values())

    @invariant()
    def what_has_left_is_not_worked_on(self) -> None:
        if hasattr(self, "engine"):
            worked = {item.number for call in self.engine.calls for item in call}
            assert not any(w.item.number in worked for w in self.waiters if w.withdrawn or w.ctx.deadline == 0.0)

    def teardown(self) -> None:
        if not hasattr(self, "engine"):
            return
        with self.engine.changed:
            self.engine.open = True
            self.engine.changed.notify_all()
            everybody: Callable[[], bool] = lambda: all(w.future.done() for w in self.waiters)  # noqa: E731
            assert self.engine.changed.wait_for(everybody, PATIENCE_S)
        assert self.batcher.waiting == 0
        self.batcher.close()
        for waiter in self.waiters:
            self._check_answer(waiter)

    def _check_answer(self, waiter: Waiter) -> None:
        calls = [call for call in self.engine.calls if waiter.item in call]
        if waiter.withdrawn:
            assert waiter.future.cancelled()
            return
        error = waiter.future.exception()
        if error is None:
            assert waiter.future.result() == waiter.item.number
            assert not waiter.item.poisoned
            assert 1 <= len(calls) <= 2
        elif isinstance(error, WorkbenchError):
            due = {DeadlineExceeded: waiter.ctx.deadline == 0.0, Cancelled: waiter.ctx.cancelled}
            assert due[type(error)]
        else:  # only what breaks alone is refused
            assert len(calls[-1]) == 1
            assert isinstance(error, EngineBrokeError) or waiter.item.poisoned


class ClosingMachine(BatcherMachine):
    """The same, ended by closing with a call at work and others waiting."""

    def teardown(self) -> None:
        if not hasattr(self, "engine"):
            return
        closer = threading.Thread(target=self.batcher.close)
        closer.start()
        with self.engine.changed:
            self.engine.open = True
            self.engine.changed.notify_all()
            assert self.engine.changed.wait_for(lambda: all(w.future.done() for w in self.waiters), PATIENCE_S)
        closer.join(PATIENCE_S)
        assert not closer.is_alive()
        with pytest.raises(WorkbenchError):
            self.batcher.submit(Item(-1, "ann", 0, 1, 1, False))


TestBatcher = BatcherMachine.TestCase
TestBatcher.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
TestClosing = ClosingMachine.TestCase
TestClosing.settings = settings(max_examples=30, stateful_step_count=15, deadline=None)
