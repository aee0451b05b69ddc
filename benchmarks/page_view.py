"""Figures of the page view for ``benchmarks.ui``: how soon it shows what a person does, and how exact regions are."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from typing import Any

from PIL import Image, ImageDraw
from playwright.sync_api import Browser, Locator, Page, expect

from mineru_core.ui.i18n import Translator

PAGES = 60
WAIT_MS = 60_000
ZOOMS, TURNS, RATIOS = (0.5, 1, 2, 4), (0, 1, 2, 3), (1, 2, 3)
EN = Translator("en")

# From the strip's first frame to that in which its first small picture, and every one in sight, stands there.
_STRIP = """() => {
  const find = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.classList?.contains("strip")) return element;
      const found = element.shadowRoot && find(element.shadowRoot);
      if (found) return found;
    }
    return null;
  };
  window.measured = new Promise((done) => {
    let [began, first] = [0, 0];
    const look = () => {
      const strip = find(document);
      const thumbs = strip ? [...strip.children] : [];
      const now = performance.now();
      if (thumbs.length > 1) began = began || now;
      const edge = strip ? strip.getBoundingClientRect().right : 0;
      const seen = thumbs.filter((thumb) => thumb.getBoundingClientRect().left < edge);
      if (began && seen.some((thumb) => thumb.classList.contains("loaded"))) first = first || now;
      if (first && seen.every((thumb) => thumb.classList.contains("loaded"))) done([first - began, now - began]);
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
}"""

# Marks a small box in the middle of the page; the box.
_MARK = """(root) => {
  const { view } = root;
  const [x, y] = [view.size.width / 2, view.size.height / 2].map(Math.round);
  const box = [x, y, x + 40, y + 30];
  view.layers.light(box);
  return box;
}"""

# From the press of the pointer to the frame after which the place is marked in the picture.
_PLACE = """(view) => {
  const place = view.querySelector(".place");
  place.hidden = true;
  window.measured = new Promise((done) => document.addEventListener("click", (event) => {
    const wait = () => {
      if (place.hidden) return requestAnimationFrame(wait);
      requestAnimationFrame(() => {
        const painted = new MessageChannel();
        painted.port1.onmessage = () => done(performance.now() - event.timeStamp);
        painted.port2.postMessage(0);
      });
    };
    wait();
  }, { capture: true, once: true }));
}"""


def all_times(page: Page, url: str, runs: int) -> dict[str, list[float]]:
    """Every time (milliseconds) and error (pixels), by the name of its figure, from the app at ``url``."""
    browser = page.context.browser
    assert browser is not None
    page.goto(url)
    page.get_by_role("button", name=EN("sample.try")).click()
    expect(page.locator("button.block").first).to_be_visible()
    found = {"place_to_highlight_ms": place_times(page, runs), "region_error_px": list(region_errors(browser, page))}
    page.goto(url)
    page.locator(".zone input.pick").set_input_files(
        {"name": "long.pdf", "mimeType": "application/pdf", "buffer": long_document()}
    )
    page.locator(".st-key-act-text button").click()
    page.get_by_role("button", name=EN("progress.cancel")).click()  # its pages are shown, read or not
    expect(page.get_by_text(EN("job.cancelled"))).to_be_visible()
    first, seen = strip_times(browser, page, runs)
    return {**found, "thumbnails_first_paint_ms": first, "thumbnails_in_sight_ms": seen}


def place_times(page: Page, runs: int) -> list[float]:
    """Milliseconds from a click on a cell of the answer's table until its place is marked on the page, each time."""
    view = page.locator(".st-key-picture_pane .view")
    cells = page.locator("[data-wb-table] td").filter(visible=True)
    times = []
    for number in range(runs):
        view.evaluate(_PLACE)
        cells.nth(number % 12).click()
        times.append(float(found_in(page)))
    return times


def found_in(page: Page) -> Any:
    """What the script in the page has measured, waited for. Raises Playwright's ``Error`` where it never comes."""
    return page.evaluate(
        """(wait) => Promise.race([
          window.measured,
          new Promise((_, fail) => setTimeout(() => fail(new Error("nothing was shown")), wait)),
        ])""",
        WAIT_MS,
    )


def strip_times(browser: Browser, page: Page, runs: int) -> tuple[list[float], list[float]]:
    """Milliseconds from the first frame of the strip of ``PAGES`` small pictures until the first is there, and until
    all in sight are; the document is opened by a new browser each time. ``page`` shows the document."""
    first, seen = [], []
    for _ in range(runs):
        context = browser.new_context(
            storage_state=page.context.storage_state(), viewport={"width": 1280, "height": 900}
        )
        again = context.new_page()
        again.add_init_script(f"({_STRIP})()")
        again.goto(page.url)
        one, all_of_them = found_in(again)
        first.append(float(one))
        seen.append(float(all_of_them))
        context.close()
    return first, seen


def region_errors(browser: Browser, page: Page) -> Iterator[float]:
    """How far a region that is dragged over a mark of 40 by 30 pixels lies from it, in pixels of the page: the worst
    edge, at each zoom, turn and pixel ratio, the picture scrolled. ``page`` shows the document. Where the browser has
    painted the mark says where it is."""
    for ratio in RATIOS:
        with again_at(browser, page, ratio) as other:
            other.locator('[data-tool="region"]').click()
            view = other.locator(".view")
            truth: list[float] = view.evaluate(_MARK)
            for zoom, turns in product(ZOOMS, TURNS):
                view.evaluate(
                    "(root, [zoom, turns]) => { root.view.rotate((turns - root.view.turns + 4) % 4);"
                    " root.view.setZoom(zoom); }",
                    [zoom, turns],
                )
                drawn = drag_over(other, other.locator(".place"))
                yield max(abs(a - b) for a, b in zip(drawn, truth, strict=True))


def drag_over(page: Page, mark: Locator) -> list[float]:
    """The box of the region that is dragged over the mark, which is scrolled into the middle."""
    mark.evaluate("mark => mark.scrollIntoView({ block: 'center', inline: 'center' })")
    box = mark.bounding_box()
    assert box is not None
    page.mouse.move(box["x"], box["y"])
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"], box["y"] + box["height"], steps=3)
    page.mouse.up()
    view = page.locator(".view")
    regions: list[dict[str, Any]] = view.evaluate("root => root.view.regions.all")
    view.evaluate("root => root.view.regions.change([])")
    drawn: list[float] = regions[-1]["box"]
    return drawn


@contextmanager
def again_at(browser: Browser, page: Page, ratio: int) -> Iterator[Page]:
    """The same document in a browser of that pixel ratio."""
    context = browser.new_context(
        storage_state=page.context.storage_state(),
        viewport={"width": 1280, "height": 900},
        device_scale_factor=ratio,
    )
    other = context.new_page()
    other.goto(page.url)
    expect(other.locator("button.block").first).to_be_visible()
    yield other
    context.close()


def long_document() -> bytes:
    """A PDF of ``PAGES`` scanned pages at 200 dpi, a large number on each."""
    pages = []
    for number in range(1, PAGES + 1):
        page = Image.new("L", (1654, 2339), 255)
        ImageDraw.Draw(page).text((300, 300), str(number), fill=0, font_size=400)
        pages.append(page)
    out = io.BytesIO()
    pages[0].save(out, "PDF", save_all=True, append_images=pages[1:], resolution=200)
    return out.getvalue()
