"""What each call of the client does, as flows of steps: written once, for threads and for asyncio."""

from __future__ import annotations

import itertools
import random
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from urllib.parse import urlencode

from pydantic import BaseModel, ConfigDict

from mineru_core.client.edge import EdgeSide, Terms
from mineru_core.client.replies import error_of, may_pass, model_of
from mineru_core.client.sending import Parcel, in_pixels_of_the_original, packed
from mineru_core.client.steps import Fetch, Flow, Listen, Lost, Pause, Reply, Work
from mineru_core.client.tasks import TaskHandle, TaskStatus
from mineru_core.document.task import Region
from mineru_core.errors import EngineUnavailable, InvalidRequest, WorkbenchError
from mineru_core.export.result import DocumentResult
from mineru_core.intake.document import Source
from mineru_core.runtime.context import RunContext

PARSE, COMPARE, TASKS = "api/v1/document/parse", "api/v1/document/compare", "api/v1/tasks"
EDGE = "api/v1/document/edge"

WHAT_CHANGED = "what changed"
"""Words that ask for what a comparison needs."""

FIRST_BACKOFF_S, LAST_BACKOFF_S = 0.25, 8.0
LOOK_S = 0.2
"""How often a pause looks whether the work is still wanted."""
AGAIN_S = 1.0
"""Seconds until a stream of events that broke off is asked for again."""
LAST_WORD_S = 3.0
"""Seconds that telling the server to stop may take."""


class _WithResult(BaseModel):
    """A task as the server shows it when it is done."""

    model_config = ConfigDict(extra="ignore")

    result: DocumentResult | None = None


@dataclass(frozen=True, slots=True)
class Wishes:
    """What is asked of a document. ``name`` names one that has none of its own."""

    words: str = ""
    name: str | None = None
    regions: Sequence[Region] = ()
    engine: str | None = None
    password: str | None = None

    def fields(self) -> dict[str, str | list[str]]:
        """The same as form fields, without name and regions."""
        given = {"instruction": self.words, "engine": self.engine, "password": self.password}
        return {**{name: value for name, value in given.items() if value}, "async": "true"}


