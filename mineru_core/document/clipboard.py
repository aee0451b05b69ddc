"""What a spreadsheet or a web page puts on the clipboard, as cells to paste.

Spreadsheets copy two forms at once: HTML, which knows merged cells, and lines of texts parted by tabs. Both come from
outside, so anything may stand in them: what is read is texts and spans, in time that grows with the length alone.
"""

from __future__ import annotations

import re
import string
from html import unescape

from pydantic import ValidationError

from mineru_core.document.edits import MAX_TEXT, clean_text
from mineru_core.document.table_edits import PasteGrid
from mineru_core.document.table_shape import MAX_PLACES, Area
from mineru_core.errors import InvalidRequest

MAX_CLIPBOARD = 8_000_000
"""Characters of one form. Excel's HTML of 2,000 rows of 50 numbers has about 5 million."""

_HINT = "Copy cells of a spreadsheet, and not too many at once."
# Quotes mean something only around a whole field; inside it they are doubled. Possessive: nothing is tried twice.
_FIELD = re.compile(r'"((?:[^"]++|"")*+)"(?=[\t\r\n]|\Z)|([^\t\r\n]*+)')
_END_OF_ROW = re.compile(r"\r\n|\r|\n")
_SPACES = re.compile(r"[ \t\r\n\f]+")
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]*+)([^>]*+)")
_OPENING = frozenset("!?/" + string.ascii_letters)
_SPAN = re.compile(r"\b((?:row|col)span)\s*+=\s*+[\"']?\s*+([0-9]{1,9})", re.IGNORECASE)
_LONG_REFERENCE = re.compile(r"&#[xX]?[0-9a-fA-F]{9,}+;?")  # no character has so long a number, and int() refuses it
_MOST_COLUMNS = 1000
"""Of one cell, as HTML has it."""
_CELLS = frozenset({"td", "th"})
_BREAKING = frozenset({"p", "div", "li", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "blockquote"})
_SILENT = frozenset({"script", "style", "head", "title", "template"})


def paste_from_clipboard(row: int, col: int, *, text: str = "", html: str = "") -> PasteGrid:
    """The operation that pastes what was copied at the place: the first table of ``html`` where it has one, else the
    rows of ``text``. Raises ``InvalidRequest`` where there is nothing to paste, or more than can be."""
    if max(len(text), len(html)) > MAX_CLIPBOARD:
        raise InvalidRequest(f"More than {MAX_CLIPBOARD:,} characters were copied.", _HINT)
    rows, merges = rows_from_html(html) if "<" in html else ([], [])
    if not rows:
        rows, merges = rows_from_text(text), []
    if not rows:
        raise InvalidRequest("There are no cells to paste.", _HINT)
    if any(len(cell) > MAX_TEXT for line in rows for cell in line):
        raise InvalidRequest(f"A cell to paste has more than {MAX_TEXT:,} characters.", "Shorten its text first.")
    try:
        return PasteGrid(row=row, col=col, rows=tuple(tuple(line) for line in rows), merges=tuple(merges))
    except ValidationError as error:
        raise InvalidRequest("The copied cells cannot be pasted here.", _HINT) from error


def rows_from_text(text: str) -> list[list[str]]:
    """Rows of texts parted by tabs, as spreadsheets copy them; a text with a tab or a line feed in it stands in quotes.
    A line feed at the end begins no further row. Raises ``InvalidRequest`` for too many cells."""
    rows: list[list[str]] = []
    fields: list[str] = []
    widest = place = 0
    while place < len(text) or fields:
        found = _FIELD.match(text, place)
        if found is None:  # the second half of the pattern takes anything, even nothing
            break
        fields.append(_clean(found[2] if found[1] is None else found[1].replace('""', '"')))
        place = found.end()
        if text[place : place + 1] == "\t":
            place += 1
            continue
        widest = max(widest, len(fields))
        rows.append(fields)
        fields = []
        _check_count(len(rows), widest)
        end = _END_OF_ROW.match(text, place)
        place = len(text) if end is None else end.end()
    return rows


