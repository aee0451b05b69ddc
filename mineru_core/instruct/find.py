"""Finding a phrase in what was read: exact hits first, near ones only where there is none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from rapidfuzz import fuzz

from mineru_core.document.analysis import Block, Line, PageAnalysis
from mineru_core.document.geometry import Box, Quad
from mineru_core.document.task import FindMode, Match
from mineru_core.instruct.normalize import Key, has_han, is_han, key
from mineru_core.instruct.places import has_space, is_word_edge, span_box

_NEAR_DISCOUNT = 0.8  # a near hit is never as sure as an exact one


def find(pages: Iterable[PageAnalysis], query: str, mode: FindMode = FindMode.AUTO) -> tuple[tuple[Match, ...], bool]:
    """Every place where ``query`` stands, in reading order, whatever its case, width and spaces; and whether exactly.

    A hit may run over the end of a line within a block. Where there is no exact hit, lines that hold the phrase with a
    few wrong characters are given instead, each with a confidence below its likeness; with EXACT they never are, with
    FUZZY always.
    """
    wanted = key(query)
    if not wanted.text:
        return (), True
    blocks = [(page.page, block) for page in pages for block in page.blocks]
    exact = [tuple(_in_block(page, block, query, wanted)) for page, block in blocks]
    found = any(exact)
    if mode is FindMode.EXACT or (found and mode is not FindMode.FUZZY):
        return tuple(match for hits in exact for match in hits), True
    both = [(*hits, *_near(page, block, wanted)) for hits, (page, block) in zip(exact, blocks, strict=True)]
    return tuple(match for hits in both for match in hits), found


def block_lines(block: Block) -> tuple[Line, ...]:
    """The lines of a block; where it has none, its table's cells or its text stand in as lines."""
    if block.lines:
        return block.lines
    if block.table is not None:
        cells = [(cell.text, cell.box or block.box, cell.confidence) for cell in block.table.cells if cell.text]
        return tuple(Line(text=t, box=b, quad=Quad.from_box(b), confidence=c) for t, b, c in cells)
    if not block.text:
        return ()
    return (Line(text=block.text, box=block.box, quad=Quad.from_box(block.box), confidence=block.confidence),)


def _in_block(page: int, block: Block, query: str, wanted: Key) -> Iterator[Match]:
    lines = block_lines(block)
    spaced = has_space(query)
    for line, following in pairwise((*lines, None)):
        assert line is not None
        for start, end in _spans(line.text, wanted, spaced):
            yield Match(
                text=line.text,
                start=start,
                end=end,
                page=page,
                box=span_box(line, start, end),
                confidence=line.confidence,
            )
        if following is not None and block.table is None:
            yield from _over_line_end(page, line, following, wanted, spaced)


def _spans(text: str, wanted: Key, spaced: bool) -> Iterator[tuple[int, int]]:
    """Spans of ``text`` that are the phrase; spaces may differ only where whole words are met."""
    found = key(text)
    at = found.text.find(wanted.text)
    while at >= 0:
        start, end = found.source_span(at, at + len(wanted.text))
        if _spaces_agree(text, start, end, spaced):
            yield start, end
            at = found.text.find(wanted.text, at + len(wanted.text))
        else:
            at = found.text.find(wanted.text, at + 1)


def _spaces_agree(text: str, start: int, end: int, spaced: bool) -> bool:
    """Whether the hit is the phrase: "the art" is no "heart", though "to tal" is a "total"."""
    hit = text[start:end]
    if has_space(hit) == spaced or all(is_han(c) for c in hit if not c.isspace()):
        return True
    return is_word_edge(text, start) and is_word_edge(text, end)


def _over_line_end(page: int, line: Line, following: Line, wanted: Key, spaced: bool) -> Iterator[Match]:
    """Hits that begin in one line and end in the next."""
    joint = "" if line.text[-1:] and is_han(line.text[-1]) else " "
    text = line.text + joint + following.text
    for start, end in _spans(text, wanted, spaced):
        if start < len(line.text) and end > len(line.text) + len(joint):
            rest = end - len(line.text) - len(joint)
            box = span_box(line, start, len(line.text)).union(span_box(following, 0, rest))
            confidence = min(line.confidence, following.confidence)
            yield Match(text=text, start=start, end=end, page=page, box=box, confidence=confidence)


def _near(page: int, block: Block, wanted: Key) -> Iterator[Match]:
    """At most one near hit a line."""
    cutoff = near_cutoff(wanted.text)
    if cutoff is None:
        return
    for line in block_lines(block):
        found = key(line.text)
        if len(found.text) < len(wanted.text) - 1:
            continue
        hit = fuzz.partial_ratio_alignment(wanted.text, found.text, score_cutoff=cutoff)
        if hit is None or hit.dest_end <= hit.dest_start or wanted.text in found.text:
            continue  # the very letters were turned down as an exact hit: they are parts of other words
        start, end = found.source_span(hit.dest_start, hit.dest_end)
        confidence = line.confidence * hit.score / 100 * _NEAR_DISCOUNT
        box: Box = span_box(line, start, end)
        yield Match(text=line.text, start=start, end=end, page=page, box=box, confidence=confidence)


def near_cutoff(phrase: str) -> float | None:
    """Least likeness (0..100) of a near hit: a wrong one in 5 Latin or 4 Chinese characters; None if too short."""
    length = len(phrase)
    if length < (3 if has_han(phrase) else 4):
        return None
    wrong = max(1, length // (4 if has_han(phrase) else 5))
    return 100.0 * (1 - wrong / length) - 0.01
