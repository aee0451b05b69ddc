"""Whole drawings that are no chart of a kind that is read: refused, or unsure and said to be so."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from mineru_core import Analyzer, open_document
from mineru_core.document.chart import Chart
from mineru_core.document.notices import Notice, recognised
from mineru_core.engines.embedded.charts.reading import ChartReading, chart_of
from mineru_core.runtime.context import RunContext
from mineru_core.settings import Settings
from tests.engines.embedded.charts.drawn_hostile import (
    OVERLAID,
    OVERLAPPING,
    SLANTED,
    UNREADABLE,
    Hostile,
    draw_hostile,
)

UNSURE = 0.6


def _read(drawn: Hostile) -> ChartReading | None:
    reading = chart_of(drawn.pixels, drawn.labels, RunContext())
    return reading if isinstance(reading, ChartReading) else None


def _surest(chart: Chart) -> float:
    return max(point.confidence for one in chart.series for point in one.points)


def _notices(reading: ChartReading) -> set[Notice | None]:
    return {found[0] if (found := recognised(warning)) else None for warning in reading.warnings}


@pytest.mark.parametrize("kind", UNREADABLE)
def test_what_cannot_be_read_is_refused_or_unsure(kind: str) -> None:
    for seed in range(2):
        reading = _read(draw_hostile(kind, seed))
        assert reading is None or _surest(reading.chart) < UNSURE, (kind, seed, reading)


@pytest.fixture(scope="module")
def analyzer(models_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Analyzer]:
    with Analyzer(Settings(home=tmp_path_factory.mktemp("home"), models=models_dir), "embedded") as made:
        yield made


@pytest.mark.long
@pytest.mark.models
@pytest.mark.parametrize("kind", UNREADABLE)
def test_nor_is_it_sure_through_the_public_door(kind: str, analyzer: Analyzer) -> None:
    for seed in range(100, 105):
        held = io.BytesIO()
        Image.fromarray(draw_hostile(kind, seed).pixels).save(held, "PNG")
        with open_document(held.getvalue()) as document:
            charts = analyzer.analyze(document, "extract the chart data").charts
        assert all(_surest(chart) < UNSURE for chart in charts), (kind, seed, charts)


@pytest.mark.parametrize("seed", range(4))
def test_translucent_bars_over_each_other_are_no_stacks(seed: int) -> None:
    drawn = draw_hostile(OVERLAID, seed)
    reading = _read(drawn)
    assert reading is not None
    assert not reading.chart.stacked
    found = {one.name: {p.x: p.y for p in one.points} for one in reading.chart.series}
    assert found.keys() == drawn.values.keys()
    for name, values in drawn.values.items():
        assert found[name] == pytest.approx(values, abs=0.6), name


@pytest.mark.parametrize("seed", range(4))
def test_bars_that_others_hide_are_told_to_be_missing(seed: int) -> None:
    drawn = draw_hostile(OVERLAPPING, seed)
    reading = _read(drawn)
    assert reading is not None
    for one in reading.chart.series:
        for point in one.points:
            assert point.y == pytest.approx(drawn.values[one.name][point.x], abs=0.6)
    count = sum(len(one.points) for one in reading.chart.series)
    assert count == 10 or _notices(reading) & {Notice.NO_VALUES, Notice.FEW_VALUES}


@pytest.mark.parametrize("seed", range(4))
def test_bars_drawn_at_a_slant_are_measured_by_themselves_and_unsure(seed: int) -> None:
    drawn = draw_hostile(SLANTED, seed)
    reading = _read(drawn)
    assert reading is not None
    assert Notice.RAISED_BARS in _notices(reading)
    assert _surest(reading.chart) < UNSURE
    (series,) = reading.chart.series
    assert {p.x: p.y for p in series.points} == pytest.approx(drawn.values[""], abs=0.6)
