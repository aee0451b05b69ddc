"""Runs of a component in the orders in which Streamlit makes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace

import pytest
from playwright.sync_api import Browser, expect

from mineru_core.document.geometry import Box
from tests.browser.grid_alone import Server, give_to, grid_alone
from tests.browser.view_alone import View, block, boxes, view_alone

pytestmark = pytest.mark.browser

MOUNT_BOTH = """([first, second]) => {
  const run = (data) => mount({ data, parentElement: document.querySelector("main"), setTriggerValue: () => {} });
  window.stops = [run(first), run(second)];
}"""

PLACE = """() => document.dispatchEvent(new CustomEvent("workbench:place", {
  detail: { job: "job", page: 1, box: [50, 60, 500, 90] },
}))"""

COUNT_PICKS = """() => {
  window.picks = 0;
  document.querySelector(".editor").editor.picked = () => (window.picks += 1);
}"""


@pytest.fixture
def view(browser: Browser) -> Iterator[View]:
    with view_alone(browser, {1: boxes(blocks=[block(Box(50, 60, 500, 90))])}) as found:
        yield found


def test_a_run_that_was_overtaken_and_comes_late_does_not_stay(view: View) -> None:
    page, layers = view.page, view.page.locator('[data-tool="layers"]')
    done = replace(view.data, version=3)
    running = replace(done, version=None, done=False)
    page.evaluate(MOUNT_BOTH, [asdict(done), asdict(running)])
    expect(layers).to_have_attribute("aria-disabled", "true")
    page.evaluate("window.stops[1]()")  # at once, since it was overtaken
    expect(layers).to_have_attribute("aria-disabled", "false")


def test_a_run_that_was_overtaken_in_its_order_changes_nothing(view: View) -> None:
    done = replace(view.data, version=3)
    running = replace(done, version=None, done=False)
    view.page.evaluate(MOUNT_BOTH, [asdict(running), asdict(done)])
    view.page.evaluate("window.stops[0]()")
    view.page.evaluate("new Promise((done) => setTimeout(done, 50))")
    expect(view.page.locator('[data-tool="layers"]')).to_have_attribute("aria-disabled", "false")
    view.page.evaluate(PLACE)
    expect(view.page.locator(".place")).to_be_visible()  # it still listens


def test_what_a_component_listens_to_ends_with_its_next_run(browser: Browser) -> None:
    with grid_alone(browser, Server()) as page:
        give = give_to(page, Server())
        for version in range(3):
            give(version=version)
        page.evaluate(COUNT_PICKS)
        pick = "document.dispatchEvent(new CustomEvent('workbench:picked', { detail: { job: 'job-1' } }))"
        page.evaluate(pick)
        assert page.evaluate("window.picks") == 1
        page.evaluate("document.querySelector('.editor').remove(); done()")
        page.evaluate(pick)
        assert page.evaluate("window.picks") == 1
