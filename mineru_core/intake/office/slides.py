"""PowerPoint decks: each slide is a page, drawn here, with its words, tables and charts as they are stored."""

from __future__ import annotations

import math
import threading
from xml.etree.ElementTree import Element

from mineru_core.document.page import Page, PageTransform
from mineru_core.errors import CorruptOffice, InvalidRequest, NoPages, UnsupportedType
from mineru_core.intake.office.drawing import Sheet, SlideDrawing
from mineru_core.intake.office.frames import EMU_A_POINT, whole
from mineru_core.intake.office.package import OfficePackage
from mineru_core.intake.office.theme import Theme

MAX_SIDE = 2000
"""Pixels of a slide's longer side; a slide of 13.33 × 7.5 inches then has 150 a inch."""
_DPI = 150.0
_POINTS_PER_INCH = 72.0
_USUAL_SIZE = (9_144_000, 6_858_000)
_LEAST_SIDE_EMU = 12_700


class PptxFile:
    """An open deck of ``page_count`` slides, hidden ones too, as the program counts them. Safe to use from several
    threads.

    Raises ``CorruptOffice``, ``FileTooLarge``, ``NoPages`` for a deck without slides and ``UnsupportedType`` for a
    file that is no deck.
    """

    def __init__(self, data: bytes, max_pixels: int) -> None:
        self._lock = threading.Lock()
        self._package: OfficePackage | None = OfficePackage(data)
        package = self._package
        deck = package.xml(package.main)
        if deck.tag != "presentation":
            raise UnsupportedType("The Office file is no PowerPoint deck.", "Save it as PPTX or PDF.")
        known = package.relations(package.main)
        listed = deck.find("sldIdLst")
        ids = [node.get("r:id", "") for node in (listed if listed is not None else ())]
        self._slides = [known[name].target if name in known else "" for name in ids]
        if not self._slides:
            raise NoPages("The deck has no slides.", "Upload a deck that has slides.")
        size = deck.find("sldSz")
        self._size = (
            max(whole(None if size is None else size.get("cx"), _USUAL_SIZE[0]), _LEAST_SIDE_EMU),
            max(whole(None if size is None else size.get("cy"), _USUAL_SIZE[1]), _LEAST_SIDE_EMU),
        )
        self._text_style = deck.find("defaultTextStyle")
        self._max_pixels = max_pixels
        self._sheets: dict[str, Sheet] = {}

    @property
    def page_count(self) -> int:
        """Slides of the deck."""
        return len(self._slides)

    def page(self, number: int, source: str) -> Page:
        """Slide ``number`` (from 1) drawn, with its words and what it stores as data. Raises ``CorruptOffice`` where a
        part of it is missing or damaged, ``InvalidRequest`` after ``close()``."""
        with self._lock:
            if self._package is None:
                raise InvalidRequest("The document is closed.", "Open it again.")
            name = self._slides[number - 1]
            if not self._package.has(name):
                raise CorruptOffice(f"The deck lacks its slide {number}.")
            self._package.begin_page()
            scale = self._scale()
            width, height = (max(1, round(side * scale)) for side in self._size)
            drawing = SlideDrawing(self._package, (width, height), scale, self._text_style, self._max_pixels)
            layers = self._layers(name)
            natives = drawing.draw(layers)
        points = EMU_A_POINT * scale
        return Page(
            pixels=drawing.canvas.pixels(),
            source=source,
            number=number,
            dpi=points * _POINTS_PER_INCH,
            text_layer=drawing.canvas.words or None,
            transform=PageTransform(
                scale=points, source_width=self._size[0] / EMU_A_POINT, source_height=self._size[1] / EMU_A_POINT
            ),
            natives=natives,
        )

    def close(self) -> None:
        """Let go of the file; calling it again does nothing."""
        with self._lock:
            if self._package is not None:
                self._package.close()
            self._package = None
            self._sheets.clear()

    def _scale(self) -> float:
        """Pixels an EMU: 150 dpi, or what fits the longest side and the most pixels a page may have."""
        width, height = self._size
        scale = min(_DPI / (_POINTS_PER_INCH * EMU_A_POINT), MAX_SIDE / max(width, height))
        return min(scale, 0.99 * math.sqrt(self._max_pixels / (width * height)))

    def _layers(self, slide: str) -> tuple[Sheet, Sheet, Sheet]:
        """Master, layout and slide; an empty one where the deck lacks it."""
        package = self._package
        assert package is not None
        layout = next(iter(package.related(slide, "slideLayout")), "")
        master = next(iter(package.related(layout, "slideMaster")), "") if layout else ""
        upper = self._sheet(master, None)
        middle = self._sheet(layout, upper)
        root = package.xml(slide)
        # A slide may map the names anew: a dark one in a light deck.
        override = root.find("clrMapOvr/overrideClrMapping")
        theme = middle.theme if override is None else middle.theme.mapped(override.attrib)
        return upper, middle, Sheet(slide, root, theme)

    def _sheet(self, name: str, above: Sheet | None) -> Sheet:
        """A master or a layout, read once for all the slides that stand on it."""
        assert self._package is not None
        if not name:
            return Sheet("", Element("none"), Theme() if above is None else above.theme)
        if name not in self._sheets:
            root = self._package.xml(name)
            if above is None:
                found = self._package.related(name, "theme")
                node = root.find("clrMap")
                theme = Theme(self._package.xml(found[0]) if found else None, None if node is None else node.attrib)
            else:
                theme = above.theme
            self._sheets[name] = Sheet(name, root, theme)
        return self._sheets[name]
