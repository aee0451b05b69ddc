from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.document.table import Cell, Table
from mineru_core.document.task import Answer
from mineru_core.instruct import answer, parse_words
from mineru_core.instruct.table_choice import headers, merged, part_of
from tests.instruct.pages import document, page, table_block

SALES = [["Region", "2023", "2024", "Amount (USD)"], ["North", "10", "20", "1,200"], ["South", "30", "40", "-5"]]
SALES += [["Total", "40", "60", "1,195"]]


def ask(words: str, *tables: list[list[str]]) -> Answer:
    blocks = [table_block(rows, y=100 + 200 * i) for i, rows in enumerate(tables or (SALES,))]
    return answer(document(page(*blocks)), parse_words(words))


def rows(given_answer: Answer) -> list[list[list[str]]]:
    return [table.rows() for table in given_answer.tables]


@pytest.mark.parametrize(
    ("words", "head"),
    [
        ("only the columns Region and 2024", ["Region", "2024"]),
        ("columns 2024 and Region", ["2024", "Region"]),
        ("the regoin column", ["Region"]),
        ("the amount column", ["Amount (USD)"]),
        ("第二列", ["2023"]),
        ("the last column", ["Amount (USD)"]),
        ("without the 2023 column", ["Region", "2024", "Amount (USD)"]),
    ],
)
def test_columns_are_chosen_by_name_or_place(words: str, head: list[str]) -> None:
    found = ask(words)
    assert rows(found)[0][0] == head
    assert len(rows(found)[0]) == len(SALES)
    assert found.notes == ()


def test_a_column_that_is_not_there_is_said_with_those_that_are() -> None:
    found = ask("columns Region and Weight")
    assert rows(found)[0][0] == ["Region"]
    assert [note.code for note in found.notes] == ["no-such-column"]
    assert "Weight" in found.notes[0].message
    assert "2023" in found.notes[0].message


def test_one_figure_makes_another_year() -> None:
    assert [note.code for note in ask("column 2025").notes] == ["no-such-column"]


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("rows where Region is North", ["North"]),
        ("rows that contain south", ["South"]),
        ("rows with North or South", ["North", "South"]),
        ("rows with Sotuh", []),
        ("rows that do not contain total", ["North", "South"]),
        ("rows where 2023 is more than 10", ["South", "Total"]),
        ("rows where amount is less than 0", ["South"]),
        ("rows where 2024 is 60", ["Total"]),
        ("rows with 4", []),
        ("去掉含total的行", ["North", "South"]),
    ],
)
def test_rows_are_chosen_by_what_they_say(words: str, first: list[str]) -> None:
    found = ask(words)
    assert [row[0] for table in rows(found) for row in table[1:]] == first
    assert [note.code for note in found.notes] == ([] if first else ["no-such-row"])


def test_a_letter_misread_does_not_hide_a_row() -> None:
    assert rows(ask("rows where Name is Northern", [["Name", "x"], ["Southern", "1"], ["Eastern", "2"]])) == []
    assert rows(ask("rows where Name is Western Isles", [["Name", "x"], ["Westem Isles", "2"]])) == [
        [["Name", "x"], ["Westem Isles", "2"]]
    ]


def test_tables_of_equal_headers_become_one_under_one_header() -> None:
    one, other = [["Name", "Qty"], ["a", "1"]], [["name", "QTY"], ["b", "2"]]
    found = ask("all tables as one table", one, [["x", "y", "z"], ["1", "2", "3"]], other)
    assert rows(found) == [[["Name", "Qty"], ["a", "1"], ["b", "2"]], [["x", "y", "z"], ["1", "2", "3"]]]
    assert [note.code for note in found.notes] == ["tables-not-alike"]


def test_a_table_without_a_header_goes_on_with_the_one_before() -> None:
    assert rows(ask("merge the tables", [["Name", "Qty"], ["a", "1"]], [["b", "2"], ["c", "3"]])) == [
        [["Name", "Qty"], ["a", "1"], ["b", "2"], ["c", "3"]]
    ]


def test_what_is_left_of_a_span_is_spanned() -> None:
    cells = (Cell(row=0, col=0, colspan=3, text="top"), *(Cell(row=1, col=c, text=str(c)) for c in range(3)))
    table = Table(n_rows=2, n_cols=3, cells=cells)
    assert headers(table) == ["top"] * 3
    kept = part_of(table, [0, 1], [1, 2])
    assert [(c.col, c.colspan, c.text) for c in kept.cells] == [(0, 2, "top"), (0, 1, "1"), (1, 1, "2")]
    turned = part_of(table, [0, 1], [2, 0])
    assert turned.rows() == [["top", "top"], ["2", "0"]]


TEXTS = st.sampled_from(["", "a", "b", "1", "2.5", "Total"])


@given(st.lists(st.lists(TEXTS, min_size=2, max_size=2), min_size=1, max_size=4), st.data())
def test_a_part_has_the_texts_of_its_places(grid: list[list[str]], data: st.DataObject) -> None:
    table = Table.from_rows(grid)
    kept_rows = data.draw(st.lists(st.sampled_from(range(len(grid))), unique=True).map(sorted))
    columns = data.draw(st.lists(st.sampled_from([0, 1]), unique=True))
    assert part_of(table, kept_rows, columns).rows() == [[grid[r][c] for c in columns] for r in kept_rows]


@given(st.lists(st.lists(st.lists(TEXTS, min_size=2, max_size=2), min_size=1, max_size=3), max_size=4))
def test_no_row_is_lost_in_one_table(grids: list[list[list[str]]]) -> None:
    tables = [Table.from_rows(grid) for grid in grids]
    bodies = [row for grid in grids for row in grid[1:] if len(grid) > 1]
    together = [row for table in merged(tables) for row in table.rows()]
    assert all(row in together for row in bodies)
