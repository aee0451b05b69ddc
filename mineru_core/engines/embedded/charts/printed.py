"""Values printed on or at the marks: which label belongs to which mark, and which of the two is right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

import numpy as np

from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.charts.numbers import Printed, printed, tick_number
from mineru_core.engines.embedded.charts.scene import Label

# A printed value and a measured one agree within this share of the axis' range, or of the value.
SAME_OF_RANGE = 0.025
SAME_OF_VALUE = 0.03
# They agree closely within this share of that; else one that was misread may agree by chance: how sure it is then.
CLOSELY = 0.5
FAR = 0.8
# Where this share of the printed values disagrees with the scale, it is the scale that was misread.
MANY = 0.6
ALIKE = 0.98
# How far beyond a mark's end its label may stand, in heights of a line.
BEYOND = 1.6
BESIDE = 0.8


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark that may have a printed value: its box on the picture, its end (x, y), and its measured value."""

    box: Box
    end: tuple[float, float]
    value: float | None


@dataclass(frozen=True, slots=True)
class Value:
    """A mark's value: ``confidence`` 0..1, and whether it was printed."""

    value: float | None
    confidence: float
    printed: bool = False
    differs: bool = False


def values_of(marks: Sequence[Mark], labels: Sequence[Label], span: float, height: float, sure: float) -> list[Value]:
    """A value for each mark, from its label where there is one that can be right, else as measured.

    ``span`` is the range of the axis in its units, 0 where there is no axis; ``height`` that of a line of text in
    pixels; ``sure`` the confidence of measured values.
    """
    numbers = [(label, number) for label in labels if (number := _number(label)) is not None]
    chosen = _assigned(marks, numbers, span, height)
    chosen = {i: _completed(marks[i].value, label, number, span) for i, (label, number) in chosen.items()}
    scale_fails = _scale_fails([(marks[i].value, number.value) for i, (_, number) in chosen.items()], span)
    found = []
    for i, mark in enumerate(marks):
        if i not in chosen:
            found.append(Value(mark.value, sure if mark.value is not None else 0.0))
            continue
        label, number = chosen[i]
        agrees = _agree(mark.value, number, span)
        if mark.value is None or scale_fails:
            found.append(Value(number.value, 0.8 * label.confidence, printed=True, differs=mark.value is not None))
        elif agrees:
            close = _agree(mark.value, number, span, CLOSELY)
            found.append(
                Value(number.value, min(1.0, 0.5 + 0.5 * label.confidence) * (1.0 if close else FAR), printed=True)
            )
        else:  # a number that was misread, or one that means something else
            found.append(Value(mark.value, 0.6 * sure, differs=True))
    return found


def _completed(value: float | None, label: Label, number: Printed, span: float) -> tuple[Label, Printed]:
    """The number of a label, with its thousands where only the digits after them were read."""
    cut = sum(c.isdigit() for c in label.text) == 3 and 0 <= number.value < 1000 and not number.unit
    if value is None or value < 1000 or not cut:
        return label, number
    thousands = round((value - number.value) / 1000) * 1000
    whole = replace(number, value=number.value + thousands)
    return (label, whole) if thousands > 0 and span > 2000 and _agree(value, whole, span) else (label, number)


def _scale_fails(pairs: Sequence[tuple[float | None, float]], span: float) -> bool:
    """Whether the printed values grow with the measured ones, and most of them say that the scale is another."""
    known = [(measured, number) for measured, number in pairs if measured is not None]
    if len(known) < 3:
        return False
    measured, numbers = (np.array(values, float) for values in zip(*known, strict=True))
    reach = np.maximum(SAME_OF_RANGE * span, SAME_OF_VALUE * np.abs(measured))
    if (np.abs(measured - numbers) <= reach).mean() >= 1 - MANY or np.ptp(measured) == 0 or np.ptp(numbers) == 0:
        return False
    return bool(np.corrcoef(measured, numbers)[0, 1] > ALIKE)


def _number(label: Label) -> Printed | None:
    if label.slant is not None:
        return None
    return printed(label.text) or (tick_number(label.text) if any(c.isdigit() for c in label.text) else None)


def _agree(value: float | None, number: Printed, span: float, times: float = 1.0) -> bool:
    """Whether a printed value is the measured one, to within ``times`` what these may differ."""
    if value is None:
        return True
    reach = max(times * SAME_OF_RANGE * span, times * SAME_OF_VALUE * abs(value), 0.5 * number.step)
    return abs(number.value - value) <= reach


def _assigned(
    marks: Sequence[Mark], numbers: Sequence[tuple[Label, Printed]], span: float, height: float
) -> dict[int, tuple[Label, Printed]]:
    """The label of each mark that has one, by index: the nearest pairs first, those that agree before all others."""
    pairs: list[tuple[bool, float, int, int]] = []
    for i, mark in enumerate(marks):
        for j, (label, number) in enumerate(numbers):
            away = _away(mark, label.box, height)
            if away is not None:
                off = 0.0 if mark.value is None or not span else abs(number.value - mark.value) / span
                pairs.append((not _agree(mark.value, number, span), away + 10 * min(off, 1.0), i, j))
    chosen: dict[int, tuple[Label, Printed]] = {}
    taken: set[int] = set()
    for _, _, i, j in sorted(pairs):
        if i not in chosen and j not in taken:
            chosen[i] = numbers[j]
            taken.add(j)
    return chosen


def _away(mark: Mark, box: Box, height: float) -> float | None:
    """How far a label is from a mark's end, in heights of a line; None where it can not belong to it."""
    x, y = box.center
    inside = mark.box.expanded(0.3 * height).contains(x, y)
    reach = mark.box.expanded(BESIDE * height)
    gap_x = max(box.x0 - mark.end[0], mark.end[0] - box.x1, 0.0)
    gap_y = max(box.y0 - mark.end[1], mark.end[1] - box.y1, 0.0)
    at_end = (reach.x0 <= x <= reach.x1 and gap_y <= BEYOND * height) or (
        reach.y0 <= y <= reach.y1 and gap_x <= BEYOND * height
    )
    if not inside and not at_end:
        return None
    middle = mark.box.center
    from_middle = float(np.hypot(x - middle[0], y - middle[1])) if inside else float("inf")
    return min(float(np.hypot(gap_x, gap_y)), from_middle) / height


def differ(values: Sequence[Value]) -> int:
    """How many marks have a printed value that their measured one does not agree with."""
    return sum(value.differs for value in values)


def typical(values: Sequence[float]) -> float:
    """The median, 0 where there are none."""
    return median(values) if values else 0.0
