from __future__ import annotations

import pytest

from mineru_core.document.analysis import BlockType
from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.furniture import edge_rows, furniture_type, is_formula_number, is_page_number


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


def _body(rows: int) -> list[Box]:
    return [Box(100, 150 + 30 * n, 700, 170 + 30 * n) for n in range(rows)]


HEAD, FOOT = Box(100, 40, 300, 60), Box(500, 1145, 700, 1165)


def test_rows_apart_at_the_edges_of_a_full_page_are_furniture() -> None:
    boxes = [*_body(30), FOOT, HEAD]
    assert edge_rows(boxes, [], 1200, 20) == ([31], [30])


def test_a_page_of_few_rows_has_none() -> None:
    assert edge_rows([HEAD, *_body(5), FOOT], [], 1200, 20) == ([], [])


def test_a_large_row_at_the_top_is_a_title() -> None:
    assert edge_rows([Box(100, 30, 600, 66), *_body(30)], [], 1200, 20) == ([], [])


def test_rows_close_to_text_or_to_a_picture_are_part_of_the_page() -> None:
    close = [Box(100, 122, 700, 140), *_body(30)]
    assert edge_rows(close, [], 2000, 20) == ([], [])
    assert edge_rows([HEAD, *_body(30)], [Box(100, 70, 700, 140)], 1200, 20) == ([], [])


@pytest.mark.parametrize("text", ["(3)", "(5.25)", "（A.1）", "(2b)"])
def test_formula_numbers(text: str) -> None:
    assert is_formula_number(text)


@pytest.mark.parametrize("text", ["3", "(2019 report)", "(a)", "(1) first", "()"])
def test_other_parentheses_are_no_formula_number(text: str) -> None:
    assert not is_formula_number(text)
