"""The grid editor alone in a page, with the test in the server's place: what it sends, and how it takes the answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from mineru_core.document.table import Cell, Table
from mineru_core.ui.components.grid_editor import GridEditor, grid_table, grid_words
from mineru_core.ui.i18n import Translator
from mineru_core.ui.setup import asset

pytestmark = pytest.mark.browser

EN = Translator("en")
SENT = "() => window.sent"
SMALL = Table.from_rows([["a", "b"], ["c", "d"], ["e", "f"]])
Give = Callable[..., None]


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page with the editor's code and its place; no error may come up in it."""
    page = browser.new_page(has_touch=True)
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.clock.install()
    page.set_content(f'<style>{asset("grid_editor.css")}</style><main style="width: 600px"><div class="editor"></div>')
    code = "".join(asset(f"grid_{part}.js") for part in ("model", "view", "editor"))
    page.add_script_tag(content=code.replace("export default function", "window.mount = function"))
    page.evaluate("window.sent = []")
    yield page
    page.close()
    assert complaints == []


@pytest.fixture
def give(page: Page) -> Give:
    """Gives the editor a table and an answer, as a run of the app does."""

    def give(table: Table = SMALL, version: int = 0, **answer: Any) -> None:
        data = asdict(GridEditor(grid_table(table), version, "Table 1", grid_words(EN), **answer))
        page.evaluate(
            """(data) => mount({
              data,
              parentElement: document.querySelector("main"),
              setTriggerValue: (_, value) => window.sent.push(value),
            })""",
            data,
        )

    return give


def cell(page: Page, row: int, col: int) -> Any:
    return page.locator(f'[data-place="{row},{col}"]')


def write(page: Page, row: int, col: int, text: str) -> None:
    cell(page, row, col).click()
    page.keyboard.type(text)
    page.keyboard.press("Enter")


def text_set(row: int, col: int, text: str) -> dict[str, Any]:
    return {"op": "set-text", "row": row, "col": col, "text": text}


def test_what_is_done_while_an_answer_is_awaited_goes_together_and_is_seen_at_once(page: Page, give: Give) -> None:
    give()
    write(page, 0, 0, "one")
    write(page, 1, 0, "two")
    write(page, 1, 1, "three")
    expect(cell(page, 1, 1)).to_have_text("three")
    (first,) = page.evaluate(SENT)
    assert (first["version"], first["changes"]) == (0, [text_set(0, 0, "one")])
    give()  # a run of the app that began before the change
    assert len(page.evaluate(SENT)) == 1
    give(Table.from_rows([["one", "b"], ["c", "d"], ["e", "f"]]), 1, answered=first["id"])
    expect(cell(page, 1, 1)).to_have_text("three")
    second = page.evaluate(SENT)[1]
    assert (second["version"], second["changes"]) == (1, [text_set(1, 0, "two"), text_set(1, 1, "three")])


def test_a_change_that_is_refused_shows_the_table_as_it_is(page: Page, give: Give) -> None:
    give()
    write(page, 0, 0, "one")
    write(page, 1, 0, "never sent")
    (first,) = page.evaluate(SENT)
    give(Table.from_rows([["other", "b"]]), 7, answered=first["id"], error="Changed elsewhere.")
    expect(cell(page, 0, 0)).to_have_text("other")
    expect(cell(page, 1, 0)).to_have_count(0)
    expect(page.get_by_role("status")).to_have_text("Changed elsewhere.")
    assert len(page.evaluate(SENT)) == 1


def test_without_an_answer_the_message_is_sent_again_and_then_given_up(page: Page, give: Give) -> None:
    give()
    write(page, 0, 0, "one")
    page.clock.run_for(31_000)
    sent = page.evaluate(SENT)
    assert len(sent) == 3
    assert sent[0] == sent[1] == sent[2]
    expect(page.get_by_role("status")).to_have_text(EN("grid.lost"))


def test_doubtful_cells_are_walked_and_said_to_be_right(page: Page, give: Give) -> None:
    cells = [Cell(row=row, col=0, text=f"row {row}", confidence=0.5 if row in {2, 900} else 1) for row in range(1000)]
    give(Table(n_rows=1000, n_cols=1, cells=tuple(cells)))
    cell(page, 0, 0).click()
    page.keyboard.press("F8")
    expect(page.get_by_role("status")).to_have_text(EN("grid.doubtful").replace("%", "50%"))
    page.get_by_role("button", name="Next doubtful (2)").click()
    expect(cell(page, 900, 0)).to_be_in_viewport()
    page.keyboard.press("Enter")
    cell(page, 899, 0).click()  # only looked at
    assert page.evaluate(SENT) == []
    cell(page, 900, 0).click()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    assert page.evaluate(SENT)[0]["changes"] == [text_set(900, 0, "row 900")]
    expect(page.get_by_role("button", name="Next doubtful (1)")).to_be_visible()


def test_a_large_table_draws_what_is_in_sight_and_cells_that_reach_into_it(page: Page, give: Give) -> None:
    cells = [Cell(row=0, col=0, rowspan=2000, text="tall")]
    cells += [Cell(row=row, col=col, text=f"{row} {col}") for row in range(2000) for col in range(1, 50)]
    give(Table(n_rows=2000, n_cols=50, cells=tuple(cells)))
    grid = page.get_by_role("grid")
    assert grid.get_attribute("aria-rowcount") == "2000"
    cell(page, 0, 1).click()
    page.keyboard.press("Control+End")
    expect(cell(page, 1999, 49)).to_be_in_viewport()
    assert page.locator(".cell").count() < 1000
    page.keyboard.press("Home")
    expect(cell(page, 0, 0)).to_be_in_viewport()
    expect(cell(page, 1999, 1)).to_be_in_viewport()


def test_many_cells_are_emptied_in_one_change(page: Page, give: Give) -> None:
    give()
    cell(page, 0, 0).click()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    expect(cell(page, 2, 1)).to_have_text("")
    (sent,) = page.evaluate(SENT)
    assert sent["changes"] == [{"op": "paste-grid", "row": 0, "col": 0, "rows": [["", ""]] * 3}]


def test_escape_leaves_the_cell_as_it_was(page: Page, give: Give) -> None:
    give()
    cell(page, 1, 1).dblclick()
    page.keyboard.type("never")
    page.keyboard.press("Escape")
    expect(cell(page, 1, 1)).to_have_text("d")
    expect(page.get_by_role("textbox")).to_have_count(0)
    assert page.evaluate(SENT) == []


def test_a_finger_selects_a_cell_and_then_opens_it(page: Page, give: Give) -> None:
    give()
    cell(page, 1, 1).tap()
    expect(cell(page, 1, 1)).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("textbox")).to_have_count(0)
    cell(page, 1, 1).tap()
    page.keyboard.type("new")
    page.keyboard.press("Enter")
    assert page.evaluate(SENT)[0]["changes"] == [text_set(1, 1, "new")]
