"""When somebody comes: Poisson processes whose rate may change, and the search for the highest rate that holds."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from mineru_core.loadtest.scenario import Poisson, Soak, Spike

_GROWTH = 1.5
_CLOSE = 1.1
"""Highest rate that fell over lowest, to the highest that held: closer than this it is not searched for."""


def arrival_times(
    arrivals: Poisson | Spike | Soak, seconds: float, rng: random.Random, *, share: float = 1.0
) -> Iterator[float]:
    """Moments in order, seconds from the start, all before ``seconds``; ``share`` thins them out for one of several
    generators."""
    for start, end, rate in _pieces(arrivals, seconds):
        at = start
        while (at := at + rng.expovariate(rate * share)) < end:
            yield at


def _pieces(arrivals: Poisson | Spike | Soak, seconds: float) -> Iterator[tuple[float, float, float]]:
    """Start, end and rate of the stretches with one rate; a Poisson process forgets, so they are drawn apart."""
    if not isinstance(arrivals, Spike):
        yield 0.0, seconds, arrivals.rate_per_s
        return
    first, last = min(arrivals.start_s, seconds), min(arrivals.start_s + arrivals.peak_s, seconds)
    for start, end, rate in (
        (0.0, first, arrivals.rate_per_s),
        (first, last, arrivals.peak_per_s),
        (last, seconds, arrivals.rate_per_s),
    ):
        if end > start:
            yield start, end, rate


@dataclass
class RateSearch:
    """Which rate comes next: half as much again while it holds, then the middle between what held and what did not.

    ``best`` is the highest rate that held (0: none), ``broke`` the lowest that did not (None: none yet), ``rate`` what
    is to be tried; None once the two are close, or ``most_per_s`` held.
    """

    first_per_s: float
    most_per_s: float
    best: float = 0.0
    broke: float | None = None

    def __post_init__(self) -> None:
        self.rate: float | None = min(self.first_per_s, self.most_per_s)

    def told(self, held: bool) -> None:
        """Take in whether the rate tried last held."""
        assert self.rate is not None
        if held:
            self.best = self.rate
        else:
            self.broke = self.rate
        self.rate = self._next()

    def _next(self) -> float | None:
        if self.broke is None:
            return None if self.best >= self.most_per_s else min(self.best * _GROWTH, self.most_per_s)
        if not self.best:
            return self.broke / 2 if self.broke > self.first_per_s / 8 else None
        return None if self.broke / self.best < _CLOSE else (self.best + self.broke) / 2
