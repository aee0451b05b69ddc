from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.instruct.field_names import ValueType
from mineru_core.instruct.values import amount_value, spans


def found(value_type: ValueType, text: str) -> list[str]:
    return [text[start:end] for start, end in spans(value_type, text)]


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        ("RM 1,234.50", ["RM 1,234.50"]),
        ("$12.50 and 7", ["$12.50", "7"]),
        ("¥1060.00元", ["¥1060.00元"]),
        ("1.234,56", ["1.234,56"]),
        ("6%", []),
        ("04/12/2023", []),
        ("2024-01-02 12.50", ["12.50"]),
        ("15:14", []),
        ("A-17", []),
        ("00123456789", []),
        ("-3.20", ["-3.20"]),
        ("(TOTAL 1987)", ["1987"]),
    ],
)
def test_amounts(text: str, amounts: list[str]) -> None:
    assert found(ValueType.AMOUNT, text) == amounts


@pytest.mark.parametrize(
    "date",
    [
        "2024-01-02",
        "2024年3月15日",
        "2024 年 03 月 15 日",
        "04/12/2023",
        "4.12.23",
        "12 Jan 2024",
        "Jan 12, 2024",
        "25-DEC-2018",
        "December 13, 1983",
        "20240315",
        "2024年3月",
    ],
)
def test_dates(date: str) -> None:
    assert found(ValueType.DATE, f"on {date} at") == [date]


def test_a_date_run_together_with_the_time_is_parted() -> None:
    assert found(ValueType.DATE, ":16/02/201812:04:58") == ["16/02/2018"]


@pytest.mark.parametrize(
    ("value_type", "text", "values"),
    [
        (ValueType.PHONE, "Tel 03-9130 1234 / 010-6552 9988", ["03-9130 1234", "010-6552 9988"]),
        (ValueType.PHONE, "+86 138 1234 5678", ["+86 138 1234 5678"]),
        (ValueType.PHONE, "123", []),
        (ValueType.EMAIL, "to li.lei@example.org, now", ["li.lei@example.org"]),
        (ValueType.CODE, "No. GL-20318", ["GL-20318"]),
        (ValueType.CODE, "6222 0210 1234 5678", ["6222 0210 1234 5678"]),
        (ValueType.CODE, "none", []),
        (ValueType.CURRENCY, "in USD or 人民币", ["USD", "人民币"]),
        (ValueType.NUMBER, "13%", ["13%"]),
        (ValueType.NAME, "  : Li Lei ", ["Li Lei"]),
        (ValueType.NAME, "12.50", []),
        (ValueType.ANY, " ： 24 months", ["24 months"]),
    ],
)
def test_other_values(value_type: ValueType, text: str, values: list[str]) -> None:
    assert found(value_type, text) == values


@given(st.text(max_size=60), st.sampled_from(ValueType))
def test_spans_lie_in_the_text_and_do_not_overlap(text: str, value_type: ValueType) -> None:
    last = 0
    for start, end in spans(value_type, text):
        assert last <= start < end <= len(text)
        last = end


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("RM 1,234.50", 1234.5),
        ("1.234,50", 1234.5),
        ("1,234", 1234.0),
        ("7", 7.0),
        ("12,5", 12.5),
        ("1 060.00", 1060.0),
        ("x", None),
    ],
)
def test_the_number_of_an_amount(text: str, value: float | None) -> None:
    assert amount_value(text) == value


@given(st.integers(0, 10**9), st.integers(0, 99))
def test_a_printed_amount_reads_back(whole: int, cents: int) -> None:
    assert amount_value(f"${whole:,}.{cents:02d}") == float(f"{whole}.{cents:02d}")
