from __future__ import annotations

import pytest

from mineru_core.document.analysis import BlockType
from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.furniture import furniture_type, is_page_number


@pytest.mark.parametrize(
    "text", ["7", "- 12 -", "iv", "Page 3 of 10", "3/10", "第 3 页", "第3页 共10页", "p. 4", "— 9 —"]
)
def test_page_numbers(text: str) -> None:
    assert is_page_number(text)


@pytest.mark.parametrize("text", ["", "12345", "3.5", "Chapter 3", "第三章", "Page", "12 apples", "mix it"])
def test_other_texts(text: str) -> None:
    assert not is_page_number(text)


@pytest.mark.parametrize(
    ("y", "label", "kind"),
    [
        (50, BlockType.HEADER, BlockType.HEADER),
        (500, BlockType.HEADER, None),
        (950, BlockType.FOOTER, BlockType.FOOTER),
        (50, BlockType.FOOTER, None),
        (50, BlockType.TEXT, None),
        (50, None, None),
    ],
)
def test_furniture_stands_at_its_end_of_the_page(y: float, label: BlockType | None, kind: BlockType | None) -> None:
    assert furniture_type(Box(100, y, 200, y + 20), label, 1000) is kind
