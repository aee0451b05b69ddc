"""POST /v1/document/compare over real connections."""

from __future__ import annotations

import httpx
import pytest

from mineru_core.engines.echo import EchoEngine
from mineru_core.export.result import DocumentResult
from tests.api.conftest import Api, StartApi
from tests.api.errors import assert_error
from tests.documents import PdfPage, PdfText, text_pdf

COMPARE = "/api/v1/document/compare"


def pdf(*pages: str) -> bytes:
    return text_pdf([PdfPage([PdfText(text)]) for text in pages])


OLD, NEW = pdf("10 dollars are due"), pdf("12 dollars are due", "a page more")


def post(api: Api, before: bytes = OLD, after: bytes = NEW, **fields: object) -> httpx.Response:
    files = {"before": ("old.pdf", before), "after": ("new.pdf", after)}
    return api.client.post(COMPARE, files=files, data=fields)


def changes(result: DocumentResult) -> list[tuple[str, str]]:
    return [(change.before, change.after) for change in result.answer.changes]


EXPECTED = [("10 dollars are due", "12 dollars are due"), ("", "a page more")]


def test_answers_with_what_changed(api: Api) -> None:
    answer = post(api)
    assert answer.status_code == 200
    result = DocumentResult.model_validate_json(answer.content)
    assert changes(result) == EXPECTED
    assert result.before is not None
    assert (result.before.source, result.source) == ("old.pdf", "new.pdf")


def test_a_comparison_may_be_a_task(api: Api) -> None:
    accepted = post(api, **{"async": "true", "instruction": "有什么变化"})
    assert accepted.status_code == 202
    task = accepted.json()["task_id"]
    while not api.service.comparisons.wait(task, "local", 20.0).state.is_final:
        pass
    view = api.client.get(accepted.headers["location"]).json()
    assert (view["state"], view["page"], view["pages"], view["done"]) == ("done", 3, 3, 3)
    assert changes(DocumentResult.model_validate(view["result"])) == EXPECTED
    assert api.client.delete(f"/api/v1/tasks/{task}").json()["state"] == "done"


def test_refuses_what_cannot_be_compared(api: Api) -> None:
    assert_error(post(api, after=b"no document"), 422, "unsupported-type")
    assert_error(post(api, instruction="extract the tables"), 422, "invalid-request")
    assert_error(post(api, region="1,2,3,4"), 422, "invalid-request")
    only_one = api.client.post(COMPARE, files={"before": ("old.pdf", OLD)})
    assert_error(only_one, 422, "invalid-request")


@pytest.mark.parametrize("page", [1, 2])
def test_one_that_cannot_be_read_at_all_is_an_error(start_api: StartApi, page: int) -> None:
    with start_api(EchoEngine(fail_pages=[page])) as api:
        answer = post(api)
        if page == 1:  # the only one of the earlier document
            assert_error(answer, 500, "engine-failed")
        else:
            result = DocumentResult.model_validate_json(answer.content)
            assert [failure.page for failure in result.failures] == [2]


def test_two_files_may_each_have_the_bytes_of_one(start_api: StartApi) -> None:
    most = len(NEW) + 10
    with start_api(limits={"max_file_bytes": most}) as api:
        filled = OLD + b"\n" * (most - len(OLD))
        assert post(api, before=filled, after=NEW + b"\n" * 10).status_code == 200
        assert_error(post(api, before=filled + b"\n"), 413, "file-too-large")
        assert_error(post(api, before=filled * 400), 413, "file-too-large")
