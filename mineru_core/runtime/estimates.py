"""What a batcher learns while it works: how long a call takes, and how soon company arrives.

Both see readings of a monotonic clock only, forget what is long past, and give little weight to a reading far off the
others: one page-in, one suspended machine or one first call of a new shape teaches nothing.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Hashable
from typing import NamedTuple

FORGETTING = 0.98
"""What a reading still counts after the next one: about the last 50 decide."""

FEW = 8
"""Calls before anything is concluded."""

OUTLIER = 2.5
"""A reading this many typical errors off is taken for one that is exactly this far off."""

SPREAD = 0.05
"""Relative spread of the units below which the fixed cost cannot be told from the cost a unit."""

KEYS_KEPT = 256
"""Buckets whose arrivals are remembered; the one silent for longest is forgotten first."""


class Latency(NamedTuple):
    """A call of n units takes ``per_unit_s`` · n + ``fixed_s`` seconds."""

    per_unit_s: float
    fixed_s: float

    def seconds(self, units: float) -> float:
        """How long a call of so many units takes."""
        return self.per_unit_s * units + self.fixed_s


class LatencyModel:
    """Learns ``Latency`` from calls as they end: least squares with forgetting, outliers drawn in.

    Not synchronised: its user holds a lock.
    """

    def __init__(self) -> None:
        self.calls = 0
        self._weight = self._x = self._y = self._xx = self._xy = 0.0
        self._fixed_s = 0.0
        self._told_apart = False
        self._error = 0.0
        self._off = 0
        self._early: list[tuple[float, float]] = []

    @property
    def latency(self) -> Latency | None:
        """What was learned; None before the first ``FEW`` calls, and while all calls were the same size."""
        return self._fitted() if self._told_apart else None

    def observe(self, units: float, seconds: float) -> None:
        """Learn from a call of so many units. What is not positive or not finite is no reading and is left out."""
        if not (units > 0 and seconds > 0 and math.isfinite(units) and math.isfinite(seconds)):
            return
        self.calls += 1
        if self.calls < FEW:
            self._early.append((units, seconds))
        elif self.calls == FEW:
            self._begin([*self._early, (units, seconds)])
            self._early.clear()
        else:
            self._learn(units, seconds)

    def _begin(self, readings: list[tuple[float, float]]) -> None:
        """The first readings together: those that cost most a unit may be first calls of a shape, and are left out."""
        readings.sort(key=lambda reading: reading[1] / reading[0])
        for units, seconds in readings[: FEW - FEW // 4]:
            self._add(units, seconds)
        self._refit()
        errors = sorted(abs(seconds - self._fitted().seconds(units)) for units, seconds in readings)
        self._error = errors[len(errors) // 2]

    def _learn(self, units: float, seconds: float) -> None:
        expected = self._fitted().seconds(units)
        typical = max(self._error, 0.01 * expected)
        error = seconds - expected
        drawn_in = max(-OUTLIER * typical, min(OUTLIER * typical, error))
        # Many readings off on one side are no outliers: the calls have changed, and the bounds open for them.
        self._off = 0 if drawn_in == error else self._off + 1
        widening = 2.0 if self._off >= FEW else 1.0
        self._error = widening * (FORGETTING * typical + (1 - FORGETTING) * abs(drawn_in))
        self._add(units, max(0.0, expected + drawn_in))
        self._refit()

    def _add(self, units: float, seconds: float) -> None:
        self._weight = FORGETTING * self._weight + 1
        self._x = FORGETTING * self._x + units
        self._y = FORGETTING * self._y + seconds
        self._xx = FORGETTING * self._xx + units * units
        self._xy = FORGETTING * self._xy + units * seconds

    def _refit(self) -> None:
        """The fixed cost anew; it stays as it was while all calls are about the same size."""
        variance = self._xx * self._weight - self._x**2
        mean_seconds = self._y / self._weight
        if variance > (SPREAD * self._x) ** 2:
            slope = (self._xy * self._weight - self._x * self._y) / variance
            self._fixed_s = (self._y - slope * self._x) / self._weight
            self._told_apart = True
        self._fixed_s = min(max(0.0, self._fixed_s), mean_seconds)

    def _fitted(self) -> Latency:
        return Latency(max(0.0, (self._y - self._fixed_s * self._weight) / self._x), self._fixed_s)


class _Rhythm:
    """The arrivals of one bucket: mean gap between them, seconds, and mean items of one."""

    __slots__ = ("gap_s", "items", "last")

    def __init__(self, now: float, items: int) -> None:
        self.last = now
        self.items = float(items)
        self.gap_s = math.inf


class Arrivals:
    """How often items of each bucket arrive. What one caller hands in at once is one arrival of several items.

    Not synchronised: its user holds a lock.
    """

    def __init__(self) -> None:
        self._rhythms: OrderedDict[Hashable, _Rhythm] = OrderedDict()

    def observe(self, key: Hashable, items: int, now: float) -> None:
        """Note an arrival of so many items in a bucket, at a reading of a monotonic clock."""
        rhythm = self._rhythms.get(key)
        if rhythm is None:
            self._rhythms[key] = _Rhythm(now, items)
            if len(self._rhythms) > KEYS_KEPT:
                self._rhythms.popitem(last=False)
            return
        self._rhythms.move_to_end(key)
        gap = max(0.0, now - rhythm.last)
        # One long silence (a lunch break, a suspended machine) says nothing about the next busy hour: it is bounded.
        rhythm.gap_s = gap if math.isinf(rhythm.gap_s) else 0.8 * rhythm.gap_s + 0.2 * min(gap, 4 * rhythm.gap_s + 0.01)
        rhythm.items = 0.8 * rhythm.items + 0.2 * items
        rhythm.last = now

    def worth_waiting_until(self, key: Hashable, waiting: int, saved_s: float, now: float) -> float:
        """Until when ``waiting`` items of a bucket should wait for company that saves ``saved_s`` each; ``now`` or
        earlier where they should not.

        In a moment dt all that wait lose ``waiting`` · dt, and rate · dt items arrive of which each saves
        ``saved_s``. The rate is no higher than the silence since the last arrival allows, so waiting ends by itself
        when nobody comes.
        """
        rhythm = self._rhythms.get(key)
        if rhythm is None or waiting < 1 or saved_s <= 0:
            return now
        longest_gap = rhythm.items * saved_s / waiting
        return rhythm.last + longest_gap if rhythm.gap_s < longest_gap else now
