"""From the characters of a line to its words and their boxes.

The recognizer places a character only to within a column (a sixth of the line's height), so the edges of words are
taken from the picture: the gap of background between two characters says where one word ends and the next begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from mineru_core.document.page import Pixels
from mineru_core.engines.embedded.recognition import Glyph

WIDE_GAP = 0.6
"""A gap of this share of the line's height parts two words even where no space was read."""

CONTRAST = 0.5
"""Share of the line's contrast from which a pixel is ink."""

CORE_MARGIN = 0.18
"""Share of the height left out at top and bottom where the core of a line is looked at: parts of the neighbouring
lines may lie there, as detection grows lines."""

WHOLE_MARGIN = 0.08
"""The same where the arms of a T or the tail of a y count."""

OVERHANG = 0.4
"""How far arms and tails reach beyond the core of a character, as a share of the line's height."""

STROKE_SHARE = 0.05
"""Share of the height a column's ink must reach, and two pixels at least: specks of a scan do not."""

RULE_SHARE = 0.8
"""A row with ink over this share of the line is an underline or a rule, not text."""

_UNSPACED = re.compile(r"[\u2e80-\u312f\u3190-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef]")
"""Characters written without spaces between words: Chinese, Japanese and full-width forms (Korean has spaces)."""


Columns = NDArray[np.bool_]
"""(width,) bool: which columns of a line hold ink."""


class Ink(NamedTuple):
    """Columns with ink in the core of the line, and in nearly its whole height."""

    core: Columns
    whole: Columns
    height: int


class WordSpan(NamedTuple):
    """A word of a line: from ``start`` to ``end`` as shares of the line's width, 0..1."""

    text: str
    start: float
    end: float
    confidence: float
    space_before: bool


def is_unspaced(character: str) -> bool:
    """Whether the character belongs to a script that puts no spaces between words."""
    return _UNSPACED.match(character) is not None


def words_of(line: Pixels, glyphs: Sequence[Glyph]) -> tuple[WordSpan, ...]:
    """The words of a line picture, left to right: Latin words whole, Chinese and Japanese character by character."""
    ink = ink_of(line)
    groups = list(_groups(glyphs, ink))
    if not groups:
        return ()
    edges = [_between(ink, a.glyphs[-1], b.glyphs[0]) for a, b in pairwise(groups)]
    starts = [_first_ink(ink, groups[0].glyphs[0].x), *(right for _, right in edges)]
    ends = [*(left for left, _ in edges), _last_ink(ink, groups[-1].glyphs[-1].x)]
    return tuple(
        WordSpan(
            text="".join(g.text for g in group.glyphs),
            start=start,
            end=max(start, end),
            confidence=sum(g.confidence for g in group.glyphs) / len(group.glyphs),
            space_before=group.space_before,
        )
        for group, start, end in zip(groups, starts, ends, strict=True)
    )


def text_of(words: Sequence[WordSpan]) -> str:
    """The words as running text, with the spaces that stand between them."""
    return "".join(f" {w.text}" if w.space_before and i else w.text for i, w in enumerate(words))


def ink_of(line: Pixels) -> Ink:
    """Where a line picture holds ink; rules along the line and specks are overlooked."""
    grey = cv2.cvtColor(line, cv2.COLOR_RGB2GRAY).astype(np.int16)
    distance = np.abs(grey - int(np.median(grey)))
    inner = distance[int(len(grey) * CORE_MARGIN) : len(grey) - int(len(grey) * CORE_MARGIN)]
    dark = distance > max(16.0, CONTRAST * float(np.percentile(inner, 98)))
    return Ink(_columns(dark, CORE_MARGIN), _columns(dark, WHOLE_MARGIN), len(grey))


def _columns(dark: NDArray[np.bool_], margin: float) -> Columns:
    height = dark.shape[0]
    rows = dark[int(height * margin) : height - int(height * margin)]
    text = rows[rows.mean(axis=1) < RULE_SHARE]
    columns: Columns = text.sum(axis=0) >= max(2, round(height * STROKE_SHARE))
    return columns


class _Group(NamedTuple):
    glyphs: list[Glyph]
    space_before: bool


def _groups(glyphs: Sequence[Glyph], ink: Ink) -> Iterator[_Group]:
    """Glyphs word by word; a space is added where Latin words stand far apart."""
    word: list[Glyph] = []
    space = False
    for glyph in glyphs:
        if glyph.text.isspace():
            if word:
                yield _Group(word, space)
            word, space = [], True
            continue
        if word:
            unspaced = is_unspaced(word[-1].text), is_unspaced(glyph.text)
            far = _widest_gap(ink.core, word[-1].x, glyph.x) > WIDE_GAP * ink.height
            if any(unspaced) or far:
                yield _Group(word, space)
                word, space = [], far and not any(unspaced)
        word.append(glyph)
    if word:
        yield _Group(word, space)


def _widest_gap(columns: Columns, left: float, right: float) -> int:
    """Width of the widest gap between two places of the line, pixels."""
    return max((end - start for start, end in _gaps(columns, left, right)), default=0)


def _gaps(columns: Columns, left: float, right: float) -> list[tuple[int, int]]:
    """Runs of columns without ink between two places (shares of the width), as (start, end) columns."""
    low, high = int(left * len(columns)), min(len(columns), int(right * len(columns)) + 1)
    blank = np.concatenate(([False], ~columns[low:high], [False]))
    changes = np.flatnonzero(blank[1:] != blank[:-1]) + low
    return list(zip(changes[::2].tolist(), changes[1::2].tolist(), strict=True))


def _between(ink: Ink, left: Glyph, right: Glyph) -> tuple[float, float]:
    """Where the left word ends and the right one begins, shares of the width."""
    width = len(ink.core)
    middle = (left.x + right.x) / 2
    # Where neighbouring lines reach in, only the core shows the gap.
    gaps = _gaps(ink.whole, left.x, right.x) or _gaps(ink.core, left.x, right.x)
    if not gaps:
        return middle, middle
    if is_unspaced(left.text) and is_unspaced(right.text):
        # Many characters have gaps inside (川); the one between two neighbours is the one in the middle.
        start, end = min(gaps, key=lambda gap: abs((gap[0] + gap[1]) / 2 - middle * width))
    else:
        start, end = max(gaps, key=lambda gap: gap[1] - gap[0])
    return start / width, end / width


def _first_ink(ink: Ink, x: float) -> float:
    """Where the word around the first character's place begins, a share of the width."""
    width = len(ink.core)
    found = np.flatnonzero(ink.core[: int(x * width) + 1])
    start = int(found[0]) if len(found) else int(x * width)
    least = max(0, start - int(OVERHANG * ink.height))
    while start > least and ink.whole[start - 1]:
        start -= 1
    return start / width


def _last_ink(ink: Ink, x: float) -> float:
    """Where the word around the last character's place ends, a share of the width."""
    width = len(ink.core)
    place = min(width - 1, int(x * width))
    found = np.flatnonzero(ink.core[place:])
    end = place + (int(found[-1]) + 1 if len(found) else 1)
    most = min(width, end + int(OVERHANG * ink.height))
    while end < most and ink.whole[end]:
        end += 1
    return end / width
