"""Paragraphs set in a box: broken into lines, put in place, written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mineru_core.document.geometry import Box
from mineru_core.intake.office.canvas import Canvas, TextStyle, check_characters
from mineru_core.intake.office.fonts import text_width

# Chinese, Japanese and Korean text may break after any character, other text at its spaces.
_TOKENS = re.compile(
    r"\s+|[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]|[^\s\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]+"
)
_ASCENT, _DESCENT = 0.95, 0.25  # of the font size, above and below the baseline


@dataclass(frozen=True, slots=True)
class Run:
    """Text of one style. A newline ends the line."""

    text: str
    style: TextStyle


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Runs of text. ``align`` is l, ctr or r; ``left`` and ``hanging`` (the first line's further shift) are pixels,
    ``before`` and ``after`` the space around it; ``spacing`` is the distance of lines as a multiple of their height."""

    runs: tuple[Run, ...] = ()
    bullet: str = ""
    align: str = "l"
    left: float = 0.0
    hanging: float = 0.0
    before: float = 0.0
    after: float = 0.0
    spacing: float = 1.0
    size: int = 24

    @property
    def text(self) -> str:
        """Its characters, without the bullet."""
        return "".join(run.text for run in self.runs)


@dataclass(slots=True)
class _Line:
    """Pieces of text with their styles and widths, from ``x`` on; ``top`` is the space above it."""

    pieces: list[tuple[str, TextStyle, float]]
    x: float
    size: int
    height: float
    top: float = 0.0
    bottom: float = 0.0
    bullet: str = ""
    bullet_x: float = 0.0
    align: str = "l"
    room: float = 0.0

    @property
    def width(self) -> float:
        return sum(width for text, _, width in self.pieces if text.strip() or text is not self.pieces[-1][0])


@dataclass(frozen=True)
class TextBlock:
    """Paragraphs broken into lines for one width; ``height`` in pixels."""

    lines: Sequence[_Line]

    @property
    def height(self) -> float:
        """Pixels from the first line's top to the last one's bottom."""
        return sum(line.top + line.height + line.bottom for line in self.lines)

    def write(self, canvas: Canvas, box: Box, anchor: str = "t") -> None:
        """Write it into the box, at its top, middle (ctr) or bottom (b); what does not fit runs out at both ends."""
        y = box.y0 + {"ctr": 0.5, "b": 1.0}.get(anchor, 0.0) * (box.height - self.height)
        for line in self.lines:
            y += line.top
            x = box.x0 + line.x + {"ctr": 0.5, "r": 1.0}.get(line.align, 0.0) * (line.room - line.width)
            baseline = y + line.height - _DESCENT * line.size
            if line.bullet and line.pieces:
                canvas.write(box.x0 + line.bullet_x, baseline, line.bullet, line.pieces[0][1])
            for text, style, width in _joined(line.pieces):
                canvas.write(x, baseline, text, style)
                x += width
            y += line.height + line.bottom


def set_text(paragraphs: Sequence[Paragraph], width: float, wrap: bool = True) -> TextBlock:
    """Break paragraphs into lines of at most ``width`` pixels."""
    check_characters(sum(len(run.text) for paragraph in paragraphs for run in paragraph.runs))
    lines: list[_Line] = []
    for place, paragraph in enumerate(paragraphs):
        broken = list(_lines(paragraph, width, wrap))
        if place:
            broken[0].top = paragraph.before
        broken[-1].bottom = paragraph.after if place < len(paragraphs) - 1 else 0.0
        lines += broken
    return TextBlock(lines)


def _lines(paragraph: Paragraph, width: float, wrap: bool) -> Iterator[_Line]:
    first = True
    pieces: list[tuple[str, TextStyle, float]] = []
    used = 0.0

    def line() -> _Line:
        size = max((style.size for _, style, _ in pieces), default=paragraph.size)
        shift = paragraph.left + (paragraph.hanging if first and not paragraph.bullet else 0.0)
        return _Line(
            pieces=pieces,
            x=shift,
            size=size,
            height=(_ASCENT + _DESCENT) * size * paragraph.spacing,
            bullet=paragraph.bullet if first else "",
            bullet_x=paragraph.left + paragraph.hanging,
            align=paragraph.align,
            room=width - shift,
        )

    for text, style in _tokens(paragraph.runs):
        if text == "\n":
            yield line()
            first, pieces, used = False, [], 0.0
            continue
        for part in _fitting(text, style, width - paragraph.left) if wrap else [text]:
            wide = text_width(part, style.size, style.bold)
            room = width - paragraph.left - (paragraph.hanging if first and not paragraph.bullet else 0.0)
            if wrap and pieces and used + wide > room + 0.5 and not part.isspace():
                yield line()
                first, pieces, used = False, [], 0.0
            if pieces or not part.isspace() or first:
                pieces.append((part, style, wide))
                used += wide
    yield line()


def _tokens(runs: Sequence[Run]) -> Iterator[tuple[str, TextStyle]]:
    for run in runs:
        for place, line in enumerate(re.split(r"[\n\v]", run.text)):
            if place:
                yield "\n", run.style
            for token in _TOKENS.findall(line.replace("\t", "    ")):
                yield token, run.style


def _fitting(text: str, style: TextStyle, width: float) -> list[str]:
    """A word in parts that each fit a line; nearly always the word itself."""
    if len(text) < 2 or text_width(text, style.size, style.bold) <= max(width, style.size):
        return [text]
    parts, start = [], 0
    for end in range(1, len(text) + 1):
        if end - start > 1 and text_width(text[start:end], style.size, style.bold) > width:
            parts.append(text[start : end - 1])
            start = end - 1
    return [*parts, text[start:]]


def _joined(pieces: Sequence[tuple[str, TextStyle, float]]) -> list[tuple[str, TextStyle, float]]:
    """Neighbours of one style as one piece, so that a word of several tokens stays one word."""
    out: list[tuple[str, TextStyle, float]] = []
    for text, style, width in pieces:
        if out and out[-1][1] == style:
            out[-1] = (out[-1][0] + text, style, out[-1][2] + width)
        else:
            out.append((text, style, width))
    return out
