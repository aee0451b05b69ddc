from __future__ import annotations

import numpy as np
import pytest

from mineru_core.document.chart import Point, Series
from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.charts.polish import at_labels, short_title
from mineru_core.engines.embedded.charts.scene import NumberAxis, Scene


@pytest.mark.parametrize(
    ("title", "short"),
    [
        ("Exports (in million euros)", "Exports"),
        ("Number of foreign visitors newly registered in hotels, inns and guest houses", "Number of foreign visitors"),
        ("% of adults in 2019 who say that the railways should be free", "% of adults"),
        ("Average revenue for stations that broadcast in Spanish", "Average revenue"),
        ("% of residents ages 5 and older who speak another language", "% of residents"),
        ("Share of books that are novels", "Share of books that are novels"),
        ("Percentage of secondary school teachers who are men", "Percentage of secondary school teachers who are men"),
        (
            "Percent of advertising revenue of small papers coming from notices in them",
            "Percent of advertising revenue of small papers",
        ),
    ],
)  # fmt: skip
def test_a_title_is_cut_before_what_it_is_about(title: str, short: str) -> None:
    assert short_title(title) == short


def test_years_that_were_read_are_not_moved_to_the_labels() -> None:
    """Every point misses the ticks, which stand five years apart, by about as much."""
    axis = NumberAxis(False, 0.1, 1990.0, ticks=tuple((1990.0 + 5 * i, 50.0 * i) for i in range(6)), dates=True)
    scene = Scene(np.zeros((10, 10, 3), np.uint8), Box(0, 0, 300, 200), x=axis)
    series = Series(points=tuple(Point(x=str(year), y=1.0) for year in (1991, 1996, 2001, 2006, 2011)))
    (found,) = at_labels([series], scene)
    assert [point.x for point in found.points] == ["1991", "1996", "2001", "2006", "2011"]
