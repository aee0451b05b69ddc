"""Bars that are drawn over each other, translucent: where two cover each other, the colour is a mixture of theirs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import permutations

import numpy as np

from mineru_core.engines.embedded.charts.scene import RGB
from mineru_core.engines.embedded.charts.sticks import MAX_GAP, Stick

# What shows through of the bar behind, and how far a mixture's colour may be from what these shares make of two.
LEAST_SHOWN, MOST_SHOWN = 0.1, 0.95
OFF_MIXTURE = 14.0


def overlaid(
    columns: Sequence[Sequence[Stick]], colors: Sequence[RGB], named: Collection[int], background: RGB, base: float
) -> list[list[Stick]] | None:
    """The columns with each bar at its full length; None where they are stacks, or single bars.

    ``columns`` seem to be stacks: the mixture from the base on, and above it the longer bar's own colour. ``named`` are
    the indexes of the colours of the legend, which has no name for a mixture.
    """
    found = {stick.color for column in columns for stick in column} - set(named)
    pairs = {index: pair for index in found if (pair := _mixed_of(colors[index], colors, named, background))}
    if not pairs or len(pairs) < len(found):
        return None
    out = [_parted(column, pairs, base) for column in columns]
    parted = [column for column in out if column is not None]
    return parted if len(parted) == len(out) else None


def _mixed_of(color: RGB, colors: Sequence[RGB], named: Collection[int], background: RGB) -> tuple[int, int] | None:
    """The indexes of the two colours that a third is where one bar shows through the other; None for any other."""
    best: tuple[float, tuple[int, int]] | None = None
    for behind, front in permutations(named, 2):
        tint = np.subtract(colors[behind], background).astype(np.float64)
        added = np.subtract(color, colors[front]).astype(np.float64)
        square = float(tint @ tint)
        shown = float(added @ tint) / square if square else 0.0
        off = float(np.linalg.norm(added - shown * tint))
        if LEAST_SHOWN <= shown <= MOST_SHOWN and off <= OFF_MIXTURE and (best is None or off < best[0]):
            best = off, (behind, front)
    return None if best is None else best[1]


def _parted(column: Sequence[Stick], pairs: dict[int, tuple[int, int]], base: float) -> list[Stick] | None:
    """One column's bars at their full lengths; None where it is a stack."""
    mixed = [stick for stick in column if stick.color in pairs]
    if not mixed:
        return list(column) if len(column) == 1 else None
    (shared, *more) = mixed
    above = [stick for stick in column if stick is not shared]
    stands = min(abs(shared.top - base), abs(shared.bottom - base)) <= MAX_GAP
    if more or not stands or len(above) > 1:
        return None
    pair = pairs[shared.color]
    if not above:
        return [replace(shared, color=color) for color in pair]
    (longer,) = above
    if longer.color not in pair:
        return None
    whole = replace(longer, top=min(longer.top, shared.top), bottom=max(longer.bottom, shared.bottom))
    return [whole, replace(shared, color=pair[0] if longer.color == pair[1] else pair[1])]
