import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mineru_core.errors import Cancelled, DeadlineExceeded
from mineru_core.runtime.context import RunContext
from mineru_core.serving.gate import Gate


@settings(max_examples=15, deadline=None)
@given(places=st.integers(1, 4), callers=st.integers(1, 10))
def test_never_more_inside_than_places_and_everybody_gets_in(places: int, callers: int) -> None:
    gate, lock = Gate(places), threading.Lock()
    inside = most = entered = 0

    def pass_through() -> None:
        nonlocal inside, most, entered
        with gate.admitted(RunContext()):
            with lock:
                inside, entered = inside + 1, entered + 1
                most = max(most, inside)
            threading.Event().wait(0.001)
            with lock:
                inside -= 1

    threads = [threading.Thread(target=pass_through) for _ in range(callers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert entered == callers
    assert most <= places


def test_a_place_is_given_back_after_a_failure() -> None:
    gate = Gate(1)
    for _ in range(2):
        with pytest.raises(ValueError, match="inside"), gate.admitted(RunContext()):
            raise ValueError("inside")


def test_a_waiter_is_cancelled_and_one_past_its_deadline_leaves() -> None:
    gate, ctx = Gate(1), RunContext()
    with gate.admitted(RunContext()):
        threading.Timer(0.02, ctx.cancel).start()
        with pytest.raises(Cancelled), gate.admitted(ctx):
            pytest.fail("there was no place")
        with pytest.raises(DeadlineExceeded), gate.admitted(RunContext.with_timeout(0.02)):
            pytest.fail("there was no place")


def test_a_cancelled_caller_does_not_take_a_free_place() -> None:
    ctx = RunContext()
    ctx.cancel()
    with pytest.raises(Cancelled), Gate(1).admitted(ctx):
        pytest.fail("it was cancelled before")
