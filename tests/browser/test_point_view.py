"""The chart drawn again from its data: what stands in it has room, and is told from the page in either theme."""

from __future__ import annotations

from itertools import pairwise

import pytest
from playwright.sync_api import Browser, Page, expect

from mineru_core.document.chart import Axis, AxisMark, Chart, ChartKind, Point, Series
from mineru_core.document.geometry import Box
from tests.browser.point_alone import points_alone

pytestmark = pytest.mark.browser

BOXES = """(names) => [...document.querySelectorAll(names)].map((one) => {
  const { left, top, right, bottom } = one.getBoundingClientRect();
  return [left, top, right, bottom];
})"""


def chart(*, lying: bool, names: list[str], value: float = 40.0) -> Chart:
    """Bars at equal distances on 0..100; ``lying`` ones begin at 100 pixels of 400."""
    marks = (AxisMark(place=100, value=0), AxisMark(place=350, value=100))
    if not lying:
        marks = (AxisMark(place=350, value=0), AxisMark(place=60, value=100))
    step = 280 / len(names)
    places = [(200.0, 60 + step * (n + 0.5)) if lying else (60 + step * (n + 0.5), 200.0) for n in range(len(names))]
    points = tuple(Point(x=name, y=value, place=place) for name, place in zip(names, places, strict=True))
    return Chart(
        kind=ChartKind.BAR,
        x_axis=Axis(scale="category", vertical=lying),
        y_axis=Axis(vertical=not lying, marks=marks),
        series=(Series(name="All", points=points),),
        box=Box(20, 20, 380, 380),
    )


def boxes(page: Page, names: str) -> list[list[float]]:
    found: list[list[float]] = page.evaluate(BOXES, names)
    return found


def test_long_names_end_before_lying_bars_begin(browser: Browser) -> None:
    names = [f"{n} newspapers and magazines that are read" for n in range(5)]
    with points_alone(browser, chart(lying=True, names=names)) as points:
        left = min(box[0] for box in boxes(points.page, ".drawn rect"))
        shown = boxes(points.page, ".drawn .name")
        assert len(shown) == len(names)
        assert all(box[2] <= left for box in shown)
        expect(points.page.locator(".drawn .name title").first).to_have_text(names[0])


@pytest.mark.parametrize("count", [3, 12, 60])
def test_names_under_standing_bars_do_not_run_into_each_other(browser: Browser, count: int) -> None:
    names = [f"{n:02} a long name of a category" for n in range(count)]
    with points_alone(browser, chart(lying=False, names=names)) as points:
        shown = sorted(boxes(points.page, ".drawn .name"))
        assert len(shown) >= min(count, 4)
        assert all(one[2] <= other[0] for one, other in pairwise(shown))


@pytest.mark.parametrize("lying", [False, True])
def test_numbers_of_the_axis_do_not_run_into_each_other(browser: Browser, lying: bool) -> None:
    for value, least in ((9.0, 1), (90.0, 4)):
        with points_alone(browser, chart(lying=lying, names=["a", "b"], value=value), width=350) as points:
            shown = sorted(boxes(points.page, ".drawn text:not(.name)"), key=lambda box: box[0] if lying else box[1])
            assert len(shown) >= least
            first, second = (0, 2) if lying else (1, 3)
            assert all(one[second] <= other[first] + 1 for one, other in pairwise(shown))


@pytest.mark.parametrize("lying", [False, True])
def test_a_value_beyond_the_axis_is_seen_and_an_absurd_one_leaves_room(browser: Browser, lying: bool) -> None:
    for value, seen in ((135.0, True), (1e9, False)):
        with points_alone(browser, chart(lying=lying, names=["a", "b"], value=value)) as points:
            frame = boxes(points.page, ".drawn")[0]
            bar = boxes(points.page, ".drawn rect")[0]
            inside = bar[0] >= frame[0] and bar[1] >= frame[1] and bar[2] <= frame[2] and bar[3] <= frame[3]
            assert inside is seen
            view = points.page.locator(".drawn").get_attribute("viewBox")
            assert view is not None
            assert max(float(one) for one in view.split()[2:]) <= 3 * 400


def test_the_redrawn_chart_has_the_pages_colours(browser: Browser) -> None:
    with points_alone(browser) as points:
        drawn = points.page.locator(".drawn")
        expect(drawn).to_have_css("background-color", "rgb(252, 251, 248)")
        expect(points.page.locator(".drawn text").first).to_have_css("fill", "rgb(30, 36, 34)")
