"""Drawn charts the whole way: the bytes of a picture through the public door to the chart's data, as RMS-F1.

    python -m tests.engines.embedded.charts.end_to_end [--kinds a,b] [--count N] [--first SEED]

prints for each kind the mean RMS-F1 of so many charts, those below 0.9 with their seeds, and how many of the points
with a confidence of 0.9 and more are within 2 % of the truth.
"""

from __future__ import annotations

import argparse
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from PIL import Image
from rapidfuzz.distance import Levenshtein

from mineru_core import Analyzer, load_settings, open_document
from mineru_core.document.chart import Chart
from tests.engines.embedded.charts.drawn import KINDS, Drawn, draw

SURE, CLOSE = 0.9, 0.02
DIFFERENT, FAR = 0.5, 0.1
"""A name that differs by more than this share, or a value by more than that, is not the same at all."""

SAME_PLACE = 0.015
"""Share of the axis within which the x of a point of a cloud is the x that was drawn."""

Place = tuple[str, str]


@dataclass(frozen=True)
class Outcome:
    """One drawn chart as it was read: its RMS-F1, and of each sure point how far it is off, as a share of its value."""

    kind: str
    seed: int
    score: float
    sure: tuple[float, ...]


def read(drawn: Drawn, analyzer: Analyzer) -> Outcome:
    """A chart as the product reads the bytes of its picture."""
    held = io.BytesIO()
    Image.fromarray(drawn.pixels).save(held, "PNG")
    with open_document(held.getvalue()) as document:
        charts = analyzer.analyze(document, "extract the chart data").charts
    truth = _truth(drawn)
    found = _found(drawn, max(charts, key=lambda c: 0.0 if c.box is None else c.box.area)) if charts else []
    pairs = _pairs([place for place, _, _ in found], [place for place, _ in truth])
    total = sum(alike * (1 - _off(found[i][1], truth[j][1])) for i, j, alike in pairs)
    precision, recall = total / max(1, len(found)), total / len(truth)
    score = 2 * precision * recall / (precision + recall) if total else 0.0
    sure = [_relative(found[i][1], truth[j][1]) for i, j, alike in pairs if alike > 0.9 and found[i][2] >= SURE]
    return Outcome(drawn.kind, drawn.seed, score, tuple(sure))


def _truth(drawn: Drawn) -> list[tuple[Place, float]]:
    """Every value with the names of its row and its series, as they stand in the picture."""
    sole = len(drawn.values) == 1
    title = drawn.scene.title if drawn.kind in ("pie", "donut") else drawn.scene.y_title or drawn.scene.x_title
    values = drawn.values.items()
    return [((x, title if sole else name), y) for name, points in values for x, y in points]


def _found(drawn: Drawn, chart: Chart) -> list[tuple[Place, float, float]]:
    """The points of a chart that have a value, with their confidence."""
    found = [
        ((p.x, series.name), p.y, p.confidence) for series in chart.series for p in series.points if p.y is not None
    ]
    if drawn.kind != "scatter":
        return found
    # In a cloud an x is measured, too: one that is near enough counts as the one that was drawn.
    return [((_nearest_x(drawn, x, series, y), series), y, sure) for (x, series), y, sure in found]


def _nearest_x(drawn: Drawn, x: str, name: str, y: float) -> str:
    try:
        at = float(x)
    except ValueError:
        return x
    points = drawn.values.get(name) or [point for points in drawn.values.values() for point in points]
    every = [float(other) for points in drawn.values.values() for other, _ in points]
    span = max(every) - min(every)
    near = [(abs(value - y), other) for other, value in points if abs(float(other) - at) <= SAME_PLACE * span]
    return min(near, default=(0.0, x))[1]


def _pairs(found: Sequence[Place], truth: Sequence[Place]) -> list[tuple[int, int, float]]:
    """(index found, index of the truth, how alike their names are), the most alike first, each once."""
    costs = sorted(
        (1 - alike, i, j) for i, a in enumerate(found) for j, b in enumerate(truth) if (alike := _alike(a, b)) > 0
    )
    used: tuple[set[int], set[int]] = (set(), set())
    out = []
    for cost, i, j in costs:
        if i not in used[0] and j not in used[1]:
            used[0].add(i)
            used[1].add(j)
            out.append((i, j, 1 - cost))
    return out


def _alike(a: Place, b: Place) -> float:
    apart = Levenshtein.normalized_distance(" ".join(a).casefold(), " ".join(b).casefold())
    return 0.0 if apart > DIFFERENT else 1 - apart


def _off(value: float, truth: float) -> float:
    off = _relative(value, truth)
    return 1.0 if off > FAR else off


def _relative(value: float, truth: float) -> float:
    return abs(value - truth) / abs(truth) if truth else float(value != truth)


def read_all(kinds: Iterable[str], seeds: Sequence[int], told: Callable[[str], object] = print) -> list[Outcome]:
    """Charts of these kinds and seeds, read one after the other by one engine; each kind is told as it is done."""
    with Analyzer(load_settings(cache={"enabled": False})) as analyzer:
        analyzer.load()
        found = []
        for kind in kinds:
            found += [read(draw(kind, seed), analyzer) for seed in seeds]
            told(of_kind(found[-len(seeds) :]))
        return found


def of_kind(outcomes: Sequence[Outcome]) -> str:
    """One kind's score, and its charts that have less than 0.9."""
    low = ", ".join(f"{o.seed}: {o.score:.2f}" for o in outcomes if o.score < 0.9)
    return f"{outcomes[0].kind:16} n {len(outcomes):3}  RMS-F1 {fmean(o.score for o in outcomes):.3f}  {low}"


def of_all(outcomes: Sequence[Outcome]) -> str:
    """The score of all kinds, and how many sure points are right."""
    score, (right, count) = fmean(o.score for o in outcomes), sure_points(outcomes)
    share = right / max(1, count)
    return f"{'all':16} n {len(outcomes):3}  RMS-F1 {score:.3f}  {count} sure points, {share:.3f} right"


def sure_points(outcomes: Sequence[Outcome]) -> tuple[int, int]:
    """How many of the points that are said to be sure are right, and how many there are."""
    sure = [off for outcome in outcomes for off in outcome.sure]
    return sum(off <= CLOSE for off in sure), len(sure)


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw, read, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kinds", default=",".join(KINDS), help="parted by commas; all if left out")
    parser.add_argument("--count", type=int, default=3, help="charts of each kind")
    parser.add_argument("--first", type=int, default=5000, help="the first one's seed")
    options = parser.parse_args(arguments)
    seeds = range(options.first, options.first + options.count)
    print(of_all(read_all(options.kinds.split(","), seeds)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
