from __future__ import annotations

from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.tables.repair import merge_up, spanned_rows
from mineru_core.engines.embedded.tables.structure import Structure, StructureCell


def _cell(row: int, col: int, rowspan: int = 1) -> StructureCell:
    return StructureCell(row, col, rowspan, 1, Box(100 * col, 30 * row, 100 * col + 90, 30 * (row + rowspan)), 1.0)


SPANNED = Structure(
    4, 2, (_cell(0, 0), _cell(0, 1), _cell(1, 0, 2), _cell(1, 1), _cell(2, 1), _cell(3, 0), _cell(3, 1))
)
PLAIN = Structure(2, 2, (_cell(0, 0), _cell(0, 1), _cell(1, 0), _cell(1, 1)))


def test_a_row_under_a_span_is_joined() -> None:
    assert spanned_rows(SPANNED, [2]) == [2]
    merged = merge_up(SPANNED, [2])
    assert [(c.row, c.col, c.rowspan) for c in sorted(merged.cells, key=lambda c: (c.row, c.col))] == [
        (0, 0, 1),
        (0, 1, 1),
        (1, 0, 1),
        (1, 1, 1),
        (2, 0, 1),
        (2, 1, 1),
    ]
    assert merged.n_rows == 3


def test_the_joined_cell_reaches_over_both_rows() -> None:
    (cell,) = (c for c in merge_up(SPANNED, [2]).cells if (c.row, c.col) == (1, 1))
    assert (cell.box.y0, cell.box.y1) == (30, 90)


def test_a_row_with_an_empty_cell_of_its_own_stays() -> None:
    assert spanned_rows(PLAIN, [1]) == []
