"""Tables and charts that a file stores as data, put in place of what an engine read there.

They belong to the file, not to its pixels: two pages that look alike may store other numbers. So nothing here is kept
with what was read of the pixels; it is put in afterwards, each time, from what is known of the file's page.
"""

from __future__ import annotations

from collections.abc import Sequence

from mineru_core.document.analysis import Block, BlockType, Line, LineWord, PageAnalysis
from mineru_core.document.chart import Chart
from mineru_core.document.geometry import Box, Quad
from mineru_core.document.parts import Part
from mineru_core.document.table import Table

Native = Table | Chart

_MOSTLY = 0.5


def with_natives(analysis: PageAnalysis, natives: Sequence[Native], asked: frozenset[Part]) -> PageAnalysis:
    """The analysis with the page's own tables and charts, as far as these parts are asked for.

    What the engine read inside one of them goes: its words there, and blocks of which nothing else is left, with their
    failures. A chart keeps the lines that were read in it, so that its labels are found where they stand. A table or
    chart takes the place of the first block that went for it, else the one its position gives it in reading order. All
    places are in page pixels.
    """
    chosen = _by_rows([(native, native.box) for native in natives if _part(native) in asked and native.box is not None])
    if not chosen:
        return analysis
    boxes = [box for _, box in chosen]
    kept: list[Block] = []
    gone: list[Block] = []
    for block in sorted(analysis.blocks, key=lambda block: block.order):
        rest = _outside(block, boxes)
        if rest is None:
            gone.append(block)
        else:
            kept.append(rest)
    # A native comes before the block whose place it takes, and before the first block that follows it on the page.
    ordered: list[tuple[int, int, Block]] = [(block.order, 1, block) for block in kept]
    for native, box in chosen:
        replaced = [b.order for b in gone if max(b.box.covered_by(box), box.covered_by(b.box)) >= _MOSTLY]
        place = min(replaced) if replaced else _place(box, kept)
        ordered.append((place, 0, _block(native, box, analysis)))
    ordered.sort(key=lambda entry: entry[:2])
    orders = {block.order: new for new, (_, own, block) in enumerate(ordered) if own}
    return analysis.model_copy(
        update={
            "blocks": tuple(block.model_copy(update={"order": new}) for new, (_, _, block) in enumerate(ordered)),
            "failures": tuple(
                failure if failure.block is None else failure.model_copy(update={"block": orders[failure.block]})
                for failure in analysis.failures
                if failure.block is None or failure.block in orders
            ),
            "parts": analysis.parts | {_part(native) for native, _ in chosen},
        }
    )


def natives_in(natives: Sequence[Native], region: Box) -> tuple[Native, ...]:
    """What of them lies in a region: of a table the rows and columns whose middles do, a chart that mostly does."""
    found: list[Native] = []
    for native in natives:
        if native.box is None:
            continue
        if isinstance(native, Chart):
            if native.box.covered_by(region) >= _MOSTLY:
                found.append(native)
        elif native.box.covered_by(region) > 0:
            cut = _cut(native, region)
            if cut is not None:
                found.append(cut)
    return tuple(found)


def _by_rows(placed: Sequence[tuple[Native, Box]]) -> list[tuple[Native, Box]]:
    """From top to bottom, those that stand beside each other from left to right."""
    rows: list[list[tuple[Native, Box]]] = []
    for entry in sorted(placed, key=lambda one: one[1].y0):
        if rows and entry[1].y0 < rows[-1][0][1].center[1]:
            rows[-1].append(entry)
        else:
            rows.append([entry])
    return [entry for row in rows for entry in sorted(row, key=lambda one: one[1].x0)]


def _part(native: Native) -> Part:
    return Part.TABLES if isinstance(native, Table) else Part.CHARTS


