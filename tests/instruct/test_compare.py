from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.document.geometry import Box
from mineru_core.instruct import answer, compare, parse_words
from tests.instruct.pages import document, lines_page, page, table_block

BEFORE = lines_page(("The price is 10 dollars.", 0, 0), ("Delivery is free.", 0, 40), ("Old line", 0, 80))
AFTER = lines_page(
    ("The price is 12 dollars.", 0, 0), ("Delivery is free.", 0, 40), ("Quite another thing", 0, 90), number=2
)


def told(words: str, *pages: object) -> list[tuple[str, str, str]]:
    found = answer(document(*pages), parse_words(words))  # type: ignore[arg-type]
    return [(change.kind.value, change.before, change.after) for change in found.changes]


def test_lines_that_came_went_or_read_otherwise_are_told() -> None:
    assert told("what changed", BEFORE, AFTER) == [
        ("changed", "The price is 10 dollars.", "The price is 12 dollars."),
        ("removed", "Old line", ""),
        ("added", "", "Quite another thing"),
    ]


def test_pages_are_compared_in_the_order_they_are_named() -> None:
    assert told("compare page 2 with page 1", BEFORE, AFTER)[0] == (
        "changed", "The price is 12 dollars.", "The price is 10 dollars."
    )  # fmt: skip


def test_a_change_has_its_places() -> None:
    change = answer(document(BEFORE, AFTER), parse_words("what changed")).changes[0]
    assert (change.before_page, change.after_page) == (1, 2)
    assert change.before_box == Box(0, 0, 240, 20)


def test_cells_and_rows_are_told() -> None:
    old = table_block([["Name", "Qty"], ["a", "1"], ["b", "2"], ["c", "3"]])
    new = table_block([["Name", "Qty"], ["a", "1"], ["c", "4"], ["d", "5"]])
    found = compare(document(page(old)), document(page(new)))
    assert [(c.kind.value, c.before, c.after, c.row, c.col) for c in found.changes] == [
        ("removed", "b\t2", "", 2, None),
        ("changed", "3", "4", 2, 1),
        ("added", "", "d\t5", 3, None),
    ]


def test_a_moved_line_is_no_change() -> None:
    one = lines_page(("First here", 0, 0), ("Second there", 0, 40), ("Third", 0, 80))
    other = lines_page(("Third", 0, 0), ("First here", 0, 40), ("Second there", 0, 80), number=2)
    found = answer(document(one, other), parse_words("diff"))
    assert (found.changes, [note.code for note in found.notes]) == ((), ["no-changes"])


def test_one_page_has_nothing_to_be_compared_with() -> None:
    found = answer(document(BEFORE), parse_words("what changed"))
    assert [note.code for note in found.notes] == ["nothing-to-compare"]


LINES = st.lists(st.sampled_from(["alpha", "beta", "gamma", "delta one", "delta two"]), max_size=6)


@given(LINES, LINES)
def test_the_changes_lead_from_one_side_to_the_other(old: list[str], new: list[str]) -> None:
    one, other = (lines_page(*((text, 0, 40.0 * i) for i, text in enumerate(side))) for side in (old, new))
    changes = compare(document(one), document(other)).changes
    lines = list(old)
    for change in changes:
        if change.before:
            lines.remove(change.before)
        if change.after:
            lines.append(change.after)
    assert sorted(lines) == sorted(new)


@pytest.mark.parametrize("words", ["what changed on page 2", "第2页有什么变化"])
def test_what_changed_on_a_page_did_so_from_the_one_before(words: str) -> None:
    assert parse_words(words).pages == (1, 2)
