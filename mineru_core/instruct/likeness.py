"""Which of the printed names a person means by the name she wrote."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rapidfuzz import fuzz

from mineru_core.instruct.normalize import has_han, key, letters
from mineru_core.instruct.numbers import number

_LEAST = 80.0
"""Likeness (0..100) below which a printed name is another one."""

_UNIT = re.compile(r"[(\[（【][^)\]）】]*[)\]）】]")
_PLACE = re.compile(r"第?\s*(?P<it>last|最后一?|\d{1,3}|[一二两三四五六七八九十]{1,3}|[a-z]+)\s*(?:st|nd|rd|th|个)?")


def same_text(one: str, other: str) -> bool:
    """Whether two texts are equal but for case, width, spaces and the signs beside their letters."""
    return key(one).text == key(other).text or (letters(one).text == letters(other).text != "")


def meant(name: str, printed: Sequence[str]) -> list[int]:
    """Places in ``printed`` of what is meant by ``name``: equal texts; else those alike; else those that contain it.

    A unit in brackets does not count: "amount" is "Amount (USD)". [] where none is meant.
    """
    equal = [i for i, text in enumerate(printed) if same_text(name, text)]
    equal = equal or [i for i, text in enumerate(printed) if same_text(name, _UNIT.sub("", text))]
    if equal:
        return equal
    wanted = letters(name).text
    if not wanted:
        return []
    scored = [(_likeness(wanted, letters(_UNIT.sub("", text)).text), i) for i, text in enumerate(printed)]
    best = max(scored, default=(0.0, 0))
    if best[0] >= _LEAST:
        return [i for score, i in scored if score == best[0]]
    if len(wanted) < (2 if has_han(wanted) else 3):
        return []
    return [i for i, text in enumerate(printed) if wanted in letters(text).text]


def _likeness(wanted: str, found: str) -> float:
    """0..100; figures must be the same, since one digit makes another year."""
    if re.sub(r"\D", "", wanted) != re.sub(r"\D", "", found) or not found:
        return 0.0
    return fuzz.ratio(wanted, found)


def place_named(name: str, count: int) -> int | None:
    """The place from 0 that "first", "2", "第三", "last" names among ``count``; None for another word."""
    match = _PLACE.fullmatch(name.lower().strip())
    if match is None:
        return None
    if match["it"] in ("last", "最后", "最后一"):
        return count - 1 if count else None
    try:
        place = number(match["it"])
    except ValueError:
        return None
    return place - 1 if 1 <= place <= count else None
