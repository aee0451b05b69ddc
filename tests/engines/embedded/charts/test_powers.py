from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.charts.powers import with_powers
from mineru_core.engines.embedded.charts.scene import Label


def _axis(exponents: list[int], *, raised: bool) -> tuple[np.ndarray, list[Label]]:
    """A column of labels, "10" with an exponent after it."""
    pixels = np.full((60 * len(exponents) + 20, 120, 3), 255, np.uint8)
    labels = []
    for i, exponent in enumerate(exponents):
        foot = 60 * i + 50
        cv2.putText(pixels, "10", (10, foot), cv2.FONT_HERSHEY_SIMPLEX, 1.0, (0, 0, 0), 2, cv2.LINE_AA)
        scale, up = (0.6, 14) if raised else (1.0, 0)
        cv2.putText(pixels, str(exponent), (52, foot - up), cv2.FONT_HERSHEY_SIMPLEX, scale, (0, 0, 0), 2, cv2.LINE_AA)
        labels.append(Label(f"10{exponent}", Box(8, foot - 32, 76, foot + 4)))
    return pixels, labels


def test_raised_digits_are_exponents() -> None:
    found = with_powers(*_axis([5, 4, 3, 2], raised=True))
    assert [label.text for label in found] == ["100000", "10000", "1000", "100"]


def test_digits_on_the_line_belong_to_the_number() -> None:
    found = with_powers(*_axis([5, 4, 3, 2], raised=False))
    assert [label.text for label in found] == ["105", "104", "103", "102"]


@pytest.mark.parametrize(("text", "value"), [("10\u2075", "100000"), ("10\u207b\xb2", "0.01"), ("10\u2070", "1")])
def test_small_digits_are_exponents_however_they_are_drawn(text: str, value: str) -> None:
    pixels = np.full((200, 100, 3), 255, np.uint8)
    labels = [
        Label(text, Box(10, 10, 50, 30)),
        Label("10\xb3", Box(10, 90, 50, 110)),
        Label("Time", Box(10, 150, 60, 170)),
    ]
    assert [label.text for label in with_powers(pixels, labels)] == [value, "1000", "Time"]


def test_one_power_alone_is_left_as_it_is_read() -> None:
    pixels, labels = _axis([5], raised=True)
    assert [label.text for label in with_powers(pixels, labels)] == ["105"]


@pytest.mark.parametrize(("text", "value"), [("102²", "100"), ("10²2", "100"), ("10^{3}", "1000"), ("10^3", "1000")])
def test_a_raised_digit_may_be_read_twice_or_with_signs(text: str, value: str) -> None:
    pixels, labels = _axis([5, 4, 3, 2], raised=True)
    labels[-1] = replace(labels[-1], text=text)
    assert [label.text for label in with_powers(pixels, labels)] == ["100000", "10000", "1000", value]


def test_a_raised_digit_that_touches_the_zero_is_seen() -> None:
    pixels, labels = _axis([5, 4, 3, 2], raised=True)
    for i in range(4):
        cv2.line(pixels, (44, 60 * i + 34), (58, 60 * i + 30), (0, 0, 0), 2)
    assert [label.text for label in with_powers(pixels, labels)] == ["100000", "10000", "1000", "100"]


@pytest.mark.parametrize("read_as", ["10{", "10*", "10$"])
def test_a_digit_read_as_a_sign_is_told_by_its_place(read_as: str) -> None:
    pixels, labels = _axis([5, 4, 3, 2], raised=True)
    labels[1] = replace(labels[1], text=read_as)
    assert [label.text for label in with_powers(pixels, labels)] == ["100000", "10000", "1000", "100"]
    # Nothing is told where the others do not grow evenly.
    labels[2] = replace(labels[2], text="107")
    assert with_powers(pixels, labels)[1].text == read_as
