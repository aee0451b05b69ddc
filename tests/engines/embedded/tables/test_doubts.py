"""Cells that hold what belongs into two."""

from __future__ import annotations

import pytest

from mineru_core.document.table import Cell, Table
from mineru_core.engines.embedded.tables.doubts import with_doubts

HEAD = ["State", "2002", "2003", "2004"]
ROWS = [["Ohio", "1,204", "1,230", "1,251"], ["Iowa", "480", "512", "530"], ["Utah", "77", "81", "90"]]


def table(rows: list[list[str]], headers: int = 1) -> Table:
    made = Table.from_rows(rows)
    cells = tuple(cell.model_copy(update={"header": cell.row < headers}) for cell in made.cells)
    return made.model_copy(update={"cells": cells})


def doubtful(found: Table) -> list[str]:
    return [cell.text for cell in found.cells if cell.doubtful]


def test_a_good_table_stays_as_it_is() -> None:
    good = table([HEAD, *ROWS])
    assert with_doubts(good) is good


@pytest.mark.parametrize("text", ["512 1,530", "3,103,540 3,100,510", "12.5% 13.0%", "-4 7"])
def test_two_numbers_in_a_cell_of_a_column_of_numbers(text: str) -> None:
    assert doubtful(with_doubts(table([HEAD, ROWS[0], ["Iowa", "480", text, ""], ROWS[2]]))) == [text]


@pytest.mark.parametrize("text", ["12 345", "1 204 301", "512", "n/a", "2 of 3"])
def test_one_number_and_words_are_no_fault(text: str) -> None:
    assert doubtful(with_doubts(table([HEAD, ROWS[0], ["Iowa", "480", text, "1"], ROWS[2]]))) == []


def test_a_column_of_pairs_is_meant_so() -> None:
    assert doubtful(with_doubts(table([["", "range"], ["a", "1 7"], ["b", "2 9"], ["c", "3 8"]]))) == []


def test_a_header_of_two_beside_an_empty_one() -> None:
    merged = ["State", "2002", "2003 2004", ""]
    assert doubtful(with_doubts(table([merged, *ROWS]))) == ["2003 2004"]
    empty_below = [merged, *([*row[:3], ""] for row in ROWS)]
    assert doubtful(with_doubts(table(empty_below))) == []  # nothing stands under the empty one


def test_spans_and_tables_without_headers_are_let_be() -> None:
    cells = (
        Cell(row=0, col=0, colspan=2, text="a b", header=True),
        Cell(row=1, col=0, text="1"),
        Cell(row=1, col=1, text="2"),
    )
    assert doubtful(with_doubts(Table(n_rows=2, n_cols=2, cells=cells))) == []
    assert doubtful(with_doubts(table([["1", "2"]], headers=0))) == []
