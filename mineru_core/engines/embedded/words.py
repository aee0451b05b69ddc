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

MARGIN = 0.18
"""Share of the height left out at top and bottom: detection grows lines, so parts of their neighbours lie there."""

STROKE_SHARE = 0.08
"""Share of the height a column's ink must reach: specks of a scan do not."""

RULE_SHARE = 0.8
"""A row with ink over this share of the line is an underline or a rule, not text."""

_UNSPACED = re.compile(r"[\u2e80-\u30ff\u3130-\u318f\u31a0-\ua4cf\uac00-\ud7af\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef]")
"""Characters written without spaces between words: Chinese, Japanese, full-width forms (and Korean syllables)."""


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
    ink = ink_columns(line)
    groups = list(_groups(glyphs, ink, line.shape[0]))
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


def ink_columns(line: Pixels) -> NDArray[np.bool_]:
    """(width,) bool: the columns of a line picture that hold ink; rules along the line are overlooked."""
    grey = cv2.cvtColor(line, cv2.COLOR_RGB2GRAY)
    margin = int(grey.shape[0] * MARGIN)
    inner = grey[margin : grey.shape[0] - margin].astype(np.int16)
    distance = np.abs(inner - int(np.median(inner)))
    ink = distance > max(16.0, CONTRAST * float(np.percentile(distance, 98)))
    text_rows = ink.mean(axis=1) < RULE_SHARE
    columns: NDArray[np.bool_] = ink[text_rows].sum(axis=0) >= max(1, round(grey.shape[0] * STROKE_SHARE))
    return columns


class _Group(NamedTuple):
    glyphs: list[Glyph]
    space_before: bool


def _groups(glyphs: Sequence[Glyph], ink: NDArray[np.bool_], height: int) -> Iterator[_Group]:
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
            far = _gap(ink, word[-1].x, glyph.x) > WIDE_GAP * height
            if any(unspaced) or far:
                yield _Group(word, space)
                word, space = [], far and not any(unspaced)
        word.append(glyph)
    if word:
        yield _Group(word, space)


def _gap(ink: NDArray[np.bool_], left: float, right: float) -> int:
    """Width of the widest gap between two places of the line, pixels."""
    return max((end - start for start, end in _gaps(ink, left, right)), default=0)


def _gaps(ink: NDArray[np.bool_], left: float, right: float) -> list[tuple[int, int]]:
    """Runs of columns without ink between two places (shares of the width), as (start, end) columns."""
    low, high = int(left * len(ink)), min(len(ink), int(right * len(ink)) + 1)
    blank = np.concatenate(([False], ~ink[low:high], [False]))
    changes = np.flatnonzero(blank[1:] != blank[:-1]) + low
    return list(zip(changes[::2].tolist(), changes[1::2].tolist(), strict=True))


def _between(ink: NDArray[np.bool_], left: Glyph, right: Glyph) -> tuple[float, float]:
    """Where the left word ends and the right one begins, shares of the width."""
    middle = (left.x + right.x) / 2
    gaps = _gaps(ink, left.x, right.x)
    if not gaps:
        return middle, middle
    if is_unspaced(left.text) and is_unspaced(right.text):
        # Many characters have gaps inside (川); the one between two neighbours is the one in the middle.
        start, end = min(gaps, key=lambda gap: abs((gap[0] + gap[1]) / 2 - middle * len(ink)))
    else:
        start, end = max(gaps, key=lambda gap: gap[1] - gap[0])
    return start / len(ink), end / len(ink)


def _first_ink(ink: NDArray[np.bool_], x: float) -> float:
    found = np.flatnonzero(ink[: int(x * len(ink)) + 1])
    return float(found[0]) / len(ink) if len(found) else x


def _last_ink(ink: NDArray[np.bool_], x: float) -> float:
    start = min(len(ink) - 1, int(x * len(ink)))
    found = np.flatnonzero(ink[start:])
    return (float(found[-1]) + start + 1) / len(ink) if len(found) else min(1.0, x)
