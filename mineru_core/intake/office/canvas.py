"""What a page is drawn on: a picture, and beside it every word that was written with its place."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from PIL import Image, ImageDraw

from mineru_core.document.geometry import Box, Quad
from mineru_core.document.page import Pixels, Word
from mineru_core.errors import FileTooLarge
from mineru_core.intake.office.fonts import pieces

Colour = tuple[int, int, int, int]
"""Red, green, blue and opacity, 0..255."""
BLACK: Colour = (0, 0, 0, 255)
WHITE: Colour = (255, 255, 255, 255)
GREY: Colour = (150, 150, 150, 255)

Corner = tuple[float, float]

MAX_CHARACTERS = 100_000
"""Characters of one page; a newspaper's page has some 20 000."""
MAX_PAINTED = 3_000_000_000
"""Pixels that may be painted on one page, whatever paints several times as dear counted as often. Pages of thousands of
pictures laid over each other would take hours."""
_LEAST_PAINTED = 5_000
_DARK = 110
_MOST_AT_ONCE = 2_000
"""Characters of one line that are drawn: more reach beyond any page, and their picture would fill the memory."""
_PICTURE_COST, _LAYER_COST = 10, 20
FARTHEST = 50_000.0
"""Places beyond this many pixels are off any page; larger ones would overflow the drawing's integers."""


@dataclass(frozen=True, slots=True)
class TextStyle:
    """How text is written: ``size`` of the font in pixels."""

    size: int = 24
    bold: bool = False
    colour: Colour = BLACK


class Canvas:
    """A picture of ``width`` × ``height`` pixels. ``words`` are in the order of writing, clipped to the picture."""

    def __init__(self, width: int, height: int, ground: Colour = WHITE) -> None:
        self._image = Image.new("RGB", (width, height), ground[:3])
        self._layer(self._image)
        self._words: list[Word] = []
        self._characters = self._painted = 0
        self._dx = self._dy = 0.0
        self.size = (width, height)

    @property
    def words(self) -> tuple[Word, ...]:
        """Every word with its place on the page."""
        clipped = (Word(word.text, word.box.clipped(*self.size)) for word in self._words)
        return tuple(word for word in clipped if word.box.area > 0)

    def pixels(self) -> Pixels:
        """(height, width, 3) uint8 RGB, read-only."""
        pixels: Pixels = np.ascontiguousarray(np.asarray(self._image.convert("RGB")))
        pixels.flags.writeable = False
        return pixels

    def is_dark(self, box: Box) -> bool:
        """Whether the ground in a box is too dark for black writing."""
        x0, y0, x1, y1 = (round(value) for value in box.shifted(self._dx, self._dy).clipped(*self._target.size))
        if x1 <= x0 or y1 <= y0:
            return False
        grey = self._target.convert("RGB").resize((8, 8), Image.Resampling.NEAREST, box=(x0, y0, x1, y1)).convert("L")
        return float(np.median(np.asarray(grey))) < _DARK

    def write(self, x: float, baseline: float, text: str, style: TextStyle) -> None:
        """Write one line that starts at ``x``."""
        self._characters += len(text)
        check_characters(self._characters)
        if not (abs(x) < FARTHEST and abs(baseline) < FARTHEST):
            return
        left, y = x + self._dx, baseline + self._dy
        for piece, font in pieces(text, style.size, style.bold):
            if left > self._target.width:
                break  # the rest runs off the page
            self._draw.text((left, y), piece[:_MOST_AT_ONCE], fill=style.colour, font=font, anchor="ls")
            for found in re.finditer(r"\s+|\S+", piece):
                word = found.group()
                if not word.isspace() and left <= self._target.width:
                    x0, y0, x1, y1 = font.getbbox(word, anchor="ls")
                    self._add_word(word, Box(left + x0, y + y0, left + x1, y + y1), joins=found.start() == 0)
                left += font.getlength(word)
            self._open_end = not piece[-1:].isspace()
        self._open_end = False

    def rectangle(self, box: Box, fill: Colour | None, line: Colour | None = None, thickness: int = 1) -> None:
        """A filled and outlined rectangle."""
        self.polygon(Quad.from_box(box), fill, line, thickness)

    def polygon(
        self, corners: Sequence[Corner], fill: Colour | None, line: Colour | None = None, thickness: int = 1
    ) -> None:
        """A filled and outlined polygon."""
        places = self._moved(corners)
        if len(places) < 2:
            return
        self._pay(_around(places).clipped(*self.size).area)
        if fill is not None and fill[3] > 0:
            self._draw.polygon(places, fill=fill)
        if line is not None:
            self._draw.line([*places, places[0]], fill=line, width=max(1, thickness), joint="curve")

    def ellipse(self, box: Box, fill: Colour | None, line: Colour | None = None, thickness: int = 1) -> None:
        """An ellipse in a box."""
        self.polygon(arc(box, 0, 360), fill, line, thickness)

    def line(self, places: Sequence[Corner], colour: Colour, thickness: int = 1) -> None:
        """A line from place to place."""
        if len(places) > 1:
            self._pay(_LEAST_PAINTED * len(places) / 10)
            self._draw.line(self._moved(places), fill=colour, width=max(1, thickness), joint="curve")

    def picture(self, picture: Image.Image, box: Box) -> None:
        """A picture stretched over a box; only what is seen of it is resized."""
        place = box.shifted(self._dx, self._dy)
        seen = place.clipped(*self._target.size)
        x0, y0, x1, y1 = (round(value) for value in seen)
        if x1 <= x0 or y1 <= y0 or place.area <= 0:
            return
        sx, sy = picture.width / place.width, picture.height / place.height
        part = ((x0 - place.x0) * sx, (y0 - place.y0) * sy, (x1 - place.x0) * sx, (y1 - place.y0) * sy)
        part = Box(*part).clipped(*picture.size)
        if part.area > 0:
            self._pay(_PICTURE_COST * max(seen.area, part.area))
            resized = picture.resize((x1 - x0, y1 - y0), Image.Resampling.BILINEAR, box=part, reducing_gap=2.0)
            self._target.paste(resized, (x0, y0), resized if resized.mode == "RGBA" else None)

    @contextmanager
    def turned(self, box: Box, degrees: float) -> Iterator[None]:
        """What is drawn meanwhile, as if upright, is turned clockwise around the middle of ``box``."""
        degrees %= 360.0
        room = 0.25 * max(box.width, box.height) + 40
        layer = box.expanded(room)
        too_large = layer.width * layer.height > 2 * self.size[0] * self.size[1] + 1_000_000
        if degrees == 0 or too_large or self._target is not self._image:
            yield
            return
        self._pay(_LAYER_COST * layer.width * layer.height)
        start = len(self._words)
        self._layer(Image.new("RGBA", (max(1, round(layer.width)), max(1, round(layer.height))), (0, 0, 0, 0)))
        self._dx, self._dy = -layer.x0, -layer.y0
        try:
            yield
        finally:
            drawn = self._target.rotate(-degrees, Image.Resampling.BICUBIC, expand=True)
            self._dx = self._dy = 0.0
            self._layer(self._image)
            (cx, cy) = box.center
            self._image.paste(drawn, (round(cx - drawn.width / 2), round(cy - drawn.height / 2)), drawn)
            for place in range(start, len(self._words)):
                word = self._words[place]
                upright = word.box.shifted(layer.x0, layer.y0)
                self._words[place] = Word(word.text, turned_box(upright, (cx, cy), degrees))

    def _pay(self, pixels: float) -> None:
        self._painted += max(round(pixels), _LEAST_PAINTED)
        if self._painted > MAX_PAINTED:
            raise FileTooLarge("A page has more on it than can be drawn.", "Save the page as a picture.")

    def _layer(self, image: Image.Image) -> None:
        self._target = image
        # In this mode a colour's opacity blends it with what is there.
        self._draw = ImageDraw.Draw(image, "RGBA" if image.mode == "RGB" else None)
        self._open_end = False

    def _add_word(self, text: str, box: Box, joins: bool) -> None:
        """A word; one whose characters come from several fonts is put together again."""
        if joins and self._open_end and self._words:
            last = self._words[-1]
            self._words[-1] = Word(last.text + text, last.box.union(box))
        else:
            self._words.append(Word(text, box))

    def _moved(self, places: Sequence[Corner]) -> list[Corner]:
        return [
            (min(max(x + self._dx, -FARTHEST), FARTHEST), min(max(y + self._dy, -FARTHEST), FARTHEST))
            for x, y in places
        ]


