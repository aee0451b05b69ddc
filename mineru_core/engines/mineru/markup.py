"""Tables in HTML or Markdown, which the Pro models write for pictures, and charts in Markdown tables."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from mineru_core.document.chart import Chart, ChartKind, Point, Series
from mineru_core.document.geometry import Box
from mineru_core.document.table import Cell, Table

_MOST_SPAN = 1000
_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*")
# A currency sign may stand before, a unit behind.
_NUMBER = re.compile(r"[^\w.+−-]*([-+−]?(?:\d[\d,]*(?:\.\d+)?|\.\d+))\s*\D*")
_KINDS = {
    "bar": ChartKind.BAR,
    "column": ChartKind.BAR,
    "histogram": ChartKind.BAR,
    "line": ChartKind.LINE,
    "area": ChartKind.AREA,
    "scatter": ChartKind.SCATTER,
    "pie": ChartKind.PIE,
}


def table_from_html(text: str, box: Box | None = None, confidence: float = 1.0) -> Table | None:
    """The first table of ``text`` with its spans; None where there is none. Cells have no places.

    A span that would reach over another cell is cut short.
    """
    parser = _TableParser()
    parser.feed(text)
    parser.close()
    taken: set[tuple[int, int]] = set()
    cells: list[Cell] = []
    for row, line in enumerate(parser.rows):
        col = 0
        for cell in line:
            while (row, col) in taken:
                col += 1
            width = 1
            while width < cell.colspan and (row, col + width) not in taken:
                width += 1
            height = min(cell.rowspan, len(parser.rows) - row)
            taken.update((r, c) for r in range(row, row + height) for c in range(col, col + width))
            cells.append(
                Cell(
                    row=row,
                    col=col,
                    rowspan=height,
                    colspan=width,
                    text=cell.text,
                    header=cell.header,
                    confidence=confidence,
                )
            )
    if not cells:
        return None
    width = max(cell.col + cell.colspan for cell in cells)
    return Table(n_rows=len(parser.rows), n_cols=width, cells=tuple(cells), box=box, confidence=confidence)


def rows_from_markdown(text: str) -> list[list[str]] | None:
    """The rows of a Markdown table, its head first; None where ``text`` is not one."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    if len(lines) < 2 or "|" not in lines[0] or not _RULE.fullmatch(lines[1]):
        return None
    return [_split(line) for line in (lines[0], *lines[2:])]


def chart_from_markdown(text: str, kind: str, box: Box, confidence: float) -> Chart | None:
    """A chart whose data stand in a Markdown table, a series a column; None where they do not.

    ``kind`` is the model's word for the sort of chart. What is no number is a point without a value.
    """
    rows = rows_from_markdown(text)
    if rows is None or len(rows) < 2 or len(rows[0]) < 2:
        return None
    head, *body = rows
    series = tuple(
        Series(
            name=name,
            points=tuple(
                Point(x=row[0], y=_number(row[column]), confidence=confidence) for row in body if column < len(row)
            ),
        )
        for column, name in enumerate(head)
        if column > 0
    )
    found = next((meant for word, meant in _KINDS.items() if word in kind.lower()), ChartKind.OTHER)
    return Chart(kind=found, series=series, box=box, confidence=confidence)


def _split(line: str) -> list[str]:
    inner = line.removeprefix("|")
    if inner.endswith("|") and not inner.endswith("\\|"):
        inner = inner[:-1]
    return [cell.replace("\\|", "|").strip() for cell in re.split(r"(?<!\\)\|", inner)]


def _number(text: str) -> float | None:
    """The number that ``text`` is, thousands set apart by commas; None where it is something else."""
    found = _NUMBER.fullmatch(text)
    return None if found is None else float(found[1].replace(",", "").replace("−", "-"))


class _Written:
    """One cell as it is written down."""

    def __init__(self, attributes: dict[str, str | None], header: bool) -> None:
        self.rowspan = _span(attributes.get("rowspan"))
        self.colspan = _span(attributes.get("colspan"))
        self.header = header
        self.pieces: list[str] = []

    @property
    def text(self) -> str:
        lines = "".join(self.pieces).split("\n")
        return "\n".join(" ".join(line.split()) for line in lines).strip()


class _TableParser(HTMLParser):
    """Collects the cells of the first table."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.rows: list[list[_Written]] = []
        self._depth = 0
        self._done = False
        self._cell: _Written | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a table, a row or a cell."""
        if tag == "table":
            self._depth += 1
        if self._done or self._depth != 1:
            return
        if tag == "tr":
            self._cell = None
            self.rows.append([])
        elif tag in ("td", "th"):
            if not self.rows:
                self.rows.append([])
            self._cell = _Written(dict(attrs), tag == "th")
            self.rows[-1].append(self._cell)
        elif tag == "br" and self._cell is not None:
            self._cell.pieces.append("\n")

    def handle_endtag(self, tag: str) -> None:
        """End a cell or the table."""
        if tag == "table" and self._depth:
            self._depth -= 1
            self._done = self._done or not self._depth
        elif tag in ("td", "th", "tr") and self._depth == 1:
            self._cell = None

    def handle_data(self, data: str) -> None:
        """Text of the cell at hand."""
        if self._cell is not None and not self._done:
            self._cell.pieces.append(data.replace("\n", " "))


def _span(value: str | None) -> int:
    return min(_MOST_SPAN, max(1, int(value))) if value is not None and value.strip().isdecimal() else 1
