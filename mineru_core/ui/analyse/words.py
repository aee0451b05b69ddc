"""Running text as it stands on the pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import streamlit as st

from mineru_core.document.analysis import Block, BlockType, PageAnalysis
from mineru_core.ui.analyse.tables import table_html
from mineru_core.ui.i18n import Translator
from mineru_core.ui.text import html

SHOWN_CHARS = 120_000

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
    """The text of every page that was read."""
    if not any(block.text.strip() for page in pages for block in page.blocks):
        st.html(f'<p class="wb-none">{html(t("text.none"))}</p>')
        return
    parts: list[str] = []
    used = 0
    for page in pages:
        body = blocks_html(page.blocks)
        if used + len(body) > SHOWN_CHARS and parts:
            parts.append(f'<p class="wb-quiet">{html(t("result.more_text"))}</p>')
            break
        used += len(body)
        if len(pages) > 1:
            parts.append(f'<div class="wb-page">{html(t("text.page", page=page.page))}</div>')
        parts.append(body)
    st.html(f'<div class="wb-text">{"".join(parts)}</div>')


def blocks_html(blocks: Iterable[Block]) -> str:
    """Blocks in reading order as HTML: titles, paragraphs and tables, every text escaped."""
    return "".join(_block_html(block) for block in blocks)


def _block_html(block: Block) -> str:
    if block.table is not None:
        return f'<div class="wb-scroll" tabindex="0">{table_html(block.table)}</div>'
    if not block.text.strip():
        return ""
    kind = "wb-heading" if block.type is BlockType.TITLE else "wb-side" if block.type in _SIDE else ""
    return f'<p class="{kind}">{html(block.text.strip())}</p>'
