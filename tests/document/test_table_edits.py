from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from mineru_core.document.edits import MAX_TEXT
from mineru_core.document.geometry import Box
from mineru_core.document.table import Cell, Table
from mineru_core.document.table_edits import (
    OPERATIONS,
    DeleteColumns,
    DeleteRows,
    InsertColumns,
    InsertRows,
    MergeCells,
    PasteGrid,
    RestoreCells,
    SetCaption,
    SetHeaderRows,
    SetText,
    SplitCell,
    TableChange,
    TableOperation,
    apply_all,
    parse_operation,
)
from mineru_core.document.table_shape import Area
from mineru_core.errors import InvalidRequest
from tests.document.boxes import boxes, tables

PLACES = st.integers(0, 6)
COUNTS = st.integers(1, 3)
TEXTS = st.text(max_size=3)


@st.composite
def read_tables(draw: st.DrawFn) -> Table:
    """Tables as an engine reads them: doubtful cells, places on the page, header rows."""
    table = draw(tables())
    heads = draw(st.integers(0, table.n_rows))
    cells = [
        cell.model_copy(
            update={
                "confidence": draw(st.sampled_from([0.25, 1.0])),
                "box": draw(st.none() | boxes()),
                "header": cell.row < heads,
            }
        )
        for cell in table.cells
    ]
    return table.model_copy(update={"cells": tuple(cells), "caption": draw(TEXTS)})


@st.composite
def pastes(draw: st.DrawFn) -> PasteGrid:
    """Rectangles up to 3 × 3, one in two with a merged area."""
    rows = tuple(tuple(draw(st.sampled_from(["", "x", "y"])) for _ in range(3)) for _ in range(draw(COUNTS)))
    merges: tuple[Area, ...] = ()
    if draw(st.booleans()):
        height, width = draw(st.integers(1, len(rows))), draw(COUNTS)
        merges = (Area(draw(st.integers(0, len(rows) - height)), draw(st.integers(0, 3 - width)), height, width),)
    return PasteGrid(row=draw(PLACES), col=draw(PLACES), rows=rows, merges=merges)


OPS: st.SearchStrategy[TableOperation] = st.one_of(
    st.builds(SetText, row=PLACES, col=PLACES, text=TEXTS),
    st.builds(MergeCells, row=PLACES, col=PLACES, rowspan=COUNTS, colspan=COUNTS),
    st.builds(SplitCell, row=PLACES, col=PLACES),
    st.builds(InsertRows, at=PLACES, count=COUNTS),
    st.builds(InsertColumns, at=PLACES, count=COUNTS),
    st.builds(DeleteRows, at=PLACES, count=COUNTS),
    st.builds(DeleteColumns, at=PLACES, count=COUNTS),
    st.builds(SetHeaderRows, count=PLACES),
    st.builds(SetCaption, text=TEXTS),
    pastes(),
)


def done(table: Table, operations: list[TableOperation]) -> tuple[Table, list[TableOperation], list[TableChange]]:
    """The table after those that fit it, these, and what undoes them, the last first."""
    applied: list[TableOperation] = []
    back: list[TableChange] = []
    for operation in operations:
        try:
            after = operation.apply(table)
        except InvalidRequest:
            continue
        back = [*operation.invert(table), *back]
        applied.append(operation)
        table = after
    return table, applied, back


@settings(max_examples=300)
@given(read_tables(), st.lists(OPS, min_size=1, max_size=6))
def test_undoing_gives_the_table_back_exactly(table: Table, operations: list[TableOperation]) -> None:
    after, _, back = done(table, operations)
    assert apply_all(after, back) == table


@given(read_tables(), st.lists(OPS, min_size=1, max_size=6))
def test_whatever_is_done_the_grid_holds(table: Table, operations: list[TableOperation]) -> None:
    after, _, _ = done(table, operations)
    assert Table.model_validate(dict(after)) == after  # raises where cells overlap or reach outside


@given(read_tables(), st.lists(OPS, min_size=1, max_size=8))
def test_all_at_once_is_one_after_another(table: Table, operations: list[TableOperation]) -> None:
    after, applied, _ = done(table, operations)
    assert apply_all(table, applied) == after


@given(read_tables(), st.lists(st.builds(SetText, row=PLACES, col=PLACES, text=TEXTS), max_size=8))
def test_texts_set_together_are_those_set_one_by_one(table: Table, operations: list[TableOperation]) -> None:
    after, applied, _ = done(table, operations)
    assert apply_all(table, applied) == after


@given(read_tables(), OPS)
def test_an_operation_survives_json(table: Table, operation: TableOperation) -> None:
    assert parse_operation(operation.model_dump_json()) == operation
    _, _, back = done(table, [operation])
    for change in back:
        again = type(change).model_validate_json(change.model_dump_json())
        assert again == change


