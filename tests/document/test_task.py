from __future__ import annotations

import pytest

from mineru_core.document.analysis import Part
from mineru_core.document.task import FieldValue, Task, TaskKind


@pytest.mark.parametrize("kind", list(TaskKind))
def test_every_task_needs_text_and_layout(kind: TaskKind) -> None:
    assert {Part.TEXT, Part.LAYOUT} <= Task(kind=kind).parts


@pytest.mark.parametrize(
    ("kind", "further"),
    [
        (TaskKind.EVERYTHING, {Part.TABLES, Part.CHARTS, Part.FORMULAS}),
        (TaskKind.TEXT, set()),
        (TaskKind.TABLES, {Part.TABLES}),
        (TaskKind.CHARTS, {Part.CHARTS}),
        (TaskKind.FORMULAS, {Part.FORMULAS}),
        (TaskKind.FIELDS, {Part.TABLES}),
        (TaskKind.FIND, set()),
        (TaskKind.SUMMARY, set()),
        (TaskKind.QUESTION, {Part.TABLES}),
        (TaskKind.COMPARE, {Part.TABLES}),
    ],
)
def test_only_what_the_answer_needs_is_read(kind: TaskKind, further: set[Part]) -> None:
    assert Task(kind=kind).parts - {Part.TEXT, Part.LAYOUT} == further


def test_a_task_survives_json() -> None:
    task = Task(kind=TaskKind.FIND, words="找 合计", language="zh", query="合计", pages=(1, -1))
    assert Task.model_validate_json(task.model_dump_json()) == task


def test_a_field_without_a_page_was_not_found() -> None:
    assert not FieldValue(name="total").found
    assert FieldValue(name="total", value="5", page=1, confidence=0.9).found
