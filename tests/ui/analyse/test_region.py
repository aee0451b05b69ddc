from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.document.geometry import Box
from mineru_core.ui.analyse.region import boxes_of, drawing_of

SIZES = st.floats(min_value=10, max_value=400)
OFFSETS = st.floats(min_value=0, max_value=300)


def stroke(left: float, top: float, width: float, height: float, **more: object) -> dict[str, object]:
    return {"type": "Path", "left": left, "top": top, "width": width, "height": height, **more}


@given(OFFSETS, OFFSETS, SIZES, SIZES, st.floats(min_value=0.5, max_value=4))
def test_canvas_pixels_become_page_pixels(x: float, y: float, w: float, h: float, scale: float) -> None:
    (box,) = boxes_of({"objects": [stroke(x, y, w, h)]}, scale, scale, 10_000, 10_000)
    assert box == pytest.approx(Box(x * scale, y * scale, (x + w) * scale, (y + h) * scale), abs=0.06)


@given(OFFSETS, OFFSETS, SIZES, SIZES)
def test_the_origin_does_not_matter(x: float, y: float, w: float, h: float) -> None:
    (left_top,) = boxes_of({"objects": [stroke(x, y, w, h)]}, 1, 1, 9999, 9999)
    centred = stroke(x + w / 2, y + h / 2, w, h, originX="center", originY="center")
    assert boxes_of({"objects": [centred]}, 1, 1, 9999, 9999) == [pytest.approx(left_top, abs=0.11)]


@given(OFFSETS, OFFSETS, SIZES, SIZES)
def test_a_region_lies_on_the_page(x: float, y: float, w: float, h: float) -> None:
    for box in boxes_of({"objects": [stroke(x, y, w, h)]}, 1, 1, 120, 90):
        assert 0 <= box.x0 < box.x1 <= 120
        assert 0 <= box.y0 < box.y1 <= 90


def test_each_stroke_is_a_region_and_other_shapes_are_none() -> None:
    drawing = {"objects": [stroke(0, 0, 50, 50), {**stroke(10, 10, 20, 30), "type": "Rect"}, {"type": "Line"}]}
    assert boxes_of(drawing, 1, 1, 500, 500) == [Box(0, 0, 50, 50), Box(10, 10, 30, 40)]


def test_a_scaled_stroke_counts_at_its_size_on_screen() -> None:
    drawing = {"objects": [stroke(10, 10, 20, 20, scaleX=2, scaleY=3)]}
    assert boxes_of(drawing, 1, 1, 500, 500) == [Box(10, 10, 50, 70)]


@pytest.mark.parametrize("drawing", [None, {}, {"objects": []}, {"objects": [stroke(5, 5, 2, 2)]}])
def test_nothing_drawn_or_a_mere_dot_is_no_region(drawing: dict[str, object] | None) -> None:
    assert boxes_of(drawing, 1, 1, 100, 100) == []


@given(OFFSETS, OFFSETS, SIZES, SIZES, st.floats(min_value=0.5, max_value=4))
def test_a_canvas_opened_with_regions_shows_them(x: float, y: float, w: float, h: float, scale: float) -> None:
    boxes = [Box(x, y, x + w, y + h).scaled(2 * scale, 2 * scale), Box(0, 0, 80, 80)]
    shown = boxes_of(drawing_of(boxes, scale, scale), scale, scale, 10_000, 10_000)
    assert shown == [pytest.approx(box, abs=0.06) for box in boxes]


def test_a_canvas_without_regions_is_empty() -> None:
    assert drawing_of([], 1, 1) == {"objects": []}
