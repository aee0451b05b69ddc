from __future__ import annotations

from collections.abc import Sequence

from mineru_core.document.analysis import Line
from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.tables.consistency import Faults, find_faults
from mineru_core.engines.embedded.tables.matching import assign
from mineru_core.engines.embedded.tables.structure import Structure, StructureCell
from mineru_core.engines.embedded.tables.words import words_of
from tests.engines.embedded.tables.drawing import grid_lines, line_at

ROWS = [["Item", "Number", "Price"], ["Bolt", "12", "3.50"], ["Nut", "7", "1.20"]]


def _structure(rows: Sequence[float], cols: Sequence[float]) -> Structure:
    """The structure between these edges."""
    cells = tuple(
        StructureCell(r, c, 1, 1, Box(cols[c], rows[r], cols[c + 1], rows[r + 1]), 1.0)
        for r in range(len(rows) - 1)
        for c in range(len(cols) - 1)
    )
    return Structure(len(rows) - 1, len(cols) - 1, cells)


def _faults(structure: Structure, lines: Sequence[Line]) -> Faults:
    words = words_of(lines)
    return find_faults(structure, lines, words, assign(words, [cell.box for cell in structure.cells]))


def test_the_right_structure_has_no_fault() -> None:
    faults = _faults(_structure([20, 54, 88, 122], [20, 160, 300, 440]), grid_lines(ROWS))
    assert (faults.lines, faults.badness) == (9, 0.0)


def test_columns_run_together_are_seen() -> None:
    assert _faults(_structure([20, 54, 88, 122], [20, 300, 440]), grid_lines(ROWS)).side == 3


def test_rows_run_together_are_seen() -> None:
    assert _faults(_structure([20, 54, 122], [20, 160, 300, 440]), grid_lines(ROWS)).stacked == 1


def test_rows_and_columns_without_text_are_seen() -> None:
    assert _faults(_structure([20, 54, 88, 122, 156], [20, 160, 300, 440, 580]), grid_lines(ROWS)).empty == 2


def test_words_outside_their_cells_are_seen() -> None:
    drifted = _structure([40, 74, 108, 142], [20, 160, 300, 440])
    assert _faults(drifted, grid_lines(ROWS)).astray > 0.2


def test_texts_of_one_height_in_different_rows_are_seen() -> None:
    lines = [line_at("a", 10, 10, 20, 30), line_at("b", 110, 10, 120, 30)]
    cells = (
        StructureCell(0, 0, 1, 1, Box(0, 0, 100, 40), 1.0),
        StructureCell(0, 1, 1, 1, Box(100, 50, 200, 90), 1.0),
        StructureCell(1, 1, 1, 1, Box(100, 0, 200, 40), 1.0),
    )
    assert _faults(Structure(2, 2, cells), lines).uneven == 1


def _torn_lines(second: str) -> list[Line]:
    return [
        line_at("a", 5, 0, 15, 20),
        line_at("head", 105, 0, 145, 20),
        line_at("b", 5, 40, 15, 60),
        line_at("a long text that fills it all", 105, 40, 390, 60),
        line_at(second, 105, 64, 105 + 9 * len(second), 84),
    ]


def test_a_row_that_goes_on_with_a_full_line_is_torn() -> None:
    structure = _structure([0, 30, 62, 90], [0, 100, 400])
    assert _faults(structure, _torn_lines("and goes on here")).torn == (2,)


def test_a_list_item_is_no_row_that_goes_on() -> None:
    structure = _structure([0, 30, 62, 90], [0, 100, 400])
    assert _faults(structure, _torn_lines("• and goes on here")).torn == ()
