"""GET /v1/tasks/{id}/export/{format}."""

from __future__ import annotations

import io
import zipfile

import httpx
import pypdfium2
import pytest
from openpyxl import load_workbook

from mineru_core.api.exports import MEDIA_TYPES
from mineru_core.document.table_edits import SetText
from mineru_core.export import FORMATS
from mineru_core.export.result import DocumentResult
from mineru_core.jobs.corrections import TableId
from tests.api.conftest import Api, StartApi
from tests.api.errors import assert_error
from tests.api.test_tasks import TWO_PAGES, HeldEngine, submit
from tests.jobs.charts import ChartEngine
from tests.jobs.tables import TableEngine


def finished(api: Api, data: bytes = TWO_PAGES, name: str = "two.pdf", words: str = "") -> str:
    """The address of a task that is done."""
    job = api.service.submit(data, name=name, words=words, owner="local")
    assert api.service.wait(job.id, "local", 20.0).state == "done"
    return f"/api/v1/tasks/{job.id}"


def export(api: Api, task: str, form: str, **query: str) -> httpx.Response:
    answer = api.client.get(f"{task}/export/{form}", params=query)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] in MEDIA_TYPES.values()
    return answer


def test_every_format_comes(start_api: StartApi) -> None:
    with start_api(TableEngine()) as api:
        task = finished(api)
        files = {form: export(api, task, form) for form in FORMATS if form != "csv_long"}
        result = api.service.result(task.rsplit("/", 1)[1], "local")
    assert DocumentResult.model_validate_json(files["json"].content) == result
    assert files["html"].text.startswith("<!")
    assert len(load_workbook(io.BytesIO(files["xlsx"].content)).sheetnames) >= 2
    assert len(pypdfium2.PdfDocument(files["pdf"].content)) == 2
    assert files["md"].headers["content-disposition"].startswith('attachment; filename="two.md"')
    with zipfile.ZipFile(io.BytesIO(files["csv"].content)) as several:
        assert several.namelist() == [f"two.table{n}.csv" for n in range(1, len(result.tables) + 1)]
    with zipfile.ZipFile(io.BytesIO(files["zip"].content)) as whole:
        assert {"two.md", "two.json", "two.searchable.pdf"} <= set(whole.namelist())


def test_charts_come_with_a_row_for_each_point(start_api: StartApi) -> None:
    with start_api(ChartEngine()) as api:
        several = export(api, finished(api, words="chart data"), "csv_long")
    with zipfile.ZipFile(io.BytesIO(several.content)) as archive:
        assert archive.namelist() == ["two.chart1.long.csv", "two.chart2.long.csv"]
        rows = archive.read("two.chart1.long.csv").decode("utf-8-sig").splitlines()
    assert rows[:2] == ["series,x,value,unit,confidence,source", "North,Q1,40,,0.50,measured"]
    assert len(rows) == 4


def test_corrections_and_the_guard_go_along(start_api: StartApi) -> None:
    with start_api(TableEngine()) as api:
        task = finished(api)
        formula = SetText(row=1, col=1, text="=1+1")
        api.service.corrections.correct(task.rsplit("/", 1)[1], "local", TableId(page=1, index=0), formula, version=0)
        guarded, plain = (export(api, task, "csv", **query) for query in ({}, {"no_csv_guard": "true"}))
    for answer, expected in ((guarded, "'=1+1"), (plain, "=1+1")):
        with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
            assert f",{expected}" in archive.read("two.table1.csv").decode("utf-8-sig")


@pytest.mark.parametrize("name", ['发"票\\.png', "a\r\nX-Evil: 1.png", "../x.png"])
def test_a_name_breaks_no_header(api: Api, name: str) -> None:
    answer = export(api, finished(api, name=name), "md")
    assert "x-evil" not in answer.headers
    assert answer.headers["content-disposition"].isascii()


def test_what_there_is_not_is_said(api: Api) -> None:
    task = finished(api)
    assert_error(api.client.get(f"{task}/export/xlsx"), 404, "not-found")  # echo reads no tables
    assert_error(api.client.get(f"{task}/export/csv"), 404, "not-found")
    assert_error(api.client.get(f"{task}/export/docx"), 422, "invalid-request")
    assert_error(api.client.get("/api/v1/tasks/no-such-task/export/md"), 404, "not-found")
    other = api.service.submit(TWO_PAGES, name="two.pdf", owner="somebody")
    assert_error(api.client.get(f"/api/v1/tasks/{other.id}/export/md"), 404, "not-found")


def test_a_task_that_has_not_ended_has_none(start_api: StartApi) -> None:
    engine = HeldEngine()
    with start_api(engine) as api:
        task = submit(api).headers["location"]
        assert engine.reached.wait(20.0)
        assert_error(api.client.get(f"{task}/export/md"), 422, "invalid-request")
        engine.go_on.set()


def test_a_comparison_has_no_pdf(api: Api) -> None:
    files = {"before": ("a.pdf", TWO_PAGES), "after": ("b.pdf", TWO_PAGES)}
    task = api.client.post("/api/v1/document/compare", files=files, data={"async": "true"}).headers["location"]
    api.service.comparisons.wait(task.rsplit("/", 1)[1], "local", 20.0)
    assert export(api, task, "md").text
    assert_error(api.client.get(f"{task}/export/pdf"), 422, "invalid-request")
