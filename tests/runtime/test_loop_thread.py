import asyncio
import threading
from concurrent.futures import CancelledError

import pytest

from mineru_core.runtime.loop_thread import LoopThread

WAIT_S = 20.0


async def doubled(number: int) -> int:
    return 2 * number


def waits(started: threading.Event, ended: threading.Event):
    async def work() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    return work()


def test_work_runs_on_another_thread() -> None:
    loop = LoopThread("loop")
    try:
        assert loop.submit(doubled(21)).result(WAIT_S) == 42
    finally:
        loop.close()


def test_a_cancelled_future_ends_its_work() -> None:
    loop = LoopThread("loop")
    started, ended = threading.Event(), threading.Event()
    try:
        future = loop.submit(waits(started, ended))
        assert started.wait(WAIT_S)
        future.cancel()
        assert ended.wait(WAIT_S)
    finally:
        loop.close()


def test_closing_answers_all_who_wait() -> None:
    loop = LoopThread("loop")
    started, ended = threading.Event(), threading.Event()
    future = loop.submit(waits(started, ended))
    assert started.wait(WAIT_S)
    loop.close()
    assert ended.is_set()
    with pytest.raises(CancelledError):
        future.result(WAIT_S)
    loop.close()
    with pytest.raises(RuntimeError):
        loop.submit(doubled(1))
