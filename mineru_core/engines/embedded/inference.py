"""A compiled OpenVINO model with a pool of requests: a request serves one call at a time and is never shared."""

from __future__ import annotations

import ctypes
import queue
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
from numpy.typing import NDArray

from mineru_core.errors import EngineFailed, EngineUnavailable, ModelMissing
from mineru_core.runtime.context import RunContext
from mineru_core.settings import available_cores

WAIT_SLICE_S = 0.1
"""How often a call that waits for a free request looks whether it is still wanted, seconds."""

KERNELS_KEPT = 2000
"""Prepared kernels a model keeps unless told otherwise, the least recently used going first. They are kept for each
input shape it has seen, so this bounds the memory of many shapes."""


@cache
def _core() -> ov.Core:
    return ov.Core()


def give_back_free_memory() -> None:
    """Hand memory that was freed in pieces back to the system, where the C library can (glibc); about 1 ms.

    The runtime's buffers change size from page to page, and what is left between them adds up: over 200 mixed pages
    this kept the process 70 MB smaller and its growth in the second hundred below 3 %.
    """
    trim = _malloc_trim()
    if trim is not None:
        trim(0)


@cache
def _malloc_trim() -> Callable[[int], int] | None:
    try:
        trim: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
    except (OSError, TypeError, AttributeError):  # another C library, or another system
        return None
    return trim


def read_model(path: Path) -> ov.Model:
    """The graph of an .onnx file. Raises ``ModelMissing`` where OpenVINO cannot parse it."""
    try:
        return _core().read_model(str(path))
    except RuntimeError as error:
        raise ModelMissing(f"The model file {path.name} cannot be read.") from error


class CompiledModel:
    """A model made ready for the CPU, called from any number of threads.

    ``requests`` calls run at once, each on an equal share of the cores; further ones wait. The precision is always
    32-bit float: without matrix units (AMX) 16-bit kernels were measured slower on this kind of network, and one
    precision everywhere keeps results the same from machine to machine. ``kernels_kept`` is 0 for a model that sees
    ever new shapes: those of the last shape stay ready all the same.
    """

    def __init__(self, model: ov.Model, *, requests: int, kernels_kept: int = KERNELS_KEPT) -> None:
        config: dict[str, Any] = {
            "NUM_STREAMS": requests,
            "INFERENCE_NUM_THREADS": available_cores(),
            "INFERENCE_PRECISION_HINT": "f32",
            # Several models work by turns on the same cores: pinned threads would queue on some and leave others idle.
            "ENABLE_CPU_PINNING": False,
            "CPU_RUNTIME_CACHE_CAPACITY": kernels_kept,
        }
        compiled = _core().compile_model(model, "CPU", config)
        self._free: queue.LifoQueue[ov.InferRequest] = queue.LifoQueue()
        self._closed = False
        for _ in range(requests):
            self._free.put(compiled.create_infer_request())

    def infer(self, batch: NDArray[Any], ctx: RunContext) -> tuple[NDArray[Any], ...]:
        """Run one batch; the outputs are copies, in the order of the model's outputs.

        Raises ``Cancelled`` or ``DeadlineExceeded`` while waiting, ``EngineFailed`` where the model breaks.
        """
        with self._request(ctx) as request:
            try:
                request.infer({0: batch}, share_inputs=True, share_outputs=True)
            except RuntimeError as error:
                raise EngineFailed("The model could not process a picture of this shape.") from error
            return tuple(np.array(tensor.data) for tensor in request.output_tensors)

    def close(self) -> None:
        """Free the requests that are idle, and the others as they end."""
        self._closed = True
        while True:
            try:
                self._free.get_nowait()
            except queue.Empty:
                return

    @contextmanager
    def _request(self, ctx: RunContext) -> Iterator[ov.InferRequest]:
        request = self._take(ctx)
        try:
            yield request
        finally:
            if not self._closed:
                self._free.put(request)

    def _take(self, ctx: RunContext) -> ov.InferRequest:
        while not self._closed:
            ctx.check()
            try:
                return self._free.get(timeout=WAIT_SLICE_S)
            except queue.Empty:
                continue
        raise EngineUnavailable("The engine has been closed.", "Load it again.")
