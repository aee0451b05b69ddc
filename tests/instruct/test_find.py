from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.document.geometry import Box
from mineru_core.document.task import Match
from mineru_core.instruct.find import find
from mineru_core.instruct.normalize import key
from tests.instruct.pages import block, line, lines_page, page, table_block


def hits(text: str, query: str) -> list[str]:
    matches, _ = find([lines_page((text, 0, 0))], query)
    return [m.text[m.start : m.end] for m in matches]


@pytest.mark.parametrize(
    ("text", "query", "found"),
    [
        ("Grand TOTAL: 5", "total", ["TOTAL"]),
        ("total and Total", "total", ["total", "Total"]),
        ("合 计：5", "合计", ["合 计"]),
        ("ＴＯＴＡＬ 5", "total", ["ＴＯＴＡＬ"]),
        ("TotalAmount 5", "total amount", ["TotalAmount"]),
        ("to tal 5", "total", ["to tal"]),
        ("the art of it", "heart", []),
        ("發票號碼 12", "发票号码", ["發票號碼"]),
        ("subtotal", "total", ["total"]),
        ("ﬁnal ﬁgure", "final", ["ﬁnal"]),
    ],
)
def test_case_width_and_spaces_do_not_matter(text: str, query: str, found: list[str]) -> None:
    assert hits(text, query) == found


def test_a_hit_carries_its_page_and_its_own_box() -> None:
    matches, exact = find([lines_page(("nothing", 0, 0)), lines_page(("Net total: 12.50", 100, 40), number=2)], "total")
    assert exact
    assert matches == (Match(text="Net total: 12.50", start=4, end=9, page=2, box=Box(140, 40, 190, 60)),)


def test_a_hit_over_the_end_of_a_line_is_found() -> None:
    sheet = page(block(line("本合同的违约", 0, 0), line("责任由乙方承担", 0, 30)))
    matches, _ = find([sheet], "违约责任")
    assert [m.text[m.start : m.end] for m in matches] == ["违约责任"]
    assert matches[0].box == Box(0, 0, 120, 50)


def test_a_hit_does_not_run_from_one_block_into_the_next() -> None:
    assert find([lines_page(("违约", 0, 0), ("责任", 0, 30))], "违约责任")[0] == ()


def test_cells_of_a_table_are_searched() -> None:
    matches, _ = find([page(table_block([["Item", "Price"], ["Pen", "3.00"]]))], "price")
    assert [(m.text, m.box) for m in matches] == [("Price", Box(200, 500, 400, 540))]


@pytest.mark.parametrize(
    ("text", "query"),
    [("Tota1 amount 5", "total amount"), ("lnvoice date", "invoice date"), ("北京蓝夭贸易公司", "北京蓝天贸易")],
)
def test_a_near_hit_is_given_only_with_lower_confidence(text: str, query: str) -> None:
    matches, exact = find([lines_page((text, 0, 0))], query)
    assert not exact
    assert len(matches) == 1
    assert matches[0].confidence < 0.8


def test_near_hits_are_left_out_where_there_is_an_exact_one() -> None:
    matches, exact = find([lines_page(("Tota1 sum", 0, 0), ("Total sum", 0, 30))], "total sum")
    assert exact
    assert [m.text for m in matches] == ["Total sum"]


@pytest.mark.parametrize("query", ["", " ", "\u200b"])
def test_nothing_is_found_for_an_empty_phrase(query: str) -> None:
    assert find([lines_page(("abc", 0, 0))], query) == ((), True)


TEXTS = st.text(st.sampled_from("abcAB 合计１2ﬁ."), min_size=1, max_size=30)


@given(TEXTS, st.data())
def test_whatever_stands_in_a_line_is_found(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    query = text[start : data.draw(st.integers(start + 1, len(text)))]
    if not query.strip():
        return
    matches, exact = find([lines_page((text, 0, 0))], query)
    assert exact
    assert all(key(query).text in key(m.text[m.start : m.end]).text for m in matches)
    assert matches


@given(st.lists(TEXTS, max_size=4), TEXTS)
def test_a_hit_lies_in_its_line_and_its_box_in_the_lines(texts: list[str], query: str) -> None:
    sheet = page(*(block(line(text, 10, 40.0 * i)) for i, text in enumerate(texts)))
    for match in find([sheet], query)[0]:
        assert 0 <= match.start < match.end <= len(match.text)
        home = next(item for item in sheet.lines if item.text == match.text and item.box.y0 == match.box.y0)
        assert home.box.x0 <= match.box.x0 <= match.box.x1 <= home.box.x1 + 1e-6
