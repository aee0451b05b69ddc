from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from mineru_core.document.analysis import BlockType
from mineru_core.document.geometry import Box
from mineru_core.document.page import Pixels
from mineru_core.engines.embedded.layout import (
    CLASSES,
    INPUT_HEIGHT,
    INPUT_WIDTH,
    STRIDES,
    LayoutDetector,
    decode,
    to_input,
)
from mineru_core.errors import Cancelled, ModelMissing
from mineru_core.runtime.context import RunContext
from tests.engines.embedded.pages import drawn_page

BINS = 8


def _outputs() -> list[NDArray[np.float32]]:
    """Outputs in which no cell claims anything."""
    cells = [-(-INPUT_HEIGHT // s) * -(-INPUT_WIDTH // s) for s in STRIDES]
    scores = [np.zeros((1, n, len(CLASSES)), np.float32) for n in cells]
    return scores + [np.zeros((1, n, 4 * BINS), np.float32) for n in cells]


def _claim(
    outputs: list[NDArray[np.float32]], kind: BlockType, score: float, *, row: int, col: int, reach: int, level: int = 2
) -> Box:
    """Let a cell claim a square that reaches ``reach`` strides to each side; the square in input pixels."""
    stride = STRIDES[level]
    cell = row * -(-INPUT_WIDTH // stride) + col
    outputs[level][0, cell, CLASSES.index(kind)] = score
    outputs[level + len(STRIDES)][0, cell].reshape(4, BINS)[:, reach] = 50.0
    x, y = (col + 0.5) * stride, (row + 0.5) * stride
    return Box(x - reach * stride, y - reach * stride, x + reach * stride, y + reach * stride)


def test_a_claim_is_decoded_to_page_pixels() -> None:
    outputs = _outputs()
    box = _claim(outputs, BlockType.TABLE, 0.8, row=10, col=8, reach=3)
    (region,) = decode(outputs, 2 * INPUT_WIDTH, 3 * INPUT_HEIGHT)
    assert region.type is BlockType.TABLE
    assert region.confidence == pytest.approx(0.8)
    assert region.box == pytest.approx(box.scaled(2, 3), abs=0.01)


def test_weak_claims_are_dropped_and_boxes_end_at_the_page() -> None:
    outputs = _outputs()
    _claim(outputs, BlockType.TEXT, 0.3, row=10, col=8, reach=3)
    assert decode(outputs, 600, 800) == ()
    _claim(outputs, BlockType.TEXT, 0.9, row=0, col=0, reach=4)
    (region,) = decode(outputs, 600, 800)
    assert region.box[:2] == (0, 0)


def test_of_two_claims_on_one_place_the_surer_one_stays() -> None:
    outputs = _outputs()
    _claim(outputs, BlockType.TITLE, 0.6, row=10, col=8, reach=4)
    _claim(outputs, BlockType.TEXT, 0.9, row=10, col=9, reach=4)
    _claim(outputs, BlockType.TEXT, 0.7, row=11, col=9, reach=4)
    assert [(r.type, round(r.confidence, 1)) for r in decode(outputs, 600, 800)] == [(BlockType.TEXT, 0.9)]


def test_a_table_stays_beside_a_surer_picture() -> None:
    outputs = _outputs()
    _claim(outputs, BlockType.IMAGE, 0.9, row=10, col=8, reach=4)
    _claim(outputs, BlockType.TABLE, 0.5, row=10, col=9, reach=4)
    assert [r.type for r in decode(outputs, 600, 800)] == [BlockType.IMAGE, BlockType.TABLE]


def test_the_input_is_stretched_and_normalised() -> None:
    white = np.full((30, 90, 3), 255, np.uint8)
    tensor = to_input(white)
    assert (tensor.shape, tensor.dtype) == ((1, 3, INPUT_HEIGHT, INPUT_WIDTH), np.float32)
    assert tensor[0, 0].mean() == pytest.approx((1 - 0.485) / 0.229, abs=1e-3)


def test_without_weights_loading_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing) as caught:
        LayoutDetector(tmp_path).load()
    assert "install" in caught.value.hint


def test_detecting_before_loading_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing):
        LayoutDetector(tmp_path).detect(np.zeros((9, 9, 3), np.uint8), RunContext())


@pytest.fixture(scope="module")
def detector(models_dir: Path) -> LayoutDetector:
    detector = LayoutDetector(models_dir, engine_calls=2)
    detector.load()
    return detector


def _article() -> Pixels:
    """A page with a paragraph over its whole width."""
    rows = [(80.0, 200.0 + 36 * n, "the quick brown fox jumps over the lazy dog and runs away") for n in range(10)]
    return drawn_page(rows, width=1000, height=1400).pixels


@pytest.mark.models
def test_a_paragraph_is_found_where_it_stands(detector: LayoutDetector) -> None:
    regions = detector.detect(_article(), RunContext())
    paragraph = Box(80, 200, 880, 555)
    best = max(regions, key=lambda r: r.box.iou(paragraph))
    assert best.box.iou(paragraph) > 0.7
    assert best.type in (BlockType.TEXT, BlockType.REFERENCE)


@pytest.mark.models
def test_threads_find_the_same(detector: LayoutDetector) -> None:
    page = _article()
    expected = detector.detect(page, RunContext())
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: detector.detect(page, RunContext()), range(8)))
    assert all(found == expected for found in results)


@pytest.mark.models
@pytest.mark.parametrize("shape", [(1, 1), (3000, 5), (7, 2000)])
def test_odd_shapes_are_looked_at_too(detector: LayoutDetector, shape: tuple[int, int]) -> None:
    regions = detector.detect(np.full((*shape, 3), 255, np.uint8), RunContext())
    assert all(r.box.x1 <= shape[1] and r.box.y1 <= shape[0] for r in regions)


@pytest.mark.models
def test_a_cancelled_run_is_not_begun(detector: LayoutDetector) -> None:
    ctx = RunContext()
    ctx.cancel()
    with pytest.raises(Cancelled):
        detector.detect(_article(), ctx)


@pytest.mark.models
def test_closing_twice_is_fine_and_loading_again_works(models_dir: Path) -> None:
    detector = LayoutDetector(models_dir)
    detector.load()
    detector.close()
    detector.close()
    with pytest.raises(ModelMissing):
        detector.detect(_article(), RunContext())
    detector.load()
    assert detector.detect(_article(), RunContext())
