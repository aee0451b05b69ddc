"""GET /v1/tasks/{id}/events."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx
import pytest

from mineru_core.api import events as module
from mineru_core.engines.echo import EchoEngine
from tests.api.conftest import Api, StartApi
from tests.api.errors import assert_error
from tests.api.test_tasks import TWO_PAGES, HeldEngine, submit


def events_of(answer: httpx.Response) -> Iterator[tuple[str, dict[str, object]]]:
    """The events of an open answer, comments left out."""
    name = ""
    for line in answer.iter_lines():
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))


def test_progress_is_told_until_the_end(start_api: StartApi) -> None:
    engine = HeldEngine()
    with start_api(engine) as api:
        task = submit(api).headers["location"]
        assert engine.reached.wait(20.0)
        with api.client.stream("GET", f"{task}/events") as answer:
            assert answer.headers["content-type"].startswith("text/event-stream")
            assert answer.headers["cache-control"] == "no-store"
            assert answer.headers["x-accel-buffering"] == "no"
            found = events_of(answer)
            name, view = next(found)
            assert (name, view["state"], view["pages"], view["result"]) == ("progress", "running", 2, None)
            engine.go_on.set()
            *_, (last, done) = found
        assert (last, done["state"], done["result"], done["task_id"]) == ("end", "done", None, task.rsplit("/", 1)[1])


def test_an_ended_task_tells_its_end_at_once(start_api: StartApi) -> None:
    with start_api(EchoEngine(fail_pages=[1, 2])) as api:
        task = submit(api).json()["task_id"]
        api.service.wait(task, "local", 20.0)
        with api.client.stream("GET", f"/api/v1/tasks/{task}/events") as answer:
            ((name, view),) = events_of(answer)
    assert (name, view["state"]) == ("end", "failed")
    assert isinstance(view["error"], dict)
    assert view["error"]["code"] == "engine-failed"


def test_a_cancel_ends_the_stream(start_api: StartApi) -> None:
    engine = HeldEngine()
    with start_api(engine) as api:
        task = submit(api).headers["location"]
        assert engine.reached.wait(20.0)
        with api.client.stream("GET", f"{task}/events") as answer:
            found = events_of(answer)
            next(found)
            api.service.cancel(task.rsplit("/", 1)[1], "local")
            *_, (last, view) = found
    assert (last, view["state"]) == ("end", "cancelled")


def test_silence_is_broken_for_proxies(start_api: StartApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "QUIET_S", 0.0)
    monkeypatch.setattr(module, "LOOK_S", 0.01)
    engine = HeldEngine()
    with start_api(engine) as api:
        task = submit(api).headers["location"]
        assert engine.reached.wait(20.0)
        with api.client.stream("GET", f"{task}/events") as answer:
            for line in answer.iter_lines():
                if line.startswith(":"):
                    break
        engine.go_on.set()


def test_a_reader_that_goes_away_leaves_the_task_alone(start_api: StartApi) -> None:
    engine = HeldEngine()
    with start_api(engine) as api:
        task = submit(api).headers["location"]
        assert engine.reached.wait(20.0)
        with api.client.stream("GET", f"{task}/events") as answer:
            next(events_of(answer))
        engine.go_on.set()
        assert api.service.wait(task.rsplit("/", 1)[1], "local", 20.0).state == "done"


def test_nobody_elses_task_is_told_of(api: Api) -> None:
    job = api.service.submit(TWO_PAGES, name="two.pdf", owner="somebody")
    for task in (job.id, "no-such-task", "a-b"):
        assert_error(api.client.get(f"/api/v1/tasks/{task}/events"), 404, "not-found")
