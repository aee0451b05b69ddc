"""Choosing an engine and comparing two answers, in a real browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from mineru_core.ui.i18n import Translator
from tests.browser.conftest import OpenPage, upload
from tests.browser.test_analyse import answer, ask
from tests.documents import table_pdf

pytestmark = [pytest.mark.browser, pytest.mark.models]

EN, ZH = Translator("en"), Translator("zh")


@pytest.mark.parametrize(("locale", "t", "width"), [("en-US", EN, 1280), ("zh-CN", ZH, 390)])
def test_a_second_answer_comes_beside_the_first_and_goes_again(
    open_page: OpenPage, locale: str, t: Translator, width: int
) -> None:
    page = open_page(locale=locale, width=width)
    upload(page, "note.pdf", table_pdf())
    ask(page, "tables")
    answer(page)
    page.get_by_role("button", name=t("again.open")).click()
    page.locator(".st-key-again-echo button").click()
    compared = page.locator(".wb-compare")
    expect(compared.first).to_be_visible()
    expect(page.get_by_role("tab", name=t("tab.tables"))).to_be_visible()
    expect(compared.first.locator("table")).to_have_count(1)
    expect(compared.first).to_contain_text(t("compare.no_table"))
    page.get_by_role("tab", name=t("tab.text")).click()
    expect(compared.nth(1)).to_contain_text("Delivery note 2024")
    assert page.evaluate("document.documentElement.scrollWidth") <= width

    page.go_back()
    expect(compared).to_have_count(0)
    page.go_forward()
    expect(compared.first).to_be_visible()
    page.reload()
    expect(compared.first).to_be_visible()
    expect(page).to_have_url(re.compile("with="))
    page.get_by_role("button", name=t("compare.close")).click()
    answer(page)
    expect(compared).to_have_count(0)
    expect(page).not_to_have_url(re.compile("with="))


def test_the_engine_chosen_reads(open_page: OpenPage) -> None:
    page = open_page()
    page.get_by_role("button", name=EN("engine.current", engine=EN("engine.embedded.title"))).click()
    expect(page.get_by_text(re.compile("Apache-2.0")).first).to_be_visible()
    page.locator("label").filter(has_text="echo").click()
    expect(page.get_by_role("button", name=EN("engine.current", engine="echo"))).to_be_visible()
    page.keyboard.press("Escape")
    upload(page, "note.pdf", table_pdf())
    ask(page, "all text")
    answer(page)
    expect(page.locator(".wb-facts")).to_contain_text("echo")
