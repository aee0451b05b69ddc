"""Whom a job service lets in, whose job is next, and when it stops for want of a reader."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from mineru_core.errors import EmptyFile, Overloaded
from mineru_core.jobs.departure import Departures
from mineru_core.jobs.model import JobState
from mineru_core.jobs.service import JobService
from mineru_core.serving.analyzer import Analyzer
from mineru_core.settings import JobSettings, Settings
from tests.documents import draw_lines, png_bytes
from tests.jobs.conftest import NO_CACHE, PNG, Start, ended, picture
from tests.stand_ins import GatedEngine


def test_a_crowd_that_is_refused_fills_no_disk(start: Start) -> None:
    service = start(run=False, waiting_places=1)
    service.submit(PNG, name="a.png", owner="ann")
    kept = set(service._blobs.names())
    for width in (201, 202):
        with pytest.raises(Overloaded):
            service.submit(png_bytes(draw_lines(["x"], width=width)), name="b.png", owner="bob")
    with pytest.raises(Overloaded):  # not looked at: to decode what is refused anyway is work for nothing
        service.submit(PNG[:-50], name="c.png", owner="bob")
    assert set(service._blobs.names()) == kept


def test_no_place_left_is_overloaded_until_one_is_free(start: Start) -> None:
    engine = GatedEngine()
    service = start(engine, workers=1, waiting_places=2)
    first = service.submit(PNG, name="a.png", owner="ann")
    engine.wait_until_entered()
    waiting = [service.submit(PNG, name="a.png", owner="ann") for _ in range(2)]
    with pytest.raises(Overloaded):
        service.submit(PNG, name="a.png", owner="bob")
    assert service.analyzer.metrics.value("mineru_workbench_queue_fraction") == 1.0
    engine.gate.set()
    assert {ended(service, job).state for job in [first, *waiting]} == {JobState.DONE}
    assert ended(service, service.submit(PNG, name="a.png", owner="bob")).state is JobState.DONE


def test_a_refusal_says_when_to_come_again_once_that_is_known(start: Start) -> None:
    engine = GatedEngine()
    service = start(engine, workers=1, waiting_places=1)
    engine.gate.set()
    ended(service, service.submit(PNG, name="a.png", owner="ann"))
    engine.gate.clear()
    engine.entered.acquire()
    service.submit(PNG, name="a.png", owner="ann")
    engine.wait_until_entered()
    service.submit(PNG, name="a.png", owner="ann")
    with pytest.raises(Overloaded) as refused:
        service.submit(PNG, name="a.png", owner="ann")
    assert refused.value.retry_after_s is not None
    assert refused.value.retry_after_s >= 1


def test_a_newcomer_is_read_at_once_beside_200_jobs_of_another(start: Start) -> None:
    engine = GatedEngine()
    service = start(engine, workers=3, waiting_places=300)
    batch = [service.submit(picture(n), name=f"{n}.png", owner="batch") for n in range(200)]
    engine.wait_until_entered(2)
    newcomer = service.submit(PNG, name="a.png", owner="newcomer")
    engine.wait_until_entered()
    states = {job.id: job.state for job in [*service.list("batch", 300), *service.list("newcomer")]}
    assert states[newcomer.id] is JobState.RUNNING
    assert [states[job.id] for job in batch].count(JobState.RUNNING) == 2
    for job in batch[5:]:
        service.cancel(job.id, "batch")
    assert service.admission.inside <= 6
    engine.gate.set()
    assert {ended(service, job).state for job in [newcomer, *batch[:5]]} == {JobState.DONE}


def test_without_a_set_number_nobody_takes_all_places(start: Start) -> None:
    service = start(run=False)
    most = service.admission.places
    with pytest.raises(Overloaded) as refused:
        [service.submit(PNG, name="a.png", owner="batch") for _ in range(most)]
    assert refused.value.retry_after_s is not None
    assert most / 2 <= service.admission.inside < most
    assert service.submit(PNG, name="a.png", owner="newcomer").state is JobState.PENDING
    service.refuse_if_full("somebody")
    with pytest.raises(Overloaded):
        service.refuse_if_full("batch")


def test_what_waits_from_before_and_elsewhere_takes_up_places(start: Start) -> None:
    first, second = start(run=False, waiting_places=3), start(run=False, waiting_places=3)
    jobs = [first.submit(PNG, name="a.png", owner="ann") for _ in range(3)]
    with pytest.raises(Overloaded):  # the database knows before the memory does
        second.submit(PNG, name="a.png", owner="ann")
    assert second.admission.inside == 0
    second._runner.look_after()
    assert second.admission.queue_fraction == 1.0
    second.cancel(jobs[0].id, "ann")
    first._runner.look_after()
    for service in (first, second):
        assert service.admission.inside == 2
    first.submit(PNG, name="a.png", owner="ann")


def test_a_refused_document_takes_up_no_place(start: Start) -> None:
    service = start(run=False, waiting_places=1)
    with pytest.raises(EmptyFile):
        service.submit(b"", name="a.png", owner="ann")
    assert service.admission.inside == 0


class FakeTime:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_interactive_jobs_stop_after_the_last_session_and_others_go_on(home: Path) -> None:
    clock, engine = FakeTime(), GatedEngine()
    settings = Settings(home=home, jobs=JobSettings(workers=4), cache=NO_CACHE)
    service = JobService(settings, Analyzer(settings, engine), departures=Departures(10.0, clock=clock))
    try:
        service.start()
        service.arrived("ann", "tab 1")
        running = service.submit(PNG, name="a.png", owner="ann", interactive=True)
        batch = service.submit(picture(1), name="b.png", owner="ann")
        engine.wait_until_entered(2)
        service.left("ann", "tab 1")
        clock.now = 9.9
        service._stop_abandoned()
        assert service.get(running.id, "ann").state is JobState.RUNNING
        service.arrived("ann", "tab 1, reloaded")
        clock.now = 60.0
        service._stop_abandoned()
        assert service.get(running.id, "ann").state is JobState.RUNNING
        service.left("ann", "tab 1, reloaded")
        clock.now = 70.0
        assert ended(service, running).state is JobState.CANCELLED  # the housekeeper looks by itself
        assert service.get(batch.id, "ann").state is JobState.RUNNING
    finally:
        engine.gate.set()
        service.close()


@pytest.mark.parametrize("jump_s", [-1e6, 1e5])
def test_a_jump_of_the_wall_clock_ends_no_job(start: Start, monkeypatch: pytest.MonkeyPatch, jump_s: float) -> None:
    engine, now = GatedEngine(), time.time
    service = start(engine, deadline_s=60)
    service.arrived("ann", "tab")
    job = service.submit(PNG, name="a.png", owner="ann", interactive=True)
    engine.wait_until_entered()
    service.left("ann", "tab")
    monkeypatch.setattr(time, "time", lambda: now() + jump_s)
    service._stop_abandoned()
    service._runner.look_after()
    assert service.get(job.id, "ann").state is JobState.RUNNING
    rate = service.admission.rate_per_s
    engine.gate.set()
    assert ended(service, job).state is JobState.DONE
    assert service.admission.rate_per_s <= 2 * rate
