"""How well a reader of marks finds the values of drawn charts again: what the tests of all kinds share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from mineru_core.document.chart import Series
from mineru_core.engines.embedded.charts.scene import Scene
from tests.engines.embedded.charts.drawn import Drawn, Miss, draw, misses

CLOSE = 0.015
"""Share of the axis' range by which a value that was found may be off."""

SURE = 0.9
"""Confidence from which a value must hold to ``HOLDS`` of the range."""
HOLDS = 0.02

Reader = Callable[[Scene], list[Series] | None]


def read_all(kind: str, seeds: Iterable[int], reader: Reader, *, clean: bool = True) -> list[tuple[Drawn, list[Miss]]]:
    """The charts of these seeds with how far each true value was read off."""
    out = []
    for seed in seeds:
        drawn = draw(kind, seed, clean=clean)
        out.append((drawn, misses(drawn, reader(drawn.scene))))
    return out


def assert_found(read: Sequence[tuple[Drawn, list[Miss]]], share: float = 0.95, sure_share: float = 0.95) -> None:
    """So many of the values are found, and so many of those that are said to be sure are right."""
    every = [miss for _, found in read for miss in found]
    close = sum(miss.error <= CLOSE for miss in every) / len(every)
    worst = {drawn.seed: bad for drawn, found in read if (bad := [m for m in found if m.error > CLOSE])}
    assert close >= share, f"{close:.3f} of {len(every)} values found; seeds {worst}"
    sure = [miss for miss in every if miss.confidence >= SURE]
    # Of a few a single one would decide.
    if len(sure) >= 10:
        right = sum(miss.error <= HOLDS for miss in sure) / len(sure)
        assert right >= sure_share, f"{right:.3f} of {len(sure)} sure values are right"
