"""Strategies of boxes and tables for the property tests."""

from __future__ import annotations

from hypothesis import strategies as st

from mineru_core.document.geometry import Box
from mineru_core.document.table import Cell, Table

COORDINATES = st.integers(-1000, 1000).map(float)


@st.composite
def boxes(draw: st.DrawFn) -> Box:
    """Any box that is not turned inside out, with whole numbers (exact in floating point)."""
    x0, y0 = draw(COORDINATES), draw(COORDINATES)
    return Box(x0, y0, x0 + draw(st.integers(0, 500)), y0 + draw(st.integers(0, 500)))


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """A table whose grid is filled with cells of random spans; some places are left without a cell."""
    n_rows, n_cols = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    free = {(row, col) for row in range(n_rows) for col in range(n_cols)}
    cells: list[Cell] = []
    for row in range(n_rows):
        for col in range(n_cols):
            if (row, col) not in free or draw(st.integers(0, 9)) == 0:
                continue
            rowspan, colspan = draw(st.integers(1, n_rows - row)), draw(st.integers(1, n_cols - col))
            covered = {(r, c) for r in range(row, row + rowspan) for c in range(col, col + colspan)}
            if not covered <= free:
                rowspan, colspan, covered = 1, 1, {(row, col)}
            free -= covered
            cells.append(Cell(row=row, col=col, rowspan=rowspan, colspan=colspan, text=draw(st.text(max_size=4))))
    return Table(n_rows=n_rows, n_cols=n_cols, cells=tuple(draw(st.permutations(cells))))
