"""A page whose server cannot be reached for a while."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect

from mineru_core.ui.i18n import Translator
from tests.browser.conftest import WAIT_MS

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(("locale", "language"), [("en-US", "en"), ("zh-CN", "zh")])
def test_a_lost_connection_is_said_until_it_is_back(
    browser: Browser, echo_server: str, locale: str, language: str
) -> None:
    t = Translator(language)
    page = browser.new_context(locale=locale).new_page()
    page.set_default_timeout(WAIT_MS)
    try:
        page.goto(echo_server)
        expect(page.get_by_role("heading", name=t("hero.title"))).to_be_visible()
        said = page.get_by_role("alert").filter(has_text=t("app.offline"))
        expect(page.locator(".wb-offline")).to_be_attached()
        expect(said).to_have_count(0)
        page.route(re.compile("/_stcore/"), lambda route: route.abort())
        page.evaluate("window.streamlitDebug.disconnectWebsocket()")
        expect(said).to_be_visible()
        expect(page.get_by_role("heading", name=t("hero.title"))).to_be_visible()
        page.unroute(re.compile("/_stcore/"))
        expect(said).to_have_count(0)
        expect(page.get_by_test_id("stDialog")).to_have_count(0)
    finally:
        page.context.close()
