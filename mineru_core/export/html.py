"""The result as one self-contained HTML page, and tables as HTML. Recognised text is always escaped."""

from __future__ import annotations

from collections.abc import Collection
from html import escape
from itertools import groupby

from mineru_core.document.table import Cell, Table
from mineru_core.export.numbers import parse_number
from mineru_core.export.outline import (
    Code,
    Formula,
    Grid,
    Heading,
    Item,
    ListItem,
    ListItems,
    PageStart,
    Paragraph,
    Remarks,
    outline,
)
from mineru_core.export.result import DocumentResult
from mineru_core.export.text import language_of, printable

# Nothing is loaded and nothing runs, whatever text was recognised.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --line: #c9d0d9; --head: #eef2f7; --paper: #fff;
  --mark: #fff3d6; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --soft: #9aa5b4; --line: #3b4553; --head: #242c37;
  --paper: #161b22; --mark: #4a3b12; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); line-height: 1.6; font-family: system-ui, "Segoe UI",
  Roboto, "Helvetica Neue", Arial, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", "Noto Sans SC", sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
.source, .page { color: var(--soft); font-size: .85rem; }
.source { margin: 0 0 1.5rem; padding-bottom: .5rem; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
.page { margin: 2rem 0 .5rem; text-align: right; }
h1, h2 { line-height: 1.3; margin: 1.6em 0 .6em; }
p, li, pre { overflow-wrap: anywhere; }
.caption { color: var(--soft); font-size: .95rem; }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding-bottom: .4rem; }
th, td { border: 1px solid var(--line); padding: .35rem .6rem; vertical-align: top; text-align: left;
  max-width: 28rem; word-break: keep-all; overflow-wrap: break-word; }
