from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from benchmarks.chart_points import judged_points, sure_figures
from mineru_core.document.chart import Chart, ChartKind, Point, Series


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _points(rows: list[list[str]], transposed: bool = False) -> list[tuple[str, str, str]]:
    rows = [list(row) for row in zip(*rows, strict=True)] if transposed else rows
    return [(r[0], rows[0][j], r[j]) for r in rows[1:] for j in range(1, len(r)) if r[j]]


def _differ(a: str, b: str, _limit: float) -> float:
    return float(a != b)


SCORER: Any = SimpleNamespace(chart_points=_points, number=_number, _nl=_differ)


def _chart(values: dict[str, dict[str, tuple[float, float]]]) -> Chart:
    """By series and row (value, confidence)."""
    series = [
        Series(name=name, points=tuple(Point(x=x, y=y, confidence=sure) for x, (y, sure) in points.items()))
        for name, points in values.items()
    ]
    return Chart(kind=ChartKind.BAR, series=tuple(series))


def test_points_are_judged_where_the_truth_has_their_place() -> None:
    chart = _chart({"A": {"2001": (10.1, 0.95), "2002": (22.0, 0.99), "2004": (5.0, 1.0)}, "B": {"2001": (40.0, 0.5)}})
    judged = judged_points(chart, "Year,B,A\n2001,41,10\n2002,,20\n2003,7,7\n", SCORER)
    assert sorted((p.confidence, round(p.off, 3), round(p.off_of_largest, 3)) for p in judged) == [
        (0.5, 0.024, 0.024),
        (0.95, 0.01, 0.002),
        (0.99, 0.1, 0.049),
    ]
    figures = sure_figures(judged)
    assert (figures["matched_points"], figures["sure_points"], figures["sure_right"]) == (3, 2, 0.5)
    assert figures["sure_right_of_largest"] == 0.5


def test_a_truth_may_lie_on_its_side_and_call_the_only_series_otherwise() -> None:
    turned = judged_points(_chart({"A": {"x": (1.0, 1.0), "y": (2.0, 1.0)}}), "who,x,y\nA,1,2\n", SCORER)
    assert [p.off for p in turned] == [0.0, 0.0]
    renamed = judged_points(
        _chart({"Sales in 2020": {"x": (1.0, 1.0), "y": (2.0, 1.0)}}), "who,Sum\nx,1\ny,4\n", SCORER
    )
    assert sorted(p.off for p in renamed) == [0.0, 0.5]


def test_without_sure_points_no_share_is_told() -> None:
    assert sure_figures([]) == {"matched_points": 0.0, "sure_points": 0.0}
    assert judged_points(_chart({"A": {"x": (1.0, 1.0)}}), "who,Sum\nx,many\n", SCORER) == []
