"""Running text as it stands on the pages."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from mineru_core.document.analysis import Block, BlockType, PageAnalysis
from mineru_core.document.table import Table
from mineru_core.ui.analyse.charts import rows_of
from mineru_core.ui.analyse.tables import framed_html
from mineru_core.ui.i18n import Translator
from mineru_core.ui.text import html

SHOWN_CHARS = 120_000
"""Letters of HTML after which a text is broken off: the browser cleans all of it anew with every change."""

_SIDE = frozenset(
    {
        BlockType.HEADER,
        BlockType.FOOTER,
        BlockType.PAGE_NUMBER,
        BlockType.PAGE_FOOTNOTE,
        BlockType.IMAGE_CAPTION,
        BlockType.TABLE_CAPTION,
    }
)


def show_pages_text(pages: Sequence[PageAnalysis], t: Translator) -> None:
    """The text of every page that was read, as far as a browser shows it without delay."""
    if not any(block.text.strip() or block.table or block.chart for page in pages for block in page.blocks):
        st.html(f'<p class="wb-none">{html(t("text.none"))}</p>')
        return
    st.html(f'<div class="wb-text">{pages_html(pages, t)}</div>')


def pages_html(pages: Sequence[PageAnalysis], t: Translator) -> str:
    """Pages one after the other as HTML, until some ``SHOWN_CHARS`` letters of it; then a line that there is more."""
    parts: list[str] = []
    used = 0
    for page in pages:
        if len(pages) > 1:
            parts.append(f'<div class="wb-page">{html(t("text.page", page=page.page))}</div>')
        for block in page.blocks:
            if used > SHOWN_CHARS:
                parts.append(f'<p class="wb-quiet">{html(t("result.more_text"))}</p>')
                return "".join(parts)
            parts.append(block_html(block, t))
            used += len(parts[-1])
    return "".join(parts)


def block_html(block: Block, t: Translator) -> str:
    """A title, a paragraph, a table or a chart's data as HTML, every text escaped; "" for a block without text."""
    if block.table is not None:
        return framed_html(block.table, t)
    if block.chart is not None:
        return framed_html(Table.from_rows(rows_of(block.chart)), t)
    text = block.text.strip()
    if not text:
        return ""
    if len(text) > SHOWN_CHARS:
        text = f"{text[:SHOWN_CHARS]}…"
    kind = "wb-heading" if block.type is BlockType.TITLE else "wb-side" if block.type in _SIDE else ""
    return f'<p class="{kind}">{html(text)}</p>'
