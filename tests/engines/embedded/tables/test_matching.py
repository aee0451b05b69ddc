from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.tables.matching import assign
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


def test_a_line_across_two_cells_is_split_at_its_words() -> None:
    words = words_of([line_at("12.5 13.5", 0, 0, 90, 10)])
    assert assign(words, [Box(0, 0, 44, 10), Box(46, 0, 95, 10)]) == [0, 1]


def test_a_line_that_runs_a_little_over_stays_whole() -> None:
    words = words_of([line_at("total of the year", 0, 0, 160, 10)])
    assert set(assign(words, [Box(0, 0, 140, 10), Box(145, 0, 300, 10)])) == {0}


def test_a_line_in_no_cell_goes_to_the_one_of_its_row_not_to_a_nearer_one_below() -> None:
    words = words_of([line_at("x", 100, 0, 110, 10)])
    assert assign(words, [Box(0, 0, 80, 10), Box(95, 20, 150, 30)]) == [0]
