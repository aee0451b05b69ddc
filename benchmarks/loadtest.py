"""How much the load test's generator adds to the times it measures, and how soon a run that is stopped ends.

    python -m benchmarks.loadtest [--rate 100] [--seconds 20] [--stops 5] [--quick] [--json FILE]

A server in a process of its own answers each document after 50 ms. The generator hands in ``--rate`` documents a second
at random moments, while a raw client, a socket and nothing around it, asks for the same one after the other. Both times
run to the last byte of the answer: the generator's from when a request was due, the raw client's from when it was sent.
``--json`` writes flat name → number: ``generator_p50_ms``, ``generator_p95_ms``, ``raw_p50_ms``, ``raw_p95_ms``,
``over_raw_p95_ms`` (the difference of the two p95), ``late_p95_ms`` (by how much requests went out after they were
due), ``rate_per_s`` (answers a second), ``generator_requests``, ``raw_requests``, ``errors``; ``stop_s`` and
``stop_worst_s``: median and worst time from the call of ``stop`` until the server has no request left, of ``--stops``
runs of 50 requests that would take a minute. ``--quick`` takes 3 seconds and one stop.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import socket
import statistics
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from benchmarks.figures import tell_figures
from benchmarks.server import served
from mineru_core.loadtest.exchange import FORM_TYPE, PARSE_PATH, multipart
from mineru_core.loadtest.figures import percentile
from mineru_core.loadtest.runner import LoadTest
from mineru_core.loadtest.scenario import ClosedLoop, Documents, Kind, Poisson, Scenario
from mineru_core.loadtest.supply import Request, draw
from mineru_core.loadtest.target import Target
from mineru_core.settings import load_settings

DELAY_S = 0.05
SLOW_S = 60.0
OPEN_AT_ONCE = 50
OPEN, SLOW = "/benchmark/open", "/benchmark/slow"
DOCUMENTS = Documents(kinds=(Kind.TABLE,), most=50)

Figures = dict[str, float]


class _Stub:
    """Answers every document with the same, after a while; knows how many have no answer yet."""

    def __init__(self) -> None:
        self.delay_s = DELAY_S
        self.open = 0

    def application(self) -> Starlette:
        """The server as an ASGI application."""
        return Starlette(
            routes=[
                Route("/readyz", self._ready),
                Route(OPEN, self._count),
                Route(SLOW, self._slow_down, methods=["POST"]),
                Route(PARSE_PATH, self._parse, methods=["POST"]),
            ]
        )

    async def _ready(self, _request: HttpRequest) -> Response:
        return JSONResponse({"status": "ready"})

    async def _count(self, _request: HttpRequest) -> Response:
        return JSONResponse(self.open)

    async def _slow_down(self, _request: HttpRequest) -> Response:
        self.delay_s = SLOW_S
        return JSONResponse(None)

    async def _parse(self, request: HttpRequest) -> Response:
        self.open += 1
        try:
            await request.body()
            gone = asyncio.create_task(_gone(request))
            await asyncio.wait([gone], timeout=self.delay_s)
            gone.cancel()
            return JSONResponse({"analysis": {"failures": []}})
        finally:
            self.open -= 1


async def _gone(request: HttpRequest) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


class RawClient:
    """Asks one request after the other over one connection, on a thread of its own, for the length of the block."""

    def __init__(self, url: str, body: bytes) -> None:
        parts = urlsplit(url)
        self._address = (str(parts.hostname), int(parts.port or 80))
        head = f"POST {PARSE_PATH} HTTP/1.1\r\nHost: {parts.netloc}\r\nContent-Type: {FORM_TYPE}\r\n"
        self._message = f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._ask, name="raw-client")
        self.times: list[float] = []

    def __enter__(self) -> RawClient:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()

    def _ask(self) -> None:
        with socket.create_connection(self._address) as line:
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while not self._end.is_set():
                started = time.perf_counter()
                line.sendall(self._message)
                _read_answer(line)
                self.times.append(time.perf_counter() - started)


def _read_answer(line: socket.socket) -> None:
    got = b""
    while b"\r\n\r\n" not in got:
        got += _more(line)
    head, _, body = got.partition(b"\r\n\r\n")
    length = next(int(one.split(b":")[1]) for one in head.split(b"\r\n") if one.lower().startswith(b"content-length"))
    while len(body) < length:
        body += _more(line)


def _more(line: socket.socket) -> bytes:
    found = line.recv(65536)
    if not found:
        raise ConnectionError("the server has closed the connection")
    return found


def beside_raw(rate: float, seconds: float) -> Figures:
    """Both at once, against one server."""
    scenario = Scenario(
        name="benchmark", arrivals=Poisson(rate_per_s=rate), seconds=seconds, in_flight=1000, documents=DOCUMENTS
    )
    document = draw(Kind.TABLE, random.Random(0), 0)
    with served(("benchmarks.loadtest", "--serve")) as (url, _):
        body = multipart(Request(document, "", "new"), asynchronous=False)
        with LoadTest(scenario, Target(url), load_settings()) as test:
            while test.progress().phase != "main" and test.is_running:
                time.sleep(0.05)  # another process has no event to wait for
            with RawClient(url, body) as raw:
                run = test.wait()
    found = run.figures
    return {
        "generator_p50_ms": 1000 * found["p50_s"],
        "generator_p95_ms": 1000 * found["p95_s"],
        "raw_p50_ms": 1000 * percentile(raw.times, 0.5),
        "raw_p95_ms": 1000 * percentile(raw.times, 0.95),
        "over_raw_p95_ms": 1000 * (found["p95_s"] - percentile(raw.times, 0.95)),
        "late_p95_ms": 1000 * found["late_p95_s"],
        "rate_per_s": found["throughput"],
        "generator_requests": found["requests"],
        "raw_requests": float(len(raw.times)),
        "errors": found["errors"],
    }


def stops(count: int) -> Figures:
    """How soon nothing is on its way any more, so many times."""
    scenario = Scenario(
        name="benchmark",
        arrivals=ClosedLoop(users=OPEN_AT_ONCE),
        seconds=SLOW_S,
        timeout_s=2 * SLOW_S,
        documents=DOCUMENTS,
    )
    times = []
    for _ in range(count):
        with served(("benchmarks.loadtest", "--serve")) as (url, _):
            times.append(_stop_once(scenario, url))
    return {"stop_s": statistics.median(times), "stop_worst_s": max(times)}


def _stop_once(scenario: Scenario, url: str) -> float:
    with (
        httpx.Client(base_url=url, trust_env=False) as client,
        LoadTest(scenario, Target(url), load_settings()) as test,
    ):
        while test.progress().phase != "warm-up":
            time.sleep(0.01)
        client.post(SLOW)  # whoever warmed up has an answer; all others wait
        while client.get(OPEN).json() < OPEN_AT_ONCE:
            time.sleep(0.05)
        started = time.perf_counter()
        test.stop()
        while client.get(OPEN).json():
            time.sleep(0.005)
        return time.perf_counter() - started


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, write. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.loadtest")
    parser.add_argument("--rate", type=float, default=100.0)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--stops", type=int, default=5)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.serve:
        uvicorn.run(_Stub().application(), host="127.0.0.1", port=options.port, log_level="error", access_log=False)
        return 0
    figures = beside_raw(options.rate, 3.0 if options.quick else options.seconds)
    figures |= stops(1 if options.quick else options.stops)
    tell_figures(figures, options.json)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
