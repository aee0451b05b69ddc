"""Tables within what the layout model takes for one picture."""

from __future__ import annotations

from mineru_core.document.analysis import BlockType, Line
from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.layout import LayoutRegion
from mineru_core.engines.embedded.tables.where import table_boxes
from tests.engines.embedded.tables.test_where import line_at

WIDTH, HEIGHT = 600, 1400
SLIP = LayoutRegion(BlockType.IMAGE, Box(0, 0, WIDTH, HEIGHT), 0.9)
ADDRESS = ["Corner Shop", "12 High Street", "Springfield", "Tel 555 0100", "Receipt 4711", "Thank you", "Come again"]
ITEMS = [("Item", "Qty", "Amount"), ("Soap", "2", "7.00"), ("Mop", "1", "16.00"), ("Nails", "4", "5.30")]


def slip(items: list[tuple[str, str, str]]) -> list[Line]:
    """A till receipt: an address, the items in three columns, greetings."""
    head = [line_at(180, 30 + 40 * n, 14 * len(text), text) for n, text in enumerate(ADDRESS)]
    top = 30 + 40 * len(head)
    rows = [
        line_at(x, top + 40 * n, width, text)
        for n, row in enumerate(items)
        for (x, width), text in zip(((40, 150), (330, 40), (470, 90)), row, strict=True)
    ]
    tail = [line_at(150, top + 40 * (len(items) + n + 1), 16 * len(text), text) for n, text in enumerate(ADDRESS)]
    return [*head, *rows, *tail]


def test_the_items_of_a_receipt_are_a_table() -> None:
    (found,) = table_boxes(WIDTH, HEIGHT, [SLIP], slip(ITEMS))
    rows = Box(40, 310, 560, 310 + 40 * 3 + 24)
    assert found.iou(rows) > 0.9


def test_without_names_of_columns_numbers_may_as_well_be_labels() -> None:
    unnamed = [("Pen 1", "1", "2.00"), *ITEMS[1:]]
    assert table_boxes(WIDTH, HEIGHT, [SLIP], slip(unnamed)) == []


def test_a_wide_picture_or_one_of_several_is_no_slip() -> None:
    wide = LayoutRegion(BlockType.IMAGE, Box(0, 0, WIDTH, 0.9 * WIDTH), 0.9)
    assert table_boxes(WIDTH, HEIGHT, [wide], slip(ITEMS)) == []
    corner = LayoutRegion(BlockType.IMAGE, Box(0, 0, WIDTH, 290), 0.9)
    assert table_boxes(WIDTH, HEIGHT, [corner], slip(ITEMS)) == []
    assert table_boxes(WIDTH, HEIGHT, [SLIP], slip(ITEMS)[:9]) == []
