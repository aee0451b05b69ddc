from __future__ import annotations

from mineru_core.document.analysis import BlockType, Line
from mineru_core.document.geometry import Box, Quad
from mineru_core.engines.embedded.layout import LayoutRegion
from mineru_core.engines.embedded.tables.where import table_boxes

TABLE, CHART = Box(30, 300, 980, 600), Box(30, 700, 980, 1200)


def line_at(x: float, y: float, width: float = 150, text: str = "cell") -> Line:
    box = Box(x, y, x + width, y + 24)
    return Line(text=text, box=box, quad=Quad.from_box(box), confidence=1.0)


def report_page() -> list[Line]:
    """A page with a head, a table of three columns and a chart whose labels stand in columns, too."""
    head = [line_at(x, 40) for x in (40, 820)]
    cells = [line_at(x, y, 60 + y % 90) for y in range(310, 590, 40) for x in (40, 430, 820)]
    labels = [line_at(x, y, 60 + y % 90) for y in range(720, 1190, 80) for x in (40, 430, 820)]
    return head + cells + labels


def test_a_page_with_a_chart_below_its_table_is_no_crop_of_a_table() -> None:
    """The whole page was read as one table."""
    regions = [LayoutRegion(BlockType.TABLE, TABLE, 0.97), LayoutRegion(BlockType.IMAGE, CHART, 0.88)]
    (found,) = table_boxes(1000, 1240, regions, report_page())
    assert found.iou(TABLE) > 0.9


def test_a_picture_of_columns_is_a_table_where_the_layout_model_is_unsure() -> None:
    regions = [LayoutRegion(BlockType.TABLE, TABLE, 0.7), LayoutRegion(BlockType.IMAGE, CHART, 0.88)]
    assert table_boxes(1000, 1240, regions, report_page()) == [Box(0, 0, 1000, 1240)]
