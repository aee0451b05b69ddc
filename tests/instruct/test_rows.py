from __future__ import annotations

import pytest

from mineru_core.document.geometry import Box
from mineru_core.document.task import Match
from mineru_core.instruct import answer, parse_words
from tests.instruct.pages import document, lines_page, table_block
from tests.instruct.pages import page as page_of

AMOUNT = ("12.50", 400, 3)


def found(words: str, *placed: tuple[str, float, float]) -> tuple[Match, ...]:
    return answer(document(lines_page(*placed)), parse_words(words)).matches


@pytest.mark.parametrize("words", ["find total", "find regex TOT.L"])
def test_a_hit_is_shown_with_the_amount_printed_beside_it(words: str) -> None:
    (match,) = found(words, AMOUNT, ("QTY 3", 0, 0), ("TOTAL", 200, 0), ("CASH 20.00", 200, 40))
    assert match.text == "QTY 3 TOTAL 12.50"
    assert match.text[match.start : match.end] == "TOTAL"
    assert match.box == Box(200, 0, 250, 20)


def test_a_hit_in_a_cell_is_shown_with_its_row() -> None:
    sheet = page_of(table_block([["Item", "Price"], ["Pen", "3.00"]]))
    (match,) = answer(document(sheet), parse_words("find 3.00")).matches
    assert (match.text, match.text[match.start : match.end]) == ("Pen 3.00", "3.00")
    assert match.box == Box(200, 540, 400, 580)


def test_running_text_is_not_joined_with_the_column_beside_it() -> None:
    left, right = "The total of all that was sold in the year", "It is told on the pages that follow this one."
    assert [m.text for m in found("find total", (left, 0, 0), (right, 500, 0))] == [left]
    assert [m.text for m in found("find total", ("Net total", 0, 0), (right, 500, 0))] == ["Net total"]
