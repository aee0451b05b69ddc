import io
import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from mineru_core.document.page import Pixels
from mineru_core.intake.compression import (
    POLICY,
    compress,
    letter_height,
    shrink,
    shrink_factor,
)
from tests.documents import EN_LINES, draw_lines

VECTORS: dict[str, Any] = json.loads((Path(__file__).parent / "compression_vectors.json").read_text(encoding="utf-8"))


def drawn(page: dict[str, Any]) -> Pixels:
    pixels = np.full((page["height"], page["width"], 3), page["ground"], np.uint8)
    for x0, y0, x1, y1, value in page["rectangles"]:
        pixels[y0:y1, x0:x1] = value
    return pixels


def test_the_vectors_are_of_this_policy() -> None:
    assert VECTORS["policy"] == asdict(POLICY)


@pytest.mark.parametrize("page", VECTORS["pages"], ids=lambda page: page["name"])
def test_letters_are_as_high_as_the_vectors_say(page: dict[str, Any]) -> None:
    assert letter_height(drawn(page)) == page["letters"]


@pytest.mark.parametrize("case", VECTORS["factors"], ids=str)
def test_pages_shrink_as_far_as_the_vectors_say(case: dict[str, Any]) -> None:
    assert shrink_factor(case["width"], case["height"], case["letters"]) == pytest.approx(case["factor"], rel=1e-12)


def test_letters_of_real_text_are_measured_in_pixels_of_the_page() -> None:
    small = letter_height(np.asarray(draw_lines(EN_LINES * 3, size=24)))
    large = letter_height(np.asarray(draw_lines(EN_LINES * 3, size=48)))
    assert small is not None
    assert large is not None
    assert 10 <= small <= 20
    assert 1.7 <= large / small <= 2.3


def test_a_strip_too_narrow_to_be_reduced_is_not_measured_in_full() -> None:
    strip = np.random.default_rng(0).integers(0, 256, (9, 11_000, 3), dtype=np.uint8)
    assert letter_height(strip) is not None
    assert letter_height(strip, replace(POLICY, grey_pixels=1_000)) is None  # it would take squares of ten pixels


@given(st.integers(1, 20_000), st.integers(1, 20_000), st.none() | st.integers(1, 300))
def test_text_never_shrinks_below_what_can_be_read(width: int, height: int, letters: int | None) -> None:
    factor = shrink_factor(width, height, letters)
    edge = max(width, height)
    assert 0 < factor <= 1
    assert factor == 1 or factor <= POLICY.worth_it / 100
    assert factor * edge >= min(edge, POLICY.least_edge) - 1e-6
    if letters is None:
        assert factor * edge <= POLICY.plain_edge * 100 / POLICY.worth_it + 1e-6
    elif factor < 1:
        assert factor * letters >= POLICY.letter_px - 1e-6 or factor * edge <= POLICY.least_edge + 1e-6


def test_what_needs_no_reduction_is_not_touched() -> None:
    pixels = np.zeros((10, 20, 3), np.uint8)
    assert shrink(pixels, 1.0) is pixels
    assert shrink(pixels, 0.5).shape == (5, 10, 3)


def test_a_large_scan_travels_small_and_legible() -> None:
    scan = np.repeat(np.repeat(np.asarray(draw_lines(EN_LINES * 6, size=40)), 3, axis=0), 3, axis=1)
    sent = compress(scan)
    assert len(sent.data) <= POLICY.max_bytes
    with Image.open(io.BytesIO(sent.data)) as picture:
        assert (picture.format, picture.size) == ("JPEG", (sent.width, sent.height))
        arrived = letter_height(np.asarray(picture))
    assert sent.scale < 1
    assert arrived is not None
    assert arrived >= POLICY.letter_px - 2


def test_quality_goes_down_until_the_picture_fits_and_no_further() -> None:
    noise = np.random.default_rng(7).integers(0, 256, (600, 800, 3), dtype=np.uint8)
    loose, tight = replace(POLICY, max_bytes=10**9), replace(POLICY, max_bytes=1)
    best, least = compress(noise, loose), compress(noise, tight)
    assert (best.quality, least.quality) == (POLICY.quality, POLICY.least_quality)
    between = compress(noise, replace(POLICY, max_bytes=(len(best.data) + len(least.data)) // 2))
    assert POLICY.least_quality < between.quality < POLICY.quality
    assert len(between.data) <= (len(best.data) + len(least.data)) // 2


def test_the_fingerprint_follows_every_number() -> None:
    for name, value in asdict(POLICY).items():
        assert replace(POLICY, **{name: value + 1}).fingerprint != POLICY.fingerprint
