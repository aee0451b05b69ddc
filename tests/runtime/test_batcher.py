import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mineru_core.errors import Cancelled, DeadlineExceeded, EngineFailed, EngineUnavailable
from mineru_core.runtime.batcher import Batcher, BatchReport, Shape
from mineru_core.runtime.context import RunContext


def by(buckets: int) -> Shape[int]:
    return Shape(key=lambda item: item % buckets)


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
    batcher = Batcher(process, max_items=max_items, shape=by(buckets), workers=workers)
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
    with closing(Batcher(Doubler(), max_items=max_items)) as batcher:
        assert batcher.run(items) == [2 * item for item in items]


@settings(max_examples=40, deadline=None)
@given(count=st.integers(1, 12), gone=st.sets(st.integers(0, 11)), by=st.sampled_from(["future", "cancel", "deadline"]))
def test_what_is_no_longer_wanted_costs_no_work(count: int, gone: set[int], by: str) -> None:
    process = Doubler()
    process.gate.clear()
    with closing(Batcher(process, max_items=4)) as batcher:
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
    batcher = Batcher(process, max_items=max_items)
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


def test_what_arrives_during_a_call_shares_the_next() -> None:
    process = Doubler()
    reports: list[BatchReport] = []
    process.gate.clear()
    with closing(Batcher(process, max_items=8, on_batch=reports.append)) as batcher:
        first = batcher.submit(0)
        assert process.entered.wait(10)
        others = [batcher.submit(i) for i in range(1, 6)]
        process.gate.set()
        assert [f.result(timeout=10) for f in [first, *others]] == [0, 2, 4, 6, 8, 10]
    assert process.calls == [[0], [1, 2, 3, 4, 5]]
    assert [report[:3] for report in reports] == [(1, 1.0, 1.0), (5, 5.0, 5.0)]
    assert all(report.seconds >= 0 for report in reports)


def test_a_wrong_number_of_results_is_a_failure() -> None:
    with closing(Batcher(lambda _items: [], max_items=4)) as batcher, pytest.raises(EngineFailed):
        batcher.submit(1).result(timeout=10)


def test_an_exit_in_a_call_reaches_the_waiter_as_a_failure() -> None:
    def leave(_items: list[int]) -> list[int]:
        raise SystemExit

    with closing(Batcher(leave, max_items=4)) as batcher:
        for _ in range(2):  # and the thread lives on
            assert isinstance(batcher.submit(1).exception(timeout=10), EngineFailed)


def test_run_ends_with_its_context_and_withdraws_what_waits() -> None:
    process = Doubler()
    process.gate.clear()
    ctx = RunContext()
    with closing(Batcher(process, max_items=1)) as batcher, ThreadPoolExecutor(1) as pool:
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

    with closing(Batcher(late, max_items=4)) as batcher, pytest.raises(TimeoutError, match="the device"):
        batcher.run([1], RunContext())


def test_a_broken_listener_takes_nobodys_answer(caplog: pytest.LogCaptureFixture) -> None:
    def listen(_report: BatchReport) -> None:
        raise PoisonError

    with closing(Batcher(Doubler(), max_items=2, on_batch=listen)) as batcher:
        assert batcher.run([1, 2, 3]) == [2, 4, 6]
    assert "listener" in caplog.text


def test_a_cancelled_page_leaves_the_queue_at_once() -> None:
    process = Doubler()
    process.gate.clear()
    ctx = RunContext()
    with closing(Batcher(process, max_items=4)) as batcher, ThreadPoolExecutor(1) as pool:
        first = batcher.submit(0)
        assert process.entered.wait(10)
        page = pool.submit(batcher.run, list(range(1, 100)), ctx)
        alone = batcher.submit(-1)
        ctx.cancel()
        assert isinstance(page.exception(timeout=10), Cancelled)
        assert batcher.waiting == 1
        assert alone.cancel()
        assert batcher.waiting == 0
        process.gate.set()
        assert first.result(timeout=10) == 0


def test_the_lines_of_a_single_page_overtake_a_batch_of_another_owner() -> None:
    process = Doubler()
    process.gate.clear()
    with closing(Batcher(process, max_items=2)) as batcher:
        first = batcher.submit(0, RunContext(owner="batch"))
        assert process.entered.wait(10)
        many = [batcher.submit(i, RunContext(owner="batch")) for i in range(1, 101)]
        page = [batcher.submit(-i, RunContext(owner="page")) for i in range(1, 4)]
        process.gate.set()
        assert [f.result(timeout=10) for f in [first, *many, *page]] == [2 * i for i in [*range(101), -1, -2, -3]]
    assert {-1, -2, -3} <= {item for call in process.calls[:5] for item in call}