@given(read_tables(), OPS)
def test_a_cell_that_keeps_its_text_keeps_its_place_on_the_page(table: Table, operation: TableOperation) -> None:
    after, _, _ = done(table, [operation])
    known = {cell.box for cell in table.cells}
    united = isinstance(operation, MergeCells)
    assert all(cell.box is None or cell.box in known or (united and cell.edited) for cell in after.cells)


def grid(*rows: str) -> Table:
    """A table of one letter a cell, each at ten pixels times its place, read with confidence 0.5."""
    table = Table.from_rows([list(row) for row in rows])
    cells = tuple(
        cell.model_copy(update={"confidence": 0.5, "box": Box(0, 0, 10, 10).shifted(10.0 * cell.col, 10.0 * cell.row)})
        for cell in table.cells
    )
    return table.model_copy(update={"cells": cells})


def texts(table: Table) -> list[str]:
    return ["|".join(row) for row in table.rows()]


def test_a_text_that_is_set_is_sure_and_marked() -> None:
    after = SetText(row=1, col=0, text="x").apply(grid("ab", "cd"))
    assert texts(after) == ["a|b", "x|d"]
    cell = after.cells[2]
    assert (cell.edited, cell.confidence, cell.box) == (True, 1.0, Box(0, 10, 10, 20))
    assert [c.edited for c in after.cells] == [False, False, True, False]


def test_setting_a_text_as_it_is_says_that_it_is_right() -> None:
    cell = SetText(row=0, col=0, text="a").apply(grid("ab")).cells[0]
    assert (cell.text, cell.edited, cell.confidence) == ("a", True, 1.0)


def test_a_place_without_a_cell_gets_one() -> None:
    table = Table(n_rows=1, n_cols=2, cells=(Cell(row=0, col=0, text="a", header=True),))
    after = SetText(row=0, col=1, text="b").apply(table)
    assert texts(after) == ["a|b"]
    assert after.header_rows == 1


def test_merging_unites_texts_and_boxes() -> None:
    after = MergeCells(row=0, col=1, rowspan=2, colspan=2).apply(grid("abc", "def", "ghi"))
    assert texts(after) == ["a|b c e f|", "d||", "g|h|i"]
    cell = after.cells[1]
    assert (cell.rowspan, cell.colspan, cell.box, cell.edited) == (2, 2, Box(10, 0, 30, 20), True)


def test_no_space_is_put_between_chinese_words() -> None:
    table = Table.from_rows([["营业", "收入", "USD", ""]])
    after = MergeCells(row=0, col=0, rowspan=1, colspan=4).apply(table)
    assert after.cells[0].text == "营业收入USD"


def test_splitting_leaves_text_and_box_in_the_first_place() -> None:
    merged = MergeCells(row=0, col=0, rowspan=2, colspan=1).apply(grid("ab", "cd"))
    after = SplitCell(row=1, col=0).apply(merged)
    assert texts(after) == ["a c|b", "|d"]
    assert [cell.box for cell in after.cells if cell.col == 0] == [Box(0, 0, 10, 20), None]


def test_a_span_grows_and_shrinks_with_the_rows_inside() -> None:
    merged = MergeCells(row=0, col=0, rowspan=2, colspan=1).apply(grid("ab", "cd", "ef"))
    grown = InsertRows(at=1).apply(merged)
    assert texts(grown) == ["a c|b", "|", "|d", "e|f"]
    assert grown.cells[0].rowspan == 3
    shrunk = DeleteRows(at=0, count=2).apply(grown)
    assert texts(shrunk) == ["a c|d", "e|f"]
    assert shrunk.cells[0].rowspan == 1


def test_columns_go_as_rows_do() -> None:
    merged = MergeCells(row=0, col=0, rowspan=1, colspan=2).apply(grid("abc", "def"))
    grown = InsertColumns(at=1, count=2).apply(merged)
    assert texts(grown) == ["a b||||c", "d|||e|f"]
    assert texts(DeleteColumns(at=0).apply(grown)) == ["a b|||c", "||e|f"]


def test_rows_among_header_rows_are_header_rows() -> None:
    table = SetHeaderRows(count=2).apply(grid("ab", "cd", "ef"))
    assert InsertRows(at=1).apply(table).header_rows == 3
    assert InsertRows(at=2).apply(table).header_rows == 2
    assert InsertColumns(at=2).apply(table).header_rows == 2


def test_header_cells_at_the_side_stay() -> None:
    side = tuple(Cell(row=r, col=c, header=c == 0 or r == 0) for r in range(3) for c in range(2))
    after = SetHeaderRows(count=0).apply(Table(n_rows=3, n_cols=2, cells=side))
    assert [(cell.row, cell.col) for cell in after.cells if cell.header] == [(1, 0), (2, 0)]


def test_pasting_makes_the_table_as_large_as_it_must_be() -> None:
    after = PasteGrid(row=1, col=1, rows=(("1", "2"), ("3",))).apply(grid("ab", "cd"))
    assert texts(after) == ["a|b|", "c|1|2", "|3|"]
    assert [cell.box for cell in after.cells if cell.text == "1"] == [Box(10, 10, 20, 20)]


