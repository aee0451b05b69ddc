import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update
from sqlalchemy.exc import OperationalError

from mineru_core.document.geometry import Box
from mineru_core.document.task import Region
from mineru_core.engines.echo import EchoEngine
from mineru_core.errors import (
    Cancelled,
    CorruptPdf,
    DeadlineExceeded,
    EmptyFile,
    EncryptedPdf,
    InvalidRequest,
    NotFound,
    Overloaded,
    UnsupportedType,
)
from mineru_core.jobs.model import JobState
from mineru_core.jobs.runner import Run
from mineru_core.runtime.context import RunContext
from mineru_core.store.database import Database
from mineru_core.store.tables import BlobRefRow, JobRow
from tests.documents import PdfPage, PdfText, encrypted_pdf, text_pdf
from tests.jobs.conftest import PNG, WAIT_S, Start, ended, picture
from tests.stand_ins import BrokenEngine, GatedEngine

PDF = text_pdf([PdfPage([PdfText(f"Page {n}")]) for n in (1, 2, 3)])


def test_a_document_goes_in_and_its_result_comes_out(start: Start) -> None:
    service = start()
    job = service.submit(PDF, name="r\u00e9sum\u00e9.pdf", words="all text", owner="ann")
    assert (job.state, job.source, job.words) == (JobState.PENDING, "résumé.pdf", "all text")
    job = ended(service, job)
    assert (job.state, job.error) == (JobState.DONE, None)
    assert job.finished_at is not None
    assert job.finished_at >= job.created_at
    result = service.result(job.id, "ann")
    assert [page.blocks[0].text for page in result.analysis.pages] == ["Page 1", "Page 2", "Page 3"]
    assert service.result(job.id, "ann") is result
    with service.document(job.id, "ann") as document:
        assert document.page_count == 3


def test_the_result_is_kept_over_a_restart(start: Start) -> None:
    first = start()
    job = ended(first, first.submit(PDF, name="a.pdf", owner="ann"))
    before = first.result(job.id, "ann")
    first.close()
    assert start().result(job.id, "ann") == before


@pytest.mark.parametrize(
    ("data", "error"),
    [(b"", EmptyFile), (b"just words", UnsupportedType), (b"%PDF-1.7\nnothing more", CorruptPdf)],
)
def test_what_cannot_be_read_is_refused_at_once(start: Start, data: bytes, error: type[Exception]) -> None:
    service = start()
    with pytest.raises(error):
        service.submit(data, name="a.pdf", owner="ann")
    assert service.list("ann") == []


def test_a_region_on_no_page_and_endless_words_are_refused_at_once(start: Start) -> None:
    service = start()
    with pytest.raises(InvalidRequest, match="page 4 of 3"):
        service.submit(PDF, name="a.pdf", owner="ann", regions=[Region(page=4, box=Box(0, 0, 9, 9))])
    with pytest.raises(InvalidRequest, match="4000"):
        service.submit(PDF, name="a.pdf", owner="ann", words="x" * 4001)


def test_regions_that_nothing_can_be_read_in_are_refused_at_once(start: Start) -> None:
    service = start()
    whole = Region(page=1, box=Box(0, 0, 9, 9))
    nowhere = Region(page=1, box=Box(0, 0, float("nan"), float("inf")))
    for regions, said in (([whole, nowhere], "no number"), ([whole] * 101, "101 regions")):
        with pytest.raises(InvalidRequest, match=said):
            service.submit(PDF, name="a.pdf", owner="ann", regions=regions)
    assert service.list("ann") == []


def test_text_that_no_database_can_hold_is_mended(start: Start) -> None:
    service = start()
    job = ended(service, service.submit(PNG, name="a\udcff.png", words="find \udcff", owner="ann"))
    assert job.state is JobState.DONE
    assert job.source == "a.png"


def test_a_region_limits_what_is_read(start: Start) -> None:
    service = start()
    region = Region(page=2, box=Box(0, 0, 600, 400))
    job = ended(service, service.submit(PDF, name="a.pdf", owner="ann", regions=[region]))
    assert [page.page for page in service.result(job.id, "ann").analysis.pages] == [2]


def test_nobody_else_sees_a_job(start: Start) -> None:
    service = start()
    job = ended(service, service.submit(PNG, name="a.png", owner="ann"))
    for ask in (service.get, service.result, service.cancel, service.document, service.resubmit):
        with pytest.raises(NotFound):
            ask(job.id, "bob")
    with pytest.raises(NotFound):
        service.wait(job.id, "bob", 1)
    assert service.list("bob") == []
    assert [j.id for j in service.list("ann")] == [job.id]


