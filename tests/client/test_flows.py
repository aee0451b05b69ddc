"""What the calls do, step by step, without a network."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from mineru_core.client.flows import LAST_BACKOFF_S, Flows, Wishes
from mineru_core.client.sending import Parcel
from mineru_core.client.steps import Fetch, Flow, Listen, Lost, Pause, Reply, Step, Work
from mineru_core.errors import (
    Cancelled,
    DeadlineExceeded,
    EngineUnavailable,
    FileTooLarge,
    InvalidRequest,
    NotFound,
    Overloaded,
    RateLimited,
    TokenRequired,
    WorkbenchError,
)
from mineru_core.runtime.context import Progress, RunContext
from tests.test_errors import ALL

Answer = Reply | BaseException


class Script:
    """Carries out a flow with answers made up beforehand: one for each request, in order."""

    def __init__(self, *answers: Answer | Callable[[Step], Answer]) -> None:
        self.answers = list(answers)
        self.asked: list[Fetch | Listen] = []
        self.waited = 0.0

    def run(self, flow: Flow[Any]) -> Any:
        try:
            step = next(flow)
            while True:
                reply = self._answer(step)
                step = flow.throw(reply) if isinstance(reply, BaseException) else flow.send(reply)
        except StopIteration as ended:
            return ended.value

    def _answer(self, step: Step) -> Any:
        if isinstance(step, Pause):
            self.waited += step.seconds
            return None
        if isinstance(step, Work):
            return Parcel("a.png", b"bytes")
        self.asked.append(step)
        answer = self.answers.pop(0)
        try:
            return answer(step) if callable(answer) else answer
        except BaseException as error:  # noqa: BLE001  thrown into the flow, as a transport does
            return error


def view(state: str, **fields: object) -> dict[str, object]:
    return {"task_id": "t1", "state": state, "page": 0, "pages": 0, "result": None, "error": None, **fields}


def reply(status: int, body: object, **headers: str) -> Reply:
    return Reply(status, {k.replace("_", "-"): v for k, v in headers.items()}, json.dumps(body).encode())


def refusal(status: int, code: str, **headers: str) -> Reply:
    body = {"code": code, "message": "m", "hint": "h", "request_id": "r1", "details": []}
    return reply(status, body, **headers)


def events(*views: dict[str, object]) -> Callable[[Step], Answer]:
    """An answer that tells these views as events."""

    def tell(step: Step) -> Answer:
        assert isinstance(step, Listen)
        for one in views:
            for line in ("event: progress", f"data: {json.dumps(one)}", "", ": nothing new"):
                if step.feed(line):
                    return Reply(200)
        return Reply(200)

    return tell


SENT = reply(202, view("pending"))


def submit(script: Script, **options: Any) -> Any:
    return script.run(Flows(**options).submit("a.png", Wishes("words"), RunContext()))


def test_the_same_request_is_sent_again_with_the_same_key() -> None:
    script = Script(Lost("broken"), refusal(429, "overloaded", retry_after="2"), reply(502, "proxy"), SENT)
    assert submit(script).task_id == "t1"
    assert len({json.dumps(dict(step.headers)) for step in script.asked if isinstance(step, Fetch)}) == 1
    (first, *_) = script.asked
    assert isinstance(first, Fetch)
    assert first.fields == {"instruction": "words", "async": "true"}
    assert first.headers["Idempotency-Key"]
    assert 2.0 <= script.waited <= 2.2 + 2 * LAST_BACKOFF_S
    again = Script(SENT)
    submit(again)
    assert isinstance(again.asked[0], Fetch)
    assert again.asked[0].headers != first.headers


@pytest.mark.parametrize("as_date", [False, True])
def test_it_comes_again_no_sooner_than_it_was_told(as_date: bool) -> None:
    told = format_datetime(datetime.now(UTC) + timedelta(seconds=31), usegmt=True) if as_date else "30"
    script = Script(refusal(429, "rate-limited", retry_after=told), SENT)
    submit(script)
    assert 29.0 <= script.waited <= 34.2


def test_patience_ends() -> None:
    script = Script(*[refusal(429, "overloaded", retry_after="40")] * 2)
    with pytest.raises(Overloaded) as refused:
        submit(script, patience_s=60.0)
    assert len(script.asked) == 2
    assert refused.value.retry_after_s == 40.0
    script = Script(*[Lost("gone")] * 4)
    with pytest.raises(EngineUnavailable, match="cannot be reached: gone"):
        submit(script, retries=3)
    assert len(script.asked) == 4
    with pytest.raises(RateLimited):
        submit(Script(refusal(429, "rate-limited", retry_after="61")), patience_s=60.0)


@pytest.mark.parametrize("code", ["file-too-large", "token-required", "not-found", "model-missing", "internal"])
def test_what_will_not_pass_is_not_tried_again(code: str) -> None:
    script = Script(refusal(503, code))
    with pytest.raises(WorkbenchError) as refused:
        submit(script)
    assert refused.value.code == code
    assert len(script.asked) == 1


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_every_error_comes_back_as_the_librarys(kind: type[WorkbenchError]) -> None:
    with pytest.raises(WorkbenchError) as refused:
        submit(Script(refusal(kind.http_status, kind.code)), retries=0)
    assert type(refused.value) is kind
    assert (refused.value.message, refused.value.hint) == ("m", "h")
    assert "request id: r1" in refused.value.__notes__


@pytest.mark.parametrize(
    ("status", "kind"),
    [(401, TokenRequired), (413, FileTooLarge), (404, NotFound), (418, EngineUnavailable), (500, EngineUnavailable)],
)
def test_a_proxys_own_answer_is_told_apart(status: int, kind: type[WorkbenchError]) -> None:
    for body in (b"<html>", b"[]", b'{"detail": "x"}', b"\xff"):
        with pytest.raises(WorkbenchError) as refused:
            submit(Script(Reply(status, {}, body)))
        assert type(refused.value) is kind
        assert str(status) in refused.value.message


def test_a_server_that_is_something_else_is_told() -> None:
    with pytest.raises(EngineUnavailable, match="cannot be understood"):
        submit(Script(Reply(200, {}, b"<html>")))


def test_progress_is_reported_to_the_end() -> None:
    told: list[Progress] = []
    running, done = view("running", page=1, pages=3, done=0), view("done", page=3, pages=3, done=3)
    script = Script(SENT, events(running, done), reply(200, view("failed", error={"code": "no-pages", "message": "m"})))
    with pytest.raises(WorkbenchError) as failed:
        script.run(Flows().analyze("a.png", Wishes(), RunContext(on_progress=told.append)))
    assert failed.value.code == "no-pages"
    assert told == [Progress("running", 1, 0, 3), Progress("done", 3, 3, 3)]
    assert [type(step).__name__ for step in script.asked] == ["Fetch", "Listen", "Fetch"]


def test_a_stream_that_breaks_off_is_asked_for_again() -> None:
    script = Script(Lost("x"), reply(200, view("running")), events(view("running")), reply(200, view("done")))
    assert script.run(Flows().wait("t1", RunContext())).state == "done"


def test_a_task_that_is_not_there_ends_the_waiting() -> None:
    with pytest.raises(NotFound):
        Script(refusal(404, "not-found")).run(Flows().wait("t1", RunContext()))


def test_a_caller_that_stops_takes_its_task_along() -> None:
    ctx = RunContext()

    def cancelled_meanwhile(step: Step) -> Answer:
        ctx.cancel()
        return events(view("running"))(step)

    script = Script(SENT, cancelled_meanwhile, Lost("whatever"))
    with pytest.raises(Cancelled):
        script.run(Flows().analyze("a.png", Wishes(), ctx))
    last = script.asked[-1]
    assert isinstance(last, Fetch)
    assert (last.method, last.path) == ("DELETE", "api/v1/tasks/t1")
    script = Script(SENT, KeyboardInterrupt(), reply(200, view("cancelled")))
    with pytest.raises(KeyboardInterrupt):
        script.run(Flows().analyze("a.png", Wishes(), RunContext()))
    assert not script.answers


def test_a_deadline_ends_a_pause() -> None:
    ctx = RunContext.with_timeout(0.0)
    script = Script(Lost("x"))
    with pytest.raises(DeadlineExceeded):
        script.run(Flows().status("t1", ctx))
    assert script.asked == []


@pytest.mark.parametrize("task_id", ["", "../secret", "a b", "a/b", "a?b", "名"])
def test_no_id_leads_elsewhere(task_id: str) -> None:
    for call in (Flows().status, Flows().cancel, Flows().wait):
        with pytest.raises(InvalidRequest):
            Script().run(call(task_id, RunContext()))


def test_a_flow_that_is_dropped_asks_for_nothing() -> None:
    flow = Flows().analyze("a.png", Wishes(), RunContext())
    next(flow)
    flow.send(Parcel("a.png", b""))
    flow.send(SENT)
    flow.close()
