"""Lines joined to running text: a space between Latin words, none beside CJK characters, breaks where they are meant."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mineru_core.document.analysis import Line
from mineru_core.document.geometry import Box

# Han, kana, Hangul, bopomofo, CJK punctuation and full-width forms: scripts written without spaces between words.
_CJK = re.compile(r"[⺀-〿぀-ヿ㄀-ㄯㆠ-ㇿ㐀-䶿一-鿿豈-﫿가-힯＀-｠]")
_HYPHENATED = re.compile(r"[^\W\d_][-\u00ad\u2010]$")
_MARKER = re.compile(
    r"^\s*([•●▪■◦○‣⁃∙◆►➢❖▶◼·*–—-]\s*\S|[(（]?(\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5}|[一二三四五六七八九十]{1,3})[.)）、．]\s*\S|[①-⑳])"
)
# A row that stops this far (in line heights) before the right edge of its block ended on purpose.
MIN_EARLY_END = 3.0
MIN_INDENT = 0.8


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


def row_text(lines: Sequence[Line], boxes: Sequence[Box]) -> str:
    """The text of one visual row, pieces from left to right; a wide gap between two of them stays a space."""
    text = ""
    for n, line in enumerate(lines):
        if n and text and line.text and boxes[n].x0 - boxes[n - 1].x1 > 0.5 * boxes[n].height:
            text = f"{text.rstrip()} {line.text.lstrip()}"
        else:
            text = join(text, line.text)
    return text


def block_text(texts: Sequence[str], boxes: Sequence[Box]) -> str:
    """Rows of one block as running text, from top to bottom.

    A row continues the one before unless that one stopped early, or this one is indented or begins a list item; then
    it starts on a line of its own. ``boxes`` are those of the rows, level with the text.
    """
    if not texts:
        return ""
    area = Box.around(boxes)
    result = texts[0]
    for n in range(1, len(texts)):
        if _continues(boxes[n - 1], boxes[n], area, texts[n]):
            head, _, last = result.rpartition("\n")
            result = f"{head}\n{join(last, texts[n])}" if head else join(last, texts[n])
        else:
            result = f"{result}\n{texts[n]}"
    return result


def _continues(before: Box, row: Box, area: Box, text: str) -> bool:
    height = min(before.height, row.height)
    if starts_item(text):
        return False
    # Centred rows neither start at the left edge nor end at the right one: each is a line of its own.
    if area.x1 - before.x1 > max(MIN_EARLY_END * height, 0.12 * area.width):
        return False
    return not (row.x0 - area.x0 > MIN_INDENT * height and row.x0 - before.x0 > MIN_INDENT * height)
