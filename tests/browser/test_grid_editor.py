"""Correcting a table in a real browser: the answer, the download and what is pasted and copied follow."""

from __future__ import annotations

import csv
import io
import re

import pytest
from playwright.sync_api import Locator, Page, expect

from mineru_core.ui.i18n import Translator
from tests.browser.conftest import OpenPage
from tests.browser.test_analyse import answer, ask, downloaded, upload
from tests.documents import TABLE_ROWS, table_pdf

pytestmark = [pytest.mark.browser, pytest.mark.models]

EN, ZH = Translator("en"), Translator("zh")
HOSTILE = "<img src=x onerror=alert(1)>"

CLIPBOARD = """(grid, [kind, forms]) => {
  const clipboardData = new DataTransfer();
  for (const [form, text] of Object.entries(forms)) clipboardData.setData(form, text);
  grid.dispatchEvent(new ClipboardEvent(kind, { clipboardData, bubbles: true, cancelable: true, composed: true }));
  return { text: clipboardData.getData("text/plain"), html: clipboardData.getData("text/html") };
}"""


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
    grid.focus()
    page.keyboard.press("Control+z")
    expect(cell(grid, 2, 1)).to_have_text(TABLE_ROWS[2][1])
    saved(page, t)
    page.keyboard.press("Control+z")
    expect(cell(grid, 1, 0)).to_have_text(TABLE_ROWS[1][0])
    saved(page, t)
    assert csv_of(page) == [list(row) for row in TABLE_ROWS]
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_cells_are_copied_and_pasted_as_a_spreadsheet_does(open_page: OpenPage) -> None:
    page = open_page()
    grid = open_editor(page, EN)
    cell(grid, 1, 0).click()
    page.keyboard.press("F2")
    page.keyboard.type(f'{HOSTILE}"')
    page.keyboard.press("Tab")
    expect(cell(grid, 1, 1)).to_have_class(re.compile("active"))
    saved(page, EN)
    page.keyboard.press("Shift+ArrowLeft")
    copied = grid.evaluate(CLIPBOARD, ["copy", {}])
    assert copied["text"] == f'"{HOSTILE}"""\t{TABLE_ROWS[1][1]}'
    assert "<img" not in copied["html"]
    assert copied["html"].count("<td") == 2

    cell(grid, 1, 0).click()
    grid.evaluate(CLIPBOARD, ["paste", {"text/html": "<table><tr><td>x<td>y</table>", "text/plain": "x\ty"}])
    expect(cell(grid, 1, 0)).to_have_text("x")
    expect(cell(grid, 1, 1)).to_have_text("y")
    saved(page, EN)
    assert csv_of(page)[1] == ["x", "y", *TABLE_ROWS[1][2:]]


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
