"""Tasks: submit, ask, cancel."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import httpx

from mineru_core.document.analysis import PageAnalysis, PageFailure, Part
from mineru_core.document.page import Page
from mineru_core.document.table_edits import SetText
from mineru_core.engines.base import Readings
from mineru_core.engines.echo import EchoEngine
from mineru_core.export.result import DocumentResult
from mineru_core.jobs.correction_log import TableId
from mineru_core.runtime.context import RunContext
from tests.api.conftest import Api, StartApi
from tests.api.errors import assert_error
from tests.documents import PdfPage, PdfText, text_pdf
from tests.jobs.tables import TableEngine

VIEW = {"task_id", "state", "page", "pages", "done", "result", "error"}
TWO_PAGES = text_pdf([PdfPage([PdfText("first")]), PdfPage([PdfText("second")])])


class HeldEngine(EchoEngine):
    """Reads page 2 only when told to go on; says when it has come there."""

    def __init__(self) -> None:
        super().__init__()
        self.reached, self.go_on = threading.Event(), threading.Event()

    def read(
        self, pages: Sequence[Page], parts: frozenset[Part], ctx: RunContext, known: Sequence[Readings] = ()
    ) -> list[PageAnalysis | PageFailure]:
        if pages[0].number == 2:
            self.reached.set()
            while not self.go_on.wait(0.02):
                ctx.check()
        return super().read(pages, parts, ctx, known)


def submit(api: Api, data: bytes = TWO_PAGES) -> httpx.Response:
    return api.client.post("/api/v1/document/parse", files={"file": ("two.pdf", data)}, data={"async": "true"})


def test_a_task_is_accepted_and_gives_its_result(api: Api) -> None:
    accepted = submit(api)
    assert accepted.status_code == 202
    view = accepted.json()
    assert set(view) == VIEW
    assert view["state"] in {"pending", "running", "done"}
    assert accepted.headers["location"] == f"/api/v1/tasks/{view['task_id']}"
    assert api.service.wait(view["task_id"], "local", 20.0).state.is_final
    answer = api.client.get(accepted.headers["location"])
    assert answer.status_code == 200
    done = answer.json()
    assert set(done) == VIEW
    assert (done["state"], done["error"]) == ("done", None)
    assert (done["page"], done["pages"], done["done"]) == (2, 2, 2)
    assert [page.page for page in DocumentResult.model_validate(done["result"]).analysis.pages] == [1, 2]


def test_a_task_gives_its_tables_as_they_were_corrected(start_api: StartApi) -> None:
    with start_api(TableEngine()) as api:
        task = submit(api).json()["task_id"]
        api.service.wait(task, "local", 20.0)
        zero = SetText(row=1, col=1, text="10")
        api.service.corrections.correct(task, "local", TableId(page=2, index=0), zero, version=0)
        result = DocumentResult.model_validate(api.client.get(f"/api/v1/tasks/{task}").json()["result"])
    assert [table.rows()[1] for table in result.answer.tables[::2]] == [["Pen", "1O"], ["Pen", "10"]]


def test_a_running_task_tells_its_page(start_api: StartApi) -> None:
    engine = HeldEngine()
    with start_api(engine) as api:
        task = submit(api).headers["location"]
        assert engine.reached.wait(20.0)
        view = api.client.get(task).json()
        while view["page"] == 1:  # page 1 may end after page 2 began; the timeout of the suite ends it
            view = api.client.get(task).json()
        assert (view["state"], view["page"], view["pages"], view["result"]) == ("running", 2, 2, None)
        engine.go_on.set()


def test_a_running_task_is_cancelled(start_api: StartApi) -> None:
    engine = HeldEngine()
    with start_api(engine) as api:
        task = submit(api).headers["location"]
        assert engine.reached.wait(20.0)
        answer = api.client.delete(task)
        assert (answer.status_code, answer.json()["state"]) == (200, "cancelled")
        assert api.client.get(task).json()["state"] == "cancelled"


def test_a_synchronous_call_that_is_cancelled_says_so(start_api: StartApi) -> None:
    engine = HeldEngine()
    with start_api(engine) as api:
        answers: list[httpx.Response] = []

        def call() -> None:
            files = {"file": ("two.pdf", TWO_PAGES)}
            answers.append(httpx.post(f"{api.client.base_url}/api/v1/document/parse", files=files, timeout=30.0))

        caller = threading.Thread(target=call)
        caller.start()
        assert engine.reached.wait(20.0)
        (job,) = api.service.list("local")
        api.client.delete(f"/api/v1/tasks/{job.id}")
        caller.join(20.0)
    assert_error(answers[0], 409, "cancelled")


def test_a_finished_task_stays_as_it_is_and_tells_its_pages(api: Api) -> None:
    for _ in range(2):  # what is known already reports no page on its way
        task = submit(api).json()["task_id"]
        api.service.wait(task, "local", 20.0)
        view = api.client.delete(f"/api/v1/tasks/{task}").json()
        assert (view["state"], view["page"], view["pages"], view["done"]) == ("done", 2, 2, 2)


def test_a_failed_task_tells_why(start_api: StartApi) -> None:
    with start_api(EchoEngine(delay_s=5.0), engine={"deadline_s": 0.2}) as api:
        task = submit(api).json()["task_id"]
        api.service.wait(task, "local", 20.0)
        view = api.client.get(f"/api/v1/tasks/{task}").json()
        assert view["state"] == "failed"
        assert view["result"] is None
        assert view["error"]["code"] == "deadline-exceeded"
        assert view["error"]["hint"]
        files = {"file": ("two.pdf", TWO_PAGES)}
        assert_error(api.client.post("/api/v1/document/parse", files=files), 504, "deadline-exceeded")


def test_a_document_without_a_page_that_could_be_read_has_failed(start_api: StartApi) -> None:
    with start_api(EchoEngine(fail_pages=[1, 2])) as api:
        task = submit(api).json()["task_id"]
        api.service.wait(task, "local", 20.0)
        view = api.client.get(f"/api/v1/tasks/{task}").json()
    assert (view["state"], view["result"], view["error"]["code"]) == ("failed", None, "engine-failed")


def test_nobody_elses_task_is_shown(api: Api) -> None:
    job = api.service.submit(TWO_PAGES, name="two.pdf", owner="somebody")
    for method in ("GET", "DELETE"):
        assert_error(api.client.request(method, f"/api/v1/tasks/{job.id}"), 404, "not-found")
        assert_error(api.client.request(method, "/api/v1/tasks/no-such-task"), 404, "not-found")
