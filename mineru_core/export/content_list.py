"""The result as MinerU's content_list: one flat list of blocks in reading order, as tools built on MinerU read it.

``bbox`` is in thousandths of the page's width and height, ``page_idx`` counts from 0. Fields are those of MinerU 2.5
and later; pictures are not written out, so ``img_path`` is always empty.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from mineru_core.document.analysis import Block, BlockType, PageAnalysis
from mineru_core.export.html import table_to_html
from mineru_core.export.outline import chart_grid
from mineru_core.export.result import DocumentResult
from mineru_core.export.text import one_line, printable

_AS_THEY_ARE = {
    BlockType.HEADER,
    BlockType.FOOTER,
    BlockType.PAGE_NUMBER,
    BlockType.PAGE_FOOTNOTE,
    BlockType.REFERENCE,
}
"""Types whose name and text stand as they are."""
_CAPTIONS = {BlockType.IMAGE_CAPTION, BlockType.TABLE_CAPTION}

Entry = dict[str, Any]


def to_content_list(result: DocumentResult) -> str:
    """The document's blocks as JSON, whatever was asked for; furniture is in it under its own types, as in MinerU's."""
    entries = [entry for page in result.analysis.pages for entry in _page(page)]
    return json.dumps(entries, ensure_ascii=False, indent=2)


def _page(page: PageAnalysis) -> Iterator[Entry]:
    taken: set[int] = set()
    for index, block in enumerate(page.blocks):
        if index in taken:
            continue
        caption = ""
        if block.type in _CAPTIONS:
            following = page.blocks[index + 1] if index + 1 < len(page.blocks) else None
            if following is not None and _takes_captions(following):
                continue  # it is told with the block it stands over
        if _takes_captions(block):
            caption = _caption_of(page.blocks, index, taken)
        yield {**_entry(block, caption), "bbox": _thousandths(block, page), "page_idx": page.page - 1}


def _takes_captions(block: Block) -> bool:
    return block.table is not None or block.type in (BlockType.TABLE, BlockType.IMAGE, BlockType.CHART)


def _caption_of(blocks: tuple[Block, ...], index: int, taken: set[int]) -> str:
    """The caption right before the block, else the one right after it, which is then taken."""
    if index and blocks[index - 1].type in _CAPTIONS and index - 1 not in taken:
        return _text(blocks[index - 1])
    after = index + 1
    if after < len(blocks) and blocks[after].type in _CAPTIONS:
        beyond = blocks[after + 1] if after + 1 < len(blocks) else None
        if beyond is None or not _takes_captions(beyond):
            taken.add(after)
            return _text(blocks[after])
    table = blocks[index].table
    return one_line(table.caption) if table is not None else ""


def _entry(block: Block, caption: str) -> Entry:
    captions = [caption] if caption else []
    if block.table is not None or block.type is BlockType.TABLE:  # found, and perhaps not read
        body = table_to_html(block.table) if block.table is not None else ""
        return {"type": "table", "img_path": "", "table_caption": captions, "table_footnote": [], "table_body": body}
    if block.chart is not None or block.type is BlockType.CHART:
        return _chart(block, captions)
    if block.type is BlockType.IMAGE:
        return {"type": "image", "img_path": "", "image_caption": captions, "image_footnote": []}
    return _worded(block.type, _text(block))


def _worded(kind: BlockType, text: str) -> Entry:
    if kind is BlockType.EQUATION:
        latex = text.strip().strip("$").strip()
        return {"type": "equation", "img_path": "", "text": f"$$\n{latex}\n$$", "text_format": "latex"}
    if kind is BlockType.CODE:
        return {"type": "code", "sub_type": "code", "code_caption": [], "code_body": text}
    if kind is BlockType.LIST:
        return {"type": "list", "sub_type": "text", "list_items": [line for line in text.split("\n") if line.strip()]}
    if kind is BlockType.TITLE:
        return {"type": "text", "text": text, "text_level": 1}
    return {"type": kind.value if kind in _AS_THEY_ARE else "text", "text": text}


def _chart(block: Block, captions: list[str]) -> Entry:
    content = table_to_html(chart_grid(block.chart).table) if block.chart is not None else ""
    titles = captions or ([block.chart.title] if block.chart is not None and block.chart.title else [])
    return {"type": "chart", "img_path": "", "content": content, "chart_caption": titles, "chart_footnote": []}


def _text(block: Block) -> str:
    return printable(block.plain_text).strip("\n")


def _thousandths(block: Block, page: PageAnalysis) -> list[int]:
    b = block.box
    scaled = (b.x0 / page.width, b.y0 / page.height, b.x1 / page.width, b.y1 / page.height)
    return [min(max(round(1000 * value), 0), 1000) for value in scaled]
