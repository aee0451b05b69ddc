from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from mineru_core.document.chart import ChartKind, Point, Series
from mineru_core.intake.office.chart_scales import piles, round_scale, value_range
from mineru_core.intake.office.charts import Plot

values = st.floats(-1e100, 1e100, allow_subnormal=False)


@given(values, values, st.booleans())
def test_a_scale_covers_its_values_with_ticks_in_order(a: float, b: float, log: bool) -> None:
    low, high = min(a, b), max(a, b)
    scale = round_scale(low, high, log)
    scale.start, scale.end = 500.0, 100.0
    assert 2 <= len(scale.ticks) <= 400
    assert scale.ticks == sorted(set(scale.ticks))
    span = abs(scale.end - scale.start)
    for value in (low, high):
        place = scale.place(value)
        assert math.isfinite(place)
        assert 100 - 0.01 * span <= place <= 500 + 0.01 * span
    assert scale.place(low) >= scale.place(high)


@given(st.lists(st.lists(st.none() | st.floats(-100, 100), min_size=3, max_size=3), min_size=1, max_size=4))
def test_piles_end_where_the_sum_of_their_values_is(rows: list[list[float | None]]) -> None:
    series = tuple(
        Series(name=str(n), points=tuple(Point(x=str(i), y=y) for i, y in enumerate(row))) for n, row in enumerate(rows)
    )
    piled = piles(Plot(ChartKind.BAR, series, stacked=True))
    for place in range(3):
        above = [y for row in rows if (y := row[place]) is not None and y >= 0]
        tops = [high for pile in piled if (high := pile[place][1]) is not None and high >= 0]
        assert not above or math.isclose(max(tops), sum(above), abs_tol=1e-9)
    low, high = value_range((Plot(ChartKind.BAR, series, stacked=True),))
    assert low <= high


def test_shares_add_up_to_one() -> None:
    series = tuple(Series(points=(Point(x="a", y=y),)) for y in (1.0, 2.0, 5.0))
    piled = piles(Plot(ChartKind.BAR, series, stacked=True, share=True))
    assert piled[-1][0][1] == 1.0
