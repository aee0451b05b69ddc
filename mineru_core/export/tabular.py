"""Tables, charts and fields as CSV: UTF-8 with a byte order mark (spreadsheets need it for Chinese), CRLF, RFC 4180."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from mineru_core.document.chart import Chart
from mineru_core.document.table import Table
from mineru_core.document.task import FieldValue
from mineru_core.export.guard import guard as guarded

BOM = "\ufeff"
FIELD_COLUMNS = ("field", "value", "label", "page", "confidence")


def table_to_csv(table: Table, *, guard: bool = True) -> bytes:
    """The table; a spanning text stands in its first place. ``guard`` keeps cells from being run as formulas."""
    return _csv(table.rows(), guard=guard)


def chart_to_csv(chart: Chart, *, guard: bool = True) -> bytes:
    """The chart in wide form: a header row, first column the categories (or x), one column a series."""
    return _csv(chart.rows(), guard=guard)


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