def test_idle_workers_share_the_work_of_one_caller() -> None:
    both_at_work = threading.Barrier(2)

    def process(items: list[int]) -> list[int]:
        both_at_work.wait(10)
        return items

    with closing(Batcher(process, max_items=8, workers=2)) as batcher:
        assert batcher.run([1, 2, 3, 4]) == [1, 2, 3, 4]


def taught(batcher: Batcher[int, int], fixed_s: float) -> None:
    """Make the batcher know calls of fixed_s, whose items cost next to nothing and arrive every millisecond."""
    with batcher._changed:
        for call in range(40):
            batcher._model.observe(1 + call % 7, fixed_s + 1e-6 * (call % 7))
        for arrival in range(40):
            batcher._arrivals.observe(None, 1, time.monotonic() - 0.04 + arrival / 1000)


def test_an_idle_worker_waits_while_company_pays() -> None:
    process = Doubler()
    with closing(Batcher(process, max_items=3, max_wait_s=3600)) as batcher:
        taught(batcher, fixed_s=1000)
        # Each of these is waited for, and the third fills the call: nobody waits for a window to end.
        assert [f.result(timeout=10) for f in [batcher.submit(i) for i in range(3)]] == [0, 2, 4]
    assert process.calls == [[0, 1, 2]]


def test_nobody_waits_longer_than_allowed() -> None:
    with closing(Batcher(Doubler(), max_items=3, max_wait_s=0.01)) as batcher:
        taught(batcher, fixed_s=1000)
        assert batcher.submit(1).result(timeout=10) == 2


def test_a_bucket_that_waits_for_company_holds_up_no_other() -> None:
    process = Doubler()
    with closing(Batcher(process, max_items=3, max_wait_s=3600, shape=Shape(key=lambda i: i or None))) as batcher:
        taught(batcher, fixed_s=1000)
        held = batcher.submit(0)
        assert batcher.submit(5).result(timeout=10) == 10
        assert not held.done()
    assert isinstance(held.exception(timeout=10), Cancelled)


def test_an_idle_system_answers_at_once() -> None:
    with closing(Batcher(Doubler(), max_items=8, max_wait_s=3600)) as batcher:
        for number in range(40):  # one after the other, with nothing to gain from company
            assert batcher.submit(number).result(timeout=10) == 2 * number


def test_what_it_costs_is_learned_from_its_own_calls() -> None:
    with closing(Batcher(Doubler(), max_items=8)) as batcher:
        assert batcher.latency is None
        for count in range(1, 9):
            batcher.run(list(range(count)))
            batcher.run([0])
        assert batcher.latency is not None


@pytest.mark.parametrize(
    "wrong", [{"max_items": 0}, {"max_items": 1, "workers": 0}, {"max_items": 1, "max_wait_s": -1}]
)
def test_wrong_sizes_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        Batcher(Doubler(), **wrong)


def test_shapes_that_cannot_work_are_refused() -> None:
    with pytest.raises(ValueError, match="counts"):
        Batcher(Doubler(), max_items=4, shape=Shape(counts=(2, 4)))
    with closing(Batcher(Doubler(), max_items=4, shape=Shape(units=float))) as batcher:
        with pytest.raises(ValueError, match="units"):
            batcher.submit(0)
        assert batcher.run([3, 1]) == [6, 2]


def test_items_submitted_at_once_share_a_call_and_fail_alone() -> None:
    process = Doubler(frozenset({2}))
    with closing(Batcher(process, max_items=8)) as batcher:
        first, second, third = batcher.submit_all([1, 2, 3])
        assert (first.result(10), third.result(10)) == (2, 6)
        assert isinstance(second.exception(10), PoisonError)
    assert process.calls[0] == [1, 2, 3]


def test_calls_of_a_lower_rank_go_first_whoever_asked_for_them() -> None:
    process = Doubler()
    process.gate.clear()
    shape = Shape[int](key=lambda item: item % 10, rank=lambda item: 0 if item % 10 == 5 else 1)
    with closing(Batcher(process, max_items=8, shape=shape)) as batcher:
        futures = [batcher.submit(0)]
        assert process.entered.wait(10)
        futures += batcher.submit_all([1, 11, 2], RunContext(owner="a"))
        futures += batcher.submit_all([3, 5, 15], RunContext(owner="b"))
        process.gate.set()
        for future in futures:
            future.result(10)
    assert process.calls[1] == [5, 15]
    assert sorted(process.calls[2:]) == [[1, 11], [2], [3]]
