"""From the numbers of a chart to places on a page: ranges, round ticks, piles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from mineru_core.document.chart import Series
from mineru_core.intake.office.charts import Plot, numbered

_LARGEST = 1e100


@dataclass
class Scale:
    """From data to pixels along one axis; ``ticks`` are the printed numbers."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False
    ticks: list[float] = field(default_factory=list)

    def place(self, value: float) -> float:
        """Pixels along the axis."""
        value = drawable(value)
        low, high = self.low, self.high
        if self.log:
            value, low, high = math.log10(max(value, low)), math.log10(low), math.log10(high)
        return self.start + (value - low) / (high - low) * (self.end - self.start)


def piles(plot: Plot) -> list[list[tuple[float | None, float | None]]]:
    """From where to where each value is drawn: from zero, or from the top of those piled below it."""
    length = max((len(series.points) for series in plot.series), default=0)
    totals = [
        math.fsum(abs(drawable(s.points[i].y or 0.0)) for s in plot.series if i < len(s.points)) for i in range(length)
    ]
    tops, bottoms = [0.0] * length, [0.0] * length
    piled: list[list[tuple[float | None, float | None]]] = []
    for series in plot.series:
        pile: list[tuple[float | None, float | None]] = []
        for place, point in enumerate(series.points):
            value = point.y
            if value is None:
                pile.append((None, None))
                continue
            value = drawable(value)
            if plot.share:
                value = value / totals[place] if totals[place] else 0.0
            if not plot.stacked:
                pile.append((0.0, value))
                continue
            base = tops if value >= 0 else bottoms
            pile.append((base[place], base[place] + value))
            base[place] += value
        piled.append(pile)
    return piled


def value_range(plots: Sequence[Plot]) -> tuple[float, float]:
    """From where to where values are drawn."""
    found: list[float] = []
    for plot in plots:
        for number, pile in enumerate(piles(plot)):
            if number in plot.sizes:
                continue
            for low, high in pile:
                found += [value for value in (low, high) if value is not None and math.isfinite(value)]
    return (min(found), max(found)) if found else (0.0, 1.0)


def number_range(series: Sequence[Series]) -> tuple[float, float]:
    """The least and the largest x."""
    found = [x for one in series for point in one.points if (x := as_number(point.x)) is not None]
    return (min(found), max(found)) if found else (0.0, 1.0)


def as_number(text: str) -> float | None:
    """The number a text says, as far as it can be drawn; None where it says none."""
    value = numbered(text)
    return None if value is None else drawable(value)


def drawable(value: float) -> float:
    """The value, or the largest that can still be added up a million times."""
    return min(max(value, -_LARGEST), _LARGEST)


def round_scale(low: float, high: float, log: bool) -> Scale:
    """A scale with round ticks around the values."""
    if log and high > 0:
        bottom = math.floor(math.log10(low)) if low > 0 else math.floor(math.log10(high)) - 3
        bottom = max(bottom, -300)
        top = max(math.ceil(math.log10(high)), bottom + 1)
        ticks = [10.0**power for power in range(bottom, top + 1, max(1, (top - bottom) // 6))]
        return Scale(10.0**bottom, 10.0**top, 0, 1, True, ticks)
    if high - low <= 1e-12 * max(abs(low), abs(high)):
        low, high = min(low, 0.0), max(high, 0.0)
    if high == low:
        high = low + 1.0
    rough = (high - low) / 5
    power = 10.0 ** math.floor(math.log10(rough)) if rough > 1e-300 else 1e-300
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)
    first, last = math.floor(low / step), math.ceil(high / step)
    ticks = [step * place for place in range(first, min(last, first + 20) + 1)]
    return Scale(ticks[0], max(ticks[-1], high), 0, 1, False, ticks)


def tick_texts(scale: Scale) -> list[str]:
    """The numbers at the ticks as they are written."""
    return [f"{tick:.6g}" if tick else "0" for tick in scale.ticks]


def categories(series: Sequence[Series]) -> list[str]:
    """The categories of the longest series."""
    longest = max(series, key=lambda one: len(one.points), default=None)
    return [point.x for point in longest.points] if longest is not None else []
