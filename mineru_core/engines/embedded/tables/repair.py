"""Rows that the model saw and that are none put back together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mineru_core.engines.embedded.tables.structure import Structure, StructureCell


def spanned_rows(structure: Structure, torn: Sequence[int]) -> list[int]:
    """Those of the torn rows in which every other column belongs to a cell that spans down from above.

    There the model itself took the rows for one in the other columns. An empty cell of its own in another column says
    the opposite: a sub-heading, or a row whose values were left out.
    """
    found: list[int] = []
    for row in torn:
        own = sum(cell.colspan for cell in structure.cells if cell.row == row)
        spanning = sum(cell.colspan for cell in structure.cells if cell.row < row < cell.row + cell.rowspan)
        starts = [cell for cell in structure.cells if cell.row == row]
        if len(starts) == 1 and starts[0].rowspan == 1 and own + spanning == structure.n_cols:
            found.append(row)
    return found


def merge_up(structure: Structure, rows: Sequence[int]) -> Structure:
    """The structure with each of these rows (as ``spanned_rows`` gives them) joined to the one above."""
    cells = list(structure.cells)
    for row in sorted(rows, reverse=True):
        cells = _without_row(cells, row)
    return Structure(structure.n_rows - len(set(rows)), structure.n_cols, tuple(cells))


def _without_row(cells: Sequence[StructureCell], row: int) -> list[StructureCell]:
    (lost,) = (cell for cell in cells if cell.row == row)
    kept: list[StructureCell] = []
    for cell in cells:
        last = cell.row + cell.rowspan - 1
        if cell is lost:
            continue
        if cell.row > row:
            kept.append(replace(cell, row=cell.row - 1))
        elif last >= row:
            kept.append(replace(cell, rowspan=cell.rowspan - 1))
        elif last == row - 1 and cell.col == lost.col and cell.colspan == lost.colspan:
            kept.append(replace(cell, box=cell.box.union(lost.box)))
        else:
            kept.append(cell)
    return kept
