"""Colours of the page view, after Okabe and Ito's set, darkened to stand on white paper.

Looks that share a line style are told apart by colour also with protanopia, deuteranopia and tritanopia; the others
differ in their line.
"""

from __future__ import annotations

from typing import NamedTuple

from mineru_core.document.analysis import BlockType
from mineru_core.document.table import DOUBTFUL_BELOW


class Look(NamedTuple):
    """How a block's outline is drawn: a colour as #rrggbb and a CSS border style."""

    colour: str
    line: str = "solid"


LOOKS: dict[BlockType, Look] = {
    BlockType.TEXT: Look("#006fad"),
    BlockType.TITLE: Look("#ad4d00"),
    BlockType.TABLE: Look("#00402f"),
    BlockType.IMAGE: Look("#8a4c70"),
    BlockType.LIST: Look("#006fad", "dashed"),
    BlockType.TABLE_CAPTION: Look("#00402f", "dashed"),
    BlockType.IMAGE_CAPTION: Look("#8a4c70", "dashed"),
    BlockType.EQUATION: Look("#1676ab", "double"),
    BlockType.CHART: Look("#8a5c0f", "double"),
    BlockType.CODE: Look("#2f2766", "double"),
    BlockType.HEADER: Look("#5f6673", "dotted"),
    BlockType.FOOTER: Look("#5f6673", "dotted"),
    BlockType.PAGE_NUMBER: Look("#5f6673", "dotted"),
    BlockType.PAGE_FOOTNOTE: Look("#8a5c0f", "dotted"),
    BlockType.REFERENCE: Look("#141122", "dotted"),
}

HEAT: tuple[tuple[int, str], ...] = (
    (95, "#0072b2"),
    (85, "#56b4e9"),
    (round(100 * DOUBTFUL_BELOW), "#e69f00"),
    (0, "#d55e00"),
)
"""Steps of confidence, the surest first: the least percent, and the colour it is filled with."""
