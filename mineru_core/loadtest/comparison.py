"""Two groups of runs beside each other: how many times as much, and between which bounds that lies."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean, variance
from typing import Protocol

from pydantic import BaseModel, ConfigDict

from mineru_core.errors import InvalidRequest

COMPARED = (
    "throughput",
    "goodput",
    "capacity",
    "mean_s",
    "p50_s",
    "p95_s",
    "p99_s",
    "errors",
    "timeouts",
    "refused_share",
    "best_rate",
)
MORE_IS_BETTER = frozenset({"throughput", "goodput", "capacity", "best_rate"})

# 97.5 % points of Student's t by degrees of freedom, for intervals that hold in 95 of 100 cases.
_T: tuple[float, ...] = (
    12.706,
    4.303,
    3.182,
    2.776,
    2.571,
    2.447,
    2.365,
    2.306,
    2.262,
    2.228,
    2.201,
    2.179,
    2.160,
    2.145,
    2.131,
)
_T += (2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042)
_T_OF_MANY = 1.96


class Measured(Protocol):
    """A run, or its summary: whatever has figures by name."""

    @property
    def figures(self) -> Mapping[str, float]:
        """Those that were measured."""


class Row(BaseModel):
    """One figure: its mean on both sides, ``ratio`` of the later to the earlier (geometric means), and the bounds it
    lies between in 95 of 100 cases. None where there is no ratio, or no repeats to tell the bounds by."""

    model_config = ConfigDict(frozen=True)

    name: str
    before: float
    after: float
    ratio: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def is_certain(self) -> bool:
        """Whether the bounds leave no doubt that there is a difference."""
        return self.low is not None and self.high is not None and not self.low <= 1 <= self.high

    @property
    def ratio_text(self) -> str:
        """The ratio as it is told; "" where there is none."""
        return "" if self.ratio is None else f"{self.ratio:.2f}"

    @property
    def bounds_text(self) -> str:
        """The bounds as they are told; "" where there are none."""
        return "" if self.low is None or self.high is None else f"{self.low:.2f} – {self.high:.2f}"


def compare(before: Sequence[Measured], after: Sequence[Measured]) -> list[Row]:
    """Every figure that both sides have in all their runs. Raises ``InvalidRequest`` for a side without runs."""
    if not before or not after:
        raise InvalidRequest("There is nothing to compare.", "Choose at least one run on either side.")
    rows = []
    for name in COMPARED:
        sides = [[run.figures.get(name) for run in runs] for runs in (before, after)]
        numbers = [[value for value in side if value is not None] for side in sides]
        if all(len(found) == len(side) for found, side in zip(numbers, sides, strict=True)):
            rows.append(row_of(name, numbers[0], numbers[1]))
    return rows


def row_of(name: str, before: Sequence[float], after: Sequence[float]) -> Row:
    """One figure of repeats on both sides, at least one each.

    The interval is Welch's, of the difference of the logarithms: rates and times scatter in proportion to their size.
    """
    row = Row(name=name, before=fmean(before), after=fmean(after))
    if min(*before, *after) <= 0:
        return row
    logs = [[math.log(value) for value in side] for side in (before, after)]
    middle = fmean(logs[1]) - fmean(logs[0])
    ratio = math.exp(middle)
    if len(before) < 2 or len(after) < 2:
        return row.model_copy(update={"ratio": ratio})
    errors = [variance(side) / len(side) for side in logs]
    total = sum(errors)
    reach = 0.0
    if total > 0:
        freedom = total**2 / sum(error**2 / (len(side) - 1) for error, side in zip(errors, logs, strict=True))
        reach = _student(freedom) * math.sqrt(total)
    bounds = {"low": math.exp(middle - reach), "high": math.exp(middle + reach)}
    return row.model_copy(update={"ratio": ratio, **bounds})


def _student(freedom: float) -> float:
    """The 97.5 % point; for a fraction of a degree that of the whole one below, which is the wider."""
    whole = max(1, math.floor(freedom + 1e-9))
    return _T[whole - 1] if whole <= len(_T) else _T_OF_MANY + (_T[-1] - _T_OF_MANY) * len(_T) / whole
