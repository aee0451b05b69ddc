"""The small world: pages of digits and capitals in one font, in framed lines and titles and ruled tables.

All of it lies on a grid of 28 pixels, and so do the edges of blocks: one visual token sees one glyph with the lines
around it, or in the small picture of a whole page two by two of them.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

CELL = 28
"""Pixels of one glyph's cell, and of what one visual token covers."""
GRID = 16
"""Cells along either edge of a page."""
PAGE = CELL * GRID
"""Pixels along either edge of a page."""
LAYOUT = PAGE // 2
"""Pixels along either edge of the picture of a page in the layout step."""
GLYPHS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ."
FRAME = 150
"""Shade of the frame around every block, from 0 black to 255 white; rules within tables are black."""
FONT = Path("/usr/share/fonts/truetype/dejavu/DejaVuSansMono-Bold.ttf")

Gray = NDArray[np.uint8]


@dataclass(frozen=True)
class Table:
    """A ruled table: widths of its columns in cells, and for each place its OTSL mark and text."""

    widths: tuple[int, ...]
    marks: tuple[tuple[str, ...], ...]
    texts: tuple[tuple[str, ...], ...]

    def otsl(self) -> list[tuple[str, str]]:
        """Marks with the text behind each, row by row, each row ended by ``<nl>``."""
        out: list[tuple[str, str]] = []
        for marks, texts in zip(self.marks, self.texts, strict=True):
            out.extend(zip(marks, texts, strict=True))
            out.append(("<nl>", ""))
        return out


