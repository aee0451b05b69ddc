"""What there is to say of an answer, and where it is said."""

from __future__ import annotations

import pytest

from mineru_core.document.analysis import BlockType
from mineru_core.document.table import Cell, Table
from mineru_core.document.task import Answer, FieldValue, Note, TaskKind
from mineru_core.ui.analyse.notes import is_empty, note_lines
from mineru_core.ui.i18n import Translator
from tests.export.strategies import block, page, result

EN = Translator("en")
TABLE = Table(n_rows=1, n_cols=1, cells=(Cell(row=0, col=0, text="1"),))


def answered(kind: TaskKind, code: str) -> Answer:
    return Answer(kind=kind, notes=(Note(code=code, message="As *written*."),))


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (TaskKind.TABLES, "no-such-table"),
        (TaskKind.QUESTION, "answer-not-found"),
        (TaskKind.SUMMARY, "no-summary"),
        (TaskKind.COMPARE, "no-changes"),
    ],
)
def test_an_empty_answer_is_told_in_its_place(kind: TaskKind, code: str) -> None:
    found = result(page(1, block(BlockType.TABLE, table=TABLE)), answer=answered(kind, code))
    assert is_empty(found)
    assert note_lines(found, EN) == [EN(f"note.{code}")]


def test_an_answer_that_says_itself_that_there_is_none_is_not_empty() -> None:
    assert not is_empty(result(page(1), answer=answered(TaskKind.TABLES, "no-tables")))
    assert not is_empty(result(page(1), answer=answered(TaskKind.FIND, "not-found")))
    missing = FieldValue(name="Total", value="", confidence=0.0)
    fields = answered(TaskKind.FIELDS, "fields-not-found").model_copy(update={"fields": (missing,)})
    assert not is_empty(result(page(1), answer=fields))
    assert note_lines(result(page(1), answer=fields), EN) == []


def test_only_what_the_catalogue_does_not_know_is_made_safe() -> None:
    for code, told in (("no-changes", EN("note.no-changes")), ("brand-new", "AS *WRITTEN*.")):
        found = result(page(1), answer=answered(TaskKind.COMPARE, code))
        assert note_lines(found, EN, safe=str.upper) == [told]
