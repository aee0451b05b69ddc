"""A table as cells on a grid, with spans; every export derives from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

from pydantic import Field, model_validator

from mineru_core.document.geometry import Box
from mineru_core.document.model import Confidence, Model

if TYPE_CHECKING:
    import pandas as pd

DOUBTFUL_BELOW = 0.75
"""Confidence under which what was read wants a second look."""


class Cell(Model):
    """One cell. ``row`` and ``col`` count from 0; ``box`` is in page pixels, None where the cell has no known place.

    ``confidence`` 0..1 is how sure the reader is of text and place; ``edited`` says that a person set the text.
    """

    row: int = Field(ge=0)
    col: int = Field(ge=0)
    rowspan: int = Field(default=1, ge=1)
    colspan: int = Field(default=1, ge=1)
    text: str = ""
    confidence: Confidence = 1.0
    box: Box | None = None
    header: bool = False
    edited: bool = False

    @property
    def doubtful(self) -> bool:
        """Whether the text wants a second look; an empty cell has nothing to look at."""
        return bool(self.text.strip()) and self.confidence < DOUBTFUL_BELOW


class Table(Model):
    """A table on a page. Cells are kept in reading order (row, then column) and never overlap.

    Raises pydantic's ValidationError (a ValueError) where two cells overlap or one lies outside the grid.
    """

    n_rows: int = Field(ge=0)
    n_cols: int = Field(ge=0)
    cells: tuple[Cell, ...] = ()
    page: int = Field(default=1, ge=1, description="number of the page it starts on, from 1")
    box: Box | None = Field(default=None, description="place on that page, pixels")
    caption: str = ""
    confidence: Confidence = 1.0

    @model_validator(mode="after")
    def _check_grid(self) -> Self:
        taken: set[tuple[int, int]] = set()
        for cell in self.cells:
            if cell.row + cell.rowspan > self.n_rows or cell.col + cell.colspan > self.n_cols:
                raise ValueError(f"cell at row {cell.row}, column {cell.col} reaches outside the grid")
            for place in _places(cell):
                if place in taken:
                    raise ValueError(f"two cells claim row {place[0]}, column {place[1]}")
                taken.add(place)
        ordered = tuple(sorted(self.cells, key=lambda c: (c.row, c.col)))
        if ordered != self.cells:
            object.__setattr__(self, "cells", ordered)
        return self

    @property
    def header_rows(self) -> int:
        """Rows at the top that hold header cells only; 0 where none is marked."""
        marked = {c.row for c in self.cells if c.header}
        plain = {c.row for c in self.cells if not c.header}
        count = 0
        while count in marked and count not in plain:
            count += 1
        return count

    def grid(self) -> list[list[Cell | None]]:
        """Rows of columns; a spanning cell stands in each place it covers, None where no cell is."""
        rows: list[list[Cell | None]] = [[None] * self.n_cols for _ in range(self.n_rows)]
        for cell in self.cells:
            for row, col in _places(cell):
                rows[row][col] = cell
        return rows

    def rows(self, *, repeat_spans: bool = False) -> list[list[str]]:
        """Texts as a rectangle; a spanning text stands in its first place only, or in each with ``repeat_spans``."""
        out = [[""] * self.n_cols for _ in range(self.n_rows)]
        for cell in self.cells:
            for row, col in _places(cell) if repeat_spans else [(cell.row, cell.col)]:
                out[row][col] = cell.text
        return out

    def to_dataframe(self, *, header: bool | None = None) -> pd.DataFrame:
        """A pandas frame of strings. ``header``: take the first row as column names; None takes it where the table
        has at least two rows and the first row has a text in each column, all different."""
        import pandas as pd

        rows = self.rows(repeat_spans=True)
        first = rows[0] if rows else []
        if header is None:
            header = len(rows) > 1 and all(first) and len(set(first)) == len(first)
        if header and rows:
            return pd.DataFrame(rows[1:], columns=first)
        return pd.DataFrame(rows)

    @classmethod
    def from_rows(cls, rows: Sequence[Sequence[str]], **fields: object) -> Table:
        """A table without spans; short rows are filled with empty cells. ``fields`` go to the constructor."""
        width = max((len(r) for r in rows), default=0)
        cells = tuple(
            Cell(row=i, col=j, text=row[j] if j < len(row) else "") for i, row in enumerate(rows) for j in range(width)
        )
        return cls.model_validate({"n_rows": len(rows), "n_cols": width, "cells": cells, **fields})


def _places(cell: Cell) -> list[tuple[int, int]]:
    """Every (row, column) the cell covers."""
    return [
        (row, col)
        for row in range(cell.row, cell.row + cell.rowspan)
        for col in range(cell.col, cell.col + cell.colspan)
    ]
