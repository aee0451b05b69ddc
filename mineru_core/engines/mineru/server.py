"""The MinerU2.5 model on OpenAI-compatible servers: several of them, of which some may be slow, wrong or gone.

Requests run on one event loop in a thread of its own, so that a cancel ends them wherever they are; callers wait in
their own threads.
"""

from __future__ import annotations

import asyncio
import random
import re
import threading
from collections.abc import Coroutine, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import replace
from io import BytesIO
from math import ceil
from typing import Any, TypeVar

import httpx
from mineru_vl_utils.vlm_client.base_client import ImageType, SamplingParams, VlmClient
from PIL import Image

from mineru_core.engines.base import BatchListener, BreakerListener, LoadListener
from mineru_core.engines.mineru.checkpoint import LAYOUT_SIZE
from mineru_core.engines.mineru.endpoint_pool import CHECK_SERVERS, EndpointPool
from mineru_core.engines.mineru.endpoints import Endpoint, Fault, Payload, ServerFault
from mineru_core.engines.mineru.limits import Limits, is_layout_prompt
from mineru_core.engines.mineru.requests import BlockEnd, BlockOutput, BlockScore
from mineru_core.engines.mineru.scored_client import ScoredClient
from mineru_core.errors import EngineFailed, EngineUnavailable, InvalidSetting, Overloaded
from mineru_core.runtime.context import RunContext
from mineru_core.runtime.loop_thread import LoopThread
from mineru_core.settings import MineruServerSettings

T = TypeVar("T")

MOST_VISUAL_TOKENS = 2048
_TOKEN_EDGE = 28
"""Pixels of a visual token's edge, and how many there are at most, by the model's contract."""

BACKOFF_S, LONGEST_BACKOFF_S = 0.25, 8.0
"""A block that every server has failed waits a random time below this, doubled with every try, up to the longest."""

_LOOK_S = 0.1
"""How often somebody who waits for an answer looks whether it is still wanted."""

_PRO = re.compile(r"(?<![a-z])pro(?![a-z])", re.IGNORECASE)


