from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.instruct.numbers import MOST, expand, number


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("3", 3),
        ("3rd", 3),
        ("Third", 3),
        ("three", 3),
        ("last", -1),
        ("三", 3),
        ("两", 2),
        ("十", 10),
        ("十二", 12),
        ("二十", 20),
        ("二十三", 23),
        ("一百零五", 105),
        ("twelfth", 12),
        ("fifteen", 15),
    ],
)
def test_numbers_in_both_languages(word: str, value: int) -> None:
    assert number(word) == value


def test_another_word_is_no_number() -> None:
    with pytest.raises(ValueError, match="banana"):
        number("banana")


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1, 3 and 5", (1, 3, 5)),
        ("2-4", (2, 3, 4)),
        ("2 to 4, 9", (2, 3, 4, 9)),
        ("三到五", (3, 4, 5)),
        ("first and third", (1, 3)),
        ("5-2", (5, 2)),
        ("0", ()),
        ("2, 2", (2,)),
    ],
)
def test_lists_and_ranges(text: str, numbers: tuple[int, ...]) -> None:
    assert expand(text) == numbers


@given(st.integers(1, 10**9), st.integers(1, 10**9))
def test_a_range_is_bounded(first: int, last: int) -> None:
    assert len(expand(f"{first}-{last}")) <= MOST + 1