def rows_from_html(html: str) -> tuple[list[list[str]], list[Area]]:
    """Texts of the first table as a rectangle, and its merged areas; two empty lists where there is no table. A span
    is cut short where it would reach over another cell or below the last row. Raises ``InvalidRequest`` for too many
    cells."""
    reader = _read(html)
    height = len(reader.rows)
    taken: dict[tuple[int, int], str] = {}
    merges: list[Area] = []
    width = 0
    for row, cells in enumerate(reader.rows):
        col = 0
        for cell in cells:
            while (row, col) in taken:
                col += 1
            _check_count(height, max(width, col + cell.colspan))  # before a place of it is taken
            colspan = 1
            while colspan < cell.colspan and (row, col + colspan) not in taken:
                colspan += 1
            area = Area(row, col, min(cell.rowspan, height - row), colspan)
            if area.size > 1:
                merges.append(area)
                taken.update(dict.fromkeys(area.places(), ""))
            taken[row, col] = cell.text
            col += colspan
            width = max(width, col)
    return [[taken.get((row, col), "") for col in range(width)] for row in range(height if width else 0)], merges


class _Written:
    """A cell as it is written down: spans, and pieces of its text."""

    def __init__(self, attributes: str) -> None:
        spans = {found[1].lower(): int(found[2]) for found in _SPAN.finditer(attributes)}
        self.rowspan = max(1, spans.get("rowspan", 1))
        self.colspan = min(max(1, spans.get("colspan", 1)), _MOST_COLUMNS)
        self.pieces: list[str] = []
        self._begun = False

    @property
    def text(self) -> str:
        """The text, spaces as HTML means them."""
        lines = "".join(self.pieces).replace("\u00a0", " ").split("\v")
        return _clean("\n".join(line.strip(" ") for line in lines).strip("\n"))

    def add(self, data: str) -> None:
        """More text: any white space is one space."""
        self.pieces.append(_SPACES.sub(" ", data.replace("\v", " ")))
        self._begun = self._begun or not data.isspace()

    def end_line(self, *, always: bool) -> None:
        """What comes is on a new line; if not ``always``, only where this one has begun."""
        if always or self._begun:
            self.pieces.append("\v")
            self._begun = False


class _TableReader:
    """Rows of the first table. A table inside a cell is text of that cell."""

    def __init__(self) -> None:
        self.rows: list[list[_Written]] = []
        self.done = False
        self._cell: _Written | None = None
        self._depth = 0
        self._silent: str | None = None

    def begin(self, name: str, attributes: str) -> None:
        """A start tag."""
        if self._silent is not None:
            return
        if name in _SILENT:
            self._silent = name
        elif name == "table":
            self._depth += 1
        elif self._depth == 1 and name == "tr":
            self.rows.append([])
            self._cell = None
        elif self._depth == 1 and name in _CELLS:
            if not self.rows:
                self.rows.append([])
            self._cell = _Written(attributes)
            self.rows[-1].append(self._cell)
        elif self._cell is not None and (name == "br" or name in _BREAKING or name == "tr"):
            self._cell.end_line(always=name == "br")
        elif self._cell is not None and name in _CELLS:
            self._cell.add(" ")

    def end(self, name: str) -> None:
        """An end tag."""
        if name == self._silent:
            self._silent = None
        elif name == "table" and self._depth:
            self._depth -= 1
            self.done = not self._depth
        elif self._depth == 1 and (name in _CELLS or name == "tr"):
            self._cell = None
        elif self._cell is not None and name in _BREAKING:
            self._cell.end_line(always=False)

    def text(self, data: str) -> None:
        """What stands between tags."""
        if data and self._cell is not None and self._silent is None:
            self._cell.add(unescape(_LONG_REFERENCE.sub("\ufffd", data)))


def _read(html: str) -> _TableReader:
    """The first table of the markup, read in one pass. The parser of the standard library is not used: some input that
    is never closed takes it a time that grows with the square of the length."""
    reader = _TableReader()
    place = 0
    while place < len(html) and not reader.done:
        start = html.find("<", place)
        if start < 0:
            reader.text(html[place:])
            break
        reader.text(html[place:start])
        if html[start + 1 : start + 2] not in _OPENING:
            reader.text("<")
            place = start + 1
            continue
        mark = "-->" if html.startswith("<!--", start) else ">"
        close = html.find(mark, start)
        if close < 0:
            break  # the rest is one tag that never ends
        tag = _TAG.match(html, start, close)
        place = close + len(mark)
        if tag is not None:
            name = tag[2].lower()
            if tag[1]:
                reader.end(name)
            else:
                reader.begin(name, tag[3])
    return reader


def _clean(text: str) -> str:
    return str(clean_text(text))


def _check_count(n_rows: int, n_cols: int) -> None:
    if n_rows * n_cols > MAX_PLACES:
        raise InvalidRequest(f"More than {MAX_PLACES:,} cells were copied.", _HINT)
