"""A page whose server cannot be reached for a while."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, WebSocketRoute, expect

from mineru_core.ui.i18n import Translator
from tests.browser.conftest import WAIT_MS

pytestmark = pytest.mark.browser

STREAM, ALIVE = re.compile("/_stcore/stream"), re.compile("/_stcore/")


@pytest.mark.parametrize(
    ("path", "locale", "language", "title"),
    [("/", "en-US", "en", "hero.title"), ("/loadtest", "zh-CN", "zh", "load.title")],
)
def test_a_lost_connection_is_said_until_it_is_back(
    browser: Browser, echo_server: str, path: str, locale: str, language: str, title: str
) -> None:
    t = Translator(language)
    page = browser.new_context(locale=locale).new_page()
    page.set_default_timeout(WAIT_MS)
    sockets: list[WebSocketRoute] = []

    def through(socket: WebSocketRoute) -> None:
        socket.connect_to_server()
        sockets.append(socket)

    page.route_web_socket(STREAM, through)
    try:
        page.goto(echo_server + path)
        expect(page.get_by_role("heading", name=t(title))).to_be_visible()
        expect(page.locator(".wb-offline")).to_be_attached()
        said = page.get_by_role("alert").filter(has_text=t("app.offline"))
        expect(said).to_have_count(0)
        page.route(ALIVE, lambda route: route.abort())
        sockets[-1].close()
        expect(said).to_be_visible()
        expect(page.get_by_role("heading", name=t(title))).to_be_visible()
        page.unroute(ALIVE)
        expect(said).to_have_count(0)
    finally:
        page.context.close()