def test_progress_is_seen_while_it_runs(start: Start) -> None:
    engine = GatedEngine()
    service = start(engine)
    job = service.submit(PDF, name="a.pdf", owner="ann")
    engine.wait_until_entered()
    job = service.get(job.id, "ann")
    assert (job.state, job.stage, job.pages) == (JobState.RUNNING, "read", 3)
    assert 1 <= job.page <= 3  # the next pages may be under way already
    assert [one.id for one in service.list("ann")] == [job.id]
    assert service.wait(job.id, "ann", 0.01).state is JobState.RUNNING
    engine.gate.set()
    ended(service, job)


def test_cancelling_shows_at_once_and_frees_the_worker(start: Start) -> None:
    engine = GatedEngine()
    service = start(engine, workers=1)
    running = service.submit(PNG, name="a.png", owner="ann")
    engine.wait_until_entered()
    waiting = service.submit(PNG, name="b.png", owner="ann")
    # The waiting one first: the worker takes it as soon as the other is cancelled.
    assert service.cancel(waiting.id, "ann").state is JobState.CANCELLED
    assert service.cancel(running.id, "ann").state is JobState.CANCELLED
    with pytest.raises(Cancelled):
        service.result(running.id, "ann")
    engine.gate.set()
    after = ended(service, service.submit(picture(1), name="c.png", owner="ann"))
    assert after.state is JobState.DONE
    assert engine.seen == [1, 1]  # the page of the first and that of the last
    assert service.get(running.id, "ann").state is JobState.CANCELLED
    assert service.cancel(after.id, "ann").state is JobState.DONE


def test_a_job_cancelled_by_another_process_stops(start: Start) -> None:
    engine = GatedEngine()
    service, other = start(engine, workers=1), start(run=False)
    job = service.submit(PDF, name="a.pdf", owner="ann")
    engine.wait_until_entered()
    other.cancel(job.id, "ann")
    next_one = service.submit(PNG, name="b.png", owner="ann")
    engine.wait_until_entered()  # the worker is free again though the gate never opened for the first
    engine.gate.set()
    ended(service, next_one)


def test_a_fault_of_the_engine_is_a_failed_page_not_a_failed_job(start: Start) -> None:
    service = start(BrokenEngine({2: RuntimeError("bug")}))
    job = ended(service, service.submit(PDF, name="a.pdf", owner="ann"))
    result = service.result(job.id, "ann")
    assert (job.state, result.success) == (JobState.DONE, False)
    assert [(f.page, f.code) for f in result.failures] == [(2, "engine-failed")]


def test_a_failed_job_raises_its_error_again(start: Start) -> None:
    service = start()
    job = ended(service, service.submit(PNG, name="a.png", words="page 7", owner="ann"))
    assert job.error is not None
    assert (job.state, job.error.code) == (JobState.FAILED, "no-pages")
    with pytest.raises(Exception, match=job.error.message) as raised:
        service.result(job.id, "ann")
    assert getattr(raised.value, "code", None) == "no-pages"


