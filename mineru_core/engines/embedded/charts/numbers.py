"""Numbers as charts print them: with units, multipliers, thousands parted by blanks, and the slips of recognition."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

MULTIPLIERS = {
    "k": 1e3, "thousand": 1e3, "thousands": 1e3, "tsd": 1e3, "千": 1e3, "万": 1e4, "萬": 1e4,
    "M": 1e6, "mn": 1e6, "mio": 1e6, "mil": 1e6, "million": 1e6, "millions": 1e6, "百万": 1e6, "亿": 1e8, "億": 1e8,
    "B": 1e9, "bn": 1e9, "billion": 1e9, "billions": 1e9, "T": 1e12, "tn": 1e12, "trillion": 1e12, "万亿": 1e12,
}  # fmt: skip
_EITHER_CASE = {name.lower(): factor for name, factor in MULTIPLIERS.items() if len(name) > 1 or name == "k"}

# A multiplier with a letter missing, or joined to the unit after it.
_LONG_NAME = re.compile(r"(?i)(thousand|mill?ion|bill?ion|trill?ion)s?\s*(?P<unit>.*)")
_CURRENCY = "$€£¥₹₩"
_NUMBER = re.compile(
    rf"""(?P<open>\()?\s*(?P<sign>[-+])?\s*(?P<unit>[{_CURRENCY}]|US\$|USD|EUR|RMB)?\s*(?P<sign2>[-+])?\s*
    (?P<digits>\d{{1,3}}(?:[ ,.']\d{{3}})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?|[.,]\d+)
    \s*(?P<rest>.*)""",
    re.VERBOSE,
)
_NOTE = re.compile(r"\s*(?:[*†‡]+|\((?:19|20)\d\d\)|[¹²³])\s*$")
# A unit is short; what is longer is a name that begins with a number ("55 years and over").
_MAX_UNIT = 16
_MAX_UNIT_WORDS = 2
_LIKE_DIGITS = "OoQDlI|iS"
# A zero with a stroke or a dot in it looks like the Chinese sign for day.
_SLIPS = str.maketrans("OoQD日lI|iS", "0000011115")
_DIGITLIKE = re.compile(r"(?:[Oo日]|(?=.*\d)[-+]?[\dOoQDlI|iS][\dOoQDlI|iS.,]*)\s*[%kKMBT]?")
_QUARTER = re.compile(r"Q[1-4]")


@dataclass(frozen=True, slots=True)
class Printed:
    """A printed number: its value with the multiplier applied, its unit, and the last digit's worth."""

    value: float
    unit: str = ""
    step: float = 1.0

    @property
    def is_year(self) -> bool:
        """Whether it may be a year."""
        return not self.unit and self.step == 1.0 and 1500 <= self.value <= 2200


def printed(text: str) -> Printed | None:
    """The number a text is, None where it is none or more than one."""
    clean = _NOTE.sub("", _plain(text))
    found = _NUMBER.fullmatch(clean)
    if found is None:
        return None
    rest = found["rest"].strip()
    if found["open"]:
        if not rest.endswith(")"):
            return None
        rest = rest[:-1].strip()
    tail = _multiplier_and_unit(rest, before=found["unit"] is not None)
    if tail is None:
        return None
    factor, unit = tail
    digits = _digits(found["digits"])
    if digits is None:
        return None
    value, step = digits
    negative = bool(found["open"]) or "-" in (found["sign"], found["sign2"])
    return Printed((-value if negative else value) * factor, unit or found["unit"] or "", step * factor)


def tick_number(text: str) -> Printed | None:
    """The number of a tick label; letters that are taken for digits are read as these where nothing else fits."""
    found = printed(text)
    if found is None and _DIGITLIKE.fullmatch(clean := _plain(text)) and not _QUARTER.fullmatch(clean):
        tail = clean[-1] if clean[-1] in "%kKMBT" else ""
        found = printed(clean.removesuffix(tail).translate(_SLIPS) + tail)
    return found


def _plain(text: str) -> str:
    text = unicodedata.normalize("NFKC", text)
    for dash in "‐‑‒–—−":
        text = text.replace(dash, "-")
    return " ".join(text.replace("’", "'").split())


def _ascii(text: str) -> str:
    """The text without accents, which specks are read as."""
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def _digits(text: str) -> tuple[float, float] | None:
    """The value of digits with separators, and what one of the last digit is worth; None for no one number."""
    marks = [c for c in text if c in ".,"]
    if " " in text or "'" in text:
        text = text.replace(" ", "").replace("'", "")
        text = text.replace(",", ".")
        if text.count(".") > 1:
            return None
    elif len(set(marks)) == 2:  # the last one parts the decimals
        text = text.replace(marks[0], "").replace(marks[-1], ".")
        if text.count(".") > 1:
            return None
    elif marks and (marks[0] == "," or len(marks) > 1):
        grouped = re.fullmatch(r"[1-9]\d{0,2}(?:[.,]\d{3})+", text)
        if not grouped and len(marks) > 1:  # two numbers that stand close
            return None
        text = re.sub("[.,]", "", text) if grouped else text.replace(",", ".")
    decimals = len(text.partition(".")[2])
    return float(text), 10.0**-decimals


def _is_slip(text: str) -> bool:
    """Whether a text is nothing but letters that digits are taken for."""
    letters = text.rstrip("%")
    return bool(letters) and not letters.strip(_LIKE_DIGITS)


def _multiplier_and_unit(rest: str, *, before: bool) -> tuple[float, str] | None:
    """What follows the digits as (multiplier, unit); None where it makes the text a name and no number."""
    if not rest:
        return 1.0, ""
    if any(c.isdigit() for c in rest) or len(rest) > _MAX_UNIT:
        return None
    words = rest.split()
    head = words[0]
    # Cut off, a date, or digits that were misread.
    if head[0] in "./-," or _is_slip(head):
        return None
    if head in MULTIPLIERS or head.lower() in _EITHER_CASE:
        factor = MULTIPLIERS.get(head) or _EITHER_CASE[head.lower()]
        words = words[1:]
    elif (long := _LONG_NAME.fullmatch(_ascii(rest))) is not None:
        factor = MULTIPLIERS[re.sub("(?<!l)l(?=ion)", "ll", long[1].lower())]
        words = long["unit"].split()
    elif head[0] in "万亿千億萬" or rest[:2] in ("百万", "万亿"):
        name = rest[:2] if rest[:2] in ("百万", "万亿") else rest[0]
        factor, words = MULTIPLIERS[name], rest[len(name) :].split()
    elif head == "m" and before:
        factor, words = 1e6, words[1:]
    else:
        factor = 1.0
    return (factor, " ".join(words)) if len(words) <= _MAX_UNIT_WORDS else None
