"""Where a run of characters of a line stands on the page."""

from __future__ import annotations

from itertools import pairwise

from mineru_core.document.analysis import Line
from mineru_core.document.geometry import Box, Quad
from mineru_core.instruct.normalize import is_han


def span_box(line: Line, start: int, end: int) -> Box:
    """The box in page pixels around ``line.text[start:end]``.

    Words give the place where the line has them; within a word, and for a line without words, the characters are taken
    as equally wide (a Chinese one as two others) along the line's own direction.
    """
    boxes = [_part(word_box, line.quad, text, start - at, end - at) for text, at, word_box in placed_words(line)]
    found = [box for box in boxes if box is not None]
    return Box.around(found) if found else _along(line.quad, line.text, start, end).box


def placed_words(line: Line) -> list[tuple[str, int, Box]]:
    """Each word's text, its place in the line's text, and its box; words that are not in the text are left out."""
    placed: list[tuple[str, int, Box]] = []
    cursor = 0
    for word in line.words:
        at = line.text.find(word.text, cursor)
        if at >= 0 and word.text:
            placed.append((word.text, at, word.box))
            cursor = at + len(word.text)
    return placed


def _part(box: Box, quad: Quad, text: str, start: int, end: int) -> Box | None:
    """The part of a word's box that ``text[start:end]`` takes; None where the span misses the word."""
    start, end = max(start, 0), min(end, len(text))
    if start >= end:
        return None
    if (start, end) == (0, len(text)):
        return box
    return _along(_turned_like(quad, box), text, start, end).box


def _turned_like(quad: Quad, box: Box) -> Quad:
    """The corners of ``box``, beginning where the text of ``quad`` begins."""
    (x0, y0), (x1, y1) = quad.top_left, quad.top_right
    corners = list(Quad.from_box(box))
    across = abs(x1 - x0) >= abs(y1 - y0)
    turn = (0 if x1 >= x0 else 2) if across else (1 if y1 > y0 else 3)
    return Quad(*corners[turn:], *corners[:turn])


def _along(quad: Quad, text: str, start: int, end: int) -> Quad:
    """The part of ``quad`` that ``text[start:end]`` takes, characters being equally wide."""
    widths = [2.0 if is_han(char) else 1.0 for char in text]
    whole = sum(widths) or 1.0
    first, last = sum(widths[:start]) / whole, sum(widths[:end]) / whole
    top = [_between(quad.top_left, quad.top_right, share) for share in (first, last)]
    bottom = [_between(quad.bottom_left, quad.bottom_right, share) for share in (first, last)]
    return Quad(top[0], top[1], bottom[1], bottom[0])


def _between(start: tuple[float, float], end: tuple[float, float], share: float) -> tuple[float, float]:
    return start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share


def is_word_edge(text: str, place: int) -> bool:
    """Whether a word may begin or end at ``place``: not between two letters or two digits of one Latin word."""
    if place <= 0 or place >= len(text):
        return True
    before, after = text[place - 1], text[place]
    if is_han(before) or is_han(after):
        return True
    return not (before.isalnum() and after.isalnum() and before.isdigit() == after.isdigit())


def has_space(text: str) -> bool:
    """Whether white space parts two characters of the text."""
    return any(b.isspace() for _, b in pairwise(text.strip()))