class ServerBackend:
    """A ``Backend`` (see ``requests.py``) whose model is on servers; safe to use from many threads.

    ``layout_size`` is the size in pixels that the model was trained to see pages at, ``on_state`` is told whenever a
    server is taken out, tried, or back. Raises ``InvalidSetting`` where no address is set, or one is none.
    """

    def __init__(
        self,
        settings: MineruServerSettings,
        *,
        layout_size: tuple[int, int] = LAYOUT_SIZE,
        max_new_tokens: int | None = None,
        on_state: BreakerListener | None = None,
    ) -> None:
        if not settings.urls:
            raise InvalidSetting("mineru_server.urls is empty.", "Set it to the address of a server of the model.")
        self._settings, self._layout_size = settings, layout_size
        self._limits = Limits() if max_new_tokens is None else Limits(most=max_new_tokens)
        self._pool = EndpointPool([Endpoint(url, settings, on_state) for url in settings.urls], settings.concurrency)
        self._model = settings.model
        self._lock = threading.Lock()
        self._loop: LoopThread | None = None
        self._http: httpx.AsyncClient | None = None
        self._closed = False

    @property
    def model(self) -> str:
        """The model's name at the servers; if it is not set they are asked. Raises ``EngineUnavailable``."""
        if self._model is None:
            self.load()
        assert self._model is not None  # load has it, or raises
        return self._model

    @property
    def fingerprint(self) -> str:
        """The model's name, the servers that have it, and what it is asked with. Raises ``EngineUnavailable``.

        Servers do not tell which weights a name stands for: new ones need a name of their own.
        """
        servers = ",".join(sorted(self._settings.urls))
        width, height = self._layout_size
        return f"{self.model}@{servers};layout={width}x{height};tokens={self._limits.most}"

    @property
    def layout_size(self) -> tuple[int, int]:
        """Width and height in pixels that a page is brought to for the layout step."""
        return self._layout_size

    @property
    def analyses_images(self) -> bool:
        """Whether the model is one of the Pro models, by its name. Raises ``EngineUnavailable``."""
        return _PRO.search(self.model) is not None

    def load(self, progress: LoadListener | None = None) -> None:
        """Ask every server how it is; one that is well is enough. Raises ``EngineUnavailable``."""
        if progress is not None:
            progress("servers", 0.0)
        self._wait(self.submit(self._find()), None)
        if progress is not None:
            progress("servers", 1.0)

    def close(self) -> None:
        """End all requests; those who wait for them get ``EngineUnavailable``."""
        with self._lock:
            loop, self._loop, self._closed = self._loop, None, True
        if loop is not None:
            loop.submit(self._aclose()).result()
            loop.close()

    def client(self, ctx: RunContext) -> VlmClient:
        """A client for one page; ``ctx`` ends its requests."""
        return _ServerClient(self, ctx)

    def listen(self, on_batch: BatchListener | None) -> None:
        """Does nothing: which blocks share a call is the server's own affair."""

    def read(
        self,
        images: Sequence[ImageType],
        prompts: Sequence[str],
        params: Sequence[SamplingParams | None],
        ctx: RunContext,
    ) -> list[BlockScore]:
        """Have pictures read, all at once as far as places go. Raises as ``Backend.client`` says."""
        ctx.check()
        asked = zip(images, prompts, params, strict=True)
        blocks = [_Block(image, prompt, chosen, self._limits) for image, prompt, chosen in asked]
        return self._wait(self.submit(self._read_all(blocks, ctx.owner)), ctx)

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Run it on the loop, which starts with the first. Raises ``EngineUnavailable`` where it was closed."""
        with self._lock:
            if self._closed:
                work.close()
                raise EngineUnavailable("The engine was closed.", "Make a new one.")
            if self._loop is None:
                self._loop = LoopThread("mineru-server")
            return self._loop.submit(work)

    def _wait(self, future: Future[T], ctx: RunContext | None) -> T:
        try:
            while True:
                try:
                    return future.result(timeout=_LOOK_S)
                except TimeoutError:
                    if future.done():  # the work's own, which is its answer
                        raise
                    if ctx is not None:
                        ctx.check()
        except CancelledError as error:
            raise EngineUnavailable("The engine was closed.", "Make a new one.") from error
        finally:
            future.cancel()

    async def _client(self) -> httpx.AsyncClient:
        if self._http is None:
            self._http = httpx.AsyncClient(
                timeout=httpx.Timeout(self._settings.timeout_s, connect=self._settings.connect_timeout_s, pool=None),
                limits=httpx.Limits(max_connections=None, max_keepalive_connections=self._settings.concurrency),
            )
        return self._http

    async def _aclose(self) -> None:
        if self._http is not None:
            await self._http.aclose()
        for endpoint in self._pool.endpoints:
            await endpoint.wire.aclose()

    async def _find(self) -> None:
        """Ask all servers; the model is that of the first, in the order of the settings, that is well."""
        http = await self._client()
        endpoints = self._pool.endpoints
        found = await asyncio.gather(
            *(endpoint.ensure_well(http, self._model) for endpoint in endpoints), return_exceptions=True
        )
        for endpoint, name in zip(endpoints, found, strict=True):
            if isinstance(name, ServerFault):
                self._pool.note(endpoint, name)
            elif isinstance(name, BaseException):
                raise name
            elif self._model is None:
                self._model = name
        if all(isinstance(name, ServerFault) for name in found):
            raise self._pool.refusal()

    async def _read_all(self, blocks: Sequence[_Block], owner: str) -> list[BlockScore]:
        tasks = [asyncio.ensure_future(self._read_one(block, owner)) for block in blocks]
        try:
            return list(await asyncio.gather(*tasks))
        finally:
            for task in tasks:
                task.cancel()

    async def _read_one(self, block: _Block, owner: str) -> BlockScore:
        """One block, tried at one server after the other; what concerns it alone is its score's error."""
        http = await self._client()
        payload: Payload | None = None
        failed_at: dict[Endpoint, ServerFault] = {}
        for attempt in range(1, self._settings.attempts + 1):
            with await self._pool.lease(owner, urgent=block.urgent, avoid=frozenset(failed_at)) as lease:
                endpoint = lease.endpoint
                try:
                    await endpoint.ensure_well(http, self._model)
                    if payload is None:  # made only now, so that few are in memory at once
                        payload = await asyncio.to_thread(block.payload)
                    output = await endpoint.read(http, payload)
                except ServerFault as fault:
                    lease.failed(fault, again=endpoint in failed_at)
                    failed_at[endpoint] = fault
                else:
                    lease.succeeded()
                    return BlockScore.of(without_loop(output, block.prompt, self._limits))
            if failed_at[endpoint].fault is Fault.BLOCK:
                break
            if attempt < self._settings.attempts and len(failed_at) == len(self._pool.endpoints):
                most = min(LONGEST_BACKOFF_S, BACKOFF_S * 2**attempt)
                await asyncio.sleep(random.uniform(0, most))  # full jitter: blocks that failed together come apart
        return self._given_up(failed_at[endpoint])

    def _given_up(self, fault: ServerFault) -> BlockScore:
        """A block that nobody could read: a failure of its own, or raised, where it is the servers that fail."""
        if fault.fault in (Fault.BLOCK, Fault.BROKEN):
            return BlockScore.failed(EngineFailed(f"A block could not be read: {fault.message}."))
        if fault.fault is Fault.BUSY:
            raise Overloaded(f"The servers of the model are busy: {fault.message}.", retry_after_s=fault.retry_after_s)
        raise EngineUnavailable(f"The servers of the model fail: {fault.message}.", CHECK_SERVERS)


