"""What the pages ask of the core, with the echo engine."""

from __future__ import annotations

from typing import Any

import pytest

from mineru_core.jobs.model import Job, JobState
from mineru_core.ui import services
from mineru_core.ui.services import Upload
from tests.documents import table_pdf

pytestmark = pytest.mark.usefixtures("workbench")

WAIT_S = 20.0
NOTE = Upload("note.pdf", table_pdf())


def names() -> list[str]:
    return [job.source for job in services.service().list("ann")]


def test_a_double_click_is_one_job() -> None:
    first = services.submit([NOTE], "all text", "ann")
    assert services.submit([NOTE], "all text", "ann") == first
    assert len(names()) == 1


def test_other_words_files_and_readers_are_jobs_of_their_own() -> None:
    services.submit([NOTE], "all text", "ann")
    services.submit([NOTE], "tables", "ann")
    services.submit([Upload("other.pdf", NOTE.data)], "all text", "ann")
    services.submit([NOTE], "all text", "ben")
    assert len(names()) == 3
    assert len(services.service().list("ben")) == 1


def test_what_was_cancelled_is_read_when_asked_again() -> None:
    (first,) = services.submit([NOTE], "all text", "ann").jobs
    services.service().cancel(first, "ann")
    if services.service().get(first, "ann").state is JobState.CANCELLED:
        assert services.submit([NOTE], "all text", "ann").jobs != (first,)


def test_the_same_question_later_is_a_new_job(monkeypatch: pytest.MonkeyPatch) -> None:
    first = services.submit([NOTE], "all text", "ann")
    monkeypatch.setattr(services, "REPEAT_S", -1.0)
    assert services.submit([NOTE], "all text", "ann") != first


def test_one_file_is_read_for_its_reader_and_several_are_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[bool] = []
    submit = services.service().submit

    def noting(*args: Any, interactive: bool, **named: Any) -> Job:
        told.append(interactive)
        return submit(*args, interactive=interactive, **named)

    monkeypatch.setattr(services.service(), "submit", noting)
    services.submit([NOTE], "all text", "ann")
    services.submit([NOTE, Upload("other.pdf", NOTE.data)], "all text", "ann")
    (job, *_) = services.service().list("ann")
    services.ask_again(job, "tables", "ann", lambda _: ())
    assert told == [True, False, False, True]


def test_a_refused_file_is_looked_at_again() -> None:
    bad = Upload("bad.pdf", b"%PDF-1.4 nothing")
    for _ in range(2):
        assert [problem.code for problem in services.submit([bad], "", "ann").problems] == ["corrupt-pdf"]


def test_asking_again_twice_at_once_is_one_job() -> None:
    (first,) = services.submit([NOTE], "all text", "ann").jobs
    job = services.service().wait(first, "ann", WAIT_S)
    asked = services.ask_again(job, "find Stapler", "ann", lambda _: ())
    assert services.ask_again(job, "find Stapler", "ann", lambda _: ()) == asked
    assert len(names()) == 2
