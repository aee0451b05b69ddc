"""The Analyse page in a real browser, with the real server and the embedded engine."""

from __future__ import annotations

import base64
import csv
import io
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from mineru_core.ui.i18n import Translator
from tests.browser.conftest import CheckAccess, OpenPage, upload
from tests.documents import EN_LINES, TABLE_ROWS, draw_lines, png_bytes, table_pdf

pytestmark = [pytest.mark.browser, pytest.mark.models]

EN, ZH = Translator("en"), Translator("zh")

PASTE = """([element, base64]) => {
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const data = new DataTransfer();
  data.items.add(new File([bytes], "image.png", { type: "image/png" }));
  element.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
}"""


def words_box(page: Page) -> Locator:
    """The words box: of the first screen, or under a document."""
    return page.get_by_test_id("stChatInputTextArea")


def ask(page: Page, words: str) -> None:
    """Type the words and send them: by Enter, and once more as long as they stand there."""
    words_box(page).fill(words)
    for _ in range(20):
        words_box(page).press("Enter")
        try:
            expect(words_box(page)).not_to_have_value(words, timeout=2_000)
        except AssertionError:
            continue
        return
    raise AssertionError(f"not sent: {words}")


def answer(page: Page) -> Locator:
    """The answer tab, once the result is there."""
    expect(page.locator(".wb-facts")).to_be_visible()
    return page.get_by_role("tabpanel").first


def blocks(page: Page) -> Locator:
    return page.locator(".st-key-picture_pane button.block")


def downloaded(page: Page, button: Locator) -> bytes:
    with page.expect_download() as waiting:
        button.click()
    path = waiting.value.path()
    return Path(path).read_bytes()


def test_a_pdf_in_and_its_table_out_as_csv_cell_by_cell(open_page: OpenPage) -> None:
    page = open_page(locale="zh-CN")
    upload(page, "送货单.pdf", table_pdf())
    ask(page, "提取表格")
    found = answer(page)
    expect(found.locator("table")).to_be_visible()
    data = downloaded(page, found.get_by_role("button", name="CSV"))
    assert data.startswith(b"\xef\xbb\xbf")
    assert list(csv.reader(io.StringIO(data.decode("utf-8-sig")))) == [list(row) for row in TABLE_ROWS]


def test_a_pasted_picture_is_read(open_page: OpenPage) -> None:
    page = open_page()
    lines = (*EN_LINES, "<img src=x onerror=alert(1)>")
    picture = base64.b64encode(png_bytes(draw_lines(lines))).decode()
    words_box(page).evaluate(f"(element, base64) => ({PASTE})([element, base64])", picture)
    expect(page.locator(".zone .file").filter(has_text="image.png")).to_be_visible()
    ask(page, "all text")
    text = answer(page).locator(".wb-text")
    for line in EN_LINES:
        expect(text).to_contain_text(line)
    expect(text).to_contain_text("onerror")
    expect(page.locator("img[src=x]")).to_have_count(0)


@pytest.mark.parametrize(("locale", "t"), [("en-US", EN), ("zh-CN", ZH)])
def test_a_corrupt_file_says_what_is_wrong(open_page: OpenPage, locale: str, t: Translator) -> None:
    page = open_page(locale=locale)
    upload(page, "cut.pdf", table_pdf()[:200])
    page.get_by_role("button", name=t("wishes.everything")).click()
    alert = page.get_by_test_id("stAlert")
    expect(alert).to_contain_text(t("error.corrupt-pdf.title"))
    expect(alert).to_contain_text(t("error.corrupt-pdf.hint"))
    page.get_by_role("button", name=t("problem.dismiss")).click()
    expect(alert).to_have_count(0)


