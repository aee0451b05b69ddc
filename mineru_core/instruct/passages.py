"""The sentences of a document with their places: what summaries and answers quote, and comparisons compare."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from mineru_core.document.analysis import Block, BlockType, Line, PageAnalysis
from mineru_core.document.geometry import Box
from mineru_core.document.task import Quote
from mineru_core.instruct.find import block_lines
from mineru_core.instruct.normalize import has_han, is_han
from mineru_core.instruct.places import span_box

RUNNING = frozenset({BlockType.TEXT, BlockType.PAGE_FOOTNOTE, BlockType.REFERENCE})

_ITEM = re.compile(r"\s*(?:[•·▪●○■□◆◇‣⁃*–—-]|\(?[\dA-Za-z一二三四五六七八九十]{1,3}[.)、）])\s*\S")
_HAN_END = re.compile(r"[。！？!?；]+[”’」』)）\"']*")
_END = re.compile(r"[.!?]+[\"'”’)\]]*(?=\s+[\"'“‘(\[]?[A-Z0-9\u4e00-\u9fff]|\s*$)")
_NO_END = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|prof|st|no|nos|inc|ltd|co|corp|vs|fig|figs|eq|e\.g|i\.e|etc|al|approx|dept|est|art|sec|"
    r"vol|pp|p|jan|feb|mar|apr|jun|"
    r"jul|aug|sept?|oct|nov|dec)|\b[A-Za-z]|(?:^|\s)\d{1,3})\.$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence, or a line that is no part of one, as it stands on a page. ``box`` is in page pixels.

    ``kind`` is that of its block; ``first`` says that it begins the block. ``context`` is the title above it.
    """

    text: str
    page: int
    box: Box
    confidence: float
    kind: BlockType
    first: bool = False
    context: str = ""

    def quote(self, confidence: float = 1.0) -> Quote:
        """The passage as it is quoted; ``confidence`` that it is what was asked for, times that of its reading."""
        sure = round(min(max(confidence * self.confidence, 0.0), 1.0), 4)
        return Quote(text=self.text, page=self.page, box=self.box, confidence=sure)


def passages(pages: Iterable[PageAnalysis], *, furniture: bool = False) -> list[Passage]:
    """Every sentence and line outside tables in reading order; page headers, footers and numbers with ``furniture``."""
    found: list[Passage] = []
    for page in pages:
        title = ""
        for block in page.blocks:
            if block.table is not None or (block.type.is_furniture and not furniture):
                continue
            found.extend(_of_block(page.page, block, title))
            title = _flat(block.text) if block.type is BlockType.TITLE else title
    return found


def _of_block(page: int, block: Block, title: str) -> Iterator[Passage]:
    first = True
    for paragraph in _paragraphs(block):
        text, starts = _joined(paragraph)
        for start, end in sentence_spans(text):
            parts = [
                (line, max(start - at, 0), min(end - at, len(line.text)))
                for line, at in zip(paragraph, starts, strict=True)
                if at < end and at + len(line.text) > start
            ]
            if not parts:
                continue
            yield Passage(
                text=text[start:end],
                page=page,
                box=Box.around(span_box(*part) for part in parts),
                confidence=min(line.confidence for line, _, _ in parts),
                kind=block.type,
                first=first,
                context=title,
            )
            first = False


def _paragraphs(block: Block) -> list[list[Line]]:
    """Lines that run on as one text: those of running text, or of an item of a list; of others each stands alone."""
    lines = [line for line in block_lines(block) if line.text.strip()]
    if block.type is BlockType.LIST and any(_ITEM.match(line.text) for line in lines):
        items: list[list[Line]] = []
        for line in lines:
            if not items or _ITEM.match(line.text):
                items.append([])
            items[-1].append(line)
        return items
    if block.type not in RUNNING or not _runs(lines):
        return [[line] for line in lines]
    return [lines]


def _runs(lines: Sequence[Line]) -> bool:
    """Whether lines are a paragraph: most but the last are nearly as long as the longest, and few are labels."""
    if len(lines) < 2:
        return True
    longest = max(max(line.box.width, line.box.height) for line in lines)
    full = sum(max(line.box.width, line.box.height) >= 0.8 * longest for line in lines[:-1])
    labels = sum(re.match(r"[^:：]{1,30}[:：]\s*\S", line.text) is not None for line in lines)
    return full >= 0.6 * (len(lines) - 1) and labels <= 0.5 * len(lines)


def _joined(lines: Sequence[Line]) -> tuple[str, list[int]]:
    """The lines as one text, and where each begins in it."""
    text, starts = "", []
    for line in lines:
        if text and not (is_han(text[-1]) or text[-1] in "，。；：、！？") and not text[-1].isspace():
            text += " "
        starts.append(len(text))
        text += line.text
    return text, starts


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Where the sentences of ``text`` stand, without the space around them."""
    han = (m.end() for m in _HAN_END.finditer(text) if has_han(text[max(m.start() - 12, 0) : m.end() + 12]))
    ends = sorted({*han, *_ends(text)})
    spans: list[tuple[int, int]] = []
    start = 0
    for end in [*ends, len(text)]:
        piece = text[start:end]
        bare = piece.strip()
        if any(c.isalnum() for c in bare):
            at = start + len(piece) - len(piece.lstrip())
            spans.append((at, at + len(bare)))
        elif spans and bare:
            spans[-1] = (spans[-1][0], end - (len(piece) - len(piece.rstrip())))
        start = end
    return spans


def _ends(text: str) -> Iterator[int]:
    for match in _END.finditer(text):
        # A short form or a number ("No. 5", "J. Smith", "3. Scope") is no end of a sentence.
        if match.end() < len(text.rstrip()) and _NO_END.search(text[max(0, match.start() - 12) : match.start() + 1]):
            continue
        yield match.end()


def _flat(text: str) -> str:
    return " ".join(text.split())