def test_what_was_copied_from_a_merged_cell_can_be_pasted_on_it() -> None:
    merged = MergeCells(row=0, col=0, rowspan=1, colspan=2).apply(grid("ab", "cd"))
    same = PasteGrid(row=0, col=0, rows=(("A B", ""), ("C", "D"))).apply(merged)
    assert (texts(same), same.cells[0].colspan) == (["A B|", "C|D"], 2)
    other = PasteGrid(row=0, col=0, rows=(("A", "B"),)).apply(merged)
    assert (texts(other), other.cells[0].colspan) == (["A|B", "c|d"], 1)


def test_merged_areas_are_pasted_as_such() -> None:
    after = PasteGrid(row=0, col=0, rows=(("T", ""), ("1", "2")), merges=(Area(0, 0, 1, 2),)).apply(grid("a"))
    assert (texts(after), after.cells[0].colspan) == (["T|", "1|2"], 2)


SPANNED = MergeCells(row=0, col=0, rowspan=1, colspan=2).apply(grid("abc", "def"))


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        (SetText(row=2, col=0, text=""), "2 rows and 3 columns"),
        (MergeCells(row=0, col=1, rowspan=1, colspan=2), "cuts through a merged cell"),
        (MergeCells(row=0, col=0, rowspan=1, colspan=2), "one cell already"),
        (MergeCells(row=1, col=1, rowspan=1, colspan=1), "cannot be merged"),
        (MergeCells(row=1, col=1, rowspan=2, colspan=1), "not in the table"),
        (SplitCell(row=1, col=1), "not merged"),
        (InsertRows(at=3), "has 2 rows"),
        (InsertColumns(at=0, count=200_000), "can be edited"),
        (DeleteRows(at=1, count=2), "has 2 rows"),
        (DeleteColumns(at=0, count=3), "at least one column"),
        (SetHeaderRows(count=3), "has 2 rows"),
        (PasteGrid(row=0, col=1, rows=(("x",),)), "cuts through a merged cell"),
        (PasteGrid(row=3, col=0, rows=(("x",),)), "not in the table"),
        (PasteGrid(row=0, col=200_000, rows=(("x",),)), "not in the table"),
        (RestoreCells(n_rows=1, n_cols=1, caption=""), "do not fit"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_fix(operation: TableChange, message: str) -> None:
    with pytest.raises(InvalidRequest, match=message) as caught:
        operation.apply(SPANNED)
    assert caught.value.hint


@pytest.mark.parametrize(
    "written",
    [
        "",
        "{}",
        "[]",
        '{"op": "format-disk"}',
        '{"op": "set-text", "row": -1, "col": 0, "text": ""}',
        '{"op": "set-text", "row": 0, "col": 0}',
        '{"op": "set-text", "row": 0, "col": 0, "text": "\\ud800"}',
        '{"op": "insert-rows", "at": 0, "count": 0}',
        '{"op": "insert-rows", "at": 0, "colour": "red"}',
        '{"op": "paste-grid", "row": 0, "col": 0, "rows": []}',
        '{"op": "paste-grid", "row": 0, "col": 0, "rows": [[]]}',
        '{"op": "paste-grid", "row": 0, "col": 0, "rows": [["a"]], "merges": [[0, 0, 2, 1]]}',
        '{"op": "paste-grid", "row": 0, "col": 0, "rows": [["a", "b"]], "merges": [[0, 0, 1, 2], [0, 1, 1, 1]]}',
        '{"op": "paste-grid", "row": 0, "col": 0, "rows": [["a"]], "merges": [[0, 0, 1, 999999999]]}',
        '{"op": "restore-cells", "n_rows": 1, "n_cols": 1, "caption": ""}',
        json.dumps({"op": "set-caption", "text": "x" * (MAX_TEXT + 1)}),
    ],
)
def test_what_is_no_operation_is_refused(written: str) -> None:
    with pytest.raises(InvalidRequest, match="cannot be read"):
        parse_operation(written)


def test_texts_lose_what_no_file_can_hold() -> None:
    operation = parse_operation({"op": "set-text", "row": 0, "col": 0, "text": "a\x00\r\nb\ud800\tc"})
    assert isinstance(operation, SetText)
    assert operation.text == "a\nb\tc"


def test_every_operation_is_known_by_its_name() -> None:
    names = set(OPERATIONS.json_schema()["discriminator"]["mapping"])
    assert names == {
        "set-text", "merge-cells", "split-cell", "insert-rows", "insert-columns", "delete-rows", "delete-columns",
        "set-header-rows", "set-caption", "paste-grid",
    }  # fmt: skip


def test_an_operation_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        SetText(row=0, col=0, text="a").text = "b"  # type: ignore[misc]


def test_a_row_taken_out_is_undone_in_few_words() -> None:
    table = Table.from_rows([["x"] * 20] * 200)
    back = DeleteRows(at=0).invert(table)
    assert len("".join(change.model_dump_json() for change in back)) < 5000
