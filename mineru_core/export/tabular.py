"""Tables, charts and fields as CSV: UTF-8 with a byte order mark (spreadsheets need it for Chinese), CRLF, RFC 4180."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from mineru_core.document.chart import Chart
from mineru_core.document.geometry import Box
from mineru_core.document.table import Table
from mineru_core.document.task import Change, FieldValue, Quote
from mineru_core.export.guard import guard as guarded

BOM = "\ufeff"
FIELD_COLUMNS = ("field", "value", "label", "page", "confidence")
CHANGE_COLUMNS = (
    "change",
    "before",
    "after",
    "before_page",
    "before_place",
    "after_page",
    "after_place",
    "row",
    "column",
    "confidence",
)
QUOTE_COLUMNS = ("text", "page", "place", "confidence")


def table_to_csv(table: Table, *, guard: bool = True) -> bytes:
    """The table; a spanning text stands in its first place. ``guard`` keeps cells from being run as formulas."""
    return _csv(table.rows(), guard=guard)


def chart_to_csv(chart: Chart, *, guard: bool = True) -> bytes:
    """The chart in wide form: a header row, first column the categories (or x), one column a series."""
    return _csv(chart.rows(), guard=guard)


def chart_to_long_csv(chart: Chart, *, guard: bool = True) -> bytes:
    """The chart in long form: one row a point, with its series, unit, confidence and source (``Chart.long_rows``)."""
    return _csv(chart.long_rows(), guard=guard)


def fields_to_csv(fields: Sequence[FieldValue], *, guard: bool = True) -> bytes:
    """One row a field that was asked for; value, label and page are empty where it was not found."""
    return _csv(field_rows(fields), guard=guard)


def field_rows(fields: Sequence[FieldValue]) -> list[list[str]]:
    """The fields under a row of headings."""
    rows = [
        [f.name, f.value, f.label, "" if f.page is None else str(f.page), f"{f.confidence:.2f}" if f.found else ""]
        for f in fields
    ]
    return [list(FIELD_COLUMNS), *rows]


def changes_to_csv(changes: Sequence[Change], *, guard: bool = True) -> bytes:
    """One row a change: what it is, what stood there, what stands there now, and the places (see ``change_rows``)."""
    return _csv(change_rows(changes), guard=guard)


def change_rows(changes: Sequence[Change]) -> list[list[str]]:
    """The changes under a row of headings. Places are x0, y0, x1, y1 in page pixels; rows and columns of tables count
    from 1; empty on a side where nothing stands."""
    rows = [
        [
            change.kind.value,
            change.before,
            change.after,
            _number(change.before_page),
            place_of(change.before_box),
            _number(change.after_page),
            place_of(change.after_box),
            _number(change.row, 1),
            _number(change.col, 1),
            f"{change.confidence:.2f}",
        ]
        for change in changes
    ]
    return [list(CHANGE_COLUMNS), *rows]


def quotes_to_csv(quotes: Sequence[Quote], *, guard: bool = True) -> bytes:
    """One row a quoted sentence, line or row of a table."""
    return _csv(quote_rows(quotes), guard=guard)


def quote_rows(quotes: Sequence[Quote]) -> list[list[str]]:
    """The quotes under a row of headings; places are x0, y0, x1, y1 in page pixels."""
    rows = [[quote.text, str(quote.page), place_of(quote.box), f"{quote.confidence:.2f}"] for quote in quotes]
    return [list(QUOTE_COLUMNS), *rows]


def place_of(box: Box | None) -> str:
    """A box as "x0, y0, x1, y1" in whole pixels; "" where there is none."""
    return "" if box is None else ", ".join(f"{value:.0f}" for value in box)


def _number(number: int | None, first: int = 0) -> str:
    return "" if number is None else str(number + first)


def fields_by_file_to_csv(files: Sequence[tuple[str, Sequence[FieldValue]]], *, guard: bool = True) -> bytes:
    """The fields of many documents: one row a document under its name, one column a field in the order first seen.

    A field that a document has twice gives its values joined by "; ".
    """
    names = list(dict.fromkeys(field.name for _, fields in files for field in fields))
    rows = [["file", *names]]
    for source, fields in files:
        values: dict[str, list[str]] = {}
        for field in fields:
            if field.value:
                values.setdefault(field.name, []).append(field.value)
        rows.append([source, *("; ".join(values.get(name, [])) for name in names)])
    return _csv(rows, guard=guard)


def _csv(rows: Iterable[Sequence[str]], *, guard: bool) -> bytes:
    out = io.StringIO(newline="")
    out.write(BOM)
    writer = csv.writer(out, lineterminator="\r\n")
    for row in rows:
        # No format has a place for NUL, and readers stop at it.
        clean = [text.replace("\0", "") for text in row]
        writer.writerow([guarded(text) for text in clean] if guard else clean)
    return out.getvalue().encode("utf-8", errors="replace")
