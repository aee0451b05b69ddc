"""Charts drawn from their data, plainly: title, axes with numbers, bars, lines, points, slices and a legend."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mineru_core.document.chart import Chart, ChartKind, Point
from mineru_core.document.geometry import Box
from mineru_core.intake.office.canvas import BLACK, WHITE, Canvas, Colour, Corner, TextStyle, arc
from mineru_core.intake.office.chart_scales import (
    Scale,
    as_number,
    categories,
    drawable,
    number_range,
    piles,
    round_scale,
    tick_texts,
    value_range,
)
from mineru_core.intake.office.charts import ChartData, Plot
from mineru_core.intake.office.fonts import text_width

_COLOURS: tuple[Colour, ...] = (
    (79, 129, 189, 255),
    (192, 80, 77, 255),
    (155, 187, 89, 255),
    (128, 100, 162, 255),
    (75, 172, 198, 255),
    (247, 150, 70, 255),
    (44, 77, 117, 255),
    (119, 44, 42, 255),
)
_GRID: Colour = (215, 215, 215, 255)
_DARK_GRID: Colour = (110, 110, 110, 255)
_MOST_POINTS = 20_000
"""Points of one chart that are drawn; more cannot be told apart, and all of them are in the data."""
_MOST_LABELS = 40

_Places = dict[tuple[int, int], Corner]


def draw_chart(canvas: Canvas, data: ChartData, box: Box, colours: Sequence[Colour], points: float) -> Chart:
    """Draw the chart into the box; ``points`` is pixels a point of type. Returns its record with box and places."""
    drawing = _Drawing(canvas, data, box, colours or _COLOURS, max(6, round(10 * points)))
    places = drawing.draw()
    series = tuple(
        one.model_copy(update={"points": tuple(_placed(p, places.get((s, i))) for i, p in enumerate(one.points))})
        for s, one in enumerate(data.chart.series)
    )
    return data.chart.model_copy(update={"series": series, "box": box.clipped(*canvas.size)})


def _placed(point: Point, place: Corner | None) -> Point:
    return point if place is None else point.model_copy(update={"place": place})


class _Drawing:
    def __init__(self, canvas: Canvas, data: ChartData, box: Box, colours: Sequence[Colour], size: int) -> None:
        self._canvas, self._data, self._box, self._colours = canvas, data, box, colours
        size = max(6, min(size, round(box.height / 12)))
        dark = canvas.is_dark(box)
        self._ink, self._grid = (WHITE, _DARK_GRID) if dark else (BLACK, _GRID)
        self._style = TextStyle(size, colour=self._ink)
        self._heading = TextStyle(round(size * 1.4), True, self._ink)
        self._places: _Places = {}

    def draw(self) -> _Places:
        chart, box, size = self._data.chart, self._box, self._style.size
        if box.width < 8 * size or box.height < 8 * size:
            self._canvas.rectangle(box, None, self._grid)
            return {}
        area = Box(box.x0 + size, box.y0 + size, box.x1 - size, box.y1 - size)
        if chart.title:
            title = _shortened(chart.title, area.width, self._heading)
            self._centred(area.center[0], area.y0 + self._heading.size, title, self._heading)
            area = area._replace(y0=area.y0 + 1.6 * self._heading.size)
        area = self._legend(area)
        if chart.kind is ChartKind.PIE:
            self._pie(area)
        else:
            self._plots(area)
        return self._places

    def _centred(self, x: float, baseline: float, text: str, style: TextStyle) -> None:
        self._canvas.write(x - text_width(text, style.size, style.bold) / 2, baseline, text, style)

    def _colour(self, place: int) -> Colour:
        return self._colours[place % len(self._colours)]

    def _legend(self, area: Box) -> Box:
        """Names of the series (the slices of a pie) in a row at the bottom; the area that is left."""
        chart, size = self._data.chart, self._style.size
        names = [series.name for series in chart.series]
        if chart.kind is ChartKind.PIE:
            names = [point.x for point in chart.series[0].points] if chart.series else []
        else:
            hidden = self._hidden()
            names = ["" if place in hidden else name for place, name in enumerate(names)]
            if len(names) - len(hidden) < 2:
                return area
        x, baseline = area.x0, area.y1
        rows: list[list[tuple[float, int, str]]] = [[]]
        for place, name in enumerate(names[:_MOST_LABELS]):
            if not name:
                continue
            short = _shortened(name, area.width / 2, self._style)
            wide = text_width(short, size, False) + 3 * size
            if x + wide > area.x1 and rows[-1]:
                rows.append([])
                x = area.x0
            rows[-1].append((x, place, short))
            x += wide
        rows = rows[: max(1, int(area.height / (4 * size)))]
        for number, row in enumerate(reversed(rows)):
            line = baseline - 1.5 * size * number
            for start, place, name in row:
                square = Box(start, line - 0.75 * size, start + 0.75 * size, line)
                self._canvas.rectangle(square, self._colour(place))
                self._canvas.write(start + 1.2 * size, line, name, self._style)
        return area._replace(y1=area.y1 - 1.5 * size * len(rows) - size)

    def _hidden(self) -> set[int]:
        """Series that are drawn as the sizes of others."""
        hidden: set[int] = set()
        first = 0
        for plot in self._data.plots:
            hidden |= {first + place for place in plot.sizes}
            first += len(plot.series)
        return hidden

    def _pie(self, area: Box) -> None:
        (cx, cy), radius = area.center, min(area.width, area.height) / 2
        rings = [(plot, series) for plot in self._data.plots for series in plot.series]
        for ring, (plot, series) in enumerate(rings):
            values = [max(drawable(point.y or 0.0), 0.0) for point in series.points[:_MOST_POINTS]]
            total = math.fsum(values)
            if not 0 < total < math.inf:
                continue
            hole = 0.5 if plot.hole else 0.0
            outer = radius * ((1 - hole) * (len(rings) - ring) / len(rings) + hole) if plot.hole else radius
            inner = radius * ((1 - hole) * (len(rings) - ring - 1) / len(rings) + hole) / outer if plot.hole else 0.0
            around = Box(cx - outer, cy - outer, cx + outer, cy + outer)
            angle = -90.0
            for place, value in enumerate(values):
                turn = 360 * value / total
                if value > 0:
                    self._canvas.polygon(arc(around, angle, angle + turn, inner), self._colour(place), WHITE)
                middle = math.radians(angle + turn / 2)
                reach = outer * (0.65 if not plot.hole else (1 + inner) / 2)
                self._places[ring, place] = (cx + reach * math.cos(middle), cy + reach * math.sin(middle))
                angle += turn
            if not plot.hole:
                break  # of several series a pie shows the first

    def _plots(self, area: Box) -> None:
        chart = self._data.chart
        lying = any(plot.lying for plot in self._data.plots)
        scatter = all(plot.kind is ChartKind.SCATTER for plot in self._data.plots)
        low, high = value_range(self._data.plots)
        log = chart.y_axis.scale == "log" and high > 0
        values = round_scale(low, high, log)
        labels = categories(chart.series)
        numbers = round_scale(*number_range(chart.series), chart.x_axis.scale == "log") if scatter else None
        inner = self._inside(area, values, labels, lying)
        values.start, values.end = (inner.x0, inner.x1) if lying else (inner.y1, inner.y0)
        if numbers is not None:
            numbers.start, numbers.end = inner.x0, inner.x1
        self._axes(inner, values, labels, numbers, lying)
        first = 0
        for plot in self._data.plots:
            if plot.kind is ChartKind.SCATTER and numbers is not None:
                self._scatter(plot, first, numbers, values)
            else:
                self._categories(plot, first, inner, values, max(1, len(labels)), lying)
            first += len(plot.series)

    def _inside(self, area: Box, values: Scale, labels: Sequence[str], lying: bool) -> Box:
        """The rectangle of the plot, once room is kept for labels and titles of the axes."""
        size = self._style.size
        texts = [_shortened(t, area.width / 4, self._style) for t in labels] if lying else tick_texts(values)
        wide = max((text_width(text, size, False) for text in texts[:200]), default=0.0)
        beside, below = self._axis_titles(lying)
        left = area.x0 + wide + size + (1.6 * size if beside else 0)
        return Box(left, area.y0 + size, area.x1 - size, area.y1 - 2 * size - (1.6 * size if below else 0))

    def _axis_titles(self, lying: bool) -> tuple[str, str]:
        """What is written beside the plot and below it."""
        x, y = self._data.chart.x_axis.label, self._data.chart.y_axis.label
        return (x, y) if lying else (y, x)

    def _axes(self, inner: Box, values: Scale, labels: Sequence[str], numbers: Scale | None, lying: bool) -> None:
        size, canvas = self._style.size, self._canvas
        for tick, text in zip(values.ticks, tick_texts(values), strict=True):
            at = values.place(tick)
            if lying:
                canvas.line([(at, inner.y0), (at, inner.y1)], self._grid)
                self._centred(at, inner.y1 + 1.4 * size, text, self._style)
            else:
                canvas.line([(inner.x0, at), (inner.x1, at)], self._grid)
                wide = text_width(text, size, False)
                canvas.write(inner.x0 - wide - 0.5 * size, at + 0.35 * size, text, self._style)
        if numbers is not None:
            for tick, text in zip(numbers.ticks, tick_texts(numbers), strict=True):
                self._centred(numbers.place(tick), inner.y1 + 1.4 * size, text, self._style)
        else:
            self._category_labels(inner, labels, lying)
        canvas.line([(inner.x0, inner.y0), (inner.x0, inner.y1), (inner.x1, inner.y1)], self._ink)
        beside, below = self._axis_titles(lying)
        if below:
            self._centred(
                inner.center[0], inner.y1 + 3.2 * size, _shortened(below, inner.width, self._style), self._style
            )
        if beside:
            self._upwards(_shortened(beside, inner.height, self._style), self._box.x0 + 1.5 * size, inner.center[1])

    def _upwards(self, text: str, x: float, y: float) -> None:
        size = self._style.size
        wide = text_width(text, size, False)
        box = Box(x - wide / 2, y - size / 2, x + wide / 2, y + size / 2)
        with self._canvas.turned(box, 270):
            self._canvas.write(box.x0, box.y1 - 0.2 * size, text, self._style)

    def _category_labels(self, inner: Box, labels: Sequence[str], lying: bool) -> None:
        size = self._style.size
        length = inner.height if lying else inner.width
        step = length / max(1, len(labels))
        if lying:
            every = max(1, math.ceil(1.3 * size / step))
        else:
            wide = max((text_width(text, size, False) for text in labels[:200]), default=0.0)
            every = max(1, math.ceil(min(wide + size, length / 2) / step))
        for place in range(0, len(labels), every):
            middle = (place + 0.5) * step
            if lying:
                text = _shortened(labels[place], self._box.width / 4, self._style)
                wide = text_width(text, size, False)
                at = inner.y1 - middle + 0.35 * size
                self._canvas.write(inner.x0 - wide - 0.5 * size, at, text, self._style)
            else:
                text = _shortened(labels[place], every * step, self._style)
                self._centred(inner.x0 + middle, inner.y1 + 1.4 * size, text, self._style)

    def _categories(self, plot: Plot, first: int, inner: Box, values: Scale, count: int, lying: bool) -> None:
        """Bars, lines and areas over the categories."""
        step = (inner.height if lying else inner.width) / count
        piled = piles(plot)
        bars = 1 if plot.stacked else max(1, len(plot.series))
        for number, _ in enumerate(plot.series):
            line: list[Corner] = []
            ground: list[Corner] = []
            for place, (low, high) in enumerate(piled[number]):
                if low is None or high is None or place >= _MOST_POINTS:
                    continue
                offset = 0.5
                if plot.kind is ChartKind.BAR:
                    offset = 0.15 + 0.7 * (0.5 + (0 if plot.stacked else number)) / bars
                across = inner.y1 - (place + offset) * step if lying else inner.x0 + (place + offset) * step
                top, bottom = values.place(high), values.place(low)
                corner = (top, across) if lying else (across, top)
                self._places[first + number, place] = corner
                line.append(corner)
                ground.append((across, bottom))
                if plot.kind is ChartKind.BAR:
                    half = 0.35 * step / bars
                    bar = (
                        Box(min(top, bottom), across - half, max(top, bottom), across + half)
                        if lying
                        else Box(across - half, min(top, bottom), across + half, max(top, bottom))
                    )
                    self._canvas.rectangle(bar, self._colour(first + number))
            if plot.kind is ChartKind.AREA:
                self._canvas.polygon([*line, *reversed(ground)], (*self._colour(first + number)[:3], 200))
            elif plot.kind is not ChartKind.BAR:
                self._line(line, first + number)

    def _scatter(self, plot: Plot, first: int, numbers: Scale, values: Scale) -> None:
        largest = max((abs(drawable(p.y or 0.0)) for at in plot.sizes for p in plot.series[at].points), default=0.0)
        for number, series in enumerate(plot.series):
            if number in plot.sizes:
                continue
            line: list[Corner] = []
            sizes = plot.series[number + 1].points if number + 1 in plot.sizes else ()
            for place, point in enumerate(series.points[:_MOST_POINTS]):
                x = as_number(point.x)
                if x is None or point.y is None:
                    continue
                corner = (numbers.place(x), values.place(point.y))
                self._places[first + number, place] = corner
                line.append(corner)
                if sizes and largest > 0:
                    radius = 2.5 * self._style.size * math.sqrt(abs(drawable(sizes[place].y or 0.0)) / largest)
                    self._canvas.ellipse(_around(corner, radius), (*self._colour(first + number)[:3], 150))
            if plot.lines:
                self._line(line, first + number)
            else:
                self._dots(line, first + number)

    def _line(self, places: Sequence[Corner], colour: int) -> None:
        self._canvas.line(places, self._colour(colour), max(2, self._style.size // 7))
        self._dots(places, colour)

    def _dots(self, places: Sequence[Corner], colour: int) -> None:
        if len(places) > 200:
            return
        radius = max(3.0, self._style.size / 5)
        for x, y in places:
            self._canvas.ellipse(_around((x, y), radius), self._colour(colour))


def _around(place: Corner, radius: float) -> Box:
    return Box(place[0] - radius, place[1] - radius, place[0] + radius, place[1] + radius)


def _shortened(text: str, width: float, style: TextStyle) -> str:
    """The text as far as it fits the width."""
    text = " ".join(text.split())[:500]
    if text_width(text, style.size, style.bold) <= width:
        return text
    while text and text_width(text + "…", style.size, style.bold) > width:
        text = text[: max(0, len(text) - max(1, len(text) // 8))]
    return text + "…" if text else ""
