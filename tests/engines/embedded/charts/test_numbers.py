from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.engines.embedded.charts.dates import date_number, numbers_of_dates
from mineru_core.engines.embedded.charts.numbers import printed, tick_number


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("3.24%", 3.24, "%"),
        ("$24,770.5 (2000)", 24770.5, "$"),
        ("3,245 MW", 3245, "MW"),
        ("146 million tonnes", 146e6, "tonnes"),
        ("1.5 M", 1.5e6, ""),
        ("750k", 750e3, ""),
        ("20 B", 20e9, ""),
        ("−58.71%", -58.71, "%"),
        ("23 428.6", 23428.6, ""),
        ("1.234.567", 1234567, ""),
        ("3,5", 3.5, ""),
        ("0,123", 0.123, ""),
        ("12,000", 12000, ""),
        ("(3.5)", -3.5, ""),
        ("2.5万", 25000, ""),
        ("3亿元", 3e8, "元"),
        ("$5m", 5e6, "$"),
        ("2020*", 2020, ""),
        (".5", 0.5, ""),
    ],
)
def test_numbers_as_charts_print_them(text: str, value: float, unit: str) -> None:
    found = printed(text)
    assert found is not None
    assert found.value == pytest.approx(value)
    assert found.unit == unit


@pytest.mark.parametrize(
    "text", ["", "55 years and over", "16 to 24 years", "Q1 2010", "27...", "7 500 10 000", "3/21/2005", "A", "1OO"]
)
def test_what_only_begins_with_a_number_is_none(text: str) -> None:
    assert printed(text) is None


@pytest.mark.parametrize(("text", "value"), [("O", 0), ("日", 0), ("O%", 0), ("1OO", 100), ("l5", 15), ("4S%", 45)])
def test_letters_among_digits_of_a_tick_are_digits(text: str, value: float) -> None:
    found = tick_number(text)
    assert found is not None
    assert found.value == value


def test_words_are_no_tick() -> None:
    assert tick_number("Oil") is None
    assert tick_number("Total") is None


@given(st.integers(-(10**9), 10**9))
def test_grouped_thousands_come_back(number: int) -> None:
    for text in (f"{number:,}", f"{number:,}".replace(",", " "), str(number)):
        found = printed(text)
        assert found is not None
        assert found.value == number


@given(st.text(max_size=20))
def test_any_text_is_a_number_or_none(text: str) -> None:
    found = tick_number(text)
    assert found is None or found.step > 0


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("2015", 2015),
        ("2020*", 2020),
        ("'98", 1998),
        ("'07", 2007),
        ("Jan 2014", 2014),
        ("Jul '16", 2016.5),
        ("Q3 2010", 2010.5),
        ("2010 Q2", 2010.25),
        ("2015-07", 2015.5),
        ("2019年", 2019),
        ("2019年4月", 2019.25),
        ("2014/15", 2014),
    ],
)
def test_dates_are_years_with_a_fraction(text: str, year: float) -> None:
    assert date_number(text) == pytest.approx(year)


def test_names_are_no_dates() -> None:
    assert date_number("Total 2015") is None
    assert date_number("Male") is None
    assert numbers_of_dates(["2014", "Male"]) == ()
    assert numbers_of_dates(["2014", "2013", "2016"]) == ()
    assert numbers_of_dates(["2014", "2015", "2018"]) == (2014, 2015, 2018)


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("3 milliontonnes", 3e6, "tonnes"),
        ("47 milion tonnes", 47e6, "tonnes"),
        ("42 millio\u0146 tonnes", 42e6, "tonnes"),
        ("1.5 trilion", 1.5e12, ""),
        ("7 millet", 7.0, "millet"),
    ],
)
def test_multipliers_are_known_when_they_are_misread(text: str, value: float, unit: str) -> None:
    number = printed(text)
    assert number is not None
    assert (number.value, number.unit) == (pytest.approx(value), unit)


def test_quarters_are_names() -> None:
    assert [tick_number(f"Q{i}") for i in range(1, 5)] == [None] * 4
