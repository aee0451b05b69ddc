"""The page view without the app: regions to the pixel, keys, layers, the answer beside it, pages of long documents."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from mineru_core.document.geometry import Box
from mineru_core.ui.components.page_view import view_words
from mineru_core.ui.i18n import Translator
from tests.browser.conftest import CheckAccess
from tests.browser.view_alone import HEIGHT, WIDTH, View, block, boxes, view_alone

pytestmark = pytest.mark.browser

WORDS = view_words(Translator("en"))
PLACE = Box(411, 623, 487, 691)
HOSTILE = "<img src=x onerror=alert(1)> \"'"
TABLE = boxes(
    blocks=[block(Box(50, 60, 500, 90)), block(Box(40, 500, 860, 900), "2 × 2", "table", 2)],
    lines=[[50, 60, 500, 60, 500, 90, 50, 90, 60, HOSTILE]],
    cells=[
        [0, 0, 0, 40, 500, 450, 700, 99, "a"],
        [0, 0, 1, 450, 500, 860, 700, 99, "b"],
        [0, 1, 0, 40, 700, 450, 900, 40, "c"],
        [0, 1, 1, 450, 700, 860, 900, 99, "d"],
    ],
)


@pytest.fixture
def view(browser: Browser) -> Iterator[View]:
    with view_alone(browser, {1: TABLE}) as found:
        expect(found.page.locator("button.block")).to_have_count(2)
        yield found


def tool(page: Page, name: str) -> Locator:
    return page.locator(f'[data-tool="{name}"]')


def drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    page.mouse.move(*end)
    page.mouse.up()


def middle(place: Locator) -> tuple[float, float]:
    box = place.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def last_region(view: View) -> Box:
    return Box(*view.sent("regions")[-1][-1][1:])


@pytest.mark.parametrize("ratio", [1, 2, 3])
def test_a_region_is_exact_to_a_pixel_at_any_zoom_turn_scroll_and_pixel_ratio(browser: Browser, ratio: int) -> None:
    with view_alone(browser, {1: boxes(blocks=[block(PLACE)])}, device_scale_factor=ratio) as view:
        page = view.page
        shown = page.locator("button.block")
        tool(page, "region").click()
        for zoom in (0.5, 1, 2, 4):
            for turns in range(4):
                view.set_up(zoom, turns)
                shown.evaluate("block => block.scrollIntoView({ block: 'center', inline: 'center' })")
                # Where the browser has painted it says what is right: nothing of the arithmetic is asked.
                place = shown.bounding_box()
                assert place is not None
                corner = (place["x"], place["y"])
                drag(page, corner, (corner[0] + place["width"], corner[1] + place["height"]))
                assert last_region(view) == pytest.approx(PLACE, abs=1), (zoom, turns)
                page.get_by_role("button", name=WORDS["region_clear"]).click()


def test_regions_are_moved_resized_and_deleted(view: View) -> None:
    page = view.page
    tool(page, "region").click()
    view.set_up(0.5)
    sheet = page.locator(".sheet").bounding_box()
    assert sheet is not None
    left, top = sheet["x"], sheet["y"]
    drag(page, (left + 50, top + 100), (left + 150, top + 200))
    drag(page, (left + 200, top + 100), (left + 300, top + 200))
    assert len(view.sent("regions")[-1]) == 2
    expect(page.locator(".pill")).to_contain_text("2 regions on page 1")
    drag(page, (left + 250, top + 150), (left + 260, top + 170))  # from its middle
    assert last_region(view) == pytest.approx(Box(420, 240, 620, 440), abs=1)
    drag(page, (left + 310, top + 220), (left + 330, top + 250))  # from its corner
    assert last_region(view) == pytest.approx(Box(420, 240, 660, 500), abs=1)
    drag(page, (left + 270, top + 180), (left + 900, top + 180))  # it stays on the page
    assert last_region(view)[2] == WIDTH
    page.get_by_role("button", name=WORDS["region_delete"]).first.click()
    assert len(view.sent("regions")[-1]) == 1
    drag(page, (left + 20, top + 20), (left + 22, top + 21))
    expect(page.locator(".pill")).to_contain_text(WORDS["region_small"])
    assert len(view.sent("regions")[-1]) == 1


def test_regions_by_keys_alone(view: View) -> None:
    page = view.page
    tool(page, "region").focus()
    page.keyboard.press("Enter")
    expect(tool(page, "region")).to_have_attribute("aria-pressed", "true")
    page.locator(".stage").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".regions .region")).to_be_focused()
    first = last_region(view)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Control+ArrowDown")
    assert last_region(view) == pytest.approx(Box(*first).shifted(1, 10), abs=0.1)
    page.keyboard.press("Shift+ArrowRight")
    assert last_region(view).width == pytest.approx(first.width + 1, abs=0.11)
    page.keyboard.press("r")
    page.keyboard.press("ArrowDown")  # down on the screen, which is to the right on a page turned clockwise
    assert last_region(view).x0 == pytest.approx(first.x0 + 2, abs=0.11)
    expect(page.locator(".regions .region")).to_be_focused()
    page.keyboard.press("Delete")
    assert view.sent("regions")[-1] == []
    page.keyboard.press("Escape")
    expect(tool(page, "region")).to_have_attribute("aria-pressed", "false")


def test_nothing_on_the_page_moves_when_regions_come_and_go(view: View) -> None:
    page = view.page
    stage = page.locator(".stage")
    before = stage.bounding_box()
    tool(page, "region").click()
    expect(page.locator(".pill")).to_contain_text(WORDS["region_hint"])
    assert stage.bounding_box() == before
    assert before is not None
    drag(page, (before["x"] + 90, before["y"] + 90), (before["x"] + 200, before["y"] + 200))
    expect(page.locator(".pill")).to_contain_text(WORDS["region_one"].replace("%", "1"))
    assert stage.bounding_box() == before


def test_a_new_question_turns_the_tool_off_and_keeps_the_regions(view: View) -> None:
    page = view.page
    tool(page, "region").click()
    view.give(job="next", regions=((1, 10, 20, 110, 220),))
    expect(tool(page, "region")).to_have_attribute("aria-pressed", "false")
    expect(page.locator(".regions .region")).to_have_count(1)
    tool(page, "region").click()
    expect(tool(page, "region")).to_have_attribute("aria-pressed", "true")
    view.give(draw=1)
    view.give(draw=0)
    expect(tool(page, "region")).to_have_attribute("aria-pressed", "true")


def test_what_the_server_had_before_a_change_does_not_undo_it(view: View) -> None:
    page = view.page
    view.give(regions=((1, 10, 20, 110, 220),))
    page.locator(".regions .region").focus()
    page.keyboard.press("ArrowRight")
    view.give()  # a run that began before
    assert (
        page.locator(".regions .region").get_attribute("aria-label") == f"1: 11, 20, 100 × 200. {WORDS['region_keys']}"
    )
    view.give(regions=((1, 11, 20, 111, 220),))
    view.give(regions=())
    expect(page.locator(".regions .region")).to_have_count(0)


def test_zoom_keeps_what_is_under_the_pointer(view: View) -> None:
    page = view.page
    at = middle(page.locator("button.block").nth(1))
    page.mouse.move(*at)
    under = "([x, y]) => document.querySelector('.view').view.pointOf({ clientX: x, clientY: y })"
    before = page.evaluate(under, list(at))
    page.keyboard.down("Control")
    for _ in range(6):
        page.mouse.wheel(0, -100)
    page.keyboard.up("Control")
    page.wait_for_function("document.querySelector('.view').view.zoom > 1.5")
    assert page.evaluate(under, list(at)) == pytest.approx(before, abs=4)


def test_keys_zoom_fit_and_turn(view: View) -> None:
    page = view.page
    page.locator(".stage").focus()
    for key, shown in (("1", "100%"), ("+", "125%"), ("-", "100%"), ("-", "80%")):
        page.keyboard.press(key)
        expect(tool(page, "original")).to_have_text(shown)
    page.keyboard.press("0")
    sheet, stage = page.locator(".sheet").bounding_box(), page.locator(".stage").bounding_box()
    assert sheet is not None
    assert stage is not None
    assert stage["width"] - 70 < sheet["width"] < stage["width"]
    page.keyboard.press("r")
    turned = page.locator(".sheet").bounding_box()
    assert turned is not None
    assert turned["width"] / turned["height"] == pytest.approx(HEIGHT / WIDTH, rel=0.01)
    expect(page.get_by_role("status")).to_have_text(WORDS["turned"].replace("%", "90"))


def test_a_drag_moves_the_page_and_is_no_click(view: View) -> None:
    page = view.page
    page.evaluate("document.addEventListener('workbench:picked', () => window.sent.push(['picked', 1]))")
    view.set_up(2)
    before = page.locator(".stage").evaluate("stage => [stage.scrollLeft, stage.scrollTop]")
    x, y = middle(page.locator(".stage"))
    drag(page, (x, y), (x - 60, y - 80))
    after = page.locator(".stage").evaluate("stage => [stage.scrollLeft, stage.scrollTop]")
    assert (after[0] - before[0], after[1] - before[1]) == (60, 80)
    assert view.sent("picked") == []


def test_a_sharper_picture_is_asked_for_when_it_is_needed(browser: Browser) -> None:
    with view_alone(browser) as view:
        view.page.wait_for_function("document.querySelector('.picture').naturalWidth > 0")

        def widths() -> set[int]:
            return {int(path.split("w=")[1]) for path in view.asked if "/ui/pages/" in path}

        assert max(widths()) == 800
        with view.page.expect_response(re.compile(r"/ui/pages/job/1\?w=1200")):
            view.set_up(4)
        assert max(widths()) == 1200  # the page has 900 pixels across, and no more


def test_layers_show_lines_cells_order_and_confidence(view: View) -> None:
    page = view.page
    tool(page, "layers").click()
    menu = page.get_by_role("group", name=WORDS["layers"])
    expect(page.locator("path.cell")).to_have_count(0)
    for name in ("lines", "cells", "heat"):
        menu.get_by_label(WORDS[f"layer_{name}"], exact=True).check()
    expect(page.locator("path.line")).to_have_count(1)
    expect(page.locator("path.cell")).to_have_count(1)
    assert page.locator("path.heat").count() == 2
    hatched = page.locator("path.doubtful").get_attribute("d") or ""
    assert hatched.count("M") == 2  # the doubtful line and the doubtful cell; not by colour alone
    expect(page.locator(".legend")).to_contain_text(WORDS["doubtful"])
    expect(page.locator(".number").first).to_be_visible()
    menu.get_by_label(WORDS["layer_order"], exact=True).uncheck()
    expect(page.locator(".number").first).to_be_hidden()
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    expect(tool(page, "layers")).to_be_focused()


def test_recognised_text_stays_text(view: View) -> None:
    page = view.page
    tool(page, "layers").click()
    page.get_by_label(WORDS["layer_lines"], exact=True).check()
    tool(page, "layers").click()
    page.mouse.move(*middle(page.locator("button.block").first))
    expect(page.locator(".tip")).to_contain_text("<img src=x onerror=alert(1)>")
    expect(page.locator("img[src=x]")).to_have_count(0)


def test_what_is_clicked_beside_the_picture_is_shown_in_it(view: View) -> None:
    page = view.page
    page.evaluate(
        """() => {
          document.querySelector("#answer").innerHTML = `
            <button data-wb-page="1" data-wb-box="50,60,500,90">words</button>
            <div data-wb-table="1:0"><table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table></div>`;
        }"""
    )
    place = page.locator(".place")
    for target, box in (
        (page.get_by_role("button", name="words", exact=True), Box(50, 60, 500, 90)),
        (page.get_by_role("cell", name="c"), Box(40, 700, 450, 900)),
    ):
        target.click()
        expect(place).to_be_visible()
        left = place.evaluate("mark => parseFloat(mark.style.left)")
        assert left == pytest.approx(100 * box.x0 / WIDTH, abs=0.01)
        expect(place).to_be_in_viewport()
    page.evaluate(
        "document.dispatchEvent(new CustomEvent('workbench:place', "
        "{ detail: { job: 'job', page: 1, table: 0, row: 0, col: 1 } }))"
    )
    assert place.evaluate("mark => parseFloat(mark.style.left)") == pytest.approx(50, abs=0.01)
    page.evaluate(
        "document.dispatchEvent(new CustomEvent('workbench:place', "
        "{ detail: { job: 'another', page: 1, box: [0, 0, 9, 9] } }))"
    )
    assert place.evaluate("mark => parseFloat(mark.style.left)") == pytest.approx(50, abs=0.01)


def test_a_cell_chosen_in_a_table_below_the_picture_is_not_scrolled_out_of_sight(browser: Browser) -> None:
    with view_alone(browser, {1: TABLE}, viewport={"width": 390, "height": 800}) as view:
        page = view.page
        expect(page.locator("button.block")).to_have_count(2)
        view.set_up(3)
        page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
        before = page.evaluate("scrollY")
        assert page.locator(".stage").evaluate("stage => stage.getBoundingClientRect().bottom") < 0
        page.evaluate(
            "document.dispatchEvent(new CustomEvent('workbench:place', "
            "{ detail: { job: 'job', page: 1, table: 0, row: 1, col: 1 } }))"
        )
        assert page.evaluate("scrollY") == before
        place, stage = middle(page.locator(".place")), page.locator(".stage").bounding_box()
        assert stage is not None
        assert stage["x"] < place[0] < stage["x"] + stage["width"]  # the picture has moved within its stage
        assert stage["y"] < place[1] < stage["y"] + stage["height"]


def test_what_is_clicked_in_the_picture_is_told_and_lit_beside_it(view: View) -> None:
    page = view.page
    page.evaluate(
        """() => {
          document.addEventListener("workbench:picked", ({ detail }) => window.sent.push(["picked", detail]));
          document.querySelector("#answer").innerHTML =
            '<div data-wb-table="1:0"><table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table></div>';
        }"""
    )
    table = page.locator("button.block").nth(1)
    box = table.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 4, box["y"] + 0.75 * box["height"])
    (picked,) = view.sent("picked")
    assert picked == {"job": "job", "page": 1, "box": [40, 700, 450, 900], "table": 0, "row": 1, "col": 0}
    cell = page.get_by_role("cell", name="c")
    assert cell.evaluate("cell => cell.getAnimations().length") == 1
    expect(cell).to_be_in_viewport()
    table.scroll_into_view_if_needed()
    table.hover(position={"x": 0.75 * box["width"], "y": box["height"] / 4})
    expect(page.locator(".wb-hint")).to_have_text("b")
    page.locator(".bar").hover()
    expect(page.locator(".wb-hint")).to_have_count(0)


def test_a_place_on_another_page_turns_to_it(browser: Browser) -> None:
    with view_alone(browser, {2: boxes(2, blocks=[block(PLACE)])}) as view:
        view.give(pages=3)
        view.page.evaluate(
            "document.dispatchEvent(new CustomEvent('workbench:place', "
            "{ detail: { job: 'job', page: 2, box: [411, 623, 487, 691] } }))"
        )
        expect(view.page.locator(".place")).to_be_in_viewport()
        assert view.sent("page") == [2]
        expect(view.page.locator(".bar .page")).to_have_text("2 / 3")


def test_pages_of_a_long_document_are_loaded_when_they_come_into_sight(browser: Browser) -> None:
    with view_alone(browser) as view:
        view.give(pages=60)
        page = view.page
        thumbs = page.get_by_role("option")
        expect(thumbs).to_have_count(60)
        expect(page.locator(".thumb.loaded").first).to_be_visible()
        assert sum("w=120" in path for path in view.asked) < 20
        expect(thumbs.first).to_have_attribute("aria-selected", "true")
        thumbs.first.focus()
        page.keyboard.press("ArrowRight")
        assert view.sent("page") == [2]
        page.keyboard.press("End")
        expect(thumbs.last).to_be_focused()
        expect(thumbs.last).to_be_in_viewport()
        expect(page.locator(".thumb.loaded").last).to_have_attribute("data-page", "60")
        assert sum("w=120" in path for path in view.asked) < 40
        view.give(page=1)  # a run that began before
        expect(page.locator(".bar .page")).to_have_text("60 / 60")
        view.give(page=60)
        view.give(page=7)  # turned by the app
        expect(page.locator(".bar .page")).to_have_text("7 / 60")


def test_a_page_that_was_read_turned_stands_upright(browser: Browser) -> None:
    with view_alone(browser, {1: boxes(turn=1)}) as view:
        view.page.wait_for_function("document.querySelector('.view').view.turns === 1")
        sheet = view.page.locator(".sheet").bounding_box()
        assert sheet is not None
        assert sheet["width"] > sheet["height"]


def test_a_server_without_the_routes_is_told_and_the_page_travels_inside(browser: Browser) -> None:
    with view_alone(browser) as view:
        page = view.page
        page.evaluate("document.querySelector('.picture').dispatchEvent(new Event('error'))")
        assert view.sent("broken") == [True]
        picture = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
        view.give(inline={"src": picture, "boxes": TABLE})
        expect(page.locator("button.block")).to_have_count(2)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_nothing_bars_the_way(browser: Browser, axe: CheckAccess, language: str) -> None:
    with view_alone(browser, {1: TABLE}, language=language) as view:
        view.give(pages=4, regions=((1, 10, 20, 110, 220),))
        page = view.page
        expect(page.locator("button.block")).to_have_count(2)
        tool(page, "layers").click()
        for box in page.locator(".menu input").all():
            box.check()
        axe(page)


def test_two_fingers_zoom(browser: Browser) -> None:
    with view_alone(browser, {1: TABLE}, has_touch=True) as view:
        expect(view.page.locator("button.block")).to_have_count(2)
        before = view.page.evaluate("document.querySelector('.view').view.zoom")
        view.page.locator(".stage").evaluate(
            """stage => {
              const box = stage.getBoundingClientRect();
              const at = (apart) => [-1, 1].map((side, identifier) => new Touch({
                identifier, target: stage, clientX: box.left + 200 + side * apart, clientY: box.top + 200,
              }));
              const send = (type, apart) => stage.dispatchEvent(
                new TouchEvent(type, { touches: at(apart), cancelable: true, bubbles: true }));
              send("touchstart", 40);
              send("touchmove", 80);
            }"""
        )
        assert view.page.evaluate("document.querySelector('.view').view.zoom") == pytest.approx(2 * before)
