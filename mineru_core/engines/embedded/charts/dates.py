"""Names of categories that are dates, as numbers of years."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_YEAR = r"(?P<year>(?:1[5-9]|20|21)\d\d)"
_SHORT = r"['’‘](?P<short>\d\d)"
_BARE = r"['’‘]?(?P<short>\d\d)"
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?:{_YEAR}|{_SHORT})\s*\*{{0,3}}",
        rf"(?P<month>[A-Za-z]{{3,9}})\.?,?\s*(?:{_YEAR}|{_BARE})\*?",
        rf"Q(?P<quarter>[1-4])\s*(?:{_YEAR}|{_BARE})\*?",
        rf"{_YEAR}\s*Q(?P<quarter>[1-4])\*?",
        rf"{_YEAR}[-/.](?P<number>0?[1-9]|1[0-2])",
        rf"{_YEAR}\s*年\s*(?:(?P<number>0?[1-9]|1[0-2])\s*月)?",
        rf"{_YEAR}\s*[-/–]\s*\d{{2,4}}",
    )
)


def date_number(text: str) -> float | None:
    """The date that a text says as a year with a fraction for its month or quarter; None for no date."""
    for pattern in _PATTERNS:
        found = pattern.fullmatch(text.strip())
        if found is None:
            continue
        parts = found.groupdict()
        year = float(parts["year"]) if parts.get("year") else _century(parts.get("short") or "")
        if parts.get("quarter"):
            return year + (int(parts["quarter"]) - 1) / 4
        if parts.get("number"):
            return year + (int(parts["number"]) - 1) / 12
        if parts.get("month"):
            month = parts["month"].lower()
            index = next((i for i, name in enumerate(_MONTHS) if month.startswith(name)), None)
            if index is None:
                continue
            return year + index / 12
        return year
    return None


def numbers_of_dates(names: Sequence[str]) -> tuple[float, ...]:
    """The numbers of names that are dates, all of them and in one direction; none otherwise."""
    numbers = [date_number(name) for name in names]
    known = [number for number in numbers if number is not None]
    if len(known) < 2 or len(known) < len(names):
        return ()
    steps = [b - a for a, b in itertools.pairwise(known)]
    return tuple(known) if all(s > 0 for s in steps) or all(s < 0 for s in steps) else ()


def _century(short: str) -> float:
    """The year that two digits mean: the last century from 50 on."""
    year = int(short)
    return float(year + (1900 if year >= 50 else 2000))