def _block(native: Native, box: Box, analysis: PageAnalysis) -> Block:
    placed = native.model_copy(update={"page": analysis.page})
    if isinstance(placed, Table):
        text = "\n".join("\t".join(row).rstrip() for row in placed.rows())
        return Block(type=BlockType.TABLE, box=box, order=0, text=text, table=placed)
    lines = [line for block in analysis.blocks for line in block.lines]
    inside = tuple(part for line in lines if (part := _part_of(line, [box], inside=True)) is not None)
    text = "\n".join(line.text for line in inside)
    return Block(type=BlockType.CHART, box=box, order=0, text=text, lines=inside, chart=placed)


def _place(box: Box, kept: Sequence[Block]) -> int:
    """The order of the first block that is read after something in this box."""
    for block in kept:
        beside = block.box.y0 < box.y1 and block.box.y1 > box.y0
        if block.box.x0 >= box.x1 if beside else block.box.y0 >= box.y1:
            return block.order
    return max((block.order for block in kept), default=0) + 1


def _outside(block: Block, boxes: Sequence[Box]) -> Block | None:
    """What is left of a block without what lies in the boxes; None where that is nothing.

    A block with lines goes by their words, one without lines, and a table, by its area. An area an engine took for one
    picture may well hold two charts and a sentence beside them.
    """
    if block.table is not None or not block.lines:
        inside = sum(block.box.intersection(box).area for box in boxes)
        return None if inside >= _MOSTLY * block.box.area else block
    lines = tuple(rest for line in block.lines if (rest := _part_of(line, boxes, inside=False)) is not None)
    if lines == block.lines:
        return block
    if not lines:
        return None
    around = Box.around(line.box for line in lines)
    return block.model_copy(update={"lines": lines, "text": "\n".join(line.text for line in lines), "box": around})


def _part_of(line: Line, boxes: Sequence[Box], *, inside: bool) -> Line | None:
    """The line's words that lie in the boxes, or those that do not; None where there are none. A line whose words are
    not known is taken as a whole."""
    words = [word for word in line.words if _is_inside(word.box, boxes) is inside]
    if not line.words:
        return line if _is_inside(line.box, boxes) is inside else None
    if len(words) == len(line.words):
        return line
    if not words:
        return None
    box = Box.around(word.box for word in words)
    changes = {"words": tuple(words), "text": _text_of(line, words), "box": box, "quad": Quad.from_box(box)}
    return line.model_copy(update=changes)


def _text_of(line: Line, words: Sequence[LineWord]) -> str:
    """The text of some words of a line, with what stands between neighbours in it."""
    kept = {id(word) for word in words}
    text, at, gap = "", 0, ""
    for word in line.words:
        start = line.text.find(word.text, at)
        if start < 0:  # the line does not spell its words: they stand for themselves
            return " ".join(word.text for word in words)
        gap += line.text[at:start]
        at = start + len(word.text)
        if id(word) in kept:
            text += (gap if text else "") + word.text
            gap = ""
    return text


def _is_inside(box: Box, boxes: Sequence[Box]) -> bool:
    return any(box.covered_by(one) >= _MOSTLY for one in boxes)


def _cut(table: Table, region: Box) -> Table | None:
    """The rows and columns of the table whose middles lie in the region; None where there are none."""
    if table.box is not None and table.box.covered_by(region) >= 1.0:
        return table
    inside = [cell for cell in table.cells if cell.box is not None and region.contains(*cell.box.center)]
    if not inside:
        return None
    top, left = min(cell.row for cell in inside), min(cell.col for cell in inside)
    bottom = max(cell.row + cell.rowspan for cell in inside)
    right = max(cell.col + cell.colspan for cell in inside)
    cells = tuple(
        cell.model_copy(
            update={
                "row": max(cell.row, top) - top,
                "col": max(cell.col, left) - left,
                "rowspan": min(cell.row + cell.rowspan, bottom) - max(cell.row, top),
                "colspan": min(cell.col + cell.colspan, right) - max(cell.col, left),
            }
        )
        for cell in table.cells
        if cell.row < bottom and cell.row + cell.rowspan > top and cell.col < right and cell.col + cell.colspan > left
    )
    box = Box.around(cell.box for cell in inside if cell.box is not None)
    return table.model_copy(update={"n_rows": bottom - top, "n_cols": right - left, "cells": cells, "box": box})
