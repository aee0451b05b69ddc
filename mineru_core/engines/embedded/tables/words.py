"""Lines cut to words: the smallest pieces that go to a cell as a whole, and their texts put together again."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from mineru_core.document.analysis import Line
from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.joining import is_cjk, join

# A line this many times higher than wide is written downwards; it is never cut.
MIN_UPRIGHT_RATIO = 1.5


@dataclass(frozen=True, slots=True)
class Word:
    """The characters ``start`` to ``end`` (exclusive) of the line with index ``line``; ``box`` is in page pixels."""

    line: int
    start: int
    end: int
    box: Box
    confidence: float


def words_of(lines: Sequence[Line]) -> list[Word]:
    """Every character of every line (spaces aside) in exactly one word, in the lines' order.

    A CJK run, which is written without spaces, is cut to its characters, each as wide as its share of the run.
    """
    return [word for index, line in enumerate(lines) for word in _cut(index, line)]


def text_of(words: Sequence[Word], lines: Sequence[Line]) -> str:
    """The words' text: lines in the given order, neighbours within a line as that line has them."""
    text = ""
    for index, group in groupby(words, key=lambda word: word.line):
        run = list(group)
        first = run[0]
        start, end = first.start, first.end
        parts: list[str] = []
        for word in run[1:]:
            if lines[index].text[end : word.start].strip():
                parts.append(lines[index].text[start:end])
                start = word.start
            end = word.end
        parts.append(lines[index].text[start:end])
        for part in parts:
            text = join(text, part)
    return text


def _cut(index: int, line: Line) -> Iterator[Word]:
    places = _places(line)
    if not line.text.strip():
        return
    upright = line.box.height > MIN_UPRIGHT_RATIO * line.box.width and len(line.text) > 1
    if places is None or upright:
        yield Word(index, 0, len(line.text), line.box, line.confidence)
        return
    for start, end, box, confidence in places:
        if end - start > 1 and any(is_cjk(c) for c in line.text[start:end]):
            yield from _characters(index, line.text, start, end, box, confidence)
        else:
            yield Word(index, start, end, box, confidence)


def _places(line: Line) -> list[tuple[int, int, Box, float]] | None:
    """Where each of the line's words stands in its text; None where they do not make up the text."""
    at, places = 0, []
    for word in line.words:
        start = line.text.find(word.text, at)
        if start < 0 or line.text[at:start].strip() or not word.text.strip():
            return None
        at = start + len(word.text)
        places.append((start, at, word.box, word.confidence))
    return None if line.text[at:].strip() or not places else places


def _characters(index: int, text: str, start: int, end: int, box: Box, confidence: float) -> Iterator[Word]:
    """Characters of a run; those of Latin words and numbers within it stay together."""
    total = sum(_width(c) for c in text[start:end])
    x, at = box.x0, start
    while at < end:
        stop = at + 1
        while stop < end and not is_cjk(text[at]) and not is_cjk(text[stop]):
            stop += 1
        right = x + box.width * sum(_width(c) for c in text[at:stop]) / total
        yield Word(index, at, stop, Box(x, box.y0, right, box.y1), confidence)
        x, at = right, stop


def _width(character: str) -> float:
    """Width of a character in units of a CJK one."""
    return 1.0 if unicodedata.east_asian_width(character) in "WF" else 0.55
