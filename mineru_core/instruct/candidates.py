"""Values that may be a field's: beside its label, below it, or in the neighbouring cell of a table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

from mineru_core.document.geometry import Box
from mineru_core.document.table import Cell, Table
from mineru_core.instruct.field_names import ValueType
from mineru_core.instruct.labels import LabelHit, Wanted, has_own_label, label_hits, next_label
from mineru_core.instruct.normalize import has_han
from mineru_core.instruct.places import span_box
from mineru_core.instruct.sheet import Item, Sheet, column_end, following_lines
from mineru_core.instruct.values import Span, has_cents, spans

_FREE = (ValueType.ANY, ValueType.NAME, ValueType.ADDRESS)
_TO_COLON = re.compile(r"[^:：\d]{0,14}[:：]\s*")
_NO_TEXT = re.compile(r"[\s:：.,;=_|#()\-]*(?:no|rm|usd|rmb|元|小写|¥|￥|\$)?[\s:：.,;=_|#()\-]*", re.IGNORECASE)
_MOST_ADDRESS_LINES = 3


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value that may be the field's; ``score`` 0..1 becomes its confidence. ``height`` is its line's, pixels."""

    value: str
    label: str
    page: int
    box: Box
    score: float
    height: float = 0.0

    @classmethod
    def of(cls, item: Item, span: Span, score: float, label: str = "") -> Self:
        """The part of a line; how surely the line was read counts in."""
        start, end = span
        sure = score * (0.5 + 0.5 * item.line.confidence)
        return cls(item.text[start:end], label, item.page, span_box(item.line, start, end), sure, item.box.height)


def joined(items: Sequence[Item], score: float, label: str = "") -> Candidate:
    """Lines that follow each other as one value."""
    text = items[0].text.strip()
    for item in items[1:]:
        text += ("" if has_han(text[-1:]) else " ") + item.text.strip()
    confidence = min(item.line.confidence for item in items)
    box = Box.around(item.line.box for item in items)
    return Candidate(text, label, items[0].page, box, score * (0.5 + 0.5 * confidence), items[0].box.height)


def labelled(sheet: Sheet, wanted: Wanted, *, fuzzy: bool) -> Iterator[Candidate]:
    """Every value of the page that a label of the field points to."""
    value_type = wanted.kind.type if wanted.kind is not None else ValueType.ANY
    for item in sheet.items:
        for hit in label_hits(item.text, item.letters, wanted, fuzzy=fuzzy):
            yield from _around(sheet, item, hit, value_type)
    for table, cells in sheet.tables:
        yield from _in_table(sheet, table, cells, wanted, value_type, fuzzy=fuzzy)


def _around(sheet: Sheet, item: Item, hit: LabelHit, value_type: ValueType) -> Iterator[Candidate]:
    label = item.text[hit.start : hit.end]
    same = _same_line(sheet, item, hit, value_type)
    if same is not None:
        yield replace(same, label=label)
        return
    alone = _NO_TEXT.fullmatch(item.text[hit.end :]) and _NO_TEXT.fullmatch(item.text[: hit.start])
    if value_type in _FREE and not alone:
        return  # the word is part of a longer text, which is no label of a text beside it
    if (right := _right(sheet, item, value_type)) is not None:
        yield replace(right, label=label, score=right.score * hit.wording)
    elif (below := _below(sheet, item, hit, value_type)) is not None:
        yield replace(below, label=label, score=below.score * hit.wording)


def _same_line(sheet: Sheet, item: Item, hit: LabelHit, value_type: ValueType) -> Candidate | None:
    """The value after the label on its own line, up to the next label or column."""
    colon = _TO_COLON.match(item.text[hit.end :])
    begin = hit.end + (colon.end() if colon else 0)
    end = begin + next_label(item.text[begin:])
    if value_type in _FREE:
        end = min(end, column_end(item.line, begin))
    span = pick(value_type, item.text[begin:end])
    if span is None:
        return None
    span = (begin + span[0], begin + span[1])
    geometry = 1.0 if colon else 0.92
    if value_type in _FREE and not colon:
        if item.text[: hit.start].strip():
            return None  # the word in running text is no label
        geometry = 0.6
    elif span[0] - begin > 14:
        geometry *= 0.6
    if value_type is ValueType.ADDRESS:
        return _address(sheet, item, span, geometry * hit.wording)
    if value_type is ValueType.AMOUNT and not colon and re.fullmatch(r"(?:19|20)\d\d", item.text[span[0] : span[1]]):
        geometry *= 0.6  # more likely a year
    return Candidate.of(item, span, geometry * hit.wording)


