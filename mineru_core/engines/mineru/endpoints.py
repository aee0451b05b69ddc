"""One OpenAI-compatible server of the model: whether it is well, what it is asked, and what its answers mean."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import Any

import httpx
from mineru_vl_utils.vlm_client.base_client import DEFAULT_SYSTEM_PROMPT, RequestError, SamplingParams, ServerError
from mineru_vl_utils.vlm_client.http_client import HttpVlmClient

from mineru_core.engines.base import BreakerListener
from mineru_core.engines.mineru.requests import BlockEnd, BlockOutput
from mineru_core.errors import InvalidSetting
from mineru_core.runtime.circuit_breaker import BreakerState, CircuitBreaker
from mineru_core.settings import MineruServerSettings

MAX_ANSWER_BYTES = 32_000_000
"""An answer larger than this is none: the longest text a block may have, with its log probabilities, is a tenth."""

BUSY_PAUSE_S = 1.0
"""How long a server that says it is busy, and not until when, is left alone."""

HEALTH_S = 5.0
"""Seconds a server may take to say that it is well."""

_ENDS = frozenset({"<|im_end|>", "<|endoftext|>"})

_log = logging.getLogger(__name__)


class Fault(StrEnum):
    """What went wrong with a request, by what is to be done about it."""

    UNREACHABLE = "unreachable"
    """No connection, broken off, or no answer in time: another server, or later."""
    BROKEN = "broken"
    """An error of the server's own, or an answer out of form: another server, or later; perhaps it is the block."""
    BUSY = "busy"
    """Later, as it says."""
    DENIED = "denied"
    """This server will not do as it is set up (key, model, address): another server."""
    BLOCK = "block"
    """This block is refused, wherever it is sent."""


