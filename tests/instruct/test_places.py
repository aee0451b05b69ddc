from __future__ import annotations

import pytest

from mineru_core.document.analysis import Line
from mineru_core.document.geometry import Box, Quad
from mineru_core.instruct.places import has_space, is_word_edge, span_box
from tests.instruct.pages import line


def test_a_word_gives_its_own_box() -> None:
    assert span_box(line("Net total 5", 100, 0), 4, 9) == Box(140, 0, 190, 20)


def test_several_words_give_the_box_around_them() -> None:
    assert span_box(line("Net total 5", 100, 0), 0, 9) == Box(100, 0, 190, 20)


def test_part_of_a_word_gives_a_part_of_its_box() -> None:
    assert span_box(line("subtotal", 0, 0), 3, 8) == Box(30, 0, 80, 20)


def test_a_line_without_words_is_divided_by_characters() -> None:
    assert span_box(line("合计 12", 0, 0, words=False), 0, 2) == Box(0, 0, 40, 20)


@pytest.mark.parametrize(
    ("quad", "expected"),
    [
        (Quad((20, 0), (20, 100), (0, 100), (0, 0)), Box(0, 0, 20, 50)),  # reads downwards
        (Quad((0, 100), (0, 0), (20, 0), (20, 100)), Box(0, 50, 20, 100)),  # reads upwards
        (Quad((100, 20), (0, 20), (0, 0), (100, 0)), Box(50, 0, 100, 20)),  # upside down
    ],
)
def test_a_turned_line_is_divided_along_its_own_direction(quad: Quad, expected: Box) -> None:
    assert span_box(Line(text="abcd", box=quad.box, quad=quad), 0, 2) == expected


@pytest.mark.parametrize(
    ("text", "place", "edge"),
    [
        ("abc", 0, True),
        ("abc", 1, False),
        ("ab c", 2, True),
        ("合计", 1, True),
        ("No12", 2, True),
        ("12", 1, False),
        ("a", 1, True),
    ],
)
def test_word_edges(text: str, place: int, edge: bool) -> None:
    assert is_word_edge(text, place) is edge


def test_space_at_the_ends_does_not_count() -> None:
    assert has_space("a b")
    assert not has_space(" ab ")
