"""Tables as the model writes them: OTSL, a token for each place of the grid, with a cell's text after its token.

``<fcel>`` begins a cell with text, ``<ecel>`` an empty one; ``<lcel>`` belongs to the cell on its left, ``<ucel>`` to
the one above, ``<xcel>`` to both; ``<nl>`` ends a row. A model that slips is read as far as what it wrote allows: no
text is lost, cells never overlap, and the grid is a rectangle.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from mineru_core.document.geometry import Box
from mineru_core.document.table import Cell, Table

_TOKEN = re.compile(r"<(fcel|ecel|lcel|ucel|xcel|nl)>")
_LINE_BREAK = re.compile(r"<br\s*/?>|\r\n?")
_LEAST_AGREEING = 3
"""Rows that must agree on their length before a longer one is taken for several whose ends were left out."""


@dataclass(slots=True)
class _Place:
    """One place of the grid as it was written."""

    token: str
    text: str = ""
    confidence: float = 1.0

    @property
    def begins(self) -> bool:
        return self.token in ("fcel", "ecel")


def table_from_otsl(
    text: str, box: Box | None = None, confidence: float = 1.0, sure: Sequence[float] = ()
) -> Table | None:
    """The table that ``text`` writes, its cells without places; None where it writes no cell.

    Line breaks within a cell are kept as ``\\n``. Short rows are filled with empty cells on the right. ``box`` is the
    table's place in page pixels, ``confidence`` (0..1) that of the table, and of each cell where ``sure`` does not
    tell it: how sure each token of the grid with the text behind it is, in the order of the tokens.
    """
    rows = _split_long(_rows(text, confidence, sure))
    if not rows:
        return None
    width = max(map(len, rows))
    for row in rows:
        row.extend(_Place("ecel", confidence=confidence) for _ in range(width - len(row)))
    cells = _cells(rows)
    return Table(n_rows=len(rows), n_cols=width, cells=tuple(cells), box=box, confidence=confidence)


def count_tokens(text: str) -> int:
    """Tokens of the grid that the text holds."""
    return len(_TOKEN.findall(text))


def is_token(piece: str) -> bool:
    """Whether this is one token of the grid, and nothing else."""
    return _TOKEN.fullmatch(piece) is not None


def _rows(text: str, confidence: float, sure: Sequence[float]) -> list[list[_Place]]:
    """The places by rows; rows without a place are left out, as upstream does."""
    first, *pieces = _TOKEN.split(text)
    if not pieces:
        return []
    rows: list[list[_Place]] = [[]]
    stray = _tidy(first)
    if stray:  # the token before it was left out
        rows[-1].append(_Place("fcel", stray, confidence))
    for number, (token, raw) in enumerate(zip(pieces[::2], pieces[1::2], strict=True)):
        content = _tidy(raw)
        own = sure[number] if number < len(sure) else confidence
        if token != "nl":
            rows[-1].append(_Place(token, content, own))
            continue
        rows.append([])
        if content:
            rows[-1].append(_Place("fcel", content, own))
    return [row for row in rows if row]


def _tidy(raw: str) -> str:
    return _LINE_BREAK.sub("\n", raw).strip()


def _split_long(rows: list[list[_Place]]) -> list[list[_Place]]:
    """Rows that are a multiple of the others' length are several, whose ``<nl>`` was left out."""
    if not rows:
        return rows
    (width, agreeing), *_ = Counter(map(len, rows)).most_common(1)
    if agreeing < _LEAST_AGREEING or 2 * agreeing <= len(rows) or width < 2:
        return rows
    split: list[list[_Place]] = []
    for row in rows:
        if len(row) > width and len(row) % width == 0:
            split += [row[at : at + width] for at in range(0, len(row), width)]
        else:
            split.append(row)
    return split


def _cells(rows: list[list[_Place]]) -> list[Cell]:
    """Cells in reading order: each as far as the tokens right of it and below it say, and no further than is free, and
    as sure as the least sure of its places."""
    taken: set[tuple[int, int]] = set()
    cells: list[Cell] = []
    for row in range(len(rows)):
        for col in range(len(rows[row])):
            if (row, col) in taken:
                continue
            colspan = _colspan(rows, row, col, taken) if rows[row][col].begins else 1
            rowspan = _rowspan(rows, row, col, colspan, taken) if rows[row][col].begins else 1
            places = [(r, c) for r in range(row, row + rowspan) for c in range(col, col + colspan)]
            taken.update(places)
            text = "\n".join(rows[r][c].text for r, c in places if rows[r][c].text)
            confidence = min(rows[r][c].confidence for r, c in places)
            cells.append(Cell(row=row, col=col, rowspan=rowspan, colspan=colspan, text=text, confidence=confidence))
    return cells


def _colspan(rows: list[list[_Place]], row: int, col: int, taken: set[tuple[int, int]]) -> int:
    end = col + 1
    while end < len(rows[row]) and rows[row][end].token in ("lcel", "xcel") and (row, end) not in taken:
        end += 1
    return end - col


def _rowspan(rows: list[list[_Place]], row: int, col: int, colspan: int, taken: set[tuple[int, int]]) -> int:
    """A row below belongs to the cell if it says so under the cell's first column, and no cell begins further on."""
    end = row + 1
    while end < len(rows) and rows[end][col].token in ("ucel", "xcel"):
        if any(rows[end][c].begins or (end, c) in taken for c in range(col, col + colspan)):
            break
        end += 1
    return end - row