class ServerFault(Exception):
    """A request that failed. ``message`` holds nothing of the answer's text."""

    def __init__(self, fault: Fault, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.fault, self.message, self.retry_after_s = fault, message, retry_after_s


class Payload:
    """The body of one block's request; made once, however often it is sent. ``png`` is the picture's file."""

    def __init__(self, png: bytes, prompt: str, params: SamplingParams | None) -> None:
        self._png, self._prompt, self._params = png, prompt, params
        self._made: dict[bool, bytes] = {}

    def encoded(self, wire: HttpVlmClient, scores: bool) -> bytes:
        """JSON in the form of mineru-vl-utils, asking for log probabilities if ``scores``."""
        if scores not in self._made:
            body: dict[str, Any] = wire.build_request_body(
                system_prompt=DEFAULT_SYSTEM_PROMPT,
                image=[self._png],
                prompt=self._prompt,
                sampling_params=self._params,
                image_format=None,
                priority=None,
            )
            self._made[scores] = json.dumps({**body, "logprobs": True} if scores else body).encode()
        return self._made[scores]


class Endpoint:
    """A server, used on one event loop. ``in_flight`` blocks are on their way to it.

    It is asked how it is before the first block and after its breaker was open; which model it has is asked with it,
    so that a server that comes back with another model is not taken for what it was.
    """

    def __init__(self, url: str, settings: MineruServerSettings, on_state: BreakerListener | None = None) -> None:
        self._settings = settings
        address = httpx.URL(url) if url.startswith(("http://", "https://")) else None
        if address is None or not address.host:
            raise InvalidSetting(
                f"mineru_server.urls: {url!r} is no address.", "Give addresses such as http://127.0.0.1:8000."
            )
        self.name = f"{address.host}:{address.port}" if address.port else address.host
        self.wire = HttpVlmClient(
            model_name="unknown",  # until the server was asked
            server_url=url,
            allow_truncated_content=True,
            use_tqdm=False,
            skip_model_name_checking=True,
        )
        self.breaker = CircuitBreaker(
            settings.breaker_failures,
            settings.breaker_open_s,
            on_change=self._changed,
        )
        self._on_state = on_state
        self.in_flight = 0
        self.paused_until = 0.0
        self.well = False
        self._scores: bool | None = None  # whether it tells log probabilities; None: not known yet
        self._checking = asyncio.Lock()

    def _changed(self, state: BreakerState) -> None:
        level = logging.WARNING if state is BreakerState.OPEN else logging.INFO
        _log.log(level, "the circuit breaker of %s is %s", self.name, state)
        if self._on_state is not None:
            self._on_state(self.name, state)

    @property
    def pause_s(self) -> float:
        """Seconds it is still to be left alone because it said that it is busy."""
        return max(0.0, self.paused_until - time.monotonic())

    def pause(self, fault: ServerFault) -> None:
        """Leave it alone for as long as it asked for."""
        seconds = BUSY_PAUSE_S if fault.retry_after_s is None else fault.retry_after_s
        self.paused_until = max(self.paused_until, time.monotonic() + seconds)

    async def ensure_well(self, http: httpx.AsyncClient, model: str | None) -> str:
        """The name of its model, which is ``model`` unless that is None; asks only if it is not known to be well.

        Raises ``ServerFault``.
        """
        async with self._checking:
            if not self.well or (model is not None and self.wire.model_name != model):
                self.wire.model_name = await self._ask(http, model)
                self.well = True
            return self.wire.model_name

    async def _ask(self, http: httpx.AsyncClient, model: str | None) -> str:
        health = await self._send(http.build_request("GET", f"{self.wire.server_url}/health"), http, HEALTH_S)
        if health.status_code != 404:  # not every server has it
            self._raise_for_status(health)
        answer = await self._send(http.build_request("GET", self.wire.models_url), http, HEALTH_S)
        self._raise_for_status(answer)
        try:
            names = [str(entry["id"]) for entry in answer.json()["data"]]
        except (ValueError, TypeError, KeyError) as error:
            raise ServerFault(Fault.BROKEN, f"{self.name} does not list its models as it should") from error
        if model is not None and model not in names:
            raise ServerFault(Fault.DENIED, f"{self.name} does not have the model {model}")
        if model is None and len(names) != 1:
            raise ServerFault(Fault.DENIED, f"{self.name} has {len(names)} models, and mineru_server.model is not set")
        return model if model is not None else names[0]

    async def read(self, http: httpx.AsyncClient, payload: Payload) -> BlockOutput:
        """Have one block read. Raises ``ServerFault``."""
        try:
            output = await self._read(http, payload, scores=self._scores is not False)
        except ServerFault as fault:
            if fault.fault is not Fault.BLOCK or self._scores is not None:
                raise
            # Some servers refuse the wish for log probabilities; if it was that, they are not asked for again.
            output = await self._read(http, payload, scores=False)
            self._scores = False
            return output
        self._scores = self._scores is not False
        return output

    async def _read(self, http: httpx.AsyncClient, payload: Payload, scores: bool) -> BlockOutput:
        content = await asyncio.to_thread(payload.encoded, self.wire, scores)
        request = http.build_request(
            "POST", self.wire.chat_url, content=content, headers={"Content-Type": "application/json"}
        )
        answer = await self._send(request, http, self._settings.timeout_s)
        self._raise_for_status(answer)
        try:
            data = self.wire.get_response_data(answer)
            text = self.wire.get_response_content(data)
            choice = data["choices"][0]
            ids, logprobs, pieces = _scores_of(choice)
        except (ServerError, RequestError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise ServerFault(Fault.BROKEN, f"{self.name} gave an answer out of form") from error
        end = BlockEnd.CAP if choice["finish_reason"] == "length" else BlockEnd.COMPLETE
        return BlockOutput(text, ids, logprobs, end, pieces)

    async def _send(self, request: httpx.Request, http: httpx.AsyncClient, seconds: float) -> httpx.Response:
        """The whole answer, within ``seconds``."""
        if self._settings.api_key is not None:
            request.headers["Authorization"] = f"Bearer {self._settings.api_key.get_secret_value()}"
        try:
            async with asyncio.timeout(seconds):
                answer = await http.send(request, stream=True)
                try:
                    content = bytearray()
                    async for piece in answer.aiter_bytes():
                        content += piece
                        if len(content) > MAX_ANSWER_BYTES:
                            raise ServerFault(Fault.BROKEN, f"{self.name} does not come to an end")
                finally:
                    await answer.aclose()
        except (TimeoutError, httpx.TimeoutException) as error:
            raise ServerFault(Fault.UNREACHABLE, f"{self.name} does not answer in time") from error
        except httpx.ConnectError as error:
            raise ServerFault(Fault.UNREACHABLE, f"{self.name} cannot be reached") from error
        except httpx.TransportError as error:
            raise ServerFault(Fault.UNREACHABLE, f"{self.name} broke off") from error
        except httpx.DecodingError as error:
            raise ServerFault(Fault.BROKEN, f"{self.name} gave an answer out of form") from error
        headers = {name: answer.headers[name] for name in ("Content-Type", "Retry-After") if name in answer.headers}
        return httpx.Response(answer.status_code, headers=headers, content=bytes(content), request=request)

    def _raise_for_status(self, answer: httpx.Response) -> None:
        status = answer.status_code
        if status == 200:
            return
        message = f"{self.name} answers with status {status}"
        retry_after_s = _retry_after_s(answer.headers.get("Retry-After"))
        if status == 429 or (status == 503 and retry_after_s is not None):
            raise ServerFault(Fault.BUSY, message, retry_after_s)
        if status in (502, 503, 504):  # a gateway speaks for a server that is not there, or not yet
            raise ServerFault(Fault.UNREACHABLE, message)
        if status >= 500:
            raise ServerFault(Fault.BROKEN, message)
        raise ServerFault(Fault.BLOCK if status in (400, 413, 422) else Fault.DENIED, message)


def _scores_of(choice: dict[str, Any]) -> tuple[tuple[int, ...], tuple[float, ...], tuple[str, ...]]:
    """Token ids, log probabilities and names of the tokens, each empty where the server does not tell them."""
    content = [
        token
        for token in (choice.get("logprobs") or {}).get("content") or ()
        if token.get("token") not in _ENDS  # told by some servers, and no part of the text
    ]
    logprobs = tuple(min(0.0, float(token["logprob"])) for token in content)
    ids = tuple(int(number) for number in choice.get("token_ids") or ())
    pieces = tuple(str(token.get("token", "")) for token in content)
    return (ids if len(ids) == len(logprobs) else ()), logprobs, pieces


def _retry_after_s(value: str | None) -> float | None:
    """Seconds of a Retry-After header, which is a number of seconds or a date; None where there is none to be read."""
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None
