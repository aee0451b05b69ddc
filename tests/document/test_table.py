from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from mineru_core.document.table import Cell, Table
from tests.document.boxes import tables


@given(tables())
def test_every_place_is_held_by_one_cell_at_most(table: Table) -> None:
    held = [cell for row in table.grid() for cell in row if cell is not None]
    assert len(held) == sum(cell.rowspan * cell.colspan for cell in table.cells)


def test_only_unsure_text_is_doubtful() -> None:
    assert Cell(row=0, col=0, text="8", confidence=0.3).doubtful
    assert not Cell(row=0, col=0, text="8", confidence=0.95).doubtful
    assert not Cell(row=0, col=0, text="  ", confidence=0.1).doubtful


@given(tables())
def test_rows_are_a_rectangle_with_each_text_once(table: Table) -> None:
    rows = table.rows()
    assert len(rows) == table.n_rows
    assert all(len(row) == table.n_cols for row in rows)
    assert sorted(t for row in rows for t in row if t) == sorted(c.text for c in table.cells if c.text)


@given(tables())
def test_repeated_spans_fill_what_the_grid_holds(table: Table) -> None:
    expected = [["" if cell is None else cell.text for cell in row] for row in table.grid()]
    assert table.rows(repeat_spans=True) == expected


@given(tables())
def test_cells_are_kept_in_reading_order(table: Table) -> None:
    places = [(cell.row, cell.col) for cell in table.cells]
    assert places == sorted(places)


@given(tables())
def test_a_table_survives_json(table: Table) -> None:
    assert Table.model_validate_json(table.model_dump_json()) == table


@given(st.lists(st.lists(st.text(max_size=3), max_size=4), max_size=4))
def test_a_table_from_rows_gives_the_rows_back(rows: list[list[str]]) -> None:
    table = Table.from_rows(rows)
    width = max((len(row) for row in rows), default=0)
    assert table.rows() == [row + [""] * (width - len(row)) for row in rows]


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ((Cell(row=0, col=0, colspan=2), Cell(row=0, col=1)), "two cells claim row 0, column 1"),
        ((Cell(row=0, col=0, rowspan=2), Cell(row=1, col=0)), "two cells claim row 1, column 0"),
        ((Cell(row=2, col=0),), "outside the grid"),
        ((Cell(row=0, col=1, colspan=2),), "outside the grid"),
    ],
)
def test_cells_that_do_not_fit_are_refused(cells: tuple[Cell, ...], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Table(n_rows=2, n_cols=2, cells=cells)


@pytest.mark.parametrize("values", [{"row": -1}, {"rowspan": 0}, {"confidence": 1.5}, {"colour": "red"}])
def test_a_cell_refuses_what_cannot_be(values: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Cell.model_validate({"row": 0, "col": 0, **values})


def test_header_rows_are_counted_from_the_top_only() -> None:
    cells = [Cell(row=r, col=c, header=r in (0, 1, 3)) for r in range(5) for c in range(2)]
    assert Table(n_rows=5, n_cols=2, cells=tuple(cells)).header_rows == 2


def test_a_row_with_one_plain_cell_is_no_header_row() -> None:
    cells = (Cell(row=0, col=0, header=True), Cell(row=0, col=1))
    assert Table(n_rows=1, n_cols=2, cells=cells).header_rows == 0


def test_a_first_row_of_different_texts_names_the_columns() -> None:
    frame = Table.from_rows([["Name", "Sum"], ["Pen", "3"]]).to_dataframe()
    assert list(frame.columns) == ["Name", "Sum"]
    assert frame.to_numpy().tolist() == [["Pen", "3"]]


@pytest.mark.parametrize("rows", [[["a", "a"], ["1", "2"]], [["a", ""], ["1", "2"]], [["a", "b"]]])
def test_other_first_rows_do_not(rows: list[list[str]]) -> None:
    assert Table.from_rows(rows).to_dataframe().to_numpy().tolist() == rows


def test_the_header_can_be_forced() -> None:
    assert list(Table.from_rows([["a", "a"], ["1", "2"]]).to_dataframe(header=True).columns) == ["a", "a"]


def test_an_empty_table_gives_an_empty_frame() -> None:
    assert Table(n_rows=0, n_cols=0).to_dataframe().empty
