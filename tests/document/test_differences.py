"""What two readings differ in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.document import differences
from mineru_core.document.differences import Row, agreement, compare_texts, differing_cells, pair_tables
from mineru_core.document.geometry import Box
from mineru_core.document.table import Table

PARAGRAPHS = st.lists(st.text(alphabet="ab c\n大小，", max_size=12), max_size=6)
TABLES = (
    st.integers(1, 4)
    .flatmap(
        lambda width: st.lists(
            st.lists(st.sampled_from(["a", "b", "1", "22", ""]), min_size=width, max_size=width), max_size=5
        )
    )
    .map(Table.from_rows)
)


def said(rows: list[Row], side: int) -> str:
    return "".join("".join(piece.text.split()) for row in rows for piece in row[side])


def shown(rows: list[Row]) -> list[tuple[str, str]]:
    """Each row with its differing words in brackets."""
    return [
        tuple("".join(p.text if p.same else f"[{p.text.strip()}]" for p in side).strip() for side in row)  # type: ignore[misc]
        for row in rows
    ]


@given(PARAGRAPHS, PARAGRAPHS)
def test_nothing_is_lost_or_moved_and_what_is_the_same_is_the_same(first: list[str], second: list[str]) -> None:
    rows = compare_texts(first, second)
    assert said(rows, 0) == "".join("".join(first).split())
    assert said(rows, 1) == "".join("".join(second).split())
    same = ["".join("".join(p.text.split()) for row in rows for p in row[side] if p.same) for side in (0, 1)]
    assert same[0] == same[1]
    assert 0 <= agreement(rows) <= 1
    assert all(row.same for row in rows) == (agreement(rows) == 1)


@given(PARAGRAPHS)
def test_a_reading_agrees_with_itself(paragraphs: list[str]) -> None:
    rows = compare_texts(paragraphs, paragraphs)
    assert agreement(rows) == 1
    assert len(rows) == sum(bool(text.split()) for text in paragraphs)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (["Total 12 EUR"], ["Total 17 EUR"], [("Total[12] EUR", "Total[17] EUR")]),
        (["一共十二元"], ["一共十七元"], [("一共十[二]元", "一共十[七]元")]),
        (["增长8.4%。"], ["增长8.1%。"], [("增长[8.4%]。", "增长[8.1%]。")]),
        (["Head", "Body"], ["Head", "New one", "Body"], [("Head", "Head"), ("", "[New one]"), ("Body", "Body")]),
        (["Head", "Gone", "Body"], ["Head", "Body"], [("Head", "Head"), ("[Gone]", ""), ("Body", "Body")]),
        (["x", "Total 5"], ["x", "Grand Total 5"], [("x", "x"), ("Total 5", "[Grand] Total 5")]),
        (["x 5", "y"], ["x 5 more", "y"], [("x 5", "x 5[more]"), ("y", "y")]),
        (["one two"], ["one", "two"], [("one two", "one\ntwo")]),
        (["one", "two"], ["one two"], [("one", "one"), ("two", "two")]),
        ([], ["only"], [("", "[only]")]),
        (["only"], [], [("[only]", "")]),
        ([], [], []),
    ],
)
def test_rows_follow_the_first_reading(first: list[str], second: list[str], expected: list[tuple[str, str]]) -> None:
    assert shown(compare_texts(first, second)) == expected


def test_pages_too_long_for_words_are_compared_by_paragraph(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(differences, "MOST_COMPARED", 3)
    assert shown(compare_texts(["a b", "c d"], ["a  b", "c e"])) == [("a b", "a b"), ("[c d]", "[c e]")]


@given(TABLES)
def test_a_table_does_not_differ_from_itself(table: Table) -> None:
    assert differing_cells(table, table) == (frozenset(), frozenset())


@given(TABLES, TABLES)
def test_the_sides_may_be_exchanged_where_lines_are_alike(first: Table, second: Table) -> None:
    marks = differing_cells(first, second)
    for table, found in zip((first, second), marks, strict=True):
        assert found <= {(cell.row, cell.col) for cell in table.cells}
    assert bool(marks[0] or marks[1]) == (first.rows() != second.rows())


ROWS = [["Item", "Price"], ["Pen", "1.50"], ["Ink", "7.00"], ["Pad", "3.20"]]


def test_one_cell_that_differs_is_marked_on_both_sides() -> None:
    other = [row[:] for row in ROWS]
    other[2][1] = "1.00"
    assert differing_cells(Table.from_rows(ROWS), Table.from_rows(other)) == (frozenset({(2, 1)}), frozenset({(2, 1)}))


def test_a_row_too_few_marks_that_row_alone() -> None:
    fewer = [ROWS[0], ROWS[2], ROWS[3]]
    assert differing_cells(Table.from_rows(ROWS), Table.from_rows(fewer)) == (frozenset({(1, 0), (1, 1)}), frozenset())


def test_a_column_too_many_marks_that_column_alone() -> None:
    wider = [[row[0], "", row[1]] for row in ROWS]
    marks = differing_cells(Table.from_rows(ROWS), Table.from_rows(wider))
    assert marks == (frozenset(), frozenset({(n, 1) for n in range(4)}))


def test_long_tables_are_compared_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(differences, "MOST_ALIGNED", 3)
    first, second = Table.from_rows([["a"], ["b"]]), Table.from_rows([["b"], ["b"], ["c"]])
    assert differing_cells(first, second) == (frozenset({(0, 0)}), frozenset({(0, 0), (2, 0)}))


def test_tables_are_paired_by_place_then_by_words() -> None:
    def table(text: str, box: Box | None = None, page: int = 1) -> Table:
        return Table.from_rows([text.split()], box=box, page=page)

    here, near, there = Box(0, 0, 100, 100), Box(5, 0, 100, 100), Box(0, 500, 100, 600)
    a, b, c = table("a", here), table("b b2", there), table("c", here, page=2)
    x, y, z = table("z", near), table("b b2 b3"), table("new", there, page=3)
    assert pair_tables([a, b, c], [y, x, z]) == [(a, x), (b, y), (c, None), (None, z)]
