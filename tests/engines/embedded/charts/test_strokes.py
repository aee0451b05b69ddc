"""Pieces of lines that are read as letters are no labels; numbers and letters are."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.charts.scene import Label
from mineru_core.engines.embedded.charts.strokes import without_strokes

TEXTS = [
    Label("Exports", Box(10, 10, 80, 32)),
    Label("2004", Box(100, 10, 140, 32)),
    Label("20", Box(150, 10, 175, 32)),
]


def _kept(label: Label, pixels: np.ndarray) -> bool:
    return label in without_strokes(pixels, [*TEXTS, label])


@pytest.mark.parametrize("text", ["1", "一", "/"])
def test_a_dash_that_runs_aslant_is_no_text(text: str) -> None:
    pixels = np.full((200, 300, 3), 255, np.uint8)
    cv2.line(pixels, (101, 101), (123, 123), (90, 80, 140), 4)
    assert not _kept(Label(text, Box(98, 98, 126, 126)), pixels)


def test_what_is_much_lower_or_higher_than_texts_is_a_dot_or_a_crossing() -> None:
    pixels = np.full((200, 300, 3), 255, np.uint8)
    assert not _kept(Label("中", Box(155, 85, 163, 93)), pixels)
    assert not _kept(Label("口", Box(50, 50, 125, 130)), pixels)


def test_so_many_digits_need_more_room() -> None:
    pixels = np.full((200, 300, 3), 255, np.uint8)
    assert not _kept(Label("100000", Box(100, 80, 122, 97)), pixels)
    assert _kept(Label("100000", Box(100, 80, 170, 102)), pixels)


@pytest.mark.parametrize("text", ["1", "7", "x", "0"])
@pytest.mark.parametrize("ruled", [False, True])
def test_a_digit_is_kept_on_a_line_of_the_grid_as_well(text: str, ruled: bool) -> None:
    pixels = np.full((200, 300, 3), 255, np.uint8)
    if ruled:
        pixels[112] = (215, 215, 215)
    cv2.putText(pixels, text, (104, 118), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (40, 40, 40), 1, cv2.LINE_AA)
    assert _kept(Label(text, Box(100, 100, 118, 123)), pixels)
