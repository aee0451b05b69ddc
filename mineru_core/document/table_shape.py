"""What a person may do to the grid of a table: each function gives a new table and leaves the given one as it is.

Rows and columns count from 0. Cells that a person has set are ``edited`` and of confidence 1. A place on the page is
kept where the words of the cell still stand there; cells made by hand have none.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from mineru_core.document.geometry import Box
from mineru_core.document.table import Cell, Table
from mineru_core.errors import InvalidRequest

MAX_PLACES = 250_000
"""Rows times columns that a table may grow to; 2,000 rows of 50 columns are 100,000."""

_FIRST_IDEOGRAPHIC = "\u2e80"
"""From here on scripts are written without spaces between words."""


class Area(NamedTuple):
    """A rectangle of places."""

    row: int
    col: int
    rowspan: int
    colspan: int

    @property
    def size(self) -> int:
        """How many places it has."""
        return self.rowspan * self.colspan

    def places(self) -> Iterator[tuple[int, int]]:
        """Each (row, column) in reading order."""
        for row in range(self.row, self.row + self.rowspan):
            for col in range(self.col, self.col + self.colspan):
                yield row, col

    def meets(self, other: Area) -> bool:
        """Whether the two share a place."""
        return (
            self.row < other.row + other.rowspan
            and other.row < self.row + self.rowspan
            and self.col < other.col + other.colspan
            and other.col < self.col + self.colspan
        )

    def holds(self, other: Area) -> bool:
        """Whether the other lies wholly inside."""
        return (
            self.row <= other.row
            and self.col <= other.col
            and other.row + other.rowspan <= self.row + self.rowspan
            and other.col + other.colspan <= self.col + self.colspan
        )


class Axis(NamedTuple):
    """Rows or columns: the names of a cell's place and span along them, and of a table's size."""

    place: str
    span: str
    size: str
    word: str

    def start_of(self, cell: Cell) -> int:
        """The first row or column of the cell."""
        return int(getattr(cell, self.place))

    def span_of(self, cell: Cell) -> int:
        """How many rows or columns the cell covers."""
        return int(getattr(cell, self.span))

    def size_of(self, table: Table) -> int:
        """How many rows or columns the table has."""
        return int(getattr(table, self.size))


ROWS = Axis("row", "rowspan", "n_rows", "row")
COLUMNS = Axis("col", "colspan", "n_cols", "column")


def area_of(cell: Cell) -> Area:
    """The places the cell covers."""
    return Area(cell.row, cell.col, cell.rowspan, cell.colspan)


def changed(table: Table, cells: Iterable[Cell], **fields: Any) -> Table:
    """The table with other cells and fields, its grid checked."""
    return Table.model_validate({**dict(table), "cells": tuple(cells), **fields})


def check_size(n_rows: int, n_cols: int) -> None:
    """Raise ``InvalidRequest`` where a table would become too large."""
    if n_rows * n_cols > MAX_PLACES:
        raise InvalidRequest(
            f"The table would have {n_rows:,} × {n_cols:,} cells; at most {MAX_PLACES:,} can be edited.",
            "Insert or paste fewer rows or columns.",
        )


def check_inside(table: Table, area: Area) -> None:
    """Raise ``InvalidRequest`` where the area reaches outside the grid."""
    if area.row + area.rowspan > table.n_rows or area.col + area.colspan > table.n_cols:
        raise InvalidRequest(
            f"The place is not in the table, which has {table.n_rows} rows and {table.n_cols} columns.",
            "Choose cells of the table; rows and columns count from 0.",
        )


def set_texts(table: Table, texts: Sequence[tuple[int, int, str]]) -> Table:
    """Set the texts (row, column, text), the later of two for one cell. A place in a spanning cell means that cell; one
    where no cell is gets one. Raises ``InvalidRequest`` for a place outside the grid."""
    wanted: dict[tuple[int, int], tuple[int, str]] = {}
    for number, (row, col, text) in enumerate(texts):
        check_inside(table, Area(row, col, 1, 1))
        wanted[row, col] = (number, text)
    cells: list[Cell] = []
    for cell in table.cells:
        if cell.rowspan == cell.colspan == 1:
            hits = [wanted.pop((cell.row, cell.col))] if (cell.row, cell.col) in wanted else []
        else:
            hits = [wanted.pop(place) for place in area_of(cell).places() if place in wanted]
        cells.append(_by_hand(cell, text=max(hits)[1]) if hits else cell)
    if not wanted:
        return table.model_copy(update={"cells": tuple(cells)})  # the grid is as it was: no need to check it again
    heads = table.header_rows
    cells += [_new(row, col, header=row < heads, text=text) for (row, col), (_, text) in wanted.items()]
    return changed(table, cells)


def merge(table: Table, area: Area) -> Table:
    """Make the area one cell, with all its texts in reading order. Raises ``InvalidRequest`` where it reaches outside
    the grid, cuts through a cell, or is one already."""
    check_inside(table, area)
    if area.size == 1:
        raise InvalidRequest("One cell alone cannot be merged.", "Choose at least two cells.")
    inside, rest = _parted(table, area)
    if any(area_of(cell) == area for cell in inside):
        raise InvalidRequest("The area is one cell already.", "Choose further cells to merge with it.")
    return changed(table, [*rest, _merged(table, inside, area)])


def split(table: Table, row: int, col: int) -> Table:
    """Part the spanning cell at the place into cells of one place; the first keeps text and place on the page. Raises
    ``InvalidRequest`` where there is no spanning cell."""
    check_inside(table, Area(row, col, 1, 1))
    place = Area(row, col, 1, 1)
    whole = next((cell for cell in table.cells if area_of(cell).holds(place)), None)
    if whole is None or area_of(whole).size == 1:
        raise InvalidRequest("The cell is not merged, so it cannot be split.", "Choose a cell that spans several.")
    pieces = [_new(r, c, header=whole.header) for r, c in area_of(whole).places()]
    pieces[0] = _by_hand(whole, rowspan=1, colspan=1)
    return changed(table, [*(cell for cell in table.cells if cell is not whole), *pieces])


def insert(table: Table, axis: Axis, at: int, count: int) -> Table:
    """Put ``count`` empty rows or columns before ``at``; cells that span over the place grow. New cells among header
    rows are headers. Raises ``InvalidRequest`` outside the table, or where it would become too large."""
    size = axis.size_of(table)
    if at > size:
        raise InvalidRequest(f"The table has {size} {axis.word}s.", f"Insert at {axis.word} 0 to {size}.")
    across = COLUMNS if axis is ROWS else ROWS
    sizes = {axis.size: size + count, across.size: across.size_of(table)}
    check_size(sizes["n_rows"], sizes["n_cols"])
    cells: list[Cell] = []
    covered: set[int] = set()
    for cell in table.cells:
        start, span = axis.start_of(cell), axis.span_of(cell)
        if start >= at:
            cells.append(cell.model_copy(update={axis.place: start + count}))
        elif start + span > at:
            cells.append(cell.model_copy(update={axis.span: span + count}))
            covered.update(range(across.start_of(cell), across.start_of(cell) + across.span_of(cell)))
        else:
            cells.append(cell)
    heads = table.header_rows
    for line in range(at, at + count):
        for other in range(across.size_of(table)):
            if other not in covered:
                row, col = (line, other) if axis is ROWS else (other, line)
                cells.append(_new(row, col, header=(at if axis is ROWS else row) < heads))
    return changed(table, cells, **sizes)


def delete(table: Table, axis: Axis, at: int, count: int) -> Table:
    """Take out ``count`` rows or columns from ``at`` on; cells that reach beyond them shrink and keep their text.
    Raises ``InvalidRequest`` outside the table, and for all of its rows or columns."""
    size = axis.size_of(table)
    if at + count > size:
        raise InvalidRequest(f"The table has {size} {axis.word}s.", f"Delete {axis.word}s that it has.")
    if count == size:
        raise InvalidRequest(f"A table keeps at least one {axis.word}.", f"Leave one {axis.word} and empty its cells.")
    cells: list[Cell] = []
    for cell in table.cells:
        start, span = axis.start_of(cell), axis.span_of(cell)
        gone = max(0, min(start + span, at + count) - max(start, at))
        if gone == span:
            continue
        place = start if start < at else max(at, start - count)
        same = place == start and not gone
        cells.append(cell if same else cell.model_copy(update={axis.place: place, axis.span: span - gone}))
    return changed(table, cells, **{axis.size: size - count})


def set_header_rows(table: Table, count: int) -> Table:
    """Let the first ``count`` rows be the header rows. Header cells at the side of further rows stay what they are.
    Raises ``InvalidRequest`` for more rows than there are."""
    if count > table.n_rows:
        raise InvalidRequest(f"The table has {table.n_rows} rows.", "Mark at most as many as header rows.")
    mixed = {cell.row for cell in table.cells if not cell.header}

    def marked(cell: Cell) -> bool:
        return cell.row < count or (cell.header and cell.row in mixed)

    return table.model_copy(
        update={
            "cells": tuple(
                cell if cell.header == marked(cell) else cell.model_copy(update={"header": marked(cell)})
                for cell in table.cells
            )
        }
    )


def paste(table: Table, row: int, col: int, rows: Sequence[Sequence[str]], merges: Collection[Area] = ()) -> Table:
    """Lay a rectangle of texts over the table with its first one at the place; the table grows where it must.

    ``merges`` are the areas of the rectangle, counted from its corner, that are one cell. A spanning cell of the table
    stays one where all that is pasted on it but the first text is empty, as it is when copied from there; else it is
    split. Raises ``InvalidRequest`` where the rectangle cuts through a cell, or the table would become too large.
    """
    area = Area(row, col, len(rows), len(rows[0]))
    if row > table.n_rows or col > table.n_cols:
        check_inside(table, Area(row, col, 1, 1))
    check_size(max(table.n_rows, row + area.rowspan), max(table.n_cols, col + area.colspan))
    for axis, end in ((ROWS, row + area.rowspan), (COLUMNS, col + area.colspan)):
        size = axis.size_of(table)
        if end > size:
            table = insert(table, axis, size, end - size)
    inside, rest = _parted(table, area)
    wholes = [Area(row + one.row, col + one.col, one.rowspan, one.colspan) for one in merges if one.size > 1]
    taken = {place for whole in wholes for place in whole.places()}
    for cell in inside:
        spots = [] if area_of(cell).size == 1 else [*area_of(cell).places()]
        if spots and taken.isdisjoint(spots) and not any(rows[r - row][c - col] for r, c in spots[1:]):
            wholes.append(area_of(cell))
            taken.update(spots)
    known = {(cell.row, cell.col): cell for cell in inside}
    heads = table.header_rows
    spans = [*wholes, *(Area(r, c, 1, 1) for r, c in area.places() if (r, c) not in taken)]
    pasted = []
    for span in spans:
        before = known.get(span[:2]) or _new(span.row, span.col, header=span.row < heads)
        text = rows[span.row - row][span.col - col]
        pasted.append(_by_hand(before, text=text, rowspan=span.rowspan, colspan=span.colspan))
    return changed(table, [*rest, *pasted])


def _parted(table: Table, area: Area) -> tuple[list[Cell], list[Cell]]:
    """The cells inside the area, and the others. Raises ``InvalidRequest`` where it cuts through one."""
    inside: list[Cell] = []
    rest: list[Cell] = []
    for cell in table.cells:
        place = area_of(cell)
        if not area.meets(place):
            rest.append(cell)
        elif area.holds(place):
            inside.append(cell)
        else:
            raise InvalidRequest(
                "The area cuts through a merged cell.", "Choose all of the merged cell, or split it first."
            )
    return inside, rest


def _merged(table: Table, inside: Sequence[Cell], area: Area) -> Cell:
    """One cell in place of those inside the area, which are in reading order."""
    text = ""
    for cell in inside:
        gap = " " if text and cell.text and max(text[-1], cell.text[0]) < _FIRST_IDEOGRAPHIC else ""
        text += gap + cell.text
    boxes = [cell.box for cell in inside if cell.box is not None]
    first = [cell.header for cell in inside if cell.row == area.row]
    return Cell(
        row=area.row,
        col=area.col,
        rowspan=area.rowspan,
        colspan=area.colspan,
        text=text,
        box=Box.around(boxes) if boxes else None,
        header=any(first) if first else area.row < table.header_rows,
        edited=True,
    )


def _new(row: int, col: int, *, header: bool, text: str = "") -> Cell:
    return Cell(row=row, col=col, text=text, header=header, edited=True)


def _by_hand(cell: Cell, **changes: Any) -> Cell:
    return cell.model_copy(update={"edited": True, "confidence": 1.0, **changes})
