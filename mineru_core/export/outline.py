"""The result as a flow of headings, paragraphs, tables …: what the Markdown and the HTML export both write down.

What is asked for comes out: the whole flow of the document for "everything" and "text", else only the tables, charts,
formulas, fields, hits, quotes or changes of the answer. Furniture (headers, footers, page numbers) is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mineru_core.document.analysis import Block, BlockType
from mineru_core.document.chart import Chart
from mineru_core.document.table import Cell, Table
from mineru_core.document.task import Answer, Change, TaskKind
from mineru_core.export.result import DocumentResult
from mineru_core.export.text import one_line, printable

_WORDS = {
    "en": {
        "field": "Field",
        "value": "Value",
        "page": "Page",
        "text": "Text",
        "change": "Change",
        "before": "Before",
        "after": "After",
        "added": "added",
        "removed": "removed",
        "changed": "changed",
        "notes": "Notes",
        "failed": "Page {page} could not be read: {message}",
        "block_failed": "A block of page {page} could not be read. {message}",
    },
    "zh": {
        "field": "字段",
        "value": "值",
        "page": "页",
        "text": "文字",
        "change": "变化",
        "before": "之前",
        "after": "之后",
        "added": "新增",
        "removed": "删除",
        "changed": "修改",
        "notes": "说明",
        "failed": "第 {page} 页无法读取：{message}",
        "block_failed": "第 {page} 页有一处无法读取。{message}",
    },
}

_BULLET = re.compile(r"[•·▪●○■□◆◇‣⁃*–—-]\s*(?=\S)")
_ENUMERATED = re.compile(r"(\d{1,3})[.)]\s+(?=\S)")


@dataclass(frozen=True)
class PageStart:
    """The blocks of a page follow."""

    page: int


@dataclass(frozen=True)
class Heading:
    """A title; ``level`` 1 for the document's first, 2 for the others."""

    level: int
    text: str


@dataclass(frozen=True)
class Paragraph:
    """Running text; line ends are kept."""

    text: str
    caption: bool = False


@dataclass(frozen=True)
class ListItem:
    """An item of a list; ``number`` None where it has a bullet."""

    number: int | None
    text: str


@dataclass(frozen=True)
class ListItems:
    """A list."""

    items: tuple[ListItem, ...]


@dataclass(frozen=True)
class Formula:
    """LaTeX, without the dollar signs."""

    latex: str


@dataclass(frozen=True)
class Code:
    """Text whose white space counts."""

    text: str


@dataclass(frozen=True)
class Grid:
    """A table and the caption to print with it ("" where the caption stands in the flow)."""

    table: Table
    caption: str = ""


@dataclass(frozen=True)
class Remarks:
    """What the reader should know: notes on the answer, warnings, pages that failed."""

    title: str
    lines: tuple[str, ...]


Item = PageStart | Heading | Paragraph | ListItems | Formula | Code | Grid | Remarks


def outline(result: DocumentResult) -> Iterator[Item]:
    """Every item in reading order, the remarks last. Texts are free of control codes, but escaped for no format."""
    words = _WORDS.get(result.task.language, _WORDS["en"])
    if result.answer.kind in (TaskKind.EVERYTHING, TaskKind.TEXT):
        yield from _document(result)
    else:
        yield from _answer(result.answer, words)
    remarks = [note.message for note in result.answer.notes] + list(result.warnings)
    sides = (result.analysis,) if result.before is None else (result.before, result.analysis)
    for side in sides:
        for failure in side.failures:
            said = words["failed" if failure.block is None else "block_failed"]
            told = said.format(page=failure.page, message=f"{failure.message} {failure.hint}".strip())
            remarks.append(told if result.before is None else f"{one_line(side.source)}: {told}")
    if remarks:
        yield Remarks(words["notes"], tuple(printable(text) for text in remarks))


def _document(result: DocumentResult) -> Iterator[Item]:
    titled = False
    for page in result.analysis.pages:
        yield PageStart(page.page)
        captions = {b.text for b in page.blocks if b.type is BlockType.TABLE_CAPTION}
        for block in page.blocks:
            if block.type.is_furniture:
                continue
            if block.type is BlockType.TITLE and block.text.strip():
                yield Heading(2 if titled else 1, one_line(block.text))
                titled = True
            else:
                yield from _block(block, captions)


def _block(block: Block, captions: set[str]) -> Iterator[Item]:
    text = printable(block.text).strip("\n")
    if block.table is not None:
        caption = "" if block.table.caption in captions else block.table.caption
        yield Grid(block.table, one_line(caption))
    elif block.chart is not None:
        yield chart_grid(block.chart)
    elif not text.strip():
        return
    elif block.type is BlockType.LIST:
        yield ListItems(_list_items(text))
    elif block.type is BlockType.EQUATION:
        yield Formula(text.strip().strip("$").strip())
    elif block.type is BlockType.CODE:
        yield Code(text)
    else:
        yield Paragraph(text, caption=block.type in (BlockType.IMAGE_CAPTION, BlockType.TABLE_CAPTION))


def _answer(answer: Answer, words: dict[str, str]) -> Iterator[Item]:
    for table in answer.tables:
        yield Grid(table, one_line(table.caption))
    for chart in answer.charts:
        yield chart_grid(chart)
    for block in answer.blocks:
        yield from _block(block, set())
    if answer.fields:
        head = [words["field"], words["value"], words["page"]]
        yield Grid(headed(head, [[f.name, f.value, "" if f.page is None else str(f.page)] for f in answer.fields]))
    if answer.matches:
        yield Grid(headed([words["page"], words["text"]], [[str(m.page), m.text] for m in answer.matches]))
    if answer.text_model and answer.text:
        yield Paragraph(printable(answer.text))
    if answer.quotes:
        yield Grid(headed([words["page"], words["text"]], [[str(q.page), q.text] for q in answer.quotes]))
    if answer.changes:
        head = [words["change"], words["before"], words["after"], words["page"]]
        yield Grid(headed(head, [_change(change, words) for change in answer.changes]))


def _change(change: Change, words: dict[str, str]) -> list[str]:
    pages = dict.fromkeys(str(page) for page in (change.before_page, change.after_page) if page is not None)
    return [words[change.kind.value], change.before, change.after, " → ".join(pages)]


def chart_grid(chart: Chart) -> Grid:
    """The chart's numbers in wide form, under its title."""
    return Grid(listed(chart.rows()), one_line(chart.title))


def headed(head: list[str], body: list[list[str]]) -> Table:
    """A table under one row of header cells."""
    rows = [head, *body]
    cells = tuple(
        Cell(row=i, col=j, text=text, header=i == 0) for i, row in enumerate(rows) for j, text in enumerate(row)
    )
    return Table(n_rows=len(rows), n_cols=len(head), cells=cells)


def listed(rows: list[list[str]]) -> Table:
    """Rows of which the first are the headings as a table."""
    return headed(rows[0], rows[1:])


def _list_items(text: str) -> tuple[ListItem, ...]:
    """A line that begins with a bullet or a number begins an item; other lines go on with the one before."""
    items: list[ListItem] = []
    for line in filter(None, map(str.strip, text.split("\n"))):
        bullet, number = _BULLET.match(line), _ENUMERATED.match(line)
        if number:
            items.append(ListItem(int(number[1]), line[number.end() :]))
        elif bullet or not items:
            items.append(ListItem(None, line[bullet.end() if bullet else 0 :]))
        else:
            items[-1] = ListItem(items[-1].number, f"{items[-1].text}\n{line}")
    return tuple(items)
