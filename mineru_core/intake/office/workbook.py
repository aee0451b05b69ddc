"""Workbooks: the values of their sheets as stored, merged cells, and the charts that stand on them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from xml.etree.ElementTree import Element

from mineru_core.document.table import Cell, Table
from mineru_core.errors import CorruptOffice, FileTooLarge, UnsupportedType
from mineru_core.intake.office.charts import ReadRange
from mineru_core.intake.office.dates import date_texts, is_date_format
from mineru_core.intake.office.package import OfficePackage

MAX_CELLS = 200_000
"""Places of one sheet's grid; a table of that size takes some 200 MB while it is worked on."""
_SPLIT = "Save the part that matters as a sheet of its own."
_FORMULA = re.compile(r"^(?:'((?:[^']|'')+)'|([^!']+))!(\$?[A-Z]{1,3}\$?\d+)(?::(\$?[A-Z]{1,3}\$?\d+))?$")
_REFERENCE = re.compile(r"^\$?([A-Z]{1,3})\$?([0-9]{1,7})$")
# Number formats every workbook has without saying so, as far as they are dates or times.
_USUAL_DATES = {
    **dict.fromkeys((14, 15, 16, 17, *range(27, 32), 36, *range(50, 59)), "yyyy-mm-dd"),
    **dict.fromkeys((18, 19, 20, 21, 32, 33, 34, 35, 45, 46, 47), "h:mm:ss"),
    22: "yyyy-mm-dd h:mm",
}

Grid = dict[tuple[int, int], str]
"""Texts by row and column of the sheet, from 1; empty cells are left out."""


@dataclass(frozen=True)
class SheetName:
    """A sheet of a workbook: its name, its part, and whether it is hidden."""

    name: str
    part: str
    hidden: bool


class Workbook:
    """An open workbook. Not safe for several threads at once.

    Raises ``CorruptOffice``, ``FileTooLarge`` and ``UnsupportedType`` for a file that is no workbook.
    """

    def __init__(self, package: OfficePackage) -> None:
        self.package = package
        root = package.xml(package.main)
        if root.tag != "workbook":
            raise UnsupportedType("The Office file is no workbook.", "Save it as XLSX or PDF.")
        known = package.relations(package.main)
        listed = root.find("sheets")
        properties = root.find("workbookPr")
        self._from_1904 = properties is not None and properties.get("date1904") in ("1", "true")
        self.sheets = [
            SheetName(node.get("name", ""), known[name].target, node.get("state", "visible") != "visible")
            for node in (listed if listed is not None else ())
            if (name := node.get("r:id", "")) in known and known[name].kind in ("worksheet", "chartsheet")
        ]

    def grid(self, part: str) -> tuple[Grid, Element]:
        """The values of a sheet, and its tree. Formulas stand for the values last computed."""
        root = self.package.xml(part)
        grid: Grid = {}
        row = 0
        for line in root.iterfind("sheetData/row"):
            row = _positive(line.get("r"), row + 1)
            col = 0
            for node in line.iterfind("c"):
                found = _reference(node.get("r", ""))
                col = found[1] if found else col + 1
                text = self._text(node)
                if text:
                    grid[found[0] if found else row, col] = text
        return grid, root

    def table(self, part: str) -> Table | None:
        """The used range of a sheet as a table; None where it is empty."""
        grid, root = self.grid(part)
        if not grid:
            return None
        top, left = min(row for row, _ in grid), min(col for _, col in grid)
        bottom, right = max(row for row, _ in grid), max(col for _, col in grid)
        if (bottom - top + 1) * (right - left + 1) > MAX_CELLS:
            raise FileTooLarge(f"A sheet has more than {MAX_CELLS} cells.", _SPLIT)
        spans = dict(self._spans(root, (top, left, bottom, right)))
        covered = {
            (row + down, col + across)
            for (row, col), (rows, cols) in spans.items()
            for down in range(rows)
            for across in range(cols)
        } - spans.keys()
        cells = tuple(
            Cell(
                row=row - top,
                col=col - left,
                rowspan=spans.get((row, col), (1, 1))[0],
                colspan=spans.get((row, col), (1, 1))[1],
                text=grid.get((row, col), ""),
            )
            for row in range(top, bottom + 1)
            for col in range(left, right + 1)
            if (row, col) not in covered
        )
        return Table(n_rows=bottom - top + 1, n_cols=right - left + 1, cells=cells)

    def charts(self, part: str) -> Iterator[str]:
        """Parts of the charts that stand on a sheet, in their order."""
        for drawing in self.package.related(part, "drawing"):
            pointers = self.package.relations(drawing)
            for node in self.package.xml(drawing).iter("chart"):
                pointer = pointers.get(node.get("r:id", ""))
                if pointer is not None and self.package.has(pointer.target):
                    yield pointer.target

    def _spans(
        self, root: Element, used: tuple[int, int, int, int]
    ) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
        """Merged ranges by their first cell, as (rows, columns), as far as they lie in the used range."""
        top, left, bottom, right = used
        taken: set[tuple[int, int]] = set()
        examined = 0
        for node in root.iterfind("mergeCells/mergeCell"):
            first, _, last = node.get("ref", "").partition(":")
            start, end = _reference(first), _reference(last or first)
            if start is None or end is None or not (top <= start[0] <= bottom and left <= start[1] <= right):
                continue
            rows, cols = min(end[0], bottom) - start[0] + 1, min(end[1], right) - start[1] + 1
            examined += max(rows * cols, 1)
            if examined > 4 * MAX_CELLS:
                raise CorruptOffice("The merged ranges of a sheet overlap.")
            if rows < 1 or cols < 1:
                continue
            places = {(start[0] + down, start[1] + across) for down in range(rows) for across in range(cols)}
            if not places & taken:
                taken |= places
                yield start, (rows, cols)

    def _text(self, node: Element) -> str:
        kind, value = node.get("t", "n"), node.findtext("v", "")
        if not value and (formula := node.findtext("f", "")):
            return f"={formula}"  # never computed: a blank would say that there is nothing
        if kind == "s":
            place = _positive(value, -1) if value != "0" else 0
            return self._strings[place] if 0 <= place < len(self._strings) else ""
        if kind == "inlineStr":
            return _rich(node.find("is"))
        if kind == "b":
            return "TRUE" if value in ("1", "true") else "FALSE" if value else ""
        if kind == "n" and value:
            code = self._date_codes.get(_positive(node.get("s"), 0))
            return date_texts([value], code, self._from_1904)[0] if code else number_text(value)
        return value.replace("T", " ") if kind == "d" else value

    @cached_property
    def _strings(self) -> list[str]:
        names = self.package.related(self.package.main, "sharedStrings")
        return [_rich(node) for node in self.package.xml(names[0]).iterfind("si")] if names else []

    @cached_property
    def _date_codes(self) -> dict[int, str]:
        """Number formats of the cell styles that show dates, by the style's number."""
        names = self.package.related(self.package.main, "styles")
        if not names:
            return {}
        root = self.package.xml(names[0])
        codes = {_positive(n.get("numFmtId"), 0): n.get("formatCode", "") for n in root.iterfind("numFmts/numFmt")}
        found: dict[int, str] = {}
        for place, node in enumerate(root.iterfind("cellXfs/xf")):
            number = _positive(node.get("numFmtId"), 0)
            code = codes.get(number) or _USUAL_DATES.get(number, "")
            if code and is_date_format(code):
                found[place] = code
        return found


