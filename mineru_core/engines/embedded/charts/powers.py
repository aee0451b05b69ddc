"""Powers of ten as logarithmic axes print them: the small raised digits are read as digits of the number."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from mineru_core.document.page import Pixels
from mineru_core.engines.embedded.charts.colors import background_of, distance
from mineru_core.engines.embedded.charts.scene import Label

_POWER = re.compile(r"10([-−–]?\d{1,2})")
# A raised digit may be read twice, as a digit and as what it is.
_TWICE = re.compile(r"10(\d+)([⁰¹²³⁴⁵⁶⁷⁸⁹]+)|10([⁰¹²³⁴⁵⁶⁷⁸⁹]+)(\d+)")
_SMALL = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_MARKS = str.maketrans("", "", " ^{}")
# A digit is raised whose lower end is above that of the first one by this share of its height, and whose own is less.
RAISED = 0.2
SMALLER = 0.9
# Share of the height of all digits that the first and the last one are wide at least.
END = 0.25
MIN_CONTRAST = 60.0
LEAST = 2


def with_powers(pixels: Pixels, labels: Sequence[Label]) -> tuple[Label, ...]:
    """The labels, those that print powers of ten with the number that these are; at least two must."""
    raised = [label for label in labels if _exponent(label) is not None and _is_raised(pixels, label)]
    if len(raised) < LEAST:
        return tuple(labels)
    return tuple(_with_value(label) if _is_beside(label, raised) else label for label in labels)


def _with_value(label: Label) -> Label:
    exponent = _exponent(label)
    return label if exponent is None else replace(label, text=f"{10.0**exponent:.15g}")


def _is_beside(label: Label, others: Sequence[Label]) -> bool:
    """Whether a label stands in the column, or in the row, of one of the others."""
    return any(
        abs(label.box.x1 - other.box.x1) <= other.height or abs(label.box.y0 - other.box.y0) <= 0.5 * other.height
        for other in others
    )


def _exponent(label: Label) -> int | None:
    text = label.text.strip().translate(_MARKS)
    twice = _TWICE.fullmatch(text)
    if twice is not None:
        first, second = (part.translate(_SMALL) for part in twice.groups() if part is not None)
        text = f"10{first}" if first == second else text
    match = _POWER.fullmatch(text.translate(_SMALL))
    if match is None or label.turned or label.slant is not None:
        return None
    return int(match[1].replace("−", "-").replace("–", "-"))


def _is_raised(pixels: Pixels, label: Label) -> bool:
    """Whether the last digit of a label is raised and smaller than its first one."""
    if label.text.translate(_SMALL) != label.text:
        return True
    box = label.box.clipped(pixels.shape[1], pixels.shape[0])
    part = pixels[int(box.y0) : int(np.ceil(box.y1)), int(box.x0) : int(np.ceil(box.x1))]
    if part.size == 0:
        return False
    inked = (distance(part, background_of(part)) > MIN_CONTRAST).astype(np.uint8)
    count, marks, stats, _ = cv2.connectedComponentsWithStats(inked, connectivity=8)
    tall = [i for i in range(1, count) if stats[i][cv2.CC_STAT_HEIGHT] >= 0.25 * part.shape[0]]
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
