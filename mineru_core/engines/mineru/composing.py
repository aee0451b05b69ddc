"""Areas and their contents put together to the blocks of a page, in the order the model read them in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mineru_core.document.analysis import Block, BlockType, Line, PageFailure, Part
from mineru_core.document.geometry import Box, Quad
from mineru_core.document.parts import AreaContent, LayoutArea, PartReading
from mineru_core.document.table import Table
from mineru_core.engines.mineru.reading import COVERED, name_of, part_of


def blocks_of(readings: Mapping[Part, PartReading], page: int) -> tuple[tuple[Block, ...], tuple[PageFailure, ...]]:
    """The blocks of page number ``page``, and those of them that could not be read.

    ``readings`` hold the layout. A list is one block with the text of its items; areas that only hold pictures or
    formulas are left out, and so is what reading showed to hold no text.
    """
    layout = readings.get(Part.LAYOUT)
    areas = () if layout is None else layout.areas
    contents = {content.area: content for reading in readings.values() for content in reading.contents}
    blocks: list[Block] = []
    failures: list[PageFailure] = []
    for members in _groups(areas, contents, frozenset(readings)):
        block = _list_block(members, areas, contents) if len(members) > 1 else _block(members[0], areas, contents)
        block = block.model_copy(update={"order": len(blocks)})
        if block.table is not None:
            block = block.model_copy(update={"table": block.table.model_copy(update={"page": page})})
        if block.chart is not None:
            block = block.model_copy(update={"chart": block.chart.model_copy(update={"page": page})})
        failures += [_failure(block, contents[n], page) for n in members if n in contents and contents[n].failure]
        blocks.append(block)
    return tuple(_captioned(blocks)), tuple(failures)


def _groups(
    areas: Sequence[LayoutArea], contents: Mapping[int, AreaContent], read: frozenset[Part]
) -> list[tuple[int, ...]]:
    """Numbers of areas that become one block: each for itself, a list first and then what stands in it."""
    shown = [n for n, area in enumerate(areas) if _is_shown(n, area, areas, contents, read)]
    holders = [n for n in shown if name_of(areas[n]) == "list"]
    held: dict[int, int] = {}
    for number in shown:
        area = areas[number]
        holder = next((h for h in holders if h != number and area.box.covered_by(areas[h].box) >= COVERED), None)
        if holder is not None and part_of(area) is Part.TEXT:
            held[number] = holder
    groups: dict[int, list[int]] = {}
    for number in shown:
        key = held.get(number, number)
        groups.setdefault(key, [key])
        if number != key:
            groups[key].append(number)
    return [tuple(group) for group in groups.values()]


def _is_shown(
    number: int,
    area: LayoutArea,
    areas: Sequence[LayoutArea],
    contents: Mapping[int, AreaContent],
    read: frozenset[Part],
) -> bool:
    name = name_of(area)
    if name == "equation_block":  # only where its formulas were joined to one
        return number in contents
    if name == "image_block":
        return not any(name_of(a) in ("image", "chart") and a.box.covered_by(area.box) >= COVERED for a in areas)
    part = part_of(area)
    return part in (None, Part.CHARTS, Part.TABLES) or part not in read or number in contents


def _block(number: int, areas: Sequence[LayoutArea], contents: Mapping[int, AreaContent]) -> Block:
    area, content = areas[number], contents.get(number)
    if content is None:
        return Block(
            type=area.type,
            box=area.box,
            order=0,
            angle=area.angle,
            confidence=area.confidence,
            continues=area.continues,
        )
    kind = content.type or area.type
    text = content.text if content.table is None else _table_text(content.table)
    plain = content.table is None and content.chart is None and kind is not BlockType.EQUATION
    return Block(
        type=kind,
        box=area.box,
        order=0,
        angle=area.angle,
        text=text,
        lines=_lines(text, area, content.confidence) if plain else (),
        table=content.table,
        chart=content.chart,
        confidence=content.confidence,
        continues=area.continues,
    )


def _list_block(members: Sequence[int], areas: Sequence[LayoutArea], contents: Mapping[int, AreaContent]) -> Block:
    """A list with what stands in it, an item a line."""
    holder, *items = members
    blocks = [_block(number, areas, contents) for number in items]
    return Block(
        type=BlockType.LIST,
        box=areas[holder].box,
        order=0,
        angle=areas[holder].angle,
        text="\n".join(block.text for block in blocks if block.text),
        lines=tuple(line for block in blocks for line in block.lines),
        confidence=min(block.confidence for block in blocks),
    )


def _table_text(table: Table) -> str:
    """The rows on lines of their own, cells apart by tabs."""
    return "\n".join("\t".join(row).rstrip() for row in table.rows())


def _lines(text: str, area: LayoutArea, confidence: float) -> tuple[Line, ...]:
    """The text's lines. Where each stands the model does not say: they share the area's height (turned: width) out."""
    rows = [row.strip() for row in text.split("\n") if row.strip()]
    return tuple(
        Line(text=row, box=box, quad=_quad(box, area.angle), confidence=confidence)
        for row, box in zip(rows, _strips(area.box, area.angle, len(rows)), strict=True)
    )


def _strips(box: Box, angle: int, count: int) -> list[Box]:
    """Equal strips of the box in the order of reading of what was turned clockwise by ``angle``."""
    shares = [(n / count, (n + 1) / count) for n in range(count)]
    if angle in (180, 90):  # the first line stands at the bottom, or at the right
        shares = [(1 - end, 1 - start) for start, end in shares]
    if angle % 180:
        return [Box(box.x0 + a * box.width, box.y0, box.x0 + b * box.width, box.y1) for a, b in shares]
    return [Box(box.x0, box.y0 + a * box.height, box.x1, box.y0 + b * box.height) for a, b in shares]


def _quad(box: Box, angle: int) -> Quad:
    """The corners of the box, from where the first character's top is."""
    corners = list(Quad.from_box(box))
    turns = angle // 90
    return Quad(*(corners[turns:] + corners[:turns]))


def _failure(block: Block, content: AreaContent, page: int) -> PageFailure:
    assert content.failure is not None
    kind = block.type.value.replace("_", " ")
    return PageFailure(
        page=page,
        block=block.order,
        component=kind,
        code=content.failure.code,
        message=f"Block {block.order + 1} ({kind}): {content.failure.message}",
        hint=content.failure.hint,
    )


def _captioned(blocks: Sequence[Block]) -> Iterable[Block]:
    """Each table with the caption that stands next to it, before it rather than behind."""
    for place, block in enumerate(blocks):
        if block.table is None:
            yield block
            continue
        beside = [blocks[n] for n in (place - 1, place + 1) if 0 <= n < len(blocks)]
        caption = next((b.text for b in beside if b.type is BlockType.TABLE_CAPTION and b.text), "")
        yield block.model_copy(update={"table": block.table.model_copy(update={"caption": caption})})
