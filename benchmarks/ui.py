"""How soon the browser app shows what a person does, in a real Chromium with the real server.

    python -m benchmarks.ui [--runs 30] [--quick] [--json FILE]

The built-in sample is read and its table opened in the grid editor; for the figures of large tables, 2,000 rows of 50
columns are pasted into it. Each time runs from the person's key or press, as the browser has noted it, to the first
frame after which the screen shows what came of it. ``--json`` writes flat name → number, milliseconds:
``click_to_highlight_ms`` (a press on a cell of the sample's table until it is marked), ``edit_to_visible_ms`` (the
Enter key that ends the editing of a cell until its new text stands there), ``large_click_to_highlight_ms`` and
``large_edit_to_visible_ms`` (the same in the large table), ``large_scroll_frame_ms`` (from frame to frame while the
large table is scrolled), ``place_to_highlight_ms`` (a click on a cell of the answer until its place is marked on the
page picture), ``thumbnails_first_paint_ms`` and ``thumbnails_in_sight_ms`` (the strip of 60 pages, opened by a browser
that keeps nothing, until its first small picture, and all in sight, stand there): the 95th percentile of ``--runs``
times, of the scrolling of all frames. ``region_error_px`` is how far a region's edges lie from what it was dragged
around, in pixels of the page: the worst of zoom 0.5 to 4, all turns and pixel ratios 1 to 3. ``--quick`` takes 5 times
each. Needs the packages of the dependency group ``dev``, the weights and Chromium.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import ceil
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from benchmarks import page_view
from benchmarks.chromium import chromium
from benchmarks.figures import tell_figures
from benchmarks.server import served
from mineru_core.ui.i18n import Translator

ROWS, COLS = 2000, 50
QUICK_RUNS = 5
EN = Translator("en")

# From the event of that kind to the frame after which the element shows what is waited for.
_WATCH = """(grid, [kind, place, look, text]) => {
  const shows = () => {
    const cell = grid.querySelector(`[data-place="${place}"]`);
    return cell && (look ? cell.classList.contains(look) : cell.textContent === text);
  };
  window.measured = new Promise((done) => {
    const begin = (event) => {
      const wait = () => {
        if (!shows()) return requestAnimationFrame(wait);
        requestAnimationFrame(() => {
          const painted = new MessageChannel();
          painted.port1.onmessage = () => done(performance.now() - event.timeStamp);
          painted.port2.postMessage(0);
        });
      };
      wait();
    };
    window.addEventListener(kind, begin, { capture: true, once: true });
  });
}"""
_PASTE = """(field, text) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true, composed: true }));
}"""
_SCROLL = """(frame, steps) => new Promise((done) => {
  const times = [];
  let last = 0;
  const step = (now) => {
    if (last) times.push(now - last);
    last = now;
    frame.scrollTop += 400;
    if (times.length < steps) requestAnimationFrame(step);
    else done(times);
  };
  requestAnimationFrame(step);
})"""


def click_to_highlight_ms(grid: Locator, runs: int) -> float:
    """A press on a cell until it is marked, over the cells in sight."""
    return percentile_95([measured(grid, "pointerdown", cell, cell.click, look="active") for cell in cells(grid, runs)])


def edit_to_visible_ms(grid: Locator, runs: int) -> float:
    """The key that ends the editing of a cell until its new text stands there."""
    times = []
    for number, cell in enumerate(cells(grid, runs)):
        cell.dblclick()
        expect(field_of(grid)).to_have_class(re.compile("open"))
        field_of(grid).fill(f"text {number}")
        times.append(measured(grid, "keydown", cell, lambda: grid.page.keyboard.press("Enter"), text=f"text {number}"))
    return percentile_95(times)


def scroll_frame_ms(grid: Locator, runs: int) -> float:
    """From frame to frame while the table is scrolled by 400 pixels in each."""
    times: list[float] = grid.locator("xpath=..").evaluate(_SCROLL, 10 * runs)
    return percentile_95(times)


def measured(
    grid: Locator, kind: str, cell: Locator, act: Callable[[], None], *, look: str = "", text: str = ""
) -> float:
    """Milliseconds from the event that ``act`` causes until the cell has the class ``look``, or else the ``text``."""
    place = cell.get_attribute("data-place")
    grid.evaluate(_WATCH, [kind, place, look, text])
    act()
    return float(page_view.found_in(grid.page))


def cells(grid: Locator, count: int) -> Iterator[Locator]:
    """So many of the cells that are wholly in sight, by turns; never the one that is active already."""
    places: list[str] = grid.evaluate(
        """(grid) => {
          const frame = grid.parentElement.getBoundingClientRect();
          return [...grid.querySelectorAll(".cell:not(.active)")].filter((cell) => {
            const box = cell.getBoundingClientRect();
            const [top, bottom] = [Math.max(frame.top, 0), Math.min(frame.bottom, innerHeight - 160)];
            return box.top >= top && box.bottom <= bottom && box.left >= frame.left && box.right <= frame.right;
          }).map((cell) => cell.dataset.place);
        }"""
    )
    for number in range(count):
        yield grid.locator(f'[data-place="{places[number % len(places)]}"]')


def field_of(grid: Locator) -> Locator:
    """The field in which a cell is edited."""
    return grid.locator("xpath=../textarea")


def open_sample(page: Page, url: str) -> Locator:
    """The grid editor with the table of the built-in sample."""
    page.goto(url)
    page.get_by_role("button", name=EN("sample.try")).click()
    expect(page.locator(".wb-facts")).to_be_visible()
    answer = page.get_by_role("tabpanel").first
    answer.get_by_text(EN("table.edit"), exact=True).click()
    grid = answer.get_by_role("grid")
    expect(grid).to_be_visible()
    return grid


def fill(grid: Locator) -> None:
    """Paste the large table over the one in the editor, from its first cell on."""
    lines = ["\t".join(f"{row} {col}" for col in range(COLS)) for row in range(ROWS)]
    grid.locator("[data-place]").first.click()
    field_of(grid).evaluate(_PASTE, "\n".join(lines))
    expect(grid).to_have_attribute("aria-rowcount", str(ROWS))


def percentile_95(times: Sequence[float]) -> float:
    """The nearest-rank 95th percentile."""
    return sorted(times)[ceil(0.95 * len(times)) - 1]


def run(runs: int) -> dict[str, float]:
    """All figures, by name."""
    with served() as (url, _), chromium_page() as page:
        # The page view first: corrections stay with the document, and what is pasted below has no place on its page.
        figures: dict[str, float] = {}
        for name, values in page_view.all_times(page, url, runs).items():
            figures[name] = max(values) if name.endswith("_px") else percentile_95(values)
        grid = open_sample(page, url)
        figures["click_to_highlight_ms"] = click_to_highlight_ms(grid, runs)
        figures["edit_to_visible_ms"] = edit_to_visible_ms(grid, runs)
        fill(grid)
        figures["large_click_to_highlight_ms"] = click_to_highlight_ms(grid, runs)
        figures["large_edit_to_visible_ms"] = edit_to_visible_ms(grid, runs)
        figures["large_scroll_frame_ms"] = scroll_frame_ms(grid, runs)
    return {name: round(value, 1) for name, value in figures.items()}


@contextmanager
def chromium_page() -> Iterator[Page]:
    """A page of a new visitor, 1280 by 900."""
    with chromium() as browser:
        page = browser.new_page(locale="en-US", viewport={"width": 1280, "height": 900})
        page.set_default_timeout(page_view.WAIT_MS)
        expect.set_options(timeout=page_view.WAIT_MS)
        yield page


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print, write. Returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args(arguments)
    figures = run(QUICK_RUNS if chosen.quick else chosen.runs)
    tell_figures(figures, chosen.json, width=32, form="8.1f")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
