"""How many rows at the top of a table are its header: a row of spans over groups of columns names only half of it."""

from __future__ import annotations

import re

from mineru_core.document.table import Cell, Table

MOST_ROWS = 4
"""A header has no more rows; what spans beyond is a group of the body."""

_BODY_LOOKED_AT = 3

_YEAR = re.compile(r"(?:19|20)\d\d")
_LETTER = re.compile(r"[^\W\d_]")
_DIGIT = re.compile(r"\d")


def with_whole_header(table: Table) -> Table:
    """The table with every row of its header marked.

    Where the last row of the header (the marked ones; else the first row, if it has spans) has a cell over a group of
    columns, and the row below names those columns in words, that row is header too; so are rows that a header cell
    reaches into. A table of which nothing says that there is such a header is given back as it is. Never fewer rows
    are marked than were.
    """
    depth = _depth(table)
    if depth <= table.header_rows:
        return table
    cells = tuple(c.model_copy(update={"header": True}) if c.row < depth and not c.header else c for c in table.cells)
    return table.model_copy(update={"cells": cells})


def _depth(table: Table) -> int:
    marked = table.header_rows
    depth = marked or (1 if _groups(table, 0) else 0)
    if not depth:
        return 0
    most = min(MOST_ROWS, table.n_rows - 1)
    while depth < most:
        groups = _groups(table, depth - 1)
        reaching = max((c.row + c.rowspan for c in table.cells if c.row < depth), default=depth)
        if not groups or not _names_columns(table, depth, groups) or reaching > most:
            break
        depth = max(depth + 1, reaching)
    if not marked and (depth < 2 or not _has_figures(table, depth)):
        return 0
    return depth


def _groups(table: Table, row: int) -> list[Cell]:
    """The cells of a row with words that stand over several of the columns, but not over all."""
    return [
        c for c in table.cells if c.row == row and 1 < c.colspan < table.n_cols and c.rowspan == 1 and c.text.strip()
    ]


def _names_columns(table: Table, row: int, groups: list[Cell]) -> bool:
    """Whether the row says in words what the columns under the groups are, and has no figures."""
    cells = [cell for cell in table.cells if cell.row == row]
    if any(_is_figure(cell.text) for cell in cells):
        return False
    under = [cell for cell in cells for over in groups if over.col <= cell.col < over.col + over.colspan]
    named = [cell for cell in under if cell.text.strip()]
    return len(named) > 1 and 2 * len(named) >= len(under)


def _has_figures(table: Table, row: int) -> bool:
    """Whether the body begins with figures: a row that names a group may come before them."""
    return any(row <= cell.row < row + _BODY_LOOKED_AT and _is_figure(cell.text) for cell in table.cells)


def _is_figure(text: str) -> bool:
    """Whether a text is a number with whatever belongs to it, and no year: years head columns, too."""
    bare = text.strip()
    return bool(_DIGIT.search(bare)) and not _LETTER.search(bare) and not _YEAR.fullmatch(bare)
