"""The Edit switch of a table, and what becomes of the editor's changes."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from mineru_core.document.table import Table
from mineru_core.document.table_edits import PasteGrid, SetText
from mineru_core.errors import EditConflict, InvalidRequest
from mineru_core.jobs.correction_log import CorrectionState, TableId
from mineru_core.jobs.model import Job
from mineru_core.ui import services
from mineru_core.ui.analyse import editing
from mineru_core.ui.analyse.editing import Made, make_changes, operation_of
from mineru_core.ui.analyse.own_changes import OwnChanges
from mineru_core.ui.components.edits import Edits
from mineru_core.ui.i18n import Translator
from mineru_core.ui.text import html
from tests.ui.conftest import html_of

EN = Translator("en")
JOB = Job.model_construct(id="job-1", owner="me", source="a.png")
FIRST, SECOND = TableId(page=1, index=0), TableId(page=2, index=1)


class FakeCorrections:
    """One table, kept as the real corrections keep theirs: a version that each change must name."""

    def __init__(self) -> None:
        self.states = [Table.from_rows([["a", "b"], ["<img src=x onerror=alert(1)>", "d"]])]
        self.version = 0
        self.undone_table = FIRST

    def table(self, job_id: str, owner: str, table: TableId) -> tuple[int, Table]:
        assert (job_id, owner, table) == (JOB.id, JOB.owner, FIRST)
        return self.version, self.states[-1]

    def state(self, job_id: str, owner: str) -> CorrectionState:
        assert (job_id, owner) == (JOB.id, JOB.owner)
        return CorrectionState(version=self.version, applied=len(self.states) - 1)

    def correct(self, job_id: str, owner: str, table: TableId, operation: Any, *, version: int) -> CorrectionState:
        assert table == FIRST
        self._check(version)
        self.states.append(operation.apply(self.states[-1]))
        return self.state(job_id, owner)

    def undo(self, job_id: str, owner: str, *, version: int) -> tuple[CorrectionState, TableId]:
        self._check(version)
        self.states.pop()
        return self.state(job_id, owner), self.undone_table

    def redo(self, job_id: str, owner: str, *, version: int) -> tuple[CorrectionState, TableId]:
        self._check(version)
        self.states.append(Table.from_rows([["made", "again"]]))
        return self.state(job_id, owner), FIRST

    def _check(self, version: int) -> None:
        if version != self.version:
            raise EditConflict("changed")
        self.version += 1


@pytest.fixture
def corrections(monkeypatch: pytest.MonkeyPatch) -> FakeCorrections:
    fake = FakeCorrections()
    monkeypatch.setattr(services, "service", lambda: SimpleNamespace(corrections=fake))
    return fake


def edits(*changes: dict[str, Any], version: int = 0) -> Edits:
    return Edits(id="a-1", version=version, changes=changes)


def set_text(row: int, col: int, text: str) -> dict[str, Any]:
    return {"op": "set-text", "row": row, "col": col, "text": text}


def test_changes_are_made_in_their_order_each_to_what_the_last_one_left(corrections: FakeCorrections) -> None:
    merge = {"op": "merge-cells", "row": 0, "col": 0, "rowspan": 1, "colspan": 2}
    assert make_changes(JOB, FIRST, edits(set_text(0, 0, "new"), merge), EN) == Made(2)
    assert corrections.states[-1].rows()[0][0] == "new b"
    assert make_changes(JOB, FIRST, edits({"op": "undo"}, {"op": "undo"}, version=2), EN) == Made(2)
    assert corrections.states[-1].rows()[0] == ["a", "b"]


def test_those_before_one_that_fails_stay_made(corrections: FakeCorrections) -> None:
    late = edits(set_text(0, 0, "new"), set_text(9, 9, "nowhere"), set_text(0, 1, "late"))
    made = make_changes(JOB, FIRST, late, EN)
    assert made.count == 1
    assert isinstance(made.failure, InvalidRequest)
    assert corrections.states[-1].rows()[0] == ["new", "b"]


def test_a_change_of_an_old_state_is_refused(corrections: FakeCorrections) -> None:
    corrections.version = 5
    made = make_changes(JOB, FIRST, edits(set_text(0, 0, "new"), version=4), EN)
    assert made.count == 0
    assert isinstance(made.failure, EditConflict)
    assert len(corrections.states) == 1


def test_an_undo_in_another_table_is_told(corrections: FakeCorrections) -> None:
    make_changes(JOB, FIRST, edits(set_text(0, 0, "new")), EN)
    corrections.undone_table = SECOND
    made = make_changes(JOB, FIRST, edits({"op": "undo"}, version=1), EN)
    assert made == Made(1, EN("grid.other_table", page=2, number=2))


def test_an_undo_of_what_another_window_did_is_told(corrections: FakeCorrections) -> None:
    own = OwnChanges(corrections.state("job-1", "me"))
    make_changes(JOB, FIRST, edits(set_text(0, 0, "mine")), EN, own=own)
    make_changes(JOB, FIRST, edits(set_text(0, 1, "theirs"), version=1), EN)
    own.meet(corrections.state("job-1", "me"))
    told = Made(1, EN("grid.foreign_undo_table", page=1, number=1))
    assert make_changes(JOB, FIRST, edits({"op": "undo"}, version=2), EN, own=own) == told
    assert make_changes(JOB, FIRST, edits({"op": "undo"}, version=3), EN, own=own) == Made(1)


def test_a_redo_of_what_another_window_has_undone_is_told(corrections: FakeCorrections) -> None:
    own = OwnChanges(corrections.state("job-1", "me"))
    make_changes(JOB, FIRST, edits(set_text(0, 0, "mine")), EN, own=own)
    assert make_changes(JOB, FIRST, edits({"op": "undo"}, {"op": "redo"}, version=1), EN, own=own) == Made(2)
    make_changes(JOB, FIRST, edits({"op": "undo"}, version=3), EN)  # theirs
    own.meet(corrections.state("job-1", "me"))
    told = Made(1, EN("grid.foreign_redo_table", page=1, number=1))
    assert make_changes(JOB, FIRST, edits({"op": "redo"}, version=4), EN, own=own) == told
    assert make_changes(JOB, FIRST, edits({"op": "undo"}, version=5), EN, own=own) == Made(1)  # made here by the redo


def test_what_a_spreadsheet_copied_is_pasted() -> None:
    change = {"op": "paste", "row": 1, "col": 0, "text": "x\ty", "html": ""}
    assert operation_of(change) == PasteGrid(row=1, col=0, rows=(("x", "y"),))
    assert operation_of(set_text(0, 0, "new")) == SetText(row=0, col=0, text="new")


@pytest.mark.parametrize(
    "change",
    [{}, {"op": "paste", "row": "1", "col": 0, "text": "", "html": ""}, {"op": "paste"}, {"op": "restore-cells"}],
)
def test_a_change_that_is_none_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(InvalidRequest):
        operation_of(change)


def table_page() -> None:
    """An app of one table, read from the corrections of the fixture."""
    from mineru_core.ui import services
    from mineru_core.ui.analyse.tables import show_table
    from mineru_core.ui.i18n import Translator
    from tests.ui.analyse.test_editing import FIRST, JOB

    _, table = services.service().corrections.table("job-1", "me", FIRST)
    show_table(table, 1, "answer", JOB, Translator("en"), origin=FIRST)
    show_table(table, 2, "answer", JOB, Translator("en"))


@pytest.mark.usefixtures("corrections")
def test_the_switch_puts_the_editor_in_place_of_the_table(home: Path) -> None:
    app = AppTest.from_function(table_page, default_timeout=20).run()
    assert not app.exception
    assert [one.label for one in app.toggle] == [EN("table.edit")]  # the second table was put together: nothing to edit
    assert html_of(app).count("<table") == 2
    app.toggle[0].set_value(True).run()
    assert not app.exception
    assert html_of(app).count("<table") == 1
    app.toggle[0].set_value(False).run()
    assert html_of(app).count("<table") == 2


@pytest.mark.usefixtures("corrections")
def test_a_table_too_large_for_the_editor_says_so(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(editing, "MOST_PLACES", 3)
    app = AppTest.from_function(table_page, default_timeout=20).run()
    app.toggle[0].set_value(True).run()
    assert not app.exception
    assert html(EN("grid.too_large", most="3")) in html_of(app)
