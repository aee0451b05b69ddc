from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.instruct.normalize import fold, has_han, key, letters, lowered


@given(st.text())
def test_folding_twice_changes_nothing_more(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text())
def test_lowering_keeps_the_length(text: str) -> None:
    assert len(lowered(text)) == len(text)


@given(st.text())
def test_every_character_of_a_key_knows_its_place(text: str) -> None:
    found = key(text)
    assert len(found.places) == len(found.text)
    assert list(found.places) == sorted(found.places)
    assert all(0 <= place < len(text) for place in found.places)
    assert not any(c.isspace() for c in found.text)


@given(st.text(min_size=1), st.data())
def test_a_span_of_a_key_leads_back_to_the_text_it_came_from(text: str, data: st.DataObject) -> None:
    found = key(text)
    if not found.text:
        return
    start = data.draw(st.integers(0, len(found.text) - 1))
    end = data.draw(st.integers(start + 1, len(found.text)))
    first, last = found.source_span(start, end)
    assert found.text[start:end] in key(text[first:last]).text


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Ｔｏｔａｌ　１２", "Total 12"),
        ("“合计”", '"合计"'),
        ("「合计」", '"合计"'),
        ("3–5", "3-5"),
        ("日期、金额。", "日期,金额."),
        ("a\u200bb", "ab"),
        ("  a \n b ", "a b"),
    ],
)
def test_spellings_are_made_equal(text: str, folded: str) -> None:
    assert fold(text) == folded


def test_traditional_characters_compare_equal_to_simplified() -> None:
    assert key("發票號碼").text == key("发票号码").text


def test_letters_leave_out_punctuation() -> None:
    assert letters("Invoice No. (#)").text == "invoiceno#"


def test_han_is_told_from_latin_and_punctuation() -> None:
    assert has_han("a合b")
    assert not has_han("abc，。")
