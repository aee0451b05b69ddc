"""The answer as text for a terminal: tables as Markdown, fields, matches, quotes and changes a line each, else the
text."""

from __future__ import annotations

from mineru_core import export
from mineru_core.document.task import Change, TaskKind
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
    if answer.quotes:
        said = [answer.text] if answer.text_model and answer.text else []
        return "\n".join([*said, *(f"page {quote.page}: {quote.text}" for quote in answer.quotes)])
    if answer.changes:
        return "\n".join(_change(change) for change in answer.changes)
    if answer.tables:
        return "\n\n".join(export.table_to_markdown(table) for table in answer.tables)
    return answer.text


def _change(change: Change) -> str:
    """A line such as "page 1 → page 2, changed: 10 → 12"."""
    pages = dict.fromkeys(f"page {page}" for page in (change.before_page, change.after_page) if page is not None)
    sides = [text for text in (change.before, change.after) if text]
    return f"{' → '.join(pages)}, {change.kind.value}: {' → '.join(sides)}"
