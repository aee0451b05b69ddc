"""Corrections of the tables of a job, and the results with them."""

from __future__ import annotations

import csv
import io
import json
import threading
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import load_workbook
from sqlalchemy import func, select, update

from mineru_core.document.analysis import BlockType
from mineru_core.document.geometry import Box
from mineru_core.document.table import Table
from mineru_core.document.table_edits import (
    DeleteRows,
    InsertRows,
    MergeCells,
    PasteGrid,
    SetCaption,
    SetText,
    TableOperation,
)
from mineru_core.errors import EditConflict, InvalidRequest, NotFound
from mineru_core.export import to_html, to_json
from mineru_core.jobs import correction_log
from mineru_core.jobs.correction_log import TableId
from mineru_core.jobs.corrections import Corrections, source_of
from mineru_core.jobs.model import Job
from mineru_core.jobs.service import JobService
from mineru_core.store.database import Database
from mineru_core.store.tables import BlobRefRow, CorrectionLogRow, CorrectionRow, JobRow
from tests.documents import PdfPage, PdfText, text_pdf
from tests.export.strategies import block, page, result
from tests.jobs.conftest import Start, ended
from tests.jobs.tables import ROWS, LinedTableEngine, TableEngine

PDF = text_pdf([PdfPage([PdfText(f"Page {n}")]) for n in (1, 2)])
FIRST = TableId(page=1, index=0)
ZERO = SetText(row=1, col=1, text="10")
READ = "\n".join("\t".join(row) for row in ROWS)


@pytest.fixture
def service(start: Start) -> JobService:
    return start(TableEngine())


def read(service: JobService, words: str = "extract the tables", owner: str = "ann") -> Job:
    return ended(service, service.submit(PDF, name="a.pdf", words=words, owner=owner))


def correct(service: JobService, job: Job, *operations: TableOperation, table: TableId = FIRST) -> int:
    """Make the corrections one after another; the version then."""
    version = service.corrections.state(job.id, job.owner).version
    for operation in operations:
        version = service.corrections.correct(job.id, job.owner, table, operation, version=version).version
    return version


def rows(service: JobService, job: Job, table: int = 0) -> list[list[str]]:
    return service.result(job.id, job.owner).tables[table].rows()


def test_a_correction_shows_in_all_that_is_given_out(service: JobService) -> None:
    job = read(service, "")
    correct(service, job, ZERO)
    found = service.result(job.id, "ann")
    assert found.analysis.tables[0].rows()[1] == ["Pen", "10"]
    assert found.answer.tables[0].rows()[1] == ["Pen", "10"]
    assert "Pen\t10" in found.answer.text
    assert "Pen\t1O" in found.answer.text  # on the second page, where nobody has corrected it
    cell = found.tables[0].cells[3]
    assert (cell.edited, cell.confidence) == (True, 1.0)


def test_the_original_stays(service: JobService) -> None:
    job = read(service)
    before = service.result(job.id, "ann")
    correct(service, job, ZERO)
    assert service.original_result(job.id, "ann") == before
    assert service.result(job.id, "ann") != before


def test_without_corrections_the_result_is_the_original(service: JobService) -> None:
    job = read(service)
    assert service.result(job.id, "ann") is service.original_result(job.id, "ann")
    assert service.corrections.state(job.id, "ann").version == 0


def test_every_export_follows(service: JobService, tmp_path: Path) -> None:
    job = read(service)
    correct(service, job, ZERO, InsertRows(at=3), SetText(row=3, col=0, text="=Cap"), SetCaption(text="Prices"))
    correct(service, job, MergeCells(row=3, col=0, rowspan=1, colspan=2))
    found = service.result(job.id, "ann")
    found.save(tmp_path, ["csv", "xlsx", "md", "json", "html"])
    written = (tmp_path / "a.table1.csv").read_text(encoding="utf-8-sig")
    assert [*csv.reader(io.StringIO(written))] == [["Item", "Sum"], ["Pen", "10"], ["Ink", "20"], ["'=Cap", ""]]
    sheet = load_workbook(tmp_path / "a.table1.xlsx").active
    assert sheet is not None
    assert [str(area) for area in sheet.merged_cells.ranges] == ["A4:B4"]
    assert sheet["B2"].value == 10
    table = json.loads(to_json(found))["answer"]["tables"][0]
    assert (table["caption"], table["n_rows"], table["cells"][3]["text"]) == ("Prices", 4, "10")
    assert 'colspan="2"' in to_html(found)
    assert '<td class="edited">10</td>' in (tmp_path / "a.md").read_text()


