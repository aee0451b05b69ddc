"""Questions and summaries: every word of the answer stands in the document."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.document.analysis import BlockType
from mineru_core.document.task import Answer
from mineru_core.instruct import answer, parse_words
from mineru_core.instruct.summary import summarize
from tests.instruct.pages import block, document, line, page, table_block

LEASE = document(
    page(
        block(line("Lease Agreement", 0, 0), kind=BlockType.TITLE),
        block(line("This lease is between Acme Property Ltd. (the landlord) and Jane Smith (the tenant).", 0, 30)),
        block(
            line("It starts on 1 March 2021 and expires on 28 February 2024. The rent is", 0, 60),
            line("USD 1,250.00 per month, payable on the first day. The deposit is two", 0, 90),
            line("months of rent. Either party may end it with a notice period of 60 days.", 0, 120),
        ),
        block(line("Late payments bear interest of 5% per year. Smoking is not allowed in the building.", 0, 200)),
        block(line("The tenant is responsible for insurance.", 0, 230)),
        table_block([["Region", "2023", "2024"], ["North", "10", "20"], ["South", "30", "40"]], 600),
    )
)
CONTRACT = document(
    page(
        block(line("租赁期限为两年，自2021年3月1日起至2023年2月28日止。月租金为人民币5000元，乙方应于每月5日", 0, 90),
              line("前支付。押金为一万元。乙方逾期付款的，应按日支付千分之一的违约金。甲方负责房屋的维修。", 0, 120)),
        block(line("未经甲方书面同意，乙方不得转租。本合同一式两份，双方各执一份。", 0, 200)),
    )
)  # fmt: skip


def ask(words: str) -> Answer:
    return answer(CONTRACT if any(ord(c) > 0x2E80 for c in words) else LEASE, parse_words(words))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("When does the lease expire?", "28 February 2024"),
        ("who is responsible for insurance", "The tenant is responsible"),
        ("what is the rent", "USD 1,250.00"),
        ("how much is the deposit?", "months of rent"),
        ("what is the notice period?", "60 days"),
        ("is smoking allowed?", "not allowed"),
        ("what happens with late payments", "5%"),
        ("what was South in 2024?", "40"),
        ("租期多长？", "两年"),
        ("谁负责维修", "甲方负责"),
        ("押金多少钱", "一万元"),
        ("可以转租吗？", "不得转租"),
        ("合同一式几份", "两份"),
        ("乙方什么时候付款", "每月5日"),
    ],
)
def test_the_first_quote_answers_the_question(words: str, said: str) -> None:
    found = ask(words)
    assert said in found.quotes[0].text
    assert found.notes == ()
    assert all(0 < quote.confidence <= 1 for quote in found.quotes)


@pytest.mark.parametrize(
    "words", ["who is the president of France?", "how many pets may I keep?", "法国总统是谁", "为什么利润下降"]
)
def test_what_is_not_on_the_pages_is_said(words: str) -> None:
    found = ask(words)
    assert found.quotes == ()
    assert [note.code for note in found.notes] == ["answer-not-found"]


@pytest.mark.parametrize(("words", "document_of"), [("summarize", LEASE), ("总结一下", CONTRACT)])
def test_a_summary_is_sentences_of_the_document_in_their_order(words: str, document_of: object) -> None:
    quotes = ask(words).quotes
    text = " ".join(line.text for page in (LEASE if document_of is LEASE else CONTRACT).pages for line in page.lines)
    assert 2 <= len(quotes) <= 7
    flat = "".join(text.split())
    places = [flat.index("".join(quote.text.split())) for quote in quotes]
    assert places == sorted(places)


def test_a_page_without_words_has_no_summary() -> None:
    found = answer(document(page()), parse_words("summarize"))
    assert (found.quotes, [note.code for note in found.notes]) == ((), ["no-summary"])


@given(st.lists(st.text(st.sampled_from("ab 。.甲乙1:"), min_size=1, max_size=30), max_size=5), st.text(max_size=30))
def test_every_quote_stands_on_its_page(texts: list[str], question: str) -> None:
    sheet = page(*(block(line(text, 0, 40.0 * i)) for i, text in enumerate(texts)))
    found = document(sheet)
    quotes = [*answer(found, parse_words(f"who {question}?")).quotes, *summarize(found.pages)]
    flat = ["".join(line.text.split()) for line in sheet.lines]
    for quote in quotes:
        assert any("".join(part.split()) in whole for part in quote.text.split("\t") for whole in flat)
