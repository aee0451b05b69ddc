"""The point editor without the app: its changes are made by the product's own operations in the server's place."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from mineru_core.document.chart import Axis, AxisMark, Chart, ChartKind, Point, Series
from mineru_core.document.geometry import Box
from mineru_core.ui.i18n import Translator
from tests.browser.conftest import CheckAccess
from tests.browser.point_alone import Points, points_alone
from tests.jobs.charts import CHART

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def points(browser: Browser) -> Iterator[Points]:
    with points_alone(browser) as found:
        expect(found.page.locator("circle.mark")).to_have_count(3)
        yield found


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def saved(points: Points) -> None:
    expect(points.page.locator(".status")).to_have_text("Saved.")


def test_a_dragged_point_takes_the_value_of_its_place_and_can_be_undone(points: Points) -> None:
    points.drag((100, 220), (100, 200))
    saved(points)
    assert points.sent[0]["op"] == "set-point"
    assert points.value(0, 0) == pytest.approx(50.0, abs=0.6)
    button(points.page, "↶").click()
    saved(points)
    assert points.chart == CHART


def test_arrow_keys_move_by_a_pixel_of_the_page(points: Points) -> None:
    points.page.mouse.click(*points.at(100, 220))
    points.page.keyboard.press("ArrowUp")
    saved(points)
    assert points.value(0, 0) == 40.5
    points.page.keyboard.press("Shift+ArrowDown")
    expect(points.page.locator(".point .value")).to_have_value("35.5")
    assert len(points.sent) == 2


def test_by_keys_alone_a_point_is_found_changed_and_deleted(points: Points) -> None:
    points.page.locator(".pane svg").first.focus()
    points.page.keyboard.press("n")
    points.page.keyboard.press("n")
    points.page.keyboard.press("Enter")
    expect(points.page.locator(".point .value")).to_be_focused()
    points.page.keyboard.press("Control+a")
    points.page.keyboard.type("56.25")
    points.page.keyboard.press("Enter")
    saved(points)
    assert points.value(0, 1) == 56.25
    points.page.keyboard.press("Delete")
    expect(points.page.locator("circle.mark")).to_have_count(2)
    assert [len(series.points) for series in points.chart.series] == [1, 1]


def test_a_click_adds_a_point_where_one_is_missing(points: Points) -> None:
    points.page.get_by_role("button", name="Choose series South").click()
    button(points.page, "Add points").click()
    points.page.mouse.click(*points.at(210, 250))
    saved(points)
    added = points.chart.series[1].points[1]
    assert (added.x, added.edited) == ("Q2", True)
    assert added.y == pytest.approx(25.0, abs=0.6)


def test_series_are_renamed_and_deleted(points: Points) -> None:
    name = points.page.get_by_label("Name of the series").nth(1)
    name.fill(HOSTILE)
    name.press("Enter")
    saved(points)
    assert points.chart.series[1].name == HOSTILE
    expect(points.page.locator("img")).to_have_count(0)
    points.page.get_by_role("button", name="Delete series: North").click()
    expect(points.page.locator("ul.series li")).to_have_count(1)
    assert [series.name for series in points.chart.series] == [HOSTILE]


def test_an_axis_is_calibrated_by_two_clicks(points: Points) -> None:
    answers = iter(["0", "1,000"])
    points.page.on("dialog", lambda dialog: dialog.accept(next(answers)))
    button(points.page, "Calibrate Y").click()
    points.page.mouse.click(*points.at(60, 300))
    points.page.mouse.click(*points.at(60, 100))
    saved(points)
    assert points.value(0, 0) == pytest.approx(400, rel=0.02)
    assert points.value(0, 1) == 55.0  # it is printed


def test_a_mark_of_an_axis_is_dragged(points: Points) -> None:
    points.drag((250, 100), (250, 140))
    saved(points)
    marks = points.chart.y_axis.marks
    assert [mark.value for mark in marks] == [0, 100]
    assert marks[1].place == pytest.approx(140, abs=1)


def test_the_chart_is_drawn_again_from_its_data(points: Points) -> None:
    bars = points.page.locator(".pane").nth(1).locator("rect.shape")
    expect(bars).to_have_count(3)
    assert float(bars.nth(0).get_attribute("y") or 0) == pytest.approx(220)
    assert float(bars.nth(0).get_attribute("height") or 0) == pytest.approx(80)
    points.drag((100, 220), (100, 260))
    saved(points)
    assert float(bars.nth(0).get_attribute("height") or 0) == pytest.approx(40, abs=1.5)


def test_what_is_done_while_the_server_is_away_is_saved_when_it_is_back(points: Points) -> None:
    page = points.page
    page.clock.install()
    points.away = True
    page.mouse.click(*points.at(100, 220))
    page.keyboard.press("ArrowUp")
    page.clock.run_for(300_000)
    page.keyboard.press("ArrowUp")
    expect(page.locator(".status")).to_contain_text(Translator("en")("points.lost"))
    leaves = "window.dispatchEvent(new Event('beforeunload', { cancelable: true }))"  # without a question
    assert not page.evaluate(leaves)
    assert len(points.missed) > 5
    assert all(one == points.missed[0] for one in points.missed)
    points.away = False
    page.evaluate("window.dispatchEvent(new Event('online'))")
    expect(page.locator(".status")).to_have_text("Saved.")
    assert page.evaluate(leaves)
    assert points.value(0, 0) == 41.0
    assert len(points.sent) == 2


@pytest.mark.parametrize("kind", list(ChartKind))
def test_every_kind_is_drawn_and_nothing_in_it_is_markup(browser: Browser, kind: ChartKind) -> None:
    for axis in (Axis(label=HOSTILE), CHART.y_axis):
        series = (
            Series(name=HOSTILE, points=(Point(x=HOSTILE, y=3.0, place=(90.0, 90.0)), Point(x="b", y=None))),
            Series(name="", points=(Point(x="b", y=-5.0), Point(x="c", y=4.0, place=(200.0, 120.0)))),
            Series(),
        )
        chart = Chart(kind=kind, title=HOSTILE, y_axis=axis, series=series, box=Box(0, 0, 300, 300))
        with points_alone(browser, chart) as points:
            expect(points.page.locator(".pane")).to_have_count(2)
            expect(points.page.locator("img")).to_have_count(0)
            drawn = points.page.locator(".pane").nth(1).locator("rect, path, polyline, circle, polygon")
            assert drawn.count() >= 1


def test_it_has_no_barriers_and_fits_a_phone(browser: Browser, axe: CheckAccess) -> None:
    with points_alone(browser, width=350) as points:
        expect(points.page.locator("circle.mark")).to_have_count(3)
        axe(points.page)
        wide = points.page.evaluate("document.querySelector('main').scrollWidth")
        assert wide <= 350


def test_a_logarithmic_axis(browser: Browser) -> None:
    marks = (AxisMark(place=300, value=1), AxisMark(place=100, value=100))
    chart = CHART.model_copy(update={"y_axis": CHART.y_axis.model_copy(update={"marks": marks})})
    with points_alone(browser, chart) as points:
        button(points.page, "Log").click()
        saved(points)
        assert points.chart.y_axis.scale == "log"
        assert points.value(0, 0) == pytest.approx(10**0.8, rel=0.01)
