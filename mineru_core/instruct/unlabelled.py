"""Values that stand without a label: the shop at the head of a receipt, its address, a lone date or e-mail address."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from mineru_core.instruct.candidates import Candidate, joined
from mineru_core.instruct.field_names import FieldKind, ValueType
from mineru_core.instruct.labels import has_own_label
from mineru_core.instruct.normalize import has_han
from mineru_core.instruct.sheet import Item, Sheet
from mineru_core.instruct.values import spans

_BY_PATTERN = {ValueType.DATE: 0.5, ValueType.EMAIL: 0.8, ValueType.PHONE: 0.35, ValueType.CURRENCY: 0.4}
_HEAD_LINES = 8  # a sender's name and address stand among the first lines

_COMPANY = re.compile(
    r"\b(?:sdn\.?\s*bhd|s/b|ltd|limited|inc|llc|plc|corp(?:oration)?|company|co|gmbh|s\.?a\.?|b\.?v\.?|pty|pte|enterprises?|"
    r"trading|stores?|restaurant|cafe|hardware|supermarket|mart|bakery|pharmacy|holdings?|group|hotel|bookshop)\b\.?|"
    r"公司|集团|商店|超市|饭店|酒店|餐厅|药房|书店|事务所|银行|中心$|店$",
    re.IGNORECASE,
)
_BILL = re.compile(r"\b(?:invoice|receipt|bill|cash sale)\b|发票|收据|小票|账单|结账单", re.IGNORECASE)
_ADDRESS = re.compile(
    r"\b(?:jalan|jln|lorong|taman|tmn|kampung|bandar|persiaran|lot|street|st|road|rd|avenue|ave|lane|drive|blvd|suite|floor|"
    r"building|block|blk|box|mall|plaza)\b|\b\d{5,6}\b|"
    r"^no\b[.:]?\s*\w{0,2}\d.*,|[省市区县镇乡路街号楼室]",
    re.IGNORECASE,
)
_REGISTRATION = re.compile(r"\s*[(\[（](?=[^)\]）]*\d{4})[^)\]）]*[)\]）]?\W*$")
_NO_ADDRESS = re.compile(
    r"\b(?:tel|fax|phone|gst|reg|invoice|receipt|date|bill|cashier|email|e-mail|www|http)\b|电话|传真|税号|日期|@",
    re.IGNORECASE,
)


def unlabelled(sheets: Sequence[Sheet], kind: FieldKind | None) -> Iterator[Candidate]:
    """Values of a known kind by their looks and place alone; each with a low confidence."""
    if kind is None or not sheets:
        return
    if kind.name in ("date", "email", "phone", "currency"):
        yield from _by_pattern(sheets, kind.type)
    elif kind.name == "seller":
        yield from _sender(sheets[0])
    elif kind.name == "address":
        yield from _sender_address(sheets[0])


def _by_pattern(sheets: Sequence[Sheet], value_type: ValueType) -> Iterator[Candidate]:
    for sheet in sheets:
        for item in sheet.items:
            for start, end in spans(value_type, item.text):
                if value_type is not ValueType.PHONE or _is_surely_a_phone(item.text[start:end]):
                    yield Candidate.of(item, (start, end), _BY_PATTERN[value_type])


def _is_surely_a_phone(text: str) -> bool:
    """Whether a number needs no label to be a phone's: a mobile's or one parted like a phone's, no serial number."""
    digits = sum(c.isdigit() for c in text)
    if re.fullmatch(r"1[3-9]\d{9}", text):
        return True
    return (
        digits >= 9
        and re.match(r"\+|\(?0[1-9]|\(\d|1-", text) is not None
        and re.search(r"[+()\-\s]", text) is not None
    )


def _head(sheet: Sheet) -> list[Item]:
    return sorted(sheet.items, key=lambda item: item.box.y0)[:_HEAD_LINES]


def _sender(sheet: Sheet) -> Iterator[Candidate]:
    """A line among the first that is named like a firm; on a bill, else the first that could be a name."""
    head = [item for item in _head(sheet) if spans(ValueType.NAME, item.text) and not has_own_label(item.text)]
    for rank, item in enumerate(head):
        if _COMPANY.search(item.text) and not _NO_ADDRESS.search(item.text):
            yield _firm(sheet, item, 0.55 - 0.01 * rank)
    if any(_BILL.search(item.text) for item in sheet.items):
        names = [item for item in head if not _BILL.search(item.text) and sum(c.isalpha() for c in item.text) >= 5]
        for item in names[:1]:
            yield _firm(sheet, item, 0.3)


def _firm(sheet: Sheet, item: Item, score: float) -> Candidate:
    """The name without the registration number that stands behind it in brackets, with the words right before it on
    its row: a wide gap in a heading parts the first word of a name from the others."""
    start, end = spans(ValueType.NAME, item.text)[0]
    number = _REGISTRATION.search(item.text, start, end)
    if number is not None and number.start() > start:
        end = number.start()
    before = [other for other in sheet.items if _stands_before(other, item) and not has_own_label(other.text)]
    if not before:
        return Candidate.of(item, (start, end), score)
    name = joined([*sorted(before, key=lambda other: other.box.x0), item], score)
    return replace(name, value=name.value[: len(name.value) - (len(item.text.strip()) - (end - start))])


def _stands_before(other: Item, item: Item) -> bool:
    a, b = other.box, item.box
    on_row = min(a.y1, b.y1) - max(a.y0, b.y0) > 0.6 * max(a.height, b.height)
    return on_row and 0 <= b.x0 - a.x1 < 1.5 * b.height and any(c.isalpha() for c in other.text)


def _sender_address(sheet: Sheet) -> Iterator[Candidate]:
    """The first run of lines near the head that look like an address."""
    run: list[Item] = []
    for item in sorted(sheet.items, key=lambda item: item.box.y0)[: 2 * _HEAD_LINES]:
        above = run[-1].text.rstrip() if run else ""
        goes_on = above.endswith((",", "，")) or (re.search(r"\b\d{5,6}$", above) is not None and "," in item.text)
        if _NO_ADDRESS.search(item.text) is None and (goes_on or _is_address(item.text)):
            run.append(item)
        elif run:
            break
    if run and (len(run) > 1 or has_han(run[0].text) or re.search(r"\d", run[0].text)):
        yield joined(run, 0.45)


def _is_address(text: str) -> bool:
    """Whether a line names a place; a firm's name with its registration number does not."""
    without_number = re.sub(r"\([^)]*\d{4,}[^)]*\)", "", text)
    letters = sum(c.isalpha() for c in without_number)
    return letters >= 4 and _ADDRESS.search(without_number) is not None and _COMPANY.search(without_number) is None
