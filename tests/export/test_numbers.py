from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.export.numbers import parse_number
from tests.export.strategies import texts


@pytest.mark.parametrize(
    ("text", "value", "number_format"),
    [
        ("0", 0, "0"),
        ("42", 42, "0"),
        (" 42 ", 42, "0"),
        ("2024", 2024, "0"),
        ("-5", -5, "0"),
        ("−5", -5, "0"),
        ("+5", 5, "+0;-0;0"),
        ("3.50", 3.5, "0.00"),
        (".5", 0.5, ".0"),
        ("1,234", 1234, "#,##0"),
        ("-1,234,567.80", -1234567.8, "#,##0.00"),
        ("12.3%", 0.123, "0.0%"),
        ("12 %", 0.12, "0 %"),
        ("+1.5%", 0.015, "+0.0%;-0.0%;0.0%"),
        ("-7%", -0.07, "0%"),
        ("(1,234.50)", -1234.5, "#,##0.00;(#,##0.00)"),
        ("$1,200.00", 1200, '"$"#,##0.00'),
        ("¥35", 35, '"¥"0'),
        ("-€5.20", -5.2, '"€"0.00'),
        ("1.50E+03", 1500, "0.00E+00"),
        ("1.5e-7", 1.5e-7, "0.0E+0"),
        ("123456789012345", 123456789012345, "0"),
    ],
)
def test_numbers(text: str, value: float, number_format: str) -> None:
    number = parse_number(text)
    assert number is not None
    assert number.value == pytest.approx(value, rel=1e-15)
    assert isinstance(number.value, int) == ("." not in text and "%" not in text and "e" not in text.lower())
    assert number.number_format == number_format


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-",
        "007",
        "00",
        "0123.5",
        "-0",
        "-0.00",
        "1234567890123456",
        "110101199003071234",
        "0.1234567890123456",
        "1.",
        "1,23",
        "1,2345",
        "12,345,6",
        "1.234,56",
        "1 234",
        "2024-01-31",
        "12/31",
        "12:30",
        "+86 10 1234 5678",
        "1E5",
        "12.5E3",
        "1.5E999",
        "(1)",
        "(12",
        "-(1,234)",
        "5 kg",
        "１２",
        "٣",
        "²",
        "1e",
        "NaN",
        "inf",
        "12%%",
        "=1",
    ],
)
def test_texts(text: str) -> None:
    assert parse_number(text) is None


@given(texts)
def test_any_text_is_a_number_or_not(text: str) -> None:
    parse_number(text)


@given(st.decimals(-(10**8), 10**8, places=3), st.booleans())
def test_values_come_through(value: Decimal, grouped: bool) -> None:
    number = parse_number(f"{value:,.3f}" if grouped else f"{value:.3f}")
    if value.is_signed() and value == 0:
        assert number is None
    else:
        assert number is not None
        assert number.value == float(value)
