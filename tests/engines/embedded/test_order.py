from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from mineru_core.document.analysis import Line
from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.order import Item, reading_order
from tests.engines.embedded.pages import column, line

# The machine that runs the suite may be busy: examples are bounded by number, not by time.
quick = settings(deadline=None, max_examples=50)

_number = st.integers(0, 60).map(lambda n: n * 7.0)
_boxes = st.builds(
    lambda x, y, w, h: Box(x, y, x + w, y + h), _number, _number, st.integers(1, 300), st.integers(1, 60)
)
_items = st.lists(st.builds(Item, _boxes, st.booleans()), max_size=25)


def _texts(lines: list[Line]) -> list[str]:
    """Texts in reading order."""
    return [lines[i].text for flow in reading_order([Item(item.box) for item in lines]) for i in flow]


def _names(lines: list[Line]) -> list[str]:
    """The letters that texts begin with, in reading order, runs of one letter joined."""
    names: list[str] = []
    for text in _texts(lines):
        if not names or names[-1] != text[0]:
            names.append(text[0])
    return names


@quick
@given(_items)
def test_every_item_is_read_once(items: list[Item]) -> None:
    order = [i for flow in reading_order(items) for i in flow]
    assert sorted(order) == list(range(len(items)))


@quick
@given(_items, st.randoms(use_true_random=False))
def test_order_of_the_input_does_not_matter(items: list[Item], shuffler: random.Random) -> None:
    shuffled = items[:]
    shuffler.shuffle(shuffled)
    assert [[items[i] for i in flow] for flow in reading_order(items)] == [
        [shuffled[i] for i in flow] for flow in reading_order(shuffled)
    ]


@quick
@given(_items)
def test_resolution_does_not_matter(items: list[Item]) -> None:
    larger = [Item(item.box.scaled(4, 4), item.solid) for item in items]
    assert reading_order(larger) == reading_order(items)


def test_nothing_gives_nothing() -> None:
    assert reading_order([]) == []


def test_two_columns_are_read_one_after_the_other() -> None:
    left, right = column("a", 50, 450, 100, 12), column("b", 490, 890, 100, 12)
    assert _names([*right, *left]) == ["a", "b"]


def test_columns_that_stand_close_are_told_apart() -> None:
    columns = [column(name, 50 + n * 206, 250 + n * 206, 100, 15, height=22, pitch=26) for n, name in enumerate("abcd")]
    assert _names([item for part in columns for item in part]) == ["a", "b", "c", "d"]


def test_a_title_over_columns_comes_first_and_a_line_beneath_them_last() -> None:
    title, foot = line("t", 200, 20, 740, 60), line("z", 100, 600, 840, 620)
    lines = [*column("a", 50, 450, 100, 12), *column("b", 490, 890, 100, 12), title, foot]
    assert _names(lines) == ["t", "a", "b", "z"]


def test_a_title_between_two_sets_of_columns_parts_them() -> None:
    upper = [*column("a", 50, 450, 100, 8), *column("b", 490, 890, 100, 8)]
    lower = [*column("c", 50, 450, 460, 8), *column("d", 490, 890, 460, 8)]
    assert _names([*lower, *upper, line("m", 200, 380, 740, 420)]) == ["a", "b", "m", "c", "d"]


def test_two_columns_beside_three_rows_of_a_wide_one() -> None:
    wide = column("w", 50, 890, 100, 5)
    lines = [*wide, *column("a", 50, 450, 300, 10), *column("b", 490, 890, 300, 10)]
    assert _names(lines) == ["w", "a", "b"]


def test_a_receipt_is_read_row_by_row() -> None:
    names = ["TOTAL", "CASH TENDERED", "CHANGE", "ROUNDING", "TAX 6%"]
    lines = []
    for n, name in enumerate(names):
        lines.append(line(name, 50, 100 + n * 30, 50 + 14 * len(name), 120 + n * 30))
        lines.append(line(f"{n}.00", 500, 101 + n * 30, 560, 121 + n * 30))
    expected = [text for n, name in enumerate(names) for text in (name, f"{n}.00")]
    assert _texts(list(reversed(lines))) == expected


def test_a_picture_in_one_column_does_not_break_the_columns() -> None:
    left, right = column("a", 50, 450, 100, 4), column("b", 490, 890, 100, 14)
    below = column("a", 50, 450, 420, 4)
    items = [Item(item.box) for item in [*left, *below, *right]] + [Item(Box(60, 230, 440, 400), solid=True)]
    order = [i for flow in reading_order(items) for i in flow]
    assert order == [0, 1, 2, 3, 22, 4, 5, 6, 7, *range(8, 22)]


def test_a_margin_note_is_read_after_the_paragraph_it_stands_beside() -> None:
    first, second = column("p", 300, 900, 100, 5), column("q", 300, 900, 290, 8)
    note = column("n", 50, 250, 130, 3)
    assert _names([*note, *first, *second]) == ["p", "n", "q"]


def test_a_full_side_column_is_a_column_not_a_margin() -> None:
    side, main = column("s", 50, 250, 100, 12), column("m", 300, 900, 100, 12)
    assert _names([*main, *side]) == ["s", "m"]


def test_a_headline_under_columns_starts_a_new_article() -> None:
    upper = [*column("a", 50, 450, 100, 6), *column("b", 490, 890, 100, 6)]
    lower = [line("h", 50, 320, 400, 366), *column("c", 50, 450, 380, 6)]
    assert _names([*lower, *upper]) == ["a", "b", "h", "c"]


def test_a_headline_that_touches_close_columns_still_parts_them() -> None:
    upper = [*column("a", 50, 250, 100, 12, pitch=22), *column("b", 256, 456, 111, 12, pitch=22)]
    lower = [*column("c", 50, 250, 420, 12, pitch=22), *column("d", 256, 456, 431, 12, pitch=22)]
    headline = line("h", 60, 358, 450, 428)
    assert _names([*lower, *upper, headline]) == ["a", "b", "h", "c", "d"]


def test_an_empty_edge_beside_a_paragraph_and_columns_does_not_hide_the_columns() -> None:
    # The paragraph and the columns leave the right edge of the page free, which a wide row further down takes.
    paragraph = column("p", 60, 600, 100, 8)
    columns = [*column("a", 50, 320, 380, 8), *column("b", 340, 610, 380, 8)]
    wide = line("w", 50, 800, 800, 820)
    assert _names([*columns, *paragraph, wide]) == ["p", "a", "b", "w"]


def test_vertical_lines_are_read_from_right_to_left() -> None:
    items = [Item(Box(x, 100, x + 30, 500), solid=True, vertical=True) for x in (100, 150, 200)]
    assert reading_order(items) == [[2, 1, 0]]


def test_a_vertical_headline_beside_text_comes_first() -> None:
    text = [Item(item.box) for item in column("a", 50, 450, 100, 12)]
    headline = Item(Box(470, 100, 520, 460), solid=True, vertical=True)
    assert reading_order([*text, headline])[0] == [12]
