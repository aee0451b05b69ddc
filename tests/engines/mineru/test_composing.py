from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from mineru_vl_utils.structs import BLOCK_TYPES

from mineru_core.document.analysis import BlockType, Part
from mineru_core.document.geometry import Box
from mineru_core.document.parts import AreaContent, LayoutArea, PartReading, ReadFailure
from mineru_core.document.table import Table
from mineru_core.engines.mineru.composing import blocks_of
from mineru_core.engines.mineru.reading import block_type, name_of, part_of

BROKE = ReadFailure(code="engine-failed", message="It broke.")


@st.composite
def layouts(draw: st.DrawFn) -> dict[Part, PartReading]:
    """Any areas, and of each what was read: a text of its own, a table, nothing, or a failure."""
    areas: list[LayoutArea] = []
    contents: dict[Part, list[AreaContent]] = {part: [] for part in Part if part is not Part.LAYOUT}
    for number in range(draw(st.integers(0, 8))):
        name = draw(st.sampled_from(sorted(BLOCK_TYPES - {"unknown"})))
        x0, y0 = draw(st.integers(0, 90)), draw(st.integers(0, 90))
        box = Box(x0, y0, draw(st.integers(x0 + 1, 100)), draw(st.integers(y0 + 1, 100)))
        kind = block_type(name)
        angle = draw(st.sampled_from([0, 90, 180, 270]))
        area = LayoutArea(type=kind, box=box, angle=angle, label="" if name == kind.value else name)
        areas.append(area)
        part = part_of(area)
        if part is None:
            continue
        text = f"<{number}>"
        read = {
            "text": AreaContent(area=number, text=text, confidence=0.5),
            "lines": AreaContent(area=number, text=f"{text}\nmore"),
            "failure": AreaContent(area=number, failure=BROKE),
            "table": AreaContent(area=number, table=Table.from_rows([[text]], box=box)),
        }
        sort = draw(st.sampled_from(["text", "lines", "failure", "none"] + (["table"] if part is Part.TABLES else [])))
        if sort in read:
            contents[part].append(read[sort])
    readings = {part: PartReading(part=part, contents=tuple(found)) for part, found in contents.items()}
    return readings | {Part.LAYOUT: PartReading(part=Part.LAYOUT, areas=tuple(areas))}


@given(layouts())
def test_what_was_read_stands_in_one_block_each_and_no_failure_is_lost(readings: dict[Part, PartReading]) -> None:
    blocks, failures = blocks_of(readings, page=3)
    assert [block.order for block in blocks] == list(range(len(blocks)))
    found = [content for reading in readings.values() for content in reading.contents]
    for content in found:
        own = f"<{content.area}>"
        holding = [block for block in blocks if own in block.text]
        assert len(holding) == (0 if content.failure else 1)
        if content.table is not None:
            assert holding[0].table is not None
            assert holding[0].table.page == 3
    assert len(failures) == sum(content.failure is not None for content in found)
    assert all(failure.block is not None and failure.block < len(blocks) for failure in failures)
    assert all(failure.page == 3 for failure in failures)


@given(layouts())
def test_lines_lie_in_their_block_and_hold_its_text(readings: dict[Part, PartReading]) -> None:
    for block in blocks_of(readings, page=1)[0]:
        if block.lines:
            assert [line.text for line in block.lines] == block.text.split("\n")
        if block.type is not BlockType.LIST:
            assert all(line.box.expanded(-1e-6).covered_by(block.box) > 0.999 for line in block.lines)
        for line in block.lines:
            assert line.quad.box == line.box


@given(layouts())
def test_an_area_of_the_layout_is_shown_where_its_part_was_not_read(readings: dict[Part, PartReading]) -> None:
    layout = readings[Part.LAYOUT]
    blocks, failures = blocks_of({Part.LAYOUT: layout}, page=1)
    assert failures == ()
    plain = [area for area in layout.areas if name_of(area) not in ("image_block", "equation_block")]
    lists = [block for block in blocks if block.type is BlockType.LIST]
    shown = [block.box for block in blocks]
    for area in plain:
        assert area.box in shown or any(area.box.covered_by(block.box) >= 0.9 for block in lists)
