"""A load test in a real browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from mineru_core.ui.i18n import Translator
from tests.browser.conftest import WAIT_MS

pytestmark = [pytest.mark.browser, pytest.mark.models]

ZH = Translator("zh")
RUN_MS = 120_000


@pytest.fixture
def open_page(browser: Browser, embedded_server: str) -> Iterator[Callable[[str, int], Page]]:
    """Opens the page by its address. Its console is not looked at: Streamlit first asks for its own routes below a
    page's address, where they are not."""
    contexts = []

    def visit(locale: str, width: int) -> Page:
        context = browser.new_context(locale=locale, viewport={"width": width, "height": 900}, accept_downloads=True)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(WAIT_MS)
        page.goto(f"{embedded_server}/loadtest")
        expect(page.locator(".st-key-load_runs")).to_be_visible()
        return page

    yield visit
    for context in contexts:
        context.close()


def start(page: Page, t: Translator, name: str, seconds: int) -> None:
    page.get_by_label(t("load.seconds"), exact=True).fill(str(seconds))
    page.get_by_label(t("load.name")).fill(name)
    page.get_by_label(t("load.name")).press("Tab")
    page.get_by_role("button", name=t("load.start")).click()
    expect(page.get_by_role("button", name=t("load.stop"))).to_be_enabled()


def test_a_run_is_stopped_at_once_on_a_phone(open_page: Callable[[str, int], Page]) -> None:
    page = open_page("zh-CN", 390)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    start(page, ZH, "停", 60)
    expect(page.locator(".st-key-load_live [data-testid='stMetric']").first).to_be_visible(timeout=RUN_MS)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("button", name=ZH("load.stop")).click()
    expect(page.get_by_text(ZH("load.stopped"))).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
