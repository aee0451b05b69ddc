from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from mineru_core.document.geometry import Box
from mineru_core.document.page import Page, PageTransform, Pixels, pixel_hash


def pixels(height: int, width: int, value: int = 0) -> Pixels:
    """A page of one colour."""
    return np.full((height, width, 3), value, dtype=np.uint8)


def test_a_page_knows_its_size_and_hash() -> None:
    page = Page(pixels(20, 30), "scan.png")
    assert (page.width, page.height, page.box) == (30, 20, Box(0, 0, 30, 20))
    assert page.sha256 == pixel_hash(page.pixels)
    assert len(page.sha256) == 64


def test_equal_pixels_share_a_hash_and_others_do_not() -> None:
    assert pixel_hash(pixels(4, 6)) == pixel_hash(pixels(4, 6))
    assert pixel_hash(pixels(4, 6)) != pixel_hash(pixels(6, 4))
    assert pixel_hash(pixels(4, 6)) != pixel_hash(pixels(4, 6, value=1))


def test_the_hash_is_of_the_picture_not_of_its_place_in_memory() -> None:
    wide = pixels(4, 12)
    wide[:, 6:] = 9
    assert pixel_hash(wide[:, :6]) == pixel_hash(pixels(4, 6))


@pytest.mark.parametrize(
    "wrong", [np.zeros((4, 6), np.uint8), np.zeros((4, 6, 4), np.uint8), np.zeros((4, 6, 3), np.float32)]
)
def test_other_arrays_are_refused(wrong: NDArray[np.uint8]) -> None:
    with pytest.raises(ValueError, match="uint8"):
        Page(wrong, "x")


@given(
    st.integers(0, 7),
    st.sampled_from([0.5, 1.0, 2.0, 4.0]),
    st.tuples(st.integers(0, 40), st.integers(0, 20), st.integers(1, 40), st.integers(1, 20)),
)
def test_a_box_leads_back_to_the_page_as_uploaded(turns: int, scale: float, place: tuple[int, int, int, int]) -> None:
    width, height = 100.0, 60.0
    x, y, w, h = place
    uploaded = Box(x, y, x + w, y + h)
    turned, size = uploaded, (width, height)
    for _ in range(turns):  # a quarter turn clockwise takes (x, y) to (height - y, x)
        turned = Box(size[1] - turned.y1, turned.x0, size[1] - turned.y0, turned.x1)
        size = (size[1], size[0])
    transform = PageTransform(quarter_turns=turns, scale=scale, source_width=width, source_height=height)
    assert transform.to_source(turned.scaled(scale, scale)) == uploaded
