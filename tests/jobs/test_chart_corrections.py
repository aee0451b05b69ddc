"""Corrections of the charts of a job, and the results with them."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from mineru_core.document.chart import AxisMark
from mineru_core.document.chart_edits import CalibrateAxis, ChartOperation, DeletePoint, RenameSeries, SetPoint
from mineru_core.document.table_edits import SetText
from mineru_core.errors import EditConflict, InvalidRequest, NotFound
from mineru_core.jobs.correction_log import ChartId, TableId
from mineru_core.jobs.corrections import chart_source_of
from mineru_core.jobs.model import Job
from mineru_core.jobs.service import JobService
from tests.documents import PdfPage, PdfText, text_pdf
from tests.jobs.charts import CHART, ChartEngine
from tests.jobs.conftest import Start, ended

PDF = text_pdf([PdfPage([PdfText(f"Page {n}")]) for n in (1, 2)])
FIRST = ChartId(page=1, index=0)
SECOND = ChartId(page=2, index=0)


@pytest.fixture
def service(start: Start) -> JobService:
    return start(ChartEngine())


def read(service: JobService, words: str = "chart data as CSV") -> Job:
    return ended(service, service.submit(PDF, name="a.pdf", words=words, owner="ann"))


def correct(service: JobService, job: Job, *operations: ChartOperation, chart: ChartId = FIRST) -> int:
    version = service.corrections.state(job.id, job.owner).version
    for operation in operations:
        version = service.corrections.correct(job.id, job.owner, chart, operation, version=version).version
    return version


def test_a_correction_shows_in_all_that_is_given_out(service: JobService, tmp_path: Path) -> None:
    job = read(service)
    correct(service, job, SetPoint(series=0, point=0, place=(100.0, 200.0)), RenameSeries(series=1, name="East"))
    found = service.result(job.id, "ann")
    assert found.answer.charts[0].rows() == [["x", "North", "East"], ["Q1", "50", "10"], ["Q2", "55", ""]]
    assert found.answer.charts[1].rows() == CHART.rows()  # the second page's, which nobody has corrected
    found.save(tmp_path, ["csv"])
    written = (tmp_path / "a.chart1.csv").read_text(encoding="utf-8-sig")
    assert [*csv.reader(io.StringIO(written))][1] == ["Q1", "50", "10"]
    assert service.original_result(job.id, "ann").answer.charts[0].rows() == CHART.rows()


def test_a_part_of_a_chart_follows_the_whole(service: JobService) -> None:
    job = read(service, "chart data, only the series South")
    part = service.result(job.id, "ann").answer.charts[0]
    assert [series.name for series in part.series] == ["South"]
    assert chart_source_of(service.result(job.id, "ann"), part) == FIRST
    correct(service, job, SetPoint(series=1, point=0, y=12.5))
    assert service.result(job.id, "ann").answer.charts[0].series[0].points[0].y == 12.5


def test_undo_and_redo_go_through_charts_and_tables_alike(service: JobService) -> None:
    job = read(service)
    version = correct(service, job, SetPoint(series=0, point=0, y=1.0))
    version = correct(service, job, DeletePoint(series=0, point=1), chart=SECOND)
    state, changed = service.corrections.undo(job.id, "ann", version=version)
    assert changed == SECOND
    assert service.corrections.chart(job.id, "ann", SECOND)[1] == CHART.model_copy(update={"page": 2})
    state, changed = service.corrections.undo(job.id, "ann", version=state.version)
    assert changed == FIRST
    assert service.corrections.chart(job.id, "ann", FIRST)[1] == CHART
    state, changed = service.corrections.redo(job.id, "ann", version=state.version)
    assert (changed, state.undone) == (FIRST, 1)
    assert service.corrections.chart(job.id, "ann", FIRST)[1].series[0].points[0].y == 1.0


def test_corrections_survive_a_restart_and_go_on_to_the_next_question(service: JobService, start: Start) -> None:
    job = read(service)
    marks = (AxisMark(place=300, value=0), AxisMark(place=100, value=200))
    correct(service, job, CalibrateAxis(axis="y", vertical=True, marks=marks))
    service.close()
    again = start(ChartEngine())
    assert [p.y for p in again.result(job.id, "ann").charts[0].series[0].points] == [80.0, 55.0]
    other = ended(again, again.submit(PDF, name="a.pdf", words="text", owner="ann"))
    assert [p.y for p in again.result(other.id, "ann").analysis.charts[0].series[0].points] == [80.0, 55.0]


def test_what_does_not_fit_is_refused(service: JobService) -> None:
    job = read(service)
    with pytest.raises(NotFound):
        correct(service, job, DeletePoint(series=0, point=0), chart=ChartId(page=1, index=1))
    with pytest.raises(InvalidRequest, match="no cells"):
        service.corrections.correct(job.id, "ann", FIRST, SetText(row=0, col=0, text="a"), version=0)
    with pytest.raises(NotFound):
        service.corrections.correct(job.id, "ann", TableId(page=1, index=0), DeletePoint(series=0, point=0), version=0)
    correct(service, job, DeletePoint(series=0, point=0))
    with pytest.raises(EditConflict):
        service.corrections.correct(job.id, "ann", FIRST, DeletePoint(series=0, point=0), version=0)
    assert service.corrections.state(job.id, "ann").applied == 1
