"""Two documents handed in together and compared, through the job service."""

from __future__ import annotations

import pytest

from mineru_core.document.table_edits import SetText
from mineru_core.errors import Cancelled, EncryptedPdf, InvalidRequest, NotFound, Overloaded, UnsupportedType
from mineru_core.jobs.comparisons import Upload, comparison_id, is_comparison, jobs_of
from mineru_core.jobs.correction_log import TableId
from mineru_core.jobs.model import Job, JobState
from mineru_core.jobs.service import JobService
from tests.documents import PdfPage, PdfText, encrypted_pdf, text_pdf
from tests.jobs.conftest import WAIT_S, Start
from tests.jobs.tables import TableEngine
from tests.stand_ins import GatedEngine


def upload(name: str, *pages: str) -> Upload:
    return Upload(name, text_pdf([PdfPage([PdfText(text)]) for text in pages]))


OLD, NEW = upload("old.pdf", "Dear Sir", "10 dollars are due"), upload("new.pdf", "Dear Sir", "12 dollars are due")


def ended(service: JobService, job: Job) -> Job:
    while not job.state.is_final:
        job = service.comparisons.wait(job.id, job.owner, WAIT_S)
    return job


def test_two_documents_become_one_comparison(start: Start) -> None:
    service = start()
    job = service.comparisons.submit(OLD, NEW, owner="ann")
    assert is_comparison(job.id)
    assert job.source == "old.pdf → new.pdf"
    job = ended(service, job)
    assert (job.state, job.page, job.pages, job.done) == (JobState.DONE, 4, 4, 4)
    result = service.comparisons.result(job.id, "ann")
    assert [(change.before, change.after) for change in result.answer.changes] == [
        ("10 dollars are due", "12 dollars are due")
    ]


def test_two_jobs_that_asked_what_changed_are_compared(start: Start) -> None:
    service = start()
    jobs = [service.submit(each.data, name=each.name, words="有什么变化", owner="ann") for each in (OLD, NEW)]
    name = comparison_id([job.id for job in jobs])
    assert name is not None
    assert jobs_of(name) == (jobs[0].id, jobs[1].id)
    ended(service, service.comparisons.get(name, "ann"))
    assert len(service.comparisons.result(name, "ann").answer.changes) == 1
    assert service.comparisons.between([job.id for job in jobs], "ann") == service.comparisons.result(name, "ann")
    assert comparison_id([jobs[0].id]) is None


def test_two_documents_that_were_asked_something_else_are_not_compared(start: Start) -> None:
    service = start()
    jobs = [
        service.submit(each.data, name=each.name, words=words, owner="ann").id
        for each, words in ((OLD, "what changed"), (NEW, "the text"))
    ]
    assert service.comparisons.between(jobs[:1], "ann") is None
    ended(service, service.comparisons.get("-".join(jobs), "ann"))
    assert service.comparisons.between(jobs, "ann") is None
    with pytest.raises(InvalidRequest):
        service.comparisons.result("-".join(jobs), "ann")


def test_a_restart_keeps_a_comparison(start: Start) -> None:
    service = start(run=False)
    job = service.comparisons.submit(OLD, NEW, owner="ann")
    assert job.state is JobState.PENDING
    service.close()
    again = start()
    assert ended(again, again.comparisons.get(job.id, "ann")).state is JobState.DONE


def test_nobody_else_sees_it(start: Start) -> None:
    service = start(run=False)
    job = service.comparisons.submit(OLD, NEW, owner="ann")
    for call in (service.comparisons.get, service.comparisons.result, service.comparisons.cancel):
        with pytest.raises(NotFound):
            call(job.id, "bob")
    for name in ("-", "x-", "-x", f"{job.id}-x", "x"):
        with pytest.raises(NotFound):
            service.comparisons.get(name, "ann")


def test_a_comparison_of_anothers_document_is_none(start: Start) -> None:
    service = start(run=False)
    mine = service.submit(OLD.data, name="old.pdf", words="what changed", owner="ann")
    theirs = service.submit(NEW.data, name="new.pdf", words="what changed", owner="bob")
    with pytest.raises(NotFound):
        service.comparisons.get(f"{mine.id}-{theirs.id}", "ann")


def test_where_one_is_refused_neither_is_read(start: Start) -> None:
    service = start(run=False)
    with pytest.raises(UnsupportedType):
        service.comparisons.submit(OLD, Upload("new.pdf", b"no document"), owner="ann")
    assert [job.state for job in service.list("ann")] == [JobState.CANCELLED]
    with pytest.raises(EncryptedPdf):
        service.comparisons.submit(Upload("old.pdf", encrypted_pdf("secret")), NEW, owner="ann")
    with pytest.raises(InvalidRequest):
        service.comparisons.submit(OLD, NEW, words="extract the tables", owner="ann")
    assert len(service.list("ann")) == 1


def test_a_full_service_takes_neither(start: Start) -> None:
    service = start(run=False, waiting_places=1)
    with pytest.raises(Overloaded):
        service.comparisons.submit(OLD, NEW, owner="ann")
    assert not [job for job in service.list("ann") if not job.state.is_final]


def test_one_password_opens_those_that_need_it(start: Start) -> None:
    service = start()
    locked = Upload("old.pdf", encrypted_pdf("secret"))
    job = service.comparisons.submit(locked, NEW, owner="ann", password="secret")
    assert ended(service, job).state is JobState.DONE


def test_a_cancel_stops_both(start: Start) -> None:
    engine = GatedEngine()
    service = start(engine)
    job = service.comparisons.submit(OLD, NEW, owner="ann")
    assert service.comparisons.cancel(job.id, "ann").state is JobState.CANCELLED
    assert {each.state for each in service.list("ann")} == {JobState.CANCELLED}
    with pytest.raises(Cancelled):
        service.comparisons.result(job.id, "ann")
    engine.gate.set()


def test_a_comparison_follows_corrections_of_either_side(start: Start) -> None:
    service = start(TableEngine())
    job = ended(service, service.comparisons.submit(upload("old.pdf", "same"), upload("new.pdf", "same "), owner="ann"))
    assert service.comparisons.result(job.id, "ann").answer.changes == ()
    before, _ = jobs_of(job.id)
    service.corrections.correct(before, "ann", TableId(page=1, index=0), SetText(row=1, col=1, text="99"), version=0)
    (change,) = service.comparisons.result(job.id, "ann").answer.changes
    assert (change.before, change.after, change.row, change.col) == ("99", "1O", 1, 1)
