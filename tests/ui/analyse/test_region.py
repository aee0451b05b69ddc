from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.document.geometry import Box
from mineru_core.ui.analyse.region import drawing_of, last_rectangle

SIZES = st.floats(min_value=10, max_value=400)
OFFSETS = st.floats(min_value=0, max_value=300)


def rectangle(left: float, top: float, width: float, height: float, **more: object) -> dict[str, object]:
    return {"type": "Rect", "left": left, "top": top, "width": width, "height": height, **more}


@given(OFFSETS, OFFSETS, SIZES, SIZES, st.floats(min_value=0.5, max_value=4))
def test_canvas_pixels_become_page_pixels(x: float, y: float, w: float, h: float, scale: float) -> None:
    box = last_rectangle({"objects": [rectangle(x, y, w, h)]}, scale, scale, 10_000, 10_000)
    assert box is not None
    assert box == pytest.approx(Box(x * scale, y * scale, (x + w) * scale, (y + h) * scale), abs=0.06)


@given(OFFSETS, OFFSETS, SIZES, SIZES)
def test_the_origin_does_not_matter(x: float, y: float, w: float, h: float) -> None:
    left_top = last_rectangle({"objects": [rectangle(x, y, w, h)]}, 1, 1, 9999, 9999)
    centred = rectangle(x + w / 2, y + h / 2, w, h, originX="center", originY="center")
    assert last_rectangle({"objects": [centred]}, 1, 1, 9999, 9999) == pytest.approx(left_top, abs=0.11)


@given(OFFSETS, OFFSETS, SIZES, SIZES)
def test_a_region_lies_on_the_page(x: float, y: float, w: float, h: float) -> None:
    box = last_rectangle({"objects": [rectangle(x, y, w, h)]}, 1, 1, 120, 90)
    if box is not None:
        assert 0 <= box.x0 < box.x1 <= 120
        assert 0 <= box.y0 < box.y1 <= 90


def test_the_last_rectangle_counts_and_other_shapes_do_not() -> None:
    drawing = {"objects": [rectangle(0, 0, 50, 50), rectangle(10, 10, 20, 30), {"type": "Path", "left": 1}]}
    assert last_rectangle(drawing, 1, 1, 500, 500) == Box(10, 10, 30, 40)


def test_a_scaled_rectangle_counts_at_its_size_on_screen() -> None:
    drawing = {"objects": [rectangle(10, 10, 20, 20, scaleX=2, scaleY=3)]}
    assert last_rectangle(drawing, 1, 1, 500, 500) == Box(10, 10, 50, 70)


@pytest.mark.parametrize("drawing", [None, {}, {"objects": []}, {"objects": [rectangle(5, 5, 2, 2)]}])
def test_nothing_drawn_or_a_mere_click_is_no_region(drawing: dict[str, object] | None) -> None:
    assert last_rectangle(drawing, 1, 1, 100, 100) is None


@given(OFFSETS, OFFSETS, SIZES, SIZES, st.floats(min_value=0.5, max_value=4))
def test_a_canvas_opened_with_a_region_shows_that_region(x: float, y: float, w: float, h: float, scale: float) -> None:
    box = Box(x, y, x + w, y + h).scaled(2 * scale, 2 * scale)
    shown = last_rectangle(drawing_of(box, scale, scale), scale, scale, 10_000, 10_000)
    assert shown == pytest.approx(box, abs=0.06)


def test_a_canvas_without_a_region_is_empty() -> None:
    assert drawing_of(None, 1, 1) == {"objects": []}
