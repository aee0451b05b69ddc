"""Scales from tick labels: the straight line (or its logarithm) that most of them agree with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from mineru_core.engines.embedded.charts.numbers import Printed, tick_number
from mineru_core.engines.embedded.charts.scene import Label, NumberAxis

# A label agrees with a scale that puts its number within this many heights of a line of its middle.
MAX_OFF = 0.35
MIN_OFF = 2.0
MAX_LABELS = 80
# Powers of ten are told from even steps where the largest number is so many times the smallest.
LOG_SPAN = 3.0
# Two labels make a scale, of which little is known; three or more bear each other out.
CONFIDENCE_OF_TWO = 0.6


@dataclass(frozen=True, slots=True)
class Tick:
    """A label at an axis with the number it prints and its place along the axis, pixels."""

    label: Label
    number: Printed
    at: float


@dataclass(frozen=True, slots=True)
class Scale:
    """value = slope × pixel + intercept (ten to the power of it if ``log``), and the ticks that agree with it."""

    slope: float
    intercept: float
    log: bool
    ticks: tuple[Tick, ...]


def ticks_of(labels: Sequence[Label], *, vertical: bool) -> list[Tick]:
    """The labels that print numbers, with their places along the axis."""
    found = []
    for label in labels:
        number = tick_number(label.text)
        if number is not None:
            found.append(Tick(label, number, label.box.center[1] if vertical else label.place[0]))
    return found[:MAX_LABELS]


def scale_of(ticks: Sequence[Tick], height: float) -> Scale | None:
    """The scale that most ticks agree with, at least two; None where there is none.

    ``height`` is that of a line of text, pixels. A logarithmic scale is taken only where more ticks agree with it.
    """
    linear = _best(ticks, height, log=False)
    if len(ticks) >= 3 and all(tick.number.value > 0 for tick in ticks):
        log = _best(ticks, height, log=True)
        if log is not None and len(log.ticks) > max(2, len(linear.ticks) if linear else 0) and _spans_powers(log):
            return log
    # Of a linear axis two neighbouring powers of ten would not be the only ticks.
    if linear is not None and len(linear.ticks) == 2 and _are_neighbours(linear):
        return _best(linear.ticks, height, log=True)
    return linear


def _are_neighbours(scale: Scale) -> bool:
    low, high = sorted(tick.number.value for tick in scale.ticks)
    return low >= 10 and high == 10 * low and float(np.log10(low)).is_integer()


def _spans_powers(scale: Scale) -> bool:
    values = [tick.number.value for tick in scale.ticks]
    return max(values) >= LOG_SPAN * min(values)


def refitted(scale: Scale, places: Sequence[float]) -> Scale:
    """The same scale with its ticks at other places, one for each, such as their lines of the grid."""
    values = np.array([even_value(tick, scale.log) for tick in scale.ticks])
    slope, intercept = _line(np.array(places), values)
    moved = tuple(Tick(t.label, t.number, at) for t, at in zip(scale.ticks, places, strict=True))
    return Scale(slope, intercept, scale.log, moved)


def axis_of(scale: Scale, *, vertical: bool, thrown_out: int = 0) -> NumberAxis:
    """The axis of a scale; ``thrown_out`` labels stood among its ticks and do not agree."""
    at = np.array([tick.at for tick in scale.ticks])
    values = np.array([even_value(tick, scale.log) for tick in scale.ticks])
    length = float(np.ptp(at)) or 1.0
    residual = float(np.abs((values - scale.intercept) / scale.slope - at).mean()) / length
    count = len(scale.ticks)
    share = count / (count + thrown_out)
    sure = (CONFIDENCE_OF_TWO if count == 2 else 1.0) * share * max(0.0, 1.0 - 10 * residual)
    units = Counter(tick.number.unit for tick in scale.ticks)
    years = all(tick.number.is_year and tick.label.text.strip(" *'").isdigit() for tick in scale.ticks)
    return NumberAxis(
        vertical=vertical,
        slope=scale.slope,
        intercept=scale.intercept,
        log=scale.log,
        unit=max(units, key=lambda unit: (units[unit], unit)),
        residual=residual,
        ticks=tuple((tick.number.value, tick.at) for tick in scale.ticks),
        confidence=min(1.0, sure),
        dates=years and not scale.log,
    )


def _best(ticks: Sequence[Tick], height: float, *, log: bool) -> Scale | None:
    """By trial of every two ticks: the line that most others lie on; of two equal ones the closer fit."""
    if len(ticks) < 2:
        return None
    at = np.array([tick.at for tick in ticks])
    values = np.array([even_value(tick, log) for tick in ticks])
    reach = max(MIN_OFF, MAX_OFF * height)
    best: tuple[int, float, tuple[int, ...]] = (0, 0.0, ())
    for i, j in combinations(range(len(ticks)), 2):
        if abs(at[i] - at[j]) < height or values[i] == values[j]:
            continue
        slope = (values[j] - values[i]) / (at[j] - at[i])
        off = np.abs((values - values[i]) / slope + at[i] - at)
        inside = _one_each(off, at, reach, height)
        score = (len(inside), -float(off[inside].sum()), tuple(inside))
        best = max(best, score)
    if best[0] < 2:
        return None
    chosen = list(best[2])
    slope, intercept = _line(at[chosen], values[chosen])
    return Scale(slope, intercept, log, tuple(ticks[i] for i in chosen)) if slope else None


def _one_each(off: np.ndarray, at: np.ndarray, reach: float, height: float) -> list[int]:
    """Indexes of ticks within reach, one where several stand at one place."""
    inside: list[int] = []
    for i in np.argsort(off, kind="stable"):
        if off[i] > reach:
            break
        if all(abs(at[i] - at[j]) > 0.5 * height for j in inside):
            inside.append(int(i))
    return sorted(inside)


def even_value(tick: Tick, log: bool) -> float:
    """The value of a tick, or its logarithm to the base 10: what grows evenly along the axis."""
    return float(np.log10(tick.number.value)) if log else tick.number.value


def _line(at: np.ndarray, values: np.ndarray) -> tuple[float, float]:
    """Slope and intercept of the least squares' line."""
    middle, mean = float(at.mean()), float(values.mean())
    spread = float(((at - middle) ** 2).sum())
    slope = float(((at - middle) * (values - mean)).sum()) / spread if spread else 0.0
    return slope, mean - slope * middle
