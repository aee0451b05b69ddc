from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mineru_core.document.geometry import Box
from mineru_core.document.table import Cell, Table
from mineru_core.engines.embedded.tables.matching import assign
from mineru_core.engines.embedded.tables.structure import Structure, StructureCell
from mineru_core.engines.embedded.tables.tidy import idle_columns, idle_rows, without
from mineru_core.engines.embedded.tables.words import words_of
from tests.engines.embedded.tables.drawing import COLUMN_WIDTH, MARGIN, ROW_HEIGHT, grid_lines, line_at


def _structure(n_rows: int, n_cols: int) -> Structure:
    cells = tuple(
        StructureCell(
            r,
            c,
            1,
            1,
            Box(
                MARGIN + c * COLUMN_WIDTH,
                MARGIN + r * ROW_HEIGHT,
                MARGIN + (c + 1) * COLUMN_WIDTH,
                MARGIN + (r + 1) * ROW_HEIGHT,
            ),
            1.0,
        )
        for r in range(n_rows)
        for c in range(n_cols)
    )
    return Structure(n_rows, n_cols, cells)


def test_rows_and_columns_without_words_are_idle() -> None:
    structure = _structure(3, 3)
    words = words_of(grid_lines([["a", "", "b"], ["", "", ""], ["c", "", "d"]]))
    chosen = assign(words, [cell.box for cell in structure.cells])
    assert idle_rows(structure, chosen) == {1}
    assert idle_columns(structure, words, chosen) == {1}


def test_a_full_table_has_none() -> None:
    structure = _structure(2, 2)
    words = words_of(grid_lines([["a", "b"], ["c", "d"]]))
    chosen = assign(words, [cell.box for cell in structure.cells])
    assert not idle_rows(structure, chosen)
    assert not idle_columns(structure, words, chosen)


def test_a_few_texts_in_the_width_of_the_column_beside_are_its_own() -> None:
    """The model saw one column of numbers as two, and most numbers in the first."""
    lines = [line_at("40,000", 100, 30 * n, 160, 30 * n + 18) for n in range(6)]
    words = words_of(lines)
    cells = tuple(
        StructureCell(n, c, 1, 1, Box(80 + 60 * c, 30 * n, 140 + 60 * c, 30 * n + 25), 1.0)
        for n in range(6)
        for c in (0, 1)
    )
    chosen = [2 * n + (n == 3) for n in range(6)]
    assert idle_columns(Structure(6, 2, cells), words, chosen) == {1}


def test_a_column_of_sub_headings_beside_is_not() -> None:
    lines = [line_at("total", 10 + 60 * (n % 3 == 0), 30 * n, 50 + 60 * (n % 3 == 0), 30 * n + 18) for n in range(6)]
    words = words_of(lines)
    cells = tuple(
        StructureCell(n, c, 1, 1, Box(60 * c, 30 * n, 60 + 60 * c, 30 * n + 25), 1.0) for n in range(6) for c in (0, 1)
    )
    chosen = [2 * n + (n % 3 == 0) for n in range(6)]
    assert idle_columns(Structure(6, 2, cells), words, chosen) == set()


@given(st.sets(st.integers(0, 4)), st.sets(st.integers(0, 3)), st.integers(1, 5), st.integers(1, 4))
def test_what_is_left_is_a_grid(rows: set[int], cols: set[int], rowspan: int, colspan: int) -> None:
    spanning = StructureCell(0, 0, rowspan, colspan, Box(0, 0, 1, 1), 1.0)
    rest = [c for c in _structure(5, 4).cells if c.row >= rowspan or c.col >= colspan]
    left = without(Structure(5, 4, (spanning, *rest)), rows, cols)
    cells = tuple(Cell(row=c.row, col=c.col, rowspan=c.rowspan, colspan=c.colspan) for c in left.cells)
    table = Table(n_rows=left.n_rows, n_cols=left.n_cols, cells=cells)
    assert (table.n_rows, table.n_cols) == (5 - len(rows), 4 - len(cols))
    assert all(cell is not None for row in table.grid() for cell in row)