def test_the_sample_shows_its_spans_and_its_blocks(open_page: OpenPage) -> None:
    page = open_page()
    page.get_by_role("button", name=EN("sample.try")).click()
    table = answer(page).locator("table")
    expect(table.locator("td, th").filter(has_text=re.compile("^地区 Region$"))).to_have_attribute("rowspan", "2")
    expect(table.locator("td, th").filter(has_text=re.compile("^总计 Grand total$"))).to_have_attribute("colspan", "2")
    expect(table).to_contain_text("3,757")

    first = blocks(page).first
    expect(first).to_be_visible()
    first.focus()
    tip = page.locator(".st-key-picture_pane .tip.shown")
    expect(tip).to_contain_text("%")
    page.keyboard.press("ArrowDown")
    expect(blocks(page).nth(1)).to_be_focused()
    page.locator('[data-tool="layers"]').click()
    for layer in ("view.layer_blocks", "view.layer_order"):
        page.get_by_label(EN(layer), exact=True).uncheck()
    expect(blocks(page)).to_have_count(0)
    picture = page.locator(".st-key-picture_pane img.picture")
    assert picture.evaluate("image => image.naturalWidth / image.getBoundingClientRect().width") >= 1

    page.get_by_role("button", name=EN("result.downloads")).click()
    markdown = downloaded(page, page.get_by_role("button", name="Markdown"))
    assert "青禾仪器" in markdown.decode("utf-8") or "地区 Region" in markdown.decode("utf-8")


def test_a_reload_comes_back_and_another_visitor_sees_nothing(open_page: OpenPage) -> None:
    page = open_page()
    upload(page, "mine.png", png_bytes(draw_lines(EN_LINES)))
    page.get_by_role("button", name=EN("wishes.text")).click()
    expect(answer(page).locator(".wb-text")).to_contain_text(EN_LINES[0])
    page.reload()
    expect(answer(page).locator(".wb-text")).to_contain_text(EN_LINES[0])

    other = open_page(page.url[page.url.index("/?") :])
    expect(other.get_by_test_id("stAlert")).to_contain_text(EN("error.not-found.title"))
    expect(other.get_by_text("mine.png")).to_have_count(0)


@pytest.mark.parametrize(("locale", "t"), [("en-US", EN), ("zh-CN", ZH)])
def test_a_phone_shows_the_first_screen_without_scrolling_sideways(
    open_page: OpenPage, locale: str, t: Translator
) -> None:
    page = open_page(locale=locale, width=390, height=844)
    expect(page.get_by_role("heading", name=t("hero.title"))).to_be_visible()
    expect(page.get_by_text(t("upload.kept", days=t("upload.days.many", count=7)))).to_be_visible()
    main = page.get_by_test_id("stMain")
    assert main.evaluate("element => element.scrollWidth <= element.clientWidth")


def test_the_language_switch(open_page: OpenPage) -> None:
    page = open_page()
    page.get_by_role("radio", name="中文").click()
    expect(page.get_by_role("heading", name=ZH("hero.title"))).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name=ZH("hero.title"))).to_be_visible()


def test_back_and_forward_walk_the_questions(open_page: OpenPage) -> None:
    page = open_page()
    upload(page, "mine.png", png_bytes(draw_lines(EN_LINES)))
    page.get_by_role("button", name=EN("wishes.text")).click()
    expect(answer(page).locator(".wb-text")).to_contain_text(EN_LINES[0])
    ask(page, f'find "{EN_LINES[1]}"')
    expect(answer(page).locator("mark").first).to_be_visible()
    page.go_back()
    expect(page.locator(".wb-asked")).to_contain_text(EN("wishes.text"))
    page.go_back()
    expect(page.get_by_role("heading", name=EN("hero.title"))).to_be_visible()
    page.go_forward()
    expect(page.locator(".wb-asked")).to_contain_text(EN("wishes.text"))
    page.go_forward()
    expect(answer(page).locator("mark").first).to_be_visible()


def test_the_first_screen_is_gone_when_the_document_stands(open_page: OpenPage) -> None:
    page = open_page()
    page.get_by_role("button", name=EN("sample.try")).click()
    page.wait_for_function("""() => document.querySelector(".st-key-screen_document .wb-head")""")
    assert page.locator(".wb-hero").count() == 0