class _Block:
    """One picture and its prompt, not encoded yet."""

    def __init__(self, image: ImageType, prompt: str, params: SamplingParams | None, limits: Limits) -> None:
        if not isinstance(image, Image.Image | bytes):
            raise TypeError("a block is one picture, or the bytes of its file")
        self._image, self.prompt = image, prompt
        params = params or SamplingParams()
        most = limits.cap(prompt, visual_tokens(image), params.max_new_tokens)
        self._params = replace(params, max_new_tokens=most)
        self.urgent = is_layout_prompt(prompt)

    def payload(self) -> Payload:
        """The picture as a file, with the rest."""
        image = self._image
        if not isinstance(image, bytes):
            with BytesIO() as file:
                image.save(file, "PNG", compress_level=1)  # the way is short, and time is dearer than bytes
                image = file.getvalue()
        return Payload(image, self.prompt, self._params)


def visual_tokens(image: Image.Image | bytes) -> int:
    """About how many tokens the picture becomes; the server's own processor has the last word."""
    if isinstance(image, bytes):
        with Image.open(BytesIO(image)) as opened:
            width, height = opened.size
    else:
        width, height = image.size
    return min(MOST_VISUAL_TOKENS, ceil(width / _TOKEN_EDGE) * ceil(height / _TOKEN_EDGE))


def without_loop(output: BlockOutput, prompt: str, limits: Limits) -> BlockOutput:
    """The output up to where it begins to go round in circles, which a server does not watch for; else as it is.

    It can be told where a server names the tokens, and cut where these make up the text.
    """
    guard = limits.guard(prompt)
    if guard is None or len(output.pieces) != len(output.logprobs):
        return output
    numbers: dict[str, int] = {}
    ids: list[int] = []
    for count, piece in enumerate(output.pieces, start=1):
        ids.append(numbers.setdefault(piece, len(numbers)))
        repeated = guard.looped(ids)
        if repeated is None:
            continue
        kept = output.pieces[: count - repeated]
        if not output.text.startswith("".join(kept)):
            return replace(output, end=BlockEnd.REPETITION)
        return BlockOutput(
            "".join(kept), output.token_ids[: len(kept)], output.logprobs[: len(kept)], BlockEnd.REPETITION, kept
        )
    return output


class _ServerClient(ScoredClient):
    """Reads for one page at the servers of ``backend``."""

    def __init__(self, backend: ServerBackend, ctx: RunContext) -> None:
        super().__init__(ctx)
        self._backend = backend

    def read(
        self, images: Sequence[ImageType], prompts: Sequence[str], params: Sequence[SamplingParams | None]
    ) -> list[BlockScore]:
        """The pictures, in order; what concerns all of them is raised."""
        return self._backend.read(images, prompts, params, self._ctx)
