"""MinerU Workbench: scans, PDF pages and slide screenshots to text, tables and chart data.

    from mineru_core import Analyzer, open_document

    with Analyzer() as analyzer:
        result = analyzer.analyze(open_document("scan.png"), "extract the tables")
        result.tables[0].to_dataframe()
        result.save("out", formats=["csv", "xlsx"])

Names are imported when they are first used, so ``import mineru_core`` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mineru_core.version import __version__

if TYPE_CHECKING:
    from mineru_core.document.analysis import Block, BlockType, DocumentAnalysis, PageAnalysis, PageFailure, Part
    from mineru_core.document.chart import Chart
    from mineru_core.document.geometry import Box
    from mineru_core.document.page import Page
    from mineru_core.document.table import Cell, Table
    from mineru_core.document.task import Answer, FieldValue, Match, Note, Region, Task, TaskKind
    from mineru_core.engines.base import Engine
    from mineru_core.errors import WorkbenchError
    from mineru_core.export.result import DocumentResult
    from mineru_core.instruct import parse_words
    from mineru_core.intake import Document, open_document
    from mineru_core.runtime.context import Progress, RunContext
    from mineru_core.serving.analyzer import Analyzer
    from mineru_core.settings import Settings, load_settings

__all__ = [
    "Analyzer",
    "Answer",
    "Block",
    "BlockType",
    "Box",
    "Cell",
    "Chart",
    "Document",
    "DocumentAnalysis",
    "DocumentResult",
    "Engine",
    "FieldValue",
    "Match",
    "Note",
    "Page",
    "PageAnalysis",
    "PageFailure",
    "Part",
    "Progress",
    "Region",
    "RunContext",
    "Settings",
    "Table",
    "Task",
    "TaskKind",
    "WorkbenchError",
    "__version__",
    "load_settings",
    "open_document",
    "parse_words",
]

_HOMES = {
    "document.analysis": ("Block", "BlockType", "DocumentAnalysis", "PageAnalysis", "PageFailure", "Part"),
    "document.chart": ("Chart",),
    "document.geometry": ("Box",),
    "document.page": ("Page",),
    "document.table": ("Cell", "Table"),
    "document.task": ("Answer", "FieldValue", "Match", "Note", "Region", "Task", "TaskKind"),
    "engines.base": ("Engine",),
    "errors": ("WorkbenchError",),
    "export.result": ("DocumentResult",),
    "instruct": ("parse_words",),
    "intake": ("Document", "open_document"),
    "runtime.context": ("Progress", "RunContext"),
    "serving.analyzer": ("Analyzer",),
    "settings": ("Settings", "load_settings"),
}
_MODULE_OF = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
