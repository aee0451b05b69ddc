from __future__ import annotations

import math
from datetime import date
from xml.etree.ElementTree import Element

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pptx.chart.data import BubbleChartData, CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE as KIND

from mineru_core.document.chart import Chart, ChartKind
from mineru_core.errors import CorruptOffice, FileTooLarge
from mineru_core.intake.office import charts as charts_module
from mineru_core.intake.office.charts import read_chart
from mineru_core.intake.office.package import parse_xml
from mineru_core.intake.office.slides import PptxFile
from tests.intake.office.decks import (
    category_data,
    chart_deck,
    first_page,
    only_chart,
    replaced,
    saved,
    with_parts,
    xy_data,
)

CATEGORY_KINDS = {
    KIND.COLUMN_CLUSTERED: ChartKind.BAR,
    KIND.COLUMN_STACKED: ChartKind.BAR,
    KIND.COLUMN_STACKED_100: ChartKind.BAR,
    KIND.BAR_CLUSTERED: ChartKind.BAR,
    KIND.BAR_STACKED: ChartKind.BAR,
    KIND.LINE: ChartKind.LINE,
    KIND.LINE_MARKERS_STACKED: ChartKind.LINE,
    KIND.AREA: ChartKind.AREA,
    KIND.AREA_STACKED_100: ChartKind.AREA,
    KIND.PIE: ChartKind.PIE,
    KIND.PIE_EXPLODED: ChartKind.PIE,
    KIND.DOUGHNUT: ChartKind.PIE,
    KIND.RADAR: ChartKind.OTHER,
}
XY_KINDS = (KIND.XY_SCATTER, KIND.XY_SCATTER_LINES, KIND.XY_SCATTER_SMOOTH_NO_MARKERS)

finite = st.floats(allow_nan=False, allow_infinity=False)
# XML holds no control characters, and writers end lines in one way only.
texts = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Cn", "Co")), min_size=1, max_size=12).filter(str.strip)
slow = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def values_of(chart: Chart) -> list[tuple[str, list[tuple[str, float | None]]]]:
    return [(s.name, [(p.x, p.y) for p in s.points]) for s in chart.series]


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[tuple[str, list[float | None]]]]:
    categories = draw(st.lists(texts, min_size=1, max_size=6))
    names = draw(st.lists(texts, min_size=1, max_size=3))
    length = len(categories)
    values = st.lists(st.none() | finite, min_size=length, max_size=length)
    return categories, [(name, draw(values)) for name in names]


@pytest.mark.parametrize("kind", CATEGORY_KINDS)
def test_every_kind_gives_its_stored_data(kind: KIND) -> None:
    categories = ["North", "南方", "East & West"]
    series = [("2015", [10.25, -3.0, None]), ("2016", [0.1, 1e9, 7.0])]
    chart = only_chart(first_page(chart_deck(kind, category_data(categories, series))))
    assert chart.kind is CATEGORY_KINDS[kind]
    wanted = [(name, list(zip(categories, values, strict=True))) for name, values in series]
    # python-pptx itself writes the first series of a pie only.
    assert values_of(chart) == wanted[: len(chart.series)]
    assert len(chart.series) == (1 if kind in (KIND.PIE, KIND.PIE_EXPLODED) else 2)
    assert chart.confidence == 1.0


@slow
@given(
    table=tables(), kind=st.sampled_from([KIND.COLUMN_CLUSTERED, KIND.LINE, KIND.AREA_STACKED, KIND.BAR_STACKED_100])
)
def test_any_categories_and_values_come_back_exactly(
    table: tuple[list[str], list[tuple[str, list[float | None]]]], kind: KIND
) -> None:
    categories, series = table
    chart = only_chart(first_page(chart_deck(kind, category_data(categories, series))))
    assert values_of(chart) == [(name, list(zip(categories, values, strict=True))) for name, values in series]


@slow
@given(
    points=st.lists(st.lists(st.tuples(finite, finite), min_size=1, max_size=6), min_size=1, max_size=3),
    kind=st.sampled_from(XY_KINDS),
)
def test_scatter_charts_have_their_x_values(points: list[list[tuple[float, float]]], kind: KIND) -> None:
    named = [(f"Run {n}", places) for n, places in enumerate(points)]
    chart = only_chart(first_page(chart_deck(kind, xy_data(named))))
    assert chart.kind is ChartKind.SCATTER
    assert [[(float(p.x), p.y) for p in s.points] for s in chart.series] == points


