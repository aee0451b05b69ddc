"""What the HTTP API costs on top of the engine, and what kept connections and asynchronous handlers are worth.

    python -m benchmarks.http [--clients N] [--seconds S] [--quick] [--json FILE]

One page that the cache knows is asked for again and again, of a server in a process of its own, so that nothing is
measured but the way there and back. ``--json`` writes flat name → number, times in milliseconds, rates in requests a
second: ``in_process_p50``, ``in_process_p95`` (``Analyzer.analyze`` in this process), ``api_p50``, ``api_p95`` (one
caller over a kept connection), ``api_overhead_p95`` (the difference of the two p95), ``client_p95`` (the same by
``mineru_core.client``: hand in, follow, fetch); with N callers at once (50) ``keepalive_qps``, ``keepalive_p95``,
``new_connection_qps``, ``new_connection_p95``, and, over kept connections, ``sync_qps`` and ``sync_p95`` of a server
whose handler is an ordinary function that waits in a thread (the load test's plain one). ``loop_lag_p99`` is by how
much the server's event loop wakes up late while 50 pictures of 5 MB are uploaded at once. ``--quick`` takes 3 seconds
for each.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import httpx
import numpy as np
import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

import mineru_core
from benchmarks.figures import tell_figures
from benchmarks.server import served
from mineru_core import Analyzer, load_settings
from mineru_core.api.server import create_api_server
from mineru_core.client import Client
from mineru_core.loadtest.exchange import PARSE_PATH

WORDS = "extract the tables"
LAG, LAG_STEP_S = "/benchmark/lag", 0.005
UPLOADS, UPLOAD_BYTES = 50, 5_000_000
PAGE = Path(mineru_core.__file__).parent / "ui" / "assets" / "sample.png"

Figures = dict[str, float]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; see the module's docstring."""
    options = _options(arguments)
    if options.serve:
        uvicorn.run(
            _LagMeter(create_api_server()), host="127.0.0.1", port=options.port, log_level="error", access_log=False
        )
        return 0
    seconds = 3.0 if options.quick else options.seconds
    page = PAGE.read_bytes()
    figures = _in_process(page, seconds)
    with _server("benchmarks.http", "--serve") as (url, _):
        figures |= _one_caller(url, page, seconds)
        figures["api_overhead_p95"] = figures["api_p95"] - figures["in_process_p95"]
        figures |= _client(url, page, seconds)
        figures |= asyncio.run(_loop_lag(url))
        figures |= asyncio.run(_many(url, page, options.clients, seconds, kept=True, name="keepalive"))
        figures |= asyncio.run(_many(url, page, options.clients, seconds, kept=False, name="new_connection"))
    with _server("mineru_core.loadtest.plain") as (url, _):
        figures |= asyncio.run(_many(url, page, options.clients, seconds, kept=True, name="sync"))
    tell_figures(figures, options.json)
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.http")
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, default=0, help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def _in_process(page: bytes, seconds: float) -> Figures:
    with tempfile.TemporaryDirectory() as home, Analyzer(load_settings(home=home, engine={"name": "echo"})) as analyzer:
        times = _timed(lambda: analyzer.analyze(analyzer.open(page, name="page.png"), WORDS), seconds)
    return _percentiles("in_process", times)


def _one_caller(url: str, page: bytes, seconds: float) -> Figures:
    with httpx.Client(base_url=url, timeout=60.0, trust_env=False) as client:

        def call() -> None:
            client.post(PARSE_PATH, files={"file": ("page.png", page)}, data={"instruction": WORDS}).raise_for_status()

        return _percentiles("api", _timed(call, seconds))


def _client(url: str, page: bytes, seconds: float) -> Figures:
    with Client(url) as client:
        times = _timed(lambda: client.analyze(page, WORDS, name="page.png"), seconds)
    return {"client_p95": _percentiles("client", times)["client_p95"]}


def _timed(call: Callable[[], object], seconds: float) -> list[float]:
    """Seconds of each call, over so many seconds; the first few, which warm everything up, are left out."""
    for _ in range(3):
        call()
    times: list[float] = []
    until = time.perf_counter() + seconds
    while (started := time.perf_counter()) < until:
        call()
        times.append(time.perf_counter() - started)
    return times


async def _many(url: str, page: bytes, clients: int, seconds: float, *, kept: bool, name: str) -> Figures:
    """Rate and p95 with so many callers at once, each with a client of its own that keeps its connection or makes one
    for each request. (Callers who share one pool of httpx's spend most of their time looking through it.)"""
    limits = httpx.Limits(max_connections=1, max_keepalive_connections=int(kept))
    verified = httpx.create_ssl_context()  # made once: it is not needed, and takes longer than a request
    times: list[float] = []

    async def call(client: httpx.AsyncClient) -> None:
        # A busy server's refusal is waited out: what is measured is the way, not the refusals.
        while True:
            answer = await client.post(PARSE_PATH, files={"file": ("page.png", page)}, data={"instruction": WORDS})
            if answer.status_code != 429:
                answer.raise_for_status()
                return
            await asyncio.sleep(0.05)

    async def caller(until: float) -> None:
        async with httpx.AsyncClient(
            base_url=url, timeout=120.0, limits=limits, trust_env=False, verify=verified
        ) as client:
            while (started := time.perf_counter()) < until:
                await call(client)
                times.append(time.perf_counter() - started)

    began = time.perf_counter()
    await asyncio.gather(*(caller(began + seconds) for _ in range(clients)))
    took = time.perf_counter() - began
    return {f"{name}_qps": len(times) / took, f"{name}_p95": _percentiles(name, times)[f"{name}_p95"]}


async def _loop_lag(url: str) -> Figures:
    """p99 of how late the server's event loop is while it takes uploads."""
    noise = np.random.default_rng(0).integers(0, 256, (UPLOADS, UPLOAD_BYTES), dtype=np.uint8)
    async with httpx.AsyncClient(base_url=url, timeout=120.0, trust_env=False) as client:
        await client.get(LAG)  # measured from here on

        async def upload(number: int) -> None:
            # What comes after the end of a PNG is no part of the picture: 5 MB travel, and little is decoded.
            files = {"file": ("page.png", PAGE.read_bytes() + noise[number].tobytes())}
            await client.post(PARSE_PATH, files=files, data={"async": "true"})

        await asyncio.gather(*(upload(number) for number in range(UPLOADS)))
        return {"loop_lag_p99": float((await client.get(LAG)).text)}


class _LagMeter:
    """Serves ``app``, and at ``LAG`` the p99 of how late the event loop has been since it was asked before."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._late: list[float] = []
        self._task: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] != LAG:
            await self._app(scope, receive, send)
            return
        if self._task is None:
            self._task = asyncio.create_task(self._measure())
        p99 = float(np.percentile(np.array(self._late or [0.0]) * 1000, 99))
        self._late.clear()
        await PlainTextResponse(str(p99))(scope, receive, send)

    async def _measure(self) -> None:
        while True:
            due = time.perf_counter() + LAG_STEP_S
            await asyncio.sleep(LAG_STEP_S)
            self._late.append(max(0.0, time.perf_counter() - due))


def _percentiles(name: str, times: Sequence[float]) -> Figures:
    p50, p95 = np.percentile(np.array(times) * 1000, [50, 95])
    return {f"{name}_p50": float(p50), f"{name}_p95": float(p95)}


def _server(*module: str) -> AbstractContextManager[tuple[str, int]]:
    """A server in a process of its own, with the echo engine."""
    return served(module, ENGINE__NAME="echo", JOBS__WAITING_PLACES="256")


if __name__ == "__main__":
    raise SystemExit(main())
