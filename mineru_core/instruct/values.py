"""What values look like: amounts, dates, phone numbers, codes, and where they stand in a text."""

from __future__ import annotations

import re

from mineru_core.instruct.field_names import ValueType
from mineru_core.instruct.normalize import key

Span = tuple[int, int]

_SERIAL = re.compile(r"0\d+|\d{8,}")  # sums are written with separators, cents or a currency once they are this long

_CURRENCY = (
    r"(?:US\$|HK\$|NT\$|S\$|A\$|C\$|[$¥￥€£₹₩]|"
    r"(?<![A-Za-z])(?:RM|RMB|USD|CNY|MYR|SGD|HKD|EUR|GBP|JPY|INR|AUD|CAD|CHF)|人民币)"
)
_NUMBER = r"(?:\d{1,3}(?:[,，.' ]\d{3})+(?:\s?[.,]\s?\d{1,2})?|\d+(?:\s?[.,]\s?\d{1,4})?)(?!\d)"
_UNIT = r"(?:\s?(?:万元|亿元|元整?|圆整?|USD|EUR|RMB|CNY)(?![A-Za-z]))"
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)\.?"
)
_YEAR = r"(?:19|20)\d\d"
_DATES = (
    rf"{_YEAR}\s*[年./-]\s*\d{{1,2}}\s*[月./-]\s*\d{{1,2}}(?:\s*日)?",
    rf"{_YEAR}\s*年\s*\d{{1,2}}\s*月",
    rf"\d{{1,2}}\s?[./-]\s?\d{{1,2}}\s?[./-]\s?(?:{_YEAR}|\d\d)",
    rf"\d{{1,2}}(?:st|nd|rd|th)?[\s,./-]*{_MONTH}[\s,.'/-]*(?:{_YEAR}|\d\d)",
    rf"{_MONTH}\s*\d{{1,2}}(?:st|nd|rd|th)?[\s,.]*{_YEAR}",
    rf"{_YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])",
)
# A date that the reader has run together with the time after it.
_GLUED = [
    rf"(?:{date})(?=[012]?\d:\d\d)" for date in (rf"\d{{1,2}}[./-]\d{{1,2}}[./-]{_YEAR}", rf"{_YEAR}[./-]\d\d[./-]\d\d")
]
_PATTERNS = {
    ValueType.AMOUNT: re.compile(
        rf"(?<![\w.,/:#-])-?\(?(?:{_CURRENCY}\s*[:：]?\s*)?-?{_NUMBER}\)?{_UNIT}?(?![\w/:%％]|-\d|\s?[%％])"
    ),
    ValueType.DATE: re.compile(rf"(?<!\d)(?:{'|'.join(_DATES)})(?!\d)|(?<!\d)(?:{'|'.join(_GLUED)})", re.IGNORECASE),
    ValueType.NUMBER: re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*\s?[%％]?(?!\w)"),
    ValueType.PHONE: re.compile(
        r"(?<![\w./-])\+?\(?\d(?:[\s().–-]{0,2}\d){6,14}(?:\s?(?:ext|x|转)\.?\s?\d+)?(?![\w/])"
    ),
    ValueType.EMAIL: re.compile(r"[A-Za-z0-9][\w.+-]*\s?@\s?[A-Za-z0-9-]+(?:\s?\.\s?[A-Za-z0-9-]+)+"),
    ValueType.CODE: re.compile(
        r"(?<!\w)\d{2,}(?:\s\d{3,})+(?!\w)|(?:(?<!\S)[A-Z]{1,5}\s?[-/]?\s?)?[^\s:：,，;；]*\d[^\s,，;；:：]*"
    ),
    ValueType.CURRENCY: re.compile(rf"{_CURRENCY}|人民币|美元|欧元|日元|港元|英镑|US dollars?|euros?", re.IGNORECASE),
}


def spans(value_type: ValueType, text: str) -> list[Span]:
    """Where values of the type stand in ``text``, left to right; a free-text type takes all of it but its edges.

    A number inside a date or phone number is no amount; a date is no code.
    """
    pattern = _PATTERNS.get(value_type)
    if pattern is None:
        return _free(value_type, text)
    found = [_stripped(text, m.start(), m.end()) for m in pattern.finditer(text)]
    if value_type is ValueType.AMOUNT:
        found = [_unbracketed(text, *s) for s in found]
        found = [s for s in found if not _SERIAL.fullmatch(text[s[0] : s[1]])]
        taken = [m.span() for m in _PATTERNS[ValueType.DATE].finditer(text)]
        found = [s for s in found if not any(s[0] < end and start < s[1] for start, end in taken)]
    if value_type is ValueType.CODE:
        found = [(s[0] + _sign_length(text[s[0] : s[1]]), s[1]) for s in found]
    if value_type in (ValueType.CODE, ValueType.PHONE):
        found = [s for s in found if not _PATTERNS[ValueType.DATE].fullmatch(text[s[0] : s[1]])]
    return [s for s in found if s[0] < s[1]]


def _free(value_type: ValueType, text: str) -> list[Span]:
    start, end = _stripped(text, 0, len(text))
    said = text[start:end]
    wants_letters = value_type in (ValueType.NAME, ValueType.ADDRESS)
    fits = sum(c.isalpha() for c in said) >= 2 if wants_letters else any(c.isalnum() for c in said)
    return [(start, end)] if fits else []


_EDGE = " \t\n:：;；,，|_=~·"


def _stripped(text: str, start: int, end: int) -> Span:
    while start < end and text[start] in _EDGE:
        start += 1
    while start < end and text[end - 1] in _EDGE:
        end -= 1
    return start, end


def _sign_length(code: str) -> int:
    """Length of "No." or "#" at the start of a code."""
    sign = re.match(r"(?:no\.\s*|#\s*)", code, re.IGNORECASE)
    return sign.end() if sign else 0


def _unbracketed(text: str, start: int, end: int) -> Span:
    """The span without a bracket whose partner is elsewhere."""
    said = text[start:end]
    if said.count("(") == said.count(")"):
        return start, end
    return start + said.startswith("("), end - said.endswith(")")


def amount_value(text: str) -> float | None:
    """The number an amount says ("RM 1,234.50" is 1234.5, "1.234,50" too); None where it is none."""
    digits = re.search(r"\d(?:[\d.,' ]*\d)?", key(text).text)
    if digits is None:
        return None
    number = digits.group().replace("'", "")
    last = max(number.rfind("."), number.rfind(","))
    has_cents = last >= 0 and len(number) - last - 1 != 3
    whole = re.sub(r"\D", "", number[:last] if has_cents else number)
    cents = number[last + 1 :] if has_cents else ""
    return float(f"{whole or 0}.{cents or 0}")


def has_cents(text: str) -> bool:
    """Whether the amount is written with two decimals, as sums of money are."""
    return re.search(r"[.,]\s?\d\d(?!\d)", text) is not None
