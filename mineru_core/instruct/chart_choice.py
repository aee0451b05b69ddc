"""Of charts the series and the points that were asked for."""

from __future__ import annotations

import colorsys
import re
from collections.abc import Callable, Sequence

from mineru_core.document.chart import Chart, Point, Series
from mineru_core.document.task import Note, Task
from mineru_core.instruct.chart_words import COLOURS, colour_of
from mineru_core.instruct.likeness import meant, place_named, same_text
from mineru_core.instruct.normalize import key

_HUES = (
    (0.035, "red"), (0.115, "orange"), (0.18, "yellow"), (0.45, "green"), (0.54, "cyan"), (0.70, "blue"),
    (0.82, "purple"), (0.95, "pink"), (1.01, "red"),
)  # fmt: skip


def choose(charts: Sequence[Chart], task: Task) -> tuple[tuple[Chart, ...], list[Note]]:
    """The charts with the series and points that ``task`` names; a chart that has none of them is left out.

    What no chart has is said (``no-such-series``, ``chart-colours-unknown``, ``no-such-point``); then all are given.
    """
    notes: list[Note] = []
    chosen = tuple(charts)
    wanted, points = _sorted_out(chosen, task)
    if wanted and chosen:
        coloured = any(colour_of(name) is not None for name in wanted)
        known = any(series.color for chart in chosen for series in chart.series)
        found = _kept(chosen, lambda chart: _with_series(chart, wanted))
        if not found:
            names = "; ".join(dict.fromkeys(s.name for c in chosen for s in c.series if s.name))
            if coloured and not known:
                text = "The colours of the series are not known, so all are given."
                notes.append(Note(code="chart-colours-unknown", message=text))
            else:
                has = f" The series are: {names}." if names else ""
                text = f"No series is {' or '.join(wanted)}, so all are given.{has}"
                notes.append(Note(code="no-such-series", message=text))
        chosen = found or chosen
    if points and chosen:
        found = _kept(chosen, lambda chart: _with_points(chart, points))
        if not found:
            text = f"No value stands at {' or '.join(points)}, so all are given."
            notes.append(Note(code="no-such-point", message=text))
        chosen = found or chosen
    return chosen, notes


def named_in(charts: Sequence[Chart], task: Task) -> tuple[Chart, ...]:
    """The charts that have a series or category with each of the names ``task`` gives, as printed, and of them what is
    named; () where there is none."""
    printed = [[*(s.name for s in chart.series), *(p.x for s in chart.series for p in s.points)] for chart in charts]
    having = [
        chart
        for chart, texts in zip(charts, printed, strict=True)
        if all(any(same_text(name, text) for text in texts) for name in (*task.series, *task.points))
    ]
    return choose(having, task)[0] if task.series or task.points else ()


def _sorted_out(charts: Sequence[Chart], task: Task) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of series and of points: "data for Total" means a series where one is called so and no point is, "the
    series Pen" a point where one is called so and no series is."""
    series = [s.name for chart in charts for s in chart.series]
    points = [p.x for chart in charts for s in chart.series for p in s.points]

    def is_other(name: str, own: Sequence[str], other: Sequence[str]) -> bool:
        return any(same_text(name, text) for text in other) and not meant(name, own)

    to_points = [name for name in task.series if colour_of(name) is None and is_other(name, series, points)]
    to_series = [name for name in task.points if is_other(name, points, series)]
    return (
        (*(name for name in task.series if name not in to_points), *to_series),
        (*(name for name in task.points if name not in to_series), *to_points),
    )


def _kept(charts: Sequence[Chart], choose_of: Callable[[Chart], tuple[Series, ...]]) -> tuple[Chart, ...]:
    return tuple(chart.model_copy(update={"series": series}) for chart in charts if (series := choose_of(chart)))


def _with_series(chart: Chart, names: Sequence[str]) -> tuple[Series, ...]:
    printed = [series.name for series in chart.series]
    wanted: set[int] = set()
    for name in names:
        found = meant(name, printed)
        if not found and colour_of(name) is not None:
            found = [i for i, s in enumerate(chart.series) if s.color and _colour(s.color) == colour_of(name)]
        if not found and (place := place_named(name, len(printed))) is not None:
            found = [place]
        wanted.update(found)
    return tuple(series for i, series in enumerate(chart.series) if i in wanted)


def _colour(drawn: str) -> tuple[int, int, int]:
    """The usual shade of the colour that "#rrggbb" is called by."""
    red, green, blue = (int(drawn[i : i + 2], 16) / 255 for i in (1, 3, 5))
    hue, saturation, value = colorsys.rgb_to_hsv(red, green, blue)
    if value < 0.2:
        name = "black"
    elif saturation < 0.15:
        name = "white" if value > 0.93 else "grey"
    else:
        name = next(name for end, name in _HUES if hue < end)
        if name in ("orange", "red") and value < 0.62 and saturation < 0.8 and hue < 0.13:
            name = "brown"
    return COLOURS[name][1]


def _with_points(chart: Chart, names: Sequence[str]) -> tuple[Series, ...]:
    """Each series with the points that are named; () where none has any."""
    series = tuple(s.model_copy(update={"points": _points(s.points, names)}) for s in chart.series)
    return tuple(s for s in series if s.points)


def _points(points: Sequence[Point], names: Sequence[str]) -> tuple[Point, ...]:
    printed = [point.x for point in points]
    wanted = {i for name in names for i in _meant(name, printed)}
    return tuple(point for i, point in enumerate(points) if i in wanted)


def _meant(name: str, printed: Sequence[str]) -> list[int]:
    """Places of what is meant by a category, a year or a number: as printed, of equal value, or as one of its words."""
    found = meant(name, printed)
    exact = [i for i in found if key(printed[i]).text == key(name).text]
    if exact or not re.search(r"\d", name):
        return exact or found
    try:
        value = float(name)
        equal = [i for i, text in enumerate(printed) if _number(text) == value]
    except ValueError:
        equal = []
    word = re.compile(rf"(?<![\w.]){re.escape(key(name).text)}(?![a-z0-9.])")
    return equal or found or [i for i, text in enumerate(printed) if word.search(" ".join(text.lower().split()))]


def _number(text: str) -> float | None:
    try:
        return float(key(text).text.removesuffix("年"))
    except ValueError:
        return None
