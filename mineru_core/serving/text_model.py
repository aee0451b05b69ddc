"""A text model on an OpenAI-compatible server: one question at a time, an answer or a typed error.

Requests run on one event loop in a thread of its own, so that a cancel ends them wherever they are.
"""

from __future__ import annotations

import asyncio
import json
import random
import threading
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import CancelledError, Future
from typing import Any

import httpx

from mineru_core.errors import InvalidSetting, TextModelUnavailable
from mineru_core.runtime.circuit_breaker import BreakerState, CircuitBreaker
from mineru_core.runtime.context import RunContext
from mineru_core.runtime.loop_thread import LoopThread
from mineru_core.settings import TextModelSettings

ATTEMPTS = 3
BACKOFF_S, LONGEST_PAUSE_S = 0.25, 10.0
"""A failed try is followed by a random pause below this, doubled with every try; a busy server says itself how long,
and where that is longer than the longest it is not waited for."""

BREAKER_FAILURES, BREAKER_OPEN_S = 3, 30.0
CONNECT_S = 5.0
MAX_REPLY_BYTES = 1_000_000
MAX_TOKENS = 800

_LOOK_S = 0.1
_BUSY, _REFUSED = 429, frozenset({400, 413, 422})

StateListener = Callable[[str, BreakerState], None]


class _Fault(Exception):
    """A try that failed. ``again``: another may go well. ``counts``: it says something against the server.
    ``message`` holds nothing of the reply's text."""

    def __init__(self, message: str, *, again: bool = True, counts: bool = True, pause_s: float | None = None) -> None:
        super().__init__(message)
        self.message, self.again, self.counts, self.pause_s = message, again, counts, pause_s


