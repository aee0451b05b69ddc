from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.tables.drift import follow_text
from mineru_core.engines.embedded.tables.structure import Structure, StructureCell


def _structure(tops: list[float], height: float) -> Structure:
    cells = tuple(
        StructureCell(r, c, 1, 1, Box(100.0 * c, y, 100.0 * c + 90, y + height), 1.0)
        for r, y in enumerate(tops)
        for c in range(2)
    )
    return Structure(len(tops), 2, cells)


def _texts(tops: list[float]) -> list[Box]:
    return [Box(100.0 * c + 5, y, 100.0 * c + 60, y + 18) for y in tops for c in range(2)]


@given(st.integers(4, 40), st.floats(0.85, 1.15), st.floats(-10, 10))
def test_rows_that_drift_are_moved_to_their_text(count: int, stretch: float, shift: float) -> None:
    tops = [100.0 + 30 * n for n in range(count)]
    drifted = [100.0 + 30 * n * stretch + shift for n in range(count)]
    moved = follow_text(_structure(drifted, 24), _texts(tops))
    assert moved is not None
    for cell in moved.cells:
        assert (cell.box.y0, cell.box.y1) == (tops[cell.row], tops[cell.row] + 18)


def test_a_predicted_row_high_enough_keeps_its_two_lines() -> None:
    structure = _structure([100, 160, 190, 220], 24)
    tall = tuple(
        StructureCell(c.row, c.col, 1, 1, Box(c.box.x0, 100, c.box.x1, 150), 1.0) if c.row == 0 else c
        for c in structure.cells
    )
    moved = follow_text(Structure(4, 2, tall), _texts([102, 128, 163, 193, 223]))
    assert moved is not None
    rows = {cell.row: (cell.box.y0, cell.box.y1) for cell in moved.cells}
    assert rows == {0: (102, 146), 1: (163, 181), 2: (193, 211), 3: (223, 241)}


def test_far_fewer_lines_than_rows_tell_nothing() -> None:
    assert follow_text(_structure([100.0 + 30 * n for n in range(12)], 24), _texts([100, 130, 160, 190])) is None


def test_a_small_table_is_left_alone() -> None:
    assert follow_text(_structure([100, 130], 24), _texts([100, 130])) is None
