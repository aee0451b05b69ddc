from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.tables.matching import MIN_COVER, assign
from mineru_core.engines.embedded.tables.words import words_of
from tests.engines.embedded.tables.drawing import line_at

SIDES = st.floats(0, 300, allow_nan=False)
BOXES = st.builds(lambda x, y, w, h: Box(x, y, x + w + 1, y + h + 1), SIDES, SIDES, SIDES, SIDES)


@given(st.lists(BOXES, min_size=1, max_size=6), st.lists(BOXES, min_size=1, max_size=6))
def test_every_word_goes_to_exactly_one_cell_wherever_it_stands(cells: list[Box], places: list[Box]) -> None:
    words = words_of([line_at("a bc 中文", *place) for place in places])
    chosen = assign(words, cells)
    assert len(chosen) == len(words)
    assert all(0 <= index < len(cells) for index in chosen)


def suits(box: Box, cell: Box) -> tuple[float, float]:
    """How well a box suits a cell, one pair at a time: the rule that all cells at once must follow to the last bit."""
    covered = box.covered_by(cell)
    if covered >= MIN_COVER:
        return (box.iou(cell) + covered, 0.0)
    gap_x = max(0.0, cell.x0 - box.x1, box.x0 - cell.x1)
    gap_y = max(0.0, cell.y0 - box.y1, box.y0 - cell.y1)
    drift = abs(box.center[0] - cell.center[0]) + abs(box.center[1] - cell.center[1])
    return (0.0, -(gap_x + 3 * gap_y + 0.1 * drift))


@given(st.lists(BOXES, min_size=1, max_size=12), st.lists(BOXES, min_size=1, max_size=6))
def test_a_line_of_one_word_goes_to_the_first_cell_that_suits_it_best(cells: list[Box], places: list[Box]) -> None:
    words = words_of([line_at("x", *place) for place in places])
    # Cells that the line cuts are tried for its words again; the best for a line of one word is still the best.
    assert assign(words, cells) == [
        max(range(len(cells)), key=lambda i, box=word.box: suits(box, cells[i])) for word in words
    ]


def test_a_line_across_two_cells_is_split_at_its_words() -> None:
    words = words_of([line_at("12.5 13.5", 0, 0, 90, 10)])
    assert assign(words, [Box(0, 0, 44, 10), Box(46, 0, 95, 10)]) == [0, 1]


def test_a_line_that_runs_a_little_over_stays_whole() -> None:
    words = words_of([line_at("total of the year", 0, 0, 160, 10)])
    assert set(assign(words, [Box(0, 0, 140, 10), Box(145, 0, 300, 10)])) == {0}


def test_a_line_in_no_cell_goes_to_the_one_of_its_row_not_to_a_nearer_one_below() -> None:
    words = words_of([line_at("x", 100, 0, 110, 10)])
    assert assign(words, [Box(0, 0, 80, 10), Box(95, 20, 150, 30)]) == [0]
