from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.rows import visual_rows

_number = st.integers(0, 60).map(lambda n: n * 7.0)
_boxes = st.builds(
    lambda x, y, w, h: Box(x, y, x + w, y + h), _number, _number, st.integers(1, 300), st.integers(1, 60)
)


@settings(deadline=None, max_examples=50)
@given(st.lists(_boxes, max_size=25))
def test_rows_hold_every_box_once_from_left_to_right(boxes: list[Box]) -> None:
    rows = visual_rows(boxes)
    assert sorted(i for row in rows for i in row) == list(range(len(boxes)))
    assert all([boxes[i].x0 for i in row] == sorted(boxes[i].x0 for i in row) for row in rows)


@pytest.mark.parametrize("slope", [-0.02, 0.02])
def test_rows_hold_on_a_slight_slope(slope: float) -> None:
    boxes = [
        Box(x, 100 + row * 40 + slope * x, x + 90, 124 + row * 40 + slope * x)
        for row in range(6)
        for x in range(0, 600, 120)
    ]
    rows = visual_rows(boxes)
    assert [[boxes[i].x0 for i in row] for row in rows] == [[0, 120, 240, 360, 480]] * 6


def test_a_drop_cap_is_a_row_of_its_own() -> None:
    cap, first, second = Box(0, 0, 60, 80), Box(70, 0, 300, 20), Box(70, 30, 300, 50)
    assert sorted(map(len, visual_rows([cap, first, second]))) == [1, 1, 1]
