"""Day numbers of Office sheets as dates."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import datetime, timedelta

_EPOCH_1900 = datetime(1899, 12, 30)  # a day early from March 1900 on: the sheets count a 29 February 1900
_EPOCH_1904 = datetime(1904, 1, 1)
_QUOTED = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|_.|\*.')


def is_date_format(code: str) -> bool:
    """Whether a number format shows day numbers as dates or times."""
    letters = _QUOTED.sub("", code.partition(";")[0]).lower()
    return "general" not in letters and bool(re.search(r"[ymd]|h|s", letters))


def date_texts(texts: Sequence[str], code: str, from_1904: bool) -> list[str]:
    """Day numbers in ISO form, as fine as the format shows them: "2016", "2016-03" or "2016-03-09", with the time
    where there is one. Where that would make two of them alike, all are given in full. What is no day number stays."""
    days = [_moment(text, from_1904) for text in texts]
    letters = _QUOTED.sub("", code.partition(";")[0]).lower()
    shown = re.sub(r"h.*?m+|m+:s", "h", letters)
    if not re.search(r"[ymd]", shown) and all(day is None or day < _EPOCH_1900 + timedelta(2) for day in days):
        return [text if day is None else f"{day:%H:%M:%S}" for text, day in zip(texts, days, strict=True)]
    pattern = "%Y-%m-%d"
    if "d" not in shown and "y" in shown:
        pattern = "%Y-%m" if "m" in shown else "%Y"
    short = [text if day is None else _form(day, pattern) for text, day in zip(texts, days, strict=True)]
    if len(set(short)) == len(set(texts)):
        return short
    return [text if day is None else _form(day, "%Y-%m-%d") for text, day in zip(texts, days, strict=True)]


def _moment(text: str, from_1904: bool) -> datetime | None:
    try:
        number = float(text)
    except ValueError:
        return None
    if not math.isfinite(number) or not 0 <= number < 2_958_466:  # the last day sheets know is in the year 9999
        return None
    if not from_1904 and number < 60:
        number += 1
    return (_EPOCH_1904 if from_1904 else _EPOCH_1900) + timedelta(seconds=round(number * 86_400))


def _form(moment: datetime, pattern: str) -> str:
    text = moment.strftime(pattern)
    if pattern == "%Y-%m-%d" and (moment.hour or moment.minute or moment.second):
        return f"{text} {moment:%H:%M:%S}" if moment.second else f"{text} {moment:%H:%M}"
    return text
