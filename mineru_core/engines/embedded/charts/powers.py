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
_SMALL = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
# A digit is raised whose lower end is above that of the first one by this share of its height, and whose own is less.
RAISED = 0.2
SMALLER = 0.9
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
    match = _POWER.fullmatch(label.text.strip().replace(" ", "").translate(_SMALL))
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
    count, _, stats, _ = cv2.connectedComponentsWithStats(inked, connectivity=8)
    tall = [stats[i] for i in range(1, count) if stats[i][cv2.CC_STAT_HEIGHT] >= 0.25 * part.shape[0]]
    digits = sorted(tall, key=lambda blot: int(blot[cv2.CC_STAT_LEFT]))
    if len(digits) < 3:
        return False
    first, last = digits[0], digits[-1]
    height = int(first[cv2.CC_STAT_HEIGHT])
    foot = [int(blot[cv2.CC_STAT_TOP] + blot[cv2.CC_STAT_HEIGHT]) for blot in (first, last)]
    return foot[0] - foot[1] >= RAISED * height and int(last[cv2.CC_STAT_HEIGHT]) <= SMALLER * height
