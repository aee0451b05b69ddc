"""Colours of block types: Okabe and Ito's set, darkened to stand on white paper, told apart by dashes too."""

from __future__ import annotations

from typing import NamedTuple

from mineru_core.document.analysis import BlockType


class Look(NamedTuple):
    """How a block's outline is drawn: a colour as #rrggbb and a CSS border style."""

    colour: str
    line: str = "solid"


LOOKS: dict[BlockType, Look] = {
    BlockType.TEXT: Look("#0072b2"),
    BlockType.TITLE: Look("#c4500a"),
    BlockType.TABLE: Look("#00795a"),
    BlockType.EQUATION: Look("#2b86b8", "dashed"),
    BlockType.IMAGE: Look("#b0568a"),
    BlockType.CHART: Look("#9a6700"),
    BlockType.HEADER: Look("#6b7280", "dotted"),
    BlockType.FOOTER: Look("#6b7280", "dotted"),
    BlockType.PAGE_NUMBER: Look("#6b7280", "dotted"),
    BlockType.LIST: Look("#0072b2", "dashed"),
    BlockType.CODE: Look("#5b4bb0", "dashed"),
    BlockType.IMAGE_CAPTION: Look("#b0568a", "dashed"),
    BlockType.TABLE_CAPTION: Look("#00795a", "dashed"),
    BlockType.PAGE_FOOTNOTE: Look("#6b7280", "dashed"),
    BlockType.REFERENCE: Look("#6b7280"),
}