@slow
@given(points=st.lists(st.tuples(finite, finite, finite), min_size=1, max_size=6))
def test_bubbles_have_their_sizes_as_a_series(points: list[tuple[float, float, float]]) -> None:
    data = BubbleChartData()
    series = data.add_series("Cities")
    for x, y, size in points:
        series.add_data_point(x, y, size)
    chart = only_chart(first_page(chart_deck(KIND.BUBBLE, data)))
    places, sizes = chart.series
    assert (places.name, sizes.name) == ("Cities", "Cities (size)")
    assert [(float(p.x), p.y, s.y) for p, s in zip(places.points, sizes.points, strict=True)] == points


def test_categories_of_several_levels_name_their_group_at_each_member() -> None:
    data = CategoryChartData()
    for year in ("2015", "2016"):
        group = data.add_category(year)
        for quarter in ("Q1", "Q2"):
            group.add_sub_category(quarter)
    data.add_series("Sales", (1, 2, 3, 4))
    chart = only_chart(first_page(chart_deck(KIND.COLUMN_CLUSTERED, data)))
    assert [p.x for p in chart.series[0].points] == ["2015 / Q1", "2015 / Q2", "2016 / Q1", "2016 / Q2"]


def test_dates_are_in_iso_form() -> None:
    days = [date(2016, 1, 31), date(2016, 2, 29), date(2026, 12, 1)]
    chart = only_chart(first_page(chart_deck(KIND.LINE, category_data(days, [("Price", [1, 2, 3])]))))
    assert [p.x for p in chart.series[0].points] == ["2016-01-31", "2016-02-29", "2026-12-01"]
    assert chart.x_axis.scale == "date"


def test_titles_and_axes_are_as_printed() -> None:
    deck = chart_deck(KIND.COLUMN_CLUSTERED, category_data(["a"], [("One", [1]), ("Two", [2])]))
    chart = deck.slides[0].shapes[0].chart
    chart.has_title = True
    chart.chart_title.text_frame.text = "Sales by region"
    for axis, text in ((chart.category_axis, "Region"), (chart.value_axis, "Million EUR")):
        axis.has_title = True
        axis.axis_title.text_frame.text = text
    found = only_chart(first_page(deck))
    assert (found.title, found.x_axis.label, found.y_axis.label) == ("Sales by region", "Region", "Million EUR")


def test_a_chart_of_bars_and_lines_has_the_series_of_both() -> None:
    deck = chart_deck(KIND.COLUMN_CLUSTERED, category_data(["a", "b"], [("One", [1, 2]), ("Two", [3, 4])]))
    values = b'<c:val><c:numLit><c:ptCount val="2"/><c:pt idx="1"><c:v>7.5</c:v></c:pt></c:numLit></c:val>'
    line = b"<c:lineChart><c:ser><c:tx><c:v>Line</c:v></c:tx>" + values + b"</c:ser></c:lineChart>"
    data = replaced(saved(deck), "charts/chart", b"<c:catAx>", line + b"<c:catAx>")
    chart = only_chart(PptxFile(data, 10_000_000).page(1, "deck"))
    assert chart.kind is ChartKind.BAR
    assert values_of(chart)[2] == ("Line", [("1", None), ("2", 7.5)])


@pytest.mark.parametrize("kind", [KIND.COLUMN_CLUSTERED, KIND.XY_SCATTER])
def test_without_a_kept_copy_the_embedded_sheet_is_read(kind: KIND) -> None:
    if kind is KIND.XY_SCATTER:
        deck = chart_deck(kind, xy_data([("Run", [(1.5, 2.0), (3.25, 4.0)])]))
        wanted = [("Run", [("1.5", 2.0), ("3.25", 4.0)])]
    else:
        deck = chart_deck(kind, category_data(["a", "b"], [("One", [1, 2.5]), ("Two", [None, 4])]))
        wanted = [("One", [("a", 1.0), ("b", 2.5)]), ("Two", [("a", None), ("b", 4.0)])]

    def without_copies(name: str, content: bytes) -> bytes:
        if "charts/chart" not in name or not name.endswith(".xml"):
            return content
        root = parse_xml(content)
        assert root.find(".//numCache") is not None
        for tag in (b"numCache", b"strCache"):
            while (start := content.find(b"<c:" + tag)) >= 0:
                end = content.index(b"</c:" + tag + b">", start) + len(tag) + 5
                content = content[:start] + content[end:]
        return content

    chart = only_chart(PptxFile(with_parts(saved(deck), without_copies), 10_000_000).page(1, "deck"))
    assert values_of(chart) == wanted