@pytest.mark.parametrize("words", ["find ZEBRA", "what is the Sum of ZEBRA?"])
def test_a_later_question_meets_the_corrected_cell_in_its_place(start: Start, words: str) -> None:
    service = start(LinedTableEngine())
    job = read(service)
    correct(service, job, SetText(row=1, col=0, text="ZEBRA"))
    answered = service.result(read(service, words).id, "ann").answer
    assert [*answered.matches, *answered.quotes]
    found = [*answered.matches, *answered.quotes][0]
    assert (found.page, found.text.split()[0]) == (1, "ZEBRA")
    assert all(match.box.covered_by(Box(0, 20, 100, 40)) == 1 for match in answered.matches)


@pytest.mark.parametrize("words", ["all text", "read everything", "extract the tables"])
def test_all_text_and_the_text_file_say_what_is_corrected(start: Start, tmp_path: Path, words: str) -> None:
    service = start(LinedTableEngine())
    job = read(service)
    correct(service, job, SetText(row=1, col=0, text="ZEBRA"), DeleteRows(at=2))
    later = read(service, words)
    found = service.result(later.id, "ann")
    found.save(tmp_path, ["txt"])
    for text in ((tmp_path / "a.txt").read_text(), found.answer.text):
        if text:
            first, _, second = text.partition("Page 2")
            assert "ZEBRA\t1O" in first
            assert ("Pen" in first, "Ink" in first) == (False, False)
            assert ("Pen" in second, "Ink" in second) == (True, True)  # that page's table is as it was read


def test_what_is_undone_is_as_it_was_read(start: Start) -> None:
    service = start(LinedTableEngine())
    job = read(service)
    version = correct(service, job, SetText(row=1, col=0, text="ZEBRA"))
    corrected = service.result(job.id, "ann").analysis.pages[0].blocks[-1]
    assert (corrected.plain_text, corrected.lines) == ("Item\tSum\nZEBRA\t1O\nInk\t20", ())
    service.corrections.undo(job.id, "ann", version=version)
    original = service.original_result(job.id, "ann")
    assert service.result(job.id, "ann").analysis == original.analysis
    assert original.analysis.pages[0].blocks[-1].lines


def test_tables_that_nobody_asked_for_are_read_only_where_some_were_corrected(start: Start) -> None:
    service = start(LinedTableEngine())
    assert service.result(read(service, "find Pen").id, "ann").analysis.tables == ()
    correct(service, read(service), SetText(row=1, col=0, text="ZEBRA"))
    assert len(service.result(read(service, "find Pen").id, "ann").analysis.tables) == 2
    assert service.result(read(service, "find Pen", owner="bob").id, "bob").analysis.tables == ()


def test_the_answer_is_given_anew(service: JobService) -> None:
    job = read(service, "extract the second table")
    assert rows(service, job) == [["second"]]
    correct(service, job, SetText(row=0, col=0, text="changed"), table=TableId(page=1, index=1))
    assert rows(service, job) == [["changed"]]
    assert len(service.result(job.id, "ann").tables) == 1


@pytest.mark.parametrize("words", ["tables of page 1 and page 9", "chart data as CSV"])
def test_notes_of_reading_stay(service: JobService, words: str) -> None:
    job = read(service, words)
    before = service.result(job.id, "ann").answer.notes
    assert before
    correct(service, job, ZERO)
    assert service.result(job.id, "ann").answer.notes == before


def test_undo_and_redo_walk_along_the_corrections(service: JobService) -> None:
    job = read(service)
    states = [rows(service, job)]
    version = 0
    for operation in (ZERO, DeleteRows(at=0), PasteGrid(row=0, col=0, rows=(("x", "y"),))):
        version = correct(service, job, operation)
        states.append(rows(service, job))
    for before in reversed(states[:-1]):
        state, table = service.corrections.undo(job.id, "ann", version=version)
        version = state.version
        assert (rows(service, job), table, state.can_redo) == (before, FIRST, True)
    assert not state.can_undo
    with pytest.raises(InvalidRequest, match="nothing to undo"):
        service.corrections.undo(job.id, "ann", version=version)
    for after in states[1:]:
        state, _ = service.corrections.redo(job.id, "ann", version=version)
        version = state.version
        assert rows(service, job) == after
    with pytest.raises(InvalidRequest, match="nothing to make again"):
        service.corrections.redo(job.id, "ann", version=version)
    assert (state.version, state.applied, state.undone) == (9, 3, 0)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    database = Database(tmp_path_factory.mktemp("corrections") / "state.db")
    yield database
    database.close()


PLACES = st.integers(0, 3)
STEPS = st.one_of(
    st.sampled_from(["undo", "redo"]),
    st.builds(SetText, row=PLACES, col=PLACES, text=st.text(max_size=2)),
    st.builds(InsertRows, at=PLACES),
    st.builds(DeleteRows, at=PLACES),
    st.builds(MergeCells, row=PLACES, col=PLACES, rowspan=st.just(2), colspan=st.just(1)),
)


