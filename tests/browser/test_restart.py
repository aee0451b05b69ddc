"""A page that stays open while the server ends and starts anew."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from mineru_core.ui.i18n import Translator
from tests.browser.conftest import WAIT_MS, upload
from tests.documents import table_pdf
from tests.servers import free_port, serve_process, workbench_environment

pytestmark = [pytest.mark.browser, pytest.mark.long]

EN = Translator("en")


def test_an_open_page_goes_on_after_a_restart(browser: Browser, tmp_path: Path) -> None:
    environment = workbench_environment(tmp_path, tmp_path / "models", ENGINE__NAME="echo")
    port = free_port()
    page = browser.new_context(locale="en-US").new_page()
    page.set_default_timeout(WAIT_MS)
    try:
        with serve_process(environment, port=port) as url:
            page.goto(url)
            upload(page, "note.pdf", table_pdf())
            page.get_by_role("button", name=EN("wishes.everything")).click()
            expect(page.locator(".wb-text").first).to_contain_text("Delivery note 2024")
            before = page.url
        new = page.get_by_role("button", name=EN("history.new"))
        expect(new).to_be_disabled()
        with serve_process(environment, port=port):
            expect(new).to_be_enabled()
            assert page.url == before
            new.click()
            expect(page.get_by_role("heading", name=EN("hero.title"))).to_be_visible()
            expect(page.get_by_test_id("stSidebarNav")).to_have_count(0)
            page.locator(".st-key-history").get_by_role("button").first.click()
            expect(page.locator(".wb-text").first).to_contain_text("Delivery note 2024")
            assert page.url == before
    finally:
        page.context.close()
