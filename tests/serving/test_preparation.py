import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.document.geometry import Box
from mineru_core.document.page import Page, Word
from mineru_core.intake.compression import POLICY
from mineru_core.serving.preparation import Preparation
from tests.documents import EN_LINES, draw_lines

LARGE = np.repeat(np.repeat(np.asarray(draw_lines(EN_LINES * 3, size=40)), 3, axis=0), 3, axis=1)


def test_a_large_scan_is_reduced_with_all_that_lies_on_it() -> None:
    preparation = Preparation()
    page = Page(LARGE, "a", 3, dpi=300.0, text_layer=(Word("w", Box(30, 60, 90, 120)),))
    letters = preparation.letters(page)
    assert letters is not None
    prepared = preparation.prepare(page, letters)
    assert (prepared.width, prepared.height) == preparation.size(page.width, page.height, letters)
    scale = prepared.width / page.width
    assert scale < 0.6
    assert prepared.sha256 == page.sha256  # what is read is kept under the page as it was handed in
    assert prepared.letters == pytest.approx(letters * scale, rel=0.01)
    assert prepared.letters >= POLICY.letter_px - 1
    assert prepared.dpi == pytest.approx(300 * scale)
    assert prepared.text_layer is not None
    assert prepared.text_layer[0].box == pytest.approx(page.text_layer[0].box.scaled(scale, scale), rel=0.01)  # type: ignore[index]


def test_a_page_that_is_small_enough_only_learns_how_high_its_letters_are() -> None:
    page = Page(np.asarray(draw_lines(EN_LINES * 3, size=24)), "a")
    prepared = Preparation().prepare(page, 12)
    assert prepared.pixels is page.pixels
    assert prepared.letters == 12


def test_without_a_policy_pages_are_read_as_they_are() -> None:
    page = Page(LARGE, "a")
    preparation = Preparation(None)
    assert preparation.letters(page) is None
    assert preparation.prepare(page, None) is page
    assert preparation.fingerprint != Preparation().fingerprint


@given(st.integers(1, 9000), st.integers(1, 9000), st.none() | st.integers(4, 300))
def test_sizes_are_known_without_pixels(width: int, height: int, letters: int | None) -> None:
    new_width, new_height = Preparation().size(width, height, letters)
    assert 1 <= new_width <= width
    assert 1 <= new_height <= height
    assert abs(new_width / width - new_height / height) <= 1 / min(width, height) + 1e-9