def test_numbers_and_tooltips_of_blocks_hide_no_words(open_page: OpenPage) -> None:
    page = open_page()
    picture = draw_lines(EN_LINES, size=60, margin=8)
    upload(page, "edge.png", png_bytes(picture))
    page.get_by_role("button", name=EN("wishes.text")).click()
    expect(answer(page)).to_be_visible()
    first = blocks(page).first
    first.hover()
    expect(page.locator(".st-key-picture_pane .tip.shown")).to_be_visible()
    overlaps = first.evaluate("""block => {
      const box = block.getBoundingClientRect();
      const root = block.getRootNode();
      const apart = (a) => a.right <= box.left + 2 || a.left >= box.right || a.bottom <= box.top || a.top >= box.bottom;
      return [block.querySelector(".number"), root.querySelector(".tip")].filter(
        (part) => !apart(part.getBoundingClientRect())).length;
    }""")
    assert overlaps == 0


def test_a_phone_shows_the_answer_from_its_top_before_the_page(open_page: OpenPage) -> None:
    page = open_page(width=390, height=844)
    page.get_by_role("button", name=EN("sample.try")).click()
    table = answer(page).locator("table")
    expect(table).to_be_in_viewport()
    picture = page.locator(".st-key-picture_pane img.picture").bounding_box()
    shown = table.bounding_box()
    assert picture is not None
    assert shown is not None
    assert shown["y"] < picture["y"]
    assert page.get_by_test_id("stMain").evaluate("element => element.scrollTop") == 0


def test_a_page_without_a_table_says_what_helps(open_page: OpenPage, axe: CheckAccess) -> None:
    page = open_page()
    upload(page, "lines.png", png_bytes(draw_lines(EN_LINES)))
    ask(page, "extract the tables")
    found = answer(page)
    expect(found.get_by_text(EN("table.none"))).to_be_visible()
    expect(found.get_by_text(EN("table.none_hint"))).to_be_visible()
    axe(page)
    found.get_by_role("button", name=EN("table.mark")).click()
    expect(page.get_by_text(EN("view.region_hint"))).to_be_visible()


@pytest.mark.parametrize(("width", "height", "lowest"), [(1280, 800, 380), (390, 844, 430)])
def test_the_answer_begins_in_the_upper_half(open_page: OpenPage, width: int, height: int, lowest: int) -> None:
    page = open_page(width=width, height=height)
    page.get_by_role("button", name=EN("sample.try")).click()
    table = answer(page).locator("table")
    expect(table).to_be_visible()
    others = page.locator(".st-key-alternatives")
    expect(others).to_be_visible()
    # For a moment after the answer has come, what told how far the job was may still stand above it.
    top = [table.element_handle(), lowest]
    page.wait_for_function("([table, lowest]) => table.getBoundingClientRect().y <= lowest", arg=top)
    line, bar = (one.bounding_box() for one in (others, page.locator(".st-key-ask_bar")))
    assert line is not None
    assert bar is not None
    assert line["height"] <= 34
    assert bar["height"] <= (70 if width < 640 else 130)  # files and words are one row on a phone
    assert page.get_by_test_id("stMain").evaluate("element => element.scrollWidth <= element.clientWidth")


def test_the_browser_is_told_the_language_and_english_has_narrow_quotes(open_page: OpenPage) -> None:
    page = open_page()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    ems = page.locator(".st-key-sample_row button p").evaluate("""words => {
      const quotes = document.createElement("span");
      quotes.textContent = "\u201c".repeat(20);
      words.append(quotes);
      const width = quotes.getBoundingClientRect().width / 20 / parseFloat(getComputedStyle(words).fontSize);
      quotes.remove();
      return width;
    }""")
    assert ems < 0.75
    page.get_by_role("radio", name="中文").click()
    expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