@dataclass(frozen=True)
class Block:
    """A block with its box in cells (left, top, right, bottom); lines of text, or a table."""

    kind: str
    box: tuple[int, int, int, int]
    lines: tuple[str, ...] = ()
    table: Table | None = None

    def thousandths(self) -> tuple[int, int, int, int]:
        """The box in thousandths of the page, as the layout says it."""
        left, top, right, bottom = (value * 1000 // GRID for value in self.box)
        return left, top, right, bottom

    def content(self) -> str:
        """What recognition of the block says: its lines in one, or its table as OTSL."""
        if self.table is not None:
            return "".join(mark + text for mark, text in self.table.otsl())
        return " ".join(self.lines)


def word(rng: random.Random, length: int) -> str:
    """A word: mostly letters alone or digits alone, with a dot inside now and then."""
    mode = rng.random()
    letters = GLYPHS[:10] if mode < 0.35 else GLYPHS[10:36] if mode < 0.7 else GLYPHS[:36]
    signs = [rng.choice(letters) for _ in range(length)]
    if length >= 3 and rng.random() < 0.15:
        signs[rng.randrange(1, length - 1)] = "."
    return "".join(signs)


def line(rng: random.Random, width: int) -> str:
    """Words with single spaces between them, ``width`` signs in all, a space at neither end."""
    out = ""
    while True:
        left = width - len(out)
        if left <= 5 and (left <= 2 or rng.random() < 0.6):
            return out + word(rng, left)
        length = rng.randint(1, min(6, left - 2))
        out += word(rng, length) + " "


def text_block(rng: random.Random, left: int, top: int, width: int, height: int) -> Block:
    """A paragraph of one or two lines, the first as wide as the block, the other at most."""
    rows = min(height, rng.choices((1, 2), (0.7, 0.3))[0])
    lines = [line(rng, width), *(line(rng, rng.randint(max(1, width - 5), width)) for _ in range(rows - 1))]
    return Block("text", (left, top, left + width, top + rows), tuple(lines))


def title_block(rng: random.Random, left: int, top: int, width: int) -> Block:
    """A title: one line over a thick black rule."""
    return Block("title", (left, top, left + width, top + 1), (line(rng, width),))


def table_block(rng: random.Random, left: int, top: int, width: int, height: int) -> Block:
    """A table of two or three columns, one or two signs wide, and two to four rows, often with merged cells."""
    columns = rng.randint(2, max(2, min(3, width // 2)))
    widths = [1] * columns
    for _ in range(rng.randint(0, min(width, columns * 2) - columns)):
        widths[rng.choice([i for i in range(columns) if widths[i] < 2])] += 1
    rows = rng.randint(2, min(4, height))
    marks = [["<fcel>"] * columns for _ in range(rows)]
    for _ in range(rng.choices((0, 1, 2), (0.4, 0.4, 0.2))[0]):
        _merge(rng, marks)
    texts = [[""] * columns for _ in range(rows)]
    for row in range(rows):
        for column in range(columns):
            if marks[row][column] != "<fcel>":
                continue
            room = widths[column]
            while column + 1 < columns and marks[row][column + 1] == "<lcel>" and room == widths[column]:
                room += widths[column + 1]
            if rng.random() < 0.15:
                marks[row][column] = "<ecel>"
            else:
                texts[row][column] = word(rng, rng.randint(1, room))
    table = Table(tuple(widths), tuple(map(tuple, marks)), tuple(map(tuple, texts)))
    return Block("table", (left, top, left + sum(widths), top + rows), table=table)


def _merge(rng: random.Random, marks: list[list[str]]) -> None:
    """Merge two neighbouring cells, or four, where all are still single and every rule stays visible somewhere."""
    rows, columns = len(marks), len(marks[0])
    tall, wide = rng.choice(((1, 2), (2, 1), (1, 2), (2, 1), (2, 2)))
    if tall >= rows or wide >= columns:
        return
    row, column = rng.randint(0, rows - tall), rng.randint(0, columns - wide)
    cells = [(r, c) for r in range(row, row + tall) for c in range(column, column + wide)]
    if any(marks[r][c] != "<fcel>" for r, c in cells):
        return
    # A rule that no row or column shows would make two columns, or rows, of one.
    if wide == 2 and sum(r[column + 1] in ("<lcel>", "<xcel>") for r in marks) + tall >= rows:
        return
    if tall == 2 and sum(mark in ("<ucel>", "<xcel>") for mark in marks[row + 1]) + wide >= columns:
        return
    for r, c in cells[1:]:
        marks[r][c] = "<xcel>" if r > row and c > column else "<ucel>" if r > row else "<lcel>"


def page_blocks(rng: random.Random, most: int = 5) -> list[Block]:
    """The blocks of a fresh page in reading order: bands from the top, from left to right in each.

    No band begins below ``most`` blocks, so there are one more at most; few blocks begin anywhere on the page.
    """
    if rng.random() < 0.02:
        return []
    blocks: list[Block] = []
    top = rng.choice((0, 0, 1, 1, 2)) if most > 3 else rng.randrange(GRID - 3 * (most - 1))
    while top < GRID and len(blocks) < most:
        if rng.random() < 0.3:
            middle = rng.randint(5, 8)
            places = [(0, middle), (middle + 3, GRID)]
        else:
            places = [(0, GRID)]
        band = [_block(rng, left, right, top) for left, right in places]
        blocks.extend(band)
        top = max(block.box[3] for block in band) + rng.choice((1, 1, 2, 3))
    return blocks


def _block(rng: random.Random, left: int, right: int, top: int) -> Block:
    """A block somewhere between ``left`` and ``right``, its top at ``top``."""
    room, height = right - left, GRID - top
    kind = rng.choices(("text", "title", "table"), (0.5, 0.2, 0.3))[0]
    if kind == "table" and height >= 2 and room >= 4:
        block = table_block(rng, 0, top, room, height)
    elif kind == "title":
        block = title_block(rng, 0, top, rng.randint(3, min(room, 10)))
    else:
        block = text_block(rng, 0, top, rng.randint(3, min(room, 10)), height)
    width = block.box[2]
    shift = left + rng.randint(0, room - width)
    return Block(block.kind, (shift, top, shift + width, block.box[3]), block.lines, block.table)


class Pen:
    """Draws blocks; each glyph is drawn once and kept."""

    def __init__(self, font: Path = FONT) -> None:
        face = ImageFont.truetype(str(font), 24)
        self.glyphs: dict[str, Gray] = {}
        for sign in GLYPHS:
            picture = Image.new("L", (CELL, CELL), 255)
            ImageDraw.Draw(picture).text((CELL // 2, 22), sign, font=face, fill=0, anchor="ms")
            self.glyphs[sign] = np.asarray(picture)

    def page(self, blocks: list[Block]) -> Image.Image:
        """The page, grey, 448 × 448 pixels."""
        pixels = np.full((PAGE, PAGE), 255, np.uint8)
        for block in blocks:
            if block.table is not None:
                self._table(pixels, block, block.table)
            for row, text in enumerate(block.lines):
                self._line(pixels, block.box[0], block.box[1] + row, text)
            _frame(pixels, block)
            if block.kind == "title":
                left, _, right, bottom = (value * CELL for value in block.box)
                pixels[bottom - 4 : bottom, left:right] = 0
        return Image.fromarray(pixels)

    def _line(self, pixels: Gray, left: int, top: int, text: str) -> None:
        for index, sign in enumerate(text):
            if sign != " ":
                x, y = (left + index) * CELL, top * CELL
                pixels[y : y + CELL, x : x + CELL] = self.glyphs[sign]

    def _table(self, pixels: Gray, block: Block, table: Table) -> None:
        """Texts and rules; a rule lies two pixels to either side of its grid line, so that each cell sees it."""
        left, top = block.box[:2]
        edges = [left]
        for width in table.widths:
            edges.append(edges[-1] + width)
        for row, (marks, texts) in enumerate(zip(table.marks, table.texts, strict=True)):
            for column, (mark, text) in enumerate(zip(marks, texts, strict=True)):
                self._line(pixels, edges[column], top + row, text)
                x0, x1, y0 = edges[column] * CELL, edges[column + 1] * CELL, (top + row) * CELL
                if mark not in ("<lcel>", "<xcel>") and column:
                    pixels[y0 : y0 + CELL, x0 - 2 : x0 + 2] = 0
                if mark not in ("<ucel>", "<xcel>") and row:
                    pixels[y0 - 2 : y0 + 2, x0:x1] = 0


def _frame(pixels: Gray, block: Block) -> None:
    """Lines of two pixels just inside the block's box."""
    left, top, right, bottom = (value * CELL for value in block.box)
    for rows in (slice(top, top + 2), slice(bottom - 2, bottom)):
        pixels[rows, left:right] = FRAME
    for columns in (slice(left, left + 2), slice(right - 2, right)):
        pixels[top:bottom, columns] = FRAME
