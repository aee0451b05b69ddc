"""The point editor alone in a page, with the product's own operations in the server's place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from playwright.sync_api import Browser, Page, Route

from mineru_core.document.chart import Chart
from mineru_core.document.chart_edits import parse_chart_operation
from mineru_core.ui.components.point_editor import SCRIPT, PointEditor, chart_data, point_words
from mineru_core.ui.i18n import Translator
from mineru_core.ui.setup import asset
from tests.browser import alone
from tests.documents import draw_lines, png_bytes
from tests.jobs.charts import CHART

WIDTH, HEIGHT = 400, 400


class Points:
    """The editor and the chart behind it, which changes as it would on the server; ``sent`` are the operations."""

    page: Page

    def __init__(self, chart: Chart) -> None:
        self.chart = chart
        self.version = 0
        self.before: list[Chart] = []
        self.sent: list[dict[str, Any]] = []
        self.away = False  # nothing that is sent arrives
        self.missed: list[dict[str, Any]] = []

    def give(self, answered: str = "") -> None:
        picture = {"src": f"{alone.ORIGIN}/page.png", "width": WIDTH, "height": HEIGHT}
        data = PointEditor(
            chart=chart_data(self.chart, picture), version=self.version, label="Points of Sales",
            words=point_words(Translator("en")), can_undo=bool(self.before), answered=answered,
        )  # fmt: skip
        alone.mount(self.page, asdict(data))

    def take(self, message: dict[str, Any]) -> None:
        if self.away:
            self.missed.append(message)
            return
        for change in message["changes"]:
            self.sent.append(change)
            if change["op"] == "undo":
                self.chart = self.before.pop()
            else:
                self.before.append(self.chart)
                self.chart = parse_chart_operation(change).apply(self.chart)
            self.version += 1
        self.give(message["id"])

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Where a place of the page is on screen."""
        found = self.page.evaluate(
            """([x, y]) => {
              const svg = document.querySelector(".pane svg");
              const at = new DOMPoint(x, y).matrixTransform(svg.getScreenCTM());
              return [at.x, at.y];
            }""",
            [x, y],
        )
        return found[0], found[1]

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        self.page.mouse.move(*self.at(*start))
        self.page.mouse.down()
        self.page.mouse.move(*self.at((start[0] + end[0]) / 2, (start[1] + end[1]) / 2))
        self.page.mouse.move(*self.at(*end))
        self.page.mouse.up()

    def value(self, series: int, point: int) -> float | None:
        return self.chart.series[series].points[point].y


@contextmanager
def points_alone(browser: Browser, chart: Chart = CHART, width: int = 900) -> Iterator[Points]:
    """The editor in a page of its own, ``width`` CSS pixels wide, mounted; no error may come up in it."""
    picture = png_bytes(draw_lines(["a chart"], width=WIDTH).resize((WIDTH, HEIGHT)))

    def serve(route: Route) -> None:
        route.fulfill(body=picture, content_type="image/png")

    points = Points(chart)
    body = f'<main style="width: {width}px"><div class="points"></div></main>'
    viewport = {"width": max(width + 40, 390), "height": 900}
    with alone.component_page(
        browser, script=SCRIPT, style=asset("point_editor.css"), body=body, serve=serve, viewport=viewport
    ) as points.page:
        points.page.expose_function("toServer", points.take)
        points.give()
        yield points
