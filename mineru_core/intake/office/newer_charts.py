"""Charts of the newer sorts (waterfall, funnel, treemap, histogram …), whose parts store their data in another form."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from mineru_core.document.chart import Axis, Chart, ChartKind, Series
from mineru_core.intake.office.charts import (
    ChartData,
    Plot,
    joined_levels,
    numbered,
    rich_text,
    series_of,
    stored_texts,
)

_BARS = frozenset({"waterfall", "funnel", "clusteredColumn", "paretoLine"})


def read_newer_chart(root: Element) -> ChartData | None:
    """The data of a part of the newer sort; None for one without series. Numbers and categories are as stored, the
    levels of a tree joined from the outermost inwards. Raises what ``read_chart`` does."""
    data = {node.get("id", ""): node for node in root.iterfind("chartData/data")}
    nodes = root.findall("chart/plotArea/plotAreaRegion/series")
    series: list[Series] = []
    for place, node in enumerate(nodes):
        pointer = node.find("dataId")
        stored = data.get("" if pointer is None else pointer.get("val", ""))
        if stored is None:
            continue
        values = next((stored_texts(level) for level in stored.iterfind("numDim/lvl")), [])
        names = node.findtext("tx/txData/v", "") or f"Series{place + 1}"
        # The innermost level comes first.
        categories = joined_levels([stored_texts(level) for level in stored.iterfind("strDim/lvl")][::-1])
        length = max(len(values), len(categories))
        if not categories:
            categories = [str(number + 1) for number in range(length)]
        categories += [""] * (length - len(categories))
        numbers = [numbered(text) for text in values] + [None] * (length - len(values))
        series.append(series_of(names, categories, numbers))
    if not series:
        return None
    layouts = {node.get("layoutId", "") for node in nodes}
    kind = ChartKind.BAR if layouts & _BARS else ChartKind.OTHER
    chart = Chart(
        kind=kind,
        title=rich_text(root.find("chart/title")),
        x_axis=Axis(scale="category"),
        series=tuple(series),
    )
    return ChartData(chart, (Plot(kind=ChartKind.BAR, series=tuple(series)),))