th { background: var(--head); }
.num { text-align: right; }
.low-confidence { background: var(--mark); }
pre { background: var(--head); padding: .8rem 1rem; overflow-x: auto; white-space: pre-wrap; border-radius: .4rem; }
.formula { font-family: ui-monospace, Consolas, monospace; text-align: center; }
aside { margin-top: 2.5rem; padding: .6rem 1rem; border-left: 4px solid #c78a00; background: var(--head); }
@media print { :root { --ink: #000; --paper: #fff; --line: #888; --head: #f2f2f2; --soft: #444; color-scheme: light; }
  main { max-width: none; padding: 0; } .wide { overflow: visible; } tr, pre, aside { break-inside: avoid; }
  thead { display: table-header-group; } h1, h2, caption { break-after: avoid; } }
"""

_DASHES = " -–—−"
_PAGE = {"en": "Page {page}", "zh": "第 {page} 页"}


def to_html(result: DocumentResult) -> str:
    """What was asked for as a readable page: prints well, follows the reader's light or dark theme, loads nothing."""
    items = list(outline(result))
    language = language_of("".join(b.text for b in result.blocks) or result.answer.text or result.task.words)
    pages = sum(isinstance(item, PageStart) for item in items)
    body = "\n".join(filter(None, (_item(item, language, several=pages > 1) for item in items)))
    name = escape(printable(result.source))
    return (
        f'<!DOCTYPE html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{name}</title>\n<style>{_STYLE}</style>\n</head>\n"
        f'<body>\n<main>\n<p class="source">{name}</p>\n{body}\n</main>\n</body>\n</html>\n'
    )


def table_to_html(
    table: Table,
    *,
    caption: str = "",
    mark_below: float = 0.0,
    align_numbers: bool = False,
    differing: Collection[tuple[int, int]] = (),
) -> str:
    """A ``<table>`` with the table's spans; places without a cell are empty cells.

    Cells whose confidence is under ``mark_below`` (0..1) get the class ``low-confidence`` and say their confidence in
    a tooltip; cells that a person edited get the class ``edited``. With ``align_numbers``, numbers and the headers of
    columns of numbers get the class ``num``; cells that begin at the places ``differing`` (row, column) the class
    ``differs``. There is never an empty line in it, so it may stand
    in Markdown.
    """
    starts = {(c.row, c.col): c for c in table.cells}
    grid = table.grid()
    number_columns = _number_columns(table) if align_numbers else None
    rows = []
    for r, places in enumerate(grid):
        cells = [
            _cell(starts[r, c], mark_below, number_columns, (r, c) in differing) if (r, c) in starts else "<td></td>"
            for c, place in enumerate(places)
            if (r, c) in starts or place is None
        ]
        rows.append(f"<tr>{''.join(cells)}</tr>")
    head = _closed_header_rows(table)
    sections = [("thead", rows[:head]), ("tbody", rows[head:])]
    inner = "\n".join(f"<{tag}>\n" + "\n".join(part) + f"\n</{tag}>" for tag, part in sections if part)
    title = f"<caption>{_text(caption)}</caption>\n" if caption else ""
    return f"<table>\n{title}{inner}\n</table>" if inner else f"<table>\n{title}</table>"


def _closed_header_rows(table: Table) -> int:
    """Rows for ``thead``: none where a header cell reaches into the body, as a browser would cut it off there."""
    head = table.header_rows
    reaches = any(c.row < head < c.row + c.rowspan for c in table.cells)
    return 0 if reaches else head


def _number_columns(table: Table) -> frozenset[int]:
    """Columns whose cells, but for headers and empty ones, are numbers more often than not."""
    balance = [0] * table.n_cols
    for cell in table.cells:
        if not cell.header and cell.colspan == 1 and cell.text.strip(_DASHES):
            balance[cell.col] += 1 if parse_number(cell.text) else -1
    return frozenset(column for column, more in enumerate(balance) if more > 0)


def _is_aligned_right(cell: Cell, number_columns: frozenset[int]) -> bool:
    if parse_number(cell.text) is not None:
        return True
    among_numbers = cell.colspan == 1 and cell.col in number_columns
    return among_numbers and (cell.header or not cell.text.strip(_DASHES))


def _cell(cell: Cell, mark_below: float, number_columns: frozenset[int] | None, differs: bool) -> str:
    tag = "th" if cell.header else "td"
    classes, attributes = [], ""
    if number_columns is not None and cell.text and _is_aligned_right(cell, number_columns):
        classes.append("num")
    if cell.rowspan > 1:
        attributes += f' rowspan="{cell.rowspan}"'
    if cell.colspan > 1:
        attributes += f' colspan="{cell.colspan}"'
    if cell.confidence < mark_below and not cell.edited:
        classes.append("low-confidence")
        attributes += f' title="{cell.confidence:.0%}"'
    if cell.edited:
        classes.append("edited")
    if differs:
        classes.append("differs")
    if classes:
        attributes += f' class="{" ".join(classes)}"'
    return f"<{tag}{attributes}>{_text(cell.text)}</{tag}>"


def _text(text: str) -> str:
    """Escaped text; line ends become ``<br>``."""
    return escape(printable(text)).replace("\n", "<br>")


def _item(item: Item, language: str, *, several: bool) -> str:
    match item:
        case PageStart(page):
            return f'<p class="page">{_PAGE[language].format(page=page)}</p>' if several else ""
        case Heading(level, text):
            return f"<h{level}>{_text(text)}</h{level}>"
        case Paragraph(text, caption):
            return f'<p class="caption">{_text(text)}</p>' if caption else f"<p>{_text(text)}</p>"
        case ListItems(items):
            return "\n".join(_list(list(group)) for _, group in groupby(items, key=lambda i: i.number is None))
        case Formula(latex):
            return f'<p class="formula">{_text(latex)}</p>'
        case Code(text):
            return f"<pre>{escape(text)}</pre>"
        case Grid(table, caption):
            return f'<div class="wide">{table_to_html(table, caption=caption, align_numbers=True)}</div>'
        case Remarks(title, lines):
            listed = "".join(f"<li>{_text(line)}</li>" for line in lines)
            return f"<aside><strong>{_text(title)}</strong><ul>{listed}</ul></aside>"


def _list(items: list[ListItem]) -> str:
    """Items of one sort: numbered as printed, or with bullets."""
    if items[0].number is None:
        return "<ul>" + "".join(f"<li>{_text(i.text)}</li>" for i in items) + "</ul>"
    return "<ol>" + "".join(f'<li value="{i.number}">{_text(i.text)}</li>' for i in items) + "</ol>"