class TextModel:
    """The model that the settings name; safe to use from many threads. ``on_state`` is told the server's name and the
    state of its breaker. Raises ``InvalidSetting`` where the address is none, or no model is named."""

    def __init__(self, settings: TextModelSettings, on_state: StateListener | None = None) -> None:
        url = settings.url or ""
        address = httpx.URL(url) if url.startswith(("http://", "https://")) else None
        if address is None or not address.host:
            raise InvalidSetting(
                f"text_model.url: {url!r} is no address.", "Give one such as http://127.0.0.1:8000/v1."
            )
        if not settings.model:
            raise InvalidSetting(
                "text_model.model is not set.", "Name the model that the server at text_model.url has."
            )
        self.name = settings.model
        self._settings, self._url = settings, url.rstrip("/")
        self._host = f"{address.host}:{address.port}" if address.port else address.host
        self._breaker = CircuitBreaker(
            BREAKER_FAILURES,
            BREAKER_OPEN_S,
            on_change=None if on_state is None else lambda state: on_state(self._host, state),
        )
        self._lock = threading.Lock()
        self._loop: LoopThread | None = None
        self._http: httpx.AsyncClient | None = None
        self._closed = False

    @property
    def fingerprint(self) -> str:
        """The model and where it is: which weights the name stands for, servers do not tell."""
        return f"{self.name}@{self._url}"

    def ask(self, messages: Sequence[dict[str, str]], ctx: RunContext) -> str:
        """What the model says to the messages, within ``text_model.timeout_s`` over all tries.

        Raises ``TextModelUnavailable``, and ``Cancelled`` or ``DeadlineExceeded`` by ``ctx``.
        """
        ctx.check()
        body = {"model": self.name, "messages": list(messages), "temperature": 0, "max_tokens": MAX_TOKENS}
        future = self._submit(self._answer(json.dumps(body).encode()))
        try:
            while True:
                try:
                    return future.result(timeout=_LOOK_S)
                except TimeoutError:
                    if future.done():  # the work's own, which is its answer
                        raise
                    ctx.check()
        except CancelledError as error:
            raise TextModelUnavailable("The text model was closed.") from error
        finally:
            future.cancel()

    def close(self) -> None:
        """End all questions; those who wait get ``TextModelUnavailable``. Calling it again does nothing."""
        with self._lock:
            loop, self._loop, self._closed = self._loop, None, True
        if loop is not None:
            loop.submit(self._aclose()).result()
            loop.close()

    def _submit(self, work: Coroutine[Any, Any, str]) -> Future[str]:
        with self._lock:
            if self._closed:
                work.close()
                raise TextModelUnavailable("The text model was closed.")
            if self._loop is None:
                self._loop = LoopThread("text-model")
            return self._loop.submit(work)

    async def _aclose(self) -> None:
        if self._http is not None:
            await self._http.aclose()

    async def _answer(self, body: bytes) -> str:
        until = asyncio.get_running_loop().time() + self._settings.timeout_s
        for attempt in range(1, ATTEMPTS + 1):
            permit = self._breaker.acquire()
            if permit is None:
                raise TextModelUnavailable(f"{self._host} keeps failing and is left alone for a while.")
            with permit:
                try:
                    text = await self._once(body, until)
                except _Fault as fault:
                    if fault.counts:
                        permit.failed()
                    failed = fault
                else:
                    permit.succeeded()
                    return text
            pause = random.uniform(0, BACKOFF_S * 2**attempt) if failed.pause_s is None else failed.pause_s
            left = until - asyncio.get_running_loop().time()
            if not failed.again or attempt == ATTEMPTS or pause > min(LONGEST_PAUSE_S, left):
                break
            await asyncio.sleep(pause)
        raise TextModelUnavailable(f"{failed.message}.")

    async def _once(self, body: bytes, until: float) -> str:
        try:
            async with asyncio.timeout_at(until):
                answer = await self._send(body)
        except TimeoutError as error:
            raise _Fault(f"{self._host} does not answer in time", again=False) from error
        status = answer.status_code
        if status == _BUSY:
            raise _Fault(f"{self._host} is busy", counts=False, pause_s=_seconds(answer.headers.get("Retry-After")))
        if status != 200:
            again = status >= 500
            raise _Fault(f"{self._host} answers with status {status}", again=again, counts=status not in _REFUSED)
        try:
            text = json.loads(answer.content)["choices"][0]["message"]["content"]
        except (ValueError, TypeError, KeyError, IndexError) as error:
            raise _Fault(f"{self._host} gave an answer out of form") from error
        if not isinstance(text, str):
            raise _Fault(f"{self._host} gave an answer out of form")
        return text

    async def _send(self, body: bytes) -> httpx.Response:
        """The whole answer, bounded."""
        if self._http is None:
            seconds = self._settings.timeout_s
            self._http = httpx.AsyncClient(timeout=httpx.Timeout(seconds, connect=min(CONNECT_S, seconds), pool=None))
        headers = {"Content-Type": "application/json"}
        if self._settings.api_key is not None:
            headers["Authorization"] = f"Bearer {self._settings.api_key.get_secret_value()}"
        request = self._http.build_request("POST", f"{self._url}/chat/completions", content=body, headers=headers)
        try:
            answer = await self._http.send(request, stream=True)
            try:
                content = bytearray()
                async for piece in answer.aiter_bytes():
                    content += piece
                    if len(content) > MAX_REPLY_BYTES:
                        raise _Fault(f"{self._host} does not come to an end")
            finally:
                await answer.aclose()
        except httpx.TimeoutException as error:
            raise _Fault(f"{self._host} does not answer in time") from error
        except httpx.ConnectError as error:
            raise _Fault(f"{self._host} cannot be reached") from error
        except httpx.TransportError as error:
            raise _Fault(f"{self._host} broke off") from error
        except httpx.DecodingError as error:
            raise _Fault(f"{self._host} gave an answer out of form") from error
        retry = {name: answer.headers[name] for name in ("Retry-After",) if name in answer.headers}
        return httpx.Response(answer.status_code, headers=retry, content=bytes(content), request=request)


def _seconds(value: str | None) -> float | None:
    """Seconds of a Retry-After header that is a number; None for one that is not, or not there."""
    try:
        return None if value is None else max(0.0, float(value))
    except ValueError:
        return None
