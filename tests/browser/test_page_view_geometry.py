"""The arithmetic of the page view: places on the page and on the screen, and what becomes of regions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page

from mineru_core.ui.setup import asset

pytestmark = pytest.mark.browser

SIDES = st.integers(50, 5000)
PAGES = st.fixed_dictionaries({"width": SIDES, "height": SIDES})
TURNS = st.integers(0, 3)
ZOOMS = st.floats(0.5, 4)
SHARES = st.floats(0, 1)
SHIFTS = st.floats(-3000, 3000)


@pytest.fixture(scope="module")
def blank(browser: Browser) -> Iterator[Page]:
    """A page that has the arithmetic alone."""
    page = browser.new_page()
    page.add_script_tag(content=asset("page_view_geometry.js"))
    yield page
    page.close()


def rect_of(page: dict[str, Any], turns: int, zoom: float, left: float, top: float) -> dict[str, float]:
    across, down = (page["height"], page["width"]) if turns % 2 else (page["width"], page["height"])
    return {"left": left, "top": top, "width": across * zoom, "height": down * zoom}


@given(PAGES, TURNS, ZOOMS, SHIFTS, SHIFTS, SHARES, SHARES)
def test_to_the_screen_and_back_is_the_same_place(
    blank: Page, page: dict[str, int], turns: int, zoom: float, left: float, top: float, u: float, v: float
) -> None:
    point = [u * page["width"], v * page["height"]]
    rect = rect_of(page, turns, zoom, left, top)
    there, back = blank.evaluate(
        """([point, page, turns, rect]) => {
          const there = toScreen(point, page, turns, rect);
          return [there, toPage(there, page, turns, rect)];
        }""",
        [point, page, turns, rect],
    )
    assert back == pytest.approx(point, abs=1e-6)
    assert rect["left"] - 1e-6 <= there[0] <= rect["left"] + rect["width"] + 1e-6
    assert rect["top"] - 1e-6 <= there[1] <= rect["top"] + rect["height"] + 1e-6


@pytest.mark.parametrize(
    ("turns", "corner"), [(0, (0, 0)), (1, (200, 0)), (2, (100, 200)), (3, (0, 100))]
)  # where the page's upper left corner lies on the screen, at zoom 1
def test_turns_are_clockwise(blank: Page, turns: int, corner: tuple[float, float]) -> None:
    page = {"width": 100, "height": 200}
    rect = rect_of(page, turns, 1, 0, 0)
    assert blank.evaluate("(args) => toScreen(...args)", [[0, 0], page, turns, rect]) == list(corner)


@given(PAGES, TURNS, ZOOMS, st.integers(-40, 40), st.integers(-40, 40))
def test_a_step_on_the_screen_is_the_same_step_on_the_page(
    blank: Page, page: dict[str, int], turns: int, zoom: float, dx: int, dy: int
) -> None:
    rect = rect_of(page, turns, zoom, 0, 0)
    step, there = blank.evaluate(
        """([page, turns, rect, step, zoom]) => {
          const [ax, ay] = toPage([0, 0], page, turns, rect);
          const [bx, by] = toPage(step, page, turns, rect);
          return [stepOnPage(step, turns).map((value) => value / zoom), [bx - ax, by - ay]];
        }""",
        [page, turns, rect, [dx, dy], zoom],
    )
    assert step == pytest.approx(there, abs=1e-6)


@given(PAGES, st.lists(SHIFTS, min_size=4, max_size=4), SHIFTS, SHIFTS)
def test_a_region_stays_on_the_page_and_a_moved_one_keeps_its_size(
    blank: Page, page: dict[str, int], ends: list[float], dx: float, dy: float
) -> None:
    box, after, pulled = blank.evaluate(
        """([page, ends, step]) => {
          const box = between(ends.slice(0, 2), ends.slice(2), page);
          return [box, moved(box, step, page), resized(box, "se", step, page)];
        }""",
        [page, ends, [dx, dy]],
    )
    for x0, y0, x1, y1 in (box, after, pulled):
        assert 0 <= x0 <= x1 <= page["width"]
        assert 0 <= y0 <= y1 <= page["height"]
    assert (after[2] - after[0], after[3] - after[1]) == pytest.approx((box[2] - box[0], box[3] - box[1]), abs=0.11)


@pytest.mark.parametrize(
    ("handle", "expected"),
    [
        ("nw", [15, 30, 60, 80]),
        ("n", [10, 30, 60, 80]),
        ("e", [10, 20, 65, 80]),
        ("se", [10, 20, 65, 90]),
        ("sw", [15, 20, 60, 90]),
    ],
)
def test_a_handle_moves_its_own_edges(blank: Page, handle: str, expected: list[float]) -> None:
    page = {"width": 100, "height": 100}
    assert blank.evaluate("(args) => resized(...args)", [[10, 20, 60, 80], handle, [5, 10], page]) == expected


def test_an_edge_pulled_past_its_opposite_takes_that_ones_part(blank: Page) -> None:
    page = {"width": 100, "height": 100}
    assert blank.evaluate("(args) => resized(...args)", [[10, 20, 60, 80], "w", [70, 0], page]) == [60, 20, 80, 80]


@given(PAGES, TURNS, st.integers(60, 3000), st.integers(60, 3000))
def test_a_page_that_fits_lies_in_the_room(
    blank: Page, page: dict[str, int], turns: int, width: int, height: int
) -> None:
    whole, across = blank.evaluate(
        "([page, turns, room]) => [fitZoom(page, turns, room, true), fitZoom(page, turns, room, false)]",
        [page, turns, {"width": width, "height": height}],
    )
    size = (page["height"], page["width"]) if turns % 2 else (page["width"], page["height"])
    assert whole <= across
    if whole > 0.05:
        assert size[0] * whole <= width + 1e-6
        assert size[1] * whole <= height + 1e-6


@given(SIDES, st.floats(0.05, 8), st.sampled_from([1, 1.25, 1.5, 2, 3]))
def test_the_picture_is_sharp_and_bounded(blank: Page, side: int, zoom: float, ratio: float) -> None:
    width = blank.evaluate("(args) => pictureWidth(...args)", [{"width": side, "height": 10}, zoom, ratio])
    assert 240 <= width <= 4000
    assert width >= min(side * zoom * ratio, side, 4000) - 1


def test_round_zooms_go_up_and_down_and_end(blank: Page) -> None:
    steps = blank.evaluate(
        """() => {
          const seen = [0.37];
          for (let n = 0; n < 20; n++) seen.push(stepZoom(seen.at(-1), 1));
          for (let n = 0; n < 30; n++) seen.push(stepZoom(seen.at(-1), -1));
          return seen;
        }"""
    )
    assert steps[1] == 0.5
    assert max(steps) == 8
    assert steps[-1] == 0.05


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 3)), min_size=1, max_size=6))
def test_cells_are_placed_beside_the_spans_before_them(blank: Page, spans: list[tuple[int, int]]) -> None:
    row = [{"rowSpan": tall, "colSpan": wide} for tall, wide in spans]
    (first, second) = blank.evaluate("(rows) => cellPlaces(rows)", [row, [{"rowSpan": 1, "colSpan": 1}]])
    starts = [sum(wide for _, wide in spans[:at]) for at in range(len(spans))]
    assert first == [[0, start] for start in starts]
    covered = {start + n for start, (tall, wide) in zip(starts, spans, strict=True) if tall > 1 for n in range(wide)}
    assert second == [[1, min(set(range(len(covered) + 1)) - covered)]]
