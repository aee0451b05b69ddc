from __future__ import annotations

import pytest
from hypothesis import given

from mineru_core.document.header_depth import with_whole_header
from mineru_core.document.table import Cell, Table
from tests.export.strategies import tables

BODY = [["North", "1,200", "30%", "1,300", "31%"], ["South", "900", "20%", "950", "22%"]]


def cell(row: int, col: int, text: str, rowspan: int = 1, colspan: int = 1, *, header: bool = False) -> Cell:
    return Cell(row=row, col=col, text=text, rowspan=rowspan, colspan=colspan, header=header)


def table(*top: Cell, body: list[list[str]] = BODY) -> Table:
    start = max(one.row + one.rowspan for one in top)
    rest = [cell(start + i, j, text) for i, row in enumerate(body) for j, text in enumerate(row)]
    return Table(n_rows=start + len(body), n_cols=5, cells=(*top, *rest))


def names(row: int, *texts: str) -> list[Cell]:
    return [cell(row, 1 + i, text) for i, text in enumerate(texts)]


GROUPS = [cell(0, 1, "2023", colspan=2), cell(0, 3, "2024", colspan=2)]
UNITS = names(1, "EUR", "Share", "EUR", "Share")


@pytest.mark.parametrize(
    ("top", "rows"),
    [
        ([cell(0, 0, "Region", rowspan=2), *GROUPS, *UNITS], 2),
        ([cell(0, 0, ""), *GROUPS, cell(1, 0, "Region"), *UNITS], 2),
        ([cell(0, 0, "地区", rowspan=2), cell(0, 1, "销售", colspan=2), cell(0, 3, "利润", colspan=2),
          *names(1, "2023", "2024", "2023", "2024")], 2),
        ([cell(0, 0, "Region", rowspan=3), cell(0, 1, "All", colspan=4), cell(1, 1, "A", colspan=2),
          cell(1, 3, "B", colspan=2), *names(2, "EUR", "Share", "EUR", "Share")], 3),
    ],
    ids=["stub spans", "stub below", "years below", "three rows"],
)  # fmt: skip
@pytest.mark.parametrize("marked", [False, True])
def test_a_row_of_groups_and_the_names_below_are_one_header(top: list[Cell], rows: int, marked: bool) -> None:
    cells = [one.model_copy(update={"header": marked and one.row == 0}) for one in top]
    whole = with_whole_header(table(*cells))
    assert whole.header_rows == rows
    assert [one.text for one in whole.cells] == [one.text for one in table(*top).cells]


@pytest.mark.parametrize(
    "top",
    [
        [cell(0, 0, "A title over all", colspan=5), cell(1, 0, "Region"), *UNITS],
        [cell(0, 0, "Region"), *names(0, "a", "b", "c", "d")],
        [cell(0, 0, "Region"), *GROUPS],  # figures right below
        [cell(0, 0, ""), cell(0, 1, "", colspan=2), cell(0, 3, "", colspan=2), cell(1, 0, "Region"), *UNITS],
    ],
    ids=["title", "one row", "figures", "no words"],
)
def test_other_tables_are_left_as_they_are(top: list[Cell]) -> None:
    plain = table(*top)
    assert with_whole_header(plain) is plain


def test_groups_among_words_alone_say_nothing() -> None:
    words = [["x", "a", "b", "c", "d"], ["y", "e", "f", "g", "h"]]
    plain = table(cell(0, 0, "Region", rowspan=2), *GROUPS, *UNITS, body=words)
    assert with_whole_header(plain) is plain


@given(tables())
def test_nothing_but_marks_changes_and_none_is_lost(before: Table) -> None:
    after = with_whole_header(before)
    assert after.header_rows >= before.header_rows
    assert [c.model_copy(update={"header": False}) for c in after.cells] == [
        c.model_copy(update={"header": False}) for c in before.cells
    ]
    assert all(a.header or not b.header for a, b in zip(after.cells, before.cells, strict=True))
    assert with_whole_header(after) == after or before.header_rows == 0
