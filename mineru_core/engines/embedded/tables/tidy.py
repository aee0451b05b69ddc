"""Rows and columns that hold nothing of their own, found once the words are in their cells, and taken out."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.tables.structure import Structure, StructureCell
from mineru_core.engines.embedded.tables.words import Word

# A column whose texts lie this far within a neighbour's width, with no row that has both, is a part of it.
MIN_SHARED_WIDTH = 0.5


def idle_rows(structure: Structure, chosen: Collection[int]) -> set[int]:
    """Rows in which no cell has a word; ``chosen`` are the indexes of the cells that words went to."""
    cells = [structure.cells[i] for i in set(chosen)]
    return set(range(structure.n_rows)) - {r for c in cells for r in range(c.row, c.row + c.rowspan)}


def idle_columns(structure: Structure, words: Sequence[Word], chosen: Sequence[int]) -> set[int]:
    """Columns in which no cell of their own has a word, and strays: those that are a part of their neighbour."""
    texts = _texts(structure, words, chosen)
    idle = {col for col in range(structure.n_cols) if not texts[col]}
    for col in range(structure.n_cols):
        beside = [other for other in (col - 1, col + 1) if 0 <= other < structure.n_cols and other not in idle]
        if texts[col] and any(_is_part(texts[col], texts[other]) for other in beside):
            idle.add(col)
    return idle if len(idle) < structure.n_cols else set()


def without(structure: Structure, rows: Collection[int], cols: Collection[int]) -> Structure:
    """The structure without these rows and columns; spans shrink, and cells that lay in them alone are gone."""
    row_at = _places(structure.n_rows, rows)
    col_at = _places(structure.n_cols, cols)
    cells: list[StructureCell] = []
    for cell in structure.cells:
        rowspan = row_at[cell.row + cell.rowspan] - row_at[cell.row]
        colspan = col_at[cell.col + cell.colspan] - col_at[cell.col]
        if rowspan and colspan:
            cells.append(replace(cell, row=row_at[cell.row], col=col_at[cell.col], rowspan=rowspan, colspan=colspan))
    return Structure(row_at[-1], col_at[-1], tuple(cells))


def _places(count: int, dropped: Collection[int]) -> list[int]:
    """The new index of each place, and behind them the new count."""
    places = [0]
    for index in range(count):
        places.append(places[-1] + (index not in dropped))
    return places


def _texts(structure: Structure, words: Sequence[Word], chosen: Sequence[int]) -> list[dict[int, Box]]:
    """For each column the box of the text in each row, of cells that are one column wide."""
    texts: list[dict[int, Box]] = [{} for _ in range(structure.n_cols)]
    for word, index in zip(words, chosen, strict=True):
        cell = structure.cells[index]
        if cell.colspan == 1:
            held = texts[cell.col].get(cell.row)
            texts[cell.col][cell.row] = word.box if held is None else held.union(word.box)
    return texts


def _is_part(few: dict[int, Box], many: dict[int, Box]) -> bool:
    if 2 * len(few) >= len(many) or few.keys() & many.keys():
        return False
    x0, x1 = min(b.x0 for b in many.values()), max(b.x1 for b in many.values())
    return all(min(b.x1, x1) - max(b.x0, x0) >= MIN_SHARED_WIDTH * b.width for b in few.values())
