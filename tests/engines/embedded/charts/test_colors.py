"""Colours of pixels, told one by one as they are all at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.engines.embedded.charts.colors import channel_max, channel_min, chroma, distance

BYTES = st.integers(0, 255)


@given(
    color=st.tuples(BYTES, BYTES, BYTES),
    seed=st.integers(0, 10_000),
    shape=st.sampled_from([(0,), (1,), (4,), (5, 3), (0, 7)]),
)
def test_a_distance_is_that_of_the_channel_furthest_off(
    color: tuple[int, int, int], seed: int, shape: tuple[int, ...]
) -> None:
    pixels = np.random.default_rng(seed).integers(0, 256, (*shape, 3), dtype=np.uint8)
    found = distance(pixels, color)
    assert found.shape == shape
    assert found.ravel().tolist() == [
        max(abs(int(a) - b) for a, b in zip(pixel, color, strict=True)) for pixel in pixels.reshape(-1, 3)
    ]


@pytest.mark.parametrize("part", [np.s_[:], np.s_[::2, ::3], np.s_[1:9, 2:5], np.s_[::-1]])
def test_parts_of_a_picture_are_as_their_copies(part: slice) -> None:
    pixels = np.random.default_rng(1).integers(0, 256, (12, 15, 3), dtype=np.uint8)
    assert (distance(pixels[part], (10, 200, 90)) == distance(pixels[part].copy(), (10, 200, 90))).all()


def test_greatest_and_least_channel() -> None:
    pixels = np.random.default_rng(2).integers(0, 256, (6, 7, 3), dtype=np.uint8)
    assert (channel_max(pixels) == pixels.max(axis=-1)).all()
    assert (channel_min(pixels) == pixels.min(axis=-1)).all()
    assert (chroma(pixels) == np.ptp(pixels.astype(np.int16), axis=-1)).all()
