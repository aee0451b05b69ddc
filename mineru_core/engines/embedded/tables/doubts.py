"""Cells that were read well and yet cannot be right: what stands in them belongs into two."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from mineru_core.document.table import Cell, Table

DOUBT = 0.5
"""Confidence of a cell that holds what belongs into two, at most."""

_NUMBER = r"[-+−(]?[$€£¥]?\d[\d.,]*\s?%?\)?"
_ONE = re.compile(_NUMBER)
_SEVERAL = re.compile(rf"{_NUMBER}(?:\s+{_NUMBER})+")
# In a column of this share of single numbers two in one cell are a fault; "12 345" may be one number, and so may those
# of a column where all cells have two.
_MOST_SINGLE = 0.5
_GROUP = re.compile(r"\s+\d{3}(?!\d)")


def with_doubts(table: Table) -> Table:
    """The table with such cells marked by a lower confidence: two numbers in a body cell of a column of numbers, and a
    header of several words beside an empty one over a filled column. Itself where there is none."""
    doubted = {id(cell) for cell in (*_with_two_numbers(table), *_beside_empty_headers(table))}
    if not doubted:
        return table
    cells = tuple(
        cell.model_copy(update={"confidence": min(cell.confidence, DOUBT)}) if id(cell) in doubted else cell
        for cell in table.cells
    )
    return table.model_copy(update={"cells": cells})


def _with_two_numbers(table: Table) -> Iterable[Cell]:
    body = [cell for cell in table.cells if not cell.header and cell.colspan == 1 and cell.text.strip()]
    filled = Counter(cell.col for cell in body)
    single = Counter(cell.col for cell in body if _ONE.fullmatch(cell.text.strip()))
    for cell in body:
        text = cell.text.strip()
        if single[cell.col] >= _MOST_SINGLE * filled[cell.col] and _SEVERAL.fullmatch(_GROUP.sub("", text)):
            yield cell


def _beside_empty_headers(table: Table) -> Iterable[Cell]:
    headers = [cell for cell in table.cells if cell.header]
    if not headers:
        return
    last = max(cell.row + cell.rowspan for cell in headers)
    bottom = {cell.col: cell for cell in headers if cell.row + cell.rowspan == last and cell.colspan == 1}
    filled = Counter(cell.col for cell in table.cells if not cell.header and cell.text.strip())
    rows = max(1, table.n_rows - last)
    for col, cell in bottom.items():
        if col == 0 or cell.text.strip() or filled[col] < _MOST_SINGLE * rows:
            continue
        for beside in (bottom.get(col - 1), bottom.get(col + 1)):
            if beside is not None and len(beside.text.split()) > 1:
                yield beside
