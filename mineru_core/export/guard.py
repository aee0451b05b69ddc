"""Keeps cells from being run as formulas when a spreadsheet opens a CSV file.

A spreadsheet takes a cell that begins with ``=``, ``+``, ``-`` or ``@`` (or with white space before one of them) as a
formula, and a formula can call programs or send data away. Such a cell gets an apostrophe in front. What merely looks
so stays as it is: signed numbers with or without a unit, phone numbers, dashes that mean "nothing", items of a list.
"""

from __future__ import annotations

import re

# The full-width forms too: spreadsheets with an East Asian keyboard take them for the plain ones.
_STARTS = "=+-@＝＋－＠"
_BLANK_STARTS = "\t\r\n"
# White space and marks without a width, which spreadsheets drop before they look at a cell.
_INVISIBLE = " \t\r\n\v\f\u00a0\u3000\ufeff\u200b\u200c\u200d\u2060"

_CURRENCY = r"[$€£¥￥₩₹]?"
_NUMBER = r"(?:\d[\d,.]*|\.\d+)(?:[eE][+-]?\d{1,3})?"
# A unit is a short word: without brackets, quotes, marks of a sheet or a pipe there is nothing in it to run.
_UNIT = r"(?:[%‰°]|[^\W\d_]{1,8}[²³]?(?:/[^\W\d_]{1,8}[²³]?)?|°[CF])?"
# What reports print behind a number: marks of significance, a deviation, a second number in brackets.
_BEHIND = rf"[*†‡]{{0,3}}(?:\s?±\s?{_NUMBER}\s?%?|\s?\([-+−]?{_NUMBER}%?\)[*†‡]{{0,3}})?"
_SIGNED_NUMBER = re.compile(rf"[-+＋－]\s?{_CURRENCY}\s?{_NUMBER}\s?(?:{_UNIT}|%?{_BEHIND})")
_PHONE = re.compile(r"[+＋]\s?\(?\d[\d\s().\-–/]{4,24}")
_DASHES = re.compile(r"[-+＋－–—/.*\s]+")
_LIST_ITEM = re.compile(r"[-+－＋][ \u3000]+[^\s=+\-@＝＋－＠].*", re.DOTALL)
# What a formula needs to do harm: a call, another program (|), a sheet (!), a file ([), a value by operator.
_CAN_RUN = re.compile(r"[\w.]\s*\(|[|!\[\]{}=&^\"'<>＝＠@#]")


def guard(text: str) -> str:
    """The text as it may stand in a CSV cell; ``unguard`` gives back the exact text."""
    return "'" + text if _is_formula_like(text.lstrip("'")) else text


def unguard(text: str) -> str:
    """The text that ``guard`` was given."""
    return text[1:] if text.startswith("'") and _is_formula_like(text.lstrip("'")) else text


def _is_formula_like(text: str) -> bool:
    visible = text.lstrip(_INVISIBLE)
    if not text or not (text[0] in _BLANK_STARTS or (visible and visible[0] in _STARTS)):
        return False
    return not _is_harmless(visible.rstrip(_INVISIBLE))


def _is_harmless(text: str) -> bool:
    """Whether text that begins like a formula is a number, a phone number, dashes, or an item of a list."""
    if any(pattern.fullmatch(text) for pattern in (_SIGNED_NUMBER, _PHONE, _DASHES)):
        return True
    return bool(_LIST_ITEM.fullmatch(text)) and not _CAN_RUN.search(text)
