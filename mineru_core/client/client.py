"""``Client`` and ``AsyncClient``: the same calls, carried out in the caller's thread or in its event loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

import httpx

from mineru_core.client.edge import EdgeSide
from mineru_core.client.flows import Flows, Wishes
from mineru_core.client.steps import Fetch, Flow, Lost, Pause, Reply, Step, Work
from mineru_core.client.tasks import TaskHandle, TaskStatus
from mineru_core.document.task import Region
from mineru_core.errors import InvalidRequest
from mineru_core.export.result import DocumentResult
from mineru_core.intake.document import Source
from mineru_core.runtime.context import RunContext
from mineru_core.version import __version__

if TYPE_CHECKING:
    from mineru_core.serving.analyzer import Analyzer

T = TypeVar("T")

LOCAL_URL = "http://127.0.0.1:8501"
CONNECT_S = 5.0
MOST_IDLE = 8
"""Connections kept for the next request. httpx looks at each of them for every request: with fifty, callers who share
a client get a tenth of the requests through that they get with eight."""
KEEP_S = 4.0
"""Seconds an idle connection is kept: a second less than servers keep theirs, so that none is used as it is closed."""


class Client:
    """Calls the HTTP API of a MinerU Workbench; safe to use from several threads, which share its connections.

    ``token`` is sent as bearer token. ``timeout_s`` is how long the server may be silent; ``retries`` and
    ``patience_s`` (seconds of waiting in all) say how often and for how long a refusal that may pass is waited out.
    With ``compress`` pictures above 500 kB are reduced before they travel as far as their text allows; places in
    results, and in regions handed in, are in pixels of the picture as it is here. ``connections`` are requests on their
    way at once; tasks that are followed have connections of their own.

    With ``edge`` documents are read on this machine, with the embedded engine or the ``Analyzer`` that is given, and
    what was read is sent in their place, with pictures of single blocks where the server's engine is another one; with
    ``edge_pictures`` the pages' pictures, too, of which the server makes searchable PDF files. The answers are those to
    the document itself, as it is here.

    Every call raises what the library would: the errors of ``mineru_core.errors`` by their codes;
    ``EngineUnavailable`` where the server cannot be reached. A ``RunContext`` limits, cancels and follows a call:
    ``analyze`` then cancels its task on the server, too.
    """

    def __init__(  # noqa: PLR0913  one argument a wish
        self,
        url: str = LOCAL_URL,
        *,
        token: str | None = None,
        timeout_s: float = 60.0,
        retries: int = 5,
        patience_s: float = 60.0,
        compress: bool = True,
        connections: int = 8,
        edge: bool | Analyzer = False,
        edge_pictures: bool = False,
    ) -> None:
        self._edge = _edge_side(edge, edge_pictures)
        self._flows = Flows(retries, patience_s, compress, self._edge)
        options = _options(url, token, timeout_s)
        self._http = httpx.Client(**options, limits=_limits(connections))
        self._events = httpx.Client(**options, limits=_limits(None))

    def analyze(
        self,
        document: Source,
        words: str = "",
        *,
        name: str | None = None,
        regions: Sequence[Region] = (),
        engine: str | None = None,
        password: str | None = None,
        ctx: RunContext | None = None,
    ) -> DocumentResult:
        """Read a document and answer the words. ``name`` names bytes and pictures that have none."""
        wishes = Wishes(words, name, regions, engine, password)
        return self._run(self._flows.analyze(document, wishes, ctx or RunContext()))

    def compare(
        self,
        before: Source,
        after: Source,
        words: str = "",
        *,
        engine: str | None = None,
        password: str | None = None,
        ctx: RunContext | None = None,
    ) -> DocumentResult:
        """Read two documents and tell what changed from the earlier to the later one."""
        wishes = Wishes(words, engine=engine, password=password)
        return self._run(self._flows.compare(before, after, wishes, ctx or RunContext()))

    def submit(
        self,
        document: Source,
        words: str = "",
        *,
        name: str | None = None,
        regions: Sequence[Region] = (),
        engine: str | None = None,
        password: str | None = None,
    ) -> TaskHandle:
        """Hand in a document and go on; the server reads it meanwhile."""
        wishes = Wishes(words, name, regions, engine, password)
        return self._run(self._flows.submit(document, wishes, RunContext()))

    def status(self, task: TaskHandle | str) -> TaskStatus:
        """How far a task is."""
        return self._run(self._flows.status(_handle(task).task_id, RunContext()))

    def wait(self, task: TaskHandle | str, *, ctx: RunContext | None = None) -> TaskStatus:
        """Follow a task to its end; the task goes on where the waiting is broken off."""
        return self._run(self._flows.wait(_handle(task).task_id, ctx or RunContext()))

    def result(self, task: TaskHandle | str) -> DocumentResult:
        """The result of a task that has ended. Of one known by its id alone, places are in pixels of what was sent."""
        return self._run(self._flows.result(_handle(task), RunContext()))

    def cancel(self, task: TaskHandle | str) -> TaskStatus:
        """Cancel a task; one that has ended stays as it is."""
        return self._run(self._flows.cancel(_handle(task).task_id, RunContext()))

    def close(self) -> None:
        """Close the connections, and the engine that reads here, if it was made for this client."""
        self._http.close()
        self._events.close()
        if self._edge is not None:
            self._edge.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _run(self, flow: Flow[T]) -> T:
        try:
            step = next(flow)
            while True:
                try:
                    reply = self._carry_out(step)
                except BaseException as error:  # noqa: BLE001  the flow raises it again, or goes on
                    step = flow.throw(error)
                else:
                    step = flow.send(reply)
        except StopIteration as ended:
            found: T = ended.value
            return found

    def _carry_out(self, step: Step) -> Any:
        if isinstance(step, Pause):
            return time.sleep(step.seconds)
        if isinstance(step, Work):
            return step.function()
        try:
            if isinstance(step, Fetch):
                return _reply(self._http.request(step.method, step.path, **_arguments(step)))
            with self._events.stream("GET", step.path) as answer:
                if answer.is_error:
                    answer.read()
                    return _reply(answer)
                any(map(step.feed, answer.iter_lines()))
                return Reply(answer.status_code)
        except httpx.TransportError as error:
            raise Lost(str(error) or type(error).__name__) from error


class AsyncClient:
    """The same for asyncio: every call of ``Client``, to be awaited. Cancelling a call cancels its task on the server.

    For one event loop. Documents are read and made smaller in a thread.
    """

    def __init__(  # noqa: PLR0913  one argument a wish
        self,
        url: str = LOCAL_URL,
        *,
        token: str | None = None,
        timeout_s: float = 60.0,
        retries: int = 5,
        patience_s: float = 60.0,
        compress: bool = True,
        connections: int = 8,
        edge: bool | Analyzer = False,
        edge_pictures: bool = False,
    ) -> None:
        self._edge = _edge_side(edge, edge_pictures)
        self._flows = Flows(retries, patience_s, compress, self._edge)
        options = _options(url, token, timeout_s)
        self._http = httpx.AsyncClient(**options, limits=_limits(connections))
        self._events = httpx.AsyncClient(**options, limits=_limits(None))

    async def analyze(
        self,
        document: Source,
        words: str = "",
        *,
        name: str | None = None,
        regions: Sequence[Region] = (),
        engine: str | None = None,
        password: str | None = None,
        ctx: RunContext | None = None,
    ) -> DocumentResult:
        """See ``Client.analyze``."""
        wishes = Wishes(words, name, regions, engine, password)
        return await self._run(self._flows.analyze(document, wishes, ctx or RunContext()))

    async def compare(
        self,
        before: Source,
        after: Source,
        words: str = "",
        *,
        engine: str | None = None,
        password: str | None = None,
        ctx: RunContext | None = None,
    ) -> DocumentResult:
        """See ``Client.compare``."""
        wishes = Wishes(words, engine=engine, password=password)
        return await self._run(self._flows.compare(before, after, wishes, ctx or RunContext()))

    async def submit(
        self,
        document: Source,
        words: str = "",
        *,
        name: str | None = None,
        regions: Sequence[Region] = (),
        engine: str | None = None,
        password: str | None = None,
    ) -> TaskHandle:
        """See ``Client.submit``."""
        wishes = Wishes(words, name, regions, engine, password)
        return await self._run(self._flows.submit(document, wishes, RunContext()))

    async def status(self, task: TaskHandle | str) -> TaskStatus:
        """See ``Client.status``."""
        return await self._run(self._flows.status(_handle(task).task_id, RunContext()))

    async def wait(self, task: TaskHandle | str, *, ctx: RunContext | None = None) -> TaskStatus:
        """See ``Client.wait``."""
        return await self._run(self._flows.wait(_handle(task).task_id, ctx or RunContext()))

    async def result(self, task: TaskHandle | str) -> DocumentResult:
        """See ``Client.result``."""
        return await self._run(self._flows.result(_handle(task), RunContext()))

    async def cancel(self, task: TaskHandle | str) -> TaskStatus:
        """See ``Client.cancel``."""
        return await self._run(self._flows.cancel(_handle(task).task_id, RunContext()))

    async def close(self) -> None:
        """See ``Client.close``."""
        await self._http.aclose()
        await self._events.aclose()
        if self._edge is not None:
            await asyncio.to_thread(self._edge.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _run(self, flow: Flow[T]) -> T:
        try:
            step = next(flow)
            while True:
                try:
                    reply = await self._carry_out(step)
                except BaseException as error:  # noqa: BLE001  the flow raises it again, or goes on
                    step = flow.throw(error)
                else:
                    step = flow.send(reply)
        except StopIteration as ended:
            found: T = ended.value
            return found

    async def _carry_out(self, step: Step) -> Any:
        if isinstance(step, Pause):
            return await asyncio.sleep(step.seconds)
        if isinstance(step, Work):
            return await asyncio.to_thread(step.function)
        try:
            if isinstance(step, Fetch):
                return _reply(await self._http.request(step.method, step.path, **_arguments(step)))
            async with self._events.stream("GET", step.path) as answer:
                if answer.is_error:
                    await answer.aread()
                    return _reply(answer)
                async for line in answer.aiter_lines():
                    if step.feed(line):
                        break
                return Reply(answer.status_code)
        except httpx.TransportError as error:
            raise Lost(str(error) or type(error).__name__) from error


def _edge_side(edge: bool | Analyzer, pictures: bool) -> EdgeSide | None:
    if edge is False:
        return None
    return EdgeSide(None if edge is True else edge, pictures=pictures)


def _options(url: str, token: str | None, timeout_s: float) -> dict[str, Any]:
    """What both of httpx's clients are made with. Raises ``InvalidRequest`` for an address that is none."""
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL as error:
        raise InvalidRequest(
            f"The address {url[:100]!r} is none: {error}.", "Give one as http://server:8501."
        ) from error
    if parsed.scheme not in {"http", "https"} or not parsed.host or "%" in parsed.host or " " in parsed.host:
        raise InvalidRequest(f"The address {url[:100]!r} is none.", "Give one as http://server:8501.")
    headers = {"User-Agent": f"mineru-workbench/{__version__}"}
    if token is not None:
        if not token.isascii() or not token.isprintable() or " " in token:
            raise InvalidRequest("This is no token.", "Give it as mineru-workbench token create printed it.")
        headers["Authorization"] = f"Bearer {token}"
    return {
        "base_url": parsed,
        "headers": headers,
        "timeout": httpx.Timeout(timeout_s, connect=min(CONNECT_S, timeout_s), pool=None),
        "verify": httpx.create_ssl_context(),
    }


def _limits(connections: int | None) -> httpx.Limits:
    return httpx.Limits(max_connections=connections, max_keepalive_connections=MOST_IDLE, keepalive_expiry=KEEP_S)


def _arguments(step: Fetch) -> dict[str, Any]:
    timeout = httpx.USE_CLIENT_DEFAULT if step.timeout_s is None else step.timeout_s
    found: dict[str, Any] = {"headers": dict(step.headers), "timeout": timeout}
    if step.files:
        found |= {"data": dict(step.fields), "files": dict(step.files)}
    return found


def _reply(answer: httpx.Response) -> Reply:
    return Reply(answer.status_code, {name.lower(): value for name, value in answer.headers.items()}, answer.content)


def _handle(task: TaskHandle | str) -> TaskHandle:
    return TaskHandle(task, task) if isinstance(task, str) else task
