from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import openvino as ov
import openvino.opset15 as ops
import pytest

from mineru_core.engines.embedded.inference import CompiledModel, _malloc_trim, give_back_free_memory, read_model
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
    held, ctx = model._take(RunContext()), RunContext()
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


@pytest.mark.parametrize("library", [object(), None], ids=["without the function", "with it"])
def test_giving_memory_back_needs_no_certain_c_library(library: object, monkeypatch: pytest.MonkeyPatch) -> None:
    _malloc_trim.cache_clear()
    if library is not None:
        monkeypatch.setattr("ctypes.CDLL", lambda _name: library)
        assert _malloc_trim() is None
    give_back_free_memory()
    _malloc_trim.cache_clear()
