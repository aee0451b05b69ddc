"""What the point editor stands on: a chart's axis marks say of each measured point's place what its value is."""

from __future__ import annotations

import pytest

from mineru_core.document.chart import PointSource
from mineru_core.engines.embedded.charts.reading import ChartReading, chart_of
from mineru_core.runtime.context import RunContext
from tests.engines.embedded.charts.drawn import draw


@pytest.mark.parametrize(
    "kind", ["bars", "bars_horizontal", "bars_grouped", "bars_line", "bars_line_axes", "line", "lines", "scatter"]
)
def test_places_and_values_agree(kind: str) -> None:
    compared = 0
    for seed in range(2):
        drawn = draw(kind, seed)
        reading = chart_of(drawn.pixels, drawn.scene.labels, RunContext(), 1.0)
        assert isinstance(reading, ChartReading)
        chart = reading.chart
        for series in chart.series:
            assert chart.by_place(series), kind
            axis = chart.y_axis
            if series.on_second_axis:
                assert chart.second_y_axis is not None
                axis = chart.second_y_axis
            for point in series.points:
                if point.place is None or point.y is None or point.source is not PointSource.MEASURED:
                    continue
                if not axis.is_calibrated:
                    continue
                at = axis.place_of(point.y)
                assert at is not None
                # a bar's end and a line's middle are told to a part of a pixel; its place is rounded to a whole one
                assert at == pytest.approx(point.place[1 if axis.vertical else 0], abs=2.0), (kind, seed, point)
                compared += 1
    assert compared >= 5


@pytest.mark.parametrize("kind", ["bars_stacked", "bars_percent", "areas_stacked"])
def test_of_stacked_marks_places_are_said_to_tell_nothing(kind: str) -> None:
    reading = chart_of(draw(kind, 0).pixels, draw(kind, 0).scene.labels, RunContext())
    assert isinstance(reading, ChartReading)
    assert reading.chart.stacked
    assert not any(reading.chart.by_place(series) for series in reading.chart.series)
