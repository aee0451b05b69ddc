"""A job is read by the engine that was chosen for it."""

from __future__ import annotations

import pytest

from mineru_core.engines.echo import EchoEngine
from mineru_core.errors import InvalidRequest
from mineru_core.jobs.model import JobState
from mineru_core.jobs.service import JobService
from tests.jobs.conftest import PNG, Start, ended
from tests.stand_ins import GatedEngine


class Other(EchoEngine):
    name = "other"

    @property
    def fingerprint(self) -> str:
        return "other-1"


@pytest.fixture
def start(start: Start) -> Start:
    """Starts services whose own engine is ``other`` and that have ``choices`` besides."""

    def make(*choices: str, engine: EchoEngine | None = None, run: bool = True) -> JobService:
        return start(engine or Other(), choices=choices, run=run)

    return make


def read_by(service: JobService, job_id: str) -> str:
    return service.result(job_id, "ann").engine


def test_the_engine_that_is_named_reads(start: Start) -> None:
    service = start("echo")
    own = ended(service, service.submit(PNG, name="a.png", owner="ann"))
    chosen = ended(service, service.submit(PNG, name="a.png", owner="ann", engine="echo"))
    assert (own.engine, read_by(service, own.id)) == ("other", "other-1")
    assert (chosen.engine, read_by(service, chosen.id)) == ("echo", "echo-1")


def test_an_engine_that_may_not_be_chosen_is_refused_before_anything_is_written(start: Start) -> None:
    service = start()
    with pytest.raises(InvalidRequest, match="echo"):
        service.submit(PNG, name="a.png", owner="ann", engine="echo")
    assert service.list("ann") == []


def test_a_further_question_goes_to_the_same_engine_and_a_second_reading_to_another(start: Start) -> None:
    service = start("echo")
    job = ended(service, service.submit(PNG, name="a.png", words="tables", owner="ann", engine="echo"))
    assert service.resubmit(job.id, "ann", words="text").engine == "echo"
    again = ended(service, service.read_again(job.id, "ann", "other"))
    assert (again.engine, again.words, read_by(service, again.id)) == ("other", "tables", "other-1")


def test_a_choice_outlives_the_process(start: Start) -> None:
    first = start("echo", run=False)
    job = first.submit(PNG, name="a.png", owner="ann", engine="echo")
    first.close()
    second = start("echo")
    assert read_by(second, ended(second, job).id) == "echo-1"


def test_where_an_engine_may_no_longer_be_chosen(start: Start) -> None:
    first = start("echo", run=False)
    waiting = first.submit(PNG, name="a.png", owner="ann", engine="echo")
    first.close()
    second = start()
    failed = ended(second, waiting)
    assert failed.state is JobState.FAILED
    assert failed.error is not None
    assert failed.error.code == "invalid-request"
    assert second.resubmit(waiting.id, "ann").engine == "other"


def test_how_far_its_engine_is_loaded(start: Start) -> None:
    engine = GatedEngine()
    service = start(engine=engine)
    job = service.submit(PNG, name="a.png", owner="ann")
    engine.wait_until_entered()
    running = service.get(job.id, "ann")
    assert service.load_progress(running) is None  # it is loaded
    loading = running.model_copy(update={"stage": "load", "engine": "echo"})
    assert service.load_progress(loading) == (None if service.analyzer.loaded else 0.0)
    service.analyzer.load_progress, service.analyzer._loaded = ("weights", 0.25), False
    assert service.load_progress(loading) == 0.25
    engine.gate.set()
    assert service.load_progress(ended(service, job)) is None
