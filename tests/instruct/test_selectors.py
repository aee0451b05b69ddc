"""Regions and pages as they are written."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.document.geometry import Box
from mineru_core.errors import InvalidRequest
from mineru_core.instruct.selectors import parse_pages, parse_region

corner = st.floats(0, 1e5, allow_nan=False)
size = st.floats(0.5, 1e5, allow_nan=False)


@given(corner, corner, size, size, st.integers(1, 10_000))
def test_a_written_region_is_read_back(x0: float, y0: float, width: float, height: float, page: int) -> None:
    box = Box(x0, y0, x0 + width, y0 + height)
    written = ",".join(map(repr, box))
    assert parse_region(written, page) == parse_region(f" {written} , {page}") == parse_region(f"{written},{page}", 7)
    assert parse_region(written, page).box == box
    assert parse_region(written, page).page == page


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1,2,3",
        "1,2,3,4,5,6",
        "a,b,c,d",
        "5,5,5,9",
        "9,0,1,5",
        "-1,0,5,5",
        "nan,0,5,5",
        "0,0,inf,5",
        "0,0,5,5,0",
        "0,0,5,5,1.5",
    ],
)
def test_a_region_that_makes_no_sense(text: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        parse_region(text)
    assert "X0,Y0,X1,Y1" in caught.value.hint


@pytest.mark.parametrize(
    ("text", "pages"),
    [
        ("", ()),
        ("  ", ()),
        ("3", (3,)),
        ("1,3-5,last", (1, 3, 4, 5, -1)),
        (" 2 - 3 , LAST ", (2, 3, -1)),
        ("4,2,4,2-3", (4, 2, 3)),
    ],
)
def test_written_pages(text: str, pages: tuple[int, ...]) -> None:
    assert parse_pages(text) == pages


@pytest.mark.parametrize("text", ["0", "-1", "5-3", "one", "1,,2", "1-", "1-2-3", "1.5", "9" * 5000, "1-999999999"])
def test_pages_that_make_no_sense(text: str) -> None:
    with pytest.raises(InvalidRequest):
        parse_pages(text)


@given(st.lists(st.tuples(st.integers(1, 500), st.integers(0, 20)), min_size=1, max_size=10))
def test_ranges_hold_every_page_once(ranges: list[tuple[int, int]]) -> None:
    pages = parse_pages(",".join(f"{first}-{first + more}" for first, more in ranges))
    assert len(set(pages)) == len(pages)
    assert set(pages) == {page for first, more in ranges for page in range(first, first + more + 1)}


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    for read in (parse_pages, parse_region):
        with suppress(InvalidRequest):
            read(text)
