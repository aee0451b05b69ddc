"""The page view in the app, with the real server and the embedded engine."""

from __future__ import annotations

import re

import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from mineru_core.ui.i18n import Translator
from tests.browser.conftest import CheckAccess, OpenPage, upload
from tests.browser.test_analyse import answer, ask, blocks
from tests.documents import EN_LINES, draw_lines, png_bytes, scanned_pdf

pytestmark = [pytest.mark.browser, pytest.mark.models]

EN, ZH = Translator("en"), Translator("zh")


def tool(page: Page, name: str) -> Locator:
    return page.locator(f'[data-tool="{name}"]')


def regions(page: Page) -> Locator:
    return page.locator(".regions .region")


def drag_over_line(page: Page, picture: Image.Image, number: int) -> None:
    """Draw a rectangle around one line of ``draw_lines(size=32, margin=40)``."""
    sheet = page.locator(".st-key-picture_pane .sheet")
    sheet.scroll_into_view_if_needed()
    box = sheet.bounding_box()
    assert box is not None
    scale = box["width"] / picture.width
    top = 40 + 56 * number
    corners = [(20, top - 6), (picture.width - 20, top + 46)]
    (x0, y0), (x1, y1) = [(box["x"] + x * scale, box["y"] + y * scale) for x, y in corners]
    page.mouse.move(x0, y0)
    page.mouse.down()
    page.mouse.move(x1, y1, steps=6)
    page.mouse.up()


def test_regions_limit_the_answer(open_page: OpenPage) -> None:
    page = open_page()
    picture = draw_lines(EN_LINES, size=32, margin=40)
    upload(page, "lines.png", png_bytes(picture))
    ask(page, "all text")
    expect(answer(page).locator(".wb-text")).to_contain_text(EN_LINES[0])

    expect(blocks(page).first).to_be_visible()
    tool(page, "region").click()
    expect(page.locator(".pill")).to_contain_text(EN("view.region_hint"))
    ask(page, "all text")  # nothing was drawn: the tool is off again and can be turned on
    expect(tool(page, "region")).to_have_attribute("aria-pressed", "false")
    expect(page.locator(".wb-facts")).not_to_contain_text(EN("result.region", page=1))
    expect(blocks(page).first).to_be_visible()

    tool(page, "region").click()
    drag_over_line(page, picture, 0)
    drag_over_line(page, picture, 2)
    expect(page.locator(".pill")).to_contain_text(EN("view.region_many").replace("#", "2").replace("%", "1"))
    ask(page, "all text")
    expect(page.locator(".wb-facts")).to_contain_text(EN("result.region", page=1))
    text = answer(page).locator(".wb-text")
    expect(text).to_contain_text(EN_LINES[2])
    expect(text).not_to_contain_text(EN_LINES[1])
    expect(text).to_contain_text(EN_LINES[0])
    expect(regions(page)).to_have_count(2)

    page.get_by_role("button", name=EN("view.region_clear")).click()
    expect(regions(page)).to_have_count(0)
    ask(page, "all text")
    expect(page.locator(".wb-facts")).not_to_contain_text(EN("result.region", page=1))
    expect(answer(page).locator(".wb-text")).to_contain_text(EN_LINES[1])


def test_what_is_marked_free_hand_is_a_region(open_page: OpenPage) -> None:
    page = open_page()
    upload(page, "lines.png", png_bytes(draw_lines(EN_LINES, size=32, margin=40)))
    ask(page, "all text")
    expect(blocks(page).first).to_be_visible()
    page.get_by_text(EN("view.freehand")).click()
    canvas = page.locator(".st-key-picture_pane canvas").last
    expect(canvas).to_be_visible()
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 40, box["y"] + 30)
    page.mouse.down()
    for x, y in ((240, 24), (250, 80), (60, 90), (42, 32)):
        page.mouse.move(box["x"] + x, box["y"] + y, steps=4)
    page.mouse.up()
    expect(page.get_by_text(EN("view.freehand_count.one"))).to_be_visible()
    page.get_by_text(EN("view.freehand"), exact=True).click()
    expect(regions(page)).to_have_count(1)


def test_a_cell_and_its_place_point_at_each_other(open_page: OpenPage) -> None:
    page = open_page()
    page.get_by_role("button", name=EN("sample.try")).click()
    table = answer(page).locator("table")
    cell = table.locator("td, th").filter(has_text=re.compile("^3,757$"))
    expect(blocks(page).first).to_be_visible()
    cell.click()
    place = page.locator(".st-key-picture_pane .place")
    expect(place).to_be_in_viewport()
    box = place.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert cell.evaluate("cell => cell.getAnimations().length") == 1


def test_a_hit_shows_its_place_by_the_keyboard_on_whatever_page(open_page: OpenPage) -> None:
    page = open_page()
    pages = [draw_lines(EN_LINES, size=32), draw_lines(["Nothing here", "Stapler in sight"], size=32)]
    upload(page, "two.pdf", scanned_pdf(pages))
    ask(page, 'find "Stapler"')
    hit = answer(page).locator(".wb-place").first
    expect(hit).to_be_visible()
    expect(page.locator(".bar .page")).to_have_text("2 / 2")
    page.locator(".strip .thumb").first.click()
    expect(page.locator(".bar .page")).to_have_text("1 / 2")
    hit.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".bar .page")).to_have_text("2 / 2")
    expect(page.locator(".st-key-picture_pane .place")).to_be_in_viewport()
    page.reload()
    expect(page.locator(".bar .page")).to_have_text("2 / 2")


@pytest.mark.parametrize(("locale", "t", "width"), [("en-US", EN, 1280), ("zh-CN", ZH, 390)])
def test_nothing_bars_the_way_and_every_string_is_translated(
    open_page: OpenPage, axe: CheckAccess, locale: str, t: Translator, width: int
) -> None:
    page = open_page(locale=locale, width=width)
    page.get_by_role("button", name=t("sample.try")).click()
    expect(answer(page).locator("table")).to_be_visible()
    expect(blocks(page).first).to_be_visible()
    tool(page, "layers").click()
    page.get_by_label(t("view.layer_heat"), exact=True).check()
    axe(page)
    shown = page.locator(".st-key-picture_pane .bar").inner_text() + page.locator(".legend").inner_text()
    assert bool(re.search(r"[\u4e00-\u9fff]", shown)) == (t is ZH)
    assert page.get_by_test_id("stMain").evaluate("element => element.scrollWidth <= element.clientWidth")
