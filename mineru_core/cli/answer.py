"""The answer as text for a terminal: tables as Markdown, fields and matches a line each, else the text."""

from __future__ import annotations

from mineru_core import export
from mineru_core.document.task import TaskKind
from mineru_core.export.result import DocumentResult


def answer_as_text(result: DocumentResult) -> str:
    """What was asked for, without what was not."""
    answer = result.answer
    if answer.kind is TaskKind.EVERYTHING:
        return export.to_markdown(result)
    if answer.fields:
        return "\n".join(f"{field.name}: {field.value}" for field in answer.fields)
    if answer.matches:
        return "\n".join(f"page {match.page}: {match.text}" for match in answer.matches)
    if answer.tables:
        return "\n\n".join(export.table_to_markdown(table) for table in answer.tables)
    return answer.text
