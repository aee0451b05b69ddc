from __future__ import annotations

import numpy as np
import pytest

from mineru_core.document.chart import Point, PointSource, Series
from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.charts.polish import at_labels, near_zero, share_left, short_title
from mineru_core.engines.embedded.charts.scene import CategoryAxis, NumberAxis, Scene


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


def test_a_value_that_few_pixels_tell_is_less_sure() -> None:
    axis = NumberAxis(True, -0.5, 100.0)
    values = [Point(x="a", y=y, confidence=0.98) for y in (0.0, 2.0, 15.0, 90.0)]
    said = Point(x="b", y=1.0, confidence=0.98, source=PointSource.PRINTED)
    (found,) = near_zero([Series(points=(*values, said, Point(x="c", y=None)))], axis)
    sure = [point.confidence for point in found.points]
    assert sure[:4] == sorted(sure[:4])
    assert sure[0] == pytest.approx(0.98 * 0.6, abs=1e-3)
    assert sure[2] < 0.9 < sure[3]
    assert sure[4] == 0.98
    assert [point.y for point in found.points] == [0.0, 2.0, 15.0, 90.0, 1.0, None]


def test_each_series_is_measured_by_its_own_axis() -> None:
    left, right = NumberAxis(True, -0.1, 100.0), NumberAxis(True, -100.0, 1e5)
    one = Series(points=(Point(x="a", y=50.0),))
    sure = [
        s.points[0].confidence for s in near_zero([one, one.model_copy(update={"on_second_axis": True})], left, right)
    ]
    assert sure[0] > 0.99
    assert sure[1] < 0.61
    names = CategoryAxis(True, (("a", 1.0),))
    assert near_zero([one], names) == (one,)
    log = NumberAxis(True, -0.01, 4.0, log=True)
    assert near_zero([one], log)[0].points[0].confidence == pytest.approx(share_left(43.43), abs=1e-3)
