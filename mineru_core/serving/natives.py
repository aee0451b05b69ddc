"""Tables and charts that a file stores as data, put in place of what an engine read there.

They belong to the file, not to its pixels: two pages that look alike may store other numbers. So nothing here is kept
with what was read of the pixels; it is put in afterwards, each time, from what is known of the file's page.
"""

from __future__ import annotations

from collections.abc import Sequence

from mineru_core.document.analysis import Block, BlockType, PageAnalysis, PageFailure
from mineru_core.document.chart import Chart
from mineru_core.document.geometry import Box
from mineru_core.document.parts import Part
from mineru_core.document.table import Table

Native = Table | Chart

_MOSTLY = 0.5


def with_natives(analysis: PageAnalysis, natives: Sequence[Native], asked: frozenset[Part]) -> PageAnalysis:
    """The analysis with the page's own tables and charts, as far as these parts are asked for.

    Blocks of the engine, and their failures, that lie mostly inside one of them go; it takes the place of the first,
    else the one its position gives it in reading order. All places are in page pixels.
    """
    chosen = _by_rows([(native, native.box) for native in natives if _part(native) in asked and native.box is not None])
    if not chosen:
        return analysis
    boxes = [box for _, box in chosen]
    hidden = {block.order for block in analysis.blocks if any(block.box.covered_by(box) >= _MOSTLY for box in boxes)}
    blocks = sorted(analysis.blocks, key=lambda block: block.order)
    kept = [block for block in blocks if block.order not in hidden]
    # Where each native goes: before the first block it replaces, or before the first that comes after it on the page.
    ordered: list[tuple[float, int, Block]] = [(float(block.order), 1, block) for block in kept]
    for native, box in chosen:
        replaced = [block.order for block in blocks if block.order in hidden and block.box.covered_by(box) >= _MOSTLY]
        place = min(replaced) if replaced else _place(box, kept)
        ordered.append((float(place), 0, _block(native, box, analysis.page)))
    ordered.sort(key=lambda entry: entry[:2])
    orders = {block.order: new for new, (_, own, block) in enumerate(ordered) if own}
    return analysis.model_copy(
        update={
            "blocks": tuple(block.model_copy(update={"order": new}) for new, (_, _, block) in enumerate(ordered)),
            "failures": _failures(analysis.failures, hidden, orders),
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


def _block(native: Native, box: Box, page: int) -> Block:
    placed = native.model_copy(update={"page": page})
    if isinstance(placed, Table):
        return Block(type=BlockType.TABLE, box=box, order=0, table=placed)
    return Block(type=BlockType.CHART, box=box, order=0, chart=placed)


def _place(box: Box, kept: Sequence[Block]) -> int:
    """The order of the first block that is read after something in this box."""
    for block in kept:
        beside = block.box.y0 < box.y1 and block.box.y1 > box.y0
        if block.box.x0 >= box.x1 if beside else block.box.y0 >= box.y1:
            return block.order
    return max((block.order for block in kept), default=0) + 1


def _failures(failures: Sequence[PageFailure], hidden: set[int], orders: dict[int, int]) -> tuple[PageFailure, ...]:
    """Failures of blocks that are still there, under their new numbers, and those of the page."""
    return tuple(
        failure if failure.block is None else failure.model_copy(update={"block": orders.get(failure.block)})
        for failure in failures
        if failure.block is None or failure.block not in hidden
    )


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
