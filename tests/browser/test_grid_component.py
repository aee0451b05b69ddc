"""The grid editor alone in a page, with the test in the server's place: what it asks, what it sends, and how it takes
the answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from mineru_core.api.grid_data import table_columns
from mineru_core.document.table import Cell, Table
from tests.browser.alone import ORIGIN
from tests.browser.grid_alone import (
    EN,
    SMALL,
    Give,
    Server,
    cell,
    give_to,
    grid_alone,
    kept,
    sent,
    text_set,
    write,
)

pytestmark = pytest.mark.browser

HOSTILE = (
    "<img src=x onerror=window.harmed=1>",
    "</textarea></div><script>window.harmed=1</script>",
    "\"'><svg onload=window.harmed=1>",
    "javascript:window.harmed=1",
    "{{constructor.constructor('window.harmed=1')()}}",
    "&lt;b&gt; $& ${window.harmed=1} \u202eright to left\u2066",
)


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def page(browser: Browser, server: Server) -> Iterator[Page]:
    with grid_alone(browser, server) as opened:
        yield opened


@pytest.fixture
def give(page: Page, server: Server) -> Give:
    return give_to(page, server)


def open_field(page: Page) -> Locator:
    """The field of the cell that is being edited."""
    return page.get_by_role("textbox", name=EN("grid.edit_cell"))


# Loading --------------------------------------------------------------------------------------------------------------


def test_the_table_is_asked_for_by_its_version_and_only_once(page: Page, give: Give, server: Server) -> None:
    give(version=3)
    expect(cell(page, 2, 1)).to_have_text("f")
    give()
    assert server.asked == ["ui/data/job-1?table=2.0&v=3&form=1"]
    with page.expect_request(f"{ORIGIN}/ui/data/job-1?table=2.0&v=4&form=1"):
        give(version=4)


def test_a_table_that_does_not_come_can_be_asked_for_again(page: Page, give: Give, server: Server) -> None:
    server.broken = True
    give()
    expect(page.get_by_role("alert")).to_contain_text(EN("grid.not_loaded"))
    expect(page.get_by_role("grid")).to_have_count(0)
    server.broken = False
    page.get_by_role("button", name=EN("grid.load_again")).click()
    expect(cell(page, 0, 0)).to_have_text("a")
    expect(page.get_by_role("alert")).to_have_count(0)


def test_without_a_route_the_table_comes_with_the_rest(page: Page, give: Give, server: Server) -> None:
    give(Table.from_rows([["inside"]]), table=table_columns(Table.from_rows([["inside"]]), 0))
    expect(cell(page, 0, 0)).to_have_text("inside")
    assert server.asked == []


# Changes and answers --------------------------------------------------------------------------------------------------


def test_what_is_done_while_an_answer_is_awaited_goes_together_and_is_seen_at_once(
    page: Page, give: Give, server: Server
) -> None:
    give()
    write(page, 0, 0, "one")
    write(page, 1, 0, "two")
    write(page, 1, 1, "three")
    expect(cell(page, 1, 1)).to_have_text("three")
    (first,) = sent(page)
    assert (first["version"], first["changes"]) == (0, [text_set(0, 0, "one")])
    give()  # a run of the app that began before the change
    assert len(sent(page)) == 1
    give(version=1, answered=first["id"], done=1)
    expect(cell(page, 1, 1)).to_have_text("three")
    second = sent(page)[1]
    assert (second["version"], second["changes"]) == (1, [text_set(1, 0, "two"), text_set(1, 1, "three")])
    give(version=3, answered=second["id"], done=2)
    expect(page.get_by_role("status")).to_have_text(EN("grid.saved"))
    assert len(server.asked) == 1  # the browser knows what came of them


def test_what_the_server_alone_can_do_brings_the_table_again(page: Page, give: Give, server: Server) -> None:
    give()
    write(page, 0, 0, "one")
    give(version=1, answered=sent(page)[0]["id"], done=1, can_undo=True)
    page.keyboard.press("Control+z")
    write(page, 2, 1, "typed meanwhile")
    undo = sent(page)[1]
    assert undo["changes"] == [{"op": "undo"}]
    give(version=2, answered=undo["id"], done=1)
    expect(cell(page, 0, 0)).to_have_text("a")
    expect(cell(page, 2, 1)).to_have_text("typed meanwhile")
    page.wait_for_function("() => window.sent.length === 3")
    assert (sent(page)[2]["version"], sent(page)[2]["changes"]) == (2, [text_set(2, 1, "typed meanwhile")])


def test_after_a_conflict_what_was_typed_goes_where_it_still_fits(page: Page, give: Give) -> None:
    give()
    write(page, 0, 0, "one")
    write(page, 1, 0, "two")
    cell(page, 2, 0).click()
    page.keyboard.type("half")
    (first,) = sent(page)
    changed = Table.from_rows([["a", "b"], ["other", "d"], ["e", "new"]])
    give(changed, 7, answered=first["id"], error="Changed elsewhere.", code="edit-conflict")
    expect(cell(page, 2, 1)).to_have_text("new")
    expect(cell(page, 0, 0)).to_have_text("one")
    expect(cell(page, 1, 0)).to_have_text("other")
    expect(kept(page)).to_have_text(["two"])
    expect(open_field(page)).to_have_value("half")
    second = sent(page)[1]
    assert (second["version"], second["changes"]) == (7, [text_set(0, 0, "one")])
    page.keyboard.press("Enter")
    expect(cell(page, 2, 0)).to_have_text("half")

    cell(page, 2, 1).click()
    page.get_by_role("button", name=EN("grid.kept_use")).click()
    expect(cell(page, 2, 1)).to_have_text("two")
    expect(kept(page)).to_have_count(0)


def test_after_a_conflict_with_another_shape_all_that_was_typed_is_kept(page: Page, give: Give) -> None:
    give()
    write(page, 0, 0, "one")
    cell(page, 1, 0).click()
    page.get_by_role("button", name=EN("grid.row_above_help")).click()
    write(page, 1, 0, HOSTILE[0])
    page.keyboard.type("open")
    (first,) = sent(page)
    give(Table.from_rows([["other", "b"]]), 7, answered=first["id"], error="Changed elsewhere.", code="edit-conflict")
    expect(cell(page, 0, 0)).to_have_text("other")
    expect(cell(page, 1, 0)).to_have_count(0)
    expect(kept(page)).to_have_text(["one", HOSTILE[0], "open"])
    expect(page.locator(".status")).to_have_text("Changed elsewhere.")
    assert len(sent(page)) == 1
    page.get_by_role("button", name=EN("grid.kept_drop")).first.click()
    expect(kept(page)).to_have_text([HOSTILE[0], "open"])


def test_a_change_that_does_not_fit_does_not_take_the_others_with_it(page: Page, give: Give) -> None:
    give()
    write(page, 0, 0, "one")
    give(version=1, answered=sent(page)[0]["id"], done=1)
    cell(page, 0, 0).click()
    page.keyboard.press("Shift+ArrowRight")
    page.get_by_role("button", name=EN("grid.merge"), exact=True).click()
    write(page, 2, 1, "after")
    merge = sent(page)[1]
    after = Table.from_rows([["one", "b"], ["c", "d"], ["e", "f"]])
    give(after, 1, answered=merge["id"], error="Does not fit.", code="invalid-request")
    expect(cell(page, 0, 1)).to_have_text("b")
    expect(cell(page, 2, 1)).to_have_text("after")
    page.wait_for_function("() => window.sent.length === 3")
    assert sent(page)[2]["changes"] == [text_set(2, 1, "after")]


def test_many_cells_are_emptied_in_one_change(page: Page, give: Give) -> None:
    give()
    cell(page, 0, 0).click()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    expect(cell(page, 2, 1)).to_have_text("")
    (only,) = sent(page)
    assert only["changes"] == [{"op": "paste-grid", "row": 0, "col": 0, "rows": [["", ""]] * 3}]


def test_the_caption_is_edited(page: Page, give: Give) -> None:
    give(SMALL.model_copy(update={"caption": "sales"}))
    caption = page.get_by_role("textbox", name=EN("grid.caption"))
    expect(caption).to_have_value("sales")
    caption.fill("turnover")
    caption.press("Enter")
    caption.blur()
    assert [one["changes"] for one in sent(page)] == [[{"op": "set-caption", "text": "turnover"}]]
    caption.fill("never")
    caption.press("Escape")
    expect(caption).to_have_value("turnover")


# Selecting and editing ------------------------------------------------------------------------------------------------


def test_a_double_click_opens_the_cell_with_its_text(page: Page, give: Give) -> None:
    give()
    cell(page, 1, 1).dblclick()
    expect(open_field(page)).to_be_focused()
    expect(open_field(page)).to_have_value("d")
    page.keyboard.press("End")
    page.keyboard.type("own")
    page.keyboard.press("Enter")
    assert sent(page)[0]["changes"] == [text_set(1, 1, "down")]


def test_elements_stay_the_same_while_what_they_show_changes(page: Page, give: Give) -> None:
    give()
    expect(cell(page, 1, 1)).to_be_visible()
    page.evaluate("() => document.querySelectorAll('.cell, .row').forEach((element) => (element.same = true))")
    cell(page, 0, 0).click()
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Control+a")
    write(page, 1, 1, "new")
    give(version=1, answered=sent(page)[0]["id"], done=1)
    give(SMALL, 2)
    expect(cell(page, 1, 1)).to_have_text("d")
    assert page.evaluate("() => [...document.querySelectorAll('.cell, .row')].every((element) => element.same)")


def test_what_is_typed_goes_into_the_active_cell_of_a_selection(page: Page, give: Give) -> None:
    give()
    cell(page, 1, 1).click()
    page.keyboard.press("Control+a")
    expect(page.locator('[aria-selected="true"]')).to_have_count(6)
    expect(page.locator(".cell.active")).to_have_attribute("data-place", "1,1")
    page.keyboard.type("x")
    page.keyboard.press("Enter")
    assert sent(page)[0]["changes"] == [text_set(1, 1, "x")]
    expect(cell(page, 0, 0)).to_have_text("a")


def test_an_active_cell_out_of_sight_is_shown_when_something_is_typed(page: Page, give: Give) -> None:
    give(Table.from_rows([[f"row {row}"] for row in range(300)]))
    cell(page, 3, 0).click()
    page.locator(".frame").evaluate("frame => (frame.scrollTop = 5000)")
    expect(cell(page, 150, 0)).to_be_in_viewport()
    page.keyboard.type("x")
    expect(open_field(page)).to_be_in_viewport()
    expect(cell(page, 3, 0)).to_be_in_viewport()


def test_an_input_method_begins_in_the_cell_and_is_not_broken_off(page: Page, give: Give) -> None:
    give()
    cell(page, 1, 1).click()
    typing = page.context.new_cdp_session(page)
    typing.send("Input.imeSetComposition", {"text": "ni", "selectionStart": 2, "selectionEnd": 2})
    expect(open_field(page)).to_have_value("ni")
    give(version=1)  # something comes from the server in the middle of it
    typing.send("Input.imeSetComposition", {"text": "nihao", "selectionStart": 5, "selectionEnd": 5})
    typing.send("Input.insertText", {"text": "你好"})
    expect(open_field(page)).to_have_value("你好")
    page.keyboard.press("Enter")
    assert sent(page)[0]["changes"] == [text_set(1, 1, "你好")]


def test_escape_leaves_the_cell_as_it_was(page: Page, give: Give) -> None:
    give()
    cell(page, 1, 1).dblclick()
    expect(open_field(page)).to_be_focused()
    page.keyboard.type("never")
    page.keyboard.press("Escape")
    expect(cell(page, 1, 1)).to_have_text("d")
    expect(open_field(page)).to_have_count(0)
    assert sent(page) == []


def test_a_finger_selects_a_cell_and_then_opens_it(page: Page, give: Give) -> None:
    give()
    cell(page, 1, 1).tap()
    expect(cell(page, 1, 1)).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("grid")).to_be_focused()  # and no keyboard comes up
    cell(page, 1, 1).tap()
    expect(open_field(page)).to_be_focused()
    page.keyboard.type("new")
    page.keyboard.press("Enter")
    assert sent(page)[0]["changes"] == [text_set(1, 1, "new")]


def test_all_of_it_is_done_with_keys_alone(page: Page, give: Give) -> None:
    give()
    expect(cell(page, 0, 0)).to_be_visible()
    page.get_by_role("button", name="before", exact=True).focus()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name=EN("grid.undo_help"))).to_be_focused()
    page.keyboard.press("End")
    expect(page.get_by_role("button", name=EN("grid.delete_columns_help"))).to_be_focused()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(cell(page, 0, 2)).to_have_text("b")
    page.keyboard.press("Tab")
    expect(page.get_by_role("textbox", name=EN("grid.caption"))).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("textbox", name="Table 1")).to_be_focused()
    for key in ("ArrowDown", "ArrowRight", "F2"):
        page.keyboard.press(key)
    page.keyboard.type("new")
    page.keyboard.press("Tab")
    expect(cell(page, 1, 1)).to_have_text("new")
    expect(cell(page, 1, 2)).to_have_class("cell active")
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_role("textbox", name=EN("grid.caption"))).to_be_focused()


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
    assert sent(page) == []
    cell(page, 900, 0).click()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    assert sent(page)[0]["changes"] == [text_set(900, 0, "row 900")]
    expect(page.get_by_role("button", name="Next doubtful (1)")).to_be_visible()


def test_the_picture_of_the_page_and_the_table_point_at_each_other(page: Page, give: Give) -> None:
    give()
    cell(page, 1, 1).click()
    here = {"job": "job-1", "page": 2, "table": 0}
    assert page.evaluate("window.places") == [{**here, "row": 1, "col": 1}]
    for other in ({"job": "job-2"}, {"table": 1}):
        pick(page, {**here, **other, "row": 2, "col": 0})
    expect(cell(page, 1, 1)).to_have_class("cell active")
    pick(page, {**here, "row": 2, "col": 0})
    expect(cell(page, 2, 0)).to_have_class("cell active")
    assert len(page.evaluate("window.places")) == 1


def pick(page: Page, detail: dict[str, Any]) -> None:
    page.evaluate('detail => document.dispatchEvent(new CustomEvent("workbench:picked", { detail }))', detail)


# What it looks like ---------------------------------------------------------------------------------------------------


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


def test_header_rows_stay_in_sight_and_are_edited_there(page: Page, give: Give) -> None:
    rows = [Cell(row=row, col=0, text=f"row {row}", header=row < 2) for row in range(300)]
    give(Table(n_rows=300, n_cols=1, cells=tuple(rows)))
    cell(page, 5, 0).click()
    page.keyboard.press("Control+End")
    expect(cell(page, 1, 0)).to_be_in_viewport()
    cell(page, 1, 0).dblclick()
    expect(open_field(page)).to_have_value("row 1")
    assert open_field(page).bounding_box() == cell(page, 1, 0).bounding_box()
    page.keyboard.press("Escape")
    page.keyboard.press("Control+End")
    for _ in range(30):
        page.keyboard.press("ArrowUp")
    shown, head = page.locator(".cell.active").bounding_box(), cell(page, 1, 0).bounding_box()
    assert shown["y"] >= head["y"] + head["height"]


def test_columns_and_one_line_rows_keep_their_size_while_a_cell_is_edited(page: Page, give: Give) -> None:
    give(Table.from_rows([["Item", "Sum"], ["Pen and paper for the office", "1,204.50"], ["Ink", "20"]]))
    before = [cell(page, row, 1).bounding_box() for row in range(3)]
    expect(cell(page, 1, 1)).to_have_css("text-align", "right")
    expect(cell(page, 1, 0)).to_have_css("text-align", "start")
    cell(page, 1, 1).dblclick()
    expect(open_field(page)).to_have_css("text-align", "right")
    assert open_field(page).bounding_box()["height"] == before[1]["height"]
    page.keyboard.type("123,456,789.00")
    page.keyboard.press("Enter")
    assert [cell(page, row, 1).bounding_box() for row in range(3)] == before
    write(page, 2, 1, "9" * 30)
    wide = cell(page, 2, 1).bounding_box()  # a number is never broken into two lines
    assert wide["height"] == before[2]["height"]
    assert wide["width"] > before[2]["width"]


@pytest.mark.parametrize("rows", [3, 15, 18])
def test_a_table_that_fits_has_nothing_to_scroll(page: Page, give: Give, rows: int) -> None:
    give(Table.from_rows([["a", "b"]] * rows))
    overflow = "frame => [frame.scrollHeight - frame.clientHeight, frame.scrollWidth - frame.clientWidth]"
    assert page.locator(".frame").evaluate(overflow) == [0, 0]
    cell(page, rows - 1, 1).dblclick()
    expect(open_field(page)).to_be_focused()
    assert page.locator(".frame").evaluate(overflow) == [0, 0]


def test_the_table_does_not_move_when_the_status_changes(page: Page, give: Give) -> None:
    give()
    before = cell(page, 0, 0).bounding_box()
    write(page, 0, 0, "one")
    expect(page.get_by_role("status")).to_have_text(EN("grid.saving"))
    give(version=1, answered=sent(page)[0]["id"], done=1)
    expect(page.get_by_role("status")).to_have_text(EN("grid.saved"))
    assert cell(page, 0, 0).bounding_box() == before
    status, frame = page.get_by_role("status").bounding_box(), page.locator(".frame").bounding_box()
    assert status["y"] + status["height"] <= frame["y"]


def test_on_a_phone_the_tools_are_one_row(page: Page, give: Give) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.locator("main").evaluate("main => (main.style.width = '350px')")
    give()
    tops = page.locator(".bar button").evaluate_all("all => all.map((one) => one.getBoundingClientRect().top)")
    assert len(set(tops)) == 1
    assert page.locator(".bar").evaluate("bar => bar.scrollWidth > bar.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_hostile_texts_are_texts(page: Page, give: Give) -> None:
    hostile = Table.from_rows([[text] for text in HOSTILE]).model_copy(update={"caption": HOSTILE[1]})
    give(hostile, label=HOSTILE[2])
    for row, text in enumerate(HOSTILE):
        expect(cell(page, row, 0)).to_have_text(text, use_inner_text=False)
        cell(page, row, 0).dblclick()
        expect(open_field(page)).to_have_value(text)
        page.keyboard.press("Escape")
    write(page, 0, 0, HOSTILE[3])
    (first,) = sent(page)
    give(Table.from_rows([["x"]]), 4, answered=first["id"], error=HOSTILE[1], code="edit-conflict")
    expect(kept(page)).to_have_text([HOSTILE[3]])
    expect(page.locator(".status")).to_have_text(HOSTILE[1])
    assert page.locator("main :is(img, script, svg, iframe, b, a)").count() == 0
    assert page.evaluate("window.harmed") is None
