from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.document.geometry import Box, Quad
from tests.document.boxes import boxes


@given(boxes(), boxes())
def test_overlap_does_not_depend_on_the_order(a: Box, b: Box) -> None:
    assert a.iou(b) == b.iou(a)
    assert a.intersection(b) == b.intersection(a)
    assert a.union(b) == b.union(a)


@given(boxes(), boxes())
def test_the_common_part_is_no_larger_and_the_union_no_smaller(a: Box, b: Box) -> None:
    assert a.intersection(b).area <= min(a.area, b.area)
    assert a.union(b).area >= max(a.area, b.area)
    assert 0 <= a.iou(b) <= 1
    assert 0 <= a.covered_by(b) <= 1


@given(boxes())
def test_a_box_overlaps_itself_wholly(box: Box) -> None:
    assert box.iou(box) == (1.0 if box.area else 0.0)
    assert box.intersection(box) == box == box.union(box)


def test_boxes_that_only_touch_have_nothing_in_common() -> None:
    assert Box(0, 0, 10, 10).iou(Box(10, 0, 20, 10)) == 0
    assert Box(0, 0, 10, 10).intersection(Box(20, 20, 30, 30)).area == 0


@given(boxes(), st.integers(-500, 500), st.integers(-500, 500))
def test_shifting_back_restores_the_box(box: Box, dx: int, dy: int) -> None:
    moved = box.shifted(dx, dy)
    assert moved.shifted(-dx, -dy) == box
    assert (moved.width, moved.height) == (box.width, box.height)


@given(boxes(), st.sampled_from([0.25, 0.5, 2.0, 4.0]), st.sampled_from([0.5, 8.0]))
def test_scaling_scales_the_area(box: Box, sx: float, sy: float) -> None:
    assert box.scaled(sx, sy).area == box.area * sx * sy
    assert box.scaled(sx, sy).scaled(1 / sx, 1 / sy) == box


@given(boxes(), st.integers(1, 800), st.integers(1, 800))
def test_clipping_stays_on_the_page_and_changes_nothing_twice(box: Box, width: int, height: int) -> None:
    clipped = box.clipped(width, height)
    assert 0 <= clipped.x0 <= clipped.x1 <= width
    assert 0 <= clipped.y0 <= clipped.y1 <= height
    assert clipped.clipped(width, height) == clipped
    assert clipped.area == box.intersection(Box(0, 0, width, height)).area


@given(boxes(), st.integers(0, 50))
def test_an_expanded_box_holds_the_box(box: Box, by: int) -> None:
    grown = box.expanded(by)
    assert grown.union(box) == grown
    assert grown.width == box.width + 2 * by


@given(boxes())
def test_the_middle_lies_in_the_box_and_the_far_edge_does_not(box: Box) -> None:
    if box.area:
        assert box.contains(*box.center)
    assert not box.contains(box.x1, box.y0)
    assert not box.contains(box.x0, box.y1)


@given(st.lists(boxes(), min_size=1, max_size=6))
def test_the_box_around_holds_each_and_is_the_smallest(items: list[Box]) -> None:
    around = Box.around(items)
    assert all(around.union(item) == around for item in items)
    assert around.x0 in {b.x0 for b in items}
    assert around.y1 in {b.y1 for b in items}


def test_there_is_no_box_around_nothing() -> None:
    with pytest.raises(ValueError, match="no boxes"):
        Box.around([])


def test_a_box_turned_inside_out_has_no_size() -> None:
    assert (Box(5, 5, 1, 1).width, Box(5, 5, 1, 1).height, Box(5, 5, 1, 1).area) == (0, 0, 0)
    assert Box(5, 5, 1, 1).covered_by(Box(0, 0, 9, 9)) == 0


@given(boxes())
def test_a_quad_of_a_box_has_that_box(box: Box) -> None:
    assert Quad.from_box(box).box == box


def test_the_box_of_a_slanted_quad_is_around_its_corners() -> None:
    assert Quad((1, 2), (9, 0), (10, 5), (2, 7)).box == Box(1, 0, 10, 7)
