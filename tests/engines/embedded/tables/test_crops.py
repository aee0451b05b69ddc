"""Pictures that are one table as a whole, and pages that are not."""

from __future__ import annotations

import pytest

from mineru_core.document.analysis import BlockType, Line
from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.layout import LayoutRegion
from mineru_core.engines.embedded.tables.where import is_table_crop, table_boxes
from tests.engines.embedded.tables.drawing import grid_lines, line_at

ROWS = [["Item", "Number", "Price"], ["Bolt", "12", "3.50"], ["Nut", "7", "1.20"]]


def _crop() -> tuple[int, int, list[Line]]:
    """Width, height and lines of a picture cut out about a table."""
    lines = grid_lines(ROWS)
    hull = Box.around(line.box for line in lines)
    return int(hull.x1) + 12, int(hull.y1) + 12, lines


def _paragraph(x: float, y: float, count: int, width: float) -> list[Line]:
    return [line_at("words of running text", x, y + 24 * n, x + width, y + 24 * n + 18) for n in range(count)]


def test_a_crop_is_one_table_even_where_the_layout_model_finds_none() -> None:
    width, height, lines = _crop()
    assert table_boxes(width, height, [], lines) == [Box(0, 0, width, height)]


def test_a_crop_of_which_the_layout_model_finds_a_part_is_taken_whole() -> None:
    width, height, lines = _crop()
    part = LayoutRegion(BlockType.TABLE, Box(20, 20, 200, 60), 0.7)
    assert table_boxes(width, height, [part], lines) == [Box(0, 0, width, height)]


@pytest.mark.parametrize("columns", [1, 2])
def test_running_text_is_no_table(columns: int) -> None:
    lines = [line for c in range(columns) for line in _paragraph(20 + 320 * c, 20, 30, 300)]
    assert table_boxes(40 + 320 * columns, 760, [], lines) == []


def test_a_list_of_bullets_is_no_table() -> None:
    lines = [line_at("•", 10, 10 + 30 * n, 18, 28 + 30 * n) for n in range(6)]
    lines += [line_at("some point", 40, 10 + 30 * n, 200 + 40 * (n % 3), 28 + 30 * n) for n in range(6)]
    assert not is_table_crop(300, 200, lines)


def test_labels_that_stand_freely_are_no_table() -> None:
    places = [(10, 10), (300, 18), (150, 60), (420, 75), (60, 130), (350, 160), (220, 210), (30, 260), (450, 290)]
    lines = [line_at("label", x, y, x + 45, y + 18) for x, y in places]
    assert not is_table_crop(520, 320, lines)


def test_a_small_table_on_a_page_is_no_crop() -> None:
    assert not is_table_crop(1000, 1400, grid_lines(ROWS, 300, 500))


def test_a_table_cut_too_tight_grows_to_its_lines_and_rows_but_not_to_text() -> None:
    lines = grid_lines([*ROWS, ["Washer", "40", "0.10"]], 100, 400)
    text = _paragraph(100, 300, 3, 800)
    region = LayoutRegion(BlockType.TABLE, Box(112, 402, 500, 500), 0.9)
    (found,) = table_boxes(1000, 1400, [region], [*text, *lines])
    assert all(line.box.covered_by(found) == 1.0 for line in lines)
    assert not any(line.box.intersection(found).area for line in text)


def test_two_tables_stay_two() -> None:
    regions = [
        LayoutRegion(BlockType.TABLE, Box(20, 20, 440, 130), 0.9),
        LayoutRegion(BlockType.TABLE, Box(20, 160, 440, 270), 0.9),
    ]
    lines = grid_lines(ROWS, 20, 20) + grid_lines(ROWS, 20, 160)
    assert len(table_boxes(460, 290, regions, lines)) == 2


def test_a_region_named_twice_is_one_table() -> None:
    regions = [
        LayoutRegion(BlockType.TABLE, Box(100, 400, 540, 510), 0.9),
        LayoutRegion(BlockType.TABLE, Box(110, 405, 530, 500), 0.5),
    ]
    assert len(table_boxes(1000, 1400, regions, grid_lines(ROWS, 100, 400))) == 1


def test_gutters_are_measured_between_words_not_between_grown_lines() -> None:
    """Boxes of lines that the detector had grown met in the gutter of a small table."""
    rows = [["Column 1", "Column 2"], ["Row 1, a", "Row 1, b"], ["Row 2, a", "Row 2, b"]]
    words = [
        line_at(text, 20 + 90 * c, 10 + 30 * r, 95 + 90 * c, 28 + 30 * r)
        for r, row in enumerate(rows)
        for c, text in enumerate(row)
    ]
    lines = [
        line.model_copy(update={"box": Box(line.box.x0 - 7, line.box.y0, line.box.x1 + 7, line.box.y1)})
        for line in words
    ]
    assert is_table_crop(210, 110, lines)


def test_a_full_table_needs_less_alignment() -> None:
    """A small table of values of mixed width under wide headings was left out."""
    # In each column three of five begin at one place; the others share neither an edge nor a middle.
    column = [(0, 60), (0, 95), (0, 30), (40, 100), (70, 45)]
    places = [[(x + 150 * c, width) for c in range(3)] for x, width in column]
    lines = [line_at("value", x, 4 + 26 * n, x + w, 22 + 26 * n) for n, row in enumerate(places) for x, w in row]
    assert is_table_crop(450, 140, lines)