@dataclass(frozen=True, slots=True)
class Flows:
    """The calls.

    A request that fails in a way that may pass is sent again up to ``retries`` times, after as long as the server says
    or else a growing while, as long as all waiting together stays under ``patience_s`` seconds. With ``smaller``
    pictures are reduced before they travel. With ``edge`` documents are read here, and what was read is sent.
    """

    retries: int = 5
    patience_s: float = 60.0
    smaller: bool = True
    edge: EdgeSide | None = None

    def analyze(self, document: Source, wishes: Wishes, ctx: RunContext) -> Flow[DocumentResult]:
        """Hand in a document, follow it, and give its result; a caller that stops takes its task along."""
        handle = yield from self.submit(document, wishes, ctx)
        return (yield from self._finished(handle, ctx))

    def compare(self, before: Source, after: Source, wishes: Wishes, ctx: RunContext) -> Flow[DocumentResult]:
        """The same for two documents that are compared."""
        if self.edge is None:
            first: Parcel = yield Work(partial(packed, before, smaller=False))
            then: Parcel = yield Work(partial(packed, after, smaller=False))
        else:
            asked = replace(wishes, words=wishes.words or WHAT_CHANGED)
            first = yield from self._read_here(self.edge, before, asked, ctx)
            then = yield from self._read_here(self.edge, after, asked, ctx)
            wishes = replace(wishes, password=None)
        files = {"before": (first.name, first.data), "after": (then.name, then.data)}
        reply = yield from self._sent(Fetch("POST", COMPARE, _key(), wishes.fields(), files), ctx)
        return (yield from self._finished(TaskHandle(model_of(reply, TaskStatus).task_id, then.name), ctx))

    def submit(self, document: Source, wishes: Wishes, ctx: RunContext) -> Flow[TaskHandle]:
        """Hand in a document."""
        parcel: Parcel
        if self.edge is None:
            parcel, path, field = (
                (yield Work(partial(packed, document, wishes.name, smaller=self.smaller))),
                PARSE,
                "file",
            )
        else:
            parcel, path, field = (yield from self._read_here(self.edge, document, wishes, ctx)), EDGE, "document"
            wishes = replace(wishes, password=None)
        fields = wishes.fields()
        if wishes.regions:
            fields["region"] = parcel.regions(wishes.regions)
        reply = yield from self._sent(Fetch("POST", path, _key(), fields, {field: (parcel.name, parcel.data)}), ctx)
        return TaskHandle(model_of(reply, TaskStatus).task_id, parcel.name, parcel.scale)

    def status(self, task_id: str, ctx: RunContext) -> Flow[TaskStatus]:
        """How far a task is."""
        return model_of((yield from self._sent(Fetch("GET", _path(task_id)), ctx)), TaskStatus)

    def cancel(self, task_id: str, ctx: RunContext) -> Flow[TaskStatus]:
        """Cancel a task."""
        return model_of((yield from self._sent(Fetch("DELETE", _path(task_id)), ctx)), TaskStatus)

    def wait(self, task_id: str, ctx: RunContext) -> Flow[TaskStatus]:
        """Follow a task to its end."""
        while True:
            news = _News(ctx)
            try:
                reply: Reply = yield Listen(_path(task_id) + "/events", news)
                if reply.status >= 400 and not may_pass(reply, error_of(reply)):
                    raise error_of(reply)
            except Lost:
                pass  # asked for below
            status = news.latest
            if status is None or not status.is_final:
                status = yield from self.status(task_id, ctx)
                ctx.report(status.progress)
            if status.is_final:
                return status
            yield from _pause(AGAIN_S, ctx)

    def result(self, handle: TaskHandle, ctx: RunContext) -> Flow[DocumentResult]:
        """The result of a task that has ended."""
        reply = yield from self._sent(Fetch("GET", _path(handle.task_id)), ctx)
        status = model_of(reply, TaskStatus)
        status.raise_for_state()
        result = model_of(reply, _WithResult).result
        if result is None:
            raise InvalidRequest("The task has not ended.", "Wait until its state is done.")
        return in_pixels_of_the_original(result, handle.scale)

    def _read_here(self, edge: EdgeSide, document: Source, wishes: Wishes, ctx: RunContext) -> Flow[Parcel]:
        """What was read of a document here, as the server wants it."""
        terms = edge.terms.get(wishes.engine)
        if terms is None:
            query = f"?{urlencode({'engine': wishes.engine})}" if wishes.engine else ""
            terms = model_of((yield from self._sent(Fetch("GET", EDGE + query), ctx)), Terms)
            terms.check()
            edge.terms[wishes.engine] = terms
        read = partial(
            edge.parcel,
            document,
            wishes.words,
            name=wishes.name,
            regions=wishes.regions,
            password=wishes.password,
            terms=terms,
            ctx=ctx,
        )
        try:
            parcel: Parcel = yield Work(read)
        except Exception:
            raise
        except BaseException:  # interrupted, or nobody is there any more: the reading is to end, too
            ctx.cancel()
            raise
        return parcel

    def _finished(self, handle: TaskHandle, ctx: RunContext) -> Flow[DocumentResult]:
        try:
            yield from self.wait(handle.task_id, ctx)
        except GeneratorExit:
            raise  # nobody is there to carry out a step
        except BaseException:  # cancelled, out of time, interrupted, lost: nobody will read the result
            yield from _last_word(handle.task_id)
            raise
        return (yield from self.result(handle, ctx))

    def _sent(self, request: Fetch, ctx: RunContext) -> Flow[Reply]:
        """The answer to a request that may be sent again: one that changes something carries a key, or changes nothing
        the second time."""
        waited = 0.0
        for attempt in itertools.count():
            ctx.check()
            told_s = None
            error: WorkbenchError
            try:
                reply: Reply = yield request
            except Lost as lost:
                error = EngineUnavailable(
                    f"The server cannot be reached: {lost}", "Check its address, and that it runs."
                )
            else:
                if reply.status < 400:
                    return reply
                error, told_s = error_of(reply), reply.retry_after_s
                if not may_pass(reply, error):
                    raise error
            pause = _backoff(attempt) if told_s is None else told_s * (1 + random.random() / 10)
            if attempt >= self.retries or waited + pause > self.patience_s:
                raise error
            waited += pause
            yield from _pause(pause, ctx)
        raise AssertionError  # count() has no end


class _News:
    """Reads server-sent events of a task; called with each line, True once the task has ended."""

    def __init__(self, ctx: RunContext) -> None:
        self._ctx = ctx
        self.latest: TaskStatus | None = None

    def __call__(self, line: str) -> bool:
        self._ctx.check()
        name, _, value = line.partition(":")
        if name != "data":
            return False
        self.latest = model_of(Reply(200, body=value.encode()), TaskStatus)
        self._ctx.report(self.latest.progress)
        return self.latest.is_final


def _key() -> dict[str, str]:
    return {"Idempotency-Key": uuid.uuid4().hex}


def _path(task_id: str) -> str:
    if not task_id or not all(c.isascii() and (c.isalnum() or c == "-") for c in task_id):
        raise InvalidRequest("This is no id of a task.", "Give the id as the server gave it.")
    return f"{TASKS}/{task_id}"


def _backoff(attempt: int) -> float:
    # Half of it by chance: those who were refused together do not come back together.
    full: float = min(LAST_BACKOFF_S, FIRST_BACKOFF_S * 2**attempt)
    return full * (0.5 + random.random() / 2)


def _pause(seconds: float, ctx: RunContext) -> Flow[None]:
    left = seconds
    while left > 0:
        ctx.check()
        yield Pause(min(left, LOOK_S))
        left -= LOOK_S
    ctx.check()


def _last_word(task_id: str) -> Flow[None]:
    with suppress(Lost):  # the task then ends by itself, at its deadline at the latest
        yield Fetch("DELETE", _path(task_id), timeout_s=LAST_WORD_S)
