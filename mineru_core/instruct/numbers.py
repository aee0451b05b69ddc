"""Numbers, ordinals and ranges as people write them in English and Chinese."""

from __future__ import annotations

import re


def _words(text: str) -> list[str]:
    return text.split()


_UNITS = _words("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen")
_ORDINALS = _words("zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth")
_WORDS = {word: n for n, word in enumerate(_UNITS)} | {word: n for n, word in enumerate(_ORDINALS)}
_DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "壹": 1, "贰": 2, "叁": 3}

MOST = 2000
"""A range is cut off after this many numbers; no document is longer."""

CARDINAL = rf"(?:\d{{1,9}}|(?:{'|'.join(_UNITS)})\b)"
ORDINAL = rf"(?:\d{{1,9}}(?:st|nd|rd|th)\b|(?:{'|'.join(_ORDINALS)})\b)"
HAN = r"(?:\d{1,9}|[零〇一二两三四五六七八九十百]{1,5})"

_RANGE = re.compile(r"^(?:-|~|to|through|thru|until|到|至)$")
_LINK = r"(?:-|~|&|,\s*and\b|,|\band\b|\bto\b|\bthrough\b|\bthru\b|\buntil\b|\bvs\b\.?|\bversus\b|"
_LINK += r"\bagainst\b)"
_HAN_LINK = r"(?:-|~|到|至|,|和|及|与|跟)"

LIST = rf"{CARDINAL}(?:\s*{_LINK}\s*{CARDINAL})*"
ORDINAL_LIST = rf"(?:{ORDINAL}|last\b)(?:\s*{_LINK}\s*(?:the\s+)?(?:{ORDINAL}|last\b))*"


def han_list(unit: str) -> str:
    """A regular expression for 第N…第N + unit, where the unit and 第 may stand at each number."""
    return rf"{HAN}(?:(?:{unit})?\s*{_HAN_LINK}\s*第?\s*{HAN})*"


def number(word: str) -> int:
    """The value of "3", "3rd", "three", "third", "三", "十二", "last" (-1). Raises ValueError for other words."""
    word = word.strip().lower()
    if word == "last":
        return -1
    if word in _WORDS:
        return _WORDS[word]
    digits = re.match(r"\d+", word)
    return int(digits.group()) if digits else _han_number(word)


def _han_number(word: str) -> int:
    total = unit = 0
    for char in word:
        if char in "十百":
            total += (unit or 1) * (10 if char == "十" else 100)
            unit = 0
        elif char in _DIGITS:
            unit = unit * 10 + _DIGITS[char]
        else:
            raise ValueError(f"not a number: {word!r}")
    return total + unit


_PIECE = re.compile(rf"{ORDINAL}|{CARDINAL}|last\b|{HAN}|-|~|\bto\b|\bthrough\b|\bthru\b|\buntil\b|到|至")


def expand(text: str, *, ranges: bool = True) -> tuple[int, ...]:
    """Every number of "1, 3 and 5-7" in the order written, each once; 0 is left out, a range is cut at ``MOST``.

    Without ``ranges`` only the numbers that are written.
    """
    found: list[int] = []
    ranging = False
    for piece in _PIECE.findall(text):
        if _RANGE.match(piece):
            ranging = ranges
            continue
        value = number(piece)
        if ranging and found and value > found[-1] > 0:
            found.extend(range(found[-1] + 1, min(value, found[-1] + MOST) + 1))
        else:
            found.append(value)
        ranging = False
    return tuple(dict.fromkeys(n for n in found if n))
