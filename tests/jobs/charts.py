"""An engine whose pages hold a chart, so that there is something to correct."""

from __future__ import annotations

from mineru_core.document.analysis import Block, BlockType, PageAnalysis, Part
from mineru_core.document.chart import Axis, AxisMark, Chart, ChartKind, Point, PointSource, Series
from mineru_core.document.geometry import Box
from mineru_core.document.parts import PageFrame
from mineru_core.engines.base import Readings
from mineru_core.engines.echo import EchoEngine

CHART = Chart(
    kind=ChartKind.BAR,
    title="Sales by quarter",
    x_axis=Axis(scale="category", vertical=False),
    y_axis=Axis(label="EUR", vertical=True, marks=(AxisMark(place=300, value=0), AxisMark(place=100, value=100))),
    series=(
        Series(
            name="North",
            color="#0072b2",
            points=(
                Point(x="Q1", y=40.0, place=(100.0, 220.0), confidence=0.5),
                Point(x="Q2", y=55.0, place=(200.0, 190.0), source=PointSource.PRINTED),
            ),
        ),
        Series(name="South", color="#d55e00", points=(Point(x="Q1", y=10.0, place=(130.0, 280.0)),)),
    ),
    box=Box(40, 60, 300, 320),
)
"""100 stands at 100 pixels, 0 at 300."""


class ChartEngine(EchoEngine):
    """Finds the same chart, and a small table, on each page, besides the text."""

    name = "chart"

    def __init__(self) -> None:
        super().__init__(capabilities=(Part.TEXT, Part.LAYOUT, Part.TABLES, Part.CHARTS))

    def compose(self, frame: PageFrame, parts: frozenset[Part], readings: Readings) -> PageAnalysis:
        page = super().compose(frame, parts, readings)
        assert CHART.box is not None
        chart = CHART.model_copy(update={"page": frame.number})
        block = Block(type=BlockType.CHART, box=CHART.box, order=len(page.blocks), chart=chart)
        return page.model_copy(update={"blocks": (*page.blocks, block)})
