"""Charts as small pictures on the web show them: ticks that the data has not, rings, letters alone, turned names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from mineru_core.document.chart import Chart, ChartKind
from mineru_core.document.geometry import Box, Quad
from mineru_core.document.page import Pixels
from mineru_core.document.parts import Line
from mineru_core.engines.embedded.charts.legend import find_legend
from mineru_core.engines.embedded.charts.reading import ChartReading, chart_of, read_chart
from mineru_core.engines.embedded.charts.scene import Label
from mineru_core.runtime.context import RunContext
from tests.engines.embedded.charts.drawn_kinds import Plotted
from tests.engines.embedded.charts.drawn_scene import scene_of

SHADES = ("#bad9ea", "#82b8db", "#4a90c4")


def _pictured(figure: Figure) -> tuple[Pixels, list[Label]]:
    """The pixels of a figure and its texts, each box a little larger than its letters."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba())[:, :, :3].copy()
    labels = scene_of(figure, Plotted({}), pixels).labels
    return pixels, [replace(label, box=label.box.expanded(2.0)) for label in labels]


def _read(pixels: Pixels, labels: Sequence[Label]) -> Chart:
    reading = chart_of(pixels, labels, RunContext())
    assert isinstance(reading, ChartReading), reading
    return reading.chart


def _figure() -> Figure:
    return Figure(figsize=(5, 4), dpi=120, layout="tight")


def _points(chart: Chart) -> list[list[tuple[str, float]]]:
    return [[(p.x, p.y if p.y is not None else np.nan) for p in one.points] for one in chart.series]


@pytest.mark.parametrize("kind", ["line", "area"])
@pytest.mark.parametrize("ticks", [0.5, 0.25, 0.2])
def test_ticks_between_the_data_are_no_points(kind: str, ticks: float) -> None:
    figure = _figure()
    ax = figure.add_subplot()
    values = [28, 55, 42, 34, 36, 48]
    if kind == "line":
        ax.plot(range(1, 7), values, color="#4c78a8", lw=2)
    else:
        ax.fill_between(range(1, 7), values, color="#4c78a8")
    ax.set_xticks(np.arange(1, 6.01, ticks))
    ax.set_ylim(0, 60)
    ax.set_xlim(1, 6)
    ax.tick_params(axis="x", labelsize=6 if ticks > 0.25 else 4)
    chart = _read(*_pictured(figure))
    assert [x for x, _ in _points(chart)[0]] == ["1", "2", "3", "4", "5", "6"]
    assert [y for _, y in _points(chart)[0]] == pytest.approx(values, rel=0.03)


def test_stacked_areas_whose_edges_bend_at_the_same_ticks() -> None:
    figure = _figure()
    ax = figure.add_subplot()
    ax.stackplot([1, 2, 3], [2, 2, 1], [2, 3, 1], colors=["#f58518", "#4c78a8"], labels=["c2", "c1"])
    ax.legend(loc="center left", bbox_to_anchor=(1.02, 0.9), frameon=False)
    ax.set_xticks(np.arange(1, 3.01, 0.2))
    ax.set_xlim(1, 3)
    ax.tick_params(axis="x", labelsize=7)
    chart = _read(*_pictured(figure))
    assert chart.kind is ChartKind.AREA
    read = {one.name: [p.y for p in one.points] for one in chart.series}
    assert read["c1"] == pytest.approx([2, 3, 1], abs=0.1)
    assert read["c2"] == pytest.approx([2, 2, 1], abs=0.1)
    assert {tuple(p.x for p in one.points) for one in chart.series} == {("1", "2", "3")}


def test_a_smooth_curve_keeps_a_point_at_every_tick() -> None:
    figure = _figure()
    ax = figure.add_subplot()
    x = np.linspace(0, 8, 200)
    ax.plot(x, (x - 4) ** 2, color="#4c78a8")
    ax.set_xticks(range(9))
    chart = _read(*_pictured(figure))
    assert {str(tick) for tick in range(9)} <= {x for x, _ in _points(chart)[0]}


