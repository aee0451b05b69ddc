"""Tables drawn for tests: pixels, and the lines a reader of text would find in them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from mineru_core.document.analysis import Line, LineWord
from mineru_core.document.geometry import Box, Quad
from mineru_core.document.page import Pixels

TEXT_SIZE = 18
ROW_HEIGHT = 34
COLUMN_WIDTH = 140
MARGIN = 20


def line_at(text: str, x0: float, y0: float, x1: float, y1: float) -> Line:
    """A line whose words share its width by their number of characters."""
    box = Box(x0, y0, x1, y1)
    step = box.width / max(1, len(text))
    words: list[LineWord] = []
    at = 0
    for word in text.split():
        start = text.index(word, at)
        at = start + len(word)
        words.append(LineWord(text=word, box=Box(x0 + start * step, y0, x0 + at * step, y1)))
    return Line(text=text, box=box, quad=Quad.from_box(box), words=tuple(words))


def grid_lines(rows: Sequence[Sequence[str]], x0: float = MARGIN, y0: float = MARGIN) -> list[Line]:
    """Lines of a table with equal columns; texts at the left, none where a text is empty."""
    return [
        line_at(text, x, y, x + 9.0 * len(text), y + TEXT_SIZE)
        for r, row in enumerate(rows)
        for c, text in enumerate(row)
        for x, y in [(x0 + 8 + c * COLUMN_WIDTH, y0 + 8 + r * ROW_HEIGHT)]
        if text
    ]


def drawn_table(rows: Sequence[Sequence[str]], *, ruled: bool) -> tuple[Pixels, list[Line]]:
    """A picture of the table, with a rule about each cell or none at all, and its lines of text."""
    width = 2 * MARGIN + COLUMN_WIDTH * max(len(row) for row in rows)
    height = 2 * MARGIN + ROW_HEIGHT * len(rows)
    picture = Image.new("RGB", (width, height), "white")
    draw = ImageDraw.Draw(picture)
    font = ImageFont.load_default(TEXT_SIZE)
    lines: list[Line] = []
    for r, row in enumerate(rows):
        for c, text in enumerate(row):
            x, y = MARGIN + c * COLUMN_WIDTH, MARGIN + r * ROW_HEIGHT
            if ruled:
                draw.rectangle((x, y, x + COLUMN_WIDTH, y + ROW_HEIGHT), outline=(120, 120, 120))
            if text:
                draw.text((x + 8, y + 7), text, fill="black", font=font)
                lines.append(line_at(text, *draw.textbbox((x + 8, y + 7), text, font=font)))
    return np.array(picture, dtype=np.uint8), lines
