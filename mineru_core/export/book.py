"""The whole result as one workbook: a sheet a table and a chart, one for the fields, changes and quotes, and a last one
that says where from."""

from __future__ import annotations

from collections.abc import Iterator

from mineru_core.document.chart import Chart
from mineru_core.document.table import DOUBTFUL_BELOW, Table
from mineru_core.errors import InvalidRequest
from mineru_core.export.outline import chart_grid, headed, listed
from mineru_core.export.result import DocumentResult
from mineru_core.export.tabular import change_rows, field_rows, place_of, quote_rows
from mineru_core.export.text import printable
from mineru_core.export.workbook import Sheets

_WORDS = {
    "en": {"sources": "Sources", "chart": "Chart", "fields": "Fields", "changes": "Changes", "quotes": "Quotes"},
    "zh": {"sources": "来源", "chart": "图表", "fields": "字段", "changes": "变化", "quotes": "引文"},
}
_HEADS = {
    "en": "Sheet|Document|Page|Place (x0, y0, x1, y1 in page pixels)|Confidence|Doubtful cells|Edited cells|Read by",
    "zh": "工作表|文档|页|位置（x0, y0, x1, y1，页面像素）|置信度|存疑单元格|人工修改的单元格|读取引擎",
}


def result_to_xlsx(result: DocumentResult) -> bytes:
    """A workbook of the result's tables, charts, fields, changes and quotes, in reading order, and of their sources.

    The sources name for each sheet the document, page, place, confidence, how many cells are doubtful or were edited
    by a person, and the engine. Raises ``InvalidRequest`` where there is nothing to write.
    """
    language = result.task.language if result.task.language in _WORDS else "en"
    words = _WORDS[language]
    sheets = Sheets()
    rows: list[list[str]] = []
    for table, wish, origin in _sheets(result, words):
        name = sheets.add(table, wish)
        rows.append([name, printable(result.source), *origin, result.engine])
    if not rows:
        raise InvalidRequest(
            "There is no table, chart, field, change or quote to write.", "Ask for tables, charts or fields."
        )
    sheets.add(headed(_HEADS[language].split("|"), rows), words["sources"])
    return sheets.to_bytes()


def chart_to_xlsx(chart: Chart, *, name: str = "") -> bytes:
    """A workbook of one chart in wide form, numbers as numbers. ``name`` is the wished name of its sheet (default: the
    chart's title, else "Chart")."""
    sheets = Sheets()
    sheets.add(chart_grid(chart).table, name or chart.title or _WORDS["en"]["chart"])
    return sheets.to_bytes()


def _sheets(result: DocumentResult, words: dict[str, str]) -> Iterator[tuple[Table, str, list[str]]]:
    """Each sheet's cells, the name it would like to have, and its columns of the sources."""
    for table in result.tables:
        doubtful = sum(c.doubtful for c in table.cells)
        edited = sum(c.edited for c in table.cells)
        yield (
            table,
            table.caption,
            [str(table.page), place_of(table.box), f"{table.confidence:.2f}", str(doubtful), str(edited)],
        )
    for number, chart in enumerate(result.charts, 1):
        points = [p.confidence for s in chart.series for p in s.points]
        doubtful = sum(c < DOUBTFUL_BELOW for c in points)
        origin = [str(chart.page), place_of(chart.box), f"{chart.confidence:.2f}", str(doubtful), ""]
        yield chart_grid(chart).table, chart.title or f"{words['chart']} {number}", origin
    if result.answer.fields:
        yield listed(field_rows(result.answer.fields)), words["fields"], [""] * 5
    if result.answer.changes:
        yield listed(change_rows(result.answer.changes)), words["changes"], [""] * 5
    if result.answer.quotes:
        yield listed(quote_rows(result.answer.quotes)), words["quotes"], [""] * 5
