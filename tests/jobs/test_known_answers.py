"""Answers given without a job are those that a job gives."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mineru_core.document.geometry import Box
from mineru_core.document.table_edits import SetText
from mineru_core.document.task import Region
from mineru_core.engines.echo import EchoEngine
from mineru_core.export.result import DocumentResult
from mineru_core.jobs.corrections import TableId
from mineru_core.jobs.known_answers import known_answer
from mineru_core.jobs.service import MAX_WORDS, JobService
from mineru_core.serving.analyzer import Analyzer
from mineru_core.settings import Settings
from tests.documents import draw_lines, png_bytes
from tests.jobs.tables import TableEngine

PICTURE = png_bytes(draw_lines(["a"]))


@pytest.fixture
def service(home: Path) -> Iterator[JobService]:
    settings = Settings(home=home)
    running = JobService(settings, Analyzer(settings, TableEngine()))
    running.start()
    yield running
    running.close()
    running.analyzer.close()


def read(service: JobService, owner: str = "o", words: str = "tables", **more: object) -> tuple[str, DocumentResult]:
    job = service.submit(PICTURE, name="a.png", words=words, owner=owner, **more)  # type: ignore[arg-type]
    assert service.wait(job.id, owner, 20.0).state == "done"
    return job.id, service.result(job.id, owner)


def known(service: JobService, owner: str = "o", words: str = "tables", **more: object) -> DocumentResult | None:
    return known_answer(service, PICTURE, name="a.png", words=words, owner=owner, **more)  # type: ignore[arg-type]


def without_times(found: DocumentResult | None) -> object:
    assert found is not None
    return found.model_dump(exclude={"timings", "analysis"}), [page.blocks for page in found.analysis.pages]


def test_what_was_answered_is_known_to_everybody(service: JobService) -> None:
    assert known(service) is None
    _, result = read(service)
    assert without_times(known(service)) == without_times(result)
    assert without_times(known(service, "another")) == without_times(result)
    assert len(service.list("o")) == 1
    assert service.analyzer.metrics.value("mineru_workbench_requests_total", outcome="ok") == 3


def test_another_question_or_region_is_not(service: JobService) -> None:
    region = [Region(page=1, box=Box(0, 0, 50, 50))]
    read(service)
    assert known(service, words="text") is None
    assert known(service, regions=region) is None
    _, result = read(service, regions=region)
    assert without_times(known(service, regions=region)) == without_times(result)


def test_who_has_corrected_it_is_answered_by_a_job(service: JobService) -> None:
    job, _ = read(service)
    service.corrections.correct(job, "o", TableId(page=1, index=0), SetText(row=1, col=1, text="10"), version=0)
    assert known(service) is None
    assert known(service, "another") is not None


def test_what_is_wrong_with_a_request_is_for_submitting_to_say(service: JobService) -> None:
    read(service)
    for wrong in (
        {"engine": "nonsense"},
        {"words": "x" * (MAX_WORDS + 1)},
        {"regions": [Region(page=9, box=Box(0, 0, 1, 1))]},
    ):
        assert known(service, **wrong) is None  # type: ignore[arg-type]
    assert known_answer(service, b"", name="a", words="", owner="o") is None


def test_nothing_is_known_where_nothing_is_kept(home: Path) -> None:
    settings = Settings(home=home, cache={"enabled": False})  # type: ignore[arg-type]
    service = JobService(settings, Analyzer(settings, EchoEngine()))
    service.start()
    read(service)
    assert known(service) is None
    service.close()
    service.analyzer.close()