def _rings() -> tuple[Pixels, list[Label]]:
    """A scatter of open rings in shades of one blue, with a legend."""
    figure = _figure()
    ax = figure.add_subplot()
    ax.grid(True, color="#dddddd")
    ax.set_axisbelow(True)
    for i, name in enumerate("ABC"):
        at = [1 + i, 4 + i]
        ax.scatter(at, at, s=60, facecolors="none", edgecolors=SHADES[i], linewidths=2, label=name)
    ax.set_xlim(0, 7)
    ax.set_ylim(0, 7)
    ax.set_xticks(range(8))
    ax.legend(loc="center left", bbox_to_anchor=(1.05, 0.8), frameon=False, fontsize=12)
    return _pictured(figure)


RINGS = {"A": [("1", 1), ("4", 4)], "B": [("2", 2), ("5", 5)], "C": [("3", 3), ("6", 6)]}


def _assert_rings(chart: Chart) -> None:
    assert chart.kind is ChartKind.SCATTER
    read = {one.name: sorted((p.x, p.y) for p in one.points) for one in chart.series}
    assert list(read) == ["A", "B", "C"]
    for name, points in RINGS.items():
        assert [x for x, _ in read[name]] == [x for x, _ in points]
        assert [y for _, y in read[name]] == pytest.approx([y for _, y in points], abs=0.03)


def test_open_rings_in_shades_of_one_colour() -> None:
    _assert_rings(_read(*_rings()))


def test_rings_that_were_read_as_letters_are_samples_and_markers() -> None:
    pixels, labels = _rings()
    samples = {found.entry.name: found.entry.box for found in find_legend(pixels, labels)}
    misread = []
    for label in labels:
        sample = samples.get(label.text)
        if label.text in ("B", "C") and sample is not None:
            misread.append(replace(label, text="O" + label.text, box=label.box.union(sample.expanded(3.0))))
        elif sample is not None:
            misread += [label, Label("O", sample.expanded(3.0))]
        else:
            misread.append(label)
    marker = next(p.place for one in _read(pixels, labels).series for p in one.points if p.x == "2")
    assert marker is not None
    misread.append(Label("o", Box(marker[0] - 9, marker[1] - 9, marker[0] + 9, marker[1] + 9)))
    _assert_rings(_read(pixels, misread))


def test_scattered_numbers_keep_their_places() -> None:
    figure = _figure()
    ax = figure.add_subplot()
    at = [0.93, 2.11, 3.37, 4.08, 5.62]
    ax.scatter(at, [5, 3, 4, 1, 2], color="#4c78a8")
    ax.set_xlim(0, 7)
    ax.set_xticks(range(8))
    chart = _read(*_pictured(figure))
    assert sorted(float(p.x) for p in chart.series[0].points) == pytest.approx(at, abs=0.03)


def test_a_steep_line_over_names_is_no_box_and_its_ends_are_exact() -> None:
    figure = Figure(figsize=(1.4, 4), dpi=150, layout="tight")
    ax = figure.add_subplot()
    ax.plot(["Peter", "Mary", "Paul"], [3, 5, 1], color="#4c78a8", lw=2)
    ax.set_ylim(0, 5)
    ax.set_yticks(np.arange(0, 5.1, 0.5))
    ax.tick_params(labelsize=7)
    ax.tick_params(axis="x", rotation=90)
    pixels, labels = _pictured(figure)
    # The letters of a name stand a pixel or two beside its tick.
    labels = [replace(la, box=la.box.shifted(2.0, 0.0)) if la.text == "Paul" else la for la in labels]
    chart = _read(pixels, labels)
    assert chart.kind is ChartKind.LINE
    assert [x for x, _ in _points(chart)[0]] == ["Peter", "Mary", "Paul"]
    assert [y for _, y in _points(chart)[0]] == pytest.approx([3, 5, 1], abs=0.06)


