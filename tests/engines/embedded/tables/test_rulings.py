from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.document.page import Pixels
from mineru_core.engines.embedded.tables.rulings import find_rules, ruled_limits, ruled_structure
from tests.engines.embedded.tables.drawing import COLUMN_WIDTH, MARGIN, ROW_HEIGHT, TEXT_SIZE, drawn_table, grid_lines

ROWS = [["Item", "Number", "Price"], ["Bolt", "12", "3.50"], ["Nut", "", "1.20"]]


def _blank(height: int = 200, width: int = 500) -> Pixels:
    return np.full((height, width, 3), 255, np.uint8)


@given(st.integers(1, 6), st.integers(2, 5), st.integers(0, 235))
def test_a_full_grid_is_read_as_drawn_however_faint(n_rows: int, n_cols: int, grey: int) -> None:
    pixels = _blank(2 * MARGIN + n_rows * ROW_HEIGHT, 2 * MARGIN + n_cols * COLUMN_WIDTH)
    for r in range(n_rows + 1):
        y = MARGIN + r * ROW_HEIGHT
        pixels[y, MARGIN : MARGIN + n_cols * COLUMN_WIDTH] = grey
    for c in range(n_cols + 1):
        x = MARGIN + c * COLUMN_WIDTH
        pixels[MARGIN : MARGIN + n_rows * ROW_HEIGHT, x] = grey
    structure = ruled_structure(pixels, [], TEXT_SIZE)
    assert structure is not None
    assert (structure.n_rows, structure.n_cols, len(structure.cells)) == (n_rows, n_cols, n_rows * n_cols)


def test_letters_are_no_rules() -> None:
    pixels, lines = drawn_table([["-----", "EEEEE"], ["=====", "TTTTT"]], ruled=False)
    assert ruled_structure(pixels, [line.box for line in lines], TEXT_SIZE) is None


def test_the_feet_of_letters_are_no_rule_either() -> None:
    """In small print the feet of a word's letters met to a stroke at the edge of its box."""
    pixels, _ = drawn_table([["", ""], ["", ""]], ruled=True)
    text = grid_lines([["at each end", ""]])[0].box
    y, x0, x1 = int(text.y1) - 1, int(text.x0) + 5, int(text.x1) - 5
    pixels[y, x0:x1] = 0
    structure = ruled_structure(pixels, [text], TEXT_SIZE)
    assert structure is not None
    assert (structure.n_rows, structure.n_cols) == (2, 2)


def test_an_empty_row_of_a_grid_is_kept() -> None:
    pixels, lines = drawn_table([*ROWS, ["", "", ""]], ruled=True)
    structure = ruled_structure(pixels, [line.box for line in lines], TEXT_SIZE)
    assert structure is not None
    assert (structure.n_rows, structure.n_cols) == (4, 3)


def test_a_side_left_open_closes_at_the_text() -> None:
    pixels, lines = drawn_table(ROWS, ruled=True)
    for x in (MARGIN, MARGIN + 3 * COLUMN_WIDTH):
        pixels[:, x - 1 : x + 2] = 255
    structure = ruled_structure(pixels, [line.box for line in lines], TEXT_SIZE)
    assert structure is not None
    assert (structure.n_rows, structure.n_cols) == (3, 3)


def test_a_missing_rule_between_two_cells_joins_them() -> None:
    pixels, _ = drawn_table([["", "", ""], ["", "", ""]], ruled=True)
    x = MARGIN + COLUMN_WIDTH
    pixels[MARGIN + 2 : MARGIN + ROW_HEIGHT - 2, x - 1 : x + 2] = 255
    structure = ruled_structure(pixels, [], TEXT_SIZE)
    assert structure is not None
    assert [(c.row, c.col, c.colspan) for c in structure.cells] == [
        (0, 0, 2),
        (0, 2, 1),
        (1, 0, 1),
        (1, 1, 1),
        (1, 2, 1),
    ]


def test_horizontal_rules_alone_are_no_grid() -> None:
    pixels = _blank()
    for y in (20, 60, 180):
        pixels[y, 20:480] = 0
    assert ruled_structure(pixels, [line.box for line in grid_lines(ROWS)], TEXT_SIZE) is None


def test_cells_that_are_no_rectangles_are_refused() -> None:
    pixels, _ = drawn_table([["", ""], ["", ""]], ruled=True)
    x, y = MARGIN + COLUMN_WIDTH, MARGIN + ROW_HEIGHT
    # Only a stub of the cross in the middle is left: an L of three places.
    pixels[MARGIN + 2 : y - 1, x - 1 : x + 2] = 255
    pixels[y - 1 : y + 2, MARGIN + 2 : x - 1] = 255
    assert ruled_structure(pixels, [], TEXT_SIZE) is None


@pytest.mark.parametrize("thickness", [1, 3, 7])
def test_a_rule_is_found_at_its_place(thickness: int) -> None:
    pixels = _blank()
    cv2.rectangle(pixels, (50, 100), (450, 100 + thickness - 1), (0, 0, 0), -1)
    (rule,) = find_rules(pixels, TEXT_SIZE)
    assert abs(rule.at - (100 + (thickness - 1) / 2)) <= 0.5
    assert (rule.start, rule.end) == (50, 451)


def test_rules_on_a_dark_ground_are_found() -> None:
    pixels = _blank() // 12
    pixels[100, 50:450] = 255
    assert len(find_rules(pixels, TEXT_SIZE)) == 1


def test_a_ruled_table_says_where_it_ends() -> None:
    pixels, lines = drawn_table(ROWS, ruled=True)
    limits = ruled_limits(pixels, [line.box for line in lines], TEXT_SIZE)
    assert limits is not None
    assert [round(y) for y in limits] == [MARGIN, MARGIN + 3 * ROW_HEIGHT]


def test_columns_ruled_beyond_the_last_rule_across_leave_the_end_open() -> None:
    pixels, lines = drawn_table(ROWS, ruled=True)
    y = MARGIN + 3 * ROW_HEIGHT
    pixels[y - 1 : y + 2, MARGIN + 2 : MARGIN + 3 * COLUMN_WIDTH - 1] = 255
    assert ruled_limits(pixels, [line.box for line in lines], TEXT_SIZE) is None