def test_a_fault_in_a_cell_is_no_value() -> None:
    deck = chart_deck(KIND.LINE, category_data(["a", "b"], [("One", [1, 2])]))
    data = replaced(saved(deck), "charts/chart", b"<c:v>2</c:v>", b"<c:v>#N/A</c:v>")
    assert values_of(only_chart(PptxFile(data, 10_000_000).page(1, "d"))) == [("One", [("a", 1.0), ("b", None)])]


def test_a_chart_that_claims_a_billion_values_is_damaged() -> None:
    cache = '<numCache><ptCount val="1000000000"/><pt idx="0"><v>1</v></pt></numCache>'
    series = f"<ser><val><numRef>{cache}</numRef></val></ser>"
    xml = f"<chartSpace><chart><plotArea><barChart>{series}</barChart></plotArea></chart></chartSpace>"
    with pytest.raises(CorruptOffice):
        read_chart(parse_xml(xml.encode()))
    far = xml.replace('ptCount val="1000000000"', 'ptCount val="1"').replace('idx="0"', 'idx="999999999"')
    with pytest.raises(CorruptOffice):
        read_chart(parse_xml(far.encode()))


def test_a_part_without_a_plot_is_no_chart() -> None:
    assert read_chart(Element("chartSpace")) is None


def test_points_lie_where_they_are_drawn() -> None:
    page = first_page(chart_deck(KIND.COLUMN_CLUSTERED, category_data(["a", "b"], [("One", [1, 4])])))
    chart = only_chart(page)
    (low, high) = (p.place for p in chart.series[0].points)
    assert chart.box is not None
    assert low is not None
    assert high is not None
    assert low[1] > high[1]
    assert low[0] < high[0]
    for x, y in (low, high):
        assert chart.box.contains(x, y)
        # The bar's colour begins at its end.
        assert tuple(page.pixels[math.ceil(y) + 3, round(x)]) != (255, 255, 255)


NEWER = b"""<cx:chartSpace xmlns:cx="http://schemas.microsoft.com/office/drawing/2014/chartex"
 xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><cx:chartData><cx:data id="0">
<cx:strDim type="cat"><cx:f>Sheet1!$A$2:$A$4</cx:f><cx:lvl ptCount="3"><cx:pt idx="0">Start</cx:pt>
<cx:pt idx="1">Change</cx:pt><cx:pt idx="2">End</cx:pt></cx:lvl></cx:strDim>
<cx:numDim type="val"><cx:lvl ptCount="3" formatCode="General"><cx:pt idx="0">100</cx:pt><cx:pt idx="1">-20.5</cx:pt>
</cx:lvl></cx:numDim></cx:data></cx:chartData><cx:chart><cx:title><cx:tx><cx:rich><a:p><a:r><a:t>Bridge</a:t></a:r>
</a:p></cx:rich></cx:tx></cx:title><cx:plotArea><cx:plotAreaRegion><cx:series layoutId="waterfall"><cx:tx><cx:txData>
<cx:v>Profit</cx:v></cx:txData></cx:tx><cx:dataId val="0"/></cx:series></cx:plotAreaRegion></cx:plotArea></cx:chart>
</cx:chartSpace>"""


def test_charts_of_the_newer_sorts_give_their_data_not_their_excuse() -> None:
    deck = chart_deck(KIND.LINE, category_data(["a"], [("One", [1])]))

    def newer(name: str, content: bytes) -> bytes:
        if "charts/chart" in name and name.endswith(".xml"):
            return NEWER
        if "slides/slide1.xml" in name:
            start, end = content.index(b"<p:graphicFrame"), content.index(b"</p:graphicFrame>") + 17
            space = b'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
            choice = b'<mc:Choice Requires="cx1">' + content[start:end] + b"</mc:Choice>"
            excuse = b"<mc:Fallback><p:sp/></mc:Fallback>"
            versions = b"<mc:AlternateContent " + space + b">" + choice + excuse + b"</mc:AlternateContent>"
            return content[:start] + versions + content[end:]
        return content

    chart = only_chart(PptxFile(with_parts(saved(deck), newer), 10_000_000).page(1, "d"))
    assert (chart.kind, chart.title) == (ChartKind.BAR, "Bridge")
    assert values_of(chart) == [("Profit", [("Start", 100.0), ("Change", -20.5), ("End", None)])]


def test_a_chart_of_too_many_values_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(charts_module, "MAX_VALUES", 3)
    with pytest.raises(FileTooLarge):
        first_page(chart_deck(KIND.LINE, category_data(["a", "b"], [("One", [1, 2]), ("Two", [3, 4])])))
