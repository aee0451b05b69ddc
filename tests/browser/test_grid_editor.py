"""Correcting a table in a real browser: the answer, the download and what is pasted and copied follow."""

from __future__ import annotations

import csv
import io
import re

import pytest
from playwright.sync_api import Locator, Page, expect

from mineru_core.ui.i18n import Translator
from tests.browser.conftest import CheckAccess, OpenPage
from tests.browser.test_analyse import answer, ask, downloaded, upload
from tests.documents import TABLE_ROWS, table_pdf

pytestmark = [pytest.mark.browser, pytest.mark.models]

EN, ZH = Translator("en"), Translator("zh")
HOSTILE = "<img src=x onerror=alert(1)>"

READ_CLIPBOARD = """async () => {
  const [item] = await navigator.clipboard.read();
  return Promise.all(["text/plain", "text/html"].map(async (form) => (await item.getType(form)).text()));
}"""
WRITE_CLIPBOARD = """([text, html]) => navigator.clipboard.write([new ClipboardItem({
  "text/plain": new Blob([text], { type: "text/plain" }),
  "text/html": new Blob([html], { type: "text/html" }),
})])"""


def open_editor(page: Page, t: Translator) -> Locator:
    """Read the table of the test's document and switch its editor on."""
    upload(page, "note.pdf", table_pdf())
    ask(page, "tables")
    found = answer(page)
    expect(found.locator("table")).to_be_visible()
    found.get_by_text(t("table.edit"), exact=True).click()
    grid = found.get_by_role("grid")
    expect(grid).to_be_visible()
    return grid


def cell(grid: Locator, row: int, col: int) -> Locator:
    return grid.locator(f'[data-place="{row},{col}"]')


def csv_of(page: Page) -> list[list[str]]:
    data = downloaded(page, answer(page).get_by_role("button", name="CSV"))
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"))))


def saved(page: Page, t: Translator) -> None:
    expect(answer(page).locator(".status")).to_have_text(t("grid.saved"))


@pytest.mark.parametrize(("locale", "t", "width"), [("en-US", EN, 1280), ("zh-CN", ZH, 390)])
def test_a_cell_is_edited_two_are_merged_and_all_of_it_is_undone(
    open_page: OpenPage, locale: str, t: Translator, width: int
) -> None:
    page = open_page(locale=locale, width=width)
    grid = open_editor(page, t)
    cell(grid, 1, 0).dblclick()
    opened = answer(page).get_by_role("textbox", name=t("grid.edit_cell"))
    expect(opened).to_be_focused()
    expect(opened).to_have_value(TABLE_ROWS[1][0])
    page.keyboard.type(HOSTILE)
    page.keyboard.press("Enter")
    expect(cell(grid, 1, 0)).to_have_text(HOSTILE)
    expect(cell(grid, 2, 0)).to_have_class(re.compile("active"))
    saved(page, t)
    expect(page.locator("img[src=x]")).to_have_count(0)
    assert csv_of(page)[1] == [HOSTILE, *TABLE_ROWS[1][1:]]

    cell(grid, 2, 0).click()
    page.keyboard.press("Shift+ArrowRight")
    page.get_by_role("button", name=t("grid.merge"), exact=True).click()
    expect(cell(grid, 2, 0)).to_have_attribute("aria-colspan", "2")
    expect(cell(grid, 2, 0)).to_have_text(" ".join(TABLE_ROWS[2][:2]))
    saved(page, t)
    cell(grid, 0, 0).click()
    page.keyboard.press("Control+z")
    expect(cell(grid, 2, 1)).to_have_text(TABLE_ROWS[2][1])
    saved(page, t)
    page.keyboard.press("Control+z")
    expect(cell(grid, 1, 0)).to_have_text(TABLE_ROWS[1][0])
    saved(page, t)
    assert csv_of(page) == [list(row) for row in TABLE_ROWS]
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_cells_are_copied_cut_and_pasted_as_a_spreadsheet_does(open_page: OpenPage) -> None:
    page = open_page()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    grid = open_editor(page, EN)
    cell(grid, 1, 0).click()
    page.keyboard.press("F2")
    page.keyboard.type(f'{HOSTILE}"')
    page.keyboard.press("Tab")
    expect(cell(grid, 1, 1)).to_have_class(re.compile("active"))
    saved(page, EN)
    page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.press("Control+c")
    text, markup = page.evaluate(READ_CLIPBOARD)
    assert text == f'"{HOSTILE}"""\t{TABLE_ROWS[1][1]}'
    assert "<img" not in markup
    assert markup.count("<td") == 2
    cell(grid, 2, 0).click()
    page.keyboard.press("Control+v")
    expect(cell(grid, 2, 0)).to_have_text(f'{HOSTILE}"')
    saved(page, EN)

    # what Excel and LibreOffice give: a table with what is around it
    page.evaluate(WRITE_CLIPBOARD, ["x\ty", f"<style>td{{}}</style>{HOSTILE}<table><tr><td>x<td>y</table>"])
    cell(grid, 1, 0).click()
    page.keyboard.press("Control+v")
    expect(cell(grid, 1, 0)).to_have_text("x")
    expect(cell(grid, 1, 1)).to_have_text("y")
    saved(page, EN)
    cell(grid, 2, 1).click()
    page.keyboard.press("Control+x")
    expect(cell(grid, 2, 1)).to_have_text("")
    saved(page, EN)
    assert csv_of(page)[1:3] == [["x", "y", *TABLE_ROWS[1][2:]], [f'{HOSTILE}"', "", *TABLE_ROWS[2][2:]]]


