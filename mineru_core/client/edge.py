"""What a client does that reads at the edge: with the engine on its own machine, so that hardly any pixels travel."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from PIL import Image
from pydantic import BaseModel, ConfigDict

from mineru_core.client.sending import Parcel
from mineru_core.document.analysis import PageAnalysis, PageFailure
from mineru_core.document.edge import EdgePicture
from mineru_core.document.geometry import Box
from mineru_core.document.page import Page, Pixels
from mineru_core.document.task import Region, Task
from mineru_core.errors import EngineUnavailable
from mineru_core.intake.compression import POLICY, letter_height, shrink, shrink_factor
from mineru_core.intake.document import Source
from mineru_core.intake.edge import write_edge_file
from mineru_core.runtime.context import RunContext

if TYPE_CHECKING:
    from mineru_core.intake.document import Document
    from mineru_core.serving.analyzer import Analyzer

VERSION = 1
_MARGIN = 4
"""Pixels around a block that go with its picture: its frame, and what letters reach beyond it."""
_WIDEST_WEBP = 16_383


class Terms(BaseModel):
    """What a server wants of those who read at the edge: the name of its engine, and the sorts of blocks whose pictures
    that one is to be sent where another has read."""

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="ignore")

    version: int
    engine: str
    crops: tuple[str, ...] = ()

    def check(self) -> None:
        """Raise ``EngineUnavailable`` for a server that takes another form than this client makes."""
        if self.version != VERSION:
            raise EngineUnavailable(
                f"The server takes version {self.version} of documents read at the edge, not {VERSION}.",
                "Use a client and a server of the same release, or send the document: edge=False.",
            )


class EdgeSide:
    """Reads documents here, for a server to answer. Safe to use from several threads.

    ``analyzer`` reads; left out, one with the embedded engine is made at the first document, with the settings of this
    machine, and closed with this. With ``pictures`` each page's picture goes along, reduced as far as its text allows.
    """

    def __init__(self, analyzer: Analyzer | None = None, *, pictures: bool = False) -> None:
        self.terms: dict[str | None, Terms] = {}
        self._analyzer, self._is_own, self._pictures = analyzer, analyzer is None, pictures
        self._lock = threading.Lock()

    def close(self) -> None:
        """Close the analyzer that was made here."""
        with self._lock:
            if self._is_own and self._analyzer is not None:
                self._analyzer.close()
                self._analyzer = None

    def parcel(
        self,
        source: Source,
        words: str | Task,
        *,
        name: str | None,
        regions: Sequence[Region],
        password: str | None,
        terms: Terms,
        ctx: RunContext,
    ) -> Parcel:
        """What is sent in place of the document. Raises what opening and reading it does."""
        from mineru_core.serving.documents import task_of
        from mineru_core.serving.edge import PART_OF_BLOCK, edge_document

        parts = task_of(words, regions).parts
        analyzer = self._reader()
        with analyzer.open(source, name=name, password=password) as document:
            taken, pages = analyzer.take(document, words, regions=regions, ctx=ctx)
            wanted = frozenset[str]()
            if terms.engine != analyzer.name:
                wanted = frozenset(b.value for b, part in PART_OF_BLOCK.items() if b in terms.crops and part in parts)
            pictures = list(_pictures(document, pages, wanted, self._pictures))
            failures = [page for page in pages if isinstance(page, PageFailure)]
            sent = edge_document(document, analyzer.engine, taken, failures, [picture for picture, _ in pictures])
            return Parcel(document.name, write_edge_file(sent, [data for _, data in pictures]))

    def _reader(self) -> Analyzer:
        from mineru_core.serving.analyzer import Analyzer
        from mineru_core.serving.edge import EDGE_ENGINE

        with self._lock:
            if self._analyzer is None:
                self._analyzer = Analyzer(engine=EDGE_ENGINE)
            return self._analyzer


def _pictures(
    document: Document, readings: Sequence[PageAnalysis | PageFailure], crops: frozenset[str], whole: bool
) -> Iterator[tuple[EdgePicture, bytes]]:
    """The pictures to be sent along, page by page: of whole pages, and of blocks of these sorts."""
    pages: dict[int, list[PageAnalysis]] = {}
    for reading in readings:
        if isinstance(reading, PageAnalysis):
            pages.setdefault(reading.page, []).append(reading)
    for number, found in sorted(pages.items()):
        boxes = {block.box: block.type for one in found for block in one.blocks if block.type in crops}
        if not whole and not boxes:
            continue
        page = document.page(number)
        if whole:
            yield EdgePicture(page=number, box=page.box, dpi=page.dpi), encoded(page.pixels)
        for box, block in boxes.items():
            cut = _with_margin(box, page)
            if cut.area > 0:
                part = page.pixels[int(cut.y0) : int(cut.y1), int(cut.x0) : int(cut.x1)]
                yield EdgePicture(page=number, box=cut, block=block), encoded(np.ascontiguousarray(part))


def _with_margin(box: Box, page: Page) -> Box:
    around = box.expanded(_MARGIN).clipped(page.width, page.height)
    x0, y0, x1, y1 = np.floor(around.x0), np.floor(around.y0), np.ceil(around.x1), np.ceil(around.y1)
    return Box(float(x0), float(y0), float(x1), float(y1))


def encoded(pixels: Pixels) -> bytes:
    """A picture reduced as far as its letters allow, as WebP: three fifths of a JPEG's bytes for pages of text."""
    height, width = pixels.shape[:2]
    picture = Image.fromarray(shrink(pixels, shrink_factor(width, height, letter_height(pixels))))
    form = "WEBP" if max(picture.size) <= _WIDEST_WEBP else "JPEG"
    out = io.BytesIO()
    picture.save(out, form, quality=POLICY.quality)
    return out.getvalue()
