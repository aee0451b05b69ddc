"""The result as Markdown (CommonMark with GitHub's tables)."""

from __future__ import annotations

import re

from mineru_core.document.table import Table
from mineru_core.export.html import table_to_html
from mineru_core.export.outline import (
    Code,
    Formula,
    Grid,
    Heading,
    Item,
    ListItems,
    PageStart,
    Paragraph,
    Remarks,
    outline,
)
from mineru_core.export.result import DocumentResult
from mineru_core.export.text import printable

# Characters that mean something inside a line; an underscore within a word does not.
_INLINE = re.compile(r"[\\`*\[<~]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)")
# What means something at the start of a line: headings, quotes, bullets, rules, underlines, rows of a table.
_LINE_START = re.compile(r"#{1,6}(?=\s|$)|>|[+-](?=\s|$)|[-=:|][-=:|\s]*$|\|")
# "12. Text" may become an item of a list, which prints the same; a year would not be meant as one.
_LONG_NUMBER = re.compile(r"(\d{3,9})([.)])(?=\s|$)")


def to_markdown(result: DocumentResult) -> str:
    """What was asked for: tables without spans as pipe tables, others as HTML; ends with a line end if not empty."""
    parts = [text for item in outline(result) if (text := _item(item))]
    return "\n\n".join(parts) + "\n" if parts else ""


def escape(text: str) -> str:
    """One or more lines of plain text as Markdown that shows exactly this text."""
    return "\n".join(_escape_line(line.strip()) for line in text.split("\n")).strip("\n")


def table_to_markdown(table: Table) -> str:
    """A pipe table, its first row as the head; HTML where cells span. "" for a table without cells."""
    if not table.n_rows or not table.n_cols:
        return ""
    if any(c.rowspan > 1 or c.colspan > 1 for c in table.cells):
        return table_to_html(table)
    rows = [f"| {' | '.join(map(_escape_cell, row))} |" for row in table.rows()]
    rows.insert(1, "|" + " --- |" * table.n_cols)
    return "\n".join(rows)


def _item(item: Item) -> str:
    match item:
        case PageStart():
            return ""
        case Heading(level, text):
            # A closing run of # would be taken for decoration.
            return f"{'#' * level} " + re.sub(r"#(?=#*$)", r"\\#", _escape_inline(text))
        case Paragraph(text):
            return escape(_without_blank_lines(text))
        case ListItems(items):
            lines = (f"{'-' if i.number is None else f'{i.number}.'} {_continued(i.text)}" for i in items)
            return "\n".join(lines)
        case Formula(latex):
            return f"$$\n{_without_blank_lines(latex)}\n$$"
        case Code(text):
            return _fenced(text)
        case Grid(table, caption):
            return "\n\n".join(
                filter(None, [f"**{_escape_inline(caption)}**" if caption else "", table_to_markdown(table)])
            )
        case Remarks(title, lines):
            return f"> **{title}**\n>\n" + "\n".join(f"> - {_escape_inline(line)}" for line in lines)


def _escape_inline(text: str) -> str:
    return _INLINE.sub(lambda m: "\\" + m[0], printable(text).replace("\n", " "))


def _escape_line(line: str) -> str:
    start = _LINE_START.match(line)
    number = _LONG_NUMBER.match(line)
    escaped = _escape_inline(line)
    if number:
        return f"{number[1]}\\{escaped[len(number[1]) :]}"
    return "\\" + escaped if start and not escaped.startswith("\\") else escaped


def _escape_cell(text: str) -> str:
    lines = (_escape_inline(line.strip()).replace("|", "\\|") for line in printable(text).split("\n"))
    return "<br>".join(lines)


def _continued(text: str) -> str:
    """The text of a list item; its further lines are set in, so that they stay in the item."""
    return escape(text).replace("\n", "\n  ")


def _without_blank_lines(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if line.strip())


def _fenced(text: str) -> str:
    """A code block whose fence is longer than any run of backticks in it."""
    longest = max(map(len, re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"
