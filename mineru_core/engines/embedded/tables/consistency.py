"""How well a structure suits the words that fell into its cells: signs of rows and columns that are not there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from mineru_core.document.analysis import Line
from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.joining import starts_item
from mineru_core.engines.embedded.rows import visual_rows
from mineru_core.engines.embedded.tables.structure import Structure, StructureCell
from mineru_core.engines.embedded.tables.words import Word

# Texts of one cell that stand side by side further apart than this (in heights) are two cells' texts.
MAX_GAP_IN_CELL = 1.2
# A line of a paragraph leaves less room at its end than the next line's first word takes, with this much tolerance.
WRAP_TOLERANCE = 0.5


@dataclass(frozen=True, slots=True)
class Faults:
    """Counts of what speaks against a structure; ``lines`` is the number of pieces of text they were counted over.

    ``side`` columns run together, ``stacked`` rows run together, ``torn`` rows that only go on with a
    paragraph above, ``cut`` lines cut at no gap, ``empty`` rows and columns without text, ``uneven`` pieces that stand
    at one height but went to different rows, ``astray`` the share of words' areas outside the cells they went to.
    """

    lines: int
    side: int = 0
    stacked: int = 0
    torn: tuple[int, ...] = ()
    cut: int = 0
    empty: int = 0
    uneven: int = 0
    astray: float = 0.0

    @property
    def badness(self) -> float:
        """The faults weighed against the amount of text; 0 is a structure without any."""
        count = 2.0 * (self.side + self.empty) + self.stacked + len(self.torn) + self.cut + self.uneven
        return count / max(1, self.lines) + 0.5 * self.astray


@dataclass(frozen=True, slots=True)
class _Piece:
    """What one line has in one cell; ``first`` is the width of its first word.

    ``item`` tells that it begins a list item, ``number`` that it is a number: neither goes on with a line above.
    """

    box: Box
    first: float
    cell: int
    item: bool
    number: bool


def find_faults(structure: Structure, lines: Sequence[Line], words: Sequence[Word], chosen: Sequence[int]) -> Faults:
    """Judge a structure by where each word of the lines went (``chosen``: an index of a cell for each word)."""
    pieces = _pieces(lines, words, chosen)
    if not pieces:
        return Faults(0)
    height = median(piece.box.height for piece in pieces)
    held: dict[int, list[_Piece]] = {}
    for piece in pieces:
        held.setdefault(piece.cell, []).append(piece)
    rows = {cell: _rows(content) for cell, content in held.items()}
    right = _right_edges(structure, held)
    return Faults(
        lines=len(pieces),
        side=sum(_side(row, height) for cell in rows.values() for row in cell),
        stacked=_stacked(structure, rows, right, height),
        torn=_torn(structure, rows, right, height),
        cut=_cut(words, chosen, height),
        empty=_empty(structure, held),
        uneven=_uneven(structure, pieces),
        astray=sum(1 - _inside(word.box, structure.cells[i].box) for word, i in zip(words, chosen, strict=True))
        / len(words),
    )


def _pieces(lines: Sequence[Line], words: Sequence[Word], chosen: Sequence[int]) -> list[_Piece]:
    groups: dict[tuple[int, int], list[Word]] = {}
    for word, cell in zip(words, chosen, strict=True):
        groups.setdefault((word.line, cell), []).append(word)
    return [
        _Piece(
            box=Box.around(word.box for word in group),
            first=group[0].box.width,
            cell=cell,
            item=starts_item(lines[line].text[group[0].start :]),
            number=_is_number(lines[line].text[group[0].start : group[-1].end]),
        )
        for (line, cell), group in groups.items()
    ]


def _is_number(text: str) -> bool:
    return any(c.isdigit() for c in text) and not any(c.isalpha() for c in text)


def _rows(pieces: Sequence[_Piece]) -> list[list[_Piece]]:
    return [[pieces[i] for i in row] for row in visual_rows([piece.box for piece in pieces])]


def _side(row: Sequence[_Piece], height: float) -> int:
    return sum(b.box.x0 - a.box.x1 > MAX_GAP_IN_CELL * height for a, b in pairwise(row))


def _right_edges(structure: Structure, held: dict[int, list[_Piece]]) -> dict[int, float]:
    """How far to the right text reaches in each column."""
    edges: dict[int, float] = {}
    for index, content in held.items():
        cell = structure.cells[index]
        col = cell.col + cell.colspan - 1
        edges[col] = max(edges.get(col, 0.0), *(piece.box.x1 for piece in content))
    return edges


def _wraps(upper: Sequence[_Piece], lower: Sequence[_Piece], right: float, height: float) -> bool:
    """Whether the upper row of a cell went on in the lower one because there was no room left."""
    if lower[0].item or (upper[-1].number and lower[0].number):
        return False
    return upper[-1].box.x1 + lower[0].first > right - WRAP_TOLERANCE * height


def _stacked(structure: Structure, rows: dict[int, list[list[_Piece]]], right: dict[int, float], height: float) -> int:
    """Breaks that were made on purpose at the same height in two or more cells of a row."""
    count = 0
    for row in range(structure.n_rows):
        breaks: list[float] = []
        for index, content in rows.items():
            cell = structure.cells[index]
            if cell.row != row or cell.rowspan > 1:
                continue
            edge = right[cell.col + cell.colspan - 1]
            breaks.extend(
                lower[0].box.center[1] for upper, lower in pairwise(content) if not _wraps(upper, lower, edge, height)
            )
        breaks.sort()
        count += sum(b - a < 0.3 * height for a, b in pairwise(breaks))
    return count


def _torn(
    structure: Structure, rows: dict[int, list[list[_Piece]]], right: dict[int, float], height: float
) -> tuple[int, ...]:
    """Rows with a single text that goes on a full line of the row above, closely below it."""
    filled: dict[int, list[int]] = {}
    for index in rows:
        filled.setdefault(structure.cells[index].row, []).append(index)
    above = {(c.row + c.rowspan, c.col, c.colspan): i for i, c in enumerate(structure.cells)}
    torn: list[int] = []
    for row, indexes in sorted(filled.items()):
        if len(indexes) != 1 or structure.n_cols == 1:
            continue
        cell = structure.cells[indexes[0]]
        before = above.get((cell.row, cell.col, cell.colspan))
        if before is None or before not in rows:
            continue
        upper, lower = rows[before][-1], rows[indexes[0]][0]
        close = lower[0].box.y0 - upper[-1].box.y1 < 0.6 * height
        if close and _is_long(upper, height) and _wraps(upper, lower, right[cell.col + cell.colspan - 1], height):
            torn.append(row)
    return tuple(torn)


def _is_long(row: Sequence[_Piece], height: float) -> bool:
    return row[-1].box.x1 - row[0].box.x0 > 6 * height


def _cut(words: Sequence[Word], chosen: Sequence[int], height: float) -> int:
    return sum(
        a.line == b.line and i != j and b.box.x0 - a.box.x1 < 0.25 * height
        for (a, i), (b, j) in pairwise(zip(words, chosen, strict=True))
    )


def _uneven(structure: Structure, pieces: Sequence[_Piece]) -> int:
    """Pieces of a visual row whose cells do not reach the table row that most of that visual row is in."""
    count = 0
    for row in _rows(pieces):
        cells = [structure.cells[piece.cell] for piece in row]
        covers = [sum(c.row <= r < c.row + c.rowspan for c in cells) for r in range(structure.n_rows)]
        count += len(cells) - max(covers)
    return count


def _empty(structure: Structure, held: dict[int, list[_Piece]]) -> int:
    cells: list[StructureCell] = [structure.cells[i] for i in held]
    rows = {r for c in cells for r in range(c.row, c.row + c.rowspan)}
    cols = {k for c in cells for k in range(c.col, c.col + c.colspan)}
    return structure.n_rows - len(rows) + structure.n_cols - len(cols)


def _inside(box: Box, cell: Box) -> float:
    return box.covered_by(cell.expanded(0.2 * box.height))
