"""The other readings of the words that the page offers."""

from __future__ import annotations

import pytest

from mineru_core.document.geometry import Box
from mineru_core.document.task import Answer, Region
from mineru_core.instruct import parse_words
from mineru_core.ui.analyse.understood import other_wishes
from tests.export.strategies import page, result


@pytest.mark.parametrize(
    ("words", "language", "wishes"),
    [
        ("find total", "en", ["Field: total", "Question: “total”", "Find nearly “total”"]),
        ("押金多少钱", "zh", ["查找“押金”", "字段：押金", "摘要"]),
        ("", "en", []),
    ],
)
def test_other_readings_in_the_language_of_the_page(words: str, language: str, wishes: list[str]) -> None:
    task = parse_words(words).model_copy(update={"regions": (Region(page=1, box=Box(0, 0, 9, 9)),)})
    found = result(page(1), answer=Answer(kind=task.kind)).model_copy(update={"task": task})
    assert other_wishes(words, found, language) == wishes
