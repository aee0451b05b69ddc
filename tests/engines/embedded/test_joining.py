from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.joining import Row, block_text, join, starts_item


def _row(text: str, x0: float, x1: float, row: int) -> Row:
    return Row(text, Box(x0, row * 30, x1, row * 30 + 20))


@pytest.mark.parametrize(
    ("left", "right", "joined"),
    [
        ("total", "amount", "total amount"),
        ("总金", "额", "总金额"),
        ("使用", "PDF", "使用PDF"),
        ("PDF", "文件", "PDF文件"),
        ("exam-", "ple", "exam-ple"),
        ("pages 3 -", "5", "pages 3 - 5"),
        ("1990-", "1995", "1990- 1995"),
        ("COVID-", "NET", "COVID- NET"),
        ("", "a", "a"),
        ("a", "", "a"),
        ("合计：", "12", "合计：12"),
    ],
)
def test_spaces_between_pieces(left: str, right: str, joined: str) -> None:
    assert join(left, right) == joined


@given(st.text(), st.text())
def test_joining_loses_no_character(left: str, right: str) -> None:
    assert "".join(join(left, right).split()) == "".join((left + right).split())


@pytest.mark.parametrize(
    "text", ["• one", "1. one", "(2) two", "a) x", "（3）三", "一、引言", "① 甲", "- dash", "ii. two"]
)
def test_list_items_are_known_by_their_mark(text: str) -> None:
    assert starts_item(text)


@pytest.mark.parametrize("text", ["one", "1.5 litres", "2024", "一年之后", "iPhone", "-5"])
def test_other_text_is_no_list_item(text: str) -> None:
    assert not starts_item(text)


def test_a_paragraph_runs_on() -> None:
    rows = [_row("The quick brown", 40, 400, 0), _row("fox jumps over", 0, 400, 1), _row("the dog.", 0, 150, 2)]
    assert block_text(rows) == "The quick brown fox jumps over the dog."


def test_a_short_row_ends_its_line() -> None:
    rows = [_row("Dear Sir,", 0, 120, 0), _row("we are happy to say", 0, 400, 1), _row("that", 0, 60, 2)]
    assert block_text(rows) == "Dear Sir,\nwe are happy to say that"


def test_centred_rows_stay_apart() -> None:
    rows = [_row("ACME STORE SDN BHD", 100, 300, 0), _row("12 Long Road, Some Town, Johor", 0, 400, 1)]
    assert block_text(rows) == "ACME STORE SDN BHD\n12 Long Road, Some Town, Johor"


def test_rows_of_cells_stay_apart() -> None:
    rows = [
        Row.of(["Total", "12.00"], [Box(0, 0, 60, 20), Box(340, 0, 400, 20)]),
        Row.of(["Tax", "1.00"], [Box(0, 30, 40, 50), Box(350, 30, 400, 50)]),
    ]
    assert block_text(rows) == "Total 12.00\nTax 1.00"


def test_list_items_stand_on_lines_of_their_own_with_what_hangs_under_them() -> None:
    rows = [_row("1. first item that is long", 0, 400, 0), _row("and goes on to the end", 30, 395, 1)]
    rows.append(_row("2. second", 0, 390, 2))
    assert block_text(rows) == "1. first item that is long and goes on to the end\n2. second"


def test_no_rows_no_text() -> None:
    assert block_text([]) == ""


def test_a_visible_gap_between_cjk_pieces_stays_a_space() -> None:
    apart = Row.of(["姓名", "日期"], [Box(0, 0, 40, 20), Box(60, 0, 100, 20)])
    touching = Row.of(["姓", "名"], [Box(0, 0, 20, 20), Box(22, 0, 42, 20)])
    assert (apart.text, touching.text) == ("姓名 日期", "姓名")
