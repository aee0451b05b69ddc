"""Changes of the grid editor while the server is away: they are sent until it answers, and the page is not left."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Dialog, Page, expect

from mineru_core.document.table import Table
from tests.browser.grid_alone import (
    EN,
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

LEAVES = "() => window.dispatchEvent(new Event('beforeunload', { cancelable: true }))"
"""Whether the page would be left without a question."""


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


def test_without_an_answer_the_message_is_sent_again_for_as_long_as_it_takes(page: Page, give: Give) -> None:
    give()
    write(page, 0, 0, "one")
    page.clock.run_for(31_000)
    assert len(sent(page)) == 3
    expect(page.get_by_role("status")).to_have_text(EN("grid.lost"))
    write(page, 1, 0, "two")  # done in the outage; it must not stay behind
    page.clock.run_for(600_000)
    found = sent(page)
    assert 11 < len(found) < 16  # the pauses have grown, and end nowhere
    assert all(one == found[0] for one in found)
    expect(page.get_by_role("status")).to_have_text(EN("grid.lost"))
    expect(cell(page, 0, 0)).to_have_text("one")
    give(version=1, answered=found[0]["id"], done=1)
    second = sent(page)[-1]
    assert (second["version"], second["changes"]) == (1, [text_set(1, 0, "two")])
    give(version=2, answered=second["id"], done=1)
    expect(page.get_by_role("status")).to_have_text(EN("grid.saved"))
    page.clock.run_for(600_000)
    assert sent(page)[-1] == second


@pytest.mark.parametrize("sign", ["run", "online", "visibilitychange"])
def test_what_is_late_is_sent_at_once_where_the_server_can_be_reached_again(page: Page, give: Give, sign: str) -> None:
    give()
    write(page, 0, 0, "one")
    page.clock.run_for(85_000)
    before = len(sent(page))
    for _ in range(2):  # once for a sign, however often it comes
        if sign == "run":
            give()
        else:
            page.evaluate("sign => document.dispatchEvent(new Event(sign, { bubbles: true }))", sign)
    assert len(sent(page)) == before + 1
    assert sent(page)[-1] == sent(page)[0]


def test_what_is_late_is_said_with_whatever_else_is_said(page: Page, give: Give) -> None:
    give()
    write(page, 0, 0, "one")
    page.clock.run_for(11_000)
    cell(page, 1, 0).click()
    page.keyboard.press("F8")
    expect(page.get_by_role("status")).to_have_text(f"{EN('grid.lost')} {EN('grid.none_doubtful')}")


def test_the_page_is_not_left_without_a_question_while_something_is_unsaved(page: Page, give: Give) -> None:
    give()
    assert page.evaluate(LEAVES)
    write(page, 0, 0, "one")
    write(page, 1, 0, "two")
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", stay)
    page.evaluate("location.reload()")
    assert asked == ["beforeunload"]
    expect(cell(page, 0, 0)).to_have_text("one")
    give(version=1, answered=sent(page)[0]["id"], done=1)
    assert not page.evaluate(LEAVES)  # the second change is on its way
    changed = Table.from_rows([["a", "b"], ["other", "d"], ["e", "f"]])
    give(changed, 7, answered=sent(page)[1]["id"], error="Changed elsewhere.", code="edit-conflict")
    expect(kept(page)).to_have_text(["two"])
    assert page.evaluate(LEAVES)  # what is not saved is told as that
    write(page, 1, 0, "three")
    give(version=8, answered=sent(page)[2]["id"], done=1)
    assert page.evaluate(LEAVES)


def test_what_was_made_though_its_answer_was_lost_is_not_kept_as_unsaved(page: Page, give: Give) -> None:
    give()
    write(page, 0, 0, "one")
    (first,) = sent(page)
    made = Table.from_rows([["one", "b"], ["c", "d"], ["e", "f"]])
    give(made, 1, answered=first["id"], error="Changed elsewhere.", code="edit-conflict")  # the server was started anew
    expect(cell(page, 0, 0)).to_have_text("one")
    expect(kept(page)).to_have_count(0)