def check_characters(count: int) -> None:
    """Raise ``FileTooLarge`` for more characters than a page may have."""
    if count > MAX_CHARACTERS:
        raise FileTooLarge(f"A page holds more than {MAX_CHARACTERS} characters.", "Split the page.")


def _around(places: Sequence[Corner]) -> Box:
    xs, ys = [place[0] for place in places], [place[1] for place in places]
    return Box(min(xs), min(ys), max(xs), max(ys))


def turned_place(place: Corner, center: Corner, degrees: float) -> Corner:
    """The place turned clockwise around a centre."""
    sine, cosine = math.sin(math.radians(degrees)), math.cos(math.radians(degrees))
    dx, dy = place[0] - center[0], place[1] - center[1]
    return center[0] + dx * cosine - dy * sine, center[1] + dx * sine + dy * cosine


def turned_box(box: Box, center: Corner, degrees: float) -> Box:
    """The box around the turned corners of a box."""
    return _around([turned_place(corner, center, degrees) for corner in Quad.from_box(box)])


def arc(box: Box, start: float, end: float, hole: float = 0.0) -> list[Corner]:
    """Places along an ellipse in a box, clockwise degrees from three o'clock; with a ``hole`` (0..1 of the radius),
    those of a ring's sector, without one and less than a full turn, those of a slice."""
    (cx, cy), rx, ry = box.center, box.width / 2, box.height / 2
    steps = max(2, math.ceil(abs(end - start) / 3))
    angles = [math.radians(start + (end - start) * step / steps) for step in range(steps + 1)]
    outer = [(cx + rx * math.cos(angle), cy + ry * math.sin(angle)) for angle in angles]
    if hole > 0:
        return [*outer, *((cx + rx * hole * math.cos(a), cy + ry * hole * math.sin(a)) for a in reversed(angles))]
    return outer if end - start >= 360 else [(cx, cy), *outer]


def edges(start: float, sizes: Iterable[float]) -> list[float]:
    """Where columns or rows of these sizes begin, and where the last one ends."""
    return list(accumulate(sizes, initial=start))
