"""From the ink of one colour to the line it draws: one place for each column of pixels, or none.

In each column the ink makes runs; a chain of runs, one a column, is looked for that has the most ink and the fewest
jumps. Where other marks hide the line, or between dashes, the chain leaps over columns.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mineru_core.engines.embedded.charts.lines_ink import Floats

Array = NDArray[np.floating[Any]]

INKED = 0.4
"""Share of a line's usual coverage from which a pixel is its own."""

LEAP = 0.12
"""How far a chain leaps over columns without ink, as a share of the plot's width."""

JUMP = 0.6
"""What a break between two neighbouring columns costs, in columns of ink; and for each pixel of it:"""
JUMP_PIXEL = 0.12


class Run(NamedTuple):
    """Ink of one column from ``top`` to ``bottom`` (exclusive), its middle by weight, and how much of it there is."""

    top: int
    bottom: int
    middle: float
    mass: float


class Trace(NamedTuple):
    """A line: by column its middle ``y`` (nan where there is none), and the edges of its ink, in pixels of the picture.

    ``x`` are the columns' middles. ``thickness`` is the usual height of the ink where the line is flat.
    """

    x: Array
    y: Array
    top: Array
    bottom: Array
    thickness: float

    @property
    def columns(self) -> NDArray[np.intp]:
        """Indexes of the columns with ink, from left to right."""
        return np.flatnonzero(np.isfinite(self.y))

    @property
    def drawn(self) -> float:
        """Share of the columns between its ends that have ink, 0..1."""
        inked = self.columns
        return len(inked) / (inked[-1] - inked[0] + 1) if len(inked) else 0.0


def trace_of(coverage: Floats, left: int, top: int) -> Trace | None:
    """The line that the coverage of one colour (height, width) draws, None where there is none to speak of.

    ``left`` and ``top`` are the picture's pixels of the coverage's first column and row.
    """
    highest = coverage.max(axis=0)
    inked = highest[highest > 0.25]
    if len(inked) < max(4, 0.02 * coverage.shape[1]):
        return None
    usual = float(np.percentile(inked, 75))
    runs = column_runs(coverage, INKED * usual)
    flat = [run.mass for column in runs for run in column]
    thickness = max(1.0, float(np.percentile(flat, 40)) / max(usual, 0.3))
    chain = _best_chain(runs, thickness)
    size = coverage.shape[1]
    y, upper, lower = (np.full(size, np.nan) for _ in range(3))
    for column, run in chain:
        y[column], upper[column], lower[column] = top + run.middle, top + run.top, top + run.bottom
    return Trace(left + np.arange(size) + 0.5, y, upper, lower, thickness) if chain else None


def column_runs(coverage: Floats, least: float) -> list[list[Run]]:
    """The runs of ink in each column that are covered at least so much, from top to bottom; places in rows.

    A run's middle takes in the blended pixels at its ends.
    """
    height, width = coverage.shape
    padded = np.zeros((height + 2, width), np.bool_)
    padded[1:-1] = coverage >= least
    # A hair of another line or of the grid that crosses does not part a run.
    padded[1:-1] |= padded[:-2] & padded[2:]
    edges = np.diff(padded.astype(np.int8), axis=0)
    starts, ends = np.argwhere((edges == 1).T), np.argwhere((edges == -1).T)
    rows = np.arange(height) + 0.5
    total = np.vstack([np.zeros(width), np.cumsum(coverage, axis=0, dtype=np.float64)])
    moment = np.vstack([np.zeros(width), np.cumsum(coverage * rows[:, None], axis=0, dtype=np.float64)])
    out: list[list[Run]] = [[] for _ in range(width)]
    for (column, first), (_, last) in zip(starts.tolist(), ends.tolist(), strict=True):
        a, b = max(0, first - 1), min(height, last + 1)
        mass = float(total[b, column] - total[a, column])
        middle = float(moment[b, column] - moment[a, column]) / mass if mass > 0 else (first + last) / 2
        out[column].append(Run(first, last, middle, mass))
    return out


def _best_chain(runs: list[list[Run]], thickness: float) -> list[tuple[int, Run]]:
    """The chain of (column, run) with the most ink and the fewest jumps, from left to right."""
    leap = max(12, round(LEAP * len(runs)))
    scores: list[list[float]] = []
    back: list[list[tuple[int, int] | None]] = []
    best: tuple[float, int, int] = (0.0, -1, -1)
    filled: list[int] = []
    for column, here in enumerate(runs):
        scores.append([])
        back.append([])
        for index, run in enumerate(here):
            score, source = _link(run, column, runs, scores, filled, leap)
            score += min(1.0, run.mass / (0.5 * thickness))
            scores[column].append(score)
            back[column].append(source)
            if score > best[0]:
                best = (score, column, index)
        if here:
            filled.append(column)
    chain: list[tuple[int, Run]] = []
    at: tuple[int, int] | None = best[1:] if best[1] >= 0 else None
    while at is not None:
        chain.append((at[0], runs[at[0]][at[1]]))
        at = back[at[0]][at[1]]
    return chain[::-1]


def _link(
    run: Run,
    column: int,
    runs: list[list[Run]],
    scores: list[list[float]],
    filled: list[int],
    leap: int,
) -> tuple[float, tuple[int, int] | None]:
    """The best score of a chain that this run goes on, and the run before it; 0 and None where it begins one."""
    best: tuple[float, tuple[int, int] | None] = (0.0, None)
    for before in filled[-1:-5:-1]:
        gap = column - before
        if gap > leap:
            break
        for index, earlier in enumerate(runs[before]):
            apart = max(0, run.top - earlier.bottom, earlier.top - run.bottom)
            # Of two runs that touch the one before, the one about level with it goes on the line.
            cost = 0.002 * abs(run.middle - earlier.middle)
            if gap > 1:
                # Over a gap a line goes on at any slope; a steep one is less likely.
                cost += 0.05 * gap + 0.03 * apart
            elif apart > 1:
                cost += JUMP + JUMP_PIXEL * apart
            score = scores[before][index] - cost
            if score > best[0]:
                best = (score, (before, index))
    return best
