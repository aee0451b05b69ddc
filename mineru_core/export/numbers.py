"""Printed numbers as values with the format that prints them again as they stood."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

# A spreadsheet's numbers are doubles: beyond 15 digits the last ones would change.
MAX_DIGITS = 15
MAX_EXPONENT = 300

_NUMBER = re.compile(
    r"""(?P<open>\()?
        (?P<sign>[-+−])?
        (?P<currency>[$€£¥￥])?
        (?P<whole>\d{1,3}(?:,\d{3})+|\d+|(?=\.\d))
        (?:\.(?P<decimals>\d+))?
        (?P<exponent>[eE][+-]?\d{1,3})?
        (?P<percent>\s?%)?
        (?P<close>\))?""",
    re.VERBOSE | re.ASCII,
)


class Number(NamedTuple):
    """A value and the number format (as spreadsheets write them) that shows it as it was printed."""

    value: int | float
    number_format: str


def parse_number(text: str) -> Number | None:
    """The number a cell's text is, or None where it is text.

    Read as numbers: signs, thousands commas, decimals, percent, one currency sign, negatives in brackets,
    ``1.50E+03``. Left as text because a number would lose something: leading zeros, more than 15 digits, ``-0``, dates,
    phone numbers, other separators than the comma and the point.
    """
    match = _NUMBER.fullmatch(text.strip())
    if match is None or not _keeps_everything(match):
        return None
    whole, decimals = match["whole"].replace(",", ""), match["decimals"] or ""
    magnitude = Decimal(f"{whole or '0'}.{decimals or '0'}{match['exponent'] or ''}")
    negative = bool(match["open"]) or match["sign"] in ("-", "−")
    if negative and magnitude == 0:
        return None
    number = -magnitude if negative else magnitude
    if match["percent"]:
        number /= 100
    whole_number = not decimals and not match["percent"] and not match["exponent"]
    return Number(int(number) if whole_number else float(number), _number_format(match))


def _keeps_everything(match: re.Match[str]) -> bool:
    """Whether the value and its format hold all that was printed."""
    whole, decimals = match["whole"].replace(",", ""), match["decimals"] or ""
    if len((whole + decimals).lstrip("0")) > MAX_DIGITS or len(decimals) > MAX_DIGITS:
        return False
    if len(whole) > 1 and whole[0] == "0":
        return False
    if bool(match["open"]) != bool(match["close"]) or (match["open"] and match["sign"]):
        return False
    # "(1)" is a note far more often than minus one.
    if match["open"] and not (decimals or "," in match["whole"]):
        return False
    # "1E5" is an article number as often as a value; only a mantissa with decimals is surely a number.
    exponent = match["exponent"]
    return not exponent or bool(
        decimals and len(whole) == 1 and not match["percent"] and abs(int(exponent[1:])) <= MAX_EXPONENT
    )


def _number_format(match: re.Match[str]) -> str:
    zero = "#,##0" if "," in match["whole"] else ("0" if match["whole"] else "")
    decimals = match["decimals"]
    body = zero + ("." + "0" * len(decimals) if decimals else "")
    if match["exponent"]:
        return body + "E+" + "0" * len(match["exponent"].lstrip("eE+-"))
    if match["percent"]:
        body += " %" if match["percent"] != "%" else "%"
    if match["currency"]:
        body = f'"{match["currency"]}"{body}'
    if match["open"]:
        return f"{body};({body})"
    return f"+{body};-{body};{body}" if match["sign"] == "+" else body
