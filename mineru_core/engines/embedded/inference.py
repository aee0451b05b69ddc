"""A compiled OpenVINO model with a pool of requests: a request serves one call at a time and is never shared."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
from numpy.typing import NDArray

from mineru_core.errors import EngineFailed, EngineUnavailable, ModelMissing
from mineru_core.runtime.context import RunContext
from mineru_core.runtime.turns import Turns
from mineru_core.settings import available_cores

WAIT_SLICE_S = 0.1
"""How often a call that waits for a free request looks whether it is still wanted, seconds."""

KERNELS_KEPT = 2000
"""Prepared kernels a model keeps unless told otherwise, the least recently used going first. They are kept for each
input shape it has seen, so this bounds the memory of many shapes."""


@cache
def _core() -> ov.Core:
    return ov.Core()


def read_model(path: Path) -> ov.Model:
    """The graph of an .onnx file. Raises ``ModelMissing`` where OpenVINO cannot parse it."""
    try:
        return _core().read_model(str(path))
    except RuntimeError as error:
        raise ModelMissing(f"The model file {path.name} cannot be read.") from error


class CompiledModel:
    """A model made ready for the CPU, called from any number of threads.

    ``requests`` calls run at once, each on an equal share of the cores; further ones wait, owners in turn. The
    precision is always 32-bit float: without matrix units (AMX) 16-bit kernels were measured slower on this kind of
    network, and one precision everywhere keeps results the same from machine to machine. ``kernels_kept`` is 0 for a
    model that sees ever new shapes: those of the last shape stay ready all the same.

    Every call hands its batch over in one way, by sharing its memory, and requests live as long as the model. Both
    matter: where a request was first given a batch by copy and then one by sharing, and went out of use while the
    model was called on, the runtime (OpenVINO 2026.4, two streams) wrote to memory it no longer owned.
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
        self._pool = _Pool([compiled.create_infer_request() for _ in range(requests)])

    def infer(self, batch: NDArray[Any], ctx: RunContext) -> tuple[NDArray[Any], ...]:
        """Run one batch; the outputs are copies, in the order of the model's outputs.

        Raises ``Cancelled`` or ``DeadlineExceeded`` while waiting, ``EngineFailed`` where the model breaks.
        """
        with self._pool.request(ctx) as request:
            try:
                request.infer({0: batch}, share_inputs=True, share_outputs=True)
            except RuntimeError as error:
                raise EngineFailed("The model could not process a picture of this shape.") from error
            return tuple(np.array(tensor.data) for tensor in request.output_tensors)

    def close(self) -> None:
        """Free the requests that are idle, and the others as they end."""
        self._pool.close()


@dataclass(eq=False)
class _Ticket:
    """Somebody's wait for a request."""

    owner: str
    request: ov.InferRequest | None = None
    called: threading.Event = field(default_factory=threading.Event)


class _Pool:
    """Requests that are free, and who waits for one: owners in turn, each owner's calls in the order they came."""

    def __init__(self, requests: list[ov.InferRequest]) -> None:
        self._free = requests
        self._waiting: Turns[_Ticket] = Turns()
        self._lock = threading.Lock()
        self._closed = False

    @contextmanager
    def request(self, ctx: RunContext) -> Iterator[ov.InferRequest]:
        """A request for the length of the block. Raises what ``ctx`` says, and ``EngineUnavailable`` once closed."""
        request = self.take(ctx)
        try:
            yield request
        finally:
            self.give(request)

    def take(self, ctx: RunContext) -> ov.InferRequest:
        """A request, waited for until ``ctx`` ends."""
        ctx.check()
        ticket = _Ticket(ctx.owner)
        with self._lock:
            if self._closed:
                raise _closed()
            if self._free:
                return self._free.pop()
            self._waiting.add(ticket.owner, ticket)
        try:
            while not ticket.called.wait(WAIT_SLICE_S):
                ctx.check()
        except BaseException:
            self._leave(ticket)
            raise
        if ticket.request is None:
            raise _closed()
        return ticket.request

    def give(self, request: ov.InferRequest) -> None:
        """Hand a request to who is next, else put it back."""
        with self._lock:
            if self._closed:
                return
            ticket = self._waiting.next()
            if ticket is None:
                self._free.append(request)
                return
            ticket.request = request
        ticket.called.set()

    def close(self) -> None:
        """Free what is idle and send everybody away who waits."""
        with self._lock:
            self._closed = True
            self._free.clear()
            waiting = self._waiting.clear()
        for ticket in waiting:
            ticket.called.set()

    def _leave(self, ticket: _Ticket) -> None:
        """Give up a wait; a request that was handed over in the meantime goes to the next."""
        with self._lock:
            self._waiting.discard(ticket.owner, ticket)
        if ticket.request is not None:
            self.give(ticket.request)


def _closed() -> EngineUnavailable:
    return EngineUnavailable("The engine has been closed.", "Load it again.")
