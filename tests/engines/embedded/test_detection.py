from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mineru_core.engines.embedded import weights
from mineru_core.engines.embedded.detection import (
    OVERLAP,
    STRIDE,
    DetectionOptions,
    TextDetector,
    clockwise_from_top_left,
    lines_of,
    network_size,
    strips_of,
)
from mineru_core.runtime.context import RunContext
from tests.documents import EN_LINES, draw_lines

OPTIONS = DetectionOptions()
_side = st.integers(1, 12000)


@given(_side, _side)
def test_the_network_sees_sides_it_can_take(width: int, height: int) -> None:
    sides = network_size(width, height, OPTIONS)
    assert all(side >= STRIDE and side % STRIDE == 0 for side in sides)
    assert sides[0] * sides[1] <= (OPTIONS.max_area**0.5 + 2 * STRIDE) ** 2 or min(sides) == STRIDE


def test_a_long_screenshot_keeps_its_width() -> None:
    width, height = network_size(1080, 6000, OPTIONS)
    assert abs(width - OPTIONS.min_side) <= STRIDE / 2
    assert abs(height - width * 6000 / 1080) <= 3 * STRIDE


@given(st.integers(32, 9000), st.integers(32, 2000), st.integers(100_000, 2_000_000))
def test_strips_use_every_row_once_and_look_beyond_it(length: int, breadth: int, area: int) -> None:
    strips = strips_of(length, breadth, area)
    assert [s.keep_start for s in strips] == [0, *(s.keep_end for s in strips[:-1])]
    assert strips[-1].keep_end == length
    (size,) = {s.end - s.start for s in strips}
    assert size * breadth <= area or size <= 4 * OVERLAP
    for strip in strips:
        assert 0 <= strip.start <= strip.keep_start < strip.keep_end <= strip.end <= length
        assert strip.start == 0 or strip.keep_start - strip.start >= OVERLAP - 1
        assert strip.end == length or strip.end - strip.keep_end >= OVERLAP - 1


@given(st.integers(400, 6000), st.integers(400, 6000))
def test_a_page_keeps_its_aspect(width: int, height: int) -> None:
    seen_width, seen_height = network_size(width, height, OPTIONS)
    half = STRIDE / 2 + 1e-6  # what rounding may move a side by
    assert (seen_width - half) / (seen_height + half) <= width / height <= (seen_width + half) / (seen_height - half)


@settings(deadline=None, max_examples=60)
@given(st.floats(60, 300), st.floats(8, 24), st.floats(-40, 40))
def test_a_core_is_grown_to_its_line(length: float, thickness: float, angle: float) -> None:
    probability = np.zeros((400, 500), dtype=np.float32)
    core = cv2.boxPoints(((250.0, 200.0), (length, thickness), angle))
    cv2.fillPoly(probability, [np.round(core).astype(np.int32)], 0.9)
    (corners,) = lines_of(probability, OPTIONS)
    assert np.allclose(corners.mean(axis=0), [250, 200], atol=2)
    # Drawing on whole pixels and joining neighbours widens a core by up to three pixels before it is grown.
    least, most = _grown(length - 2, thickness - 2), _grown(length + 4, thickness + 4)
    assert least[0] <= np.linalg.norm(corners[0] - corners[1]) <= most[0]
    assert least[1] <= np.linalg.norm(corners[0] - corners[3]) <= most[1]


def _grown(length: float, thickness: float) -> tuple[float, float]:
    """Sides of a core after growing: on each side by area x ratio / perimeter."""
    growth = length * thickness * OPTIONS.growth / (2 * (length + thickness))
    return length + 2 * growth, thickness + 2 * growth


@pytest.mark.parametrize("level", [0.0, 0.29, 0.45])
def test_what_the_network_is_unsure_of_is_no_line(level: float) -> None:
    probability = np.zeros((100, 200), dtype=np.float32)
    probability[40:60, 40:160] = level
    assert lines_of(probability, OPTIONS) == []


def test_specks_are_no_lines() -> None:
    probability = np.zeros((100, 200), dtype=np.float32)
    probability[50:52, 50:52] = 1.0
    assert lines_of(probability, OPTIONS) == []


def test_a_line_is_found_above_thousands_of_specks() -> None:
    """An empty half of a page came back from the network as faint specks, and the lines above them were left out."""
    probability = np.zeros((900, 900), dtype=np.float32)
    probability[100:120, 100:400] = 1.0
    probability[300::5, ::5] = 0.35
    (corners,) = lines_of(probability, OPTIONS)
    assert np.allclose(corners.mean(axis=0), [250, 110], atol=2)


@given(st.integers(20, 400), st.integers(10, 300), st.permutations(range(4)))
def test_corners_start_at_the_top_left(width: int, height: int, order: list[int]) -> None:
    upright = np.array([[5, 5], [5 + width, 5], [5 + width, 5 + height], [5, 5 + height]], dtype=np.float32)
    assert np.array_equal(clockwise_from_top_left(upright[order]), upright)


@pytest.fixture(scope="module")
def detector(models_dir: Path) -> Iterator[TextDetector]:
    made = TextDetector(weights.require(models_dir, weights.DETECTION), engine_calls=1)
    yield made
    made.close()


@pytest.mark.models
def test_each_drawn_line_is_found_where_it_stands(detector: TextDetector) -> None:
    page = np.asarray(draw_lines(EN_LINES))
    found = sorted(detector.detect(page, RunContext()), key=lambda corners: corners[0, 1])
    assert len(found) == len(EN_LINES)
    for number, corners in enumerate(found):
        middle = 40 + 56 * number + 20
        assert corners[0, 1] < middle < corners[3, 1]
        assert corners[0, 0] == pytest.approx(40, abs=15)


@pytest.mark.models
def test_lines_are_found_across_the_seams_of_strips(detector: TextDetector) -> None:
    page = np.asarray(draw_lines(EN_LINES * 18, width=900))
    assert len(detector.detect(page, RunContext())) == len(EN_LINES) * 18


@pytest.mark.models
def test_a_cut_out_line_is_found(detector: TextDetector) -> None:
    line = np.asarray(draw_lines(["Total amount due 1,250.00"]))[44:82, 38:470]
    (corners,) = detector.detect(np.ascontiguousarray(line), RunContext())
    assert np.linalg.norm(corners[0] - corners[1]) > 0.8 * line.shape[1]


@pytest.mark.models
@pytest.mark.parametrize("shape", [(600, 400), (1, 1), (3, 900), (900, 3)])
def test_a_blank_page_of_any_shape_has_no_lines(detector: TextDetector, shape: tuple[int, int]) -> None:
    assert detector.detect(np.full((*shape, 3), 255, dtype=np.uint8), RunContext()) == []


@given(_side, _side, st.integers(4, 200))
def test_letters_are_seen_no_larger_than_they_need_be(width: int, height: int, letters: int) -> None:
    plain, measured = (network_size(width, height, OPTIONS, known) for known in (None, letters))
    assert all(seen <= before for seen, before in zip(measured, plain, strict=True))
    scale = OPTIONS.letter_px / letters
    for seen, before, side in zip(measured, plain, (width, height), strict=True):
        assert abs(seen - min(before, side * scale)) <= STRIDE