def test_a_fault_of_ours_ends_the_job_and_not_the_worker(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    service = start(workers=1)

    def broken(*_args: object, **_named: object) -> None:
        raise KeyError("secret text")

    monkeypatch.setattr(service.analyzer, "analyze", broken)
    job = ended(service, service.submit(PNG, name="a.png", owner="ann"))
    assert job.error is not None
    assert job.error.code == "internal"
    assert "secret" not in job.error.message
    monkeypatch.undo()
    assert ended(service, service.submit(PNG, name="a.png", owner="ann")).state is JobState.DONE


def test_who_waits_for_a_running_job_hears_of_its_cancelling_before_it_stops(start: Start) -> None:
    engine = GatedEngine()
    service = start(engine)
    job = service.submit(PNG, name="a.png", owner="ann")
    engine.wait_until_entered()
    with ThreadPoolExecutor(1) as pool:
        waiter = pool.submit(service.wait, job.id, "ann", WAIT_S)
        service.cancel(job.id, "ann")
        assert waiter.result(WAIT_S).state is JobState.CANCELLED


def test_who_waits_asks_the_database_no_oftener_for_what_others_do(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = GatedEngine()
    service = start(engine, waiting_places=99)
    job = service.submit(PNG, name="a.png", owner="ann")
    engine.wait_until_entered()
    get, looks = service._queue.get, []
    monkeypatch.setattr(service._queue, "get", lambda *who: (looks.append(who), get(*who))[1])
    with ThreadPoolExecutor(1) as pool:
        waiter = pool.submit(service.wait, job.id, "ann", 0.5)
        for _ in range(200):
            service._changes.announce()
        assert waiter.result(WAIT_S).state is JobState.RUNNING
    assert len(looks) <= 3
    engine.gate.set()
    assert ended(service, job).state is JobState.DONE


def test_a_job_has_a_deadline(start: Start) -> None:
    service = start(EchoEngine(delay_s=60), deadline_s=0.1)
    job = ended(service, service.submit(PNG, name="a.png", owner="ann"))
    with pytest.raises(DeadlineExceeded):
        service.result(job.id, "ann")


def test_no_result_before_the_end(start: Start) -> None:
    service = start(run=False)
    job = service.submit(PNG, name="a.png", owner="ann")
    with pytest.raises(InvalidRequest):
        service.result(job.id, "ann")


def test_a_new_service_goes_on_with_what_ran_and_what_waited(start: Start) -> None:
    engine = GatedEngine()
    first = start(engine, workers=1)
    running = first.submit(PDF, name="a.pdf", owner="ann")
    engine.wait_until_entered()
    waiting = first.submit(PNG, name="b.png", owner="ann")
    first.close()
    second = start(run=False)
    assert [second.get(job.id, "ann").state for job in (running, waiting)] == [JobState.PENDING] * 2
    second.start()
    assert [ended(second, job).state for job in (running, waiting)] == [JobState.DONE] * 2


def test_jobs_of_a_service_that_died_are_taken_over(start: Start, home: Path) -> None:
    first = start(run=False)
    job = first.submit(PNG, name="a.png", owner="ann")
    assert first._queue.claim() is not None
    first._presence.close()  # as the system does for a process that ends
    assert ended(start(), job).state is JobState.DONE


def test_two_services_run_each_job_once(start: Start) -> None:
    engines = [GatedEngine(), GatedEngine()]
    services = [start(engine, workers=2) for engine in engines]
    jobs = [services[0].submit(PNG, name="a.png", owner="ann") for _ in range(8)]
    for engine in engines:
        engine.gate.set()
    assert {ended(services[1], job).state for job in jobs} == {JobState.DONE}
    assert sum(len(engine.seen) for engine in engines) == 8


def test_a_document_that_has_gone_fails_its_job(start: Start, home: Path) -> None:
    first = start(run=False)
    job = first.submit(PNG, name="a.png", owner="ann")
    first.close()
    for blob in (home / "blobs").glob("??/??/*"):
        blob.unlink()
    second = start()
    job = ended(second, job)
    assert job.error is not None
    assert job.error.code == "not-found"


def test_a_password_is_used_and_never_written(start: Start, home: Path) -> None:
    locked = encrypted_pdf("open sesame")
    service = start()
    with pytest.raises(EncryptedPdf):
        service.submit(locked, name="a.pdf", owner="ann")
    job = ended(service, service.submit(locked, name="a.pdf", owner="ann", password="open sesame"))
    assert job.state is JobState.DONE
    with service.document(job.id, "ann") as document:
        assert document.page_count >= 1
    service.close()
    for path in home.rglob("*"):
        assert not path.is_file() or b"open sesame" not in path.read_bytes(), path


def test_a_password_does_not_outlive_its_service(start: Start) -> None:
    first = start(run=False)
    job = first.submit(encrypted_pdf("open sesame"), name="a.pdf", owner="ann", password="open sesame")
    first.close()
    job = ended(start(), job)
    assert job.error is not None
    assert job.error.code == "encrypted-pdf"


def test_a_password_nobody_asked_for_is_not_needed_later(start: Start) -> None:
    first = start(run=False)
    job = first.submit(PDF, name="a.pdf", owner="ann", password="superfluous")
    first.close()
    assert ended(start(), job).state is JobState.DONE


def test_past_its_time_a_job_is_expired(start: Start, home: Path) -> None:
    first = start()
    job = ended(first, first.submit(PNG, name="a.png", owner="ann"))
    first.close()
    database = Database(home / "state.db")
    with database.write() as session:
        session.execute(update(BlobRefRow).values(expires_at=time.time() - 1))
    database.close()
    second = start(run=False)
    second._passwords = {job.id: "old", "a job on its way into the database": "new"}
    second._enforce_retention()
    assert list(second._passwords.values()) == ["new"]
    assert second.get(job.id, "ann").state is JobState.EXPIRED
    for ask in (second.result, second.document):
        with pytest.raises(NotFound):
            ask(job.id, "ann")


def test_asking_again_about_the_same_document(start: Start) -> None:
    service = start()
    first = ended(service, service.submit(PDF, name="a.pdf", owner="ann"))
    second = ended(service, service.resubmit(first.id, "ann", words="page 2"))
    assert second.id != first.id
    assert second.source == "a.pdf"
    assert [p.page for p in service.result(second.id, "ann").analysis.pages] == [2]


def test_progress_is_written_down_for_other_processes(start: Start) -> None:
    engine = GatedEngine()
    service, other = start(engine), start(run=False)
    job = service.submit(PDF, name="a.pdf", owner="ann")
    engine.wait_until_entered()
    service._runner.look_after()
    seen = other.get(job.id, "ann")
    assert (seen.stage, seen.pages) == ("read", 3)
    assert 1 <= seen.page <= 3  # the next pages may be under way already
    engine.gate.set()
    ended(other, job)  # by looking: nobody wakes a waiter of another process


def test_many_submit_at_once(start: Start) -> None:
    service = start(workers=3, waiting_places=64)
    with ThreadPoolExecutor(8) as pool:
        jobs = list(pool.map(lambda n: service.submit(PNG, name=f"{n}.png", owner=f"owner-{n % 4}"), range(24)))
        done = list(pool.map(lambda job: ended(service, job), jobs))
    assert {job.state for job in done} == {JobState.DONE}
    assert sorted(job.source for job in done) == sorted(f"{n}.png" for n in range(24))
    assert len(service.list("owner-0")) == 6


def test_closed_it_takes_nothing_more(start: Start) -> None:
    service = start()
    service.close()
    service.close()
    with pytest.raises(Overloaded):
        service.submit(PNG, name="a.png", owner="ann")


def test_a_worker_survives_a_database_that_is_busy(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    service = start(run=False, workers=1)
    claim = service._queue.claim
    failed: list[bool] = []

    def busy_once(most_of_one: int | None = None) -> JobRow | None:
        if not failed:
            failed.append(True)
            raise OperationalError("BEGIN IMMEDIATE", {}, Exception("database is locked"))
        return claim(most_of_one)

    monkeypatch.setattr(service._queue, "claim", busy_once)
    job = service.submit(PNG, name="a.png", owner="ann")
    service.start()
    while not failed:
        service.wait(job.id, "ann", 0.05)
    service.submit(PNG, name="b.png", owner="ann")  # wakes the worker
    assert ended(service, job).state is JobState.DONE


def test_a_job_whose_end_could_not_be_written_runs_again(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    service = start(run=False, workers=1)
    finish, failed = service._queue.finish, threading.Event()

    def full_once(*args: Any, **named: Any) -> bool:
        if not failed.is_set():
            if named.get("error") is not None:  # the failure itself could not be written either
                failed.set()
            raise OperationalError("COMMIT", {}, Exception("disk is full"))
        return finish(*args, **named)

    monkeypatch.setattr(service._queue, "finish", full_once)
    job = service.submit(PNG, name="a.png", owner="ann")
    service.start()
    assert failed.wait(WAIT_S)
    assert ended(service, job).state is JobState.DONE


def test_a_job_claimed_while_the_housekeeper_looks_is_not_stopped(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = start(run=False)
    ctx, running_here = RunContext(), service._queue.running_here

    def claimed_meanwhile() -> set[str]:
        found = running_here()
        service._runner._running["new"] = Run(ctx)
        return found

    monkeypatch.setattr(service._queue, "running_here", claimed_meanwhile)
    service._runner.look_after()
    assert not ctx.cancelled


def test_refusals_are_counted_by_code(start: Start) -> None:
    service = start(run=False)
    with pytest.raises(EmptyFile):
        service.submit(b"", name="a.png", owner="ann")
    assert service.analyzer.metrics.value("mineru_workbench_failures_total", code="empty-file") == 1


_READER = """
import sys
from pathlib import Path
from mineru_core.engines.echo import EchoEngine
from mineru_core.jobs.service import JobService
from mineru_core.serving.analyzer import Analyzer
from mineru_core.settings import load_settings

settings = load_settings()
service = JobService(settings, Analyzer(settings, EchoEngine(delay_s=600)))
service.start()
job = service.submit(Path(sys.argv[1]).read_bytes(), name="a.pdf", owner="ann")
while service.get(job.id, "ann").state == "pending":
    service.wait(job.id, "ann", 0.05)
print(job.id, flush=True)
sys.stdin.read()
"""


@pytest.mark.long
def test_a_killed_process_loses_no_job(start: Start, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(PDF)
    command = [sys.executable, "-c", _READER, str(tmp_path / "a.pdf")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as reader:
        assert reader.stdout is not None
        job_id = reader.stdout.readline().decode().strip()
        service = start()
        assert service.get(job_id, "ann").state is JobState.RUNNING  # it is alive: nobody else takes its job
        reader.kill()
    assert service.wait(job_id, "ann", WAIT_S).state is JobState.DONE
