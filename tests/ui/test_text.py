from __future__ import annotations

import re
from html import unescape

from hypothesis import given
from hypothesis import strategies as st

from mineru_core.ui.i18n import Translator
from mineru_core.ui.text import counted, css_string, html, kept_days, label, short_seconds, shortened

SPECIAL = "\\`*_{}[]()#+-.!~:$<>|&\"'=^/@"


@given(st.text())
def test_a_label_has_no_bare_markup(text: str) -> None:
    assert not re.search(r"(?<!\\)(?:\\\\)*[`*_\[\]<>$:~#|]", label(text, limit=10_000))


@given(st.text(alphabet=SPECIAL + "ab "))
def test_a_label_says_what_it_was_given(text: str) -> None:
    shown = re.sub(r"\\(.)", r"\1", label(text, limit=10_000)).replace("\u2060", "")
    assert shown == " ".join(text.split())


def test_an_emoji_code_does_not_survive_in_a_label() -> None:
    assert ":smile:" not in re.sub(r"\\(.)", r"\1", label("report :smile:.pdf"))


@given(st.text(), st.integers(min_value=4, max_value=60))
def test_a_shortened_text_is_one_line_within_its_limit(text: str, limit: int) -> None:
    short = shortened(text, limit)
    assert len(short) <= limit
    assert "\n" not in short


def test_a_shortened_name_keeps_its_extension() -> None:
    assert shortened("a-very-long-report-name-of-the-third-quarter.pdf", 24).endswith(".pdf")


@given(st.text())
def test_html_is_text_and_nothing_else(text: str) -> None:
    assert not re.search(r"[<>\"']", html(text))
    assert unescape(html(text)) == text


@given(st.text())
def test_a_css_string_ends_only_at_its_end(text: str) -> None:
    inner = css_string(text)[1:-1]
    assert not re.search(r"[<>\"\n{}]", inner)


def test_counting_and_durations() -> None:
    t = Translator("en")
    assert counted(t, "result.pages", 1) == "1 page"
    assert counted(t, "result.pages", 3) == "3 pages"
    assert kept_days(t, 7.0) == "7 days"
    assert kept_days(t, 0.2) == "1 day"
    assert (short_seconds(1.26), short_seconds(61.4)) == ("1.3", "61")