def number_text(text: str) -> str:
    """A number as people write it: 15 digits at most, as the programs show it."""
    try:
        value = float(text)
    except ValueError:
        return text
    if not math.isfinite(value):
        return text
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    short = f"{value:.15g}"
    return f"{value:.20f}".rstrip("0").rstrip(".") if "e" in short and 1e-5 <= abs(value) < 1 else short


def range_reader(book: Workbook) -> ReadRange:
    """Reads ranges of the workbook by formulas such as ``Sheet1!$B$2:$B$9``; None where there is no such sheet or
    range. The latest sheet is kept, since the series of a chart nearly always name the same.

    It raises ``CorruptOffice`` and ``FileTooLarge``.
    """

    @lru_cache(maxsize=1)
    def grid_of(part: str) -> Grid:
        return book.grid(part)[0]

    def read(formula: str) -> list[list[str]] | None:
        found = _FORMULA.match(formula.strip())
        if found is None:
            return None
        sheet = (found[1] or found[2]).replace("''", "'")
        start, end = _reference(found[3]), _reference(found[4] or found[3])
        part = next((one.part for one in book.sheets if one.name == sheet), None)
        if part is None or start is None or end is None or end < start or end[1] < start[1]:
            return None
        if (end[0] - start[0] + 1) * (end[1] - start[1] + 1) > MAX_CELLS:
            raise CorruptOffice("A chart claims far more values than it holds.")
        grid = grid_of(part)
        rows, cols = range(start[0], end[0] + 1), range(start[1], end[1] + 1)
        return [[grid.get((row, col), "") for row in rows] for col in cols]

    return read


def _rich(node: Element | None) -> str:
    """Text with or without runs; readings above the characters are left out."""
    if node is None:
        return ""
    own = node.findtext("t", "")
    text = own + "".join(run.findtext("t", "") for run in node.iterfind("r"))
    return re.sub(r"_x([0-9A-Fa-f]{4})_", lambda found: _escaped(found[1]), text).replace("\r\n", "\n")


def _escaped(code: str) -> str:
    number = int(code, 16)
    return "" if 0xD800 <= number < 0xE000 else chr(number)


def _reference(text: str) -> tuple[int, int] | None:
    """Row and column, from 1, of a reference such as B7."""
    found = _REFERENCE.match(text)
    if found is None:
        return None
    col = 0
    for letter in found[1]:
        col = 26 * col + ord(letter) - ord("A") + 1
    row = int(found[2])
    return (row, col) if 1 <= row <= 1_048_576 and col <= 16_384 else None


def _positive(text: str | None, default: int) -> int:
    return int(text) if text and text.isdecimal() and text.isascii() and len(text) < 10 and int(text) > 0 else default