def pick(value_type: ValueType, text: str) -> Span | None:
    """The value in a text: of amounts the last one with cents (a count may stand before it), else the first."""
    found = spans(value_type, text)
    if not found:
        return None
    if value_type is ValueType.AMOUNT:
        return ([s for s in found if has_cents(text[s[0] : s[1]])] or found)[-1]
    return found[0]


def _right(sheet: Sheet, item: Item, value_type: ValueType) -> Candidate | None:
    """The value on the same row to the right; of amounts the last one with cents."""
    best: Candidate | None = None
    for skipped, other in enumerate(sheet.right_of(item)):
        text = other.text.lstrip(" :：")
        if not text:
            continue
        if has_own_label(text):
            break
        span = pick(value_type, other.text[: next_label(other.text)])
        if span is None:
            if value_type in _FREE or skipped > 3:
                break
            continue
        gap = max(other.box.x0 - item.box.x1, 0.0) / max(sheet.width, 1.0)
        found = Candidate.of(other, span, 0.97 - 0.02 * skipped - min(0.2 * gap, 0.15))
        if value_type is ValueType.ADDRESS:
            return _address(sheet, other, span, found.score)
        if value_type is not ValueType.AMOUNT:
            return found
        if best is None or has_cents(found.value):
            best = replace(found, score=max(found.score, best.score if best else 0.0))
    return best


def _below(sheet: Sheet, item: Item, hit: LabelHit, value_type: ValueType) -> Candidate | None:
    """The value under the label."""
    label_box = sheet.span(item, hit.start, hit.end)
    for rank, other in enumerate(sheet.below(item, label_box)[:3]):
        if has_own_label(other.text):
            return None
        span = pick(value_type, other.text[: next_label(other.text)])
        if span is not None:
            score = 0.75 - 0.08 * rank
            return (
                _address(sheet, other, span, score)
                if value_type is ValueType.ADDRESS
                else Candidate.of(other, span, score)
            )
        if value_type in _FREE:
            return None
    return None


def _address(sheet: Sheet, item: Item, span: Span, score: float) -> Candidate:
    """An address goes on in the lines under it until something else begins."""
    head = Candidate.of(item, span, score)
    left = sheet.span(item, *span).x0
    text, box = head.value, head.box
    for count, line in enumerate(following_lines(sheet, item, left)):
        if count >= _MOST_ADDRESS_LINES or has_own_label(line.text) or next_label("x " + line.text) <= len(line.text):
            break
        if not re.search(r"[,\d，省市区县镇路街]", line.text) or spans(ValueType.DATE, line.text):
            break
        text += ("" if has_han(text[-1:]) else " ") + line.text.strip()
        box = box.union(line.line.box)
    return replace(head, value=text, box=box)


def _in_table(
    sheet: Sheet,
    table: Table,
    cells: Sequence[tuple[Cell, Item]],
    wanted: Wanted,
    value_type: ValueType,
    *,
    fuzzy: bool,
) -> Iterator[Candidate]:
    grid = table.grid()
    for cell, item in cells:
        for hit in label_hits(item.text, item.letters, wanted, fuzzy=fuzzy):
            label = item.text[hit.start : hit.end]
            same = _same_line(sheet, item, hit, value_type)
            if same is not None:
                yield replace(same, label=label)
                continue
            right = _distinct(grid[cell.row][cell.col + cell.colspan :])
            under = _distinct([row[cell.col] for row in grid[cell.row + cell.rowspan :]])
            is_head = cell.header or (cell.row == 0 and table.n_rows > 1 and table.n_cols > 2)
            for beside, score in ((right, 0.6 if is_head else 0.96), (under, 0.9 if is_head else 0.6)):
                found = _first_cell(sheet, table, beside, value_type)
                if found is not None:
                    yield replace(found, label=label, score=found.score * score * hit.wording)


def _distinct(cells: Sequence[Cell | None]) -> list[Cell]:
    return list({id(cell): cell for cell in cells if cell is not None and cell.text.strip()}.values())


def _first_cell(sheet: Sheet, table: Table, cells: Sequence[Cell], value_type: ValueType) -> Candidate | None:
    """The nearest cell with a value; of amounts the farthest, where sums stand."""
    for cell in reversed(cells) if value_type is ValueType.AMOUNT else cells:
        item = sheet.cell_item(cell, table)
        if has_own_label(item.text):
            return None
        span = pick(value_type, item.text)
        if span is not None:
            return Candidate.of(item, span, 1.0)
        if value_type in _FREE:
            return None
    return None
