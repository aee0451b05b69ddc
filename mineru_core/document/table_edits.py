"""Corrections of a table as small operations: each says what a person did, and how that is undone.

    operation = parse_operation('{"op": "set-text", "row": 2, "col": 1, "text": "1,204"}')
    after = operation.apply(table)
    before = apply_all(after, operation.invert(table))      # equals table, to the last confidence

Rows and columns count from 0. What does not fit a table raises ``InvalidRequest``, and the table stays as it was.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Annotated, Literal, Self

from pydantic import Field, TypeAdapter, ValidationError, model_validator

from mineru_core.document import table_shape as shape
from mineru_core.document.edits import Text, parse_change
from mineru_core.document.model import Model
from mineru_core.document.table import Cell, Table
from mineru_core.document.table_shape import COLUMNS, MAX_PLACES, ROWS, Area
from mineru_core.errors import InvalidRequest

Index = Annotated[int, Field(ge=0, le=MAX_PLACES)]
Count = Annotated[int, Field(ge=1, le=MAX_PLACES)]


class _Change(Model, ABC):
    """What can be done to a table."""

    @abstractmethod
    def apply(self, table: Table) -> Table:
        """The table after it. Raises ``InvalidRequest`` where it does not fit."""

    def invert(self, table: Table) -> tuple[TableChange, ...]:
        """What makes ``table`` again of the table that this gives, exactly; nothing where it changes nothing. Raises
        what ``apply`` raises."""
        after = self.apply(table)
        steps = self._way_back(table)
        for step in steps:
            after = step.apply(after)
        rest = RestoreCells.between(after, table)
        return steps if rest is None else (*steps, rest)

    def _way_back(self, table: Table) -> tuple[TableChange, ...]:  # noqa: ARG002  those that move cells look at it
        """The operations that move cells back; what else is to be restored need not be listed."""
        return ()


class SetText(_Change):
    """Set the text of the cell at a place; setting it as it is says that a doubtful cell is right."""

    op: Literal["set-text"] = "set-text"
    row: Index
    col: Index
    text: Text

    def apply(self, table: Table) -> Table:
        """The table with the text. Raises ``InvalidRequest`` for a place outside it."""
        return shape.set_texts(table, [(self.row, self.col, self.text)])


class MergeCells(_Change):
    """Make a rectangle of cells one."""

    op: Literal["merge-cells"] = "merge-cells"
    row: Index
    col: Index
    rowspan: Count
    colspan: Count

    def apply(self, table: Table) -> Table:
        """The table with one cell there, which holds all the texts. Raises ``InvalidRequest`` where the rectangle
        reaches outside the table or cuts through a cell."""
        return shape.merge(table, Area(self.row, self.col, self.rowspan, self.colspan))


class SplitCell(_Change):
    """Part the spanning cell at a place into its places."""

    op: Literal["split-cell"] = "split-cell"
    row: Index
    col: Index

    def apply(self, table: Table) -> Table:
        """The table with the text in the first of the new cells. Raises ``InvalidRequest`` where nothing spans."""
        return shape.split(table, self.row, self.col)


class _Lines(_Change):
    """A run of rows or columns."""

    at: Index
    count: Count = 1


class InsertRows(_Lines):
    """Put empty rows before row ``at``; after the last one where that is the number of rows."""

    op: Literal["insert-rows"] = "insert-rows"

    def apply(self, table: Table) -> Table:
        """The table with the rows. Raises ``InvalidRequest`` outside it, or where it would become too large."""
        return shape.insert(table, ROWS, self.at, self.count)

    def _way_back(self, table: Table) -> tuple[TableChange, ...]:
        # A table keeps a row, so the first one of an empty table is not taken away by deleting it.
        return (DeleteRows(at=self.at, count=self.count),) if table.n_rows else ()


class InsertColumns(_Lines):
    """Put empty columns before column ``at``; after the last one where that is the number of columns."""

    op: Literal["insert-columns"] = "insert-columns"

    def apply(self, table: Table) -> Table:
        """The table with the columns. Raises ``InvalidRequest`` outside it, or where it would become too large."""
        return shape.insert(table, COLUMNS, self.at, self.count)

    def _way_back(self, table: Table) -> tuple[TableChange, ...]:
        return (DeleteColumns(at=self.at, count=self.count),) if table.n_cols else ()


class DeleteRows(_Lines):
    """Take out rows."""

    op: Literal["delete-rows"] = "delete-rows"

    def apply(self, table: Table) -> Table:
        """The table without the rows. Raises ``InvalidRequest`` outside it, and for all of its rows."""
        return shape.delete(table, ROWS, self.at, self.count)

    def _way_back(self, table: Table) -> tuple[TableChange, ...]:  # noqa: ARG002
        return (InsertRows(at=self.at, count=self.count),)


class DeleteColumns(_Lines):
    """Take out columns."""

    op: Literal["delete-columns"] = "delete-columns"

    def apply(self, table: Table) -> Table:
        """The table without the columns. Raises ``InvalidRequest`` outside it, and for all of its columns."""
        return shape.delete(table, COLUMNS, self.at, self.count)

    def _way_back(self, table: Table) -> tuple[TableChange, ...]:  # noqa: ARG002
        return (InsertColumns(at=self.at, count=self.count),)


class SetHeaderRows(_Change):
    """Say how many rows at the top are headers."""

    op: Literal["set-header-rows"] = "set-header-rows"
    count: Index

    def apply(self, table: Table) -> Table:
        """The table with those header rows. Raises ``InvalidRequest`` for more rows than there are."""
        return shape.set_header_rows(table, self.count)


class SetCaption(_Change):
    """Set the caption."""

    op: Literal["set-caption"] = "set-caption"
    text: Text

    def apply(self, table: Table) -> Table:
        """The table with the caption."""
        return table.model_copy(update={"caption": self.text})


class PasteGrid(_Change):
    """Lay a rectangle of texts over the table from a place on; the table grows where it must.

    ``merges`` (row, column, rowspan, colspan, from the rectangle's corner) are the areas of it that are one cell. Short
    rows are filled with empty texts. ``clipboard.py`` makes one of what a spreadsheet has copied.
    """

    op: Literal["paste-grid"] = "paste-grid"
    row: Index
    col: Index
    rows: Annotated[tuple[tuple[Text, ...], ...], Field(min_length=1)]
    merges: tuple[Area, ...] = ()

    @model_validator(mode="after")
    def _check_rectangle(self) -> Self:
        width = max(len(row) for row in self.rows)
        if not 0 < width * len(self.rows) <= MAX_PLACES:
            raise ValueError(f"the rectangle must have 1 to {MAX_PLACES:,} places")
        filled = tuple((*row, *[""] * (width - len(row))) for row in self.rows)
        object.__setattr__(self, "rows", filled)
        whole = Area(0, 0, len(self.rows), width)
        free = whole.size
        taken: set[tuple[int, int]] = set()
        for area in self.merges:
            if min(area.row, area.col) < 0 or min(area.rowspan, area.colspan) < 1 or not whole.holds(area):
                raise ValueError("a merged area reaches outside the rectangle")
            free -= area.size
            if free < 0:
                raise ValueError("merged areas overlap")
            taken.update(area.places())
        if len(taken) != whole.size - free:
            raise ValueError("merged areas overlap")
        return self

    def apply(self, table: Table) -> Table:
        """The table with the texts. Raises ``InvalidRequest`` where the rectangle cuts through a cell, begins outside
        the table, or makes it too large."""
        return shape.paste(table, self.row, self.col, self.rows, self.merges)


class RestoreCells(_Change):
    """Put cells back as they were: the part of an undo that no other operation can say. ``dropped`` are the first
    places (row, column) of the cells that go, ``cells`` those that come."""

    op: Literal["restore-cells"] = "restore-cells"
    n_rows: Index
    n_cols: Index
    caption: str
    dropped: tuple[tuple[int, int], ...] = ()
    cells: tuple[Cell, ...] = ()

    @classmethod
    def between(cls, current: Table, wanted: Table) -> Self | None:
        """What makes ``wanted`` of ``current``, two states of one table; None where they are equal."""
        before = {(cell.row, cell.col): cell for cell in current.cells}
        after = {(cell.row, cell.col): cell for cell in wanted.cells}
        kept = {place for place, cell in after.items() if (old := before.get(place)) is cell or old == cell}
        found = cls(
            n_rows=wanted.n_rows,
            n_cols=wanted.n_cols,
            caption=wanted.caption,
            dropped=tuple(place for place in before if place not in kept),
            cells=tuple(cell for place, cell in after.items() if place not in kept),
        )
        same = (current.n_rows, current.n_cols, current.caption) == (wanted.n_rows, wanted.n_cols, wanted.caption)
        return None if same and not found.dropped and not found.cells else found

    def apply(self, table: Table) -> Table:
        """The table with the cells as they were. Raises ``InvalidRequest`` for a table it was not made for."""
        gone = set(self.dropped)
        kept = [cell for cell in table.cells if (cell.row, cell.col) not in gone]
        try:
            return shape.changed(
                table, [*kept, *self.cells], n_rows=self.n_rows, n_cols=self.n_cols, caption=self.caption
            )
        except ValidationError as error:
            raise InvalidRequest("The cells do not fit this table.", "Undo the last change first.") from error


TableOperation = Annotated[
    SetText
    | MergeCells
    | SplitCell
    | InsertRows
    | InsertColumns
    | DeleteRows
    | DeleteColumns
    | SetHeaderRows
    | SetCaption
    | PasteGrid,
    Field(discriminator="op"),
]
"""What a person may do."""

TableChange = TableOperation | RestoreCells
"""What a person may do, and what undoes it."""

OPERATIONS: TypeAdapter[TableOperation] = TypeAdapter(TableOperation)


def parse_operation(data: str | bytes | Mapping[str, object]) -> TableOperation:
    """The operation written as JSON or as the fields of it. Raises ``InvalidRequest`` where it is none."""
    return parse_change(OPERATIONS, data)


def apply_all(table: Table, changes: Iterable[TableChange]) -> Table:
    """The table after all the changes in their order. Texts set one after another are set together, so that many of
    them take little longer than one. Raises what ``apply`` raises."""
    for is_text, run in groupby(changes, key=lambda change: isinstance(change, SetText)):
        if is_text:
            texts = [(change.row, change.col, change.text) for change in run if isinstance(change, SetText)]
            table = shape.set_texts(table, texts)
            continue
        for change in run:
            table = change.apply(table)
    return table
