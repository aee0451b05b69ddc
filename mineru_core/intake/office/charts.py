"""The data a chart of an Office file stores: what was typed into its sheet, to the last digit.

A chart part keeps a copy of its sheet's values beside the drawing; where a program left that copy out, the sheet that
is embedded with the chart is read.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from mineru_core.document.chart import Axis, Chart, ChartKind, Point, Series
from mineru_core.errors import CorruptOffice, FileTooLarge
from mineru_core.intake.office.dates import date_texts, is_date_format

_KINDS = {
    "barChart": ChartKind.BAR,
    "bar3DChart": ChartKind.BAR,
    "lineChart": ChartKind.LINE,
    "line3DChart": ChartKind.LINE,
    "stockChart": ChartKind.LINE,
    "areaChart": ChartKind.AREA,
    "area3DChart": ChartKind.AREA,
    "scatterChart": ChartKind.SCATTER,
    "bubbleChart": ChartKind.SCATTER,
    "pieChart": ChartKind.PIE,
    "pie3DChart": ChartKind.PIE,
    "doughnutChart": ChartKind.PIE,
    "ofPieChart": ChartKind.PIE,
    "radarChart": ChartKind.OTHER,
    "surfaceChart": ChartKind.OTHER,
    "surface3DChart": ChartKind.OTHER,
}
MAX_VALUES = 200_000
"""Values of one chart; each is an object of some hundred bytes."""
_MOST_BLANKS = 100_000
"""Values a chart may claim beyond those it stores: more is no chart, and would fill the memory with blanks."""

ReadRange = Callable[[str], list[list[str]] | None]
"""Given a formula such as ``Sheet1!$B$2:$B$9``, the columns of its cells as texts; None where it cannot be told."""


@dataclass(frozen=True)
class Plot:
    """One drawn plot of a chart: ``kind``, whether its bars lie, how its series are piled, and its ``series``.

    ``sizes`` are the places of series that hold the sizes of the bubbles of the series before.
    """

    kind: ChartKind
    series: tuple[Series, ...]
    lying: bool = False
    stacked: bool = False
    share: bool = False
    hole: bool = False
    lines: bool = True
    sizes: tuple[int, ...] = ()


@dataclass(frozen=True)
class ChartData:
    """A chart as data: ``chart`` is the record that is handed on, ``plots`` say how it is drawn."""

    chart: Chart
    plots: tuple[Plot, ...]


def read_chart(root: Element, read_range: ReadRange | None = None) -> ChartData | None:
    """The data of a chart part (``chartSpace``); None for one without a plot.

    Values are numbers as stored; an empty or faulty one is None. Categories are texts as stored, the levels of
    grouped ones from the outermost inwards joined by " / ", dates in ISO form. A scatter chart's ``x`` are its stored
    numbers. A bubble chart has a second series for each, named "… (size)". Raises ``CorruptOffice`` for a chart that
    claims more values than can be, ``FileTooLarge`` for one of more than are read.
    """
    chart = root.find("chart")
    area = None if chart is None else chart.find("plotArea")
    if chart is None or area is None:
        return None
    flag = root.find("date1904")
    reader = _Reader(read_range, flag is not None and flag.get("val", "1") in ("1", "true"))
    plots = tuple(reader.plot(node) for node in area if node.tag in _KINDS)
    series = tuple(series for plot in plots for series in plot.series)
    if not plots:
        return None
    # A chart of several sorts goes by the one most of its series are of.
    counts = Counter(plot.kind for plot in plots for _ in plot.series)
    kind = max((plot.kind for plot in plots), key=lambda kind: counts[kind])
    series = tuple(
        one if plot.kind is kind else one.model_copy(update={"kind": plot.kind})
        for plot in plots
        for one in plot.series
    )
    x_axis, y_axis = _axes(area, kind)
    record = Chart(kind=kind, title=_chart_title(chart, series), x_axis=x_axis, y_axis=y_axis, series=series)
    return ChartData(record, plots)


class _Reader:
    """Reads the series of one chart; series are numbered over all of its plots."""

    def __init__(self, read_range: ReadRange | None, from_1904: bool) -> None:
        self._read_range, self._from_1904 = read_range, from_1904
        self._count = self._values = 0

    def plot(self, node: Element) -> Plot:
        kind = _KINDS[node.tag]
        grouping = _value(node, "grouping")
        series: list[Series] = []
        sizes: list[int] = []
        for ser in node.iter("ser"):
            series += (found := self._series(ser, kind, bubbles=node.tag == "bubbleChart"))
            sizes += [len(series) - 1] if len(found) > 1 else []
        return Plot(
            kind=kind,
            series=tuple(series),
            lying=_value(node, "barDir") == "bar",
            stacked=grouping in ("stacked", "percentStacked"),
            share=grouping == "percentStacked",
            hole=node.tag == "doughnutChart",
            lines=node.tag != "bubbleChart" and _joins_points(node),
            sizes=tuple(sizes),
        )

    def _series(self, ser: Element, kind: ChartKind, bubbles: bool) -> list[Series]:
        self._count += 1
        name = self._name(ser)
        if kind is ChartKind.SCATTER:
            values = self._numbers(ser.find("yVal"))
            xs = self._scatter_x(ser.find("xVal"), len(values))
        else:
            values = self._numbers(ser.find("val"))
            xs = self._categories(ser.find("cat"), len(values))
        values += [None] * (len(xs) - len(values))
        self._values += len(values)
        if self._values > MAX_VALUES:
            raise FileTooLarge(f"A chart holds more than {MAX_VALUES} values.", "Save the chart as a picture.")
        found = [series_of(name, xs, values)]
        sizes = self._numbers(ser.find("bubbleSize")) if bubbles else []
        if sizes:
            found.append(series_of(f"{name} (size)", xs, sizes + [None] * (len(xs) - len(sizes))))
        return found

    def _name(self, ser: Element) -> str:
        node = ser.find("tx")
        texts = self._texts(node)
        if not texts and node is not None and node.find("v") is not None:
            texts = [node.findtext("v", "")]
        # What the programs print in the legend where no name is stored.
        return " ".join(text for text in texts if text) or f"Series{self._count}"

    def _numbers(self, node: Element | None) -> list[float | None]:
        return [numbered(text) for text in self._texts(node)]

    def _scatter_x(self, node: Element | None, count: int) -> list[str]:
        """Numbers as stored; where there are none or they are words, the points are counted as they are drawn."""
        texts = self._texts(node)
        if node is not None and node.find("strRef") is None and any(numbered(text) is not None for text in texts):
            return [*texts, *([""] * (count - len(texts)))]
        return [str(place + 1) for place in range(max(count, len(texts)))]

    def _categories(self, node: Element | None, count: int) -> list[str]:
        texts = self._grouped(node)
        if not texts:
            return [str(place + 1) for place in range(count)]
        cache = None if node is None else node.find(".//numCache")
        code = "" if cache is None else cache.findtext("formatCode", "")
        if node is not None and node.find("strRef") is None and is_date_format(code):
            texts = date_texts(texts, code, self._from_1904)
        return [*texts, *([""] * (count - len(texts)))]

    def _grouped(self, node: Element | None) -> list[str]:
        """The categories; those of several levels name their group each."""
        cache = None if node is None else node.find(".//multiLvlStrCache")
        if cache is None:
            formula = None if node is None else node.find("multiLvlStrRef/f")
            columns = self._read_range(formula.text or "") if self._read_range and formula is not None else None
            return joined_levels(columns) if columns else self._texts(node)
        found = [stored_texts(level) for level in cache.findall("lvl")]
        return joined_levels(found[::-1], _claimed(cache))

    def _texts(self, node: Element | None) -> list[str]:
        """The stored texts of a reference or a list, "" for blanks; from the embedded sheet where no copy is kept."""
        if node is None:
            return []
        for cache in node.iter():
            if cache.tag in ("strCache", "numCache", "strLit", "numLit") and (len(cache) or cache.tag.endswith("Lit")):
                return stored_texts(cache)
        formula = node.find(".//f")
        if self._read_range is None or formula is None:
            return []
        columns = self._read_range(formula.text or "")
        if columns and len(columns) > 1 and all(len(column) == 1 for column in columns):
            return [column[0] for column in columns]  # a row of the sheet
        return list(columns[0]) if columns else []


def joined_levels(levels: Sequence[Sequence[str]], least: int = 0) -> list[str]:
    """Categories of levels from the outermost inwards, ``least`` of them at least. The levels of each are joined by
    " / "; outer ones name a group once, here it stands at every one of its members."""
    length = max([least, *(len(level) for level in levels)])
    padded = [[*level, *([""] * (length - len(level)))] for level in levels]
    filled = [*(_filled(level) for level in padded[:-1]), *padded[-1:]]
    return [" / ".join(text for text in parts if text) for parts in zip(*filled, strict=True)]


def _filled(level: Sequence[str]) -> list[str]:
    group = ""
    return [group := text or group for text in level]


def stored_texts(cache: Element) -> list[str]:
    """Texts by their index, "" where none is stored."""
    stored: dict[int, str] = {}
    for node in cache.findall("pt"):
        place = _whole(node.get("idx", ""))
        if place is not None:
            stored[place] = node.findtext("v", node.text or "")
    length = max([_claimed(cache), *(place + 1 for place in stored)])
    if length > len(stored) + _MOST_BLANKS:
        raise CorruptOffice("A chart claims far more values than it holds.")
    return [stored.get(place, "") for place in range(length)]


def _claimed(cache: Element) -> int:
    count = _whole(cache.get("ptCount") or _value(cache, "ptCount")) or 0
    if count > 10 * _MOST_BLANKS:
        raise CorruptOffice("A chart claims far more values than it holds.")
    return count


def _whole(text: str) -> int | None:
    return int(text) if text.isdecimal() and text.isascii() and len(text) < 12 else None


def numbered(text: str) -> float | None:
    """The number a stored text says; None for a blank or a fault."""
    try:
        value = float(text)
    except ValueError:  # blank, or a fault such as #N/A
        return None
    return value if math.isfinite(value) else None


def series_of(name: str, xs: Sequence[str], values: Sequence[float | None]) -> Series:
    """A series of these points."""
    return Series(name=name, points=tuple(Point(x=x, y=y) for x, y in zip(xs, values, strict=True)))


def _value(node: Element, name: str) -> str:
    child = node.find(name)
    return "" if child is None else child.get("val", "")


def _joins_points(node: Element) -> bool:
    """Whether a scatter chart draws lines from point to point; a style may say so and its series take it back."""
    return any(ser.find("spPr/ln/noFill") is None for ser in node.iter("ser"))


def rich_text(node: Element | None) -> str:
    """The paragraphs of a title, one after the other."""
    if node is None:
        return ""
    rich = [" ".join("".join(t.text or "" for t in p.iter("t")).split()) for p in node.iter("p")]
    stored = [" ".join(v.text.split()) for v in node.iter("v") if v.text]
    return " ".join(text for text in rich or stored if text)


def _chart_title(chart: Element, series: Sequence[Series]) -> str:
    """The title as it is printed: its own text, or the name of the only series."""
    title = chart.find("title")
    own = rich_text(None if title is None else title.find("tx"))
    if own or title is None or len(series) != 1:
        return own
    return "" if _value(chart, "autoTitleDeleted") in ("1", "true") else series[0].name


def _axes(area: Element, kind: ChartKind) -> tuple[Axis, Axis]:
    """The axis of the categories (or x) and that of the values; of a second pair, nothing."""
    across = [node for node in area if node.tag in ("catAx", "dateAx", "serAx")]
    values = [node for node in area if node.tag == "valAx"]
    if kind is ChartKind.SCATTER and not across:
        lying = [node for node in values if _value(node, "axPos") in ("b", "t")]
        across = lying[:1]
        values = [node for node in values if node not in across]
    return _axis(across[0] if across else None, kind), _axis(values[0] if values else None, kind)


def _axis(node: Element | None, kind: ChartKind) -> Axis:
    if node is None:
        return Axis(scale="category" if kind is ChartKind.PIE else "linear")
    scale = {"catAx": "category", "serAx": "category", "dateAx": "date"}.get(node.tag, "linear")
    if node.find("scaling/logBase") is not None:
        scale = "log"
    return Axis(label=rich_text(node.find("title")), scale=scale)
