from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.document.geometry import Box
from mineru_core.instruct import answer, parse_words
from mineru_core.instruct.patterns import find_pattern
from tests.instruct.pages import document, lines_page

PAGES = [
    lines_page(("Invoice INV-12 of 2021-03-04", 0, 0), ("合计 100 元", 0, 40)),
    lines_page(("aaaa", 0, 0), number=2),
]


@pytest.mark.parametrize(
    ("pattern", "hits"),
    [
        (r"\d{4}-\d{2}", ["2021-03"]),
        ("合计.*元", ["合计 100 元"]),
        ("INV-\\d+", ["INV-12"]),
        ("x*", []),
        ("^a+$", ["aaaa"]),
    ],
)
def test_a_pattern_gives_its_places(pattern: str, hits: list[str]) -> None:
    matches, notes = find_pattern(PAGES, pattern)
    assert [m.text[m.start : m.end] for m in matches] == hits
    assert [note.code for note in notes] == ([] if hits else ["not-found"])


def test_a_hit_has_its_page_and_box() -> None:
    (match,), _ = find_pattern(PAGES, "INV-12")
    assert (match.page, match.box) == (1, Box(80, 0, 140, 20))


def test_another_case_is_said() -> None:
    matches, notes = find_pattern(PAGES, "invoice inv")
    assert (len(matches), [note.code for note in notes]) == (1, ["near-hits-only"])


@pytest.mark.parametrize("pattern", ["(", "[", "*a", "a{3", "(?P<x", "(?R)a", "(?1)(a)", "(" * 3000, "a" * 1001, "\\"])
def test_what_is_no_pattern_is_said(pattern: str) -> None:
    matches, notes = find_pattern(PAGES, pattern)
    assert matches == ()
    assert [note.code for note in notes] == ["not-found" if pattern == "a{3" else "bad-pattern"]


def test_a_hostile_pattern_ends_in_time_and_keeps_what_was_found() -> None:
    pages = [lines_page(("b", 0, 0), ("a" * 60 + "!", 0, 40))]
    matches, notes = find_pattern(pages, "(?:a|aa)+$|b", seconds=0.05)
    assert [m.text for m in matches] == ["b"]
    assert [note.code for note in notes] == ["pattern-too-slow"]


def test_words_ask_for_a_pattern() -> None:
    found = answer(document(*PAGES), parse_words("regex a{2} on page 2"))
    assert [(m.start, m.end) for m in found.matches] == [(0, 2), (2, 4)]


@given(st.text(max_size=20))
def test_any_pattern_is_tried_or_refused(pattern: str) -> None:
    matches, notes = find_pattern(PAGES, pattern, seconds=0.2)
    assert matches or notes
    assert all(m.start < m.end <= len(m.text) for m in matches)
