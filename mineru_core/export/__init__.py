"""Results out: CSV, XLSX, Markdown, HTML, JSON, content_list, searchable PDF: all from the same tables and blocks."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mineru_core.export.content_list import to_content_list
from mineru_core.export.files import FORMATS, check_formats, safe_name, to_zip, write_beside, write_files
from mineru_core.export.html import table_to_html, to_html
from mineru_core.export.json import result_schema, to_json
from mineru_core.export.markdown import table_to_markdown, to_markdown
from mineru_core.export.result import DocumentResult
from mineru_core.export.tabular import (
    changes_to_csv,
    chart_to_csv,
    chart_to_long_csv,
    fields_by_file_to_csv,
    fields_to_csv,
    quotes_to_csv,
    table_to_csv,
)

if TYPE_CHECKING:
    from mineru_core.export.book import chart_to_xlsx, result_to_xlsx
    from mineru_core.export.searchable_pdf import to_searchable_pdf
    from mineru_core.export.workbook import tables_to_xlsx

__all__ = [
    "FORMATS",
    "DocumentResult",
    "changes_to_csv",
    "chart_to_csv",
    "chart_to_long_csv",
    "chart_to_xlsx",
    "check_formats",
    "fields_by_file_to_csv",
    "fields_to_csv",
    "quotes_to_csv",
    "result_schema",
    "result_to_xlsx",
    "safe_name",
    "table_to_csv",
    "table_to_html",
    "table_to_markdown",
    "tables_to_xlsx",
    "to_content_list",
    "to_html",
    "to_json",
    "to_markdown",
    "to_searchable_pdf",
    "to_zip",
    "write_beside",
    "write_files",
]


_LATER = {
    "chart_to_xlsx": "book",
    "result_to_xlsx": "book",
    "tables_to_xlsx": "workbook",
    "to_searchable_pdf": "searchable_pdf",
}
"""Names and the modules they are in. openpyxl takes most of a second to import, and most callers write no workbook."""


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
