import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mineru_core.errors import Cancelled, DeadlineExceeded, EngineFailed, EngineUnavailable
from mineru_core.runtime.batcher import Batcher
from mineru_core.runtime.context import RunContext


class PoisonError(Exception):
    pass


class Doubler:
    """Doubles integers, records its calls, and breaks on poison."""

    def __init__(self, poison: frozenset[int] = frozenset()) -> None:
        self.poison = poison
        self.calls: list[list[int]] = []
        self.gate = threading.Event()
        self.gate.set()
        self.entered = threading.Event()

    def __call__(self, items: list[int]) -> list[int]:
        self.calls.append(items)
        self.entered.set()
        assert self.gate.wait(10)
        for item in items:
            if item in self.poison:
                raise PoisonError(item)
        return [2 * item for item in items]


@contextmanager
def closing(batcher: Batcher[int, int]) -> Iterator[Batcher[int, int]]:
    try:
        yield batcher
    finally:
        batcher.close()


@settings(max_examples=60, deadline=None)
@given(
    callers=st.lists(st.lists(st.integers(0, 40), max_size=12), min_size=1, max_size=6),
    poison=st.frozensets(st.integers(0, 40), max_size=4),
    max_items=st.integers(1, 9),
    workers=st.integers(1, 3),
    buckets=st.integers(1, 3),
)
def test_each_item_gets_its_own_answer(
    callers: list[list[int]], poison: frozenset[int], max_items: int, workers: int, buckets: int
) -> None:
    process = Doubler(poison)
    batcher = Batcher(process, max_items=max_items, window_s=0.001, key=lambda i: i % buckets, workers=workers)
    with closing(batcher), ThreadPoolExecutor(len(callers)) as pool:
        submitted = list(pool.map(lambda items: [(i, batcher.submit(i)) for i in items], callers))
        for item, future in (pair for caller in submitted for pair in caller):
            if item in poison:
                assert isinstance(future.exception(timeout=10), PoisonError)
            else:
                assert future.result(timeout=10) == 2 * item
    assert all(1 <= len(call) <= max_items for call in process.calls)
    assert all(len({item % buckets for item in call}) == 1 for call in process.calls)
    if not poison:
        assert sorted(i for call in process.calls for i in call) == sorted(i for caller in callers for i in caller)


@settings(max_examples=40, deadline=None)
@given(items=st.lists(st.integers(), max_size=30), max_items=st.integers(1, 7))
def test_run_keeps_the_order(items: list[int], max_items: int) -> None:
    with closing(Batcher(Doubler(), max_items=max_items, window_s=0)) as batcher:
        assert batcher.run(items) == [2 * item for item in items]


@settings(max_examples=40, deadline=None)
@given(count=st.integers(1, 12), gone=st.sets(st.integers(0, 11)), by=st.sampled_from(["future", "cancel", "deadline"]))
def test_what_is_no_longer_wanted_costs_no_work(count: int, gone: set[int], by: str) -> None:
    process = Doubler()
    process.gate.clear()
    with closing(Batcher(process, max_items=4, window_s=0)) as batcher:
        first = batcher.submit(-1)
        assert process.entered.wait(10)
        waiting = []
        for item in range(count):
            ctx = RunContext.with_timeout(0) if by == "deadline" and item in gone else RunContext()
            waiting.append((item, ctx, batcher.submit(item, ctx)))
        for item, ctx, future in waiting:
            if item in gone and by == "future":
                assert future.cancel()
            elif item in gone and by == "cancel":
                ctx.cancel()
        process.gate.set()
        assert first.result(timeout=10) == -2
        expected = {"future": CancelledError, "cancel": Cancelled, "deadline": DeadlineExceeded}[by]
        for item, _, future in waiting:
            if item in gone:
                with pytest.raises(expected):
                    future.result(timeout=10)
            else:
                assert future.result(timeout=10) == 2 * item
    worked = {item for call in process.calls for item in call}
    assert worked == {-1} | {item for item in range(count) if item not in gone}


@settings(max_examples=25, deadline=None)
@given(count=st.integers(0, 20), max_items=st.integers(1, 5))
def test_close_answers_everybody(count: int, max_items: int) -> None:
    process = Doubler()
    process.gate.clear()
    batcher = Batcher(process, max_items=max_items, window_s=0)
    first = batcher.submit(-1)
    assert process.entered.wait(10)
    waiting = [batcher.submit(item) for item in range(count)]
    closer = threading.Thread(target=batcher.close)
    closer.start()
    for future in waiting:
        with pytest.raises(Cancelled):
            future.result(timeout=10)
    process.gate.set()
    closer.join(10)
    assert first.result(timeout=10) == -2
    with pytest.raises(EngineUnavailable):
        batcher.submit(1)


def test_a_full_batch_does_not_wait_for_its_window() -> None:
    with closing(Batcher(Doubler(), max_items=3, window_s=3600)) as batcher:
        assert [f.result(timeout=10) for f in [batcher.submit(i) for i in range(3)]] == [0, 2, 4]


def test_callers_within_a_window_share_a_call() -> None:
    process = Doubler()
    sizes: list[int] = []
    process.gate.clear()
    with closing(Batcher(process, max_items=8, window_s=0, on_batch=sizes.append)) as batcher:
        first = batcher.submit(0)
        assert process.entered.wait(10)
        others = [batcher.submit(i) for i in range(1, 6)]
        process.gate.set()
        assert [f.result(timeout=10) for f in [first, *others]] == [0, 2, 4, 6, 8, 10]
    assert process.calls == [[0], [1, 2, 3, 4, 5]]
    assert sizes == [1, 5]


def test_a_wrong_number_of_results_is_a_failure() -> None:
    with closing(Batcher(lambda _items: [], max_items=4, window_s=0)) as batcher, pytest.raises(EngineFailed):
        batcher.submit(1).result(timeout=10)


def test_an_exit_in_a_call_reaches_the_waiter_as_a_failure() -> None:
    def leave(_items: list[int]) -> list[int]:
        raise SystemExit

    with closing(Batcher(leave, max_items=4, window_s=0)) as batcher:
        for _ in range(2):  # and the thread lives on
            assert isinstance(batcher.submit(1).exception(timeout=10), EngineFailed)


def test_run_ends_with_its_context_and_withdraws_what_waits() -> None:
    process = Doubler()
    process.gate.clear()
    ctx = RunContext()
    with closing(Batcher(process, max_items=1, window_s=0)) as batcher, ThreadPoolExecutor(1) as pool:
        running = pool.submit(batcher.run, [1, 2, 3], ctx)
        assert process.entered.wait(10)
        ctx.cancel()
        assert isinstance(running.exception(timeout=10), Cancelled)
        process.gate.set()
        assert batcher.run([7]) == [14]
    assert process.calls == [[1], [7]]


def test_a_timeout_raised_by_the_call_is_its_answer() -> None:
    def late(_items: list[int]) -> list[int]:
        raise TimeoutError("the device")

    with closing(Batcher(late, max_items=4, window_s=0)) as batcher, pytest.raises(TimeoutError, match="the device"):
        batcher.run([1], RunContext())


@pytest.mark.parametrize("wrong", [{"max_items": 0}, {"max_items": 1, "workers": 0}, {"max_items": 1, "window_s": -1}])
def test_wrong_sizes_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        Batcher(Doubler(), **wrong)
