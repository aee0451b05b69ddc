from __future__ import annotations

import pytest

from mineru_core.instruct.summary import summarize
from tests.instruct.pages import lines_page

ADDRESS = [
    "NO. 42, JALAN PBS 14/11,",
    "TAMAN PERINDUSTRIAN BUKIT SERDANG,",
    "43300 SERI KEMBANGAN, SELANGOR",
]
SOLD = ["Goods sold are not returnable", "Total amount paid in cash 90.00", "Please keep this slip for any exchange"]


def told(*texts: str) -> list[str]:
    return [quote.text for quote in summarize([lines_page(*((text, 0, 30.0 * i) for i, text in enumerate(texts)))])]


def test_an_address_is_no_key_sentence() -> None:
    assert set(told(*ADDRESS, *SOLD)) == set(SOLD)
    sold = "本公司今年的销售额比去年增加了两成。"
    assert told("上海市浦东新区世纪大道100号金茂大厦", sold) == [sold]


@pytest.mark.parametrize(
    "sentence",
    [
        "The new office at No. 42, Main Street opens in May 2020.",
        "Sales grew by 12 percent, most of it in the north,",
        "公司位于北京市朝阳区建国路88号的新办公楼将于五月启用，员工已经陆续搬入新的办公地点，客户来访请提前预约。",
    ],
)
def test_a_sentence_with_an_address_in_it_stays(sentence: str) -> None:
    assert sentence in told(sentence, *SOLD[:1])


def test_where_there_is_nothing_else_an_address_is_told() -> None:
    assert set(told(*ADDRESS)) & set(ADDRESS)
