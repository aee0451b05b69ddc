"""Pages made of lines at known places, for the tests of answers."""

from __future__ import annotations

from collections.abc import Sequence

from mineru_core.document.analysis import Block, BlockType, DocumentAnalysis, Line, LineWord, PageAnalysis, Part
from mineru_core.document.assemble import assemble
from mineru_core.document.geometry import Box, Quad
from mineru_core.document.table import Table

CHAR, HEIGHT = 10.0, 20.0
WIDTH, LENGTH = 1000, 1400


def width_of(text: str) -> float:
    """Pixels a text takes: 10 a Latin character, 20 a Chinese one."""
    return sum(CHAR * (2 if ord(c) > 0x2E80 else 1) for c in text)


def line(text: str, x: float, y: float, *, words: bool = True, confidence: float = 1.0) -> Line:
    """A line that begins at (x, y), with a word for each piece between spaces."""
    box = Box(x, y, x + width_of(text), y + HEIGHT)
    parts: list[LineWord] = []
    at = 0
    for piece in text.split() if words else []:
        at = text.index(piece, at)
        left = x + width_of(text[:at])
        parts.append(LineWord(text=piece, box=Box(left, y, left + width_of(piece), y + HEIGHT), confidence=confidence))
        at += len(piece)
    return Line(text=text, box=box, quad=Quad.from_box(box), confidence=confidence, words=tuple(parts))


def block(*lines: Line, order: int = 0, kind: BlockType = BlockType.TEXT, table: Table | None = None) -> Block:
    """A block around lines."""
    box = Box.around([item.box for item in lines]) if lines else Box(0, 0, 100, 100)
    text = "\n".join(item.text for item in lines)
    return Block(type=kind, box=box, order=order, lines=lines, text=text, table=table)


def page(*blocks: Block, number: int = 1, rotation: int = 0) -> PageAnalysis:
    """A page of blocks in the order given."""
    ordered = tuple(b.model_copy(update={"order": i}) for i, b in enumerate(blocks))
    return PageAnalysis(
        page=number,
        width=WIDTH,
        height=LENGTH,
        sha256="0" * 64,
        parts=frozenset(Part),
        blocks=ordered,
        rotation=rotation,
    )


def lines_page(*placed: tuple[str, float, float], number: int = 1) -> PageAnalysis:
    """A page with one block a line: (text, x, y)."""
    return page(*(block(line(*each)) for each in placed), number=number)


def document(*pages: PageAnalysis, page_count: int | None = None) -> DocumentAnalysis:
    """A document of these pages."""
    count = page_count if page_count is not None else max((p.page for p in pages), default=0)
    return assemble(list(pages), source="scan.png", sha256="1" * 64, media_type="image/png", page_count=count)


def table_block(rows: Sequence[Sequence[str]], y: float = 500.0) -> Block:
    """A block with a table of equal cells, 200 by 40 pixels each."""
    plain = Table.from_rows(rows)
    cells = tuple(
        cell.model_copy(
            update={"box": Box(200.0 * cell.col, y + 40 * cell.row, 200.0 * cell.col + 200, y + 40 * cell.row + 40)}
        )
        for cell in plain.cells
    )
    table = plain.model_copy(update={"cells": cells})
    box = Box(0, y, 200.0 * table.n_cols, y + 40.0 * table.n_rows)
    return Block(type=BlockType.TABLE, box=box, order=0, table=table)