def test_rows_come_and_go_and_a_second_editor_follows(open_page: OpenPage) -> None:
    page = open_page()
    grid = open_editor(page, EN)
    cell(grid, 1, 0).click()
    answer(page).get_by_role("button", name=EN("grid.row_above_help")).click()
    expect(cell(grid, 2, 0)).to_have_text(TABLE_ROWS[1][0])
    saved(page, EN)
    page.get_by_role("tab", name=EN("tab.tables")).click()
    answer(page).get_by_text(EN("table.edit"), exact=True).click()  # what is said of the answer holds for this tab now
    cell(grid, 1, 0).click()
    answer(page).get_by_role("button", name=EN("grid.delete_rows_help")).click()
    expect(cell(grid, 1, 0)).to_have_text(TABLE_ROWS[1][0])
    saved(page, EN)
    page.get_by_role("tab", name=EN("tab.answer")).click()
    expect(cell(grid, 1, 0)).to_have_text(TABLE_ROWS[1][0])
    assert csv_of(page) == [list(row) for row in TABLE_ROWS]


@pytest.mark.parametrize(("locale", "t"), [("en-US", EN), ("zh-CN", ZH)])
def test_two_rows_are_made_headers_and_the_table_is_named(open_page: OpenPage, locale: str, t: Translator) -> None:
    page = open_page(locale=locale)
    grid = open_editor(page, t)
    cell(grid, 1, 0).click()
    page.get_by_role("button", name=t("grid.header"), exact=True).click()
    expect(grid.get_by_role("columnheader")).to_have_count(2 * len(TABLE_ROWS[0]))
    saved(page, t)
    page.get_by_role("textbox", name=t("grid.caption")).fill(HOSTILE)
    page.keyboard.press("Enter")
    saved(page, t)
    expect(answer(page).get_by_text(HOSTILE).first).to_be_visible()
    expect(answer(page).get_by_role("textbox", name=t("grid.caption"))).to_be_focused()  # the editor is still the same
    answer(page).get_by_text(t("table.edit"), exact=True).click()
    expect(answer(page).locator("thead tr")).to_have_count(2)
    expect(page.locator("img[src=x]")).to_have_count(0)


def test_a_change_in_another_window_is_told_and_nothing_typed_is_lost(open_page: OpenPage) -> None:
    page = open_page()
    grid = open_editor(page, EN)
    expect(cell(grid, 1, 0)).to_have_text(TABLE_ROWS[1][0])
    other = page.context.new_page()
    other.goto(page.url)
    answer(other).get_by_text(EN("table.edit"), exact=True).click()
    there = answer(other).get_by_role("grid")
    cell(there, 1, 0).dblclick()
    other.keyboard.type("theirs")
    other.keyboard.press("Enter")
    saved(other, EN)

    page.bring_to_front()  # a page behind another one draws once a second
    cell(grid, 1, 0).dblclick()
    page.keyboard.type("mine")
    page.keyboard.press("Tab")
    expect(answer(page).locator(".status")).to_contain_text(EN("error.edit-conflict.title"))
    expect(cell(grid, 1, 0)).to_have_text("theirs")
    expect(answer(page).locator(".tray li .text")).to_have_text(["mine"])
    cell(grid, 2, 0).click()
    page.get_by_role("button", name=EN("grid.kept_use")).click()
    saved(page, EN)
    assert [row[0] for row in csv_of(page)[1:3]] == ["theirs", "mine"]

    cell(grid, 2, 0).click()
    page.keyboard.press("Control+z")
    expect(cell(grid, 2, 0)).to_have_text(TABLE_ROWS[2][0])
    saved(page, EN)
    page.keyboard.press("Control+z")
    expect(cell(grid, 1, 0)).to_have_text(TABLE_ROWS[1][0])
    expect(answer(page).locator(".status")).to_have_text(EN("grid.foreign_undo_table", page=1, number=1))


@pytest.mark.parametrize(("locale", "t", "width"), [("en-US", EN, 1280), ("zh-CN", ZH, 390)])
def test_people_with_aids_can_use_it(
    open_page: OpenPage, axe: CheckAccess, locale: str, t: Translator, width: int
) -> None:
    page = open_page(locale=locale, width=width)
    grid = open_editor(page, t)
    cell(grid, 1, 1).dblclick()
    expect(answer(page).get_by_role("textbox", name=t("grid.edit_cell"))).to_be_focused()
    axe(page)