@settings(max_examples=30, deadline=None)
@given(steps=st.lists(st.tuples(PLACES, STEPS), max_size=12))
def test_whatever_is_done_and_undone_what_is_shown_is_what_is_kept(
    database: Database, steps: list[tuple[int, Literal["undo", "redo"] | TableOperation]]
) -> None:
    """Step by step in memory, and made again from the database, there are the same tables as in a plain list."""
    read = [Table.from_rows(ROWS), Table.from_rows([["second"]])]
    original = result(page(1, *(block(BlockType.TABLE, table=table) for table in read)))
    job_id = uuid.uuid4().hex
    with database.write() as session:
        session.add(JobRow(id=job_id, owner="ann", state="done", source="a", blob="0", created_at=0.0))
    warm = Corrections(database, lambda _job, _owner: original)
    states, at, version = [read], 0, 0
    for number, step in steps:
        table = TableId(page=1, index=number % 2)
        try:
            if isinstance(step, str):
                state, _ = (warm.undo if step == "undo" else warm.redo)(job_id, "ann", version=version)
                at += -1 if step == "undo" else 1
            else:
                state = warm.correct(job_id, "ann", table, step, version=version)
                now = list(states[at])
                now[table.index] = step.apply(now[table.index])
                states, at = [*states[: at + 1], now], at + 1
        except InvalidRequest:
            continue
        version = state.version
        assert (state.applied, state.undone) == (at, len(states) - 1 - at)
        cold = Corrections(database, lambda _job, _owner: original)
        for corrections in (warm, cold):
            assert [*corrections.corrected(job_id, original).analysis.tables] == states[at]


def test_a_correction_after_an_undo_ends_what_was_undone(service: JobService) -> None:
    job = read(service)
    version = correct(service, job, ZERO, DeleteRows(at=0))
    version = service.corrections.undo(job.id, "ann", version=version)[0].version
    state = service.corrections.correct(job.id, "ann", FIRST, SetCaption(text="c"), version=version)
    assert (state.applied, state.undone) == (2, 0)
    assert rows(service, job)[0] == ["Item", "Sum"]


def test_a_change_of_an_old_state_is_refused(service: JobService) -> None:
    job = read(service)
    version = correct(service, job, ZERO)
    asks: list[Callable[[int], object]] = [
        lambda old: service.corrections.correct(job.id, "ann", FIRST, DeleteRows(at=0), version=old),
        lambda old: service.corrections.undo(job.id, "ann", version=old),
        lambda old: service.corrections.redo(job.id, "ann", version=old),
    ]
    for ask in asks:
        for other in (version - 1, version + 1):
            with pytest.raises(EditConflict):
                ask(other)
    assert service.corrections.state(job.id, "ann").version == version


