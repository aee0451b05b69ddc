from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import openvino as ov
import openvino.opset15 as ops
import pytest

from mineru_core.engines.embedded.inference import CompiledModel, read_model
from mineru_core.errors import Cancelled, DeadlineExceeded, EngineFailed, EngineUnavailable, ModelMissing
from mineru_core.runtime.context import RunContext


def _doubling(requests: int) -> CompiledModel:
    """A network that doubles three numbers a row."""
    given = ops.parameter([-1, 3], np.float32)
    return CompiledModel(ov.Model([ops.multiply(given, ops.constant(np.float32(2)))], [given]), requests=requests)


def test_each_thread_gets_the_result_of_its_own_input() -> None:
    model = _doubling(requests=2)

    def call(number: int) -> bool:
        batch = np.full((1 + number % 5, 3), number, dtype=np.float32)
        (out,) = model.infer(batch, RunContext())
        return bool(np.array_equal(out, batch * 2))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(call, range(400)))


def test_a_result_outlives_the_next_call() -> None:
    model = _doubling(requests=1)
    (first,) = model.infer(np.ones((1, 3), dtype=np.float32), RunContext())
    model.infer(np.full((1, 3), 9, dtype=np.float32), RunContext())
    assert first.tolist() == [[2.0, 2.0, 2.0]]


def test_a_call_that_waits_can_be_cancelled() -> None:
    model = _doubling(requests=1)
    held, ctx = model._pool.take(RunContext()), RunContext()
    waiting = threading.Timer(0.05, ctx.cancel)
    waiting.start()
    with pytest.raises(Cancelled):
        model.infer(np.ones((1, 3), dtype=np.float32), ctx)
    waiting.join()
    assert held is not None


def test_a_call_that_is_too_late_does_not_start() -> None:
    with pytest.raises(DeadlineExceeded):
        _doubling(requests=1).infer(np.ones((1, 3), dtype=np.float32), RunContext(deadline=0.0))


def test_a_shape_the_network_cannot_take_fails_alone() -> None:
    model = _doubling(requests=1)
    with pytest.raises(EngineFailed):
        model.infer(np.ones((1, 4), dtype=np.float32), RunContext())
    (after,) = model.infer(np.ones((1, 3), dtype=np.float32), RunContext())
    assert after.tolist() == [[2.0, 2.0, 2.0]]


def test_a_closed_model_says_so() -> None:
    model = _doubling(requests=2)
    model.close()
    model.close()
    with pytest.raises(EngineUnavailable):
        model.infer(np.ones((1, 3), dtype=np.float32), RunContext())


def test_a_file_that_is_no_network_is_a_missing_model(tmp_path: Path) -> None:
    path = tmp_path / "broken.onnx"
    path.write_bytes(b"not a network")
    with pytest.raises(ModelMissing):
        read_model(path)


def test_requests_go_to_owners_in_turn_and_to_each_in_order() -> None:
    model, served = _doubling(requests=1), []
    held = model._pool.take(RunContext())

    def call(owner: str, number: int) -> None:
        with model._pool.request(RunContext(owner=owner)):
            served.append((owner, number))

    with ThreadPoolExecutor(8) as pool:
        for place, (owner, number) in enumerate([*(("batch", n) for n in range(5)), ("page", 0), ("page", 1)]):
            pool.submit(call, owner, number)
            _until_waiting(model, place + 1)
        model._pool.give(held)
    assert served[:4] == [("batch", 0), ("page", 0), ("batch", 1), ("page", 1)]
    assert served[4:] == [("batch", 2), ("batch", 3), ("batch", 4)]


def test_a_request_given_to_one_who_has_left_goes_to_the_next() -> None:
    model, ctx = _doubling(requests=1), RunContext()
    pool = model._pool
    held = pool.take(RunContext())
    with ThreadPoolExecutor(2) as threads:
        gone = threads.submit(pool.take, ctx)
        _until_waiting(model, 1)
        staying = threads.submit(pool.take, RunContext())
        _until_waiting(model, 2)
        ctx.cancel()
        assert isinstance(gone.exception(timeout=10), Cancelled)
        pool.give(held)
        assert staying.result(timeout=10) is held


def test_closing_sends_away_who_waits() -> None:
    model = _doubling(requests=1)
    held = model._pool.take(RunContext())
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(model._pool.take, RunContext())
        _until_waiting(model, 1)
        model.close()
        assert isinstance(waiting.exception(timeout=10), EngineUnavailable)
    model._pool.give(held)
    with pytest.raises(EngineUnavailable):
        model._pool.take(RunContext())


def _until_waiting(model: CompiledModel, count: int) -> None:
    """Until so many calls wait for a request: the moment shows nowhere else."""
    while len(model._pool._waiting) < count:
        pass
