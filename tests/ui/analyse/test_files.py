"""Several files handed in together: their names, how far they are, and the archive of all answers."""

from __future__ import annotations

import io
import zipfile
from datetime import UTC, datetime

import pytest

from mineru_core.jobs.model import Job, JobState
from mineru_core.ui import services
from mineru_core.ui.analyse.files import LISTED, names_of, waiting_html
from mineru_core.ui.i18n import Translator
from mineru_core.ui.services import Upload
from tests.documents import table_pdf

EN = Translator("en")
WAIT_S = 20.0


def job(number: int, source: str, state: JobState, *, done: int = 0, pages: int = 0) -> Job:
    created = datetime(2025, 1, 1, tzinfo=UTC)
    stage = "text" if state is JobState.RUNNING else ""
    return Job(
        id=str(number), owner="me", state=state, source=source, stage=stage, page=done + 1 if pages else 0,
        done=done, pages=pages, created_at=created,
    )  # fmt: skip


def by_id(*jobs: Job) -> dict[str, Job]:
    return {one.id: one for one in jobs}


def test_files_of_one_name_are_told_apart() -> None:
    jobs = by_id(*(job(n, name, JobState.DONE) for n, name in enumerate(["a.pdf", "b.pdf", "a.pdf", "a.pdf"])))
    assert list(names_of(jobs).values()) == ["a.pdf", "b.pdf", "a.pdf (2)", "a.pdf (3)"]


def test_it_is_told_how_far_each_file_is_but_the_one_shown() -> None:
    jobs = by_id(
        job(1, "shown.pdf", JobState.RUNNING, pages=3),
        job(2, "done.pdf", JobState.DONE),
        job(3, "waits.pdf", JobState.PENDING),
        job(4, "<b>.pdf", JobState.RUNNING, done=1, pages=4),
    )
    markup = waiting_html(jobs, "1", EN)
    assert EN("files.done", done=1, files=4) in markup
    assert "shown.pdf" not in markup
    assert "done.pdf" not in markup
    assert "page 2, 1 of 4 done" in markup
    assert markup.index("&lt;b&gt;.pdf") < markup.index("waits.pdf")
    assert 'value="32"' in markup
    assert 'value="0"' in markup


@pytest.mark.parametrize(("count", "rest"), [(LISTED, None), (LISTED + 1, "and 1 more"), (LISTED + 3, "and 3 more")])
def test_many_files_are_counted(count: int, rest: str | None) -> None:
    jobs = by_id(*(job(n, f"{n}.pdf", JobState.PENDING) for n in range(count)))
    markup = waiting_html(jobs, "", EN)
    assert markup.count("<progress") == LISTED
    assert (rest in markup) if rest else ("more" not in markup)


@pytest.mark.usefixtures("workbench")
def test_all_answers_are_in_one_archive_a_folder_each() -> None:
    files = [Upload("a.pdf", table_pdf(title="First")), Upload("A.pdf", table_pdf(title="Second"))]
    jobs = [services.service().wait(one, "ann", WAIT_S) for one in services.submit(files, "all text", "ann").jobs]
    gone = jobs[0].model_copy(update={"id": "gone"})
    with zipfile.ZipFile(io.BytesIO(services.zip_of_all([*jobs, gone]))) as archive:
        assert {name.split("/")[0] for name in archive.namelist()} == {"a", "A-2"}
        assert b"First" in archive.read("a/a.md")
        assert b"Second" in archive.read("A-2/A.md")
