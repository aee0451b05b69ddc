"""How a question is told back, and the other readings of its words that the page offers."""

from __future__ import annotations

import pytest

from mineru_core.document.geometry import Box
from mineru_core.document.task import Answer, Region, TaskKind
from mineru_core.instruct import describe, parse_words
from mineru_core.ui.analyse.understood import other_tasks, told
from mineru_core.ui.i18n import Translator
from tests.export.strategies import page, result


@pytest.mark.parametrize(
    ("words", "language", "wishes"),
    [
        ("find total", "en", ["Field: total", "Question: “total”", "Find nearly “total”"]),
        ("押金多少钱", "zh", ["查找“押金”", "字段：押金", "关键句"]),
        ("", "en", []),
    ],
)
def test_other_readings_in_the_language_of_the_page(words: str, language: str, wishes: list[str]) -> None:
    task = parse_words(words).model_copy(update={"regions": (Region(page=1, box=Box(0, 0, 9, 9)),)})
    found = result(page(1), answer=Answer(kind=task.kind)).model_copy(update={"task": task})
    others = other_tasks(words, found)
    assert [told(other, Translator(language)) for other in others] == wishes
    assert [parse_words(describe(other, language)).kind for other in others] == [other.kind for other in others]


@pytest.mark.parametrize(
    ("words", "language", "line"),
    [
        ("summarize page 2", "en", "Key sentences, page 2"),
        ("总结一下", "zh", "关键句"),
        ("find Summary", "en", "Find “Summary”"),
    ],
)
def test_a_summary_is_called_what_it_is(words: str, language: str, line: str) -> None:
    task = parse_words(words)
    assert (task.kind is TaskKind.SUMMARY) == (words != "find Summary")
    assert told(task, Translator(language)) == line
