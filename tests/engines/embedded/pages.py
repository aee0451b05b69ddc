"""Lines and pictures of pages made up for tests: words set in a grid of rows and columns, drawn or as boxes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from mineru_core.document.analysis import Line
from mineru_core.document.geometry import Box, Quad
from mineru_core.document.page import Page

FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"


def line(text: str, x0: float, y0: float, x1: float, y1: float) -> Line:
    """A level line of text."""
    box = Box(x0, y0, x1, y1)
    return Line(text=text, box=box, quad=Quad.from_box(box), confidence=0.9)


def column(
    name: str, x0: float, x1: float, y0: float, rows: int, *, height: float = 20, pitch: float = 30
) -> list[Line]:
    """Rows that fill a column, the last one half; texts are NAME0, NAME1 …"""
    return [
        line(f"{name}{n}", x0, y0 + n * pitch, x1 if n < rows - 1 else (x0 + x1) / 2, y0 + n * pitch + height)
        for n in range(rows)
    ]


def rotated(lines: Sequence[Line], degrees: float) -> list[Line]:
    """The lines on a page that was turned by a few degrees about its origin."""
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    turned = []
    for item in lines:
        quad = Quad(*((x * cos - y * sin, x * sin + y * cos) for x, y in item.quad))
        turned.append(item.model_copy(update={"quad": quad, "box": quad.box}))
    return turned


def drawn_page(
    texts: Sequence[tuple[float, float, str]], *, width: int = 1000, height: int = 700, size: int = 26
) -> Page:
    """A white page with texts at (x, y), black."""
    image = Image.new("RGB", (width, height), "white")
    draw = ImageDraw.Draw(image)
    font = ImageFont.truetype(FONT, size)
    for x, y, text in texts:
        draw.text((x, y), text, fill="black", font=font)
    return Page(np.asarray(image), "drawn.png")
