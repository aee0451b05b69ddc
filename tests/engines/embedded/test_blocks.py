from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mineru_core.document.analysis import Block, BlockType, Line
from mineru_core.document.chart import Chart, ChartKind
from mineru_core.document.geometry import Box
from mineru_core.document.table import Table
from mineru_core.engines.embedded.blocks import TableArea, blocks_of_regions, build_blocks, lines_in
from mineru_core.engines.embedded.layout import LayoutRegion
from tests.engines.embedded.pages import column, line, rotated

WIDTH, HEIGHT = 940, 1200

_place = st.integers(0, 90).map(lambda n: n * 10.0)
_boxes = st.builds(
    lambda x, y, w, h: Box(x, y, x + w, y + h), _place, _place, st.integers(5, 400), st.integers(5, 60)
).map(lambda b: b.clipped(WIDTH, HEIGHT))
_lines = st.lists(
    st.builds(lambda box, text: line(text, *box), _boxes, st.sampled_from(["a", "7", "word", "二"])), max_size=20
)
_regions = st.lists(
    st.builds(
        LayoutRegion,
        st.sampled_from([t for t in BlockType if t is not BlockType.TABLE]),
        _boxes.map(lambda b: Box(b.x0, b.y0, b.x1, b.y1 + 100)),
        st.floats(0.4, 1.0),
    ),
    max_size=8,
)
_tables = st.lists(_boxes.map(lambda b: TableArea(Box(b.x0, b.y0, b.x1, b.y1 + 100))), max_size=3)


def _build(
    lines: list[Line], regions: list[LayoutRegion] | None = None, tables: list[TableArea] | None = None
) -> tuple[Block, ...]:
    return build_blocks(lines, regions or [], tables or [], WIDTH, HEIGHT)


def _region(kind: BlockType, *corners: float) -> LayoutRegion:
    return LayoutRegion(kind, Box(*corners), 0.9)


@settings(deadline=None, max_examples=80)
@given(_lines, _regions, _tables)
def test_no_line_is_lost_or_used_twice(lines: list[Line], regions: list[LayoutRegion], tables: list[TableArea]) -> None:
    named = [item.model_copy(update={"text": f"{item.text}{n}"}) for n, item in enumerate(lines)]
    blocks = _build(named, regions, tables)
    used = [item.text for block in blocks for item in block.lines]
    assert sorted(used) == sorted(item.text for item in named)
    assert [block.order for block in blocks] == list(range(len(blocks)))
    assert sum(block.type is BlockType.TABLE for block in blocks) == len(tables)


@settings(deadline=None, max_examples=40)
@given(_lines, _regions)
def test_every_character_is_in_the_running_text(lines: list[Line], regions: list[LayoutRegion]) -> None:
    text = "".join(block.text for block in _build(lines, regions))
    assert sorted("".join(text.split())) == sorted("".join(item.text for item in lines))


@settings(deadline=None, max_examples=40)
@given(_lines, _regions, _tables)
def test_boxes_lie_on_the_page(lines: list[Line], regions: list[LayoutRegion], tables: list[TableArea]) -> None:
    for block in _build(lines, regions, tables):
        assert 0 <= block.box.x0 <= block.box.x1 <= WIDTH
        assert 0 <= block.box.y0 <= block.box.y1 <= HEIGHT


def test_an_empty_page_has_no_blocks() -> None:
    assert _build([]) == ()


def test_paragraphs_of_two_columns_are_joined_to_running_text() -> None:
    blocks = _build([*column("a", 50, 450, 100, 3), *column("b", 490, 890, 100, 3)])
    assert [block.text for block in blocks] == ["a0 a1 a2", "b0 b1 b2"]


@pytest.mark.parametrize("degrees", [-5.0, -2.0, 3.0, 6.0])
def test_a_skewed_page_reads_like_a_level_one(degrees: float) -> None:
    level = [*column("a", 150, 450, 200, 9), *column("b", 490, 790, 200, 9), line("title", 200, 100, 740, 140)]
    expected = [item.text for block in _build(level) for item in block.lines]
    assert [item.text for block in _build(rotated(level, degrees)) for item in block.lines] == expected


def test_regions_say_what_a_block_is() -> None:
    heading, body = line("Results", 50, 100, 200, 120), column("a", 50, 450, 140, 3)
    regions = [_region(BlockType.TITLE, 45, 95, 205, 125), _region(BlockType.TEXT, 45, 135, 455, 225)]
    assert [(b.type, b.text) for b in _build([*body, heading], regions)] == [
        (BlockType.TITLE, "Results"),
        (BlockType.TEXT, "a0 a1 a2"),
    ]


