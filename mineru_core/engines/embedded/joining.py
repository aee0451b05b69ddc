"""Lines joined to running text: a space between Latin words, none beside CJK characters, breaks where meant."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from mineru_core.document.geometry import Box

# Han, kana, Hangul, bopomofo, CJK punctuation and full-width forms: scripts written without spaces between words.
_CJK = re.compile(r"[⺀-〿぀-ヿ㄀-ㄯㆠ-ㇿ㐀-䶿一-鿿豈-﫿가-힯＀-｠]")
_HYPHENATED = re.compile(r"[^\W\d_][-\u00ad\u2010]$")
_MARKER = re.compile(
    r"^\s*(?:[•●▪■◦○‣⁃∙◆►➢❖▶◼]\s*\S"
    r"|[-–—*·]\s+\S"
    r"|[(（]?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5}|[一二三四五六七八九十]{1,3})[.)）、．](?!\d)\s*\S"
    r"|[①-⑳])"
)
# A row that stops this far (in line heights) before the right edge of its block ended on purpose.
MIN_EARLY_END = 3.0
MIN_EARLY_SHARE = 0.12
# A row that starts further to the right or left of the one before (in line heights) does not continue it, but for the
# first line of a paragraph and for what hangs under a list item.
MIN_INDENT = 0.8
MAX_INDENT = 3.5
MIN_SPACE = 0.5
MIN_CELL_GAP = 1.5


def is_cjk(character: str) -> bool:
    """Whether the character belongs to a script that is written without spaces."""
    return _CJK.match(character) is not None


def starts_item(text: str) -> bool:
    """Whether the text begins like an item of a list: a bullet, a number or a letter with a mark."""
    return _MARKER.match(text) is not None


def join(left: str, right: str) -> str:
    """Two pieces of one running text as one.

    A hyphen at the end of the first is kept and joined without a space: whether it belongs to the word cannot be told.
    """
    left, right = left.rstrip(), right.lstrip()
    if not left or not right:
        return left or right
    if is_cjk(left[-1]) or is_cjk(right[0]):
        return left + right
    if _HYPHENATED.search(left) and right[0].islower():
        return left + right
    return f"{left} {right}"


@dataclass(frozen=True, slots=True)
class Row:
    """One visual row: its text, its box, and whether it is ``split`` by gaps as wide as in tables and forms."""

    text: str
    box: Box
    split: bool = False

    @classmethod
    def of(cls, texts: Sequence[str], boxes: Sequence[Box]) -> Row:
        """The row of these pieces, given from left to right; a visible gap between two of them stays a space."""
        text, split = "", False
        for n, piece in enumerate(texts):
            gap = boxes[n].x0 - boxes[n - 1].x1 if n else 0.0
            split = split or gap > MIN_CELL_GAP * boxes[n].height
            if text and piece and gap > MIN_SPACE * boxes[n].height:
                text = f"{text.rstrip()} {piece.lstrip()}"
            else:
                text = join(text, piece)
        return cls(text, Box.around(boxes), split)


def block_text(rows: Sequence[Row]) -> str:
    """Rows of one block as running text, from top to bottom.

    A row continues the one before where that one ran to the right edge and this one starts at the left; else it
    stands on a line of its own.
    """
    if not rows:
        return ""
    area = Box.around(row.box for row in rows)
    text = rows[0].text
    for before, row in pairwise(rows):
        if _continues(before, row, area):
            head, newline, last = text.rpartition("\n")
            text = f"{head}{newline}{join(last, row.text)}"
        else:
            text = f"{text}\n{row.text}"
    return text


def _continues(before: Row, row: Row, area: Box) -> bool:
    height = min(before.box.height, row.box.height)
    if starts_item(row.text) or before.split or row.split:
        return False
    if area.x1 - before.box.x1 > max(MIN_EARLY_END * height, MIN_EARLY_SHARE * area.width):
        return False
    indent = (row.box.x0 - before.box.x0) / height
    if indent > MIN_INDENT:
        return starts_item(before.text) and indent <= MAX_INDENT
    return indent >= -MAX_INDENT
