"""Recognised text never becomes markup, whatever it says."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from mineru_core.document.analysis import Block, BlockType
from mineru_core.document.geometry import Box
from mineru_core.document.table import Cell, Table
from mineru_core.document.task import Change, ChangeKind, FieldValue, Match, Quote
from mineru_core.ui.analyse.answer import field_html, match_html, quote_html
from mineru_core.ui.analyse.changes import change_html
from mineru_core.ui.analyse.tables import caption_html, table_html
from mineru_core.ui.analyse.words import block_html
from mineru_core.ui.i18n import Translator

EVIL = st.one_of(
    st.text(max_size=40),
    st.sampled_from(["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", '"><svg onload=x>', "</div><b>"]),
)
OWN_TAGS = {
    *("p", "div", "table", "tbody", "thead", "tr", "td", "th", "mark", "dt", "dd", "small", "br", "caption"),
    *("span", "ins", "del"),
}
OWN_ATTRIBUTES = {"class", "title", "rowspan", "colspan", "tabindex", "role", "data-wb-page", "data-wb-box"}


class Tags(HTMLParser):
    def __init__(self, markup: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


def assert_only_our_markup(markup: str) -> None:
    found = Tags(markup)
    assert found.tags <= OWN_TAGS
    assert found.attributes <= OWN_ATTRIBUTES


@given(EVIL, EVIL)
def test_tables(text: str, other: str) -> None:
    cells = (Cell(row=0, col=0, text=text, confidence=0.2), Cell(row=0, col=1, text=other))
    table = Table(n_rows=1, n_cols=2, cells=cells)
    assert_only_our_markup(table_html(table) + caption_html(text))


@given(EVIL)
def test_blocks(text: str) -> None:
    for kind in BlockType:
        block = Block(type=kind, box=Box(0, 0, 1, 1), order=0, text=text)
        assert_only_our_markup(block_html(block, Translator("en")))


@given(EVIL, EVIL, EVIL)
def test_matches_keep_their_line(before: str, hit: str, after: str) -> None:
    text = before + hit + after
    match = Match(text=text, start=len(before), end=len(before + hit), page=1, box=Box(0, 0, 1, 1))
    assert_only_our_markup(match_html(match))


@given(EVIL, EVIL)
def test_fields(name: str, value: str) -> None:
    t = Translator("en")
    for field in (FieldValue(name=name), FieldValue(name=name, value=value, page=1, confidence=0.5)):
        assert_only_our_markup(field_html(field, t, with_page=True))


def test_a_match_is_marked_where_it_is() -> None:
    match = Match(text="a <b> total & more", start=6, end=11, page=1, box=Box(0, 0, 1, 1))
    assert match_html(match) == "a &lt;b&gt; <mark>total</mark> &amp; more"


@given(EVIL, EVIL)
def test_quotes_and_changes(text: str, other: str) -> None:
    t = Translator("en")
    quote = Quote(text=text, page=1, box=Box(0, 0, 1, 1))
    assert_only_our_markup(quote_html(quote, t, with_page=True, with_confidence=True))
    assert_only_our_markup(change_html(Change(kind=ChangeKind.CHANGED, before=text, after=other), t))


def test_how_sure_a_sentence_is_is_told_where_it_answers_a_question() -> None:
    quote = Quote(text="It rains.", page=3, box=Box(0, 0, 1, 1), confidence=0.5)
    t = Translator("en")
    assert Tags(quote_html(quote, t, with_page=True, with_confidence=True)).text == "It rains.Page 3 · 50% sure"
    assert Tags(quote_html(quote, t, with_page=False, with_confidence=False)).text == "It rains."