def test_a_line_much_higher_than_the_rest_is_a_title_without_a_region() -> None:
    blocks = _build([line("Annual report", 50, 60, 450, 104), *column("a", 50, 450, 140, 4)])
    assert [b.type for b in blocks] == [BlockType.TITLE, BlockType.TEXT]


def test_a_table_keeps_its_lines_and_its_cells_give_the_text() -> None:
    table = Table.from_rows([["Item", "Price"], ["Ink", "3.50"]])
    lines = [line("Item", 60, 100, 120, 120), line("Price", 300, 100, 360, 120), line("Ink", 60, 130, 100, 150)]
    (block,) = _build(lines, tables=[TableArea(Box(50, 90, 400, 160), table)])
    assert block.table == table
    assert block.text == "Item\tPrice\nInk\t3.50"
    assert len(block.lines) == 3


def test_a_table_whose_cells_were_not_read_gives_its_rows() -> None:
    lines = [line("Ink", 60, 130, 100, 150), line("Price", 300, 100, 360, 120), line("Item", 60, 100, 120, 120)]
    (block,) = _build(lines, tables=[TableArea(Box(50, 90, 400, 160))])
    assert (block.type, block.text) == (BlockType.TABLE, "Item Price\nInk")


def test_text_in_a_picture_stays_with_the_picture() -> None:
    picture = _region(BlockType.IMAGE, 50, 300, 450, 600)
    blocks = _build([*column("a", 50, 450, 100, 4), line("Axis", 60, 310, 120, 330)], [picture])
    assert [(b.type, b.text) for b in blocks] == [(BlockType.TEXT, "a0 a1 a2 a3"), (BlockType.IMAGE, "Axis")]


def test_a_chart_stands_in_for_the_table_and_the_picture_of_the_same_place() -> None:
    chart = Chart(kind=ChartKind.BAR, box=Box(60, 310, 440, 590), confidence=0.8)
    picture = _region(BlockType.IMAGE, 50, 300, 450, 600)
    inner, above = line("Axis", 100, 400, 200, 420), line("Report", 100, 100, 200, 120)
    found = build_blocks([inner, above], [picture], [TableArea(Box(60, 320, 430, 580))], WIDTH, HEIGHT, [chart])
    assert [(b.type, b.text, b.chart) for b in found] == [
        (BlockType.TEXT, "Report", None),
        (BlockType.CHART, "Axis", chart),
    ]


def test_a_picture_full_of_text_is_read_as_text() -> None:
    blocks = _build(column("a", 50, 450, 100, 6), [_region(BlockType.IMAGE, 40, 90, 460, 290)])
    assert [b.type for b in blocks] == [BlockType.TEXT]


def test_furniture_goes_to_the_ends_of_the_page() -> None:
    number, running = line("- 12 -", 60, 1150, 110, 1170), line("Chapter 3", 700, 30, 890, 50)
    body = [*column("a", 50, 450, 100, 30), *column("b", 490, 890, 100, 34)]
    blocks = _build([*body, number, running], [_region(BlockType.HEADER, 690, 20, 900, 60)])
    assert [b.type for b in blocks] == [BlockType.HEADER, BlockType.TEXT, BlockType.TEXT, BlockType.PAGE_NUMBER]


def test_rows_with_marks_are_a_list() -> None:
    rows = ["1. apples", "2. pears", "3. plums"]
    (block,) = _build([line(text, 50, 100 + 30 * n, 450, 120 + 30 * n) for n, text in enumerate(rows)])
    assert (block.type, block.text.split("\n")) == (BlockType.LIST, rows)


def test_the_number_of_a_formula_is_no_title() -> None:
    blocks = _build([line("(5.25)", 800, 100, 860, 120)], [_region(BlockType.TITLE, 795, 95, 865, 125)])
    assert [b.type for b in blocks] == [BlockType.TEXT]


def test_areas_alone_are_ordered_like_text() -> None:
    regions = [
        _region(BlockType.TEXT, 490, 100, 890, 900),
        _region(BlockType.TITLE, 50, 20, 890, 60),
        _region(BlockType.TEXT, 50, 100, 450, 900),
    ]
    blocks = blocks_of_regions(regions, WIDTH, HEIGHT)
    assert [(b.type, b.box.x0) for b in blocks] == [(BlockType.TITLE, 50), (BlockType.TEXT, 50), (BlockType.TEXT, 490)]


def test_lines_in_an_area_are_those_that_lie_in_it_for_the_most_part() -> None:
    inside, half_out, outside = line("a", 10, 10, 50, 20), line("b", 40, 10, 100, 20), line("c", 60, 40, 80, 50)
    assert lines_in(Box(0, 0, 60, 30), [inside, half_out, outside]) == [inside]