@pytest.mark.parametrize("marker", ["o", "s"])
def test_open_markers_over_names_are_no_boxes(marker: str) -> None:
    figure = _figure()
    ax = figure.add_subplot()
    names, values = ["Fig", "Date", "Plum", "Pear", "Lime"], [34, 31, 77, 18, 60]
    ax.scatter(names, values, s=60, facecolors="none", edgecolors="#4c78a8", linewidths=2, marker=marker)
    ax.set_ylim(0, 80)
    chart = _read(*_pictured(figure))
    assert len(chart.series) == 1
    assert dict(_points(chart)[0]) == pytest.approx(dict(zip(names, values, strict=True)), abs=0.8)


def test_dots_that_were_read_as_letters_are_markers() -> None:
    figure = _figure()
    ax = figure.add_subplot()
    at, up = [1, 2, 4, 5, 7, 8], [5, 3, 7, 1, 6, 2]
    ax.grid(True)
    ax.scatter(at, up, s=90, color="#4c78a8")
    ax.set_xlim(0, 9)
    ax.set_xticks(range(10))
    pixels, labels = _pictured(figure)
    whole = _read(pixels, labels)
    places = [p.place for p in whole.series[0].points if p.place is not None]
    letters = [Label("6é$e8o"[i], Box(x - 11, y - 11, x + 11, y + 11), 0.7) for i, (x, y) in enumerate(places)]
    chart = _read(pixels, [*labels, *letters])
    assert sorted(_points(chart)[0]) == sorted(_points(whole)[0])
    assert sorted(x for x, _ in _points(chart)[0]) == [str(x) for x in at]


def test_few_markers_that_stand_close_are_no_line() -> None:
    figure = _figure()
    ax = figure.add_subplot()
    at = [(0.7, 15), (3, 22), (3.4, 40), (6.1, 67), (13, 10), (15, 27), (18, 45), (19, 49)]
    ax.scatter([x for x, _ in at], [y for _, y in at], s=30, facecolors="none", edgecolors="#4c78a8", linewidths=1.5)
    ax.grid(True)
    ax.set_axisbelow(True)
    ax.set_xlim(0, 20)
    chart = _read(*_pictured(figure))
    assert chart.kind is ChartKind.SCATTER
    assert len(chart.series[0].points) == len(at)


def _lines(labels: Sequence[Label], times: float) -> list[Line]:
    boxes = [la.box.scaled(times, times) for la in labels]
    pairs = zip(labels, boxes, strict=True)
    return [Line(text=la.text, box=b, quad=Quad.from_box(b), confidence=la.confidence) for la, b in pairs]


def test_what_the_small_picture_read_as_one_does_not_stand_for_one_of_two_names() -> None:
    figure = Figure(figsize=(4, 4), dpi=100, layout="tight")
    ax = figure.add_subplot()
    for i, (name, color) in enumerate(zip("XYZ", ("#4c78a8", "#f58518", "#e45756"), strict=True)):
        ax.bar(np.arange(3) + 0.25 * i, [3 + i, 5, 7 - i], width=0.25, color=color, label=name)
    ax.set_xticks([0.25, 1.25, 2.25], ["Oak", "Ash", "Elm"])
    ax.legend(loc="center left", bbox_to_anchor=(1.02, 0.9), frameon=False, labelspacing=0.1)
    pixels, labels = _pictured(figure)
    upper, lower = (next(la for la in labels if la.text == name) for name in "YZ")
    one = replace(upper, text="Z Y", box=upper.box.union(lower.box))
    kept = [la for la in labels if la.text not in "YZ"]
    second = [replace(la, confidence=0.6) if la.text in "YZ" else la for la in labels]
    reading = read_chart(pixels, _lines([*kept, one], 1.0), RunContext(), lambda _pixels: _lines(second, 2.0))
    assert isinstance(reading, ChartReading)
    assert [series.name for series in reading.chart.series] == ["X", "Y", "Z"]
