"""Tables as an XLSX workbook: one sheet a table, spans merged, printed numbers as numbers, nothing runs."""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Sequence

from openpyxl import Workbook
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
from openpyxl.cell.cell import Cell as SheetCell
from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

from mineru_core.document.table import Cell, Table
from mineru_core.errors import InvalidRequest
from mineru_core.export.guard import guard
from mineru_core.export.numbers import parse_number

MAX_CELL_TEXT = 32_767
MAX_SHEET_NAME = 31
_MIN_WIDTH, _MAX_WIDTH = 6.0, 60.0

_BAD_IN_NAME = re.compile(r"[\[\]:*?/\\\x00-\x1f\x7f]")
_LINE = Side(style="thin", color="FFBFC5CD")
_BORDER = Border(left=_LINE, right=_LINE, top=_LINE, bottom=_LINE)
_HEADER_FILL = PatternFill("solid", start_color="FFEEF2F7")


def tables_to_xlsx(tables: Sequence[Table], names: Sequence[str] | None = None) -> bytes:
    """A workbook of the tables in the given order. ``names`` are wished sheet names (default: the caption, else
    "Table 1" …); they are made valid and unique. Raises ``InvalidRequest`` for no table or too few names."""
    if not tables:
        raise InvalidRequest("There is no table to write.", "Choose at least one table.")
    if names is not None and len(names) != len(tables):
        raise InvalidRequest(f"{len(tables)} tables need as many sheet names, not {len(names)}.")
    sheets = Sheets()
    for number, table in enumerate(tables):
        sheets.add(table, names[number] if names is not None else table.caption)
    return sheets.to_bytes()


class Sheets:
    """A workbook in the making, one sheet a table."""

    def __init__(self) -> None:
        self._book = Workbook()
        self._book.remove(self._book.worksheets[0])
        self._taken: set[str] = set()

    def add(self, table: Table, wish: str) -> str:
        """A further sheet with the table; returns its name: the wished one made valid, and unlike those before."""
        sheet = self._book.create_sheet()
        name = _sheet_name(wish, len(self._book.worksheets), self._taken)
        # Set directly: create_sheet would number a name that it takes for a double by rules of its own.
        sheet.title = name
        _fill(sheet, table)
        return name

    def to_bytes(self) -> bytes:
        """The XLSX file; there must be a sheet in it."""
        out = io.BytesIO()
        self._book.save(out)
        return out.getvalue()


def display_width(text: str) -> int:
    """Columns of the longest line in a fixed-width font; Chinese characters take two, combining marks none."""
    return max((sum(map(_character_width, line)) for line in text.splitlines()), default=0)


def _character_width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _sheet_name(wish: str, number: int, taken: set[str]) -> str:
    """A name that spreadsheets accept and no sheet has, whatever its case."""
    # "History" is a sheet name Excel keeps for itself.
    base = " ".join(_BAD_IN_NAME.sub(" ", wish).split()).strip("'")[:MAX_SHEET_NAME].strip("' ")
    if not base or base.casefold() == "history":
        base = f"Table {number}"
    name, count = base, 1
    while name.casefold() in taken:
        count += 1
        tail = f" ({count})"
        name = base[: MAX_SHEET_NAME - len(tail)].rstrip("' ") + tail
    taken.add(name.casefold())
    return name


def _fill(sheet: Worksheet, table: Table) -> None:
    for cell in table.cells:
        _write(sheet, cell)
    for column, width in enumerate(_column_widths(table), 1):
        sheet.column_dimensions[get_column_letter(column)].width = width
    if 0 < table.header_rows < table.n_rows:
        sheet.freeze_panes = f"A{table.header_rows + 1}"


def _write(sheet: Worksheet, cell: Cell) -> None:
    row, column = cell.row + 1, cell.col + 1
    last_row, last_column = cell.row + cell.rowspan, cell.col + cell.colspan
    # Borders first: merging hands out the ones that the covered places get.
    for r in range(row, last_row + 1):
        for c in range(column, last_column + 1):
            sheet.cell(r, c).border = _BORDER
    place = sheet.cell(row, column)
    assert isinstance(place, SheetCell)
    _set_value(place, cell.text)
    spans = cell.rowspan > 1 or cell.colspan > 1
    if cell.header:
        place.font = Font(bold=True)
        place.fill = _HEADER_FILL
    place.alignment = Alignment(
        horizontal="center" if cell.colspan > 1 else None,
        vertical="center" if spans else "top",
        wrap_text="\n" in cell.text or display_width(cell.text) > _MAX_WIDTH,
    )
    if spans:
        sheet.merge_cells(start_row=row, end_row=last_row, start_column=column, end_column=last_column)


def _set_value(place: SheetCell, text: str) -> None:
    number = parse_number(text)
    if number is not None:
        place.value = number.value
        place.number_format = number.number_format
        return
    clean = ILLEGAL_CHARACTERS_RE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))[:MAX_CELL_TEXT]
    if not clean:
        return
    # The type is set by hand: openpyxl would take a text that begins with "=" for a formula, "#N/A" for an error.
    place.value = clean
    place.data_type = "s"
    if guard(clean) != clean:
        # Tells the spreadsheet that it is text even after somebody has edited the cell.
        place.quotePrefix = True
    elif clean[0].isdigit() or clean[0] in "+-(.":
        # The text format keeps identifiers and dates from becoming numbers once somebody edits them.
        place.number_format = "@"


def _column_widths(table: Table) -> list[float]:
    """Widths in characters: the longest text of each column that does not span, within bounds."""
    widths = [_MIN_WIDTH] * table.n_cols
    for cell in table.cells:
        if cell.colspan == 1:
            widths[cell.col] = max(widths[cell.col], min(display_width(cell.text) + 2.0, _MAX_WIDTH))
    for cell in table.cells:
        if cell.colspan > 1:
            covered = range(cell.col, cell.col + cell.colspan)
            lack = min(display_width(cell.text) + 2.0, _MAX_WIDTH) - sum(widths[c] for c in covered)
            for c in covered:
                widths[c] += max(0.0, lack / cell.colspan)
    return widths
