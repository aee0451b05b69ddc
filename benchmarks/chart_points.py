"""How far a chart's points may be trusted: the values of those that are said to be sure, against the truth.

Points are matched with the truth's by the names of their row and series, as ``kit/score.py`` matches them, and only
where these are the same place: years and other numbers must be equal, names more than half alike. Where both sides
have a single series its name is not compared.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mineru_core.document.chart import Chart, Series

SURE = 0.9
"""Confidence from which a point is said to be sure."""

CLOSE = 0.02
"""Share of the true value within which a sure point is to be; and of the largest value of the truth, told beside it."""


@dataclass(frozen=True)
class JudgedPoint:
    """A point with its confidence and its distance from the truth: as a share of that, and of the largest of all."""

    confidence: float
    off: float
    off_of_largest: float


def judged_points(chart: Chart, truth: str, scorer: Any) -> list[JudgedPoint]:
    """The points of a chart that the truth (the text of a CSV, wide) has a number for."""
    wanted = [
        (row, column, value)
        for row, column, text in scorer.chart_points(list(csv.reader(io.StringIO(truth))))
        if (value := scorer.number(text)) is not None
    ]
    if not wanted:
        return []
    largest = max(abs(value) for _, _, value in wanted)
    best: list[JudgedPoint] = []
    for transposed in (False, True):
        found = _points(chart, scorer, transposed)
        if not found:
            continue
        sole = [len({point[i] for point in found}) == len({point[i] for point in wanted}) == 1 for i in (0, 1)]
        pairs = [
            (-alike, i, j)
            for i, point in enumerate(found)
            for j, place in enumerate(wanted)
            if (alike := _alike(point[:2], place[:2], sole, scorer)) > 0
        ]
        judged = [_judged(found[i][2], found[i][3], wanted[j][2], largest) for i, j in _each_once(pairs)]
        best = max(best, judged, key=len)
    return best


def sure_figures(points: Sequence[JudgedPoint]) -> dict[str, float]:
    """How many points are said to be sure, and which share of these is right; no shares where none is."""
    sure = [point for point in points if point.confidence >= SURE]
    figures = {"matched_points": float(len(points)), "sure_points": float(len(sure))}
    if sure:
        figures["sure_right"] = sum(point.off <= CLOSE for point in sure) / len(sure)
        figures["sure_right_of_largest"] = sum(point.off_of_largest <= CLOSE for point in sure) / len(sure)
    return figures


def _each_once(pairs: Sequence[tuple[float, int, int]]) -> list[tuple[int, int]]:
    """The pairs (i, j), those that cost least first, without those of which one is taken."""
    used: tuple[set[int], set[int]] = (set(), set())
    out = []
    for _, i, j in sorted(pairs):
        if i not in used[0] and j not in used[1]:
            used[0].add(i)
            used[1].add(j)
            out.append((i, j))
    return out


def _judged(value: float, confidence: float, truth: float, largest: float) -> JudgedPoint:
    away = abs(value - truth)
    of_truth = away / abs(truth) if truth else (0.0 if away <= 1e-9 * largest else float("inf"))
    return JudgedPoint(confidence, of_truth, away / largest if largest else of_truth)


def _points(chart: Chart, scorer: Any, transposed: bool) -> list[tuple[str, str, float, float]]:
    """(row, column, value, confidence) of the chart's points, as the scorer reads its wide form."""
    sure = chart.model_copy(update={"series": tuple(_confidences(one) for one in chart.series)})
    values, confidences = (scorer.chart_points(one.rows(), transposed) for one in (chart, sure))
    return [
        (row, column, number, float(confidence))
        for (row, column, text), (_, _, confidence) in zip(values, confidences, strict=True)
        if (number := scorer.number(text)) is not None
    ]


def _confidences(series: Series) -> Series:
    """The series with the confidence of each point in place of its value."""
    points = tuple(
        p if p.y is None or not math.isfinite(p.y) else p.model_copy(update={"y": p.confidence}) for p in series.points
    )
    return series.model_copy(update={"points": points})


def _alike(found: tuple[str, str], wanted: tuple[str, str], sole: Sequence[bool], scorer: Any) -> float:
    """How much two places are alike, 0 where they are not the same; twice 1 where their names are equal."""
    total = 0.0
    for a, b, single in zip(found, wanted, sole, strict=True):
        numbers = scorer.number(a), scorer.number(b)
        if single:
            alike = 1.0
        elif None not in numbers:
            alike = float(numbers[0] == numbers[1])
        else:
            alike = 1.0 - scorer._nl(a, b, 0.5)
        if alike <= 0:
            return 0.0
        total += alike
    return total