def test_of_many_at_once_one_is_taken(service: JobService) -> None:
    job = read(service)
    taken: list[str] = []
    refused: list[EditConflict] = []

    def change(text: str) -> None:
        try:
            service.corrections.correct(job.id, "ann", FIRST, SetText(row=0, col=0, text=text), version=0)
            taken.append(text)
        except EditConflict as error:
            refused.append(error)

    threads = [threading.Thread(target=change, args=(str(n),)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(taken), len(refused)) == (1, 5)
    assert rows(service, job)[0][0] == taken[0]


def test_another_service_on_the_same_home_sees_them(service: JobService, start: Start) -> None:
    other = start(TableEngine(), run=False)
    job = read(service)
    version = correct(service, job, ZERO)
    assert rows(other, job)[1] == ["Pen", "10"]
    other.corrections.correct(job.id, "ann", FIRST, SetText(row=0, col=0, text="What"), version=version)
    assert rows(service, job)[:2] == [["What", "Sum"], ["Pen", "10"]]
    assert service.corrections.table(job.id, "ann", FIRST)[0] == version + 1


def test_they_are_kept_over_a_restart(service: JobService, start: Start) -> None:
    job = read(service)
    correct(service, job, ZERO, DeleteRows(at=0))
    before = service.result(job.id, "ann")
    service.close()
    assert start(TableEngine(), run=False).result(job.id, "ann") == before


def test_what_does_not_fit_changes_nothing(service: JobService) -> None:
    job = read(service)
    with pytest.raises(InvalidRequest):
        service.corrections.correct(job.id, "ann", FIRST, DeleteRows(at=7), version=0)
    for table in (TableId(page=3, index=0), TableId(page=1, index=2)):
        with pytest.raises(NotFound, match="no such table"):
            service.corrections.correct(job.id, "ann", table, ZERO, version=0)
    assert service.corrections.state(job.id, "ann").version == 0


def test_nobody_else_corrects_or_sees_them(service: JobService) -> None:
    job = read(service)
    correct(service, job, ZERO)
    with pytest.raises(NotFound):
        service.corrections.correct(job.id, "bob", FIRST, ZERO, version=1)
    for ask in (service.corrections.undo, service.corrections.redo):
        with pytest.raises(NotFound):
            ask(job.id, "bob", version=1)
    with pytest.raises(NotFound):
        service.corrections.state(job.id, "bob")
    with pytest.raises(NotFound):
        service.corrections.table(job.id, "bob", FIRST)
    theirs = read(service, owner="bob")
    assert rows(service, theirs) == ROWS


def test_there_is_an_end_to_them(service: JobService, monkeypatch: pytest.MonkeyPatch) -> None:
    job = read(service)
    monkeypatch.setattr(correction_log, "MAX_CORRECTIONS", 2)
    version = correct(service, job, ZERO, ZERO)
    with pytest.raises(InvalidRequest, match="too many"):
        service.corrections.correct(job.id, "ann", FIRST, ZERO, version=version)
    version = service.corrections.undo(job.id, "ann", version=version)[0].version
    correct(service, job, ZERO)
    monkeypatch.setattr(correction_log, "MAX_LETTERS", 1000)
    version = service.corrections.undo(job.id, "ann", version=version + 1)[0].version
    with pytest.raises(InvalidRequest, match="too large"):
        service.corrections.correct(job.id, "ann", FIRST, SetCaption(text="x" * 1000), version=version)


def test_a_further_question_keeps_them(service: JobService) -> None:
    job = read(service)
    version = correct(service, job, ZERO, SetCaption(text="undone"))
    service.corrections.undo(job.id, "ann", version=version)
    again = ended(service, service.resubmit(job.id, "ann", words="all text"))
    assert "Pen\t10" in service.result(again.id, "ann").answer.text
    assert service.original_result(again.id, "ann").analysis.tables[0].rows() == ROWS
    state = service.corrections.state(again.id, "ann")
    assert (state.version, state.applied, state.undone) == (1, 1, 0)
    service.corrections.undo(again.id, "ann", version=1)
    assert service.result(again.id, "ann").analysis.tables[0].rows() == ROWS
    assert rows(service, job)[1] == ["Pen", "10"]


def test_of_each_table_those_of_the_job_corrected_last_are_kept(service: JobService) -> None:
    one, two = read(service), read(service)
    correct(service, one, ZERO)
    correct(service, one, SetText(row=0, col=0, text="one"), table=TableId(page=2, index=1))
    correct(service, two, SetText(row=0, col=0, text="two"))
    three = read(service)
    assert rows(service, three)[:2] == [["two", "Sum"], ["Pen", "1O"]]
    assert rows(service, three, 3) == [["one"]]


def test_a_table_that_is_read_otherwise_is_not_corrected(service: JobService, start: Start) -> None:
    job = read(service)
    correct(service, job, ZERO)
    correct(service, job, SetText(row=0, col=0, text="2nd"), table=TableId(page=1, index=1))
    service.close()
    again = read(start(TableEngine("Ltem")))
    found = start(TableEngine("Ltem"), run=False)
    assert rows(found, again)[:2] == [["Ltem", "Sum"], ["Pen", "1O"]]
    assert rows(found, again, 1) == [["2nd"]]


def test_tables_of_the_answer_are_found_in_the_document(service: JobService) -> None:
    job = read(service)
    found = service.result(job.id, "ann")
    assert [source_of(found, table) for table in found.tables] == [
        TableId(page=page, index=index) for page in (1, 2) for index in (0, 1)
    ]
    assert source_of(found, found.tables[0].model_copy(update={"caption": "made up"})) is None


def test_of_two_equal_tables_on_a_page_each_is_found_as_itself() -> None:
    twins = [Table.from_rows([["a"]]), Table.from_rows([["a"]])]
    found = result(page(1, *(block(BlockType.TABLE, table=table) for table in twins)))
    assert [source_of(found, table) for table in twins] == [TableId(page=1, index=index) for index in (0, 1)]
    assert source_of(found, Table.from_rows([["a"]])) == TableId(page=1, index=0)


def test_they_go_with_the_document(service: JobService) -> None:
    job = read(service)
    correct(service, job, ZERO)
    database = Database(service.settings.database_path)
    with database.write() as session:
        session.execute(update(BlobRefRow).values(expires_at=0.0))
    service._enforce_retention()
    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(CorrectionLogRow)) == 0
        assert session.scalar(select(func.count()).select_from(CorrectionRow)) == 0
    database.close()
