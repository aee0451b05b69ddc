"""Powers of ten as logarithmic axes print them: the small raised digits are read as digits of the number."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from mineru_core.document.page import Pixels
from mineru_core.engines.embedded.charts.colors import background_of, letters_in, part_of
from mineru_core.engines.embedded.charts.scene import Label

_POWER = re.compile(r"10([-−–]?\d{1,2})")
# What a small digit is read as that cannot be told.
_SIGN = re.compile(r"10[^\w\s%.,]{1,2}")
_MARKS = str.maketrans("", "", " ^{}")
# A digit is raised whose lower end is above that of the first one by this share of its height, and whose own is less.
RAISED = 0.2
SMALLER = 0.9
# A raised digit has this share of the height of the others at least; marks of ticks are lower.
LOWEST = 0.4
# Share of the height of all digits that the first and the last one are wide at least.
END = 0.25
LEAST = 2
# Exponents by their places are whole numbers, but for this.
EVEN = 0.15


def with_powers(pixels: Pixels, labels: Sequence[Label]) -> tuple[Label, ...]:
    """The labels, those that print powers of ten with the number that these are; at least two must.

    A power whose small digit was read as a sign is the one that its place between the others tells.
    """
    raised = [label for label in labels if _is_power(label) and _is_raised(pixels, label)]
    if len(raised) < LEAST:
        return tuple(labels)
    powers = [label for label in labels if _is_power(label) and _is_beside(label, raised)]
    known = [(label, exponent) for label in powers if (exponent := _exponent(label)) is not None]
    told = {id(label): exponent for label, exponent in known}
    told |= {id(label): at for label in raised if id(label) not in told and (at := _by_place(label, known)) is not None}
    return tuple(_with_value(label, told[id(label)]) if id(label) in told else label for label in labels)


def _is_power(label: Label) -> bool:
    level = not label.turned and label.slant is None
    return level and (_exponent(label) is not None or _SIGN.fullmatch(label.text.strip()) is not None)


def _by_place(label: Label, known: Sequence[tuple[Label, int]]) -> int | None:
    """The exponent that stands where a label does, if all that are known grow evenly; None where none does."""
    places = np.array([other.box.center for other, _ in known])
    if len(known) < LEAST:
        return None
    along = int(np.ptp(places[:, 1]) >= np.ptp(places[:, 0]))
    if np.ptp(places[:, along]) < label.height:
        return None
    slope, start = np.polyfit(places[:, along], [exponent for _, exponent in known], 1)
    off = [abs(slope * place + start - exponent) for place, (_, exponent) in zip(places[:, along], known, strict=True)]
    at = float(slope * label.box.center[along] + start)
    return round(at) if max(off) <= EVEN and abs(at - round(at)) <= EVEN else None


def _with_value(label: Label, exponent: int) -> Label:
    return replace(label, text=f"{10.0**exponent:.15g}")


def _is_beside(label: Label, others: Sequence[Label]) -> bool:
    """Whether a label stands in the column, or in the row, of one of the others."""
    return any(
        abs(label.box.x1 - other.box.x1) <= other.height or abs(label.box.y0 - other.box.y0) <= 0.5 * other.height
        for other in others
    )


def _exponent(label: Label) -> int | None:
    text = label.text.strip().rstrip(".").translate(_MARKS)
    small = "".join(c for c in text if _is_small(c))
    # A raised digit may be read twice, as a digit and as what it is.
    if small and "".join(c for c in text if not _is_small(c)) == f"10{_plain(small)}":
        text = f"10{small}"
    match = _POWER.fullmatch(_plain(text))
    if match is None or label.turned or label.slant is not None:
        return None
    return int(match[1].replace("−", "-").replace("–", "-"))


def _is_small(character: str) -> bool:
    return unicodedata.decomposition(character).startswith("<super>")


def _plain(text: str) -> str:
    """Text with raised characters as what they are on the line."""
    return unicodedata.normalize("NFKC", text)


def _is_raised(pixels: Pixels, label: Label) -> bool:
    """Whether the last digit of a label is raised and smaller than its first one."""
    if any(_is_small(c) for c in label.text):
        return True
    part = part_of(pixels, label.box)
    if part.size == 0:
        return False
    inked = letters_in(part, background_of(part)).astype(np.uint8)
    _, marks, stats, _ = cv2.connectedComponentsWithStats(inked, connectivity=8)
    heights = stats[1:, cv2.CC_STAT_HEIGHT]
    tall = 1 + np.flatnonzero(heights >= LOWEST * heights.max(initial=0))
    digits = np.isin(marks, tall)
    rows, columns = np.flatnonzero(digits.any(axis=1)), np.flatnonzero(digits.any(axis=0))
    if not len(rows) or np.ptp(columns) < len(rows):
        return False
    # Digits may touch: what stands in the columns at both ends is told apart.
    wide = max(2, round(END * len(rows)))
    first = np.flatnonzero(digits[:, columns[0] : columns[0] + wide].any(axis=1))
    last = np.flatnonzero(digits[:, columns[-1] + 1 - wide : columns[-1] + 1].any(axis=1))
    height = int(np.ptp(first)) + 1
    raised = first[-1] - last[-1] >= RAISED * height and last[0] < first[0]
    return bool(raised and np.ptp(last) + 1 <= SMALLER * height)
